// Makes agents by name, from the registry or from a user's module.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Agent, AgentKind, AgentOption, OptionValue } from './agent.js';
import { dumbbot } from './dumbbot.js';
import { greedy } from './greedy.js';
import { hold } from './hold.js';
import { policy, random } from './sampled.js';
import { search } from './search.js';

/** The agents that ship with Lepanto. Their orders are legal, so play() does not check them. */
export const agentKinds: readonly AgentKind[] = [random, hold, policy, greedy, dumbbot, search];

/** True for an agent that ships with Lepanto. */
export const isBuiltIn = (agent: Agent): boolean => agentKinds.some((kind) => kind.name === agent.name);

const oneOf = (names: readonly string[]): string => `one of ${names.join(', ')}`;

const parseOption = (agent: string, key: string, option: AgentOption, text: string): OptionValue => {
  if ('words' in option) {
    if (option.words.includes(text)) return text;
    throw new RangeError(`agent ${agent}, option ${key}: got "${text}", wanted ${oneOf(option.words)}`);
  }
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= option.least && value <= option.most) return value;
  throw new RangeError(
    `agent ${agent}, option ${key}: got "${text}", wanted a number from ${option.least} to ${option.most}`,
  );
};

/**
 * Makes the agent that a text names: `search:ms=500:depth=2`.
 * @throws RangeError for an unknown name, option or value; it lists the known ones
 */
export const parseAgent = (text: string, kinds: readonly AgentKind[] = agentKinds): Agent => {
  const [name = '', ...pairs] = text.trim().split(':');
  const kind = kinds.find((candidate) => candidate.name === name);
  if (kind === undefined)
    throw new RangeError(
      `agent: got "${name}", wanted ${oneOf(kinds.map((candidate) => candidate.name))}, or ./FILE.js with an agent of yours`,
    );
  const options: Record<string, OptionValue> = {};
  for (const [key, option] of Object.entries(kind.options)) options[key] = option.default;
  for (const pair of pairs) {
    const [key = '', ...value] = pair.split('=');
    const option = Object.hasOwn(kind.options, key) ? kind.options[key] : undefined;
    if (option === undefined) {
      const keys = Object.keys(kind.options);
      const wanted = keys.length === 0 ? 'no options' : oneOf(keys);
      throw new RangeError(`agent ${name}, option: got "${key}", wanted ${wanted}`);
    }
    options[key] = parseOption(name, key, option, value.join('='));
  }
  return kind.make(options);
};

/** True for the name of a user's module: './my-agent.js', '../a.mjs', '/home/me/a.js'. */
export const isModuleName = (text: string): boolean => /^(\.{0,2}\/)/.test(text.trim());

const isKind = (value: unknown): value is AgentKind =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as AgentKind).make === 'function' &&
  typeof (value as AgentKind).options === 'object';

const loadKind = async (path: string): Promise<AgentKind> => {
  const file = resolve(path);
  if (!existsSync(file)) throw new RangeError(`agent ${path}: got no file ${file}, wanted a module`);
  let module: { readonly default?: unknown };
  try {
    module = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new RangeError(`agent ${path}: ${(error as Error).message}`);
  }
  const kind = module.default;
  if (!isKind(kind))
    throw new RangeError(`agent ${path}: got no agent, wanted a default export {name, help, options, make}`);
  const make: AgentKind['make'] = (options) => {
    const agent = kind.make(options);
    if (typeof agent?.choose !== 'function') throw new RangeError(`agent ${path}: got no choose(), wanted an agent`);
    return { name: path, options, choose: (...args) => agent.choose(...args) };
  };
  return { name: path, help: kind.help ?? '', options: kind.options, make };
};

/**
 * Makes the agent that a text names, from the registry or from a user's module: './my-agent.js:key=value'. The module's
 * default export is an AgentKind; its agents' orders are checked.
 * @throws RangeError as parseAgent() does, or for a module that cannot be loaded or is no agent
 */
export const loadAgent = async (text: string, kinds: readonly AgentKind[] = agentKinds): Promise<Agent> => {
  const [name = ''] = text.trim().split(':');
  return parseAgent(text, isModuleName(name) ? [await loadKind(name)] : kinds);
};

/** The text that parseAgent() reads, with every option written out: two agents with equal texts play alike. */
export const formatAgent = (agent: Agent): string =>
  [agent.name, ...Object.entries(agent.options).map(([key, value]) => `${key}=${value}`)].join(':');

/**
 * Makes the agents of a game by power from `random` or `a,b,c,d,e,f,g`: a single name fills all seats, else the list has
 * one for each power in the order of the map.
 * @throws RangeError for another count, or as parseAgent() does
 */
export const parseAgents = (
  text: string,
  powerCount: number,
  kinds: readonly AgentKind[] = agentKinds,
): readonly Agent[] => {
  const names = splitAgents(text, powerCount);
  return Array.from({ length: powerCount }, (_, power) => parseAgent(names[power % names.length] ?? '', kinds));
};

const splitAgents = (text: string, powerCount: number): string[] => {
  const names = text.split(',');
  if (names.length === 1 || names.length === powerCount) return names;
  throw new RangeError(`agents: got ${names.length}, wanted 1 for all powers or ${powerCount}, one for each`);
};

/** Like parseAgents(), but also loads users' modules. */
export const loadAgents = (
  text: string,
  powerCount: number,
  kinds: readonly AgentKind[] = agentKinds,
): Promise<readonly Agent[]> => {
  const names = splitAgents(text, powerCount);
  return Promise.all(
    Array.from({ length: powerCount }, (_, power) => loadAgent(names[power % names.length] ?? '', kinds)),
  );
};
