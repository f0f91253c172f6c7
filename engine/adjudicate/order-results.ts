// Encodes the outcome of each order of a phase in one byte, the format of records.
import type { Game } from '../position/game.js';
import * as O from '../rules/order.js';
import type { Results } from '../rules/results.js';
import { ADJUSTMENT, FAILS, SUCCEEDS } from '../rules/types.js';

// An outcome byte has the result in bits 0 to 3 and the fate in bits 4 and 5 (codes in engine/rules/types.ts).
const RESULT_MASK = 15;
const FATE_SHIFT = 4;

/** Packs a result and a fate into an outcome byte. */
export const outcomeByte = (result: number, fate: number): number => result | (fate << FATE_SHIFT);
/** Returns the result in an outcome byte: an index into `results`. */
export const resultIn = (outcome: number): number => outcome & RESULT_MASK;
/** Returns the fate in an outcome byte: an index into `fates`. */
export const fateIn = (outcome: number): number => outcome >> FATE_SHIFT;

const outcomeOf = (game: Game, results: Results, phase: number, order: O.Order): number => {
  const province = game.map.locationProvince[O.orderLocation(order)];
  if (phase !== ADJUSTMENT) return outcomeByte(results.result[province], results.fate[province]);
  return O.orderType(order) === O.WAIVE || results.order[province] === order ? SUCCEEDS : FAILS;
};

/**
 * Writes the outcome byte of each order of the phase just adjudicated to `out`.
 * @param game the game after the phase
 * @param phase kind of the adjudicated phase, because the game is already in the next one
 * @param count number of orders to read, orders[0 .. count)
 * @param results results of the phase
 * @param at index of the first byte in `out`. Default: 0
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

/**
 * Returns the outcome byte of each order of the phase just adjudicated.
 * @param phase kind of the adjudicated phase, because the game is already in the next one
 */
export const recordResults = (game: Game, phase: number, orders: Int32Array, results: Results): Uint8Array => {
  const out = new Uint8Array(orders.length);
  outcomesInto(game, phase, orders, orders.length, results, out);
  return out;
};
