// Table of the games of a shard: summary data for lists, statistics and pages, and a checksum of the shard.
//
//   head     16 words: 'LEPT', version, games, rows, powers, 1 if games name their agents, id of the map, id of the rules,
//            CRC-32 of the shard, 0; then float64: bytes of the shard, number of the shard; 0, 0
//   game     index f64; then, each for all games: bytes in the shard i32, seed i32, phases i32, movement phases i32, first
//            row i32 (one more element: the total number of rows)
//   row      one for each year of a game: key of the last phase played in the year (phase-key.ts) i32
//   game     index of each power's agent in Manifest.agents u16; only in a shard whose games name their agents
//   game     power that won a solo victory i8, -1 for none; then 1 for a draw u8, else 0
//   row      centres of each power after the year, or at the end of the game u8
//   end      CRC-32 of all words before
//
// Numbers have the byte order of the machine that wrote the table; a machine with the other order rejects it. A
// missing, damaged or outdated table is made again by replaying the games of the shard.

import { existsSync, fstatSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { type CompiledMap, DRAW, type Rules, SOLO } from '../../engine/internal.js';
import { hasCode, LepantoError } from '../../engine/rules/error.js';
import * as T from '../../engine/rules/types.js';
import type { GameCourse } from '../games/game-log.js';
import { kindOfKey, NO_KEY, yearOfKey } from '../games/phase-key.js';
import { GameCursor } from './game-cursor.js';
import { findStranger, type RunIdentity, shardName, shardNumber } from './manifest.js';
import { type GamePlace, splitShard } from './record.js';
import { HEADER_SIZE, LENGTH_SIZE } from './record-writer.js';
import { type SizedRun, shardRange } from './run-spec.js';
import { crcOf, readAt, reading } from './shard-file.js';
import { Replay } from './verify.js';
import { settleOnDisk, writeWhole } from './whole-file.js';

/** First four bytes of a table as a number in host byte order: 'LEPT'. */
const MAGIC = 0x5450_454c;
/** Version of the format. Must be increased whenever a column or its meaning changes. */
const VERSION = 1;
const HEAD_BYTES = 64;
const CRC_BYTES = 4;

/** Returns the path of the table of a shard: 'DIR/games-00003.table' for 'DIR/games-00003.lep'. */
export const tablePath = (shard: string): string => shard.replace(/\.lep$/, '.table');

const evenly = (size: number): number => (size + 3) & ~3;

/** Dimensions that determine the lengths of all columns. */
interface Sizes {
  readonly games: number;
  readonly rows: number;
  readonly powers: number;
  readonly isSeated: boolean;
}

/** Columns in file order, each with the type of its elements and a function that returns their number. */
const columnTable = {
  indices: [Float64Array, ({ games }: Sizes) => games],
  lengths: [Int32Array, ({ games }: Sizes) => games],
  seeds: [Int32Array, ({ games }: Sizes) => games],
  phases: [Int32Array, ({ games }: Sizes) => games],
  steps: [Int32Array, ({ games }: Sizes) => games],
  firstRow: [Int32Array, ({ games }: Sizes) => games + 1],
  keys: [Int32Array, ({ rows }: Sizes) => rows],
  seats: [Uint16Array, ({ games, powers, isSeated }: Sizes) => (isSeated ? games * powers : 0)],
  winners: [Int8Array, ({ games }: Sizes) => games],
  draws: [Uint8Array, ({ games }: Sizes) => games],
  centers: [Uint8Array, ({ rows, powers }: Sizes) => rows * powers],
} as const;
type ColumnName = keyof typeof columnTable;
type Column<Name extends ColumnName> = InstanceType<(typeof columnTable)[Name][0]>;
type Columns = { readonly [Name in ColumnName]: Column<Name> };

const columnNames = Object.keys(columnTable) as ColumnName[];

const columnBytes = (name: ColumnName, sizes: Sizes): number => {
  const [of, count] = columnTable[name];
  return evenly(of.BYTES_PER_ELEMENT * count(sizes));
};

/** Returns the size of a table in bytes, without its CRC-32. */
const sizeOf = (sizes: Sizes): number =>
  columnNames.reduce((size, name) => size + columnBytes(name, sizes), HEAD_BYTES);

/**
 * Returns views of the columns of a table.
 * @param buffer table, beginning at its first byte
 * @param sizes dimensions of the table
 */
const columnsIn = (buffer: ArrayBufferLike, sizes: Sizes): Columns => {
  let at = HEAD_BYTES;
  const columns = columnNames.map((name) => {
    const [of, count] = columnTable[name];
    const column = new of(buffer as ArrayBuffer, at, count(sizes));
    at += columnBytes(name, sizes);
    return [name, column];
  });
  return Object.fromEntries(columns) as Columns;
};

/**
 * Table of the games of a shard. Columns are indexed by game or by row; a row is a year of a game. The rows of a game
 * are firstRow[game] (included) to firstRow[game + 1] (excluded).
 */
export class GameTable {
  declare readonly games: number;
  declare readonly powers: number;
  /** `map`: id of the map of the games. `rules`: id of the rules of adjudication of the games. */
  declare readonly map: number;
  declare readonly rules: number;
  /**
   * `crc`: CRC-32 of the shard. `size`: size of the shard in bytes. `shard`: number of the shard in its run, from 0.
   */
  declare readonly crc: number;
  declare readonly size: number;
  declare readonly shard: number;
  declare readonly columns: Columns;

  /**
   * Reads a table.
   * @param bytes the whole table, at the beginning of an ArrayBuffer of its own; it is not copied
   * @throws LepantoError if the table is damaged, or of another version or byte order
   */
  constructor(readonly bytes: Uint8Array) {
    const refuse = (got: string, wanted: string): never => {
      throw new LepantoError('file', `table of games: got ${got}, wanted ${wanted}`);
    };
    const { buffer, byteLength } = bytes;
    if (byteLength < HEAD_BYTES + CRC_BYTES || byteLength % 4 !== 0) refuse(`${byteLength} bytes`, 'a table of games');
    const head = new Int32Array(buffer, 0, HEAD_BYTES / 4);
    const [magic, version, games, rows, powers, seated, map, rules, crc] = head;
    if (magic !== MAGIC || version !== VERSION)
      refuse(`version ${version} after ${magic}`, `${VERSION} after ${MAGIC}`);
    if (games < 0 || rows < 0 || powers < 0 || games + rows > byteLength || powers > T.MAX_POWERS)
      refuse(`${games} games and ${rows} rows of ${powers} powers`, `${byteLength} bytes of them`);
    const sizes = { games, rows, powers, isSeated: seated === 1 };
    const size = sizeOf(sizes);
    if (byteLength !== size + CRC_BYTES) refuse(`${byteLength} bytes`, `${size + CRC_BYTES}`);
    const sum = crc32(bytes.subarray(0, size));
    const written = new Uint32Array(buffer, size, 1)[0];
    if (sum !== written) refuse(`crc32 ${inDigits(sum)}`, inDigits(written));
    this.games = games;
    this.powers = powers;
    this.map = map;
    this.rules = rules >>> 0;
    this.crc = crc >>> 0;
    [this.size, this.shard] = new Float64Array(buffer, 40, 2);
    this.columns = columnsIn(buffer, sizes);
    const { firstRow, lengths } = this.columns;
    const bytesOfGames = lengths.reduce((sum, length) => sum + length + LENGTH_SIZE, HEADER_SIZE);
    if (bytesOfGames !== this.size) refuse(`games of ${bytesOfGames} bytes`, `${this.size}`);
    for (let game = 0; game < games; game++)
      if (firstRow[game] >= firstRow[game + 1] || lengths[game] <= 0) refuse(`game ${game} without rows`, 'some');
    if (firstRow[0] !== 0 || firstRow[games] !== rows) refuse(`rows up to ${firstRow[games]}`, `${rows}`);
  }

  /** True if the games were played on the given map by the given rules. */
  isOf(map: CompiledMap, rules: Rules): boolean {
    return this.map === map.id && this.rules === rules.id && this.powers === map.powerCount;
  }

  /** Returns the indices of the first and the last row of a game, both included. */
  rowsOf(game: number): readonly [first: number, last: number] {
    const { firstRow } = this.columns;
    return [firstRow[game], firstRow[game + 1] - 1];
  }

  /**
   * Returns the number of calendar years from the first to the last phase of a game, both included; 0 for a game
   * without phases.
   */
  yearsOf(game: number): number {
    const { keys } = this.columns;
    const [first, last] = this.rowsOf(game);
    return keys[first] === NO_KEY ? 0 : yearOfKey(keys[last]) - yearOfKey(keys[first]) + 1;
  }

  /** Returns the number of centres at the end of a game, indexed by power. */
  lastCenters(game: number): Uint8Array {
    const [, last] = this.rowsOf(game);
    return this.columns.centers.subarray(last * this.powers, (last + 1) * this.powers);
  }

  /**
   * Returns the agent of each power in a game, as index in Manifest.agents, indexed by power. Undefined if the games do
   * not record agents.
   */
  seatsOf(game: number): Uint16Array | undefined {
    const { seats } = this.columns;
    return seats.length === 0 ? undefined : seats.subarray(game * this.powers, (game + 1) * this.powers);
  }

  /**
   * Returns the byte range of each game in the shard, without the length field before it, in the order of the games.
   */
  places(): GamePlace[] {
    let offset = HEADER_SIZE;
    return Array.from(this.columns.lengths, (length) => {
      const place = { offset: offset + LENGTH_SIZE, length };
      offset += LENGTH_SIZE + length;
      return place;
    });
  }
}

const inDigits = (crc: number): string => crc.toString(16).padStart(8, '0');

// ---- making ----

/** Growable typed array. */
class Growing<A extends Columns[ColumnName]> {
  length = 0;
  constructor(
    private readonly of: new (length: number) => A,
    private list: A = new of(256),
  ) {}

  push(value: number): void {
    if (this.length === this.list.length) {
      const larger = new this.of(2 * this.length);
      larger.set(this.list);
      this.list = larger;
    }
    this.list[this.length++] = value;
  }

  get values(): A {
    return this.list.subarray(0, this.length) as A;
  }
}

/** Builds the table of a shard. For each game: begin(), year() for each year, end(). */
export class GameTableWriter {
  private readonly columns = Object.fromEntries(
    columnNames.map((name) => [name, new Growing(columnTable[name][0] as new (length: number) => Columns[ColumnName])]),
  ) as { readonly [Name in ColumnName]: Growing<Columns[Name]> };

  constructor(
    private readonly map: CompiledMap,
    private readonly rules: Rules,
  ) {}

  /** Number of games that have ended. */
  get games(): number {
    return this.columns.lengths.length;
  }

  /** Begins a game. @param index index of the game in its run @param seats agent of each power (GameCursor.agents) */
  begin(index: number, seed: number, seats?: Uint16Array): void {
    const { indices, seeds, firstRow, keys } = this.columns;
    indices.push(index);
    seeds.push(seed);
    firstRow.push(keys.length);
    for (const seat of seats ?? []) this.columns.seats.push(seat);
  }

  /**
   * Adds a year of the current game. The row of the last year has the centres at the end of the game.
   * @param key key (phase-key.ts) of the last phase played in the year; NO_KEY in a game without phases
   * @param centers number of centres of each power after the year
   * @param first index in `centers` of the number of power 0
   */
  year(key: number, centers: ArrayLike<number>, first = 0): void {
    const { keys, centers: all } = this.columns;
    keys.push(key);
    for (let power = 0; power < this.map.powerCount; power++) all.push(centers[first + power]);
  }

  /**
   * Ends the current game, after the row of its last year.
   * @param phases number of phases of all kinds
   * @param steps number of movement phases
   * @param winner power that won a solo victory; -1 for none
   * @param isDraw true if the game ended as a draw
   * @param length size of the game in the shard in bytes, without the length field before it
   */
  end(phases: number, steps: number, winner: number, isDraw: boolean, length: number): void {
    const { columns } = this;
    columns.phases.push(phases);
    columns.steps.push(steps);
    columns.winners.push(winner);
    columns.draws.push(isDraw ? 1 : 0);
    columns.lengths.push(length);
  }

  /**
   * Adds a game just played, with all its years.
   * @param length size of the game in the shard in bytes, without the length field
   */
  addPlayed(index: number, seed: number, course: GameCourse, length: number): void {
    const { powerCount } = this.map;
    const { yearKeys, centersByYear, phases, steps, winner, isDraw } = course;
    this.begin(index, seed);
    for (let row = 0; row < yearKeys.length; row++) this.year(yearKeys[row], centersByYear, row * powerCount);
    this.end(phases, steps, winner, isDraw, length);
  }

  /**
   * Adds a replayed game.
   * @param game cursor with the open game; it is moved
   * @param replay replay that played this game last
   */
  add(game: GameCursor, replay: Replay): void {
    const centers = new Int32Array(this.map.powerCount);
    const last = game.phases - 1;
    this.begin(game.index, game.seed, game.agents);
    let steps = 0;
    let before = NO_KEY;
    for (let i = 0; i < last; i++) {
      const { key } = game.seek(i);
      if (kindOfKey(key) === T.MOVEMENT) steps++;
      if (i > 0 && yearOfKey(key) !== yearOfKey(before)) {
        replay.at(i).countCenters(centers);
        this.year(before, centers);
      }
      before = key;
    }
    const end = replay.at(last);
    end.countCenters(centers);
    this.year(before, centers);
    this.end(last, steps, end.status === SOLO ? end.winner : -1, end.status === DRAW, game.length);
  }

  /** Adds a copy of a game of another table. @param game index of the game in that table */
  copy(from: GameTable, game: number): void {
    const { indices, seeds, keys, centers, phases, steps, winners, draws, lengths } = from.columns;
    const [first, last] = from.rowsOf(game);
    this.begin(indices[game], seeds[game], from.seatsOf(game));
    for (let row = first; row <= last; row++) this.year(keys[row], centers, row * from.powers);
    this.end(phases[game], steps[game], winners[game], draws[game] === 1, lengths[game]);
  }

  /**
   * Returns the finished table. Must be called only once.
   * @param number number of the shard
   * @param crc CRC-32 of the shard
   */
  table(number = 0, crc = 0): GameTable {
    const { map, rules, games, columns } = this;
    const size = columns.lengths.values.reduce((sum, length) => sum + length + LENGTH_SIZE, HEADER_SIZE);
    const rows = columns.keys.length;
    columns.firstRow.push(rows);
    const sizes = { games, rows, powers: map.powerCount, isSeated: columns.seats.length > 0 };
    const length = sizeOf(sizes);
    const bytes = new Uint8Array(length + CRC_BYTES);
    const { buffer } = bytes;
    const seated = sizes.isSeated ? 1 : 0;
    new Int32Array(buffer, 0, 10).set([MAGIC, VERSION, games, rows, map.powerCount, seated, map.id, rules.id, crc, 0]);
    new Float64Array(buffer, 40, 2).set([size, number]);
    const written = columnsIn(buffer, sizes);
    for (const name of columnNames) written[name].set(columns[name].values);
    new Uint32Array(buffer, length, 1)[0] = crc32(bytes.subarray(0, length));
    return new GameTable(bytes);
  }
}

/** Builds the table of a shard by replaying its games, from the whole shard or from pieces of it. */
export class ShardReplay {
  private readonly table = new GameTableWriter(this.map, this.rules);
  private readonly replay = new Replay(this.map, this.rules);
  private readonly cursor = new GameCursor();
  private isBegun = false;
  private crc = 0;

  /**
   * Begins a table without games.
   * @param number number of the shard in its run
   * @param isTrusted true to skip the checks of orders and results, for games just played or from a file known to be
   *   intact
   */
  constructor(
    private readonly map: CompiledMap,
    private readonly rules: Rules,
    private readonly number: number,
    private readonly isTrusted: boolean,
  ) {}

  private add(game: Uint8Array, where: string): void {
    const { cursor, replay, isTrusted } = this;
    const difference = replay.play(cursor.open(game, where), { isTrusted });
    if (difference !== null)
      throw new LepantoError('record', `game ${cursor.index}, ${difference.phase}: ${difference.what}`);
    this.table.add(cursor, replay);
  }

  /**
   * Adds the next piece of a shard, made of whole games. The first piece begins with the head of the shard.
   * @throws LepantoError if a game is malformed or breaks the rules
   */
  take(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = this.isBegun ? 0 : HEADER_SIZE;
    this.isBegun = true;
    while (at < bytes.length) {
      const end = at + LENGTH_SIZE + view.getUint32(at, true);
      this.add(bytes.subarray(at + LENGTH_SIZE, end), 'game');
      at = end;
    }
    this.crc = crc32(bytes, this.crc);
  }

  /**
   * Adds all games of a shard.
   * @param bytes whole shard
   * @param name name of the shard in error messages
   * @throws LepantoError if a game is malformed or breaks the rules
   */
  takeAll(bytes: Uint8Array, name: string): this {
    for (const game of splitShard(bytes, name)) this.add(game, name);
    this.crc = crc32(bytes);
    return this;
  }

  finish(): GameTable {
    return this.table.table(this.number, this.crc);
  }
}

/**
 * Makes the table of a shard by replaying its games.
 * @param path path of the shard; the number of the shard is read from it
 * @param bytes whole shard
 * @returns null if a game is malformed or does not follow from its orders by the rules
 */
export const makeTable = (map: CompiledMap, rules: Rules, path: string, bytes: Uint8Array): GameTable | null => {
  try {
    return new ShardReplay(map, rules, shardNumber(path) ?? 0, false).takeAll(bytes, path).finish();
  } catch (error) {
    if (hasCode(error, 'record')) return null;
    throw error;
  }
};

/** True if a table from another machine belongs to a shard: same map, rules, number, size in bytes and CRC-32. */
export const isTableOf = (
  table: GameTable | null,
  of: { map: CompiledMap; rules: Rules; shard: number; size: number; crc: number },
): table is GameTable =>
  table?.isOf(of.map, of.rules) === true && table.shard === of.shard && table.size === of.size && table.crc === of.crc;

/**
 * Compares the games of a table with the games that the run has in this shard. Returns the first difference as text, or
 * null if there is none.
 */
export const strayIn = (run: RunIdentity & SizedRun, table: GameTable): string | null => {
  const [begin, end] = shardRange(run, table.shard);
  const { indices, seeds } = table.columns;
  if (table.games !== end - begin) return `got ${table.games} games, wanted ${end - begin}`;
  for (let game = 0; game < table.games; game++) {
    if (indices[game] !== begin + game) return `got game ${indices[game]}, wanted ${begin + game}`;
    const identity = { index: indices[game], seed: seeds[game], agents: table.seatsOf(game) };
    const stranger = findStranger(run, identity);
    if (stranger !== null) return stranger;
  }
  return null;
};

// ---- next to a shard ----

/** Maximum size of a table in bytes. A table of a million games has about a hundred million. */
const MAX_TABLE = 1 << 30;

/**
 * Reads the table of a shard without checking the shard. Returns null if the table is missing or damaged.
 * @param shard path of the shard
 */
export const readTable = (shard: string): GameTable | null => {
  const path = tablePath(shard);
  if (shardNumber(shard) === null || !existsSync(path)) return null;
  try {
    const bytes = reading(path, (fd) => {
      const found = fstatSync(fd);
      return found.isFile() && found.size <= MAX_TABLE ? new Uint8Array(readAt(fd, 0, found.size)) : new Uint8Array(0);
    });
    return new GameTable(bytes);
  } catch {
    return null;
  }
};

/**
 * Compares number, size and CRC-32 of a shard with its table. Returns the first difference as text, or null if they
 * match.
 * @param path path of the shard
 * @throws LepantoError if the shard cannot be opened
 */
export const findDamage = (path: string, table: GameTable): string | null => {
  const [name, by] = [basename(path), basename(tablePath(path))];
  if (table.shard !== shardNumber(path)) return `got the table of ${shardName(table.shard)}, wanted that of ${name}`;
  return reading(path, (fd) => {
    const { size } = fstatSync(fd);
    if (size !== table.size) return `got ${size} bytes, wanted ${table.size} by ${by}`;
    const crc = crcOf(fd, size);
    return crc === table.crc ? null : `got crc32 ${inDigits(crc)}, wanted ${inDigits(table.crc)} by ${by}`;
  });
};

/**
 * Reads the table of a shard and checks the shard against it. Does not throw.
 * @param path path of the shard
 * @returns the table if both are sound; null if the table is missing or damaged or the shard is missing; the reason as
 *   text if the shard is damaged or unreadable
 */
export const soundTable = (path: string): GameTable | string | null => {
  try {
    const table = readTable(path);
    return table === null || !existsSync(path) ? null : (findDamage(path, table) ?? table);
  } catch (error) {
    return (error as Error).message;
  }
};

/**
 * Removes the table of a shard, if there is one. Called before the shard is replaced, so that no table ever lies next
 * to a shard of other games.
 * @param shard path of the shard
 */
export const removeTable = (shard: string): void => rmSync(tablePath(shard), { force: true });

/**
 * Writes the table of a shard. Flushes the shard to disk first, so that a power cut leaves no table next to an empty
 * shard.
 * @param path path of the shard
 * @param table bytes of the table
 * @throws LepantoError that names the file that cannot be written
 */
export const sealShard = async (path: string, table: Uint8Array): Promise<void> => {
  await settleOnDisk(path);
  writeWhole(tablePath(path), table);
};
