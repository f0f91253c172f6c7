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
import {
  ADJUSTMENT,
  adjustmentsDue,
  builderAt,
  COAST,
  type CompiledMap,
  FALL,
  type Game,
  type Location,
  MAX_POWERS,
  MOVEMENT,
  type Province,
  RETREAT,
  SEA,
  unitPower,
} from '../../engine/internal.js';

/** Columns of the phase, the last ones. */
export const PHASES = 5;

/** Number of columns: 40 for seven powers. */
export const columnsOf = ({ powerCount }: CompiledMap): number => 11 + 3 * (powerCount + 1) + PHASES;

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

const LAND_COLUMN = 0;
const WATER_COLUMN = 1;
const COAST_COLUMN = 2;
const NOTHING = 2;

const phaseColumn = ({ phase, season }: Game): number => {
  if (phase === ADJUSTMENT) return 4;
  return (phase === MOVEMENT ? 0 : 2) + (season === FALL ? 1 : 0);
};

/** Lists the columns of positions of one map. Allocates nothing but when it is made. */
export class Features {
  readonly columns: number = columnsOf(this.map);
  /** The slots that no position changes. */
  private readonly blank = new Int32Array(this.map.locationCount * SLOTS).fill(this.columns);
  private readonly due = new Int32Array(MAX_POWERS);

  constructor(readonly map: CompiledMap) {
    const { waitingPower, waiting, area, unitPowers } = this.places;
    for (let l = 0; l < map.locationCount; l++) {
      const kind = map.kind[map.locationProvince[l]];
      const row = l * SLOTS;
      this.blank[row + UNIT] = NOTHING;
      this.blank[row + UNIT_POWER] = unitPowers + map.powerCount;
      this.blank[row + WAITING] = waiting + NOTHING;
      this.blank[row + WAITING_POWER] = waitingPower + map.powerCount;
      this.blank[row + PLACE] = this.columns + 1 + l;
      this.blank[row + AREA] = area + (kind === SEA ? WATER_COLUMN : kind === COAST ? COAST_COLUMN : LAND_COLUMN);
    }
  }

  /**
   * The column that a location has in the block of another one if nothing is there; `columns` if it has none then.
   * @param column not one of the phase
   */
  blankOf(location: Location, column: number): number {
    const { powerCount } = this.map;
    let slot = UNIT;
    let end = 0;
    for (const size of [3, powerCount + 1, 2, 3, powerCount + 1, 3, powerCount + 1]) {
      end += size;
      if (column < end) break;
      slot++;
    }
    return this.blank[location * SLOTS + slot];
  }

  /**
   * Lists the columns in which a position differs from an empty board, as location x `board` + column; returns their number.
   * @param slots what list() has written
   * @param board columns of a location, without those of the phase
   */
  listOwn(slots: Int32Array, board: number, out: Int32Array, at: number): number {
    let count = 0;
    for (let l = 0; l < this.map.locationCount; l++)
      for (let i = l * SLOTS; i < l * SLOTS + PHASE; i++)
        if (slots[i] !== this.blank[i]) out[at + count++] = l * board + slots[i];
    return count;
  }

  phaseOf(slots: Int32Array): number {
    return slots[PHASE] - this.places.phase;
  }

  private get places() {
    const powers = this.map.powerCount;
    const due = 4 + powers;
    const area = due + 6 + powers;
    return {
      unitPowers: 3,
      due,
      waiting: due + 2,
      waitingPower: due + 5,
      area,
      owner: area + 3,
      phase: area + 4 + powers,
    };
  }

  /** Writes the columns of a position to out[0 .. locationCount * SLOTS). */
  list(game: Game, out: Int32Array): void {
    const { map, blank } = this;
    const { owner, phase } = this.places;
    out.set(blank);
    const now = phase + phaseColumn(game);
    for (let l = 0; l < map.locationCount; l++) out[l * SLOTS + PHASE] = now;
    for (let c = 0; c < map.centerCount; c++) {
      const power = game.owner(c);
      this.writeToAll(out, map.centers[c], OWNER, owner + (power < 0 ? map.powerCount : power));
    }
    for (let p = 0; p < map.provinceCount; p++) {
      const unit = game.unitAt(p);
      if (unit === 0) continue;
      this.writeUnit(out, p, unit, UNIT);
      if (game.unitLocation(p) !== p) this.writeUnit(out, game.unitLocation(p), unit, UNIT);
    }
    if (game.phase === RETREAT) this.listWaiting(game, out);
    else if (game.phase === ADJUSTMENT) this.listDue(game, out);
  }

  private writeToAll(out: Int32Array, province: Province, slot: number, column: number): void {
    const { coastCount, firstCoast } = this.map;
    out[province * SLOTS + slot] = column;
    for (let i = 0; i < coastCount[province]; i++) out[(firstCoast[province] + i) * SLOTS + slot] = column;
  }

  private writeUnit(out: Int32Array, location: Location, unit: number, slot: number): void {
    const { waiting, waitingPower, unitPowers } = this.places;
    const isWaiting = slot === WAITING;
    out[location * SLOTS + slot] = (isWaiting ? waiting : 0) + (unit & 1);
    out[location * SLOTS + slot + 1] = (isWaiting ? waitingPower : unitPowers) + (unit >> 1) - 1;
  }

  private listWaiting(game: Game, out: Int32Array): void {
    for (let i = 0; i < game.dislodgedCount; i++) {
      const { province, location, unit } = game.dislodged(i);
      this.writeUnit(out, province, unit, WAITING);
      if (location !== province) this.writeUnit(out, location, unit, WAITING);
    }
  }

  private listDue(game: Game, out: Int32Array): void {
    const { map, due } = this;
    const column = this.places.due;
    adjustmentsDue(game, due);
    for (let c = 0; c < map.centerCount; c++) {
      const builder = builderAt(game, map.centers[c]);
      if (builder >= 0 && due[builder] > 0) this.writeToAll(out, map.centers[c], DUE, column);
    }
    for (let p = 0; p < map.provinceCount; p++) {
      const unit = game.unitAt(p);
      if (unit === 0 || due[unitPower(unit)] >= 0) continue;
      out[p * SLOTS + DUE] = column + 1;
      out[game.unitLocation(p) * SLOTS + DUE] = column + 1;
    }
  }
}
