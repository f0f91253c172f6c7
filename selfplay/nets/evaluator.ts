// The interface of all nets, however they are computed: they evaluate positions, and then score orders in each.
import type { CompiledMap, Game } from '../../engine/internal.js';

/** A net of one map, with room for some positions at once. */
export interface Evaluator {
  readonly map: CompiledMap;
  /** How many positions evaluate() takes at the most. */
  readonly room: number;
  /**
   * Of the positions evaluated last, one after the other, by power: its share of the final score. Those of a position sum
   * to 1.
   */
  readonly values: Float32Array;
  /**
   * Evaluates positions: scoreOrders() and `values` are about them until the next call. No evaluation depends on the other
   * positions of the call.
   * @param games at least one, at most `room`; not kept
   * @returns a promise only where the net runs in another thread or process
   */
  evaluate(games: readonly Game[]): void | Promise<void>;
  /**
   * Scores legal orders of a position: the logarithm of how likely each is among the orders of one unit, but for a
   * constant of the unit.
   * @param position its place among those evaluated last
   * @param out scores of orders[0 .. count)
   */
  scoreOrders(position: number, orders: Int32Array, count: number, out: Float32Array): void;
}

const nothing = (): void => {};
const busy = new WeakMap<Evaluator, Promise<void>>();

/**
 * Has a net evaluate positions, and reads the results before its next call.
 * @param read what to do with its values and scores
 * @returns what that returns: a promise of it only where the net runs in another thread or process
 */
export const askNet = <T>(net: Evaluator, games: readonly Game[], read: () => T): T | Promise<T> => {
  const begin = (): T | Promise<T> => {
    const evaluated = net.evaluate(games);
    return evaluated instanceof Promise ? evaluated.then(read) : read();
  };
  const before = busy.get(net);
  const answer = before === undefined ? begin() : before.then(begin);
  if (answer instanceof Promise) busy.set(net, answer.then(nothing, nothing));
  return answer;
};

/**
 * Turns scores[0 .. count) into probabilities, in place.
 * @param temperature what scores are divided by: above 0
 */
export const softmaxInto = (scores: Float32Array, count: number, temperature: number): void => {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) most = Math.max(most, scores[i]);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    scores[i] = Math.exp((scores[i] - most) / temperature);
    sum += scores[i];
  }
  for (let i = 0; i < count; i++) scores[i] /= sum;
};
