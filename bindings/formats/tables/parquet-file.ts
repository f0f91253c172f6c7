// Writes tables of games as Parquet files, for DuckDB, pandas, Polars and others.
import { join } from 'node:path';
import { makeDirectories } from '../../../selfplay/records/whole-file.js';
import { type TableName, tableNames } from './game-tables.js';
import { type Column, ParquetFile, type RowGroup } from './parquet.js';

/** The files of both tables in a directory: phases.parquet and orders.parquet. */
export class ParquetFiles {
  declare private readonly files: Readonly<Record<TableName, ParquetFile>>;

  /**
   * Begins both files.
   * @param about metadata texts of the files, keyed by name
   * @throws LepantoError that names the file or directory that cannot be written
   */
  constructor(
    directory: string,
    tables: Readonly<Record<TableName, readonly Column[]>>,
    about: Readonly<Record<string, string>>,
  ) {
    makeDirectories(directory);
    const open = (name: TableName): ParquetFile =>
      new ParquetFile(join(directory, `${name}.parquet`), tables[name], about);
    const phases = open('phases');
    try {
      this.files = { phases, orders: open('orders') };
    } catch (error) {
      phases.abandon();
      throw error;
    }
  }

  /** Appends a group of rows to the file of a table. @throws LepantoError if it cannot be written */
  write(name: TableName, group: RowGroup): void {
    this.files[name].write(group);
  }

  /**
   * Completes both files and renames them to their final names. If they cannot be completed, removes both and throws
   * the error.
   */
  finish(): void {
    try {
      for (const name of tableNames) this.files[name].end();
    } catch (error) {
      this.abandon();
      throw error;
    }
    for (const name of tableNames) this.files[name].finish();
  }

  /** Removes the unfinished files. */
  abandon(): void {
    for (const name of tableNames) this.files[name].abandon();
  }
}
