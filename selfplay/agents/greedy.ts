// The agent that takes what it can get now: of some order sets the one after which it has most, if nobody else moved.
import { type Game, hold, MOVEMENT, NO_UNIT, type Power, type Random, unitPower } from '../../engine/index.js';
import type { Agent, AgentKind } from '../agent.js';
import { findCandidates } from '../search/candidates.js';
import { Playouts } from '../search/playout.js';
import { dumbbotOrders } from './dumbbot.js';

const CANDIDATES = 100;

/** Every unit of the other powers holds. */
const othersHold = (game: Game, power: Power): Int32Array => {
  const orders: number[] = [];
  for (let p = 0; p < game.map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit !== NO_UNIT && unitPower(unit) !== power) orders.push(hold(game.unitLocation(p)));
  }
  return Int32Array.from(orders);
};

const choose = (game: Game, power: Power, out: Int32Array, random: Random): number => {
  if (game.phase !== MOVEMENT) return dumbbotOrders(game, power, out, random.next());
  const { sets } = findCandidates(game, power, random, CANDIDATES);
  const playouts = new Playouts(game, { depth: 1, playout: 'policy', value: 'heuristic' });
  const others = playouts.prepare(othersHold(game, power));
  const value = new Float64Array(game.map.powerCount);
  let best = Number.NEGATIVE_INFINITY;
  let count = 0;
  for (const set of sets) {
    playouts.play([others, playouts.prepare(set)], 0, 0, value);
    if (value[power] <= best) continue;
    best = value[power];
    out.set(set);
    count = set.length;
  }
  return count;
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
