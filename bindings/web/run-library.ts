// Finds the runs under a directory. It does not follow links. Pages refer to a run by the name in the list, so that no
// address of a page is ever used as a path.

import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { ruleSetByName } from '../../engine/notation/text/index.js';
import { isWorkEnded } from '../../selfplay/records/lock.js';
import {
  ARENA_FILE,
  MANIFEST,
  type Manifest,
  mapOfRun,
  PLAYING,
  readManifest,
  rulesOfRun,
  shardNumber,
} from '../../selfplay/records/manifest.js';
import { shardCount, shardRange } from '../../selfplay/records/run-spec.js';
import type { Source } from '../formats/games/recorded-run.js';
import { shortAgent } from '../reports/arena-report.js';
import { type OpenArenas, openArenas } from './arena-tables.js';
import { importsIn, kindOf, openImported } from './imported-games.js';
import type { ArenaRow, ImportRow, RunList, RunRow } from './page-data.js';
import { RunIndex } from './run-index.js';
import { NO_SUMS, ScoreBook } from './score-book.js';

/** Limits of the search for runs: MAX_DEPTH levels of directories, and numbers of directories, runs and imports. */
const MAX_DEPTH = 5;
const MAX_DIRECTORIES = 20_000;
const MAX_RUNS = 2_000;
const MAX_IMPORTS = 2_000;
/** Number of arena files whose games are kept in memory at the same time. */
const MAX_OPEN = 4;
/**
 * True if a directory in a directory of arenas is named like the run of an arena, by a number from 1. The page of the
 * arenas lists its games.
 */
const isArenaRun = (name: string): boolean => /^[1-9]\d*$/.test(name);
/**
 * The list of runs is made again after FRESH_MS milliseconds, but not before REST times the time that making it took.
 */
const FRESH_MS = 900;
const REST = 20;
/** Time without a new file after which an unfinished run is shown as stopped, in milliseconds. */
const STOPPED_MS = 600_000;

/** True for names of directories that are not searched: they have no runs and may be large. */
const isPassed = (name: string): boolean => name.startsWith('.') || name === 'node_modules' || name === 'dist';

/**
 * Returns the number of games in the shards that a run's directory has (`done`), and the directory's modification time
 * in milliseconds since 1970 (`changed`).
 */
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

/**
 * Opens a run by its manifest. The run may have no shards yet.
 * @throws LepantoError if the manifest is invalid, or if its map or rules have changed
 */
const sourceOf = (path: string): Source => {
  const manifest = readManifest(path);
  const rules = ruleSetByName(rulesOfRun(manifest).name);
  return { path, files: [], manifest, map: mapOfRun(manifest), rules };
};

/** Returns the prefix of the names of runs that are in a directory. @param name name of the directory in the list */
const insideOf = (name: string): string => (name === '.' ? '' : `${name}/`);

/** Fields of a run's row if its manifest cannot be read. */
const UNKNOWN = {
  ...{ agents: [], briefs: [], map: '', rules: '', until: 0, seed: null, scores: null },
  ...{ games: 0, done: 0, changed: 0 },
};

export class RunLibrary {
  private readonly root: string = realpathSync(this.directory);
  /** Indices of opened runs, keyed by name of the run, with the modification time of its manifest (`made`). */
  private readonly indices: Map<string, { readonly index: RunIndex; readonly made: number }> = new Map();
  private readonly opened: Map<string, { readonly made: number; readonly arenas: Promise<OpenArenas> }> = new Map();
  private readonly book = new ScoreBook();
  private listed: RunList = { runs: [], arenas: [], imports: [], cut: false };
  /** Time from which the list is made again on demand, by performance.now(). */
  private staleAt = 0;

  /** Opens a directory. @throws Error if it does not exist */
  constructor(
    /** Path of the directory, as the user gave it. */
    readonly directory: string,
  ) {}

  list(): RunList {
    const begin = performance.now();
    if (begin < this.staleAt) return this.listed;
    const found: RunRow[] = [];
    const arenas: ArenaRow[] = [];
    const imports: ImportRow[] = [];
    const queue: [path: string, depth: number][] = [[this.root, 0]];
    let seen = 0;
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [path, depth] = next;
      if (++seen > MAX_DIRECTORIES || found.length >= MAX_RUNS) break;
      let entries: ReturnType<typeof this.entriesOf>;
      try {
        entries = this.entriesOf(path);
      } catch {
        // The directory cannot be read, or was removed.
        continue;
      }
      if (entries.isRun) found.push(this.describe(path));
      if (entries.isArena) arenas.push(this.describeArena(path));
      if (imports.length < MAX_IMPORTS)
        imports.push(...entries.imports.flatMap((name) => this.describeImport(path, name)));
      const inside = entries.directories.filter((name) => !entries.isArena || !isArenaRun(name));
      if (depth < MAX_DEPTH) for (const name of inside) queue.push([join(path, name), depth + 1]);
    }
    const newest = (a: { changed: number }, b: { changed: number }): number => b.changed - a.changed;
    this.listed = {
      runs: found.sort(newest),
      arenas: arenas.sort(newest),
      imports: imports.sort(newest),
      cut: queue.length > 0,
    };
    const end = performance.now();
    this.staleAt = end + Math.max(FRESH_MS, REST * (end - begin));
    return this.listed;
  }

  private entriesOf(path: string) {
    const entries = readdirSync(path, { withFileTypes: true });
    const has = (name: string): boolean => entries.some((entry) => entry.name === name && entry.isFile());
    const isRun = has(MANIFEST);
    const files = isRun ? [] : entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    return {
      isRun,
      imports: importsIn(path, files),
      isArena: has(ARENA_FILE),
      directories: entries.filter((entry) => entry.isDirectory() && !isPassed(entry.name)).map(({ name }) => name),
    };
  }

  /**
   * Makes a row of the list. If `read` throws, makes the row of a damaged run, with the error.
   * @param path path of the row's directory
   * @param none fields of a row that cannot be read
   * @param read returns the fields
   */
  private row<T extends object>(path: string, none: T, read: () => T & { readonly state: RunRow['state'] }) {
    const names = this.namesOf(path);
    try {
      return { ...names, ...read(), error: null };
    } catch (error) {
      const message = (error as Error).message.replaceAll(this.root, '');
      return { ...names, ...none, state: 'damaged' as const, error: message };
    }
  }

  private namesOf(path: string): { readonly name: string; readonly title: string } {
    const name = relative(this.root, path).split(sep).join('/') || '.';
    return { name, title: name === '.' ? basename(this.root) : name };
  }

  /**
   * Returns the row of an imported file or directory, in a list; an empty list if it was removed or is a link.
   * @param path path of the directory
   * @param name name of a file in it; '' for the directory itself
   */
  private describeImport(path: string, name: string): ImportRow[] {
    const file = join(path, name);
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined || found.isSymbolicLink()) return [];
    const bytes = found.isFile() ? found.size : null;
    return [{ ...this.namesOf(file), kind: kindOf(file), bytes, changed: found.mtimeMs }];
  }

  private describeArena(path: string): ArenaRow {
    return this.row(path, { changed: 0, ...NO_SUMS }, () => {
      const changed = lstatSync(join(path, ARENA_FILE)).mtimeMs;
      return { changed, ...this.book.arenaOf(path, changed), state: 'whole' };
    });
  }

  private describe(path: string): RunRow {
    return this.row<Omit<RunRow, 'name' | 'title' | 'state' | 'error'>>(path, UNKNOWN, () => {
      const manifest = readManifest(path);
      const { agents, until, games } = manifest;
      const { done, changed } = progressOf(path, manifest);
      const all = new Set(agents).size === 1 ? agents.slice(0, 1) : agents;
      const made = lstatSync(join(path, MANIFEST)).mtimeMs;
      return {
        ...{ agents: all, briefs: all.map(shortAgent), map: manifest.map.name, rules: manifest.rules.name },
        ...{ until, seed: manifest.seed, games, done, changed },
        scores: this.book.scoresOf(path, () => sourceOf(path), made, changed),
        state: stateOf(done >= games, changed, isWorkEnded(join(path, PLAYING))),
      };
    });
  }

  /** Reads another part of the games from which the list's scores are computed. Returns false if none was left. */
  advance(): boolean {
    return this.book.advance();
  }

  /**
   * Returns the row of a run by its name, including runs of arenas and imported games, which may not be in the list of
   * runs. Undefined if there is none.
   */
  find(name: string): RunRow | undefined {
    const { runs, imports } = this.list();
    const found = runs.find((run) => run.name === name);
    if (found !== undefined) return found;
    const imported = imports.find((one) => one.name === name);
    if (imported !== undefined) return this.importedRun(imported);
    if (!this.isKept(name)) return undefined;
    return this.within(name, (path) => this.describe(path)) ?? undefined;
  }

  /** True if a name belongs to the stored run of an arena in a listed directory of arenas. */
  private isKept(name: string): boolean {
    const at = name.lastIndexOf('/');
    const arena = at < 0 ? '.' : name.slice(0, at);
    if (!isArenaRun(name.slice(at + 1)) || !this.hasArenas(arena)) return false;
    return lstatSync(join(this.root, name, MANIFEST), { throwIfNoEntry: false })?.isFile() === true;
  }

  private importedRun({ name, title, changed }: ImportRow): RunRow {
    const index = this.indices.get(name)?.index;
    const [games, left] = index === undefined ? [0, 0] : [index.games, index.left];
    return {
      ...{ ...UNKNOWN, name, title, changed, state: 'whole', error: null, games: games + left, done: games + left },
      ...{ map: index?.source.map.name ?? '', rules: index?.source.rules.name ?? '' },
    };
  }

  hasArenas(name: string): boolean {
    return this.list().arenas.some((arena) => arena.name === name);
  }

  /**
   * Returns the arenas of a directory, which are kept in memory until their file changes; null if there are none. The
   * promise rejects with a LepantoError if they are damaged.
   * @param name name of the directory in the list
   */
  arenasOf(name: string): Promise<OpenArenas> | null {
    if (!this.hasArenas(name)) return null;
    return this.within(name, (path) => {
      const file = join(path, ARENA_FILE);
      const found = lstatSync(file);
      if (!found.isFile()) return null;
      const made = found.mtimeMs;
      const known = this.opened.get(name);
      const arenas = known?.made === made ? known.arenas : openArenas(file);
      arenas.catch(() => this.opened.delete(name));
      this.opened.delete(name);
      const [oldest] = this.opened.keys();
      if (this.opened.size >= MAX_OPEN && oldest !== undefined) this.opened.delete(oldest);
      this.opened.set(name, { made, arenas });
      return arenas;
    });
  }

  /**
   * Returns the name of the run that has the games of an arena; null if they were not kept.
   * @param arenas name of the directory of arenas in the list
   * @param number number of the arena, from 1
   */
  runOf(arenas: string, number: number): string | null {
    const name = `${insideOf(arenas)}${number}`;
    return this.isKept(name) ? name : null;
  }

  /**
   * Returns the result of `read` for a path below the directory; null if a part of the path has become a link since the
   * list was made.
   * @param name the path, relative to the directory
   */
  private within<T>(name: string, read: (path: string) => T): T | null {
    const path = join(this.root, name);
    return realpathSync(path) === path.replace(/[\\/]\.?$/, '') ? read(path) : null;
  }

  /**
   * Returns the index of a run, which is kept until the run's manifest changes; undefined if there is no such run.
   * @param name name of the run in the list
   * @throws LepantoError if the run cannot be read
   */
  open(name: string): RunIndex | undefined {
    if (this.find(name) === undefined) return undefined;
    const isImported = this.list().imports.some((one) => one.name === name);
    const open = (path: string): RunIndex => {
      const made = lstatSync(isImported ? path : join(path, MANIFEST)).mtimeMs;
      const known = this.indices.get(name);
      if (known?.made === made) return known.index;
      const index = isImported ? openImported(path) : new RunIndex(sourceOf(path));
      this.indices.set(name, { index, made });
      return index;
    };
    return this.within(name, open) ?? undefined;
  }
}
