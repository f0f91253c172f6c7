// Finds the greedy response of a power: the order set with the highest value if all other powers hold.
import { type Game, hold } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';
import type { Candidates } from './candidates.js';
import { Playouts } from './playout.js';

/** Probability that an opponent without a model gives its greedy response instead of an order set of DumbBot. */
const GREEDY_SHARE = 0.2;

const othersHold = (game: Game, power: T.Power): Int32Array => {
  const orders: number[] = [];
  for (let p = 0; p < game.map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit !== T.NO_UNIT && T.unitPower(unit) !== power) orders.push(hold(game.unitLocation(p)));
  }
  return Int32Array.from(orders);
};

/** Returns the heuristic value of each order set to the power if all other powers hold, 0 to 1, indexed by set. */
export const valuesIfOthersHold = (game: Game, power: T.Power, sets: readonly Int32Array[]): Float64Array => {
  const playouts = new Playouts(game, { depth: 1, playout: 'policy', value: 'heuristic' });
  const others = playouts.prepare(othersHold(game, power));
  const value = new Float64Array(game.map.powerCount);
  return Float64Array.from(sets, (set) => {
    playouts.play([others, playouts.prepare(set)], 0, 0, value);
    return value[power];
  });
};

/**
 * Returns the index of the greedy response among order sets of a power: the set with the highest value if all others
 * hold.
 */
export const greediest = (game: Game, power: T.Power, sets: readonly Int32Array[]): number => {
  const values = valuesIfOthersHold(game, power, sets);
  return values.indexOf(values.reduce((most, x) => Math.max(most, x), Number.NEGATIVE_INFINITY));
};

/**
 * Returns candidates in which GREEDY_SHARE of the prior belongs to the greedy response. Returns them unchanged outside
 * movement phases, and if there are fewer than two.
 */
export const expectGreedy = (game: Game, own: Candidates): Candidates => {
  if (game.phase !== T.MOVEMENT || own.sets.length < 2) return own;
  const best = greediest(game, own.power, own.sets);
  const prior = own.prior.map((x, c) => (1 - GREEDY_SHARE) * x + (c === best ? GREEDY_SHARE : 0));
  return { ...own, prior };
};
