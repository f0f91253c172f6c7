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
//     results on the board             then findContested() (contested.ts), before anybody retreats
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
// Reading order: board, special-moves, convoys, variants, recursion, passes.

import {
  board,
  clearOutput,
  dislodgedUnits,
  KEY_MASK,
  locationOfWord,
  POWER_SHIFT,
  packedByWord,
  packedOrder,
  toBoard,
} from './board.js';
import { findContested } from './contested.js';
import { runPasses } from './passes.js';
import { runRecursion } from './recursion.js';
import { found, specialInput, trainProvince } from './special-moves.js';
import { needsRecursion, useMap, useRules } from './variants.js';

/** Where the last stretch leads that the train of the last order set tried. */
export const lastTried = found.tried;

export {
  board,
  dislodgedUnits,
  findContested,
  KEY_MASK,
  locationOfWord,
  POWER_SHIFT,
  packedByWord,
  packedOrder,
  specialInput,
  toBoard,
  trainProvince,
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
