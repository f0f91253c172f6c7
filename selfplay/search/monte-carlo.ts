// Searches for the orders of one or more powers by Monte Carlo. The stages of a search:
//
//   candidates          Lists 10 to a few hundred order sets for each power (candidates.ts).
//   opponent model      Models each opponent as a mixture of player types, given its past orders (opponent-model.ts).
//   halving             Compares a power's candidates against sampled opponents and drops the worse half in each
//                       round (compare() in match.ts).
//   local search        Adds neighbours of the best candidates and repeats the halving, while the budget lasts
//                       (local-search.ts).
//   second turn         Compares the finalists of a single power by the position after one more turn, if the budget is
//                       large enough (lookahead.ts).
//   regret matching     Runs if there is no second turn. Finds mixed strategies over the remaining candidates of all
//                       powers. If opponents learn, best responses to their strategies are added between batches
//                       (playRounds() in match.ts).
//
// Movement orders are compared by one-turn lookahead (lookahead.ts), or by rollouts (playout.ts) if the options set a
// horizon. In retreat and adjustment phases, opponents are modelled as DumbBot with a share of greedy responses
// (greedy-response.ts).
//
// With a budget in rollouts, work is cut into a fixed number of parts, so the result depends only on the position, the
// options and the seed. With a budget in milliseconds, it also depends on the speed and number of workers.
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

/** An order set of one power, with the results of a search for it. */
export interface RankedOrders {
  /**
   * Packed orders; in a movement phase one for each unit, ascending. The idle orders of a movement order set with a
   * probability above 0 are replaced by supports of own units.
   */
  readonly orders: Int32Array;
  /** Probability of this order set in the strategy of the search, 0 to 1. */
  readonly probability: number;
  /**
   * Mean value of the rollouts with this order set to the power, 0 to 1. Evaluations after two turns are not included.
   */
  readonly value: number;
  /** Standard error of the value; NaN for fewer than two rollouts. */
  readonly error: number;
  /** Number of rollouts (or lookaheads) that began with this order set. */
  readonly rollouts: number;
}

/** Result of a search for one power. */
export interface PowerResult {
  /** Index of the power in the map. */
  readonly power: Power;
  /**
   * True if the search was asked for orders of this power. If false, `ranked` lists the order sets that its model
   * expects.
   */
  readonly searched: boolean;
  /** Order sets, sorted by descending probability, then by descending value. */
  readonly ranked: readonly RankedOrders[];
}

/** Result of a search. */
export interface SearchResult {
  /** Results of all powers, indexed by power. A power without orders to give has no order sets. */
  readonly powers: readonly PowerResult[];
  /** Number of phase-steps to the horizon of a rollout. */
  readonly depth: number;
  /**
   * Number of rollouts or, in a search by lookahead, of one-turn lookaheads. One rollout of the budget pays for 12
   * lookaheads. An evaluation after two turns counts as 96 lookaheads.
   */
  readonly rollouts: number;
  /** Wall-clock time of the search, in milliseconds. */
  readonly milliseconds: number;
  /** Processor time of all threads of this process during the search, in milliseconds. NaN in a browser. */
  readonly processorMilliseconds: number;
}

/** Maximum number of parts of a batch. The parts of batch n have the numbers from n * MOST_PARTS on. */
const MOST_PARTS = 512;
/**
 * FINALISTS: number of candidates that halving leaves for regret matching (`sampled`, `learning`) or for the comparison
 * after two turns (`second`). HALVING_SHARE: share of the budget for the halving before regret matching.
 */
const FINALISTS = { sampled: 8, learning: 30, second: 24 } as const;
const HALVING_SHARE = { sampled: 0.75, learning: 0.25 } as const;
/**
 * SECOND_ROUNDS: number of comparisons after two turns, each among the better half of the one before. LEAST_LOOKS:
 * minimum number of evaluations of each finalist in a part.
 */
const SECOND_ROUNDS = 3;
const LEAST_LOOKS = 3;
/**
 * Temperature of the softmax over values after two turns: an order set worth this much less than another is played
 * exp(-1) times as often.
 */
const HARDLY_LESS = 0.005;
/** Number of candidates that a learning opponent begins with: the most likely ones by its model. */
const LEARNING_REPLIES = 12;
/** Maximum number of rollouts of a candidate that count in its first regret. */
const START_WEIGHT = { sampled: 60, learning: 20 } as const;

/**
 * NEIGHBOURS: number of neighbours added in each generation of candidates. PARENTS: number of the best order sets that
 * neighbours are made from.
 */
const NEIGHBOURS = 24;
const PARENTS = 8;
/**
 * GENERATION: approximate number of rollouts of one power in each generation. MOST_GENERATIONS: maximum number of
 * generations. FIRST_WEIGHT: budget of the first generation as a multiple of a later one's.
 */
const GENERATION = 900;
const MOST_GENERATIONS = 40;
const FIRST_WEIGHT = 3;

/**
 * For the search for better order sets during regret matching with learning opponents. ANSWER_SHARE: its share of the
 * budget of regret matching. ANSWER: rollouts of one such search. MOST_ANSWER_ROUNDS: maximum number of searches for
 * each power. OUTSIDERS: number of order sets dropped by halving that are tried again. MOST_ANSWERS: maximum number of
 * order sets added by one search.
 */
const ANSWER_SHARE = 0.35;
const ANSWER = 500;
const MOST_ANSWER_ROUNDS = 8;
const OUTSIDERS = 16;
const MOST_ANSWERS = 4;

/**
 * Returns the initial regret of each finalist: its estimated value above the mean of all finalists, multiplied by its
 * number of rollouts; 0 if below the mean.
 * @param kept indexes of the finalists in the pool
 * @param most maximum number of rollouts that count
 */
const firstRegrets = (pool: CandidatePool, kept: readonly number[], most: number): Float64Array => {
  const mean = kept.map((c) => Math.max(0, pool.estimate(c)));
  const average = mean.reduce((total, x) => total + x, 0) / mean.length;
  return Float64Array.from(mean, (x, i) => Math.max(0, x - average) * Math.min(most, pool.count[kept[i]]));
};

/**
 * Array buffer for the control words. Most browser pages have no SharedArrayBuffer; the search needs none there,
 * because it uses one thread.
 */
const Memory = typeof SharedArrayBuffer === 'undefined' ? ArrayBuffer : SharedArrayBuffer;

/**
 * Returns new control words of a search, all 0. [0]: nonzero stops the search. [1]: number of its rollouts. They are in
 * shared memory if available.
 */
export const makeControl = (): Int32Array => new Int32Array(new Memory(8));

/** Returns the processor time of all threads of this process so far, in milliseconds; NaN in a browser. */
const processorTime = (): number => {
  if (typeof process === 'undefined') return Number.NaN;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/**
 * State of regret matching. `learners`: indexed by power. `learning`: powers that learn. `first`: number of rounds so
 * far. `batch`: number of batches so far.
 */
interface Match {
  readonly learners: readonly Learner[];
  readonly learning: readonly Power[];
  first: number;
  batch: number;
}

class Search {
  /** Searched powers that have orders to give. */
  private readonly powers: readonly Power[];
  /**
   * 'learning' if regret matching updates the strategies of the opponents too; 'sampled' if opponents play by their
   * priors.
   */
  private readonly mode: 'learning' | 'sampled';
  /**
   * `pools`: order sets of each power, indexed by power. `kept`: indexes in the pool of the order sets that remain,
   * best first, indexed by power.
   */
  private readonly pools: readonly CandidatePool[];
  private readonly kept: (readonly number[])[];
  /** State of regret matching; null before it begins. */
  private matching: Match | null = null;
  /** Probability of each finalist of the only searched power; null before a comparison after two turns. */
  private shares: Float64Array | null = null;
  private batches = 0;

  constructor(
    /** Position, and candidates of each power with the probabilities that its opponents expect. */
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

  /**
   * Returns the number of candidates to keep at the end of a generation.
   * @param count number of candidates at its beginning
   * @param last true for the last generation
   */
  private left(count: number, last: boolean): number {
    const { method, firstTurn } = this.options;
    if (method === 'best') return count;
    return method === 'halving' && last ? 1 : Math.min(count, FINALISTS[firstTurn < 1 ? 'second' : this.mode]);
  }

  /**
   * Number of generations of candidates of each power. Each generation but the first adds neighbours of the best
   * candidates.
   */
  private get generations(): number {
    if (this.options.method === 'best' || this.mode === 'learning') return 1;
    const each = (this.budgeter.expected * this.halving) / Math.max(1, this.powers.length);
    return Math.max(1, Math.min(MOST_GENERATIONS, Math.floor(each / GENERATION)));
  }

  /**
   * Plays all generations of the searched powers: adds neighbours of the best candidates, compares candidates and drops
   * the worse ones.
   */
  async halveAll(): Promise<void> {
    const { powers, generations, pools, kept } = this;
    const around = powers.map((q) => this.neighbourhood(q));
    const sum = powers.length * (FIRST_WEIGHT + generations - 1);
    // Powers take turns. Each turn gets a share of the remaining budget, so that no power uses up the budget of
    // another.
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

  /**
   * Adds up to NEIGHBOURS neighbours of the best order sets to the pool of a power. Returns their indexes in the pool.
   * @param best order sets, best first
   */
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
   * Compares the finalists of the only searched power after two turns, and drops the worse half after each comparison.
   * Finalists that are almost as good as the best one keep a share of the probability.
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
      this.reportProgress();
      if (budgeter.isOver()) break;
      among = among.slice(0, Math.ceil(among.length / 2));
    }
  }

  /**
   * Runs regret matching over the finalists. If opponents learn too, better order sets against the strategies so far
   * are added between batches (a double oracle, McMahan, Gordon and Blum 2003).
   */
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

  /**
   * Adds order sets of a power that are better than those it has against the average strategies of the others. Tries
   * neighbours of its most played order sets and order sets that halving dropped.
   * @param round index of the search, which seeds the random choices
   * @param share share of the remaining budget, 0 to 1
   */
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
    // Learning powers draw from their average strategy, and with probability `anchor` from their prior.
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

  /**
   * Returns the result so far, indexed by power: the shares that lookFurther() has computed, otherwise the average
   * strategy of regret matching; before both, the best order set.
   */
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

  /**
   * Successive halving of a power's candidates: each round gives all candidates the same number of rollouts and drops
   * the worse half.
   * @param left number of candidates to keep
   * @param share share of the remaining budget, 0 to 1
   */
  private async halve(power: Power, left: number, share: number): Promise<void> {
    const pool = this.pools[power];
    let among: readonly number[] = this.kept[power];
    if (among.length === 1) return;
    const rounds = Math.max(1, Math.ceil(Math.log2(among.length / left)));
    for (let round = 0; round < rounds; round++) {
      // Gives all rounds the same budget, although each takes its share of a smaller remainder.
      const part = share / rounds / (1 - (share * round) / rounds);
      among = await this.compareSome(pool, among, part);
      among = among.slice(0, Math.max(left, Math.ceil(among.length / 2)));
      this.kept[power] = among;
      this.reportProgress();
    }
    this.kept[power] = among.slice(0, left);
  }

  private reportProgress(): void {
    this.onBatch?.(this.budgeter.played, this.ranking);
  }

  /**
   * Compares order sets of a power against the same samples of the others' orders. Returns the sums of the order sets,
   * in the order of `places`.
   * @param places indexes of the order sets in the pool
   * @param limits one limit for each part of the work
   */
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

  /**
   * Compares order sets of a power, adds the results to the pool and returns their indexes in it, best first.
   * @param places indexes of the order sets in the pool
   * @param share share of the remaining budget, 0 to 1
   * @param others candidates of all powers to sample instead of those of the problem; the order then depends only on
   *   this comparison
   */
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
      this.reportProgress();
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
 * Returns the order sets of a pool as the result of a power, sorted by descending probability, then by descending
 * value.
 * @param places indexes in the pool of the order sets that may be played
 * @param probabilities probability of each of these; all other order sets have 0
 * @param matched results of regret matching, which are added to the rollouts of these
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
 * Share of the highest probability below which a finalist gets probability 0. Such finalists are remains of the first
 * rounds or, against opponents that do not learn, slightly worse order sets.
 */
const LEAST_SHARE = { sampled: 0.4, learning: 0.1 } as const;

const normalize = (weights: Float64Array, least: number): Float64Array => {
  const most = Math.max(...weights);
  if (!(most > 0)) return weights.map(() => 1 / weights.length);
  const kept = weights.map((x) => (x >= least * most ? x : 0));
  const sum = kept.reduce((all, x) => all + x, 0);
  return kept.map((x) => x / sum);
};

/**
 * Returns a result in which the order sets with a probability above 0 have supports of own units instead of idle orders
 * (support-own.ts). Order sets that become equal are merged, and their probabilities are added. Changes nothing for
 * powers not searched for and outside movement phases.
 */
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

/** A search request: the powers to search for, and options that replace searchDefaults. */
export interface SearchRequest extends Partial<Omit<SearchOptions, 'powers'>> {
  /** Powers to search for, each as a number or as a name such as 'FRANCE'. */
  readonly powers: readonly (Power | string)[];
}

/**
 * Pool of a search, signal to stop it, and callbacks for its progress. `onProgress` gets the number of rollouts so far.
 */
export interface SearchJob extends JobOptions {
  /**
   * Pool whose workers share the search; the caller closes the pool. By default the search runs in this thread and
   * blocks its event loop.
   */
  readonly pool?: Pool;
  /**
   * Called after each batch with the number of rollouts so far. `ranking` returns the result so far, indexed by power.
   */
  readonly onBatch?: (rollouts: number, ranking: () => readonly PowerResult[]) => void;
}

/**
 * Searches for the orders of one or more powers in the current phase of a game, by Monte Carlo. Values candidate order
 * sets of all powers by rollouts on common random numbers and mixes them by regret matching (Gray et al. 2020). With a
 * budget in rollouts, the result is the same on every machine and for any number of workers.
 * @param game game in its current position; it is not changed
 * @param request powers and options. Missing options are taken from searchDefaults; the default seed is 0
 * @param job pool to use, signal to stop early, and callbacks for progress
 * @returns the candidates of each power, best first; for a power that is not searched for, the order sets expected of
 *   it
 * @throws LepantoError for an unknown power name, for an opponent model of another map, or if a worker crashes
 *   repeatedly
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

/**
 * Searches in this thread with changed expectations of the opponents, to measure the effect of opponent models.
 * @param change modifies the expected order sets
 */
export const searchExpecting = (game: Game, request: SearchRequest, change: Expectation): Promise<SearchResult> =>
  searchOn(inThisThread, game, request, makeControl(), undefined, change);
