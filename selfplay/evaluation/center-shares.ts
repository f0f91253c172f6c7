// The share of each centre that a power can expect, by who owns it, who has a unit in it and who has units near it. The
// static evaluation and the value at the horizon of rollouts weigh these differently, and each has a loop of its own: one
// for both took 14 % longer.
import { perMap, testBit } from '../../engine/internal.js';

/** Weights of what a power has in a centre, each for two seasons. Its share grows with a power of their sum. */
export interface ShareWeights {
  readonly owns: readonly [number, number];
  readonly standsIn: readonly [number, number];
  /** Of each unit near. */
  readonly isNear: readonly [number, number];
  readonly exponent: number;
  /** What counts for a unit near: 2 where half units count too. */
  readonly unit: number;
}

/** More units near than this count no more. */
const MOST_NEAR = 15;
// What a power has in a centre, as one number: units near in the low bits, whether it has a unit in it, whether it owns
// it, and the season.
const NEAR_BITS = 7;
export const STANDS_BIT = 1 << NEAR_BITS;
export const OWNS_BIT = 2 << NEAR_BITS;
export const SEASON_SHIFT = NEAR_BITS + 2;

/** Length of the table of some weights. */
export const SHARE_WORDS = 2 << SEASON_SHIFT;

/** The table of some weights: what a power has in a centre, as the bits above say, to its share before they sum to 1. */
export const makeShares = ({ owns, standsIn, isNear, exponent, unit }: ShareWeights): Float64Array =>
  Float64Array.from({ length: SHARE_WORDS }, (_, word) => {
    const season = word >> SEASON_SHIFT;
    const near = (isNear[season] * Math.min(MOST_NEAR, word & (STANDS_BIT - 1))) / unit;
    const owner = (word & OWNS_BIT) === 0 ? 0 : owns[season];
    const standing = (word & STANDS_BIT) === 0 ? 0 : standsIn[season];
    return (near + owner + standing) ** exponent;
  });

/** Of a map: the centres that a unit of a key is in or can move to, as lists one after the other. */
export interface NearCenters {
  /** By key: near[offsets[key] .. offsets[key + 1]), places in map.centers times map.powerCount. */
  readonly offsets: Int32Array;
  readonly near: Int32Array;
}

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
