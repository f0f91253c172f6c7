// Predicts what each power would order in a position, were it a player of one type or another: for every power a list of
// order sets, and for every type how likely it gives each of them. A prediction follows from the position alone, so that
// one serves all powers and choices, and is kept for when the orders have been seen (opponent-model.ts).
//
//   level 0   dumbbot, guard, policy and uniform: draws of these players
//   level 1   greedy: most if the others hold
//   level 2   reply: most on average against dumbbot and greedy; wary: most in the worse cases of these
//   level 3   search: most on average against all of them
//
// Everything from level 1 on is found by one-turn lookahead.
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
import { expectedResponses } from '../agents/best-response.js';
import { guardMoves } from '../agents/guard.js';
import { sampledOrders } from '../agents/sampled.js';
import { holdIllegal } from '../evaluation/hold-illegal.js';
import { findCandidates } from './candidates.js';
import { othersHold } from './greedy-response.js';
import { Lookahead } from './lookahead.js';
import { clock, drawFrom } from './match.js';
import type { BoardOrders } from './playout.js';

export const typeNames = ['dumbbot', 'greedy', 'guard', 'wary', 'reply', 'search', 'policy', 'uniform'] as const;
type TypeName = (typeof typeNames)[number];

export interface Prediction {
  /** Order sets, no two the same, each ascending, so that the order of one unit has one place in all of them. */
  readonly sets: readonly Int32Array[];
  /** By type in the order of typeNames, then by set: how likely the type gives it. Each list sums to 1. */
  readonly likely: readonly Float64Array[];
  /** By unit: how many legal orders it has. */
  readonly legal: Int32Array;
  /** By set: what it is worth on average against all types; -Infinity for those that fell behind. */
  readonly worth: Float64Array;
}

/** How much work a prediction is. */
export interface Effort {
  /** Candidates of each power, and how often best responses are added to them. */
  readonly candidates: number;
  readonly replies: number;
  /** Samples of the others for every candidate, how many candidates are left then, and samples after. */
  readonly first: number;
  readonly left: number;
  readonly more: number;
}

/** About 10,000 evaluations on the standard map, and 4,000. */
export const FULL: Effort = { candidates: 80, replies: 2, first: 4, left: 32, more: 10 };
export const QUICK: Effort = { candidates: 50, replies: 1, first: 3, left: 16, more: 6 };

const DRAWS = 6;
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
  readonly sets: Int32Array[];
  readonly board: readonly BoardOrders[];
  readonly likely: Float64Array[];
  /** Sets before the first place are simple, those before the second one sensible; the others are drawn at random. */
  readonly simple: number;
  readonly sensible: number;

  constructor(
    game: Game,
    judge: Lookahead,
    readonly power: Power,
    random: Random,
    most: number,
    replies: readonly Int32Array[],
  ) {
    const { sets, prior } = findCandidates(game, power, random, most);
    this.sets = [...sets];
    const places = new Map(sets.map((set, c) => [set.join(), c]));
    const placeOf = (set: Int32Array): number => {
      const key = set.join();
      const c = places.get(key) ?? this.sets.push(set) - 1;
      places.set(key, c);
      return c;
    };
    const draw = (count: (power: Power) => number): number[] =>
      Array.from({ length: DRAWS }, () => placeOf(drawn.slice(0, count(power)).sort()));
    const guard = draw(() => drawGuard(game, power, random));
    this.simple = this.sets.length;
    for (const set of replies) placeOf(set);
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
    this.know('policy', list(policy));
    this.know('uniform', list(uniform));
    this.board = this.sets.map((set) => judge.prepare(set));
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
    const replies = Array.from({ length: effort.replies }, (_, k) =>
      this.isLate() ? [] : expectedResponses(game, new Random(this.seed, 3, k)),
    );
    this.sides = Array.from({ length: Math.min(game.map.powerCount, MAX_POWERS) }, (_, q) => {
      const most = this.isLate() ? 1 : effort.candidates;
      const own = replies.flatMap((list) => list[q] ?? []);
      return new Side(game, this.judge, q, new Random(this.seed, 1, q), most, own);
    });
  }

  private isLate(): boolean {
    if (!this.isCut && Number.isFinite(this.deadline)) this.isCut = clock() >= this.deadline;
    return this.isCut;
  }

  greedy(game: Game): void {
    for (const side of this.sides) {
      const others = this.judge.prepare(othersHold(game, side.power));
      const worth = (c: number): number => this.judge.worth([others, side.board[c]], side.power);
      const values = Float64Array.from(side.sets, (_, c) => (c < side.simple ? worth(c) : Number.NEGATIVE_INFINITY));
      side.know('greedy', byRank(values));
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

  mixes(shares: Readonly<Partial<Record<TypeName, number>>>): Float64Array[] {
    return this.sides.map(({ likely }) => mixOf(likely, shares));
  }
}

const legalCounts = (game: Game, power: Power): Int32Array =>
  Int32Array.from(
    legalByPower(game, power).sort((a, b) => orderLocation(a[0]) - orderLocation(b[0])),
    ({ length }) => length,
  );

const makePredictions = (game: Game, effort: Effort, deadline: number): [readonly Prediction[], boolean] => {
  const predictor = new Predictor(game, effort, deadline);
  const { sides } = predictor;
  predictor.greedy(game);
  const simple = predictor.against(predictor.mixes({ dumbbot: 0.45, greedy: 0.45, guard: 0.1 }), 1);
  for (const [q, side] of sides.entries()) {
    side.know('reply', byRank(meansOf(simple[q])));
    side.know('wary', byRank(meansOf(simple[q], WORSE)));
  }
  const mixed = predictor.mixes({ dumbbot: 0.2, greedy: 0.2, guard: 0.1, wary: 0.15, reply: 0.35 });
  const all = predictor.against(mixed, 2).map((values) => meansOf(values));
  for (const [q, side] of sides.entries()) side.know('search', byRank(all[q]));
  const made = sides.map(
    ({ sets, likely, power }, q): Prediction => ({ sets, likely, legal: legalCounts(game, power), worth: all[q] }),
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
