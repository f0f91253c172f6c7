// Resolves one movement phase: finds out which orders succeed.
//
// Input and output are on the board (board.ts). Two resolvers give the same result:
//
//        useMap(), useRules()
//                 |
//          needsRecursion()            variants.ts: may non-default rules change the results of these orders?
//          no /        \ yes
//     runPasses()       |              passes.ts: plain loops of integer arithmetic, the default rules
//    settled |  \ gave up
//            |    runRecursion()       recursion.ts: DATC 3.2, chapters 5.B and 5.E, all rules
//            |     /
//     results on the board             then findContested(), before the retreats
//
// The recursion defines the result. The passes exist for speed and run first. They give up and leave the whole order
// set to the recursion
//
//   - if supports that only a dislodgement cuts depend on one another,
//   - if a convoying fleet is attacked with support while its army attacks a supporting unit,
//   - if an army is ordered by convoy to its own province: this is not a hold, but the passes would treat it as one.
//
// They give up on fewer than one random order set in a thousand, and on about one in a hundred if supports and convoys
// are made to match real moves.
//
// Reading order: board, convoys, variants, recursion, passes.

import { scratch } from '../../rules/scratch.js';
import { MAX_LOCATIONS, WORDS } from '../../rules/types.js';
import {
  board,
  clearOutput,
  dislodgedUnits,
  isOpposed,
  KEY_MASK,
  locationOfWord,
  POWER_SHIFT,
  packedByWord,
  packedOrder,
  toBoard,
} from './board.js';
import { runPasses } from './passes.js';
import { runRecursion } from './recursion.js';
import { found, inUse, needsRecursion, specialInput, useMap, useRules } from './variants.js';

export {
  board,
  dislodgedUnits,
  found,
  KEY_MASK,
  locationOfWord,
  POWER_SHIFT,
  packedByWord,
  packedOrder,
  specialInput,
  toBoard,
  useMap,
  useRules,
};

/** Number of order sets resolved since the program began (`sets`), and number of sets that needed the recursion. */
export const counters = { sets: 0, recursions: 0 };

/**
 * Resolves the orders on the board.
 * @param count units on the board: places[0 .. count)
 * @returns the number of dislodged units
 */
export const resolveOrders = (count: number): number => {
  counters.sets++;
  clearOutput();
  if (!needsRecursion(count) && runPasses(count)) return dislodgedUnits();
  counters.recursions++;
  return resolveByRecursion(count);
};

/**
 * Resolves the orders on the board by the recursion only, with the same result as resolveOrders(). Does not count in
 * `counters`.
 * @param count units on the board: places[0 .. count)
 * @returns the number of dislodged units
 */
export const resolveByRecursion = (count: number): number => {
  clearOutput();
  runRecursion(count);
  return dislodgedUnits();
};

// ---- provinces closed to retreats because moves bounced there ----

const { places, success, dislodgedBy, byConvoy, hasPath, destination } = board;
/** Provinces of units whose moves failed. One extra element is written but never read. */
const bounced = scratch(MAX_LOCATIONS + 1);

/**
 * Finds the provinces closed to retreats: provinces that a standoff left empty. Call it after resolving. A unit that
 * was dislodged in a head-to-head does not contest its attacker's province.
 * @param count units on the board: places[0 .. count)
 * @param contested overwritten with the provinces, a bitset of one row
 */
export const findContested = (count: number, contested: Int32Array): void => {
  for (let w = 0; w < WORDS; w++) contested[w] = 0;
  let failed = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    bounced[failed] = p;
    // 1 for a move that fails. Without a branch, because a processor cannot predict which orders are moves.
    failed += (-(destination[p] ^ p) >>> 31) & ~success[p];
  }
  if (failed === 0) return;
  for (let i = 0; i < failed; i++) {
    const p = bounced[i];
    if (lostEffect(p) || (byConvoy[p] === 1 && hasPath[p] === 0)) continue;
    contested[destination[p] >> 5] |= 1 << (destination[p] & 31);
  }
  // Provinces occupied after the moves are not contested.
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const stays = p ^ ((p ^ destination[p]) & -(success[p] & 1));
    const isThere = (dislodgedBy[p] - 1) >>> 31;
    contested[stays >> 5] &= ~(isThere << (stays & 31));
  }
};

/**
 * True if a failed move has no effect on its destination, because the unit there dislodged the mover in a head-to-head.
 * Under some rules this includes units that went by convoy (DATC 4.A.7).
 */
const lostEffect = (mover: number): boolean => {
  const opponent = destination[mover];
  if (dislodgedBy[mover] !== opponent + 1 || !isOpposed(mover)) return false;
  return inUse.noEffectAlways || (byConvoy[mover] | byConvoy[opponent]) === 0;
};
