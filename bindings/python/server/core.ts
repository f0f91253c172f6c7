// The games of a batch server: one thread's view of them, and what it does with a chunk of games.
//
// A step has two parts with all threads in step between them: `decode` reads and checks every action, so that an illegal
// one leaves all games as they were; `apply` adjudicates, ends, restarts and describes the games.
import { adjudicate, checkGame, hasOrders, MOVEMENT, makeResults, type Results } from '../../../engine/internal.js';
import { nextEpisodeSeed } from '../../../engine/play/batch.js';
import { ActionDecoder, ActionError } from './action-decoder.js';
import { AgentOrders } from './agent-orders.js';
import { Choices } from './choices.js';
import type { ServerConfig, Setup } from './config.js';
import { Description } from './description.js';
import { Endings } from './endings.js';
import { Games, type ThreadMemory } from './games.js';
import type { Memory } from './memory.js';
import { RandomPlay } from './random-play.js';
import { RolloutPlay } from './rollout-play.js';

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
  'reseed',
  'agents',
  'rollouts',
  'engine',
  'load',
  'choose',
] as const;
export type Work = (typeof work)[number];
type Perform = (first: number, end: number, a: number, b: number) => unknown;

const countOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

export class Core {
  private readonly games: Games = new Games(this.config, this.setup, this.memory, this.shared);
  private readonly decoder: ActionDecoder = new ActionDecoder(this.games);
  private readonly agents: AgentOrders = new AgentOrders(this.games);
  readonly description: Description = new Description(this.games, this.agents);
  private readonly choices: Choices = new Choices(this.games, this.agents, this.description.lists);
  private readonly endings: Endings = new Endings(this.games);
  private readonly random: RandomPlay = new RandomPlay(this.games, this.endings);
  private readonly rollouts: RolloutPlay = new RolloutPlay(this.games, this.agents, this.decoder);
  private readonly results: Results = makeResults();
  /** Centres by power, before a phase and after it. */
  private readonly before = new Int32Array(this.setup.map.powerCount);
  private readonly centers = new Int32Array(this.setup.map.powerCount);

  constructor(
    private readonly config: ServerConfig,
    private readonly setup: Setup,
    private readonly memory: Memory,
    private readonly shared: ThreadMemory,
  ) {}

  /** What is done for each work; a result that is no number counts as 0. */
  private readonly performers: Readonly<Record<Work, Perform>> = {
    reset: (first, end) => this.reset(first, end),
    check: (first, end, fresh) => this.check(first, end, fresh === 1),
    describe: (first, end) => this.description.describe(first, end),
    decode: (first, end, masked) => this.decoder.decode(first, end, masked === 1),
    apply: (first, end, toDecision, masked) => this.apply(first, end, toDecision === 1, masked === 1),
    random: (first, end, count, sampler) => this.random.play(first, end, count, sampler),
    copy: (first, end, fresh) => this.copy(first, end, fresh === 1),
    reseed: (first, end) => this.reseed(first, end),
    agents: (first, end, count, agent) => this.playAgents(first, end, count, agent),
    rollouts: (first) => this.rollouts.play(first),
    engine: (_, __, milliseconds, sampler) => this.random.playEngine(milliseconds, sampler),
    load: (_, __, agent) => this.agents.load(agent),
    choose: (first, end, agent, seed) => this.choices.choose(first, end, agent, seed),
  };

  /** Does some work with the games of one chunk, or task `first` of it. @param a and b: arguments of the work */
  perform(what: Work, first: number, end: number, a = 0, b = 0): number | Promise<number> {
    const done = this.performers[what](first, end, a, b);
    return done instanceof Promise ? done.then(countOf) : countOf(done);
  }

  /** Restarts the games of `mask` with their `seeds`, and describes them. */
  private reset(first: number, end: number): void {
    const { mask, seeds } = this.games.arrays;
    for (let row = first; row < end; row++) {
      if (mask[row] === 0) continue;
      this.games.restart(row, seeds[row]);
      this.games.clearStep(row);
    }
    this.description.describeMasked(first, end);
  }

  /** The chance of the games of `mask` is from here on that of their `seeds`. */
  private reseed(first: number, end: number): void {
    const { mask, seeds } = this.games.arrays;
    for (let row = first; row < end; row++) if (mask[row] !== 0) this.games.reseed(row, seeds[row]);
  }

  /** Copies games to their children. @param fresh the chance of each child is that of `seeds`, not that of its parent */
  private copy(first: number, end: number, fresh: boolean): void {
    const { parents, seeds } = this.games.arrays;
    for (let row = first; row < end; row++) {
      this.games.copy(parents[row], row);
      if (fresh) this.games.reseed(row, seeds[row]);
    }
  }

  /**
   * Takes over the positions of `mask`, which the client wrote, and describes them. @throws ActionError for the first that is none
   * @param fresh their chance is that of `seeds`
   */
  private check(first: number, end: number, fresh: boolean): void {
    const { games } = this;
    const { mask, phases } = games.arrays;
    if (fresh) this.reseed(first, end);
    for (let row = first; row < end; row++) {
      if (mask[row] === 0) continue;
      const wrong = checkGame(games.at(row)) ?? this.tooManyUnits(row);
      if (wrong !== null) throw new ActionError(row, `game ${row}: ${wrong}`);
      games.longGames?.join(row, games.at(row));
      games.past.begin(row, phases[row]);
      games.clearStep(row);
    }
    this.description.describeMasked(first, end);
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
    games.clearGains(row);
    if (games.isPlaying(row)) return true;
    games.lastOrders?.clear(row);
    if (games.config.resetMode === 'next_step' && !games.isChild(row)) {
      games.restart(row, nextEpisodeSeed(games.arrays.episodeSeed[row]));
      games.clearOutcome(row);
    } else games.clearRewards(row);
    return false;
  }

  private playPhase(row: number, orders: Int32Array): void {
    const { arrays, lastOrders, log, map, past, tensors } = this.games;
    const game = this.games.at(row);
    const { phase } = game;
    const { before, centers } = this;
    game.countCenters(before);
    const keepsPast = this.agents.keepPast();
    tensors?.beforePhase(row, game, orders);
    log?.before(row, game, orders);
    if (keepsPast) past.before(row, game, orders);
    adjudicate(game, orders, orders.length, this.results);
    if (keepsPast) past.after(row, game, this.results, arrays.phases[row]);
    game.countCenters(centers);
    for (let q = 0; q < map.powerCount; q++) arrays.centerGains[row * map.powerCount + q] += centers[q] - before[q];
    arrays.phases[row]++;
    if (phase === MOVEMENT) arrays.steps[row]++;
    lastOrders?.write(row, phase, this.results);
    log?.after(row, game, this.results);
    this.endings.finish(row);
  }

  /**
   * Plays the phase that each game stands at, by the orders of decode() and of the agents.
   * @param toDecision plays on, with the orders of the agents, while the client has nothing to order
   * @param masked plays the games of `mask` alone; the others keep all that is written of them
   */
  private apply(first: number, end: number, toDecision: boolean, masked: boolean): void | Promise<void> {
    if (toDecision || this.agents.play(first, end)) return this.applyWithAgents(first, end, toDecision, masked);
    for (let row = first; row < end; row++)
      if (this.takesPart(row, masked) && this.wake(row)) this.playPhase(row, this.decoder.ordersOf(row));
    this.describe(first, end, masked);
  }

  /** True for a game that a step plays. */
  private takesPart(row: number, masked: boolean): boolean {
    const { arrays, log } = this.games;
    if (!masked || arrays.mask[row] !== 0) return true;
    log?.clear(row);
    return false;
  }
  private describe(first: number, end: number, masked: boolean): void {
    if (masked) this.description.describeMasked(first, end);
    else this.description.describe(first, end);
  }

  private async applyWithAgents(first: number, end: number, toDecision: boolean, masked: boolean): Promise<void> {
    const { agents, decoder } = this;
    const most = toDecision ? MOST_IDLE_PHASES : 0;
    let rows: number[] = [];
    for (let row = first; row < end; row++) if (this.takesPart(row, masked) && this.wake(row)) rows.push(row);
    for (let idle = 0; idle <= most && rows.length > 0; idle++) {
      await agents.askAll(rows, agents.agentOf);
      for (const row of rows) this.playPhase(row, agents.join(row, idle === 0 ? decoder.ordersOf(row) : NO_ORDERS));
      rows = rows.filter((row) => this.isIdle(row));
    }
    this.describe(first, end, masked);
  }

  /**
   * Plays `count` turns of each game, all powers by a named agent: what is open of a turn comes first and does not count.
   * @returns turns played
   */
  private async playAgents(first: number, end: number, count: number, number: number): Promise<number> {
    const { agents, games } = this;
    const agent = await agents.load(number);
    const left = new Int32Array(end - first).fill(count);
    for (let row = first; row < end; row++) games.clearGains(row);
    for (let rows = Array.from(left, (_, i) => first + i); ; ) {
      rows = rows.filter((row) => this.hasTurn(row, left, row - first));
      if (rows.length === 0) break;
      await agents.askAll(rows, () => agent);
      for (const row of rows) this.playPhase(row, agents.join(row, NO_ORDERS));
    }
    this.description.describe(first, end);
    return left.reduce((played, still) => played + count - still, 0);
  }
  /** True if a phase is to be played; counts the turn that begins with it. */
  private hasTurn(row: number, left: Int32Array, at: number): boolean {
    const { arrays, config } = this.games;
    if (!this.games.isPlaying(row)) {
      if (left[at] === 0 || config.resetMode === 'disabled') return false;
      this.games.restart(row, nextEpisodeSeed(arrays.episodeSeed[row]));
    }
    if (this.games.at(row).phase !== MOVEMENT) return true;
    return left[at] > 0 && left[at]-- > 0;
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
