// Indexes the shards of a run that are not in its index yet: in worker threads and written to the file for `lepanto
// find`, or game by game and in memory for `lepanto view`.
import { LepantoError } from '../../engine/rules/error.js';
import { makePool, type Pool } from '../../selfplay/crew/pool.js';
import { shardsOf } from '../formats/games/read.js';
import { type FoundRecord, openSource, type Source } from '../formats/games/recorded-run.js';
import { indexShard, type ShardColumns } from './columns.js';
import {
  type IndexedShard,
  IndexWriter,
  type OpenIndex,
  openIndex,
  type Stamp,
  shardInMemory,
  stampOf,
} from './index-file.js';

/** A shard of the run. known: its index; null if it still has to be indexed. */
interface Wanted {
  readonly path: string;
  readonly stamp: Stamp;
  readonly known: IndexedShard | null;
}

const isSame = (a: Stamp, b: Stamp): boolean => a.file === b.file && a.size === b.size && a.time === b.time;

const wantedShards = (known: readonly IndexedShard[], paths: readonly string[]): Wanted[] =>
  paths.flatMap((path) => {
    const stamp = stampOf(path);
    if (stamp === null) return [];
    return [{ path, stamp, known: known.find((one) => isSame(one.stamp, stamp)) ?? null }];
  });

/** Returns the index of the shard at a path. Called in a worker. @throws LepantoError if the run cannot be opened */
export const indexFile = (path: string): ShardColumns => {
  const steps = indexShard(openSource(path), path);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
};

/** Number of shards per worker that are begun before they are needed. */
const AHEAD = 2;

/**
 * Yields the version and columns of all shards, in order. Workers index shards that are new; columns of others are read
 * from their index.
 * @throws LepantoError if a shard cannot be read
 */
async function* indexOn(pool: Pool, wanted: readonly Wanted[]): AsyncGenerator<readonly [Stamp, ShardColumns]> {
  const begun: Promise<ShardColumns>[] = [];
  const begin = ({ path, known }: Wanted): Promise<ShardColumns> => {
    if (known !== null) return Promise.resolve(known.whole());
    const columns = pool.call<ShardColumns>(
      { module: import.meta.url, name: 'indexFile', data: path },
      { label: `the index of ${path}` },
    );
    // Prevents an unhandled rejection. The error is thrown below, in the order of the shards.
    columns.catch(() => {});
    return columns;
  };
  for (const [i, { stamp }] of wanted.entries()) {
    while (begun.length < wanted.length && begun.length <= i + AHEAD * pool.workers)
      begun.push(begin(wanted[begun.length]));
    yield [stamp, await begun[i]];
    delete begun[i];
  }
}

/** Options for updating an index. */
export interface Making {
  readonly workers: number;
  /** Called with the size in bytes of each shard, once its columns are there. */
  readonly onBytes: (bytes: number) => void;
  /** Called with the reason if the existing index is not usable, or the index cannot be written. */
  readonly onTrouble: (text: string) => void;
}

/** Calls `write`, a step of writing an index, and returns true. If it throws, reports the error and returns false. */
const tryTo = (write: () => void, onTrouble: (text: string) => void): boolean => {
  try {
    write();
    return true;
  } catch (error) {
    onTrouble(`${(error as Error).message}; the index is kept in memory`);
    return false;
  }
};

/**
 * Makes the index of all shards and writes it to its file.
 * @param wanted shards of the run, in order
 * @param isKept false to keep the index in memory instead
 * @returns the index in memory if it was not written, otherwise null
 * @throws LepantoError if a shard cannot be read
 */
const makeIndex = async (
  source: Source,
  wanted: readonly Wanted[],
  making: Making,
  isKept = true,
): Promise<OpenIndex | null> => {
  const { onBytes, onTrouble } = making;
  let writer: IndexWriter | null = null;
  if (isKept)
    tryTo(() => {
      writer = new IndexWriter(source);
    }, onTrouble);
  const file = writer as IndexWriter | null;
  let isFull = false;
  const shards: IndexedShard[] = [];
  const pool = makePool({ workers: Math.max(1, Math.min(making.workers, wanted.length)) });
  try {
    for await (const [stamp, columns] of indexOn(pool, wanted)) {
      onBytes(stamp.size);
      if (file === null) shards.push(shardInMemory(source, stamp, columns));
      else if (!tryTo(() => file.add(stamp, columns), onTrouble)) {
        isFull = true;
        break;
      }
    }
    if (file !== null && !isFull) isFull = !tryTo(() => file.finish(), onTrouble);
  } catch (error) {
    file?.abandon();
    throw error;
  } finally {
    await pool.close();
  }
  // The disk is full. Starts again in memory, because the shards written so far are lost with the file.
  if (isFull) return makeIndex(source, wanted, making, false);
  return file === null ? { shards, trouble: null, close: () => {} } : null;
};

/**
 * Returns the index of a source. Updates its file first if shards are new or have changed; if the file cannot be
 * written, the index is in memory.
 * @param isDamaged true to ignore the existing index, which was found to be damaged
 * @throws LepantoError if a shard cannot be read
 */
export const currentIndex = async (source: Source, making: Making, isDamaged = false): Promise<OpenIndex> => {
  const old = openIndex(source);
  const wanted = wantedShards(isDamaged ? [] : old.shards, shardsOf(source.path));
  if (!isDamaged && wanted.length === old.shards.length && wanted.every(({ known }) => known !== null)) return old;
  if (old.trouble !== null) making.onTrouble(`${old.trouble}; it is rebuilt`);
  try {
    const made = await makeIndex(source, wanted, making);
    if (made !== null) return made;
  } finally {
    old.close();
  }
  const written = openIndex(source);
  if (written.trouble !== null) throw new LepantoError('file', written.trouble);
  return written;
};

/** Index of a run that may still be growing. Shards that the index file does not have are indexed in memory. */
export class LiveIndex {
  private shards: Wanted[] = [];
  private open: OpenIndex | null = null;
  private step: { readonly of: Wanted; readonly steps: Generator<undefined, ShardColumns> } | null = null;

  /**
   * Creates an index without shards; refresh() finds them.
   * @param savedGames returns the games of a source that is a file of saved games; default: the source has shards
   */
  constructor(
    readonly source: Source,
    private readonly savedGames?: (source: Source) => Iterable<FoundRecord>,
  ) {}

  /** Looks for new, changed and removed shards. Does not index them. */
  refresh(): void {
    this.open ??= openIndex(this.source);
    const known = this.shards.flatMap((one) => one.known ?? []);
    this.shards = wantedShards(
      [...known, ...this.open.shards],
      this.savedGames === undefined ? shardsOf(this.source.path) : [this.source.path],
    );
  }

  /** Discards all shards and no longer uses the index file, because it is damaged. Call refresh() afterwards. */
  distrust(): void {
    this.open?.close();
    this.open = { shards: [], trouble: null, close: () => {} };
    this.shards = [];
    this.step = null;
  }

  /** Indexes the next game of a shard that is not indexed yet. Returns false if all known shards are indexed. */
  advance(): boolean {
    if (this.step === null) {
      const of = this.shards.find(({ known }) => known === null);
      if (of === undefined) return false;
      this.step = { of, steps: indexShard(this.source, of.path, this.savedGames) };
    }
    const { of, steps } = this.step;
    const { done, value } = steps.next();
    if (done !== true) return true;
    this.step = null;
    const known = shardInMemory(this.source, of.stamp, value);
    this.shards = this.shards.map((one) => (one.path === of.path ? { ...of, known } : one));
    return true;
  }

  /** Number of shards that still have to be indexed. */
  get left(): number {
    return this.shards.filter(({ known }) => known === null).length;
  }

  /** The shards that are indexed, in the order of the run. */
  get indexed(): readonly IndexedShard[] {
    return this.shards.flatMap(({ known }) => known ?? []);
  }
}
