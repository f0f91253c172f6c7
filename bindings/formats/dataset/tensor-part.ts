// Writes one part of a folder of tensors: the positions of some games as tables (row-layout.ts). Runs in a worker.
//
//   part-00000256-256/NAME.npy     a table; the part is named by the index of its first game and its number of games
//   part-00000256-256/part.json    PartNote: contents and origin of the part
//
// A part is written to a temporary directory and renamed, so that it appears complete or not at all.
import { createHash } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { endianness } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { scoreNames } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { readPlace } from '../../../selfplay/records/shard-file.js';
import { partOf, writeError, writeWhole } from '../../../selfplay/records/whole-file.js';
import type { ElementType } from '../arrays/shared-arrays.js';
import { RowEncoder } from './encode-rows.js';
import type { Files, GameFile, Places } from './find-games.js';
import { npyHead, tupleOf } from './npy-head.js';
import { filesOf, type GameList, type ReadGame, rulesOfFile, tryGame } from './replay-games.js';
import { type Field, idType, narrowed, ROWS_AT_ONCE, type RowLayout, storeRows } from './row-layout.js';

/** Range of games in a part: index of its first game, and number of games. */
export interface PartRange {
  readonly first: number;
  readonly count: number;
}

/** Task of a worker: a part to write. */
export interface TensorTask extends GameList, PartRange {
  /** Directory of the part. A damaged part is replaced. */
  readonly path: string;
  /** Numbers of written games (index 0) and positions (index 1), in memory shared by all parts. */
  readonly counters: Int32Array;
}

/**
 * Version of a file of games: path, size in bytes, modification time in ns, and the rules, agents and seed of its
 * games.
 */
type Stamp = readonly [path: string, bytes: number, changed: string, identity: string];

/** Size, modification time in ns and CRC-32 (header last) of a written table, to detect later changes. */
type WrittenFile = readonly [bytes: number, changed: string, crc: number];

/** Contents and origin of a part, as in its file part.json. */
export interface PartNote {
  readonly games: number;
  /** Number of positions that have orders. */
  readonly samples: number;
  /** Number of all positions, including the final one of each game. */
  readonly rows: number;
  /** Number of entries in legal.npy. */
  readonly legal_ids: number;
  /** Paths of game files; `file` in games.npy is an index into them. */
  readonly paths: readonly string[];
  /** Names of agents; `agents` in games.npy are indices into them. */
  readonly agents: readonly string[];
  readonly files: Readonly<Record<string, WrittenFile>>;
  /** Number of skipped games, which could not be read or replayed. */
  readonly skipped: number;
  /** Reason why the first skipped game was skipped; null if none was. */
  readonly trouble: string | null;
  /** Number of games of other programs that contradict the rules. */
  readonly disagreeing: number;
  /**
   * Names of other rules that none of the first MOST_FITTED contradicting games contradicts. Empty if there are none.
   */
  readonly fits: readonly string[];
  /** Versions of the files that have the games of the part. */
  readonly stamps: readonly Stamp[];
  /** Hash of the games' bytes and of everything else that they depend on. */
  readonly source: string;
}

const PART_NOTE = 'part.json';
/** Maximum number of entries in legal.npy. Writing a part with more entries fails, because int32 must count them. */
const MOST_LISTED = 2 ** 30;
/** Size reserved for the header of a table, in bytes. */
const HEAD_BYTES = 2048;
const ORDER = endianness() === 'LE' ? '<' : '>';
/**
 * Maximum number of contradicting games for which fitting rules are searched. Each search takes as long as ten replays.
 */
const MOST_FITTED = 3;

const typeOf = (dtype: ElementType): string => `'${dtype.endsWith('1') ? '|' : ORDER}${dtype}'`;
const structureOf = (fields: readonly Field[]): string =>
  `[${fields.map(({ name, dtype, shape }) => `('${name}', ${typeOf(dtype)}${shape.length > 0 ? `, ${tupleOf(shape)}` : ''})`).join(', ')}]`;

/** Returns the modification time of a file in nanoseconds. */
const changeOf = (path: string): string => statSync(path, { bigint: true }).mtimeNs.toString();

/** A table file to which rows are appended. */
class TableFile {
  declare private readonly fd: number;
  private rows = 0;
  private bytes = HEAD_BYTES;
  private crc = 0;

  constructor(
    readonly path: string,
    private readonly type: string,
  ) {
    try {
      this.fd = openSync(path, 'wx');
    } catch (error) {
      throw writeError(path, error);
    }
  }

  private write(bytes: Uint8Array, at: number): void {
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.fd, bytes, done, bytes.length - done, at + done);
    } catch (error) {
      throw writeError(this.path, error);
    }
  }

  add(bytes: Uint8Array, rows: number): void {
    this.write(bytes, this.bytes);
    this.crc = crc32(bytes, this.crc);
    this.bytes += bytes.length;
    this.rows += rows;
  }

  /**
   * Writes the header, flushes the file to disk and closes it.
   * @returns size, modification time and CRC-32 of the file
   * @throws LepantoError if the file cannot be written
   */
  finish(): WrittenFile {
    const head = npyHead(this.type, [this.rows], HEAD_BYTES);
    this.write(head, 0);
    fsyncSync(this.fd);
    this.close();
    return [this.bytes, changeOf(this.path), crc32(head, this.crc)];
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** Tables of a part that is being written. */
class PartTables {
  private readonly open = new Map<string, TableFile>();
  games = 0;
  samples = 0;
  rows = 0;
  listed = 0;

  constructor(
    private readonly directory: string,
    private readonly encoder: RowEncoder,
    files: Files,
  ) {
    const { tables } = this.encoder.layout;
    for (const name of ['games', 'phases', 'orders'] as const) this.make(name, structureOf(tables[name]));
    this.make('legal', typeOf(idType(files.map)));
  }

  private make(name: string, type: string): TableFile {
    const file = new TableFile(join(this.directory, `${name}.npy`), type);
    this.open.set(name, file);
    return file;
  }

  private add(name: string, bytes: Uint8Array, rows: number): void {
    this.open.get(name)?.add(bytes, rows);
  }

  /**
   * Appends all positions of a game to the tables.
   * @param isNarrow true to store vocabulary ids as int16
   * @throws LepantoError if the part has more than MOST_LISTED legal orders, or if a file cannot be written
   */
  write(game: ReadGame, isNarrow: boolean): void {
    const { encoder } = this;
    const { tables, packed } = encoder.layout;
    this.add('games', storeGame(tables.games, game), 1);
    const count = game.phases.length;
    for (let first = 0; first < count; first += ROWS_AT_ONCE) {
      const end = Math.min(count, first + ROWS_AT_ONCE);
      const ids = encoder.write(game, this.games, first, end, this.listed);
      for (const name of ['phases', 'orders'] as const)
        this.add(name, storeRows(tables[name], packed, encoder.memory, end - first), end - first);
      const legal = encoder.memory.int32('legal_ids').subarray(0, ids);
      this.add('legal', isNarrow ? narrowed(legal) : bytesOf(legal), ids);
      this.writePolicy(ids, end - first);
      this.listed += ids;
      if (this.listed > MOST_LISTED)
        throw new LepantoError(
          'argument',
          `${this.directory}: got ${this.listed} legal orders, wanted at most ${MOST_LISTED}: fewer games in a part`,
        );
    }
    this.games++;
    this.rows += count;
    this.samples += count - 1;
  }

  /**
   * Appends the policies of positions to policy.npy. The table is created at the first position with a target, and has
   * zeros for all positions before it.
   * @param ids number of legal orders of these positions
   * @param rows number of positions
   */
  private writePolicy(ids: number, rows: number): void {
    const { memory, layout } = this.encoder;
    const powers = layout.tables.phases.find(({ name }) => name === 'order_counts')?.bytes ?? 0;
    if (!this.open.has('policy')) {
      if (
        !memory
          .bytes('targeted')
          .subarray(0, rows * powers)
          .includes(1)
      )
        return;
      const file = this.make('policy', typeOf('f4'));
      const zeros = new Uint8Array(4 << 16);
      for (let left = 4 * this.listed; left > 0; left -= zeros.length)
        file.add(zeros.subarray(0, Math.min(left, zeros.length)), Math.min(left, zeros.length) / 4);
    }
    this.add('policy', bytesOf(memory.float32('policy').subarray(0, ids)), ids);
  }

  finish(): Record<string, WrittenFile> {
    return Object.fromEntries(Array.from(this.open, ([name, file]) => [`${name}.npy`, file.finish()]));
  }

  close(): void {
    for (const file of this.open.values()) file.close();
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array | Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Returns the bytes of a game's row in games.npy. */
const storeGame = (fields: readonly Field[], { file, number, agents, winner, scores }: ReadGame): Uint8Array => {
  const values: Readonly<Record<string, Float32Array | Int32Array | Int16Array | Int8Array>> = {
    scores: Float32Array.from(scoreNames.flatMap((name) => Array.from(scores[name]))),
    file: Int32Array.of(file),
    number: Int32Array.of(number),
    agents: Int16Array.from(agents),
    winner: Int8Array.of(winner),
  };
  const row = new Uint8Array(fields.reduce((sum, { bytes }) => sum + bytes, 0));
  let at = 0;
  for (const { name, bytes } of fields) {
    if (name in values) row.set(new Uint8Array(values[name].buffer), at);
    at += bytes;
  }
  return row;
};

let kept: { readonly key: string; readonly encoder: RowEncoder } | undefined;

/** Returns the encoder of this thread, which is cached. */
const encoderOf = ({ config }: GameList): RowEncoder => {
  const { map } = filesOf(config);
  const key = `${map.id} ${config.observations}`;
  if (kept?.key !== key) kept = { key, encoder: new RowEncoder(map, config) };
  return kept.encoder;
};

/** Returns the layout of rows for the map and the observations of some games. */
export const layoutOf = (list: GameList): RowLayout => encoderOf(list).layout;

// ---- origin ----

/** Returns everything except their bytes that the games of a file depend on: rules, agents and seed. */
const identityOf = (files: Files, file: GameFile): string => {
  const { agents = null, seed = null } = file.source?.manifest ?? {};
  return JSON.stringify([rulesOfFile(files, file).name, agents, seed]);
};

/** Returns the indices of the files that have games of a part. */
const filesIn = ({ file }: Places, { first, count }: PartRange): number[] => [
  ...new Set(file.subarray(first, first + count)),
];

/** Returns the current versions of the files with games of a part. */
export const stampsOf = (files: Files, places: Places, range: PartRange): Stamp[] =>
  filesIn(places, range).map((number): Stamp => {
    const file = files.files[number];
    return [file.path, statSync(file.path).size, changeOf(file.path), identityOf(files, file)];
  });

/**
 * Returns a hash of the games of a part and of everything they depend on. @throws LepantoError if a file cannot be read
 */
export const sourceOf = (files: Files, places: Places, { first, count }: PartRange): string => {
  const hash = createHash('sha256');
  let last = -1;
  for (let i = first; i < first + count; i++) {
    const file = files.files[places.file[i]];
    if (places.file[i] !== last) hash.update(`${file.path}\n${identityOf(files, file)}\n`);
    last = places.file[i];
    hash.update(readPlace(file.path, { offset: places.offset[i], length: places.length[i] }));
  }
  return hash.digest('hex');
};

/**
 * Returns the note of the part in a directory. Null if the part is missing or damaged: a file lacks or has another
 * size.
 */
export const readPart = (path: string): PartNote | null => {
  try {
    const note = JSON.parse(readFileSync(join(path, PART_NOTE), 'utf8')) as PartNote;
    const isWhole = Object.entries(note.files).every(([name, [bytes]]) => statSync(join(path, name)).size === bytes);
    return isWhole ? note : null;
  } catch {
    return null;
  }
};

// ---- writing ----

const intersect = (one: readonly string[] | null, other: readonly string[]): readonly string[] =>
  one === null ? other : one.filter((name) => other.includes(name));

const writeTables = (task: TensorTask, directory: string): PartNote => {
  const { places, first, count } = task;
  const files = filesOf(task.config);
  const numbers = filesIn(places, task);
  // The versions and the hash are taken before the games are read, so that a file that changes in the meantime is read
  // again next time.
  const origin = { stamps: stampsOf(files, places, task), source: sourceOf(files, places, task) };
  const tables = new PartTables(directory, encoderOf(task), files);
  const isNarrow = idType(files.map) === 'i2';
  let skipped = 0;
  let trouble: string | null = null;
  let disagreeing = 0;
  let fits: readonly string[] | null = null;
  try {
    for (let i = first; i < first + count; i++) {
      const game = tryGame(task, i);
      if (typeof game === 'string') {
        trouble ??= game;
        skipped++;
      } else {
        tables.write({ ...game, file: numbers.indexOf(game.file) }, isNarrow);
        Atomics.add(task.counters, 1, game.phases.length);
        if (game.disagrees && ++disagreeing <= MOST_FITTED) fits = intersect(fits, game.fits());
      }
      Atomics.add(task.counters, 0, 1);
    }
    const { games, samples, rows, listed } = tables;
    const contents = { games, samples, rows, legal_ids: listed, files: tables.finish() };
    const names = { paths: numbers.map((number) => files.files[number].path), agents: [...files.agents.keys()] };
    return { ...contents, ...names, skipped, trouble, disagreeing, fits: fits ?? [], ...origin };
  } catch (error) {
    tables.close();
    throw error;
  }
};

/**
 * Writes a part, replacing an existing one, and returns its note. Called in a worker.
 * @throws LepantoError that names the game that cannot be read, or the file that cannot be written
 */
export const writePart = (task: TensorTask): PartNote => {
  const directory = partOf(task.path);
  rmSync(directory, { recursive: true, force: true });
  try {
    mkdirSync(directory);
  } catch (error) {
    throw writeError(directory, error);
  }
  try {
    const note = writeTables(task, directory);
    writeWhole(join(directory, PART_NOTE), `${JSON.stringify(note)}\n`);
    rmSync(task.path, { recursive: true, force: true });
    renameSync(directory, task.path);
    return note;
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
};
