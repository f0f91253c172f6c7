// Draws one random legal order for every unit on the board, without listing the legal orders.
//
// - Uniform: all legal orders of a unit are equally likely. The rows of legal/movement.ts, which are made for all units
//   at once, tell how many orders a unit has and which order has a given index. A unit needs one random number, and no
//   draw is repeated.
// - Policy: a unit moves with probability 28/64. With probability 36/64 it supports a move or a unit into a province
//   that it could move to itself; if there is no unit that could use the support, it makes the move itself. Then about
//   1 province in 25 is drawn, whose unit holds or takes part in a convoy over one sea. In one phase of EXACT, units
//   draw from all orders that involve convoys (long routes, supports of convoyed moves), so that every legal order can
//   occur.
//
// The random number of a unit is a hash of the random bits of the phase and the province (random.ts).

import * as A from '../adjudicate/movement/index.js';
import { MAX_ORDERS_PER_PROVINCE } from '../legal/lists.js';
import * as L from '../legal/movement.js';
import { position } from '../legal/position.js';
import * as M from '../legal/route-memo.js';
import type { CompiledMap } from '../map/compiled-map.js';
import * as B from '../rules/bitset.js';
import * as O from '../rules/order.js';
import * as R from '../rules/random.js';
import { scratch } from '../rules/scratch.js';
import * as T from '../rules/types.js';

// Local copies of imports and exports are faster (see adjudicate/movement/passes.ts).
const { places, unit, order } = A.board;
const { KEY_MASK, POWER_SHIFT, toBoard } = A;
const { keys, unitsAt, helpers } = position;
const { ownCount, reachOffsets, reachList, slots, rows, viaCount } = L.layout;
const { SLOT_SHIFT, FIRST_SLOT, SLOTS, ROW_WIDTH } = L.layout;
const { convoyCount, deniedCount } = M.fleetLists;
const { useMapForMovement, fillRows, firstWithout, listOf, nthOrder } = L;
const { MAX_LOCATIONS, MAX_COASTS, WORDS } = T;
const { lowestBit, countBits } = B;
const { mix, GOLDEN } = R;
const {
  orderType,
  orderTarget,
  targetProvince,
  orderHelped,
  orderVia,
  helpedAndTarget,
  isMoveBit,
  supportInto,
  orderNextKey,
  nextKeyBits,
  withNextKey,
  CONVOY,
  SUPPORT_MOVE,
} = O;

// ---- tables of the map in use ----
let map: CompiledMap | undefined;
const KEYS = 2 * MAX_LOCATIONS + 1;
const provinceOf = scratch(MAX_LOCATIONS);
/**
 * Hold, then moves over borders, of each unit type and location as board orders. Those of a unit begin at index
 * ownFirst[key + 1] (key: map/compiled-map.ts).
 */
const ownOrders = new Int32Array((1 << 16) + KEYS + MAX_ORDERS_PER_PROVINCE);
const ownFirst = scratch(KEYS);
/**
 * Range of a unit's moves in ownOrders, indexed by key + 1: index of the first << LIST_SHIFT | number. For a unit
 * without moves, the index is that of its hold.
 */
const moveLists = scratch(KEYS);
/**
 * Board orders that the policy gives rarely: hold, and convoys over one sea. `otherLists` has the range of each unit.
 * The helped province of a move VIA is the sea that needs a fleet.
 */
const otherOrders = new Int32Array(1 << 18);
/** Range of a unit's orders in otherOrders, indexed by key + 1: index of the first << LIST_SHIFT | number. */
const otherLists = scratch(KEYS);
const LIST_SHIFT = 12;
const LIST_MASK = 0xfff;
/**
 * Provinces that a unit can move to without a convoy, and its own: a bitset for each key + 1. Empty for key + 1 = 0, no
 * unit.
 */
const reachOrStay = scratch(KEYS * WORDS);
/** Hold as a board order, indexed by key + 1 (unit type and location, map/compiled-map.ts); 0 without a unit. */
const holdOrders = scratch(KEYS);
/**
 * Supports into each province, in 64 slots of which the policy draws one. A slot has the support of a unit that could
 * move into the province, or of the unit in it, and in place of a next key a bit for each kind of unit (kindOf) that
 * could use that support. 36 slots have supports, for each such province in turn; no unit can use those of the other
 * 28.
 */
const supportsInto = scratch(MAX_LOCATIONS << 6);
const HELPED_SHIFT = 6;
const HELPED_SLOTS = 1 << HELPED_SHIFT;
const SUPPORT_SLOTS = 36;
/**
 * Kind of a unit, by key + 1: 0 for an army, 1 for a fleet, more on a further coast of its province; NO_KIND without a
 * unit.
 */
const kindOf = scratch(KEYS);
/** Kind that stands for no unit. Greater than all kinds of units, but still the index of a bit of a next key. */
const NO_KIND = MAX_COASTS + 1;
const coastNeighbours = scratch(MAX_LOCATIONS * WORDS);

/**
 * In one phase out of EXACT, a quarter of the units draw again, from all their orders that involve convoys. The other
 * phases have only convoys over one sea.
 */
const EXACT = 1024;
/**
 * Order type in otherOrders that stands for all convoys of a fleet. shortConvoy() draws the army and its destination.
 */
const DRAW_CONVOY = 0;

/** Returns a board order for a unit that has this key after a success. */
const forKey = (packed: number, key: number): number => O.withNextKey(packed, key + 1);

/** True if some unit can move from one province to the other without a convoy. */
const hasBorder = (m: CompiledMap, from: number, to: number): boolean => {
  const reaches = (key: number): boolean => B.testBit(m.reach, key, to) === 1;
  if (reaches(from) || reaches(m.locationCount + from)) return true;
  for (let i = 0; i < m.coastCount[from]; i++) if (reaches(m.locationCount + m.firstCoast[from] + i)) return true;
  return false;
};

const addOwnOrders = (m: CompiledMap, key: number): void => {
  const fleet = key >= m.locationCount;
  const province = m.locationProvince[fleet ? key - m.locationCount : key];
  const moves = m.moveOffsets[key];
  const count = m.moveOffsets[key + 1] - moves;
  const first = moves + key;
  holdOrders[key + 1] = forKey(O.hold(0) | helpedAndTarget(province, province), key);
  ownFirst[key + 1] = first;
  moveLists[key + 1] = ((count > 0 ? first + 1 : first) << LIST_SHIFT) | count;
  ownOrders[first] = holdOrders[key + 1];
  for (let i = 0; i < count; i++) {
    const location = m.moveTargets[moves + i];
    const packed = O.move(0, m.locationProvince[location]) | helpedAndTarget(province, 0);
    ownOrders[first + 1 + i] = forKey(packed, fleet ? m.locationCount + location : location);
  }
};

/**
 * Writes the rare orders of one key (unit type and location) to `otherOrders` from index `first` on, and their range to
 * `otherLists`. Returns the index after them.
 */
const addOtherOrders = (m: CompiledMap, key: number, first: number): number => {
  const fleet = key >= m.locationCount;
  const province = m.locationProvince[fleet ? key - m.locationCount : key];
  let n = first;
  otherOrders[n++] = holdOrders[key + 1];
  if (fleet && B.testBit(m.seas, 0, province) === 1)
    otherOrders[n++] = forKey(helpedAndTarget(province, province) | DRAW_CONVOY, key);
  if (!fleet)
    for (let sea = 0; sea < m.provinceCount; sea++) {
      if (B.testBit(m.seaNeighbours, province, sea) === 0) continue;
      for (let to = 0; to < m.provinceCount; to++)
        if (to !== province && B.testBit(m.coastNeighbours, sea, to) === 1)
          otherOrders[n++] = forKey(O.moveVia(0, to) | helpedAndTarget(sea, 0), to);
    }
  otherLists[key + 1] = (first << LIST_SHIFT) | (n - first);
  return n;
};

const kindOfKey = (m: CompiledMap, key: number): number => {
  const location = key - m.locationCount;
  if (location < 0) return 0;
  return location < m.provinceCount ? 1 : 1 + location - m.firstCoast[m.locationProvince[location]];
};

/**
 * Returns the support of a unit in province `from` into province `to`, with a bit for each kind of unit (kindOf) in
 * `from` that could use it, in place of a next key.
 */
const supportByKind = (m: CompiledMap, from: number, to: number): number => {
  let kinds = 0;
  for (let key = 0; key < 2 * m.locationCount; key++)
    if (m.locationProvince[key % m.locationCount] === from && (from === to || B.testBit(m.reach, key, to) === 1))
      kinds |= 1 << kindOf[key + 1];
  return O.withNextKey(supportInto(from, to), kinds);
};

const fillSlots = (m: CompiledMap, to: number): void => {
  const supports: number[] = [];
  for (let from = 0; from < m.provinceCount; from++)
    if (from === to || hasBorder(m, from, to)) supports.push(supportByKind(m, from, to));
  for (let i = 0; i < HELPED_SLOTS; i++)
    supportsInto[(to << HELPED_SHIFT) + i] = i < SUPPORT_SLOTS ? supports[i % supports.length] : supportInto(to, to);
};

/** Makes the tables of this module for a map. Returns at once if the map is in use already. */
const useMapForSampling = (next: CompiledMap): void => {
  if (next === map) return;
  map = next;
  provinceOf.set(next.locationProvince);
  moveLists.fill(0);
  otherLists.fill(0);
  reachOrStay.fill(0);
  kindOf.fill(NO_KIND);
  let n = 0;
  for (let key = 0; key < 2 * next.locationCount; key++) {
    kindOf[key + 1] = kindOfKey(next, key);
    addOwnOrders(next, key);
    n = addOtherOrders(next, key, n);
    const row = (key + 1) * WORDS;
    const province = next.locationProvince[key < next.locationCount ? key : key - next.locationCount];
    for (let w = 0; w < WORDS; w++) reachOrStay[row + w] = next.reach[key * WORDS + w];
    reachOrStay[row + (province >> 5)] |= 1 << (province & 31);
  }
  for (let p = 0; p < next.provinceCount; p++) fillSlots(next, p);
  coastNeighbours.set(next.coastNeighbours);
};

// ---- draws ----

const holdOf = (p: number): number => holdOrders[unit[p] & KEY_MASK];

/** Returns 1 if a unit in `from` can move to `to`, or if both are the same province and it has a unit; otherwise 0. */
const reaches = (from: number, to: number): number =>
  (reachOrStay[(unit[from] & KEY_MASK) * WORDS + (to >> 5)] >>> (to & 31)) & 1;

/** Returns floor(bits * n / 2^32): an integer from 0 to n - 1. n is at most 2^16. Bias below n / 2^32. */
export const below = (bits: number, n: number): number =>
  (Math.imul(bits >>> 16, n) + (Math.imul(bits & 0xffff, n) >>> 16)) >>> 16;

/**
 * Fills the rows of supports in legal/movement.ts, and the arrays of legal/position.ts except locations, for the units
 * on the board. Board orders need no locations.
 * @param isFall true in fall, when ice closes seas
 * @param count number of units on the board
 */
export const fillRowsOfBoard = (m: CompiledMap, isFall: boolean, count: number): void => {
  useMapForMovement(m);
  const provinces = m.provinceCount;
  // Local names, as in movement/passes.ts.
  const on = unit;
  const keyAt = keys;
  const helpersInto = helpers;
  const list = unitsAt;
  let n = 0;
  for (let p = 0; p < provinces; p++) {
    const word = on[p];
    const isThere = (0 - word) >> 31;
    keyAt[p] = (word & KEY_MASK) - 1;
    helpersInto[p] = (-1 - isThere) | 0;
    list[n] = p;
    n = (n - isThere) | 0;
  }
  fillRows(count, isFall);
};

// ---- uniform ----

/** Index of the first order of each slot in the list of the current unit. Scratch of drawUniform(). */
const begins = scratch(4 * (FIRST_SLOT + SLOTS));

/**
 * Gives every unit on the board a random legal order. A unit with n orders gets the one with index below(bits, n) in
 * the list of legalOrders(). So all its orders are equally likely, and the result does not depend on the order of
 * `places`. test/engine/legal/movement-lists.test.ts compares it with the lists.
 *
 * A list is divided into slots: own orders are slot 0, moves VIA slot 1, and the supports into each province in reach
 * the slots from FIRST_SLOT on. The slot of an index is found without branches, which would be unpredictable.
 * nthOrder() handles the remaining cases: moves VIA, convoys, provinces after the last slot, and fleets with denied
 * supports.
 * @param m map of the game on the board
 * @param isFall true in fall, when ice closes seas
 * @param count number of units on the board
 * @param base random bits of this phase
 */
export const sampleUniform = (m: CompiledMap, isFall: boolean, count: number, base: number): void => {
  useMapForSampling(m);
  fillRowsOfBoard(m, isFall, count);
  const list = unitsAt;
  const given = order;
  for (let u = 0; u < count; u++) given[list[u]] = drawUniform(list[u], base);
};

/**
 * Gives every unit on the board a random legal order, as sampleUniform() does, with separate random bits for each
 * power.
 * @param isFall true in fall, when ice closes seas
 * @param count number of units on the board
 * @param bases random bits of this phase, indexed by power + 1
 */
export const sampleUniformBy = (m: CompiledMap, isFall: boolean, count: number, bases: Int32Array): void => {
  useMapForSampling(m);
  fillRowsOfBoard(m, isFall, count);
  for (let u = 0; u < count; u++) {
    const p = unitsAt[u];
    order[p] = drawUniform(p, bases[unit[p] >>> POWER_SHIFT]);
  }
};

const drawUniform = (p: number, base: number): number => {
  const key = keys[p];
  const bits = mix((base + Math.imul((p + 1) | 0, GOLDEN)) | 0);
  const row = key << SLOT_SHIFT;
  const begin1 = ownCount[key];
  const begin2 = (begin1 + viaCount[p]) | 0;
  const begin3 = (begin2 + helpers[slots[row + 2]]) | 0;
  const begin4 = (begin3 + helpers[slots[row + 3]]) | 0;
  const begin5 = (begin4 + helpers[slots[row + 4]]) | 0;
  const begin6 = (begin5 + helpers[slots[row + 5]]) | 0;
  const begin7 = (begin6 + helpers[slots[row + 6]]) | 0;
  const end = (begin7 + helpers[slots[row + 7]]) | 0;
  const denied = deniedCount[p];
  let all = (end + convoyCount[p] - denied) | 0;
  const last = reachOffsets[key + 1];
  for (let i = (reachOffsets[key] + SLOTS) | 0; i < last; i++) all = (all + helpers[reachList[i]]) | 0;
  const drawn = below(bits, all);
  begins[1] = begin1;
  begins[2] = begin2;
  begins[3] = begin3;
  begins[4] = begin4;
  begins[5] = begin5;
  begins[6] = begin6;
  begins[7] = begin7;
  // Number of slots after slot 0 that begin at or before the drawn order.
  const next = (drawn + 1) | 0;
  const slot =
    (((begin1 - next) >>> 31) +
      ((begin2 - next) >>> 31) +
      ((begin3 - next) >>> 31) +
      ((begin4 - next) >>> 31) +
      ((begin5 - next) >>> 31) +
      ((begin6 - next) >>> 31) +
      ((begin7 - next) >>> 31)) |
    0;
  if (slot === 1 || drawn >= end || (denied > 0 && slot > 1)) return toBoard(key, nthOrder(p, drawn));
  // Slot 0 has a dummy province. Its support is discarded below.
  const to = slots[(row + slot) | 0];
  const place = (Math.imul(to, ROW_WIDTH) + drawn - begins[slot]) | 0;
  const support =
    firstWithout(rows[place], rows[place + 1], SUPPORT_MOVE | helpedAndTarget(p, 0)) | helpedAndTarget(0, to);
  const own = ownOrders[(ownFirst[key + 1] + drawn) | 0];
  return own ^ ((own ^ (support | nextKeyBits(key + 1))) & (-slot >> 31));
};

// ---- policy ----

/** Returns the position of the set bit with this index in a word, counted from the lowest set bit. */
const nthBit = (word: number, index: number): number => {
  let rest = word;
  for (let i = 0; i < index; i++) rest &= rest - 1;
  return lowestBit(rest);
};

/**
 * Returns a random province from a row of a bitset; -1 if the row is empty.
 * @param words number of words of the row that contain provinces
 * @param bits 32 random bits
 */
const anyOf = (sets: Int32Array, row: number, words: number, bits: number): number => {
  let n = 0;
  for (let w = 0; w < words; w++) n += countBits(sets[row * WORDS + w]);
  let left = below(bits, n);
  for (let w = 0; w < words; w++) {
    const word = sets[row * WORDS + w];
    const c = countBits(word);
    if (left < c) return w * 32 + nthBit(word, left);
    left -= c;
  }
  return -1;
};

/**
 * Returns a random convoy of a fleet from coast to coast of its own sea, as a board order, or a hold if the drawn
 * province has no army.
 * @param bits 32 random bits
 */
const shortConvoy = (m: CompiledMap, fleet: number, bits: number): number => {
  const words = (m.provinceCount + 31) >> 5;
  const army = anyOf(coastNeighbours, fleet, words, bits);
  const to = anyOf(coastNeighbours, fleet, words, mix(bits + GOLDEN));
  if (army < 0 || to === army) return holdOf(fleet);
  const key = unit[army] & KEY_MASK;
  if (key === 0 || key > m.locationCount) return holdOf(fleet);
  return forKey(O.convoy(0, army, to), (unit[fleet] & KEY_MASK) - 1);
};

const listed = scratch(MAX_ORDERS_PER_PROVINCE);
/**
 * Orders of the current unit that involve convoys, each as the number that extraKey() returns. Written by findExtras().
 */
const extras = scratch(MAX_ORDERS_PER_PROVINCE);

/** Writes the convoy-related orders of the unit in province p to `extras`, sorted. Returns their number. */
const findExtras = (p: number): number => {
  const all = listOf(p, listed, 0);
  let n = 0;
  for (let i = 0; i < all; i++) {
    const packed = listed[i];
    const type = orderType(packed);
    const army = orderHelped(packed);
    const to = orderTarget(packed);
    if (orderVia(packed) === 1) extras[n++] = extraKey(p, 0, to);
    else if (type === CONVOY) extras[n++] = extraKey(army, 1, to);
    else if (type === SUPPORT_MOVE && reaches(army, to) === 0) extras[n++] = extraKey(army, 0, to);
  }
  extras.subarray(0, n).sort();
  return n;
};

/**
 * Returns a number for an order that involves a convoy. Numbers sort by army, then by 32 provinces of targets, then
 * convoys after supports and moves.
 * @param convoys 1 for a convoy, 0 for a support or move
 */
const extraKey = (army: number, convoys: number, to: number): number =>
  (army << 12) | ((to >> 5) << 9) | (convoys << 8) | to;

const extraOrder = (p: number, key: number): number => {
  const army = key >> 12;
  const to = key & 0xff;
  if (army === p) return toBoard(keys[p], O.moveVia(p, to));
  return toBoard(keys[p], (key & 0x100) === 0 ? O.supportMove(0, army, to) : O.convoy(0, army, to));
};

/**
 * Gives a random quarter of the units on the board one of their orders that involve convoys, if they have any.
 * @param isFall true in fall, when ice closes seas
 * @param count number of units on the board
 * @param base random bits of this phase
 */
const sampleExtras = (m: CompiledMap, isFall: boolean, count: number, base: number): void => {
  fillRowsOfBoard(m, isFall, count);
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const bits = mix(base + Math.imul(p + 1, 0x85eb_ca6b));
    if ((bits & 3) !== 0) continue;
    const n = findExtras(p);
    if (n > 0) order[p] = extraOrder(p, extras[below(mix(bits), n)]);
  }
};

/**
 * Returns a hold or an order for a convoy over one sea, for the unit in province p, which was drawn to get a rare
 * order.
 * @param bits 32 random bits
 */
const otherOrder = (m: CompiledMap, p: number, bits: number): number => {
  const list = otherLists[unit[p] & KEY_MASK];
  const entry = otherOrders[(list >> LIST_SHIFT) + (Math.imul(list & LIST_MASK, bits >>> 16) >>> 16)];
  if (orderType(entry) === DRAW_CONVOY) return shortConvoy(m, p, mix(bits));
  // A hold names its own province as helped. A move VIA needs a fleet in its helped province, which is next to the
  // target.
  return reaches(orderHelped(entry), orderTarget(entry)) === 1 ? entry : holdOf(p);
};

/**
 * Gives every unit on the board an order of the policy: see the head of this file.
 * @param isFall true in fall, when ice closes seas
 * @param count number of units on the board
 * @param base random bits of this phase
 */
export const samplePolicy = (m: CompiledMap, isFall: boolean, count: number, base: number): void => {
  useMapForSampling(m);
  const start = base | 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const bits = mix((start + Math.imul(p, GOLDEN)) | 0);
    const key = unit[p] & KEY_MASK;
    const list = moveLists[key];
    const move = ownOrders[(list >> LIST_SHIFT) + (Math.imul(list & LIST_MASK, bits & 0xffff) >>> 16)];
    const to = targetProvince(move);
    const support = supportsInto[(to << HELPED_SHIFT) + (bits >>> 26)];
    const helped = orderHelped(support);
    const isUsed = orderNextKey(support) >>> kindOf[unit[helped] & KEY_MASK];
    // A unit cannot support itself. A unit without moves gives no support.
    const gives = isUsed & ((0 - (helped ^ p)) >>> 31) & isMoveBit(move);
    order[p] = move ^ ((move ^ withNextKey(support, key)) & (0 - gives));
  }
  // Rare orders go to provinces drawn from the whole map, so that the result does not depend on the order of `places`.
  const provinces = m.provinceCount;
  const draws = Math.max(1, Math.round(provinces / 25));
  for (let i = 0; i < draws; i++) {
    const drawn = mix(start ^ Math.imul(i + 1, 0x85eb_ca6b));
    const p = Math.imul(provinces, drawn >>> 16) >>> 16;
    const bits = mix(drawn);
    const holds = holdOf(p);
    // Half of the drawn units hold. The order of an empty province is never read, so there is no check for a unit,
    // which would be slower.
    order[p] = holds;
    if ((((0 - holds) >>> 31) & bits & 1) !== 0) order[p] = otherOrder(m, p, bits);
  }
  if ((start >>> 3) % EXACT === 0) sampleExtras(m, isFall, count, mix(start));
};
