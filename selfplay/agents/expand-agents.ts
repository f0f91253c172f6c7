// Expands the texts of user agents with all their options, in a separate thread, because loading a module runs its
// code.
import { LepantoError } from '../../engine/rules/error.js';
import { makePool } from '../crew/pool.js';
import { formatAgentName, isModuleName, readAgentName } from '../question/agent-name.js';
import { formatAgent } from '../question/parse-kind.js';
import { loadAgent, parseAgent } from './registry.js';

export const expandHere = async (texts: readonly string[]): Promise<string[]> => {
  const expanded: string[] = [];
  for (const text of texts) expanded.push(formatAgent(await loadAgent(text)));
  return expanded;
};

const expandInThread = async (data: readonly string[], limit: number): Promise<string[]> => {
  const pool = makePool({ workers: 1 });
  const refuse = ({ message }: Error): never => {
    throw new LepantoError('agent', message);
  };
  const call = { module: import.meta.url, name: 'expandHere', data };
  try {
    return await pool.call<string[]>(call, { watch: { limit, onWarning: () => {} }, onCrash: refuse }).catch(refuse);
  } finally {
    await pool.close();
  }
};

/**
 * Returns the texts of agents with every option written out, in the format of formatAgent(). Modules are loaded in a
 * thread that ends with this call, so that their code does not run in the calling thread.
 * @param limit time limit for loading, in milliseconds; 0 for no limit
 * @throws LepantoError for an unknown agent, option or value, or if a module cannot be loaded, ends its thread or
 *   exceeds the limit
 */
export const expandAgents = async (texts: readonly string[], limit: number): Promise<string[]> => {
  const modules = [...new Set(texts.filter(isModuleName))];
  const known = modules.length === 0 ? [] : await expandInThread(modules, limit);
  return texts.map((text) => {
    const named = readAgentName(text);
    if (named.kind === 'command') return formatAgentName(named);
    return known[modules.indexOf(text)] ?? formatAgent(parseAgent(text));
  });
};
