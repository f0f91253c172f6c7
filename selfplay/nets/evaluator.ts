// The interface of all nets, however they are computed: they evaluate a position, and then score orders in it.
import type { CompiledMap, Game } from '../../engine/internal.js';

/** A movement phase that was played. */
export interface PlayedMoves {
  /** The position before its orders. */
  readonly game: Game;
  /** Packed orders of all powers. */
  readonly orders: Int32Array;
}

/** A net of one map. */
export interface Evaluator {
  readonly map: CompiledMap;
  /**
   * Evaluates a position: scoreOrders() is about it until the next call.
   * @param past the movement phase played last, for nets that read it; null or left out: none
   * @returns a promise only where the net runs in another thread or process
   */
  evaluate(game: Game, past?: PlayedMoves | null): void | Promise<void>;
  /** Scores of legal orders: the logarithm of how likely each is among the orders of its unit, but for a constant of that. */
  scoreOrders(orders: Int32Array): Float32Array;
}

/** Turns scores into probabilities, in place. @param temperature what scores are divided by: above 0 */
export const softmax = (scores: Float32Array, temperature: number): void => {
  const most = scores.reduce((max, score) => Math.max(max, score), Number.NEGATIVE_INFINITY);
  let sum = 0;
  for (let i = 0; i < scores.length; i++) {
    scores[i] = Math.exp((scores[i] - most) / temperature);
    sum += scores[i];
  }
  for (let i = 0; i < scores.length; i++) scores[i] /= sum;
};
