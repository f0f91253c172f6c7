// Writes tables as a .npz of numpy, a zip of stored arrays: one for each column of numbers, and one of texts for the names
// that its numbers mean.
//
// The length of an array is written before its content and known only at the end, so each column is collected in a file of
// its own. These have no name while they are open: nothing of them is left behind, whatever happens.
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { Zip, ZipPassThrough } from 'fflate';
import { LepantoError } from '../../../engine/rules/error.js';
import { beginFile, partOf, type WholeFile, writeError } from '../../../selfplay/records/whole-file.js';
import type { Cells, CellType, Column, TableName, TableWriter } from './game-tables.js';
import { npyHead } from './npy-head.js';

type NumberType = Exclude<CellType, 'text'>;

const arrays = { i1: Int8Array, i2: Int16Array, i4: Int32Array, f4: Float32Array } as const;
const READ_SIZE = 1 << 20;
/** A zip without the fields of 64 bits holds less. */
const MOST_BYTES = 2 ** 32;
/** The bytes do not depend on the day. */
const DATE = new Date(1980, 0, 1);

/** Texts as numpy has them: each of as many characters of four bytes as the longest. */
const npyTexts = (texts: readonly string[]): Buffer[] => {
  const characters = texts.map((text) => Array.from(text, (one) => one.codePointAt(0) ?? 0));
  const width = Math.max(1, ...characters.map(({ length }) => length));
  const cells = new Uint32Array(width * texts.length);
  for (const [i, codes] of characters.entries()) cells.set(codes, width * i);
  return [npyHead(`<U${width}`, [texts.length]), Buffer.from(cells.buffer)];
};

type Content = Iterable<Uint8Array>;

/** @throws LepantoError if the archive grows too large */
const writeZip = (file: WholeFile, arrays: Iterable<readonly [name: string, content: Content]>): void => {
  let size = 0;
  const zip = new Zip((error, bytes) => {
    if (error !== null) throw error;
    size += bytes.length;
    if (size >= MOST_BYTES)
      throw new LepantoError('record', `${file.path}: got 4 GB or more, wanted less in a .npz: use --to parquet`);
    file.write(bytes);
  });
  for (const [name, content] of arrays) {
    const member = new ZipPassThrough(`${name}.npy`);
    member.mtime = DATE;
    zip.add(member);
    for (const bytes of content) member.push(bytes);
    member.push(new Uint8Array(0), true);
  }
  zip.end();
};

/** A column while its rows are collected. */
class CollectedColumn {
  declare private readonly fd: number;
  private count = 0;

  constructor(
    private readonly near: string,
    place: number,
    readonly name: string,
    readonly type: NumberType,
  ) {
    const path = `${partOf(near)}.${place}`;
    try {
      this.fd = openSync(path, 'wx+');
      unlinkSync(path);
    } catch (error) {
      throw writeError(path, error);
    }
  }

  add(cells: Cells): void {
    const numbers = new arrays[this.type](cells.length);
    for (let i = 0; i < cells.length; i++) numbers[i] = Number(cells[i]);
    const bytes = Buffer.from(numbers.buffer);
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.fd, bytes, done);
    } catch (error) {
      throw writeError(this.near, error);
    }
    this.count += cells.length;
  }

  *content(): Generator<Uint8Array> {
    yield npyHead(this.type === 'i1' ? '|i1' : `<${this.type}`, [this.count]);
    const chunk = Buffer.alloc(READ_SIZE);
    let at = 0;
    for (let n = readSync(this.fd, chunk, 0, READ_SIZE, at); n > 0; n = readSync(this.fd, chunk, 0, READ_SIZE, at)) {
      yield chunk.subarray(0, n);
      at += n;
    }
  }

  close(): void {
    closeSync(this.fd);
  }
}

/** A .npz with the columns of some tables that have numbers, as `table/column`, and `names/column` for their meaning. */
export class NpzFile {
  declare readonly writers: Readonly<Record<TableName, TableWriter>>;
  declare private readonly file: WholeFile;
  private readonly columns: CollectedColumn[] = [];
  declare private readonly names: Map<string, readonly string[]>;

  /**
   * @param texts further arrays of texts, by name, or one text
   * @throws LepantoError that names the file, if it cannot be written
   */
  constructor(
    path: string,
    tables: Readonly<Record<TableName, readonly Column[]>>,
    texts: Readonly<Record<string, readonly string[]>>,
  ) {
    this.file = beginFile(path);
    this.names = new Map(Object.entries(texts));
    try {
      this.writers = { phases: this.writer('phases', tables), orders: this.writer('orders', tables) };
    } catch (error) {
      this.abandon();
      throw error;
    }
  }

  private writer(table: TableName, tables: Readonly<Record<TableName, readonly Column[]>>): TableWriter {
    const own = tables[table].map(({ name, type, names }): CollectedColumn | null => {
      if (type === 'text') return null;
      if (names !== undefined) this.names.set(`names/${name}`, names);
      const column = new CollectedColumn(this.file.path, this.columns.length, `${table}/${name}`, type);
      this.columns.push(column);
      return column;
    });
    return {
      write: (cells) => {
        for (const [c, column] of own.entries()) column?.add(cells[c]);
      },
    };
  }

  /** Writes the archive, and puts it in its place. */
  finish(): void {
    try {
      const numbers = this.columns.map((column) => [column.name, column.content()] as const);
      const texts = Array.from(this.names, ([name, list]) => [name, npyTexts(list)] as const);
      writeZip(this.file, [...numbers, ...texts]);
    } catch (error) {
      this.abandon();
      throw error;
    }
    this.close();
    this.file.finish();
  }

  private close(): void {
    for (const column of this.columns.splice(0)) column.close();
  }

  /** Leaves nothing behind. */
  abandon(): void {
    this.close();
    this.file.abandon();
  }
}
