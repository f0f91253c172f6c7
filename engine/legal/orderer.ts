// Whose order an order is, and the legal orders of one power.
import { type Order, orderLocation, orderType, WAIVE, waivingPower } from '../order.js';
import type { Game } from '../state.js';
import {
  ADJUSTMENT,
  MAX_LOCATIONS,
  MOVEMENT,
  NO_UNIT,
  type Power,
  type Province,
  RETREAT,
  unitPower,
} from '../types.js';
import { allLegalOrders, balance, builderAt, dislodgedIn } from './lists.js';

/**
 * The power that gives the orders of a province in the phase at hand: of the unit there, of the dislodged unit there in a
 * retreat phase; in an adjustment phase of the unit, or of whoever may build there. -1 if nobody gives any.
 */
export const ordererIn = (game: Game, province: Province): Power => {
  if (game.phase === RETREAT) {
    const index = dislodgedIn(game, province);
    return index < 0 ? -1 : unitPower(game.dislodged(index).unit);
  }
  const unit = game.unitAt(province);
  if (unit !== NO_UNIT) return unitPower(unit);
  return game.phase === ADJUSTMENT ? builderAt(game, province) : -1;
};

/** The power that an order of the phase at hand belongs to; -1 if nothing in its province takes one. */
export const ordererOf = (game: Game, order: Order): Power =>
  orderType(order) === WAIVE ? waivingPower(order) : ordererIn(game, game.map.locationProvince[orderLocation(order)]);

/** True if a power has something to order in the phase at hand. */
export const hasOrders = (game: Game, power: Power): boolean => {
  if (game.phase === ADJUSTMENT) return balance(game, power) !== 0;
  for (let p = 0; game.phase === MOVEMENT && p < game.map.provinceCount; p++)
    if (game.unitAt(p) !== NO_UNIT && unitPower(game.unitAt(p)) === power) return true;
  for (let i = 0; i < game.dislodgedCount; i++) if (unitPower(game.dislodged(i).unit) === power) return true;
  return false;
};

/** Long enough at first: a list that does not fit would teach V8 to expect that of every list. */
const ROOM_PER_PROVINCE = 2000;
let orders = new Int32Array(0);
const offsets = new Int32Array(MAX_LOCATIONS + 1);

/**
 * The legal orders of one power in the phase at hand: one list for each unit that it orders, or in an adjustment phase
 * for each centre where it may build (its waive is the last order of the list) or unit that it may remove. The lists
 * ascend by province and are never empty; there is none for a power without anything to order. An adjustment phase
 * takes as many of the lists as `balance(game, power)` says, one order from each; the other phases take all of them.
 *
 * Allocates: code that asks many million times calls allLegalOrders() with buffers of its own.
 * @param power 0 to map.powerCount - 1
 */
export const legalByPower = (game: Game, power: Power): Int32Array[] => {
  const room = ROOM_PER_PROVINCE * game.map.provinceCount;
  if (orders.length < room) orders = new Int32Array(room);
  let count = allLegalOrders(game, orders, offsets);
  if (offsets[count] > orders.length) {
    orders = new Int32Array(2 * offsets[count]);
    count = allLegalOrders(game, orders, offsets);
  }
  const own: Int32Array[] = [];
  for (let k = 0; k < count; k++)
    if (ordererOf(game, orders[offsets[k]]) === power) own.push(orders.slice(offsets[k], offsets[k + 1]));
  return own;
};
