// Finds the convoy routes of a position: the provinces to which the fleets at sea could convoy each army, whatever
// their orders.
//
// Fleets are identified by their locations: provinces at sea, and coasts of a convoyable province with several coasts.
//
// A *proper route* (DATC 4.E.1) is a chain army - fleet - ... - fleet - coast that never enters a province that an
// earlier link could have entered directly. A fleet on no proper route is superfluous, and its convoy order is illegal.
// If there is any chain between two provinces, there is a proper route.

import type { CompiledMap } from '../map/compiled-map.js';
import { perMap } from '../map/per-map.js';
import * as B from '../rules/bitset.js';
import * as T from '../rules/types.js';

const { MAX_LOCATIONS, WORDS } = T;
const lowestBit = B.lowestBit;

// Scratch of find().
/** Locations of the fleets in the current chain, from the army on. A chain visits each province at most once. */
const chain = new Int32Array(MAX_LOCATIONS);
/** Locations of the fleets in `chain`, a bitset of one row. */
const onChain = new Int32Array(WORDS);
/** Provinces of the fleets in `chain`, a bitset of one row. */
const chainProvinces = new Int32Array(WORDS);
/** Seas that earlier links of the chain reach, so that a proper route does not enter them: a bitset for each link. */
const closedSeas = new Int32Array((MAX_LOCATIONS + 1) * WORDS);
/** Coastal provinces that earlier links reach, where a proper route does not end: a bitset for each link. */
const closedCoasts = new Int32Array((MAX_LOCATIONS + 1) * WORDS);

/** Finds the routes of one position on a map. Call begin(), addFleet() for each fleet, then find() for each army. */
class Routes {
  private readonly words: number = (this.map.locationCount + 31) >> 5;
  /**
   * Number of each location where fleets can convoy, from 0, indexed by location; -1 for other locations. See
   * pairRow().
   */
  private readonly seaIndex = new Int16Array(MAX_LOCATIONS).fill(-1);
  declare private readonly seaCount: number;
  /** Locations of the fleets that can convoy, a bitset of one row. */
  private readonly fleets = new Int32Array(WORDS);
  /** Provinces to which an army can be convoyed: a bitset for each province of an army. */
  private readonly reach = new Int32Array(MAX_LOCATIONS * WORDS);
  /** Provinces that a proper route of an army with a fleet reaches: a bitset for each pair, at pairRow(). */
  declare private readonly withFleet: Int32Array;
  /** Provinces that a proper route of an army without a fleet reaches: a bitset for each pair, at pairRow(). */
  declare private readonly withoutFleet: Int32Array;

  constructor(private readonly map: CompiledMap) {
    let seas = 0;
    for (let l = 0; l < map.locationCount; l++)
      if (B.testBit(map.seas, 0, map.locationProvince[l]) === 1) this.seaIndex[l] = seas++;
    this.seaCount = seas;
    this.withFleet = new Int32Array(map.provinceCount * seas * WORDS);
    this.withoutFleet = new Int32Array(map.provinceCount * seas * WORDS);
  }

  /** Returns the index in `withFleet` and `withoutFleet` of the bitset of an army and a fleet. */
  private pairRow(army: T.Province, fleet: T.Location): number {
    return (army * this.seaCount + this.seaIndex[fleet]) * WORDS;
  }

  /** Removes all fleets, to start a new position. Invalidates earlier results of find(). */
  begin(): void {
    this.fleets.fill(0);
  }

  /** Adds a fleet at a location where it can convoy. */
  addFleet(location: T.Location): void {
    B.addBit(this.fleets, 0, location);
  }

  /** True if a fleet could pick up an army in this province. */
  private isNextToFleet(army: T.Province): boolean {
    const { seaNeighbours } = this.map;
    for (let w = 0; w < this.words; w++) if (seaNeighbours[army * WORDS + w] & this.fleets[w]) return true;
    return false;
  }

  /**
   * Adds the provinces to which the first `length` fleets of the chain make a proper route to `reach`, `withFleet` and
   * `withoutFleet`.
   */
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

  /** Tries each fleet of `candidates`, which is word w of a bitset of locations, as the next link of the chain. */
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

  /** Extends the chain of `length` fleets by every fleet that keeps it proper. */
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

  /** Finds all proper routes of an army in this province. The results are valid until the next begin(). */
  find(army: T.Province): void {
    const { words, fleets, seaCount } = this;
    const { seaNeighbours } = this.map;
    // Clears the whole row, because readers do not know how many words the map uses.
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

  /** Returns word w of the bitset of provinces to which the army can be convoyed. Call find(army) first. */
  to(army: T.Province, w: number): number {
    return this.reach[army * WORDS + w];
  }

  /**
   * Returns word w of the bitset of provinces to which a proper route of the army uses this fleet. Call find(army)
   * first.
   */
  toWith(army: T.Province, fleet: T.Location, w: number): number {
    return this.withFleet[this.pairRow(army, fleet) + w];
  }

  /**
   * Returns word w of the bitset of provinces to which the army has a route without this fleet. Call find(army) first.
   */
  toWithout(army: T.Province, fleet: T.Location, w: number): number {
    return this.withoutFleet[this.pairRow(army, fleet) + w];
  }
}

/** Returns the Routes object of a map. All callers share it, and begin() invalidates earlier results. */
export const routesOf = perMap((map) => new Routes(map));
