// Encodes tables as Parquet (https://parquet.apache.org/docs/file-format): groups of rows, and the footer that describes
// them. A group can be encoded in any thread: its offsets count from its own beginning.
//
// Every column has a dictionary of its values and, for each row, the place of its value there, in runs or packed in bits.
// So texts are never compared row by row: the tables say them by numbers. Nothing is compressed beyond that.

/** What a column holds: whole numbers of 1, 2 or 4 bytes, float32, or texts. */
export type CellType = 'i1' | 'i2' | 'i4' | 'f4' | 'text';

export interface Column {
  readonly name: string;
  readonly type: CellType;
  /** Texts that the numbers of the column stand for; -1 is null. */
  readonly names?: readonly string[];
}

/** The values of a column: numbers, places of texts in `texts`, or places of names. */
export interface Cells {
  readonly values: ArrayLike<number>;
  /** Where each value ends, if a value stands for several rows. Default: there is a value for each row. */
  readonly ends?: ArrayLike<number>;
  /** In UTF-8. */
  readonly texts?: readonly Uint8Array[];
}

// ---- bytes, in the compact protocol of Thrift ----

class Bytes {
  private bytes = new Uint8Array(1 << 16);
  private view = new DataView(this.bytes.buffer);
  length = 0;

  /** Makes room. */
  private reserve(room: number): void {
    if (this.length + room <= this.bytes.length) return;
    const larger = new Uint8Array(2 * (this.length + room));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
    this.view = new DataView(larger.buffer);
  }
  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }
  int32(value: number): void {
    this.reserve(4);
    this.view.setInt32(this.length, value, true);
    this.length += 4;
  }
  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }
  /** A whole number from 0 to 2^53, seven bits a byte. */
  varint(value: number): void {
    let left = value;
    for (; left > 127; left = Math.floor(left / 128)) this.byte((left % 128) | 128);
    this.byte(left);
  }
  text(text: string): void {
    const bytes = utf8.encode(text);
    this.varint(bytes.length);
    this.raw(bytes);
  }

  /**
   * Places in a dictionary: runs of eight or more equal ones as such, others packed, eight at a time.
   * @param width bits of each
   */
  places(places: Int32Array, count: number, width: number): void {
    for (let i = 0; i < count; ) {
      let run = i + 1;
      while (run < count && places[run] === places[i]) run++;
      if (run - i >= PACKED) {
        this.varint((run - i) << 1);
        for (let bits = 0; bits < width; bits += 8) this.byte(places[i] >> bits);
        i = run;
        continue;
      }
      let end = i + PACKED;
      while (end < count && !isRun(places, end, count)) end += PACKED;
      this.varint((((end - i) / PACKED) << 1) | 1);
      this.pack(places, i, end, count, width);
      i = end;
    }
  }

  private pack(places: Int32Array, begin: number, end: number, count: number, width: number): void {
    this.reserve(((end - begin) * width) >> 3);
    const { bytes } = this;
    let at = this.length;
    let word = 0;
    let bits = 0;
    for (let i = begin; i < end; i++) {
      if (i < count) word |= places[i] << bits;
      for (bits += width; bits >= 8; bits -= 8) {
        bytes[at++] = word;
        word >>>= 8;
      }
    }
    this.length = at;
  }

  get all(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }
}

const utf8 = new TextEncoder();
/** Values that are packed together. */
const PACKED = 8;

const isRun = (places: Int32Array, at: number, count: number): boolean => {
  if (at + PACKED > count) return false;
  for (let i = at + 1; i < at + PACKED; i++) if (places[i] !== places[at]) return false;
  return true;
};

/** A field of a struct, by its kind. */
type Field =
  | { readonly i32: number }
  | { readonly i64: number }
  | { readonly text: string }
  | { readonly bytes: Uint8Array }
  | { readonly struct: Struct }
  | { readonly i32s: readonly number[] }
  | { readonly texts: readonly string[] }
  | { readonly structs: readonly Struct[] };
/** By the number of the field; those that are undefined are left out. */
type Struct = Readonly<Record<number, Field | undefined>>;

const [I32, I64, BINARY, LIST, STRUCT] = [5, 6, 8, 9, 12];

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

const writeList = <T>(out: Bytes, items: readonly T[], type: number, write: (item: T) => void): void => {
  if (items.length < 15) out.byte((items.length << 4) | type);
  else {
    out.byte(0xf0 | type);
    out.varint(items.length);
  }
  for (const item of items) write(item);
};

const writeStruct = (out: Bytes, fields: Struct): void => {
  let last = 0;
  const head = (id: number, type: number): void => {
    out.byte(((id - last) << 4) | type);
    last = id;
  };
  for (const [key, field] of Object.entries(fields)) {
    if (field === undefined) continue;
    const id = Number(key);
    if ('i32' in field || 'i64' in field) {
      head(id, 'i32' in field ? I32 : I64);
      out.varint(zigzag('i32' in field ? field.i32 : field.i64));
    } else if ('text' in field) {
      head(id, BINARY);
      out.text(field.text);
    } else if ('bytes' in field) {
      head(id, BINARY);
      out.varint(field.bytes.length);
      out.raw(field.bytes);
    } else if ('struct' in field) {
      head(id, STRUCT);
      writeStruct(out, field.struct);
    } else {
      head(id, LIST);
      if ('i32s' in field) writeList(out, field.i32s, I32, (item) => out.varint(zigzag(item)));
      else if ('texts' in field) writeList(out, field.texts, BINARY, (item) => out.text(item));
      else writeList(out, field.structs, STRUCT, (item) => writeStruct(out, item));
    }
  }
  out.byte(0);
};

// ---- columns ----

const [INT32, FLOAT, BYTE_ARRAY] = [1, 4, 6];
const [UTF8, INT_8, INT_16] = [0, 15, 16];
const [PLAIN, RLE, RLE_DICTIONARY] = [0, 3, 8];
const [DATA_PAGE, DICTIONARY_PAGE] = [0, 2];
const [REQUIRED, OPTIONAL] = [0, 1];

const isText = ({ type, names }: Column): boolean => type === 'text' || names !== undefined;

const physicalType = (column: Column): number => {
  if (isText(column)) return BYTE_ARRAY;
  return column.type === 'f4' ? FLOAT : INT32;
};

const elementOf = (column: Column): Struct => {
  const converted = { i1: INT_8, i2: INT_16, i4: undefined, f4: undefined, text: UTF8 }[column.type];
  const type = isText(column) ? UTF8 : converted;
  return {
    1: { i32: physicalType(column) },
    3: { i32: column.names === undefined ? REQUIRED : OPTIONAL },
    4: { text: column.name },
    6: type === undefined ? undefined : { i32: type },
  };
};

/** Values below have their place in the dictionary + 1 in an array, others in a map. */
const COMMON = 1 << 18;
const placeOf = new Int32Array(COMMON);

/** The values of a column, each once, and their places by row; of a column with nulls also 0 or 1 by row. */
class Dictionary {
  /** All names of a column that has names, whether or not a row has them. */
  readonly values: number[] = [];
  readonly places: Int32Array = new Int32Array(this.rows);
  readonly levels: Int32Array = new Int32Array(this.column.names === undefined ? 0 : this.rows);
  /** Rows that are not null. */
  count = 0;

  constructor(
    private readonly column: Column,
    { values, ends }: Cells,
    private readonly rows: number,
  ) {
    if (column.names !== undefined) this.values.push(...column.names.keys());
    if (ends !== undefined) this.takeRuns(values, ends);
    else if (column.names !== undefined) this.takeNames(values);
    else this.takeNumbers(values);
  }

  private takeRuns(runs: ArrayLike<number>, ends: ArrayLike<number>): void {
    const { column, values, places, levels } = this;
    const known = new Map<number, number>(values.map((value) => [value, value]));
    for (let i = 0, begin = 0; i < ends.length; begin = ends[i++]) {
      const value = runs[i];
      if (column.names !== undefined && value < 0) continue;
      const place = known.get(value) ?? values.push(value) - 1;
      known.set(value, place);
      levels.fill(1, begin, ends[i]);
      places.fill(place, this.count, this.count + ends[i] - begin);
      this.count += ends[i] - begin;
    }
  }

  private takeNames(cells: ArrayLike<number>): void {
    const { places, levels, rows } = this;
    let n = 0;
    for (let row = 0; row < rows; row++) {
      const isThere = 1 + (cells[row] >> 31);
      levels[row] = isThere;
      places[n] = cells[row];
      n += isThere;
    }
    this.count = n;
  }

  private takeNumbers(cells: ArrayLike<number>): void {
    const { values, places, rows } = this;
    const rare = new Map<number, number>();
    for (let row = 0; row < rows; row++) {
      const value = cells[row];
      const isCommon = value >>> 0 < COMMON;
      let place = isCommon ? placeOf[value] : (rare.get(value) ?? 0);
      if (place === 0) {
        place = values.push(value);
        if (isCommon) placeOf[value] = place;
        else rare.set(value, place);
      }
      places[row] = place - 1;
    }
    for (const value of values) if (value >>> 0 < COMMON) placeOf[value] = 0;
    this.count = rows;
  }

  /** Bits of a place. */
  get width(): number {
    return 32 - Math.clz32(Math.max(0, this.values.length - 1));
  }
}

/** A number as it stands in a dictionary or in statistics. */
const encodeNumber = ({ type }: Column, value: number): Uint8Array => {
  const bytes = new Uint8Array(4);
  const view = new DataView(bytes.buffer);
  if (type === 'f4') view.setFloat32(0, value, true);
  else view.setInt32(0, value, true);
  return bytes;
};

/** The least and the greatest number of a column; nothing of texts. */
const rangeOf = (column: Column, values: readonly number[]): Struct => {
  if (isText(column) || values.length === 0) return {};
  const bytesOf = (value: number): Field => ({ bytes: encodeNumber(column, value) });
  const pick = (choose: (a: number, b: number) => number): number => values.reduce((a, b) => choose(a, b));
  return { 5: bytesOf(pick(Math.max)), 6: bytesOf(pick(Math.min)) };
};

const writePage = (out: Bytes, type: number, page: Bytes, head: Struct): void => {
  const size = { i32: page.length };
  writeStruct(out, { 1: { i32: type }, 2: size, 3: size, ...head });
  out.raw(page.all);
};

/** What a footer says of a column of a group, with offsets from the beginning of the group. */
interface Chunk {
  readonly begin: number;
  readonly data: number;
  readonly end: number;
  readonly statistics: Struct;
}

const writeColumn = (out: Bytes, column: Column, cells: Cells, rows: number): Chunk => {
  const begin = out.length;
  const isOptional = column.names !== undefined;
  const dictionary = new Dictionary(column, cells, rows);
  const texts = column.names?.map((name) => utf8.encode(name)) ?? cells.texts ?? [];
  const first = new Bytes();
  for (const value of dictionary.values) {
    if (isText(column)) first.int32(texts[value].length);
    first.raw(isText(column) ? texts[value] : encodeNumber(column, value));
  }
  const valueCount = { i32: dictionary.values.length };
  writePage(out, DICTIONARY_PAGE, first, { 7: { struct: { 1: valueCount, 2: { i32: PLAIN } } } });
  const data = out.length;
  const page = new Bytes();
  if (isOptional) {
    const levels = new Bytes();
    levels.places(dictionary.levels, rows, 1);
    page.int32(levels.length);
    page.raw(levels.all);
  }
  page.byte(dictionary.width);
  page.places(dictionary.places, dictionary.count, dictionary.width);
  const rle = { i32: RLE };
  const head: Struct = { 1: { i32: rows }, 2: { i32: RLE_DICTIONARY }, 3: rle, 4: rle };
  writePage(out, DATA_PAGE, page, { 5: { struct: head } });
  const nulls = { 3: { i64: rows - dictionary.count } };
  const statistics = { ...nulls, ...rangeOf(column, dictionary.values) };
  return { begin, data, end: out.length, statistics };
};

// ---- groups and files ----

/** Some rows of a table. */
export interface RowGroup {
  readonly rows: number;
  readonly bytes: Uint8Array;
  readonly chunks: readonly Chunk[];
}

export const encodeGroup = (columns: readonly Column[], cells: readonly Cells[], rows: number): RowGroup => {
  const out = new Bytes();
  const chunks = columns.map((column, c) => writeColumn(out, column, cells[c], rows));
  return { rows, bytes: out.all, chunks };
};

/** The first bytes of a file, and the last ones. */
export const MAGIC: Uint8Array = utf8.encode('PAR1');

/** A group in a file: what the footer needs of it. */
export interface PlacedGroup extends Omit<RowGroup, 'bytes'> {
  /** Where it begins in the file. */
  readonly offset: number;
}

/** @param about texts that the file carries, by name */
export const encodeFooter = (
  columns: readonly Column[],
  groups: readonly PlacedGroup[],
  about: Readonly<Record<string, string>>,
): Uint8Array => {
  const chunkOf = ({ offset, rows }: PlacedGroup, { begin, data, end, statistics }: Chunk, column: Column): Struct => ({
    2: { i64: offset + begin },
    3: {
      struct: {
        1: { i32: physicalType(column) },
        2: { i32s: [PLAIN, RLE, RLE_DICTIONARY] },
        3: { texts: [column.name] },
        4: { i32: 0 },
        5: { i64: rows },
        6: { i64: end - begin },
        7: { i64: end - begin },
        9: { i64: offset + data },
        11: { i64: offset + begin },
        12: { struct: statistics },
      },
    },
  });
  const out = new Bytes();
  writeStruct(out, {
    1: { i32: 1 },
    2: { structs: [{ 4: { text: 'root' }, 5: { i32: columns.length } }, ...columns.map(elementOf)] },
    3: { i64: groups.reduce((sum, { rows }) => sum + rows, 0) },
    4: {
      structs: groups.map((group) => ({
        1: { structs: columns.map((column, c) => chunkOf(group, group.chunks[c], column)) },
        2: { i64: group.chunks.reduce((sum, { begin, end }) => sum + end - begin, 0) },
        3: { i64: group.rows },
      })),
    },
    5: { structs: Object.entries(about).map(([key, value]) => ({ 1: { text: key }, 2: { text: value } })) },
    6: { text: 'lepanto' },
    // Values compare by their types.
    7: { structs: columns.map(() => ({ 1: { struct: {} } })) },
  });
  out.int32(out.length);
  out.raw(MAGIC);
  return out.all;
};
