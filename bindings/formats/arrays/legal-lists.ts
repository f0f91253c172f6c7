// Lists the legal orders of a game as the batch server does: by power, then by unit or adjustment.
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

/** Value in the array `orderable` of a slot for a build or removal. */
export const ADJUSTMENT_SLOT = -2;
/** Value in the array `orderable` of an unused slot. */
export const NO_SLOT = -1;

/** Returns the maximum number of orders that a power can have due: the centres of a power that has not won yet. */
export const maxOrdersOf = (map: CompiledMap): number =>
  2 * map.victoryCenters > map.centerCount ? map.victoryCenters - 1 : map.centerCount;

/**
 * Number of entries in legal_ids for each game. Random play needs about 500 per game, positions with many convoys some
 * thousands.
 */
export const IDS_A_GAME = 2048;
/** Additional entries in legal_ids for each chunk of games. */
export const IDS_A_CHUNK = 1 << 15;

/**
 * Legal orders of one game, by power and slot. A slot is a unit, or a due build or removal. In an adjustment phase all
 * slots of a power share its whole list.
 */
export class Lists {
  /** Packed orders of all lists, one after another. */
  readonly orders: Int32Array = new Int32Array(2000 * this.map.provinceCount);
  private readonly words = vocabulary(this.map);
  private readonly offsets = new Int32Array(this.map.provinceCount + 1);
  /**
   * Lists sorted by power: entries[starts[q] .. starts[q + 1]) are the indices in `offsets` of the lists of power q.
   */
  private readonly entries = new Int32Array(this.map.provinceCount);
  private readonly starts = new Int32Array(this.map.powerCount + 1);
  private readonly power = new Int32Array(this.map.provinceCount);
  private readonly locations = new Int32Array(this.map.provinceCount);
  /** Number of due builds or removals, indexed by power. Meaningful in an adjustment phase only. */
  private readonly adjustments = new Int32Array(this.map.powerCount);
  private readonly firsts = new Int32Array(this.map.powerCount);
  private readonly ends = new Int32Array(this.map.powerCount);
  private adjusts = false;

  constructor(readonly map: CompiledMap) {}

  /** Empties all lists. */
  clear(): void {
    this.adjusts = false;
    this.starts.fill(0);
  }

  /**
   * Replaces all lists by the legal orders of a game.
   * @param builds builds (> 0) or removals (< 0) due, with power 0 at index `at`
   */
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

  /**
   * Sorts the lists by power: entries[starts[q] .. starts[q + 1]) become the indices of the lists of power q. A
   * counting sort.
   * @param count number of lists
   */
  private sortByPower(count: number): void {
    const { starts, entries, power } = this;
    const { powerCount } = this.map;
    for (let q = 0; q <= powerCount; q++) starts[q] = 0;
    for (let k = 0; k < count; k++) starts[power[k] + 1]++;
    for (let q = 0; q < powerCount; q++) starts[q + 1] += starts[q];
    // While the entries are placed, starts[q] moves up to the start of power q + 1. It is restored afterwards.
    for (let k = 0; k < count; k++) entries[starts[power[k]]++] = k;
    for (let q = powerCount; q > 0; q--) starts[q] = starts[q - 1];
    starts[0] = 0;
  }

  /**
   * Joins all adjustments of each power to one list, after the other lists. Keeps only the last waive of a power.
   * @param builds builds (> 0) or removals (< 0) due, with power 0 at index `at`
   * @param begin index in `orders` at which the joined lists begin
   */
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

  /** Returns the number of orders that a power has due: its number of slots. */
  due(power: number): number {
    return this.adjusts ? this.adjustments[power] : this.starts[power + 1] - this.starts[power];
  }
  /** Returns the location of a slot's unit, or ADJUSTMENT_SLOT. */
  locationOf(power: number, slot: number): number {
    return this.adjusts ? ADJUSTMENT_SLOT : this.locations[this.entries[this.starts[power] + slot]];
  }
  /** Returns the index in `orders` of a slot's first legal order. */
  first(power: number, slot: number): number {
    return this.adjusts ? this.firsts[power] : this.offsets[this.entries[this.starts[power] + slot]];
  }
  /** Returns the index in `orders` after a slot's last legal order. */
  end(power: number, slot: number): number {
    return this.adjusts ? this.ends[power] : this.offsets[this.entries[this.starts[power] + slot] + 1];
  }

  /**
   * Writes the vocabulary ids of orders[first .. end) to out[at ..].
   * @returns the index after the last id
   * @throws LepantoError if that index is greater than `limit`
   */
  writeIds(first: number, end: number, out: Int32Array, at: number, limit: number): number {
    const after = at + end - first;
    if (after > limit)
      throw new LepantoError('argument', `legal orders: got ${after - limit} more than a chunk has room for`);
    this.words.indicesInto(this.orders, first, end, out, at);
    return after;
  }
}
