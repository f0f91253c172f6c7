// Matches convoying fleets to their armies, and finds out whether a chain of fleets reaches the army's destination.
import * as O from '../../rules/order.js';
import { scratch } from '../../rules/scratch.js';
import * as T from '../../rules/types.js';
import * as B from './board.js';

// Imports are copied to constants of this module, which is faster (passes.ts has measurements).
const { unit, order, byConvoy, destination } = B.board;
const { isNextToSea, samePower, areLinked, touches } = B;
const MAX_LOCATIONS = T.MAX_LOCATIONS;
const { orderTarget, orderHelped, isMoveBit } = O;

// Linked lists of the fleets with a matching convoy: firstConvoy by province of the army, nextConvoy by province of the
// fleet. Each holds the province of a fleet + 1; 0 ends a list.
const firstConvoy = scratch(MAX_LOCATIONS);
const nextConvoy = scratch(MAX_LOCATIONS);
export const convoys = { firstConvoy, nextConvoy };

/**
 * Adds a fleet to the convoys of the army that it is ordered to convoy. Returns false, and adds nothing, if the army is
 * not ordered to the convoy's target. Sets byConvoy of an army of the fleet's power.
 */
export const linkConvoy = (fleet: number): boolean => {
  const army = orderHelped(order[fleet]);
  // One branch for three conditions, because none can be predicted. The sign bit is set for another target or no unit.
  const differs = (0 - (destination[army] ^ orderTarget(order[fleet]))) | (unit[army] - 1);
  if (((differs >>> 31) | (isMoveBit(order[army]) ^ 1)) !== 0) return false;
  nextConvoy[fleet] = firstConvoy[army];
  firstConvoy[army] = fleet + 1;
  // A fleet of the same power shows intent: the army goes by convoy even if the destination is adjacent (DATC 4.A.3).
  if (samePower(unit[fleet], unit[army])) byConvoy[army] = 1;
  return true;
};

/**
 * Returns true if a fleet carries its army. `optimistic` is the answer while that is undecided. Callers choose the
 * condition: the recursion passes resolve(), which uses the flag; other callers ignore it.
 */
export type Carries = (fleet: number, optimistic: boolean) => boolean;

/** Accepts every fleet with a matching convoy. hasChain() then finds ordered chains, successful or not. */
export const isOrdered: Carries = () => true;

/** Stands for no province where a province is expected. */
export const NO_PROVINCE = -1;

// State of each fleet of an army, in the order of its list. Calls of hasChain() nest, so that the states are on a
// stack: one section for each running call, at most one call for each order, each section at most as long as the number
// of fleets.
const NOT_REACHED = 0;
const REACHED = 1;
const LEFT_OUT = 2;
const fleetStack = new Uint8Array(MAX_LOCATIONS * MAX_LOCATIONS);
let top = 0;

/**
 * True if a chain of adjacent fleets that carry the army reaches its destination.
 * @param carries tells whether a fleet carries the army
 * @param optimistic passed to `carries`: the assumption for undecided orders
 * @param without fleet that the chain may not use; NO_PROVINCE for none
 */
export const hasChain = (army: number, carries: Carries, optimistic: boolean, without: number): boolean => {
  const begin = top;
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1])
    fleetStack[top++] = f - 1 === without ? LEFT_OUT : NOT_REACHED;
  const found = flood(army, begin, carries, optimistic);
  top = begin;
  return found;
};

/**
 * Searches from the army over its convoying fleets, and marks them in `fleetStack`. Returns true if a fleet that the
 * search reaches touches the destination.
 * @param begin index in `fleetStack` of the army's first fleet
 */
const flood = (army: number, begin: number, carries: Carries, optimistic: boolean): boolean => {
  let grown = true;
  while (grown) {
    grown = false;
    let k = begin;
    for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1], k++) {
      const fleet = f - 1;
      if (fleetStack[k] !== NOT_REACHED || !touchesReached(army, begin, fleet)) continue;
      if (!carries(fleet, optimistic)) {
        fleetStack[k] = LEFT_OUT;
        continue;
      }
      if (isNext(destination[army], fleet)) return true;
      fleetStack[k] = REACHED;
      grown = true;
    }
  }
  return false;
};

/**
 * True if a fleet touches its army or a fleet that the search has reached.
 * @param begin index in `fleetStack` of the army's first fleet
 */
const touchesReached = (army: number, begin: number, fleet: number): boolean => {
  if (isNext(army, fleet)) return true;
  let k = begin;
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1], k++)
    if (fleetStack[k] === REACHED && isNextToSea(f - 1, fleet) === 1 && areLinked(f - 1, fleet)) return true;
  return false;
};

/** True if a convoying fleet could pick up an army in a province, or land it there. */
const isNext = (province: number, fleet: number): boolean =>
  isNextToSea(province, fleet) === 1 && touches(fleet, province);

/**
 * Returns 1 if the fleets ordered to convoy an army make a chain, otherwise 0. Equals hasChain() with isOrdered, but is
 * faster for no fleet or one fleet, which is the most frequent case.
 */
export const isChainOrdered = (army: number): number => {
  const fleet = firstConvoy[army] - 1;
  if (fleet < 0) return 0;
  const found =
    nextConvoy[fleet] === 0
      ? isNext(army, fleet) && isNext(destination[army], fleet)
      : hasChain(army, isOrdered, true, NO_PROVINCE);
  return found ? 1 : 0;
};

/**
 * True if every fleet ordered to convoy the army carries it.
 * @param carries tells whether a fleet carries its army
 * @param optimistic passed to `carries`: the assumption for undecided orders
 */
export const allCarry = (army: number, carries: Carries, optimistic: boolean): boolean => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) if (!carries(f - 1, optimistic)) return false;
  return true;
};
