// Fits skills of agents and powers to shares of games.
//
// A seat has skill s: the skill of its agent plus that of its power. Its expected share is exp(s) divided by the sum of
// exp(s) over the table. This is the Plackett-Luce model of the first place, fitted to shares instead of winners. A fit
// to ranks would ignore the margins, and would order seats with no score by chance. At the maximum the mean share of
// each agent and each power equals the share that the model expects, apart from the prior. 400 Elo more are ten times
// the share.
import { Random } from '../../engine/internal.js';

/** Agents of the powers in one game, and their shares of the score. */
export interface SharedGame {
  /** Index of the agent of each power, indexed by power. */
  readonly seats: readonly number[];
  /** Share of each power, 0 to 1, indexed by power. */
  readonly shares: ArrayLike<number>;
}

/** A skill in Elo, with its 95 % bootstrap interval. */
export interface EloRange {
  /** The skill in Elo. */
  readonly elo: number;
  /** Lower bound of the interval in Elo; NaN if no interval was computed. */
  readonly low: number;
  /** Upper bound of the interval in Elo; NaN if no interval was computed. */
  readonly high: number;
}

/** Fitted skills of agents and powers. */
export interface EloFit {
  /** Skill of each agent, indexed by agent; the mean is MEAN_ELO. */
  readonly agents: readonly EloRange[];
  /** Advantage of each power, indexed by power; the mean is 0. */
  readonly powers: readonly EloRange[];
}

export const MEAN_ELO = 1500;
const PER_SKILL = 400 / Math.LN10;
/** Standard deviation of the normal prior, in Elo. Keeps the fit finite for agents that never scored. */
const PRIOR_SD = 400;
const MOST_STEPS = 50;
const ENOUGH = 1e-9;
const RESAMPLES = 400;
const TAIL = 0.025;

/** Solves a x = b for a symmetric positive definite matrix. Overwrites both arguments: the solution is in `b`. */
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
 * Returns the skills with the highest posterior probability, by Newton's method: first the agents, then the powers.
 * @param weights weight of each game
 * @param agents number of agents
 * @param powers number of powers
 * @param start skills from which the method starts, in the order of the result
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

/**
 * Converts skills to Elo. The mean of the agents becomes MEAN_ELO, the mean of the powers 0.
 * @param skills agents, then powers
 * @param agents number of agents
 */
const toElo = (skills: Float64Array, agents: number): Float64Array => {
  const out = skills.map((skill) => PER_SKILL * skill);
  const ofAgents = mean(out.subarray(0, agents));
  const ofPowers = mean(out.subarray(agents));
  return out.map((x, k) => (k < agents ? x - ofAgents + MEAN_ELO : x - ofPowers));
};

/**
 * Fits skills to games. The result depends only on the arguments: the bootstrap draws games by the seed.
 * @param games games with shares that sum to 1; games without any positive share are ignored
 * @param agents number of agents
 * @param powers number of powers
 * @param resamples number of bootstrap samples for the intervals; 0 for none
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
