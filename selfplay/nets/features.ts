// Input features of a net: a matrix [locations, columns] of 0 and 1 for a position, locations in the order of the map.
// With seven powers there are 40 columns. The first 35 equal DipNet's boards (bindings/formats/tensors/board.ts). First
// column, number of columns if not 1, and meaning:
//
//   0   3   army, fleet, no unit             16  8   power of the dislodged unit, none
//   3   8   power of the unit, none          24  3   land, water, coast
//   11      a unit can be built here         27  8   owner of the centre, no owner; all 0 if it is not a centre
//   12      the unit can be removed          35  5   the phase: spring and fall moves, their retreats, adjustments
//   13  3   dislodged army, fleet, none
//
// The matrix is stored sparsely: for each location, SLOTS indices of columns with a 1. An unused slot has the index
// `columns`. The last slot has the index columns + 1 + location. All are row indices of a table whose rows a net adds
// up: the columns, a row of zeros, and the locations.
import { adjustmentsDue, builderAt, type CompiledMap, type Game } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';

/** Number of columns for the phase, which are the last ones. */
export const PHASES = 5;

// Indices of the slots of a location. DUE: possible build or removal. WAITING: dislodged unit. AREA: kind of province.
// PLACE: location itself.
const UNIT = 0;
const UNIT_POWER = 1;
const DUE = 2;
const WAITING = 3;
const WAITING_POWER = 4;
const AREA = 5;
const OWNER = 6;
const PHASE = 7;
const PLACE = 8;
/** Number of slots of a location. */
export const SLOTS = 9;

/** Returns the first column that each slot can have, indexed by slot. The last entry is the number of columns. */
const firstColumns = ({ powerCount }: CompiledMap): number[] => {
  const first = [0];
  for (const size of [3, powerCount + 1, 2, 3, powerCount + 1, 3, powerCount + 1, PHASES])
    first.push(first[first.length - 1] + size);
  return first;
};

/** Returns the number of columns of the feature matrix on a map: 40 for seven powers. */
export const columnsOf = (map: CompiledMap): number => firstColumns(map)[PLACE];

/** Returns the column of a kind of province (LAND, SEA or COAST), relative to the first column of AREA. */
const areaOf = (kind: number): number => (kind === T.SEA ? 1 : kind === T.COAST ? 2 : 0);
/** Column that means "no unit", relative to the first column of the slots UNIT and WAITING. */
const NOTHING = 2;

/** Returns the column of a game's phase, relative to the first column of PHASE: 0 to 4. */
const phaseColumn = ({ phase, season }: Game): number => {
  if (phase === T.ADJUSTMENT) return 4;
  return (phase === T.MOVEMENT ? 0 : 2) + (season === T.FALL ? 1 : 0);
};

/** Computes the features of positions on one map. Only the constructor allocates memory. */
export class Features {
  /** Number of columns. */
  readonly columns = columnsOf(this.map);
  private readonly first = firstColumns(this.map);
  /** Slots of a position in which no unit and no owner is set. */
  private readonly blank = new Int32Array(this.map.locationCount * SLOTS).fill(this.columns);
  private readonly due = new Int32Array(T.MAX_POWERS);

  constructor(readonly map: CompiledMap) {
    for (let l = 0; l < map.locationCount; l++) {
      for (const slot of [UNIT, WAITING]) this.write(this.blank, l, slot, NOTHING);
      for (const slot of [UNIT_POWER, WAITING_POWER]) this.write(this.blank, l, slot, map.powerCount);
      this.write(this.blank, l, AREA, areaOf(map.kind[map.locationProvince[l]]));
      this.write(this.blank, l, PLACE, 1 + l);
    }
  }

  /**
   * Returns the phase of a position: 0 and 1 for spring and fall moves, 2 and 3 for their retreats, 4 for adjustments.
   * @param slots slots of the position as list() writes them
   */
  phaseOf(slots: Int32Array): number {
    return slots[PHASE] - this.first[PHASE];
  }

  /** Writes the slots of a position, location after location, to out[0] to out[locationCount * SLOTS - 1]. */
  list(game: Game, out: Int32Array): void {
    const { map, blank } = this;
    out.set(blank);
    for (let l = 0; l < map.locationCount; l++) this.write(out, l, PHASE, phaseColumn(game));
    for (let c = 0; c < map.centerCount; c++) {
      const power = game.owner(c);
      this.writeToAll(out, map.centers[c], OWNER, power < 0 ? map.powerCount : power);
    }
    for (let p = 0; p < map.provinceCount; p++)
      if (game.unitAt(p) !== 0) this.writeUnit(out, p, game.unitLocation(p), game.unitAt(p), UNIT);
    if (game.phase === T.RETREAT)
      for (let i = 0; i < game.dislodgedCount; i++) {
        const { province, location, unit } = game.dislodged(i);
        this.writeUnit(out, province, location, unit, WAITING);
      }
    else if (game.phase === T.ADJUSTMENT) this.listDue(game, out);
  }

  private write(out: Int32Array, location: T.Location, slot: number, column: number): void {
    out[location * SLOTS + slot] = this.first[slot] + column;
  }

  /**
   * Writes a column to one slot of a province and of all its coasts.
   * @param column relative to the first column of the slot
   */
  private writeToAll(out: Int32Array, province: T.Province, slot: number, column: number): void {
    const { coastCount, firstCoast } = this.map;
    this.write(out, province, slot, column);
    for (let i = 0; i < coastCount[province]; i++) this.write(out, firstCoast[province] + i, slot, column);
  }

  /**
   * Writes the type of a unit to a slot of its province and of its coast, and its power to the next slot.
   * @param unit packed unit: power and type
   */
  private writeUnit(out: Int32Array, province: T.Province, coast: T.Location, unit: number, slot: number): void {
    for (const location of [province, coast]) {
      this.write(out, location, slot, unit & 1);
      this.write(out, location, slot + 1, (unit >> 1) - 1);
    }
  }

  /** Writes the possible builds and removals of an adjustment phase to the slot DUE. */
  private listDue(game: Game, out: Int32Array): void {
    const { map, due } = this;
    adjustmentsDue(game, due);
    for (let c = 0; c < map.centerCount; c++) {
      const builder = builderAt(game, map.centers[c]);
      if (builder >= 0 && due[builder] > 0) this.writeToAll(out, map.centers[c], DUE, 0);
    }
    for (let p = 0; p < map.provinceCount; p++) {
      const unit = game.unitAt(p);
      if (unit !== 0 && due[T.unitPower(unit)] < 0)
        for (const location of [p, game.unitLocation(p)]) this.write(out, location, DUE, 1);
    }
  }
}
