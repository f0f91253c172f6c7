// The agent `greedy`, which plays the candidate order set with the highest value if all other powers hold.
import { type Game, MOVEMENT, type Power, type Random } from '../../engine/internal.js';
import { dumbbotOrders } from '../heuristics/dumbbot.js';
import { plainKind } from '../question/agent.js';
import { findCandidates } from '../search/candidates.js';
import { greediest } from '../search/greedy-response.js';

const CANDIDATES = 100;

const choose = (game: Game, power: Power, out: Int32Array, random: Random): number => {
  if (game.phase !== MOVEMENT) return dumbbotOrders(game, power, out, random.next());
  const { sets } = findCandidates(game, power, random, CANDIDATES);
  const chosen = sets[greediest(game, power, sets)];
  out.set(chosen);
  return chosen.length;
};

/**
 * Agent kind `greedy`. It plays the candidate order set with the highest value if all other powers hold, by the owners,
 * occupants and neighbours of the centres in the next position. DumbBot chooses retreats and adjustments.
 */
export const greedy = plainKind('greedy', 4, 'order set that gains most at once if the other powers hold', choose);
