// The games of a batch server: one thread's view of them, and what it does with a chunk of games.
//
// A step has two parts with all threads in step between them: `decode` reads and checks every action, so that an illegal
// one leaves all games as they were; `apply` adjudicates, ends, restarts and describes the games.
import { adjudicate, checkGame, hasOrders, MOVEMENT, makeResults, type Results } from '../../../engine/internal.js';
import { nextEpisodeSeed } from '../../../engine/play/batch.js';
import type { Agent } from '../../../selfplay/agents/agent.js';
import { ActionDecoder, ActionError } from './action-decoder.js';
import { AgentOrders } from './agent-orders.js';
import { Choices } from './choices.js';
import type { ServerConfig, Setup } from './config.js';
import { Description } from './description.js';
import { Endings } from './endings.js';
import { Games, type SharedWords } from './games.js';
import type { Memory } from './memory.js';
import { RandomPlay } from './random-play.js';

/** Phases without a decision that one call plays at most: some hundred years. */
const MOST_IDLE_PHASES = 500;

const NO_ORDERS = new Int32Array(0);

export class Core {
  declare private readonly games: Games;
  declare private readonly decoder: ActionDecoder;
  declare private readonly agents: AgentOrders;
  declare private readonly description: Description;
  declare private readonly choices: Choices;
  declare private readonly endings: Endings;
  declare private readonly random: RandomPlay;
  declare private readonly results: Results;

  /** @param agents those of loadOpponents() */
  constructor(
    config: ServerConfig,
    setup: Setup,
    agents: readonly (Agent | null)[],
    memory: Memory,
    shared: SharedWords,
  ) {
    this.games = new Games(config, setup, memory, shared);
    this.decoder = new ActionDecoder(this.games, shared.given);
    this.agents = new AgentOrders(this.games, agents, shared.agentTexts);
    this.description = new Description(this.games, this.agents);
    this.choices = new Choices(this.games, this.agents, this.description.lists);
    this.endings = new Endings(this.games);
    this.random = new RandomPlay(this.games, this.endings);
    this.results = makeResults();
  }

  /** True if a game has ended since this was set to false, and its final rows are written. */
  get hasEnded(): boolean {
    return this.endings.hasEnded;
  }
  set hasEnded(value: boolean) {
    this.endings.hasEnded = value;
  }
  /** Entries of legal_ids of the chunk that was described last, up to the last one written; 0 if none was. */
  get listed(): number {
    return this.description.listed;
  }

  /** Restarts the games of `mask` with their `seeds`. */
  reset(first: number, end: number): void {
    const { mask, seeds } = this.games.arrays;
    for (let row = first; row < end; row++) {
      if (mask[row] === 0) continue;
      this.games.restart(row, seeds[row]);
      this.games.clearStep(row);
    }
  }

  /** Takes over the positions of `mask`, which the client wrote. @throws ActionError for the first that is none */
  check(first: number, end: number): void {
    const { games } = this;
    const { mask, phases } = games.arrays;
    for (let row = first; row < end; row++) {
      if (mask[row] === 0) continue;
      const wrong = checkGame(games.at(row)) ?? this.tooManyUnits(row);
      if (wrong !== null) throw new ActionError(row, `game ${row}: ${wrong}`);
      games.longGames?.join(row, games.at(row));
      games.past.begin(row, phases[row]);
      games.clearStep(row);
    }
  }
  private tooManyUnits(row: number): string | null {
    const { map, layout } = this.games;
    const units = new Int32Array(map.powerCount);
    this.games.at(row).countUnits(units);
    const q = units.findIndex((count) => count > layout.maxOrders);
    return q < 0 ? null : `got ${units[q]} units of ${map.powerNames[q]}, wanted at most ${layout.maxOrders}`;
  }

  /** Reads the actions of games. @throws ActionError for the first that is illegal */
  decode(first: number, end: number): void {
    this.decoder.decode(first, end);
  }

  /** Wakes a game that has ended if the mode says so; false if there is nothing to play. */
  private wake(row: number): boolean {
    const { games } = this;
    games.log?.clear(row);
    if (games.isPlaying(row)) return true;
    games.lastOrders?.clear(row);
    if (games.config.resetMode === 'next_step' && !games.isChild(row)) {
      games.restart(row, nextEpisodeSeed(games.arrays.episodeSeed[row]));
      games.clearOutcome(row);
    } else games.clearRewards(row);
    return false;
  }

  private playPhase(row: number, orders: Int32Array): void {
    const { arrays, lastOrders, log, past, tensors } = this.games;
    const game = this.games.at(row);
    const { phase } = game;
    const keepsPast = this.agents.keepPast();
    tensors?.beforePhase(row, game, orders);
    log?.before(row, game, orders);
    if (keepsPast) past.before(row, game, orders);
    adjudicate(game, orders, orders.length, this.results);
    if (keepsPast) past.after(row, game, this.results, arrays.phases[row]);
    arrays.phases[row]++;
    if (phase === MOVEMENT) arrays.steps[row]++;
    lastOrders?.write(row, phase, this.results);
    log?.after(row, game, this.results);
    this.endings.finish(row);
  }

  /**
   * Plays the phase that each game stands at, by the orders of decode() and of the agents.
   * @param toDecision plays on, with the orders of the agents, while the client has nothing to order
   */
  apply(first: number, end: number, toDecision = false): void | Promise<void> {
    if (toDecision || this.agents.play(first, end)) return this.applyWithAgents(first, end, toDecision);
    for (let row = first; row < end; row++) if (this.wake(row)) this.playPhase(row, this.decoder.ordersOf(row));
    this.description.describe(first, end);
  }
  private async applyWithAgents(first: number, end: number, toDecision: boolean): Promise<void> {
    const { agents, decoder } = this;
    const most = toDecision ? MOST_IDLE_PHASES : 0;
    let rows: number[] = [];
    for (let row = first; row < end; row++) if (this.wake(row)) rows.push(row);
    for (let idle = 0; idle <= most && rows.length > 0; idle++) {
      await agents.askTogether(rows, agents.agentOf);
      for (const row of rows)
        this.playPhase(row, await agents.join(row, idle === 0 ? decoder.ordersOf(row) : NO_ORDERS));
      rows = rows.filter((row) => this.isIdle(row));
    }
    agents.checkShared(first);
    this.description.describe(first, end);
  }

  /** True for a game that is not over, and in which the client has nothing to order now. */
  private isIdle(row: number): boolean {
    const { arrays, log, map } = this.games;
    const { terminated, truncated } = arrays;
    if (!this.games.isPlaying(row) || terminated[row] + truncated[row] > 0) return false;
    if (log !== null && !this.games.isChild(row) && !log.hasRoom(row, map)) return false;
    const game = this.games.at(row);
    return map.powerNames.every((_, q) => !(this.agents.isClients(row, q) && hasOrders(game, q)));
  }

  /** Makes a named agent in this thread. */
  async loadAgent(number: number): Promise<void> {
    await this.agents.load(number);
  }
  /** See Choices.choose(). */
  choose(first: number, end: number, number: number, seed: number): void | Promise<void> {
    return this.choices.choose(first, end, number, seed);
  }
  /** See RandomPlay.play(). */
  playRandom(first: number, end: number, count: number, sampler: number): number {
    return this.random.play(first, end, count, sampler);
  }
  /** See RandomPlay.playEngine(). */
  playEngine(milliseconds: number, sampler: number): number {
    return this.random.playEngine(milliseconds, sampler);
  }
  /** Writes everything that the client reads about the games of one chunk. */
  describe(first: number, end: number): void {
    this.description.describe(first, end);
  }
  /** The same for the games of `mask`. */
  describeMasked(first: number, end: number): void {
    this.description.describeMasked(first, end);
  }
  /** Copies a game to the rows of children first .. end. */
  copyTo(from: number, first: number, end: number): void {
    for (let row = first; row < end; row++) this.games.copy(from, row);
  }
}
