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

/** What is done with a chunk. */
export const work = [
  'reset',
  'check',
  'describe',
  'decode',
  'apply',
  'random',
  'copy',
  'engine',
  'load',
  'choose',
] as const;
export type Work = (typeof work)[number];

export class Core {
  declare private readonly games: Games;
  declare private readonly decoder: ActionDecoder;
  declare private readonly agents: AgentOrders;
  declare readonly description: Description;
  declare private readonly choices: Choices;
  declare readonly endings: Endings;
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

  /** Does some work with the games of one chunk. @param a and b: arguments of the work */
  perform(what: Work, first: number, end: number, a = 0, b = 0): number | Promise<void> {
    const { decoder, description, agents, random } = this;
    switch (what) {
      case 'reset':
        this.reset(first, end);
        description.describeMasked(first, end);
        return 0;
      case 'check':
        this.check(first, end);
        description.describeMasked(first, end);
        return 0;
      case 'describe':
        description.describe(first, end);
        return 0;
      case 'decode':
        decoder.decode(first, end);
        return 0;
      case 'apply':
        return this.apply(first, end, a === 1) ?? 0;
      case 'random':
        return random.play(first, end, a, b);
      case 'copy':
        for (let row = first; row < end; row++) this.games.copy(a, row);
        return 0;
      case 'engine':
        return random.playEngine(a, b);
      case 'load':
        return agents.load(a).then(() => {});
      case 'choose':
        return this.choices.choose(first, end, a, b) ?? 0;
    }
  }

  /** Restarts the games of `mask` with their `seeds`. */
  private reset(first: number, end: number): void {
    const { mask, seeds } = this.games.arrays;
    for (let row = first; row < end; row++) {
      if (mask[row] === 0) continue;
      this.games.restart(row, seeds[row]);
      this.games.clearStep(row);
    }
  }

  /** Takes over the positions of `mask`, which the client wrote. @throws ActionError for the first that is none */
  private check(first: number, end: number): void {
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
  private apply(first: number, end: number, toDecision: boolean): void | Promise<void> {
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
}
