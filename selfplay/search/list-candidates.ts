// Lists the order sets of each power in a search: for searched powers, candidates and best responses to the opponent
// models; for the others, the order sets expected by their opponent models.
import { type Game, Random } from '../../engine/internal.js';
import { responsesTo } from '../heuristics/best-response.js';
import { fewerCandidates } from './budget.js';
import { type Candidates, findAllCandidates, findOwnCandidates } from './candidates.js';
import { expectGreedy } from './greedy-response.js';
import { Lookahead } from './lookahead.js';
import { clock, drawSamples } from './match.js';
import { expectMap } from './opponent-file.js';
import { expectedOf, expectedOfOwn, modelOpponents } from './opponent-model.js';
import { type PlannedOptions, type SearchOptions, weightsOf } from './options.js';
import { type Effort, FULL, type Prediction, predict, QUICK } from './player-types.js';

/**
 * Shares of the time budget. PREDICTED: predictions end at this share. UPDATED: the update of the opponent models ends
 * at this share.
 */
const PREDICTED = 0.4;
const UPDATED = 0.5;
/** FULL_EVALUATIONS (lookaheads), FULL_MS (milliseconds): a search with a smaller budget uses a quick prediction. */
const FULL_EVALUATIONS = 12_000;
const FULL_MS = 200;
/** Minimum time budget of a search that models opponents, in milliseconds. */
const LEAST_MS = 60;

/**
 * For best responses. RESPONSE_SAMPLES: number of samples of the others' orders. RESPONSE_STARTS: number of order sets
 * to start from. RESPONSE_TRIALS: number of order sets tried from each start.
 */
const RESPONSE_SAMPLES = 16;
const RESPONSE_STARTS = 3;
const RESPONSE_TRIALS = 2000;

const byWorth = (worth: Float64Array): number[] =>
  [...worth.keys()].filter((c) => worth[c] > Number.NEGATIVE_INFINITY).sort((a, b) => worth[b] - worth[a] || a - b);

/**
 * Draws RESPONSE_SAMPLES samples of the expected orders of all powers. Each is a list of board orders, indexed by
 * province.
 */
const expectedSamples = (game: Game, expected: readonly Candidates[], random: Random): Int32Array[] => {
  const lookahead = new Lookahead(game);
  const boards = expected.map(({ sets }) => sets.map((set) => lookahead.prepare(set)));
  return drawSamples(
    game,
    boards,
    expected.map(({ prior }) => prior),
    RESPONSE_SAMPLES,
    random,
  );
};

/**
 * Returns a copy of candidates with more order sets appended. New ones have prior 0; those already there are not
 * repeated.
 */
const extend = ({ power, sets, prior }: Candidates, more: readonly Int32Array[]): Candidates => {
  const all = [...new Map([...sets, ...more].map((set) => [set.join(), set])).values()];
  return { power, sets: all, prior: Float64Array.from(all, (_, c) => prior[c] ?? 0) };
};

const merge = (own: Candidates, expected: Candidates, worth: Float64Array): Candidates => {
  const places = new Map(expected.sets.map((set, c) => [set.join(), c]));
  const best = byWorth(worth).map((c) => expected.sets[c]);
  const { sets } = extend(own, best);
  const prior = Float64Array.from(sets, (set) => expected.prior[places.get(set.join()) ?? -1] ?? 0);
  const sum = prior.reduce((total, x) => total + x, 0);
  return { power: own.power, sets, prior: prior.map((x) => (sum > 0 ? x / sum : 1 / prior.length)) };
};

/**
 * Expected orders of every power in a movement phase, both indexed by power. `predictions`: order sets with their
 * probability under each player type. `expected`: order sets with their probability under the opponent model.
 */
interface ExpectedOrders {
  readonly predictions: readonly Prediction[];
  readonly expected: readonly Candidates[];
}

/**
 * Predicts the orders of all powers in a movement phase, by opponent models. A search draws the orders of its opponents
 * from the result.
 * @param effort amount of work for the predictions
 * @param predicted deadline of the predictions, a time of clock()
 * @param updated deadline of the opponent models, a time of clock(); past phases not read by then are ignored
 */
export const expectOrders = (
  game: Game,
  options: Pick<SearchOptions, 'past' | 'powers' | 'seed' | 'model'>,
  effort: Effort,
  predicted: number = Number.POSITIVE_INFINITY,
  updated: number = Number.POSITIVE_INFINITY,
): ExpectedOrders => {
  const predictions = predict(game, effort, predicted);
  const models = modelOpponents(game, options, effort, updated);
  const expected = predictions.map((one, q) =>
    options.powers.includes(q) ? expectedOfOwn(q, one, models[q]) : expectedOf(game, q, one, models[q], options.seed),
  );
  return { predictions, expected };
};

/** Function that modifies the expected order sets of all powers, indexed by power. */
export type Expectation = (expected: readonly Candidates[]) => readonly Candidates[];

/**
 * Returns the order sets of all powers, indexed by power: candidates of searched powers, expected order sets of the
 * others.
 * @param plays expected number of rollouts or lookaheads in the first turn
 * @param begin start of the search, a time of clock()
 * @param change modifies the expected order sets, to measure the effect of opponent models
 * @throws LepantoError if the options name an opponent of another map
 */
export const listCandidates = (
  game: Game,
  options: PlannedOptions,
  plays: number,
  begin: number,
  change: Expectation = (expected) => expected,
): Candidates[] => {
  const { powers, modelled, seed, milliseconds, replies, model } = options;
  if (model !== undefined) expectMap(model, game.map);
  const most = fewerCandidates(options, plays);
  if (!modelled || milliseconds < LEAST_MS)
    return findAllCandidates(game, seed, (q) => (powers.includes(q) ? most : replies)).map((own) =>
      expectGreedy(game, own),
    );
  const effort = options.rollouts < FULL_EVALUATIONS || milliseconds < FULL_MS ? QUICK : FULL;
  const { predictions, expected: known } = expectOrders(
    game,
    options,
    effort,
    begin + PREDICTED * milliseconds,
    begin + UPDATED * milliseconds,
  );
  const expected = change(known);
  return expected.map((one, q) => {
    if (!powers.includes(q)) return one;
    const { sets, worth } = predictions[q];
    const own = merge(findOwnCandidates(game, seed, q, most), one, worth);
    const weights = weightsOf(options);
    if (weights === null || clock() > begin + UPDATED * milliseconds) return own;
    const best = byWorth(worth).slice(0, RESPONSE_STARTS);
    const starts = best.map((c) => sets[c]);
    const samples = expectedSamples(game, expected, new Random(seed, q, 0x4e9));
    return extend(own, responsesTo(game, q, starts, samples, RESPONSE_TRIALS, new Random(seed, q, 0x4ea), weights));
  });
};
