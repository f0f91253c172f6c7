// The table of games next to a shard: what lists, statistics and pages need of each game, and what tells whether the
// shard is as it was written.
//
//   head     16 words: 'LEPT', version, games, rows, powers, 1 if games name their agents, id of the map, id of the rules,
//            CRC-32 of the shard, 0; then float64: bytes of the shard, number of the shard; 0, 0
//   game     index f64; then, each for all games: bytes in the shard i32, seed i32, phases i32, movement phases i32, first row
//            i32 (and the end of the rows)
//   row      one for each year of a game: key of the last phase that was played in it (phase-key.ts) i32
//   game     by power: place of its agent among the agents of the manifest u16, only where games name their agents
//   game     power that won alone i8, -1 for none; then 1 for a draw u8
//   row      centres of each power after the year, or at the end of the game u8
//   end      CRC-32 of all words before
//
// The numbers have the order of bytes of the machine: on another one a table is as good as none. A table that is missing,
// damaged or of another version is made again from the shard, by playing its games.
import { existsSync, fstatSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { type CompiledMap, DRAW, type Rules, SOLO } from '../../engine/internal.js';
import { hasCode, LepantoError } from '../../engine/rules/error.js';
import * as T from '../../engine/rules/types.js';
import type { GameCourse } from '../games/game-log.js';
import { kindOfKey, NO_KEY, yearOfKey } from '../games/phase-key.js';
import { GameCursor } from './game-cursor.js';
import { findStranger, type RunIdentity } from './manifest.js';
import { type GamePlace, shardName, splitShard } from './record.js';
import { HEADER_SIZE, LENGTH_SIZE } from './record-writer.js';
import { type SizedRun, shardRange } from './run-spec.js';
import { crcOf, readAt, reading, shardNumber } from './shard-file.js';
import { Replay } from './verify.js';
import { settleOnDisk, writeWhole } from './whole-file.js';

/** 'LEPT' in the order of bytes of the machine. */
const MAGIC = 0x5450_454c;
/** Raised with every change of the columns or of their meaning. */
const VERSION = 1;
const HEAD_BYTES = 64;
const CRC_BYTES = 4;

/** 'DIR/games-00003.table' */
export const tablePath = (shard: string): string => shard.replace(/\.lep$/, '.table');

const evenly = (size: number): number => (size + 3) & ~3;

/** Numbers that all columns follow from. */
interface Sizes {
  readonly games: number;
  readonly rows: number;
  readonly powers: number;
  readonly isSeated: boolean;
}

/** Columns in their order: the type of their numbers, and how many there are. */
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

/** Bytes of a table, up to its CRC-32. */
const sizeOf = (sizes: Sizes): number =>
  columnNames.reduce((size, name) => size + columnBytes(name, sizes), HEAD_BYTES);

/** Columns of a table, one behind the other in a buffer. */
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

/** The table of a shard. Columns are by game or by row; a game has the rows from firstRow[game] to firstRow[game + 1]. */
export class GameTable {
  declare readonly games: number;
  declare readonly powers: number;
  /** Ids of the map and of the rules that the games were played by. */
  declare readonly map: number;
  declare readonly rules: number;
  /** CRC-32 and bytes of the shard, and its number in the run. */
  declare readonly crc: number;
  declare readonly size: number;
  declare readonly shard: number;
  declare readonly columns: Columns;

  /** @param bytes of a table, alone in their ArrayBuffer @throws LepantoError that says what was got and what was wanted */
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

  /** True if the games were played on this map by these rules. */
  isOf(map: CompiledMap, rules: Rules): boolean {
    return this.map === map.id && this.rules === rules.id && this.powers === map.powerCount;
  }

  /** Place of the first row of centres of a game, and of its last one, in `centers` divided by the powers. */
  rowsOf(game: number): readonly [first: number, last: number] {
    const { firstRow } = this.columns;
    return [firstRow[game], firstRow[game + 1] - 1];
  }

  /** Years that a game has begun. */
  yearsOf(game: number): number {
    const { keys } = this.columns;
    const [first, last] = this.rowsOf(game);
    return keys[first] === NO_KEY ? 0 : yearOfKey(keys[last]) - yearOfKey(keys[first]) + 1;
  }

  /** Centres by power at the end of a game. */
  lastCenters(game: number): Uint8Array {
    const [, last] = this.rowsOf(game);
    return this.columns.centers.subarray(last * this.powers, (last + 1) * this.powers);
  }

  /** By power: place of its agent among the agents of the manifest; undefined where the games do not say. */
  seatsOf(game: number): Uint16Array | undefined {
    const { seats } = this.columns;
    return seats.length === 0 ? undefined : seats.subarray(game * this.powers, (game + 1) * this.powers);
  }

  /** Where the games lie in the shard. */
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

/** Numbers in a typed array that grows. */
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

/** Makes the table of a shard, game by game and year by year. */
export class GameTableWriter {
  private readonly columns = Object.fromEntries(
    columnNames.map((name) => [name, new Growing(columnTable[name][0] as new (length: number) => Columns[ColumnName])]),
  ) as { readonly [Name in ColumnName]: Growing<Columns[Name]> };

  constructor(
    private readonly map: CompiledMap,
    private readonly rules: Rules,
  ) {}

  /** Games that have ended. */
  get games(): number {
    return this.columns.lengths.length;
  }

  /** Begins a game. @param seats as GameCursor.agents */
  begin(index: number, seed: number, seats?: Uint16Array): void {
    const { indices, seeds, firstRow, keys } = this.columns;
    indices.push(index);
    seeds.push(seed);
    firstRow.push(keys.length);
    for (const seat of seats ?? []) this.columns.seats.push(seat);
  }

  /**
   * Adds a year of the game, or its end.
   * @param key of the last phase that was played in it; NO_KEY in a game without any
   * @param centers of each power afterwards
   * @param first place of the first power among them
   */
  year(key: number, centers: ArrayLike<number>, first = 0): void {
    const { keys, centers: all } = this.columns;
    keys.push(key);
    for (let power = 0; power < this.map.powerCount; power++) all.push(centers[first + power]);
  }

  /**
   * Ends the game, whose last year() is its end.
   * @param phases of all kinds
   * @param steps movement phases
   * @param winner power that won alone; -1 for none
   * @param length bytes of the game in the shard, without the length before them
   */
  end(phases: number, steps: number, winner: number, isDraw: boolean, length: number): void {
    const { columns } = this;
    columns.phases.push(phases);
    columns.steps.push(steps);
    columns.winners.push(winner);
    columns.draws.push(isDraw ? 1 : 0);
    columns.lengths.push(length);
  }

  /** Adds a game that has just been played. @param length bytes of the game in the shard, without the length before them */
  addPlayed(index: number, seed: number, course: GameCourse, length: number): void {
    const { powerCount } = this.map;
    const { yearKeys, centersByYear, phases, steps, winner, isDraw } = course;
    this.begin(index, seed);
    for (let row = 0; row < yearKeys.length; row++) this.year(yearKeys[row], centersByYear, row * powerCount);
    this.end(phases, steps, winner, isDraw, length);
  }

  /** Adds a game that was played again. @param game a cursor that has it open */
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

  /** Adds a game of another table. */
  copy(from: GameTable, game: number): void {
    const { indices, seeds, keys, centers, phases, steps, winners, draws, lengths } = from.columns;
    const [first, last] = from.rowsOf(game);
    this.begin(indices[game], seeds[game], from.seatsOf(game));
    for (let row = first; row <= last; row++) this.year(keys[row], centers, row * from.powers);
    this.end(phases[game], steps[game], winners[game], draws[game] === 1, lengths[game]);
  }

  /** The table. @param number of the shard @param crc CRC-32 of the shard */
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

/** Makes the table of a shard by playing its games again, as its bytes come. */
export class ShardReplay {
  private readonly table = new GameTableWriter(this.map, this.rules);
  private readonly replay = new Replay(this.map, this.rules);
  private readonly cursor = new GameCursor();
  private isBegun = false;
  private crc = 0;

  /**
   * @param number of the shard in its run
   * @param isTrusted for games that were just played, or whose file is known to be whole
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

  /** Adds whole games of the recorder, the first ones behind the head of the shard. */
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

  /** Adds all games of a shard. @throws LepantoError if one of them is not what the rules make of its orders */
  takeAll(bytes: Uint8Array, name: string): this {
    for (const game of splitShard(bytes, name)) this.add(game, name);
    this.crc = crc32(bytes);
    return this;
  }

  finish(): GameTable {
    return this.table.table(this.number, this.crc);
  }
}

/** Makes the table of a shard. @param path of its file @returns null if a game is not what the rules make of its orders */
export const makeTable = (map: CompiledMap, rules: Rules, path: string, bytes: Uint8Array): GameTable | null => {
  try {
    return new ShardReplay(map, rules, shardNumber(path) ?? 0, false).takeAll(bytes, path).finish();
  } catch (error) {
    if (hasCode(error, 'record')) return null;
    throw error;
  }
};

/** True if a table that came from elsewhere is that of a shard. */
export const isTableOf = (
  table: GameTable | null,
  of: { map: CompiledMap; rules: Rules; shard: number; size: number; crc: number },
): table is GameTable =>
  table?.isOf(of.map, of.rules) === true && table.shard === of.shard && table.size === of.size && table.crc === of.crc;

/** Why the games of a table are not those of a shard of a run, all of them; null if they are. */
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

/** The most bytes of a table: one of a million games has some hundred million. */
const MAX_TABLE = 1 << 30;

/** The table next to a shard, whether or not the shard is as it says; null for none, and for one that is damaged. */
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

/** What in the file of a shard is not as its table says; null if nothing is. */
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
 * The table of a shard, after comparing the shard with it.
 * @returns null if there is no table or no shard, a text that says what is wrong if the shard is not as its table says
 */
export const soundTable = (path: string): GameTable | string | null => {
  try {
    const table = readTable(path);
    return table === null || !existsSync(path) ? null : (findDamage(path, table) ?? table);
  } catch (error) {
    return (error as Error).message;
  }
};

/** Removes the table of a shard that will be written: a table never lies next to another file than its own. */
export const removeTable = (shard: string): void => rmSync(tablePath(shard), { force: true });

/**
 * Writes the table of a shard once the disk has the shard, so that a power cut leaves no table next to an empty file.
 * @throws LepantoError that names a file, if the disk does not take it
 */
export const sealShard = async (path: string, table: Uint8Array): Promise<void> => {
  await settleOnDisk(path);
  writeWhole(tablePath(path), table);
};
