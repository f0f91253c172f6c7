// Finds the runs under a directory. It follows no link, and pages name a run by the name it was found under, so that no
// address of a page ever becomes a path.
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { isWorkEnded } from '../../selfplay/records/lock.js';
import {
  ARENA_FILE,
  MANIFEST,
  type Manifest,
  mapOfRun,
  PLAYING,
  readManifest,
  rulesOfRun,
} from '../../selfplay/records/manifest.js';
import { shardCount, shardRange } from '../../selfplay/records/run-spec.js';
import { shardNumber } from '../../selfplay/records/shard-file.js';
import { shortAgent } from '../cli/shared/arena-report.js';
import type { Source } from '../formats/games/recorded-run.js';
import { ruleSetByName } from '../notation/text/index.js';
import { arenaTables } from './arena-tables.js';
import type { ArenaRow, ArenaTables, RunList, RunRow, TrainingRow } from './page-data.js';
import { RunIndex } from './run-index.js';
import { CURVES, METRICS, NO_PROGRESS, readCurves, TRAINING_CONFIG, TrainingLog } from './training-log.js';

/** How deep runs are looked for, and at how many directories and runs the search ends. */
const MAX_DEPTH = 5;
const MAX_DIRECTORIES = 20_000;
const MAX_RUNS = 2_000;
/** Seatings of an arena that are listed as runs: a population has one for each game. */
const MAX_SEATINGS = 100;
/** Directories are not read again within this time, nor within some times as long as it took, however many pages ask. */
const FRESH_MS = 900;
const REST = 20;
/** Without a new file for so long a run that is not whole counts as stopped, if its process has not ended before. */
const STOPPED_MS = 600_000;

/** Directories that no run is in, and that may be large. */
const isPassed = (name: string): boolean => name.startsWith('.') || name === 'node_modules' || name === 'dist';

/** Games in the shards of a directory, and the time of the newest file. */
const progressOf = (path: string, manifest: Manifest): { done: number; changed: number } => {
  const files = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isFile());
  const shards = files.flatMap(({ name }) => shardNumber(name) ?? []);
  let done = 0;
  for (const shard of shards) {
    if (shard >= shardCount(manifest)) continue;
    const [begin, end] = shardRange(manifest, shard);
    done += end - begin;
  }
  return { done, changed: lstatSync(path).mtimeMs };
};

const stateOf = (isWhole: boolean, changed: number, hasEnded = false): RunRow['state'] => {
  if (isWhole) return 'whole';
  return Date.now() - changed < STOPPED_MS && !hasEnded ? 'running' : 'stopped';
};

/** A run by its manifest alone: it may have no shard yet. @throws LepantoError if its map or rules are not those of today */
const sourceOf = (path: string): Source => {
  const manifest = readManifest(path);
  const rules = ruleSetByName(rulesOfRun(manifest).name);
  return { path, files: [], manifest, map: mapOfRun(manifest), rules };
};

export class RunLibrary {
  private readonly root: string = realpathSync(this.directory);
  /** By name, with the time of the manifest that it was made by. */
  private readonly indices: Map<string, { readonly index: RunIndex; readonly made: number }> = new Map();
  private readonly logs: Map<string, TrainingLog> = new Map();
  private readonly tables: Map<string, { readonly made: number; readonly tables: readonly ArenaTables[] }> = new Map();
  private listed: RunList = { runs: [], arenas: [], trainings: [], cut: false };
  /** When the list is to be made anew. */
  private staleAt = 0;

  /** @throws LepantoError if there is no such directory */
  constructor(
    /** As the user named it. */
    readonly directory: string,
  ) {}

  list(): RunList {
    const begin = performance.now();
    if (begin < this.staleAt) return this.listed;
    const found: RunRow[] = [];
    const arenas: ArenaRow[] = [];
    const trainings: TrainingRow[] = [];
    const queue: [path: string, depth: number][] = [[this.root, 0]];
    let seen = 0;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [path, depth] = next;
      if (++seen > MAX_DIRECTORIES || found.length + trainings.length >= MAX_RUNS) break;
      let entries: ReturnType<typeof this.entriesOf>;
      try {
        entries = this.entriesOf(path);
      } catch {
        // A directory that may not be read, or has gone.
        continue;
      }
      if (entries.isRun) found.push(this.describe(path));
      if (entries.isTraining) trainings.push(this.describeTraining(path));
      if (entries.isArena) arenas.push(this.describeArena(path));
      if (entries.isArena && entries.directories.length > MAX_SEATINGS) continue;
      if (depth < MAX_DEPTH) for (const name of entries.directories) queue.push([join(path, name), depth + 1]);
    }
    const newest = (a: { changed: number }, b: { changed: number }): number => b.changed - a.changed;
    this.listed = {
      runs: found.sort(newest),
      arenas: arenas.sort(newest),
      trainings: trainings.sort(newest),
      cut: queue.length > 0,
    };
    const end = performance.now();
    this.staleAt = end + Math.max(FRESH_MS, REST * (end - begin));
    return this.listed;
  }

  private entriesOf(path: string): { isRun: boolean; isArena: boolean; isTraining: boolean; directories: string[] } {
    const entries = readdirSync(path, { withFileTypes: true });
    const has = (name: string): boolean => entries.some((entry) => entry.name === name && entry.isFile());
    return {
      isRun: has(MANIFEST),
      isArena: has(ARENA_FILE),
      isTraining: has(METRICS) && has(TRAINING_CONFIG),
      directories: entries.filter((entry) => entry.isDirectory() && !isPassed(entry.name)).map(({ name }) => name),
    };
  }

  /** A row of the list. @param none what it has where it cannot be read */
  private row<T extends object>(path: string, none: T, read: () => T & { readonly state: RunRow['state'] }) {
    const name = relative(this.root, path).split(sep).join('/') || '.';
    const names = { name, title: name === '.' ? basename(this.root) : name };
    try {
      return { ...names, ...read(), error: null };
    } catch (error) {
      const message = (error as Error).message.replaceAll(this.root, '');
      return { ...names, ...none, state: 'damaged' as const, error: message };
    }
  }

  private describeTraining(path: string): TrainingRow {
    return this.row(path, { ...NO_PROGRESS, changed: 0, drawn: 0 }, () => {
      const log = this.logs.get(path) ?? new TrainingLog(path);
      this.logs.set(path, log);
      const progress = log.read();
      const drawn = lstatSync(join(path, CURVES), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      return { ...progress, changed: log.changed, drawn, state: stateOf(progress.ended, log.changed) };
    });
  }

  private describeArena(path: string): ArenaRow {
    return this.row(path, { changed: 0 }, () => ({
      changed: lstatSync(join(path, ARENA_FILE)).mtimeMs,
      state: 'whole',
    }));
  }

  private describe(path: string): RunRow {
    const none = { agents: [], briefs: [], map: '', rules: '', until: 0, games: 0, done: 0, changed: 0 };
    return this.row<Omit<RunRow, 'name' | 'title' | 'state' | 'error'>>(path, none, () => {
      const manifest = readManifest(path);
      const { agents, until, games } = manifest;
      const { done, changed } = progressOf(path, manifest);
      const all = new Set(agents).size === 1 ? agents.slice(0, 1) : agents;
      const playedBy = {
        agents: all,
        briefs: all.map(shortAgent),
        map: manifest.map.name,
        rules: manifest.rules.name,
        until,
      };
      return {
        ...playedBy,
        games,
        done,
        changed,
        state: stateOf(done >= games, changed, isWorkEnded(join(path, PLAYING))),
      };
    });
  }

  /** The row of a run by its name in the list; undefined if there is none. */
  find(name: string): RunRow | undefined {
    return this.list().runs.find((run) => run.name === name);
  }

  /** The row of a training run by its name in the list; undefined if there is none. */
  findTraining(name: string): TrainingRow | undefined {
    return this.list().trainings.find((training) => training.name === name);
  }

  /** The tables of the arenas of a directory by its name in the list; null if there is none. @throws LepantoError */
  arenasOf(name: string): readonly ArenaTables[] | null {
    if (!this.list().arenas.some((arena) => arena.name === name)) return null;
    return this.within(name, (path) => {
      const file = join(path, ARENA_FILE);
      const made = lstatSync(file).mtimeMs;
      const known = this.tables.get(name);
      const tables = known?.made === made ? known.tables : arenaTables(file);
      this.tables.set(name, { made, tables });
      return tables;
    });
  }

  /** The picture of the curves of a training run by its name in the list; null if there is none. */
  curvesOf(name: string): Buffer | null {
    return this.findTraining(name) === undefined ? null : this.within(name, readCurves);
  }

  /** Opens what is in a directory, unless that has become a link since the list was made, or one on the way. */
  private within<T>(name: string, read: (path: string) => T): T | null {
    const path = join(this.root, name);
    return realpathSync(path) === path.replace(/[\\/]\.?$/, '') ? read(path) : null;
  }

  /**
   * The index of a run by its name in the list, kept up with its files; undefined if there is no such run.
   * @throws LepantoError if it cannot be read
   */
  open(name: string): RunIndex | undefined {
    if (this.find(name) === undefined) return undefined;
    const open = (path: string): RunIndex => {
      const made = lstatSync(join(path, MANIFEST)).mtimeMs;
      const known = this.indices.get(name);
      if (known?.made === made) return known.index;
      const index = new RunIndex(sourceOf(path));
      this.indices.set(name, { index, made });
      return index;
    };
    return this.within(name, open) ?? undefined;
  }
}
