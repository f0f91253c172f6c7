// Keeps what agents weighed before they gave their orders: the targets that a record may hold of a choice.
import type { Power } from '../../engine/internal.js';
import type { Candidate } from '../question/agent.js';

/** What an agent weighed before it gave the orders of a power in a phase. All numbers are float32. */
export interface PolicyTargets {
  /** Whose orders they are. */
  readonly power: Power;
  /**
   * Root value: what the position is worth to the power, in the unit of the agent; the mean of the candidates' values by
   * their probabilities. NaN where the agent does not say. That of `search` is a share, 0 to 1.
   */
  readonly value: number;
  /** The likeliest first, then the best of probability 0. Their probabilities add up to 1. */
  readonly candidates: readonly Candidate[];
}

/** So many candidates of a choice are kept, the likeliest. */
export const MOST_CANDIDATES = 8;
/** Candidates less likely than this are not kept for their probability. */
const LEAST_PROBABILITY = 0.01;
/** Where fewer are that likely, so many are kept, the others for their values, with probability 0. */
const BEST_CANDIDATES = 5;

/** What is kept of a choice; null if the agent gives no order set a probability. */
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
