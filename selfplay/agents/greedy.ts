// The agent that takes what it can get now: of some order sets the one after which it has most, if nobody else moved.
import { type Game, MOVEMENT, type Power, type Random } from '../../engine/internal.js';
import { dumbbotOrders } from '../heuristics/dumbbot-orders.js';
import { findCandidates } from '../search/candidates.js';
import { greediest } from '../search/greedy-reply.js';
import type { Agent, AgentKind } from './agent.js';

const CANDIDATES = 100;

const choose = (game: Game, power: Power, out: Int32Array, random: Random): number => {
  if (game.phase !== MOVEMENT) return dumbbotOrders(game, power, out, random.next());
  const { sets } = findCandidates(game, power, random, CANDIDATES);
  const chosen = sets[greediest(game, power, sets)];
  out.set(chosen);
  return chosen.length;
};

/**
 * Movement: the candidates of the search, each played against powers that hold, and valued at once by who owns each
 * centre, stands in it and is next to it. Retreats and adjustments as DumbBot.
 */
const agent: Agent = { name: 'greedy', options: {}, choose };

export const greedy: AgentKind = {
  name: 'greedy',
  help: 'takes the order set with the best centres at once if the others hold',
  options: {},
  make: () => agent,
};
