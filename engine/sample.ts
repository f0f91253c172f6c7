// One random legal order for every unit on the board, without listing the legal orders.
//
// What a unit of some key could ever be ordered stands in a table, made once per map. A draw is an entry of that table
// and one test against the position: is there a unit that could do what the entry helps it do?
//
// - Uniform: every legal order of a unit is as likely as any other. An entry that is not legal now is drawn again. What
//   convoys add (moves VIA, convoys, supports of convoyed moves) is counted exactly and drawn from in the same draw.
// - Policy: 10 in 16 a move, 5 in 16 a support, 1 in 16 a hold or convoy. A support that is not legal now becomes a
//   move to the province it meant. Every legal order can come up; long convoys and supports of convoyed moves rarely.
//
// The number for a unit is a hash of the phase's base and its province (random.ts).
import * as B from './bitset.js';
import type { CompiledMap } from './map/types.js';
import * as O from './order.js';
import * as R from './random.js';
import { board } from './resolve.js';
import {
  addFleet,
  beginRoutes,
  findRoutes,
  hasRoutes,
  routeReach,
  routeReachWith,
  routeReachWithout,
} from './routes.js';
import { MAX_LOCATIONS, WORDS } from './types.js';

const { places, unit, order } = board;
const lowestBit = B.lowestBit;
const countBits = B.countBits;
const mix = R.mix;
const GOLDEN = R.GOLDEN;
const orderTarget = O.orderTarget;
const orderAux = O.orderAux;

/** Bits of a board order that hold the key + 1 which its unit has after a success (resolve.ts leaves them free). */
export const NEXT_KEY_SHIFT = 21;
/** Bits of a unit word that hold its key + 1. */
const KEY_MASK = 0xffff;
const TYPE_MASK = 0xf;

// ---- tables of a map ----
let map: CompiledMap | undefined;
let locationCount = 0;
let words = 0;
const KEYS = 2 * MAX_LOCATIONS + 1;
/** Board orders; those of key k from begin[4k]: moves, then supports, then the hold; last an entry without a type. */
let entries = new Int32Array(0);
/** What a support becomes that is not legal now. */
let fallbacks = new Int32Array(0);
// By key + 1 and class of the policy: first entry and number of entries.
const begin = new Int32Array(4 * KEYS);
const size = new Int32Array(4 * KEYS);
const MOVES = 0;
const SUPPORTS = 1;
const SPECIAL = 2;
/** All entries but the special one, for the uniform sampler. */
const ALL = 3;
/** By key + 1: the provinces that the unit can move to, and its own; none for key + 1 = 0. */
const reachOrStay = new Int32Array(KEYS * WORDS);
const reachOnly = new Int32Array(KEYS * WORDS);
/** 1 for a province that can convoy. */
const isSea = new Int32Array(MAX_LOCATIONS);
const seaNeighbours = new Int32Array(MAX_LOCATIONS * WORDS);
const coastNeighbours = new Int32Array(MAX_LOCATIONS * WORDS);

/** Class of the policy by the top four bits of a draw. */
const POLICY = Int32Array.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2]);
/** One special draw in so many may be anything that convoys add to the legal orders. */
const EXACT_CONVOYS = 128;

const withNextKey = (packed: number, key: number): number =>
  (packed & ((1 << NEXT_KEY_SHIFT) - 1)) | ((key + 1) << NEXT_KEY_SHIFT);

/** True if any unit can ever move from one province to the other without a convoy. */
const hasBorder = (m: CompiledMap, from: number, to: number): boolean => {
  const reaches = (key: number): boolean => B.testBit(m.reach, key, to) === 1;
  if (reaches(from) || reaches(m.locationCount + from)) return true;
  for (let i = 0; i < m.coastCount[from]; i++) if (reaches(m.locationCount + m.firstCoast[from] + i)) return true;
  return false;
};

const addKey = (m: CompiledMap, key: number, out: number[], instead: number[]): void => {
  const fleet = key >= m.locationCount;
  const province = m.locationProvince[fleet ? key - m.locationCount : key];
  const slot = 4 * (key + 1);
  const add = (packed: number, next: number, fallback = 0): void => {
    out.push(withNextKey(packed, next));
    instead.push(fallback);
  };
  const open = (kind: number): void => {
    begin[slot + kind] = out.length;
  };
  const close = (kind: number): void => {
    size[slot + kind] = out.length - begin[slot + kind];
  };
  open(ALL);
  open(MOVES);
  const moveTo = new Map<number, number>();
  for (let i = m.moveOffsets[key]; i < m.moveOffsets[key + 1]; i++) {
    const location = m.moveTargets[i];
    const to = m.locationProvince[location];
    // aux names the mover itself: the test of a draw then always holds.
    add(O.move(0, to) | (O.convoy(0, province, 0) & ~TYPE_MASK), fleet ? m.locationCount + location : location);
    if (!moveTo.has(to)) moveTo.set(to, out[out.length - 1]);
  }
  close(MOVES);
  open(SUPPORTS);
  for (const [to, move] of moveTo) {
    add(O.supportHold(0, to), key, move);
    for (let from = 0; from < m.provinceCount; from++)
      if (from !== province && hasBorder(m, from, to)) add(O.supportMove(0, from, to), key, move);
  }
  close(SUPPORTS);
  add(O.hold(0) | (O.convoy(0, province, province) & ~TYPE_MASK), key);
  close(ALL);
  open(SPECIAL);
  add(O.convoy(0, province, province) & ~TYPE_MASK, key);
  close(SPECIAL);
};

/** Makes the tables of a map those in use. Cheap when they are already. */
export const useMapForSampling = (next: CompiledMap): void => {
  if (next === map) return;
  map = next;
  locationCount = next.locationCount;
  words = (next.provinceCount + 31) >> 5;
  const out: number[] = [];
  const instead: number[] = [];
  begin.fill(0);
  size.fill(0);
  reachOrStay.fill(0);
  reachOnly.fill(0);
  for (let key = 0; key < 2 * next.locationCount; key++) {
    addKey(next, key, out, instead);
    const row = (key + 1) * WORDS;
    const province = next.locationProvince[key < next.locationCount ? key : key - next.locationCount];
    for (let w = 0; w < words; w++) reachOnly[row + w] = reachOrStay[row + w] = next.reach[key * WORDS + w];
    reachOrStay[row + (province >> 5)] |= 1 << (province & 31);
  }
  entries = Int32Array.from(out);
  fallbacks = Int32Array.from(instead);
  for (let p = 0; p < next.provinceCount; p++) isSea[p] = B.testBit(next.seas, 0, p);
  seaNeighbours.set(next.seaNeighbours);
  coastNeighbours.set(next.coastNeighbours);
};

// ---- what convoys add to the legal orders of a position ----

const passengers = new Int32Array(MAX_LOCATIONS);
let passengerCount = 0;

const lookAtRoutes = (count: number): void => {
  passengerCount = 0;
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
    passengers[passengerCount++] = p;
  }
};

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
  let n = 0;
  for (let i = 0; i < passengerCount; i++)
    for (let w = 0; w < words; w++)
      n += countBits(extraWord(p, passengers[i], w)) + countBits(convoyWord(p, passengers[i], w));
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
  for (let i = 0; i < passengerCount; i++) {
    const army = passengers[i];
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

const holdOf = (p: number): number => {
  const slot = 4 * (unit[p] & KEY_MASK);
  return entries[begin[slot + ALL] + size[slot + ALL] - 1];
};

// ---- uniform ----

/** 1 if what an entry helps can be done: the unit named by aux is there and reaches the target, or stands in it. */
const isPossible = (entry: number): number => {
  const to = orderTarget(entry);
  return (reachOrStay[(unit[orderAux(entry)] & KEY_MASK) * WORDS + (to >> 5)] >>> (to & 31)) & 1;
};

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
    const slot = 4 * (unit[p] & KEY_MASK) + ALL;
    const first = begin[slot];
    const n = size[slot];
    const extras = passengerCount === 0 ? 0 : countExtras(p);
    let bits = mix(base + Math.imul(p + 1, GOLDEN));
    let drawn = scale(bits, n + extras);
    let chosen = drawn < n ? entries[first + drawn] : 0;
    while (drawn < n && isPossible(chosen) === 0) {
      bits = mix(bits + GOLDEN);
      drawn = scale(bits, n + extras);
      chosen = drawn < n ? entries[first + drawn] : 0;
    }
    order[p] = drawn < n ? chosen : nthExtra(p, drawn - n);
  }
};

// ---- policy ----

const special = new Int32Array(MAX_LOCATIONS + 1);

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

/** A convoy over one sea: of an army on a coast of the fleet's, or by a fleet next to the army. */
const shortConvoy = (p: number, bits: number): number => {
  const sea = isSea[p] === 1 ? p : anyOf(seaNeighbours, p, bits);
  if (sea < 0 || unit[sea] === 0) return 0;
  const army = sea === p ? anyOf(coastNeighbours, sea, bits) : p;
  const to = anyOf(coastNeighbours, sea, mix(bits + GOLDEN));
  if (army < 0 || to === army) return 0;
  const key = unit[army] & KEY_MASK;
  if (key === 0 || key > locationCount) return 0;
  return sea === p ? withNextKey(O.convoy(0, army, to), (unit[p] & KEY_MASK) - 1) : withNextKey(O.moveVia(0, to), to);
};

const specialOrder = (p: number, bits: number): number => {
  const kind = bits >>> 24;
  if (kind >= 256 - 256 / EXACT_CONVOYS) {
    const extras = countExtras(p);
    return extras === 0 ? holdOf(p) : nthExtra(p, scale(mix(bits), extras));
  }
  if (kind & 1) return holdOf(p);
  const short = shortConvoy(p, mix(bits));
  return short === 0 ? holdOf(p) : short;
};

const sampleSpecials = (count: number, specials: number, base: number): void => {
  let looked = false;
  for (let i = 0; i < specials; i++) {
    const p = special[i];
    const bits = mix(base + Math.imul(p + 1, 0x85eb_ca6b));
    if (!looked && bits >>> 24 >= 256 - 256 / EXACT_CONVOYS) {
      lookAtRoutes(count);
      looked = true;
    }
    order[p] = specialOrder(p, bits);
  }
};

/** Gives every unit on the board an order of the policy described at the top. Parameters as for sampleUniform(). */
export const samplePolicy = (count: number, base: number): void => {
  let specials = 0;
  const from = entries;
  const instead = fallbacks;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const bits = mix(base + Math.imul(p + 1, GOLDEN));
    const slot = 4 * (unit[p] & KEY_MASK) + POLICY[bits >>> 28];
    const e = begin[slot] + ((size[slot] * (bits & 0xffff)) >>> 16);
    const entry = from[e];
    const to = orderTarget(entry);
    const possible = (reachOrStay[(unit[orderAux(entry)] & KEY_MASK) * WORDS + (to >> 5)] >>> (to & 31)) & 1;
    const other = instead[e];
    order[p] = other ^ ((other ^ entry) & -possible);
    special[specials] = p;
    specials += ((entry & TYPE_MASK) - 1) >>> 31;
  }
  if (specials > 0) sampleSpecials(count, specials, base);
};
