// Divides the budget of a search among its stages, and derives other sizes of a search from it.
import type { Game } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';
import { clock, type Limit, playsOf, type Sums } from './match.js';
import { AUTO_DEPTH, type HorizonOptions, type PlannedOptions, type SearchOptions, weightsOf } from './options.js';

/** Number of parts of each stage when the budget is in rollouts. */
const PARTS = 4;

/** Share of the time after which nothing more begins: what is under way then may take some time to end. */
const SPENT = 0.94;

export class Budgeter {
  readonly parts: number;
  readonly expected: number;
  played = 0;

  constructor(
    private readonly options: PlannedOptions,
    workers: number,
    readonly control: Int32Array,
    private readonly begin: number,
  ) {
    // Only rollouts are shared out evenly; if time counts, one part for each worker keeps them all busy.
    this.parts = Number.isFinite(options.milliseconds) ? workers : PARTS;
    this.expected = expectedRollouts(options, workers);
  }

  /** Counts the rollouts of some tasks. What workers reported meanwhile may be too much: one may have crashed. */
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

  /** One limit for each part of a stage; fewer parts where a round of `size` rollouts for each would be too much. */
  limits(size: number, share: number): Limit[] {
    const granted = Math.max(0, this.rolloutsLeft * share);
    const parts = Math.max(1, Math.min(this.parts, Math.floor(granted / size)));
    const deadline = clock() + this.timeLeft * share;
    const limit = { rollouts: Math.ceil(granted / parts), deadline, control: this.control };
    return Array.from({ length: parts }, () => limit);
  }

  /** What is to be left after a stage that has a share of what is left now. */
  reserve(share: number): Pick<SearchOptions, 'rollouts' | 'milliseconds'> {
    const { rollouts, milliseconds } = this.options;
    return {
      rollouts: Number.isFinite(rollouts) ? this.rolloutsLeft * (1 - share) : 0,
      milliseconds: Number.isFinite(milliseconds) ? this.timeLeft * (1 - share) : 0,
    };
  }

  /** How many rounds of regret matching come next; 0 for the end. @param size rollouts of a round */
  nextRounds(size: number, done: number, reserve: ReturnType<Budgeter['reserve']>): number {
    if (this.control[0] !== 0 || size === 0) return 0;
    // The first round is always played: every finalist has a value and a strategy.
    const least = done === 0 ? 1 : 0;
    const left = (this.rolloutsLeft - reserve.rollouts) / size;
    const time = this.timeLeft - reserve.milliseconds;
    if (left < 1 || time <= 0) return least;
    if (!Number.isFinite(time)) return Math.floor(Math.min(left, Math.max(this.parts, Math.round(BATCH / size))));
    const speed = this.played / (clock() - this.begin);
    return Math.floor(Math.min(left, Math.max(1, (speed * Math.min(BATCH_TIME, time)) / size)));
  }
}

/** Rollouts of a batch of regret matching, about. */
const BATCH = 256;
const BATCH_TIME = 20;

/** Approximate rollouts in a millisecond of a thread, to plan a budget in time; and those of one phase-step. */
const ROLLOUTS_PER_MS = 12;
const EVALUATIONS_PER_MS = 12 * ROLLOUTS_PER_MS;
const expectedRollouts = (
  { rollouts, milliseconds, depth }: Pick<SearchOptions, 'rollouts' | 'milliseconds' | 'depth'>,
  workers: number,
): number => Math.min(rollouts, milliseconds * (depth === 1 ? EVALUATIONS_PER_MS : ROLLOUTS_PER_MS) * workers);

/** Initial number of candidates: each must get some ten rollouts, or a hundred lookaheads, but there are at least so many. */
export const fewerCandidates = (options: PlannedOptions, expected: number): number => {
  const { candidates, powers } = options;
  const { each, least } = weightsOf(options) !== null ? { each: 100, least: 10 } : { each: 10, least: 30 };
  return Math.min(candidates, Math.max(least, Math.floor(expected / powers.length / each)));
};

/** Horizons by the rollouts that a power has: a longer one sees more, but each rollout costs more and says less. */
const depthFor = (rollouts: number): number => (rollouts >= 8000 ? 4 : rollouts >= 400 ? 3 : 2);

/** Rollouts of one phase-step that take as long as one by DumbBot to a longer horizon. */
export const EVALUATIONS_IN_ROLLOUT = 12;
/** A power with no more units has so few order sets that long rollouts can tell them apart, and little else to go by. */
const FEW_UNITS = 2;

const hasFewUnits = (game: Game, powers: readonly T.Power[]): boolean => {
  const units = new Int32Array(game.map.powerCount);
  game.countUnits(units);
  return powers.reduce((sum, q) => sum + units[q], 0) <= FEW_UNITS * powers.length;
};

/** What the first turn has of a budget where a second one is looked at too: a share, but no fewer rollouts than these. */
const FIRST_TURN = 1 / 3;
const FIRST_ROLLOUTS = 800;
/** No second turn with less than this for it, as it would tell nothing. */
const LEAST_SECOND = 512;
const LEAST_SECOND_MS = 200;

/** A second turn helps where one power is searched for, against opponents that do not learn. */
const firstTurnOf = ({ rollouts, milliseconds, powers, method, opponents }: SearchOptions): number => {
  const first = Math.max(FIRST_ROLLOUTS, FIRST_TURN * rollouts);
  const isAlone = powers.length === 1 && method === 'regret' && opponents === 'sampled';
  if (!isAlone || rollouts - first < LEAST_SECOND || milliseconds < LEAST_SECOND_MS) return 1;
  return Number.isFinite(rollouts) ? first / rollouts : FIRST_TURN;
};

/** Sets a horizon that is left open: moves of many units are best compared by one-turn lookahead, many times. */
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
