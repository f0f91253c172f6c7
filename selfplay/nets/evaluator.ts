// What all nets have in common, whatever computes them: they think of positions and then score orders in each.
import type { CompiledMap, Game } from '../../engine/internal.js';

/** A net of one map, with room for some positions at once. */
export interface Evaluator {
  readonly map: CompiledMap;
  /** How many positions evaluate() takes at the most. */
  readonly room: number;
  /**
   * Of the positions thought of last, one after the other, by power: the share of the final score that it will have. Those
   * of a position sum to 1.
   */
  readonly values: Float32Array;
  /**
   * Thinks of positions: scoreOrders() and `values` are about them until the next call. What it thinks of one does not
   * depend on those beside it.
   * @param games at least one, at most `room`; not kept
   * @param part 'values' if no orders will be scored: less work for some nets
   * @returns a promise only where the net thinks in another thread or process
   */
  evaluate(games: readonly Game[], part?: 'all' | 'values'): void | Promise<void>;
  /**
   * Scores legal orders of a position: the logarithm of how likely each is among the orders of one unit, but for a
   * constant of the unit.
   * @param position its place among those thought of last
   * @param out scores of orders[0 .. count)
   */
  scoreOrders(position: number, orders: Int32Array, count: number, out: Float32Array): void;
}

const nothing = (): void => {};
const busy = new WeakMap<Evaluator, Promise<void>>();

/**
 * Has a net think of positions and reads what it thinks, before it is asked anything else.
 * @param read what to do with its values and scores
 * @returns what that returns: a promise of it only where the net thinks in another thread or process
 */
export const askNet = <T>(
  net: Evaluator,
  games: readonly Game[],
  part: 'all' | 'values',
  read: () => T,
): T | Promise<T> => {
  const begin = (): T | Promise<T> => {
    const thought = net.evaluate(games, part);
    return thought instanceof Promise ? thought.then(read) : read();
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
