// Plays a run of self-play: thousands of games, spread over workers and recorded in a directory.
//
//   DIR/manifest.json      what was played, and by which version
//   DIR/games-00000.lep    games 0 to 255, DIR/games-00001.lep the next ones (record.ts)
//   DIR/games-00000.json   number of games and bytes of that file, and its CRC-32; written once the file exists
//
// A file appears whole or not at all. Starting the same run again keeps the finished shards and plays the rest.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { formerOptions, isFormerId, loadMap } from '../../engine/internal.js';
import { type RunRules, runRulesByName } from '../games/run-rules.js';
import { defaultWorkers, makePool, type Pool } from '../workers/pool.js';
import { inTurns } from '../workers/turns.js';
import { GAMES_PER_SHARD, shardName } from './record.js';
import { RECORD_VERSION } from './record-writer.js';
import { COUNTERS, type RunSpec, type ShardResult, type ShardTask, sealShard, shardRange } from './shard.js';
import { makeSummary, mergeSummary, type Summary } from './summary.js';
import { findCommit, lepantoVersion } from './version.js';
import { PART, WholeFile } from './whole-file.js';

export const MANIFEST = 'manifest.json';
/** From this many shards on it pays to measure the workers first (Pool.ready). */
const MANY_SHARDS = 32;

/** What a run directory says about itself. */
export interface Manifest {
  /** What the file is. */
  readonly format: 'lepanto-games';
  /** Versions of the record format, the package and Node. */
  readonly versions: { readonly records: number; readonly lepanto: string; readonly node: string };
  /** Commit of the package; null where it is not known. */
  readonly commit: string | null;
  /** Name as loadMap() reads it, and the id of the map: a hash of all that play depends on. */
  readonly map: { readonly name: string; readonly id: number };
  /** Name as --rules takes it, and the id of the rules of adjudication. */
  readonly rules: { readonly name: string; readonly id: number };
  /** By power, as formatAgent() writes them. */
  readonly agents: readonly string[];
  /** Of the run; those of its games follow from it. */
  readonly seed: number;
  /** How many games. */
  readonly games: number;
  /** Games end as draws after the winter of this year. */
  readonly until: number;
  /** See Ending; only where the run has such a rule. */
  readonly stalemate?: number;
  /** See Ending; only where the run has such a rule. */
  readonly chance?: number;
  /** Plays the same games again, with any number of workers. */
  readonly command: string;
}

/** All equal agents as one name, else one by power. */
const joinAgents = (agents: readonly string[]): string =>
  agents.every((name) => name === agents[0]) ? agents[0] : agents.join(',');

const endingOf = ({ stalemate = 0, chance = 0 }: RunSpec): { stalemate?: number; chance?: number } => ({
  ...(stalemate > 0 ? { stalemate } : {}),
  ...(chance > 0 ? { chance } : {}),
});

/** Arguments of the command that plays a run, without the directory. */
export const runArguments = (spec: RunSpec): string[] =>
  Object.entries({
    map: spec.map,
    rules: spec.rules,
    agents: joinAgents(spec.agents),
    games: spec.games,
    until: spec.until,
    ...endingOf(spec),
    seed: spec.seed,
  }).flatMap(([name, value]) => [`--${name}`, String(value)]);

const makeManifest = (spec: RunSpec, commit: string | null): Manifest => {
  const map = loadMap(spec.map);
  const { name, adjudication } = runRulesByName(spec.rules);
  const { agents, games, until, seed } = spec;
  return {
    format: 'lepanto-games',
    versions: { records: RECORD_VERSION, lepanto: lepantoVersion, node: process.versions.node },
    commit,
    map: { name: map.name, id: map.id },
    rules: { name, id: adjudication.id },
    agents,
    seed,
    games,
    until,
    ...endingOf(spec),
    command: ['lepanto selfplay', ...runArguments(spec)].join(' '),
  };
};

/**
 * The rules under which a run was played. The name in a run from before version 0.2.0 may have options of reading orders,
 * which had no effect there.
 * @throws RangeError if the name is unknown, or its rules adjudicate in another way than when the run was recorded
 */
export const rulesOfRun = ({ rules: { name, id } }: Manifest): RunRules => {
  const rules = runRulesByName(name, formerOptions);
  const { adjudication } = rules;
  if (id === adjudication.id || isFormerId(adjudication, id)) return rules;
  throw new RangeError(`rules ${name}: got id ${id}, wanted ${adjudication.id}`);
};

/** The part of a manifest that decides which games are played. Another commit or Node resumes the same run. */
const identity = (manifest: Manifest): Record<string, unknown> => {
  const { versions, map, agents, seed, games, until, stalemate = 0, chance = 0 } = manifest;
  return {
    'record version': versions.records,
    map,
    rules: rulesOfRun(manifest).name,
    agents,
    seed,
    games,
    until,
    stalemate,
    chance,
  };
};

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown): boolean => value === undefined || (typeof value === 'number' && value >= 0);
const hasFields = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === 'object' && value !== null && names.every((name) => Object.hasOwn(value, name));
const isNamed = (value: unknown): boolean => {
  if (!hasFields(value, 'name', 'id')) return false;
  const { name, id } = value as Manifest['map'];
  return isText(name) && Number.isSafeInteger(id);
};

/** What each field of a manifest must be. */
const fields: Readonly<Record<string, readonly [is: (value: unknown) => boolean, wanted: string]>> = {
  versions: [(value) => hasFields(value, 'records') && isCount((value as Manifest['versions']).records), '{"records"}'],
  map: [isNamed, '{"name", "id"}'],
  rules: [isNamed, '{"name", "id"}'],
  agents: [(value) => Array.isArray(value) && value.length > 0 && value.every(isText), 'a list of names'],
  seed: [Number.isSafeInteger, 'a whole number'],
  games: [isCount, 'a whole number'],
  until: [isCount, 'a year'],
  stalemate: [isNumber, 'a number'],
  chance: [isNumber, 'a number'],
};

/**
 * Reads the manifest of a run directory.
 * @throws Error that names the file, and what is wrong with it
 */
export const readManifest = (directory: string): Manifest => {
  const path = join(directory, MANIFEST);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`);
  }
  if (manifest === null || typeof manifest !== 'object' || manifest.format !== 'lepanto-games')
    throw new Error(`${path}: got no manifest of a run, wanted "format": "lepanto-games"`);
  for (const [name, [is, wanted]] of Object.entries(fields)) {
    const value = Object.hasOwn(manifest, name) ? manifest[name as keyof Manifest] : undefined;
    if (!is(value)) {
      const got = JSON.stringify(value)?.slice(0, 80) ?? 'nothing';
      throw new Error(`${path}, ${name}: got ${got}, wanted ${wanted}`);
    }
  }
  return manifest;
};

/** Several machines may begin the same run in one directory at the same time, so none overwrites the file of another. */
const writeManifest = (directory: string, manifest: Manifest): void => {
  const path = join(directory, MANIFEST);
  const file = new WholeFile(path, `${path}.${hostname()}-${process.pid}${PART}`);
  file.write(`${JSON.stringify(manifest, null, 2)}\n`);
  file.finish();
};

/** Makes the directory of a run, or checks that an existing one holds the same run. */
const openDirectory = (directory: string, manifest: Manifest): void => {
  mkdirSync(directory, { recursive: true });
  const names = readdirSync(directory);
  if (!names.includes(MANIFEST)) {
    const other = names.find((name) => !(name.startsWith(MANIFEST) && name.endsWith(PART)));
    if (other !== undefined)
      throw new Error(`${directory}: got a directory with ${other} but no ${MANIFEST}, wanted an empty or a new one`);
    writeManifest(directory, manifest);
    return;
  }
  const there = identity(readManifest(directory));
  for (const [key, wanted] of Object.entries(identity(manifest))) {
    const got = JSON.stringify(there[key]);
    if (got !== JSON.stringify(wanted))
      throw new Error(`${directory} holds another run: its ${key} is ${got}, here it is ${JSON.stringify(wanted)}`);
  }
};

/**
 * A part of a run: every count-th shard, from the index-th on. The parts merge by copying their files into one directory.
 */
export interface Share {
  /** 0 to count - 1. */
  readonly index: number;
  /** Parts that the run is divided into, from 1. */
  readonly count: number;
}

/** The shards of a run that fall to a share. */
export const shardsFor = (spec: RunSpec, { index, count }: Share): number[] =>
  Array.from({ length: Math.ceil(spec.games / GAMES_PER_SHARD) }, (_, shard) => shard).filter(
    (shard) => shard % count === index,
  );

/** Games in the shards that fall to a share. */
export const gamesFor = (spec: RunSpec, share: Share): number =>
  shardsFor(spec, share).reduce((sum, shard) => {
    const [begin, end] = shardRange(spec, shard);
    return sum + end - begin;
  }, 0);

/** How a run is played and recorded: runSelfplay(). */
export interface RunOptions {
  /** Which games are played. */
  readonly spec: RunSpec;
  /** Where the run lies, or will lie: an empty or a new directory, or that of an earlier start of the same run. */
  readonly directory: string;
  /** Commit of the package for the manifest; null where it is not known. Default: that of the git tree it runs from. */
  readonly commit?: string | null;
  /** Worker threads. Default: one for each processor. */
  readonly workers?: number;
  /** Which shards this start plays, where machines share a run. Default: all. */
  readonly share?: Share;
  /** Instead of a pool of its own with that many workers; it is not closed. */
  readonly pool?: Pool;
  /** Shows how far the workers are: [0] games, [1] phase-steps played. In shared memory, two words long. */
  readonly counters?: BigInt64Array;
  /** Called for a shard that an earlier start has finished. */
  readonly onKept?: (games: number) => void;
  /** Ends the run early: no further shard is begun. The result covers the finished ones, which are kept. */
  readonly signal?: AbortSignal;
  /** Called for a damaged file; its games are played again. */
  readonly onDamage?: (file: string, what: string) => void;
}

/** What runSelfplay() has done. */
export interface RunResult {
  /** Over all games of the run, or of this start's share of it. */
  readonly summary: Summary;
  /** Games that this start has found finished. */
  readonly kept: number;
  /** Bytes written by this start. */
  readonly bytes: number;
}

/** Games and phase-steps played so far, as all workers count them (worker.ts). */
export const makeCounters = (): BigInt64Array =>
  new BigInt64Array(new SharedArrayBuffer(COUNTERS * BigInt64Array.BYTES_PER_ELEMENT));

/** Plays a shard in some worker, and again if that crashes. */
const playShard = (pool: Pool, task: ShardTask): Promise<ShardResult> => {
  const { counters, own } = task;
  const onCrash = (): void => {
    for (let place = 0; place < COUNTERS; place++) Atomics.sub(counters, place, Atomics.exchange(own, place, 0n));
  };
  const module = new URL('./shard.js', import.meta.url).href;
  return pool.call({ module, name: 'runShard', data: task }, { label: `shard ${task.shard}`, onCrash });
};

/**
 * Plays a run and records it in a directory: manifest.json and a file for every 256 games (README.md). The files are the
 * same for any number of workers, and a run that was interrupted resumes when it is started again in the same directory. A
 * worker that crashes does not end the run: its shard is played again.
 * @throws Error if the directory holds something else, if a file cannot be written, or if an agent fails
 */
export const runSelfplay = async (options: RunOptions): Promise<RunResult> => {
  const { spec, directory, commit = findCommit(), workers = defaultWorkers(), counters = makeCounters() } = options;
  openDirectory(directory, makeManifest(spec, commit));
  const summaries: Summary[] = [];
  const shards = shardsFor(spec, options.share ?? { index: 0, count: 1 });
  let kept = 0;
  let bytes = 0;

  // Here and not in the worker, which plays its next shard while the disk takes this one.
  const finish = async (task: ShardTask, { summary, bytes: written, check, damage }: ShardResult): Promise<void> => {
    if (damage !== null) options.onDamage?.(task.path, damage);
    if (check !== null) await sealShard(task.path, check);
    if (written === null) {
      kept += summary.games;
      options.onKept?.(summary.games);
    } else bytes += written;
    summaries[task.shard] = summary;
  };

  const pool = options.pool ?? makePool({ workers: Math.max(1, Math.min(workers, shards.length)) });
  try {
    if (shards.length >= MANY_SHARDS) await pool.ready();
    const record = async (turn: number): Promise<void> => {
      const shard = shards[turn];
      const task = { spec, shard, path: join(directory, shardName(shard)), counters, own: makeCounters() };
      await finish(task, await playShard(pool, task));
    };
    await inTurns(shards.length, 2 * workers, record, options.signal);
  } finally {
    if (options.pool === undefined) await pool.close();
  }
  // In the order of the shards: sums of fractions depend on it in their last digits.
  const summary = makeSummary(loadMap(spec.map).powerCount);
  for (const shard of shards) if (summaries[shard] !== undefined) mergeSummary(summary, summaries[shard]);
  return { summary, kept, bytes };
};
