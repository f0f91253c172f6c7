// Makes one shard of a run in a worker: plays it and writes its file, or reads the file if an earlier start finished it.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { type CompiledMap, loadMap, MOVEMENT, type Rules } from '../../engine/internal.js';
import { hasCode } from '../../engine/rules/error.js';
import { runRulesByName } from '../../engine/rules/run-rules.js';
import { loadAgent } from '../agents/registry.js';
import type { Ending } from '../games/ending.js';
import { gameSeed } from '../games/game-record.js';
import { gamesAtOnce, type PlayOptions, play } from '../games/play.js';
import { commonSampler } from '../games/sampled-steps.js';
import type { Agent } from '../question/agent.js';
import { type GameTable, removeTable, ShardReplay, soundTable } from './game-table.js';
import { encodeShard, type StoredGame, withoutStates } from './record.js';
import { HEADER_SIZE, LENGTH_SIZE } from './record-writer.js';
import { type RunSpec, shardRange } from './run-spec.js';
import { isRecordable, playSampledShard } from './sampled-record.js';
import { gamesOfShard } from './shard-file.js';
import { type Summary, summaryOf } from './summary.js';
import { WholeFile, writeWhole } from './whole-file.js';

/** Places in the counters that all workers share. */
export const GAMES_PLAYED = 0;
export const STEPS_PLAYED = 1;
export const COUNTERS = 2;

export interface ShardTask {
  readonly spec: RunSpec;
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

/** What is wrong with the games of a file, which must be those of its shard; null if nothing is. */
const findStranger = ({ spec, shard }: ShardTask, { games, columns }: GameTable): string | null => {
  const [begin, end] = shardRange(spec, shard);
  const { indices, seeds } = columns;
  for (let game = 0; game < games; game++) {
    const wanted = begin + game;
    if (indices[game] !== wanted || seeds[game] !== gameSeed(spec.seed, wanted))
      return `got game ${indices[game]} with seed ${seeds[game]}, wanted game ${wanted} of seed ${spec.seed}`;
  }
  return games === end - begin ? null : `got ${games} games, wanted ${end - begin}`;
};

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

const playAgents = async (
  task: ShardTask,
  [begin, end]: readonly [number, number],
  map: CompiledMap,
  rules: Rules,
  options: PlayOptions,
): Promise<StoredGame[]> => {
  const { spec } = task;
  const onPhase = (phase: number): void => {
    if (phase === MOVEMENT) count(task, STEPS_PLAYED, 1);
  };
  const records: StoredGame[] = [];
  let next = begin;
  const playOn = async (): Promise<void> => {
    for (let index = next++; index < end; index = next++) {
      const record = await play(map, rules, gameSeed(spec.seed, index), index, { ...options, onPhase });
      records[index - begin] = withoutStates(record);
      count(task, GAMES_PLAYED, 1);
    }
  };
  await Promise.all(Array.from({ length: Math.min(gamesAtOnce(options.agents), end - begin) }, playOn));
  return records;
};

/** What plays the games of a run. */
interface Players {
  readonly map: CompiledMap;
  readonly rules: Rules;
  readonly options: PlayOptions & Required<Ending>;
  /** The sampler that records games as fast as it plays them; undefined if agents are asked. */
  readonly sampler: number | undefined;
}

const playersOf = async (spec: RunSpec): Promise<Players> => {
  const map = loadMap(spec.map);
  const rules = runRulesByName(spec.rules).adjudication;
  const ending = endingOf(spec);
  const agents: Agent[] = [];
  for (const text of spec.agents) agents.push(await loadAgent(text));
  const sampler = isRecordable(map, ending) ? commonSampler(agents, rules) : undefined;
  const { targets = false, rounds = 0 } = spec;
  return { map, rules, options: { agents, ...ending, targets, rounds }, sampler };
};

/** @param take takes the bytes, some games at a time where they are many; without it they are in the result */
const playGames = async (
  task: ShardTask,
  range: readonly [number, number],
  { map, rules, options, sampler }: Players,
  take?: (bytes: Uint8Array) => void,
): Promise<PlayedShard> => {
  const replay = new ShardReplay(map, rules, task.shard, true);
  if (sampler === undefined) {
    const bytes = encodeShard(await playAgents(task, range, map, rules, options));
    take?.(bytes);
    replay.take(bytes);
    return { bytes, table: replay.finish() };
  }
  const [begin, end] = range;
  const games = { sampler, seed: task.spec.seed, begin, end, ending: options };
  const onGames = (played: number, steps: number): void => {
    count(task, STEPS_PLAYED, steps);
    count(task, GAMES_PLAYED, played);
  };
  const takeGames = (bytes: Uint8Array): void => {
    replay.take(bytes);
    take?.(bytes);
  };
  const { bytes } = playSampledShard(map, rules, games, onGames, take && takeGames);
  if (take === undefined) replay.take(bytes);
  return { bytes, table: replay.finish() };
};

/** Plays the games of a shard that is not there, and writes its file meanwhile. */
const playToFile = async (task: ShardTask, players: Players): Promise<PlayedShard> => {
  let file: WholeFile | undefined;
  try {
    const played = await playGames(task, shardRange(task.spec, task.shard), players, (bytes) => {
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
  playGames(task, shardRange(task.spec, task.shard), await playersOf(task.spec));

/** True if the first game of a file is the one that the run has there: it is played again. */
export const isOfRun = async (task: ShardTask): Promise<boolean> => {
  const [begin] = shardRange(task.spec, task.shard);
  try {
    for (const { bytes } of gamesOfShard(task.path)) {
      const played = await playGames(task, [begin, begin + 1], await playersOf(task.spec));
      return Buffer.from(bytes).equals(played.bytes.subarray(HEADER_SIZE + LENGTH_SIZE));
    }
  } catch (error) {
    if (!hasCode(error, 'record')) throw error;
  }
  return false;
};

/**
 * What an existing file contains, or what is wrong with it. Without a table that vouches for it, which is so where a start
 * was killed before it wrote one, its games must follow from their orders. A sampler plays as fast as that can be found
 * out: then they are played again, and compared.
 */
const keepShard = (task: ShardTask, { map, rules, sampler }: Players): ShardResult | string => {
  const { path, shard } = task;
  try {
    const found = soundTable(path);
    if (typeof found === 'string') return found;
    const isKnown = found?.isOf(map, rules) === true;
    if (!isKnown && sampler !== undefined) return 'got other games than the run has there';
    const table = isKnown
      ? found
      : new ShardReplay(map, rules, shard, false).takeAll(readFileSync(path), path).finish();
    const stranger = findStranger(task, table);
    if (stranger !== null) return stranger;
    return { summary: summaryOf(table), bytes: null, table: isKnown ? null : table.bytes, damage: null };
  } catch (error) {
    return (error as Error).message;
  }
};

/** True if a file has exactly these bytes. */
const holds = (path: string, bytes: Uint8Array): boolean => {
  const found = statSync(path);
  return found.isFile() && found.size === bytes.length && readFileSync(path).equals(bytes);
};

/** Takes back what was counted for a shard: its worker crashed, or its file is kept. */
export const uncount = ({ counters, own }: ShardTask): void => {
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
  const played = kept === null ? playToFile(task, players) : playGames(task, shardRange(spec, shard), players);
  const { bytes, table } = await played;
  const made = { summary: summaryOf(table), bytes: table.size, table: table.bytes };
  if (kept === null) return { ...made, damage: null };
  if (holds(path, bytes)) {
    uncount(task);
    return { ...made, bytes: null, damage: null };
  }
  // First, so that a table never lies next to another file than its own.
  removeTable(path);
  writeWhole(path, bytes);
  return { ...made, damage: kept };
};
