// Makes one shard of a run in a worker: plays it and writes its file, or reads the file if an earlier start finished
// it.
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

/** Places in the counters that all workers share. */
export const GAMES_PLAYED = 0;
export const STEPS_PLAYED = 1;
export const COUNTERS = 2;

export interface ShardTask {
  readonly spec: SizedSpec;
  readonly shard: number;
  /** Path of its file, which may not exist yet. */
  readonly path: string;
  /** Shared by all shards; counts games and phase-steps as they are played. */
  readonly counters: BigInt64Array;
  /** The same for this shard alone, to be subtracted if its worker crashes. */
  readonly own: BigInt64Array;
}

export interface ShardResult {
  readonly summary: Summary;
  /** Bytes written; null if the file already existed. */
  readonly bytes: number | null;
  /** Bytes of the table to be written next to the file once the disk has it; null if it exists. */
  readonly table: Uint8Array | null;
  /** What was wrong with an existing file; null if nothing was. */
  readonly damage: string | null;
}

/** A shard that was played. */
export interface PlayedShard {
  /** Bytes of its file, unless they were taken; valid until this thread plays the next one. */
  readonly bytes: Uint8Array;
  readonly table: GameTable;
}

/** All that ends the games of a run as draws. */
const endingOf = ({ until, stalemate = 0, chance = 0, rules }: RunSpec): Required<Ending> => ({
  until,
  stalemate,
  chance,
  longGameDraw: runRulesByName(rules).running.longGameDraw === 'yes',
});

/** Adds games or phase-steps to the counters. */
const count = ({ counters, own }: ShardTask, place: number, more: number): void => {
  Atomics.add(counters, place, BigInt(more));
  Atomics.add(own, place, BigInt(more));
};

/** What plays the games of a run. */
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

/** Games that a thread has in flight: so many questions go to an agent together. */
const GAMES_AT_ONCE = 64;
/** Bytes of a shard that are taken together. */
const TAKEN_BYTES = 1 << 16;
/** Phase-steps of a large shard that are counted together. */
const COUNTED_STEPS = 64;

/** Buffers of all shards of this thread: of the games in order, and of one that ended before its turn. */
const writer = new RecordWriter();
const aside = new RecordWriter();

/** @param take takes the bytes, some games at a time where they are many; without it they are in the result */
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
  /** Games that ended before their turn, by index. */
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

/** Plays the games of a shard that is not there, and writes its file meanwhile. */
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

/** Plays the games of a shard. The bytes of its file are valid until this thread plays the next shard. */
export const playShard = async (task: ShardTask): Promise<PlayedShard> =>
  playShardGames(task, shardRange(task.spec, task.shard), await playersOf(task.spec));

/** True if the first game of a file is the one that the run has there: it is played again. */
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
 * What an existing file contains, or what is wrong with it. Without a table that vouches for it, which is so where a
 * start was killed before it wrote one, its games must follow from their orders.
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

/** Takes back what was counted for a shard: its worker crashed, or its file is kept. */
export const uncount = ({ counters, own }: Pick<ShardTask, 'counters' | 'own'>): void => {
  for (let place = 0; place < COUNTERS; place++) Atomics.sub(counters, place, Atomics.exchange(own, place, 0n));
};

/**
 * Makes a shard in a worker: its file exists afterwards. The caller must call sealShard() if the result has a table.
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
  // First, so that a table never lies next to another file than its own.
  removeTable(path);
  writeWhole(path, bytes);
  return { ...made, damage: kept };
};
