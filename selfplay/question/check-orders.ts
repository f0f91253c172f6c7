// Checks packed orders that come from outside: those of a user's agent, or of a record.
import { type Game, isLegal, ordererOf, type Power } from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';

const faults = { illegal: 'not legal', foreign: "another power's", second: 'a second order there' } as const;

/** The first order that is not legal, not of the power if one is given, or the second in its province; or null. */
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

/** What is wrong with the first bad order of a power; null if each is legal and its own, one for each province. */
export const checkOrders = (game: Game, power: Power, orders: Int32Array): string | null => {
  const found = findFault(game, orders, power);
  return found === null ? null : `got ${describe(game, found.order)}, which is ${faults[found.fault]}`;
};
