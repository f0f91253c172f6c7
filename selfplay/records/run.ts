// Plays a run of self-play: thousands of games, spread over workers and recorded in a directory.
//
//   DIR/manifest.json      what was played, and by which version
//   DIR/games-00000.lep    the first games, DIR/games-00001.lep the next ones: as many in each (run-spec.ts, record.ts)
//   DIR/games-00000.table  table of its games (game-table.ts), with its CRC-32; written once the file exists
//   DIR/playing.json       the process that plays it, until its part of the run is whole
//
// A file appears whole or not at all. Starting the same run again plays the rest, and keeps the finished shards.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type CompiledMap, loadMap, type Rules } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { runRulesByName } from '../../engine/rules/run-rules.js';
import { watchAgents } from '../agents/watch-agents.js';
import type { AgentReport } from '../crew/agent-report.js';
import { defaultWorkers, makePool, type Pool } from '../crew/pool.js';
import { inTurns } from '../crew/turns.js';
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
  writeManifest,
} from './manifest.js';
import { shardName } from './record.js';
import { type RunSpec, type SizedSpec, shardCount, shardRange } from './run-spec.js';
import { COUNTERS, type ShardResult, type ShardTask, uncount } from './shard.js';
import { shardNumber } from './shard-file.js';
import { sized } from './shard-size.js';
import { addSums, makeSummary, type Summary, summaryOf } from './summary.js';
import { makeDirectories, removeLeftOvers, writeError, writeWhole } from './whole-file.js';

/** A file of a run, up to what its temporary files append. */
const RUN_FILE = /^(?:games-\d{5,15}\.(?:lep|table)|manifest\.json|playing\.json)(?=$|\.)/;
const fileOf = (name: string): string | undefined => RUN_FILE.exec(name)?.[0];

/** Null if a directory holds this run, else what is wrong with its manifest. @throws LepantoError if it holds another run */
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

/** So many shards are looked at to find one that shows whose the directory is. */
const MOST_WITNESSES = 8;

/**
 * Makes the directory of a run, or checks that an existing one holds the same run. A manifest that is damaged or missing
 * is written anew if a shard there has the games of this run.
 * @returns the names of its files
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
    const other = names.find((name) => (fileOf(name) ?? name) === name);
    if (shards.length > 0) await findWitness(pool, options, shards, damage);
    else if (isThere && statSync(path).size > 0)
      throw new LepantoError('file', `${damage}, once a shard shows whose it is`);
    else if (other !== undefined && !isThere) refuseStrange(directory, other);
    if (shards.length > 0 || isThere) options.onRewrite?.(path, damage);
    writeManifest(directory, manifest);
  }
  removeLeftOvers(directory, names, fileOf);
  return new Set(names);
};

/** Finds a shard with games of this run. @throws LepantoError if there is none */
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
  throw new LepantoError('file', `${damage}, but ${shardName(shards[0])} holds no games of this command`);
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
export const shardsFor = (spec: SizedSpec, { index, count }: Share): number[] =>
  Array.from({ length: shardCount(spec) }, (_, shard) => shard).filter((shard) => shard % count === index);

/** Games in some shards of a run. */
export const gamesIn = (spec: SizedSpec, shards: readonly number[]): number =>
  shards.reduce((sum, shard) => {
    const [begin, end] = shardRange(spec, shard);
    return sum + end - begin;
  }, 0);

/** Games in the shards that fall to a share. */
export const gamesFor = (run: RunSpec, share: Share): number => {
  const spec = sized(run);
  return gamesIn(spec, shardsFor(spec, share));
};

/** A shard that was played elsewhere. */
export interface PlayedElsewhere {
  /** The bytes of its file, checked by their CRC-32. */
  readonly bytes: Uint8Array;
  readonly crc: number;
  /** Its table; null if that is to be made here. */
  readonly table: GameTable | null;
  /** A file with these bytes that may be moved. */
  readonly path?: string;
}

/** How shards that were played elsewhere are recorded. */
export interface ShardRecorder {
  /** Writes the file of a shard; returns the sums over its games. @throws LepantoError if the disk does not take it */
  readonly record: (shard: number, played: PlayedElsewhere) => Promise<Summary>;
  /** True if the file of a shard is there by now: it is checked, and counts. */
  readonly isRecorded: (shard: number) => Promise<boolean>;
}

/**
 * Plays shards that are missing, on other machines, and gives them to the recorder in any order. It may leave some out.
 * @param signal ends it early
 */
export type PlayElsewhere = (missing: readonly number[], recorder: ShardRecorder, signal: AbortSignal) => Promise<void>;

/** How a run is played and recorded: runSelfplay(). */
export interface RunOptions {
  /** Which games are played. */
  readonly spec: RunSpec;
  /** Where the run lies, or will lie: an empty or a new directory, or that of an earlier start of the same run. */
  readonly directory: string;
  /** Commit of the package for the manifest; null where it is not known. Default: that of the git tree it runs from. */
  readonly commit?: string | null;
  /** Command that plays the run, for the manifest. */
  readonly command?: string;
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
  /** Called for a manifest that is damaged or missing and is written anew, because a shard there is of this run. */
  readonly onRewrite?: (file: string, what: string) => void;
  /**
   * Milliseconds for one choice of an agent that does not ship with Lepanto: 60,000 by default, 0 for as many as it takes.
   * Over the limit its worker is ended, and the run ends with an error that names the agent. Finished shards stay.
   */
  readonly choiceMs?: number;
  /** Called with a sentence about a bot whose orders or messages did not count, or that gave no answer. */
  readonly onWarning?: (sentence: string) => void;
  /** Plays the shards that are missing, in place of the pool, which then only checks those that are there. */
  readonly elsewhere?: PlayElsewhere;
}

type SizedOptions = RunOptions & { readonly spec: SizedSpec };

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

/** Calls a function of shard.ts in some worker, and again if that crashes. */
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

/** Files of shards in a directory, which may not exist yet. */
const countShards = (directory: string): number =>
  existsSync(directory) ? readdirSync(directory).filter((name) => shardNumber(name) !== null).length : 0;

/** Puts the file of a shard that was played elsewhere in its place. @throws LepantoError that names the file */
const placeShard = (path: string, { bytes, path: from }: PlayedElsewhere): void => {
  if (from !== undefined) {
    try {
      renameSync(from, path);
      return;
    } catch (error) {
      // Another disk, or another start has moved it: the bytes are here.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EXDEV' && code !== 'ENOENT') throw writeError(path, error);
    }
  }
  writeWhole(path, bytes);
};

/** Missing shards first, then those without a table: a run gets on however often it is killed. */
const inOrder = (shards: readonly number[], names: ReadonlySet<string>): number[] => {
  const isThere = (path: string): number => Number(names.has(path));
  const state = (shard: number): number => isThere(shardName(shard)) * (1 + isThere(tablePath(shardName(shard))));
  return [0, 1, 2].flatMap((wanted) => shards.filter((shard) => state(shard) === wanted));
};

/** One start of a run: plays its missing shards, and records them. */
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

  /** Plays and records shards, in this order. */
  async play(order: readonly number[], names: ReadonlySet<string>): Promise<void> {
    const { elsewhere } = this.options;
    if (elsewhere !== undefined) return this.sendAway(elsewhere, order, names);
    return this.recordAll(order);
  }

  private recordAll(shards: readonly number[]): Promise<void> {
    return inTurns(shards.length, 2 * this.workers, (turn) => this.record(shards[turn]), this.options.signal);
  }

  private taskOf(shard: number): ShardTask {
    return makeTask(this.options.spec, this.options.directory, shard, this.counters);
  }

  private async record(shard: number): Promise<void> {
    const task = this.taskOf(shard);
    await this.finish(task, await callShard<ShardResult>(this.pool, 'runShard', task, this.report));
  }

  /** Here and not in the worker, which plays its next shard while the disk takes this one. */
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
    if (table === null)
      throw new LepantoError('record', `shard ${shard}: got games that do not follow from their orders, wanted others`);
    placeShard(task.path, played);
    const summary = summaryOf(table);
    await this.finish(task, { summary, bytes: bytes.length, table: table.bytes, damage: null });
    return summary;
  }

  /** Checks what is there while the rest is played elsewhere. */
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
 * Plays a run and records it in a directory: manifest.json and a file for every so many games (README.md). The files are the
 * same for any number of workers, and a run that was interrupted resumes when it is started again in the same directory:
 * it plays what is missing, then checks what was there. A worker that crashes does not end the run: its shard is played
 * again.
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
    // Again: a process that was killed a moment before this start may not have been gone by then.
    removeLeftOvers(directory, readdirSync(directory), fileOf);
  } finally {
    if (isMarked) markEnded(playing);
    if (options.pool === undefined) await pool.close();
    report?.sumUp();
  }
  rmSync(playing, { force: true });
  // In the order of the shards: sums of fractions depend on it in their last digits.
  const { summaries, kept, bytes } = start;
  const summary = makeSummary(loadMap(spec.map).powerCount);
  for (const shard of shards) if (summaries[shard] !== undefined) addSums(summary, summaries[shard]);
  return { summary, kept, bytes };
};
