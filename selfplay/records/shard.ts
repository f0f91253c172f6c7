// Makes one shard of a run in a worker: plays it and writes its file, or reads the file if an earlier start finished it.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { type CompiledMap, loadMap, MOVEMENT, type Rules } from '../../engine/internal.js';
import { loadAgent } from '../agents/registry.js';
import type { Ending } from '../games/ending.js';
import { gameSeed, type PlayOptions, play } from '../games/play.js';
import { runRulesByName } from '../games/run-rules.js';
import { commonSampler } from '../games/sampled-steps.js';
import { decodeShard, encodeShard, GAMES_PER_SHARD, type StoredGame, withoutStates } from './record.js';
import { isRecordable, playSampledShard } from './sampled-record.js';
import { type Summary, summarize } from './summary.js';
import { settleOnDisk, writeWhole } from './whole-file.js';

/** Everything that determines the games of a run. */
export interface RunSpec extends Omit<Ending, 'longGameDraw'> {
  /** Name of a map: loadMap(). */
  readonly map: string;
  /** Name of rules, as --rules takes it: '2000,paradox=allHold'. */
  readonly rules: string;
  /**
   * By power, as formatAgent() writes them. If `random` or `policy` has all seats, the sampler of the engine draws the
   * games (sampled-record.ts), which is many times as fast as asking agents.
   */
  readonly agents: readonly string[];
  /** How many games, from 1. */
  readonly games: number;
  /** Any int32; the seeds of the games follow from it. */
  readonly seed: number;
}

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
  /** The check to be written next to the file once the disk has it; null if it exists. */
  readonly check: ShardCheck | null;
  /** What was wrong with an existing file; null if nothing was. */
  readonly damage: string | null;
}

/** Indices of the games of a shard: first (included) to last (excluded). */
export const shardRange = (spec: RunSpec, shard: number): readonly [number, number] => [
  shard * GAMES_PER_SHARD,
  Math.min(spec.games, (shard + 1) * GAMES_PER_SHARD),
];

/** The check written next to a finished shard, which reveals incomplete or changed copies. */
export interface ShardCheck {
  readonly file: string;
  readonly games: number;
  readonly bytes: number;
  /**
   * CRC-32 as in gzip and zip, in eight hexadecimal digits: five times as fast as SHA-256, which would cost noticeable
   * time.
   */
  readonly crc32: string;
}

/** 'DIR/games-00003.json' */
const checkPath = (path: string): string => path.replace(/\.lep$/, '.json');

const checkOf = (path: string, games: number, bytes: Uint8Array): ShardCheck => ({
  file: basename(path),
  games,
  bytes: bytes.length,
  crc32: crc32(bytes).toString(16).padStart(8, '0'),
});

/** Accepts a shard without a check: its start was killed before writing the check. */
const verifyCheck = (path: string, here: ShardCheck): void => {
  if (!existsSync(checkPath(path))) return;
  const there: Partial<ShardCheck> = JSON.parse(readFileSync(checkPath(path), 'utf8'));
  for (const key of ['games', 'bytes', 'crc32'] as const)
    if (there[key] !== here[key]) throw new RangeError(`got ${key} ${here[key]}, wanted ${there[key]}`);
};

const readShard = ({ spec, shard, path }: ShardTask): StoredGame[] => {
  const data = readFileSync(path);
  const records = decodeShard(data);
  verifyCheck(path, checkOf(path, records.length, data));
  const [begin, end] = shardRange(spec, shard);
  if (records.length !== end - begin) throw new RangeError(`got ${records.length} games, wanted ${end - begin}`);
  for (const [i, { index, seed }] of records.entries())
    if (index !== begin + i || seed !== gameSeed(spec.seed, index))
      throw new RangeError(`got game ${index} with seed ${seed}, wanted game ${begin + i} of seed ${spec.seed}`);
  return records;
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
  map: CompiledMap,
  rules: Rules,
  options: PlayOptions,
): Promise<StoredGame[]> => {
  const { spec, shard } = task;
  const onPhase = (phase: number): void => {
    if (phase === MOVEMENT) count(task, STEPS_PLAYED, 1);
  };
  const records: StoredGame[] = [];
  const [begin, end] = shardRange(spec, shard);
  for (let index = begin; index < end; index++) {
    records.push(withoutStates(await play(map, rules, gameSeed(spec.seed, index), index, { ...options, onPhase })));
    count(task, GAMES_PLAYED, 1);
  }
  return records;
};

/** Plays the games of a shard. The bytes of its file are valid until this thread plays the next shard. */
export const playShard = async (task: ShardTask): Promise<{ summary: Summary; bytes: Uint8Array }> => {
  const { spec, shard } = task;
  const map = loadMap(spec.map);
  const rules = runRulesByName(spec.rules).adjudication;
  const ending = endingOf(spec);
  const agents = await Promise.all(spec.agents.map((text) => loadAgent(text)));
  const sampler = commonSampler(agents, rules);
  if (sampler === undefined || !isRecordable(map, ending)) {
    const records = await playAgents(task, map, rules, { agents, ...ending });
    return { summary: summarize(map, rules, records), bytes: encodeShard(records) };
  }
  const [begin, end] = shardRange(spec, shard);
  const games = { sampler, seed: spec.seed, begin, end, ending };
  return playSampledShard(map, rules, games, (played, steps) => {
    count(task, STEPS_PLAYED, steps);
    count(task, GAMES_PLAYED, played);
  });
};

/**
 * Writes the check of a shard once the disk has the shard, so that a power cut leaves no check next to an empty file.
 * @throws Error that names the file, if the disk does not take it
 */
export const sealShard = async (path: string, check: ShardCheck): Promise<void> => {
  await settleOnDisk(path);
  writeWhole(checkPath(path), `${JSON.stringify(check)}\n`);
};

/** What is wrong with an existing file, or its content. */
const keepShard = (task: ShardTask): ShardResult | string => {
  const { path, spec } = task;
  try {
    const records = readShard(task);
    const summary = summarize(loadMap(spec.map), runRulesByName(spec.rules).adjudication, records);
    const check = existsSync(checkPath(path)) ? null : checkOf(path, records.length, readFileSync(path));
    return { summary, bytes: null, check, damage: null };
  } catch (error) {
    return (error as Error).message;
  }
};

/**
 * Makes a shard in a worker: its file exists afterwards. The caller must call sealShard() if the result has a check.
 * @throws Error if the file cannot be written, or if an agent fails
 */
export const runShard = async (task: ShardTask): Promise<ShardResult> => {
  const { path } = task;
  const kept = existsSync(path) ? keepShard(task) : null;
  if (kept !== null && typeof kept !== 'string') return kept;
  const { summary, bytes } = await playShard(task);
  // Remove the old check of a damaged file first, so that a check never belongs to another file than the one next to it.
  if (kept !== null) rmSync(checkPath(path), { force: true });
  writeWhole(path, bytes);
  return { summary, bytes: bytes.length, check: checkOf(path, summary.games, bytes), damage: kept };
};
