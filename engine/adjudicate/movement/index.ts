// The resolver: which orders of one movement phase succeed.
//
// Input and output are on the board (board.ts). Two resolvers give the same result:
//
//        useMap(), useRules()
//                 |
//          needsRecursion()            variants.ts: do other rules than the default ones matter to these orders?
//          no /        \ yes
//     runPasses()       |              passes.ts: plain loops of integer arithmetic, the default rules
//    settled |  \ gave up
//            |    runRecursion()       recursion.ts: DATC 3.2, chapters 5.B and 5.E, all rules
//            |     /
//     results on the board             then findContested() before anybody retreats
//
// The recursion defines the result; the passes are there for speed, and run first. They give up, and leave the whole
// order set to the recursion,
//
//   - if supports that are cut by a dislodgement alone depend on one another,
//   - if a convoying fleet is attacked with support while its army attacks a unit that supports,
//   - if an army is ordered by convoy to where it is: that is no hold, but looks like one to the passes.
//
// That is fewer than one random order set in a thousand, and about one in a hundred if supports and convoys are made to
// match real moves.
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

/** Order sets resolved, and those among them that were left to the recursion, since the program began. */
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

/** resolveOrders() without the passes: the same results. */
export const resolveByRecursion = (count: number): number => {
  clearOutput();
  runRecursion(count);
  return dislodgedUnits();
};

// ---- provinces closed to retreats because moves bounced there ----

const { places, success, dislodgedBy, byConvoy, hasPath, destination } = board;
/** Moves that fail; one more place, which is written and not read. */
const bounced = scratch(MAX_LOCATIONS + 1);

/**
 * Writes the provinces left empty in which moves bounced to `contested` (a bitset of one row), after resolving: no unit
 * retreats there. A unit that was dislodged in a head-to-head has no effect on its attacker's province.
 * @param count units on the board: places[0 .. count)
 */
export const findContested = (count: number, contested: Int32Array): void => {
  for (let w = 0; w < WORDS; w++) contested[w] = 0;
  let failed = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    bounced[failed] = p;
    // 1 for a move that fails. No branch: nothing tells which orders are moves.
    failed += (-(destination[p] ^ p) >>> 31) & ~success[p];
  }
  if (failed === 0) return;
  for (let i = 0; i < failed; i++) {
    const p = bounced[i];
    if (lostEffect(p) || (byConvoy[p] === 1 && hasPath[p] === 0)) continue;
    contested[destination[p] >> 5] |= 1 << (destination[p] & 31);
  }
  // What is occupied afterwards is not contested.
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const stays = p ^ ((p ^ destination[p]) & -(success[p] & 1));
    const isThere = (dislodgedBy[p] - 1) >>> 31;
    contested[stays >> 5] &= ~(isThere << (stays & 31));
  }
};

/** The unit was dislodged from where it wanted to go: in a head-to-head, or by other rules by convoy too (DATC 4.A.7). */
const lostEffect = (mover: number): boolean => {
  const opponent = destination[mover];
  if (dislodgedBy[mover] !== opponent + 1 || !isOpposed(mover)) return false;
  return inUse.noEffectAlways || (byConvoy[mover] | byConvoy[opponent]) === 0;
};
