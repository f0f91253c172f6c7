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
 * Movement and retreats: one of the legal orders of each unit, a disband among the retreats. Builds: a free site is drawn
 * for each that is due, no site twice, and there one of its legal orders, a waive among them. Removals: units drawn one
 * after another. Within each draw everything is equally likely.
 */
export const random = makeKind('random', UNIFORM, 'every unit draws one of its legal orders, all equally likely');

/** Mostly moves, and supports of units that could move or hold there. One retreat or build in sixteen is given up. */
export const policy = makeKind(
  'policy',
  POLICY,
  'heuristic sampler: weighted templates, five moves to three supports of what could happen; rollouts draw by it',
);
