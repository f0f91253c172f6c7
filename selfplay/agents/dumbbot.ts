// The agent `dumbbot`: David Norman's heuristics.
import { holdIllegal } from '../evaluation/hold-illegal.js';
import { dumbbotOrders } from '../heuristics/dumbbot.js';
import { plainKind } from '../question/agent.js';

export const dumbbot = plainKind(
  'dumbbot',
  1,
  "David Norman's DumbBot: each unit moves to the most valuable province, or supports a move there",
  (game, power, out, random) => {
    const count = dumbbotOrders(game, power, out, random.next());
    holdIllegal(game, out, count);
    return count;
  },
);
