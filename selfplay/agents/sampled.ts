// The agents that draw their orders by a sampler of the engine (engine/play/sampler.ts, step.ts).
import { type Game, POLICY, type Power, type Random, UNIFORM } from '../../engine/internal.js';
import { sampledOrders } from '../heuristics/sampled-orders.js';
import type { Agent, AgentKind } from './agent.js';

const makeKind = (name: string, sampler: number, help: string): AgentKind => {
  const agent: Agent = {
    name,
    options: {},
    sampler,
    concurrency: Number.POSITIVE_INFINITY,
    choose: (game: Game, power: Power, out: Int32Array, stream: Random) =>
      sampledOrders(sampler, game, power, out, stream),
  };
  return { name, help, options: {}, make: () => agent };
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
  'weighted templates: five moves to three supports of what could happen; the policy of the rollouts',
);
