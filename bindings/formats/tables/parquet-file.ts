// Writes tables as files of Parquet, with the package hyparquet-writer: DuckDB, pandas and Polars read them.
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LepantoError } from '../../../engine/rules/error.js';
import { WholeFile, writeError } from '../../../selfplay/records/whole-file.js';
import type { Cells, CellType, Column, TableName, TableWriter } from './game-tables.js';
import { tableNames } from './game-tables.js';

interface SchemaElement {
  readonly name: string;
  readonly type?: string;
  readonly converted_type?: string;
  readonly repetition_type?: string;
  readonly num_children?: number;
}

/** Where the package writes: it counts `offset` up, and `index` in `buffer`. */
interface ByteWriter {
  buffer: ArrayBuffer;
  index: number;
  flush?: () => void;
  finish: () => void;
}

interface ParquetWriter {
  write(options: {
    readonly columnData: readonly { readonly name: string; readonly data: unknown }[];
    readonly rowGroupSize: number;
  }): void;
  finish(): void;
}

/** The few calls of hyparquet-writer that a table takes. */
interface Library {
  readonly ByteWriter: new () => ByteWriter;
  readonly ParquetWriter: new (options: {
    readonly writer: ByteWriter;
    readonly schema: readonly SchemaElement[];
    readonly kvMetadata: readonly { readonly key: string; readonly value: string }[];
    readonly createdBy: string;
  }) => ParquetWriter;
}

const PACKAGE = 'hyparquet-writer';

/** @throws LepantoError that says how to install the package, if it is not there */
export const loadParquet = async (name = PACKAGE): Promise<Library> => {
  try {
    // Resolved as koffi is: beside this package, or on NODE_PATH.
    const path = createRequire(import.meta.url).resolve(name);
    return (await import(pathToFileURL(path).href)) as Library;
  } catch (error) {
    throw new LepantoError(
      'package',
      `--to parquet: got no package ${name}, wanted it installed: npm install ${name}`,
      {
        cause: error,
      },
    );
  }
};

const types: Readonly<Record<CellType, string>> = {
  i1: 'INT32',
  i2: 'INT32',
  i4: 'INT32',
  f4: 'FLOAT',
  text: 'BYTE_ARRAY',
};
const widths: Partial<Record<CellType, string>> = { i1: 'INT_8', i2: 'INT_16' };

const elementOf = ({ name, type, names }: Column): SchemaElement => {
  if (type === 'text' || names !== undefined)
    return {
      name,
      type: types.text,
      converted_type: 'UTF8',
      repetition_type: names === undefined ? 'REQUIRED' : 'OPTIONAL',
    };
  const width = widths[type];
  return {
    name,
    type: types[type],
    repetition_type: 'REQUIRED',
    ...(width === undefined ? {} : { converted_type: width }),
  };
};

/** Values as the package takes them. */
const valuesOf = ({ type, names }: Column, cells: Cells): unknown => {
  if (names !== undefined) return cells.map((cell) => names[Number(cell)] ?? null);
  if (type === 'text') return cells;
  return type === 'f4' ? Float32Array.from(cells, Number) : Int32Array.from(cells, Number);
};

/** One file; all rows that are written together are a group of rows in it. */
class ParquetFile implements TableWriter {
  declare private readonly file: WholeFile;
  declare private readonly columns: readonly Column[];
  declare private readonly parquet: ParquetWriter;

  constructor(library: Library, path: string, columns: readonly Column[], about: Readonly<Record<string, string>>) {
    const file = new WholeFile(path);
    const writer = new library.ByteWriter();
    const flush = (): void => {
      file.write(new Uint8Array(writer.buffer, 0, writer.index));
      writer.index = 0;
    };
    writer.flush = flush;
    writer.finish = flush;
    this.file = file;
    this.columns = columns;
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
    try {
      mkdirSync(directory, { recursive: true });
    } catch (error) {
      throw writeError(directory, error);
    }
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
