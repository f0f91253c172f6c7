// Agents that play powers of a batch inside the server: those that ship, and users' modules.
import { register } from 'node:module';
import type { CompiledMap, Power } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { loadAgent } from '../../../selfplay/agents/registry.js';
import type { Agent } from '../../../selfplay/question/agent.js';
import { isCommandName, isModuleName } from '../../../selfplay/question/agent-name.js';

/** Makes `import ... from 'lepanto'` in a user's module mean this engine, wherever the module lies. */
const nameOurselves = (): void => {
  const hook = `export const resolve = (name, context, next) =>
    next(name, /^lepanto(\\/|$)/.test(name) ? { ...context, parentURL: ${JSON.stringify(import.meta.url)} } : context);`;
  register(`data:text/javascript,${encodeURIComponent(hook)}`);
};

/** Texts of agents by power. Names of modules are relative to the working directory of the client. */
export type Opponents = Readonly<Record<string, string>>;

/** Powers that agents play. @throws LepantoError for a power that is unknown, or named twice */
export const opponentPowers = (map: CompiledMap, opponents: Opponents): Power[] => {
  const powers: Power[] = [];
  for (const name of Object.keys(opponents)) {
    const power = map.powerNames.indexOf(name.toUpperCase());
    if (power < 0)
      throw new LepantoError('argument', `opponents: got "${name}", wanted one of ${map.powerNames.join(', ')}`);
    if (powers.includes(power))
      throw new LepantoError('argument', `opponents: got "${name}" twice, wanted one agent for each power`);
    powers.push(power);
  }
  return powers;
};

/** True if a module of a user is among the agents: code that may do anything, and end its thread. */
export const hasModules = (opponents: Opponents): boolean => Object.values(opponents).some(isModuleName);

/** True if a bot in a process of its own is among the agents. */
export const hasBots = (opponents: Opponents): boolean => Object.values(opponents).some(isCommandName);

let hasName = false;

/** Makes the agent of a text. @throws LepantoError as loadAgent() does */
export const loadOpponent = (text: string): Promise<Agent> => {
  if (isModuleName(text) && !hasName) {
    nameOurselves();
    hasName = true;
  }
  return loadAgent(text);
};

/**
 * Agents by power; null where the client orders.
 * @throws LepantoError for an unknown power or agent, or for a module that cannot be loaded or is no agent
 */
export const loadOpponents = async (map: CompiledMap, opponents: Opponents): Promise<(Agent | null)[]> => {
  const agents: (Agent | null)[] = map.powerNames.map(() => null);
  const powers = opponentPowers(map, opponents);
  for (const [i, text] of Object.values(opponents).entries()) agents[powers[i]] = await loadOpponent(text);
  return agents;
};
