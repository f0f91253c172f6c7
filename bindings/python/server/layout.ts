// Layout of the memory that the server shares with its client: a table of named arrays.
//
// Rows 0 .. G - 1 of an array are the G games, rows G .. G + C - 1 the C children of expand(). Other dimensions: Q powers,
// U orders that a power can have due, P provinces, L locations, S scoring systems. Every array is aligned to 64 bytes.
import { type CompiledMap, scoreNames, stateLayout, vocabulary } from '../../../engine/internal.js';
import { fallSize } from '../../../selfplay/games/ending.js';
import { IDS_A_CHUNK, IDS_A_GAME, maxOrdersOf } from '../../formats/arrays/legal-lists.js';
import { CHUNK_GAMES, type ObservationKind, observationRows } from '../../formats/arrays/observations.js';
import { type ArrayRow, align, placeArrays } from '../../formats/arrays/shared-arrays.js';

/**
 * Returns the number of games in a chunk. It does not depend on the number of workers, so the layout does not either.
 * @param games number of games in the batch
 * @param bots true if opponents are bots in separate processes; chunks are then larger, because a bot is asked about
 *   all games of a chunk together
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

/** Features of a batch. All but `bots` add arrays. */
interface Extras {
  /** True if games also end as draws by the rule LONG_GAME (selfplay/games/ending.ts). Adds its counters. */
  readonly longGameDraw: boolean;
  /** True to add legal orders as masks over the vocabulary. */
  readonly masks: boolean;
  /** True to add keys of the legal orders' texts (text-keys.ts). */
  readonly textKeys: boolean;
  /** True to add the results of the last phase's orders. */
  readonly results: boolean;
  /** True if opponents are bots in separate processes. Adds no array, but enlarges chunks. */
  readonly bots: boolean;
}

/**
 * Returns the memory layout of a batch: name, type, shape and offset of each array. Only the memory after the arrays
 * depends on the number of threads.
 * @param kind kind of the observations
 * @param games number of games
 * @param children maximum number of children of expand()
 */
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
  /**
   * Memory in which each thread saves the arrays marked `stepped` of its chunk before a step. `offset` in bytes; `size`
   * bytes for each thread.
   */
  const undo = { offset: end, size: align(chunk * steppedBytes) };
  const size = end + threads * undo.size;
  return {
    ...{ sections, size, games, children },
    /** Largest number of orders that a power can have due (U in the head of this file). */
    maxOrders,
    /** `chunk`: number of games in a chunk. `chunkIds`: number of entries in `legal_ids` for each chunk. */
    ...{ chunk, chunkIds },
    undo,
  };
};
export type Layout = Readonly<ReturnType<typeof layOut>>;
