// Heuristics move units over all borders, and let the others support into what they can move to. On maps where support does
// not go over each border, or ice closes seas in fall, not all of that is legal (DATC 2.4, chapters 7 to 10).
import { type Game, hold, isLegal, MOVEMENT, orderLocation } from '../../engine/internal.js';

/** Makes holds of orders of a movement phase that are not legal; does nothing on maps without rules of their own. */
export const holdIllegal = (game: Game, orders: Int32Array, count: number): void => {
  if (game.map.special === null || game.phase !== MOVEMENT) return;
  for (let i = 0; i < count; i++) if (!isLegal(game, orders[i])) orders[i] = hold(orderLocation(orders[i]));
};
