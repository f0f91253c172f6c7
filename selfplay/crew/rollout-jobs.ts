// Plays rollouts and whole games on all workers of a pool, in chunks (chunks.ts) of about a millisecond.
//
// The division into chunks depends only on the request, and each chunk has a slot for its result in shared memory.
// Slots are added up in order, so the result is the same, to the last bit, for any number of workers.
import {
  type CompiledMap,
  Game,
  hashSeed,
  mix,
  type Rules,
  SOLO,
  SUM_OF_SQUARES,
  stateLayout,
} from '../../engine/internal.js';
import { Batch } from '../../engine/play/batch.js';
import { POLICY, type Sampler } from '../../engine/play/step.js';
import { LepantoError } from '../../engine/rules/error.js';
import {
  addRollouts,
  makeRolloutSums,
  type RolloutOptions,
  type RolloutResult,
  rolloutResult,
  wholeFrom,
} from '../rollouts/rollout.js';
import type { ChunkRunner, JobOptions } from './chunks.js';
import { openMapAndRules, type PackedMapAndRules, packMapAndRules } from './map-and-rules.js';

/**
 * Approximate number of phase-steps in a chunk, about a millisecond of work. Small, because all workers wait for the
 * last chunk of a job.
 */
const CHUNK_STEPS = 1000;
/** Maximum number of chunks in one job of the pool. Limits memory: larger or infinite counts take several jobs. */
const MOST_CHUNKS = 8192;

/** Options of rollout() without `evaluate`, because functions cannot be sent to workers. */
export type SharedRolloutOptions = Omit<RolloutOptions, 'evaluate'>;

/** A position to be evaluated by rollouts. */
export interface RolloutTask {
  /** The position. */
  readonly game: Game;
  /** Number and settings of the rollouts. */
  readonly options: SharedRolloutOptions;
}

/** Settings of the games that Pool.playouts() plays. */
export interface PlayoutOptions {
  /** Map of the games. */
  readonly map: CompiledMap;
  /** Rules of the games. */
  readonly rules: Rules;
  /** Number of games. May be infinite if there is a signal. */
  readonly games: number;
  /** Last year: games without a winner after its winter are draws. */
  readonly until: number;
  /** Seed of all games. Game i is the same as game i of a Batch after reset(seed). */
  readonly seed: number;
  /** Sampler.UNIFORM or Sampler.POLICY. Default POLICY. */
  readonly sampler?: Sampler;
}

/** Totals over random games. */
export interface PlayoutSummary {
  /** Number of games played. */
  readonly games: number;
  /** Number of phase-steps played. */
  readonly steps: number;
  /** Number of solo victories, indexed by power. */
  readonly solos: readonly number[];
  /** Number of centres owned at the end, summed over the games, indexed by power. */
  readonly centers: readonly number[];
  /** Checksum of the final positions of all games, in the order of the games: an unsigned 32-bit integer. */
  readonly checksum: number;
}

/**
 * Checks a number of games or rollouts.
 * @param name name of the argument, for the error message
 * @param got the number
 * @throws LepantoError unless it is a whole number from 0, or infinite with a signal
 */
const checkCount = (name: string, got: number, signal: AbortSignal | undefined): void => {
  if (got !== Number.POSITIVE_INFINITY || signal === undefined) wholeFrom(name, got, 0);
};

/**
 * Plays a job in which each chunk writes `size` numbers to its own slot of shared memory.
 * @param name name of the exported function of this module that makes the player
 * @param data argument of this function, without the slots
 * @param before number of operations of earlier jobs, added to the progress
 * @returns the slots of the played chunks, always the first ones
 */
const playOn = async (
  pool: ChunkRunner,
  { name, chunks, size }: { readonly name: string; readonly chunks: number; readonly size: number },
  data: object,
  { signal, onProgress }: JobOptions,
  before: number,
): Promise<Float64Array> => {
  const slots = new Float64Array(new SharedArrayBuffer(8 * size * chunks));
  const done = await pool.chunks(
    { module: import.meta.url, name, data: { ...data, slots }, chunks },
    {
      ...(signal !== undefined && { signal }),
      ...(onProgress !== undefined && { onProgress: (more) => onProgress(before + more) }),
    },
  );
  return slots.subarray(0, size * done);
};

// ---- rollouts ----

/** A chunk of rollouts: number of the task, number of its first rollout, and number of rollouts. */
export type RolloutChunk = readonly [task: number, first: number, count: number];
/** Length of a RolloutChunk. */
export const CHUNK_NUMBERS = 3;

/**
 * Divides the rollouts of tasks into chunks. Yields lists of chunks, one list for each job of the pool.
 * @param tasks number of rollouts and horizon of each task
 * @param steps approximate maximum number of phase-steps in a chunk
 * @param most maximum number of chunks in a list
 */
export function* cutTasks(
  tasks: readonly { readonly count: number; readonly horizon: number }[],
  steps: number,
  most: number,
): Generator<RolloutChunk[]> {
  let chunks: RolloutChunk[] = [];
  for (const [task, { count, horizon }] of tasks.entries()) {
    // One more step for loading the position and computing its value.
    const size = Math.max(1, Math.floor(steps / (horizon + 1)));
    for (let first = 0; first < count; first += size) {
      chunks.push([task, first, Math.min(size, count - first)]);
      if (chunks.length < most) continue;
      yield chunks;
      chunks = [];
    }
  }
  if (chunks.length > 0) yield chunks;
}

/**
 * Returns the length of a slot, the results of a chunk. Of rollouts: sum of the values of each power, sum of their
 * squares for each power, number of phase-steps. Of random games: solos of each power, centres of each power, number of
 * phase-steps.
 */
const slotSize = (powers: number): number => 2 * powers + 1;

/**
 * Packs tasks for workers: each distinct position as a row of shared memory, and each task with the number of its row.
 */
const packTasks = (tasks: readonly RolloutTask[]) => {
  const { map, rules } = tasks[0].game;
  const { stride } = stateLayout(map);
  const places = new Map<Game, number>();
  for (const { game } of tasks) if (!places.has(game)) places.set(game, places.size);
  const games = new Uint8Array(new SharedArrayBuffer(stride * places.size));
  for (const [game, place] of places) games.set(game.bytes.subarray(game.offset, game.offset + stride), place * stride);
  const packed = tasks.map(({ game, options }) => {
    const { horizon, seed, sampler = POLICY, score = SUM_OF_SQUARES, first = 0, fixed = [] } = options;
    return { place: places.get(game) ?? 0, horizon, seed, sampler, score, first, fixed: Int32Array.from(fixed) };
  });
  return { mapAndRules: packMapAndRules(map, rules), games, tasks: packed };
};

/** Data of a job of rollouts. */
interface RolloutData extends ReturnType<typeof packTasks> {
  /** Chunks of the job, CHUNK_NUMBERS numbers each. */
  readonly chunks: Float64Array;
  /** Results of the chunks, slotSize() numbers each. */
  readonly slots: Float64Array;
}

/**
 * Returns, in a worker, a function that plays the rollouts of a chunk, writes its slot and returns the number of
 * rollouts.
 */
export const rolloutPlayer = (data: RolloutData): ((chunk: number) => number) => {
  const { map, rules } = openMapAndRules(data.mapAndRules);
  const game = new Game(map, rules, data.games.slice());
  const size = slotSize(map.powerCount);
  return (chunk) => {
    const [task, begin, count] = data.chunks.subarray(CHUNK_NUMBERS * chunk);
    const { place, first, ...options } = data.tasks[task];
    const into = makeRolloutSums(map.powerCount);
    game.offset = place * game.layout.stride;
    addRollouts(game, { ...options, count, first: first + begin }, into);
    data.slots.set([...into.sums, ...into.squares, into.steps], size * chunk);
    return count;
  };
};

/**
 * Plays rollouts from many positions on the workers of a pool. Returns one result for each task, in the order of the
 * tasks.
 * @throws LepantoError if the positions have different maps or rules, or for invalid rollout options
 */
export const evaluateOn = async (
  pool: ChunkRunner,
  tasks: readonly RolloutTask[],
  options: JobOptions,
): Promise<RolloutResult[]> => {
  if (tasks.length === 0) return [];
  const { map, rules } = tasks[0].game;
  const powers = map.powerCount;
  for (const { game, options: own } of tasks) {
    if (game.map !== map || game.rules !== rules)
      throw new LepantoError('argument', 'tasks: got positions of several maps or rules, wanted one for all');
    checkCount('count', own.count, options.signal);
    // Validates the options here, before any worker starts.
    addRollouts(game, { ...own, count: 0 }, makeRolloutSums(powers));
  }
  const sums = tasks.map(() => makeRolloutSums(powers));
  const packed = packTasks(tasks);
  const size = slotSize(powers);
  let played = 0;
  const counts = tasks.map(({ options: { count, horizon } }) => ({ count, horizon }));
  for (const chunks of cutTasks(counts, CHUNK_STEPS, MOST_CHUNKS)) {
    const data: Omit<RolloutData, 'slots'> = { ...packed, chunks: Float64Array.from(chunks.flat()) };
    const slots = await playOn(pool, { name: 'rolloutPlayer', chunks: chunks.length, size }, data, options, played);
    const done = slots.length / size;
    for (const [chunk, [task, , count]] of chunks.slice(0, done).entries()) {
      const into = sums[task];
      for (let q = 0; q < powers; q++) {
        into.sums[q] += slots[size * chunk + q];
        into.squares[q] += slots[size * chunk + powers + q];
      }
      into.steps += slots[size * (chunk + 1) - 1];
      into.count += count;
      played += count;
    }
    if (done < chunks.length) break;
  }
  return sums.map(rolloutResult);
};

// ---- whole games ----

/** Data of a job of whole games. */
interface PlayoutData {
  readonly mapAndRules: PackedMapAndRules;
  readonly until: number;
  readonly seed: number;
  readonly sampler: Sampler;
  /** Number of the first game of the job. */
  readonly first: number;
  /** Number of games in a chunk. */
  readonly chunkGames: number;
  /** Number of games in the job. */
  readonly games: number;
  /** Results of the chunks, slotSize() numbers each: solos by power, centres by power, phase-steps. */
  readonly slots: Float64Array;
  /** Hash of each game's final position (endHash()), indexed by game of the job. */
  readonly hashes: Int32Array;
}

/** Returns a hash of the final position of game i of a batch, and of its number of phase-steps. */
export const endHash = (batch: Batch, i: number): number => {
  const { bytes, offset, layout } = batch.game(i);
  const end = offset + layout.contested;
  let hash = batch.steps[i];
  for (let at = offset; at < end; at = (at + 4) | 0) {
    const word = bytes[at] | (bytes[(at + 1) | 0] << 8) | (bytes[(at + 2) | 0] << 16) | (bytes[(at + 3) | 0] << 24);
    hash = Math.imul(hash ^ word, 0x9e37_79b1);
    hash ^= hash >>> 15;
  }
  return mix(hash);
};

/** Returns a checksum with the endHash() of another game added. It depends on the order of the games. */
export const addToChecksum = (sum: number, hash: number): number => mix(Math.imul(sum, 31) + hash);

/**
 * Returns, in a worker, a function that plays the games of a chunk, writes its slot and hashes, and returns the number
 * of games. The games are in unshared memory, which is faster.
 */
export const playoutPlayer = (data: PlayoutData): ((chunk: number) => number) => {
  const { map, rules } = openMapAndRules(data.mapAndRules);
  const { slots, hashes, chunkGames, until } = data;
  const powers = map.powerCount;
  const size = slotSize(powers);
  const centers = new Int32Array(powers);
  const whole = new Batch(map, rules, chunkGames, { until });
  return (chunk) => {
    const begin = chunk * chunkGames;
    const count = Math.min(chunkGames, data.games - begin);
    const batch = count === chunkGames ? whole : new Batch(map, rules, count, { until });
    batch.reset(Int32Array.from({ length: count }, (_, i) => hashSeed(data.seed, data.first + begin + i)));
    const slot = slots.subarray(size * chunk, size * (chunk + 1));
    // Clears the partial counts of a worker that crashed at this chunk.
    slot.fill(0);
    slot[size - 1] = batch.playout(data.sampler);
    for (let i = 0; i < count; i++) {
      const game = batch.game(i);
      if (game.status === SOLO) slot[game.winner]++;
      game.countCenters(centers);
      for (let q = 0; q < powers; q++) slot[powers + q] += centers[q];
      hashes[begin + i] = endHash(batch, i);
    }
    return count;
  };
};

/**
 * Plays random games on the workers of a pool and sums up how they ended.
 * @throws LepantoError for an invalid number of games or last year
 */
export const playoutsOn = async (pool: ChunkRunner, options: PlayoutOptions & JobOptions): Promise<PlayoutSummary> => {
  const { map, rules, until, seed, sampler = POLICY } = options;
  checkCount('games', options.games, options.signal);
  wholeFrom('until', until, map.startYear);
  const powers = map.powerCount;
  const size = slotSize(powers);
  const chunkGames = Math.max(1, Math.floor(CHUNK_STEPS / (2 * (until - map.startYear + 1))));
  const total = new Array<number>(size).fill(0);
  let checksum = 0;
  let first = 0;
  while (first < options.games) {
    const games = Math.min(options.games - first, chunkGames * MOST_CHUNKS);
    const chunks = Math.ceil(games / chunkGames);
    const hashes = new Int32Array(new SharedArrayBuffer(4 * games));
    const mapAndRules = packMapAndRules(map, rules);
    const data: Omit<PlayoutData, 'slots'> = { mapAndRules, until, seed, sampler, first, chunkGames, games, hashes };
    const slots = await playOn(pool, { name: 'playoutPlayer', chunks, size }, data, options, first);
    const done = slots.length / size;
    const played = Math.min(games, done * chunkGames);
    for (const [i, value] of slots.entries()) total[i % size] += value;
    for (let i = 0; i < played; i++) checksum = addToChecksum(checksum, hashes[i]);
    first += played;
    if (done < chunks) break;
  }
  return {
    games: first,
    steps: total[size - 1],
    solos: total.slice(0, powers),
    centers: total.slice(powers, 2 * powers),
    checksum: checksum >>> 0,
  };
};
