// Writes the tables of games as files of Parquet, which DuckDB, pandas and Polars read.
import { join } from 'node:path';
import { beginFile, makeDirectories, type WholeFile } from '../../../selfplay/records/whole-file.js';
import { type TableName, tableNames } from './game-tables.js';
import { type Column, encodeFooter, MAGIC, type PlacedGroup, type RowGroup } from './parquet.js';

/** One file. */
class ParquetFile {
  private readonly file: WholeFile = beginFile(this.path);
  private readonly groups: PlacedGroup[] = [];
  private size = MAGIC.length;

  constructor(
    private readonly path: string,
    private readonly columns: readonly Column[],
    private readonly about: Readonly<Record<string, string>>,
  ) {
    this.file.write(MAGIC);
  }

  write({ bytes, ...group }: RowGroup): void {
    this.file.write(bytes);
    this.groups.push({ ...group, offset: this.size });
    this.size += bytes.length;
  }

  end(): void {
    this.file.write(encodeFooter(this.columns, this.groups, this.about));
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
    const named = Object.fromEntries(Object.entries(about).map(([key, value]) => [`lepanto.${key}`, value]));
    const open = (name: TableName): ParquetFile =>
      new ParquetFile(join(directory, `${name}.parquet`), tables[name], named);
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
