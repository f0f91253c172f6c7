// Orders of one power drawn from the weighted templates of the rollouts: mostly moves, and supports that match a unit
// which could move or hold there (the policy sampler, engine/sampling/sampler.ts).
import {
  type Game,
  MOVEMENT,
  ordererOf,
  POLICY,
  type Power,
  type Province,
  type Random,
  unitPower,
} from '../../engine/internal.js';
import { board } from '../../engine/resolve/index.js';
import { load, packedOrder, played, playOpen, release, step } from '../../engine/sampling/stepper.js';

const { order } = board;
const stream = new Int32Array(2);

/** The orders are on the board afterwards; the game is not: nobody may play on. */
const samplePhase = (game: Game, random: Random): void => {
  stream[0] = random.next();
  stream[1] = random.next();
  load(game, stream);
  if (game.phase === MOVEMENT) step(POLICY);
  else playOpen(POLICY);
  release();
};

/**
 * Draws the movement orders of every power, and writes those of one.
 * @returns their number
 */
export const samplePolicyMoves = (game: Game, power: Power, out: Int32Array, random: Random): number => {
  samplePhase(game, random);
  let n = 0;
  for (let p: Province = 0; p < game.map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit !== 0 && unitPower(unit) === power) out[n++] = packedOrder(order[p], game.unitLocation(p));
  }
  return n;
};

/** Draws the orders of one power in any phase. @returns their number */
export const policyOrders = (game: Game, power: Power, out: Int32Array, random: Random): number => {
  if (game.phase === MOVEMENT) return samplePolicyMoves(game, power, out, random);
  samplePhase(game, random);
  const retreating = game.dislodgedCount > 0;
  const list = retreating ? played.retreats : played.adjustments;
  const count = played.counts[retreating ? 0 : 1];
  let n = 0;
  for (let i = 0; i < count; i++) if (ordererOf(game, list[i]) === power) out[n++] = list[i];
  return n;
};
