// The games of a batch, as rows of shared memory with their logs: access, restart, clearing and copying of a row.
import {
  type CompiledMap,
  Game,
  hashSeed,
  newGame,
  PLAYING,
  type Rules,
  scoreNames,
} from '../../../engine/internal.js';
import { makeClaims } from '../../../selfplay/crew/claims.js';
import { makeTensors, type Tensors } from '../../formats/arrays/observations.js';
import type { ServerConfig, Setup } from './config.js';
import { GameLog, logWords, PastLog, pastWords } from './game-log.js';
import { LastOrders } from './last-orders.js';
import type { Layout } from './layout.js';
import { LongGames } from './long-games.js';
import type { Memory } from './memory.js';
import { makeAgentTexts } from './named-agents.js';
import { MOST_CHUNKS, makeRolloutMemory } from './rollout-tasks.js';

/** Allocates the memory that the threads of a batch share, apart from the arrays of the client. */
export const makeThreadMemory = ({ workers, record }: ServerConfig, { map, layout }: Setup) => {
  const { games, children, chunk, maxOrders } = layout;
  const chunks = Math.ceil(games / chunk) + Math.ceil(children / chunk);
  const words = (count: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * count));
  return {
    // The first thread claims chunks too, besides the threads that are replaced after a crash.
    claims: makeClaims(workers + 1, Math.max(chunks, workers, MOST_CHUNKS)),
    /**
     * Decoded orders of the current step, one for each slot of all rows, followed by the number of decoded orders of
     * each row.
     */
    given: words((games + children) * (map.powerCount * maxOrders + 1)),
    /** Texts of the options that name agents playing in the engine (named-agents.ts). */
    agentTexts: makeAgentTexts(),
    /** Log of phases for the recorder (game-log.ts); empty for a batch that does not record. */
    log: words(record === null ? 0 : games * logWords(map)),
    /** Log of the phases that each game has played, for agents (game-log.ts). */
    past: words(pastWords(games)),
    /** Requested rollouts and their results (rollout-tasks.ts). */
    rollouts: makeRolloutMemory(),
  };
};
export type ThreadMemory = Readonly<ReturnType<typeof makeThreadMemory>>;

const arraysOf = (memory: Memory) => ({
  state: memory.bytes('state'),
  streams: memory.int32('streams'),
  episodeSeed: memory.int32('episode_seed'),
  steps: memory.int32('steps'),
  phases: memory.int32('phases'),
  mask: memory.bytes('mask'),
  seeds: memory.int32('seeds'),
  parents: memory.int32('parents'),
  actions: memory.int32('actions'),
  seats: memory.bytes('seats'),
  wanted: memory.bytes('wanted'),
  chosen: memory.int32('chosen'),
  builds: memory.int8('build_numbers'),
  centerCounts: memory.bytes('center_counts'),
  orderCounts: memory.bytes('order_counts'),
  orderable: memory.int16('orderable'),
  legalOffsets: memory.int32('legal_offsets'),
  legalIds: memory.int32('legal_ids'),
  textKeys: memory.has('text_keys') ? memory.int32('text_keys') : null,
  legalMask: memory.has('legal_mask') ? memory.bytes('legal_mask') : null,
  terminated: memory.bytes('terminated'),
  truncated: memory.bytes('truncated'),
  centerGains: memory.int8('center_gains'),
  rewards: memory.float32('rewards'),
  returns: memory.float32('returns'),
  finalScores: memory.float32('final_scores'),
  finalState: memory.bytes('final_state'),
});

/**
 * Copies a row of an array over another row.
 * @param size number of elements in a row
 * @param from row to copy
 * @param to row to overwrite
 */
const copyRow = (
  array: Uint8Array | Int16Array | Int32Array | Float32Array,
  size: number,
  from: number,
  to: number,
): void => {
  array.copyWithin(to * size, from * size, (from + 1) * size);
};

export class Games {
  readonly map: CompiledMap = this.setup.map;
  readonly rules: Rules = this.setup.rules.adjudication;
  readonly layout: Layout = this.setup.layout;
  readonly arrays = arraysOf(this.memory);
  /** Number of slots of a game: number of powers times maxOrders. */
  readonly slots: number = this.map.powerCount * this.layout.maxOrders;
  readonly tensors: Tensors | null = makeTensors(this.map, this.memory, this.config.observations);
  readonly longGames: LongGames | null = this.setup.longGameDraw ? new LongGames(this.map, this.memory) : null;
  readonly lastOrders: LastOrders | null = this.config.results ? new LastOrders(this.map, this.memory) : null;
  readonly log: GameLog | null = this.shared.log.length > 0 ? new GameLog(this.shared.log, this.layout.games) : null;
  readonly past: PastLog = new PastLog(this.shared.past, this.layout.games);
  private readonly cursor: Game = new Game(this.map, this.rules, this.arrays.state);
  private readonly start: Game = newGame(this.map, this.rules);

  constructor(
    readonly config: ServerConfig,
    readonly setup: Setup,
    private readonly memory: Memory,
    readonly shared: ThreadMemory,
  ) {}

  /** Returns the game of a row. The object is reused: after the next call it shows another game. */
  at(row: number): Game {
    this.cursor.offset = row * this.cursor.layout.stride;
    return this.cursor;
  }
  isPlaying(row: number): boolean {
    return this.at(row).status === PLAYING;
  }
  /** True if a row is a child (a position made by expand()), false if it is a game of the batch. */
  isChild(row: number): boolean {
    return row >= this.layout.games;
  }

  restart(row: number, seed: number): void {
    const { steps, phases } = this.arrays;
    this.at(row).copyFrom(this.start);
    this.reseed(row, seed);
    steps[row] = 0;
    phases[row] = 0;
    this.past.begin(row, 0);
    this.longGames?.begin(row, this.start);
    this.tensors?.clear(row);
  }

  /** Sets a game's episode seed, and restarts its random streams from it. */
  reseed(row: number, seed: number): void {
    const { episodeSeed, streams } = this.arrays;
    episodeSeed[row] = seed;
    streams[2 * row] = hashSeed(seed, 1);
    streams[2 * row + 1] = hashSeed(seed, 2);
  }

  /**
   * Clears a game's rewards, returns, ends, gains of centres and `last_` arrays, for a position that no step has led
   * to.
   */
  clearStep(row: number): void {
    this.clearOutcome(row);
    this.clearGains(row);
    this.lastOrders?.clear(row);
  }
  clearOutcome(row: number): void {
    this.arrays.terminated[row] = 0;
    this.arrays.truncated[row] = 0;
    this.clearScores(row);
  }
  clearGains(row: number): void {
    const { powerCount } = this.map;
    this.arrays.centerGains.fill(0, row * powerCount, (row + 1) * powerCount);
  }
  clearRewards(row: number): void {
    const size = scoreNames.length * this.map.powerCount;
    this.arrays.rewards.fill(0, row * size, (row + 1) * size);
  }
  /** Sets all rewards and returns of a game to 0. */
  clearScores(row: number): void {
    const size = scoreNames.length * this.map.powerCount;
    this.clearRewards(row);
    this.arrays.returns.fill(0, row * size, (row + 1) * size);
  }

  /** Copies `terminated`, `truncated` and `returns` of a finished game to another row. */
  private copyEnd(from: number, to: number): void {
    const { terminated, truncated, returns } = this.arrays;
    terminated[to] = terminated[from];
    truncated[to] = truncated[from];
    copyRow(returns, scoreNames.length * this.map.powerCount, from, to);
  }

  /**
   * Copies a game to a child's row, with the legal lists that decode the child's actions. Rewards and gains of the
   * child are 0.
   * @param from row of the game
   * @param to row of the child
   */
  copy(from: number, to: number): void {
    const { map, slots } = this;
    const { state, streams, episodeSeed, steps, phases, seats, legalOffsets, orderCounts, orderable } = this.arrays;
    copyRow(state, this.cursor.layout.stride, from, to);
    copyRow(streams, 2, from, to);
    for (const array of [episodeSeed, steps, phases]) copyRow(array, 1, from, to);
    this.longGames?.copy(from, to);
    this.tensors?.copy(from, to);
    this.clearOutcome(to);
    if (!this.isPlaying(from)) this.copyEnd(from, to);
    this.clearGains(to);
    for (const array of [seats, orderCounts]) copyRow(array, map.powerCount, from, to);
    copyRow(legalOffsets, slots + 1, from, to);
    copyRow(orderable, slots, from, to);
  }
}
