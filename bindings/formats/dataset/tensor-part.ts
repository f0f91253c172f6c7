// Writes one part of a folder of tensors in a worker: the samples of some games, an array of numpy for each name.
//
//   part-00000/NAME.npy     rows of all samples, in the order of the games and of their phases
//   part-00000/part.json    PartNote: how much there is
//
// A part is written beside its place and renamed, so that it appears whole or not at all.
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
import { LepantoError } from '../../../engine/rules/error.js';
import { partOf, writeError, writeWhole } from '../../../selfplay/records/whole-file.js';
import type { Section } from '../arrays/shared-arrays.js';
import { type DecodeTask, decodeGames, filesOf } from './decode-games.js';
import { RowEncoder } from './encode-rows.js';
import { npyHead } from './npy-head.js';
import type { ReaderConfig } from './reader-config.js';
import { layOutRows, ROWS_A_TASK } from './row-layout.js';

/** A part to be written. */
export interface TensorTask extends DecodeTask {
  /** Directory of the part. One that is damaged is replaced. */
  readonly path: string;
  /** Shared by all parts; [0] counts games, [1] samples. */
  readonly counters: Int32Array;
}

/** What a part has. */
export interface PartNote {
  readonly games: number;
  readonly samples: number;
  /** Entries of legal_ids. */
  readonly legal_ids: number;
  /** Bytes of each file. */
  readonly files: Readonly<Record<string, number>>;
  /** Games that were left out because they could not be read or played, and the first reason. */
  readonly skipped: number;
  readonly trouble: string | null;
}

const PART_NOTE = 'part.json';
/** Entries of legal_ids that int32 counts, but for those of one task. */
const MOST_LISTED = 2 ** 30;
/** Games in memory at a time. */
const GAMES_AT_ONCE = 16;
/** Room for the longest head of an array of this kind. */
const HEAD_BYTES = 128;
const ORDER = endianness() === 'LE' ? '<' : '>';

const typeOf = ({ dtype }: Section): string => (dtype.endsWith('1') ? `|${dtype}` : `${ORDER}${dtype}`);

/** An array that grows row by row. */
class ArrayFile {
  declare private readonly fd: number;
  private rows = 0;
  bytes: number = HEAD_BYTES;

  constructor(
    private readonly path: string,
    private readonly type: string,
    /** Of a row. */
    private readonly shape: readonly number[],
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
    this.bytes += bytes.length;
    this.rows += rows;
  }

  /** Writes the head, and waits until the disk has it all. */
  finish(): void {
    this.write(npyHead(this.type, [this.rows, ...this.shape], HEAD_BYTES), 0);
    fsyncSync(this.fd);
    this.close();
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** The memory that rows are written into before they go to the disk: one for each thread. */
class Desk {
  private readonly layout = layOutRows(filesOf(this.config).map, this.config);
  private readonly copy = new SharedArrayBuffer(this.layout.size);
  private readonly bytes: Uint8Array = new Uint8Array(this.copy);
  private readonly encoder = new RowEncoder({ config: this.config, copy: this.copy });

  constructor(private readonly config: ReaderConfig) {}

  /** @param directory of new files */
  open(directory: string): Map<string, ArrayFile> {
    const { shown, lists } = this.layout;
    return new Map(
      shown.map((section) => {
        const { name, shape } = section;
        const row = lists.includes(name) ? [] : shape.slice(1);
        return [name, new ArrayFile(join(directory, `${name}.npy`), typeOf(section), row)];
      }),
    );
  }

  /**
   * Writes some samples to the end of the files.
   * @param listed entries of legal_ids that are there
   * @returns how many they are then
   */
  add(files: ReadonlyMap<string, ArrayFile>, block: SharedArrayBuffer, samples: Int32Array, listed: number): number {
    const rows = samples.length / 3;
    const ids = this.encoder.write({ slot: 0, first: 0, blocks: [block], samples });
    const { shown, lists, chunkIds } = this.layout;
    for (const { name, offset, rowBytes } of shown) {
      const isList = lists.includes(name);
      const size = isList ? (rowBytes / chunkIds) * ids : rowBytes * rows;
      const bytes = this.bytes.subarray(offset, offset + size);
      if (name === 'legal_offsets') {
        // In memory they count from the beginning of this chunk.
        const offsets = new Int32Array(bytes.buffer as ArrayBuffer, offset, size / Int32Array.BYTES_PER_ELEMENT);
        for (let i = 0; i < offsets.length; i++) offsets[i] += listed;
      }
      files.get(name)?.add(bytes, isList ? ids : rows);
    }
    return listed + ids;
  }
}

let desk: Desk | undefined;

/** What a part has; null if it is not there, or not whole. */
export const readPart = (path: string): PartNote | null => {
  try {
    const note = JSON.parse(readFileSync(join(path, PART_NOTE), 'utf8')) as PartNote;
    const isWhole = Object.entries(note.files).every(([name, bytes]) => statSync(join(path, name)).size === bytes);
    return isWhole ? note : null;
  } catch {
    return null;
  }
};

const writeArrays = (task: TensorTask, directory: string): PartNote => {
  desk ??= new Desk(task.config);
  const files = desk.open(directory);
  let samples = 0;
  let listed = 0;
  let skipped = 0;
  let trouble: string | null = null;
  try {
    for (let first = 0; first < task.games.length; first += GAMES_AT_ONCE) {
      const numbers = task.games.subarray(first, first + GAMES_AT_ONCE);
      const games = decodeGames({ config: task.config, places: task.places, games: numbers });
      const count = games.samples.length / 3;
      for (let i = 0; i < count; i += ROWS_A_TASK) {
        const rows = games.samples.subarray(3 * i, 3 * (i + ROWS_A_TASK));
        listed = desk.add(files, games.memory, rows, listed);
        if (listed > MOST_LISTED)
          throw new LepantoError(
            'argument',
            `${task.path}: got ${listed} legal orders, wanted at most ${MOST_LISTED}: fewer games in a part`,
          );
      }
      samples += count;
      skipped += games.skipped;
      trouble ??= games.trouble;
      Atomics.add(task.counters, 0, numbers.length);
      Atomics.add(task.counters, 1, count);
    }
    for (const file of files.values()) file.finish();
  } catch (error) {
    for (const file of files.values()) file.close();
    throw error;
  }
  const sizes = Array.from(files, ([name, { bytes }]): [string, number] => [`${name}.npy`, bytes]);
  return { games: task.games.length, samples, legal_ids: listed, files: Object.fromEntries(sizes), skipped, trouble };
};

/** Called in a worker: writes a part, unless somebody else has meanwhile. @throws LepantoError that names a game that cannot be read, or the file */
export const writePart = (task: TensorTask): PartNote => {
  const there = readPart(task.path);
  if (there !== null) return there;
  const directory = partOf(task.path);
  rmSync(directory, { recursive: true, force: true });
  try {
    mkdirSync(directory);
  } catch (error) {
    throw writeError(directory, error);
  }
  try {
    const note = writeArrays(task, directory);
    writeWhole(join(directory, PART_NOTE), `${JSON.stringify(note)}\n`);
    rmSync(task.path, { recursive: true, force: true });
    renameSync(directory, task.path);
    return note;
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
};
