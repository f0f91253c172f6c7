// Predicts the orders of each power in a movement phase: a list of order sets, with their probabilities under each
// player type. A prediction depends on the position alone, so it is shared by all powers and choices, and cached until
// the actual orders are known (opponent-model.ts).
//
//   level 0   dumbbot, guard, policy, uniform: draws from these players
//   level 1   greedy: the candidate with the highest value if the others hold; taker: the same, found by search
//   level 2   answer: best responses to dumbbot and taker; wary: the candidate with the highest mean over the worst
//             third of its values against dumbbot, greedy and guard
//   level 3   reply: responses of the agent `reply`, with less work; search: the candidate with the highest mean value
//             against a mixture of these types, and best responses to that mixture
//
// A search plays better against opponents that a type predicts well. Draws of best responses predict strong players
// better than ranked candidates do, and many draws better than few.
import {
  type CompiledMap,
  type Game,
  hashGame,
  legalByPower,
  MAX_LOCATIONS,
  MAX_POWERS,
  orderLocation,
  type Power,
  Random,
} from '../../engine/internal.js';
import { POLICY, UNIFORM } from '../../engine/play/step.js';
import { holdIllegal } from '../evaluation/hold-illegal.js';
import { supportOwn } from '../evaluation/support-own.js';
import { expectedResponses, type Responses, responsesTo } from '../heuristics/best-response.js';
import { guardMoves } from '../heuristics/guard.js';
import { sampledOrders } from '../heuristics/sampled.js';
import { findCandidates } from './candidates.js';
import { valuesIfOthersHold } from './greedy-response.js';
import { Lookahead } from './lookahead.js';
import { clock, drawFrom, drawSamples } from './match.js';
import type { BoardOrders } from './playout.js';

export const typeNames = [
  'dumbbot',
  'greedy',
  'guard',
  'taker',
  'answer',
  'wary',
  'reply',
  'search',
  'policy',
  'uniform',
] as const;
type TypeName = (typeof typeNames)[number];

/**
 * Prior over the types of unknown bots, in the order of typeNames. Mostly players that maximise some value. Sums to 1.
 */
export const typePrior: readonly number[] = [0.18, 0.1, 0.1, 0.1, 0.09, 0.08, 0.12, 0.18, 0.03, 0.02];

/** Predicted orders of one power. */
export interface Prediction {
  /** Distinct order sets, each sorted ascending, so that the order of a unit has the same index in all of them. */
  readonly sets: readonly Int32Array[];
  /** Probability of each order set under each type, indexed by type (typeNames), then by set. Each list sums to 1. */
  readonly likely: readonly Float64Array[];
  /** Legal orders of each unit, indexed like the orders of a set. */
  readonly legal: readonly Int32Array[];
  /**
   * Mean value of each order set to the power against a mixture of types, 0 to 1. -Infinity for sets that were not
   * fully evaluated.
   */
  readonly worth: Float64Array;
}

/** Amount of work for the prediction of a phase. */
export interface Effort {
  /**
   * For each power. `candidates`: number of candidates. `replies`: number of draws of each of the types taker, answer
   * and reply. `searches`: number of best responses of the type search.
   */
  readonly candidates: number;
  readonly replies: number;
  readonly searches: number;
  /**
   * For the evaluation of candidates. `first`: number of samples of the others' orders for all candidates. `left`:
   * number of candidates kept after these. `more`: number of further samples for them.
   */
  readonly first: number;
  readonly left: number;
  readonly more: number;
}

/** FULL: amount of work for searches with a large budget. QUICK: for searches with a small one. */
export const FULL: Effort = { candidates: 80, replies: 16, searches: 8, first: 4, left: 32, more: 10 };
export const QUICK: Effort = { candidates: 50, replies: 8, searches: 4, first: 3, left: 16, more: 6 };

const DRAWS = 6;
/**
 * For best responses of the type search. SEARCH_SAMPLES: number of samples of the others' orders. SEARCH_TRIALS:
 * maximum number of order sets tried. SEARCH_SHARE: probability of the best responses together.
 */
const SEARCH_SAMPLES = 8;
const SEARCH_TRIALS = 5000;
const SEARCH_SHARE = 0.7;
/** Ratio of the probabilities of successive order sets, ranked by value, for a type that maximises the value. */
const NEXT_SHARE = 0.6;
/** Part of the values that the type wary averages: the lowest third. */
const WORSE = 1 / 3;

const indexOf = (type: TypeName): number => typeNames.indexOf(type);

const normalized = (weights: Float64Array): Float64Array => {
  const sum = weights.reduce((all, x) => all + x, 0);
  return sum > 0 ? weights.map((x) => x / sum) : weights;
};

/**
 * Returns the probability of each order set for a player that prefers high values. It depends on the rank alone.
 * @param values value of each set; -Infinity for sets that were not evaluated, which get probability 0
 */
const byRank = (values: Float64Array): Float64Array => {
  const out = new Float64Array(values.length);
  const order = [...values.keys()].filter((c) => values[c] > Number.NEGATIVE_INFINITY);
  order.sort((a, b) => values[b] - values[a] || a - b);
  for (const [i, c] of order.entries()) out[c] = NEXT_SHARE ** i;
  return normalized(out);
};

const mixOf = (lists: readonly Float64Array[], shares: Readonly<Partial<Record<TypeName, number>>>): Float64Array =>
  normalized(lists[0].map((_, c) => typeNames.reduce((sum, type, t) => sum + (shares[type] ?? 0) * lists[t][c], 0)));

const drawn = new Int32Array(MAX_LOCATIONS);

const drawGuard = (game: Game, power: Power, random: Random): number => {
  const count = guardMoves(game, power, drawn, random);
  holdIllegal(game, drawn, count);
  return count;
};

/** Order sets of one power, with their probabilities under the player types computed so far. */
class Side {
  readonly sets: Int32Array[] = [];
  readonly board: BoardOrders[];
  readonly likely: Float64Array[];
  /**
   * Order sets are grouped by index. Below `simple`: candidates and draws of the type guard. From `simple` to below
   * `sensible`: draws of taker, answer and reply. From `sensible` on: draws by the samplers of the engine.
   */
  readonly simple: number;
  readonly sensible: number;
  private readonly places = new Map<string, number>();

  constructor(
    game: Game,
    judge: Lookahead,
    readonly power: Power,
    random: Random,
    most: number,
    { greedy, answer, response }: Responses,
  ) {
    const { sets, prior } = findCandidates(game, power, random, most);
    for (const set of sets) this.placeOf(set);
    const draw = (count: (power: Power) => number): number[] =>
      Array.from({ length: DRAWS }, () => this.placeOf(drawn.slice(0, count(power)).sort()));
    const guard = draw(() => drawGuard(game, power, random));
    this.simple = this.sets.length;
    const greedies = greedy.map((set) => this.placeOf(set));
    const answers = this.placesOf(game, answer);
    const responses = this.placesOf(game, response);
    this.sensible = this.sets.length;
    const policy = draw(() => sampledOrders(POLICY, game, power, drawn, random));
    const uniform = draw(() => sampledOrders(UNIFORM, game, power, drawn, random));
    const list = (chosen: readonly number[]): Float64Array => {
      const out = new Float64Array(this.sets.length);
      for (const c of chosen) out[c] += 1 / chosen.length;
      return out;
    };
    this.likely = typeNames.map(() => list([]));
    // Order sets that DumbBot did not draw have the lowest prior.
    const least = prior.reduce((min, x) => Math.min(min, x), 1);
    const dumbbot = list([]);
    dumbbot.set(prior.map((x) => x - least));
    this.know('dumbbot', sets.length < 2 ? list([0]) : normalized(dumbbot));
    this.know('guard', list(guard));
    this.know('taker', list(greedies));
    this.know('answer', list(answers));
    this.know('reply', list(responses));
    this.know('policy', list(policy));
    this.know('uniform', list(uniform));
    this.board = this.sets.map((set) => judge.prepare(set));
  }

  /**
   * Adds best responses to the order sets and gives them SEARCH_SHARE of the probability under the type search. The
   * earlier order sets share the rest.
   */
  respond(game: Game, responses: readonly Int32Array[], judge: Lookahead): void {
    const before = this.likely[indexOf('search')];
    const places = this.placesOf(game, responses);
    for (let c = this.board.length; c < this.sets.length; c++) this.board.push(judge.prepare(this.sets[c]));
    for (const [t, list] of this.likely.entries()) {
      this.likely[t] = new Float64Array(this.sets.length);
      this.likely[t].set(list);
    }
    const after = Float64Array.from(this.sets, (_, c) => (1 - SEARCH_SHARE) * (before[c] ?? 0));
    for (const c of places) after[c] += SEARCH_SHARE / places.length;
    this.know('search', after);
  }

  /**
   * Returns the indexes of best responses, after replacing their idle orders by supports of own units. Adds new order
   * sets.
   */
  private placesOf(game: Game, responses: readonly Int32Array[]): number[] {
    return responses.map((set) => this.placeOf(supportOwn(game, this.power, set)));
  }

  private placeOf(set: Int32Array): number {
    const key = set.join();
    const c = this.places.get(key) ?? this.sets.push(set) - 1;
    this.places.set(key, c);
    return c;
  }

  know(type: TypeName, weights: Float64Array): void {
    this.likely[indexOf(type)] = weights;
  }
}

/** Values of the order sets of a power, indexed by set, then by number of the evaluation. */
type Values = readonly number[][];

/**
 * Returns the mean value of each order set; -Infinity for sets with fewer evaluations than others.
 * @param share part of the evaluations to average, from the lowest on; 1 for all
 */
const meansOf = (values: Values, share = 1): Float64Array => {
  const most = values.reduce((max, list) => Math.max(max, list.length), 1);
  return Float64Array.from(values, (list) => {
    if (list.length < most) return Number.NEGATIVE_INFINITY;
    const counted = share < 1 ? list.toSorted((a, b) => a - b).slice(0, Math.ceil(share * most)) : list;
    return counted.reduce((sum, x) => sum + x, 0) / counted.length;
  });
};

class Predictor {
  private readonly seed: number;
  private readonly judge: Lookahead;
  readonly sides: readonly Side[];
  isCut = false;

  constructor(
    game: Game,
    private readonly effort: Effort,
    private readonly deadline: number,
  ) {
    const [low, high] = hashGame(game);
    this.seed = low ^ high;
    this.judge = new Lookahead(game);
    const { replies } = effort;
    const responses = expectedResponses(game, new Random(this.seed, 3), replies, replies, () => this.isLate());
    this.sides = Array.from({ length: Math.min(game.map.powerCount, MAX_POWERS) }, (_, q) => {
      const most = this.isLate() ? 1 : effort.candidates;
      return new Side(game, this.judge, q, new Random(this.seed, 1, q), most, responses[q]);
    });
  }

  private isLate(): boolean {
    if (!this.isCut && Number.isFinite(this.deadline)) this.isCut = clock() >= this.deadline;
    return this.isCut;
  }

  greedy(game: Game): void {
    for (const side of this.sides) {
      const known = valuesIfOthersHold(game, side.power, side.sets.slice(0, side.simple));
      side.know('greedy', byRank(Float64Array.from(side.sets, (_, c) => known[c] ?? Number.NEGATIVE_INFINITY)));
    }
  }

  /**
   * Evaluates the sensible order sets of every power against the same samples of the others' orders.
   * @param mixes probability of each order set in the samples, indexed by power, then by set
   * @param salt number that selects the random numbers
   * @returns values, indexed by power, then by set
   */
  against(mixes: readonly Float64Array[], salt: number): Values[] {
    const { sides, judge, seed } = this;
    const { first, left, more } = this.effort;
    const random = new Random(seed, 2, salt);
    const values = sides.map(({ sets }) => sets.map((): number[] => []));
    const among = sides.map(({ sensible }) => Array.from({ length: sensible }, (_, c) => c));
    for (let k = 0; k < first + more && !(k > 0 && this.isLate()); k++) {
      if (k === first)
        for (const [q, list] of among.entries()) {
          const means = meansOf(values[q]);
          among[q] = list.sort((a, b) => means[b] - means[a] || a - b).slice(0, left);
        }
      const sample = sides.map(({ board }, q) => (board.length === 0 ? null : board[drawFrom(mixes[q], 1, random)]));
      for (const [q, { board }] of sides.entries()) {
        const before = sample[q];
        for (const c of among[q]) {
          sample[q] = board[c];
          values[q][c].push(judge.worth(sample, q));
        }
        sample[q] = before;
      }
    }
    return values;
  }

  /**
   * Adds best responses of each power, each found against other samples. Every search starts from the set with the
   * highest value.
   * @param mixes probability of each order set in the samples, indexed by power, then by set
   * @param worths mean value of each order set, indexed by power, then by set
   */
  respond(game: Game, mixes: readonly Float64Array[], worths: readonly Float64Array[]): void {
    const { sides, judge, seed } = this;
    const found = sides.map((): Int32Array[] => []);
    const boards = sides.map(({ board }) => board);
    const starts = worths.map((worth) => worth.indexOf(worth.reduce((most, x) => Math.max(most, x), worth[0])));
    for (let k = 0; k < this.effort.searches && !this.isLate(); k++) {
      const random = new Random(seed, 4, k);
      const samples = drawSamples(game, boards, mixes, SEARCH_SAMPLES, random);
      for (const [q, { sets, board }] of sides.entries())
        if (board.length > 0) found[q].push(...responsesTo(game, q, [sets[starts[q]]], samples, SEARCH_TRIALS, random));
    }
    for (const [q, side] of sides.entries()) if (found[q].length > 0) side.respond(game, found[q], judge);
  }

  mixes(shares: Readonly<Partial<Record<TypeName, number>>>): Float64Array[] {
    return this.sides.map(({ likely }) => mixOf(likely, shares));
  }
}

/** Returns the legal orders of each unit of a power, indexed like the orders of a set. */
const legalByUnit = (game: Game, power: Power): Int32Array[] =>
  legalByPower(game, power).sort((a, b) => orderLocation(a[0]) - orderLocation(b[0]));

const makePredictions = (game: Game, effort: Effort, deadline: number): [readonly Prediction[], boolean] => {
  const predictor = new Predictor(game, effort, deadline);
  const { sides } = predictor;
  predictor.greedy(game);
  const simple = predictor.against(predictor.mixes({ dumbbot: 0.45, greedy: 0.45, guard: 0.1 }), 1);
  for (const [q, side] of sides.entries()) side.know('wary', byRank(meansOf(simple[q], WORSE)));
  const mixed = predictor.mixes({ dumbbot: 0.2, greedy: 0.2, guard: 0.1, wary: 0.15, answer: 0.35 });
  const all = predictor.against(mixed, 2).map((values) => meansOf(values));
  for (const [q, side] of sides.entries()) side.know('search', byRank(all[q]));
  predictor.respond(game, mixed, all);
  const made = sides.map(
    ({ sets, likely, power }, q): Prediction => ({
      sets,
      likely,
      legal: legalByUnit(game, power),
      worth: Float64Array.from(sets, (_, c) => all[q][c] ?? Number.NEGATIVE_INFINITY),
    }),
  );
  return [made, predictor.isCut];
};

/** Cache of values by map and key. A map with more than `most` entries loses the oldest one. */
export class PositionMemory<T> {
  private readonly byMap = new WeakMap<CompiledMap, Map<string, T>>();

  constructor(private readonly most: number) {}

  get(map: CompiledMap, key: string): T | undefined {
    return this.byMap.get(map)?.get(key);
  }

  set(map: CompiledMap, key: string, one: T): void {
    const list = this.byMap.get(map) ?? new Map<string, T>();
    this.byMap.set(map, list);
    list.set(key, one);
    const [first] = list.keys();
    if (list.size > this.most && first !== undefined) list.delete(first);
  }
}

const kept = new PositionMemory<readonly Prediction[]>(64);

/**
 * Returns the predicted orders of each power in a movement phase, indexed by power.
 * @param effort amount of work
 * @param deadline time of clock() at which evaluations stop; an incomplete prediction is not cached
 */
export const predict = (
  game: Game,
  effort: Effort = FULL,
  deadline: number = Number.POSITIVE_INFINITY,
): readonly Prediction[] => {
  const key = [...hashGame(game), effort.candidates, ...Object.values(game.rules)].join();
  const known = kept.get(game.map, key);
  if (known !== undefined) return known;
  const [made, isCut] = makePredictions(game, effort, deadline);
  if (!isCut) kept.set(game.map, key, made);
  return made;
};
