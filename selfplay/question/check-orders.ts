// Validates packed orders from untrusted sources: user agents and records.
import { type Game, isLegal, ordererOf, type Power } from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';

const faults = { illegal: 'not legal', foreign: "another power's", second: 'a second order there' } as const;

/**
 * Returns the first invalid order and its fault; null if all are valid. 'illegal': the order is not legal. 'foreign':
 * the order belongs to another power. 'second': an earlier order has the same province; any number of waives is valid.
 * @param power owner of the orders; if undefined, the owner is not checked
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
 * Describes the first order of a power that is illegal, of another power or a second one in its province, for an error
 * message. Returns null if all are valid.
 */
export const checkOrders = (game: Game, power: Power, orders: Int32Array): string | null => {
  const found = findFault(game, orders, power);
  return found === null ? null : `got ${describe(game, found.order)}, which is ${faults[found.fault]}`;
};
