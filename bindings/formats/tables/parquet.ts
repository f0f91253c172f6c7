// Encodes tables as Parquet (https://parquet.apache.org/docs/file-format) with the package hyparquet-writer: groups of
// rows, and the footer that describes them. A group can be encoded in any thread, because its offsets are relative to
// its start.
//
// Every column has a dictionary of its values, and for each row an index into it. The dictionaries are made here,
// because the tables already refer to texts by number, while the package would compare the texts of all rows. There is
// no further compression.
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';
import { writePlain } from 'hyparquet-writer/src/plain.js';
import { beginFile, type WholeFile } from '../../../selfplay/records/whole-file.js';

/** Type of a column: integers of 1, 2 or 4 bytes, float32, or text. */
export type CellType = 'i1' | 'i2' | 'i4' | 'f4' | 'text';

/** A column of a table. */
export interface Column {
  readonly name: string;
  readonly type: CellType;
  /** All possible texts of a text column, which may then contain nulls. Absent for any other column. */
  readonly names?: readonly string[];
}

/** Cells of a column: numbers, or indices into `texts`. -1 is null in a column with `names`. */
export interface Cells {
  readonly values: Int32Array | Float32Array;
  readonly texts: readonly string[];
}

type Schema = ParquetWriter['schema'];
type PageHeader = Parameters<typeof writePageHeader>[1];
type Chunk = NonNullable<ParquetWriter['row_groups'][number]['columns'][number]['meta_data']>;

const types = {
  i1: { type: 'INT32', converted_type: 'INT_8' },
  i2: { type: 'INT32', converted_type: 'INT_16' },
  i4: { type: 'INT32' },
  f4: { type: 'FLOAT' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
} as const;

const schemaOf = (columns: readonly Column[]): Schema => [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, type, names }): Schema[number] => ({
    name,
    repetition_type: names === undefined ? 'REQUIRED' : 'OPTIONAL',
    ...types[type],
  })),
];

/** Values below this limit are looked up in the array placeOf, others in a map. */
const COMMON = 1 << 18;
/** Index in the current dictionary + 1, indexed by value; 0 for a value that is not in it. */
const placeOf = new Int32Array(COMMON);

const isCommon = ({ type }: Column, value: number): boolean => type !== 'f4' && value >>> 0 < COMMON;

/** A column encoded by a dictionary. */
interface Indexed {
  /** The dictionary: distinct values. */
  readonly known: readonly number[];
  /** Index in `known` of every cell that is not null. */
  readonly places: Int32Array;
  /** For each row 0 if its cell is null, otherwise 1. */
  readonly levels: Uint8Array;
}

const indexCells = (column: Column, { values }: Cells, rows: number): Indexed => {
  const known: number[] = [];
  const places = new Int32Array(rows);
  const levels = new Uint8Array(rows);
  const rare = new Map<number, number>();
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const value = values[row];
    if (column.names !== undefined && value < 0) continue;
    const common = isCommon(column, value);
    let place = common ? placeOf[value] : (rare.get(value) ?? 0);
    if (place === 0) {
      place = known.push(value);
      if (common) placeOf[value] = place;
      else rare.set(value, place);
    }
    levels[row] = 1;
    places[count++] = place - 1;
  }
  for (const value of known) if (isCommon(column, value)) placeOf[value] = 0;
  return { known, places: places.subarray(0, count), levels };
};

const writePage = (
  out: ByteWriter,
  header: Omit<PageHeader, 'uncompressed_page_size' | 'compressed_page_size'>,
  ...parts: readonly ByteWriter[]
): void => {
  const size = parts.reduce((sum, { offset }) => sum + offset, 0);
  writePageHeader(out, { ...header, uncompressed_page_size: size, compressed_page_size: size });
  for (const part of parts) out.appendBytes(part.getBytes());
};

const utf8 = new TextEncoder();

/**
 * Encodes a column of a group of rows and appends it to `out`.
 * @param rows number of rows
 * @returns the description of the column for the footer, with offsets from the start of the group
 */
const writeColumn = (out: ByteWriter, column: Column, cells: Cells, rows: number): Chunk => {
  const begin = out.offset;
  const { type } = types[column.type];
  const isText = column.type === 'text';
  const { known, places, levels } = indexCells(column, cells, rows);
  const dictionary = new ByteWriter();
  writePlain(dictionary, isText ? known.map((value) => utf8.encode(cells.texts[value])) : [...known], type, undefined);
  const dictionaryHead = { num_values: known.length, encoding: 'PLAIN' } as const;
  writePage(out, { type: 'DICTIONARY_PAGE', dictionary_page_header: dictionaryHead }, dictionary);
  const data = out.offset;
  const levelBytes = new ByteWriter();
  if (column.names !== undefined) writeRleBitPackedHybrid(levelBytes, levels, 1);
  const width = 32 - Math.clz32(Math.max(0, known.length - 1));
  const page = new ByteWriter();
  page.appendUint8(width);
  writeRleBitPackedHybrid(page, places, width);
  const head = {
    ...{ num_values: rows, num_nulls: rows - places.length, num_rows: rows, encoding: 'RLE_DICTIONARY' as const },
    ...{ definition_levels_byte_length: levelBytes.offset, repetition_levels_byte_length: 0, is_compressed: false },
  };
  writePage(out, { type: 'DATA_PAGE_V2', data_page_header_v2: head }, levelBytes, page);
  const size = BigInt(out.offset - begin);
  const pick = (choose: (a: number, b: number) => number): number => known.reduce((a, b) => choose(a, b));
  const range = isText || known.length === 0 ? {} : { min_value: pick(Math.min), max_value: pick(Math.max) };
  return {
    ...{ type, encodings: ['PLAIN', 'RLE', 'RLE_DICTIONARY'], path_in_schema: [column.name], codec: 'UNCOMPRESSED' },
    ...{ num_values: BigInt(rows), total_uncompressed_size: size, total_compressed_size: size },
    ...{ dictionary_page_offset: BigInt(begin), data_page_offset: BigInt(data) },
    statistics: { null_count: BigInt(rows - places.length), ...range },
  };
};

/** An encoded group of rows. chunks: descriptions of its columns for the footer. */
export interface RowGroup {
  readonly rows: number;
  readonly bytes: Uint8Array;
  readonly chunks: readonly Chunk[];
}

/** Returns an encoded group of rows. @param cells cells of each column @param rows number of rows */
export const encodeGroup = (columns: readonly Column[], cells: readonly Cells[], rows: number): RowGroup => {
  const out = new ByteWriter();
  const chunks = columns.map((column, c) => writeColumn(out, column, cells[c], rows));
  return { rows, bytes: out.getBytes().slice(), chunks };
};

/** A Parquet file that is written group by group. */
export class ParquetFile {
  private readonly file: WholeFile;
  private readonly writer = new ByteWriter();
  private readonly parquet: ParquetWriter;

  /** Begins a file. @param about metadata texts, keyed by name @throws LepantoError if it cannot be written */
  constructor(path: string, columns: readonly Column[], about: Readonly<Record<string, string>>) {
    this.file = beginFile(path);
    const kvMetadata = Object.entries(about).map(([key, value]) => ({ key: `lepanto.${key}`, value }));
    const schema = schemaOf(columns);
    this.parquet = new ParquetWriter({ writer: this.writer, schema, kvMetadata, createdBy: 'lepanto' });
  }

  write({ rows, bytes, chunks }: RowGroup): void {
    const { writer, parquet } = this;
    const by = BigInt(writer.offset);
    const columns = chunks.map((chunk) => ({
      file_offset: by,
      meta_data: {
        ...chunk,
        data_page_offset: chunk.data_page_offset + by,
        dictionary_page_offset: (chunk.dictionary_page_offset ?? 0n) + by,
      },
    }));
    parquet.row_groups.push({ columns, total_byte_size: BigInt(bytes.length), num_rows: BigInt(rows) });
    parquet.num_rows += BigInt(rows);
    writer.appendBytes(bytes);
    this.flush();
  }

  private flush(): void {
    this.file.write(this.writer.getBytes());
    this.writer.index = 0;
  }

  /** Writes the footer after the last group. Call finish() afterwards. */
  end(): void {
    this.parquet.finish();
    this.flush();
  }
  /** Renames the complete file to its final name. Call end() before. */
  finish(): void {
    this.file.finish();
  }
  /** Removes the unfinished file. */
  abandon(): void {
    this.file.abandon();
  }
}
