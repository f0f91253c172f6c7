// Writes tables as files of Parquet, with the package hyparquet-writer: DuckDB, pandas and Polars read them.

import { join } from 'node:path';
import type { ColumnSource, ParquetWriter, SchemaElement, Writer } from 'hyparquet-writer';
import { beginFile, makeDirectories, type WholeFile } from '../../../selfplay/records/whole-file.js';
import type { Cells, CellType, Column, TableName, TableWriter } from './game-tables.js';
import { tableNames } from './game-tables.js';
import { loadPackage } from './load-package.js';

type Library = typeof import('hyparquet-writer');

/** @throws LepantoError that says how to install the package, if it is not there */
export const loadParquet = (): Promise<Library> => loadPackage('hyparquet-writer', '--to parquet');

/** By type of a column, how the package stores and understands it. */
const types: Readonly<Record<CellType, Pick<SchemaElement, 'type' | 'converted_type'>>> = {
  i1: { type: 'INT32', converted_type: 'INT_8' },
  i2: { type: 'INT32', converted_type: 'INT_16' },
  i4: { type: 'INT32' },
  f4: { type: 'FLOAT' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
};

const elementOf = ({ name, type, names }: Column): SchemaElement => ({
  name,
  repetition_type: names === undefined ? 'REQUIRED' : 'OPTIONAL',
  ...types[names === undefined ? type : 'text'],
});

/** Values as the package takes them. */
const valuesOf = ({ type, names }: Column, cells: Cells): ColumnSource['data'] => {
  if (names !== undefined) return cells.map((cell) => names[Number(cell)] ?? null);
  if (type === 'text') return [...cells];
  return type === 'f4' ? Float32Array.from(cells, Number) : Int32Array.from(cells, Number);
};

/** One file; all rows that are written together are a group of rows in it. */
class ParquetFile implements TableWriter {
  declare private readonly file: WholeFile;
  declare private readonly parquet: ParquetWriter;

  constructor(
    library: Library,
    path: string,
    private readonly columns: readonly Column[],
    about: Readonly<Record<string, string>>,
  ) {
    const file = beginFile(path);
    const writer: Writer & { index: number } = new library.ByteWriter();
    const flush = (): void => {
      file.write(new Uint8Array(writer.buffer, 0, writer.index));
      writer.index = 0;
    };
    writer.flush = flush;
    writer.finish = flush;
    this.file = file;
    this.parquet = new library.ParquetWriter({
      writer,
      schema: [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)],
      kvMetadata: Object.entries(about).map(([key, value]) => ({ key: `lepanto.${key}`, value })),
      createdBy: 'lepanto',
    });
  }

  write(cells: readonly Cells[]): void {
    const columnData = this.columns.map((column, c) => ({ name: column.name, data: valuesOf(column, cells[c]) }));
    this.parquet.write({ columnData, rowGroupSize: cells[0].length });
  }

  end(): void {
    this.parquet.finish();
  }
  finish(): void {
    this.file.finish();
  }
  abandon(): void {
    this.file.abandon();
  }
}

/** A directory with one file for each table: phases.parquet and orders.parquet. */
export class ParquetFiles {
  declare readonly writers: Readonly<Record<TableName, ParquetFile>>;

  /**
   * @param library from loadParquet()
   * @param about texts that the files carry
   * @throws LepantoError that names the file or the directory, if it cannot be written
   */
  constructor(
    library: Library,
    directory: string,
    tables: Readonly<Record<TableName, readonly Column[]>>,
    about: Readonly<Record<string, string>>,
  ) {
    makeDirectories(directory);
    const open = (name: TableName): ParquetFile =>
      new ParquetFile(library, join(directory, `${name}.parquet`), tables[name], about);
    const phases = open('phases');
    try {
      this.writers = { phases, orders: open('orders') };
    } catch (error) {
      phases.abandon();
      throw error;
    }
  }

  /** Ends both files, and puts them in their places. */
  finish(): void {
    try {
      for (const name of tableNames) this.writers[name].end();
    } catch (error) {
      this.abandon();
      throw error;
    }
    for (const name of tableNames) this.writers[name].finish();
  }

  /** Leaves nothing behind. */
  abandon(): void {
    for (const name of tableNames) this.writers[name].abandon();
  }
}
