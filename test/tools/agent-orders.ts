// What agents order in positions of the standard map.

import { DATC_3_2, Random, standard } from '../../engine/internal.js';
import { parsePosition } from '../../engine/notation/json/position.js';
import { formatOrder, orderedUnits } from '../../engine/notation/text/index.js';
import { parseAgent } from '../../selfplay/agents/registry.js';
import { ordersBy } from './simple-agents.js';

/** What an agent orders for a power, as text. */
export const ordersOf = async (agent: string, power: string, record: object, seed = 1): Promise<string[]> => {
  const { game } = parsePosition(record, standard, DATC_3_2);
  const orders = await ordersBy(parseAgent(agent), game, standard.powerNames.indexOf(power), new Random(seed));
  const units = orderedUnits(game);
  return Array.from(orders, (order) => formatOrder(standard, order, units)).sort();
};
