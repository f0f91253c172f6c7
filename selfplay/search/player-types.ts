// Predicts what each power would order in a position, were it a player of one type or another: for every power a list of
// order sets, and for every type how likely it gives each of them. A prediction follows from the position alone, so that
// one serves all powers and choices, and is kept for when the orders have been seen (opponent-model.ts).
//
//   level 0   dumbbot, guard, policy and uniform: draws of these players
//   level 1   greedy: most if the others hold, among candidates; taker: the same, by a search for it
//   level 2   answer: best responses to dumbbot and taker; wary: most in the worse cases of dumbbot, greedy and guard
//   level 3   reply: what that agent finds, with less work; search: most on average against all of them, among candidates
//             and by best responses
//
// How well a type tells what a player does decides how well a search answers it: draws of best responses tell orders of
// strong players better than ranks of candidates do, and more of them better than few.
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

/** Prior over the types at a table of unknown bots: mostly players that maximise something. */
export const typePrior: readonly number[] = [0.18, 0.1, 0.1, 0.1, 0.09, 0.08, 0.12, 0.18, 0.03, 0.02];

export interface Prediction {
  /** Order sets, no two the same, each ascending, so that the order of one unit has one place in all of them. */
  readonly sets: readonly Int32Array[];
  /** By type in the order of typeNames, then by set: how likely the type gives it. Each list sums to 1. */
  readonly likely: readonly Float64Array[];
  /** Legal orders of each unit. */
  readonly legal: readonly Int32Array[];
  /** By set: what it is worth on average against all types; -Infinity for those that fell behind. */
  readonly worth: Float64Array;
}

/** How much work a prediction is. */
export interface Effort {
  /** Candidates of each power; draws of the types taker, answer and reply for each; responses of the type search. */
  readonly candidates: number;
  readonly replies: number;
  readonly searches: number;
  /** Samples of the others for every candidate, how many candidates are left then, and samples after. */
  readonly first: number;
  readonly left: number;
  readonly more: number;
}

export const FULL: Effort = { candidates: 80, replies: 16, searches: 8, first: 4, left: 32, more: 10 };
export const QUICK: Effort = { candidates: 50, replies: 8, searches: 4, first: 3, left: 16, more: 6 };

const DRAWS = 6;
/** Samples for a best response of the type search, its trials at most, and the share of these responses in what the type does. */
const SEARCH_SAMPLES = 8;
const SEARCH_TRIALS = 5000;
const SEARCH_SHARE = 0.7;
/** A type that maximises gives the best set it finds with most of its weight, and each next one with so much of it. */
const NEXT_SHARE = 0.6;
const WORSE = 1 / 3;

const indexOf = (type: TypeName): number => typeNames.indexOf(type);

const normalized = (weights: Float64Array): Float64Array => {
  const sum = weights.reduce((all, x) => all + x, 0);
  return sum > 0 ? weights.map((x) => x / sum) : weights;
};

/** How likely a player that maximises gives each set. @param values -Infinity for sets that were not evaluated */
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

/** The order sets of one power, and how likely each type gives them, as far as that is known. */
class Side {
  readonly sets: Int32Array[] = [];
  readonly board: BoardOrders[];
  readonly likely: Float64Array[];
  /** Sets before the first place are simple, those before the second one sensible; the others are drawn at random. */
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
    // What DumbBot would not do has the least prior.
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

  /** Adds best responses, which the type search gives with a share of its weight; the rest goes by what was known of it. */
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

  /** Of best responses, as they would be played: what does nothing supports own units. */
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

/** What the sets of a power were worth, evaluation by evaluation. */
type Values = readonly number[][];

/** Means of all evaluations, or of the lowest, of the sets that were evaluated most. */
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

  /** Evaluates the sets of every power against samples of the others, all powers against the same ones. */
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

  /** Best responses to samples of the others, each to samples of its own, from the set that is worth most. */
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

/** Legal orders of each unit of a power, units in the order of their sets. */
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

/** What a thread keeps for the games that it plays, by map: what was added first is forgotten first. */
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

/** What every power would order in a movement phase. @param deadline of clock(), by which no more evaluations begin */
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
