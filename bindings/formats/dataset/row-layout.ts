// The columns of a dataset, and their places in the memory that a reader shares with its client: batches of samples, each in
// a slot. With B samples a batch, slot s has the rows s * B .. (s + 1) * B - 1.
import type { CompiledMap } from '../../../engine/internal.js';
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
import type { ReaderConfig } from './reader-config.js';

/** Version of the boards of dipcc. */
export const DIPCC_VERSION = 2;

/** Samples that one task writes. */
export const ROWS_A_TASK = 64;

/** Prefix of the observations `nStep` phases after the sample. */
export const LATER = 'next_';

/**
 * What a column has an element for: a sample; each power; each power that orders in the sample (all, or the one of
 * `per: 'power'`); each slot of an order of these powers; each end of a legal list; each entry of the legal lists.
 */
type Each = 'sample' | 'power' | 'orderer' | 'slot' | 'end' | 'entry';

/** @param when option that adds the column; without it the column is always there */
type Column = readonly [each: Each, dtype: ElementType, when?: 'legal' | 'targets' | 'nStep'];

/** The columns except the observations, which are those of the batch server. Clients get names, types and shapes from here. */
const columns = {
  game: ['sample', 'i4'],
  file: ['sample', 'i4'],
  phase_index: ['sample', 'i4'],
  year: ['sample', 'i2'],
  season: ['sample', 'u1'],
  phase: ['sample', 'u1'],
  power: ['sample', 'i1'],
  winner: ['sample', 'i1'],
  agents: ['power', 'i2'],
  acting: ['power', 'b1'],
  build_numbers: ['power', 'i1'],
  center_counts: ['power', 'u1'],
  returns: ['power', 'f4'],
  order_counts: ['orderer', 'u1'],
  orderable: ['slot', 'i2'],
  order_ids: ['slot', 'i4'],
  results: ['slot', 'i1'],
  fates: ['slot', 'i1'],
  actions: ['slot', 'i4', 'legal'],
  legal_offsets: ['end', 'i4', 'legal'],
  legal_ids: ['entry', 'i4', 'legal'],
  policy: ['entry', 'f4', 'targets'],
  values: ['power', 'f4', 'targets'],
  targeted: ['power', 'b1', 'targets'],
  rewards: ['power', 'f4', 'nStep'],
  discounts: ['sample', 'f4', 'nStep'],
  steps: ['sample', 'i4', 'nStep'],
} as const satisfies Readonly<Record<string, Column>>;

const columnEntries: readonly (readonly [name: string, column: Column])[] = Object.entries(columns);

export type ColumnArrays = { readonly [Name in keyof typeof columns]: ArrayOf<(typeof columns)[Name][1]> };

/** Returns the arrays of the columns by name. Columns that the options leave out are empty. */
export const columnArrays = (memory: SharedArrays): ColumnArrays =>
  Object.fromEntries(
    columnEntries.map(([name, [, dtype]]) => [name, memory.array(name, dtype)]),
  ) as unknown as ColumnArrays;

export interface RowLayout extends Arrangement {
  /** Powers that order in a sample: all, or 1. */
  readonly orderers: number;
  /** Orders that a power can have due. */
  readonly maxOrders: number;
  /** Pieces of the legal lists of a slot, one for each task, and the entries of each. */
  readonly chunks: number;
  readonly chunkIds: number;
  /** The arrays that a client reads. */
  readonly shown: readonly Section[];
  /** Names of those that have an element for each entry of the legal lists. */
  readonly lists: readonly string[];
}

const viewArrays = (map: CompiledMap, { observations }: ReaderConfig, all: number): ArrayRow[] => {
  if (observations === 'dipcc') {
    const { rows, columns } = new DipccEncoder(map, DIPCC_VERSION);
    return [['observation', 'f4', [all, rows, columns]]];
  }
  // No sample has a final observation.
  return observationRows(map, observations satisfies ObservationKind, 0, all);
};

export const layOutRows = (map: CompiledMap, config: ReaderConfig): RowLayout => {
  const { batchSize, slots, nStep, per } = config;
  const all = slots * batchSize;
  const isSingle = per === 'power';
  const orderers = isSingle ? 1 : map.powerCount;
  const maxOrders = maxOrdersOf(map);
  const chunks = Math.ceil(batchSize / ROWS_A_TASK);
  const chunkIds = ROWS_A_TASK * IDS_A_GAME + IDS_A_CHUNK;
  const shapes: Readonly<Record<Each, readonly number[]>> = {
    sample: [all],
    power: [all, map.powerCount],
    orderer: isSingle ? [all] : [all, orderers],
    slot: isSingle ? [all, maxOrders] : [all, orderers, maxOrders],
    end: [all, orderers * maxOrders + 1],
    entry: [slots * chunks, chunkIds],
  };
  const used = columnEntries.filter(([, [, , when]]) => when === undefined || Boolean(config[when]));
  const views = viewArrays(map, config, all);
  const placed = placeArrays([
    ...used.map(([name, [each, dtype]]): ArrayRow => [name, dtype, shapes[each]]),
    ...views,
    ...(nStep > 0 ? views.map(([name, ...rest]): ArrayRow => [`${LATER}${name}`, ...rest]) : []),
  ]);
  return {
    ...placed,
    ...{ orderers, maxOrders, chunks, chunkIds },
    shown: placed.sections.filter(({ shape }) => shape[0] > 0),
    lists: used.filter(([, [each]]) => each === 'entry').map(([name]) => name),
  };
};
