// Encodes the input of DipNet's nets: the board [81, 35] and the orders of the last movement phase [81, 40], as bytes.
// selfplay/nets/dipnet-orders.ts describes the columns of the orders.
import { COAST, type CompiledMap, type Game, perMap, SEA } from '../../../engine/internal.js';
import { PreviousOrdersEncoder } from '../../../selfplay/nets/dipnet-orders.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';
import { BoardEncoder, dueIn } from './board.js';

/** Returns the column for the kind of area of a location: 0 land, 1 water, 2 coast (also for coasts of a province). */
const areaOf = (map: CompiledMap, location: number): number => {
  const kind = map.kind[map.locationProvince[location]];
  if (kind === SEA) return 1;
  return kind === COAST ? 2 : 0;
};

/** Returns the encoder for DipNet's boards of a map, which is cached. For code that encodes many boards. */
export const dipnetEncoder = perMap(
  (map) => new BoardEncoder(map, dipnetLocations(map), (location) => areaOf(map, location)),
);

/**
 * Writes the board of a game as the input of DipNet's nets (Paquette et al. 2019, "No Press Diplomacy") to out[at .. at
 * + rows * columns). boardLayout() returns the shape, [81, 35] on the standard map; board.ts describes the columns,
 * dipnetLocations() the order of the rows. Allocates memory only in the first call for a map.
 */
export const dipnetBoardInto = (game: Game, out: Uint8Array, at = 0): void =>
  dipnetEncoder(game.map).encode(game, out, at, dueIn(game));

/** Returns the board of a game as the input of DipNet's nets, in a new array. See dipnetBoardInto(). */
export const dipnetBoard = (game: Game): Uint8Array => {
  const out = new Uint8Array(dipnetEncoder(game.map).size);
  dipnetBoardInto(game, out);
  return out;
};

const ordersEncoder = perMap((map) => new PreviousOrdersEncoder(map));

/**
 * Writes the orders of a movement phase as the input of DipNet's nets to out[at .. at + rows * columns). The shape on
 * the standard map is [81, 40], with one row for each of dipnetLocations(); selfplay/nets/dipnet-orders.ts describes
 * the columns. The nets were trained with the orders of the last movement phase before the position.
 * @param game position before these orders
 * @param orders packed orders of all powers; a unit without an order has none in the matrix
 */
export const dipnetOrdersInto = (game: Game, orders: Int32Array, out: Uint8Array, at = 0): void =>
  ordersEncoder(game.map).encode(game, orders, orders.length, out, at);

/** Returns the orders of a movement phase as the input of DipNet's nets, in a new array. See dipnetOrdersInto(). */
export const dipnetOrders = (game: Game, orders: Int32Array): Uint8Array => {
  const out = new Uint8Array(ordersEncoder(game.map).size);
  dipnetOrdersInto(game, orders, out);
  return out;
};
