// Convoys: which fleets are ordered to take which army, and whether a chain of them arrives.
import * as O from '../../rules/order.js';
import { scratch } from '../../rules/scratch.js';
import * as T from '../../rules/types.js';
import * as B from './board.js';

// Imports are rebound for speed (passes.ts).
const { unit, order, byConvoy, destination } = B.board;
const { isNextToSea, samePower, areLinked, touches } = B;
const MAX_LOCATIONS = T.MAX_LOCATIONS;
const { orderTarget, orderHelped, isMoveBit } = O;

/** By army: the first fleet whose convoy matches, + 1; by fleet: the next one of its army, + 1. 0 ends the list. */
const firstConvoy = scratch(MAX_LOCATIONS);
const nextConvoy = scratch(MAX_LOCATIONS);
export const convoys = { firstConvoy, nextConvoy };

/** Adds a fleet to the convoys of its army if that army moves where the fleet takes it; else returns false. */
export const linkConvoy = (fleet: number): boolean => {
  const army = orderHelped(order[fleet]);
  // One branch for all three questions, for none can be predicted; the sign says another target, or no unit.
  const differs = (0 - (destination[army] ^ orderTarget(order[fleet]))) | (unit[army] - 1);
  if (((differs >>> 31) | (isMoveBit(order[army]) ^ 1)) !== 0) return false;
  nextConvoy[fleet] = firstConvoy[army];
  firstConvoy[army] = fleet + 1;
  // Intent: the convoy of an own fleet is taken even if the destination is adjacent (DATC 4.A.3).
  if (samePower(unit[fleet], unit[army])) byConvoy[army] = 1;
  return true;
};

/**
 * Whether a fleet carries its army: what a chain is made of depends on who asks. The recursion passes resolve(), with
 * its flag; others ignore the flag.
 */
export type Carries = (fleet: number, optimistic: boolean) => boolean;

/** All matching convoys are taken to succeed: finds the chains that were ordered. */
export const isOrdered: Carries = () => true;

export const NO_PROVINCE = -1;

// What a chain knows of each fleet, in the order of the army's list. One stretch of the stack for each hasChain() under
// way: at most one by order, each at most as long as the number of fleets.
const NOT_REACHED = 0;
const REACHED = 1;
const LEFT_OUT = 2;
const fleetStack = new Uint8Array(MAX_LOCATIONS * MAX_LOCATIONS);
let top = 0;

/** True if a chain of adjacent fleets that carry the army leads to its destination, without one fleet (or NO_PROVINCE). */
export const hasChain = (army: number, carries: Carries, optimistic: boolean, without: number): boolean => {
  const begin = top;
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1])
    fleetStack[top++] = f - 1 === without ? LEFT_OUT : NOT_REACHED;
  const found = flood(army, begin, carries, optimistic);
  top = begin;
  return found;
};

/** Spreads from the army over its convoying fleets until one of them touches the destination. */
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

const touchesReached = (army: number, begin: number, fleet: number): boolean => {
  if (isNext(army, fleet)) return true;
  let k = begin;
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1], k++)
    if (fleetStack[k] === REACHED && isNextToSea(f - 1, fleet) === 1 && areLinked(f - 1, fleet)) return true;
  return false;
};

/** True if a convoying fleet could take up an army in a province, or land it there. */
const isNext = (province: number, fleet: number): boolean =>
  isNextToSea(province, fleet) === 1 && touches(fleet, province);

/**
 * 1 if the fleets that were ordered to take an army make a chain, else 0: hasChain() of isOrdered. Most armies have no
 * fleet or one, which needs no flood.
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

/** True if every fleet of the army carries it. */
export const allCarry = (army: number, carries: Carries, optimistic: boolean): boolean => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) if (!carries(f - 1, optimistic)) return false;
  return true;
};
