// Encodes the orders of a movement phase as DipNet's nets read them: a matrix [81, 40] of 0 and 1. Also has helpers
// shared with DipNet's boards.
//
// First column, number of columns and meaning, for 7 powers:
//   0   3   army, fleet, no order              16  8   power of the place that the order helps, none
//   3   8   power that gave the order, none    24  8   power of the place that it aims at, none
//   11  5   hold, move, support, convoy, none  32  8   owner of the centre, no owner; all 0 if it is not a centre
// The power of a place is the power of the unit there. Without a unit it is the owner of the centre. A move VIA has no
// power at its destination: DipNet reads the word VIA as the destination, and its nets were trained that way.
import { type CompiledMap, type Game, MAX_LOCATIONS } from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';
import * as T from '../../engine/rules/types.js';
import { dipnetLocations } from './dipnet-rows.js';

/** Returns the locations of a province: the province itself and its coasts. */
export const locationsOf = (map: CompiledMap, province: T.Province): T.Location[] => {
  const first = map.firstCoast[province];
  return [province, ...Array.from({ length: map.coastCount[province] }, (_, i) => first + i)];
};

/** Provinces with units, ascending, as listPlaces() writes them. The element after the last one may be written too. */
export const places = new Int32Array(T.MAX_LOCATIONS + 1);

/** Writes the provinces of a game that have units to `places`. Returns their number. */
export const listPlaces = ({ bytes, offset, layout, map }: Game): number => {
  const units = offset + layout.units;
  const { provinceCount } = map;
  let n = 0;
  for (let p = 0; p < provinceCount; p++) {
    places[n] = p;
    // Uses no branch, because the processor cannot predict which provinces have units.
    n += -bytes[units + p] >>> 31;
  }
  return n;
};

/** Rows of a matrix that belong to supply centres: the rows of the centres' provinces and of their coasts. */
export interface CenterRows {
  /** Index of the first element of each row in the flat matrix. */
  readonly rows: Int32Array;
  /** Index in map.centers of the centre of each row, in the order of `rows`. */
  readonly centers: Int32Array;
}

/**
 * Returns the rows of all centres of a map.
 * @param rowOf index of the first element of each location's row in the flat matrix, indexed by location
 */
export const centerRowsOf = (map: CompiledMap, rowOf: Int32Array): CenterRows => {
  const found = Array.from(map.centers).flatMap((province, c) =>
    locationsOf(map, province).map((location) => [rowOf[location], c]),
  );
  return { rows: Int32Array.from(found, ([row]) => row), centers: Int32Array.from(found, ([, c]) => c) };
};

/**
 * Returns the column of a power, relative to the first column of a block of powers. The last column of the block is for
 * no power. Free of branches, for speed.
 * @param powerPlusOne power + 1; 0 for no power
 * @param powers number of powers
 */
export const powerColumn = (powerPlusOne: number, powers: number): number =>
  powerPlusOne - 1 + ((powers + 1) & ((powerPlusOne - 1) >> 31));

/** Returns the number of columns of the matrix on a map: 40 for seven powers. */
export const previousOrderColumns = (map: CompiledMap): number => 8 + 4 * (map.powerCount + 1);

// Rebinds imports for speed (engine/adjudicate/movement/passes.ts), as this code may write hundreds of thousands of
// matrices.
const kindOf = O.orderKind;
const auxOf = O.orderHelped;
const targetOf = O.orderTarget;
const NO_ORDER = O.NONE;
const unitPlaces = places;
const columnOf = powerColumn;

const VIA_FLAG = O.withVia(0);
/**
 * Properties of an order by its kind, indexed by orderKind(). The bits COLUMN_MASK hold the column in the block "hold,
 * move, ...". Bit HELPS_SHIFT is 1 if the order helps a unit. Bit AIMS_SHIFT is 1 if the power of its target is
 * encoded.
 */
export const orderKinds = new Int32Array(2 * VIA_FLAG);
const kinds = orderKinds;
/** Mask of the bits of an entry of orderKinds that hold the column. */
export const COLUMN_MASK = 3;
/** Number of the bit of an entry of orderKinds that is 1 if the order helps a unit. */
export const HELPS_SHIFT = 2;
/** Number of the bit of an entry of orderKinds that is 1 if the power of the order's target is encoded. */
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

/** Encodes the orders of movement phases on one map as matrices. */
export class PreviousOrdersEncoder {
  /** Number of columns of a matrix. */
  declare readonly columns: number;
  /** Matrix of a position in which no unit and no owner is set. */
  declare readonly blank: Uint8Array;
  private readonly rowOf = new Int32Array(this.map.locationCount);
  declare private readonly centerRows: CenterRows;
  /**
   * Column in a block of powers for the power of a place, indexed by province: the power of the unit; without a unit
   * the owner of the centre; else none. It has MAX_LOCATIONS elements, so that any location in an order is a valid
   * index.
   */
  private readonly columnIn = new Int32Array(MAX_LOCATIONS);
  /** Order of the unit in a province, with a province as its target, indexed by province; 0 for none. */
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

  /** Number of bytes of a matrix. */
  get size(): number {
    return this.blank.length;
  }

  /**
   * Writes the part of a matrix that does not depend on orders (blank matrix and owners of the centres) to out[at] to
   * out[at + size - 1]. Sets `columnIn` for the position.
   */
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
   * Writes the matrix of the orders in the game's current movement phase to out[at] to out[at + size - 1].
   * @param orderAt order of the unit in each province, with a province as its target, indexed by province; 0 for a unit
   *   without an order
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
      // Clears the last column of the block, for no power. It is set again if the place has no power.
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
      // Copies the row of a fleet's province to the row of its coast.
      if (coast !== 0) copyRow(out, at + rowOf[p], at + rowOf[firstCoast[p] + coast - 1], columns);
    }
  }

  /**
   * Writes the matrix of the first `count` packed orders of a list, given in the game's current movement phase, to
   * out[at] to out[at + size - 1].
   */
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
