// The agents that draw their orders by a sampler of the engine (engine/play/sampler.ts, step.ts): uniformly from the
// legal orders, or by the weighted templates of the rollouts.

import { board, packedOrder } from '../../engine/adjudicate/movement/index.js';
import { type Game, MOVEMENT, ordererOf, type Power, type Random, unitPower } from '../../engine/internal.js';
import { begin, load, POLICY, played, playOpen, release, UNIFORM } from '../../engine/play/step.js';
import { type AgentKind, plainKind } from './agent.js';

const { order } = board;
const { retreats, adjustments, counts } = played;
const stream = new Int32Array(2);

/** Draws the orders of one power in any phase by UNIFORM or POLICY. @returns their number */
export const sampledOrders = (sampler: number, game: Game, power: Power, out: Int32Array, random: Random): number => {
  const isMovement = game.phase === MOVEMENT;
  stream[0] = random.next();
  stream[1] = random.next();
  load(game, stream);
  if (isMovement) begin(sampler);
  else playOpen(sampler);
  release();
  let n = 0;
  if (isMovement)
    for (let p = 0; p < game.map.provinceCount; p++) {
      const unit = game.unitAt(p);
      if (unit !== 0 && unitPower(unit) === power) out[n++] = packedOrder(order[p], game.unitLocation(p));
    }
  else {
    const retreating = game.dislodgedCount > 0;
    const list = retreating ? retreats : adjustments;
    const count = counts[retreating ? 0 : 1];
    for (let i = 0; i < count; i++) if (ordererOf(game, list[i]) === power) out[n++] = list[i];
  }
  return n;
};

const makeKind = (name: string, sampler: number, help: string): AgentKind =>
  plainKind(name, help, (game, power, out, stream) => sampledOrders(sampler, game, power, out, stream), sampler);

/**
 * Movement and retreats: one of the legal orders of each unit, a disband among the retreats. Builds: a free site is drawn
 * for each that is due, no site twice, and there one of its legal orders, a waive among them. Removals: units drawn one
 * after another. Within each draw everything is equally likely.
 */
export const random = makeKind('random', UNIFORM, 'every unit draws one of its legal orders, all equally likely');

/** Mostly moves, and supports of units that could move or hold there. One retreat or build in sixteen is given up. */
export const policy = makeKind(
  'policy',
  POLICY,
  'heuristic sampler: weighted templates, five moves to three supports of what could happen; rollouts draw by it',
);
