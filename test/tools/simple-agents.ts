// Asks one agent for the orders of one power.
import type { Game, Power, Random } from '../../engine/internal.js';
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
