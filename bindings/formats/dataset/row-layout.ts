// What lies in the memory that a reader of datasets shares with its client: batches of samples, each in a slot.
//
// B samples a batch, Q powers, U orders that a power can have due. Arrays of orders have Q' = Q powers, or 1 where a sample
// is one power. Slot s has the rows s * B .. (s + 1) * B - 1; observations have twice as many with nStep, those of the
// samples and behind them those nStep phases later.
import type { CompiledMap } from '../../../engine/internal.js';
import { IDS_A_CHUNK, IDS_A_GAME, maxOrdersOf } from '../arrays/legal-lists.js';
import { type ObservationKind, observationRows } from '../arrays/observations.js';
import { type Arrangement, type ArrayRow, placeArrays } from '../arrays/shared-arrays.js';
import { DipccEncoder } from '../tensors/dipcc.js';
import type { ReaderConfig } from './reader-config.js';

/** Of the boards of dipcc. */
export const DIPCC_VERSION = 2;

/** Samples that one task writes. */
export const ROWS_A_TASK = 64;

export interface RowLayout extends Arrangement {
  /** Q'. */
  readonly orderers: number;
  /** U. */
  readonly maxOrders: number;
  /** Rows of observations of a slot: B, or 2 B. */
  readonly viewRows: number;
  /** Names of the arrays that have so many. */
  readonly views: ReadonlySet<string>;
  /** Pieces of the legal lists of a slot, and the entries of each. */
  readonly chunks: number;
  readonly chunkIds: number;
}

const viewArrays = (map: CompiledMap, { observations }: ReaderConfig, views: number): ArrayRow[] => {
  if (observations === 'dipcc') {
    const { rows, columns } = new DipccEncoder(map, DIPCC_VERSION);
    return [['observation', 'f4', [views, rows, columns]]];
  }
  // No sample has a final observation.
  return observationRows(map, observations satisfies ObservationKind, 0, views);
};

export const layOutRows = (map: CompiledMap, config: ReaderConfig): RowLayout => {
  const { batchSize, slots, nStep } = config;
  const powers = map.powerCount;
  const orderers = config.per === 'power' ? 1 : powers;
  const maxOrders = maxOrdersOf(map);
  const all = slots * batchSize;
  const viewRows = nStep > 0 ? 2 * batchSize : batchSize;
  const chunks = Math.ceil(batchSize / ROWS_A_TASK);
  const chunkIds = ROWS_A_TASK * IDS_A_GAME + IDS_A_CHUNK;
  const views = viewArrays(map, config, slots * viewRows);
  const byOrder = [all, orderers, maxOrders];
  const rows: ArrayRow[] = [
    ['game', 'i4', [all]],
    ['file', 'i4', [all]],
    ['phase_index', 'i4', [all]],
    ['year', 'i2', [all]],
    ['season', 'u1', [all]],
    ['phase', 'u1', [all]],
    ['power', 'i1', [all]],
    ['winner', 'i1', [all]],
    ['agents', 'i2', [all, powers]],
    ['acting', 'u1', [all, powers]],
    ['build_numbers', 'i1', [all, powers]],
    ['center_counts', 'u1', [all, powers]],
    ['returns', 'f4', [all, powers]],
    ['order_counts', 'u1', [all, orderers]],
    ['orderable', 'i2', byOrder],
    ['order_ids', 'i4', byOrder],
    ['results', 'i1', byOrder],
    ['fates', 'i1', byOrder],
    ...(config.legal
      ? ([
          ['actions', 'i4', byOrder],
          ['legal_offsets', 'i4', [all, orderers * maxOrders + 1]],
          ['legal_ids', 'i4', [slots * chunks, chunkIds]],
        ] satisfies ArrayRow[])
      : []),
    ...(config.targets
      ? ([
          ['policy', 'f4', [slots * chunks, chunkIds]],
          ['values', 'f4', [all, powers]],
          ['targeted', 'u1', [all, powers]],
        ] satisfies ArrayRow[])
      : []),
    ...(nStep > 0
      ? ([
          ['rewards', 'f4', [all, powers]],
          ['discounts', 'f4', [all]],
          ['steps', 'i4', [all]],
        ] satisfies ArrayRow[])
      : []),
    ...views,
  ];
  return {
    ...placeArrays(rows),
    orderers,
    maxOrders,
    viewRows,
    views: new Set(views.map(([name]) => name)),
    chunks,
    chunkIds,
  };
};
