// Tables for the expected share of a power in each centre, given its owner, the unit in it and the units near it. The
// static evaluation and the horizon value of rollouts use different weights. Each has a separate loop, because a common
// one took 14 % longer.
import { perMap, testBit } from '../../engine/internal.js';

/**
 * Weights of a power's presence in a centre: of owning it (`owns`), of a unit in it (`standsIn`) and of each unit near
 * it (`isNear`). Each has a value for positions after a fall and one for positions after a spring. The power's share is
 * proportional to the weighted sum raised to `exponent`.
 */
export interface ShareWeights {
  readonly owns: readonly [number, number];
  readonly standsIn: readonly [number, number];
  /** Weight of each unit near the centre. */
  readonly isNear: readonly [number, number];
  readonly exponent: number;
  /** Count of one unit near the centre: 1; or 2, if the caller counts dislodged units as 1. */
  readonly unit: number;
}

/** Maximum count of units near a centre; more have no effect. */
const MOST_NEAR = 15;
// Layout of a word that describes a power's presence in a centre, from the low bits: count of units near, a bit if it
// has a unit in the centre, a bit if it owns the centre, the season (0 after a fall, 1 after a spring).
const NEAR_BITS = 7;
export const STANDS_BIT = 1 << NEAR_BITS;
export const OWNS_BIT = 2 << NEAR_BITS;
export const SEASON_SHIFT = NEAR_BITS + 2;

/** Number of elements of a table of makeShares(). */
export const SHARE_WORDS = 2 << SEASON_SHIFT;

/**
 * Returns a power's presence in a centre, before the division by the sum over all powers, indexed by the word that
 * describes the presence (layout above).
 */
export const makeShares = ({ owns, standsIn, isNear, exponent, unit }: ShareWeights): Float64Array =>
  Float64Array.from({ length: SHARE_WORDS }, (_, word) => {
    const season = word >> SEASON_SHIFT;
    const near = (isNear[season] * Math.min(MOST_NEAR, word & (STANDS_BIT - 1))) / unit;
    const owner = (word & OWNS_BIT) === 0 ? 0 : owns[season];
    const standing = (word & STANDS_BIT) === 0 ? 0 : standsIn[season];
    return (near + owner + standing) ** exponent;
  });

/** Centres that a unit is in or can move to, for each key (location and unit type) of a map. */
export interface NearCenters {
  /** Key k has near[offsets[k]] to near[offsets[k + 1] - 1]. Each is the index of a centre times map.powerCount. */
  readonly offsets: Int32Array;
  readonly near: Int32Array;
}

/** Returns the centres near each key of a map. They are computed once for each map. */
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
