// The board as a matrix: one row a location, one column a fact. DipNet, dipcc and DeepMind share the columns and differ
// in the order of the rows and in what the three columns of the kind of area say.
//
//   column            powers = 7   what
//   0                 3            army, fleet, no unit
//   3                 8            power of the unit, none
//   11                1            a unit can be built here
//   12                1            the unit can be removed
//   13                3            dislodged army, fleet, none
//   16                8            power of the dislodged unit, none
//   24                3            kind of area
//   27                8            owner of the centre, nobody; all 0 where no centre is
//
// On a map with another number of powers the blocks of 8 are powers + 1 wide. A fleet on a coast is in the row of the
// coast and in that of its province; what concerns a centre is in all rows of its province.
import {
  ADJUSTMENT,
  builderAt,
  type CompiledMap,
  type Game,
  type Location,
  NO_UNIT,
  type Province,
  RETREAT,
} from '../../engine/index.js';

export interface BoardLayout {
  /** Rows: locations of the map. */
  readonly rows: number;
  readonly columns: number;
}

export const boardLayout = (map: CompiledMap): BoardLayout => ({
  rows: map.locationCount,
  columns: 11 + 3 * (map.powerCount + 1),
});

/** Locations of a province: itself and its coasts. */
export const locationsOf = (map: CompiledMap, province: Province): Location[] => {
  const first = map.firstCoast[province];
  return [province, ...Array.from({ length: map.coastCount[province] }, (_, i) => first + i)];
};

/** Writes boards of one map. Reads a game, allocates nothing. */
export class BoardEncoder {
  declare readonly map: CompiledMap;
  declare readonly layout: BoardLayout;
  /** The board without units and owners. */
  declare private readonly blank: Uint8Array;
  /** Offset of the row of a location, and of that of its province. */
  declare private readonly rowOf: Int32Array;
  declare private readonly parentOf: Int32Array;
  /** Offsets of the rows of each centre: centerRows[centerOffsets[c] .. centerOffsets[c + 1]). */
  declare private readonly centerRows: Int32Array;
  declare private readonly centerOffsets: Int32Array;
  declare private readonly ownerColumn: number;
  declare private readonly buildColumn: number;

  /**
   * @param order locations in the order of the rows
   * @param area which of the three columns a location sets
   */
  constructor(map: CompiledMap, order: readonly Location[], area: (location: Location) => number) {
    this.map = map;
    this.layout = boardLayout(map);
    const { columns, rows } = this.layout;
    const powers = map.powerCount;
    this.buildColumn = 4 + powers;
    this.ownerColumn = columns - powers - 1;
    this.rowOf = new Int32Array(rows);
    order.forEach((location, row) => {
      this.rowOf[location] = row * columns;
    });
    this.parentOf = Int32Array.from({ length: rows }, (_, l) => this.rowOf[map.locationProvince[l]]);
    const centerRows: number[] = [];
    const offsets = [0];
    for (const province of map.centers) {
      for (const location of locationsOf(map, province)) centerRows.push(this.rowOf[location]);
      offsets.push(centerRows.length);
    }
    this.centerRows = Int32Array.from(centerRows);
    this.centerOffsets = Int32Array.from(offsets);
    this.blank = new Uint8Array(rows * columns);
    for (let l = 0; l < rows; l++) {
      const row = this.rowOf[l];
      this.blank[row + 2] = 1;
      this.blank[row + 3 + powers] = 1;
      this.blank[row + this.buildColumn + 4] = 1;
      this.blank[row + this.buildColumn + 5 + powers] = 1;
      this.blank[row + this.ownerColumn - 3 + area(l)] = 1;
    }
    for (const row of centerRows) this.blank[row + this.ownerColumn + powers] = 1;
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
    this.writeUnits(game, out, at, due, dueAt);
    this.writeOwners(game, out, at, due, dueAt);
    if (game.phase === RETREAT) this.writeDislodged(game, out, at);
  }

  private writeUnit(out: Uint8Array, row: number, unit: number): void {
    out[row + (unit & 1)] = 1;
    out[row + 2] = 0;
    out[row + 2 + (unit >> 1)] = 1;
    out[row + 3 + this.map.powerCount] = 0;
  }

  private writeUnits(game: Game, out: Uint8Array, at: number, due: ArrayLike<number>, dueAt: number): void {
    const { rowOf, parentOf } = this;
    const adjusts = game.phase === ADJUSTMENT;
    const removable = this.buildColumn + 1;
    for (let p = 0; p < this.map.provinceCount; p++) {
      const unit = game.unitAt(p);
      if (unit === NO_UNIT) continue;
      const location = game.unitLocation(p);
      this.writeUnit(out, at + rowOf[location], unit);
      if (location !== p) this.writeUnit(out, at + parentOf[location], unit);
      if (!adjusts || due[dueAt + (unit >> 1) - 1] >= 0) continue;
      out[at + rowOf[location] + removable] = 1;
      out[at + parentOf[location] + removable] = 1;
    }
  }

  private writeOwners(game: Game, out: Uint8Array, at: number, due: ArrayLike<number>, dueAt: number): void {
    const { centerRows, centerOffsets, ownerColumn, buildColumn, map } = this;
    const adjusts = game.phase === ADJUSTMENT;
    const owners = game.offset + game.layout.owners;
    for (let c = 0; c < map.centerCount; c++) {
      const owner = game.bytes[owners + c] - 1;
      if (owner < 0) continue;
      const builds = adjusts && due[dueAt + owner] > 0 && builderAt(game, map.centers[c]) === owner ? 1 : 0;
      for (let k = centerOffsets[c]; k < centerOffsets[c + 1]; k++) {
        const row = at + centerRows[k];
        out[row + ownerColumn + owner] = 1;
        out[row + ownerColumn + map.powerCount] = 0;
        out[row + buildColumn] = builds;
      }
    }
  }

  private writeDislodged(game: Game, out: Uint8Array, at: number): void {
    const first = this.buildColumn + 2;
    const powers = this.map.powerCount;
    for (let i = 0; i < game.dislodgedCount; i++) {
      const { unit, location } = game.dislodged(i);
      for (const row of new Set([at + this.rowOf[location], at + this.parentOf[location]])) {
        out[row + first + (unit & 1)] = 1;
        out[row + first + 2] = 0;
        out[row + first + 2 + (unit >> 1)] = 1;
        out[row + first + 3 + powers] = 0;
      }
    }
  }
}
