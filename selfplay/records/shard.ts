// One shard of a run: a worker plays it and writes its file, or reads it back if an earlier start has finished it.
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

/** Everything that the games of a run follow from. */
export interface RunSpec extends Omit<Ending, 'longGameDraw'> {
  /** Name of a map: loadMap(). */
  readonly map: string;
  /** Name of rules, as --rules takes it: '2000,paradox=allHold'. */
  readonly rules: string;
  /**
   * By power, as formatAgent() writes them. With `random` or with `policy` in all seats the games are drawn by the sampler
   * of the engine (sampled-record.ts), many times as fast as by asking agents.
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
  /** Where its file lies, or will. */
  readonly path: string;
  /** Shared by all shards; counts games and phase-steps as they are played. */
  readonly counters: BigInt64Array;
  /** The same for this shard alone: what must be taken off if its worker crashes. */
  readonly own: BigInt64Array;
}

export interface ShardResult {
  readonly summary: Summary;
  /** Bytes written; null if the file was there already. */
  readonly bytes: number | null;
  /** To be written beside the file once the disk has it; null if it is there. */
  readonly check: ShardCheck | null;
  /** What was wrong with the file that is there; null if nothing was. */
  readonly damage: string | null;
}

/** Indices of the games of a shard: from the first up to, but not, the last. */
export const shardRange = (spec: RunSpec, shard: number): readonly [number, number] => [
  shard * GAMES_PER_SHARD,
  Math.min(spec.games, (shard + 1) * GAMES_PER_SHARD),
];

/** What is written beside a shard, once that is there: a copy that lost or changed something is found out. */
export interface ShardCheck {
  readonly file: string;
  readonly games: number;
  readonly bytes: number;
  /** As gzip and zip have it, in eight hexadecimal digits: a fifth of the time of SHA-256, which would be felt. */
  readonly crc32: string;
}

/** 'DIR/games-00003.json' */
export const checkPath = (path: string): string => path.replace(/\.lep$/, '.json');

export const checkOf = (path: string, games: number, bytes: Uint8Array): ShardCheck => ({
  file: basename(path),
  games,
  bytes: bytes.length,
  crc32: crc32(bytes).toString(16).padStart(8, '0'),
});

/** A shard whose check is not there yet is read all the same: its start was killed between the two. */
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

/** Plays the games of a shard. The bytes of its file are there until the next shard is played in this thread. */
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
 * Writes the check of a shard, once the disk has the shard: a power cut leaves no check beside an empty file.
 * @throws Error that names the file, if the disk does not take it
 */
export const sealShard = async (path: string, check: ShardCheck): Promise<void> => {
  await settleOnDisk(path);
  writeWhole(checkPath(path), `${JSON.stringify(check)}\n`);
};

/** What is wrong with the file that is there, or what it holds. */
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
 * What a worker does for a shard: its file is there afterwards, and sealShard() is to be called where there is a check.
 * @throws Error if the file cannot be written, or if an agent fails
 */
export const runShard = async (task: ShardTask): Promise<ShardResult> => {
  const { path } = task;
  const kept = existsSync(path) ? keepShard(task) : null;
  if (kept !== null && typeof kept !== 'string') return kept;
  const { summary, bytes } = await playShard(task);
  // The old check of a damaged file goes first: there is never a check of another file than the one beside it.
  if (kept !== null) rmSync(checkPath(path), { force: true });
  writeWhole(path, bytes);
  return { summary, bytes: bytes.length, check: checkOf(path, summary.games, bytes), damage: kept };
};
