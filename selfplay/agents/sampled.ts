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
 * free site for each build, each site once, and one legal order there, which may be a waive. Removals: one unit after
 * another.
 */
export const random = makeKind('random', UNIFORM, 'uniformly random legal orders');

/**
 * Draws orders by weighted templates: mostly moves, and supports that match possible orders. In builds and retreats, 1
 * in 16 orders is a waive or disband.
 */
export const policy = makeKind(
  'policy',
  POLICY,
  'draws of the heuristic sampler that rollouts use: weighted templates, mostly moves and matching supports',
);
