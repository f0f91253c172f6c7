// Divides the budget of a search among its stages, and derives the horizon and the number of candidates from it.
import type { Game } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';
import { clock, type Limit, playsOf, type Sums } from './match.js';
import { AUTO_DEPTH, type HorizonOptions, type PlannedOptions, type SearchOptions, weightsOf } from './options.js';

/** Number of parts in which the work of each stage is divided, if the budget is in rollouts. */
const PARTS = 4;

/** Share of the time budget after which no work starts, because work in progress needs time to end. */
const SPENT = 0.94;

/** Counts the rollouts and the time that a search has used, and sets the limits of its parts. */
export class Budgeter {
  readonly parts: number;
  readonly expected: number;
  /** Budget used so far: a number of rollouts, or of one-turn lookaheads. */
  played = 0;

  constructor(
    private readonly options: PlannedOptions,
    workers: number,
    readonly control: Int32Array,
    private readonly begin: number,
  ) {
    // Fixed parts make the result independent of the workers. With a budget in time, one part per worker keeps all
    // busy.
    this.parts = Number.isFinite(options.milliseconds) ? workers : PARTS;
    this.expected = expectedRollouts(options, workers);
  }

  /**
   * Adds the budget that finished tasks have used to `played`, and writes the sum to control[1], the progress of the
   * search. This corrects the progress after a crash, when rollouts are played and counted again.
   * @param options options of the tasks, which determine how much one rollout takes from the budget: playsOf()
   */
  count(results: readonly Sums[], options: HorizonOptions): void {
    for (const { count } of results) this.played = count.reduce((sum, n) => sum + n * playsOf(options), this.played);
    Atomics.store(this.control, 1, this.played);
  }

  private get rolloutsLeft(): number {
    return this.options.rollouts - this.played;
  }

  private get timeLeft(): number {
    return this.begin + SPENT * this.options.milliseconds - clock();
  }

  isOver(): boolean {
    return this.control[0] !== 0 || this.rolloutsLeft <= 0 || this.timeLeft <= 0;
  }

  /**
   * Returns one limit for each part of a stage.
   * @param size number of rollouts in one round; there are fewer parts if the budget has no full round for each
   * @param share share of the remaining budget for the stage, 0 to 1
   */
  limits(size: number, share: number): Limit[] {
    const granted = Math.max(0, this.rolloutsLeft * share);
    const parts = Math.max(1, Math.min(this.parts, Math.floor(granted / size)));
    const deadline = clock() + this.timeLeft * share;
    const limit = { rollouts: Math.ceil(granted / parts), deadline, control: this.control };
    return Array.from({ length: parts }, () => limit);
  }

  /**
   * Returns the part of the remaining budget that later stages need: in rollouts and in milliseconds, 0 for an infinite
   * one.
   * @param share share of the remaining budget for the stage that begins, 0 to 1
   */
  reserve(share: number): Pick<SearchOptions, 'rollouts' | 'milliseconds'> {
    const { rollouts, milliseconds } = this.options;
    return {
      rollouts: Number.isFinite(rollouts) ? this.rolloutsLeft * (1 - share) : 0,
      milliseconds: Number.isFinite(milliseconds) ? this.timeLeft * (1 - share) : 0,
    };
  }

  /**
   * Returns the number of rounds in the next batch of regret matching; 0 if regret matching must end.
   * @param size rollouts of one round
   * @param done number of rounds so far
   * @param reserve budget to leave for later stages
   */
  nextRounds(size: number, done: number, reserve: ReturnType<Budgeter['reserve']>): number {
    if (this.control[0] !== 0 || size === 0) return 0;
    // The first round is always played, so that every finalist has a value and a strategy.
    const least = done === 0 ? 1 : 0;
    const left = (this.rolloutsLeft - reserve.rollouts) / size;
    const time = this.timeLeft - reserve.milliseconds;
    if (left < 1 || time <= 0) return least;
    if (!Number.isFinite(time)) return Math.floor(Math.min(left, Math.max(this.parts, Math.round(BATCH / size))));
    const speed = this.played / (clock() - this.begin);
    return Math.floor(Math.min(left, Math.max(1, (speed * Math.min(BATCH_TIME, time)) / size)));
  }
}

/**
 * Approximate size of a batch of regret matching. BATCH: in rollouts. BATCH_TIME: in milliseconds, if the budget is in
 * time.
 */
const BATCH = 256;
const BATCH_TIME = 20;

/**
 * Approximate speed of one thread, for budgets in time. ROLLOUTS_PER_MS: rollouts per millisecond. EVALUATIONS_PER_MS:
 * one-turn lookaheads per millisecond.
 */
const ROLLOUTS_PER_MS = 12;
const EVALUATIONS_PER_MS = 12 * ROLLOUTS_PER_MS;
const expectedRollouts = (
  { rollouts, milliseconds, depth }: Pick<SearchOptions, 'rollouts' | 'milliseconds' | 'depth'>,
  workers: number,
): number => Math.min(rollouts, milliseconds * (depth === 1 ? EVALUATIONS_PER_MS : ROLLOUTS_PER_MS) * workers);

/**
 * Returns the initial number of candidates of each power: few enough for 10 rollouts each, but at least 30; with
 * lookahead, few enough for 100 lookaheads each, but at least 10. Never more than the number in the options.
 * @param expected expected number of rollouts or lookaheads
 */
export const fewerCandidates = (options: PlannedOptions, expected: number): number => {
  const { candidates, powers } = options;
  const { each, least } = weightsOf(options) !== null ? { each: 100, least: 10 } : { each: 10, least: 30 };
  return Math.min(candidates, Math.max(least, Math.floor(expected / powers.length / each)));
};

/**
 * Returns the horizon in phase-steps for a number of rollouts of each power. Rollouts to a longer horizon cost more and
 * vary more.
 */
const depthFor = (rollouts: number): number => (rollouts >= 8000 ? 4 : rollouts >= 400 ? 3 : 2);

/** Number of one-turn lookaheads that take as long as one rollout by DumbBot. */
export const EVALUATIONS_IN_ROLLOUT = 12;
/** Mean number of units of the searched powers up to which rollouts compare their order sets, because these are few. */
const FEW_UNITS = 2;

const hasFewUnits = (game: Game, powers: readonly T.Power[]): boolean => {
  const units = new Int32Array(game.map.powerCount);
  game.countUnits(units);
  return powers.reduce((sum, q) => sum + units[q], 0) <= FEW_UNITS * powers.length;
};

/**
 * Budget of the evaluations after one turn, if evaluations after two turns follow: the share FIRST_TURN, but at least
 * FIRST_ROLLOUTS rollouts.
 */
const FIRST_TURN = 1 / 3;
const FIRST_ROLLOUTS = 800;
/**
 * Minimum budget for evaluations after two turns. LEAST_SECOND: rollouts left for them. LEAST_SECOND_MS: milliseconds
 * of the whole search.
 */
const LEAST_SECOND = 512;
const LEAST_SECOND_MS = 200;

/**
 * Returns the share of the budget for evaluations after one turn; 1 if the search looks no further. Two turns help if
 * there is one searched power and the opponents do not learn.
 */
const firstTurnOf = ({ rollouts, milliseconds, powers, method, opponents }: SearchOptions): number => {
  const first = Math.max(FIRST_ROLLOUTS, FIRST_TURN * rollouts);
  const isAlone = powers.length === 1 && method === 'regret' && opponents === 'sampled';
  if (!isAlone || rollouts - first < LEAST_SECOND || milliseconds < LEAST_SECOND_MS) return 1;
  return Number.isFinite(rollouts) ? first / rollouts : FIRST_TURN;
};

/**
 * Returns the options with the horizon chosen, if they leave it open (AUTO_DEPTH). Movement orders of more than
 * FEW_UNITS units of each power are compared by one-turn lookahead, which affords more samples than rollouts. The
 * budget in rollouts is then converted to lookaheads.
 */
export const planSearch = (game: Game, asked: SearchOptions, workers: number): PlannedOptions => {
  const { depth, playout, rollouts, powers, value } = asked;
  const options = { ...asked, modelled: game.phase === T.MOVEMENT, firstTurn: 1 };
  if (depth !== AUTO_DEPTH) return options;
  const isOpen = game.phase === T.MOVEMENT && playout === 'dumbbot' && value === 'heuristic';
  const isFew = isOpen && hasFewUnits(game, powers);
  if (isOpen && !isFew) {
    const firstTurn = firstTurnOf(asked);
    return {
      ...options,
      depth: 1,
      value: firstTurn < 1 ? 'first' : 'next',
      rollouts: rollouts * EVALUATIONS_IN_ROLLOUT,
      firstTurn,
    };
  }
  const each = expectedRollouts(options, workers) / Math.max(1, powers.length);
  return { ...options, depth: depthFor(each), modelled: options.modelled && !isFew };
};
