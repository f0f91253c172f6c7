// Makes agents from their texts: built-in agents, modules of users, and external bots (exec/).
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LepantoError } from '../../engine/rules/error.js';
import { isObject } from '../../engine/rules/shape.js';
import { describeThrown, enterCode, expectCode, leaveCode, placeIn } from '../crew/user-code.js';
import { limitOfChoice } from '../crew/watchdog.js';
import type { Agent, AgentKind } from '../question/agent.js';
import { readAgentName } from '../question/agent-name.js';
import { parseKind } from '../question/parse-kind.js';
import { readOpponent } from '../search/read-opponent.js';
import { guarded, trust } from './guarded.js';
import { kindsWith } from './kinds.js';
import { net } from './net.js';
import { searchKind } from './search.js';

/** Kinds of the agents that ship with Lepanto. */
export const agentKinds: readonly AgentKind[] = kindsWith(net, searchKind(readOpponent));

/**
 * Makes a built-in agent from a text such as `search:ms=500:depth=2`.
 * @param kinds kinds of agents to choose from
 * @throws LepantoError if a name, option or value is unknown; the message lists the known ones
 */
export const parseAgent = (text: string, kinds: readonly AgentKind[] = agentKinds): Agent => {
  const { kind, options } = parseKind(text, kinds);
  const agent = kind.make(options);
  return agentKinds.includes(kind) ? trust(agent) : agent;
};

/** Makes the agent of an exec: command. Loads the code of the protocol only when it is needed. */
const makeCommand = async (command: string): Promise<Agent> => {
  const { execAgent } = await import('./exec/agent.js');
  return trust(execAgent(command, limitOfChoice()));
};

const isText = (value: unknown): value is string => typeof value === 'string';

const isOption = (option: unknown): boolean => {
  if (!isObject(option)) return false;
  const { default: first, words, least, most } = option;
  if (isText(first)) return option.text === true || (Array.isArray(words) && words.every(isText));
  return [first, least, most].every((value) => typeof value === 'number');
};

const findWrong = (kind: unknown): string | null => {
  if (!isObject(kind) || typeof kind.make !== 'function' || !isObject(kind.options))
    return 'got no agent, wanted a default export {name, help, options, make}';
  const wrong = Object.entries(kind.options).find(([, option]) => !isOption(option));
  return wrong === undefined
    ? null
    : `option ${wrong[0]}: got ${describeThrown(wrong[1])}, wanted {help, default, least, most}, {help, default, words} or {help, default, text}`;
};

/**
 * Calls `run`, which runs code of a module outside of answers, such as its loading, and returns the result.
 * @throws LepantoError with the module's path if `run` throws
 */
const runCode = async <T>(path: string, run: () => T | Promise<T>): Promise<T> => {
  enterCode(`agent ${path}, while it is loaded`);
  try {
    return await run();
  } catch (thrown) {
    throw new LepantoError('agent', `agent ${path}: threw ${describeThrown(thrown)}${placeIn(path, thrown)}`);
  } finally {
    leaveCode();
  }
};

const loadKind = async (path: string): Promise<AgentKind> => {
  const file = resolve(path);
  if (!existsSync(file)) throw new LepantoError('agent', `agent ${path}: got no file ${file}, wanted a module`);
  if (statSync(file).isDirectory()) throw new LepantoError('agent', `agent ${path}: got a directory, wanted a module`);
  expectCode();
  const kind: unknown = await runCode(path, async () => (await import(pathToFileURL(file).href)).default);
  const checked = await runCode(path, (): AgentKind | string => {
    const wrong = findWrong(kind);
    if (wrong !== null) return wrong;
    const { help, options, make } = kind as AgentKind;
    // Copies the checked options, because getters or proxies could return other values later.
    return {
      name: path,
      help: isText(help) ? help : '',
      options: structuredClone(options),
      make: (given) => make.call(kind as AgentKind, given),
    };
  });
  if (typeof checked === 'string') throw new LepantoError('agent', `agent ${path}: ${checked}`);
  return checked;
};

const makeForeign = async (text: string, kind: AgentKind): Promise<Agent> => {
  const { name } = kind;
  const { options } = parseKind(text, [kind]);
  // Reading a field may run code of the module too, such as getters.
  const made = await runCode(name, async (): Promise<Agent | string> => {
    const agent: unknown = await kind.make({ ...options });
    if (!isObject(agent) || typeof agent.answer !== 'function') return ': got no answer(), wanted an agent';
    const { answer, talk, batch } = agent as unknown as Agent;
    if (batch !== undefined && !(Number.isInteger(batch) && batch >= 1))
      return `, batch: got ${describeThrown(batch)}, wanted a whole number from 1`;
    return {
      ...{ name, options, answer: answer.bind(agent) },
      ...(batch !== undefined && { batch }),
      ...(typeof talk === 'function' && { talk: talk.bind(agent) }),
    };
  });
  if (typeof made === 'string') throw new LepantoError('agent', `agent ${name}${made}`);
  return guarded(made);
};

/**
 * Makes an agent from its text: a built-in agent, a user's module ('./my-agent.js:key=value'), or a bot in a separate
 * process ('exec:COMMAND'). The default export of a module must be an AgentKind. The answers of its agents are checked.
 * @throws LepantoError if a name, option or value is unknown, or if a module cannot be loaded or exports no agent kind
 */
export const loadAgent = async (text: string, kinds: readonly AgentKind[] = agentKinds): Promise<Agent> => {
  const { kind, name } = readAgentName(text);
  if (kind === 'command') return makeCommand(name);
  return kind === 'module' ? makeForeign(text, await loadKind(name)) : parseAgent(text, kinds);
};

/**
 * Splits a comma-separated list of agents into one text for each power. A single agent plays all powers.
 * @throws LepantoError if the number of agents is neither 1 nor `powerCount`
 */
export const splitAgents = (text: string, powerCount: number): string[] => {
  const names = text.split(',');
  const wanted = `1 for all powers or ${powerCount}, one for each`;
  if (names.length !== 1 && names.length !== powerCount)
    throw new LepantoError('agent', `agents: got ${names.length}, wanted ${wanted}`);
  return Array.from({ length: powerCount }, (_, power) => names[power % names.length] ?? '');
};

/**
 * Makes built-in agents for all powers from a comma-separated list. A single agent plays all powers. Equal texts share
 * one agent.
 * @returns agents, indexed by power
 * @throws LepantoError if the number of agents is neither 1 nor `powerCount`, or if a name, option or value is unknown
 */
export const parseAgents = (
  text: string,
  powerCount: number,
  kinds: readonly AgentKind[] = agentKinds,
): readonly Agent[] => {
  const texts = splitAgents(text, powerCount);
  const made = new Map([...new Set(texts)].map((one) => [one, parseAgent(one, kinds)]));
  return texts.map((one) => made.get(one) as Agent);
};

/**
 * Makes agents from texts, including user modules and bots. Returns them in the order of the texts. Equal texts share
 * one agent, so that it answers in batches.
 * @throws LepantoError if an agent is unknown or cannot be loaded
 */
export const loadEach = async (
  texts: readonly string[],
  kinds: readonly AgentKind[] = agentKinds,
): Promise<readonly Agent[]> => {
  const made = new Map<string, Agent>();
  for (const text of texts) if (!made.has(text)) made.set(text, await loadAgent(text, kinds));
  return texts.map((text) => made.get(text) as Agent);
};

/**
 * Makes agents of all kinds, also user modules and bots, for all powers from a comma-separated list. Returns them
 * indexed by power. A single agent plays all powers.
 * @throws LepantoError if the number of agents is neither 1 nor `powerCount`, or if an agent is unknown or cannot be
 *   loaded
 */
export const loadAgents = (
  text: string,
  powerCount: number,
  kinds: readonly AgentKind[] = agentKinds,
): Promise<readonly Agent[]> => loadEach(splitAgents(text, powerCount), kinds);
