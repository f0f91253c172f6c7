// Holds convoys to the ways that armies name. In DAIDE an army that goes by convoy says so and names the provinces on its
// way, and goes that way or not at all: other fleets that were ordered to convoy it are of no use to it. The engine knows
// no ways, so the orders of such fleets are turned into holds before a turn is played.
import {
  type Game,
  type Location,
  makeOrder,
  NO_UNIT,
  type Order,
  OrderType,
  orderHelped,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
  type Province,
} from '../../../engine/index.js';
import { isNextTo, isSea } from './borders.js';

/** Returns the shortest way of an army over some seas, of equal ones the first by number; null if there is none. */
const shortest = ({ map }: Game, from: Province, to: Province, over: (p: Province) => boolean): Province[] | null => {
  const open = Array.from(map.kind.keys()).filter((p) => isSea(map, p) && over(p));
  const seen = new Set<Province>();
  const ways: Province[][] = [[]];
  // Ways are appended while the loop runs: it takes all ways of one length before the longer ones.
  for (const way of ways) {
    const last = way.at(-1);
    if (last !== undefined && isNextTo(map, last, to)) return way;
    for (const sea of open) {
      if (seen.has(sea) || !isNextTo(map, last ?? from, sea)) continue;
      seen.add(sea);
      ways.push([...way, sea]);
    }
  }
  return null;
};

const isConvoyOf = (order: Order, from: Province, to: Location): boolean =>
  orderType(order) === OrderType.CONVOY && orderHelped(order) === from && orderTarget(order) === to;

export const isByConvoy = (order: Order): boolean => orderType(order) === OrderType.MOVE && orderVia(order) === 1;

/**
 * The way of an army that did not name one: over the fleets that were ordered to convoy it, else over any fleets.
 * @param orders by province
 */
export const wayOf = (game: Game, army: Order, orders: ReadonlyMap<Province, Order>): readonly Province[] => {
  const from = game.map.locationProvince[orderLocation(army)];
  const to = game.map.locationProvince[orderTarget(army)];
  return (
    shortest(game, from, to, (p) => isConvoyOf(orders.get(p) ?? 0, from, to)) ??
    shortest(game, from, to, (p) => game.unitAt(p) !== NO_UNIT) ??
    []
  );
};

/** True if a fleet is one of those that an army named, and all of those were ordered to convoy it. */
const serves = (
  orders: ReadonlyMap<Province, Order>,
  paths: ReadonlyMap<Province, readonly Province[]>,
  fleet: Province,
): boolean => {
  const order = orders.get(fleet) ?? 0;
  const from = orderHelped(order);
  const to = orderTarget(order);
  const path = paths.get(from) ?? [];
  const isMeant = path.includes(fleet) && orderTarget(orders.get(from) ?? 0) === to;
  return isMeant && path.every((p) => isConvoyOf(orders.get(p) ?? 0, from, to));
};

/**
 * Turns convoys that no army goes by into holds.
 * @param orders by province; changed
 * @param paths by the province of each army that goes by convoy
 * @returns the provinces of those fleets
 */
export const holdToPaths = (
  game: Game,
  orders: Map<Province, Order>,
  paths: ReadonlyMap<Province, readonly Province[]>,
): Set<Province> => {
  const fleets = [...orders.keys()].filter((p) => orderType(orders.get(p) ?? 0) === OrderType.CONVOY);
  const idle = new Set(fleets.filter((p) => !serves(orders, paths, p)));
  for (const p of idle) orders.set(p, makeOrder.hold(game.unitLocation(p)));
  return idle;
};
