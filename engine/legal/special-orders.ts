// Lists the legal orders of maps with special rules. Adds rides by railroad, and supports of moves beyond the mover's
// reach, to the lists of movement.ts. In fall, removes orders of units in ice and orders into ice.
//
// Moves over difficult borders and through a canal are in the lists of movement.ts, because they are moves over
// borders. Convoys from coasts are there too (route-memo.ts).

import type { CompiledMap, SpecialTables } from '../map/compiled-map.js';
import { perMap } from '../map/per-map.js';
import { lowestBit, testBit } from '../rules/bitset.js';
import * as O from '../rules/order.js';
import * as T from '../rules/types.js';
import { listOf } from './movement.js';
import { position } from './position.js';

const { keys, locations, unitsAt } = position;

/** True if out[begin .. end) contains an order. */
const has = (out: Int32Array, begin: number, end: number, order: number): boolean => {
  for (let i = begin; i < end; i++) if (out[i] === order) return true;
  return false;
};

/** Finds and lists the special orders of a position. Call find() before other methods. */
export class SpecialOrders {
  /** True if ice closes seas now: in fall on a map with ice. */
  private isFrozen = false;
  // Moves that units can make beyond their reach by special rules, ascending by origin, then by target: move i, for i <
  // moveCount, goes from province movers[i] to province targets[i].
  private readonly movers = new Int32Array(T.MAX_LOCATIONS * 4);
  private readonly targets = new Int32Array(T.MAX_LOCATIONS * 4);
  private moveCount = 0;
  /**
   * Provinces that change the legal orders of the units that reach them: targets of the moves beyond reach, and in fall
   * ice and the provinces in reach of units in ice. A bitset of one row.
   */
  private readonly touched = new Int32Array(T.WORDS);
  /** 1 for an army that may ride by railroad. Indexed by province. */
  private readonly rides = new Int32Array(T.MAX_LOCATIONS);

  constructor(
    private readonly map: CompiledMap,
    private readonly tables: SpecialTables,
  ) {}

  /** Inserts a move beyond reach into `movers` and `targets`, which stay sorted, and adds its target to `touched`. */
  private addMove(from: T.Province, to: T.Province): void {
    const { movers, targets } = this;
    let at = this.moveCount++;
    for (; at > 0 && (movers[at - 1] - from || targets[at - 1] - to) > 0; at--) {
      movers[at] = movers[at - 1];
      targets[at] = targets[at - 1];
    }
    movers[at] = from;
    targets[at] = to;
    this.touched[to >> 5] |= 1 << (to & 31);
  }

  /** True if the unit in a province can make a move beyond its reach. */
  private isMover(p: T.Province): boolean {
    for (let i = 0; i < this.moveCount; i++) if (this.movers[i] === p) return true;
    return false;
  }

  private addRides(powerAt: (p: T.Province) => T.Power): void {
    const { line, railPower } = this.tables;
    for (const p of line) {
      const isRider = keys[p] >= 0 && keys[p] < this.map.locationCount && powerAt(p) === railPower;
      this.rides[p] = isRider ? 1 : 0;
      if (isRider) for (const to of line) if (to !== p) this.addMove(p, to);
    }
  }

  private addCrossings(p: T.Province): void {
    const { difficult } = this.tables;
    for (let w = 0; w < T.WORDS; w++)
      for (let rest = difficult[p * T.WORDS + w]; rest !== 0; rest &= rest - 1)
        this.addMove(p, w * 32 + lowestBit(rest));
  }

  /**
   * Adds ice, and the provinces in reach of units in ice, to `touched`, because ice changes the orders of units that
   * reach them.
   */
  private touchIce(): void {
    const { touched, map } = this;
    for (let w = 0; w < T.WORDS; w++)
      for (let rest = this.tables.ice[w]; rest !== 0; rest &= rest - 1) {
        const p = w * 32 + lowestBit(rest);
        touched[w] |= 1 << (p & 31);
        const reach = keys[p] < 0 ? -1 : keys[p] * T.WORDS;
        for (let v = 0; v < T.WORDS && reach >= 0; v++) touched[v] |= map.reach[reach + v];
      }
  }

  /**
   * Finds the special moves of the units in position.ts.
   * @param isFall true in fall, when seas with ice are closed
   * @param count number of units
   * @param powerAt returns the power of the unit in a province; called only for provinces with a unit
   */
  find(isFall: boolean, count: number, powerAt: (p: T.Province) => T.Power): void {
    const { map, tables } = this;
    this.isFrozen = isFall && tables.hasIce;
    this.moveCount = 0;
    this.touched.fill(0);
    this.addRides(powerAt);
    if (tables.hasDifficult)
      for (let u = 0; u < count; u++) {
        const p = unitsAt[u];
        if (keys[p] < map.locationCount) this.addCrossings(p);
      }
    const [a, b] = tables.canal;
    if (a !== undefined && keys[a] >= 0) this.addMove(a, b);
    if (b !== undefined && keys[b] >= 0) this.addMove(b, a);
    if (this.isFrozen) this.touchIce();
  }

  /** True if the legal orders of the unit in a province may differ from the list of movement.ts. */
  isTouched(p: T.Province): boolean {
    const { reach, provinceCount } = this.map;
    if (this.isMover(p) || this.isClosed(p)) return true;
    const row = keys[p] * T.WORDS;
    for (let w = 0; w * 32 < provinceCount; w++) if ((reach[row + w] & this.touched[w]) !== 0) return true;
    return false;
  }

  /** True if a sea is closed by ice in the current season. */
  private isClosed(p: T.Province): boolean {
    return this.isFrozen && testBit(this.tables.ice, 0, p) === 1;
  }

  /**
   * True if ice forbids an order of a unit that is not in ice. Does not check convoys, whose lists exclude ice already.
   */
  private isBarred(order: number): boolean {
    const type = O.orderType(order);
    if (type === O.HOLD) return false;
    if (this.isClosed(this.map.locationProvince[O.orderTarget(order)])) return true;
    return type === O.SUPPORT_MOVE && this.isClosed(O.orderHelped(order));
  }

  /**
   * Removes the orders that ice forbids from out[begin .. end), the list of the unit in province p; returns the new
   * end.
   */
  private dropBarred(p: T.Province, out: Int32Array, begin: number, end: number): number {
    // The first order of a list is the hold, the only legal order in ice.
    if (this.isClosed(p)) return begin + 1;
    let n = begin;
    for (let i = begin; i < end; i++) {
      out[n] = out[i];
      if (!this.isBarred(out[i])) n++;
    }
    return n;
  }

  /**
   * Writes the legal orders of the unit in a province to `out` from `begin` on; returns where they end. They are the
   * list of movement.ts without orders that ice forbids, then rides by railroad, then supports of moves beyond reach.
   * Call fillRows() and find() first.
   */
  list(p: T.Province, out: Int32Array, begin: number): number {
    const { reach } = this.map;
    const { line, lineIndex } = this.tables;
    let n = listOf(p, out, begin);
    if (this.isFrozen) n = this.dropBarred(p, out, begin, n);
    if (this.isClosed(p)) return n;
    if (lineIndex[p] >= 0 && this.rides[p] === 1) for (const to of line) if (to !== p) out[n++] = O.rail(p, to);
    for (let i = 0; i < this.moveCount; i++) {
      const to = this.targets[i];
      const from = this.movers[i];
      if (from === p || to === p || testBit(reach, keys[p], to) === 0 || this.isClosed(to)) continue;
      const support = O.supportMove(locations[p], from, to);
      if (testBit(reach, keys[from], to) === 0 && !has(out, begin, n, support)) out[n++] = support;
    }
    return n;
  }

  /**
   * Writes the legal orders of all units to `out`: those of the u-th unit to out[offsets[u] .. offsets[u + 1]). Writes
   * the offsets too. Call fillRows() and find() first.
   * @param count number of units
   */
  listAll(count: number, out: Int32Array, offsets: Int32Array): void {
    let n = 0;
    for (let u = 0; u < count; u++) {
      offsets[u] = n;
      n = this.list(unitsAt[u], out, n);
    }
    offsets[count] = n;
  }
}

const made = perMap((map) => new SpecialOrders(map, map.special as SpecialTables));

/** Returns the SpecialOrders object of a map, shared by all callers; null if the lists of movement.ts are complete. */
export const specialOrdersOf = (map: CompiledMap): SpecialOrders | null => {
  const { special } = map;
  if (special === null) return null;
  const differs = special.line.length > 0 || special.canal.length > 0 || special.hasDifficult || special.hasIce;
  return differs ? made(map) : null;
};

// ---- one order ----

/**
 * True if a special move (railroad, canal or difficult border) of a unit leads to province `to`. Such a move can be
 * supported although it is beyond the reach of the unit.
 * @param key key of the unit in province `from` (map/compiled-map.ts)
 * @param powerAt returns the power of the unit in a province
 */
export const hasSpecialMove = (
  m: CompiledMap,
  from: T.Province,
  to: T.Province,
  key: number,
  powerAt: (p: T.Province) => T.Power,
): boolean => {
  const { special } = m;
  if (special === null) return false;
  if (key >= m.locationCount) return special.canal.includes(from) && special.canal.includes(to) && from !== to;
  if (special.hasDifficult && testBit(special.difficult, from, to) === 1) return true;
  return canRide(m, from, to, key, powerAt);
};

/**
 * True if the unit with this key (map/compiled-map.ts) in province `from` may ride by railroad to province `to`: it is
 * an army of the power with the railroad, and both provinces are on the line. Units in the way are not checked.
 * @param powerAt returns the power of the unit in a province
 */
export const canRide = (
  m: CompiledMap,
  from: T.Province,
  to: T.Province,
  key: number,
  powerAt: (p: T.Province) => T.Power,
): boolean => {
  const { special } = m;
  if (special === null || special.line.length === 0 || from === to || to >= m.provinceCount) return false;
  if (special.lineIndex[from] < 0 || special.lineIndex[to] < 0) return false;
  return key < m.locationCount && powerAt(from) === special.railPower;
};
