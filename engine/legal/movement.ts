// Counts and lists the legal orders of all units in a movement phase at once, and lays them out for the sampler.
//
// The list of a unit has this order: hold, moves over borders, moves VIA, supports by target, convoys. Most entries are
// supports, which units share: each unit that could move into a province may support the other units that could. So
// each province has one row of the supports into it: the support to hold if it has a unit, then supports of the moves
// into it, ascending by origin. fillRows() makes the rows in one pass over the units. The supports of a unit are the
// rows of the provinces in its reach without its own entries, and their number follows from the lengths of the rows.
//
// Convoys cause two exceptions. An army that could enter a province only by convoy is in the row of that province, but
// cannot support moves there, because the province is not in the army's reach. And a fleet at sea may not support such
// an army to a province if every route there needs that fleet (route-memo.ts): these supports are denied to the fleet.
//
// lists.ts defines which orders are legal. test/engine/legal/movement-lists.test.ts compares the lists with those of
// test/oracle/plain-lists.ts, order by order.

import type { CompiledMap } from '../map/compiled-map.js';
import { testBit } from '../rules/bitset.js';
import * as O from '../rules/order.js';
import * as T from '../rules/types.js';
import { position } from './position.js';
import * as M from './route-memo.js';

// Imports are copied to constants of this module, which is faster (adjudicate/movement/passes.ts has measurements).
const MAX_LOCATIONS = T.MAX_LOCATIONS;
const { SUPPORT_HOLD, SUPPORT_MOVE, helpedAndTarget, supportsMoveBit, withLocation, orderVia, withVia, withoutVia } = O;
const { keys, locations, unitsAt, helpers } = position;
const { seasNear, linkCount, linkedArmies, linkedLists, convoyCount, deniedCount } = M.fleetLists;
const { addArmy, entries, copyList } = M;

// ---- tables of the map in use ----
let map: CompiledMap | undefined;
const KEYS = 2 * MAX_LOCATIONS;

/** Index in `ownOrders` of the first order of a unit, by its key (unit type and location, map/compiled-map.ts). */
const ownOffsets = new Int32Array(KEYS + 1);
/** Hold, then moves over borders, of a unit with a key: ownOrders[ownOffsets[key] .. ownOffsets[key + 1]). */
const ownOrders = new Int32Array((1 << 16) + KEYS + 8);
/** Number of orders in `ownOrders` of a unit with a key. */
const ownCount = new Int32Array(KEYS);
/** Index in `reachList` of the first province in reach of a unit with a key. */
const reachOffsets = new Int32Array(KEYS + 1);
/** Provinces in reach of a unit with a key, ascending: reachList[reachOffsets[key] .. reachOffsets[key + 1]). */
const reachList = new Int32Array(1 << 16);
/** Base-2 logarithm of the number of elements of `slots` for each key. */
const SLOT_SHIFT = 4;
/** Index of the first province among the elements of a key in `slots`. */
const FIRST_SLOT = 2;
/** Number of provinces of each key in `slots`. Most units reach no more. */
const SLOTS = 6;
/**
 * The first SLOTS provinces in reach of a key, from index (key << SLOT_SHIFT) + FIRST_SLOT on. Dummy provinces, whose
 * rows count as empty, fill the other elements.
 */
const slots = new Int32Array(KEYS << SLOT_SHIFT);
/** The first dummy province. */
const DUMMY = MAX_LOCATIONS;

// ---- the position ----
/** Number of rows. Dummy provinces have rows too, which are filled like the others to save a branch. */
const ROWS = MAX_LOCATIONS + SLOTS;
/**
 * Length of a row of `rows`: room for all units. An odd number of cache lines, because with an even one rows compete
 * for the cache.
 */
const ROW_WIDTH = MAX_LOCATIONS + 16;
/**
 * Supports into province p, from index p * ROW_WIDTH on. Each entry is a support order without supporter and target.
 * The row has helpers[p] + 1 entries (position.ts), so a unit with one of them can give helpers[p] supports. Elements
 * after the last entry may be read.
 */
const rows = new Int32Array(ROWS * ROW_WIDTH);
/** Provinces of armies with convoy routes: the first convoyableCount elements. */
const convoyable = new Int32Array(MAX_LOCATIONS);
let convoyableCount = 0;
/** Number of moves VIA of the army in each province; 0 without an army that has any. */
const viaCount = new Int32Array(MAX_LOCATIONS);
/**
 * Index in entries() of an army's list of moves VIA, indexed by its province. Valid only for provinces in `convoyable`.
 */
const viaList = new Int32Array(MAX_LOCATIONS);
/** Index in `landings` of an army's first entry, indexed by its province. Valid only for provinces in `convoyable`. */
const landingsFrom = new Int32Array(MAX_LOCATIONS);
/** Indices in `rows` of the entries of moves that are possible only by convoy, army by army. */
const landings = new Int32Array(MAX_LOCATIONS * MAX_LOCATIONS);
let landingCount = 0;

/** Arrays and constants of this module that the sampler (play/sampler.ts) reads. */
export const layout = {
  ownCount,
  reachOffsets,
  reachList,
  SLOT_SHIFT,
  FIRST_SLOT,
  SLOTS,
  slots,
  ROW_WIDTH,
  rows,
  viaCount,
};

/** Makes the tables of this module and of route-memo.ts for a map. Returns at once if the map is in use already. */
export const useMapForMovement = (next: CompiledMap): void => {
  M.useSeas(next);
  if (next === map) return;
  map = next;
  const { provinceCount, locationCount } = next;
  let own = 0;
  let reached = 0;
  for (let key = 0; key < 2 * locationCount; key++) {
    const at = key % locationCount;
    ownOffsets[key] = own;
    ownOrders[own++] = O.hold(at);
    for (let i = next.moveOffsets[key]; i < next.moveOffsets[key + 1]; i++)
      ownOrders[own++] = O.move(at, next.moveTargets[i]);
    ownCount[key] = own - ownOffsets[key];
    reachOffsets[key] = reached;
    for (let p = 0; p < provinceCount; p++) if (testBit(next.reach, key, p) === 1) reachList[reached++] = p;
    const slot = (key << SLOT_SHIFT) + FIRST_SLOT;
    slots.fill(DUMMY, key << SLOT_SHIFT, (key + 1) << SLOT_SHIFT);
    for (let i = 0; i < SLOTS; i++) {
      const k = reachOffsets[key] + i;
      slots[slot + i] = k < reached ? reachList[k] : DUMMY + i;
    }
  }
  ownOffsets[2 * locationCount] = own;
  reachOffsets[2 * locationCount] = reached;
  convoyableCount = 0;
  viaCount.fill(0);
};

/** Returns the province whose row contains an index of `rows`. */
const rowProvince = (place: number): number => (place / ROW_WIDTH) | 0;

// ---- the rows ----

// Here, in route-memo.ts and in the sampler, sums end in | 0, which saves V8 an overflow check: without it, play by the
// policy took 3 to 4 % longer on Node 20 and on Node 24. Arrays have local names in loops, as in
// adjudicate/movement/passes.ts.

/**
 * Appends a support to the row of province `to`, and adds 1 to helpers[to].
 * @param support a support order without supporter and target
 */
const addHelper = (support: number, to: number): void => {
  const last = (helpers[to] + 1) | 0;
  helpers[to] = last;
  rows[(Math.imul(to, ROW_WIDTH) + last) | 0] = support;
};

/**
 * Fills the rows and finds the convoy routes for the units in position.ts. Their map must be in use
 * (useMapForMovement()).
 * @param count number of units
 * @param isFall true in fall, when ice closes seas
 */
export const fillRows = (count: number, isFall: boolean): void => {
  const lengths = viaCount;
  const armies = convoyable;
  const before = convoyableCount;
  for (let k = 0; k < before; k++) lengths[armies[k]] = 0;
  convoyableCount = 0;
  landingCount = 0;
  const fleets = M.lookAtFleets(isFall);
  for (let u = 0; u < count; u++) addUnit(unitsAt[u], fleets);
  for (let i = 0; i < SLOTS; i++) helpers[DUMMY + i] = 0;
};

/**
 * Adds a unit to the rows of the provinces in its reach, and an army also to those of provinces that it can reach only
 * by convoy.
 * @param fleets result of lookAtFleets()
 */
const addUnit = (p: T.Province, fleets: number): void => {
  const key = keys[p];
  const slot = ((key << SLOT_SHIFT) + FIRST_SLOT) | 0;
  const support = SUPPORT_MOVE | helpedAndTarget(p, 0);
  rows[Math.imul(p, ROW_WIDTH)] = SUPPORT_HOLD | helpedAndTarget(p, 0);
  addHelper(support, slots[slot]);
  addHelper(support, slots[(slot + 1) | 0]);
  addHelper(support, slots[(slot + 2) | 0]);
  addHelper(support, slots[(slot + 3) | 0]);
  addHelper(support, slots[(slot + 4) | 0]);
  addHelper(support, slots[(slot + 5) | 0]);
  const end = reachOffsets[key + 1];
  for (let i = (reachOffsets[key] + SLOTS) | 0; i < end; i++) addHelper(support, reachList[i]);
  if ((seasNear[key] & fleets) === 0) return;
  const armies = convoyable;
  const places = landings;
  let list = addArmy(p);
  const numbers = entries();
  armies[convoyableCount++] = p;
  viaCount[p] = numbers[list];
  viaList[p] = list;
  landingsFrom[p] = landingCount;
  // The second list has the provinces that the army can reach only by convoy. Its support is already in the rows of the
  // provinces that it can reach by land.
  list = (list + numbers[list] + 1) | 0;
  const last = (list + numbers[list]) | 0;
  let landing = landingCount;
  for (let i = (list + 1) | 0; i <= last; i++) {
    const to = numbers[i];
    addHelper(support, to);
    places[landing++] = Math.imul(to, ROW_WIDTH) + helpers[to];
  }
  landingCount = landing;
};

// ---- counts ----

/**
 * Counts the legal orders of all units. Writes the index at which each unit's list begins to `offsets`, and the total
 * number to offsets[count]. Call fillRows() first.
 * @param count number of units
 */
export const countAll = (count: number, offsets: Int32Array): void => {
  const provinces = unitsAt;
  let n = 0;
  for (let u = 0; u < count; u++) {
    offsets[u] = n;
    n = (n + countOf(provinces[u])) | 0;
  }
  offsets[count] = n;
};

/** Returns the number of legal orders of the unit in a province. */
const countOf = (p: T.Province): number => {
  const key = keys[p];
  const lengths = helpers;
  const reached = reachList;
  const slot = (key << SLOT_SHIFT) + FIRST_SLOT;
  let n = (ownCount[key] + viaCount[p] + convoyCount[p] - deniedCount[p]) | 0;
  n = (n + lengths[slots[slot]] + lengths[slots[slot + 1]] + lengths[slots[slot + 2]]) | 0;
  n = (n + lengths[slots[slot + 3]] + lengths[slots[slot + 4]] + lengths[slots[slot + 5]]) | 0;
  const end = reachOffsets[key + 1];
  for (let i = reachOffsets[key] + SLOTS; i < end; i++) n = (n + lengths[reached[i]]) | 0;
  return n;
};

// ---- lists ----

// Lists are short, and a processor cannot predict their lengths. So a fixed number of entries is always copied, which
// costs less than a mispredicted branch. The next list overwrites surplus entries.

/**
 * Writes the legal orders of all units to `out`: those of the u-th unit to out[offsets[u] .. offsets[u + 1]). Writes
 * the offsets too. Call fillRows() first.
 * @param count number of units
 */
export const listAll = (count: number, out: Int32Array, offsets: Int32Array): void => {
  const provinces = unitsAt;
  let n = 0;
  for (let u = 0; u < count; u++) {
    offsets[u] = n;
    n = listOf(provinces[u], out, n);
  }
  offsets[count] = n;
};

/**
 * Writes the legal orders of the unit in a province to `out` from index `begin` on. Returns the index after the last
 * one. Elements after it are overwritten too. Call fillRows() first.
 */
export const listOf = (p: T.Province, out: Int32Array, begin: number): number => {
  const key = keys[p];
  const own = ownOrders;
  const reached = reachList;
  const from = ownOffsets[key];
  const count = ownCount[key];
  out[begin] = own[from];
  out[begin + 1] = own[from + 1];
  out[begin + 2] = own[from + 2];
  out[begin + 3] = own[from + 3];
  out[begin + 4] = own[from + 4];
  out[begin + 5] = own[from + 5];
  out[begin + 6] = own[from + 6];
  out[begin + 7] = own[from + 7];
  for (let i = 8; i < count; i++) out[(begin + i) | 0] = own[(from + i) | 0];
  let n = (begin + count) | 0;
  if (viaCount[p] > 0) n = copyList(viaList[p], out, n);
  if (deniedCount[p] > 0) return listConvoys(p, out, listAllowed(p, out, n));
  const self = SUPPORT_MOVE | helpedAndTarget(p, 0);
  const at = withLocation(0, locations[p]);
  const end = reachOffsets[key + 1];
  for (let i = reachOffsets[key]; i < end; i++) n = listInto(reached[i], at, self, out, n);
  return convoyCount[p] > 0 ? listConvoys(p, out, n) : n;
};

/**
 * Writes the supports into province `to` of one unit to `out` from index `begin` on; returns the index after the last
 * one.
 * @param at order with the location of the supporter only
 * @param self entry of the supporter in the row, which is left out
 */
const listInto = (to: T.Province, at: number, self: number, out: Int32Array, begin: number): number => {
  const supports = rows;
  const row = Math.imul(to, ROW_WIDTH);
  const count = helpers[to];
  const here = at | helpedAndTarget(0, to);
  const a = supports[row];
  const b = supports[(row + 1) | 0];
  const c = supports[(row + 2) | 0];
  const d = supports[(row + 3) | 0];
  const e = supports[(row + 4) | 0];
  out[begin] = here | firstWithout(a, b, self);
  out[begin + 1] = here | without(b, c, self);
  out[begin + 2] = here | without(c, d, self);
  out[begin + 3] = here | without(d, e, self);
  let entry = e;
  for (let k = 4; k < count; k++) {
    const next = supports[(row + k + 1) | 0];
    out[(begin + k) | 0] = here | without(entry, next, self);
    entry = next;
  }
  return (begin + count) | 0;
};

/**
 * Returns the k-th entry of a row from which `self` is left out: entry k of the row if it is before `self`, otherwise
 * entry k + 1. Entries of moves ascend.
 * @param entry entry k of the row
 * @param next entry k + 1
 */
const without = (entry: number, next: number, self: number): number => next ^ ((next ^ entry) & ((entry - self) >> 31));

/**
 * Returns the first entry of a row from which `self` is left out: `entry` if it is a support to hold or is before
 * `self`, otherwise `next`.
 * @param entry entry 0 of the row
 * @param next entry 1
 */
export const firstWithout = (entry: number, next: number, self: number): number =>
  next ^ ((next ^ entry) & (((entry - self) >> 31) | (supportsMoveBit(entry) - 1)));

/**
 * Writes the supports of the fleet in province p, except those of convoys that need this fleet, to `out` from `begin`
 * on. Returns the index after the last one.
 */
const listAllowed = (p: T.Province, out: Int32Array, begin: number): number => {
  const key = keys[p];
  const self = SUPPORT_MOVE | helpedAndTarget(p, 0);
  const at = withLocation(0, locations[p]);
  const marks = markDenied(p);
  const reached = reachList;
  let n = begin;
  const end = reachOffsets[key + 1];
  for (let i = reachOffsets[key]; i < end; i++) n = listUnmarked(reached[i], at, self, out, n);
  unmark(marks);
  return n;
};

/** Indices in `rows` of the entries that are denied to the current fleet and marked with the VIA bit. */
const marked = new Int32Array(MAX_LOCATIONS * MAX_LOCATIONS);
/** Number of marked entries in the row of each province. All 0 except between markDenied() and unmark(). */
const deniedInto = new Int32Array(MAX_LOCATIONS);

/**
 * Finds the supports of convoyed moves that a fleet may not give, because every route of the move needs this fleet.
 * Sets the VIA bit of their entries in `rows`, and writes `marked` and `deniedInto`. Returns their number.
 */
const markDenied = (fleet: T.Province): number => {
  const numbers = entries();
  const armies = linkedArmies;
  const lists = linkedLists;
  const begins = landingsFrom;
  const landed = landings;
  const supports = rows;
  const counts = deniedInto;
  const places = marked;
  const first = Math.imul(fleet, MAX_LOCATIONS);
  const last = (first + linkCount[fleet]) | 0;
  let marks = 0;
  for (let k = first; k < last; k++) {
    const from = begins[armies[k]];
    const convoys = lists[k];
    const list = (convoys + numbers[convoys] + 1) | 0;
    const end = (list + numbers[list]) | 0;
    for (let i = (list + 1) | 0; i <= end; i++) {
      const place = landed[(from + numbers[i]) | 0];
      supports[place] = withVia(supports[place]);
      counts[rowProvince(place)]++;
      places[marks++] = place;
    }
  }
  return marks;
};

/** Removes the first `marks` marks of markDenied(). */
const unmark = (marks: number): void => {
  const supports = rows;
  const counts = deniedInto;
  const places = marked;
  for (let k = 0; k < marks; k++) {
    const place = places[k];
    supports[place] = withoutVia(supports[place]);
    counts[rowProvince(place)] = 0;
  }
};

/**
 * Writes the supports into province `to` of one unit, without the marked entries, to `out` from index `begin` on.
 * Returns the index after the last one.
 * @param at order with the location of the supporter only
 * @param self entry of the supporter in the row, which is left out
 */
const listUnmarked = (to: T.Province, at: number, self: number, out: Int32Array, begin: number): number => {
  const supports = rows;
  const row = Math.imul(to, ROW_WIDTH);
  const count = helpers[to];
  const here = at | helpedAndTarget(0, to);
  const a = supports[row];
  const b = supports[(row + 1) | 0];
  const c = supports[(row + 2) | 0];
  const d = supports[(row + 3) | 0];
  let n = begin;
  out[n] = here | a;
  n = (n + isListed(a, self)) | 0;
  out[n] = here | b;
  n = (n + isListed(b, self)) | 0;
  out[n] = here | c;
  n = (n + isListed(c, self)) | 0;
  out[n] = here | d;
  n = (n + isListed(d, self)) | 0;
  for (let k = 4; k <= count; k++) {
    const entry = supports[(row + k) | 0];
    out[n] = here | entry;
    n = (n + isListed(entry, self)) | 0;
  }
  return (begin + count - deniedInto[to]) | 0;
};

/** Returns 1 if an entry of a row is neither `self` nor marked, otherwise 0. */
const isListed = (entry: number, self: number): number => ((0 - (entry ^ self)) & (orderVia(entry) - 1)) >>> 31;

/** Writes the convoy orders of a fleet to `out` from index `begin` on; returns the index after the last one. */
const listConvoys = (fleet: T.Province, out: Int32Array, begin: number): number => {
  const lists = linkedLists;
  const first = Math.imul(fleet, MAX_LOCATIONS);
  const last = (first + linkCount[fleet]) | 0;
  let n = begin;
  for (let k = first; k < last; k++) n = copyList(lists[k], out, n);
  return n;
};

// ---- one order ----

/** Returns order `index` (from 0) of the list that listOf() makes for the unit in province p. Call fillRows() first. */
export const nthOrder = (p: T.Province, index: number): number => {
  const key = keys[p];
  if (index < ownCount[key]) return ownOrders[ownOffsets[key] + index];
  const via = index - ownCount[key];
  if (via < viaCount[p]) return entries()[viaList[p] + 1 + via];
  const convoy = convoyCount[p] > 0 ? index - countOf(p) + convoyCount[p] : -1;
  if (convoy >= 0) return nthConvoy(p, convoy);
  const marks = deniedCount[p] > 0 ? markDenied(p) : 0;
  const support = nthSupport(p, via - viaCount[p]);
  unmark(marks);
  return support;
};

const nthSupport = (p: T.Province, index: number): number => {
  const self = SUPPORT_MOVE | helpedAndTarget(p, 0);
  const supports = rows;
  const reached = reachList;
  const lengths = helpers;
  const denied = deniedInto;
  let left = index;
  let i = reachOffsets[keys[p]];
  for (; left >= lengths[reached[i]] - denied[reached[i]]; i++) left -= lengths[reached[i]] - denied[reached[i]];
  let place = Math.imul(reached[i], ROW_WIDTH);
  while (left >= isListed(supports[place], self)) left -= isListed(supports[place++], self);
  return withLocation(0, locations[p]) | helpedAndTarget(0, reached[i]) | supports[place];
};

const nthConvoy = (fleet: T.Province, index: number): number => {
  const numbers = entries();
  const lists = linkedLists;
  let link = fleet * MAX_LOCATIONS;
  let left = index;
  for (; left >= numbers[lists[link]]; link++) left -= numbers[lists[link]];
  return numbers[lists[link] + 1 + left];
};
