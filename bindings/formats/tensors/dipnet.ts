// Encodes the input of DipNet's nets: the board [81, 35] and the orders of the last movement phase [81, 40], both u8.
//
// Columns of the orders, powers = 7:
//   0   3   army, fleet, no order              16  8   power of the place that the order helps, none
//   3   8   power that gave the order, none    24  8   power of the place that it aims at, none
//   11  5   hold, move, support, convoy, none  32  8   owner of the centre, nobody; all 0 without a centre
// The power of a place is that of the unit there, else the owner of the centre. A move VIA has no power at its
// destination: DipNet reads the word VIA as the destination, and its nets were trained that way.
import { COAST, type CompiledMap, type Game, MAX_LOCATIONS, SEA } from '../../../engine/internal.js';
import * as O from '../../../engine/rules/order.js';
import { perMap } from '../../../selfplay/evaluation/per-map.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';
import { BoardEncoder, type CenterRows, centerRowsOf, dueIn, listPlaces, places, powerColumn } from './board.js';

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

/** Columns of the previous orders: 40 for seven powers. */
export const previousOrderColumns = (map: CompiledMap): number => 8 + 4 * (map.powerCount + 1);

// Imports are rebound because V8 folds constants of the module: this code writes hundreds of thousands of matrices.
const kindOf = O.orderKind;
const auxOf = O.orderHelped;
const targetOf = O.orderTarget;
const NO_ORDER = O.NONE;
const unitPlaces = places;
const columnOf = powerColumn;

const VIA_FLAG = O.withVia(0);
/**
 * By orderKind(): column of the kind of order in its block; and whether it helps a unit, and aims at a place that has a
 * power.
 */
export const orderKinds = new Int32Array(2 * VIA_FLAG);
const kinds = orderKinds;
export const COLUMN_MASK = 3;
export const HELPS_SHIFT = 2;
export const AIMS_SHIFT = 3;
for (const [type, column, helps, aims] of [
  [O.HOLD, 0, 0, 0],
  [O.MOVE, 1, 0, 1],
  [O.MOVE | VIA_FLAG, 1, 0, 0],
  [O.RAIL, 1, 0, 1],
  [O.SUPPORT_HOLD, 2, 1, 0],
  [O.SUPPORT_MOVE, 2, 1, 1],
  [O.CONVOY, 3, 1, 1],
])
  kinds[type] = column | (helps << HELPS_SHIFT) | (aims << AIMS_SHIFT);

const copyRow = (out: Uint8Array, from: number, to: number, columns: number): void => {
  for (let c = 0; c < columns; c++) out[to + c] = out[from + c];
};

/** Writes the orders of a movement phase as a matrix. */
export class PreviousOrdersEncoder {
  declare readonly columns: number;
  /** Of a position without units and owners. */
  declare readonly blank: Uint8Array;
  private readonly rowOf = new Int32Array(this.map.locationCount);
  declare private readonly centerRows: CenterRows;
  /**
   * By province, in a block of powers: the column of the power of the unit there, else of the owner of its centre, else of
   * nobody. As long as orders have places.
   */
  private readonly columnIn = new Int32Array(MAX_LOCATIONS);
  /** Orders by province. */
  private readonly orderAt = new Int32Array(this.map.provinceCount);

  constructor(readonly map: CompiledMap) {
    const columns = previousOrderColumns(map);
    this.columns = columns;
    dipnetLocations(map).forEach((location, row) => {
      this.rowOf[location] = row * columns;
    });
    this.centerRows = centerRowsOf(map, this.rowOf);
    const powers = map.powerCount;
    this.blank = new Uint8Array(map.locationCount * columns);
    for (const row of this.rowOf)
      for (const column of [2, 3 + powers, 8 + powers, 9 + 2 * powers, 10 + 3 * powers]) this.blank[row + column] = 1;
  }

  get size(): number {
    return this.blank.length;
  }

  private begin(game: Game, out: Uint8Array, at: number): void {
    const { map, columnIn, centerRows } = this;
    const { bytes } = game;
    const { provinceCount, centers, centerCount, powerCount: powers } = map;
    const units = game.offset + game.layout.units;
    const owners = game.offset + game.layout.owners;
    out.set(this.blank, at);
    for (let p = 0; p < provinceCount; p++) columnIn[p] = columnOf(bytes[units + p] >> 1, powers);
    for (let c = 0; c < centerCount; c++) {
      const p = centers[c];
      const owner = columnOf(bytes[owners + c], powers);
      // The owner counts only in a province without a unit.
      columnIn[p] ^= (columnIn[p] ^ owner) & ((powers - 1 - columnIn[p]) >> 31);
    }
    const { rows, centers: centerOf } = centerRows;
    const first = at + 11 + 3 * powers;
    for (let k = 0; k < rows.length; k++) out[first + rows[k] + columnOf(bytes[owners + centerOf[k]], powers)] = 1;
  }

  /**
   * Writes the orders of the game's current movement phase to out[at .. at + size).
   * @param orderAt order of each province with a unit, with provinces for targets; 0 for a unit without one
   */
  encodeBoard(game: Game, orderAt: Int32Array, out: Uint8Array, at: number): void {
    const { rowOf, map, columns } = this;
    const { bytes } = game;
    const units = game.offset + game.layout.units;
    this.begin(game, out, at);
    const { columnIn } = this;
    const { powerCount: powers } = map;
    const n = listPlaces(game);
    for (let i = 0; i < n; i++) {
      const p = unitPlaces[i];
      const order = orderAt[p];
      if (order === NO_ORDER) continue;
      const kind = kinds[kindOf(order)];
      const row = at + rowOf[p];
      const unit = bytes[units + p];
      out[row + 2] = 0;
      out[row + (unit & 1)] = 1;
      out[row + 3 + powers] = 0;
      out[row + 2 + (unit >> 1)] = 1;
      out[row + 8 + powers] = 0;
      out[row + 4 + powers + (kind & COLUMN_MASK)] = 1;
      // Nobody's column is the last of a block: an entry for nobody sets it again.
      const helped = row + 9 + powers;
      out[helped + powers] = 0;
      out[helped + (powers ^ ((powers ^ columnIn[auxOf(order)]) & -((kind >> HELPS_SHIFT) & 1)))] = 1;
      const aimed = helped + powers + 1;
      out[aimed + powers] = 0;
      out[aimed + (powers ^ ((powers ^ columnIn[targetOf(order)]) & -((kind >> AIMS_SHIFT) & 1)))] = 1;
    }
    const { coastalProvinces, firstCoast } = map;
    const coasts = game.offset + game.layout.coasts;
    for (let k = 0; k < coastalProvinces.length; k++) {
      const coast = bytes[coasts + k];
      const p = coastalProvinces[k];
      // The row of a coast repeats that of the unit on it.
      if (coast !== 0) copyRow(out, at + rowOf[p], at + rowOf[firstCoast[p] + coast - 1], columns);
    }
  }

  /** The same for packed orders; a unit without one has none in the matrix. */
  encode(game: Game, orders: Int32Array, count: number, out: Uint8Array, at: number): void {
    const { orderAt } = this;
    const { locationProvince } = this.map;
    orderAt.fill(O.NONE);
    for (let i = 0; i < count; i++)
      orderAt[locationProvince[O.orderLocation(orders[i])]] = O.withTarget(
        orders[i],
        locationProvince[O.orderTarget(orders[i])],
      );
    this.encodeBoard(game, orderAt, out, at);
  }
}

const ordersEncoder = perMap((map) => new PreviousOrdersEncoder(map));

/**
 * Writes the orders of a movement phase as DipNet's nets read them to out[at .. at + rows * columns): [81, 40] on the
 * standard map, one row for each of dipnetLocations(); the head of dipnet.ts has the columns. The nets were trained with the
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
