// Reads the runs of a library for a server, in slices of time: requests are answered between two slices.
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

/** Order sets that are listed of a power, and after each set. */
const MOST_OPENINGS = 8;
/** Milliseconds that shards are indexed for before other requests get their turn. */
const SLICE_MS = 10;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SLICE_MS));

/** What reads files little by little. */
interface Advancing {
  /** Reads something more. False if nothing is left. */
  advance(): boolean;
}

export class RunReader {
  private readonly working = new Set<Advancing>();
  private readonly searched = new WeakMap<RunIndex, LiveIndex>();
  private isClosed = false;

  constructor(readonly library: RunLibrary) {}

  /** Reads nothing more. */
  close(): void {
    this.isClosed = true;
  }

  /** The run of a name; its index is made from here on. @throws Refusal if there is none */
  open(name: string): [RunRow, RunIndex] {
    const { library } = this;
    const index = library.open(name);
    const row = index === undefined ? undefined : library.find(name);
    if (row === undefined || index === undefined)
      throw new Refusal(404, `run: got "${name.slice(0, 200)}", which is not there`);
    this.keepUp(index);
    return [row, index];
  }

  private keepUp(index: RunIndex | LiveIndex): void {
    if (this.working.has(index)) return;
    index.refresh();
    void this.work(index, () => new Promise((resolve) => setImmediate(resolve)));
  }

  /** The list of runs; what it says of their games is found out from here on, while nobody waits for a page. */
  list(): RunList {
    const list = this.library.list();
    if (!this.working.has(this.library)) void this.work(this.library, pause);
    return list;
  }

  /** Reads in slices of time, after whoever waits for a page now. @param rest lets others have their turn between slices */
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

  /** Resolves once a game, which is read before others, or every game of the run is in the index. */
  private async indexed(index: RunIndex, game: number): Promise<void> {
    index.prefer(game);
    while (this.working.has(index) && !index.has(game)) await pause();
  }

  /** A game of a run, once it is in the index. @throws Refusal if there is none */
  async gameOf<T>(name: string, index: RunIndex, game: number, read: () => T | null): Promise<T> {
    await this.indexed(index, game);
    const found = read();
    if (found === null) throw new Refusal(404, `game ${game}: ${name} has no such game`);
    return found;
  }

  /** What a page hears of a run. @throws Refusal if there is none */
  progress(name: string): RunProgress {
    const [run, index] = this.open(name);
    const { games: indexed, left, version, faults } = index;
    return { run, indexed, left, version, faults: [...faults.values()].slice(0, 5) };
  }

  /** Resolves once at least one shard of a run is there to show, or none is left to read. */
  async begun(index: RunIndex): Promise<void> {
    while (this.working.has(index) && index.games === 0) await pause();
  }

  /** @throws Refusal that says what is wrong with it */
  private async readQuery(text: string, index: RunIndex): Promise<Query> {
    for (const [, game] of text.matchAll(/\bgame (\d{1,9})\b/gi)) await this.indexed(index, Number(game));
    const { source } = index;
    const positionOf: QueryContext['positionOf'] = (run, game, phase) => {
      const stored = run === null ? index.read(game) : null;
      if (stored === null) throw new Error(`got game ${game}, wanted one of this run`);
      return positionIn(source, stored, phase);
    };
    const readNamed = (): never => {
      throw new Error('position: wanted "position of game 12 in F1903M", or JSON');
    };
    return asGiven(() => parseQuery(text, { ...source, positionOf, readNamed }));
  }

  /** What a search of a run finds, as far as it is indexed. @throws Refusal for what is no query */
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
    // More may be indexed between two shards: what is left belongs to what is searched.
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
        await new Promise((resolve) => setImmediate(resolve));
      }
      return { games, found, hits, left, openings: counter?.trees(MOST_OPENINGS) ?? null };
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error;
      live.distrust();
      return { games: 0, found: 0, hits: [], left: 1, openings: null };
    }
  }
}
