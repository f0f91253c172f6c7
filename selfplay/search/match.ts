// Compares candidates by rollouts in two ways: side by side against sampled opponents, and by regret matching over the
// candidates of all powers. Both are pure functions of their task, so any worker may do any part.
import { type Game, hashSeed, type Power, Random } from '../../engine/internal.js';
import type { Candidates } from './candidates.js';
import { makeAssessor } from './lookahead.js';
import type { HorizonOptions } from './options.js';
import { type Assessor, type BoardOrders, putOrders } from './playout.js';

/** A position with the candidates of each power. */
export interface Problem {
  readonly game: Game;
  readonly candidates: readonly Candidates[];
  readonly options: HorizonOptions;
  readonly seed: number;
}

/** When to stop: after a number of rollouts, at a time of performance.now() + timeOrigin, or when told to. */
export interface Limit {
  readonly rollouts: number;
  readonly deadline: number;
  /** Shared: [0] not 0 to stop, [1] rollouts played so far, for progress. */
  readonly control: Int32Array;
}

export interface Sums {
  readonly count: Float64Array;
  readonly sum: Float64Array;
  readonly squares: Float64Array;
  /** How much regret matching has played it. */
  readonly strategy: Float64Array;
}

const makeSums = (count: number): Sums => ({
  count: new Float64Array(count),
  sum: new Float64Array(count),
  squares: new Float64Array(count),
  strategy: new Float64Array(count),
});

export const addSums = (into: Sums, part: Sums): void => {
  for (let c = 0; c < into.count.length; c++) {
    into.count[c] += part.count[c];
    into.sum[c] += part.sum[c];
    into.squares[c] += part.squares[c];
    into.strategy[c] += part.strategy[c];
  }
};

/** The mean value of an order set, and its standard error: NaN for fewer than two rollouts. */
export const meanIn = (
  { count, sum, squares }: { readonly [Name in 'count' | 'sum' | 'squares']: ArrayLike<number> },
  c: number,
): { readonly value: number; readonly error: number } => {
  const rollouts = count[c];
  const variance = Math.max(0, squares[c] - (sum[c] * sum[c]) / rollouts) / (rollouts - 1);
  return { value: sum[c] / rollouts, error: Math.sqrt(variance / rollouts) };
};

/** Wall clock that all threads share, in milliseconds. */
export const clock = (): number => performance.timeOrigin + performance.now();

/** One-turn lookaheads that a look at a second turn counts for; it takes as long as four times as many. */
const SECOND_PLAYS = 96;
/** How many plays of the budget a look counts for. */
export const playsOf = ({ value }: HorizonOptions): number => (value === 'second' ? SECOND_PLAYS : 1);

const LOOK_EVERY = 16;

class Counter {
  private left: number = LOOK_EVERY;
  private told = 0;
  played = 0;

  constructor(private readonly limit: Limit) {}

  /** True once no further round of rollouts may begin. The first one may, unless the search was told to stop. */
  isOver(round: number): boolean {
    const { rollouts, deadline, control } = this.limit;
    if (this.played === 0) return control[0] !== 0;
    if (this.played + round > rollouts) return true;
    this.left -= round;
    if (this.left > 0) return false;
    this.left = LOOK_EVERY;
    this.tell();
    return control[0] !== 0 || clock() >= deadline;
  }

  tell(): void {
    Atomics.add(this.limit.control, 1, this.played - this.told);
    this.told = this.played;
  }
}

export const drawFrom = (weights: Float64Array, sum: number, random: Random): number => {
  let left = random.fraction() * sum;
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return weights.length - 1;
};

/** Samples of the orders of all powers, for the board and by province. @param boards by power @param weights of each set */
export const drawSamples = (
  { map }: Game,
  boards: readonly (readonly BoardOrders[])[],
  weights: readonly Float64Array[],
  count: number,
  random: Random,
): Int32Array[] =>
  Array.from({ length: count }, () => {
    const given = new Int32Array(map.provinceCount);
    for (const [q, board] of boards.entries()) {
      if (board.length === 0) continue;
      putOrders(board[drawFrom(weights[q], 1, random)], given);
    }
    return given;
  });

/** Orders in the form of the board, made when they are first played; kept as long as their candidates are. */
const prepared = new WeakMap<Candidates, (BoardOrders | undefined)[]>();

const preparedSet = (judge: Assessor, candidates: Candidates, c: number): BoardOrders | null => {
  if (c < 0 || candidates.sets.length === 0) return null;
  let list = prepared.get(candidates);
  if (list === undefined) {
    list = new Array<BoardOrders | undefined>(candidates.sets.length).fill(undefined);
    prepared.set(candidates, list);
  }
  list[c] ??= judge.prepare(candidates.sets[c]);
  return list[c] ?? null;
};

const addValue = (sums: Sums, c: number, value: number): void => {
  sums.count[c]++;
  sums.sum[c] += value;
  sums.squares[c] += value * value;
};

/**
 * Plays some candidates of one power side by side: in each round one sample of the opponents by their priors and one
 * stream of chance, the same for every candidate. Rounds begin at `first`, so that parts of a comparison differ.
 */
export const compare = (
  problem: Problem,
  power: Power,
  among: readonly number[],
  first: number,
  limit: Limit,
): Sums => {
  const { game, candidates, options, seed } = problem;
  const judge = makeAssessor(game, options);
  const sums = makeSums(candidates[power].sets.length);
  const counter = new Counter(limit);
  const plays = playsOf(options);
  const profile: (BoardOrders | null)[] = candidates.map(() => null);
  for (let round = first; !counter.isOver(among.length * plays); round++) {
    const random = new Random(seed, round, 0x0b5);
    for (let q = 0; q < candidates.length; q++)
      profile[q] = preparedSet(judge, candidates[q], drawFrom(candidates[q].prior, 1, random));
    for (const c of among) {
      profile[power] = preparedSet(judge, candidates[power], c);
      addValue(sums, c, judge.worth(profile, power, seed, round));
      counter.played += plays;
    }
  }
  counter.tell();
  return sums;
};

export interface Rounds {
  readonly kind: 'regret';
  /** Those that learn; the others always draw from their priors. */
  readonly powers: readonly Power[];
  /** By power: how likely it draws each candidate now. */
  readonly strategies: readonly Float64Array[];
  /** Probability with which a power draws from its prior instead. */
  readonly anchor: number;
  /** Number of the first round; rounds of one seed with different numbers differ. */
  readonly first: number;
  readonly rounds: number;
  readonly control: Int32Array;
}

/**
 * Plays a batch of regret matching: in each round every power draws a candidate of its strategy, then each power that
 * learns plays all its own against the others' draws, with the same chance.
 * @returns by power the sums of its candidates; powers that do not learn have zeros
 */
export const playRounds = (
  problem: Problem,
  { powers, strategies, anchor, first, rounds, control }: Rounds,
): Sums[] => {
  const { game, candidates, options } = problem;
  const seed = hashSeed(problem.seed, 1, 0x4e6);
  const judge = makeAssessor(game, options);
  const sums = candidates.map(({ sets }) => makeSums(sets.length));
  const profile: (BoardOrders | null)[] = candidates.map(() => null);
  let played = 0;
  for (let round = first; round < first + rounds; round++) {
    const random = new Random(seed, round, 1);
    for (let q = 0; q < candidates.length; q++) {
      const strategy = random.fraction() < anchor ? candidates[q].prior : strategies[q];
      profile[q] = preparedSet(judge, candidates[q], drawFrom(strategy, 1, random));
    }
    for (const q of powers) {
      const drawn = profile[q];
      const { length } = candidates[q].sets;
      for (let c = 0; c < length; c++) {
        profile[q] = preparedSet(judge, candidates[q], c);
        addValue(sums[q], c, judge.worth(profile, q, seed, round));
      }
      played += length;
      profile[q] = drawn;
    }
  }
  Atomics.add(control, 1, played);
  return sums;
};

/**
 * Regret matching for one power, as in the search of Gray et al. 2020 ("Human-level performance in no-press Diplomacy
 * via equilibrium search"): candidates are drawn as much as it is regretted that they were not played. Regrets never
 * fall below 0 and later rounds weigh more in the average strategy (Tammelin 2014).
 */
export class Learner {
  readonly power: Power;
  current: Float64Array;
  sums: Sums;
  private prior: Float64Array;

  /** @param regret to begin with; the prior is drawn from where none is above 0 */
  constructor(
    { power, prior }: Candidates,
    private regret: Float64Array,
  ) {
    this.power = power;
    this.prior = prior;
    this.current = prior.slice();
    this.sums = makeSums(prior.length);
    this.update();
  }

  /** Appends new candidates, of which nothing is known yet. */
  extend({ prior }: Candidates): void {
    const longer = (list: Float64Array): Float64Array => Float64Array.from(prior, (_, c) => list[c] ?? 0);
    const { count, sum, squares, strategy } = this.sums;
    this.prior = prior;
    this.regret = longer(this.regret);
    this.current = longer(this.current);
    this.sums = { count: longer(count), sum: longer(sum), squares: longer(squares), strategy: longer(strategy) };
    this.update();
  }

  private update(): void {
    const { regret, current, prior } = this;
    let sum = 0;
    for (let c = 0; c < regret.length; c++) sum += regret[c];
    for (let c = 0; c < regret.length; c++) current[c] = sum > 0 ? regret[c] / sum : prior[c];
  }

  /** Adds the results of a batch. @param weight of the strategy that was played in it */
  learn(batch: Sums, weight: number): void {
    const { regret, current, sums } = this;
    const gained = batch.sum;
    let mean = 0;
    for (let c = 0; c < regret.length; c++) mean += current[c] * gained[c];
    addSums(sums, batch);
    for (let c = 0; c < regret.length; c++) {
      regret[c] = Math.max(0, regret[c] + gained[c] - mean);
      sums.strategy[c] += weight * current[c];
    }
    this.update();
  }
}
