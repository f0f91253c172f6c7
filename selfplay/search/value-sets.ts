// What given order sets of a power are worth: by the samples and the evaluation of a search that does not look for others.
import { type Game, MOVEMENT, type Power } from '../../engine/internal.js';
import { planSearch } from './budget.js';
import type { Candidates } from './candidates.js';
import { listCandidates } from './list-candidates.js';
import { clock, compare, meanIn } from './match.js';
import { makeControl } from './monte-carlo.js';
import { ordersSeen } from './opponent-model.js';
import { searchDefaults } from './options.js';

/** What order sets are worth, and what they met. */
export interface ValuedSets {
  /** By set: the mean share of the power, and its standard error. */
  readonly values: readonly { readonly value: number; readonly error: number }[];
  /** By power: what it is expected to do. */
  readonly expected: readonly Candidates[];
}

/**
 * Values order sets of a power side by side: each against the same samples of what the others are expected to do.
 * @param sets one at least
 * @param rounds samples of the others; the answer follows from the position, the sets, the rounds and the seed
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
  // In a movement phase searches have an order for every unit.
  const whole = sets.map((orders) => (game.phase === MOVEMENT ? ordersSeen(game, { orders })[power] : orders));
  const own: Candidates = { power, sets: whole, prior: Float64Array.from(whole, () => 1 / whole.length) };
  const candidates = expected.map((other, q) => (q === power ? own : other));
  const { depth, playout, value } = planned;
  const problem = { game, candidates, options: { depth, playout, value }, seed };
  const limit = { rollouts: rounds * sets.length, deadline: Number.POSITIVE_INFINITY, control: makeControl() };
  const sums = compare(problem, power, [...sets.keys()], 0, limit);
  return { values: sets.map((_, c) => meanIn(sums, c)), expected };
};
