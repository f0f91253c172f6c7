// The interface of all nets: they score orders in positions.
import type { CompiledMap, Game } from '../../engine/internal.js';
import type { Soon } from '../question/agent.js';

/** A played movement phase. */
export interface PlayedMoves {
  /** Position before the orders. */
  readonly game: Game;
  /** Packed orders of all powers. */
  readonly orders: Int32Array;
}

/** A position to be evaluated. */
export interface Position {
  readonly game: Game;
  /** Last movement phase before the position, for nets that read it; null if there is none. */
  readonly past: PlayedMoves | null;
  /** Legal packed orders to be scored, one list for each unit. */
  readonly lists: readonly Int32Array[];
}

/** Scores of orders in a position: a list for each list of orders in Position.lists, with the same length. */
export type PositionScores = readonly Float32Array[];

/** A net for one map. */
export interface Evaluator {
  readonly map: CompiledMap;
  /**
   * Returns the scores of the orders of a batch of positions, in the order of the positions. A score is the logarithm
   * of the probability of the order among the orders of its unit, up to a constant for each unit.
   * @returns a promise only if the net runs in another thread or process
   */
  evaluate(positions: readonly Position[]): Soon<readonly PositionScores[]>;
}

/** Replaces scores by the probabilities softmax(scores / temperature), in place. @param temperature above 0 */
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
