// Agents that play powers of a batch inside the server: those that ship, and users' modules.
import { register } from 'node:module';
import { type CompiledMap, type Game, hasOrders, type Power, type Random } from '../../engine/internal.js';
import { type Agent, UNBOUNDED } from '../../selfplay/agents/agent.js';
import { isModuleName, loadAgent } from '../../selfplay/agents/registry.js';
import { checkChoice } from '../../selfplay/games/play.js';

/** Makes `import ... from 'lepanto'` in a user's module mean this engine, wherever the module lies. */
const nameOurselves = (): void => {
  const hook = `export const resolve = (name, context, next) =>
    next(name, /^lepanto(\\/|$)/.test(name) ? { ...context, parentURL: ${JSON.stringify(import.meta.url)} } : context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
};

/**
 * Agents by power; null where the client orders.
 * @param opponents texts of agents by power; names of modules are relative to the working directory of the client
 * @throws RangeError for an unknown power or agent, or for a module that cannot be loaded or is no agent
 */
export const loadOpponents = async (
  map: CompiledMap,
  opponents: Readonly<Record<string, string>>,
): Promise<(Agent | null)[]> => {
  const agents: (Agent | null)[] = map.powerNames.map(() => null);
  if (Object.values(opponents).some(isModuleName)) nameOurselves();
  for (const [name, agent] of Object.entries(opponents)) {
    const power = map.powerNames.indexOf(name.toUpperCase());
    if (power < 0) throw new RangeError(`opponents: got "${name}", wanted one of ${map.powerNames.join(', ')}`);
    agents[power] = await loadAgent(agent);
  }
  return agents;
};

/**
 * Asks an agent for the orders of a power, written to `out`; returns their number.
 * @throws Error that names agent, power and phase if a user's agent gives orders that are not legal
 */
export const askOpponent = async (
  agent: Agent,
  game: Game,
  power: Power,
  out: Int32Array,
  random: Random,
): Promise<number> => {
  if (!hasOrders(game, power)) return 0;
  const count = await agent.choose(game, power, out, random, UNBOUNDED);
  checkChoice(agent, game, power, out, count);
  return count;
};
