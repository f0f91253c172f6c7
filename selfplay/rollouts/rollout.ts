// Plays rollouts: random play from a position to a horizon, many times, and the value of the end for each power.
import {
  type Game,
  MAX_LOCATIONS,
  MAX_POWERS,
  MOVEMENT,
  orderLocation,
  SUM_OF_SQUARES,
  scoreInto,
} from '../../engine/internal.js';
import * as Step from '../../engine/play/step.js';
import { LepantoError } from '../../engine/rules/error.js';
import { startStream } from '../../engine/rules/random.js';

// Rebound for speed (engine/adjudicate/movement/passes.ts).
const { boardCenters, POLICY } = Step;

/**
 * Writes what the end of a rollout is worth to each power to out[0 .. powerCount). It is given centres and winner, once
 * the last phase-step is played whole: after a fall with its adjustments.
 * @param centers supply centres: those of power q are centers[1 + q], those of nobody centers[0]
 * @param winner power that has won alone; -1 while none has
 */
export type Evaluate = (centers: Int32Array, powerCount: number, winner: number, out: Float64Array) => void;

/** How rollouts are played and valued. */
export interface RolloutOptions {
  /** Phase-steps to play; if the position is in a retreat or adjustment phase, that comes first and does not count. */
  readonly horizon: number;
  /** Number of rollouts. */
  readonly count: number;
  /** Any int32; rollouts of one seed are played with the same random numbers. */
  readonly seed: number;
  /** Sampler.UNIFORM or Sampler.POLICY. Default POLICY. */
  readonly sampler?: Step.Sampler;
  /** Scoring system, by its place in scoreNames. Default 0, sum_of_squares. */
  readonly score?: number;
  /** Instead of a scoring system. */
  readonly evaluate?: Evaluate;
  /**
   * Legal movement orders for the first phase-step, packed, no support naming a coast; every other unit draws. A
   * position that does not wait for a movement phase takes none.
   */
  readonly fixed?: ArrayLike<number>;
  /** Number of the first rollout: the k-th of a seed is always the same. Default 0. */
  readonly first?: number;
}

/** Sums over rollouts, which can be added up from parts in any order of workers: see addRollouts(). */
export interface RolloutSums {
  /** By power: sum of values, and of their squares. */
  readonly sums: Float64Array;
  readonly squares: Float64Array;
  count: number;
  /** Phase-steps played. */
  steps: number;
}

/** What rollouts from a position were worth. */
export interface RolloutResult {
  /** Rollouts played. */
  readonly count: number;
  /** Phase-steps played. */
  readonly steps: number;
  /** Value by power. */
  readonly mean: Float64Array;
  /** Standard error of the mean by power; NaN for fewer than two rollouts. */
  readonly error: Float64Array;
}

export const makeRolloutSums = (powerCount: number): RolloutSums => ({
  sums: new Float64Array(powerCount),
  squares: new Float64Array(powerCount),
  count: 0,
  steps: 0,
});

/** Rebound for speed (engine/adjudicate/movement/passes.ts). */
const centersOf = boardCenters;
const onBoard = new Step.RandomGame();
const stream = new Int32Array(2);
const fixedAt = new Int32Array(MAX_LOCATIONS);
const fixedOrders = new Int32Array(MAX_LOCATIONS);
const value = new Float64Array(MAX_POWERS);

/** Refuses a number that is not whole, or less than another. */
export const wholeFrom = (name: string, got: number, least: number): void => {
  if (!Number.isInteger(got) || got < least)
    throw new LepantoError('argument', `${name}: got ${got}, wanted a whole number from ${least}`);
};

const readFixed = (game: Game, fixed: ArrayLike<number>): number => {
  for (let i = 0; i < fixed.length; i++) {
    fixedAt[i] = game.map.locationProvince[orderLocation(fixed[i])];
    fixedOrders[i] = onBoard.boardOrder(fixed[i]);
  }
  return fixed.length;
};

/** Plays a rollout to its end, from the game that was loaded, but for its last step. Returns 0 if that is played too. */
const playOn = (horizon: number, sampler: number, fixedCount: number): number => {
  let left = horizon;
  if (fixedCount > 0 && left > 0) {
    onBoard.step(sampler, fixedAt, fixedOrders, fixedCount);
    left--;
  }
  for (; left > 1 && onBoard.winner < 0; left--) onBoard.step(sampler);
  return left;
};

const addValue = (powers: number, { sums, squares }: RolloutSums): void => {
  for (let q = 0; q < powers; q++) {
    const v = value[q];
    sums[q] += v;
    squares[q] += v * v;
  }
};

/** Adds SUM_OF_SQUARES of a game without a winner: what scoreInto() and addValue() do, without a question. */
const addSquares = (powers: number, { sums, squares }: RolloutSums): void => {
  const held = centersOf;
  let sum = 0;
  for (let q = 1; q <= powers; q++) sum = (sum + Math.imul(held[q], held[q])) | 0;
  // Without a centre on the board all values are 0.
  const divisor = sum === 0 ? 1 : sum;
  for (let q = 0; q < powers; q++) {
    const centers = held[(q + 1) | 0];
    const v = Math.imul(centers, centers) / divisor;
    sums[q] += v;
    squares[q] += v * v;
  }
};

/** Adds rollouts to `into`. @throws LepantoError for counts that are not whole, or fixed orders outside a movement phase */
export const addRollouts = (game: Game, options: RolloutOptions, into: RolloutSums): void => {
  const { horizon, count, seed, fixed = [], first = 0, evaluate } = options;
  wholeFrom('horizon', horizon, 0);
  wholeFrom('count', count, 0);
  if (fixed.length > 0 && game.phase !== MOVEMENT)
    throw new LepantoError('argument', `fixed orders: got ${fixed.length} outside a movement phase, wanted none`);
  const sampler = options.sampler ?? POLICY;
  const score = options.score ?? SUM_OF_SQUARES;
  const powers = game.map.powerCount;
  // A user's function may use the board, and must find the end of a whole step there: it gets neither short cut.
  const isScored = evaluate === undefined;
  const canRestore = isScored && game.phase === MOVEMENT;
  let fixedCount = 0;
  for (let k = first; k < first + count; k++) {
    startStream(seed, k, stream);
    // A snapshot of an earlier call may be of another position.
    if (k === first || !onBoard.restore(stream)) {
      onBoard.load(game, stream);
      if (game.phase !== MOVEMENT) onBoard.playOpen(sampler);
      else if (canRestore) onBoard.snapshot();
      fixedCount = readFixed(game, fixed);
    }
    let left = playOn(horizon, sampler, fixedCount);
    if (left > 0 && onBoard.winner < 0) {
      if (isScored) onBoard.stepToCenters(sampler);
      else onBoard.step(sampler);
      left--;
    }
    into.steps += horizon - left;
    const { winner } = onBoard;
    if (isScored && score === SUM_OF_SQUARES && winner < 0) addSquares(powers, into);
    else {
      if (evaluate !== undefined) evaluate(boardCenters, powers, winner, value);
      else scoreInto(score, boardCenters, 1, powers, winner, value);
      addValue(powers, into);
    }
  }
  into.count += count;
};

/** Mean and standard error from sums. */
export const rolloutResult = ({ sums, squares, count, steps }: RolloutSums): RolloutResult => ({
  count,
  steps,
  mean: sums.map((sum) => sum / count),
  error: sums.map((sum, q) => Math.sqrt(Math.max(0, squares[q] - (sum * sum) / count) / (count - 1) / count)),
});

/** Plays rollouts from a position: the value of each power with its standard error. Errors as for addRollouts(). */
export const rollout = (game: Game, options: RolloutOptions): RolloutResult => {
  const sums = makeRolloutSums(game.map.powerCount);
  addRollouts(game, options, sums);
  return rolloutResult(sums);
};
