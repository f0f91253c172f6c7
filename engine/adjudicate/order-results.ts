// Encodes what happened to each order of a phase, as records hold it: one byte for each order.
import type { Game } from '../position/game.js';
import * as O from '../rules/order.js';
import type { Results } from '../rules/results.js';
import { ADJUSTMENT, FAILS, SUCCEEDS } from '../rules/types.js';

/** Result in bits 0 to 3, fate in bits 4 and 5 (engine/rules/types.ts). */
const RESULT_MASK = 15;
const FATE_SHIFT = 4;

export const outcomeByte = (result: number, fate: number): number => result | (fate << FATE_SHIFT);
/** The result in an outcome byte: an index into `results`. */
export const resultIn = (outcome: number): number => outcome & RESULT_MASK;
/** The fate in an outcome byte: an index into `fates`. */
export const fateIn = (outcome: number): number => outcome >> FATE_SHIFT;

const outcomeOf = (game: Game, results: Results, phase: number, order: O.Order): number => {
  const province = game.map.locationProvince[O.orderLocation(order)];
  if (phase !== ADJUSTMENT) return outcomeByte(results.result[province], results.fate[province]);
  return O.orderType(order) === O.WAIVE || results.order[province] === order ? SUCCEEDS : FAILS;
};

/**
 * Writes one byte for each order of the phase just adjudicated.
 * @param phase its kind: the game is already at the next one
 * @param count number of orders
 * @param at where the first byte goes. Default: 0
 */
export const outcomesInto = (
  game: Game,
  phase: number,
  orders: Int32Array,
  count: number,
  results: Results,
  out: Uint8Array,
  at = 0,
): void => {
  for (let i = 0; i < count; i++) out[at + i] = outcomeOf(game, results, phase, orders[i]);
};

/** One byte for each order of the phase just adjudicated. @param phase as for outcomesInto() */
export const recordResults = (game: Game, phase: number, orders: Int32Array, results: Results): Uint8Array => {
  const out = new Uint8Array(orders.length);
  outcomesInto(game, phase, orders, orders.length, results, out);
  return out;
};
