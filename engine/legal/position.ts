// Unpacks the units of a position by province, for the lists of legal orders and for the sampler.

import type { Game } from '../position/game.js';
import { scratch } from '../rules/scratch.js';
import { MAX_LOCATIONS } from '../rules/types.js';

/** Key of the unit in each province (unit type and location, map/compiled-map.ts); -1 without a unit. */
const keys = scratch(MAX_LOCATIONS);
/** Location of the unit in each province. Without a unit, the number of the province. */
const locations = scratch(MAX_LOCATIONS);
/** Provinces with units, ascending. One extra element is written but never read. */
const unitsAt = scratch(MAX_LOCATIONS + 1);

/**
 * Length minus 1 of each province's row of supports (movement.ts). lookAtUnits() sets it to 0 for a province with a
 * unit, whose row begins with the support to hold, and to -1 without a unit. Has extra elements for the dummy provinces
 * of movement.ts.
 */
const helpers = scratch(MAX_LOCATIONS + 16);

/** The arrays `keys`, `locations`, `unitsAt` and `helpers`, for other files. */
export const position = { keys, locations, unitsAt, helpers };

/** Reads the units of a game into `keys`, `locations`, `unitsAt` and `helpers`; returns the number of units. */
export const lookAtUnits = (game: Game): number => {
  const { bytes, offset, layout, map } = game;
  const { coastalProvinces, firstCoast, provinceCount, locationCount } = map;
  const units = offset + layout.units;
  // Arrays have local names for speed (adjudicate/movement/passes.ts).
  const keyOf = keys;
  const locationOf = locations;
  const firsts = helpers;
  const provinces = unitsAt;
  let count = 0;
  for (let p = 0; p < provinceCount; p++) {
    const unit = bytes[units + p];
    // -1 with a unit, otherwise 0. Without a branch, because a processor cannot predict where units are.
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
