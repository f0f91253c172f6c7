// What DipNet's nets read: the board [81, 35] and the orders of the last movement phase [81, 40], both u8.
//
// Columns of the orders, powers = 7:
//   0   3   army, fleet, no order              16  8   power of the place that the order helps, none
//   3   8   power that gave the order, none    24  8   power of the place that it aims at, none
//   11  5   hold, move, support, convoy, none  32  8   owner of the centre, nobody; all 0 where none is
// The power of a place is that of the unit there, else the owner of the centre. A move VIA has no power at its
// destination: DipNet reads the word VIA there, and its nets were trained with that.
import {
  COAST,
  CONVOY,
  type CompiledMap,
  type Game,
  HOLD,
  MOVE,
  NO_UNIT,
  type Order,
  orderAux,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
  type Province,
  SEA,
  SUPPORT_HOLD,
} from '../../engine/index.js';
import { BoardEncoder, locationsOf } from './board.js';
import { dipnetLocations } from './location-orders.js';

/** Columns for land, water and coast; the coasts of a province count as coast. */
const areaOf = (map: CompiledMap, location: number): number => {
  const kind = map.kind[map.locationProvince[location]];
  if (kind === SEA) return 1;
  return kind === COAST ? 2 : 0;
};

export const dipnetBoard = (map: CompiledMap): BoardEncoder =>
  new BoardEncoder(map, dipnetLocations(map), (location) => areaOf(map, location));

/** Columns of the previous orders: 40 for seven powers. */
export const previousOrderColumns = (map: CompiledMap): number => 8 + 4 * (map.powerCount + 1);

/** Writes the orders of a movement phase as a matrix. */
export class PreviousOrdersEncoder {
  declare readonly map: CompiledMap;
  declare readonly columns: number;
  declare private readonly blank: Uint8Array;
  declare private readonly rowOf: Int32Array;
  declare private readonly centerRows: readonly Int32Array[];
  /** Power + 1 of the unit in a province, else of the owner of its centre, else 0. */
  declare private readonly powerIn: Uint8Array;

  constructor(map: CompiledMap) {
    this.map = map;
    const columns = previousOrderColumns(map);
    this.columns = columns;
    this.rowOf = new Int32Array(map.locationCount);
    dipnetLocations(map).forEach((location, row) => {
      this.rowOf[location] = row * columns;
    });
    this.centerRows = Array.from(map.centers, (province) =>
      Int32Array.from(locationsOf(map, province), (location) => this.rowOf[location]),
    );
    this.powerIn = new Uint8Array(map.provinceCount);
    const powers = map.powerCount;
    this.blank = new Uint8Array(map.locationCount * columns);
    for (const row of this.rowOf)
      for (const column of [2, 3 + powers, 8 + powers, 9 + 2 * powers, 10 + 3 * powers]) this.blank[row + column] = 1;
    for (const rows of this.centerRows) for (const row of rows) this.blank[row + columns - 1] = 1;
  }

  get size(): number {
    return this.blank.length;
  }

  /** Begins a matrix at out[at ..]: owners and units are those of the game, no orders yet. */
  begin(game: Game, out: Uint8Array, at: number): void {
    const { map, powerIn } = this;
    out.set(this.blank, at);
    for (let p = 0; p < map.provinceCount; p++) powerIn[p] = game.unitAt(p) >> 1;
    const owners = this.columns - map.powerCount - 1;
    for (let c = 0; c < map.centerCount; c++) {
      const owner = game.owner(c);
      if (owner < 0) continue;
      if (powerIn[map.centers[c]] === 0) powerIn[map.centers[c]] = owner + 1;
      for (const row of this.centerRows[c]) {
        out[at + row + owners + owner] = 1;
        out[at + row + this.columns - 1] = 0;
      }
    }
  }

  private setPower(out: Uint8Array, block: number, powerPlusOne: number): void {
    if (powerPlusOne === 0) return;
    out[block + powerPlusOne - 1] = 1;
    out[block + this.map.powerCount] = 0;
  }

  private write(out: Uint8Array, row: number, unit: number, order: Order, helped: number, aimed: number): void {
    const powers = this.map.powerCount;
    const type = orderType(order);
    out[row + 2] = 0;
    out[row + (unit & 1)] = 1;
    this.setPower(out, row + 3, unit >> 1);
    out[row + 8 + powers] = 0;
    out[row + 4 + powers + (type === HOLD ? 0 : type === MOVE ? 1 : type === CONVOY ? 3 : 2)] = 1;
    this.setPower(out, row + 9 + powers, helped);
    this.setPower(out, row + 10 + 2 * powers, aimed);
  }

  /** Adds the order of the unit in a province. Of the order its location is not read. */
  add(game: Game, province: Province, order: Order, out: Uint8Array, at: number): void {
    const unit = game.unitAt(province);
    if (unit === NO_UNIT) return;
    const type = orderType(order);
    const target = this.map.locationProvince[orderTarget(order)];
    const moves = type === MOVE;
    const helped = type === HOLD || moves ? 0 : this.powerIn[orderAux(order)];
    const aims = moves ? orderVia(order) === 0 : type !== HOLD && type !== SUPPORT_HOLD;
    const aimed = aims ? this.powerIn[target] : 0;
    const location = game.unitLocation(province);
    this.write(out, at + this.rowOf[location], unit, order, helped, aimed);
    if (location !== province) this.write(out, at + this.rowOf[province], unit, order, helped, aimed);
  }

  /** Writes the orders of a movement phase that the game stands at to out[at .. at + size). */
  encode(game: Game, orders: Int32Array, count: number, out: Uint8Array, at: number): void {
    this.begin(game, out, at);
    for (let i = 0; i < count; i++)
      this.add(game, this.map.locationProvince[orderLocation(orders[i])], orders[i], out, at);
  }
}
