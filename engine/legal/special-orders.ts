// What the legal orders of a map with rules of its own have besides those of movement.ts, or lack: rides by railroad,
// supports of moves that the mover's own reach leaves out, and in fall nothing into, from or through ice.
//
// The moves over difficult borders and through a canal are in the lists of movement.ts, which knows all borders. Convoys
// from coasts are there too (route-memo.ts).

import type { CompiledMap, SpecialTables } from '../map/compiled-map.js';
import { lowestBit, testBit } from '../rules/bitset.js';
import * as O from '../rules/order.js';
import * as T from '../rules/types.js';
import { listOf } from './movement.js';
import { position } from './position.js';

const { keys, locations } = position;

/** The tables of a map if its lists may differ from those of movement.ts, else null. */
const tablesOf = ({ special }: CompiledMap): SpecialTables | null => {
  if (special === null) return null;
  const differs = special.line.length > 0 || special.canal.length > 0 || special.hasDifficult || special.hasIce;
  return differs ? special : null;
};

let map: CompiledMap | undefined;
let tables: SpecialTables | null = null;
/** True in fall on a map with ice. */
let isFrozen = false;

// Moves that units could make and that are not in their reach, found by findSpecialMoves().
const movers = new Int32Array(T.MAX_LOCATIONS * 4);
const targets = new Int32Array(T.MAX_LOCATIONS * 4);
let moveCount = 0;
/** Provinces that they lead to, and where the lists lack something: bitsets of one row. */
const touched = new Int32Array(T.WORDS);
/** By province: 1 for an army that may go by railroad. */
const rides = new Int32Array(T.MAX_LOCATIONS);

/** Keeps the moves ascending by province, then by target. */
const addMove = (from: T.Province, to: T.Province): void => {
  let at = moveCount++;
  for (; at > 0 && (movers[at - 1] - from || targets[at - 1] - to) > 0; at--) {
    movers[at] = movers[at - 1];
    targets[at] = targets[at - 1];
  }
  movers[at] = from;
  targets[at] = to;
  touched[to >> 5] |= 1 << (to & 31);
};

/** True if a unit makes one of these moves itself. */
const isMover = (p: T.Province): boolean => {
  for (let i = 0; i < moveCount; i++) if (movers[i] === p) return true;
  return false;
};

const addRides = ({ line, railPower }: SpecialTables, fleetKeys: number, powerAt: (p: T.Province) => T.Power): void => {
  for (const p of line) {
    rides[p] = keys[p] >= 0 && keys[p] < fleetKeys && powerAt(p) === railPower ? 1 : 0;
    if (rides[p] === 1) for (const to of line) if (to !== p) addMove(p, to);
  }
};

const addCrossings = (difficult: Int32Array, p: T.Province): void => {
  for (let w = 0; w < T.WORDS; w++)
    for (let rest = difficult[p * T.WORDS + w]; rest !== 0; rest &= rest - 1) addMove(p, w * 32 + lowestBit(rest));
};

/** No unit enters ice or supports a unit there, and units there only hold. */
const touchIce = (special: SpecialTables): void => {
  for (let w = 0; w < T.WORDS; w++)
    for (let rest = special.ice[w]; rest !== 0; rest &= rest - 1) {
      const p = w * 32 + lowestBit(rest);
      touched[w] |= 1 << (p & 31);
      const reach = keys[p] < 0 ? -1 : keys[p] * T.WORDS;
      for (let v = 0; v < T.WORDS && reach >= 0; v++) touched[v] |= (map as CompiledMap).reach[reach + v];
    }
};

/**
 * Looks at the units in position.ts.
 * @param powerAt power of the unit in a province; asked only where there is one
 * @returns false if the lists of movement.ts are right as they are
 */
export const findSpecialMoves = (
  next: CompiledMap,
  isFall: boolean,
  count: number,
  powerAt: (p: T.Province) => T.Power,
): boolean => {
  map = next;
  tables = tablesOf(next);
  if (tables === null) return false;
  isFrozen = isFall && tables.hasIce;
  moveCount = 0;
  touched.fill(0);
  addRides(tables, next.locationCount, powerAt);
  if (tables.hasDifficult)
    for (let u = 0; u < count; u++) {
      const p = position.unitsAt[u];
      if (keys[p] < next.locationCount) addCrossings(tables.difficult, p);
    }
  const [a, b] = tables.canal;
  if (a !== undefined && keys[a] >= 0) addMove(a, b);
  if (b !== undefined && keys[b] >= 0) addMove(b, a);
  if (isFrozen) touchIce(tables);
  return true;
};

/** True if the list of the unit in a province may differ from what movement.ts makes. After findSpecialMoves(). */
export const isTouched = (p: T.Province): boolean => {
  const { reach, provinceCount } = map as CompiledMap;
  if (tables === null) return false;
  if (isMover(p)) return true;
  if (isFrozen && isIce(p)) return true;
  const row = keys[p] * T.WORDS;
  for (let w = 0; w * 32 < provinceCount; w++) if ((reach[row + w] & touched[w]) !== 0) return true;
  return false;
};

const has = (out: Int32Array, begin: number, end: number, order: number): boolean => {
  for (let i = begin; i < end; i++) if (out[i] === order) return true;
  return false;
};

const isIce = (p: T.Province): boolean => testBit((tables as SpecialTables).ice, 0, p) === 1;

/** True if ice forbids an order of a unit that is not in ice itself. Chains of fleets are no question here. */
const isBarred = (order: number, provinceOf: Uint8Array): boolean => {
  const type = O.orderType(order);
  if (type === O.HOLD) return false;
  if (isIce(provinceOf[O.orderTarget(order)])) return true;
  return type === O.SUPPORT_MOVE && isIce(O.orderHelped(order));
};

/** Takes what ice forbids from a list; returns where it ends. */
const dropBarred = (p: T.Province, out: Int32Array, begin: number, end: number): number => {
  const { locationProvince } = map as CompiledMap;
  // The hold comes first.
  if (isIce(p)) return begin + 1;
  let n = begin;
  for (let i = begin; i < end; i++) {
    out[n] = out[i];
    if (!isBarred(out[i], locationProvince)) n++;
  }
  return n;
};

/**
 * listOf() of a map with rules of its own: what movement.ts lists, without what ice forbids, then rides, then supports of
 * moves beyond reach. After fillRows() and findSpecialMoves().
 */
export const listSpecial = (p: T.Province, out: Int32Array, begin: number): number => {
  const m = map as CompiledMap;
  let n = listOf(p, out, begin);
  if (tables === null) return n;
  const { line, lineIndex } = tables;
  if (isFrozen) n = dropBarred(p, out, begin, n);
  if (isFrozen && isIce(p)) return n;
  if (lineIndex[p] >= 0 && rides[p] === 1) for (const to of line) if (to !== p) out[n++] = O.rail(p, to);
  for (let i = 0; i < moveCount; i++) {
    const to = targets[i];
    const from = movers[i];
    if (from === p || to === p || testBit(m.reach, keys[p], to) === 0 || (isFrozen && isIce(to))) continue;
    const support = O.supportMove(locations[p], from, to);
    if (testBit(m.reach, keys[from], to) === 0 && !has(out, begin, n, support)) out[n++] = support;
  }
  return n;
};

// ---- one order ----

/** True if a special move of a unit leads there: what may be supported although it is not in its reach. */
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

/** True if the unit of a key may go by railroad from one province to the other. */
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
