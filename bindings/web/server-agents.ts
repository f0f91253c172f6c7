// Plays the agents of a page's server: bots in separate processes, and modules. They come only from its command line: a
// name from a page is looked up among them and is never used as a command or path. Each agent has a separate thread,
// watched as in arenas: the thread of an agent that loops is ended after a while, without affecting the server or other
// agents. An agent that loops or fails has no orders in that phase, and the game continues.

import type { ByPower } from '../../engine/notation/json/position.js';
import { hasCode, LepantoError } from '../../engine/rules/error.js';
import { anything, byKey, fieldReader, fields, oneOf, optional, wholeNumber } from '../../engine/rules/shape.js';
import { loadAgent, parseAgent } from '../../selfplay/agents/registry.js';
import { AgentReport, faultText } from '../../selfplay/crew/agent-report.js';
import { makePool, type Pool } from '../../selfplay/crew/pool.js';
import type { AgentWarning } from '../../selfplay/crew/user-code.js';
import { CHOICE_MS } from '../../selfplay/crew/watchdog.js';
import { askTalk, talkRandom } from '../../selfplay/games/play.js';
import type { Agent, Round } from '../../selfplay/question/agent.js';
import { isCommandName, isModuleName } from '../../selfplay/question/agent-name.js';
import { MOST_ROUNDS } from '../../selfplay/question/message.js';
import { askOrders, openGame, pastOf } from './orders/asked-game.js';
import type { GivenOrders } from './page-data.js';

/** A question to one agent in its thread. */
interface AgentTask {
  readonly agent: string;
  readonly powers: readonly string[];
  readonly game: unknown;
  /** Round of press, to ask for messages instead of orders; undefined for orders. */
  readonly round: Round | undefined;
}

/** Answer of an agent to a question, without its faults. */
type Answered = Pick<GivenOrders, 'orders' | 'said'>;

const readRound = optional(fields<Round>({ round: wholeNumber(1, MOST_ROUNDS), rounds: wholeNumber(1, MOST_ROUNDS) }));

/**
 * Asks an agent for the messages of some powers in a round of press. Returns them keyed by power, without orders.
 * @param asked an AskedGame, unchecked
 * @throws LepantoError if the game is invalid
 */
const talk = async (agent: Agent, asked: unknown, powers: readonly string[], round: Round): Promise<Answered> => {
  const { game, seed, phases, messages } = openGame(asked);
  const questions = powers.map((name) => {
    const power = game.map.power(name);
    const random = talkRandom(seed, phases.length, power, round.round);
    return { game, power, random, round, past: pastOf(name, 'page', phases, messages ?? []) };
  });
  const said = await askTalk(agent, questions);
  return { orders: {}, said: Object.fromEntries(powers.map((name, i) => [name, said[i]])) };
};

const known = new Map<string, Agent>();

/**
 * Asks an agent for orders or messages, and loads it if necessary. Called in the agent's thread.
 * @throws LepantoError if the game is invalid
 */
export const answerFor = async ({ agent: name, powers, game, round }: AgentTask): Promise<Answered> => {
  const agent = known.get(name) ?? (await loadAgent(name));
  known.set(name, agent);
  if (round !== undefined) return talk(agent, game, powers, round);
  return { orders: await askOrders(openGame(game), Object.fromEntries(powers.map((power) => [power, agent]))) };
};

/**
 * Loads an agent, also if it is loaded already. Called in the agent's thread. @throws LepantoError if it cannot be
 * loaded
 */
export const load = async (name: string): Promise<void> => {
  known.set(name, await loadAgent(name));
};

/** An agent of the server, and the thread that it runs in. */
class AgentThread {
  private readonly pool: Pool = makePool({ workers: 1, choiceMs: this.report.limit });

  constructor(
    readonly name: string,
    private readonly report: AgentReport,
  ) {}

  /**
   * Calls a function of this module in the agent's thread, and returns its result.
   * @param name name of the function
   * @param data its argument
   * @param onWarning called with each fault of the agent
   * @throws any error of the function; LepantoError if the thread ends or the agent is too slow
   */
  call<T>(name: string, data: unknown, onWarning = this.report.onWarning): Promise<T> {
    const watch = { limit: this.report.limit, onWarning };
    const onCrash = ({ message }: Error): never => {
      throw new LepantoError('agent', `agent ${this.name}: ${message}`);
    };
    return this.pool.call<T>({ module: import.meta.url, name, data }, { label: this.name, watch, onCrash });
  }

  /**
   * Asks the agent. If the agent loops, throws an error or ends its thread, its units hold and it sends no messages.
   * @param onWarning called with each fault of the agent, including such a failure
   * @returns null if the agent failed
   * @throws LepantoError if the game is invalid or the threads are closed
   */
  async ask(task: AgentTask, onWarning: (warning: AgentWarning) => void): Promise<Answered | null> {
    try {
      return await this.call<Answered>('answerFor', task, onWarning);
    } catch (error) {
      if (!hasCode(error, 'agent')) throw error;
      const what = error.message.replace(`agent ${this.name} `, '');
      onWarning({ agent: this.name, kind: 'failed', count: 1, what });
      return null;
    }
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

export class ServerAgents {
  static readonly none = new ServerAgents(new Map(), new AgentReport(0, () => {}));

  private constructor(
    private readonly threads: ReadonlyMap<string, AgentThread>,
    private readonly report: AgentReport,
  ) {}

  /**
   * Loads agents, each in its own thread.
   * @param names names of the agents
   * @param limit time limit for one choice, in milliseconds; 0: no limit
   * @param say called by close() with a sentence for each kind of fault
   * @throws LepantoError if an agent cannot be loaded
   */
  static async load(
    names: readonly string[],
    limit = CHOICE_MS,
    say: (sentence: string) => void = () => {},
  ): Promise<ServerAgents> {
    for (const name of names) if (!isCommandName(name) && !isModuleName(name)) parseAgent(name);
    const report = new AgentReport(limit, say);
    const agents = new ServerAgents(new Map(names.map((name) => [name, new AgentThread(name, report)])), report);
    try {
      await Promise.all(names.map((name) => agents.threads.get(name)?.call('load', name)));
    } catch (error) {
      await agents.close();
      throw error;
    }
    return agents;
  }

  get names(): readonly string[] {
    return [...this.threads.keys()];
  }

  /**
   * Asks agents for orders, or for messages of a round of press. Returns orders and messages keyed by power, and the
   * agents' faults.
   * @param asked an AskedOrders from a page, unchecked
   * @throws LepantoError if the request is invalid
   */
  async ask(asked: unknown): Promise<GivenOrders> {
    const field = fieldReader(asked, 'request');
    const seats = field('seats', byKey(oneOf(this.names)));
    const game = field('game', anything) as unknown;
    const round = field('round', readRound);
    const faults: string[] = [];
    const failed: string[] = [];
    const onWarning = (warning: AgentWarning): void => {
      this.report.onWarning(warning);
      const text = faultText(warning);
      if (text !== null) faults.push(text);
    };
    const answers = await Promise.all(
      [...this.threads.values()].map(async (thread) => {
        const powers = Object.keys(seats).filter((power) => seats[power] === thread.name);
        if (powers.length === 0) return null;
        const answer = await thread.ask({ agent: thread.name, powers, game, round }, onWarning);
        if (answer === null) failed.push(...powers);
        return answer;
      }),
    );
    const orders: ByPower = Object.assign({}, ...answers.map((one) => one?.orders));
    for (const power of failed) orders[power] = [];
    return {
      ...{ orders, faults },
      ...(failed.length > 0 && { failed }),
      ...(round !== undefined && { said: Object.assign({}, ...answers.map((one) => one?.said)) }),
    };
  }

  /** Ends the threads of the agents at once, and reports their faults. */
  async close(): Promise<void> {
    await Promise.all([...this.threads.values()].map((thread) => thread.close()));
    this.report.sumUp();
  }
}
