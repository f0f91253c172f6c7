// Expedited removal, an option of the preset s004: removes units that can no longer change anything before their power
// is asked for orders.

import { retreatLocations } from '../legal/lists.js';
import type { Game } from '../position/game.js';
import { addBit, testBit } from '../rules/bitset.js';
import { MAX_LOCATIONS, NO_UNIT, type Power, unitPower, WORDS } from '../rules/types.js';

const retreats = new Int32Array(MAX_LOCATIONS);

/** Provinces that the dislodged units of a power, or of all other powers, could retreat to: a bitset of one row. */
const reachOf = (game: Game, power: Power, others: boolean): Int32Array => {
  const reach = new Int32Array(WORDS);
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { unit, location, attacker } = game.dislodged(i);
    if ((unitPower(unit) === power) === others) continue;
    const n = retreatLocations(game, unit, location, attacker, retreats);
    for (let k = 0; k < n; k++) addBit(reach, 0, game.map.locationProvince[retreats[k]]);
  }
  return reach;
};

/**
 * True if the dislodged units of a power are removed after the moves of a fall: it occupies no centre, all centres that
 * it owns are occupied, and no retreat of its units leads to a centre or to a place where another power's unit could
 * retreat too.
 */
export const isBeyondHope = (game: Game, power: Power): boolean => {
  const { map } = game;
  const own = reachOf(game, power, false);
  const others = reachOf(game, power, true);
  for (let w = 0; w < WORDS; w++) if ((own[w] & others[w]) !== 0) return false;
  for (let c = 0; c < map.centerCount; c++) {
    const unit = game.unitAt(map.centers[c]);
    if (unit !== NO_UNIT && unitPower(unit) === power) return false;
    if (unit === NO_UNIT && game.owner(c) === power) return false;
    if (testBit(own, 0, map.centers[c]) === 1) return false;
  }
  return true;
};

/** Removes the units of powers that own no centre after a fall. */
export const removeLandless = (game: Game): void => {
  const { map } = game;
  for (let p = 0; p < map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit === NO_UNIT) continue;
    let owns = false;
    for (let c = 0; c < map.centerCount; c++) owns ||= game.owner(c) === unitPower(unit);
    if (!owns) game.removeUnit(p);
  }
};
