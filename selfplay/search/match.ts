// Compares candidates by rollouts in two ways: against sampled opponents, and by regret matching over the candidates of
// all powers. Both are pure functions of their task, so any worker can run any part.
import { type Game, hashSeed, type Power, Random } from '../../engine/internal.js';
import type { Candidates } from './candidates.js';
import { makeAssessor } from './lookahead.js';
import type { HorizonOptions } from './options.js';
import { type Assessor, type BoardOrders, putOrders } from './playout.js';

/** A position, the candidates of each power (indexed by power), and the options and seed of their evaluation. */
export interface Problem {
  readonly game: Game;
  readonly candidates: readonly Candidates[];
  readonly options: HorizonOptions;
  readonly seed: number;
}

/**
 * Conditions that stop a task: after `rollouts` rollouts, at the time `deadline` of clock(), or when `control` demands
 * it.
 */
export interface Limit {
  readonly rollouts: number;
  readonly deadline: number;
  /** Words shared by all threads. [0]: nonzero to stop. [1]: number of rollouts so far, to show the progress. */
  readonly control: Int32Array;
}

/**
 * Sums over rollouts, indexed by candidate. `count`: number of rollouts. `sum`: sum of values. `squares`: sum of
 * squared values.
 */
export interface Sums {
  readonly count: Float64Array;
  readonly sum: Float64Array;
  readonly squares: Float64Array;
  /** Sum of the probabilities that regret matching gave the candidate in each batch, weighted by batch. */
  readonly strategy: Float64Array;
}

const makeSums = (count: number): Sums => ({
  count: new Float64Array(count),
  sum: new Float64Array(count),
  squares: new Float64Array(count),
  strategy: new Float64Array(count),
});

/** Adds the sums of `part` to those of `into`, in place. */
export const addSums = (into: Sums, part: Sums): void => {
  for (let c = 0; c < into.count.length; c++) {
    into.count[c] += part.count[c];
    into.sum[c] += part.sum[c];
    into.squares[c] += part.squares[c];
    into.strategy[c] += part.strategy[c];
  }
};

/** Returns the mean value of candidate `c` and its standard error, which is NaN for fewer than two rollouts. */
export const meanIn = (
  { count, sum, squares }: { readonly [Name in 'count' | 'sum' | 'squares']: ArrayLike<number> },
  c: number,
): { readonly value: number; readonly error: number } => {
  const rollouts = count[c];
  const variance = Math.max(0, squares[c] - (sum[c] * sum[c]) / rollouts) / (rollouts - 1);
  return { value: sum[c] / rollouts, error: Math.sqrt(variance / rollouts) };
};

/** Returns the wall-clock time in milliseconds. All threads have the same zero. */
export const clock = (): number => performance.timeOrigin + performance.now();

/** Price of an evaluation after two turns, in one-turn lookaheads of the budget. In time it costs 384 lookaheads. */
const SECOND_PLAYS = 96;
/** Returns the price of one evaluation in the budget, in rollouts or one-turn lookaheads. */
export const playsOf = ({ value }: HorizonOptions): number => (value === 'second' ? SECOND_PLAYS : 1);

const LOOK_EVERY = 16;

class Counter {
  private left: number = LOOK_EVERY;
  private told = 0;
  played = 0;

  constructor(private readonly limit: Limit) {}

  /**
   * True if no further round of rollouts may begin. The first round always begins unless the search was stopped.
   * @param round number of rollouts in the round
   */
  isOver(round: number): boolean {
    const { rollouts, deadline, control } = this.limit;
    if (this.played === 0) return control[0] !== 0;
    if (this.played + round > rollouts) return true;
    this.left -= round;
    if (this.left > 0) return false;
    this.left = LOOK_EVERY;
    this.reportProgress();
    return control[0] !== 0 || clock() >= deadline;
  }

  reportProgress(): void {
    Atomics.add(this.limit.control, 1, this.played - this.told);
    this.told = this.played;
  }
}

/** Draws an index with a probability in proportion to its weight. @param sum sum of the weights */
export const drawFrom = (weights: Float64Array, sum: number, random: Random): number => {
  let left = random.fraction() * sum;
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return weights.length - 1;
};

/**
 * Draws samples of the orders of all powers.
 * @param boards order sets of each power, indexed by power
 * @param weights probability of each order set, indexed by power, then by order set; the weights of one power sum to 1
 * @param count number of samples
 * @returns for each sample the board orders, indexed by province
 */
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

/** Cache of candidates as board orders, indexed by candidate. undefined until the first use of a candidate. */
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
 * Compares candidates of one power with the same random numbers. Each round draws the opponents' orders from their
 * priors and evaluates every candidate against them.
 * @param among indexes of the candidates to compare
 * @param first number of the first round; rounds with different numbers have different random numbers
 * @param limit conditions that end the comparison; its progress counter is increased
 * @returns sums, indexed by candidate; zeros for candidates not in `among`
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
  counter.reportProgress();
  return sums;
};

/** A batch of rounds of regret matching. */
export interface Rounds {
  readonly kind: 'regret';
  /** Powers that learn: all their candidates are evaluated. The other powers keep to their priors. */
  readonly powers: readonly Power[];
  /** Current probability of each candidate, indexed by power, then by candidate. */
  readonly strategies: readonly Float64Array[];
  /** Probability that a power draws from its prior instead of its strategy, 0 to 1. */
  readonly anchor: number;
  /** Number of the first round. Rounds with different numbers have different random numbers. */
  readonly first: number;
  readonly rounds: number;
  readonly control: Int32Array;
}

/**
 * Plays a batch of rounds of regret matching. In each round every power draws a candidate from its strategy. Then all
 * candidates of each learning power are evaluated against the draws of the others, with the same random numbers.
 * Increases the progress counter.
 * @returns the sums of all candidates, indexed by power; zeros for powers that do not learn
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
 * via equilibrium search"). Candidates are drawn in proportion to their regrets. Regrets never fall below 0, and later
 * rounds weigh more in the average strategy (Tammelin 2014).
 */
export class Learner {
  readonly power: Power;
  current: Float64Array;
  sums: Sums;
  private prior: Float64Array;

  /**
   * Begins regret matching for the candidates of a power.
   * @param regret initial regret of each candidate. While no regret is above 0, the strategy is the prior
   */
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

  /** Takes a list of candidates that begins with the old ones. New candidates get zero regrets and sums. */
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

  /** Adds the sums of a batch and updates the strategy. @param weight weight of the batch in the average strategy */
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
