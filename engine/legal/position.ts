// The units of a position by province, as the lists of legal orders and the sampler read them.

import type { Game } from '../position/game.js';
import { scratch } from '../rules/scratch.js';
import { MAX_LOCATIONS } from '../rules/types.js';

/** By province: the key of its unit (map/compiled-map.ts), -1 without a unit. */
const keys = scratch(MAX_LOCATIONS);
/** By province with a unit: the location of that unit. */
const locations = scratch(MAX_LOCATIONS);
/** Provinces with units, ascending; one more place, which is written and not read. */
const unitsAt = scratch(MAX_LOCATIONS + 1);

/**
 * By province: where movement.ts begins to count the entries of its row, less one: 0 with a unit, -1 without. Longer by
 * the dummies of that file.
 */
const helpers = scratch(MAX_LOCATIONS + 16);

/** The arrays above, for other files to rebind. */
export const position = { keys, locations, unitsAt, helpers };

/** Reads the units of a game into the arrays above; returns their number. */
export const lookAtUnits = (game: Game): number => {
  const { bytes, offset, layout, map } = game;
  const { coastalProvinces, firstCoast, provinceCount, locationCount } = map;
  const units = offset + layout.units;
  // Local names, as in movement.ts.
  const keyOf = keys;
  const locationOf = locations;
  const firsts = helpers;
  const provinces = unitsAt;
  let count = 0;
  for (let p = 0; p < provinceCount; p++) {
    const unit = bytes[units + p];
    // Without branches, which nothing could predict: -1 with a unit, else 0.
    const isThere = (0 - unit) >> 31;
    keyOf[p] = ((p + (locationCount & (0 - (unit & 1))) + 1) & isThere) - 1;
    locationOf[p] = p;
    firsts[p] = -1 - isThere;
    provinces[count] = p;
    count = (count - isThere) | 0;
  }
  const coasts = offset + layout.coasts;
  for (let k = 0; k < coastalProvinces.length; k++) {
    const coast = bytes[coasts + k];
    const p = coastalProvinces[k];
    if (coast === 0 || keyOf[p] < 0) continue;
    locationOf[p] = firstCoast[p] + coast - 1;
    keyOf[p] += locationOf[p] - p;
  }
  return count;
};
