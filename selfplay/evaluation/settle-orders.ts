// Retreats and adjustments that leave a power with the best position, chosen one after the other.
import {
  adjustmentDue,
  BUILD_FLEET,
  DISBAND,
  type Game,
  legalByPower,
  type Order,
  orderLocation,
  orderTarget,
  orderType,
  type Power,
  REMOVE,
  RETREAT,
  RETREAT_TO,
  unitType,
  WAIVE,
  waive,
} from '../../engine/internal.js';
import { evaluatePosition, readPosition } from './static-evaluation.js';

/** Puts into effect what an order of a power does if nothing is in its way. */
const follow = (game: Game, after: Game, power: Power, order: Order): void => {
  const at = orderLocation(order);
  const type = orderType(order);
  if (type === REMOVE) after.removeUnit(game.map.locationProvince[at]);
  else if (type === RETREAT_TO) after.placeUnit(power, typeOfDislodged(game, at), orderTarget(order));
  else if (type !== DISBAND) after.placeUnit(power, type === BUILD_FLEET ? 1 : 0, at);
};

const typeOfDislodged = (game: Game, at: number): number => {
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { location, unit } = game.dislodged(i);
    if (location === at) return unitType(unit);
  }
  return 0;
};

/** True if an own order before has filled the province. */
const isTaken = (game: Game, after: Game, order: Order): boolean => {
  const { locationProvince } = game.map;
  const type = orderType(order);
  if (type === DISBAND) return false;
  if (type === REMOVE) return after.unitAt(locationProvince[orderLocation(order)]) === 0;
  return after.unitAt(locationProvince[type === RETREAT_TO ? orderTarget(order) : orderLocation(order)]) !== 0;
};

/** The best of some orders after those before it; undefined if none of them can be given any more. */
const bestAfter = (game: Game, after: Game, power: Power, orders: readonly Order[]): Order | undefined => {
  let best: { readonly order: Order; readonly value: number } | undefined;
  const next = after.clone();
  for (const order of orders) {
    if (isTaken(game, after, order)) continue;
    next.copyFrom(after);
    follow(game, next, power, order);
    const value = evaluatePosition(next, power);
    if (best === undefined || value > best.value) best = { order, value };
  }
  return best?.order;
};

/** Writes retreats or adjustments of a power, and returns their number. */
export const settleOrders = (game: Game, power: Power, out: Int32Array): number => {
  readPosition(game);
  const after = game.clone();
  const lists = legalByPower(game, power).map((list) => [...list].filter((order) => orderType(order) !== WAIVE));
  const steps =
    game.phase === RETREAT ? lists : Array.from({ length: Math.abs(adjustmentDue(game, power)) }, () => lists.flat());
  for (const [n, orders] of steps.entries()) {
    out[n] = bestAfter(game, after, power, orders) ?? waive(power);
    if (orderType(out[n]) !== WAIVE) follow(game, after, power, out[n]);
  }
  return steps.length;
};
