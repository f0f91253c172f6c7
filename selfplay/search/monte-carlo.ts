// Searches moves by Monte Carlo: makes candidates, plays rollouts and chooses among them, for one power or all at once.
//
//   candidates (candidates.ts)          10 to some hundred order sets for each power
//   opponent model (opponent-model.ts)  each opponent as a mixture of player types (player-types.ts), by the orders seen
//   halving (compare, match.ts)         each power's own against sampled opponents; the worse half drops out each round
//   local search (local-search.ts)      around the best so far adds candidates, and halving begins anew, as often as the
//                                       budget allows
//   second turn (lookahead.ts)          what the finalists of one power lead to decides, where the budget is large enough
//   regret matching (playRounds)        over what is left of all powers; mixed strategies. Where opponents learn, best
//                                       responses to what they play join in between; in place of a second turn
//
// Moves are compared by one-turn lookahead (lookahead.ts) unless a horizon is asked for, and then by rollouts
// (playout.ts). In retreats and adjustments opponents do what DumbBot does, and now and then take what they can get
// (greedy-response.ts).
//
// Work is cut into PARTS that do not depend on the number of workers: with a budget in rollouts the answer follows from
// the position, the options and the seed alone. With a budget in milliseconds each worker plays what it can.
import { type Game, hashSeed, MOVEMENT, type Power, Random } from '../../engine/internal.js';
import { followJob, type JobOptions } from '../crew/chunks.js';
import type { Pool } from '../crew/pool.js';
import { supportOwn } from '../evaluation/support-own.js';
import { Budgeter, planSearch } from './budget.js';
import { CandidatePool } from './candidate-pool.js';
import type { Candidates } from './candidates.js';
import { type Expectation, listCandidates } from './list-candidates.js';
import { LocalSearch } from './local-search.js';
import { addSums, clock, Learner, type Limit, meanIn, type Problem, playsOf, type Sums } from './match.js';
import { type PlannedOptions, type SearchOptions, searchDefaults } from './options.js';
import { type Executor, executorOn, inThisThread, type Task } from './task.js';

/** A set of orders of one power that a search has tried. */
export interface RankedOrders {
  /** Packed orders of all its units; in movement phases, of one that may be played what does nothing supports own units. */
  readonly orders: Int32Array;
  /** With which the search would play it: 0 to 1. */
  readonly probability: number;
  /** Mean value of its rollouts to the power, without what a second turn has told. */
  readonly value: number;
  /** Standard error of the value; NaN for fewer than two rollouts. */
  readonly error: number;
  /** Rollouts that began with it. */
  readonly rollouts: number;
}

/** What a search found for one power. */
export interface PowerResult {
  /** The power. */
  readonly power: Power;
  /** False for a power that was not searched for: its candidates are the order sets expected of it. */
  readonly searched: boolean;
  /** Best first: by probability, then by value. */
  readonly ranked: readonly RankedOrders[];
}

/** What a search found. */
export interface SearchResult {
  /** By power, all of them; the lists of those with nothing to order have no orders. */
  readonly powers: readonly PowerResult[];
  /** Phase-steps to the horizon. */
  readonly depth: number;
  /** Rollouts played; or one-turn lookaheads, of which a rollout pays for twelve, and a look at a second turn counts as 96. */
  readonly rollouts: number;
  /** Time that it took. */
  readonly milliseconds: number;
  /** Processor time that all threads of this process took meanwhile. */
  readonly processorMilliseconds: number;
}

/** More than there are workers: parts of a later batch are numbered from a multiple of this. */
const MOST_PARTS = 512;
/** Candidates that halving leaves to regret matching, or to a second turn, and the share of the budget before the first. */
const FINALISTS = { sampled: 8, learning: 30, second: 24 } as const;
const HALVING_SHARE = { sampled: 0.75, learning: 0.25 } as const;
/** How often finalists are compared by a second turn, each time the better half; looks at each in a part, at least. */
const SECOND_ROUNDS = 3;
const LEAST_LOOKS = 3;
/** A set that is worth so much less than the best is played exp(-1) times as often. */
const HARDLY_LESS = 0.005;
/** Likely candidates that an opponent which learns begins with. */
const LEARNING_REPLIES = 12;
/** Rollouts that the means of halving count for, at most, when regret matching begins with them. */
const START_WEIGHT = { sampled: 60, learning: 20 } as const;

/** Neighbours tried in a generation, and how many of the best they are neighbours of. */
const NEIGHBOURS = 24;
const PARENTS = 8;
/** A generation for so many rollouts of a power, about; the first one weighs as much as some later ones. */
const GENERATION = 900;
const MOST_GENERATIONS = 40;
const FIRST_WEIGHT = 3;

/**
 * Better answers in regret matching where all learn: share of its budget that the search for them has, rollouts of one
 * search, how many searches for each power at the most, sets that halving left out and that are tried again, and how
 * many join.
 */
const ANSWER_SHARE = 0.35;
const ANSWER = 500;
const MOST_ANSWER_ROUNDS = 8;
const OUTSIDERS = 16;
const MOST_ANSWERS = 4;

/** Regrets after halving: how much better than the finalists' mean each was. @param most rollouts that count */
const firstRegrets = (pool: CandidatePool, kept: readonly number[], most: number): Float64Array => {
  const mean = kept.map((c) => Math.max(0, pool.estimate(c)));
  const average = mean.reduce((total, x) => total + x, 0) / mean.length;
  return Float64Array.from(mean, (x, i) => Math.max(0, x - average) * Math.min(most, pool.count[kept[i]]));
};

/** A browser shares no memory with most pages, and has no threads that would need it here. */
const Memory = typeof SharedArrayBuffer === 'undefined' ? ArrayBuffer : SharedArrayBuffer;

/** [0] is set to stop a search early, [1] shows how many rollouts it has played. In shared memory where there is some. */
export const makeControl = (): Int32Array => new Int32Array(new Memory(8));

/** Milliseconds of processor time that this process has taken; NaN in a browser, which does not tell. */
const processorTime = (): number => {
  if (typeof process === 'undefined') return Number.NaN;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** A regret matching in progress: learners by power, the powers that learn, rounds and batches so far. */
interface Match {
  readonly learners: readonly Learner[];
  readonly learning: readonly Power[];
  first: number;
  batch: number;
}

class Search {
  /** Powers that are searched for and have something to order. */
  private readonly powers: readonly Power[];
  /** True if powers in regret matching meet opponents that learn too. */
  private readonly mode: 'learning' | 'sampled';
  /** By power: order sets; places of those left so far, best first. */
  private readonly pools: readonly CandidatePool[];
  private readonly kept: (readonly number[])[];
  /** The regret matching, once it has begun. */
  private matching: Match | null = null;
  /** How likely each finalist of the only power is played, once a second turn has compared them. */
  private shares: Float64Array | null = null;
  private batches = 0;

  constructor(
    /** The position, and candidates of each power as the others meet them. */
    private readonly problem: Problem,
    private readonly options: PlannedOptions,
    private readonly executor: Executor,
    private readonly budgeter: Budgeter,
    private readonly onBatch: SearchJob['onBatch'],
  ) {
    const { candidates } = problem;
    this.powers = options.powers.filter((q) => candidates[q].sets.length > 0);
    const learning = options.opponents === 'learning' || this.powers.length > 1;
    this.mode = learning && options.method === 'regret' ? 'learning' : 'sampled';
    const replies = options.opponents === 'learning' ? LEARNING_REPLIES : options.replies;
    this.pools = candidates.map((own) => new CandidatePool(own));
    this.kept = this.pools.map((pool) => pool.likeliest(replies));
  }

  private get halving(): number {
    const { firstTurn, method } = this.options;
    if (firstTurn < 1) return firstTurn;
    return method === 'regret' ? HALVING_SHARE[this.mode] : 1;
  }

  /** How many of so many candidates a generation leaves. */
  private left(count: number, last: boolean): number {
    const { method, firstTurn } = this.options;
    if (method === 'best') return count;
    return method === 'halving' && last ? 1 : Math.min(count, FINALISTS[firstTurn < 1 ? 'second' : this.mode]);
  }

  /** Generations of candidates by power: later ones are neighbours of the best so far. */
  private get generations(): number {
    if (this.options.method === 'best' || this.mode === 'learning') return 1;
    const each = (this.budgeter.expected * this.halving) / Math.max(1, this.powers.length);
    return Math.max(1, Math.min(MOST_GENERATIONS, Math.floor(each / GENERATION)));
  }

  /** Candidates of the searching powers are compared, halved, and more are found. */
  async halveAll(): Promise<void> {
    const { powers, generations, pools, kept } = this;
    const around = powers.map((q) => this.neighbourhood(q));
    const sum = powers.length * (FIRST_WEIGHT + generations - 1);
    // Powers take turns, and each turn has its share of what is left: none of them uses up what is another's.
    let ahead = sum / this.halving;
    for (let generation = 0; generation < generations; generation++)
      for (const [i, q] of powers.entries()) {
        if (generation > 0 && this.budgeter.isOver()) break;
        const weight = generation === 0 ? FIRST_WEIGHT : 1;
        if (generation === 0) kept[q] = [...pools[q].sets.keys()];
        else {
          const best = kept[q].slice(0, PARENTS).map((c) => pools[q].sets[c]);
          kept[q] = [...kept[q], ...this.grow(q, around[i], best, this.chance(q, generation))];
        }
        await this.halve(q, this.left(kept[q].length, generation === generations - 1), weight / ahead);
        ahead -= weight;
      }
  }

  private neighbourhood(power: Power): LocalSearch {
    return new LocalSearch(this.problem.game, power, this.chance(power, 0));
  }

  /** Adds neighbours of the best sets of a power; returns their places. */
  private grow(power: Power, around: LocalSearch, best: readonly Int32Array[], random: Random): number[] {
    const pool = this.pools[power];
    const added: number[] = [];
    while (added.length < NEIGHBOURS) {
      const set = around.next(best, (one) => pool.has(one), random);
      if (set === null) break;
      added.push(pool.add(set));
    }
    return added;
  }

  private chance(power: Power, generation: number): Random {
    return new Random(hashSeed(this.options.seed, power, 0x6e65), generation, power);
  }

  /**
   * The finalists of the only power are compared by a second turn: the worse half drops out each time. Of those left those
   * hardly behind the best may be played too.
   */
  async lookFurther(): Promise<void> {
    const { budgeter } = this;
    const [power] = this.powers;
    const places = this.kept[power] ?? [];
    if (places.length < 2) return;
    const pool = this.pools[power];
    const second = new CandidatePool(pool.pick(places));
    const problem: Problem = { ...this.problem, options: { ...this.problem.options, value: 'second' } };
    const each = playsOf(problem.options) * LEAST_LOOKS;
    const value = (i: number): number => (pool.estimate(places[i]) + second.estimate(i)) / 2;
    let among = [...places.keys()];
    for (let left = SECOND_ROUNDS; left > 0; left--) {
      const sums = await this.playSome(second, among, budgeter.limits(among.length * each, 1 / left), problem);
      if (sums.count[0] === 0) break;
      second.learn(among, sums);
      among.sort((i, j) => value(j) - value(i) || i - j);
      this.kept[power] = among.map((i) => places[i]);
      const behind = Float64Array.from(among, (i) => value(among[0]) - value(i));
      this.shares = normalize(
        behind.map((x) => Math.exp(-x / HARDLY_LESS)),
        LEAST_SHARE.sampled,
      );
      this.tell();
      if (budgeter.isOver()) break;
      among = among.slice(0, Math.ceil(among.length / 2));
    }
  }

  /** Regret matching, where all learn as a double oracle (McMahan, Gordon and Blum 2003): better answers join. */
  async matchAll(): Promise<void> {
    const state = this.beginMatch();
    this.matching = state;
    const { learning } = state;
    const answers = this.mode === 'learning' ? this.answerRounds(learning.length) : 0;
    const around = answers === 0 ? [] : learning.map((q) => this.neighbourhood(q));
    let ahead = 1;
    for (let round = 0; round < answers; round++) {
      const share = (1 - ANSWER_SHARE) / (answers + 1);
      await this.match(state, share / ahead);
      ahead -= share;
      for (const [i, q] of learning.entries()) {
        const part = ANSWER_SHARE / answers / learning.length;
        await this.answer(state, q, around[i], round, part / ahead);
        ahead -= part;
      }
    }
    await this.match(state, 1);
  }

  private beginMatch(): Match {
    const { kept, pools, powers, mode } = this;
    const all = this.options.opponents === 'learning' ? kept.map((_, q) => q) : powers;
    const learners = pools.map((pool, q) => {
      const known = powers.includes(q) ? firstRegrets(pool, kept[q], START_WEIGHT[mode]) : null;
      return new Learner(pool.pick(kept[q]), known ?? new Float64Array(kept[q].length));
    });
    return { learners, learning: all.filter((q) => pools[q].sets.length > 1), first: 0, batch: 0 };
  }

  private answerRounds(powers: number): number {
    const rollouts = this.budgeter.expected * (1 - this.halving) * ANSWER_SHARE;
    return Math.min(MOST_ANSWER_ROUNDS, Math.floor(rollouts / (ANSWER * Math.max(1, powers))));
  }

  /** Adds the best answers to the play of the others, among neighbours of what is played and what halving left out. */
  private async answer(
    { learners, learning }: Match,
    power: Power,
    around: LocalSearch,
    round: number,
    share: number,
  ): Promise<void> {
    const pool = this.pools[power];
    const kept = this.kept[power];
    const { strategy } = learners[power].sums;
    const parents = [...kept.keys()].sort((a, b) => strategy[b] - strategy[a] || a - b).slice(0, PARENTS);
    const random = this.chance(power, 1000 + round);
    const tried = [...pool.sets.keys()].filter((c) => !kept.includes(c));
    while (tried.length > OUTSIDERS) tried.splice(random.below(tried.length), 1);
    const best = parents.map((i) => pool.sets[kept[i]]);
    tried.push(...this.grow(power, around, best, random));
    const { anchor } = this.options;
    // What those that learn have played on average, and what they draw of their priors.
    const others = this.pools.map((own, q) => {
      const candidates = own.pick(this.kept[q]);
      if (!learning.includes(q)) return candidates;
      const average = normalize(learners[q].sums.strategy, 0);
      return { ...candidates, prior: average.map((x, i) => anchor * candidates.prior[i] + (1 - anchor) * x) };
    });
    const places = [...parents.map((i) => kept[i]), ...tried];
    const half = await this.compareSome(pool, places, share / 2, others);
    const rest = half.slice(0, Math.ceil(half.length / 2));
    const quarter = await this.compareSome(pool, rest, share / 2 / (1 - share / 2), others);
    const found = quarter.slice(0, Math.ceil(quarter.length / 2));
    const better = found.filter((c) => !kept.includes(c)).slice(0, MOST_ANSWERS);
    if (better.length === 0) return;
    this.kept[power] = [...kept, ...better];
    learners[power].extend(pool.pick(this.kept[power]));
  }

  /** What it would answer now: what regret matching plays, and before it the best set so far. */
  readonly ranking = (): PowerResult[] => {
    const { pools, kept, options, matching, mode, shares } = this;
    return pools.map((pool, q) => {
      const learner = matching?.learning.includes(q) ? matching.learners[q] : null;
      const searched = options.powers.includes(q);
      if (searched && shares !== null) return rank(pool, true, kept[q], shares);
      if (learner === null)
        return rank(pool, searched, searched ? [kept[q][0]] : [...pool.prior.keys()], searched ? [1] : pool.prior);
      return rank(pool, searched, kept[q], normalize(learner.sums.strategy, LEAST_SHARE[mode]), learner.sums);
    });
  };

  private async run(problem: Problem, tasks: readonly Task[]): Promise<Sums[]> {
    const work = this.executor.run(problem, tasks);
    const [sums, ...others] = work instanceof Promise ? await work : work;
    for (const part of others) for (const [i, one] of part.entries()) addSums(sums[i], one);
    this.budgeter.count(sums, problem.options);
    return sums;
  }

  /** Successive halving: all get the same rollouts, the worse half goes. @param share of what is left of the budget */
  private async halve(power: Power, left: number, share: number): Promise<void> {
    const pool = this.pools[power];
    let among: readonly number[] = this.kept[power];
    if (among.length === 1) return;
    const rounds = Math.max(1, Math.ceil(Math.log2(among.length / left)));
    for (let round = 0; round < rounds; round++) {
      // Equal shares of the same whole: what is left shrinks with every round.
      const part = share / rounds / (1 - (share * round) / rounds);
      among = await this.compareSome(pool, among, part);
      among = among.slice(0, Math.max(left, Math.ceil(among.length / 2)));
      this.kept[power] = among;
      this.tell();
    }
    this.kept[power] = among.slice(0, left);
  }

  private tell(): void {
    this.onBatch?.(this.budgeter.played, this.ranking);
  }

  /** Plays sets of a power side by side. @param limits one for each part */
  private async playSome(
    pool: CandidatePool,
    places: readonly number[],
    limits: readonly Limit[],
    problem: Problem,
  ): Promise<Sums> {
    const { power } = pool;
    const candidates = problem.candidates.map((own, q) => (q === power ? pool.pick(places) : own));
    const among = [...places.keys()];
    const batch = this.batches++ * MOST_PARTS;
    const tasks = limits.map((limit, i): Task => ({ kind: 'compare', power, among, part: batch + i, limit }));
    const [sums] = await this.run({ ...problem, candidates }, tasks);
    return sums;
  }

  /** Plays sets of a power side by side; best first. @param others in place of the problem: only this batch counts */
  private async compareSome(
    pool: CandidatePool,
    places: readonly number[],
    share: number,
    others?: readonly Candidates[],
  ): Promise<number[]> {
    const { problem, budgeter } = this;
    const candidates = others ?? problem.candidates;
    const limits = budgeter.limits(places.length, share);
    const sums = await this.playSome(pool, places, limits, { ...problem, candidates });
    if (others === undefined) {
      pool.learn(places, sums);
      return pool.sorted(places);
    }
    pool.addSums(places, sums);
    return [...places.keys()].sort((a, b) => sums.sum[b] - sums.sum[a] || a - b).map((i) => places[i]);
  }

  private async match(state: Match, share: number): Promise<void> {
    const { kept } = this;
    const { learners, learning } = state;
    const candidates = this.pools.map((pool, q) => pool.pick(kept[q]));
    const problem = { ...this.problem, candidates };
    const size = learning.reduce((sum, q) => sum + kept[q].length, 0);
    const reserve = this.budgeter.reserve(share);
    while (true) {
      const rounds = this.budgeter.nextRounds(size, state.first, reserve);
      if (rounds === 0) return;
      state.batch++;
      const tasks = this.roundTasks(learning, learners, state.first, rounds);
      const sums = await this.run(problem, tasks);
      for (const q of learning) learners[q].learn(sums[q], state.batch * rounds);
      state.first += rounds;
      this.tell();
    }
  }

  private roundTasks(powers: readonly Power[], learners: readonly Learner[], first: number, rounds: number): Task[] {
    const strategies = learners.map(({ current }) => current);
    const parts = Math.min(rounds, this.budgeter.parts);
    const { anchor } = this.options;
    const { control } = this.budgeter;
    return Array.from({ length: parts }, (_, i): Task => {
      const from = Math.floor((rounds * i) / parts);
      const to = Math.floor((rounds * (i + 1)) / parts);
      return { kind: 'regret', powers, strategies, anchor, first: first + from, rounds: to - from, control };
    });
  }
}

/**
 * @param places of the sets that it may play, with the probability of each
 * @param matched what regret matching adds to their rollouts
 */
const rank = (
  pool: CandidatePool,
  searched: boolean,
  places: readonly number[],
  probabilities: ArrayLike<number>,
  matched?: Sums,
): PowerResult => {
  const placeOf = new Map(places.map((c, i) => [c, i]));
  const ranked = pool.sets.map((orders, c): RankedOrders => {
    const i = placeOf.get(c) ?? -1;
    const played = (of: 'count' | 'sum' | 'squares'): number => pool[of][c] + (matched?.[of][i] ?? 0);
    const rollouts = played('count');
    const sums = { count: [rollouts], sum: [played('sum')], squares: [played('squares')] };
    return { orders, probability: probabilities[i] ?? 0, ...meanIn(sums, 0), rollouts };
  });
  const order = (x: RankedOrders): number => (Number.isNaN(x.value) ? -1 : x.value);
  ranked.sort((a, b) => b.probability - a.probability || order(b) - order(a));
  return { power: pool.power, searched, ranked };
};

/**
 * A finalist played less than this share of the one played most is not played: a trace of the first rounds, or,
 * against opponents that do not learn, one that is hardly worse.
 */
const LEAST_SHARE = { sampled: 0.4, learning: 0.1 } as const;

const normalize = (weights: Float64Array, least: number): Float64Array => {
  const most = Math.max(...weights);
  if (!(most > 0)) return weights.map(() => 1 / weights.length);
  const kept = weights.map((x) => (x >= least * most ? x : 0));
  const sum = kept.reduce((all, x) => all + x, 0);
  return kept.map((x) => x / sum);
};

/** Sets of which one may be played, with own supports for what does nothing; those that become the same are one. */
const withOwnSupports = (game: Game, result: PowerResult): PowerResult => {
  const { power, ranked, searched } = result;
  if (!searched || game.phase !== MOVEMENT) return result;
  const played = new Map<string, RankedOrders>();
  for (const one of ranked) {
    if (one.probability === 0) continue;
    const orders = supportOwn(game, power, one.orders);
    const same = played.get(orders.join());
    const probability = one.probability + (same?.probability ?? 0);
    played.set(orders.join(), { ...(same ?? one), orders, probability });
  }
  const best = [...played.values()].sort((a, b) => b.probability - a.probability);
  const others = ranked.filter(({ probability, orders }) => probability === 0 && !played.has(orders.join()));
  return { power, searched, ranked: [...best, ...others] };
};

/** A search: the powers to search for, and what is to differ from searchDefaults. */
export interface SearchRequest extends Partial<Omit<SearchOptions, 'powers'>> {
  /** Powers to search for, by number or by name: 'FRANCE'. */
  readonly powers: readonly (Power | string)[];
}

/** Where a search works, and how it is watched: onProgress is told the rollouts played so far. */
export interface SearchJob extends JobOptions {
  /** Its workers share the search, and its owner closes it. Default: this thread, whose event loop waits meanwhile. */
  readonly pool?: Pool;
  /** Called after each batch with the rollouts played so far; `ranking` makes what the search would answer now. */
  readonly onBatch?: (rollouts: number, ranking: () => readonly PowerResult[]) => void;
}

/**
 * Searches for the orders of one or more powers in the phase that a game waits for, by Monte Carlo: candidate order sets
 * of all powers are valued by rollouts on common random numbers and mixed by regret matching (Gray et al. 2020). With a
 * budget in rollouts the answer is the same on every machine and for any number of workers.
 * @param game not changed
 * @param request what is left out is that of searchDefaults, and the seed 0
 * @param job where it works, what ends it early and what is told of its progress
 * @returns for each power its candidates, best first; for a power that was not searched for, what is
 * expected of it
 */
export const searchMoves = async (game: Game, request: SearchRequest, job: SearchJob = {}): Promise<SearchResult> => {
  const executor = job.pool === undefined ? inThisThread : executorOn(job.pool);
  const control = makeControl();
  const stop = (): void => void Atomics.store(control, 0, 1);
  const played = (): number => Atomics.load(control, 1);
  return followJob(job, stop, played, () => searchOn(executor, game, request, control, job.onBatch));
};

const searchOn = async (
  executor: Executor,
  game: Game,
  request: SearchRequest,
  control: Int32Array,
  onBatch: SearchJob['onBatch'],
  change?: Expectation,
): Promise<SearchResult> => {
  const powers = request.powers.map((power) => (typeof power === 'string' ? game.map.power(power) : power));
  const options = planSearch(game, { ...searchDefaults, seed: 0, ...request, powers }, executor.workers);
  const begin = clock();
  const before = processorTime();
  const budgeter = new Budgeter(options, executor.workers, control, begin);
  const candidates = listCandidates(game, options, budgeter.expected * options.firstTurn, begin, change);
  const { depth, playout, value } = options;
  const problem: Problem = { game, candidates, options: { depth, playout, value }, seed: options.seed };
  const search = new Search(problem, options, executor, budgeter, onBatch);
  await search.halveAll();
  if (options.firstTurn < 1) await search.lookFurther();
  else if (options.method === 'regret') await search.matchAll();
  return {
    powers: search.ranking().map((result) => withOwnSupports(game, result)),
    depth,
    rollouts: budgeter.played,
    milliseconds: clock() - begin,
    processorMilliseconds: processorTime() - before,
  };
};

/** Searches in this thread with other expectations of the opponents, to measure what these are worth. */
export const searchExpecting = (game: Game, request: SearchRequest, change: Expectation): Promise<SearchResult> =>
  searchOn(inThisThread, game, request, makeControl(), undefined, change);
