// Converts recorded games to two tables: one row per phase, and one row per order with its result.
import { fateIn, resultIn } from '../../../engine/adjudicate/order-results.js';
import {
  type CompiledMap,
  fates,
  type Game,
  ordererOf,
  resultNames,
  scoreNames,
  vocabulary,
} from '../../../engine/internal.js';
import { formatOrder, orderedUnits, type Units } from '../../../engine/notation/text/index.js';
import { withoutCoast } from '../../../engine/notation/text/vocabulary-text.js';
import * as O from '../../../engine/rules/order.js';
import * as T from '../../../engine/rules/types.js';
import type { GameCursor } from '../../../selfplay/records/game-cursor.js';
import type { Replay } from '../../../selfplay/records/verify.js';
import { agentsIn, type Source } from '../games/recorded-run.js';
import { type Column, encodeGroup, type RowGroup } from './parquet.js';

export const tableNames = ['phases', 'orders'] as const;
export type TableName = (typeof tableNames)[number];

/** Minimum number of rows in a group of rows, except the last group of a table. */
const ROWS = 1 << 16;
/** Number of rows for which memory is reserved beyond a group. It usually suffices for one call of add(). */
const ROWS_AT_ONCE = 2 * T.MAX_LOCATIONS;

const seasons = ['spring', 'fall', 'winter'];
const kinds = ['movement', 'retreat', 'adjustment'];

/** Columns that both tables begin with. */
const inPhase: readonly Column[] = [
  { name: 'game', type: 'i4' },
  { name: 'phase_index', type: 'i4' },
  { name: 'phase', type: 'text' },
  { name: 'year', type: 'i2' },
  { name: 'season', type: 'text', names: seasons },
  { name: 'kind', type: 'text', names: kinds },
];

/** Manifest of a run; null if there is none. */
type Manifest = Source['manifest'];

/** Returns the distinct agents of a run in alphabetical order. */
const agentNames = (manifest: Manifest): string[] => [...new Set(manifest?.agents ?? [])].sort();

/** Returns the columns of both tables, keyed by name of the table. @param manifest manifest of the run, or null */
export const columnsOf = (map: CompiledMap, manifest: Manifest): Readonly<Record<TableName, readonly Column[]>> => {
  const agents = agentNames(manifest);
  const byPower = (what: string, column: Omit<Column, 'name'>): Column[] =>
    map.powerNames.map((power) => ({ name: `${what}_${power.toLowerCase()}`, ...column }));
  const powers = map.powerNames;
  return {
    phases: [
      ...inPhase,
      { name: 'id', type: 'text' },
      { name: 'seed', type: 'i4' },
      { name: 'winner', type: 'text', names: powers },
      ...byPower('agent', { type: 'text', names: agents }),
      ...byPower('centers', { type: 'i2' }),
      ...byPower('units', { type: 'i2' }),
      ...byPower('score', { type: 'f4' }),
    ],
    orders: [
      ...inPhase,
      { name: 'power', type: 'text', names: powers },
      { name: 'agent', type: 'text', names: agents },
      { name: 'unit', type: 'text', names: ['army', 'fleet'] },
      { name: 'location', type: 'text', names: map.locationTags },
      { name: 'type', type: 'text', names: O.orderTypes },
      { name: 'helped', type: 'text', names: map.provinceTags },
      { name: 'target', type: 'text', names: map.locationTags },
      { name: 'via', type: 'i1' },
      { name: 'order', type: 'text' },
      { name: 'order_id', type: 'i4' },
      { name: 'result', type: 'text', names: resultNames },
      { name: 'fate', type: 'text', names: fates.map((fate) => fate ?? 'none') },
    ],
  };
};

/**
 * Returns the type of the ordered or built unit: 0 for an army, 1 for a fleet.
 * @param type order type
 * @param unit the unit in the province
 */
const unitTypeOf = (type: number, unit: number): number => {
  if (type === O.BUILD_ARMY) return 0;
  return type === O.BUILD_FLEET ? 1 : unit & 1;
};

/** Distinct texts of a column, which cells refer to by index. */
class Texts {
  readonly list: string[] = [];
  private readonly places = new Map<string, number>();

  placeOf(text: string): number {
    const place = this.places.get(text) ?? this.list.push(text) - 1;
    this.places.set(text, place);
    return place;
  }
}

/** Rows of one table, stored by column. */
class Rows {
  /** Values of each column. Only the first `rows` elements are in use. */
  readonly values: (Int32Array | Float32Array)[];
  readonly texts: readonly Texts[];
  private rows = 0;
  private room = ROWS + ROWS_AT_ONCE;

  constructor(
    private readonly columns: readonly Column[],
    private readonly take: (group: RowGroup) => void,
  ) {
    this.values = columns.map(({ type }) => new (type === 'f4' ? Float32Array : Int32Array)(this.room));
    this.texts = columns.map(() => new Texts());
  }

  /** Adds `count` rows with the same `cells` in their first columns. @returns index of the first new row */
  add(count: number, cells: readonly number[]): number {
    if (this.rows >= ROWS) this.flush();
    const begin = this.rows;
    this.rows = begin + count;
    if (this.rows > this.room) this.grow();
    for (let c = 0; c < cells.length; c++) this.values[c].fill(cells[c], begin, this.rows);
    return begin;
  }

  private grow(): void {
    this.room = 2 * this.rows;
    for (const [c, list] of this.values.entries()) {
      this.values[c] = new (list instanceof Float32Array ? Float32Array : Int32Array)(this.room);
      this.values[c].set(list);
    }
  }

  flush(): void {
    const { columns, values, texts, rows } = this;
    if (rows === 0) return;
    const cells = columns.map(({ names }, c) => ({ values: values[c], texts: names ?? texts[c].list }));
    this.take(encodeGroup(columns, cells, rows));
    this.rows = 0;
  }
}

const SUM_OF_SQUARES = scoreNames.indexOf('sum_of_squares');
const FIRST_OWN = inPhase.length;
const PHASE_NAME = 2;
/** Details: columns that depend only on the order and the units that it names. Numbers are relative to FIRST_DETAIL. */
const [UNIT, LOCATION, TYPE, HELPED, TARGET, VIA, ORDER, ORDER_ID] = [0, 1, 2, 3, 4, 5, 6, 7];
/** Number of columns from UNIT to ORDER_ID. */
const DETAILS = 8;
/**
 * Other columns of an order: POWER and AGENT come before the details, RESULT and FATE after them. FIRST_DETAIL is the
 * first detail.
 */
const [POWER, AGENT, FIRST_DETAIL] = [FIRST_OWN, FIRST_OWN + 1, FIRST_OWN + 2];
const [RESULT, FATE] = [FIRST_DETAIL + DETAILS, FIRST_DETAIL + DETAILS + 1];

/** Makes the rows of games for both tables, phases and orders. */
export class GameTables {
  declare private readonly phases: Rows;
  declare private readonly orders: Rows;
  private readonly names = new Map(agentNames(this.manifest).map((name, place) => [name, place]));
  private readonly centers = new Int32Array(this.map.powerCount);
  private readonly units = new Int32Array(this.map.powerCount);
  private readonly indexOf = vocabulary(this.map).indexOf;
  /** Indices of the agents of the current game, indexed by power; -1 for an unknown agent. */
  private agents: readonly number[] = [];
  /**
   * Columns UNIT to ORDER_ID of all distinct orders so far: DETAILS numbers for each order, one order after another.
   * A packed order has an entry for each combination of units that it has named, such as a fleet instead of an army.
   */
  private readonly details: number[] = [];
  /** Index of an order's columns in `details`, keyed by packed order and then by the units that it names. */
  private readonly known = new Map<O.Order, Map<number, number>>();
  /** Indices in `details` of the columns of a phase's orders, reused for each phase. */
  private numbers: Int32Array = new Int32Array(ROWS_AT_ONCE);

  /**
   * Creates empty tables.
   * @param take called with each group of rows of a table, of at least ROWS rows except the last
   */
  constructor(
    private readonly map: CompiledMap,
    private readonly manifest: Manifest,
    take: (name: TableName, group: RowGroup) => void,
  ) {
    const { phases, orders } = columnsOf(map, manifest);
    this.phases = new Rows(phases, (group) => take('phases', group));
    this.orders = new Rows(orders, (group) => take('orders', group));
  }

  /** Adds the rows of a replayed game. @param replay its positions @param id id of the game in its file; '' for none */
  add(game: GameCursor, replay: Replay, id: string): void {
    const { map, phases, orders } = this;
    const agents = agentsIn({ manifest: this.manifest }, game);
    this.agents = map.powerNames.map((_, power) => this.names.get(agents[power]) ?? -1);
    const last = game.phases - 1;
    const scores = game.scores(SUM_OF_SQUARES);
    const ofGame = [phases.texts[FIRST_OWN].placeOf(id), game.seed, replay.at(last).winner, ...this.agents];
    for (let i = 0; i <= last; i++) {
      const position = replay.at(i);
      const { name } = game.seek(i);
      const [season, kind] = i === last ? [-1, -1] : [position.season, position.phase];
      const where = (table: Rows): number[] => {
        return [game.index, i, table.texts[PHASE_NAME].placeOf(name), position.year, season, kind];
      };
      position.countCenters(this.centers);
      position.countUnits(this.units);
      phases.add(1, [...where(phases), ...ofGame, ...this.centers, ...this.units, ...scores]);
      if (game.count > 0) this.addOrders(position, game, orders.add(game.count, where(orders)));
    }
  }

  private addOrders(position: Game, { orders: given, results, count }: GameCursor, begin: number): void {
    const { details, agents } = this;
    const { values } = this.orders;
    const numbers = this.numbersOf(position, given, count);
    const isAdjustment = position.phase === T.ADJUSTMENT;
    const units = orderedUnits(position);
    const { locationProvince } = this.map;
    for (let i = 0; i < count; i++) {
      const order = given[i];
      const row = begin + i;
      const power = isAdjustment
        ? ordererOf(position, order)
        : T.unitPower(units.unitAt(locationProvince[O.orderLocation(order)]));
      values[POWER][row] = power;
      values[AGENT][row] = agents[power] ?? -1;
      values[RESULT][row] = resultIn(results[i]);
      values[FATE][row] = fateIn(results[i]);
    }
    for (let k = 0; k < DETAILS; k++) {
      const column = values[FIRST_DETAIL + k];
      for (let i = 0; i < count; i++) column[begin + i] = details[DETAILS * numbers[i] + k];
    }
  }

  /**
   * Returns the index in `details` of each of `count` orders, and adds new orders to it. The array is valid until the
   * next call.
   */
  private numbersOf(position: Game, orders: Int32Array, count: number): Int32Array {
    if (count > this.numbers.length) this.numbers = new Int32Array(2 * count);
    const { numbers, known } = this;
    const { locationProvince } = this.map;
    const units = orderedUnits(position);
    const wordOf = (province: T.Province): number =>
      2 * units.unitLocation(province) + T.unitType(units.unitAt(province));
    for (let i = 0; i < count; i++) {
      const order = orders[i];
      const own = O.orderType(order) === O.WAIVE ? 0 : wordOf(locationProvince[O.orderLocation(order)]);
      const named = (own << 16) | (O.isHelp(order) ? wordOf(O.orderHelped(order)) : 0);
      numbers[i] = known.get(order)?.get(named) ?? this.addDetails(order, named, units);
    }
    return numbers;
  }

  /**
   * Adds the columns of an order to `details`.
   * @param named the units that the order names, encoded as a number
   * @returns index of the order in `details`
   */
  private addDetails(order: O.Order, named: number, units: Units): number {
    const { map, details, known } = this;
    const type = O.orderType(order);
    const location = type === O.WAIVE ? -1 : O.orderLocation(order);
    const made: number[] = [];
    made[UNIT] = location < 0 ? -1 : unitTypeOf(type, units.unitAt(map.locationProvince[location]));
    made[LOCATION] = location;
    made[TYPE] = type;
    made[HELPED] = O.isHelp(order) ? O.orderHelped(order) : -1;
    made[TARGET] = O.hasTarget(order) ? O.orderTarget(order) : -1;
    made[VIA] = O.orderVia(order);
    made[ORDER] = this.orders.texts[FIRST_DETAIL + ORDER].placeOf(formatOrder(map, order, units));
    made[ORDER_ID] = this.indexOf(withoutCoast(map, order));
    const number = details.length / DETAILS;
    details.push(...made);
    known.set(order, new Map([...(known.get(order) ?? []), [named, number]]));
    return number;
  }

  /** Passes the remaining rows of both tables to `take`. To be called after the last game. */
  finish(): void {
    this.phases.flush();
    this.orders.flush();
  }
}
