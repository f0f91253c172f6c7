// Tables for the expected share of a power in each centre, given its owner, the unit in it and the units near it. The
// static evaluation and the horizon value of rollouts use different weights. Each has a separate loop, because a common
// one took 14 % longer.
import { perMap, testBit } from '../../engine/internal.js';

/**
 * Weights of a power's presence in a centre, each for two seasons: after a fall and after a spring. Its share is
 * proportional to the weighted sum raised to `exponent`.
 */
export interface ShareWeights {
  readonly owns: readonly [number, number];
  readonly standsIn: readonly [number, number];
  /** Weight of each unit near the centre. */
  readonly isNear: readonly [number, number];
  readonly exponent: number;
  /** Count of one unit near: 1, or 2 if dislodged units count as half units. */
  readonly unit: number;
}

/** Maximum count of units near that matters. */
const MOST_NEAR = 15;
// Layout of a word for a power's presence in a centre, from the low bits: units near, a bit if it has a unit in the
// centre, a bit if it owns the centre, the season.
const NEAR_BITS = 7;
export const STANDS_BIT = 1 << NEAR_BITS;
export const OWNS_BIT = 2 << NEAR_BITS;
export const SEASON_SHIFT = NEAR_BITS + 2;

/** Length of a table of makeShares(). */
export const SHARE_WORDS = 2 << SEASON_SHIFT;

/** Returns the table of unnormalized shares, indexed by a power's presence in a centre (layout above). */
export const makeShares = ({ owns, standsIn, isNear, exponent, unit }: ShareWeights): Float64Array =>
  Float64Array.from({ length: SHARE_WORDS }, (_, word) => {
    const season = word >> SEASON_SHIFT;
    const near = (isNear[season] * Math.min(MOST_NEAR, word & (STANDS_BIT - 1))) / unit;
    const owner = (word & OWNS_BIT) === 0 ? 0 : owns[season];
    const standing = (word & STANDS_BIT) === 0 ? 0 : standsIn[season];
    return (near + owner + standing) ** exponent;
  });

/** For each key (location and unit type) of a map: the centres that a unit is in or can move to. */
export interface NearCenters {
  /** Key k has near[offsets[k] .. offsets[k + 1]). Elements are centre indexes times map.powerCount. */
  readonly offsets: Int32Array;
  readonly near: Int32Array;
}

/** Returns the near centres of a map, computed once per map. */
export const nearCentersOf = perMap((map): NearCenters => {
  const keys = 2 * map.locationCount;
  const offsets = new Int32Array(keys + 1);
  const near: number[] = [];
  for (let key = 0; key < keys; key++) {
    const here = map.locationProvince[key % map.locationCount];
    for (let c = 0; c < map.centerCount; c++)
      if (map.centers[c] === here || testBit(map.reach, key, map.centers[c]) === 1) near.push(c * map.powerCount);
    offsets[key + 1] = near.length;
  }
  return { offsets, near: Int32Array.from(near) };
});
