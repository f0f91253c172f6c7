// Policy targets: the order sets that an agent compared, reduced to the few that a record stores for learning.
import type { Power } from '../../engine/internal.js';
import type { Candidate } from '../question/agent.js';

/**
 * Order sets that an agent compared for a power in a phase, as stored for policy learning. All numbers are rounded to
 * float32.
 */
export interface PolicyTargets {
  /** Power that the orders belong to. */
  readonly power: Power;
  /**
   * Root value: value of the position for the power, in the agent's unit. It is the mean of the candidates' values,
   * weighted by their probabilities. NaN if the agent gives no values. For the agent `search`, 0 to 1.
   */
  readonly value: number;
  /** Candidates in descending probability; those with probability 0 in descending value. The probabilities sum to 1. */
  readonly candidates: readonly Candidate[];
}

/** Maximum number of candidates with a probability above 0 that are stored. */
export const MOST_CANDIDATES = 8;
/** Minimum probability, in the agent's answer, of a candidate that is stored with its probability. */
const LEAST_PROBABILITY = 0.01;
/**
 * Number of candidates to store at least, if there are as many. Candidates with the best values are added up to this
 * number, with probability 0.
 */
const BEST_CANDIDATES = 5;

/**
 * Selects the candidates to store, and scales their probabilities so that they sum to 1.
 * @param all all candidates of the agent's answer
 * @returns null if no candidate has a probability of at least LEAST_PROBABILITY
 */
export const policyTargets = (power: Power, all: readonly Candidate[]): PolicyTargets | null => {
  const kept = all
    .filter(({ probability }) => probability >= LEAST_PROBABILITY)
    .sort((a, b) => b.probability - a.probability)
    .slice(0, MOST_CANDIDATES);
  if (kept.length === 0) return null;
  const sum = kept.reduce((all, { probability }) => all + probability, 0);
  const value = kept.reduce((all, one) => all + (one.probability / sum) * one.value, 0);
  const others = all
    .filter((one) => !kept.includes(one) && !Number.isNaN(one.value))
    .sort((a, b) => b.value - a.value)
    .slice(0, Math.max(0, BEST_CANDIDATES - kept.length));
  const candidates = [...kept, ...others].map(({ orders, probability, value: worth, error }, i) => ({
    orders: orders.slice(),
    probability: i < kept.length ? Math.fround(probability / sum) : 0,
    value: Math.fround(worth),
    error: Math.fround(error),
  }));
  return { power, value: Math.fround(value), candidates };
};
