// Convoy routes of a position: where the fleets that stand at sea could take each army, ordered or not.
//
// Fleets are named by their locations: at sea those are provinces, on a convoyable coast they may be coasts of one.
//
// A *proper route* (DATC 4.E.1) is a chain army - fleet - ... - fleet - coast that never enters a province which an
// earlier link could have entered directly. A fleet on no proper route is superfluous, and its convoy order illegal. If
// any chain exists, a proper one does.

import type { CompiledMap } from '../map/compiled-map.js';
import * as B from '../rules/bitset.js';
import * as T from '../rules/types.js';

const WORDS = T.WORDS;
const lowestBit = B.lowestBit;

/** Fleets that stand where they can convoy, a bitset of one row. Set by beginRoutes(). */
const fleets = new Int32Array(WORDS);
/** By army: provinces it can be taken to. Valid after findRoutes() of that army. */
const reach = new Int32Array(256 * WORDS);
// By army and convoying fleet: where some proper route with, or without, that fleet leads.
let withFleet = new Int32Array(0);
let withoutFleet = new Int32Array(0);

let map: CompiledMap | undefined;
let words = 0;
let provinceOf: Uint8Array = new Uint8Array(0);
let seaCount = 0;
const seaIndex = new Int16Array(256);
let seaNeighbours = new Int32Array(0);
let coastNeighbours = new Int32Array(0);

/** The chain of fleets from the army to the one being looked at. A chain visits each province at most once. */
const chain = new Int32Array(256);
/** The same as a bitset of one row, and their provinces. */
const onChain = new Int32Array(WORDS);
const chainProvinces = new Int32Array(WORDS);
/** Per link of the chain, what earlier links reach: no proper route enters it later. */
const closedSeas = new Int32Array(257 * WORDS);
const closedCoasts = new Int32Array(257 * WORDS);

const useMap = (next: CompiledMap): void => {
  map = next;
  words = (next.locationCount + 31) >> 5;
  seaCount = 0;
  provinceOf = next.locationProvince;
  for (let l = 0; l < next.locationCount; l++) seaIndex[l] = B.testBit(next.seas, 0, provinceOf[l]) ? seaCount++ : -1;
  seaNeighbours = next.seaNeighbours as Int32Array<ArrayBuffer>;
  coastNeighbours = next.coastNeighbours as Int32Array<ArrayBuffer>;
  const pairs = next.provinceCount * seaCount * WORDS;
  if (withFleet.length < pairs) {
    withFleet = new Int32Array(pairs);
    withoutFleet = new Int32Array(pairs);
  }
};

const pairRow = (army: T.Province, fleet: T.Location): number => (army * seaCount + seaIndex[fleet]) * WORDS;

/** Starts on another position: names its fleets at sea. Call before addFleet() and findRoutes(). */
export const beginRoutes = (next: CompiledMap): void => {
  if (next !== map) useMap(next);
  fleets.fill(0);
};

/** Adds a fleet in a place where it can convoy. */
export const addFleet = (location: T.Location): void => B.addBit(fleets, 0, location);

/** True if some fleet could take up an army in this province. */
export const hasRoutes = (army: T.Province): boolean => {
  for (let w = 0; w < words; w++) if (seaNeighbours[army * WORDS + w] & fleets[w]) return true;
  return false;
};

const recordChain = (army: T.Province, length: number): void => {
  const last = chain[length - 1] * WORDS;
  for (let w = 0; w < words; w++) {
    let targets = coastNeighbours[last + w] & ~closedCoasts[length * WORDS + w] & ~chainProvinces[w];
    if (army >> 5 === w) targets &= ~(1 << (army & 31));
    if (targets === 0) continue;
    reach[army * WORDS + w] |= targets;
    for (let i = 0; i < length; i++) withFleet[pairRow(army, chain[i]) + w] |= targets;
    for (let v = 0; v < words; v++)
      for (let rest = fleets[v] & ~onChain[v]; rest !== 0; rest &= rest - 1)
        withoutFleet[pairRow(army, v * 32 + lowestBit(rest)) + w] |= targets;
  }
};

/** Tries every fleet of `candidates` (one word of them, the w-th) as the link after the first `length`. */
const extendBy = (army: T.Province, length: number, w: number, candidates: number): void => {
  for (let rest = candidates; rest !== 0; rest &= rest - 1) {
    const bit = rest & -rest;
    const fleet = w * 32 + lowestBit(rest);
    const province = provinceOf[fleet];
    chain[length] = fleet;
    onChain[w] |= bit;
    chainProvinces[province >> 5] |= 1 << (province & 31);
    recordChain(army, length + 1);
    extend(army, length + 1);
    onChain[w] &= ~bit;
    chainProvinces[province >> 5] &= ~(1 << (province & 31));
  }
};

const extend = (army: T.Province, length: number): void => {
  const from = chain[length - 1] * WORDS;
  const closed = length * WORDS;
  for (let w = 0; w < words; w++) {
    closedSeas[closed + WORDS + w] = closedSeas[closed + w] | seaNeighbours[from + w];
    closedCoasts[closed + WORDS + w] = closedCoasts[closed + w] | coastNeighbours[from + w];
  }
  for (let w = 0; w < words; w++)
    extendBy(army, length, w, seaNeighbours[from + w] & fleets[w] & ~closedSeas[closed + w] & ~onChain[w]);
};

/** Finds every proper route of the army in this province. The rows below are valid for it until beginRoutes(). */
export const findRoutes = (army: T.Province): void => {
  // The whole row: who reads it need not know how many words the map has.
  reach.fill(0, army * WORDS, army * WORDS + WORDS);
  if (!hasRoutes(army)) return;
  const pairs = army * seaCount * WORDS;
  withFleet.fill(0, pairs, pairs + seaCount * WORDS);
  withoutFleet.fill(0, pairs, pairs + seaCount * WORDS);
  for (let w = 0; w < words; w++) {
    closedSeas[WORDS + w] = seaNeighbours[army * WORDS + w];
    closedCoasts[WORDS + w] = 0;
  }
  for (let w = 0; w < words; w++) extendBy(army, 0, w, seaNeighbours[army * WORDS + w] & fleets[w]);
};

/** Word w of the provinces that the army can be taken to. */
export const routeReach = (army: T.Province, w: number): number => reach[army * WORDS + w];
/** Word w of those for which this fleet is on a proper route: what it may be ordered to convoy the army to. */
export const routeReachWith = (army: T.Province, fleet: T.Location, w: number): number =>
  withFleet[pairRow(army, fleet) + w];
/** Word w of those that can be reached without this fleet: where it may support the army going. */
export const routeReachWithout = (army: T.Province, fleet: T.Location, w: number): number =>
  withoutFleet[pairRow(army, fleet) + w];
