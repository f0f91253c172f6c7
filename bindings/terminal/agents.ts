// Parses the agents given in options.
import { expandAgents } from '../../selfplay/agents/expand-agents.js';
import { asUsage, UsageError } from './usage.js';

/**
 * Returns the names of agents with all their options, including options that a user left out. Loads modules.
 * @param option name of the command's option, for errors
 * @param choiceMs time limit for a choice of a bot or module, in milliseconds
 * @throws UsageError that names the option if an agent is invalid
 */
export const readAgents = async (option: string, names: readonly string[], choiceMs: number): Promise<string[]> => {
  try {
    return await expandAgents(names, choiceMs);
  } catch (error) {
    throw asUsage(option, new Error((error as Error).message.replace(/^agents?: /, '')));
  }
};

/**
 * Returns the name of a single agent with all its options, including options that a user left out.
 * @param option name of the command's option, for errors
 * @param choiceMs time limit for a choice of a bot or module, in milliseconds
 * @throws UsageError that names the option if the text is not one agent
 */
export const readAgent = async (option: string, text: string, choiceMs: number): Promise<string> => {
  const [one, ...more] = await readAgents(option, text.split(','), choiceMs);
  if (one === undefined || more.length > 0) throw new UsageError(`--${option}: got ${text}, wanted one agent`);
  return one;
};
