// What a net sees of a position: by location, in the order of the map, some of these columns are 1 and all others 0. With
// seven powers there are 40 columns; the first 35 are those of DipNet's boards (bindings/formats/tensors/board.ts).
//
//   0   3   army, fleet, no unit             16  8   power of the dislodged unit, none
//   3   8   power of the unit, none          24  3   land, water, coast
//   11      a unit can be built here         27  8   owner of the centre, nobody; none for a province that is no centre
//   12      the unit can be removed          35  5   the phase: spring and fall moves, their retreats, adjustments
//   13  3   dislodged army, fleet, none
//
// So a position is a list of columns for each location, SLOTS long. A slot without a column names the one behind the last,
// and the last slot of a location names the location, counted on from there: rows of a table that a net adds up.
import { adjustmentsDue, builderAt, type CompiledMap, type Game } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';

/** Columns of the phase, the last ones. */
export const PHASES = 5;

// What is in which slot.
const UNIT = 0;
const UNIT_POWER = 1;
const DUE = 2;
const WAITING = 3;
const WAITING_POWER = 4;
const AREA = 5;
const OWNER = 6;
const PHASE = 7;
const PLACE = 8;
/** Entries of a location. */
export const SLOTS = 9;

/** First column of each slot, and the number of columns. */
const firstColumns = ({ powerCount }: CompiledMap): number[] => {
  const first = [0];
  for (const size of [3, powerCount + 1, 2, 3, powerCount + 1, 3, powerCount + 1, PHASES])
    first.push(first[first.length - 1] + size);
  return first;
};

/** Number of columns: 40 for seven powers. */
export const columnsOf = (map: CompiledMap): number => firstColumns(map)[PLACE];

/** By kind of the province, counted on from the first column of the area. */
const areaOf = (kind: number): number => (kind === T.SEA ? 1 : kind === T.COAST ? 2 : 0);
/** No unit, counted on from the first column of units. */
const NOTHING = 2;

const phaseColumn = ({ phase, season }: Game): number => {
  if (phase === T.ADJUSTMENT) return 4;
  return (phase === T.MOVEMENT ? 0 : 2) + (season === T.FALL ? 1 : 0);
};

/** Lists the columns of positions of one map. Allocates nothing but when it is made. */
export class Features {
  readonly columns = columnsOf(this.map);
  private readonly first = firstColumns(this.map);
  /** The slots that no position changes. */
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

  /** Returns the number of the phase, 0 to 4. @param slots as list() has written them */
  phaseOf(slots: Int32Array): number {
    return slots[PHASE] - this.first[PHASE];
  }

  /** Writes the columns of a position to out[0 .. locationCount * SLOTS). */
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

  private writeToAll(out: Int32Array, province: T.Province, slot: number, column: number): void {
    const { coastCount, firstCoast } = this.map;
    this.write(out, province, slot, column);
    for (let i = 0; i < coastCount[province]; i++) this.write(out, firstCoast[province] + i, slot, column);
  }

  /** Writes a unit to its province and its coast, and its power to the next slot. */
  private writeUnit(out: Int32Array, province: T.Province, coast: T.Location, unit: number, slot: number): void {
    for (const location of [province, coast]) {
      this.write(out, location, slot, unit & 1);
      this.write(out, location, slot + 1, (unit >> 1) - 1);
    }
  }

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
