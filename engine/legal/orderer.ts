// Whose order an order is.
import { type Order, orderAux, orderLocation, orderType, WAIVE } from '../order.js';
import type { Game } from '../state.js';
import { NO_UNIT, type Province, RETREAT, unitPower } from '../types.js';

/** Power whose order it is now; -1 if nothing is there that takes one. */
export const ordererOf = (game: Game, order: Order): number => {
  if (orderType(order) === WAIVE) return orderAux(order);
  const province: Province = game.map.locationProvince[orderLocation(order)];
  if (game.phase === RETREAT) {
    for (let i = 0; i < game.dislodgedCount; i++)
      if (game.dislodged(i).province === province) return unitPower(game.dislodged(i).unit);
    return -1;
  }
  const unit = game.unitAt(province);
  if (unit !== NO_UNIT) return unitPower(unit);
  const center = game.map.centerIndex[province];
  return center < 0 ? -1 : game.owner(center);
};
