// The agent `dumbbot`: David Norman's heuristics.
import { holdIllegal } from '../evaluation/hold-illegal.js';
import { dumbbotOrders } from '../heuristics/dumbbot.js';
import { plainKind } from '../question/agent.js';

export const dumbbot = plainKind(
  'dumbbot',
  1,
  "David Norman's DumbBot: each unit goes where it is worth most, or helps the one that does",
  (game, power, out, random) => {
    const count = dumbbotOrders(game, power, out, random.next());
    holdIllegal(game, out, count);
    return count;
  },
);
