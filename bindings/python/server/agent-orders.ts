// Orders of the powers that agents play: who plays which power of a game, and how agents are asked.
import { hashSeed, hasOrders, type Power, Random } from '../../../engine/internal.js';
import { askAgent, SharedTables } from '../../../selfplay/games/ask.js';
import { type Agent, NO_PAST, UNBOUNDED } from '../../../selfplay/question/agent.js';
import type { Games } from './games.js';
import { BY_HANDSHAKE, CLIENT, NamedAgents } from './named-agents.js';
import { isAskedTogether, readsPast } from './opponents.js';

/** The agent of a power; null for none, a promise if this thread has to make it first. */
export type AgentFinder = (row: number, power: Power) => Agent | null | Promise<Agent>;

export class AgentOrders {
  declare private readonly named: NamedAgents;
  declare private readonly hasReaders: boolean;
  /** Orders of one agent, and of a phase. */
  declare private readonly chosen: Int32Array;
  declare private readonly orders: Int32Array;
  /** Orders of agents that have been asked together, by row * powerCount + power. */
  private readonly answers: Map<number, Int32Array> = new Map();
  declare private shared: SharedTables;

  constructor(
    private readonly games: Games,
    /** Agent by power as the batch was made; null for a power that the client orders. */
    private readonly agents: readonly (Agent | null)[],
    agentTexts: Uint8Array = new Uint8Array(0),
  ) {
    const { provinceCount, powerCount } = games.map;
    this.named = new NamedAgents(agentTexts);
    this.hasReaders = agents.some((agent) => agent !== null && readsPast(agent));
    this.chosen = new Int32Array(provinceCount);
    this.orders = new Int32Array(games.slots + powerCount * provinceCount);
    this.shared = this.shareTables();
  }

  private shareTables(): SharedTables {
    const { map, rules } = this.games;
    return new SharedTables(map, rules, this.games.at(0).layout, [...this.agents, ...this.named.all()]);
  }
  /** @throws LepantoError if an agent has changed what it shares with the games */
  checkShared(first: number): void {
    this.shared.check(first);
  }

  /** Makes a named agent in this thread. */
  async load(number: number): Promise<Agent> {
    const agent = this.named.get(number) ?? (await this.named.load(number));
    this.shared = this.shareTables();
    return agent;
  }

  private seat(row: number, power: Power): number {
    return this.games.arrays.seats[row * this.games.map.powerCount + power];
  }
  /** True if the client orders a power. */
  isClients(row: number, power: Power): boolean {
    const seat = this.seat(row, power);
    return seat === CLIENT || (seat === BY_HANDSHAKE && (this.agents[power] ?? null) === null);
  }
  /** The agent that plays a power; null if the client orders it. */
  readonly agentOf: AgentFinder = (row, power) => {
    const seat = this.seat(row, power);
    if (seat === BY_HANDSHAKE) return this.agents[power] ?? null;
    return seat === CLIENT ? null : (this.named.get(seat) ?? this.load(seat));
  };

  /** True if agents may play in these games. */
  play(first: number, end: number): boolean {
    const { powerCount } = this.games.map;
    if (this.agents.some((agent) => agent !== null)) return true;
    const { seats } = this.games.arrays;
    for (let i = first * powerCount; i < end * powerCount; i++) if (seats[i] !== BY_HANDSHAKE) return true;
    return false;
  }

  /** True if some agent may want to know what was played before. The same in all threads, whichever agents they have made. */
  keepPast(): boolean {
    return this.hasReaders || this.named.hasAny();
  }

  /** @param seed of draws that are not those of an opponent; 0 for an opponent's */
  private ask(agent: Agent, row: number, power: Power, out: Int32Array, seed: number): number | Promise<number> {
    const { past, arrays } = this.games;
    const game = this.games.at(row);
    if (!hasOrders(game, power)) return 0;
    const { phases, episodeSeed } = arrays;
    const from = seed === 0 ? episodeSeed[row] : hashSeed(episodeSeed[row], seed, row);
    const random = new Random(from, phases[row], power);
    const known = this.keepPast() ? past.of(row, phases[row]) : NO_PAST;
    return askAgent(agent, { game, power, random, budget: UNBOUNDED, index: row, past: known }, out);
  }

  /** Asks those agents of some games that take many questions at once, and keeps their answers. */
  async askTogether(rows: Iterable<number>, agentOf: AgentFinder, seed = 0): Promise<void> {
    const { powerCount, provinceCount } = this.games.map;
    const waiting: Promise<unknown>[] = [];
    this.answers.clear();
    for (const row of rows)
      for (let q = 0; q < powerCount; q++) {
        const found = agentOf(row, q);
        const agent = found instanceof Promise ? await found : found;
        if (agent === null || !isAskedTogether(agent)) continue;
        const out = new Int32Array(provinceCount);
        const asked = Promise.resolve(this.ask(agent, row, q, out, seed));
        waiting.push(asked.then((count) => this.answers.set(row * powerCount + q, out.subarray(0, count))));
      }
    await Promise.all(waiting);
  }

  /** Orders of an agent: those that askTogether() has kept, or its answer now. They hold until the next call. */
  async ordersOf(agent: Agent, row: number, power: Power, seed = 0): Promise<Int32Array> {
    const answered = this.answers.get(row * this.games.map.powerCount + power);
    return answered ?? this.chosen.subarray(0, await this.ask(agent, row, power, this.chosen, seed));
  }

  /** The orders of the client and those of the agents of a game. What is given is not changed: a step can be played again. */
  async join(row: number, given: Int32Array, agentOf: AgentFinder = this.agentOf): Promise<Int32Array> {
    const { orders } = this;
    let n = given.length;
    orders.set(given);
    for (let q = 0; q < this.games.map.powerCount; q++) {
      const found = agentOf(row, q);
      if (found === null) continue;
      const added = await this.ordersOf(found instanceof Promise ? await found : found, row, q);
      orders.set(added, n);
      n += added.length;
    }
    return orders.subarray(0, n);
  }
}
