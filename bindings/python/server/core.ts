// Performs the work of a batch server on a chunk of games, in one thread.
//
// A step has two parts, and all threads finish the first before the second. `decode` reads and checks every action, so
// that no game changes if one is illegal. `apply` adjudicates, ends, restarts and describes the games.
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

/** Largest number of consecutive phases that one call plays without a decision of the client: about a hundred years. */
const MOST_IDLE_PHASES = 500;

const NO_ORDERS = new Int32Array(0);

/** Kinds of work on a chunk. Threads refer to a kind by its index in this list. */
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
  /** `before`, `centers`: number of centres before and after a phase, indexed by power. */
  private readonly before = new Int32Array(this.setup.map.powerCount);
  private readonly centers = new Int32Array(this.setup.map.powerCount);

  constructor(
    private readonly config: ServerConfig,
    private readonly setup: Setup,
    private readonly memory: Memory,
    private readonly shared: ThreadMemory,
  ) {}

  /**
   * Functions that perform each kind of work, on rows first to end - 1 and with two arguments of the work. A result
   * that is not a number counts as 0.
   */
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

  /**
   * Performs work on games first .. end - 1 of one chunk, or on task `first` of work without rows. Returns the result
   * of the work, 0 for work without a result.
   * @param a first argument of the work
   * @param b second argument of the work
   */
  perform(what: Work, first: number, end: number, a = 0, b = 0): number | Promise<number> {
    const done = this.performers[what](first, end, a, b);
    return done instanceof Promise ? done.then(countOf) : countOf(done);
  }

  /** Restarts the games with a set `mask` from their `seeds`, and writes the arrays that describe them. */
  private reset(first: number, end: number): void {
    const { mask, seeds } = this.games.arrays;
    for (let row = first; row < end; row++) {
      if (mask[row] === 0) continue;
      this.games.restart(row, seeds[row]);
      this.games.clearStep(row);
    }
    this.description.describeMasked(first, end);
  }

  /** Restarts the random streams of the games with a set `mask` from their `seeds`. */
  private reseed(first: number, end: number): void {
    const { mask, seeds } = this.games.arrays;
    for (let row = first; row < end; row++) if (mask[row] !== 0) this.games.reseed(row, seeds[row]);
  }

  /**
   * Overwrites each of the rows first .. end - 1 with a copy of its parent game, whose row is in `parents`.
   * @param fresh true to start a new random stream for each copy from `seeds`; false to copy the parent's stream
   */
  private copy(first: number, end: number, fresh: boolean): void {
    const { parents, seeds } = this.games.arrays;
    for (let row = first; row < end; row++) {
      this.games.copy(parents[row], row);
      if (fresh) this.games.reseed(row, seeds[row]);
    }
  }

  /**
   * Checks the positions that the client wrote for games with a set `mask`, and writes the arrays that describe them.
   * Clears the results of the last step.
   * @param fresh true to restart their random streams from `seeds`
   * @throws ActionError for the first invalid position
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

  /**
   * Prepares a game for a step: clears its log and its gains of centres. If the game is over, restarts it in mode
   * next_step; clears its rewards in other modes and for children. Returns false for a game that was over: the step
   * plays no phase of it.
   */
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
   * Plays the current phase of each game with the orders of decode() and of the agents, and writes the arrays that
   * describe the games.
   * @param toDecision true to play further phases with the agents' orders until the client has orders due, at most
   *   MOST_IDLE_PHASES
   * @param masked true to play only games with a set `mask`; all arrays of the other games keep their values
   */
  private apply(first: number, end: number, toDecision: boolean, masked: boolean): void | Promise<void> {
    if (toDecision || this.agents.play(first, end)) return this.applyWithAgents(first, end, toDecision, masked);
    for (let row = first; row < end; row++)
      if (this.takesPart(row, masked) && this.wake(row)) this.playPhase(row, this.decoder.ordersOf(row));
    this.describe(first, end, masked);
  }

  /**
   * True if a step plays a game. Clears the log of a game that it does not play.
   * @param masked true if the step plays only games with a set `mask`
   */
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
   * Plays `count` turns of each game with an agent for all powers, and writes the arrays that describe the games. A
   * turn that has already begun is finished first and is not counted.
   * @param number number of the agent
   * @returns number of turns played, summed over the games
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
  /**
   * True if playAgents() must play another phase of a game. If the phase begins a turn, subtracts the turn from
   * `left[at]`, the number of turns still to play. Restarts a finished game that has turns left, except in mode
   * disabled.
   */
  private hasTurn(row: number, left: Int32Array, at: number): boolean {
    const { arrays, config } = this.games;
    if (!this.games.isPlaying(row)) {
      if (left[at] === 0 || config.resetMode === 'disabled') return false;
      this.games.restart(row, nextEpisodeSeed(arrays.episodeSeed[row]));
    }
    if (this.games.at(row).phase !== MOVEMENT) return true;
    return left[at] > 0 && left[at]-- > 0;
  }

  /**
   * True if a step to the client's next decision must play another phase: the game is not over, the client has no
   * orders due in it, and the recorder's log has room.
   */
  private isIdle(row: number): boolean {
    const { arrays, log, map } = this.games;
    const { terminated, truncated } = arrays;
    if (!this.games.isPlaying(row) || terminated[row] + truncated[row] > 0) return false;
    if (log !== null && !this.games.isChild(row) && !log.hasRoom(row, map)) return false;
    const game = this.games.at(row);
    return map.powerNames.every((_, q) => !(this.agents.isClients(row, q) && hasOrders(game, q)));
  }
}
