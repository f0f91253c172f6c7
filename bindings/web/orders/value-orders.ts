// Values order sets that a page sends, and predicts the orders of the other powers.
import { type Power, phaseName } from '../../../engine/internal.js';
import { orders } from '../../../engine/notation/json/position.js';
import { formatOrder, orderedUnits } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { valueSets } from '../../../selfplay/search/value-sets.js';
import type { AskedValues, FoundValues } from '../page-data.js';
import { openGame } from './asked-game.js';

/** Number of samples of the other powers' orders by which each order set is valued. */
export const VALUE_ROUNDS = 400;

/**
 * Estimates the values of a power's order sets, and predicts the orders of the others.
 * @throws LepantoError if the request is invalid
 */
export const valueOrders = ({ game: asked, power: name, sets }: AskedValues): FoundValues => {
  const { game, rules, seed } = openGame(asked);
  const power = game.map.powerNames.indexOf(name) as Power;
  if (power < 0) throw new LepantoError('record', `power: got "${name.slice(0, 40)}" in ${phaseName(game)}`);
  const packed = sets.map((set) => orders(game, { [name]: [...set] }, [], rules.reading));
  const { values, expected } = valueSets(game, power, packed, VALUE_ROUNDS, seed);
  const units = orderedUnits(game);
  const likeliest = expected.map(({ sets: all, prior }) => all[prior.indexOf(Math.max(...prior))] ?? []);
  return {
    values,
    expected: Object.fromEntries(
      game.map.powerNames.map((one, q) => [
        one,
        Array.from(likeliest[q], (order) => formatOrder(game.map, order, units)),
      ]),
    ),
  };
};
