// Skills of agents from what each seat got of a game: what a seat with skill s can expect is exp(s) out of the sum over
// the table, s the skill of its agent plus a term of its power. Plackett and Luce's model of the first place, fitted to
// shares instead of winners: ranks would lose by how much, and order by chance those that got nothing. At the maximum
// each agent and each power gets on average what the model expects, but for the prior.
//
// Elo: 400 points more are ten times the share.
import { Random } from '../../engine/internal.js';

/** One game: who sat where, by power, and what part of the whole each seat got. */
export interface SharedGame {
  /** By power: the number of its agent. */
  readonly seats: readonly number[];
  /** By power: what it got, 0 to 1. */
  readonly shares: ArrayLike<number>;
}

/** Skills in Elo, each with the bounds of 95 % of its bootstrap. */
export interface EloRange {
  /** The skill. */
  readonly elo: number;
  /** Lower bound; NaN where there is none. */
  readonly low: number;
  /** Upper bound; NaN where there is none. */
  readonly high: number;
}

/** What a fit says. */
export interface EloFit {
  /** By agent; the mean of all is MEAN_ELO. */
  readonly agents: readonly EloRange[];
  /** By power: what a seat there is worth; the mean of all is 0. */
  readonly powers: readonly EloRange[];
}

export const MEAN_ELO = 1500;
const PER_SKILL = 400 / Math.LN10;
/** Of the normal prior, in Elo: a fit exists also where an agent got nothing. */
const PRIOR_SD = 400;
const MOST_STEPS = 50;
const ENOUGH = 1e-9;
const RESAMPLES = 400;
const TAIL = 0.025;

/** Solves a x = b for a symmetric positive definite matrix, which is overwritten. */
const solve = (a: Float64Array, b: Float64Array): void => {
  const n = b.length;
  for (let k = 0; k < n; k++)
    for (let i = k + 1; i < n; i++) {
      const factor = a[i * n + k] / a[k * n + k];
      for (let j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  for (let k = n - 1; k >= 0; k--) {
    for (let j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
};

/**
 * Newton's method on the concave logarithm of the posterior.
 * @param weights of the games
 * @returns skills, agents first
 */
const fit = (
  games: readonly SharedGame[],
  weights: ArrayLike<number>,
  agents: number,
  powers: number,
  start: Float64Array,
) => {
  const n = agents + powers;
  const skills = start.slice();
  const precision = (PER_SKILL / PRIOR_SD) ** 2;
  const expected = new Float64Array(powers);
  for (let step = 0; step < MOST_STEPS; step++) {
    const gradient = skills.map((skill) => -precision * skill);
    const information = new Float64Array(n * n);
    for (let k = 0; k < n; k++) information[k * n + k] = precision;
    for (const [g, { seats, shares }] of games.entries()) {
      const weight = weights[g];
      if (weight === 0) continue;
      let sum = 0;
      for (let q = 0; q < powers; q++) sum += expected[q] = Math.exp(skills[seats[q]] + skills[agents + q]);
      for (let q = 0; q < powers; q++) expected[q] /= sum;
      for (let q = 0; q < powers; q++) {
        const more = weight * (shares[q] - expected[q]);
        gradient[seats[q]] += more;
        gradient[agents + q] += more;
        for (let r = 0; r < powers; r++) {
          const curve = weight * expected[q] * ((q === r ? 1 : 0) - expected[r]);
          information[seats[q] * n + seats[r]] += curve;
          information[seats[q] * n + agents + r] += curve;
          information[(agents + q) * n + seats[r]] += curve;
          information[(agents + q) * n + agents + r] += curve;
        }
      }
    }
    solve(information, gradient);
    let most = 0;
    for (let k = 0; k < n; k++) {
      skills[k] += gradient[k];
      most = Math.max(most, Math.abs(gradient[k]));
    }
    if (most < ENOUGH) break;
  }
  return skills;
};

const mean = (values: Float64Array): number => values.reduce((sum, x) => sum + x, 0) / values.length;

/** Skills as Elo, both kinds about a mean of their own. */
const toElo = (skills: Float64Array, agents: number): Float64Array => {
  const out = skills.map((skill) => PER_SKILL * skill);
  const ofAgents = mean(out.subarray(0, agents));
  const ofPowers = mean(out.subarray(agents));
  return out.map((x, k) => (k < agents ? x - ofAgents + MEAN_ELO : x - ofPowers));
};

/**
 * Fits skills to games. Deterministic: games are drawn again for the intervals from the seed.
 * @param games each with shares that sum to 1, or to 0 for a game that says nothing
 * @param agents how many there are; seats name them by number
 * @param powers seats of a game
 * @param resamples for the intervals, which are NaN without any
 */
export const fitElo = (
  games: readonly SharedGame[],
  agents: number,
  powers: number,
  seed: number,
  resamples = RESAMPLES,
): EloFit => {
  const told = games.filter(({ shares }) => Array.from(shares).some((share) => share > 0));
  const skills = fit(told, new Float64Array(told.length).fill(1), agents, powers, new Float64Array(agents + powers));
  const elo = toElo(skills, agents);
  const drawn = Array.from({ length: told.length < 2 ? 0 : resamples }, (_, k) => {
    const random = new Random(seed, k, 0xe10);
    const counts = new Float64Array(told.length);
    for (let i = 0; i < counts.length; i++) counts[random.below(counts.length)]++;
    return toElo(fit(told, counts, agents, powers, skills), agents);
  });
  const range = (k: number): EloRange => {
    const sorted = drawn.map((one) => one[k]).sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
    return { elo: elo[k], low: at(TAIL), high: at(1 - TAIL) };
  };
  const ranges = Array.from(elo, (_, k) => range(k));
  return { agents: ranges.slice(0, agents), powers: ranges.slice(agents) };
};
