// What lies in the memory that the server shares with its client: a table of named arrays.
//
// G games and C children lie side by side: rows 0 .. G - 1 are the games, G .. G + C - 1 the children of expand(). Q powers,
// U orders that a power can have due, P provinces, L locations, S scoring systems. Every array begins on 64 bytes.
import { type CompiledMap, scoreNames, stateLayout } from '../../engine/internal.js';
import { boardLayout } from '../tensors/board.js';
import { previousOrderColumns } from '../tensors/dipnet.js';

export const observationKinds = ['none', 'dipnet', 'deepmind'] as const;
export type ObservationKind = (typeof observationKinds)[number];

/** Types of elements by their numpy names. i8 are 64 bits: two int32 here, the low one first. */
export type ElementType = 'u1' | 'i1' | 'i2' | 'i4' | 'i8' | 'f4';

const widths: Readonly<Record<ElementType, number>> = { u1: 1, i1: 1, i2: 2, i4: 4, i8: 8, f4: 4 };

/** One array: an entry of the table that the client is given. */
export interface Section {
  readonly name: string;
  readonly dtype: ElementType;
  readonly shape: readonly number[];
  /** Bytes from the beginning of the memory. */
  readonly offset: number;
  /** Bytes of one row (the first dimension). */
  readonly rowBytes: number;
  /** True for what belongs to a game beside its position: clone() copies and save() keeps it. */
  readonly kept: boolean;
}

export interface Layout {
  readonly sections: readonly Section[];
  readonly size: number;
  readonly games: number;
  readonly children: number;
  /** U. */
  readonly maxOrders: number;
  /** Games of one unit of work, and the entries of `legal_ids` that each has. */
  readonly chunk: number;
  readonly chunkIds: number;
}

const align = (n: number): number => Math.ceil(n / 64) * 64;

/**
 * Orders that one power can have due: units or adjustments of a power that has not won yet.
 */
export const maxOrdersOf = (map: CompiledMap): number =>
  2 * map.victoryCenters > map.centerCount ? map.victoryCenters - 1 : map.centerCount;

/** Chunks do not depend on the number of workers: nor does the place of anything in memory. */
const chunkOf = (games: number): number => Math.min(64, Math.max(1, Math.ceil(games / 64)));

/** Entries of legal_ids: random play has about 500 a game, a game full of convoys some thousands. */
const IDS_A_GAME = 2048;
const IDS_A_CHUNK = 1 << 15;

type Row = readonly [name: string, dtype: ElementType, shape: readonly number[], kept?: boolean];

const observationRows = (map: CompiledMap, kind: ObservationKind, games: number, all: number): Row[] => {
  if (kind === 'none') return [];
  const { rows, columns } = boardLayout(map);
  const shared: Row[] = [
    ['observation', 'u1', [all, rows, columns]],
    ['final_observation', 'u1', [games, rows, columns]],
  ];
  if (kind === 'dipnet') return [...shared, ['previous_orders', 'u1', [all, rows, previousOrderColumns(map)], true]];
  const orders = map.powerCount * maxOrdersOf(map);
  return [
    ...shared,
    ['deepmind_season', 'i1', [all]],
    ['deepmind_builds', 'i1', [all, map.powerCount], true],
    ['last_actions', 'i8', [all, orders], true],
    ['last_action_count', 'i4', [all], true],
  ];
};

/** Numbers of a game in `long_game` before the owners of its centres. */
export const LONG_GAME_HEAD = 3;

/** Numbers of a game in the array `long_game` (long-games.ts). */
export const longGameSize = (map: CompiledMap): number => LONG_GAME_HEAD + map.centerCount;

const longGameRow = (map: CompiledMap, all: number): Row => ['long_game', 'i2', [all, longGameSize(map)], true];

/** Lays out the memory of a batch. @param longGameDraw true if its games end by LONG_GAME (selfplay/games/ending.ts) too */
export const layOut = (
  map: CompiledMap,
  longGameDraw: boolean,
  kind: ObservationKind,
  games: number,
  children: number,
): Layout => {
  const all = games + children;
  const maxOrders = maxOrdersOf(map);
  const powers = map.powerCount;
  const chunk = chunkOf(games);
  const chunkIds = IDS_A_GAME * chunk + IDS_A_CHUNK;
  const chunks = Math.ceil(games / chunk) + Math.ceil(children / chunk);
  const rows: Row[] = [
    ['control', 'i4', [32]],
    ['state', 'u1', [all, stateLayout(map).stride], true],
    ['streams', 'i4', [all, 2], true],
    ['episode_seed', 'i4', [all], true],
    ['steps', 'i4', [all], true],
    ['phases', 'i4', [all], true],
    ['mask', 'u1', [all]],
    ['seeds', 'i4', [games]],
    ['actions', 'i4', [all, powers, maxOrders]],
    ['build_numbers', 'i1', [all, powers]],
    ['center_counts', 'u1', [all, powers]],
    ['order_counts', 'u1', [all, powers]],
    ['orderable', 'i2', [all, powers, maxOrders]],
    ['legal_offsets', 'i4', [all, powers * maxOrders + 1]],
    ['legal_ids', 'i4', [chunks, chunkIds]],
    ['terminated', 'u1', [all]],
    ['truncated', 'u1', [all]],
    ['rewards', 'f4', [all, scoreNames.length, powers]],
    ['final_scores', 'f4', [games, scoreNames.length, powers]],
    ['final_state', 'u1', [games, stateLayout(map).stride]],
    ...(longGameDraw ? [longGameRow(map, all)] : []),
    ...observationRows(map, kind, games, all),
  ];
  let size = 0;
  const sections = rows.map(([name, dtype, shape, kept]): Section => {
    const offset = size;
    const rowBytes = shape.slice(1).reduce((n, d) => n * d, widths[dtype]);
    size = align(offset + rowBytes * shape[0]);
    return { name, dtype, shape, offset, rowBytes, kept: kept ?? false };
  });
  return { sections, size, games, children, maxOrders, chunk, chunkIds };
};
