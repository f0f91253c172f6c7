// Reads the agents that options name.
import { expandAgents } from '../../selfplay/agents/expand-agents.js';
import { asUsage, UsageError } from './usage.js';

/** Agents with all their options. @throws UsageError that names the option */
export const readAgents = async (option: string, names: readonly string[], choiceMs: number): Promise<string[]> => {
  try {
    return await expandAgents(names, choiceMs);
  } catch (error) {
    throw asUsage(option, new Error((error as Error).message.replace(/^agents?: /, '')));
  }
};

export const readAgent = async (option: string, text: string, choiceMs: number): Promise<string> => {
  const [one, ...more] = await readAgents(option, text.split(','), choiceMs);
  if (one === undefined || more.length > 0) throw new UsageError(`--${option}: got ${text}, wanted one agent`);
  return one;
};
