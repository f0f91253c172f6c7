// The two ways in which candidates are compared by rollouts: side by side against sampled opponents, and by regret
// matching over the candidates of all powers. Both are pure functions of their task, so any worker may do any part.
import { type Game, hashSeed, type Power, Random } from '../../engine/index.js';
import type { Candidates } from './candidates.js';
import type { PlayoutOptions } from './options.js';
import { type BoardOrders, Playouts } from './playout.js';

/** A position with the candidates of each power. */
export interface Problem {
  readonly game: Game;
  /** By power. */
  readonly candidates: readonly Candidates[];
  readonly options: PlayoutOptions;
  readonly seed: number;
}

/** When to stop: after a number of rollouts, at a time of performance.now() + timeOrigin, or when told to. */
export interface Limit {
  readonly rollouts: number;
  readonly deadline: number;
  /** Shared: [0] not 0 to stop, [1] rollouts played so far. */
  readonly control: Int32Array;
}

/** What a candidate came to. Sums over rollouts, by candidate. */
export interface Sums {
  readonly count: Float64Array;
  readonly sum: Float64Array;
  readonly squares: Float64Array;
  /** How much regret matching has played it. */
  readonly strategy: Float64Array;
}

export const makeSums = (count: number): Sums => ({
  count: new Float64Array(count),
  sum: new Float64Array(count),
  squares: new Float64Array(count),
  strategy: new Float64Array(count),
});

/** Adds the sums of one part to those of all. */
export const addSums = (into: Sums, part: Sums): void => {
  for (let c = 0; c < into.count.length; c++) {
    into.count[c] += part.count[c];
    into.sum[c] += part.sum[c];
    into.squares[c] += part.squares[c];
    into.strategy[c] += part.strategy[c];
  }
};

/** Wall clock that all threads share, in milliseconds. */
export const clock = (): number => performance.timeOrigin + performance.now();

/** How often the clock is looked at and progress is told, in rollouts. */
const LOOK_EVERY = 16;

class Counter {
  declare private readonly limit: Limit;
  declare private left: number;
  declare private told: number;
  declare played: number;

  constructor(limit: Limit) {
    this.limit = limit;
    this.left = LOOK_EVERY;
    this.told = 0;
    this.played = 0;
  }

  /** Counts one rollout. */
  add(): void {
    this.played++;
  }

  /** True once no further round of rollouts may begin. */
  isOver(round: number): boolean {
    const { rollouts, deadline, control } = this.limit;
    if (this.played + round > rollouts && this.played > 0) return true;
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

const drawFrom = (weights: Float64Array, sum: number, random: Random): number => {
  let left = random.fraction() * sum;
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return weights.length - 1;
};

const prepareAll = (playouts: Playouts, candidates: readonly Candidates[]): BoardOrders[][] =>
  candidates.map(({ sets }) => sets.map((set) => playouts.prepare(set)));

const add = (sums: Sums, c: number, value: number): void => {
  sums.count[c]++;
  sums.sum[c] += value;
  sums.squares[c] += value * value;
};

/**
 * Plays some candidates of one power side by side: in each round one sample of the opponents by their priors and one
 * stream of chance, the same for every candidate. Rounds begin at `first`, so that parts of a comparison differ.
 * @param among places of the candidates
 */
export const compare = (
  problem: Problem,
  power: Power,
  among: readonly number[],
  first: number,
  limit: Limit,
): Sums => {
  const { game, candidates, options, seed } = problem;
  const playouts = new Playouts(game, options);
  const prepared = prepareAll(playouts, candidates);
  const sums = makeSums(candidates[power].sets.length);
  const counter = new Counter(limit);
  const profile: (BoardOrders | null)[] = candidates.map(() => null);
  const value = new Float64Array(candidates.length);
  for (let round = first; !counter.isOver(among.length); round++) {
    const random = new Random(seed, round, 0x0b5);
    for (let q = 0; q < candidates.length; q++)
      profile[q] = prepared[q][drawFrom(candidates[q].prior, 1, random)] ?? null;
    for (const c of among) {
      profile[power] = prepared[power][c];
      playouts.play(profile, seed, round, value);
      add(sums, c, value[power]);
      counter.add();
    }
  }
  counter.tell();
  return sums;
};

/** One power in regret matching. */
interface Player {
  readonly power: Power;
  readonly orders: readonly BoardOrders[];
  readonly prior: Float64Array;
  readonly regret: Float64Array;
  readonly current: Float64Array;
  readonly values: Float64Array;
  readonly sums: Sums;
}

/** The strategy that plays each candidate as much as it is regretted; the prior where none is. */
const updateStrategy = ({ regret, current, prior }: Player): void => {
  let sum = 0;
  for (let c = 0; c < regret.length; c++) sum += Math.max(0, regret[c]);
  for (let c = 0; c < regret.length; c++) current[c] = sum > 0 ? Math.max(0, regret[c]) / sum : prior[c];
};

/**
 * Regret matching with external sampling, as in the search of Gray et al. 2020 ("Human-level performance in no-press
 * Diplomacy via equilibrium search"): in each iteration every power draws a candidate of its strategy, each power in
 * turn plays all its own against the others' draws, and its regrets grow. Regrets never fall below 0 and later
 * iterations weigh more (Tammelin 2014). Opponents draw from their prior with probability `anchor`.
 * @param powers those that learn; the others always draw from their priors
 * @returns sums by power; `strategy` is the average strategy, not yet divided by its sum
 */
export const matchRegrets = (
  problem: Problem,
  powers: readonly Power[],
  anchor: number,
  part: number,
  limit: Limit,
): Sums[] => {
  const { game, candidates, options } = problem;
  const seed = hashSeed(problem.seed, part, 0x4e6);
  const playouts = new Playouts(game, options);
  const players = prepareAll(playouts, candidates).map((orders, power): Player => {
    const { prior } = candidates[power];
    const zeros = (): Float64Array => new Float64Array(orders.length);
    const sums = makeSums(orders.length);
    return { power, orders, prior, regret: zeros(), current: prior.slice(), values: zeros(), sums };
  });
  const learning = powers.map((power) => players[power]).filter(({ orders }) => orders.length > 1);
  const counter = new Counter(limit);
  const value = new Float64Array(players.length);
  const profile: (BoardOrders | null)[] = players.map(() => null);
  const size = learning.reduce((sum, { orders }) => sum + orders.length, 0);
  for (let t = 1; size > 0 && !counter.isOver(size); t++) {
    const random = new Random(seed, t, 1);
    for (const { power, orders, prior, current } of players)
      profile[power] = orders[drawFrom(random.fraction() < anchor ? prior : current, 1, random)] ?? null;
    for (const player of learning) {
      const { power, orders, values, sums } = player;
      const drawn = profile[power];
      for (let c = 0; c < orders.length; c++) {
        profile[power] = orders[c];
        playouts.play(profile, seed, t, value);
        values[c] = value[power];
        add(sums, c, value[power]);
        counter.add();
      }
      profile[power] = drawn;
    }
    for (const player of learning) learn(player, t);
  }
  counter.tell();
  for (const { orders, sums, prior } of players)
    if (orders.length === 1 || sums.strategy.every((x) => x === 0)) sums.strategy.set(prior);
  return players.map(({ sums }) => sums);
};

const learn = (player: Player, weight: number): void => {
  const { regret, current, values, sums } = player;
  let mean = 0;
  for (let c = 0; c < values.length; c++) mean += current[c] * values[c];
  for (let c = 0; c < values.length; c++) {
    regret[c] = Math.max(0, regret[c] + values[c] - mean);
    sums.strategy[c] += weight * current[c];
  }
  updateStrategy(player);
};
