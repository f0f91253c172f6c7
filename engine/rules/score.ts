// Scores a position for each power, with the scoring systems of tournaments and papers.

/** Codes of the scoring systems; scoreInto() says how each counts. */
export const SUM_OF_SQUARES = 0;
export const DRAW_SIZE = 1;
export const SUM_OF_CENTERS = 2;
export const C_DIPLO_100 = 3;
export const C_DIPLO_73 = 4;
export const SURVIVORS = 5;
/** Names of the scoring systems, indexed by code: scoreNames[0] is 'sum_of_squares'. */
export const scoreNames = [
  'sum_of_squares',
  'draw_size',
  'sum_of_centers',
  'c_diplo_100',
  'c_diplo_73',
  'survivors',
] as const;
/** Codes of the scoring systems, as Batch.value() takes them. */
export const Score = { SUM_OF_SQUARES, DRAW_SIZE, SUM_OF_CENTERS, C_DIPLO_100, C_DIPLO_73, SURVIVORS } as const;
export type Score = (typeof Score)[keyof typeof Score];
/** Name of a scoring system. */
export type ScoreName = (typeof scoreNames)[number];

/** C-Diplo awards 38, 14 and 7 points for places 1 to 3. Total points of the first n places, indexed by n. */
const POINTS_UP_TO = [0, 38, 52, 59];
const pointsUpTo = (places: number): number => POINTS_UP_TO[Math.min(places, POINTS_UP_TO.length - 1)];

/**
 * Returns the C-Diplo place points of a power, from 0 to 38. Powers with equal centres share the points of their places
 * equally.
 * @param centers number of centres of power q, at index first + q
 * @param count number of powers
 */
const placePoints = (centers: ArrayLike<number>, first: number, count: number, power: number): number => {
  const own = centers[first + power];
  let above = 0;
  let level = 0;
  for (let q = 0; q < count; q++) {
    // Branchless, because the comparisons are unpredictable.
    above += Number(centers[first + q] > own);
    level += Number(centers[first + q] === own);
  }
  return (pointsUpTo(above + level) - pointsUpTo(above)) / level;
};

const soloScore = (system: number): number => (system === C_DIPLO_100 ? 100 : system === C_DIPLO_73 ? 73 : 1);

/**
 * Returns the share of a power, for systems other than C-Diplo, before division by the sum of all shares.
 * @param system code of the scoring system
 * @param centers number of centres of the power
 */
const weight = (system: number, centers: number): number => {
  if (system === SUM_OF_SQUARES) return centers * centers;
  return system === SUM_OF_CENTERS ? centers : Math.sign(centers);
};

/**
 * Writes the score of each power to out[0 .. count).
 *
 * - `sum_of_squares` and `draw_size` give a solo 1. Without a solo, the powers share 1.
 * - `c_diplo_100` and `c_diplo_73` give a solo 100 or 73. Without a solo, each power gets 1 point, 1 for each centre,
 *   and 38, 14 or 7 for places 1 to 3. Tied powers share the points of their places.
 * - `sum_of_centers` shares 1 by centres, even after a solo.
 * - `survivors` gives 1 to each power that owns a centre.
 * @param system code of the scoring system
 * @param centers number of centres of power q, at index first + q
 * @param count number of powers
 * @param winner power with a solo; -1 if none
 */
export const scoreInto = (
  system: number,
  centers: ArrayLike<number>,
  first: number,
  count: number,
  winner: number,
  out: Float64Array,
): void => {
  if (winner >= 0 && system !== SUM_OF_CENTERS && system !== SURVIVORS) {
    for (let q = 0; q < count; q++) out[q] = q === winner ? soloScore(system) : 0;
    return;
  }
  if (system === C_DIPLO_100 || system === C_DIPLO_73) {
    for (let q = 0; q < count; q++) out[q] = 1 + centers[first + q] + placePoints(centers, first, count, q);
    return;
  }
  let sum = 0;
  for (let q = 0; q < count; q++) {
    out[q] = weight(system, centers[first + q]);
    sum += out[q];
  }
  if (system === SURVIVORS || sum === 0) return;
  for (let q = 0; q < count; q++) out[q] /= sum;
};
