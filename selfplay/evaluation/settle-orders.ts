// Chooses retreats and adjustments by static evaluation, one order at a time.
import {
  adjudicate,
  adjustmentDue,
  type Game,
  hasOrders,
  legalByPower,
  MAX_LOCATIONS,
  MOVEMENT,
  makeResults,
  PLAYING,
  type Power,
  RETREAT,
  unitType,
} from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';
import { evaluatePosition, readPosition } from './static-evaluation.js';
import { defaultWeights } from './weights.js';

/** Changes the position `after` as an order of a power does if it succeeds. @param game position before the phase */
const follow = (game: Game, after: Game, power: Power, order: O.Order): void => {
  const at = O.orderLocation(order);
  const type = O.orderType(order);
  if (type === O.REMOVE) after.removeUnit(game.map.locationProvince[at]);
  else if (type === O.RETREAT_TO) after.placeUnit(power, typeOfDislodged(game, at), O.orderTarget(order));
  else if (type !== O.DISBAND) after.placeUnit(power, type === O.BUILD_FLEET ? 1 : 0, at);
};

const typeOfDislodged = (game: Game, at: number): number => {
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { location, unit } = game.dislodged(i);
    if (location === at) return unitType(unit);
  }
  return 0;
};

/**
 * True if earlier orders of the power, followed in `after`, make this order impossible: the site is occupied, or the
 * unit was removed.
 */
const isTaken = (game: Game, after: Game, order: O.Order): boolean => {
  const { locationProvince } = game.map;
  const type = O.orderType(order);
  if (type === O.DISBAND) return false;
  if (type === O.REMOVE) return after.unitAt(locationProvince[O.orderLocation(order)]) === 0;
  return after.unitAt(locationProvince[type === O.RETREAT_TO ? O.orderTarget(order) : O.orderLocation(order)]) !== 0;
};

/**
 * Returns the order that leads to the position with the highest value, after the orders followed in `after`. Undefined
 * if no order is possible.
 */
const bestAfter = (game: Game, after: Game, power: Power, orders: readonly O.Order[]): O.Order | undefined => {
  let best: { readonly order: O.Order; readonly value: number } | undefined;
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

/**
 * Writes retreats or adjustments of a power to `out` and returns their number. readPosition() must have loaded the
 * position.
 */
const settle = (game: Game, power: Power, out: Int32Array): number => {
  const after = game.clone();
  const lists = legalByPower(game, power).map((list) => [...list].filter((order) => O.orderType(order) !== O.WAIVE));
  const steps =
    game.phase === RETREAT ? lists : Array.from({ length: Math.abs(adjustmentDue(game, power)) }, () => lists.flat());
  for (const [n, orders] of steps.entries()) {
    out[n] = bestAfter(game, after, power, orders) ?? O.waive(power);
    if (O.orderType(out[n]) !== O.WAIVE) follow(game, after, power, out[n]);
  }
  return steps.length;
};

/**
 * Writes packed retreats or adjustments of a power to `out`, and returns their number.
 * @param out at least as long as the number of orders
 * @param weights weights of the static evaluation
 */
export const settleOrders = (game: Game, power: Power, out: Int32Array, weights = defaultWeights): number => {
  readPosition(game, weights);
  return settle(game, power, out);
};

const settled = new Int32Array(MAX_LOCATIONS);
const ofOne = new Int32Array(MAX_LOCATIONS);
const results = makeResults();

/** Plays retreats and adjustments of all powers in place, until the next movement phase or the end of the game. */
export const settleAll = (game: Game): void => {
  while (game.status === PLAYING && game.phase !== MOVEMENT) {
    readPosition(game);
    let count = 0;
    for (let q: Power = 0; q < game.map.powerCount; q++) {
      if (!hasOrders(game, q)) continue;
      const own = settle(game, q, ofOne);
      settled.set(ofOne.subarray(0, own), count);
      count += own;
    }
    adjudicate(game, settled, count, results);
  }
};
