// The games of a batch server: one thread's view of them, and what it does with a chunk of games.
//
// A step has two parts with all threads in step between them: `decode` reads and checks every action, so that an illegal
// one leaves all games as they were; `apply` adjudicates, ends, restarts and describes the games.
import {
  ADJUSTMENT,
  adjudicate,
  adjustmentsDue,
  type CompiledMap,
  checkGame,
  DRAW,
  Game,
  hashSeed,
  hasOrders,
  isLegal,
  MAX_ORDERS_PER_PROVINCE,
  MOVEMENT,
  makeResults,
  newGame,
  ordererOf,
  orderLocation,
  orderType,
  PLAYING,
  type Power,
  Random,
  type Results,
  type Rules,
  scoreInto,
  scoreNames,
  type Vocabulary,
  vocabulary,
  WAIVE,
} from '../../../engine/internal.js';
import { Batch, isAfterLastYear, nextEpisodeSeed } from '../../../engine/play/batch.js';
import {
  begin,
  boardWinner,
  boardYear,
  finish,
  load,
  playOpen,
  release,
  type Sampler,
  step,
  store,
} from '../../../engine/play/step.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { type Agent, NO_PAST } from '../../../selfplay/agents/agent.js';
import { SharedTables } from '../../../selfplay/games/ask.js';
import { IDS_A_CHUNK, IDS_A_GAME, Lists, NO_SLOT } from '../shared/legal-lists.js';
import { makeTensors, type ObservationKind, type PlayTensors, type Tensors } from '../shared/observations.js';
import { Choices } from './choices.js';
import { LastOrders } from './last-orders.js';
import { LongGames } from './long-games.js';
import type { Memory } from './memory.js';
import { BY_HANDSHAKE, CLIENT, NamedAgents } from './named-agents.js';
import { askOpponent, isAskedTogether, readsPast } from './opponents.js';
import { PastLog } from './past-log.js';
import { PhaseLog } from './phase-log.js';

/** Games of a piece of playEngine(): some milliseconds. */
const ENGINE_GAMES = 256;

/** Phases without a decision that one call plays at most: some hundred years. */
const MOST_IDLE_PHASES = 500;

/** What becomes of a game that has ended: it begins again in the same step, in the next one, or when it is reset. */
export const resetModes = ['same_step', 'next_step', 'disabled'] as const;
export type ResetMode = (typeof resetModes)[number];

export interface CoreOptions {
  readonly observations: ObservationKind;
  readonly resetMode: ResetMode;
  /** Games end as draws after this year's winter; 0: only by a solo. */
  readonly until: number;
  /** Episodes are cut after so many phase-steps, at the next movement phase; 0: never. */
  readonly maxSteps: number;
  /** Games end as draws by LONG_GAME too (selfplay/games/ending.ts). */
  readonly longGameDraw: boolean;
  /** Actions are vocabulary ids; else places in the legal list of their unit. */
  readonly byVocabulary: boolean;
  /** Legal lists are written; without them actions must be vocabulary ids. */
  readonly lists: boolean;
  /** Results of orders are written (last-orders.ts). */
  readonly results: boolean;
  /** Legal orders are written as masks over the vocabulary too. */
  readonly masks: boolean;
  /** Agent by power; null for a power that the client orders. */
  readonly agents: readonly (Agent | null)[];
  /** Agents that the client names later (named-agents.ts). */
  readonly agentTexts: Uint8Array;
  /** What is told of each phase to a recorder (phase-log.ts); empty if nothing is recorded. */
  readonly log: Int32Array;
  /** What is told to agents of the phases before (past-log.ts); empty if nothing is. */
  readonly past: Int32Array;
}

/** An action that cannot be taken. */
export class ActionError extends LepantoError {
  override readonly name = 'ActionError';
  declare readonly game: number;
  constructor(game: number, message: string) {
    super('action', message);
    this.game = game;
  }
}

export class Core {
  declare readonly map: CompiledMap;
  declare readonly memory: Memory;
  declare readonly options: CoreOptions;
  /** Orders that decode() has read: given[g * perGame ..], givenCount[g] of them. Shared by all threads. */
  declare private readonly given: Int32Array;
  declare private readonly givenCount: Int32Array;
  declare private readonly perGame: number;
  declare private readonly cursor: Game;
  declare private readonly start: Game;
  declare private readonly results: Results;
  declare private readonly words: Vocabulary;
  declare private readonly state: Uint8Array;
  declare private readonly streams: Int32Array;
  declare private readonly episodeSeed: Int32Array;
  declare private readonly steps: Int32Array;
  declare private readonly phases: Int32Array;
  declare private readonly mask: Uint8Array;
  declare private readonly seeds: Int32Array;
  declare private readonly actions: Int32Array;
  declare private readonly builds: Int8Array;
  declare private readonly centerCounts: Uint8Array;
  declare private readonly orderCounts: Uint8Array;
  declare private readonly orderable: Int16Array;
  declare private readonly legalOffsets: Int32Array;
  declare private readonly legalIds: Int32Array;
  /** Mask over the vocabulary of each row; null without masks. */
  declare private readonly legalMask: Uint8Array | null;
  /** Vocabulary ids of a slot whose list is not written. */
  declare private readonly unlisted: Int32Array;
  declare private readonly terminated: Uint8Array;
  declare private readonly truncated: Uint8Array;
  declare private readonly rewards: Float32Array;
  declare private readonly finalScores: Float32Array;
  declare private readonly finalState: Uint8Array;
  declare private readonly longGames: LongGames | null;
  declare private readonly tensors: Tensors | null;
  declare private readonly lists: Lists;
  declare private readonly lastOrders: LastOrders | null;
  declare private readonly log: PhaseLog | null;
  declare private readonly past: PastLog;
  declare private readonly scores: Float64Array;
  declare private readonly centers: Int32Array;
  /** Set when a game has ended, and its final scores, position and observation are written. */
  declare hasEnded: boolean;
  /** Entries of legal_ids of the chunk that was described last, up to the last one written; 0 if none was. */
  declare listed: number;
  declare private readonly seats: Uint8Array;
  declare private readonly wanted: Uint8Array;
  declare private readonly named: NamedAgents;
  declare private readonly choices: Choices;
  /** Orders of one agent, and of a phase. */
  declare private readonly chosen: Int32Array;
  declare private readonly orders: Int32Array;
  declare private readonly hasAgents: boolean;
  declare private readonly hasReaders: boolean;
  /** Orders of agents that have been asked together, by row * powerCount + power. */
  declare private readonly answers: Map<number, Int32Array>;
  declare private shared: SharedTables;
  declare private engine: Batch | undefined;

  /** @param given of (games + children) x powers x maxOrders and, behind that, a count for each game; all threads share it */
  constructor(map: CompiledMap, rules: Rules, memory: Memory, options: CoreOptions, given: Int32Array) {
    const { layout } = memory;
    const rows = layout.games + layout.children;
    this.map = map;
    this.memory = memory;
    this.options = options;
    this.perGame = map.powerCount * layout.maxOrders;
    this.given = given.subarray(0, rows * this.perGame);
    this.givenCount = given.subarray(rows * this.perGame);
    this.state = memory.bytes('state');
    this.cursor = new Game(map, rules, this.state);
    this.start = newGame(map, rules);
    this.results = makeResults();
    this.words = vocabulary(map);
    this.streams = memory.int32('streams');
    this.episodeSeed = memory.int32('episode_seed');
    this.steps = memory.int32('steps');
    this.phases = memory.int32('phases');
    this.mask = memory.bytes('mask');
    this.seeds = memory.int32('seeds');
    this.actions = memory.int32('actions');
    this.builds = memory.int8('build_numbers');
    this.centerCounts = memory.bytes('center_counts');
    this.orderCounts = memory.bytes('order_counts');
    this.orderable = memory.int16('orderable');
    this.legalOffsets = memory.int32('legal_offsets');
    this.legalIds = memory.int32('legal_ids');
    this.legalMask = options.masks ? memory.bytes('legal_mask') : null;
    this.unlisted = new Int32Array(options.masks && !options.lists ? MAX_ORDERS_PER_PROVINCE : 0);
    this.terminated = memory.bytes('terminated');
    this.truncated = memory.bytes('truncated');
    this.rewards = memory.float32('rewards');
    this.finalScores = memory.float32('final_scores');
    this.finalState = memory.bytes('final_state');
    this.longGames = options.longGameDraw ? new LongGames(map, memory) : null;
    this.tensors = makeTensors(map, memory, options.observations);
    this.lists = new Lists(map);
    this.lastOrders = options.results ? new LastOrders(map, memory) : null;
    this.log = options.log.length > 0 ? new PhaseLog(map, options.log, layout.games) : null;
    this.past = new PastLog(options.past, layout.games);
    this.scores = new Float64Array(map.powerCount);
    this.centers = new Int32Array(map.powerCount);
    this.seats = memory.bytes('seats');
    this.wanted = memory.bytes('wanted');
    this.named = new NamedAgents(options.agentTexts);
    this.choices = new Choices(map, memory, this.lists, options);
    this.chosen = new Int32Array(map.provinceCount);
    this.orders = new Int32Array(this.perGame + map.powerCount * map.provinceCount);
    this.hasAgents = options.agents.some((agent) => agent !== null);
    this.hasReaders = options.agents.some((agent) => agent !== null && readsPast(agent));
    this.answers = new Map();
    this.shared = this.shareWith([]);
    this.hasEnded = false;
    this.listed = 0;
  }

  private game(row: number): Game {
    this.cursor.offset = row * this.cursor.layout.stride;
    return this.cursor;
  }

  // ---- beginning ----

  private restart(row: number, seed: number): void {
    this.game(row).copyFrom(this.start);
    this.episodeSeed[row] = seed;
    this.streams[2 * row] = hashSeed(seed, 1);
    this.streams[2 * row + 1] = hashSeed(seed, 2);
    this.steps[row] = 0;
    this.phases[row] = 0;
    this.past.begin(row, 0);
    this.longGames?.begin(row, this.start);
    this.tensors?.restart(row);
  }

  /** Restarts the games of `mask` with their `seeds`. */
  reset(first: number, end: number): void {
    for (let row = first; row < end; row++) {
      if (this.mask[row] === 0) continue;
      this.restart(row, this.seeds[row]);
      this.clearPast(row);
    }
  }

  /** Looks at positions that the client wrote. @throws ActionError for the first that is none */
  check(first: number, end: number): void {
    const { maxOrders } = this.memory.layout;
    const units = new Int32Array(this.map.powerCount);
    for (let row = first; row < end; row++) {
      if (this.mask[row] === 0) continue;
      const game = this.game(row);
      const wrong = checkGame(game);
      if (wrong !== null) throw new ActionError(row, `game ${row}: ${wrong}`);
      game.countUnits(units);
      for (let q = 0; q < units.length; q++)
        if (units[q] > maxOrders)
          throw new ActionError(
            row,
            `game ${row}: got ${units[q]} units of ${this.map.powerNames[q]}, wanted at most ${maxOrders}`,
          );
      this.longGames?.join(row, game);
      this.past.begin(row, this.phases[row]);
      this.clearPast(row);
    }
  }

  // ---- decode ----

  private refuse(row: number, power: number, slot: number, action: number, wanted: string): never {
    const { locationTags, powerNames } = this.map;
    const at = this.orderable[(row * this.map.powerCount + power) * this.memory.layout.maxOrders + slot];
    const unit = at >= 0 ? `unit at ${locationTags[at]}` : `adjustment ${slot}`;
    throw new ActionError(row, `game ${row}, ${powerNames[power]}, ${unit}: got action ${action}, wanted ${wanted}`);
  }

  /** Order of an action; `at` is its place among all actions, `list` among legal_offsets. */
  private orderOf(row: number, power: number, slot: number, at: number, list: number): number {
    const { legalIds, legalOffsets, options, words } = this;
    const action = this.actions[at];
    const begin = legalOffsets[list];
    const count = legalOffsets[list + 1] - begin;
    if (!options.byVocabulary) {
      if (action < 0 || action >= count) this.refuse(row, power, slot, action, `0 to ${count - 1}, or -1 for no order`);
      return words.orders[legalIds[begin + action]];
    }
    if (action < 0 || action >= words.orders.length)
      this.refuse(row, power, slot, action, `a vocabulary id from 0 to ${words.orders.length - 1}, or -1 for no order`);
    const order = words.orders[action];
    const isListed = options.lists
      ? this.isListed(action, begin, count)
      : this.isOwn(row, power, this.orderable[at], order);
    if (!isListed) this.refuse(row, power, slot, action, 'one that is legal now');
    return order;
  }
  private isListed(id: number, begin: number, count: number): boolean {
    for (let i = begin; i < begin + count; i++) if (this.legalIds[i] === id) return true;
    return false;
  }
  private isOwn(row: number, power: number, location: number, order: number): boolean {
    const game = this.game(row);
    if (!isLegal(game, order)) return false;
    if (location >= 0) return orderLocation(order) === location;
    return ordererOf(game, order) === power;
  }

  private decodeGame(row: number): number {
    const { powerCount } = this.map;
    const { maxOrders } = this.memory.layout;
    const actions = row * this.perGame;
    const lists = row * (this.perGame + 1);
    const adjusts = this.game(row).phase === ADJUSTMENT;
    let n = actions;
    for (let q = 0; q < powerCount; q++) {
      const due = this.orderCounts[row * powerCount + q];
      const begin = n;
      for (let s = 0; s < due; s++) {
        const at = q * maxOrders + s;
        if (this.actions[actions + at] === -1) continue;
        this.given[n] = this.orderOf(row, q, s, actions + at, lists + at);
        if (adjusts) this.refuseRepeat(row, q, s, this.actions[actions + at], begin, n);
        n++;
      }
    }
    return n - actions;
  }

  /** Of two builds in one centre, or two removals of one unit, one would be lost. */
  private refuseRepeat(row: number, power: number, slot: number, action: number, begin: number, last: number): void {
    const { given, map } = this;
    if (orderType(given[last]) === WAIVE) return;
    const province = map.locationProvince[orderLocation(given[last])];
    for (let i = begin; i < last; i++)
      if (orderType(given[i]) !== WAIVE && map.locationProvince[orderLocation(given[i])] === province)
        this.refuse(
          row,
          power,
          slot,
          action,
          `an order elsewhere than in ${map.provinceTags[province]}, which has one`,
        );
  }

  /** Reads the actions of games. @throws ActionError for the first that is illegal */
  decode(first: number, end: number): void {
    for (let row = first; row < end; row++)
      this.givenCount[row] = this.game(row).status === PLAYING ? this.decodeGame(row) : 0;
  }

  // ---- apply ----

  /** Nothing has led to a position. */
  private clearPast(row: number): void {
    this.clearOutcome(row);
    this.lastOrders?.clear(row);
  }
  private clearOutcome(row: number): void {
    this.terminated[row] = 0;
    this.truncated[row] = 0;
    this.clearRewards(row);
  }
  private clearRewards(row: number): void {
    const per = scoreNames.length * this.map.powerCount;
    for (let i = row * per; i < (row + 1) * per; i++) this.rewards[i] = 0;
  }

  // ---- agents ----

  /** Makes a named agent in this thread. */
  async loadAgent(number: number): Promise<void> {
    await this.loadNamed(number);
  }
  private async loadNamed(number: number): Promise<Agent> {
    const agent = await this.named.load(number);
    this.shared = this.shareWith(this.named.all());
    return agent;
  }
  private shareWith(named: readonly Agent[]): SharedTables {
    const { cursor, map, options } = this;
    return new SharedTables(map, cursor.rules, cursor.layout, [...options.agents, ...named]);
  }

  /** True if the client orders a power. */
  private isClients(row: number, power: Power): boolean {
    const seat = this.seats[row * this.map.powerCount + power];
    return seat === BY_HANDSHAKE ? (this.options.agents[power] ?? null) === null : seat === CLIENT;
  }

  /** The agent of a power; null if the client orders it. */
  private agentOf(row: number, power: Power): Agent | null | Promise<Agent> {
    const seat = this.seats[row * this.map.powerCount + power];
    if (seat === BY_HANDSHAKE) return this.options.agents[power] ?? null;
    return seat === CLIENT ? null : (this.named.get(seat) ?? this.loadNamed(seat));
  }

  private streamOf(row: number, power: Power, seed = 0): Random {
    const from = seed === 0 ? this.episodeSeed[row] : hashSeed(this.episodeSeed[row], seed, row);
    return new Random(from, this.phases[row], power);
  }

  /** True if some agent may want to know what was played before. The same in all threads, whichever agents they have made. */
  private keepsPast(): boolean {
    return this.hasReaders || this.named.hasAny();
  }

  private ask(agent: Agent, row: number, power: Power, out: Int32Array, seed = 0): number | Promise<number> {
    const past = this.keepsPast() ? this.past.of(row, this.phases[row]) : NO_PAST;
    return askOpponent(agent, this.game(row), power, out, this.streamOf(row, power, seed), row, past);
  }

  /**
   * Asks an agent that takes many questions at once, if `agent` is one, and has its orders put among the answers.
   * @returns what waits for them; null if it is to be asked in its turn
   */
  private askAhead(agent: Agent, row: number, power: Power, seed = 0): Promise<unknown> | null {
    if (!isAskedTogether(agent)) return null;
    const out = new Int32Array(this.map.provinceCount);
    const answer = Promise.resolve(this.ask(agent, row, power, out, seed));
    return answer.then((count) => this.answers.set(row * this.map.powerCount + power, out.subarray(0, count)));
  }

  /** Asks the agents of some games that take many questions at once. */
  private async askTogether(rows: readonly number[]): Promise<void> {
    const waiting: Promise<unknown>[] = [];
    this.answers.clear();
    for (const row of rows)
      for (let q = 0; q < this.map.powerCount; q++) {
        const found = this.agentOf(row, q);
        if (found === null) continue;
        const asked = this.askAhead(found instanceof Promise ? await found : found, row, q);
        if (asked !== null) waiting.push(asked);
      }
    await Promise.all(waiting);
  }

  /**
   * Puts the orders of the client and of the agents together; returns how many there are. What decode() has read stays as
   * it is: the step can be played again.
   * @param given true for the orders that decode() has read; false for none of the client
   */
  private async collectOrders(row: number, given: boolean): Promise<number> {
    const { orders, perGame, map } = this;
    let n = given ? this.givenCount[row] : 0;
    orders.set(this.given.subarray(row * perGame, row * perGame + n));
    for (let q = 0; q < map.powerCount; q++) {
      const answered = this.answers.get(row * map.powerCount + q);
      if (answered !== undefined) {
        orders.set(answered, n);
        n += answered.length;
        continue;
      }
      const found = this.agentOf(row, q);
      if (found === null) continue;
      const agent = found instanceof Promise ? await found : found;
      const count = await this.ask(agent, row, q, this.chosen);
      orders.set(this.chosen.subarray(0, count), n);
      n += count;
    }
    return n;
  }

  /**
   * Writes what a named agent would order for the powers of `wanted`, or for number 0 actions drawn with equal chances.
   * @param seed of draws that are no more those of an opponent; the same for all threads
   */
  choose(first: number, end: number, number: number, seed: number): void | Promise<void> {
    if (number > 0) return this.chooseBy(first, end, number, seed);
    for (let row = first; row < end; row++) {
      this.choices.clear(row);
      const game = this.game(row);
      if (game.status === PLAYING) this.choices.drawUniform(row, game, new Random(seed, row));
    }
  }
  private async chooseBy(first: number, end: number, number: number, seed: number): Promise<void> {
    const { choices, map, wanted } = this;
    const agent = this.named.get(number) ?? (await this.loadNamed(number));
    const isWanted = (row: number, q: Power): boolean =>
      this.game(row).status === PLAYING && wanted[row * map.powerCount + q] !== 0 && choices.due(row, q) > 0;
    const waiting: Promise<unknown>[] = [];
    this.answers.clear();
    for (let row = first; row < end; row++)
      for (let q = 0; q < map.powerCount; q++) {
        const asked = isWanted(row, q) ? this.askAhead(agent, row, q, seed) : null;
        if (asked !== null) waiting.push(asked);
      }
    await Promise.all(waiting);
    for (let row = first; row < end; row++) {
      choices.clear(row);
      for (let q = 0; q < map.powerCount; q++) {
        if (!isWanted(row, q)) continue;
        const answered = this.answers.get(row * map.powerCount + q);
        const orders = answered ?? this.chosen.subarray(0, await this.ask(agent, row, q, this.chosen, seed));
        choices.place(row, this.game(row), q, agent, orders);
      }
    }
    this.shared.check(first);
  }

  /** Wakes a game that has ended if the mode says so; false if there is nothing to play. */
  private wake(row: number): boolean {
    if (this.game(row).status === PLAYING) return true;
    this.lastOrders?.clear(row);
    if (this.options.resetMode === 'next_step' && row < this.memory.layout.games) {
      this.restart(row, nextEpisodeSeed(this.episodeSeed[row]));
      this.clearOutcome(row);
    } else this.clearRewards(row);
    return false;
  }

  private playPhase(row: number, orders: Int32Array): void {
    const game = this.game(row);
    const { phase } = game;
    const keepsPast = this.keepsPast();
    this.tensors?.beforePhase(row, game, orders);
    this.log?.before(row, game, orders);
    if (keepsPast) this.past.before(row, game, orders);
    adjudicate(game, orders, orders.length, this.results);
    if (keepsPast) this.past.after(row, game, this.results, this.phases[row]);
    this.phases[row]++;
    if (phase === MOVEMENT) this.steps[row]++;
    this.lastOrders?.write(row, phase, this.results);
    this.log?.after(row, game, this.results);
  }

  /** Sees whether a game has ended, and what follows from that. */
  private finish(row: number): void {
    const game = this.game(row);
    if (this.terminated[row] + this.truncated[row] > 0) this.clearOutcome(row);
    if (game.status === PLAYING && isAfterLastYear(game.year, this.options.until)) {
      game.status = DRAW;
    } else if (game.status === PLAYING && this.longGames?.isOver(row, game) === true) {
      game.status = DRAW;
    }
    const isCut = game.status === PLAYING && this.isCut(row, game);
    if (game.status === PLAYING && !isCut) return;
    if (isCut) {
      // Nobody plays it on.
      game.status = DRAW;
      this.truncated[row] = 1;
    } else this.terminated[row] = 1;
    this.writeScores(row, game);
    if (row < this.memory.layout.games) this.keepFinal(row, game);
    // The game would have gone on: nobody has earned its score.
    if (isCut) this.clearRewards(row);
    if (row >= this.memory.layout.games) return;
    this.log?.end(row, game);
    if (this.options.resetMode === 'same_step') this.restart(row, nextEpisodeSeed(this.episodeSeed[row]));
  }

  /** True for an episode that has had its phase-steps. */
  private isCut(row: number, game: Game): boolean {
    const { maxSteps } = this.options;
    return maxSteps > 0 && game.phase === MOVEMENT && this.steps[row] >= maxSteps;
  }

  private writeScores(row: number, game: Game): void {
    const { powerCount } = this.map;
    game.countCenters(this.centers);
    for (let s = 0; s < scoreNames.length; s++) {
      scoreInto(s, this.centers, 0, powerCount, game.winner, this.scores);
      const at = (row * scoreNames.length + s) * powerCount;
      for (let q = 0; q < powerCount; q++) this.rewards[at + q] = this.scores[q];
    }
  }

  private keepFinal(row: number, game: Game): void {
    this.hasEnded = true;
    const per = scoreNames.length * this.map.powerCount;
    const { stride } = game.layout;
    this.finalScores.set(this.rewards.subarray(row * per, (row + 1) * per), row * per);
    this.finalState.set(this.state.subarray(row * stride, (row + 1) * stride), row * stride);
    this.tensors?.writeFinal(row, game);
  }

  /**
   * Plays the phase that each game stands at, by the orders of decode() and of the agents.
   * @param toDecision plays on, with the orders of the agents, while the client has nothing to order
   */
  apply(first: number, end: number, toDecision = false): void | Promise<void> {
    if (toDecision || this.hasAgents || this.hasSeats(first, end)) return this.applyWithAgents(first, end, toDecision);
    const { given, givenCount, perGame } = this;
    for (let row = first; row < end; row++) {
      this.log?.clear(row);
      if (!this.wake(row)) continue;
      this.playPhase(row, given.subarray(row * perGame, row * perGame + givenCount[row]));
      this.finish(row);
    }
    this.describe(first, end);
  }
  private async applyWithAgents(first: number, end: number, toDecision: boolean): Promise<void> {
    const most = toDecision ? MOST_IDLE_PHASES : 0;
    let rows: number[] = [];
    for (let row = first; row < end; row++) {
      this.log?.clear(row);
      if (this.wake(row)) rows.push(row);
    }
    for (let idle = 0; idle <= most && rows.length > 0; idle++) {
      await this.askTogether(rows);
      for (const row of rows) {
        const count = await this.collectOrders(row, idle === 0);
        this.playPhase(row, this.orders.subarray(0, count));
        this.finish(row);
      }
      rows = rows.filter((row) => this.isIdle(row));
    }
    this.shared.check(first);
    this.describe(first, end);
  }

  private hasSeats(first: number, end: number): boolean {
    const { powerCount } = this.map;
    for (let i = first * powerCount; i < end * powerCount; i++) if (this.seats[i] !== BY_HANDSHAKE) return true;
    return false;
  }

  /** True for a game that goes on, and in which the client has nothing to order now. */
  private isIdle(row: number): boolean {
    const game = this.game(row);
    if (game.status !== PLAYING || this.terminated[row] + this.truncated[row] > 0) return false;
    if (this.log !== null && row < this.memory.layout.games && !this.log.hasRoom(row)) return false;
    for (let q = 0; q < this.map.powerCount; q++) if (this.isClients(row, q) && hasOrders(game, q)) return false;
    return true;
  }

  // ---- random play ----

  /** True if a last year has been played on the board, or somebody has won there. */
  private isBoardOver(): boolean {
    return boardWinner() >= 0 || isAfterLastYear(boardYear(), this.options.until);
  }

  /** Plays phase-steps of one game until it ends, `count` at most; in between it stays on the board. */
  private randomSteps(row: number, count: number, sampler: number): number {
    const { streams, tensors } = this;
    const game = this.game(row);
    load(game, streams, 2 * row);
    const seesAll = tensors !== null && (tensors.isCumulative || this.options.resetMode === 'disabled');
    let isOver = false;
    if (game.phase !== MOVEMENT) {
      playOpen(sampler);
      isOver = this.isBoardOver();
      store(game, streams, 2 * row);
    }
    let played = 0;
    let isSeen = true;
    for (; played < count && !isOver; played++) {
      isSeen = seesAll || (tensors !== null && played === count - 1);
      if (isSeen && tensors !== null) this.seeStep(row, game, sampler, played);
      else step(sampler);
      isOver = this.isBoardOver();
    }
    store(game, streams, 2 * row);
    if (isSeen && played > 0) tensors?.play?.writeBoard(row);
    release();
    if (!isSeen) tensors?.clear(row);
    this.past.begin(row, this.phases[row]);
    this.steps[row] += played;
    return played;
  }

  /** Plays a step, and shows it to the tensors. */
  private seeStep(row: number, game: Game, sampler: number, played: number): void {
    const { streams, tensors } = this;
    if (tensors === null) return;
    if (tensors.play !== null) {
      begin(sampler);
      tensors.play.writeOrders(row);
      finish(sampler);
      return;
    }
    // They read the position before the moves.
    if (played > 0) store(game, streams, 2 * row);
    step(sampler);
    tensors.afterStep(row, game);
  }

  /** Phase-steps that an episode has left. What is open of the last one is played first, and that alone. */
  private stepsLeft(row: number): number {
    const { maxSteps } = this.options;
    if (maxSteps === 0) return Number.POSITIVE_INFINITY;
    return Math.max(this.game(row).phase === MOVEMENT ? 1 : 0, maxSteps - this.steps[row]);
  }

  /**
   * Plays phase-steps with random orders for all powers; returns how many. Legal lists are left as they were: the client
   * asks for them with describe() when it wants them.
   */
  playRandom(first: number, end: number, count: number, sampler: number): number {
    const play = this.tensors?.play ?? null;
    let played = 0;
    if (play === null) for (let row = first; row < end; row++) played += this.playRow(row, count, sampler);
    else
      for (let row = first; row < end; row += play.room)
        played += this.playStretch(row, Math.min(row + play.room, end), count, sampler, play);
    return played;
  }
  private playStretch(first: number, end: number, count: number, sampler: number, play: PlayTensors): number {
    let played = 0;
    let row = first;
    play.begin(first);
    try {
      for (; row < end; row++) played += this.playRow(row, count, sampler);
    } finally {
      play.end(row);
    }
    return played;
  }
  private playRow(row: number, count: number, sampler: number): number {
    let played = 0;
    for (let left = count; left > 0; ) {
      if (this.game(row).status !== PLAYING) {
        if (this.options.resetMode === 'disabled') break;
        this.restart(row, nextEpisodeSeed(this.episodeSeed[row]));
      }
      const steps = this.randomSteps(row, Math.min(this.longGames === null ? left : 1, this.stepsLeft(row)), sampler);
      this.finish(row);
      played += steps;
      left -= steps;
    }
    this.tensors?.write(row, this.game(row), this.builds);
    this.lastOrders?.clear(row);
    return played;
  }

  /**
   * The engine alone, for comparison: whole games in a batch of its own, each played to its end without leaving the board.
   * Returns how many phase-steps it played in so many milliseconds.
   */
  playEngine(milliseconds: number, sampler: number): number {
    const { cursor, options } = this;
    const until = options.until > 0 ? options.until : cursor.map.startYear + 9;
    this.engine ??= new Batch(cursor.map, cursor.rules, ENGINE_GAMES, { until });
    let played = 0;
    const begin = performance.now();
    for (let seed = 0; performance.now() - begin < milliseconds; seed++) {
      this.engine.reset(seed);
      played += this.engine.playout(sampler as Sampler);
    }
    return played;
  }

  // ---- describe ----

  private describeBuilds(row: number, game: Game): void {
    const { builds, centerCounts, centers } = this;
    const { powerCount } = this.map;
    const at = row * powerCount;
    if (game.phase === ADJUSTMENT && game.status === PLAYING) adjustmentsDue(game, builds, at);
    else for (let q = 0; q < powerCount; q++) builds[at + q] = 0;
    game.countCenters(centers);
    for (let q = 0; q < powerCount; q++) centerCounts[at + q] = centers[q];
  }

  /** Writes the legal orders of a game behind `next`; returns where they end. */
  private describeOrders(row: number, game: Game, begin: number, limit: number): number {
    const { lists, options, map, legalOffsets, orderable } = this;
    const { maxOrders } = this.memory.layout;
    const { powerCount } = map;
    let slot = row * this.perGame;
    // A row of offsets has one entry more than slots.
    const ahead = row;
    let next = begin;
    if (game.status === PLAYING) lists.list(game, this.builds, row * powerCount);
    else lists.clear();
    for (let q = 0; q < powerCount; q++) {
      const due = this.isClients(row, q) ? lists.due(q) : 0;
      this.orderCounts[row * powerCount + q] = due;
      for (let s = 0; s < due; s++) {
        legalOffsets[slot + ahead] = next;
        orderable[slot++] = lists.locationOf(q, s);
        if (options.lists) next = this.listIds(lists.first(q, s), lists.end(q, s), next, limit);
      }
      for (let s = due; s < maxOrders; s++) {
        legalOffsets[slot + ahead] = next;
        orderable[slot++] = NO_SLOT;
      }
    }
    legalOffsets[slot + ahead] = next;
    return next;
  }

  private listIds(first: number, end: number, next: number, limit: number): number {
    const after = next + end - first;
    if (after > limit)
      throw new LepantoError(
        'argument',
        `legal orders: got more than ${this.memory.layout.chunkIds} in a chunk of games`,
      );
    this.words.indicesInto(this.lists.orders, first, end, this.legalIds, next);
    return after;
  }

  /** Writes everything that the client reads about the games of one chunk. */
  describe(first: number, end: number): void {
    const { layout } = this.memory;
    const chunk = this.chunkOf(first);
    let next = chunk * layout.chunkIds;
    const limit = next + layout.chunkIds;
    for (let row = first; row < end; row++) next = this.describeRow(row, next, limit);
    this.listed = next - chunk * layout.chunkIds;
  }

  /** Writes the orders that are legal for the client's powers as a mask: those of legal_ids from `begin` on, if there are lists. */
  private describeMask(row: number, begin: number, end: number): void {
    const { legalMask, legalIds, lists, map, options, words } = this;
    if (legalMask === null) return;
    const at = row * words.size;
    legalMask.fill(0, at, at + words.size);
    if (options.lists) {
      for (let i = begin; i < end; i++) legalMask[at + legalIds[i]] = 1;
      return;
    }
    for (let q = 0; q < map.powerCount; q++)
      for (let s = 0; s < this.orderCounts[row * map.powerCount + q]; s++)
        this.markSlot(at, lists.first(q, s), lists.end(q, s));
  }
  private markSlot(at: number, first: number, end: number): void {
    const { legalMask, unlisted } = this;
    if (legalMask === null) return;
    this.words.indicesInto(this.lists.orders, first, end, unlisted, 0);
    for (let i = 0; i < end - first; i++) legalMask[at + unlisted[i]] = 1;
  }

  private describeRow(row: number, begin: number, limit: number): number {
    const game = this.game(row);
    this.describeBuilds(row, game);
    const next = this.describeOrders(row, game, begin, limit);
    this.describeMask(row, begin, next);
    this.tensors?.write(row, game, this.builds);
    return next;
  }

  /** Where the legal lists of a chunk that has been described end. */
  private listsEnd(first: number, end: number): number {
    const perRow = this.perGame + 1;
    let last = this.chunkOf(first) * this.memory.layout.chunkIds;
    for (let row = first; row < end; row++) last = Math.max(last, this.legalOffsets[(row + 1) * perRow - 1]);
    return last;
  }

  /**
   * Describes the games of `mask` anew: their legal lists go behind those of the others, which stay where they are. Where
   * there is no room left behind them, all games of the chunk are described.
   */
  describeMasked(first: number, end: number): void {
    const { chunkIds } = this.memory.layout;
    const begin = this.chunkOf(first) * chunkIds;
    let changed = 0;
    for (let row = first; row < end; row++) changed += this.mask[row] === 0 ? 0 : 1;
    let next = this.listsEnd(first, end);
    this.listed = 0;
    if (changed === 0) return;
    if (changed === end - first || begin + chunkIds - next < changed * IDS_A_GAME + IDS_A_CHUNK / 2) {
      this.describe(first, end);
      return;
    }
    for (let row = first; row < end; row++)
      if (this.mask[row] !== 0) next = this.describeRow(row, next, begin + chunkIds);
    this.listed = next - begin;
  }

  /** Index of a chunk by its first row: those of the games, then those of the children. */
  private chunkOf(first: number): number {
    const { games, chunk } = this.memory.layout;
    return first < games ? first / chunk : Math.ceil(games / chunk) + (first - games) / chunk;
  }

  /** Copies a game to the rows of children first .. end. */
  copyTo(from: number, first: number, end: number): void {
    const { stride } = this.cursor.layout;
    for (let row = first; row < end; row++) {
      this.state.copyWithin(row * stride, from * stride, (from + 1) * stride);
      this.streams[2 * row] = this.streams[2 * from];
      this.streams[2 * row + 1] = this.streams[2 * from + 1];
      this.episodeSeed[row] = this.episodeSeed[from];
      this.steps[row] = this.steps[from];
      this.phases[row] = this.phases[from];
      this.longGames?.copy(from, row);
      this.tensors?.copy(from, row);
      this.clearOutcome(row);
      this.copySeats(from, row);
      this.copyLists(from, row);
    }
  }
  private copySeats(from: number, row: number): void {
    const { powerCount } = this.map;
    this.seats.copyWithin(row * powerCount, from * powerCount, (from + 1) * powerCount);
  }
  /** The actions of a child are decoded by the lists of its parent. */
  private copyLists(from: number, row: number): void {
    const { powerCount } = this.map;
    const lists = this.perGame + 1;
    this.legalOffsets.copyWithin(row * lists, from * lists, (from + 1) * lists);
    this.orderCounts.copyWithin(row * powerCount, from * powerCount, (from + 1) * powerCount);
    this.orderable.copyWithin(row * this.perGame, from * this.perGame, (from + 1) * this.perGame);
  }
}
