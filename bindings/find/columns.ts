// The index of a shard: its games, and for each phase the orders of all games, as columns of numbers.
//
//   games   a table of the games that match their replay (selfplay/records/game-table.ts)
//   phase   n, orders, convoys, 0; game i32[n], ascending; first order i32[n + 1]; position i32[2n];
//           by order: packed order i32; by convoy: index of the army's order i32, fleets i32;
//           by order: unit u8, outcome u8
//
// A game is referred to by its index in the table. The outcome is that of the record. The convoys are those of armies
// that arrived by convoy, each with the smallest number of its fleets that would have sufficed. Numbers have the native
// byte order.

import { resultIn } from '../../engine/adjudicate/order-results.js';
import {
  adjudicate,
  BUILD_FLEET,
  CONVOY,
  cheapestChain,
  DISLODGED_SIZE,
  type Game,
  hashGame,
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
import { kindOfKey } from '../../selfplay/games/phase-key.js';
import type { GameCursor } from '../../selfplay/records/game-cursor.js';
import { GameTable, GameTableWriter } from '../../selfplay/records/game-table.js';
import { type FoundRecord, recordsOf, type Source, verified } from '../formats/games/recorded-run.js';
import type { Fault } from '../formats/games/shard-tasks.js';

/** Number of 32-bit words before the columns of a phase. */
const HEAD = 4;
const HEAD_BYTES = 4 * HEAD;

/** Thrown for a damaged index of games. It can be made again from the records. */
export class DamagedIndex extends LepantoError {
  constructor(message: string) {
    super('file', message);
  }
}

const damaged = (what: string): never => {
  throw new DamagedIndex(`the index is damaged: ${what}`);
};

/**
 * Reads the table of games in an index.
 * @throws DamagedIndex if it is not a table of games on the map and with the rules of the source
 */
export const readGames = (bytes: Uint8Array, { map, rules }: Source): GameTable => {
  let table: GameTable;
  try {
    table = new GameTable(new Uint8Array(bytes));
  } catch (error) {
    return damaged((error as Error).message);
  }
  return table.isOf(map, rules.adjudication) ? table : damaged(`got ${table.powers} powers, wanted ${map.powerCount}`);
};

/** Numbers of elements, which determine the layout of a phase's columns. */
interface PhaseSizes {
  readonly games: number;
  readonly orders: number;
  readonly convoys: number;
}

const bytesOf = ({ games, orders, convoys }: PhaseSizes): number =>
  HEAD_BYTES + 4 * (4 * games + 1 + orders + 2 * convoys) + 2 * orders;

/** Returns the columns of a phase as views of memory. @param bytes memory of the phase, aligned to 4 bytes */
const columnsIn = ({ buffer, byteOffset }: Uint8Array, { games, orders, convoys }: PhaseSizes) => {
  let at = byteOffset + HEAD_BYTES;
  const take = <A>(
    of: { new (buffer: ArrayBufferLike, at: number, length: number): A; BYTES_PER_ELEMENT: number },
    length: number,
  ): A => {
    const begin = at;
    at += of.BYTES_PER_ELEMENT * length;
    return new of(buffer, begin, length);
  };
  return {
    games: take(Int32Array, games),
    /** Index in `orders` of each game's first order, and last the number of all orders. */
    firstOrder: take(Int32Array, games + 1),
    /** Hash of each game's position at the start of the phase: two numbers per game, at index 2 * i. */
    positions: take(Int32Array, 2 * games),
    orders: take(Int32Array, orders),
    /** Two numbers per convoy: index in `orders` of the convoyed army's order, and number of fleets. */
    convoys: take(Int32Array, 2 * convoys),
    units: take(Uint8Array, orders),
    outcomes: take(Uint8Array, orders),
  };
};

/** Columns of a phase: its games, with positions, orders, convoys, ordered units and outcomes. */
export type PhaseColumns = ReturnType<typeof columnsIn>;

/** Reads the columns of a phase. @throws DamagedIndex if they are inconsistent */
export const readPhaseColumns = (bytes: Uint8Array): PhaseColumns => {
  const [games, orders, convoys] = new Int32Array(bytes.buffer, bytes.byteOffset, HEAD);
  const sizes = { games, orders, convoys };
  if (Math.min(games, orders, convoys) < 0 || bytesOf(sizes) !== bytes.length)
    damaged(`got ${bytes.length} bytes, wanted ${bytesOf(sizes)}`);
  const columns = columnsIn(bytes, sizes);
  const { firstOrder } = columns;
  const isFalling = firstOrder.some((start, i) => i > 0 && start < firstOrder[i - 1]);
  return isFalling || firstOrder[0] !== 0 || firstOrder[games] !== orders ? damaged('orders of games') : columns;
};

// ---- writing ----

/** Columns of a phase as growing lists, while games are added. */
type GrowingPhase = Readonly<Record<keyof PhaseColumns, number[]>>;

const packPhase = (of: GrowingPhase): Uint8Array => {
  const sizes = { games: of.games.length, orders: of.orders.length, convoys: of.convoys.length / 2 };
  const bytes = new Uint8Array(bytesOf(sizes));
  new Int32Array(bytes.buffer, 0, HEAD).set(Object.values(sizes));
  for (const [name, column] of Object.entries(columnsIn(bytes, sizes))) column.set(of[name as keyof PhaseColumns]);
  return bytes;
};

/**
 * Returns a hash of a position, as two numbers. It depends on units, centres, dislodged units and the season, but not
 * on the year or the possible retreats.
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

/**
 * Returns the unit that a packed order is for, in one byte: the unit on the board, or the unit to be built. For a
 * waive, any unit of the power that waives.
 */
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

/**
 * Returns the armies that arrived by convoy in a movement phase. place: index of the army's order; fleets: the smallest
 * number of its convoying fleets that would have sufficed.
 * @param game position before the orders; not modified
 * @param outcomes results of the orders
 */
const convoysIn = (game: Game, orders: Int32Array, outcomes: Uint8Array): [place: number, fleets: number][] => {
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

/** Index of a shard, as bytes of columns. games: its table of games. */
export interface ShardColumns {
  readonly games: Uint8Array;
  /** Columns of each phase, ascending by the number of the phase (selfplay/games/phase-key.ts). */
  readonly phases: readonly (readonly [key: number, columns: Uint8Array])[];
  /** Problems found while indexing, at most MOST_FAULTS. */
  readonly faults: readonly Fault[];
}

/** Builds the index of a shard, game by game. */
class ShardBuilder {
  private readonly table = new GameTableWriter(this.source.map, this.source.rules.adjudication);
  private readonly phases = new Map<number, GrowingPhase>();
  readonly faults: Fault[] = [];

  constructor(readonly source: Source) {}

  private addPhase(game: Game, { key, orders, results: outcomes, count }: GameCursor): void {
    const to: GrowingPhase = this.phases.get(key) ?? {
      ...{ games: [], firstOrder: [], positions: [], orders: [], convoys: [], units: [], outcomes: [] },
    };
    this.phases.set(key, to);
    if (kindOfKey(key) === T.MOVEMENT)
      for (const [place, fleets] of convoysIn(game, orders.subarray(0, count), outcomes))
        to.convoys.push(to.orders.length + place, fleets);
    to.games.push(this.table.games);
    to.firstOrder.push(to.orders.length);
    to.positions.push(...hashPosition(game));
    for (let i = 0; i < count; i++) {
      to.orders.push(orders[i]);
      to.units.push(unitOf(game, orders[i]));
      to.outcomes.push(outcomes[i]);
    }
  }

  /** Adds a game. @throws LepantoError if its record does not match its replay */
  add(game: GameCursor): void {
    const replay = verified(this.source, game);
    for (let i = 0; i + 1 < game.phases; i++) this.addPhase(replay.at(i), game.seek(i));
    this.table.add(game, replay);
  }

  /** Returns the columns of all added games. To be called once, after the last game. */
  columns(): ShardColumns {
    const phases = [...this.phases].sort(([a], [b]) => a - b);
    for (const [, of] of phases) of.firstOrder.push(of.orders.length);
    return {
      games: this.table.table().bytes,
      phases: phases.map(([key, of]) => [key, packPhase(of)]),
      faults: this.faults,
    };
  }
}

/** Maximum number of problems that are kept for a shard. */
const MOST_FAULTS = 20;

/**
 * Indexes the games of a shard and yields after each game, so that other work can be done. Games that cannot be read or
 * do not match their replay are left out and become faults.
 * @param file path of the shard
 * @param gamesOf returns the games of the shard; default: the games in a file of records
 * @returns the columns of the shard
 */
export function* indexShard(
  source: Source,
  file: string,
  gamesOf: (source: Source) => Iterable<FoundRecord> = recordsOf,
): Generator<undefined, ShardColumns> {
  const alone = { ...source, path: file, files: [file] };
  const builder = new ShardBuilder(alone);
  const { faults } = builder;
  const note = (text: string, missing: boolean): void => {
    if (faults.length < MOST_FAULTS) faults.push([text, missing]);
  };
  for (const { where, game, error, missing } of gamesOf(alone)) {
    try {
      if (game === null) note(`${where}: ${error}`, missing);
      else builder.add(game);
    } catch (problem) {
      note((problem as Error).message, false);
    }
    yield;
  }
  return builder.columns();
}
