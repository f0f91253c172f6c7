// Recorded games as two tables: one row for each phase, and one for each order with its result.
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
import { type Cells, type Column, encodeGroup, type RowGroup } from './parquet.js';

export const tableNames = ['phases', 'orders'] as const;
export type TableName = (typeof tableNames)[number];

/** Rows of a group, at least, and rows that are mostly added at once. */
const ROWS = 1 << 16;
const ROWS_AT_ONCE = 2 * T.MAX_LOCATIONS;

const seasons = ['spring', 'fall', 'winter'];
const kinds = ['movement', 'retreat', 'adjustment'];

const inPhase: readonly Column[] = [
  { name: 'game', type: 'i4' },
  { name: 'phase_index', type: 'i4' },
  { name: 'phase', type: 'text' },
  { name: 'year', type: 'i2' },
  { name: 'season', type: 'i1', names: seasons },
  { name: 'kind', type: 'i1', names: kinds },
];

/** What the records of a run say of it; null without a manifest. */
type Manifest = Source['manifest'];

/** Every agent of a run once, in alphabetical order. */
const agentNames = (manifest: Manifest): string[] => [...new Set(manifest?.agents ?? [])].sort();

/** The columns of both tables. */
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
      { name: 'winner', type: 'i1', names: powers },
      ...byPower('agent', { type: 'i2', names: agents }),
      ...byPower('centers', { type: 'i2' }),
      ...byPower('units', { type: 'i2' }),
      ...byPower('score', { type: 'f4' }),
    ],
    orders: [
      ...inPhase,
      { name: 'power', type: 'i1', names: powers },
      { name: 'agent', type: 'i2', names: agents },
      { name: 'unit', type: 'i1', names: ['army', 'fleet'] },
      { name: 'location', type: 'i2', names: map.locationTags },
      { name: 'type', type: 'i1', names: O.orderTypes },
      { name: 'helped', type: 'i2', names: map.provinceTags },
      { name: 'target', type: 'i2', names: map.locationTags },
      { name: 'via', type: 'i1' },
      { name: 'order', type: 'text' },
      { name: 'order_id', type: 'i4' },
      { name: 'result', type: 'i1', names: resultNames },
      { name: 'fate', type: 'i1', names: fates.map((fate) => fate ?? 'none') },
    ],
  };
};

/** 0 for an army, 1 for a fleet: the ordered unit, or the one that is built. */
const unitTypeOf = (type: number, unit: number): number => {
  if (type === O.BUILD_ARMY) return 0;
  return type === O.BUILD_FLEET ? 1 : unit & 1;
};

const utf8 = new TextEncoder();

/** Texts of a column, each once. */
class Texts {
  readonly list: Uint8Array[] = [];
  private readonly places = new Map<string, number>();

  placeOf(text: string): number {
    const known = this.places.get(text);
    if (known !== undefined) return known;
    this.places.set(text, this.list.length);
    return this.list.push(utf8.encode(text)) - 1;
  }
}

/** A column in which most values stand for several rows. */
class Runs {
  values: number[] = [];
  ends: number[] = [];

  /** Adds a value for the rows up to `end`. */
  add(value: number, end: number): void {
    const last = this.values.length - 1;
    if (this.values[last] === value) this.ends[last] = end;
    else {
      this.values.push(value);
      this.ends.push(end);
    }
  }
}

/** Rows of one table, by column: columns that hold for a whole game or phase as runs, then columns with a value for each row. */
class Rows {
  private runs: Runs[] = [];
  /** Columns with a value for each row: the first `rows` of each. */
  readonly values: Int32Array[];
  /** By column; undefined for columns of numbers. */
  readonly texts: readonly (Texts | undefined)[];
  rows = 0;
  private room = ROWS + ROWS_AT_ONCE;

  /** @param held which columns hold for a whole game or phase */
  constructor(
    private readonly columns: readonly Column[],
    private readonly held: readonly boolean[],
    private readonly take: (group: RowGroup) => void,
  ) {
    this.values = columns.map((_, c) => new Int32Array(held[c] ? 0 : this.room));
    this.texts = columns.map(({ type }) => (type === 'text' ? new Texts() : undefined));
    this.runs = columns.map(() => new Runs());
  }

  /** Makes room for some rows, and returns the number of the first of them. */
  add(count: number): number {
    if (this.rows >= ROWS) this.flush();
    const begin = this.rows;
    this.rows = begin + count;
    if (this.rows > this.room) {
      this.room = 2 * this.rows;
      for (const [c, list] of this.values.entries()) {
        if (this.held[c]) continue;
        this.values[c] = new Int32Array(this.room);
        this.values[c].set(list);
      }
    }
    return begin;
  }

  /** Sets columns that hold for a whole game or phase, for the rows that were added last. @param column the first of them */
  hold(column: number, cells: ArrayLike<number>): void {
    for (let c = 0; c < cells.length; c++) this.runs[column + c].add(cells[c], this.rows);
  }

  flush(): void {
    const { columns, values, texts, rows, held, runs } = this;
    if (rows === 0) return;
    const cells = columns.map((_, c): Cells => {
      const ofColumn = { texts: texts[c]?.list ?? [] };
      return held[c] ? { ...ofColumn, ...runs[c] } : { ...ofColumn, values: values[c] };
    });
    this.take(encodeGroup(columns, cells, rows));
    this.runs = columns.map(() => new Runs());
    this.rows = 0;
  }
}

const SUM_OF_SQUARES = scoreNames.indexOf('sum_of_squares');
const FIRST_OWN = inPhase.length;
const PHASE_NAME = 2;
/** Columns of an order that follow from it and from the units that it names, and their number. */
const [UNIT, LOCATION, TYPE, HELPED, TARGET, VIA, ORDER, ORDER_ID] = [0, 1, 2, 3, 4, 5, 6, 7];
const DETAILS = 8;
/** Columns of an order before and behind them. */
const [POWER, AGENT, FIRST_DETAIL] = [FIRST_OWN, FIRST_OWN + 1, FIRST_OWN + 2];
const [RESULT, FATE] = [FIRST_DETAIL + DETAILS, FIRST_DETAIL + DETAILS + 1];

/** Numbers of pairs of int32, in the order in which they come: a map whose keys need no objects. */
class PairNumbers {
  private slots = new Int32Array(1 << 13);
  private keys = new Int32Array(2 * this.slots.length);
  count = 0;

  /** The number of a pair; a new pair has the number `count` before the call. */
  of(a: number, b: number): number {
    const { slots, keys } = this;
    const mask = slots.length - 1;
    let at = (Math.imul(a ^ Math.imul(b, 0x9e37_79b1), 0x85eb_ca6b) >>> 15) & mask;
    for (; slots[at] !== 0; at = (at + 1) & mask) {
      const number = slots[at] - 1;
      if (keys[2 * number] === a && keys[2 * number + 1] === b) return number;
    }
    const number = this.count++;
    slots[at] = number + 1;
    keys[2 * number] = a;
    keys[2 * number + 1] = b;
    if (2 * this.count > slots.length) this.grow();
    return number;
  }

  private grow(): void {
    const { keys, count } = this;
    this.slots = new Int32Array(2 * this.slots.length);
    this.keys = new Int32Array(2 * this.slots.length);
    this.count = 0;
    for (let i = 0; i < count; i++) this.of(keys[2 * i], keys[2 * i + 1]);
  }
}

/** Makes rows of games. */
export class GameTables {
  private readonly columns = columnsOf(this.map, this.manifest);
  /** First column of centres, behind id, seed, winner and agents; then come the units. */
  private readonly firstCount: number = FIRST_OWN + 3 + this.map.powerCount;
  private readonly phases = new Rows(
    this.columns.phases,
    this.columns.phases.map((_, c) => c < this.firstCount || c >= this.firstCount + 2 * this.map.powerCount),
    (group) => this.take('phases', group),
  );
  private readonly orders = new Rows(
    this.columns.orders,
    this.columns.orders.map((_, c) => c < FIRST_OWN),
    (group) => this.take('orders', group),
  );
  private readonly names = new Map(agentNames(this.manifest).map((name, place) => [name, place]));
  private readonly centers = new Int32Array(this.map.powerCount);
  private readonly units = new Int32Array(this.map.powerCount);
  private readonly indexOf = vocabulary(this.map).indexOf;
  private readonly where = new Int32Array(FIRST_OWN);
  /** By power, of the game that is added; -1 for one that is not known. */
  private agents: readonly number[] = [];
  /** Details of orders that were met, DETAILS for each; their numbers by the order and the units that it names. */
  private readonly details: number[] = [];
  private readonly known = new PairNumbers();
  /** Numbers of the details of the orders of a phase. */
  private numbers: Int32Array = new Int32Array(ROWS_AT_ONCE);

  /** @param take takes the rows of a table, ROWS or some more at a time */
  constructor(
    private readonly map: CompiledMap,
    private readonly manifest: Manifest,
    private readonly take: (name: TableName, group: RowGroup) => void,
  ) {}

  /** Adds a game that was played again. @param id of the game in its file; '' for none */
  add(game: GameCursor, replay: Replay, id: string): void {
    const { map, phases, where } = this;
    const agents = agentsIn({ manifest: this.manifest }, game);
    this.agents = map.powerNames.map((_, power) => this.names.get(agents[power]) ?? -1);
    const last = game.phases - 1;
    const scores = game.scores(SUM_OF_SQUARES);
    const [phaseNames, ids] = [this.phases.texts[PHASE_NAME], this.phases.texts[FIRST_OWN]];
    const ofGame = [ids?.placeOf(id) ?? 0, game.seed, replay.at(last).winner, ...this.agents];
    for (let i = 0; i <= last; i++) {
      const position = replay.at(i);
      const isEnd = i === last;
      const { name } = game.seek(i);
      where.set([game.index, i, phaseNames?.placeOf(name) ?? 0, position.year]);
      where.set(isEnd ? [-1, -1] : [position.season, position.phase], FIRST_OWN - 2);
      const row = phases.add(1);
      phases.hold(0, where);
      phases.hold(FIRST_OWN, ofGame);
      phases.hold(this.firstCount + 2 * map.powerCount, scores);
      position.countCenters(this.centers);
      position.countUnits(this.units);
      for (let q = 0; q < map.powerCount; q++) {
        phases.values[this.firstCount + q][row] = this.centers[q];
        phases.values[this.firstCount + map.powerCount + q][row] = this.units[q];
      }
      where[PHASE_NAME] = this.orders.texts[PHASE_NAME]?.placeOf(name) ?? 0;
      if (game.count > 0) this.addOrders(position, game);
    }
  }

  private addOrders(position: Game, { orders: given, results, count }: GameCursor): void {
    const { orders, details, where, agents } = this;
    const begin = orders.add(count);
    const { values } = orders;
    orders.hold(0, where);
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

  /** Numbers of the details of some orders. */
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
      const helped = O.isHelp(order) ? wordOf(O.orderHelped(order)) : 0;
      numbers[i] = known.of(order, (own << 16) | helped);
      if (DETAILS * numbers[i] === this.details.length) this.addDetails(order, units);
    }
    return numbers;
  }

  private addDetails(order: O.Order, units: Units): void {
    const { map, details } = this;
    const type = O.orderType(order);
    const location = type === O.WAIVE ? -1 : O.orderLocation(order);
    const made: number[] = [];
    made[UNIT] = location < 0 ? -1 : unitTypeOf(type, units.unitAt(map.locationProvince[location]));
    made[LOCATION] = location;
    made[TYPE] = type;
    made[HELPED] = O.isHelp(order) ? O.orderHelped(order) : -1;
    made[TARGET] = O.hasTarget(order) ? O.orderTarget(order) : -1;
    made[VIA] = O.orderVia(order);
    made[ORDER] = this.orders.texts[FIRST_DETAIL + ORDER]?.placeOf(formatOrder(map, order, units)) ?? 0;
    made[ORDER_ID] = this.indexOf(withoutCoast(map, order));
    details.push(...made);
  }

  /** Hands out the rows that are left. */
  finish(): void {
    this.phases.flush();
    this.orders.flush();
  }
}
