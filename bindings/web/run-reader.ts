// Reads the runs of a library in short time slices, so that the server answers requests in between.
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { ScoreName } from '../../engine/internal.js';
import { nameOfKey } from '../../selfplay/games/phase-key.js';
import { DamagedIndex } from '../find/columns.js';
import type { LiveIndex } from '../find/make-index.js';
import { OpeningCounter } from '../find/openings.js';
import { parseQuery, positionIn, type Query, type QueryContext } from '../find/query.js';
import { hitsIn } from '../find/search.js';
import type { FindAnswer, RunList, RunProgress, RunRow } from './page-data.js';
import { asGiven, Refusal } from './page-server.js';
import { PAGE_ROWS, type RunIndex } from './run-index.js';
import type { RunLibrary } from './run-library.js';

/** Largest number of a power's openings that are listed, and of continuations of each. */
const MOST_OPENINGS = 8;
/** Length of a time slice, in milliseconds. */
const SLICE_MS = 10;

const pause = (): Promise<void> => setTimeout(SLICE_MS);

/** A reader of files that reads them in small parts. */
interface Advancing {
  /** Reads another part. Returns false if none was left. */
  advance(): boolean;
}

export class RunReader {
  private readonly working = new Set<Advancing>();
  private readonly searched = new WeakMap<RunIndex, LiveIndex>();
  private isClosed = false;

  constructor(readonly library: RunLibrary) {}

  /** Stops all reading after the current time slices. */
  close(): void {
    this.isClosed = true;
  }

  /**
   * Opens a run by its name in the list, and starts indexing its games. Returns its row and its index.
   * @throws Refusal with status 404 if there is no such run
   */
  open(name: string): [RunRow, RunIndex] {
    const { library } = this;
    const index = library.open(name);
    const row = index === undefined ? undefined : library.find(name);
    if (row === undefined || index === undefined)
      throw new Refusal(404, `run: got "${name.slice(0, 200)}", wanted one of the list of runs`);
    this.keepUp(index);
    return [row, index];
  }

  private keepUp(index: RunIndex | LiveIndex): void {
    if (this.working.has(index)) return;
    index.refresh();
    void this.work(index, setImmediate);
  }

  /** Returns the list of runs, and starts reading the games for its scores in the background. */
  list(): RunList {
    const list = this.library.list();
    if (!this.working.has(this.library)) void this.work(this.library, pause);
    return list;
  }

  /**
   * Lets a reader read all its parts in time slices, after the current requests are answered. @param rest waits between
   * two slices
   */
  private async work(reader: Advancing, rest: () => Promise<void>): Promise<void> {
    this.working.add(reader);
    try {
      await pause();
      for (let left = true; left && !this.isClosed; await rest()) {
        const begin = performance.now();
        while (left && performance.now() - begin < SLICE_MS) left = reader.advance();
      }
    } finally {
      this.working.delete(reader);
    }
  }

  /** Resolves once a game is in the index, or once all games of the run are. Has the game's shard read first. */
  private async indexed(index: RunIndex, game: number): Promise<void> {
    index.prefer(game);
    while (this.working.has(index) && !index.has(game)) await pause();
  }

  /**
   * Waits until a game is in the index or all games are, and returns the result of `read`.
   * @param name name of the run, for the error
   * @throws Refusal with status 404 if the result is null
   */
  async gameOf<T>(name: string, index: RunIndex, game: number, read: () => T | null): Promise<T> {
    await this.indexed(index, game);
    const found = read();
    if (found === null)
      throw new Refusal(404, `game: got ${game}, which ${name} does not have, wanted one that is recorded`);
    return found;
  }

  /** Returns how much of a run is played and indexed, for its page. @throws Refusal if there is no such run */
  progress(name: string): RunProgress {
    const [run, index] = this.open(name);
    const { games: indexed, left, version, faults } = index;
    return { run, indexed, left, version, faults: [...faults.values()].slice(0, 5) };
  }

  /** Resolves once at least one game of a run is indexed, or none are left to read. */
  async begun(index: RunIndex): Promise<void> {
    while (this.working.has(index) && index.games === 0) await pause();
  }

  /**
   * Parses a query in the language of `lepanto find`. Waits until games that it names are indexed.
   * @throws Refusal with status 400 if it is invalid
   */
  private async readQuery(text: string, index: RunIndex): Promise<Query> {
    for (const [, game] of text.matchAll(/\bgame (\d{1,9})\b/gi)) await this.indexed(index, Number(game));
    const { source } = index;
    const positionOf: QueryContext['positionOf'] = (run, game, phase) => {
      const stored = run === null ? index.read(game) : null;
      if (stored === null) throw new Error(`got game ${game}, wanted one of this run`);
      return positionIn(source, stored, phase);
    };
    const readNamed = (): never => {
      throw new Error('position: got a file, wanted "position of game 12 in F1903M", or JSON');
    };
    return asGiven(() => parseQuery(text, { ...source, positionOf, readNamed }));
  }

  /**
   * Searches the games of a run that are indexed so far. Starts indexing the others.
   * @param text the query
   * @param scoring scoring system of openings
   * @throws Refusal for an unknown run or an invalid query
   */
  async find(name: string, text: string, scoring: ScoreName): Promise<FindAnswer> {
    const [, index] = this.open(name);
    const { source } = index;
    const wanted = await this.readQuery(text, index);
    const live = this.searched.get(index) ?? index.searchable();
    this.searched.set(index, live);
    this.keepUp(live);
    const counter = wanted.openings === null ? null : new OpeningCounter(source.map, wanted.openings, scoring);
    const hits: FindAnswer['hits'][number][] = [];
    let [games, found] = [0, 0];
    // Both are read at the same time, because more shards may be indexed during the search.
    const { indexed, left } = live;
    try {
      for (const shard of indexed) {
        counter?.add(shard, source.manifest?.agents ?? [], wanted.condition);
        if (wanted.condition === null) continue;
        const of = hitsIn(wanted.condition, shard);
        games += of.games;
        found += of.hits.length;
        for (const { game, phase } of of.hits.slice(0, PAGE_ROWS - hits.length))
          hits.push({ game, phase: phase === null ? null : nameOfKey(phase) });
        await setImmediate();
      }
      return { games, found, hits, left, openings: counter?.trees(MOST_OPENINGS) ?? null };
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error;
      live.distrust();
      return { games: 0, found: 0, hits: [], left: 1, openings: null };
    }
  }
}
