// Layout of a part of a folder of tensors: its tables, their columns, and the memory in which rows are encoded.
//
//   games.npy    one row per game
//   phases.npy   one small row per position, for choosing samples
//   orders.npy   one large row per position: orders, results and observations
//   legal.npy    vocabulary ids of all legal orders, by position, power and slot
//   policy.npy   parallel to legal.npy: probabilities of the orders that agents compared; absent if there are none
//
// Observations of zeros and ones are stored as bits, the first one in the highest bit of a byte.
import { type CompiledMap, scoreNames, vocabulary } from '../../../engine/internal.js';
import { IDS_A_CHUNK, IDS_A_GAME, maxOrdersOf } from '../arrays/legal-lists.js';
import { type ObservationKind, observationRows } from '../arrays/observations.js';
import {
  type Arrangement,
  type ArrayOf,
  type ArrayRow,
  type ElementType,
  placeArrays,
  type Section,
  type SharedArrays,
} from '../arrays/shared-arrays.js';
import { DipccEncoder } from '../tensors/dipcc.js';
import type { TensorConfig } from './tensor-config.js';

/** Version of dipcc's boards that folders of tensors contain. */
export const DIPCC_VERSION = 2;

/** Number of positions that a thread encodes in memory at a time. */
export const ROWS_AT_ONCE = 64;

/** Kind of a position after the end of a game. Other kinds are MOVEMENT, RETREAT and ADJUSTMENT. */
export const GAME_OVER = 3;

/** Name of a table with one row per position. */
export type TableName = 'phases' | 'orders';
/** Shape of a column: one element per position ('row'), per power, or per slot of each power. */
type Each = 'row' | 'power' | 'slot';

/** Columns of the tables: table, dimension and type of an element. */
const columns = {
  game: ['phases', 'row', 'i4'],
  phase_index: ['phases', 'row', 'i4'],
  /** Index in legal.npy of the first legal order of the position. */
  legal: ['phases', 'row', 'i4'],
  year: ['phases', 'row', 'i2'],
  season: ['phases', 'row', 'u1'],
  phase: ['phases', 'row', 'u1'],
  order_counts: ['phases', 'power', 'u1'],
  values: ['orders', 'power', 'f4'],
  targeted: ['orders', 'power', 'b1'],
  build_numbers: ['orders', 'power', 'i1'],
  center_counts: ['orders', 'power', 'u1'],
  orderable: ['orders', 'slot', 'i2'],
  order_ids: ['orders', 'slot', 'i4'],
  actions: ['orders', 'slot', 'i2'],
  /** Number of legal orders of the slot. */
  list_sizes: ['orders', 'slot', 'i2'],
  results: ['orders', 'slot', 'i1'],
  fates: ['orders', 'slot', 'i1'],
} as const satisfies Readonly<Record<string, readonly [table: TableName, each: Each, dtype: ElementType]>>;

type ColumnName = keyof typeof columns;
const columnEntries = Object.entries(columns) as [ColumnName, (typeof columns)[ColumnName]][];

/** Arrays in memory of all columns, keyed by name. */
export type ColumnArrays = { readonly [Name in ColumnName]: ArrayOf<(typeof columns)[Name][2]> };

/** Returns the arrays in memory of all columns, keyed by name. */
export const columnArrays = (memory: SharedArrays): ColumnArrays =>
  Object.fromEntries(
    columnEntries.map(([name, [, , dtype]]) => [name, memory.array(name, dtype)]),
  ) as unknown as ColumnArrays;

/** A column of a table as it is stored. */
export interface Field {
  readonly name: string;
  /** Type of a stored element. */
  readonly dtype: ElementType;
  /** Shape of a stored row. */
  readonly shape: readonly number[];
  /** Size of a stored row in bytes. */
  readonly bytes: number;
}

/** A stored observation whose elements are bits: type and shape of a row in memory. */
export interface Packed {
  readonly dtype: ElementType;
  readonly shape: readonly number[];
}

/** Returns the type of stored vocabulary ids: 16 bits if the vocabulary is small enough. */
export const idType = (map: CompiledMap): 'i2' | 'i4' => (vocabulary(map).orders.length < 1 << 15 ? 'i2' : 'i4');

/** Layout of the memory and of the tables. */
export interface RowLayout extends Arrangement {
  /** Number of slots (units, or due builds or removals) for each power. */
  readonly maxOrders: number;
  /** Number of legal orders for which the memory has room. */
  readonly mostIds: number;
  /** Columns of each table, keyed by table. The widest elements come first, so that every column is aligned. */
  readonly tables: Readonly<Record<TableName | 'games', readonly Field[]>>;
  /** Observations that are stored as bits, keyed by name. */
  readonly packed: Readonly<Record<string, Packed>>;
}

const viewArrays = (map: CompiledMap, { observations }: Pick<TensorConfig, 'observations'>): ArrayRow[] => {
  if (observations === 'dipcc') {
    const { rows, columns } = new DipccEncoder(map, DIPCC_VERSION);
    return [['observation', 'f4', [ROWS_AT_ONCE, rows, columns]]];
  }
  return observationRows(map, observations satisfies ObservationKind, 0, ROWS_AT_ONCE);
};

const widthOf = (dtype: ElementType): number => Number(dtype.slice(1));
const sizeOf = (shape: readonly number[]): number => shape.reduce((n, d) => n * d, 1);

/** Returns the columns of a table in the stored order. The last column pads rows to a multiple of 8 bytes. */
const tableOf = (
  fields: readonly (readonly [name: string, dtype: ElementType, shape: readonly number[]])[],
): Field[] => {
  const found = fields
    .map(([name, dtype, shape]): Field => ({ name, dtype, shape, bytes: widthOf(dtype) * sizeOf(shape) }))
    .sort((a, b) => widthOf(b.dtype) - widthOf(a.dtype));
  const size = found.reduce((sum, { bytes }) => sum + bytes, 0);
  const rest = -size & 7;
  return rest === 0 ? found : [...found, { name: 'fill', dtype: 'u1', shape: [rest], bytes: rest }];
};

/** True for the name of an observation whose elements are stored as bits. */
const isBits = (name: string): boolean => name === 'observation' || name === 'previous_orders';

/** Returns the layout for a map and a kind of observations. */
export const layOutRows = (map: CompiledMap, config: Pick<TensorConfig, 'observations'>): RowLayout => {
  const maxOrders = maxOrdersOf(map);
  const { powerCount } = map;
  const shapes: Readonly<Record<Each, readonly number[]>> = {
    row: [],
    power: [powerCount],
    slot: [powerCount, maxOrders],
  };
  const mostIds = ROWS_AT_ONCE * IDS_A_GAME + IDS_A_CHUNK;
  const views = viewArrays(map, config);
  const shown = views.filter(([, , [rows]]) => rows > 0);
  const placed = placeArrays([
    ...columnEntries.map(([name, [, each, dtype]]): ArrayRow => [name, dtype, [ROWS_AT_ONCE, ...shapes[each]]]),
    ...views,
    ['legal_ids', 'i4', [mostIds]],
    ['policy', 'f4', [mostIds]],
  ]);
  const fieldsOf = (table: TableName) =>
    columnEntries
      .filter(([, [own]]) => own === table)
      .map(
        ([name, [, each, dtype]]) =>
          [name, name === 'order_ids' ? idType(map) : (dtype as ElementType), shapes[each]] as const,
      );
  const viewFields = shown.map(([name, dtype, [, ...shape]]) =>
    isBits(name) ? ([name, 'u1', [Math.ceil(sizeOf(shape) / 8)]] as const) : ([name, dtype, shape] as const),
  );
  return {
    ...placed,
    ...{ maxOrders, mostIds },
    tables: {
      games: tableOf([
        ['scores', 'f4', [scoreNames.length, powerCount]],
        ['file', 'i4', []],
        ['number', 'i4', []],
        ['agents', 'i2', [powerCount]],
        ['winner', 'i1', []],
      ]),
      phases: tableOf(fieldsOf('phases')),
      orders: tableOf([...fieldsOf('orders'), ...viewFields]),
    },
    packed: Object.fromEntries(
      shown.filter(([name]) => isBits(name)).map(([name, dtype, [, ...shape]]) => [name, { dtype, shape }]),
    ),
  };
};

/**
 * Copies rows from memory into rows of a table.
 * @param fields columns of the table
 * @param packed observations that are stored as bits, keyed by name
 * @param rows number of rows to copy, from row 0
 * @returns the bytes of the table rows
 */
export const storeRows = (
  fields: readonly Field[],
  packed: RowLayout['packed'],
  memory: SharedArrays,
  rows: number,
): Uint8Array => {
  const size = fields.reduce((sum, { bytes }) => sum + bytes, 0);
  const out = new Uint8Array(rows * size);
  let at = 0;
  for (const field of fields) {
    const { name, bytes } = field;
    if (memory.has(name)) {
      if (name in packed) storeBits(memory, field, packed[name].dtype, out, at, size, rows);
      else storeBytes(memory, field, out, at, size, rows);
    }
    at += bytes;
  }
  return out;
};

const storeBytes = (
  memory: SharedArrays,
  { name, dtype, bytes }: Field,
  out: Uint8Array,
  at: number,
  step: number,
  rows: number,
): void => {
  const section: Section = memory.section(name);
  let from = memory.bytes(name);
  if (widthOf(dtype) < widthOf(section.dtype)) from = narrowed(memory.array(name, 'i4'));
  for (let row = 0; row < rows; row++) out.set(from.subarray(row * bytes, (row + 1) * bytes), at + row * step);
};

/** Returns the bytes of numbers, converted to int16. */
export const narrowed = (numbers: Int32Array): Uint8Array => new Uint8Array(Int16Array.from(numbers).buffer);

const storeBits = (
  memory: SharedArrays,
  { name, bytes }: Field,
  dtype: ElementType,
  out: Uint8Array,
  at: number,
  step: number,
  rows: number,
): void => {
  const flags = memory.array(name, dtype);
  const count = flags.length / ROWS_AT_ONCE;
  for (let row = 0; row < rows; row++) {
    const begin = row * count;
    for (let k = 0; k < bytes; k++) {
      let byte = 0;
      for (let bit = 0; bit < 8; bit++)
        if (8 * k + bit < count && flags[begin + 8 * k + bit] !== 0) byte |= 0x80 >> bit;
      out[at + row * step + k] = byte;
    }
  }
};
