// The legal orders of one power.
import { allLegalOrders, type Game, MAX_LOCATIONS, type Order, ordererOf, type Power } from '../../engine/internal.js';

const legal = new Int32Array(1 << 17);
const offsets = new Int32Array(MAX_LOCATIONS + 1);

export const ownLegal = (game: Game, power: Power): Order[] => {
  const count = allLegalOrders(game, legal, offsets);
  const own: Order[] = [];
  for (let k = 0; k < count; k++)
    if (ordererOf(game, legal[offsets[k]]) === power)
      for (let i = offsets[k]; i < offsets[k + 1]; i++) own.push(legal[i]);
  return own;
};
