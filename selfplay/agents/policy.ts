// The agent that draws its orders as rollouts do, by the policy sampler.
import { type Game, POLICY, type Power, type Random } from '../../engine/internal.js';
import { sampledOrders } from '../heuristics/sampled-orders.js';
import type { Agent, AgentKind } from './agent.js';

/** The policy sampler of the engine (engine/sampling/sampler.ts): mostly moves, and supports that match possible ones. */
const agent: Agent = {
  name: 'policy',
  options: {},
  sampler: POLICY,
  choose: (game: Game, power: Power, out: Int32Array, stream: Random) =>
    sampledOrders(POLICY, game, power, out, stream),
};

export const policy: AgentKind = {
  name: 'policy',
  help: 'weighted templates: five moves to three supports of what could happen; the policy of the rollouts',
  options: {},
  make: () => agent,
};
