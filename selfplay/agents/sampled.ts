// The agents `random` and `policy`, which draw their orders by a sampler of the engine.
import { POLICY, UNIFORM } from '../../engine/play/step.js';
import { answerSampled } from '../heuristics/sampled.js';
import type { Agent, AgentKind } from '../question/agent.js';

const makeKind = (name: string, sampler: number, help: string): AgentKind => {
  const agent: Agent = {
    ...{ name, options: {}, sampler, readsPast: false },
    answer: (questions) => answerSampled(sampler, questions),
  };
  return { name, help, options: {}, cost: 0.1, make: () => agent };
};

/**
 * Draws orders uniformly. Movement and retreats: one legal order of each unit; a retreat may be a disband. Builds: a
 * free site for each build, without repetition, and one legal order there, which may be a waive. Removals: one unit
 * after another.
 */
export const random = makeKind('random', UNIFORM, 'uniformly random legal orders');

/** Draws mostly moves, and supports of orders that are possible. Waives or disbands in 1 of 16 builds and retreats. */
export const policy = makeKind(
  'policy',
  POLICY,
  'draws of the heuristic sampler that rollouts use: weighted templates, mostly moves and matching supports',
);
