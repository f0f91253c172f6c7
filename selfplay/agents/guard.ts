// The agent that holds what it has and takes what is safe.
import { type Game, MOVEMENT, type Power, type Random } from '../../engine/internal.js';
import { guardMoves } from '../heuristics/guard-orders.js';
import { holdIllegal } from '../heuristics/mend.js';
import { settleOrders } from '../heuristics/settle-orders.js';
import type { Agent, AgentKind } from './agent.js';

const choose = (game: Game, power: Power, out: Int32Array, random: Random): number => {
  if (game.phase !== MOVEMENT) return settleOrders(game, power, out);
  const count = guardMoves(game, power, out, random);
  holdIllegal(game, out, count);
  return count;
};

/** Movement: threatened centres first. Retreats and adjustments: the best positions. */
const agent: Agent = { name: 'guard', options: {}, concurrency: Number.POSITIVE_INFINITY, choose };

export const guard: AgentKind = {
  name: 'guard',
  help: 'holds and supports its threatened centres, and takes what no other power can keep it from',
  options: {},
  make: () => agent,
};
