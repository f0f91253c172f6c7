// Encodes the board as a matrix: one row for each location, one column for each fact. DipNet, dipcc and DeepMind share
// the columns, but differ in the order of the rows and in the meaning of the three columns of the kind of area.
//
//   column            powers = 7   what
//   0                 3            army, fleet, no unit
//   3                 8            power of the unit, none
//   11                1            a unit can be built here
//   12                1            the unit can be removed
//   13                3            dislodged army, fleet, none
//   16                8            power of the dislodged unit, none
//   24                3            kind of area
//   27                8            owner of the centre, nobody; all 0 for a province that is no centre
//
// On a map with another number of powers the blocks of 8 are powers + 1 wide. A fleet on a coast is in the row of the
// coast and in that of its province; the columns of a centre are set in all rows of its province.
import { adjustmentsDue, builderAt, type CompiledMap, type Game } from '../../../engine/internal.js';
import * as T from '../../../engine/rules/types.js';
import {
  type CenterRows,
  centerRowsOf,
  listPlaces,
  places,
  powerColumn,
} from '../../../selfplay/nets/dipnet-orders.js';

/** Shape of a board as a matrix, row after row. */
export interface BoardLayout {
  /** One row for each location of the map: 81 on the standard map. */
  readonly rows: number;
  /** 35 for seven powers. */
  readonly columns: number;
}

/** Shape of the boards of DipNet, of DeepMind and of dipcc's version 1. */
export const boardLayout = (map: CompiledMap): BoardLayout => ({
  rows: map.locationCount,
  columns: 11 + 3 * (map.powerCount + 1),
});

/** Writes boards of one map. Reads a game, allocates nothing. */
export class BoardEncoder {
  readonly layout: BoardLayout = boardLayout(this.map);
  /** The board without units and owners. */
  declare readonly blank: Uint8Array;
  /** Offset of the row of a location. */
  declare private readonly rowOf: Int32Array;
  declare private readonly centerRows: CenterRows;
  declare private readonly ownerColumn: number;
  declare private readonly buildColumn: number;

  /**
   * @param order locations in the order of the rows
   * @param area which of the three columns a location sets
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

  get size(): number {
    return this.blank.length;
  }

  /**
   * Writes the board of a game to out[at .. at + size).
   * @param due builds (> 0) or removals (< 0) by power from `dueAt` on; read in an adjustment phase only
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

  /** Where units can be built, and which can be removed. */
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

/** Builds (> 0) and removals (< 0) that a board shows, by power: valid until the next call. */
export const dueIn = (game: Game): Int32Array => {
  if (game.phase === T.ADJUSTMENT) adjustmentsDue(game, due);
  return due;
};

/** Writes the columns of a unit and of its power. */
const writeUnit = (out: Uint8Array, row: number, nobody: number, unit: number): void => {
  out[row + 2] = 0;
  out[row + (unit & 1)] = 1;
  out[row + nobody] = 0;
  out[row + 2 + (unit >> 1)] = 1;
};
