// Values given order sets of a power with the samples and the evaluation of a search, but without searching for other
// order sets.
import { type Game, MOVEMENT, type Power } from '../../engine/internal.js';
import { planSearch } from './budget.js';
import type { Candidates } from './candidates.js';
import { listCandidates } from './list-candidates.js';
import { clock, compare, meanIn } from './match.js';
import { makeControl } from './monte-carlo.js';
import { ordersSeen } from './opponent-model.js';
import { searchDefaults } from './options.js';

/** Values of order sets of a power, and the order sets of the others that they were evaluated against. */
export interface ValuedSets {
  /** Mean value to the power, 0 to 1, and standard error of this mean, indexed by order set. */
  readonly values: readonly { readonly value: number; readonly error: number }[];
  /** Order sets expected of each power, indexed by power. */
  readonly expected: readonly Candidates[];
}

/**
 * Values order sets of a power against the same samples of the expected orders of the others. The result depends only
 * on the position and the arguments.
 * @param sets packed orders of at least one order set; units without orders hold
 * @param rounds number of samples of the others' orders
 * @param seed seed of all random numbers
 */
export const valueSets = (
  game: Game,
  power: Power,
  sets: readonly Int32Array[],
  rounds: number,
  seed: number,
): ValuedSets => {
  const planned = planSearch(game, { ...searchDefaults, powers: [power], seed }, 1);
  const expected = listCandidates(game, { ...planned, powers: [] }, 0, clock());
  // In a movement phase, a search needs an order for every unit.
  const whole = sets.map((orders) => (game.phase === MOVEMENT ? ordersSeen(game, { orders })[power] : orders));
  const own: Candidates = { power, sets: whole, prior: Float64Array.from(whole, () => 1 / whole.length) };
  const candidates = expected.map((other, q) => (q === power ? own : other));
  const { depth, playout, value } = planned;
  const problem = { game, candidates, options: { depth, playout, value }, seed };
  const limit = { rollouts: rounds * sets.length, deadline: Number.POSITIVE_INFINITY, control: makeControl() };
  const sums = compare(problem, power, [...sets.keys()], 0, limit);
  return { values: sets.map((_, c) => meanIn(sums, c)), expected };
};
