// The games of a batch server: one thread's view of them, and what it does with a chunk of games.
//
// A step has two parts with all threads in step between them: `decode` reads and checks every action, so that an illegal
// one leaves all games as they were; `apply` adjudicates, ends, restarts and describes the games.
import {
  ADJUSTMENT,
  adjudicate,
  allLegalOrders,
  balance,
  builderAt,
  type CompiledMap,
  checkGame,
  DRAW,
  Game,
  hashSeed,
  isLegal,
  legalProvinces,
  MOVEMENT,
  makeResults,
  newGame,
  nextEpisodeSeed,
  orderAux,
  orderLocation,
  orderType,
  PLAYING,
  Random,
  RETREAT,
  type Results,
  type Rules,
  scoreInto,
  scoreNames,
  unitPower,
  vocabulary,
  WAIVE,
} from '../engine/index.js';
import { load, playOpen, step, store } from '../engine/play.js';
import { board } from '../engine/resolve.js';
import { type Agent, UNBOUNDED } from '../selfplay/agent.js';
import type { ObservationKind } from './server-layout.js';
import type { Memory } from './server-memory.js';
import type { BoardEncoder } from './tensors/board.js';
import { type DeepmindActions, deepmindActions, deepmindBoard, deepmindSeason } from './tensors/deepmind.js';
import { dipnetBoard, PreviousOrdersEncoder } from './tensors/dipnet.js';

/** What becomes of a game that has ended: it begins again in the same step, in the next one, or when it is reset. */
export const resetModes = ['same_step', 'next_step', 'disabled'] as const;
export type ResetMode = (typeof resetModes)[number];

export interface CoreOptions {
  readonly observations: ObservationKind;
  readonly resetMode: ResetMode;
  /** Games end as draws after this year's winter; 0: only by a solo. */
  readonly until: number;
  /** Actions are vocabulary ids; else places in the legal list of their unit. */
  readonly byVocabulary: boolean;
  /** Legal lists are written; without them actions must be vocabulary ids. */
  readonly lists: boolean;
  /** Agent by power; null for a power that the client orders. */
  readonly agents: readonly (Agent | null)[];
}

/** An action that cannot be taken. */
export class ActionError extends Error {
  override readonly name = 'ActionError';
  declare readonly game: number;
  constructor(game: number, message: string) {
    super(message);
    this.game = game;
  }
}

/** `orderable` of a build or removal, and of a place that is not in use. */
export const ADJUSTMENT_SLOT = -2;
export const NO_SLOT = -1;

/** Every order as vocabulary id by a hash table at most half full: slots hold id + 1. */
class Ids {
  declare readonly orders: Int32Array;
  declare private readonly slots: Int32Array;
  declare private readonly shift: number;
  constructor(orders: Int32Array) {
    this.orders = orders;
    this.shift = Math.clz32(orders.length) - 1;
    this.slots = new Int32Array(2 ** (32 - this.shift));
    orders.forEach((order, id) => {
      let slot = Math.imul(order, 0x9e37_79b1) >>> this.shift;
      while (this.slots[slot] !== 0) slot = (slot + 1) & (this.slots.length - 1);
      this.slots[slot] = id + 1;
    });
  }
  of(order: number): number {
    const { orders, slots } = this;
    const mask = slots.length - 1;
    for (let slot = Math.imul(order, 0x9e37_79b1) >>> this.shift; slots[slot] !== 0; slot = (slot + 1) & mask)
      if (orders[slots[slot] - 1] === order) return slots[slot] - 1;
    return -1;
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
  declare private readonly ids: Ids;
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
  declare private readonly terminated: Uint8Array;
  declare private readonly truncated: Uint8Array;
  declare private readonly rewards: Float32Array;
  declare private readonly finalScores: Float32Array;
  declare private readonly finalState: Uint8Array;
  declare private readonly tensors: Tensors | null;
  declare private readonly lists: Lists;
  declare private readonly scores: Float64Array;
  declare private readonly centers: Int32Array;
  declare private readonly hasAgents: boolean;

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
    this.ids = new Ids(vocabulary(map).orders);
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
    this.terminated = memory.bytes('terminated');
    this.truncated = memory.bytes('truncated');
    this.rewards = memory.float32('rewards');
    this.finalScores = memory.float32('final_scores');
    this.finalState = memory.bytes('final_state');
    this.tensors = makeTensors(map, memory, options.observations);
    this.lists = new Lists(map);
    this.scores = new Float64Array(map.powerCount);
    this.centers = new Int32Array(map.powerCount);
    this.hasAgents = options.agents.some((agent) => agent !== null);
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
    this.tensors?.clear(row);
  }

  /** Restarts the games of `mask` with their `seeds`. */
  reset(first: number, end: number): void {
    for (let row = first; row < end; row++) {
      if (this.mask[row] === 0) continue;
      this.restart(row, this.seeds[row]);
      this.clearOutcome(row);
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
      this.clearOutcome(row);
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
    const { legalIds, legalOffsets, options, ids } = this;
    const action = this.actions[at];
    const begin = legalOffsets[list];
    const count = legalOffsets[list + 1] - begin;
    if (!options.byVocabulary) {
      if (action < 0 || action >= count) this.refuse(row, power, slot, action, `0 to ${count - 1}, or -1 for no order`);
      return ids.orders[legalIds[begin + action]];
    }
    if (action < 0 || action >= ids.orders.length)
      this.refuse(row, power, slot, action, `a vocabulary id from 0 to ${ids.orders.length - 1}, or -1 for no order`);
    const order = ids.orders[action];
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
    if (orderType(order) === WAIVE) return orderAux(order) === power;
    const province = this.map.locationProvince[orderLocation(order)];
    const unit = game.unitAt(province);
    return unit === 0 ? builderAt(game, province) === power : unitPower(unit) === power;
  }

  private decodeGame(row: number): number {
    const { powerCount } = this.map;
    const { maxOrders } = this.memory.layout;
    const actions = row * this.perGame;
    const lists = row * (this.perGame + 1);
    let n = actions;
    for (let q = 0; q < powerCount; q++) {
      const due = this.orderCounts[row * powerCount + q];
      for (let s = 0; s < due; s++) {
        const at = q * maxOrders + s;
        if (this.actions[actions + at] === -1) continue;
        this.given[n++] = this.orderOf(row, q, s, actions + at, lists + at);
      }
    }
    return n - actions;
  }

  /** Reads the actions of games. @throws ActionError for the first that is illegal */
  decode(first: number, end: number): void {
    for (let row = first; row < end; row++)
      this.givenCount[row] = this.game(row).status === PLAYING ? this.decodeGame(row) : 0;
  }

  // ---- apply ----

  private clearOutcome(row: number): void {
    this.terminated[row] = 0;
    this.truncated[row] = 0;
    this.clearRewards(row);
  }
  private clearRewards(row: number): void {
    const per = scoreNames.length * this.map.powerCount;
    for (let i = row * per; i < (row + 1) * per; i++) this.rewards[i] = 0;
  }

  /** Adds the orders of the agents to those given. */
  private async orderAgents(row: number): Promise<void> {
    const { agents } = this.options;
    const buffer = new Int32Array(this.map.provinceCount);
    for (let q = 0; q < agents.length; q++) {
      const agent = agents[q];
      if (agent === null) continue;
      const random = new Random(this.episodeSeed[row], this.phases[row], q);
      const count = await agent.choose(this.game(row), q, buffer, random, UNBOUNDED);
      for (let k = 0; k < count; k++) this.given[row * this.perGame + this.givenCount[row]++] = buffer[k];
    }
  }

  /** Wakes a game that has ended if the mode says so; false if there is nothing to play. */
  private wake(row: number): boolean {
    if (this.game(row).status === PLAYING) return true;
    if (this.options.resetMode === 'next_step' && row < this.memory.layout.games) {
      this.restart(row, nextEpisodeSeed(this.episodeSeed[row]));
      this.clearOutcome(row);
    } else this.clearRewards(row);
    return false;
  }

  private playPhase(row: number): void {
    const game = this.game(row);
    const at = row * this.perGame;
    const orders = this.given.subarray(at, at + this.givenCount[row]);
    const moves = game.phase === MOVEMENT;
    this.tensors?.beforePhase(row, game, orders, this.ids);
    adjudicate(game, orders, orders.length, this.results);
    this.phases[row]++;
    if (moves) this.steps[row]++;
  }

  /** Sees whether a game has ended, and what follows from that. */
  private finish(row: number): void {
    const game = this.game(row);
    if (this.terminated[row] + this.truncated[row] > 0) this.clearOutcome(row);
    if (game.status === PLAYING && this.options.until > 0 && game.year > this.options.until) {
      game.status = DRAW;
      this.truncated[row] = 1;
    } else if (game.status !== PLAYING) this.terminated[row] = 1;
    else return;
    this.writeScores(row, game);
    if (row >= this.memory.layout.games) return;
    this.keepFinal(row, game);
    if (this.options.resetMode === 'same_step') this.restart(row, nextEpisodeSeed(this.episodeSeed[row]));
  }

  private writeScores(row: number, game: Game): void {
    const { powerCount } = this.map;
    game.countCenters(this.centers);
    for (let s = 0; s < scoreNames.length; s++) {
      scoreInto(s, this.centers, 0, powerCount, game.winner, this.scores);
      this.rewards.set(this.scores, (row * scoreNames.length + s) * powerCount);
    }
  }

  private keepFinal(row: number, game: Game): void {
    const per = scoreNames.length * this.map.powerCount;
    const { stride } = game.layout;
    this.finalScores.set(this.rewards.subarray(row * per, (row + 1) * per), row * per);
    this.finalState.set(this.state.subarray(row * stride, (row + 1) * stride), row * stride);
    this.tensors?.writeFinal(row, game);
  }

  /** Plays the phase that each game stands at, by the orders of decode() and of the agents. */
  apply(first: number, end: number): void | Promise<void> {
    if (this.hasAgents) return this.applyWithAgents(first, end);
    for (let row = first; row < end; row++) {
      if (!this.wake(row)) continue;
      this.playPhase(row);
      this.finish(row);
    }
    this.describe(first, end);
  }
  private async applyWithAgents(first: number, end: number): Promise<void> {
    for (let row = first; row < end; row++) {
      if (!this.wake(row)) continue;
      await this.orderAgents(row);
      this.playPhase(row);
      this.finish(row);
    }
    this.describe(first, end);
  }

  // ---- random play ----

  private randomStep(row: number, sampler: number): void {
    const game = this.game(row);
    load(game, this.streams, 2 * row);
    if (game.phase !== MOVEMENT) {
      playOpen(sampler);
      // The tensors read the position before the moves.
      if (this.tensors !== null) store(game, this.streams, 2 * row);
    }
    step(sampler);
    if (game.status === PLAYING) this.tensors?.beforeStore(row, game);
    store(game, this.streams, 2 * row);
    this.steps[row]++;
  }

  /**
   * Plays phase-steps with random orders for all powers; returns how many. Legal lists are left as they were: the client
   * asks for them with describe() when it wants them.
   */
  playRandom(first: number, end: number, count: number, sampler: number): number {
    let played = 0;
    for (let row = first; row < end; row++) {
      for (let k = 0; k < count; k++) {
        if (this.game(row).status !== PLAYING) {
          if (this.options.resetMode === 'disabled') break;
          this.restart(row, nextEpisodeSeed(this.episodeSeed[row]));
        }
        this.randomStep(row, sampler);
        this.finish(row);
        played++;
      }
      this.tensors?.write(row, this.game(row), this.builds);
    }
    return played;
  }

  // ---- describe ----

  private describeBuilds(row: number, game: Game): void {
    const { powerCount } = this.map;
    const at = row * powerCount;
    const adjusts = game.phase === ADJUSTMENT && game.status === PLAYING;
    for (let q = 0; q < powerCount; q++) this.builds[at + q] = adjusts ? balance(game, q) : 0;
    game.countCenters(this.centers);
    for (let q = 0; q < powerCount; q++) this.centerCounts[at + q] = this.centers[q];
  }

  /** Writes the legal orders of a game behind `next`; returns where they end. */
  private describeOrders(row: number, game: Game, begin: number, limit: number): number {
    const { lists, options, map, legalOffsets, legalIds, orderable, ids } = this;
    const { maxOrders } = this.memory.layout;
    const base = row * (this.perGame + 1);
    let next = begin;
    if (game.status === PLAYING) lists.list(game, this.builds, row * map.powerCount);
    else lists.clear();
    for (let q = 0; q < map.powerCount; q++) {
      const due = options.agents[q] === null ? lists.due(q) : 0;
      this.orderCounts[row * map.powerCount + q] = due;
      for (let s = 0; s < maxOrders; s++) {
        legalOffsets[base + q * maxOrders + s] = next;
        const at = (row * map.powerCount + q) * maxOrders + s;
        orderable[at] = s < due ? lists.locationOf(q, s) : NO_SLOT;
        if (s >= due || !options.lists) continue;
        const first = lists.first(q, s);
        const end = lists.end(q, s);
        if (next + end - first > limit)
          throw new RangeError(`legal orders: got more than ${this.memory.layout.chunkIds} in a chunk of games`);
        for (let k = first; k < end; k++) legalIds[next++] = ids.of(lists.orders[k]);
      }
    }
    legalOffsets[base + this.perGame] = next;
    return next;
  }

  /** Writes everything that the client reads about the games of one chunk. */
  describe(first: number, end: number): void {
    const { layout } = this.memory;
    const chunk = this.chunkOf(first);
    let next = chunk * layout.chunkIds;
    const limit = next + layout.chunkIds;
    for (let row = first; row < end; row++) {
      const game = this.game(row);
      this.describeBuilds(row, game);
      next = this.describeOrders(row, game, next, limit);
      this.tensors?.write(row, game, this.builds);
    }
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
      this.tensors?.copy(from, row);
      this.clearOutcome(row);
      this.copyLists(from, row);
    }
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

// ---- legal orders by power ----

/** Legal orders of one game, ordered by power. In an adjustment phase each order that is due has the whole list. */
class Lists {
  declare readonly map: CompiledMap;
  declare readonly orders: Int32Array;
  declare private readonly offsets: Int32Array;
  /** Provinces with orders by power: entries[starts[q] .. starts[q + 1]) index `offsets`. */
  declare private readonly entries: Int32Array;
  declare private readonly starts: Int32Array;
  declare private readonly power: Int32Array;
  declare private readonly locations: Int32Array;
  /** Adjustments that are due by power; 0 outside an adjustment phase. */
  declare private readonly adjustments: Int32Array;
  declare private readonly firsts: Int32Array;
  declare private readonly ends: Int32Array;
  declare private adjusts: boolean;

  constructor(map: CompiledMap) {
    const { provinceCount, powerCount } = map;
    this.map = map;
    this.orders = new Int32Array(2000 * provinceCount);
    this.offsets = new Int32Array(provinceCount + 1);
    this.entries = new Int32Array(provinceCount);
    this.starts = new Int32Array(powerCount + 1);
    this.power = new Int32Array(provinceCount);
    this.locations = new Int32Array(provinceCount);
    this.adjustments = new Int32Array(powerCount);
    this.firsts = new Int32Array(powerCount);
    this.ends = new Int32Array(powerCount);
    this.adjusts = false;
  }

  clear(): void {
    this.adjusts = false;
    this.starts.fill(0);
  }

  list(game: Game, builds: Int8Array, at: number): void {
    const count = allLegalOrders(game, this.orders, this.offsets);
    this.adjusts = game.phase === ADJUSTMENT;
    this.findPowers(game, count);
    this.sortByPower(count);
    if (this.adjusts) this.joinAdjustments(builds, at, this.offsets[count]);
  }

  private findPowers(game: Game, count: number): void {
    const { power, locations } = this;
    if (game.phase === RETREAT) {
      for (let k = 0; k < count; k++) {
        const waiting = game.dislodged(k);
        power[k] = unitPower(waiting.unit);
        locations[k] = waiting.location;
      }
      return;
    }
    for (let k = 0; k < count; k++) {
      const p = legalProvinces[k];
      const unit = game.unitAt(p);
      power[k] = unit === 0 ? builderAt(game, p) : unitPower(unit);
      locations[k] = game.unitLocation(p);
    }
  }

  private sortByPower(count: number): void {
    const { starts, entries, power } = this;
    const { powerCount } = this.map;
    let n = 0;
    for (let q = 0; q < powerCount; q++) {
      starts[q] = n;
      for (let k = 0; k < count; k++) if (power[k] === q) entries[n++] = k;
    }
    starts[powerCount] = n;
  }

  /** Puts all adjustments of a power into one list behind the others; of its waives only the last is kept. */
  private joinAdjustments(builds: Int8Array, at: number, begin: number): void {
    const { starts, entries, orders, offsets, firsts, ends, adjustments } = this;
    let n = begin;
    for (let q = 0; q < this.map.powerCount; q++) {
      const due = builds[at + q];
      firsts[q] = n;
      for (let e = starts[q]; e < starts[q + 1]; e++)
        for (let k = offsets[entries[e]]; k < offsets[entries[e] + 1]; k++)
          if (orderType(orders[k]) !== WAIVE || e === starts[q + 1] - 1) orders[n++] = orders[k];
      ends[q] = n;
      adjustments[q] = Math.abs(due);
    }
  }

  /** Orders that a power has due. */
  due(power: number): number {
    return this.adjusts ? this.adjustments[power] : this.starts[power + 1] - this.starts[power];
  }
  locationOf(power: number, slot: number): number {
    return this.adjusts ? ADJUSTMENT_SLOT : this.locations[this.entries[this.starts[power] + slot]];
  }
  first(power: number, slot: number): number {
    return this.adjusts ? this.firsts[power] : this.offsets[this.entries[this.starts[power] + slot]];
  }
  end(power: number, slot: number): number {
    return this.adjusts ? this.ends[power] : this.offsets[this.entries[this.starts[power] + slot] + 1];
  }
}

// ---- tensors ----

/** What nets read, written beside the games. */
interface Tensors {
  /** Forgets the past of a game. */
  clear(row: number): void;
  /** Told of the orders before they are played. */
  beforePhase(row: number, game: Game, orders: Int32Array, ids: Ids): void;
  /** The same for a random step: its orders are on the board, the position before them in the game. */
  beforeStore(row: number, game: Game): void;
  write(row: number, game: Game, builds: Int8Array): void;
  writeFinal(row: number, game: Game): void;
  copy(from: number, to: number): void;
}

const makeTensors = (map: CompiledMap, memory: Memory, kind: ObservationKind): Tensors | null => {
  if (kind === 'none') return null;
  return kind === 'dipnet' ? new DipnetTensors(map, memory) : new DeepmindTensors(map, memory);
};

const NO_BUILDS = new Int8Array(64);

class DipnetTensors implements Tensors {
  declare private readonly board: BoardEncoder;
  declare private readonly previous: PreviousOrdersEncoder;
  declare private readonly boards: Uint8Array;
  declare private readonly finals: Uint8Array;
  declare private readonly orders: Uint8Array;
  declare private readonly nothing: Uint8Array;
  declare private readonly powers: number;

  constructor(map: CompiledMap, memory: Memory) {
    this.board = dipnetBoard(map);
    this.previous = new PreviousOrdersEncoder(map);
    this.boards = memory.bytes('observation');
    this.finals = memory.bytes('final_observation');
    this.orders = memory.bytes('previous_orders');
    this.nothing = new Uint8Array(this.previous.size);
    this.powers = map.powerCount;
  }
  clear(row: number): void {
    this.orders.set(this.nothing, row * this.previous.size);
  }
  beforePhase(row: number, game: Game, orders: Int32Array): void {
    if (game.phase === MOVEMENT)
      this.previous.encode(game, orders, orders.length, this.orders, row * this.previous.size);
  }
  beforeStore(row: number, game: Game): void {
    const at = row * this.previous.size;
    this.previous.begin(game, this.orders, at);
    for (let p = 0; p < game.map.provinceCount; p++)
      if (game.unitAt(p) !== 0) this.previous.add(game, p, board.order[p], this.orders, at);
  }
  write(row: number, game: Game, builds: Int8Array): void {
    this.board.encode(game, this.boards, row * this.board.size, builds, row * this.powers);
  }
  writeFinal(row: number, game: Game): void {
    this.board.encode(game, this.finals, row * this.board.size, NO_BUILDS);
  }
  copy(from: number, to: number): void {
    const { size } = this.previous;
    this.orders.copyWithin(to * size, from * size, (from + 1) * size);
  }
}

class DeepmindTensors implements Tensors {
  declare private readonly board: BoardEncoder;
  declare private readonly boards: Uint8Array;
  declare private readonly finals: Uint8Array;
  declare private readonly season: Int8Array;
  /** Builds as their nets know them: outside build phases the removals of the last one stay. */
  declare private readonly builds: Int8Array;
  declare private readonly lastActions: Int32Array;
  declare private readonly lastCount: Int32Array;
  declare private readonly actions: DeepmindActions;
  declare private readonly powers: number;
  declare private readonly perGame: number;

  constructor(map: CompiledMap, memory: Memory) {
    this.board = deepmindBoard(map);
    this.boards = memory.bytes('observation');
    this.finals = memory.bytes('final_observation');
    this.season = memory.int8('deepmind_season');
    this.builds = memory.int8('deepmind_builds');
    this.lastActions = memory.int32('last_actions');
    this.lastCount = memory.int32('last_action_count');
    this.actions = deepmindActions(map);
    this.powers = map.powerCount;
    this.perGame = map.powerCount * memory.layout.maxOrders;
  }
  clear(row: number): void {
    for (let q = 0; q < this.powers; q++) this.builds[row * this.powers + q] = 0;
    this.lastCount[row] = 0;
  }
  beforePhase(row: number, game: Game, orders: Int32Array, ids: Ids): void {
    let at = 2 * row * this.perGame;
    for (const order of orders) {
      // A support that names a coast has no entry of its own, and never comes from a list.
      const index = this.actions.indexOf[ids.of(order)];
      this.lastActions[at++] = this.actions.bits[index] | 0;
      this.lastActions[at++] = index << 16;
    }
    this.lastCount[row] = orders.length;
    if (game.phase !== ADJUSTMENT) return;
    for (let q = 0; q < this.powers; q++) this.builds[row * this.powers + q] = Math.min(0, balance(game, q));
  }
  beforeStore(row: number): void {
    // A random step plays several phases; what was ordered in the last of them is not kept.
    this.lastCount[row] = 0;
  }
  write(row: number, game: Game, builds: Int8Array): void {
    this.season[row] = deepmindSeason(game.season, game.phase);
    this.board.encode(game, this.boards, row * this.board.size, builds, row * this.powers);
    if (game.phase !== ADJUSTMENT) return;
    for (let q = 0; q < this.powers; q++) this.builds[row * this.powers + q] = builds[row * this.powers + q];
  }
  writeFinal(row: number, game: Game): void {
    this.board.encode(game, this.finals, row * this.board.size, NO_BUILDS);
  }
  copy(from: number, to: number): void {
    const { powers, perGame } = this;
    this.builds.copyWithin(to * powers, from * powers, (from + 1) * powers);
    this.lastActions.copyWithin(2 * to * perGame, 2 * from * perGame, 2 * (from + 1) * perGame);
    this.lastCount[to] = this.lastCount[from];
  }
}
