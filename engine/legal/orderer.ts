// Finds the power that gives an order, and lists the legal orders of one power.

import type { Game } from '../position/game.js';
import * as O from '../rules/order.js';
import * as T from '../rules/types.js';
import { adjustmentDue, builderAt, dislodgedIn, listInRoom, orderRoom } from './lists.js';

/**
 * Returns the power that gives orders for a province in the current phase; -1 if there is none. In a movement phase
 * this is the power of the unit there, in a retreat phase the power of the dislodged unit, in an adjustment phase the
 * power of the unit or the power that may build there.
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
 * Returns the legal orders of one power in the current phase: one list for each unit that it orders. In an adjustment
 * phase there is one list for each centre where it may build (a waive is the last order of the list) or for each unit
 * that it may remove. The lists ascend by province and are not empty. A power without orders gets no lists.
 *
 * A complete set of orders has one order from each list. In an adjustment phase it has one order from each of
 * `adjustmentDue(game, power)` lists for builds, or of the negative of that number for removals.
 *
 * Allocates. Code that needs millions of lists should call allLegalOrders() with reused buffers.
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
