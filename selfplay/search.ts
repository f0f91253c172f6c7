// Monte Carlo move search: candidates, rollouts, and a choice among them, for one power or for all at once.
//
//   candidates (search/candidates.ts)   30 to some hundred order sets for each power
//   halving (compare, search/match.ts)  each power's own against sampled opponents; the worse half goes, round by round
//   regret matching (matchRegrets)      over what is left of all powers; mixed strategies
//
// Work is cut into PARTS that do not depend on the number of workers: with a budget in rollouts the answer follows from
// the position, the options and the seed alone. With a budget in milliseconds each worker plays what it can.
import type { Game, Power } from '../engine/index.js';
import { type Candidates, findAllCandidates } from './search/candidates.js';
import {
  addSums,
  clock,
  compare,
  Learner,
  type Limit,
  makeSums,
  type Problem,
  playRounds,
  type Sums,
} from './search/match.js';
import type { SearchOptions } from './search/options.js';

export * from './search/options.js';

export interface RankedOrders {
  readonly orders: Int32Array;
  /** With which the search would play it. */
  readonly probability: number;
  /** Mean over its rollouts, its standard error (NaN for fewer than two), and their number. */
  readonly value: number;
  readonly error: number;
  readonly rollouts: number;
}

export interface PowerResult {
  readonly power: Power;
  /** False for a power that was not searched for: its candidates are the replies that were sampled. */
  readonly searched: boolean;
  /** Best first: by probability, then by value. */
  readonly ranked: readonly RankedOrders[];
}

export interface SearchResult {
  readonly powers: readonly PowerResult[];
  readonly rollouts: number;
  readonly milliseconds: number;
}

/** One piece of work, for a worker or for this thread. */
export type Task =
  | {
      readonly kind: 'compare';
      readonly power: Power;
      readonly among: readonly number[];
      readonly part: number;
      readonly limit: Limit;
    }
  | {
      readonly kind: 'regret';
      readonly powers: readonly Power[];
      readonly strategies: readonly Float64Array[];
      readonly anchor: number;
      readonly first: number;
      readonly rounds: number;
      readonly control: Int32Array;
    };

/** Does the work of tasks of one search, all at the same time if it can. */
export interface Crew {
  readonly workers: number;
  /** Results in the order of the tasks, each a list of sums (of one power, or by power). */
  readonly work: (problem: Problem, tasks: readonly Task[]) => Sums[][] | Promise<Sums[][]>;
}

/** Rounds of a part begin here, so that no two parts share one. */
const PART_STRIDE = 1 << 16;

export const doTask = (problem: Problem, task: Task): Sums[] =>
  task.kind === 'compare'
    ? [compare(problem, task.power, task.among, task.part * PART_STRIDE, task.limit)]
    : playRounds(problem, task.powers, task.strategies, task.anchor, task.first, task.rounds, task.control);

/** Works in this thread, one task after the other. */
export const alone: Crew = { workers: 1, work: (problem, tasks) => tasks.map((task) => doTask(problem, task)) };

/** Into how many pieces each stage is cut when the budget is in rollouts. */
const PARTS = 4;
/** More than there are workers: parts of a later round are numbered from a multiple of this. */
const MOST_PARTS = 512;
/**
 * Candidates that halving leaves to regret matching, and its share of the budget. What is best against what opponents
 * usually do need not be good against those that learn: more is left then, and found out sooner.
 */
const FINALISTS = { sampled: 12, learning: 30 } as const;
const HALVING_SHARE = { sampled: 0.5, learning: 0.25 } as const;
/** Rollouts that the means of halving count for, at most, when regret matching begins with them. */
const START_WEIGHT = 20;

/** Regrets after halving: how much better than the finalists' mean each was. */
const firstRegrets = (kept: readonly number[], { sum, count }: Sums): Float64Array => {
  const mean = kept.map((c) => (count[c] === 0 ? 0 : sum[c] / count[c]));
  const average = mean.reduce((total, x) => total + x, 0) / mean.length;
  return Float64Array.from(mean, (x, i) => Math.max(0, x - average) * Math.min(START_WEIGHT, count[kept[i]]));
};

/** The budget of a search, and what of it a stage may use. */
class Budgeter {
  declare readonly control: Int32Array;
  declare readonly begin: number;
  declare private readonly options: SearchOptions;
  declare readonly parts: number;

  constructor(options: SearchOptions, crew: Crew, control: Int32Array) {
    this.options = options;
    this.control = control;
    this.begin = clock();
    // Only rollouts are shared out evenly; where time counts, one part for each worker keeps them all busy.
    this.parts = Number.isFinite(options.milliseconds) ? crew.workers : PARTS;
  }

  /**
   * One limit for each part of a stage that has this share of the rollouts and ends at this share of the time. There
   * are fewer parts than usual where one round of `size` rollouts for each would be too much.
   */
  limits(size: number, share: number, end: number): Limit[] {
    const { rollouts, milliseconds } = this.options;
    const rounds = Math.floor((rollouts * share) / size);
    const parts = Math.max(1, Math.min(this.parts, rounds));
    const deadline = this.begin + milliseconds * end;
    const limit = { rollouts: Math.ceil((rollouts * share) / parts), deadline, control: this.control };
    return Array.from({ length: parts }, () => limit);
  }

  /** How many rounds of regret matching come next; 0 for the end. @param size rollouts of a round */
  nextRounds(size: number, share: number, done: number): number {
    const { rollouts, milliseconds } = this.options;
    if (this.control[0] !== 0 || size === 0) return 0;
    const left = Number.isFinite(rollouts) ? Math.floor((rollouts * share) / size) - done : Number.POSITIVE_INFINITY;
    if (!Number.isFinite(milliseconds)) {
      // The first round is always played: every finalist has a value and a strategy.
      return Math.max(done === 0 ? 1 : 0, Math.min(left, Math.max(this.parts, Math.round(BATCH / size))));
    }
    const now = clock();
    if (now >= this.begin + milliseconds || left <= 0) return done === 0 ? 1 : 0;
    const speed = Atomics.load(this.control, 1) / (now - this.begin);
    const time = Math.min(BATCH_TIME, this.begin + milliseconds - now);
    return Math.min(left, Math.max(1, Math.floor((speed * time) / size)));
  }
}

/** Rollouts of a batch of regret matching, about. */
const BATCH = 256;
/** How long one may take where time counts, in milliseconds. */
const BATCH_TIME = 20;

/** [0] is set to stop a search early, [1] counts its rollouts. On shared memory. */
export const makeControl = (): Int32Array => new Int32Array(new SharedArrayBuffer(8));

const merge = (parts: readonly Sums[][]): Sums[] =>
  parts[0].map((first, i) => {
    const total = makeSums(first.count.length);
    for (const part of parts) addSums(total, part[i]);
    return total;
  });

const means = ({ sum, count }: Sums): Float64Array =>
  sum.map((s, c) => (count[c] === 0 ? Number.NEGATIVE_INFINITY : s / count[c]));

class Search {
  declare private readonly problem: Problem;
  declare private readonly options: SearchOptions;
  declare private readonly crew: Crew;
  declare private readonly budgeter: Budgeter;
  /** Powers that are searched for and have something to order. */
  declare private readonly powers: readonly Power[];
  /** True if powers in regret matching meet opponents that learn too. */
  declare private readonly mode: 'learning' | 'sampled';
  /** By power: candidates left to regret matching; sums and probabilities of all. */
  declare private readonly kept: number[][];
  declare private readonly sums: Sums[];
  declare private readonly probabilities: Float64Array[];

  constructor(problem: Problem, options: SearchOptions, crew: Crew, control: Int32Array) {
    const { candidates } = problem;
    this.problem = problem;
    this.options = options;
    this.crew = crew;
    this.budgeter = new Budgeter(options, crew, control);
    this.powers = options.powers.filter((q) => candidates[q].sets.length > 0);
    this.mode = options.opponents === 'learning' || this.powers.length > 1 ? 'learning' : 'sampled';
    const replies = options.opponents === 'learning' ? FINALISTS.sampled : options.replies;
    this.kept = candidates.map((own) => byPrior(own, replies));
    this.sums = candidates.map(({ sets }) => makeSums(sets.length));
    this.probabilities = candidates.map(({ prior }) => prior.slice());
  }

  /** Share of the budget that halving has, and how many candidates it leaves of so many. */
  private get halving(): number {
    return this.options.method === 'regret' ? HALVING_SHARE[this.mode] : 1;
  }

  private left(count: number): number {
    if (this.options.method === 'regret') return FINALISTS[this.mode];
    return this.options.method === 'best' ? count : 1;
  }

  /** Halving for each searching power; the best is then played. */
  async halveAll(): Promise<void> {
    const share = this.halving / this.powers.length;
    for (const [i, q] of this.powers.entries()) {
      const left = this.left(this.problem.candidates[q].sets.length);
      this.kept[q] = await this.halve(q, left, share, share * i);
      this.probabilities[q].fill(0);
      this.probabilities[q][this.kept[q][0]] = 1;
    }
  }

  /** Regret matching for all that have a choice left. */
  async matchAll(): Promise<void> {
    const { kept, sums, probabilities, powers } = this;
    const all = this.options.opponents === 'learning' ? kept.map((_, q) => q) : powers;
    const learners = all.filter((q) => kept[q].length > 1);
    const start = kept.map((own, q) =>
      powers.includes(q) ? firstRegrets(own, sums[q]) : new Float64Array(own.length),
    );
    const matched = await this.match(learners, start, 1 - this.halving);
    for (const q of learners) {
      const played = normalize(matched[q].strategy);
      probabilities[q].fill(0);
      for (const [i, c] of kept[q].entries()) probabilities[q][c] = played[i];
      addSumsAt(sums[q], kept[q], matched[q]);
    }
  }

  /** What was found, by power. */
  ranking(): PowerResult[] {
    return this.problem.candidates.map((own, q) =>
      rank(own, this.options.powers.includes(q), this.probabilities[q], this.sums[q]),
    );
  }

  private async run(problem: Problem, tasks: readonly Task[]): Promise<Sums[]> {
    const work = this.crew.work(problem, tasks);
    return merge(work instanceof Promise ? await work : work);
  }

  /**
   * Successive halving: all candidates get the same rollouts, the worse half goes.
   * @param from share of the time at which it begins
   * @returns places of the `left` best, best first
   */
  private async halve(power: Power, left: number, share: number, from: number): Promise<number[]> {
    const count = this.problem.candidates[power].sets.length;
    const total = this.sums[power];
    let among = Array.from({ length: count }, (_, c) => c);
    if (count === 1) return among;
    const rounds = Math.max(1, Math.ceil(Math.log2(count / left)));
    for (let round = 0; round < rounds; round++) {
      const limits = this.budgeter.limits(among.length, share / rounds, from + (share * (round + 1)) / rounds);
      // Parts are numbered on from round to round: no round repeats the samples of an earlier one.
      const tasks = limits.map(
        (limit, i): Task => ({ kind: 'compare', power, among, part: round * MOST_PARTS + i, limit }),
      );
      const [sums] = await this.run(this.problem, tasks);
      addSums(total, sums);
      const mean = means(total);
      const next = Math.max(left, Math.ceil(among.length / 2));
      among = [...among].sort((a, b) => mean[b] - mean[a] || a - b).slice(0, next);
    }
    return among.slice(0, left);
  }

  /** Regret matching over the finalists of the searching powers and the likely candidates of the others. */
  private async match(powers: readonly Power[], start: readonly Float64Array[], share: number): Promise<Sums[]> {
    const { kept } = this;
    const candidates = this.problem.candidates.map(({ power, sets, prior }, q): Candidates => {
      const chosen = kept[q].map((c) => prior[c]);
      const sum = chosen.reduce((total, x) => total + x, 0);
      return { power, sets: kept[q].map((c) => sets[c]), prior: Float64Array.from(chosen, (x) => x / sum) };
    });
    const learners = candidates.map((own, q) => new Learner(own, start[q]));
    const problem = { ...this.problem, candidates };
    const size = powers.reduce((sum, q) => sum + kept[q].length, 0);
    let first = 0;
    for (let batch = 1; ; batch++) {
      const rounds = this.budgeter.nextRounds(size, share, first);
      if (rounds === 0) break;
      const tasks = this.roundTasks(powers, learners, first, rounds);
      const sums = await this.run(problem, tasks);
      for (const q of powers) learners[q].learn(sums[q], batch * rounds);
      first += rounds;
    }
    return learners.map(({ sums }) => sums);
  }

  private roundTasks(powers: readonly Power[], learners: readonly Learner[], first: number, rounds: number): Task[] {
    const strategies = learners.map(({ current }) => current);
    const parts = Math.min(rounds, this.budgeter.parts);
    return Array.from({ length: parts }, (_, i): Task => {
      const from = Math.floor((rounds * i) / parts);
      const to = Math.floor((rounds * (i + 1)) / parts);
      const { anchor } = this.options;
      return {
        kind: 'regret',
        powers,
        strategies,
        anchor,
        first: first + from,
        rounds: to - from,
        control: this.budgeter.control,
      };
    });
  }
}

/** Adds the sums of some candidates to those of all. */
const addSumsAt = (into: Sums, places: readonly number[], part: Sums): void => {
  for (const [i, c] of places.entries()) {
    into.count[c] += part.count[i];
    into.sum[c] += part.sum[i];
    into.squares[c] += part.squares[i];
  }
};

const byPrior = ({ prior }: Candidates, most: number): number[] =>
  Array.from(prior, (_, c) => c)
    .sort((a, b) => prior[b] - prior[a] || a - b)
    .slice(0, most);

const rank = (
  { power, sets }: Candidates,
  searched: boolean,
  probabilities: Float64Array,
  { count, sum, squares }: Sums,
): PowerResult => {
  const ranked = sets.map((orders, c): RankedOrders => {
    const n = count[c];
    const variance = Math.max(0, squares[c] - (sum[c] * sum[c]) / n) / (n - 1);
    return { orders, probability: probabilities[c], value: sum[c] / n, error: Math.sqrt(variance / n), rollouts: n };
  });
  const order = (x: RankedOrders): number => (Number.isNaN(x.value) ? -1 : x.value);
  ranked.sort((a, b) => b.probability - a.probability || order(b) - order(a));
  return { power, searched, ranked };
};

/** A finalist that is played less than this, beside the one played most, is not played: a trace of the first rounds. */
const LEAST_SHARE = 0.1;

const normalize = (weights: Float64Array): Float64Array => {
  const most = Math.max(...weights);
  if (!(most > 0)) return weights.map(() => 1 / weights.length);
  const kept = weights.map((x) => (x >= LEAST_SHARE * most ? x : 0));
  const sum = kept.reduce((all, x) => all + x, 0);
  return kept.map((x) => x / sum);
};

/**
 * Searches for the orders of one or more powers in the phase at hand.
 * @param control from makeControl(): stops the search, and shows how far it is
 * @returns for each power its candidates, best first; for a power not searched for, those that its opponents met
 */
export const searchMoves = async (
  game: Game,
  options: SearchOptions,
  crew: Crew = alone,
  control: Int32Array = makeControl(),
): Promise<SearchResult> => {
  const begin = clock();
  const searching = new Set(options.powers);
  const most = fewerCandidates(options);
  const candidates = findAllCandidates(game, options.seed, (q) => (searching.has(q) ? most : options.replies));
  const { depth, playout, value } = options;
  const problem: Problem = { game, candidates, options: { depth, playout, value }, seed: options.seed };
  const search = new Search(problem, options, crew, control);
  await search.halveAll();
  if (options.method === 'regret') await search.matchAll();
  return { powers: search.ranking(), rollouts: control[1], milliseconds: clock() - begin };
};

/** Candidates for a searching power: no more than get some ten rollouts each, but LEAST_CANDIDATES always. */
const fewerCandidates = ({ candidates, rollouts }: SearchOptions): number =>
  Math.min(candidates, Math.max(LEAST_CANDIDATES, Math.floor(rollouts / 10)));
const LEAST_CANDIDATES = 30;
