// The agent that draws all its orders uniformly from the legal ones.
import { type Game, type Power, type Random, UNIFORM } from '../../engine/internal.js';
import { sampledOrders } from '../heuristics/sampled-orders.js';
import type { Agent, AgentKind } from './agent.js';

/**
 * Movement and retreats: one of the legal orders of each unit, a disband among the retreats. Builds: a free site is drawn
 * for each that is due, no site twice, and there one of its legal orders, a waive among them. Removals: units drawn one
 * after another. Within each draw everything is equally likely.
 */
const agent: Agent = {
  name: 'random',
  options: {},
  sampler: UNIFORM,
  choose: (game: Game, power: Power, out: Int32Array, stream: Random) =>
    sampledOrders(UNIFORM, game, power, out, stream),
};

export const random: AgentKind = {
  name: 'random',
  help: 'every unit draws one of its legal orders, all equally likely',
  options: {},
  make: () => agent,
};
