// Makes the rows of the search: rollouts at the root, as in searchMoves(), for each kind of playout.

import type { Game } from '../../engine/position/game.js';
import { mix } from '../../engine/rules/random.js';
import { findAllCandidates } from '../../selfplay/search/candidates.js';
import { compare, type Limit, type Problem } from '../../selfplay/search/match.js';
import { makeControl } from '../../selfplay/search/monte-carlo.js';
import { type PlayoutName, playoutNames } from '../../selfplay/search/options.js';
import type { Row } from './measured-row.js';

const SEED = 20_251_121;
const POSITIONS = 4;
/** Number of candidates of each power. */
const CANDIDATES = 30;
/** Number of rollouts from a position in a chunk. Each candidate gets the same number. */
const ROLLOUTS = 60;
/** Horizon in phase-steps, as in a search with 400 to 8,000 rollouts. */
const DEPTH = 3;

interface Root extends Omit<Problem, 'options'> {
  /** Power whose candidates are compared. */
  readonly power: number;
  /** Indices of the compared candidates. */
  readonly among: readonly number[];
}

const findRoot = (game: Game, seed: number): Root => {
  const candidates = findAllCandidates(game, seed, () => CANDIDATES);
  const power = candidates.reduce((best, { sets }, q) => (sets.length > candidates[best].sets.length ? q : best), 0);
  return { game, candidates, seed, power, among: [...candidates[power].sets.keys()].slice(0, CANDIDATES) };
};

const searchRow = (playout: PlayoutName, roots: readonly Root[]): Row => {
  const options = { depth: DEPTH, playout, value: 'heuristic' } as const;
  const limit: Limit = { rollouts: ROLLOUTS, deadline: Number.POSITIVE_INFINITY, control: makeControl() };
  const play = (add: (sum: Float64Array, count: Float64Array) => number): number => {
    let total = 0;
    for (const { power, among, ...root } of roots) {
      const { sum, count } = compare({ ...root, options }, power, among, 0, limit);
      total = (Math.imul(total, 31) + add(sum, count)) | 0;
    }
    return total;
  };
  let operations = 0;
  play((_, count) => {
    for (const n of count) operations += n;
    return 0;
  });
  return {
    counts: [{ path: ['search_rollouts_per_second', playout], operations }],
    prepare: () => {},
    run: () => play((sum) => sum[0] * 0x1000),
    check: () =>
      play((sum) => new Int32Array(sum.buffer).reduce((all, word) => mix(Math.imul(all, 31) + word), 0)) >>> 0,
  };
};

/**
 * Makes a row for each kind of playout.
 * @param all positions of movement phases, of which the first POSITIONS are used
 */
export const searchRows = (all: readonly Game[]): Row[] => {
  const roots = all.slice(0, POSITIONS).map((game, i) => findRoot(game, SEED + i));
  return playoutNames.map((playout) => searchRow(playout, roots));
};
