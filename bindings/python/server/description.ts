// Writes the arrays that describe games to a client: counts of centres and orders, legal orders as lists and masks,
// observations.
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
  /** Legal orders of the game that lists.list() read last. */
  readonly lists = new Lists(this.games.map);
  /** Number of entries in legal_ids that belong to the chunk described last; 0 if its lists did not change. */
  listed = 0;
  private readonly words: Vocabulary = vocabulary(this.games.map);
  /** Buffer for the vocabulary ids of a slot whose legal list is not written to legal_ids. */
  private readonly unlisted = new Int32Array(
    this.games.config.masks && !this.games.config.lists ? MAX_ORDERS_PER_PROVINCE : 0,
  );
  private readonly centers = new Int32Array(this.games.map.powerCount);
  private readonly textKeys: TextKeys | null = this.games.config.textKeys ? new TextKeys(this.games.map) : null;

  constructor(
    private readonly games: Games,
    private readonly agents: AgentOrders,
  ) {}

  /** Writes the arrays that describe games first .. end - 1, which must be one chunk. */
  describe(first: number, end: number): void {
    const { chunkIds } = this.games.layout;
    const begin = this.chunkOf(first) * chunkIds;
    let next = begin;
    for (let row = first; row < end; row++) next = this.describeRow(row, next, begin + chunkIds);
    this.listed = next - begin;
  }

  /**
   * Describes again the games of a chunk that have a set `mask`. Appends their legal lists to legal_ids after the lists
   * of the other games, which do not move. If there is no room, describes all games of the chunk.
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

  /** Returns the index of the chunk that begins at a row. Chunks of games come before chunks of children. */
  chunkOf(first: number): number {
    const { games, chunk } = this.games.layout;
    return first < games ? first / chunk : Math.ceil(games / chunk) + (first - games) / chunk;
  }

  /**
   * Returns the index in legal_ids after the last entry of a chunk that has been described.
   * @param first first row of the chunk
   * @param end row after the chunk's last one
   */
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

  /**
   * Writes a game's legal orders to legal_ids and legal_offsets, its slots to `orderable` and their numbers to
   * order_counts. Returns the index in legal_ids after its last entry.
   * @param begin index in legal_ids of the game's first entry
   * @param limit index in legal_ids at which the chunk's room ends
   */
  private describeOrders(row: number, game: Game, begin: number, limit: number): number {
    const { games, lists } = this;
    const { builds, legalIds, legalOffsets, orderable, orderCounts } = games.arrays;
    const { powerCount } = games.map;
    const { maxOrders } = games.layout;
    let slot = row * games.slots;
    // The array legalOffsets has slots + 1 entries for each game, so it is `row` entries ahead of `orderable`.
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
  /**
   * Writes the legal orders of the client's powers in a game as a mask over the vocabulary. Does nothing for a batch
   * without masks.
   * @param begin index in legal_ids of the game's first entry, if the batch writes lists
   * @param end index after the game's last entry
   */
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
