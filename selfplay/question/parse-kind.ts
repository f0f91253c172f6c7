// Parses an agent text into a kind of agent and its option values. Runs in browsers too, and loads no agents.
import { isSimilar, LepantoError } from '../../engine/rules/error.js';
import type { Agent, AgentKind, OptionValue } from './agent.js';
import { formatAgentName, readAgentName } from './agent-name.js';
import { type AgentOption, parseOption, wantedBy } from './option.js';

const oneOf = (names: readonly string[]): string => `one of ${names.join(', ')}`;

const readOption = (agent: string, key: string, option: AgentOption, text: string): OptionValue => {
  const value = parseOption(option, text);
  if (value !== undefined) return value;
  throw new LepantoError('agent', `agent ${agent}, option ${key}: got "${text}", wanted ${wantedBy(option)}`);
};

/** Names of the agents that are not in the list of kinds, for error messages. */
const OTHERS = 'a module as ./FILE.js, or a bot as exec:COMMAND';

/**
 * Parses an agent text such as 'search:ms=500'. Options that the text leaves out get their defaults.
 * @param kinds kinds of agents to choose from
 * @param others description of the other allowed agents, for error messages
 * @throws LepantoError for an unknown kind or option, or a value that is not allowed
 */
export const parseKind = (
  text: string,
  kinds: readonly AgentKind[],
  others = OTHERS,
): { readonly kind: AgentKind; readonly options: Readonly<Record<string, OptionValue>> } => {
  const named = readAgentName(text);
  const { name, options: pairs } = named;
  const kind = named.kind === 'command' ? undefined : kinds.find((candidate) => candidate.name === name);
  const known = oneOf(kinds.map((candidate) => candidate.name));
  if (kind === undefined) {
    const near = kinds.filter((candidate) => name !== '' && isSimilar(name, candidate.name));
    const hint = near.length === 0 ? '' : `; did you mean ${near.map((one) => one.name).join(' or ')}?`;
    throw new LepantoError(
      'agent',
      `agent: got "${formatAgentName({ ...named, options: [] })}", wanted ${known}, ${others}${hint}`,
    );
  }
  const options: Record<string, OptionValue> = {};
  for (const [key, option] of Object.entries(kind.options)) options[key] = option.default;
  for (const pair of pairs) {
    const [key = '', ...value] = pair.split('=');
    const option = Object.hasOwn(kind.options, key) ? kind.options[key] : undefined;
    if (option === undefined) {
      const keys = Object.keys(kind.options);
      const wanted = keys.length === 0 ? 'no options' : oneOf(keys);
      throw new LepantoError('agent', `agent ${name}, option: got "${key}", wanted ${wanted}`);
    }
    options[key] = readOption(name, key, option, value.join('='));
  }
  return { kind, options };
};

/** Returns the agent text for parseAgent(), with the value of every option. Agents with equal texts play alike. */
export const formatAgent = ({ name, options }: Pick<Agent, 'name' | 'options'>): string =>
  [name, ...Object.entries(options).map(([key, value]) => `${key}=${value}`)].join(':');
