// Asks one agent for the orders of one power, and makes agents of functions.
import { writeFileSync } from 'node:fs';
import { type Game, type Power, Random, standard } from '../../engine/internal.js';
import { parseAgent } from '../../selfplay/agents/registry.js';
import { type Agent, askOne, NO_PAST, type Past, UNBOUNDED } from '../../selfplay/question/agent.js';
import { position, textsOf } from './positions.js';

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
  const game = position(record);
  return textsOf(game, await ordersBy(parseAgent(agent), game, standard.power(power), new Random(seed))).sort();
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
