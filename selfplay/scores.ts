// What a finished game is worth to each power, by the scoring systems that people and papers use.
import { type Game, SOLO } from '../engine/index.js';

export const scoreNames = [
  'sum_of_squares',
  'draw_size',
  'sum_of_centers',
  'c_diplo_100',
  'c_diplo_73',
  'survivors',
] as const;
export type ScoreName = (typeof scoreNames)[number];

/** What a score is computed from: centres by power, and the power that won alone (-1: none). */
export interface Standing {
  readonly centers: ArrayLike<number>;
  readonly winner: number;
}

const sum = (values: ArrayLike<number>): number => {
  let total = 0;
  for (let q = 0; q < values.length; q++) total += values[q];
  return total;
};

/** The whole pot to the winner; without one, to each power its share. */
const potShares = ({ centers, winner }: Standing, pot: number, share: (count: number) => number): number[] => {
  const shares = Array.from(centers, share);
  const total = sum(shares);
  return shares.map((value, q) => {
    if (winner >= 0) return q === winner ? pot : 0;
    return total === 0 ? 0 : (pot * value) / total;
  });
};

/** Bonus of C-Diplo for the first three places. */
const PLACES = [38, 14, 7];

/** Powers with equally many centres share the bonuses of the places that they take up together. */
const placeBonus = (centers: ArrayLike<number>, power: number): number => {
  let above = 0;
  let level = 0;
  for (let q = 0; q < centers.length; q++) {
    if (centers[q] > centers[power]) above++;
    else if (centers[q] === centers[power]) level++;
  }
  return sum(PLACES.slice(above, above + level)) / level;
};

/** C-Diplo: a point for playing, one a centre, 38, 14 and 7 for the first places. */
const cDiplo = ({ centers, winner }: Standing, solo: number): number[] =>
  Array.from(centers, (count, q) => {
    if (winner >= 0) return q === winner ? solo : 0;
    return 1 + count + placeBonus(centers, q);
  });

/**
 * Scores of one system by power. All but `survivors` divide a pot that is 1, or 100 or 73 points for C-Diplo with a
 * solo. `sum_of_squares`, `draw_size` and C-Diplo give a solo everything; `sum_of_centers` is the share of the owned
 * centres; `survivors` is 1 for a power that owns a centre at the end.
 */
export const scores: Readonly<Record<ScoreName, (standing: Standing) => number[]>> = {
  sum_of_squares: (standing) => potShares(standing, 1, (count) => count * count),
  draw_size: (standing) => potShares(standing, 1, (count) => (count > 0 ? 1 : 0)),
  sum_of_centers: ({ centers }) => potShares({ centers, winner: -1 }, 1, (count) => count),
  c_diplo_100: (standing) => cDiplo(standing, 100),
  c_diplo_73: (standing) => cDiplo(standing, 73),
  survivors: ({ centers }) => Array.from(centers, (count) => (count > 0 ? 1 : 0)),
};

/** How the powers of a game stand. */
export const standing = (game: Game): Standing => {
  const centers = new Int32Array(game.map.powerCount);
  game.countCenters(centers);
  return { centers, winner: game.status === SOLO ? game.winner : -1 };
};

/** All scores of a game by name. */
export const allScores = (game: Game): Record<ScoreName, number[]> => {
  const now = standing(game);
  const out = {} as Record<ScoreName, number[]>;
  for (const name of scoreNames) out[name] = scores[name](now);
  return out;
};
