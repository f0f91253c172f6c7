// Lists the units and the legal orders of a game, and draws random orders.
import { pick } from '../../bench/corpus/dense-orders.js';
import { allLegalOrders } from '../../engine/legal/lists.js';
import type { Game } from '../../engine/position/game.js';
import { type Order, orderLocation } from '../../engine/rules/order.js';
import type { Random } from '../../engine/rules/random.js';
import { MAX_LOCATIONS, NO_UNIT, type Province } from '../../engine/rules/types.js';

/** Returns the provinces with units, ascending. */
export const unitsIn = (game: Game): Province[] =>
  [...Array(game.map.provinceCount).keys()].filter((p) => game.unitAt(p) !== NO_UNIT);

const list = new Int32Array(1 << 18);
const offsets = new Int32Array(MAX_LOCATIONS + 1);

/** Returns the legal orders of the phase: a list for each unit, and for each site of a build. */
export const legalLists = (game: Game): Int32Array[] =>
  Array.from({ length: allLegalOrders(game, list, offsets) }, (_, k) => list.slice(offsets[k], offsets[k + 1]));

/** Returns the province of the ordered unit. */
export const placeOf = (game: Game, order: Order): Province => game.map.locationProvince[orderLocation(order)];

/** Draws a legal order for each unit and site, all with the same probability. */
export const randomOrders = (game: Game, random: Random): Int32Array =>
  Int32Array.from(legalLists(game), (orders) => pick(random, orders));
