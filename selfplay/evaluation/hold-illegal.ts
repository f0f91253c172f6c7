// Replaces illegal orders of heuristics. The heuristics assume that a unit can move over every border, and can support
// into every province that it can move to. On some maps support does not cross every border, or ice closes seas in fall
// (DATC 2.4, chapters 7 to 10).
import { type Game, hold, isLegal, MOVEMENT, orderLocation } from '../../engine/internal.js';

/**
 * Replaces illegal movement orders by holds, in place. Does nothing outside movement phases and on maps without special
 * rules.
 * @param count number of orders; only the first `count` elements are read
 */
export const holdIllegal = (game: Game, orders: Int32Array, count: number): void => {
  if (game.map.special === null || game.phase !== MOVEMENT) return;
  for (let i = 0; i < count; i++) if (!isLegal(game, orders[i])) orders[i] = hold(orderLocation(orders[i]));
};
