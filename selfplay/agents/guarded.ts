// Wraps user agents: checks that their orders are legal, and names the agent in its errors.
import type { Game, Power } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { describeThrown, enterCode, leaveCode, placeIn, warn } from '../crew/user-code.js';
import {
  type Agent,
  type Answer,
  type Candidate,
  type Past,
  placeOf,
  type Question,
  type TalkQuestion,
} from '../question/agent.js';
import { isModuleName } from '../question/agent-name.js';
import { checkOrders } from '../question/check-orders.js';
import type { Said } from '../question/message.js';
import { formatAgent } from '../question/parse-kind.js';

/**
 * Agents whose orders are always legal, so that their answers are not checked: agents that ship with Lepanto, and
 * wrappers.
 */
const trusted = new WeakSet<Agent>();
const guards = new WeakMap<Agent, Agent>();

/** Marks an agent as trusted, so that its answers are not checked. Returns the agent. */
export const trust = (agent: Agent): Agent => {
  trusted.add(agent);
  return agent;
};

const WANTED_ANSWER = 'wanted {orders: packed orders}';
const WANTED_CANDIDATES = 'wanted a list of {orders, probability, value, error}';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Returns a copy of the packed orders in an answer. Returns null unless the value is an Int32Array or a list of
 * integers.
 */
const ordersIn = (value: unknown): Int32Array | null => {
  if (value instanceof Int32Array) return value.slice();
  return Array.isArray(value) && value.every((order) => Number.isInteger(order)) ? Int32Array.from(value) : null;
};

/** Returns the fault of a candidate order set in an answer, as text; null if the candidate is valid. */
const checkCandidate = (game: Game, power: Power, one: unknown): string | null => {
  if (!isObject(one)) return `got ${describeThrown(one)}, ${WANTED_CANDIDATES}`;
  const { orders, probability, value, error } = one as Partial<Candidate>;
  if (!(orders instanceof Int32Array)) return `got ${describeThrown(orders)}, wanted orders as an Int32Array`;
  if (typeof probability !== 'number' || !(probability >= 0 && probability <= 1))
    return `got the probability ${describeThrown(probability)}, wanted 0 to 1`;
  if (typeof value !== 'number' || typeof error !== 'number')
    return `got ${describeThrown(typeof value === 'number' ? error : value)}, wanted numbers as value and error`;
  return checkOrders(game, power, orders);
};

/** Reads and checks an answer of a user agent. Returns the answer, or an error text if it is invalid. */
const readAnswer = (value: unknown, { game, power }: Question): Answer | string => {
  if (!isObject(value)) return `got ${describeThrown(value)}, ${WANTED_ANSWER}`;
  const { orders, candidates } = value as Partial<Answer>;
  const given = ordersIn(orders);
  if (given === null) return `got ${describeThrown(orders)} as orders, ${WANTED_ANSWER}`;
  const wrong = checkOrders(game, power, given);
  if (wrong !== null) return wrong;
  if (candidates === undefined) return { orders: given };
  if (!Array.isArray(candidates)) return `candidates: got ${describeThrown(candidates)}, ${WANTED_CANDIDATES}`;
  for (const one of candidates) {
    const trouble = checkCandidate(game, power, one);
    if (trouble !== null) return `candidates: ${trouble}`;
  }
  return { orders: given, candidates };
};

/**
 * Counts a call of a user module in the totals that are reported at the end of a run. Does nothing for other agents.
 * @param orders number of orders that the call returned
 * @param begin time at which the call began (performance.now())
 */
const noteCall = (agent: Agent, orders: number, begin: number): void => {
  if (!isModuleName(agent.name)) return;
  const seconds = (performance.now() - begin) / 1000;
  warn('asked', formatAgent(agent), '', { orders, cost: null, unit: '', tokens: null, seconds, slowest: seconds });
};

type Asked = Pick<Question, 'game' | 'power' | 'past'>;

const isListOf = (value: unknown, length: number): value is readonly unknown[] =>
  Array.isArray(value) && value.length === length;

/**
 * Calls user code for some questions and reads its answers. Returns the converted answers, in the order of the
 * questions.
 * @param code calls the user code
 * @param read converts one answer, or returns an error text
 * @throws LepantoError with the agent, power, phase and game if the code throws or an answer is invalid
 */
const callUser = async <T>(
  agent: Agent,
  asked: readonly Asked[],
  code: () => unknown,
  read: (answer: unknown, index: number) => T | string,
): Promise<T[]> => {
  const others = asked.length > 1 ? `, or one of ${asked.length - 1} other questions` : '';
  const where = `agent ${agent.name} for ${placeOf(asked[0])}${others}`;
  enterCode(where);
  let found: readonly (T | string)[] | string;
  try {
    const answers: unknown = await code();
    // Reading an answer may run user code too, such as getters.
    found = isListOf(answers, asked.length)
      ? Array.from(answers, read)
      : `got ${Array.isArray(answers) ? `${answers.length} answers` : describeThrown(answers)}, wanted a list of ${asked.length}`;
  } catch (thrown) {
    throw new LepantoError('agent', `${where}: threw ${describeThrown(thrown)}${placeIn(agent.name, thrown)}`);
  } finally {
    leaveCode();
  }
  if (typeof found === 'string') throw new LepantoError('agent', `${where}: ${found}`);
  return found.map((one, i) => {
    if (typeof one !== 'string') return one;
    throw new LepantoError('agent', `agent ${agent.name} for ${placeOf(asked[i])}: ${one}`);
  });
};

/** Calls `ask` for successive parts of a list, at most `size` elements each, and concatenates the answers. */
const inParts = async <Q, A>(
  all: readonly Q[],
  size: number,
  ask: (part: readonly Q[]) => Promise<A[]>,
): Promise<A[]> => {
  const answers: A[] = [];
  for (let i = 0; i < all.length; i += size) answers.push(...(await ask(all.slice(i, i + size))));
  return answers;
};

/**
 * Returns a copy of the messages in an answer as plain data, because the messages may be objects with code.
 * @throws Error if JSON cannot express them
 */
const plainData = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

/** Returns the history with a copy of its messages, so that user code cannot change the messages in the game record. */
const copiedPast = (past: Past): Past => {
  const { game, messages } = past;
  return messages === undefined ? past : { game, phases: past.phases, messages: structuredClone(messages) };
};

const makeGuard = (agent: Agent): Agent => {
  const { batch = 1, talk } = agent;
  const copied = <Q extends Asked>(questions: readonly Q[]): Q[] =>
    questions.map((question) => ({ ...question, game: question.game.clone(), past: copiedPast(question.past) }));
  const ask = async (questions: readonly Question[]): Promise<Answer[]> => {
    const begin = performance.now();
    const code = (): unknown => agent.answer(copied(questions));
    const answers = await callUser(agent, questions, code, (answer, i) => readAnswer(answer, questions[i]));
    noteCall(
      agent,
      answers.reduce((sum, { orders }) => sum + orders.length, 0),
      begin,
    );
    return answers;
  };
  const askTalk = async (questions: readonly TalkQuestion[]): Promise<(readonly Said[])[]> => {
    const begin = performance.now();
    const code = async (): Promise<unknown> => plainData(await talk?.(copied(questions)));
    const said = await callUser(agent, questions, code, (one) => one as readonly Said[]);
    noteCall(agent, 0, begin);
    return said;
  };
  return {
    ...{ name: agent.name, options: agent.options, batch },
    answer: (questions) => inParts(questions, batch, ask),
    ...(talk !== undefined && { talk: (questions: readonly TalkQuestion[]) => inParts(questions, batch, askTalk) }),
  };
};

/**
 * Returns an agent whose answers are checked. A trusted agent is returned itself; any other agent is wrapped, always in
 * the same wrapper.
 */
export const guarded = (agent: Agent): Agent => {
  if (trusted.has(agent)) return agent;
  const guard = guards.get(agent) ?? trust(makeGuard(agent));
  guards.set(agent, guard);
  return guard;
};
