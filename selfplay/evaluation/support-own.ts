// Replaces idle orders by supports of own units. Support of another power's unit rarely matches the order of that unit,
// and a hold next to a threatened own unit is never better than support of that unit.
import { type Game, legalByPower, type Power, type Province, unitPower } from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';
import { competition, readGame, setViewer } from './board-values.js';

const goes = (order: O.Order): boolean => O.orderType(order) === O.MOVE || O.orderType(order) === O.RAIL;

/**
 * Returns a copy of movement orders in which idle orders are replaced, sorted ascending. Idle are holds, and supports
 * and convoys of other powers' units. An idle order becomes the support of the own neighbour that does not move and
 * lacks most supports; if there is none, a hold.
 * @param given packed orders, one for each unit of the power
 */
export const supportOwn = (game: Game, power: Power, given: Int32Array): Int32Array => {
  const orders = given.slice();
  const provinceOf = (order: O.Order): Province => game.map.locationProvince[O.orderLocation(order)];
  const isForeign = (order: O.Order): boolean =>
    O.isHelp(order) && unitPower(game.unitAt(O.orderHelped(order))) !== power;
  const isIdle = (order: O.Order): boolean => O.orderType(order) === O.HOLD || isForeign(order);
  if (!orders.some(isIdle)) return orders;
  readGame(game);
  setViewer(power);
  // Number of missing supports, by province of a unit that stays: units of the strongest other power near it, minus
  // supports given. This is one more than needed, because a support may be cut.
  const wanted = new Map<Province, number>();
  for (const order of orders) if (!goes(order)) wanted.set(provinceOf(order), competition(power, provinceOf(order)));
  for (const order of orders)
    if (O.orderType(order) === O.SUPPORT_HOLD) {
      const p = O.targetProvince(order);
      wanted.set(p, (wanted.get(p) ?? 0) - 1);
    }
  const legal = new Map(legalByPower(game, power).map((list) => [provinceOf(list[0]), list]));
  const short = (order: O.Order): number => wanted.get(O.targetProvince(order)) ?? 0;
  for (const [i, order] of orders.entries()) {
    if (!isIdle(order)) continue;
    const own = (legal.get(provinceOf(order)) ?? []).filter(
      (one) => O.orderType(one) === O.SUPPORT_HOLD && short(one) > 0,
    );
    if (own.length === 0) {
      if (isForeign(order)) orders[i] = O.hold(O.orderLocation(order));
      continue;
    }
    orders[i] = [...own].reduce((a, b) => (short(b) > short(a) ? b : a));
    const p = O.targetProvince(orders[i]);
    wanted.set(p, short(orders[i]) - 1);
  }
  return orders.sort();
};
