// Encodes the board as a matrix with one row per location and one column per feature. DipNet, dipcc and DeepMind share
// the columns, but differ in the order of the rows and in the meaning of the three columns for the kind of area.
//
//   column            powers = 7   feature
//   0                 3            army, fleet, no unit
//   3                 8            power of the unit, none
//   11                1            a unit can be built here
//   12                1            the unit can be removed
//   13                3            dislodged army, fleet, none
//   16                8            power of the dislodged unit, none
//   24                3            kind of area
//   27                8            owner of the centre, none; all 0 for a province without a centre
//
// On a map with another number of powers, the blocks of 8 are powers + 1 wide. A fleet on a coast is set in the row of
// the coast and in that of its province. The columns of a centre are set in all rows of its province.
import { adjustmentsDue, builderAt, type CompiledMap, type Game } from '../../../engine/internal.js';
import * as T from '../../../engine/rules/types.js';
import {
  type CenterRows,
  centerRowsOf,
  listPlaces,
  places,
  powerColumn,
} from '../../../selfplay/nets/dipnet-orders.js';

/** Shape of a board matrix, stored row by row. */
export interface BoardLayout {
  /** Number of rows, one per location of the map: 81 on the standard map. */
  readonly rows: number;
  /** Number of columns: 35 for seven powers. */
  readonly columns: number;
}

/** Returns the shape of the boards of DipNet, of DeepMind and of dipcc's version 1. */
export const boardLayout = (map: CompiledMap): BoardLayout => ({
  rows: map.locationCount,
  columns: 11 + 3 * (map.powerCount + 1),
});

/** Encodes boards of one map, without allocating memory. */
export class BoardEncoder {
  readonly layout: BoardLayout = boardLayout(this.map);
  /** The encoded board without units and owners. */
  declare readonly blank: Uint8Array;
  /** Offset in the matrix of each location's row, indexed by location. */
  declare private readonly rowOf: Int32Array;
  declare private readonly centerRows: CenterRows;
  declare private readonly ownerColumn: number;
  declare private readonly buildColumn: number;

  /**
   * Creates an encoder for a map.
   * @param order locations in the order of the rows
   * @param area returns the column for the kind of area of a location, 0 to 2
   */
  constructor(
    readonly map: CompiledMap,
    order: readonly T.Location[],
    area: (location: T.Location) => number,
  ) {
    const { columns, rows } = this.layout;
    const powers = map.powerCount;
    this.buildColumn = 4 + powers;
    this.ownerColumn = columns - powers - 1;
    this.rowOf = new Int32Array(rows);
    order.forEach((location, row) => {
      this.rowOf[location] = row * columns;
    });
    this.centerRows = centerRowsOf(map, this.rowOf);
    this.blank = new Uint8Array(rows * columns);
    for (let l = 0; l < rows; l++) {
      const row = this.rowOf[l];
      this.blank[row + 2] = 1;
      this.blank[row + 3 + powers] = 1;
      this.blank[row + this.buildColumn + 4] = 1;
      this.blank[row + this.buildColumn + 5 + powers] = 1;
      this.blank[row + this.ownerColumn - 3 + area(l)] = 1;
    }
  }

  /** Number of elements of a board: rows times columns. */
  get size(): number {
    return this.blank.length;
  }

  /**
   * Writes the board of a game to out[at .. at + size).
   * @param due builds (> 0) or removals (< 0) of each power, from index `dueAt`; used in an adjustment phase only
   */
  encode(game: Game, out: Uint8Array, at: number, due: ArrayLike<number>, dueAt = 0): void {
    out.set(this.blank, at);
    this.writeUnits(game, out, at);
    this.writeOwners(game, out, at);
    if (game.phase === T.RETREAT) this.writeDislodged(game, out, at);
    else if (game.phase === T.ADJUSTMENT) this.writeDue(game, out, at, due, dueAt);
  }

  private writeUnits(game: Game, out: Uint8Array, at: number): void {
    const { rowOf, map } = this;
    const { bytes } = game;
    const units = game.offset + game.layout.units;
    const coasts = game.offset + game.layout.coasts;
    const nobody = 3 + map.powerCount;
    const n = listPlaces(game);
    for (let i = 0; i < n; i++) writeUnit(out, at + rowOf[places[i]], nobody, bytes[units + places[i]]);
    const { coastalProvinces, firstCoast } = map;
    for (let k = 0; k < coastalProvinces.length; k++) {
      const coast = bytes[coasts + k];
      const p = coastalProvinces[k];
      if (coast > 0) writeUnit(out, at + rowOf[firstCoast[p] + coast - 1], nobody, bytes[units + p]);
    }
  }

  private writeOwners(game: Game, out: Uint8Array, at: number): void {
    const { rows, centers } = this.centerRows;
    const { powerCount } = this.map;
    const first = at + this.ownerColumn;
    const { bytes } = game;
    const owners = game.offset + game.layout.owners;
    for (let k = 0; k < rows.length; k++)
      out[first + rows[k] + powerColumn(bytes[owners + centers[k]], powerCount)] = 1;
  }

  /**
   * Writes the columns for possible builds and removals.
   * @param at index of the board in `out`
   * @param due builds (> 0) or removals (< 0) due, with power 0 at index `dueAt`
   */
  private writeDue(game: Game, out: Uint8Array, at: number, due: ArrayLike<number>, dueAt: number): void {
    const { rowOf, centerRows, buildColumn, map } = this;
    for (let k = 0; k < centerRows.rows.length; k++) {
      const builder = builderAt(game, map.centers[centerRows.centers[k]]);
      if (builder >= 0 && due[dueAt + builder] > 0) out[at + centerRows.rows[k] + buildColumn] = 1;
    }
    const n = listPlaces(game);
    for (let i = 0; i < n; i++) {
      const p = places[i];
      if (due[dueAt + T.unitPower(game.unitAt(p))] >= 0) continue;
      out[at + rowOf[p] + buildColumn + 1] = 1;
      out[at + rowOf[game.unitLocation(p)] + buildColumn + 1] = 1;
    }
  }

  private writeDislodged(game: Game, out: Uint8Array, at: number): void {
    const first = this.buildColumn + 2;
    const nobody = 3 + this.map.powerCount;
    for (let i = 0; i < game.dislodgedCount; i++) {
      const { unit, location, province } = game.dislodged(i);
      writeUnit(out, at + this.rowOf[province] + first, nobody, unit);
      if (location !== province) writeUnit(out, at + this.rowOf[location] + first, nobody, unit);
    }
  }
}

const due = new Int32Array(T.MAX_POWERS);

/**
 * Returns the builds (> 0) or removals (< 0) due for each power, for encode(). Meaningful in an adjustment phase only.
 * The next call overwrites the array.
 */
export const dueIn = (game: Game): Int32Array => {
  if (game.phase === T.ADJUSTMENT) adjustmentsDue(game, due);
  return due;
};

/**
 * Writes the columns of a unit and of its power.
 * @param row index in `out` of the first of these columns
 * @param nobody offset of the column "no power" from that index
 * @param unit the packed unit
 */
const writeUnit = (out: Uint8Array, row: number, nobody: number, unit: number): void => {
  out[row + 2] = 0;
  out[row + (unit & 1)] = 1;
  out[row + nobody] = 0;
  out[row + 2 + (unit >> 1)] = 1;
};
