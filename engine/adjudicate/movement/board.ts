// Holds the board: units and orders of one movement phase, their results, and the tables of the map in use.
//
// The arrays are constants of this module, so there is one board for each thread. With arrays in an object owned by the
// caller, the same code played 0.73 of the turns and 0.71 of the rollouts, and resolved 0.74 to 0.78 of the order sets
// (on Node 20). The arrays belong to the GameOnBoard (adjudicate/turn.ts) that loaded a game last.
//
// All arrays are indexed by province. Coasts are not represented: targets are provinces. All orders must be legal, and
// a unit without an order must have a hold.
//
//   unit    (power + 1) << 16 | key + 1    key: type and location of the unit (map/compiled-map.ts)
//   order   as order.ts packs it for the board: the target is a province, and the bits of the location hold the next key

import type { CompiledMap } from '../../map/compiled-map.js';
import { testBit } from '../../rules/bitset.js';
import * as O from '../../rules/order.js';
import { scratch } from '../../rules/scratch.js';
import * as T from '../../rules/types.js';

const { MAX_LOCATIONS, WORDS } = T;
// Imports are copied to constants of this module, which is faster (passes.ts has measurements).
const { MOVE, orderType, orderTarget, orderNextKey, withTarget, withNextKey, fromBoard } = O;

/** Lowest bit of power + 1 in the word of a unit. */
export const POWER_SHIFT = 16;
/** Bits of key + 1 in the word of a unit; the key is its type and location (map/compiled-map.ts). */
export const KEY_MASK = 0xffff;

// ---- input ----
/** Provinces with units, in any order. */
const places = scratch(MAX_LOCATIONS);
/**
 * Word of the unit in each province (its power and key: see the head of this file), indexed by province; 0 without a
 * unit. The second half is unused and 0.
 */
const unit = scratch(2 * MAX_LOCATIONS);
/** Order of the unit in each province, in the format of toBoard(), indexed by province. */
const order = scratch(MAX_LOCATIONS);

// ---- output, indexed by the unit's province before the moves ----
/** 1 if the move succeeds, the support is given or the convoy is available; 0 if not. Undefined for a hold. */
const success = scratch(MAX_LOCATIONS);
/** Province of the attacker that dislodged the unit, + 1; 0 if it was not dislodged. */
const dislodgedBy = scratch(MAX_LOCATIONS);
/** 1 for a convoyed army: one that moves by convoy, or would if the convoy succeeded; otherwise 0. */
const byConvoy = scratch(MAX_LOCATIONS);
/**
 * For a support or convoy: 1 if the order of the helped unit matches it, otherwise 0. For a convoyed army: 1 if a chain
 * of fleets was ordered for it, otherwise 0. Undefined for other orders.
 */
const matched = scratch(MAX_LOCATIONS);
/**
 * For a convoyed army: 1 if a chain of fleets with successful convoys carries it, otherwise 0. Undefined for others.
 */
const hasPath = scratch(MAX_LOCATIONS);
/** Province of the unit if its order succeeds: the target of a move, its own province for other orders. */
const destination = scratch(MAX_LOCATIONS);

/** Provinces of the convoyed armies: the first convoyedArmies() entries. */
const convoyed = scratch(MAX_LOCATIONS + 1);
let convoyedCount = 0;
/** Provinces of the dislodged units: the first dislodgedUnits() entries. */
const dislodged = scratch(MAX_LOCATIONS);
let dislodgedCount = 0;

/** The arrays that are input and output of the resolver. */
export const board = { places, unit, order, success, dislodgedBy, byConvoy, matched, hasPath, destination, convoyed };

/** Returns the number of convoyed armies. */
export const convoyedArmies = (): number => convoyedCount;
/** Appends an army to the convoyed armies if `flag` is 1. Has no effect if it is 0. */
export const listConvoyed = (army: number, flag: number): void => {
  convoyed[convoyedCount] = army;
  convoyedCount += flag;
};

/** Returns the number of dislodged units. */
export const dislodgedUnits = (): number => dislodgedCount;
/**
 * Records that the unit in a province was dislodged, in `dislodgedBy` and in the list of dislodged units.
 * @param attacker province from which its attacker came
 */
export const dislodge = (province: number, attacker: number): void => {
  dislodgedBy[province] = attacker + 1;
  dislodged[dislodgedCount++] = province;
};

/**
 * Clears the outputs of the previous order set: dislodgedBy, byConvoy, and the lists of dislodged units and convoyed
 * armies. The resolver overwrites the other outputs.
 */
export const clearOutput = (): void => {
  for (let i = 0; i < dislodgedCount; i++) dislodgedBy[dislodged[i]] = 0;
  for (let i = 0; i < convoyedCount; i++) byConvoy[convoyed[i]] = 0;
  dislodgedCount = 0;
  convoyedCount = 0;
};

// ---- map in use ----
let map: CompiledMap | undefined;
let locationCount = 0;
const provinceOf = scratch(MAX_LOCATIONS);
const seaNeighbours = scratch(MAX_LOCATIONS * WORDS);
let reach = new Int32Array(0);
/**
 * Locations that a fleet can move to, a bitset for each location (SpecialTables.fleetReach); null on maps without
 * special rules.
 */
let fleetReach: Int32Array | null = null;

/** Makes the tables of this module for a map. Returns at once if the map is in use already. */
export const useMap = (next: CompiledMap): void => {
  if (next === map) return;
  map = next;
  locationCount = next.locationCount;
  provinceOf.set(next.locationProvince);
  seaNeighbours.set(next.seaNeighbours);
  reach = Int32Array.from(next.reach);
  fleetReach = next.special?.fleetReach ?? null;
};

// ---- orders and units in the board's format ----

/**
 * Returns the location of a key (unit type and location, map/compiled-map.ts). Keys of fleets begin at `locations`, the
 * map's number of locations. Has no branch.
 */
const locationOfKey = (key: number, locations: number): number =>
  (key - (locations & ((((locations - 1) | 0) - key) >> 31))) | 0;

/** Returns the location of a unit from its word on the board. The word must not be 0. */
export const locationOfWord = (word: number): number => locationOfKey(((word & KEY_MASK) - 1) | 0, locationCount);

/**
 * Converts a packed movement order to the board's format: its target is a province, and it holds the key that its unit
 * has after a success, + 1.
 * @param key key of the unit before the moves (unit type and location, map/compiled-map.ts)
 * @param packed a legal order for the unit (order.ts); a support may not name a coast
 */
export const toBoard = (key: number, packed: number): number => {
  const target = orderTarget(packed);
  if (orderType(packed) !== MOVE) return withNextKey(packed, key + 1);
  const next = key < locationCount ? provinceOf[target] : locationCount + target;
  return withNextKey(withTarget(packed, provinceOf[target]), next + 1);
};

/**
 * Converts a movement order from the board's format to that of order.ts: the inverse of toBoard(). Has no branches.
 * @param onBoard order in the board's format, of the map in use
 * @param at location of the unit before the moves
 */
export const packedOrder = (onBoard: number, at: number): number =>
  fromBoard(onBoard, at, locationOfKey((orderNextKey(onBoard) - 1) | 0, locationCount));

/**
 * Converts a movement order from the board's format to that of order.ts, as packedOrder() does, for loops that convert
 * the orders of all units.
 * @param onBoard board order of the unit
 * @param word the unit's word on the board
 * @param locations number of locations of the map in use, which such loops keep in a local variable
 */
export const packedByWord = (onBoard: number, word: number, locations: number): number =>
  fromBoard(
    onBoard,
    locationOfKey(((word & KEY_MASK) - 1) | 0, locations),
    locationOfKey((orderNextKey(onBoard) - 1) | 0, locations),
  );

// ---- questions about units and provinces ----

/**
 * Returns 1 if a fleet in province `sea`, where fleets can convoy, could convoy from or to the province, otherwise 0.
 */
export const isNextToSea = (province: number, sea: number): number =>
  (seaNeighbours[province * WORDS + (sea >> 5)] >>> (sea & 31)) & 1;

/** True if the unit in province `from` can move to province `to` without a convoy. */
export const canMove = (from: number, to: number): boolean => {
  const key = (unit[from] & 0xffff) - 1;
  return ((reach[key * WORDS + (to >> 5)] >>> (to & 31)) & 1) === 1;
};

/** True if two unit words are of the same power: they differ at most in the key. */
export const samePower = (a: number, b: number): boolean => (a ^ b) >>> 16 === 0;

/** True if the unit in the destination of a move is itself ordered to the mover's province. */
export const isOpposed = (mover: number): boolean =>
  unit[destination[mover]] !== 0 && destination[destination[mover]] === mover;

// Coasts of one province lie at different seas. seaNeighbours has no coasts, so a fleet on a coast needs the checks
// below too.

const fleetLocation = (province: number): number => (unit[province] & KEY_MASK) - 1 - locationCount;

/** True if a convoy can pass between two convoying fleets. Assumes that their provinces are adjacent. */
export const areLinked = (a: number, b: number): boolean =>
  fleetReach === null || testBit(fleetReach, fleetLocation(a), fleetLocation(b)) === 1;

/**
 * True if a convoying fleet can pick up an army in a province, or land it there. Assumes that the provinces of fleet
 * and army are adjacent.
 */
export const touches = (fleet: number, province: number): boolean => fleetReach === null || canMove(fleet, province);
