// Finds the greedy response, which a power is expected to give at times instead of DumbBot's: to take what it can get now.
import { type Game, hold } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';
import type { Candidates } from './candidates.js';
import { Playouts } from './playout.js';

/** How often a power is expected to take what it can get now, instead of what DumbBot would do. */
const GREEDY_SHARE = 0.2;

const othersHold = (game: Game, power: T.Power): Int32Array => {
  const orders: number[] = [];
  for (let p = 0; p < game.map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit !== T.NO_UNIT && T.unitPower(unit) !== power) orders.push(hold(game.unitLocation(p)));
  }
  return Int32Array.from(orders);
};

/** By order set: what the power has after it if the others hold, by the heuristic value. */
export const valuesIfOthersHold = (game: Game, power: T.Power, sets: readonly Int32Array[]): Float64Array => {
  const playouts = new Playouts(game, { depth: 1, playout: 'policy', value: 'heuristic' });
  const others = playouts.prepare(othersHold(game, power));
  const value = new Float64Array(game.map.powerCount);
  return Float64Array.from(sets, (set) => {
    playouts.play([others, playouts.prepare(set)], 0, 0, value);
    return value[power];
  });
};

/** Place of the order set after which the power has most if the others hold. */
export const greediest = (game: Game, power: T.Power, sets: readonly Int32Array[]): number => {
  const values = valuesIfOthersHold(game, power, sets);
  return values.indexOf(values.reduce((most, x) => Math.max(most, x), Number.NEGATIVE_INFINITY));
};

/** Candidates whose prior allows for a power that takes what it can get now. */
export const expectGreedy = (game: Game, own: Candidates): Candidates => {
  if (game.phase !== T.MOVEMENT || own.sets.length < 2) return own;
  const best = greediest(game, own.power, own.sets);
  const prior = own.prior.map((x, c) => (1 - GREEDY_SHARE) * x + (c === best ? GREEDY_SHARE : 0));
  return { ...own, prior };
};
