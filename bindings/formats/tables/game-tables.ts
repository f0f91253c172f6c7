// Recorded games as two tables: one row for each phase, and one for each order with its result.
//
// A column has numbers or texts. Cells of a column with `names` are indices of names, -1 for none; files have the names.

import { fateIn, resultIn } from '../../../engine/adjudicate/order-results.js';
import {
  COMPLETED,
  type CompiledMap,
  fates,
  Game,
  ordererOf,
  type Rules,
  resultNames,
  vocabulary,
} from '../../../engine/internal.js';
import { formatOrder, orderedUnits } from '../../../engine/notation/text/index.js';
import { withoutCoast } from '../../../engine/notation/text/vocabulary-text.js';
import { LepantoError } from '../../../engine/rules/error.js';
import * as O from '../../../engine/rules/order.js';
import { loadState, type PhaseRecord } from '../../../selfplay/games/game-record.js';
import { agentsIn, type Source } from '../games/recorded-run.js';
import type { Replayed } from '../games/replay-raw.js';

/** i1 to i4 are whole numbers of so many bytes, f4 is a float32. */
export type CellType = 'i1' | 'i2' | 'i4' | 'f4' | 'text';

export interface Column {
  readonly name: string;
  readonly type: CellType;
  /** The names of its numbers; -1 is none of them. */
  readonly names?: readonly string[];
}

/** The values of a column: numbers, or texts. */
export type Cells = readonly (number | string)[];

export const tableNames = ['phases', 'orders'] as const;
export type TableName = (typeof tableNames)[number];

/** Where the rows of a table go. */
export interface TableWriter {
  /** Takes rows, given by column; all columns are as long. */
  write(cells: readonly Cells[]): void;
}

/** Rows that are kept until they are written together. */
const ROWS = 1 << 16;

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

/** Rows of one table, by column. */
class Rows {
  declare private cells: (number | string)[][];

  constructor(
    columns: readonly Column[],
    private readonly writer: TableWriter,
  ) {
    this.cells = columns.map(() => []);
  }

  add(...row: readonly (number | string)[]): void {
    for (let c = 0; c < row.length; c++) this.cells[c].push(row[c]);
    if (this.cells[0].length === ROWS) this.flush();
  }
  flush(): void {
    if (this.cells[0].length > 0) this.writer.write(this.cells);
    this.cells = this.cells.map(() => []);
  }
}

/** Makes rows of games. */
export class GameTables {
  declare private readonly phases: Rows;
  declare private readonly orders: Rows;
  declare private readonly game: Game;
  declare private readonly end: Game;
  private readonly names = agentNames(this.manifest);
  /** By power, of the game that is added; -1 for one that is not known. */
  private agents: readonly number[] = [];
  private readonly centers = new Int32Array(this.map.powerCount);
  private readonly units = new Int32Array(this.map.powerCount);

  constructor(
    private readonly map: CompiledMap,
    rules: Rules,
    private readonly manifest: Manifest,
    writers: Readonly<Record<TableName, TableWriter>>,
  ) {
    const columns = columnsOf(map, this.manifest);
    this.phases = new Rows(columns.phases, writers.phases);
    this.orders = new Rows(columns.orders, writers.orders);
    this.game = new Game(map, rules);
    this.end = new Game(map, rules);
  }

  /** @throws LepantoError for a game on another map */
  add(map: CompiledMap, { id, record }: Replayed): void {
    if (map.id !== this.map.id)
      throw new LepantoError(
        'record',
        `game ${record.index}: got the map ${map.name}, wanted ${this.map.name} as in those before`,
      );
    const { game, end } = this;
    const agents = agentsIn({ manifest: this.manifest }, record);
    this.agents = map.powerNames.map((_, power) => this.names.indexOf(agents[power]));
    loadState(end, record.phases[record.phases.length - 1].state);
    for (const [index, phase] of record.phases.entries()) {
      loadState(game, phase.state);
      const isEnd = phase.phase === COMPLETED;
      const where = [record.index, index, phase.phase, game.year, isEnd ? -1 : game.season, isEnd ? -1 : game.phase];
      game.countCenters(this.centers);
      game.countUnits(this.units);
      this.phases.add(
        ...where,
        id,
        record.seed,
        end.winner,
        ...this.agents,
        ...this.centers,
        ...this.units,
        ...record.scores.sum_of_squares,
      );
      this.addOrders(where, phase);
    }
  }

  private addOrders(where: readonly (number | string)[], { orders, results }: PhaseRecord): void {
    const { game, map } = this;
    const units = orderedUnits(game);
    const { indexOf } = vocabulary(map);
    for (const [i, order] of orders.entries()) {
      const type = O.orderType(order);
      const power = ordererOf(game, order);
      const location = type === O.WAIVE ? -1 : O.orderLocation(order);
      this.orders.add(
        ...where,
        power,
        this.agents[power] ?? -1,
        location < 0 ? -1 : unitTypeOf(type, units.unitAt(map.locationProvince[location])),
        location,
        type,
        O.isHelp(order) ? O.orderHelped(order) : -1,
        O.hasTarget(order) ? O.orderTarget(order) : -1,
        O.orderVia(order),
        formatOrder(map, order, units),
        indexOf(withoutCoast(map, order)),
        resultIn(results[i]),
        fateIn(results[i]),
      );
    }
  }

  /** Writes the rows that are left. */
  finish(): void {
    this.phases.flush();
    this.orders.flush();
  }
}
