// The agent that takes what it can get now: chooses among some order sets the one that gives it most if all others hold.
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
 * Movement: plays the candidates of the search against powers that hold, and values each result at once by who owns,
 * occupies and borders each centre. Retreats and adjustments are DumbBot's.
 */
export const greedy = plainKind(
  'greedy',
  4,
  'takes the order set with the best centres at once if the others hold',
  choose,
);
