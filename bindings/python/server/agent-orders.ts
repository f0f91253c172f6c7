// Asks the agents of a batch for orders, and keeps track of which agent plays which power of a game.
import { Game, hashSeed, hasOrders, type Power, Random } from '../../../engine/internal.js';
import { type Agent, NO_PAST, type Past, type Question, UNBOUNDED } from '../../../selfplay/question/agent.js';
import { QuestionLists } from '../../../selfplay/question/question-lists.js';
import type { Games } from './games.js';
import { BY_HANDSHAKE, CLIENT, NamedAgents } from './named-agents.js';

const NO_ORDERS = new Int32Array(0);

/**
 * Finds the agent of a power in the game of a row. The result is null if the power has no agent, and a promise if this
 * thread must create the agent first.
 */
export type AgentFinder = (row: number, power: Power) => Agent | null | Promise<Agent>;

export class AgentOrders {
  private readonly named = new NamedAgents(this.games.shared.agentTexts);
  /** Numbers of the agents that the handshake names, indexed by power; CLIENT for a power that the client orders. */
  private readonly usual: readonly number[] = this.games.setup.seats;
  /** Buffer for the orders of all powers in one phase of a game. */
  private readonly orders = new Int32Array(this.games.slots + this.games.map.powerCount * this.games.map.provinceCount);
  /** Orders that agents gave in the last askAll(), keyed by row * powerCount + power. */
  private readonly answers: Map<number, Int32Array> = new Map();

  constructor(private readonly games: Games) {}

  /**
   * Returns the agent with a number (named-agents.ts), and creates it in this thread if necessary.
   * @throws LepantoError if the agent cannot be created
   */
  async load(number: number): Promise<Agent> {
    return this.named.load(number);
  }

  /** Returns the number of a power's agent, or CLIENT if the client orders the power. */
  private numberOf(row: number, power: Power): number {
    const seat = this.games.arrays.seats[row * this.usual.length + power];
    return seat === BY_HANDSHAKE ? this.usual[power] : seat;
  }
  /** True if the client orders a power. */
  isClients(row: number, power: Power): boolean {
    return this.numberOf(row, power) === CLIENT;
  }
  /**
   * Returns the agent that plays a power, or null if the client orders it. Returns a promise if this thread must create
   * the agent first.
   */
  readonly agentOf: AgentFinder = (row, power) => {
    const number = this.numberOf(row, power);
    return number === CLIENT ? null : (this.named.get(number) ?? this.load(number));
  };

  /** True if agents may play powers in games first .. end - 1. */
  play(first: number, end: number): boolean {
    const { powerCount } = this.games.map;
    if (this.usual.some((number) => number !== CLIENT)) return true;
    const { seats } = this.games.arrays;
    for (let i = first * powerCount; i < end * powerCount; i++) if (seats[i] !== BY_HANDSHAKE) return true;
    return false;
  }

  /** True if the phases of games must be kept, because an agent may read the past of a game. */
  keepPast(): boolean {
    return this.named.readsPast;
  }

  /**
   * Asks each agent once for the orders of all its powers in some games. ordersOf() returns the orders afterwards.
   * @param rows rows of the games
   * @param agentOf finds the agent of a power; null: the power is not asked
   * @param seed 0 for the random streams that opponents use in a step; another seed gives independent streams
   */
  async askAll(rows: Iterable<number>, agentOf: AgentFinder, seed = 0): Promise<void> {
    const { arrays, map, past, rules } = this.games;
    const { episodeSeed, phases, state } = arrays;
    const keepsPast = this.keepPast();
    const asking = new QuestionLists<Question, number>();
    this.answers.clear();
    for (const row of rows) {
      const { stride } = this.games.at(row).layout;
      const game = new Game(map, rules, state, row * stride);
      const from = seed === 0 ? episodeSeed[row] : hashSeed(episodeSeed[row], seed);
      const known: Past = keepsPast ? past.of(row, phases[row]) : { ...NO_PAST, game: String(row) };
      for (let power = 0; power < map.powerCount; power++) {
        const found = agentOf(row, power);
        const agent = found instanceof Promise ? await found : found;
        if (agent === null || !hasOrders(game, power)) continue;
        const random = new Random(from, phases[row], power);
        asking.add(agent, { game, power, random, budget: UNBOUNDED, past: known }, row * map.powerCount + power);
      }
    }
    await asking.ask(
      (agent, questions) => agent.answer(questions),
      (place, { orders }) => this.answers.set(place, orders),
    );
  }

  /** True if an agent has orders due in a game, for any power that the client does not order. */
  order(row: number): boolean {
    const game = this.games.at(row);
    return this.games.map.powerNames.some((_, power) => !this.isClients(row, power) && hasOrders(game, power));
  }

  /**
   * Asks the agents that play in a game for their orders, once for each seed. Returns the orders of all agents
   * together, indexed by seed.
   */
  async askAgain(row: number, seeds: readonly number[]): Promise<Int32Array[]> {
    const { map, past, rules } = this.games;
    const { phases, state } = this.games.arrays;
    const { stride } = this.games.at(row).layout;
    const known: Past = this.keepPast() ? past.of(row, phases[row]) : { ...NO_PAST, game: String(row) };
    const asking = new QuestionLists<Question, number>();
    for (const [i, seed] of seeds.entries()) {
      // Each seed needs its own Game: agents accept only one question for each power of a game.
      const game = new Game(map, rules, state, row * stride);
      for (let power = 0; power < map.powerCount; power++) {
        const found = this.agentOf(row, power);
        const agent = found instanceof Promise ? await found : found;
        if (agent === null || !hasOrders(game, power)) continue;
        const random = new Random(seed, phases[row], power);
        asking.add(agent, { game, power, random, budget: UNBOUNDED, past: known }, i);
      }
    }
    const answers: number[][] = seeds.map(() => []);
    await asking.ask(
      (agent, questions) => agent.answer(questions),
      (i, { orders }) => answers[i].push(...orders),
    );
    return answers.map((orders) => Int32Array.from(orders));
  }

  /** Returns the orders that an agent gave for a power in the last askAll(). Empty if the power had no orders due. */
  ordersOf(row: number, power: Power): Int32Array {
    return this.answers.get(row * this.games.map.powerCount + power) ?? NO_ORDERS;
  }

  /**
   * Returns the orders of the client (`given`), followed by the orders of a game's agents from the last askAll(). The
   * next call overwrites the returned buffer.
   */
  join(row: number, given: Int32Array): Int32Array {
    const { orders } = this;
    let n = given.length;
    orders.set(given);
    for (let q = 0; q < this.games.map.powerCount; q++) {
      const added = this.ordersOf(row, q);
      orders.set(added, n);
      n += added.length;
    }
    return orders.subarray(0, n);
  }
}
