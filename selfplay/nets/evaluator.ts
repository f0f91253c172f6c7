// The interface of all nets, however they are computed: they score orders in positions.
import type { CompiledMap, Game } from '../../engine/internal.js';
import type { Soon } from '../question/agent.js';

/** A movement phase that was played. */
export interface PlayedMoves {
  /** The position before its orders. */
  readonly game: Game;
  /** Packed orders of all powers. */
  readonly orders: Int32Array;
}

/** A position to be evaluated. */
export interface Position {
  readonly game: Game;
  /** The last movement phase, for nets that read it; null if there is none. */
  readonly past: PlayedMoves | null;
  /** Legal packed orders to be scored, one list for each unit. */
  readonly lists: readonly Int32Array[];
}

/** Scores of orders, one list for each list of a position. */
export type PositionScores = readonly Float32Array[];

/** A net of one map. */
export interface Evaluator {
  readonly map: CompiledMap;
  /**
   * Evaluates positions together. The score of an order is the logarithm of its probability among the orders of its unit,
   * up to a constant of the unit.
   * @returns the scores of each position; a promise only if the net runs in another thread or process
   */
  evaluate(positions: readonly Position[]): Soon<readonly PositionScores[]>;
}

/** Turns scores into probabilities, in place. @param temperature divisor of the scores, above 0 */
export const softmax = (scores: Float32Array, temperature: number): void => {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < scores.length; i++) most = Math.max(most, scores[i]);
  let sum = 0;
  for (let i = 0; i < scores.length; i++) {
    scores[i] = Math.exp((scores[i] - most) / temperature);
    sum += scores[i];
  }
  for (let i = 0; i < scores.length; i++) scores[i] /= sum;
};
