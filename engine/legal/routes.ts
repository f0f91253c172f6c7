// Finds the convoy routes of a position: the provinces to which the fleets at sea could take each army, ordered or not.
//
// Fleets are named by their locations: at sea these are provinces, on a convoyable coast they may be coasts of one.
//
// A *proper route* (DATC 4.E.1) is a chain army - fleet - ... - fleet - coast that never enters a province which an
// earlier link could have entered directly. A fleet on no proper route is superfluous, and its convoy order illegal. If
// any chain exists, a proper one does.

import type { CompiledMap } from '../map/compiled-map.js';
import { perMap } from '../map/per-map.js';
import * as B from '../rules/bitset.js';
import * as T from '../rules/types.js';

const { MAX_LOCATIONS, WORDS } = T;
const lowestBit = B.lowestBit;

// Scratch of find().
/** The chain of fleets from the army to the one being looked at. A chain visits each province at most once. */
const chain = new Int32Array(MAX_LOCATIONS);
/** The same as a bitset of one row, and their provinces. */
const onChain = new Int32Array(WORDS);
const chainProvinces = new Int32Array(WORDS);
/** Provinces that the links of the chain before a link reach, by link: no proper route enters them later. */
const closedSeas = new Int32Array((MAX_LOCATIONS + 1) * WORDS);
const closedCoasts = new Int32Array((MAX_LOCATIONS + 1) * WORDS);

/** The routes of one position on a map: begin(), then addFleet() for each fleet, then find() for armies. */
class Routes {
  private readonly words: number = (this.map.locationCount + 31) >> 5;
  /** Index of a location where fleets can convoy; -1 for others. */
  private readonly seaIndex = new Int16Array(MAX_LOCATIONS).fill(-1);
  declare private readonly seaCount: number;
  /** Locations of fleets that can convoy, a bitset of one row. */
  private readonly fleets = new Int32Array(WORDS);
  /** Provinces that an army can be taken to, a bitset by province of the army. */
  private readonly reach = new Int32Array(MAX_LOCATIONS * WORDS);
  /**
   * Provinces that some proper route with a fleet leads to, and those without it, bitsets by army and convoying fleet.
   */
  declare private readonly withFleet: Int32Array;
  declare private readonly withoutFleet: Int32Array;

  constructor(private readonly map: CompiledMap) {
    let seas = 0;
    for (let l = 0; l < map.locationCount; l++)
      if (B.testBit(map.seas, 0, map.locationProvince[l]) === 1) this.seaIndex[l] = seas++;
    this.seaCount = seas;
    this.withFleet = new Int32Array(map.provinceCount * seas * WORDS);
    this.withoutFleet = new Int32Array(map.provinceCount * seas * WORDS);
  }

  private pairRow(army: T.Province, fleet: T.Location): number {
    return (army * this.seaCount + this.seaIndex[fleet]) * WORDS;
  }

  /** Starts a position without fleets. Earlier results of find() become invalid. */
  begin(): void {
    this.fleets.fill(0);
  }

  /** Adds a fleet in a place where it can convoy. */
  addFleet(location: T.Location): void {
    B.addBit(this.fleets, 0, location);
  }

  /** True if some fleet could take up an army in this province. */
  private isNextToFleet(army: T.Province): boolean {
    const { seaNeighbours } = this.map;
    for (let w = 0; w < this.words; w++) if (seaNeighbours[army * WORDS + w] & this.fleets[w]) return true;
    return false;
  }

  private recordChain(army: T.Province, length: number): void {
    const { words, fleets, withFleet, withoutFleet } = this;
    const { coastNeighbours } = this.map;
    const last = chain[length - 1] * WORDS;
    for (let w = 0; w < words; w++) {
      let targets = coastNeighbours[last + w] & ~closedCoasts[length * WORDS + w] & ~chainProvinces[w];
      if (army >> 5 === w) targets &= ~(1 << (army & 31));
      if (targets === 0) continue;
      this.reach[army * WORDS + w] |= targets;
      for (let i = 0; i < length; i++) withFleet[this.pairRow(army, chain[i]) + w] |= targets;
      for (let v = 0; v < words; v++)
        for (let rest = fleets[v] & ~onChain[v]; rest !== 0; rest &= rest - 1)
          withoutFleet[this.pairRow(army, v * 32 + lowestBit(rest)) + w] |= targets;
    }
  }

  /** Tries every fleet of `candidates` (one word of them, the w-th) as the link after the first `length`. */
  private extendBy(army: T.Province, length: number, w: number, candidates: number): void {
    for (let rest = candidates; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const fleet = w * 32 + lowestBit(rest);
      const province = this.map.locationProvince[fleet];
      chain[length] = fleet;
      onChain[w] |= bit;
      chainProvinces[province >> 5] |= 1 << (province & 31);
      this.recordChain(army, length + 1);
      this.extend(army, length + 1);
      onChain[w] &= ~bit;
      chainProvinces[province >> 5] &= ~(1 << (province & 31));
    }
  }

  private extend(army: T.Province, length: number): void {
    const { words, fleets } = this;
    const { seaNeighbours, coastNeighbours } = this.map;
    const from = chain[length - 1] * WORDS;
    const closed = length * WORDS;
    for (let w = 0; w < words; w++) {
      closedSeas[closed + WORDS + w] = closedSeas[closed + w] | seaNeighbours[from + w];
      closedCoasts[closed + WORDS + w] = closedCoasts[closed + w] | coastNeighbours[from + w];
    }
    for (let w = 0; w < words; w++)
      this.extendBy(army, length, w, seaNeighbours[from + w] & fleets[w] & ~closedSeas[closed + w] & ~onChain[w]);
  }

  /** Finds every proper route of the army in this province. Its results are valid until begin(). */
  find(army: T.Province): void {
    const { words, fleets, seaCount } = this;
    const { seaNeighbours } = this.map;
    // The whole row, because a reader need not know how many words the map has.
    this.reach.fill(0, army * WORDS, army * WORDS + WORDS);
    if (!this.isNextToFleet(army)) return;
    const pairs = army * seaCount * WORDS;
    this.withFleet.fill(0, pairs, pairs + seaCount * WORDS);
    this.withoutFleet.fill(0, pairs, pairs + seaCount * WORDS);
    for (let w = 0; w < words; w++) {
      closedSeas[WORDS + w] = seaNeighbours[army * WORDS + w];
      closedCoasts[WORDS + w] = 0;
    }
    for (let w = 0; w < words; w++) this.extendBy(army, 0, w, seaNeighbours[army * WORDS + w] & fleets[w]);
  }

  /** Returns word w of the provinces that the army can be taken to. After find(). */
  to(army: T.Province, w: number): number {
    return this.reach[army * WORDS + w];
  }

  /** Returns word w of the provinces to which this fleet may convoy the army: it is on a proper route to them. */
  toWith(army: T.Province, fleet: T.Location, w: number): number {
    return this.withFleet[this.pairRow(army, fleet) + w];
  }

  /** Returns word w of the provinces to which this fleet may support the army: it is not needed for the convoy. */
  toWithout(army: T.Province, fleet: T.Location, w: number): number {
    return this.withoutFleet[this.pairRow(army, fleet) + w];
  }
}

/** Returns the routes of a map, which all callers share. */
export const routesOf = perMap((map) => new Routes(map));
