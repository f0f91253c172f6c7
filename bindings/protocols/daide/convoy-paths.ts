// Enforces the convoy routes of DAIDE. A convoyed army lists the provinces on its route and takes that route or none,
// so fleets elsewhere cannot convoy it. The engine has no routes. Before a turn is adjudicated, convoy orders of fleets
// off the route are therefore replaced by holds.
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

/**
 * Returns the shortest sea route between two provinces: the seas on it, in order. Null if there is none. Among routes
 * of equal length, seas with lower numbers win.
 * @param over true for seas that the route may use
 */
const shortest = ({ map }: Game, from: Province, to: Province, over: (p: Province) => boolean): Province[] | null => {
  const open = Array.from(map.kind.keys()).filter((p) => isSea(map, p) && over(p));
  const seen = new Set<Province>();
  const ways: Province[][] = [[]];
  // Breadth-first search: longer routes are appended to the array while the loop runs.
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

/** True if an order is a convoy of the army in `from` to `to`. */
const isConvoyOf = (order: Order, from: Province, to: Location): boolean =>
  orderType(order) === OrderType.CONVOY && orderHelped(order) === from && orderTarget(order) === to;

/** True if an order is a move by convoy. */
export const isByConvoy = (order: Order): boolean => orderType(order) === OrderType.MOVE && orderVia(order) === 1;

/**
 * Returns the route of a convoyed army that did not list one: the shortest route over fleets with an order to convoy
 * it, or otherwise over any fleets. Empty if there is no route.
 * @param orders orders of the turn, by province
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

/**
 * True if a fleet with a convoy order is on the route of the army that it convoys, and all fleets of that route have
 * orders to convoy that army.
 * @param orders orders of the turn, by province
 * @param paths route of each army that moves by convoy, by the army's province
 * @param fleet province of the fleet
 */
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
 * Replaces convoy orders that serve no army's route with holds.
 * @param orders orders of the turn, by province; modified
 * @param paths route of each army that moves by convoy, by the army's province
 * @returns provinces of the fleets whose orders were replaced in `orders`
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
