// Finds the power that gives an order, and lists the legal orders of one power.

import type { Game } from '../position/game.js';
import * as O from '../rules/order.js';
import * as T from '../rules/types.js';
import { adjustmentDue, builderAt, dislodgedIn, listInRoom, orderRoom } from './lists.js';

/**
 * The power that gives orders for a province in the current phase: the power of the unit there, in a retreat phase that
 * of the dislodged unit, in an adjustment phase that of the unit or the power that may build there. -1 if there is
 * none.
 */
export const ordererIn = (game: Game, province: T.Province): T.Power => {
  if (game.phase === T.RETREAT) {
    const index = dislodgedIn(game, province);
    return index < 0 ? -1 : T.unitPower(game.dislodged(index).unit);
  }
  const unit = game.unitAt(province);
  if (unit !== T.NO_UNIT) return T.unitPower(unit);
  return game.phase === T.ADJUSTMENT ? builderAt(game, province) : -1;
};

/** Returns the power that gives an order in the current phase; -1 if the order's province takes no orders. */
export const ordererOf = (game: Game, order: O.Order): T.Power =>
  O.orderType(order) === O.WAIVE
    ? O.waivingPower(order)
    : ordererIn(game, game.map.locationProvince[O.orderLocation(order)]);

/** True if a power has orders to give in the current phase. */
export const hasOrders = (game: Game, power: T.Power): boolean => {
  if (game.phase === T.ADJUSTMENT) return adjustmentDue(game, power) !== 0;
  for (let p = 0; game.phase === T.MOVEMENT && p < game.map.provinceCount; p++)
    if (game.unitAt(p) !== T.NO_UNIT && T.unitPower(game.unitAt(p)) === power) return true;
  for (let i = 0; i < game.dislodgedCount; i++) if (T.unitPower(game.dislodged(i).unit) === power) return true;
  return false;
};

const offsets = new Int32Array(T.MAX_LOCATIONS + 1);

/**
 * The legal orders of one power in the current phase: one list for each unit that it orders, or in an adjustment phase
 * for each centre where it may build (its waive is the last order of the list) or unit that it may remove. The lists
 * ascend by province and are never empty; there is none for a power without anything to order. An adjustment phase
 * takes as many of the lists as `adjustmentDue(game, power)` says, one order from each; the other phases take all of
 * them.
 *
 * Allocates: code that needs millions of lists should call allLegalOrders() with buffers of its own.
 * @param power 0 to map.powerCount - 1
 */
export const legalByPower = (game: Game, power: T.Power): Int32Array[] => {
  const count = listInRoom(game, offsets);
  const orders = orderRoom();
  const own: Int32Array[] = [];
  for (let k = 0; k < count; k++)
    if (ordererOf(game, orders[offsets[k]]) === power) own.push(orders.slice(offsets[k], offsets[k + 1]));
  return own;
};
