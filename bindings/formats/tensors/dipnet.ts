// Encodes the input of DipNet's nets: the board [81, 35] and the orders of the last movement phase [81, 40], both u8.
// selfplay/nets/dipnet-orders.ts has the columns of the orders.
import { COAST, type CompiledMap, type Game, perMap, SEA } from '../../../engine/internal.js';
import { PreviousOrdersEncoder } from '../../../selfplay/nets/dipnet-orders.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';
import { BoardEncoder, dueIn } from './board.js';

/** Columns for land, water and coast; the coasts of a province count as coast. */
const areaOf = (map: CompiledMap, location: number): number => {
  const kind = map.kind[map.locationProvince[location]];
  if (kind === SEA) return 1;
  return kind === COAST ? 2 : 0;
};

/** The encoder of a map's boards, for code that writes many. */
export const dipnetEncoder = perMap(
  (map) => new BoardEncoder(map, dipnetLocations(map), (location) => areaOf(map, location)),
);

/**
 * Writes the board of a game as DipNet's nets read it to out[at .. at + rows * columns): boardLayout() has the shape,
 * [81, 35] on the standard map; board.ts the columns; dipnetLocations() the order of the rows. Allocates nothing but at
 * the first call for a map. (Paquette et al. 2019, "No Press Diplomacy".)
 */
export const dipnetBoardInto = (game: Game, out: Uint8Array, at = 0): void =>
  dipnetEncoder(game.map).encode(game, out, at, dueIn(game));

/** The board of a game as DipNet's nets read it, in a new array: see dipnetBoardInto(). */
export const dipnetBoard = (game: Game): Uint8Array => {
  const out = new Uint8Array(dipnetEncoder(game.map).size);
  dipnetBoardInto(game, out);
  return out;
};

const ordersEncoder = perMap((map) => new PreviousOrdersEncoder(map));

/**
 * Writes the orders of a movement phase as DipNet's nets read them to out[at .. at + rows * columns): [81, 40] on the
 * standard map, one row for each of dipnetLocations(); the head of selfplay/nets/dipnet-orders.ts has the columns. The nets were trained with the
 * orders of the last movement phase before the position.
 * @param game as it was before these orders
 * @param orders packed orders of all powers; a unit without one has none in the matrix
 */
export const dipnetOrdersInto = (game: Game, orders: Int32Array, out: Uint8Array, at = 0): void =>
  ordersEncoder(game.map).encode(game, orders, orders.length, out, at);

/** The orders of a movement phase as DipNet's nets read them, in a new array: see dipnetOrdersInto(). */
export const dipnetOrders = (game: Game, orders: Int32Array): Uint8Array => {
  const out = new Uint8Array(ordersEncoder(game.map).size);
  dipnetOrdersInto(game, orders, out);
  return out;
};
