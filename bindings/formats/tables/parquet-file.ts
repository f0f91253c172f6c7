// Writes the tables of games as files of Parquet, which DuckDB, pandas and Polars read.
import { join } from 'node:path';
import { makeDirectories } from '../../../selfplay/records/whole-file.js';
import { type TableName, tableNames } from './game-tables.js';
import { type Column, ParquetFile, type RowGroup } from './parquet.js';

/** A directory with one file for each table: phases.parquet and orders.parquet. */
export class ParquetFiles {
  declare private readonly files: Readonly<Record<TableName, ParquetFile>>;

  /**
   * @param about texts that the files carry
   * @throws LepantoError that names the file or the directory, if it cannot be written
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

  /** Adds rows of a table. */
  write(name: TableName, group: RowGroup): void {
    this.files[name].write(group);
  }

  /** Ends both files, and puts them in their places. */
  finish(): void {
    try {
      for (const name of tableNames) this.files[name].end();
    } catch (error) {
      this.abandon();
      throw error;
    }
    for (const name of tableNames) this.files[name].finish();
  }

  /** Leaves nothing behind. */
  abandon(): void {
    for (const name of tableNames) this.files[name].abandon();
  }
}
