// Checks packed orders that come from outside: those of a user's agent, or of a record.
import { type Game, isLegal, ordererOf, type Power } from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';

const faults = { illegal: 'not legal', foreign: "another power's", second: 'a second order there' } as const;

/**
 * The first of some orders that is not legal, is another power's, or is the second one in its province; null if there is
 * none.
 * @param power whose orders they should be; left out for those of all powers
 */
export const findFault = (
  game: Game,
  orders: Int32Array,
  power?: Power,
): { readonly order: O.Order; readonly fault: keyof typeof faults } | null => {
  const seen = new Set<number>();
  for (const order of orders) {
    if (!isLegal(game, order)) return { order, fault: 'illegal' };
    if (power !== undefined && ordererOf(game, order) !== power) return { order, fault: 'foreign' };
    if (O.orderType(order) === O.WAIVE) continue;
    const province = game.map.locationProvince[O.orderLocation(order)];
    if (seen.has(province)) return { order, fault: 'second' };
    seen.add(province);
  }
  return null;
};

const describe = (game: Game, order: O.Order): string =>
  `${O.orderTypes[O.orderType(order)] ?? 'unknown order'} at ${game.map.locationTags[O.orderLocation(order)] ?? 'no location'}`;

/**
 * Checks the orders of one power: each must be legal and its own, with one for each province.
 * @returns what is wrong with the first bad order, or null
 */
export const checkOrders = (game: Game, power: Power, orders: Int32Array): string | null => {
  const found = findFault(game, orders, power);
  return found === null ? null : `got ${describe(game, found.order)}, which is ${faults[found.fault]}`;
};
