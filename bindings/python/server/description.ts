// Writes what a client reads about its games: counts, legal orders as lists and as masks, observations.
import {
  ADJUSTMENT,
  adjustmentsDue,
  type Game,
  MAX_ORDERS_PER_PROVINCE,
  PLAYING,
  type Vocabulary,
  vocabulary,
} from '../../../engine/internal.js';
import { IDS_A_CHUNK, IDS_A_GAME, Lists, NO_SLOT } from '../../formats/arrays/legal-lists.js';
import type { AgentOrders } from './agent-orders.js';
import type { Games } from './games.js';
import { TextKeys } from './text-keys.js';

export class Description {
  /** Legal orders of the game that was listed last. */
  readonly lists = new Lists(this.games.map);
  /** Entries of legal_ids of the chunk that was described last, up to the last one written; 0 if none was. */
  listed = 0;
  private readonly words: Vocabulary = vocabulary(this.games.map);
  /** Vocabulary ids of a slot whose list is not written. */
  private readonly unlisted = new Int32Array(
    this.games.config.masks && !this.games.config.lists ? MAX_ORDERS_PER_PROVINCE : 0,
  );
  private readonly centers = new Int32Array(this.games.map.powerCount);
  private readonly textKeys: TextKeys | null = this.games.config.textKeys ? new TextKeys(this.games.map) : null;

  constructor(
    private readonly games: Games,
    private readonly agents: AgentOrders,
  ) {}

  /** Describes the games of one chunk. */
  describe(first: number, end: number): void {
    const { chunkIds } = this.games.layout;
    const begin = this.chunkOf(first) * chunkIds;
    let next = begin;
    for (let row = first; row < end; row++) next = this.describeRow(row, next, begin + chunkIds);
    this.listed = next - begin;
  }

  /**
   * Describes the games of `mask` anew: their legal lists go behind those of the others, which stay where they are. Where
   * there is no room left behind them, all games of the chunk are described.
   */
  describeMasked(first: number, end: number): void {
    const { mask } = this.games.arrays;
    const { chunkIds } = this.games.layout;
    const begin = this.chunkOf(first) * chunkIds;
    let changed = 0;
    for (let row = first; row < end; row++) changed += mask[row] === 0 ? 0 : 1;
    this.listed = 0;
    if (changed === 0) return;
    let next = this.listsEnd(first, end);
    if (changed === end - first || begin + chunkIds - next < changed * IDS_A_GAME + IDS_A_CHUNK / 2) {
      this.describe(first, end);
      return;
    }
    for (let row = first; row < end; row++) if (mask[row] !== 0) next = this.describeRow(row, next, begin + chunkIds);
    this.listed = next - begin;
  }

  /** Index of a chunk by its first row: those of the games, then those of the children. */
  chunkOf(first: number): number {
    const { games, chunk } = this.games.layout;
    return first < games ? first / chunk : Math.ceil(games / chunk) + (first - games) / chunk;
  }

  /** Where the legal lists of a chunk that has been described end. */
  private listsEnd(first: number, end: number): number {
    const { arrays, layout, slots } = this.games;
    let last = this.chunkOf(first) * layout.chunkIds;
    for (let row = first; row < end; row++) last = Math.max(last, arrays.legalOffsets[(row + 1) * (slots + 1) - 1]);
    return last;
  }

  private describeRow(row: number, begin: number, limit: number): number {
    const { arrays, tensors } = this.games;
    const game = this.games.at(row);
    this.describeCounts(row, game);
    const next = this.describeOrders(row, game, begin, limit);
    this.describeMask(row, begin, next);
    if (arrays.textKeys !== null) this.textKeys?.write(game, arrays.legalIds, begin, next, arrays.textKeys);
    tensors?.write(row, game, arrays.builds);
    return next;
  }

  private describeCounts(row: number, game: Game): void {
    const { builds, centerCounts } = this.games.arrays;
    const { powerCount } = this.games.map;
    const at = row * powerCount;
    if (game.phase === ADJUSTMENT && game.status === PLAYING) adjustmentsDue(game, builds, at);
    else builds.fill(0, at, at + powerCount);
    game.countCenters(this.centers);
    for (let q = 0; q < powerCount; q++) centerCounts[at + q] = this.centers[q];
  }

  /** Writes the legal orders of a game from `begin` on; returns where they end. */
  private describeOrders(row: number, game: Game, begin: number, limit: number): number {
    const { games, lists } = this;
    const { builds, legalIds, legalOffsets, orderable, orderCounts } = games.arrays;
    const { powerCount } = games.map;
    const { maxOrders } = games.layout;
    let slot = row * games.slots;
    // A row of offsets has one entry more than there are slots.
    const ahead = row;
    let next = begin;
    if (game.status === PLAYING) lists.list(game, builds, row * powerCount);
    else lists.clear();
    for (let q = 0; q < powerCount; q++) {
      const due = this.agents.isClients(row, q) ? lists.due(q) : 0;
      orderCounts[row * powerCount + q] = due;
      for (let s = 0; s < maxOrders; s++) {
        legalOffsets[slot + ahead] = next;
        orderable[slot++] = s < due ? lists.locationOf(q, s) : NO_SLOT;
        if (s < due && games.config.lists)
          next = lists.writeIds(lists.first(q, s), lists.end(q, s), legalIds, next, limit);
      }
    }
    legalOffsets[slot + ahead] = next;
    return next;
  }
  /** Writes the orders that are legal for the client's powers as a mask: those of legal_ids from `begin` on, if there are lists. */
  private describeMask(row: number, begin: number, end: number): void {
    const { lists, words } = this;
    const { arrays, config, map } = this.games;
    const { legalMask, legalIds, orderCounts } = arrays;
    if (legalMask === null) return;
    const mask = legalMask.subarray(row * words.size, (row + 1) * words.size);
    mask.fill(0);
    if (config.lists) {
      for (let i = begin; i < end; i++) mask[legalIds[i]] = 1;
      return;
    }
    for (let q = 0; q < map.powerCount; q++)
      for (let s = 0; s < orderCounts[row * map.powerCount + q]; s++)
        this.markSlot(mask, lists.first(q, s), lists.end(q, s));
  }
  private markSlot(mask: Uint8Array, first: number, end: number): void {
    const { unlisted } = this;
    this.words.indicesInto(this.lists.orders, first, end, unlisted, 0);
    for (let i = 0; i < end - first; i++) mask[unlisted[i]] = 1;
  }
}
