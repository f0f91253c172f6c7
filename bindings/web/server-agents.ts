// The agents that the server of a page plays: bots in processes of their own and modules, those of its command line alone.
// What a page names is looked up among them: a name of a page never becomes a command or a path. Each has a thread of its
// own, with the watch of arenas: code that loops ends its thread after a while, and stops neither the server nor others.

import type { ByPower } from '../../engine/notation/json/position.js';
import { LepantoError } from '../../engine/rules/error.js';
import { anything, byKey, fieldReader, fields, oneOf, optional, wholeNumber } from '../../engine/rules/shape.js';
import { loadAgent, parseAgent } from '../../selfplay/agents/registry.js';
import { AgentReport, faultText } from '../../selfplay/crew/agent-report.js';
import { makePool, type Pool } from '../../selfplay/crew/pool.js';
import { CHOICE_MS } from '../../selfplay/crew/watchdog.js';
import { askTalk, talkRandom } from '../../selfplay/games/play.js';
import type { Agent, Round } from '../../selfplay/question/agent.js';
import { isCommandName, isModuleName } from '../../selfplay/question/agent-name.js';
import { MOST_ROUNDS } from '../../selfplay/question/message.js';
import { askOrders, openGame, pastOf } from './orders/asked-game.js';
import type { GivenOrders } from './page-data.js';

/** What one thread is asked. */
interface AgentTask {
  readonly agent: string;
  readonly powers: readonly string[];
  readonly game: unknown;
  /** A round of press, in place of orders. */
  readonly round: Round | undefined;
}

/** What an agent answers, without its faults. */
type Answered = Omit<GivenOrders, 'faults'>;

const readRound = optional(fields<Round>({ round: wholeNumber(1, MOST_ROUNDS), rounds: wholeNumber(1, MOST_ROUNDS) }));

/** What an agent says in a round of press, by power. */
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

/** Runs in a thread. */
export const answerFor = async ({ agent: name, powers, game, round }: AgentTask): Promise<Answered> => {
  const agent = known.get(name) ?? (await loadAgent(name));
  known.set(name, agent);
  if (round !== undefined) return talk(agent, game, powers, round);
  return { orders: await askOrders(openGame(game), Object.fromEntries(powers.map((power) => [power, agent]))) };
};

/** Runs in a thread. @throws LepantoError for what is no agent */
export const load = async (name: string): Promise<void> => {
  known.set(name, await loadAgent(name));
};

/** An agent of the command line and its thread. */
class AgentThread {
  private readonly pool: Pool = makePool({ workers: 1, choiceMs: this.report.limit });

  constructor(
    readonly name: string,
    private readonly report: AgentReport,
  ) {}

  /** @param onFault called with each fault that the agent showed, as a sentence */
  call<T>(name: string, data: unknown, onFault: (sentence: string) => void = () => {}): Promise<T> {
    const { limit, onWarning } = this.report;
    const watch = {
      limit,
      onWarning: (warning: Parameters<typeof onWarning>[0]) => {
        onWarning(warning);
        const text = faultText(warning);
        if (text !== null) onFault(text);
      },
    };
    const onCrash = ({ message }: Error): never => {
      throw new LepantoError('agent', `agent ${this.name}: ${message}`);
    };
    return this.pool.call<T>({ module: import.meta.url, name, data }, { label: this.name, watch, onCrash });
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
   * @param limit milliseconds for one choice; 0 for as many as an agent takes
   * @param say called at the end with each kind of fault, as a sentence
   * @throws LepantoError for the name of no agent
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
   * Orders by power, or what is said in a round of press, and what the agents got wrong.
   * @param asked AskedOrders of a page
   * @throws LepantoError that names what is wrong
   */
  async ask(asked: unknown): Promise<GivenOrders> {
    const field = fieldReader(asked, 'request');
    const seats = field('seats', byKey(oneOf(this.names)));
    const game = field('game', anything) as unknown;
    const round = field('round', readRound);
    const faults: string[] = [];
    const answers = await Promise.all(
      [...new Set(Object.values(seats))].map((agent) => {
        const powers = Object.keys(seats).filter((power) => seats[power] === agent);
        const task: AgentTask = { agent, powers, game, round };
        return this.threads.get(agent)?.call<Answered>('answerFor', task, (fault) => faults.push(fault));
      }),
    );
    const orders: ByPower = Object.assign({}, ...answers.map((one) => one?.orders));
    if (round === undefined) return { orders, faults };
    return { orders, faults, said: Object.assign({}, ...answers.map((one) => one?.said)) };
  }

  /** Ends the threads, whatever they are doing, and reports the faults of the agents. */
  async close(): Promise<void> {
    await Promise.all([...this.threads.values()].map((thread) => thread.close()));
    this.report.sumUp();
  }
}
