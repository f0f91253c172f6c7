// One random legal order for every unit on the board, without listing the legal orders.
//
// A table, made once per map, lists what a unit of some key could ever be ordered. A draw takes an entry of it and makes
// one test against the position: is there a unit that could do what the entry helps it do?
//
// - Uniform: every legal order of a unit is as likely as any other. An entry that is not legal now is drawn again. What
//   convoys add (moves VIA, convoys, supports of convoyed moves) is counted exactly and drawn from in the same draw.
// - Policy: 28 in 64 a move, 36 in 64 the support of a move to where the unit could move itself, or of the unit there;
//   without such a unit the move itself; then 1 in 25 a hold or a convoy over one sea. Now and then (EXACT) a unit draws
//   from all that convoys add, long chains and supports of convoyed moves: every legal order can come up.
//
// The number for a unit is a hash of the phase's base and its province (random.ts).
import * as B from '../bitset.js';
import {
  addFleet,
  beginRoutes,
  findRoutes,
  hasRoutes,
  routeReach,
  routeReachWith,
  routeReachWithout,
} from '../legal/routes.js';
import type { CompiledMap } from '../map/compiled-map.js';
import * as O from '../order.js';
import * as R from '../random.js';
import { board } from '../resolve/index.js';
import * as T from '../types.js';

// Imports rebound, so that V8 folds them like constants of this module.
const { places, unit, order } = board;
const MAX_LOCATIONS = T.MAX_LOCATIONS;
const WORDS = T.WORDS;
const lowestBit = B.lowestBit;
const countBits = B.countBits;
const mix = R.mix;
const GOLDEN = R.GOLDEN;
const orderTarget = O.orderTarget;
const targetProvince = O.targetProvince;
const orderAux = O.orderAux;
const auxAndTarget = O.auxAndTarget;
const isMoveBit = O.isMoveBit;
const orderType = O.orderType;
const supportInto = O.supportInto;
const nextKeyBits = O.nextKeyBits;

/** Bits of a unit word that hold its key + 1. */
const KEY_MASK = 0xffff;

// ---- tables of a map ----
let map: CompiledMap | undefined;
let locationCount = 0;
let provinceCount = 0;
let words = 0;
/** Draws of a province that gets another order than a move or support, in each phase of the policy. */
let otherDraws = 0;
const KEYS = 2 * MAX_LOCATIONS + 1;
/**
 * Board orders. Their aux and target say what must be there: a unit in aux that reaches the target, or stands in it
 * (isPossible). Long enough for 512 keys of 512 entries.
 */
const entries = new Int32Array(1 << 18);
/** By key + 1 and list: first entry << 12 | number of entries. The list ALL is that of the uniform sampler. */
const lists = new Int32Array(2 * KEYS);
/** The moves of a key alone, close together: they are all that the policy reads for most draws. */
const policyMoves = new Int32Array(1 << 14);
const policyLists = new Int32Array(KEYS);
const OTHERS = 0;
const ALL = 1;
const LIST_SHIFT = 12;
const LIST_MASK = 0xfff;
/** By key + 1: the provinces that the unit can move to, and its own; none for key + 1 = 0. */
const reachOrStay = new Int32Array(KEYS * WORDS);
const reachOnly = new Int32Array(KEYS * WORDS);
/** The same as lists: provinces reachList[reachOffsets[key + 1] .. reachOffsets[key + 2]). */
const reachOffsets = new Int32Array(KEYS + 1);
const reachList = new Int32Array(1 << 14);
/** By key + 1: the hold, as a board order. */
const holdOrders = new Int32Array(KEYS);
/**
 * By province, in 64 slots of which the policy draws one: whom a unit that could move there helps. 28 slots say NOBODY,
 * 36 hold in turn the provinces from which a unit can come, and the province itself.
 */
const helpedIn = new Uint16Array(MAX_LOCATIONS << 6);
const SLOT_SHIFT = 6;
const SLOTS = 1 << SLOT_SHIFT;
const SUPPORT_SLOTS = 36;
/** A place on the board where never a unit stands. */
const NOBODY = MAX_LOCATIONS;
/** 1 for a province that can convoy. */
const isSea = new Int32Array(MAX_LOCATIONS);
const coastNeighbours = new Int32Array(MAX_LOCATIONS * WORDS);

/** One phase in so many lets units draw from all that convoys add, one unit in four of them. */
const EXACT = 1024;
/** Type of an entry that stands for a convoy by the fleet itself, to be drawn by shortConvoy(). */
const DRAW_CONVOY = 0;

const withNextKey = (packed: number, key: number): number => O.withNextKey(packed, key + 1);

/** True if any unit can ever move from one province to the other without a convoy. */
const hasBorder = (m: CompiledMap, from: number, to: number): boolean => {
  const reaches = (key: number): boolean => B.testBit(m.reach, key, to) === 1;
  if (reaches(from) || reaches(m.locationCount + from)) return true;
  for (let i = 0; i < m.coastCount[from]; i++) if (reaches(m.locationCount + m.firstCoast[from] + i)) return true;
  return false;
};

/** Writes the lists of one key; returns the number of entries in the table after them. */
const addKey = (m: CompiledMap, key: number, first: number): number => {
  const fleet = key >= m.locationCount;
  const province = m.locationProvince[fleet ? key - m.locationCount : key];
  holdOrders[key + 1] = withNextKey(O.hold(0) | auxAndTarget(province, province), key);
  let n = first;
  const add = (packed: number, next: number): void => {
    entries[n++] = withNextKey(packed, next);
  };
  const list = (which: number, from: number): void => {
    lists[2 * (key + 1) + which] = (from << LIST_SHIFT) | (n - from);
  };
  const moves = m.moveOffsets[key];
  for (let i = moves; i < m.moveOffsets[key + 1]; i++) {
    const location = m.moveTargets[i];
    // aux names the mover itself, which is always possible.
    const packed = O.move(0, m.locationProvince[location]) | auxAndTarget(province, 0);
    add(packed, fleet ? m.locationCount + location : location);
    policyMoves[i + key] = entries[n - 1];
  }
  // Behind the moves of a key its hold, which is drawn if there are none.
  policyMoves[m.moveOffsets[key + 1] + key] = holdOrders[key + 1];
  policyLists[key + 1] = ((moves + key) << LIST_SHIFT) | (m.moveOffsets[key + 1] - moves);
  for (let to = 0; to < m.provinceCount; to++) {
    if (B.testBit(m.reach, key, to) === 0) continue;
    add(O.supportHold(0, to), key);
    for (let from = 0; from < m.provinceCount; from++)
      if (from !== province && hasBorder(m, from, to)) add(O.supportMove(0, from, to), key);
  }
  const others = n;
  add(holdOrders[key + 1], key);
  list(ALL, first);
  if (fleet && B.testBit(m.seas, 0, province) === 1) add(auxAndTarget(province, province) | DRAW_CONVOY, key);
  // An army by convoy over one sea: possible if a fleet stands there (aux), which touches the target.
  if (!fleet)
    for (let sea = 0; sea < m.provinceCount; sea++) {
      if (B.testBit(m.seaNeighbours, province, sea) === 0) continue;
      for (let to = 0; to < m.provinceCount; to++)
        if (to !== province && B.testBit(m.coastNeighbours, sea, to) === 1)
          add(O.moveVia(0, to) | auxAndTarget(sea, 0), to);
    }
  list(OTHERS, others);
  return n;
};

const fillSlots = (m: CompiledMap, to: number): void => {
  const sources: number[] = [];
  for (let from = 0; from < m.provinceCount; from++) if (from === to || hasBorder(m, from, to)) sources.push(from);
  for (let i = 0; i < SLOTS; i++)
    helpedIn[(to << SLOT_SHIFT) + i] = i < SUPPORT_SLOTS ? sources[i % sources.length] : NOBODY;
};

/** Makes the tables of a map those in use. Cheap when they are already. */
export const useMapForSampling = (next: CompiledMap): void => {
  if (next === map) return;
  map = next;
  locationCount = next.locationCount;
  provinceCount = next.provinceCount;
  otherDraws = Math.max(1, Math.round(provinceCount / 25));
  words = (next.provinceCount + 31) >> 5;
  lists.fill(0);
  reachOrStay.fill(0);
  reachOnly.fill(0);
  let n = 0;
  for (let key = 0; key < 2 * next.locationCount; key++) {
    n = addKey(next, key, n);
    const row = (key + 1) * WORDS;
    const province = next.locationProvince[key < next.locationCount ? key : key - next.locationCount];
    for (let w = 0; w < words; w++) {
      reachOnly[row + w] = next.reach[key * WORDS + w];
      reachOrStay[row + w] = next.reach[key * WORDS + w];
    }
    reachOrStay[row + (province >> 5)] |= 1 << (province & 31);
    let end = reachOffsets[key + 1];
    for (let to = 0; to < next.provinceCount; to++) if (B.testBit(next.reach, key, to) === 1) reachList[end++] = to;
    reachOffsets[key + 2] = end;
  }
  for (let p = 0; p < next.provinceCount; p++) {
    isSea[p] = B.testBit(next.seas, 0, p);
    fillSlots(next, p);
  }
  coastNeighbours.set(next.coastNeighbours);
};

// ---- what convoys add to the legal orders of a position ----

/** Armies with a route: those that the fleets at sea could convoy. */
const convoyable = new Int32Array(MAX_LOCATIONS);
let convoyableCount = 0;

/** Ascending: what is drawn must not depend on the order of `places`, which a game loses when it is stored. */
const addConvoyable = (army: number): void => {
  let i = convoyableCount++;
  for (; i > 0 && convoyable[i - 1] > army; i--) convoyable[i] = convoyable[i - 1];
  convoyable[i] = army;
};

const lookAtRoutes = (count: number): void => {
  convoyableCount = 0;
  let fleets = 0;
  beginRoutes(map as CompiledMap);
  for (let i = 0; i < count; i++)
    if (isSea[places[i]] === 1) {
      addFleet(places[i]);
      fleets++;
    }
  if (fleets === 0) return;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if ((unit[p] & KEY_MASK) > locationCount || !hasRoutes(p)) continue;
    findRoutes(p);
    addConvoyable(p);
  }
  countLandings();
};

/** Counts, by province, the armies that come there by convoy only, and by army where it can be taken. */
const countLandings = (): void => {
  for (let p = 0; p < provinceCount; p++) landings[p] = 0;
  for (let i = 0; i < convoyableCount; i++) {
    const army = convoyable[i];
    const land = (unit[army] & KEY_MASK) * WORDS;
    let n = 0;
    for (let w = 0; w < words; w++) {
      const taken = routeReach(army, w);
      n += countBits(taken);
      for (let rest = taken & ~reachOnly[land + w]; rest !== 0; rest &= rest - 1) landings[w * 32 + lowestBit(rest)]++;
    }
    convoyTargets[army] = n;
  }
};
const landings = new Int32Array(MAX_LOCATIONS);
/** By army on the board: places it can be taken to. Of those without a route, whatever was left. */
const convoyTargets = new Int32Array(MAX_LOCATIONS);

/** Word w of the provinces that a convoy order of kind `what` of the unit in p, helping this army, may name. */
const extraWord = (p: number, army: number, w: number): number => {
  if (army === p) return routeReach(p, w);
  const key = unit[p] & KEY_MASK;
  const landed = reachOnly[key * WORDS + w] & ~reachOnly[(unit[army] & KEY_MASK) * WORDS + w];
  return landed & (isSea[p] === 1 ? routeReachWithout(army, p, w) : routeReach(army, w));
};

const convoyWord = (p: number, army: number, w: number): number => (isSea[p] === 1 ? routeReachWith(army, p, w) : 0);

/** Number of legal orders that the unit in a province has because of convoys. */
const countExtras = (p: number): number => {
  const key = unit[p] & KEY_MASK;
  let n = key <= locationCount && hasRoutes(p) ? convoyTargets[p] : 0;
  // No army comes by convoy only to where it could walk: the unit itself is in none of these counts.
  for (let i = reachOffsets[key]; i < reachOffsets[key + 1]; i++) n += landings[reachList[i]];
  return isSea[p] === 1 ? n + countConvoys(p) : n;
};

/** Convoy orders of a fleet, less the supports that it cannot give because the army would need it for its convoy. */
const countConvoys = (fleet: number): number => {
  const reach = (unit[fleet] & KEY_MASK) * WORDS;
  let n = 0;
  for (let i = 0; i < convoyableCount; i++) {
    const army = convoyable[i];
    const land = (unit[army] & KEY_MASK) * WORDS;
    for (let w = 0; w < words; w++) {
      const carried = routeReachWith(army, fleet, w);
      if (carried === 0) continue;
      const needed = carried & ~routeReachWithout(army, fleet, w) & reachOnly[reach + w] & ~reachOnly[land + w];
      n += countBits(carried) - countBits(needed);
    }
  }
  return n;
};

/** The bit with this index among those of a word that are set. */
const nthBit = (word: number, index: number): number => {
  let rest = word;
  for (let i = 0; i < index; i++) rest &= rest - 1;
  return lowestBit(rest);
};

const extraOrder = (p: number, army: number, to: number): number => {
  if (army === p) return withNextKey(O.moveVia(0, to), to);
  return withNextKey(O.supportMove(0, army, to), (unit[p] & KEY_MASK) - 1);
};

/** The legal order with this index among those that countExtras() counts. */
const nthExtra = (p: number, index: number): number => {
  let left = index;
  for (let i = 0; i < convoyableCount; i++) {
    const army = convoyable[i];
    for (let w = 0; w < words; w++) {
      const extras = extraWord(p, army, w);
      const n = countBits(extras);
      if (left < n) return extraOrder(p, army, w * 32 + nthBit(extras, left));
      left -= n;
      const convoys = convoyWord(p, army, w);
      const c = countBits(convoys);
      if (left < c) return withNextKey(O.convoy(0, army, w * 32 + nthBit(convoys, left)), (unit[p] & KEY_MASK) - 1);
      left -= c;
    }
  }
  return holdOf(p);
};

const holdOf = (p: number): number => holdOrders[unit[p] & KEY_MASK];

// ---- uniform ----

/** 1 if what an entry helps can be done: the unit named by aux is there and reaches the target, or stands in it. */
const isPossible = (entry: number): number => reaches(orderAux(entry), orderTarget(entry));

/** 1 if a unit stands in the one province that can move to the other, or stands there. */
const reaches = (from: number, to: number): number =>
  (reachOrStay[(unit[from] & KEY_MASK) * WORDS + (to >> 5)] >>> (to & 31)) & 1;

/** A number from 0 to n - 1 by 32 random bits; no result is likelier than another by more than n / 2^32. */
const scale = (bits: number, n: number): number => Math.floor((bits >>> 0) * n * 2.3283064365386963e-10);

/**
 * Gives every unit on the board an order: each of its legal orders is equally likely.
 * @param count units on the board
 * @param base random bits of this phase
 */
export const sampleUniform = (count: number, base: number): void => {
  lookAtRoutes(count);
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const list = lists[2 * (unit[p] & KEY_MASK) + ALL];
    const first = list >> LIST_SHIFT;
    const n = list & LIST_MASK;
    const all = convoyableCount === 0 ? n : n + countExtras(p);
    let bits = mix(base + Math.imul(p + 1, GOLDEN));
    let drawn = scale(bits, all);
    while (drawn < n && isPossible(entries[first + drawn]) === 0) {
      bits = mix(bits + GOLDEN);
      drawn = scale(bits, all);
    }
    order[p] = drawn < n ? entries[first + drawn] : nthExtra(p, drawn - n);
  }
};

// ---- policy ----

/** A random province of a row of a bitset; -1 if the row is empty. */
const anyOf = (sets: Int32Array, row: number, bits: number): number => {
  let n = 0;
  for (let w = 0; w < words; w++) n += countBits(sets[row * WORDS + w]);
  let left = scale(bits, n);
  for (let w = 0; w < words; w++) {
    const word = sets[row * WORDS + w];
    const c = countBits(word);
    if (left < c) return w * 32 + nthBit(word, left);
    left -= c;
  }
  return -1;
};

/** A convoy from coast to coast of the fleet's own sea, or a hold if no army stands where it looked. */
const shortConvoy = (fleet: number, bits: number): number => {
  const army = anyOf(coastNeighbours, fleet, bits);
  const to = anyOf(coastNeighbours, fleet, mix(bits + GOLDEN));
  if (army < 0 || to === army) return holdOf(fleet);
  const key = unit[army] & KEY_MASK;
  if (key === 0 || key > locationCount) return holdOf(fleet);
  return withNextKey(O.convoy(0, army, to), (unit[fleet] & KEY_MASK) - 1);
};

/** Gives every fourth unit one of the orders that convoys add for it, if there are any. */
const sampleExtras = (count: number, base: number): void => {
  lookAtRoutes(count);
  if (convoyableCount === 0) return;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const bits = mix(base + Math.imul(p + 1, 0x85eb_ca6b));
    if ((bits & 3) !== 0) continue;
    const extras = countExtras(p);
    if (extras > 0) order[p] = nthExtra(p, scale(mix(bits), extras));
  }
};

/** A hold or a short convoy. */
const otherOrder = (p: number, bits: number): number => {
  const list = lists[2 * (unit[p] & KEY_MASK) + OTHERS];
  if ((bits & 1) === 0) return holdOf(p);
  const entry = entries[(list >> LIST_SHIFT) + (Math.imul(list & LIST_MASK, bits >>> 16) >>> 16)];
  if (orderType(entry) === DRAW_CONVOY) return shortConvoy(p, mix(bits));
  return isPossible(entry) === 1 ? entry : holdOf(p);
};

/** Gives every unit on the board an order of the policy described at the top. Parameters as for sampleUniform(). */
export const samplePolicy = (count: number, base: number): void => {
  const start = base | 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const bits = mix((start + Math.imul(p, GOLDEN)) | 0);
    const key = unit[p] & KEY_MASK;
    const list = policyLists[key];
    const move = policyMoves[(list >> LIST_SHIFT) + (Math.imul(list & LIST_MASK, bits & 0xffff) >>> 16)];
    const to = targetProvince(move);
    const helped = helpedIn[(to << SLOT_SHIFT) + (bits >>> 26)];
    // Nobody supports himself, and a unit that cannot move supports nothing.
    const possible = reaches(helped, to) & (-(helped ^ p) >>> 31) & isMoveBit(move);
    const support = supportInto(helped, to) | nextKeyBits(key);
    order[p] = move ^ ((move ^ support) & -possible);
  }
  // Other orders go to provinces drawn from the whole map, so that nothing depends on the order of `places`.
  for (let i = 0; i < otherDraws; i++) {
    const bits = mix(start ^ Math.imul(i + 1, 0x85eb_ca6b));
    const p = Math.imul(provinceCount, bits >>> 16) >>> 16;
    if (unit[p] !== 0) order[p] = otherOrder(p, mix(bits));
  }
  if ((start >>> 3) % EXACT === 0) sampleExtras(count, mix(start));
};
