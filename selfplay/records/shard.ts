// Plays and writes one shard of a run in a worker, or checks its file if an earlier start has written it.
import { existsSync, readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { loadMap, MOVEMENT } from '../../engine/internal.js';
import { hasCode } from '../../engine/rules/error.js';
import { runRulesByName } from '../../engine/rules/run-rules.js';
import { loadEach } from '../agents/registry.js';
import type { Ending } from '../games/ending.js';
import type { GameCourse } from '../games/game-log.js';
import { gameSeed, scoresOf } from '../games/game-record.js';
import { type Match, type PlayedGame, playGames, type TableOptions } from '../games/play.js';
import type { Agent } from '../question/agent.js';
import {
  findDamage,
  type GameTable,
  GameTableWriter,
  removeTable,
  ShardReplay,
  soundTable,
  strayIn,
} from './game-table.js';
import {
  HEADER_SIZE,
  LENGTH_SIZE,
  MESSAGES_VERSION,
  PLAIN_VERSION,
  RecordWriter,
  TARGETS_VERSION,
} from './record-writer.js';
import { type RunSpec, type SizedSpec, shardRange } from './run-spec.js';
import { gamesOfShard } from './shard-file.js';
import { type Summary, summaryOf } from './summary.js';
import { WholeFile, writeWhole } from './whole-file.js';

/**
 * GAMES_PLAYED, STEPS_PLAYED: indices of the two numbers in the counters that all workers share. COUNTERS: number of
 * counters.
 */
export const GAMES_PLAYED = 0;
export const STEPS_PLAYED = 1;
export const COUNTERS = 2;

/** A shard to be played or checked. */
export interface ShardTask {
  readonly spec: SizedSpec;
  readonly shard: number;
  /** Path of the shard, which may not exist yet. */
  readonly path: string;
  /** Shared memory for all shards of the run: numbers of games and movement phases played so far. */
  readonly counters: BigInt64Array;
  /**
   * Shared memory for this shard only: the games and movement phases of `counters` that it added, to be subtracted if
   * its worker crashes.
   */
  readonly own: BigInt64Array;
}

/** Result of runShard(), which plays or checks a shard. */
export interface ShardResult {
  readonly summary: Summary;
  /** Number of bytes written; null if the existing file was kept. */
  readonly bytes: number | null;
  /** Bytes of the table, which the caller writes with sealShard(); null if the table exists. */
  readonly table: Uint8Array | null;
  /** Reason why an existing file was replaced; null if there was none or it was kept. */
  readonly damage: string | null;
}

/** A shard just played. */
export interface PlayedShard {
  /** Bytes of the shard, valid until this thread plays the next one. Empty if they were passed to a callback. */
  readonly bytes: Uint8Array;
  readonly table: GameTable;
}

/** Returns the conditions that end the games of a run as draws. */
const endingOf = ({ until, stalemate = 0, chance = 0, rules }: RunSpec): Required<Ending> => ({
  until,
  stalemate,
  chance,
  longGameDraw: runRulesByName(rules).running.longGameDraw === 'yes',
});

/**
 * Adds games or movement phases to both counters of a shard.
 * @param place GAMES_PLAYED or STEPS_PLAYED
 * @param more number to add
 */
const count = ({ counters, own }: ShardTask, place: number, more: number): void => {
  Atomics.add(counters, place, BigInt(more));
  Atomics.add(own, place, BigInt(more));
};

/** Agents of a run, indexed by power, and the options of its games. */
interface Players {
  readonly agents: readonly Agent[];
  readonly options: TableOptions & Required<Ending>;
}

const playersOf = async (spec: RunSpec): Promise<Players> => {
  const map = loadMap(spec.map);
  const rules = runRulesByName(spec.rules).adjudication;
  const agents = await loadEach(spec.agents);
  const { targets = false, rounds = 0 } = spec;
  return { agents, options: { map, rules, ...endingOf(spec), targets, rounds } };
};

/**
 * Maximum number of games that a thread plays concurrently. An agent is asked for the orders of all of them in one
 * call.
 */
const GAMES_AT_ONCE = 64;
/** Minimum number of bytes to pass on at once. Fewer bytes wait for further games. */
const TAKEN_BYTES = 1 << 16;
/** Number of movement phases of a large shard between two updates of the shared counters. */
const COUNTED_STEPS = 64;

/**
 * Buffers reused for all shards of this thread. `writer`: games in ascending order. `aside`: a game that ended before a
 * game of lower index.
 */
const writer = new RecordWriter();
const aside = new RecordWriter();

/**
 * Plays games `begin` (included) to `end` (excluded) of a run.
 * @param take called with the bytes of the shard, in pieces of whole games; without it, all bytes are in the result
 * @throws Error of an agent that fails
 */
const playShardGames = async (
  task: ShardTask,
  [begin, end]: readonly [number, number],
  { agents, options }: Players,
  take?: (bytes: Uint8Array) => void,
): Promise<PlayedShard> => {
  const { map, rules } = options;
  const talks = options.rounds !== undefined && options.rounds > 0 && agents.some(({ talk }) => talk !== undefined);
  writer.beginShard(talks ? MESSAGES_VERSION : options.targets === true ? TARGETS_VERSION : PLAIN_VERSION);
  const table = new GameTableWriter(map, rules);
  let crc = 0;
  let checked = 0;
  const flush = (): void => {
    const bytes = writer.bytes.subarray(checked, writer.at);
    crc = crc32(bytes, crc);
    if (take !== undefined) {
      take(bytes);
      writer.rewind();
    }
    checked = writer.at;
  };
  let steps = 0;
  const most = end - begin > GAMES_AT_ONCE ? COUNTED_STEPS : 1;
  const countSteps = (): void => {
    count(task, STEPS_PLAYED, steps);
    steps = 0;
  };
  const onPhase = (phase: number): void => {
    if (phase === MOVEMENT && ++steps >= most) countSteps();
  };
  /** Encoded games that ended before a game of lower index, keyed by index. They are written when their turn comes. */
  const waiting = new Map<number, { readonly bytes: Uint8Array; readonly seed: number; readonly course: GameCourse }>();
  let turn = begin;
  const takeGame = (played: PlayedGame): void => {
    const { index, seed, log } = played;
    const course = log.course(played.game);
    const scores = scoresOf(course.centers, course.winner);
    count(task, GAMES_PLAYED, 1);
    if (index !== turn) {
      aside.rewind();
      aside.game(index, seed, log, scores);
      waiting.set(index, { bytes: aside.bytes.slice(0, aside.at), seed, course });
      return;
    }
    const { length } = writer.game(index, seed, log, scores);
    table.addPlayed(index, seed, course, length);
    for (let next = waiting.get(++turn); next !== undefined; next = waiting.get(++turn)) {
      waiting.delete(turn);
      writer.append(next.bytes);
      table.addPlayed(turn, next.seed, next.course, next.bytes.length - LENGTH_SIZE);
    }
    if (writer.at - checked >= TAKEN_BYTES) flush();
  };
  let index = begin;
  const next = (): Match | null => {
    if (index === end) return null;
    const match = { index, seed: gameSeed(task.spec.seed, index), agents };
    index++;
    return match;
  };
  const keepsStates = agents.some(({ readsPast = true }) => readsPast);
  await playGames({ ...options, keepsStates, onPhase }, next, Math.min(GAMES_AT_ONCE, end - begin), takeGame);
  countSteps();
  flush();
  return { bytes: writer.bytes.subarray(0, writer.at), table: table.table(task.shard, crc) };
};

/**
 * Plays the games of a missing shard and writes its file at the same time.
 * @throws LepantoError if the file cannot be written, or if an agent fails
 */
const playToFile = async (task: ShardTask, players: Players): Promise<PlayedShard> => {
  let file: WholeFile | undefined;
  try {
    const played = await playShardGames(task, shardRange(task.spec, task.shard), players, (bytes) => {
      file ??= new WholeFile(task.path);
      file.write(bytes);
    });
    file?.finish();
    return played;
  } catch (error) {
    file?.abandon();
    throw error;
  }
};

/**
 * Plays the games of a shard without writing a file. The bytes are valid until this thread plays the next shard.
 * @throws Error of an agent that fails
 */
export const playShard = async (task: ShardTask): Promise<PlayedShard> =>
  playShardGames(task, shardRange(task.spec, task.shard), await playersOf(task.spec));

/**
 * Plays the first game of a recorded shard again. Returns true if the new game has the same bytes as the recorded one.
 * Returns false if the shard has no games or is damaged.
 * @throws LepantoError if an agent fails or the file cannot be read
 */
export const isOfRun = async (task: ShardTask): Promise<boolean> => {
  const [begin] = shardRange(task.spec, task.shard);
  try {
    for (const { bytes } of gamesOfShard(task.path)) {
      const played = await playShardGames(task, [begin, begin + 1], await playersOf(task.spec));
      return Buffer.from(bytes).equals(played.bytes.subarray(HEADER_SIZE + LENGTH_SIZE));
    }
  } catch (error) {
    if (!hasCode(error, 'record')) throw error;
  }
  return false;
};

/**
 * Checks an existing shard against its table. Replays the games if the table is missing, as after a start that was
 * killed before it wrote one, or is of another map or rules.
 * @returns the result for a sound shard; the reason as text if the shard must be played again
 */
const keepShard = (task: ShardTask, { options: { map, rules } }: Players): ShardResult | string => {
  const { path, shard } = task;
  try {
    const found = soundTable(path);
    if (typeof found === 'string') return found;
    const isKnown = found?.isOf(map, rules) === true;
    const table = isKnown
      ? found
      : new ShardReplay(map, rules, shard, false).takeAll(readFileSync(path), path).finish();
    const stranger = strayIn(task.spec, table);
    if (stranger !== null) return stranger;
    return { summary: summaryOf(table), bytes: null, table: isKnown ? null : table.bytes, damage: null };
  } catch (error) {
    return (error as Error).message;
  }
};

/**
 * Subtracts the games and movement phases counted for a shard from the shared counters, because its worker crashed or
 * its file is kept.
 */
export const uncount = ({ counters, own }: Pick<ShardTask, 'counters' | 'own'>): void => {
  for (let place = 0; place < COUNTERS; place++) Atomics.sub(counters, place, Atomics.exchange(own, place, 0n));
};

/**
 * Plays or checks a shard in a worker. Afterwards the file of the shard exists. The caller must call sealShard() if the
 * result has a table.
 * @throws LepantoError if the file cannot be written, or if an agent fails
 */
export const runShard = async (task: ShardTask): Promise<ShardResult> => {
  const { path, spec, shard } = task;
  const players = await playersOf(spec);
  const kept = existsSync(path) ? keepShard(task, players) : null;
  if (kept !== null && typeof kept !== 'string') return kept;
  const played = kept === null ? playToFile(task, players) : playShardGames(task, shardRange(spec, shard), players);
  const { bytes, table } = await played;
  const made = { summary: summaryOf(table), bytes: table.size, table: table.bytes };
  if (kept === null) return { ...made, damage: null };
  if (findDamage(path, table) === null) {
    uncount(task);
    return { ...made, bytes: null, damage: null };
  }
  // The old table is removed before the shard changes, so that no table ever lies next to a shard of other games.
  removeTable(path);
  writeWhole(path, bytes);
  return { ...made, damage: kept };
};
