// Asks one agent for the orders of one power, and makes agents of functions.
import { writeFileSync } from 'node:fs';
import { DATC_3_2, type Game, type Power, Random, standard } from '../../engine/internal.js';
import { parsePosition } from '../../engine/notation/json/position.js';
import { formatOrder, orderedUnits } from '../../engine/notation/text/index.js';
import { parseAgent } from '../../selfplay/agents/registry.js';
import { type Agent, askOne, NO_PAST, type Past, UNBOUNDED } from '../../selfplay/question/agent.js';

/** The orders of a power by an agent. */
export const ordersBy = async (
  agent: Agent,
  game: Game,
  power: Power,
  random: Random,
  past: Past = NO_PAST,
): Promise<Int32Array> => (await askOne(agent, { game, power, random, budget: UNBOUNDED, past })).orders;

/** An agent that answers one question at a time by a function. */
export const agentBy = (
  choose: (game: Game, power: Power, random: Random) => readonly number[] | Int32Array | Promise<Int32Array>,
): Agent => ({
  name: 'custom',
  options: {},
  answer: (questions) =>
    Promise.all(
      questions.map(async ({ game, power, random }) => ({
        orders: Int32Array.from(await choose(game, power, random)),
      })),
    ),
});

/** What an agent of the registry orders for a power in a position of the standard map, as sorted text. */
export const ordersOf = async (agent: string, power: string, record: object, seed = 1): Promise<string[]> => {
  const { game } = parsePosition(record, standard, DATC_3_2);
  const orders = await ordersBy(parseAgent(agent), game, standard.powerNames.indexOf(power), new Random(seed));
  const units = orderedUnits(game);
  return Array.from(orders, (order) => formatOrder(standard, order, units)).sort();
};

/**
 * Writes a module with an agent, and returns its path.
 * @param methods source of what the agent does: 'answer: ([question]) => ...'
 * @param head source before it: imports
 * @param options source of its options
 */
export const writeAgent = (path: string, methods: string, head = '', options = '{}'): string => {
  const make = `(options) => ({ name: 'a', options, ${methods} })`;
  writeFileSync(path, `${head}\nexport default { name: 'a', help: '', options: ${options}, make: ${make} };`);
  return path;
};
