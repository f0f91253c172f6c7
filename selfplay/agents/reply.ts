// The agent that replies as well as it can to what the others may do.
import { type Game, MOVEMENT, type Power, type Random } from '../../engine/internal.js';
import { replyMoves } from '../heuristics/reply-orders.js';
import { settleOrders } from '../heuristics/settle-orders.js';
import type { Agent, AgentKind, OptionValue } from './agent.js';

const PLANS = 16;
const MOST_PLANS = 1000;

const make = (options: Readonly<Record<string, OptionValue>>): Agent => {
  const plans = Math.round(Number(options.plans));
  const choose = (game: Game, power: Power, out: Int32Array, random: Random): number => {
    return game.phase === MOVEMENT ? replyMoves(game, power, out, random, plans) : settleOrders(game, power, out);
  };
  return { name: 'reply', options, concurrency: Number.POSITIVE_INFINITY, choose };
};

/** Movement: the best replies to sampled plans of the others. Retreats and adjustments: the best positions. */
export const reply: AgentKind = {
  name: 'reply',
  help: 'best replies to sampled plans of the others, found by trying order sets and valuing the result at once',
  options: { plans: { help: 'samples of what the others may do', default: PLANS, least: 1, most: MOST_PLANS } },
  make,
};
