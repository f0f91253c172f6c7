// The agent that plays by DumbBot's heuristics, a yardstick in the literature.
import type { Game, Power, Random } from '../../engine/internal.js';
import { dumbbotOrders } from '../heuristics/dumbbot-orders.js';
import { holdIllegal } from '../heuristics/mend.js';
import type { Agent, AgentKind } from './agent.js';

const agent: Agent = {
  name: 'dumbbot',
  options: {},
  concurrency: Number.POSITIVE_INFINITY,
  choose: (game: Game, power: Power, out: Int32Array, random: Random) => {
    const count = dumbbotOrders(game, power, out, random.next());
    holdIllegal(game, out, count);
    return count;
  },
};

export const dumbbot: AgentKind = {
  name: 'dumbbot',
  help: "David Norman's DumbBot: each unit goes where it is worth most, or helps the one that does",
  options: {},
  make: () => agent,
};
