// Implements expedited removal, an option of the preset strict-2003: removes units that can no longer affect the game,
// before their power gives orders. The game must be on the board.

import { addBit, testBit } from '../rules/bitset.js';
import { scratch } from '../rules/scratch.js';
import { MAX_LOCATIONS, WORDS } from '../rules/types.js';
import { board, POWER_SHIFT } from './movement/index.js';
import { type GameOnBoard, gameArrays } from './turn.js';

const { places, unit } = board;
const { owners, centersOf, waitingWords, ways } = gameArrays;
const gone = scratch(MAX_LOCATIONS);
// Provinces to which the dislodged units of one power (`own`), and those of all other powers (`others`), could retreat:
// bitsets of one row.
const own = scratch(WORDS);
const others = scratch(WORDS);

/**
 * Writes the open retreats of the dislodged units of a power to `own`, and those of all other powers to `others`.
 * @param powerPlusOne number of the power, + 1
 */
const findWays = (onBoard: GameOnBoard, powerPlusOne: number): void => {
  const { locationProvince } = onBoard.map;
  own.fill(0);
  others.fill(0);
  for (let i = 0; i < onBoard.waitingCount; i++) {
    const set = waitingWords[i] >>> POWER_SHIFT === powerPlusOne ? own : others;
    const n = onBoard.openRetreats(i);
    for (let k = 0; k < n; k++) addBit(set, 0, locationProvince[ways[k]]);
  }
};

/**
 * True if the dislodged units of a power can be removed after the moves of a fall. The power occupies no centre, all
 * its centres are occupied by others, and none of its units could retreat to a centre or to a province where a unit of
 * another power could retreat too.
 * @param powerPlusOne number of the power, + 1
 */
const isBeyondHope = (onBoard: GameOnBoard, powerPlusOne: number): boolean => {
  const { map } = onBoard;
  findWays(onBoard, powerPlusOne);
  for (let w = 0; w < WORDS; w++) if ((own[w] & others[w]) !== 0) return false;
  for (let c = 0; c < map.centerCount; c++) {
    const there = unit[map.centers[c]] >>> POWER_SHIFT;
    if (there === powerPlusOne || (there === 0 && owners[c] === powerPlusOne)) return false;
    if (testBit(own, 0, map.centers[c]) === 1) return false;
  }
  return true;
};

/**
 * Removes the dislodged units that wait for a retreat after the moves of a fall, of the powers that can no longer
 * affect the game (isBeyondHope()).
 */
export const dropHopeless = (onBoard: GameOnBoard): void => {
  for (let i = 0; i < onBoard.waitingCount; i++)
    gone[i] = isBeyondHope(onBoard, waitingWords[i] >>> POWER_SHIFT) ? 1 : 0;
  onBoard.dropWaiting(gone);
};

/** Removes all units of powers that own no centre after a fall. */
export const removeLandless = (onBoard: GameOnBoard): void => {
  for (let i = onBoard.count - 1; i >= 0; i--)
    if (centersOf[unit[places[i]] >>> POWER_SHIFT] === 0) onBoard.removeAt(i);
};
