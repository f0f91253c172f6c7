// The index of a shard: what its games were, and for each phase what was ordered in which game, as columns of numbers.
//
//   games   n, rows, powers, 0; number f64[n]; first row i32[n + 1]; winner i32[n]; by power: place of its agent among those
//           of the manifest i32; by row: phase i32, centres u8[powers]
//   phase   n, orders, convoys, 0; game i32[n], ascending; first order i32[n + 1]; position i32[2n];
//           by order: packed order i32; by convoy: place of the army's order i32, fleets i32; by order: unit u8, outcome u8
//
// A game is named by its place in the shard. A row has the centres after a year, or at the end of the game, and the last
// phase before. The outcome is that of the record. A convoy is that of an army which arrived by it, with the fewest of its
// fleets that could have brought it. The numbers have the order of bytes of the machine.

import { resultIn } from '../../engine/adjudicate/order-results.js';
import {
  adjudicate,
  BUILD_FLEET,
  COMPLETED,
  CONVOY,
  cheapestChain,
  DISLODGED_SIZE,
  Game,
  hashGame,
  isMovementName,
  MOVE,
  makeResults,
  ordererOf,
  orderHelped,
  orderLocation,
  orderTarget,
  orderType,
  RETREAT,
  SUCCEEDS,
} from '../../engine/internal.js';
import { orderedUnits } from '../../engine/notation/text/index.js';
import { LepantoError } from '../../engine/rules/error.js';
import * as T from '../../engine/rules/types.js';
import { type GameRecord, loadState, type PhaseRecord } from '../../selfplay/games/game-record.js';
import { courseOf, yearOf } from '../../selfplay/records/summary.js';
import { recordsOf, type Source, wholeRecord } from '../formats/games/recorded-run.js';
import { keyOf } from './phase-keys.js';

// ---- reading ----

const HEAD = 4;
const HEAD_BYTES = 4 * HEAD;

/** Thrown for an index that is not as it was written. */
export class DamagedIndex extends LepantoError {
  constructor(message: string) {
    super('file', message);
  }
}

const damaged = (what: string): never => {
  throw new DamagedIndex(`the index is damaged: ${what}`);
};

/** True if numbers go from 0 to `end` and never fall. */
const areStarts = (starts: Int32Array, end: number): boolean => {
  if (starts[0] !== 0 || starts[starts.length - 1] !== end) return false;
  for (let i = 1; i < starts.length; i++) if (starts[i] < starts[i - 1]) return false;
  return true;
};

/** Takes columns from bytes one after the other. */
class Cursor {
  private at = HEAD_BYTES;
  readonly head: Int32Array = new Int32Array(this.bytes.buffer, this.bytes.byteOffset, HEAD);

  /** @param bytes at a multiple of 8 in their buffer */
  constructor(readonly bytes: Uint8Array) {}

  take<A>(
    of: { new (buffer: ArrayBufferLike, at: number, length: number): A; BYTES_PER_ELEMENT: number },
    n: number,
  ): A {
    const begin = this.at;
    this.at += n * of.BYTES_PER_ELEMENT;
    if (!(n >= 0) || this.at > this.bytes.length) return damaged(`got ${this.bytes.length} bytes, wanted ${this.at}`);
    return new of(this.bytes.buffer, this.bytes.byteOffset + begin, n);
  }
}

export interface GameColumns {
  readonly count: number;
  readonly numbers: Float64Array;
  /** By game, and the end of all. */
  readonly firstRow: Int32Array;
  /** Power that won alone; -1 if none did. */
  readonly winners: Int32Array;
  /** By game and power: place of its agent among those of the manifest. */
  readonly agents: Int32Array;
  readonly rowPhases: Int32Array;
  readonly centers: Uint8Array;
}

/** @throws LepantoError for columns that do not fit together */
export const readGameColumns = (bytes: Uint8Array, powers: number): GameColumns => {
  const cursor = new Cursor(bytes);
  const [count, rows, had] = cursor.head;
  if (had !== powers) damaged(`got ${had} powers, wanted ${powers}`);
  const columns = {
    count,
    numbers: cursor.take(Float64Array, count),
    firstRow: cursor.take(Int32Array, count + 1),
    winners: cursor.take(Int32Array, count),
    agents: cursor.take(Int32Array, count * powers),
    rowPhases: cursor.take(Int32Array, rows),
    centers: cursor.take(Uint8Array, rows * powers),
  };
  return areStarts(columns.firstRow, rows) ? columns : damaged('rows of centres');
};

export interface PhaseColumns {
  readonly games: Int32Array;
  /** By game, and the end of all. */
  readonly firstOrder: Int32Array;
  /** Two numbers of each game. */
  readonly positions: Int32Array;
  readonly orders: Int32Array;
  readonly units: Uint8Array;
  readonly outcomes: Uint8Array;
  /** Two numbers of each. */
  readonly convoys: Int32Array;
}

/** @throws LepantoError for columns that do not fit together */
export const readPhaseColumns = (bytes: Uint8Array): PhaseColumns => {
  const cursor = new Cursor(bytes);
  const [n, orders, convoys] = cursor.head;
  const columns = {
    games: cursor.take(Int32Array, n),
    firstOrder: cursor.take(Int32Array, n + 1),
    positions: cursor.take(Int32Array, 2 * n),
    orders: cursor.take(Int32Array, orders),
    convoys: cursor.take(Int32Array, 2 * convoys),
    units: cursor.take(Uint8Array, orders),
    outcomes: cursor.take(Uint8Array, orders),
  };
  return areStarts(columns.firstOrder, orders) ? columns : damaged('orders of games');
};

// ---- writing ----

type Column = Float64Array | Int32Array | Uint8Array;

const pack = (head: readonly number[], columns: readonly Column[]): Uint8Array => {
  const size = columns.reduce((sum, { byteLength }) => sum + byteLength, HEAD_BYTES);
  const out = new Uint8Array((size + 7) & ~7);
  new Int32Array(out.buffer, 0, HEAD).set(head);
  let at = HEAD_BYTES;
  for (const { buffer, byteOffset, byteLength } of columns) {
    out.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return out;
};

interface GrowingPhase {
  readonly games: number[];
  readonly firstOrder: number[];
  readonly positions: number[];
  readonly orders: number[];
  readonly convoys: number[];
  readonly units: number[];
  readonly outcomes: number[];
}

/**
 * Two numbers that are the same for equal units, centres and dislodged units in the same season, in any year. Where units
 * may retreat to follows from more than that.
 */
export const hashPosition = (game: Game): [number, number] => {
  const { layout, bytes } = game;
  const plain = game.clone();
  plain.year = 0;
  plain.status = T.PLAYING;
  plain.winner = -1;
  plain.bytes.fill(0, layout.contested, layout.dislodged);
  for (let i = 0, at = layout.dislodged; i < game.dislodgedCount; i++, at += DISLODGED_SIZE)
    plain.bytes[at + DISLODGED_SIZE - 1] = bytes[game.offset + at];
  return hashGame(plain);
};

/** The unit that an order is for or builds, in one byte; of a waive it names the power. */
const unitOf = (game: Game, order: number): number => {
  const { map, phase } = game;
  if (phase === T.ADJUSTMENT) {
    const power = ordererOf(game, order);
    if (orderType(order) === BUILD_FLEET) return T.makeUnit(power, T.FLEET);
    const there = game.unitAt(map.locationProvince[orderLocation(order)]);
    return there === T.NO_UNIT || T.unitPower(there) !== power ? T.makeUnit(power, T.ARMY) : there;
  }
  const province = map.locationProvince[orderLocation(order)];
  return phase === RETREAT ? orderedUnits(game).unitAt(province) : game.unitAt(province);
};

const results = makeResults();

/** Armies that arrived by convoy: the place of each order, and the fewest fleets that could have brought it. */
const convoysIn = (game: Game, { orders, results: outcomes }: PhaseRecord): [place: number, fleets: number][] => {
  const { map } = game;
  const { locationProvince } = map;
  const fleets = orders.filter((order) => orderType(order) === CONVOY);
  if (fleets.length === 0) return [];
  const after = game.clone();
  adjudicate(after, orders, orders.length, results);
  return [...orders.entries()].flatMap(([place, order]): [number, number][] => {
    const [from, to] = [locationProvince[orderLocation(order)], locationProvince[orderTarget(order)]];
    if (orderType(order) !== MOVE || resultIn(outcomes[place]) !== SUCCEEDS || results.convoyed[from] !== 1) return [];
    const own = fleets.filter((fleet) => orderHelped(fleet) === from && locationProvince[orderTarget(fleet)] === to);
    const places = new Set(own.map((fleet) => locationProvince[orderLocation(fleet)]));
    const isThere = (p: T.Province): number =>
      places.has(p) && results.result[p] === T.AVAILABLE ? 1 : Number.POSITIVE_INFINITY;
    return [[place, cheapestChain(map, from, to, isThere)?.length ?? 1]];
  });
};

/** What is wrong with a shard, and whether it is only that games are missing. */
export type Fault = readonly [text: string, missing: boolean];

/** The columns of a shard. */
export interface ShardColumns {
  readonly games: Uint8Array;
  /** By phase, ascending. */
  readonly phases: readonly (readonly [key: number, columns: Uint8Array])[];
  readonly faults: readonly Fault[];
}

class ShardBuilder {
  private readonly game = new Game(this.source.map, this.source.rules.adjudication);
  private readonly numbers: number[] = [];
  private readonly firstRow: number[] = [];
  private readonly winners: number[] = [];
  private readonly agents: number[] = [];
  private readonly rowPhases: number[] = [];
  private readonly centers: number[] = [];
  private readonly phases = new Map<number, GrowingPhase>();
  readonly faults: Fault[] = [];

  constructor(readonly source: Source) {}

  private addRow(key: number): void {
    const counts = new Uint8Array(this.game.map.powerCount);
    this.game.countCenters(counts);
    this.rowPhases.push(key);
    this.centers.push(...counts);
  }

  private addPhase(phase: PhaseRecord, at: number): number {
    const { game } = this;
    const key = keyOf(game.year, game.season, game.phase);
    const to: GrowingPhase = this.phases.get(key) ?? {
      ...{ games: [], firstOrder: [], positions: [], orders: [], convoys: [], units: [], outcomes: [] },
    };
    this.phases.set(key, to);
    const { orders, results: outcomes } = phase;
    if (isMovementName(phase.phase))
      for (const [place, fleets] of convoysIn(game, phase)) to.convoys.push(to.orders.length + place, fleets);
    to.games.push(at);
    to.firstOrder.push(to.orders.length);
    to.positions.push(...hashPosition(game));
    for (let i = 0; i < orders.length; i++) {
      to.orders.push(orders[i]);
      to.units.push(unitOf(game, orders[i]));
      to.outcomes.push(outcomes[i]);
    }
    return key;
  }

  add(record: GameRecord): void {
    const { game } = this;
    const { winner } = courseOf(game, record);
    const at = this.numbers.push(record.index) - 1;
    this.firstRow.push(this.rowPhases.length);
    this.winners.push(winner);
    this.agents.push(...(record.agents ?? this.game.map.powerNames.keys()));
    let key = 0;
    let year = 0;
    for (const phase of record.phases) {
      loadState(game, phase.state);
      const now = phase.phase === COMPLETED ? Number.POSITIVE_INFINITY : yearOf(phase.phase);
      if (now !== year && key > 0) this.addRow(key);
      if (phase.phase !== COMPLETED) key = this.addPhase(phase, at);
      year = now;
    }
  }

  columns(): ShardColumns {
    const { numbers, winners, rowPhases, centers, faults } = this;
    const ints = (list: readonly number[], end?: number): Int32Array =>
      Int32Array.from(end === undefined ? list : [...list, end]);
    const bytes = (list: readonly number[]): Uint8Array => Uint8Array.from(list);
    const games = pack(
      [numbers.length, rowPhases.length, this.game.map.powerCount, 0],
      [
        ...[Float64Array.from(numbers), ints(this.firstRow, rowPhases.length), ints(winners)],
        ...[ints(this.agents), ints(rowPhases)],
        bytes(centers),
      ],
    );
    const phases = [...this.phases]
      .sort(([a], [b]) => a - b)
      .map(([key, of]): [number, Uint8Array] => {
        const head = [of.games.length, of.orders.length, of.convoys.length / 2, 0];
        const columns = [
          ...[ints(of.games), ints(of.firstOrder, of.orders.length), ints(of.positions), ints(of.orders)],
          ...[ints(of.convoys), bytes(of.units), bytes(of.outcomes)],
        ];
        return [key, pack(head, columns)];
      });
    return { games, phases, faults };
  }
}

/** So many faults of a shard are kept. */
const MOST_FAULTS = 20;

/** Indexes the games of a shard that follow from their orders, one after the other. */
export function* indexShard(source: Source, file: string): Generator<undefined, ShardColumns> {
  const alone = { ...source, path: file, files: [file] };
  const builder = new ShardBuilder(alone);
  const { faults } = builder;
  const note = (text: string, missing: boolean): void => {
    if (faults.length < MOST_FAULTS) faults.push([text, missing]);
  };
  for (const { where, game, error, missing } of recordsOf(alone)) {
    try {
      if (game === null) note(`${where}: ${error}`, missing);
      else builder.add(wholeRecord(source, game));
    } catch (problem) {
      note((problem as Error).message, false);
    }
    yield;
  }
  return builder.columns();
}
