// Plays rollouts: random games from a position to a horizon, whose final positions are valued for each power.
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

// Rebinds imports for speed (engine/adjudicate/movement/passes.ts).
const { boardCenters, POLICY } = Step;

/**
 * Writes the value of a rollout's final position to each power to out[0] to out[powerCount - 1]. Called after the last
 * phase-step, including the adjustments after a fall.
 * @param centers number of supply centres: of power q at index 1 + q, of those without an owner at index 0
 * @param winner power with a solo victory; -1 for none
 */
export type Evaluate = (centers: Int32Array, powerCount: number, winner: number, out: Float64Array) => void;

/** Settings of rollouts. */
export interface RolloutOptions {
  /**
   * Number of phase-steps to play. If the position is in a retreat or adjustment phase, this phase is played first and
   * does not count.
   */
  readonly horizon: number;
  /** Number of rollouts. */
  readonly count: number;
  /** Seed of the random numbers: any int32. Rollouts with the same seed use the same random numbers. */
  readonly seed: number;
  /** Sampler.UNIFORM or Sampler.POLICY. Default POLICY. */
  readonly sampler?: Step.Sampler;
  /** Scoring system, as an index in scoreNames. Default 0, sum_of_squares. */
  readonly score?: number;
  /** Function that values final positions, instead of a scoring system. */
  readonly evaluate?: Evaluate;
  /**
   * Legal packed movement orders for the first phase-step. Supports must not name a coast. Units without such an order
   * draw one. Only allowed if the position is in a movement phase.
   */
  readonly fixed?: ArrayLike<number>;
  /** Number of the first rollout. Rollout k of a seed is always the same. Default 0. */
  readonly first?: number;
}

/** Sums over rollouts. addRollouts() adds further rollouts. */
export interface RolloutSums {
  /** Sum of the values, indexed by power. */
  readonly sums: Float64Array;
  /** Sum of the squared values, indexed by power. */
  readonly squares: Float64Array;
  /** Number of rollouts. */
  count: number;
  /** Number of phase-steps played. */
  steps: number;
}

/** Values of a position for each power, estimated by rollouts. */
export interface RolloutResult {
  /** Number of rollouts played. */
  readonly count: number;
  /** Number of phase-steps played. */
  readonly steps: number;
  /** Mean value, indexed by power. */
  readonly mean: Float64Array;
  /** Standard error of the mean, indexed by power; NaN for fewer than two rollouts. */
  readonly error: Float64Array;
}

/** Makes the sums over no rollouts: all are 0. */
export const makeRolloutSums = (powerCount: number): RolloutSums => ({
  sums: new Float64Array(powerCount),
  squares: new Float64Array(powerCount),
  count: 0,
  steps: 0,
});

/** Rebinds the import for speed (engine/adjudicate/movement/passes.ts). */
const centersOf = boardCenters;
const onBoard = new Step.RandomGame();
const stream = new Int32Array(2);
const fixedAt = new Int32Array(MAX_LOCATIONS);
const fixedOrders = new Int32Array(MAX_LOCATIONS);
const value = new Float64Array(MAX_POWERS);

/**
 * Checks that an argument is an integer of at least `least`.
 * @param name name of the argument, for the error message
 * @throws LepantoError if it is not
 */
export const wholeFrom = (name: string, got: number, least: number): void => {
  if (!Number.isInteger(got) || got < least)
    throw new LepantoError('argument', `${name}: got ${got}, wanted a whole number from ${least}`);
};

/**
 * Converts fixed orders to the engine's format: writes provinces to fixedAt and orders to fixedOrders. Returns their
 * number.
 */
const readFixed = (game: Game, fixed: ArrayLike<number>): number => {
  for (let i = 0; i < fixed.length; i++) {
    fixedAt[i] = game.map.locationProvince[orderLocation(fixed[i])];
    fixedOrders[i] = onBoard.boardOrder(fixed[i]);
  }
  return fixed.length;
};

/**
 * Plays a rollout on the engine's board up to its last phase-step. Plays the first step in any case if there are fixed
 * orders. Returns the number of steps left: 0 or 1, or more if a power has won.
 * @param horizon number of phase-steps of the rollout
 * @param fixedCount number of fixed orders, as returned by readFixed()
 */
const playOn = (horizon: number, sampler: number, fixedCount: number): number => {
  let left = horizon;
  if (fixedCount > 0 && left > 0) {
    onBoard.step(sampler, fixedAt, fixedOrders, fixedCount);
    left--;
  }
  for (; left > 1 && onBoard.winner < 0; left--) onBoard.step(sampler);
  return left;
};

/** Adds the values in `value` and their squares to the sums. */
const addValue = (powers: number, { sums, squares }: RolloutSums): void => {
  for (let q = 0; q < powers; q++) {
    const v = value[q];
    sums[q] += v;
    squares[q] += v * v;
  }
};

/**
 * Adds the SUM_OF_SQUARES scores of the final position on the board, and their squares, to the sums. Only for a game
 * without a winner. Gives the same as scoreInto() and addValue(), without branches.
 */
const addSquares = (powers: number, { sums, squares }: RolloutSums): void => {
  const held = centersOf;
  let sum = 0;
  for (let q = 1; q <= powers; q++) sum = (sum + Math.imul(held[q], held[q])) | 0;
  // If no power owns a centre, all values are 0.
  const divisor = sum === 0 ? 1 : sum;
  for (let q = 0; q < powers; q++) {
    const centers = held[(q + 1) | 0];
    const v = Math.imul(centers, centers) / divisor;
    sums[q] += v;
    squares[q] += v * v;
  }
};

/**
 * Plays rollouts and adds their values to `into`.
 * @throws LepantoError if horizon or count is not a whole number, or for fixed orders outside a movement phase
 */
export const addRollouts = (game: Game, options: RolloutOptions, into: RolloutSums): void => {
  const { horizon, count, seed, fixed = [], first = 0, evaluate } = options;
  wholeFrom('horizon', horizon, 0);
  wholeFrom('count', count, 0);
  if (fixed.length > 0 && game.phase !== MOVEMENT)
    throw new LepantoError('argument', `fixed orders: got ${fixed.length} outside a movement phase, wanted none`);
  const sampler = options.sampler ?? POLICY;
  const score = options.score ?? SUM_OF_SQUARES;
  const powers = game.map.powerCount;
  // Snapshots and partial last steps are only used without `evaluate`, because that function may use the engine's board
  // and expects the end of a whole step there.
  const isScored = evaluate === undefined;
  const canRestore = isScored && game.phase === MOVEMENT;
  let fixedCount = 0;
  for (let k = first; k < first + count; k++) {
    startStream(seed, k, stream);
    // The first rollout loads the position: a snapshot of an earlier call may have another one.
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

/** Computes means and standard errors from sums of rollouts. */
export const rolloutResult = ({ sums, squares, count, steps }: RolloutSums): RolloutResult => ({
  count,
  steps,
  mean: sums.map((sum) => sum / count),
  error: sums.map((sum, q) => Math.sqrt(Math.max(0, squares[q] - (sum * sum) / count) / (count - 1) / count)),
});

/**
 * Plays rollouts from a position. Returns the mean value for each power and its standard error.
 * @throws LepantoError if horizon or count is not a whole number, or for fixed orders outside a movement phase
 */
export const rollout = (game: Game, options: RolloutOptions): RolloutResult => {
  const sums = makeRolloutSums(game.map.powerCount);
  addRollouts(game, options, sums);
  return rolloutResult(sums);
};
