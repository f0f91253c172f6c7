// Provinces closed to retreats because moves bounced there.
import { scratch } from '../../rules/scratch.js';
import * as T from '../../rules/types.js';
import * as B from './board.js';
import { inUse } from './variants.js';

const { places, success, dislodgedBy, byConvoy, hasPath, destination } = B.board;
const isOpposed = B.isOpposed;
const WORDS = T.WORDS;
/** Moves that fail; one more place, which is written and not read. */
const bounced = scratch(T.MAX_LOCATIONS + 1);

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
