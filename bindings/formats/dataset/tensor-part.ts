// Writes one part of a folder of tensors in a worker: the positions of some games as tables (row-layout.ts).
//
//   part-00000256-256/NAME.npy     a table; the name of the part has its first game and its number of games
//   part-00000256-256/part.json    PartNote: contents and origin of the part
//
// A part is written beside its place and renamed, so that it appears whole or not at all.
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

/** Games of a part. */
export interface PartRange {
  readonly first: number;
  readonly count: number;
}

/** A part to be written. */
export interface TensorTask extends GameList, PartRange {
  /** Directory of the part. A damaged one is replaced. */
  readonly path: string;
  /** Shared by all parts; [0] counts games, [1] positions. */
  readonly counters: Int32Array;
}

/** Identifies a version of a file of games: path, bytes, time of its last change in ns, and what else a game depends on. */
type Stamp = readonly [path: string, bytes: number, changed: string, identity: string];

/** Size, time of the last change in ns, and CRC-32 of a written table, its head last: a later change is found by them. */
type WrittenFile = readonly [bytes: number, changed: string, crc: number];

/** Contents of a part. */
export interface PartNote {
  readonly games: number;
  /** Positions to choose samples from. */
  readonly samples: number;
  /** The same and the positions after the ends of games. */
  readonly rows: number;
  /** Entries of legal.npy. */
  readonly legal_ids: number;
  /** Paths by the numbers in `file`, and agents by those in `agents`. */
  readonly paths: readonly string[];
  readonly agents: readonly string[];
  readonly files: Readonly<Record<string, WrittenFile>>;
  /** Games that were left out because they could not be read or played, and the first reason. */
  readonly skipped: number;
  readonly trouble: string | null;
  /** Games of other programs that contradict the rules, and the rules that all of them fit that were tried. */
  readonly disagreeing: number;
  readonly fits: readonly string[];
  /** Origin: versions of the files of the games, and a hash of the bytes of the games. */
  readonly stamps: readonly Stamp[];
  readonly source: string;
}

const PART_NOTE = 'part.json';
/** Entries of legal.npy that int32 counts, except those of one step. */
const MOST_LISTED = 2 ** 30;
/** Room for the longest head of a table. */
const HEAD_BYTES = 2048;
const ORDER = endianness() === 'LE' ? '<' : '>';
/** Games that disagree for which fitting rules are searched: each takes as long as ten replays. */
const MOST_FITTED = 3;

const typeOf = (dtype: ElementType): string => `'${dtype.endsWith('1') ? '|' : ORDER}${dtype}'`;
const structureOf = (fields: readonly Field[]): string =>
  `[${fields.map(({ name, dtype, shape }) => `('${name}', ${typeOf(dtype)}${shape.length > 0 ? `, ${tupleOf(shape)}` : ''})`).join(', ')}]`;

/** Returns the time of the last change of a file in nanoseconds. */
const changeOf = (path: string): string => statSync(path, { bigint: true }).mtimeNs.toString();

/** A table that grows row by row. */
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

  /** Writes the head, and waits until the disk has the whole file. */
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

/** The tables of a part while they are written. */
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

  /** Writes a game. */
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

  /** Writes policies from the first position on that has one: zeros for those before. */
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

/** Returns the row of a game. */
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

/** Returns the encoder of a thread for its files. */
const encoderOf = ({ config }: GameList): RowEncoder => {
  const { map } = filesOf(config);
  const key = `${map.id} ${config.observations}`;
  if (kept?.key !== key) kept = { key, encoder: new RowEncoder(map, config) };
  return kept.encoder;
};

export const layoutOf = (list: GameList): RowLayout => encoderOf(list).layout;

// ---- origin ----

/** Returns what the games of a file depend on beside their bytes. */
const identityOf = (files: Files, file: GameFile): string => {
  const { agents = null, seed = null } = file.source?.manifest ?? {};
  return JSON.stringify([rulesOfFile(files, file).name, agents, seed]);
};

/** Returns the numbers of the files that have games of a part. */
const filesIn = ({ file }: Places, { first, count }: PartRange): number[] => [
  ...new Set(file.subarray(first, first + count)),
];

/** Returns the present versions of the files of a part. */
export const stampsOf = (files: Files, places: Places, range: PartRange): Stamp[] =>
  filesIn(places, range).map((number): Stamp => {
    const file = files.files[number];
    return [file.path, statSync(file.path).size, changeOf(file.path), identityOf(files, file)];
  });

/** Returns a hash of the games of a part, and of what they depend on. */
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

/** Returns the note of a part; null unless the part is there, and whole. */
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
  // Before the games are read: a file that changes meanwhile is read again next time.
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
 * Called in a worker: writes a part, unless another process has done so.
 * @throws LepantoError that names a game that cannot be read, or the file that cannot be written
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
