// The agent that plays a best response to what the others may do.
import { MOVEMENT } from '../../engine/internal.js';
import { settleOrders } from '../evaluation/settle-orders.js';
import type { Agent, AgentKind, OptionValue } from './agent.js';
import { bestResponse } from './best-response.js';

const PLANS = 16;
const MOST_PLANS = 1000;

const make = (options: Readonly<Record<string, OptionValue>>): Agent => {
  const plans = Math.round(Number(options.plans));
  const choose: Agent['choose'] = (game, power, out, random) =>
    game.phase === MOVEMENT ? bestResponse(game, power, out, random, plans) : settleOrders(game, power, out);
  return { name: 'reply', options, concurrency: Number.POSITIVE_INFINITY, choose };
};

/** Movement: a best response to sampled plans of the others. Retreats and adjustments: the best positions. */
export const reply: AgentKind = {
  name: 'reply',
  help: 'best response to sampled plans of the others, by static evaluation of the next position',
  options: { plans: { help: 'samples of what the others may do', default: PLANS, least: 1, most: MOST_PLANS } },
  make,
};
