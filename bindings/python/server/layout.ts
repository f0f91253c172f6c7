// What lies in the memory that the server shares with its client: a table of named arrays.
//
// G games and C children lie side by side: rows 0 .. G - 1 are the games, G .. G + C - 1 the children of expand(). Q powers,
// U orders that a power can have due, P provinces, L locations, S scoring systems. Every array begins on 64 bytes.
import { type CompiledMap, scoreNames, stateLayout, vocabulary } from '../../../engine/internal.js';
import { fallSize } from '../../../selfplay/games/ending.js';
import { IDS_A_CHUNK, IDS_A_GAME, maxOrdersOf } from '../../formats/arrays/legal-lists.js';
import { CHUNK_GAMES, type ObservationKind, observationRows } from '../../formats/arrays/observations.js';
import { type ArrayRow, align, placeArrays } from '../../formats/arrays/shared-arrays.js';

/**
 * Chunks do not depend on the number of workers: nor does the place of anything in memory. A bot in a process of its own
 * is asked for the games of a chunk together, and there are more in each.
 */
const chunkOf = (games: number, bots: boolean): number =>
  Math.min(CHUNK_GAMES, Math.max(1, Math.ceil(games / (bots ? BOT_CHUNKS : 64))));
const BOT_CHUNKS = 4;

const lastOrderRows = (map: CompiledMap, all: number): ArrayRow[] => {
  const slots = [all, map.powerCount, maxOrdersOf(map)];
  return [
    ['last_phase', 'i1', [all]],
    ['last_orders', 'i4', slots],
    ['last_locations', 'i2', slots],
    ['last_results', 'i1', slots],
    ['last_fates', 'i1', slots],
  ];
};

const longGameRow = (map: CompiledMap, all: number): ArrayRow => [
  'long_game',
  'i2',
  [all, fallSize(map)],
  'kept, stepped',
];

/** Arrays that only some batches have. */
interface Extras {
  /** Games end by LONG_GAME (selfplay/games/ending.ts) too. */
  readonly longGameDraw: boolean;
  /** Legal orders as masks over the vocabulary. */
  readonly masks: boolean;
  /** Keys of the texts of legal orders. */
  readonly textKeys: boolean;
  /** Results of orders. */
  readonly results: boolean;
  /** Bots in processes of their own are opponents: no array, but larger chunks. */
  readonly bots: boolean;
}

/** Lays out the memory of a batch. Arrays do not depend on the number of threads: only what is behind them does. */
export const layOut = (
  map: CompiledMap,
  { longGameDraw, masks, textKeys, results, bots }: Extras,
  kind: ObservationKind,
  games: number,
  children: number,
  threads: number,
) => {
  const all = games + children;
  const maxOrders = maxOrdersOf(map);
  const powers = map.powerCount;
  const chunk = chunkOf(games, bots);
  const chunkIds = IDS_A_GAME * chunk + IDS_A_CHUNK;
  const chunks = Math.ceil(games / chunk) + Math.ceil(children / chunk);
  const rows: ArrayRow[] = [
    ['state', 'u1', [all, stateLayout(map).stride], 'kept, stepped'],
    ['streams', 'i4', [all, 2], 'kept, stepped'],
    ['episode_seed', 'i4', [all], 'kept, stepped'],
    ['steps', 'i4', [all], 'kept, stepped'],
    ['phases', 'i4', [all], 'kept, stepped'],
    ['mask', 'u1', [all]],
    ['seeds', 'i4', [all]],
    ['parents', 'i4', [all]],
    ['actions', 'i4', [all, powers, maxOrders]],
    ['seats', 'u1', [all, powers]],
    ['wanted', 'u1', [games, powers]],
    ['chosen', 'i4', [games, powers, maxOrders]],
    ['build_numbers', 'i1', [all, powers]],
    ['center_counts', 'u1', [all, powers]],
    ['order_counts', 'u1', [all, powers]],
    ['orderable', 'i2', [all, powers, maxOrders]],
    ['legal_offsets', 'i4', [all, powers * maxOrders + 1]],
    ['legal_ids', 'i4', [chunks, chunkIds]],
    ...(textKeys ? [['text_keys', 'i4', [chunks, chunkIds]] satisfies ArrayRow] : []),
    ...(masks ? [['legal_mask', 'u1', [all, vocabulary(map).size]] satisfies ArrayRow] : []),
    ['terminated', 'u1', [all], 'stepped'],
    ['truncated', 'u1', [all], 'stepped'],
    ['center_gains', 'i1', [all, powers], 'stepped'],
    ['rewards', 'f4', [all, scoreNames.length, powers]],
    ['returns', 'f4', [all, scoreNames.length, powers]],
    ['final_scores', 'f4', [games, scoreNames.length, powers]],
    ['final_state', 'u1', [games, stateLayout(map).stride]],
    ...(longGameDraw ? [longGameRow(map, all)] : []),
    ...(results ? lastOrderRows(map, all) : []),
    ...observationRows(map, kind, games, all),
  ];
  const { sections, size: end } = placeArrays(rows);
  const steppedBytes = sections.reduce((n, { stepped, rowBytes }) => n + (stepped ? rowBytes : 0), 0);
  /** Where each thread keeps the `stepped` rows of the chunk that it plays, as they were before; `size` bytes for each. */
  const undo = { offset: end, size: align(chunk * steppedBytes) };
  const size = end + threads * undo.size;
  return {
    ...{ sections, size, games, children },
    /** U. */
    maxOrders,
    /** Games of one unit of work, and the entries of `legal_ids` that each has. */
    ...{ chunk, chunkIds },
    undo,
  };
};
export type Layout = Readonly<ReturnType<typeof layOut>>;
