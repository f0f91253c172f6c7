// Legal orders of one game as the batch server lists them: by power, then by unit or adjustment.
import {
  ADJUSTMENT,
  allLegalOrders,
  type CompiledMap,
  type Game,
  ordererOf,
  orderLocation,
  orderType,
  vocabulary,
  WAIVE,
} from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';

/** `orderable` of a build or removal, and of a place that is not in use. */
export const ADJUSTMENT_SLOT = -2;
export const NO_SLOT = -1;

/**
 * Orders that one power can have due: units or adjustments of a power that has not won yet.
 */
export const maxOrdersOf = (map: CompiledMap): number =>
  2 * map.victoryCenters > map.centerCount ? map.victoryCenters - 1 : map.centerCount;

/** Entries of legal_ids for each game, and in addition for each chunk: random play has about 500 a game, many convoys some thousands. */
export const IDS_A_GAME = 2048;
export const IDS_A_CHUNK = 1 << 15;

/** Legal orders of one game, ordered by power. In an adjustment phase each order that is due has the whole list. */
export class Lists {
  readonly orders: Int32Array = new Int32Array(2000 * this.map.provinceCount);
  private readonly words = vocabulary(this.map);
  private readonly offsets = new Int32Array(this.map.provinceCount + 1);
  /** Provinces with orders by power: entries[starts[q] .. starts[q + 1]) index `offsets`. */
  private readonly entries = new Int32Array(this.map.provinceCount);
  private readonly starts = new Int32Array(this.map.powerCount + 1);
  private readonly power = new Int32Array(this.map.provinceCount);
  private readonly locations = new Int32Array(this.map.provinceCount);
  /** Adjustments that are due by power; 0 outside an adjustment phase. */
  private readonly adjustments = new Int32Array(this.map.powerCount);
  private readonly firsts = new Int32Array(this.map.powerCount);
  private readonly ends = new Int32Array(this.map.powerCount);
  private adjusts = false;

  constructor(readonly map: CompiledMap) {}

  clear(): void {
    this.adjusts = false;
    this.starts.fill(0);
  }

  list(game: Game, builds: Int8Array, at: number): void {
    const count = allLegalOrders(game, this.orders, this.offsets);
    this.adjusts = game.phase === ADJUSTMENT;
    this.findPowers(game, count);
    this.sortByPower(count);
    if (this.adjusts) this.joinAdjustments(builds, at, this.offsets[count]);
  }

  private findPowers(game: Game, count: number): void {
    const { power, locations, orders, offsets } = this;
    for (let k = 0; k < count; k++) {
      const first = orders[offsets[k]];
      power[k] = ordererOf(game, first);
      locations[k] = orderLocation(first);
    }
  }

  /** A counting sort: nothing is compared. */
  private sortByPower(count: number): void {
    const { starts, entries, power } = this;
    const { powerCount } = this.map;
    for (let q = 0; q <= powerCount; q++) starts[q] = 0;
    for (let k = 0; k < count; k++) starts[power[k] + 1]++;
    for (let q = 0; q < powerCount; q++) starts[q + 1] += starts[q];
    // starts[q] runs up to where power q + 1 begins while the entries are placed, and is put back after that.
    for (let k = 0; k < count; k++) entries[starts[power[k]]++] = k;
    for (let q = powerCount; q > 0; q--) starts[q] = starts[q - 1];
    starts[0] = 0;
  }

  /** Puts all adjustments of a power into one list behind the others; of its waives only the last is kept. */
  private joinAdjustments(builds: Int8Array, at: number, begin: number): void {
    const { starts, entries, orders, offsets, firsts, ends, adjustments } = this;
    let n = begin;
    for (let q = 0; q < this.map.powerCount; q++) {
      const due = builds[at + q];
      firsts[q] = n;
      for (let e = starts[q]; e < starts[q + 1]; e++)
        for (let k = offsets[entries[e]]; k < offsets[entries[e] + 1]; k++)
          if (orderType(orders[k]) !== WAIVE || e === starts[q + 1] - 1) orders[n++] = orders[k];
      ends[q] = n;
      adjustments[q] = Math.abs(due);
    }
  }

  /** Orders that a power has due. */
  due(power: number): number {
    return this.adjusts ? this.adjustments[power] : this.starts[power + 1] - this.starts[power];
  }
  locationOf(power: number, slot: number): number {
    return this.adjusts ? ADJUSTMENT_SLOT : this.locations[this.entries[this.starts[power] + slot]];
  }
  first(power: number, slot: number): number {
    return this.adjusts ? this.firsts[power] : this.offsets[this.entries[this.starts[power] + slot]];
  }
  end(power: number, slot: number): number {
    return this.adjusts ? this.ends[power] : this.offsets[this.entries[this.starts[power] + slot] + 1];
  }

  /**
   * Writes the vocabulary ids of orders first .. end from `at` on; returns where they end.
   * @throws LepantoError if that is behind `limit`
   */
  writeIds(first: number, end: number, out: Int32Array, at: number, limit: number): number {
    const after = at + end - first;
    if (after > limit)
      throw new LepantoError('argument', `legal orders: got ${after - limit} more than a chunk has room for`);
    this.words.indicesInto(this.orders, first, end, out, at);
    return after;
  }
}
