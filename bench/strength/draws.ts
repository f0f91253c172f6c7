// What agents would order in a position.
import { type Game, hasOrders, type Power, Random } from '../../engine/internal.js';
import { type Agent, UNBOUNDED } from '../../selfplay/agents/agent.js';

/** Orders of each power. */
export type Sample = readonly Int32Array[];

const askFor = async (agent: Agent, game: Game, power: Power, random: Random): Promise<Int32Array> => {
  if (!hasOrders(game, power)) return new Int32Array(0);
  const out = new Int32Array(game.map.provinceCount);
  const count = await agent.choose(game, power, out, random, UNBOUNDED);
  return out.slice(0, count);
};

/** Asks an agent for the orders of all powers. */
export const askAll = async (agent: Agent, game: Game, seed: number): Promise<Sample> => {
  const sample: Int32Array[] = [];
  for (let q = 0; q < game.map.powerCount; q++) sample.push(await askFor(agent, game, q, new Random(seed, q)));
  return sample;
};

export const joined = (sample: Sample): Int32Array => Int32Array.from(sample.flatMap((orders) => [...orders]));
