// One shard of a run: a worker plays it and writes its file, or reads it back if an earlier start has finished it.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { type CompiledMap, loadMap, MOVEMENT, POLICY, UNIFORM } from '../../engine/internal.js';
import { loadAgent } from '../agents/registry.js';
import { type Ending, mayEndLong } from '../games/ending.js';
import { gameSeed, play } from '../games/play.js';
import { runRulesByName } from '../games/run-rules.js';
import { decodeShard, encodeShard, GAMES_PER_SHARD, type StoredGame, withoutStates } from './record.js';
import { playSampledShard, playsSampled } from './sampled-record.js';
import { type Summary, summarize } from './summary.js';
import { settleOnDisk, writeWhole } from './whole-file.js';

/** Everything that the games of a run follow from. */
export interface RunSpec extends Omit<Ending, 'longGameDraw'> {
  /** Name of a map: loadMap(). */
  readonly map: string;
  /** Name of rules, as --rules takes it: '2000,paradox=allHold'. */
  readonly rules: string;
  /**
   * By power, as formatAgent() writes them. With `random` or with `policy` in all seats, and no ending but the last year,
   * the games are those of the engine's sampler (sampled-record.ts), many times as fast as asking the agents. Orders are
   * drawn alike, but for `random` a retreat may be as likely a disband as any way out, and a waived build as likely as
   * each unit that can be built there.
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

const playAgents = async (task: ShardTask): Promise<StoredGame[]> => {
  const { spec, shard } = task;
  const map = loadMap(spec.map);
  const rules = runRulesByName(spec.rules).adjudication;
  const onPhase = (phase: number): void => {
    if (phase === MOVEMENT) count(task, STEPS_PLAYED, 1);
  };
  const agents = await Promise.all(spec.agents.map((text) => loadAgent(text)));
  const options = { agents, ...endingOf(spec), onPhase };
  const records: StoredGame[] = [];
  const [begin, end] = shardRange(spec, shard);
  for (let index = begin; index < end; index++) {
    records.push(withoutStates(await play(map, rules, gameSeed(spec.seed, index), index, options)));
    count(task, GAMES_PLAYED, 1);
  }
  return records;
};

/** Agents in all seats whose games the samplers of the engine play. */
const SAMPLERS = new Map([
  ['random', UNIFORM],
  ['policy', POLICY],
]);

/** The sampler that plays the games of a run; undefined if the agents must be asked, or something else may end them. */
const samplerOf = (spec: RunSpec, map: CompiledMap): number | undefined => {
  const { agents } = spec;
  const ending = endingOf(spec);
  const endsByYear = ending.stalemate === 0 && ending.chance === 0 && !mayEndLong(ending, map.startYear);
  const equal = agents.every((agent) => agent === agents[0]);
  return endsByYear && equal && playsSampled(map) ? SAMPLERS.get(agents[0]) : undefined;
};

/** Plays the games of a shard. The bytes of its file are there until the next shard is played in this thread. */
export const playShard = async (task: ShardTask): Promise<{ summary: Summary; bytes: Uint8Array }> => {
  const { spec, shard } = task;
  const map = loadMap(spec.map);
  const rules = runRulesByName(spec.rules).adjudication;
  const sampler = samplerOf(spec, map);
  if (sampler === undefined) {
    const records = await playAgents(task);
    return { summary: summarize(map, rules, records), bytes: encodeShard(records) };
  }
  const [begin, end] = shardRange(spec, shard);
  return playSampledShard(map, rules, sampler, spec.seed, begin, end, spec.until, (games, steps) => {
    count(task, STEPS_PLAYED, steps);
    count(task, GAMES_PLAYED, games);
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
