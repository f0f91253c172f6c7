// Holds convoys to the ways that armies name. In DAIDE an army that goes by convoy says so and names the provinces on its
// way, and goes that way or not at all: other fleets that were ordered to convoy it are of no use to it. The engine knows
// no ways, so the orders of such fleets are turned into holds before a turn is played.
import {
  CONVOY,
  cheapestChain,
  type Game,
  hold,
  MOVE,
  NO_UNIT,
  type Order,
  orderHelped,
  orderLocation,
  orderType,
  orderVia,
  type Province,
  targetProvince,
  testBit,
} from '../../../engine/internal.js';

/** Shortest way of an army over some provinces; null if there is none. */
const shortest = ({ map }: Game, from: Province, to: Province, over: (p: Province) => boolean): Province[] | null =>
  cheapestChain(map, from, to, (p) => (testBit(map.seas, 0, p) === 1 && over(p) ? 1 : Number.POSITIVE_INFINITY));

const isConvoyOf = (order: Order, from: Province, to: Province): boolean =>
  orderType(order) === CONVOY && orderHelped(order) === from && targetProvince(order) === to;

export const isByConvoy = (order: Order): boolean => orderType(order) === MOVE && orderVia(order) === 1;

/**
 * The way of an army that did not name one: over the fleets that were ordered to convoy it, else over any fleets.
 * @param orders by province
 */
export const wayOf = (game: Game, army: Order, orders: ReadonlyMap<Province, Order>): readonly Province[] => {
  const from = game.map.locationProvince[orderLocation(army)];
  const to = targetProvince(army);
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
  const to = targetProvince(order);
  const path = paths.get(from) ?? [];
  const isMeant = path.includes(fleet) && targetProvince(orders.get(from) ?? 0) === to;
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
  const fleets = [...orders.keys()].filter((p) => orderType(orders.get(p) ?? 0) === CONVOY);
  const idle = new Set(fleets.filter((p) => !serves(orders, paths, p)));
  for (const p of idle) orders.set(p, hold(game.unitLocation(p)));
  return idle;
};
