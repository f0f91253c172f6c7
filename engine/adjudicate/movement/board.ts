// The board: units and orders of one movement phase, their results, and the tables of the map in use.
//
// The arrays are constants of this module, one board a thread: read from an object that a caller owns, the same code
// played 0.73 of the turns and 0.71 of the rollouts, and resolved 0.74 to 0.78 of the order sets (on Node 20). They belong
// to the GameOnBoard (adjudicate/turn.ts) that loaded a game last.
//
// All arrays are indexed by province, and no array knows of coasts: targets are provinces. All orders are legal, and a
// unit without an order has a hold.
//
//   unit    (power + 1) << 16 | key + 1    key: type and location of the unit (map/compiled-map.ts)
//   order   as order.ts packs it for the board: the target is a province, and the bits of the location are free

import type { CompiledMap } from '../../map/compiled-map.js';
import { testBit } from '../../rules/bitset.js';
import * as O from '../../rules/order.js';
import { scratch } from '../../rules/scratch.js';
import * as T from '../../rules/types.js';

const { MAX_LOCATIONS, WORDS } = T;
// Rebound for speed (passes.ts).
const { MOVE, orderType, orderTarget, orderNextKey, withTarget, withNextKey, fromBoard } = O;

/** The word of a unit: its power + 1 from this bit on, and the bits of its key + 1. */
export const POWER_SHIFT = 16;
export const KEY_MASK = 0xffff;

// ---- input ----
/** Provinces with units, in any order. */
const places = scratch(MAX_LOCATIONS);
/** The unit in a province; 0 if there is none, in the unused half too. */
const unit = scratch(2 * MAX_LOCATIONS);
/** Of a unit: its order. */
const order = scratch(MAX_LOCATIONS);

// ---- output: of a unit, by its province before the moves ----
/** 1 if the move succeeds, the support is given or the convoy available; else 0. Anything for a hold. */
const success = scratch(MAX_LOCATIONS);
/** Province of the attacker that dislodged the unit, + 1; 0 if it was not dislodged. */
const dislodgedBy = scratch(MAX_LOCATIONS);
/** 1 for a convoyed army: one that goes, or would go, by convoy. */
const byConvoy = scratch(MAX_LOCATIONS);
/**
 * Of a support or convoy: 0 if the other unit did not do what it helps. Of a convoyed army: 0 if no chain of fleets was
 * ordered that could take it. Not written for others.
 */
const matched = scratch(MAX_LOCATIONS);
/** Of a convoyed army: 1 if it has a path, which is a chain of fleets whose convoys succeed. Not written for others. */
const hasPath = scratch(MAX_LOCATIONS);
/** Where the unit goes if its order succeeds: the target of a move, else its own province. */
const destination = scratch(MAX_LOCATIONS);

/** The convoyed armies, the first convoyedArmies() of the list. */
const convoyed = scratch(MAX_LOCATIONS + 1);
let convoyedCount = 0;
/** The dislodged units, the first dislodgedUnits() of the list. */
const dislodged = scratch(MAX_LOCATIONS);
let dislodgedCount = 0;

/** What the resolver is given and what it answers. Modules rebind the arrays at their top. */
export const board = { places, unit, order, success, dislodgedBy, byConvoy, matched, hasPath, destination, convoyed };

export const convoyedArmies = (): number => convoyedCount;
/** Adds an army to the list where flag is 1, and nothing where it is 0. */
export const listConvoyed = (army: number, flag: number): void => {
  convoyed[convoyedCount] = army;
  convoyedCount += flag;
};

export const dislodgedUnits = (): number => dislodgedCount;
export const dislodge = (province: number, attacker: number): void => {
  dislodgedBy[province] = attacker + 1;
  dislodged[dislodgedCount++] = province;
};

/** Clears the outputs of the previous order set. */
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
/** Of maps with rules of their own (map/compiled-map.ts). */
let fleetReach: Int32Array | null = null;

/** Makes the tables of a map those in use. Cheap when they are already. */
export const useMap = (next: CompiledMap): void => {
  if (next === map) return;
  map = next;
  locationCount = next.locationCount;
  provinceOf.set(next.locationProvince);
  seaNeighbours.set(next.seaNeighbours);
  reach = Int32Array.from(next.reach);
  fleetReach = next.special?.fleetReach ?? null;
};

// ---- orders and units as the board has them ----

/** Location of a key on a map with so many: those of fleets begin there. No branch. */
const locationOfKey = (key: number, locations: number): number =>
  (key - (locations & ((((locations - 1) | 0) - key) >> 31))) | 0;

/** Location of a unit by its word. */
export const locationOfWord = (word: number): number => locationOfKey(((word & KEY_MASK) - 1) | 0, locationCount);

/**
 * A movement order as the board has it: its target a province, and the key that its unit has after a success.
 * @param key of the unit
 * @param packed a legal order of order.ts for it; no support may name a coast
 */
export const toBoard = (key: number, packed: number): number => {
  const target = orderTarget(packed);
  if (orderType(packed) !== MOVE) return withNextKey(packed, key + 1);
  const next = key < locationCount ? provinceOf[target] : locationCount + target;
  return withNextKey(withTarget(packed, provinceOf[target]), next + 1);
};

/**
 * A movement order of the board as order.ts packs it: toBoard() undone. It has no branches.
 * @param onBoard of the map in use
 * @param at location of its unit before the moves
 */
export const packedOrder = (onBoard: number, at: number): number =>
  fromBoard(onBoard, at, locationOfKey((orderNextKey(onBoard) - 1) | 0, locationCount));

/**
 * packedOrder() for loops that write the orders of all units: with the word of the unit on the board, and the number of
 * locations of the map in use, which is a local of theirs.
 */
export const packedByWord = (onBoard: number, word: number, locations: number): number =>
  fromBoard(
    onBoard,
    locationOfKey(((word & KEY_MASK) - 1) | 0, locations),
    locationOfKey((orderNextKey(onBoard) - 1) | 0, locations),
  );

// ---- questions about units and provinces ----

/** 1 if a fleet in that sea could convoy from or to the province, else 0. */
export const isNextToSea = (province: number, sea: number): number =>
  (seaNeighbours[province * WORDS + (sea >> 5)] >>> (sea & 31)) & 1;

/** True if the unit in a province can move to another without a convoy. */
export const canMove = (from: number, to: number): boolean => {
  const key = (unit[from] & 0xffff) - 1;
  return ((reach[key * WORDS + (to >> 5)] >>> (to & 31)) & 1) === 1;
};

/** Two units of one power: their words differ in the key at most. */
export const samePower = (a: number, b: number): boolean => (a ^ b) >>> 16 === 0;

/** True if the unit in the destination of a move wants to go to where it comes from. */
export const isOpposed = (mover: number): boolean =>
  unit[destination[mover]] !== 0 && destination[destination[mover]] === mover;

// Coasts of a province lie at different seas: seaNeighbours, which knows provinces alone, says too much of a fleet on one
// of them.

const fleetLocation = (province: number): number => (unit[province] & KEY_MASK) - 1 - locationCount;

/** True if a chain of convoying fleets, which are in neighbouring provinces, can go from one to the other. */
export const areLinked = (a: number, b: number): boolean =>
  fleetReach === null || testBit(fleetReach, fleetLocation(a), fleetLocation(b)) === 1;

/** True if a convoying fleet next to a province can take up an army there, or land it. */
export const touches = (fleet: number, province: number): boolean => fleetReach === null || canMove(fleet, province);
