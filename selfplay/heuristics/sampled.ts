// Draws the orders of one power by a sampler of the engine (engine/play/sampler.ts, step.ts).
import { board, packedOrder } from '../../engine/adjudicate/movement/index.js';
import { type Game, MOVEMENT, ordererOf, type Power, type Random, unitPower } from '../../engine/internal.js';
import { played, RandomGame } from '../../engine/play/step.js';

const { order } = board;
const { retreats, adjustments, counts } = played;
const onBoard = new RandomGame();
const stream = new Int32Array(2);

/** Draws the orders of one power in any phase by UNIFORM or POLICY. @returns their number */
export const sampledOrders = (sampler: number, game: Game, power: Power, out: Int32Array, random: Random): number => {
  const isMovement = game.phase === MOVEMENT;
  stream[0] = random.next();
  stream[1] = random.next();
  onBoard.load(game, stream);
  if (isMovement) onBoard.begin(sampler);
  else onBoard.playOpen(sampler);
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
