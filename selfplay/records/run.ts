// Plays a run of self-play games on worker threads and records it in a directory.
//
//   DIR/manifest.json      description of the games, and versions of the software (manifest.ts)
//   DIR/games-00000.lep    first shard; DIR/games-00001.lep is the next, with the same number of games (record-writer.ts)
//   DIR/games-00000.table  table of the games of the shard (game-table.ts), with the CRC-32 of the shard; written after it
//   DIR/playing.json       process that plays the run; removed when its share of the run is complete
//
// Files appear atomically. Starting the same run again keeps the finished shards and plays the rest.

import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CompiledMap, loadMap, type Rules } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { runRulesByName } from '../../engine/rules/run-rules.js';
import { watchAgents } from '../agents/watch-agents.js';
import type { AgentReport } from '../crew/agent-report.js';
import { callConcurrently } from '../crew/concurrent-calls.js';
import { defaultWorkers, makePool, type Pool } from '../crew/pool.js';
import { findCommit } from '../version.js';
import { type GameTable, isTableOf, makeTable, sealShard, tablePath } from './game-table.js';
import { markEnded, markWork } from './lock.js';
import { makeManifest } from './make-manifest.js';
import {
  MANIFEST,
  type Manifest,
  PLAYING,
  readManifest,
  refuseOther,
  refuseStrange,
  runFileIn,
  shardName,
  shardNumber,
  writeManifest,
} from './manifest.js';
import { type RunSpec, type SizedSpec, shardCount, shardRange } from './run-spec.js';
import { COUNTERS, type ShardResult, type ShardTask, uncount } from './shard.js';
import { sized } from './shard-size.js';
import { addSums, makeSummary, type Summary, summaryOf } from './summary.js';
import { makeDirectories, removeLeftOvers, writeError, writeWhole } from './whole-file.js';

/**
 * Compares the manifest of a directory with that of this run.
 * @param manifest manifest of this run
 * @returns null if they describe the same run; the reason as text if the manifest cannot be read
 * @throws LepantoError if the directory holds another run
 */
const findForeignManifest = (directory: string, manifest: Manifest): string | null => {
  let found: Manifest;
  try {
    found = readManifest(directory);
  } catch (error) {
    return (error as Error).message;
  }
  refuseOther(directory, found, manifest);
  return null;
};

/**
 * Maximum number of shards to check in a directory without a sound manifest, to prove that the directory holds this
 * run.
 */
const MOST_WITNESSES = 8;

/**
 * Makes the directory of a run, or checks that an existing one holds the same run. Rewrites a damaged or missing
 * manifest if a shard in the directory has games of this run. Removes temporary files left by killed processes.
 * @returns names of the files found
 * @throws LepantoError if the directory holds something else
 */
const openDirectory = async (pool: Pool, manifest: Manifest, options: SizedOptions): Promise<Set<string>> => {
  const { spec, directory } = options;
  makeDirectories(directory);
  const names = readdirSync(directory);
  const path = join(directory, MANIFEST);
  const isThere = names.includes(MANIFEST);
  const damage = isThere ? findForeignManifest(directory, manifest) : `${path} is missing`;
  if (damage !== null) {
    const shards = names.flatMap((name) => shardNumber(name) ?? []).filter((shard) => shard < shardCount(spec));
    const other = names.find((name) => (runFileIn(name) ?? name) === name);
    if (shards.length > 0) await findWitness(pool, options, shards, damage);
    else if (isThere && statSync(path).size > 0)
      throw new LepantoError('file', `${damage}, once a shard shows whose it is`);
    else if (other !== undefined && !isThere) refuseStrange(directory, other);
    if (shards.length > 0 || isThere) options.onRewrite?.(path, damage);
    writeManifest(directory, manifest);
  }
  removeLeftOvers(directory, names, runFileIn);
  return new Set(names);
};

/**
 * Checks that one of the first MOST_WITNESSES shards of a directory has games of this run, by playing its first game
 * again.
 * @param shards numbers of the shards in the directory
 * @param damage description of the damaged or missing manifest, for the error message
 * @throws LepantoError if none of these shards has games of this run
 */
const findWitness = async (
  pool: Pool,
  options: SizedOptions,
  shards: readonly number[],
  damage: string,
): Promise<void> => {
  const { spec, directory } = options;
  const watch = watchAgents(spec.agents, options);
  for (const shard of shards.slice(0, MOST_WITNESSES)) {
    const task = makeTask(spec, directory, shard, makeCounters());
    if (await callShard<boolean>(pool, 'isOfRun', task, watch)) return;
  }
  throw new LepantoError('file', `${damage}, and ${shardName(shards[0])} holds no games of this command`);
};

/**
 * Part of a run for one of several machines: the shards whose number modulo `count` is `index`. mergeRuns() (merge.ts)
 * joins the parts.
 */
export interface Share {
  /** Number of the part, 0 to count - 1. */
  readonly index: number;
  /** Number of parts, at least 1. */
  readonly count: number;
}

/** Returns the numbers of the shards in a share of a run, ascending. The first shard of the run has number 0. */
export const shardsFor = (spec: SizedSpec, { index, count }: Share): number[] =>
  Array.from({ length: shardCount(spec) }, (_, shard) => shard).filter((shard) => shard % count === index);

/** Returns the number of games in the given shards of a run. @param shards numbers of the shards */
export const gamesIn = (spec: SizedSpec, shards: readonly number[]): number =>
  shards.reduce((sum, shard) => {
    const [begin, end] = shardRange(spec, shard);
    return sum + end - begin;
  }, 0);

/** Returns the number of games in a share of a run. */
export const gamesFor = (run: RunSpec, share: Share): number => {
  const spec = sized(run);
  return gamesIn(spec, shardsFor(spec, share));
};

/** A shard played by another machine. */
export interface PlayedElsewhere {
  /** Bytes of the shard. The caller has checked that they match `crc`. */
  readonly bytes: Uint8Array;
  readonly crc: number;
  /** Table of the shard. If null, or not of this shard, the table is made by replaying the games. */
  readonly table: GameTable | null;
  /**
   * Path of a file with the same content as `bytes`. If given, this file is moved into the run directory and `bytes`
   * are not written.
   */
  readonly path?: string;
}

/** Records shards that other machines have played. */
export interface ShardRecorder {
  /**
   * Writes a shard and its table, and returns the summary of its games.
   * @throws LepantoError if the shard is invalid or cannot be written
   */
  readonly record: (shard: number, played: PlayedElsewhere) => Promise<Summary>;
  /**
   * Returns true if the file of a shard exists in the run directory. Checks the shard in this case and includes it in
   * the result.
   */
  readonly isRecorded: (shard: number) => Promise<boolean>;
}

/**
 * Plays the missing shards on other machines and passes them to the recorder, in any order. The function may leave some
 * shards out.
 * @param missing numbers of the missing shards
 * @param signal aborted to end the function early
 */
export type PlayElsewhere = (missing: readonly number[], recorder: ShardRecorder, signal: AbortSignal) => Promise<void>;

/** Options of runSelfplay(), which plays and records a run. */
export interface RunOptions {
  /** Description of the games to play. */
  readonly spec: RunSpec;
  /** Directory of the run: a new or empty one, or that of an earlier start of the same run. */
  readonly directory: string;
  /** Commit of the package, for the manifest; null if unknown. Default: the commit of the package's git tree. */
  readonly commit?: string | null;
  /** Command line that plays the run, for the manifest. */
  readonly command?: string;
  /** Number of worker threads. Default: one for each processor. */
  readonly workers?: number;
  /** Part of the run that this start plays. Default: all shards. */
  readonly share?: Share;
  /** Pool to use instead of a new one with `workers` threads. The pool is left open. */
  readonly pool?: Pool;
  /** Live counters: [0] games, [1] movement phases played. Must be shared memory, as from makeCounters(). */
  readonly counters?: BigInt64Array;
  /** Called for each finished shard of an earlier start, with its number of games. */
  readonly onKept?: (games: number) => void;
  /**
   * Ends the run early when aborted: no further shard begins. The result covers the finished shards, which are kept.
   */
  readonly signal?: AbortSignal;
  /** Called with the path of a damaged shard and the reason. Its games are played again. */
  readonly onDamage?: (file: string, what: string) => void;
  /** Called with the path of a manifest that was damaged or missing and is rewritten, and the reason. */
  readonly onRewrite?: (file: string, what: string) => void;
  /**
   * Time limit for one choice of an agent that does not ship with Lepanto, in milliseconds [60,000]; 0 for no limit.
   * Beyond the limit its worker is terminated and the run ends with an error that names the agent. Finished shards
   * stay.
   */
  readonly choiceMs?: number;
  /** Called with a sentence about a bot that gave invalid orders, invalid messages or no answer. */
  readonly onWarning?: (sentence: string) => void;
  /** Plays the missing shards in place of the pool. The pool then only checks existing shards. */
  readonly elsewhere?: PlayElsewhere;
}

type SizedOptions = RunOptions & { readonly spec: SizedSpec };

/** Result of runSelfplay(). */
export interface RunResult {
  /** Sums over all games of the run, or over the share that this start plays. */
  readonly summary: Summary;
  /** Number of games that an earlier start had finished. */
  readonly kept: number;
  /** Number of bytes of the shards that this start has written. */
  readonly bytes: number;
}

/** Makes counters in shared memory, to which all workers add: [0] games, [1] movement phases played. */
export const makeCounters = (): BigInt64Array =>
  new BigInt64Array(new SharedArrayBuffer(COUNTERS * BigInt64Array.BYTES_PER_ELEMENT));

/**
 * Calls a function of shard.ts in a worker, and again if the worker crashes.
 * @param name name of the function
 * @param watch report of slow or faulty agents
 */
const callShard = <T>(pool: Pool, name: string, task: ShardTask, watch?: AgentReport): Promise<T> => {
  const label = `shard ${task.shard}`;
  const onCrash = (): void => uncount(task);
  const module = new URL('./shard.js', import.meta.url).href;
  const watched = watch === undefined ? {} : { watch };
  return pool.call({ module, name, data: task }, { label, onCrash, ...watched });
};

const makeTask = (spec: SizedSpec, directory: string, shard: number, counters: BigInt64Array): ShardTask => ({
  spec,
  shard,
  path: join(directory, shardName(shard)),
  counters,
  own: makeCounters(),
});

/** Returns the number of shard files in a directory; 0 if the directory does not exist. */
const countShards = (directory: string): number =>
  existsSync(directory) ? readdirSync(directory).filter((name) => shardNumber(name) !== null).length : 0;

/**
 * Moves or writes a shard from another machine to its place in the run directory.
 * @param path path in the run directory
 * @throws LepantoError that names the file
 */
const placeShard = (path: string, { bytes, path: from }: PlayedElsewhere): void => {
  if (from !== undefined) {
    try {
      renameSync(from, path);
      return;
    } catch (error) {
      // The file is on another disk, or another start has moved it: write the bytes instead.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EXDEV' && code !== 'ENOENT') throw writeError(path, error);
    }
  }
  writeWhole(path, bytes);
};

/**
 * Returns the shards in the order of work: missing ones first, then shards without a table, then finished ones. So a
 * run that is killed often still makes progress.
 * @param names names of the files in the run directory
 */
const inOrder = (shards: readonly number[], names: ReadonlySet<string>): number[] => {
  const isThere = (path: string): number => Number(names.has(path));
  const state = (shard: number): number => isThere(shardName(shard)) * (1 + isThere(tablePath(shardName(shard))));
  return [0, 1, 2].flatMap((wanted) => shards.filter((shard) => state(shard) === wanted));
};

/** One start of a run: plays and records the missing shards, and checks the existing ones. */
class RunStart {
  readonly summaries: Summary[] = [];
  kept = 0;
  bytes = 0;
  private readonly counters: BigInt64Array = this.options.counters ?? makeCounters();
  private readonly map: CompiledMap = loadMap(this.options.spec.map);
  private readonly rules: Rules = runRulesByName(this.options.spec.rules).adjudication;

  constructor(
    private readonly options: SizedOptions,
    private readonly pool: Pool,
    private readonly workers: number,
    private readonly report: AgentReport | undefined,
  ) {}

  /**
   * Plays or checks shards in the given order.
   * @param order numbers of the shards
   * @param names names of the files in the directory
   */
  async play(order: readonly number[], names: ReadonlySet<string>): Promise<void> {
    const { elsewhere } = this.options;
    if (elsewhere !== undefined) return this.sendAway(elsewhere, order, names);
    return this.recordAll(order);
  }

  private recordAll(shards: readonly number[]): Promise<void> {
    return callConcurrently(shards.length, 2 * this.workers, (turn) => this.record(shards[turn]), this.options.signal);
  }

  private taskOf(shard: number): ShardTask {
    return makeTask(this.options.spec, this.options.directory, shard, this.counters);
  }

  private async record(shard: number): Promise<void> {
    const task = this.taskOf(shard);
    await this.finish(task, await callShard<ShardResult>(this.pool, 'runShard', task, this.report));
  }

  /**
   * Adds a shard to the result and writes its table. The table is written in this thread, so that the worker can play
   * its next shard meanwhile.
   */
  private async finish({ shard, path }: ShardTask, result: ShardResult): Promise<void> {
    const { summary, bytes, table, damage } = result;
    if (damage !== null) this.options.onDamage?.(path, damage);
    if (table !== null) await sealShard(path, table);
    if (bytes === null) {
      this.kept += summary.games;
      this.options.onKept?.(summary.games);
    } else this.bytes += bytes;
    this.summaries[shard] = summary;
  }

  private async recordPlayed(shard: number, played: PlayedElsewhere): Promise<Summary> {
    const task = this.taskOf(shard);
    const { bytes, crc, table: sent } = played;
    const { map, rules } = this;
    const table = isTableOf(sent, { map, rules, shard, size: bytes.length, crc })
      ? sent
      : makeTable(map, rules, task.path, bytes);
    if (table === null) throw new LepantoError('record', `shard ${shard}: got games that do not match their orders`);
    placeShard(task.path, played);
    const summary = summaryOf(table);
    await this.finish(task, { summary, bytes: bytes.length, table: table.bytes, damage: null });
    return summary;
  }

  /**
   * Checks the existing shards while other machines play the missing ones.
   * @param play plays the missing shards
   * @param order numbers of all shards, in the order of work
   * @param names names of the existing files
   */
  private async sendAway(play: PlayElsewhere, order: readonly number[], names: ReadonlySet<string>): Promise<void> {
    const isThere = (shard: number): boolean => names.has(shardName(shard));
    const recorder: ShardRecorder = {
      record: (shard, played) => this.recordPlayed(shard, played),
      isRecorded: async (shard) => {
        if (!existsSync(this.taskOf(shard).path)) return false;
        await this.record(shard);
        return true;
      },
    };
    const { signal } = this.options;
    const failure = new AbortController();
    const checking = this.recordAll(order.filter(isThere)).catch((error: unknown) => {
      failure.abort();
      throw error;
    });
    const missing = order.filter((shard) => !isThere(shard));
    const signals = signal === undefined ? [failure.signal] : [failure.signal, signal];
    const playing = play(missing, recorder, AbortSignal.any(signals));
    const [checked] = await Promise.allSettled([checking, playing]);
    if (checked.status === 'rejected') throw checked.reason;
    await playing;
  }
}

/**
 * Plays a run and records it in a directory, as manifest.json and one file for each shard (README.md). The files are
 * the same for any number of workers. An interrupted run resumes when it is started again in the same directory:
 * missing shards are played first, then existing ones are checked. If a worker crashes, its shard is played again.
 * @throws LepantoError if the directory holds something else, if a file cannot be written, or if an agent fails
 */
export const runSelfplay = async (given: RunOptions): Promise<RunResult> => {
  const options: SizedOptions = { ...given, spec: sized(given.spec) };
  const { spec, directory, commit = findCommit(), workers = defaultWorkers() } = options;
  const manifest = makeManifest(spec, commit, options.command);
  const shards = shardsFor(spec, options.share ?? { index: 0, count: 1 });
  const report = watchAgents(spec.agents, options);
  const most = options.elsewhere === undefined ? shards.length : countShards(directory);
  const pool = options.pool ?? makePool({ workers: Math.max(1, Math.min(workers, most)), choiceMs: options.choiceMs });
  const start = new RunStart(options, pool, workers, report);
  const playing = join(directory, PLAYING);
  let isMarked = false;
  try {
    const names = await openDirectory(pool, manifest, options);
    if (shards.some((shard) => !names.has(shardName(shard)))) {
      markWork(playing);
      isMarked = true;
    }
    await start.play(inOrder(shards, names), names);
    // Left-over files are removed again: a process killed just before this start may still have been alive at the first
    // clean-up.
    removeLeftOvers(directory, readdirSync(directory), runFileIn);
  } finally {
    if (isMarked) markEnded(playing);
    if (options.pool === undefined) await pool.close();
    report?.sumUp();
  }
  rmSync(playing, { force: true });
  // Sums are added in ascending order of shards, because the last digits of floating-point sums depend on the order.
  const { summaries, kept, bytes } = start;
  const summary = makeSummary(loadMap(spec.map).powerCount);
  for (const shard of shards) if (summaries[shard] !== undefined) addSums(summary, summaries[shard]);
  return { summary, kept, bytes };
};
