// Encodes DipNet's board and previous orders during random play on maps with seven powers. dipnet.ts has the encoders
// for any game on any map, which write the same bytes (test/bindings/formats/dipnet-play.test.ts).
//
// Where it saves time:
//   - Units, owners and orders are read from the board of play/step.ts, which lists the units. In the bytes of a game
//     they would have to be searched for.
//   - The columns for seven powers and "none" are eight bytes, which are written as one float64 from a table. So is the
//     first word of a row. Such a number stands for eight flags: none is NaN, and no arithmetic is done with them.
//   - A game is assembled in a small array that stays in the fastest cache, and copied from there.

import { board } from '../../../engine/adjudicate/movement/index.js';
import { type CompiledMap, MAX_LOCATIONS, orderHelped, orderKind, targetProvince } from '../../../engine/internal.js';
import { boardOwners } from '../../../engine/play/step.js';
import {
  AIMS_SHIFT,
  COLUMN_MASK,
  HELPS_SHIFT,
  orderKinds,
  PreviousOrdersEncoder,
} from '../../../selfplay/nets/dipnet-orders.js';
import { dipnetLocations } from '../../../selfplay/nets/dipnet-rows.js';
import { dipnetEncoder } from './dipnet.js';

// Local copies of imports are faster (see engine/adjudicate/movement/passes.ts).
const { places, unit, order } = board;
const owners = boardOwners;
const kindOf = orderKind;
const auxOf = orderHelped;
const targetOf = targetProvince;

/** Number of powers of a map that this encoder supports. */
export const PLAY_POWERS = 7;
const NOBODY = PLAY_POWERS;
const KEY_MASK = 0xffff;
const POWER_SHIFT = 16;
/** Number of float64 words in a row of orders. Words 0 and 1 are unit and kind, then follow the blocks named below. */
const ORDER_WORDS = 5;
const HELPED_WORD = 2;
const AIMED_WORD = 3;
const OWNER_WORD = 4;
/** Number of columns of the board, one byte each. */
const BOARD_COLUMNS = 35;
/**
 * A unit is written as two overlapping words of eight columns: columns 0 to 7, with its type, and columns 3 to 10, the
 * block for its power. This is the first column of the second word.
 */
const UNIT_END = 3;
/** First of the columns for the owner of the centre. */
const OWNER_COLUMN = 27;

/** Returns columns `first` to `first + 7` as a float64 of eight flags. @param set the columns whose flag is 1 */
const word = (set: readonly number[], first: number): number => {
  const view = new DataView(new ArrayBuffer(8));
  for (const column of set) if (column >= first && column < first + 8) view.setUint8(column - first, 1);
  return view.getFloat64(0, true);
};

/**
 * Column of each power in the eight columns for powers, indexed by power + 1; index 0 is "none". The array is longer
 * than necessary, because V8 does not treat the address of an array of at most 64 bytes as a constant.
 */
const blockColumns = Int32Array.from({ length: 32 }, (_, powerPlusOne) => (powerPlusOne + NOBODY) & NOBODY);
const powerWords = Float64Array.from(blockColumns, (column) => word([column], 0));
const NOBODY_WORD = powerWords[0];
const columns = Array.from(blockColumns.subarray(0, PLAY_POWERS + 1));
/** Columns of a unit that are 1 (type and power), indexed by (power + 1) << 1 | type. */
const unitColumns = columns.flatMap((column) => [0, 1].map((type) => [type, 3 + column]));
const unitWords = Float64Array.from(unitColumns, (both) => word(both, 0));
const unitEnds = Float64Array.from(unitColumns, (both) => word(both, UNIT_END));
/** Columns 8 to 15 of an order as a word, indexed by (power + 1) << 2 | column of the kind. */
const kindWords = Float64Array.from(
  columns.flatMap((column) => [0, 1, 2, 3].map((kind) => word([3 + column, 11 + kind], 8))),
);

/** First index in powerIn that stands for no power. Combined with any province by bitwise or. */
const NOWHERE = MAX_LOCATIONS;
/** Column of an order's kind among the columns for kinds, indexed by orderKind(). */
const kindColumn = orderKinds.map((kind) => kind & COLUMN_MASK);
/** NOWHERE if an order helps no unit, otherwise 0. Indexed by orderKind(). */
const helpsNobody = orderKinds.map((kind) => (((kind >> HELPS_SHIFT) & 1) === 1 ? 0 : NOWHERE));
/** NOWHERE if an order has no target, otherwise 0. Indexed by orderKind(). */
const aimsNowhere = orderKinds.map((kind) => (((kind >> AIMS_SHIFT) & 1) === 1 ? 0 : NOWHERE));

/**
 * Block of columns for the power in each province, indexed by province: the power of its unit, without a unit the owner
 * of its centre, without an owner "none". Elements from index NOWHERE on are "none" too.
 */
const powerIn = new Float64Array(2 * MAX_LOCATIONS).fill(NOBODY_WORD);

/** Rows of the board of one game, before they are copied. */
const boardRows = new Uint8Array(BOARD_COLUMNS * MAX_LOCATIONS);
const boardView = new DataView(boardRows.buffer);
const orderRows = new Float64Array(ORDER_WORDS * MAX_LOCATIONS);

// ---- tables of the map in use ----
let map: CompiledMap | undefined;
let fleetKeys = 0;
let centerCount = 0;
let coastRowCount = 0;
let coastalCount = 0;
const centers = new Int32Array(MAX_LOCATIONS);
const ordersAt = new Int32Array(MAX_LOCATIONS);
const boardAt = new Int32Array(MAX_LOCATIONS);
const ownerOrdersAt = new Int32Array(MAX_LOCATIONS);
const ownerBoardAt = new Int32Array(MAX_LOCATIONS);
const coastRowCenter = new Int32Array(MAX_LOCATIONS);
const coastRowOrdersAt = new Int32Array(MAX_LOCATIONS);
const coastRowBoardAt = new Int32Array(MAX_LOCATIONS);
const coastal = new Int32Array(MAX_LOCATIONS);

let blankBoard: Uint8Array = new Uint8Array(0);
let blankOrders: Uint8Array = new Uint8Array(0);
/** The part of boardRows (boardBytes) and of orderRows (orderBytes) that a game on the map in use fills. */
let boardBytes: Uint8Array = new Uint8Array(0);
let orderBytes: Uint8Array = new Uint8Array(0);

const useMap = (next: CompiledMap): void => {
  if (map === next) return;
  map = next;
  const encoder = dipnetEncoder(next);
  blankBoard = encoder.blank;
  blankOrders = new PreviousOrdersEncoder(next).blank;
  boardBytes = boardRows.subarray(0, blankBoard.length);
  orderBytes = new Uint8Array(orderRows.buffer, 0, blankOrders.length);
  fleetKeys = next.locationCount;
  dipnetLocations(next).forEach((location, row) => {
    ordersAt[location] = row * ORDER_WORDS;
    boardAt[location] = row * BOARD_COLUMNS;
  });
  centerCount = next.centerCount;
  coastRowCount = 0;
  for (let c = 0; c < centerCount; c++) {
    const p = next.centers[c];
    centers[c] = p;
    ownerOrdersAt[c] = ordersAt[p] + OWNER_WORD;
    ownerBoardAt[c] = boardAt[p] + OWNER_COLUMN;
    for (let i = 0; i < next.coastCount[p]; i++) {
      coastRowCenter[coastRowCount] = c;
      coastRowOrdersAt[coastRowCount] = ordersAt[next.firstCoast[p] + i] + OWNER_WORD;
      coastRowBoardAt[coastRowCount++] = boardAt[next.firstCoast[p] + i] + OWNER_COLUMN;
    }
  }
  coastal.set(next.coastalProvinces);
  coastalCount = next.coastalProvinces.length;
  powerIn.fill(NOBODY_WORD);
};

/** Encodes the game on the board of play/step.ts. @param map map with seven powers */
export class DipnetPlayEncoder {
  constructor(private readonly map: CompiledMap) {}

  /**
   * Writes the board to out[at ..]. Call it before a movement phase or after a solo.
   * @param units number of units on the board
   */
  writeBoard(out: Uint8Array, at: number, units: number): void {
    useMap(this.map);
    boardBytes.set(blankBoard);
    writeUnits(units);
    writeBoardOwners();
    out.set(boardBytes, at);
  }

  /**
   * Writes the orders on the board to out[at ..]. Call it between begin() and finish().
   * @param units number of units on the board
   */
  writeOrders(out: Uint8Array, at: number, units: number): void {
    useMap(this.map);
    orderBytes.set(blankOrders);
    writeOrderOwners();
    writeOrderRows(units);
    out.set(orderBytes, at);
  }
}

const writeUnits = (n: number): void => {
  const fleets = fleetKeys;
  for (let i = 0; i < n; i++) {
    const p = places[i];
    const there = unit[p];
    const what = ((there >>> POWER_SHIFT) << 1) | ((fleets - (there & KEY_MASK)) >>> 31);
    const row = boardAt[p];
    boardView.setFloat64(row, unitWords[what], true);
    boardView.setFloat64(row + UNIT_END, unitEnds[what], true);
  }
  const coastals = coastalCount;
  for (let k = 0; k < coastals; k++) {
    const there = unit[coastal[k]];
    // Negative for an army and for no unit. Coasts have higher numbers than provinces.
    const location = (there & KEY_MASK) - 1 - fleets;
    if (location <= coastal[k]) continue;
    const what = ((there >>> POWER_SHIFT) << 1) | 1;
    const row = boardAt[location];
    boardView.setFloat64(row, unitWords[what], true);
    boardView.setFloat64(row + UNIT_END, unitEnds[what], true);
  }
};

const writeBoardOwners = (): void => {
  const all = centerCount;
  for (let c = 0; c < all; c++) boardRows[ownerBoardAt[c] + blockColumns[owners[c]]] = 1;
  const rows = coastRowCount;
  for (let k = 0; k < rows; k++) boardRows[coastRowBoardAt[k] + blockColumns[owners[coastRowCenter[k]]]] = 1;
};

const writeOrderOwners = (): void => {
  const all = centerCount;
  for (let c = 0; c < all; c++) {
    const there = powerWords[owners[c]];
    powerIn[centers[c]] = there;
    orderRows[ownerOrdersAt[c]] = there;
  }
  const rows = coastRowCount;
  for (let k = 0; k < rows; k++) orderRows[coastRowOrdersAt[k]] = powerWords[owners[coastRowCenter[k]]];
};

const writeOrderRows = (n: number): void => {
  const fleets = fleetKeys;
  for (let i = 0; i < n; i++) powerIn[places[i]] = powerWords[unit[places[i]] >>> POWER_SHIFT];
  for (let i = 0; i < n; i++) {
    const p = places[i];
    const there = unit[p];
    const power = there >>> POWER_SHIFT;
    const o = order[p];
    const kind = kindOf(o);
    const row = ordersAt[p];
    orderRows[row] = unitWords[(power << 1) | ((fleets - (there & KEY_MASK)) >>> 31)];
    orderRows[row + 1] = kindWords[(power << 2) | kindColumn[kind]];
    orderRows[row + HELPED_WORD] = powerIn[auxOf(o) | helpsNobody[kind]];
    orderRows[row + AIMED_WORD] = powerIn[targetOf(o) | aimsNowhere[kind]];
  }
  for (let i = 0; i < n; i++) powerIn[places[i]] = NOBODY_WORD;
  const coastals = coastalCount;
  for (let k = 0; k < coastals; k++) {
    const p = coastal[k];
    const location = (unit[p] & KEY_MASK) - 1 - fleets;
    if (location <= p) continue;
    const from = ordersAt[p];
    const to = ordersAt[location];
    for (let j = 0; j < OWNER_WORD; j++) orderRows[to + j] = orderRows[from + j];
  }
};
