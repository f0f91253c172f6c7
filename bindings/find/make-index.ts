// Indexes the shards of a run that its index lacks: on several threads for `lepanto find`, which writes the file, or a
// game at a time for `lepanto view`, which writes nothing.
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

/** A shard that is there now, and what is known of it: null if it is to be indexed. */
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

/** In a worker. */
export const indexFile = (path: string): ShardColumns => {
  const steps = indexShard(openSource(path), path);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
};

/** Shards that are read ahead for each worker. */
const AHEAD = 2;

/** The shards in order, those that are not known indexed by workers. */
async function* indexOn(pool: Pool, wanted: readonly Wanted[]): AsyncGenerator<readonly [Stamp, ShardColumns]> {
  const begun: Promise<ShardColumns>[] = [];
  const begin = ({ path, known }: Wanted): Promise<ShardColumns> => {
    if (known !== null) return Promise.resolve(known.whole());
    const columns = pool.call<ShardColumns>(
      { module: import.meta.url, name: 'indexFile', data: path },
      { label: `the index of ${path}` },
    );
    // An error is met when its turn comes, or not at all if an earlier one ends everything.
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

/** How an index is brought up to date. */
export interface Making {
  readonly workers: number;
  /** Is told bytes of records as they are indexed. */
  readonly onBytes: (bytes: number) => void;
  /** Is told why the index that is there does not count, or cannot be written. */
  readonly onTrouble: (text: string) => void;
}

/** Runs a step of writing an index. @returns false, and tells why, if it cannot be written */
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
 * Makes the index again where shards have changed.
 * @param isKept false where the index cannot be written
 * @returns an index in memory where it cannot be written, else null
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
  // The disk is full: from the first shard again, because those that were written are gone with the file.
  if (isFull) return makeIndex(source, wanted, making, false);
  return file === null ? { shards, trouble: null, close: () => {} } : null;
};

/**
 * The index of a source, brought up to date with its files.
 * @param isDamaged true where the one that is there was found so
 * @throws LepantoError if a shard cannot be read at all
 */
export const currentIndex = async (source: Source, making: Making, isDamaged = false): Promise<OpenIndex> => {
  const old = openIndex(source);
  const wanted = wantedShards(isDamaged ? [] : old.shards, shardsOf(source.path));
  if (!isDamaged && wanted.length === old.shards.length && wanted.every(({ known }) => known !== null)) return old;
  if (old.trouble !== null) making.onTrouble(`${old.trouble}; it is made anew`);
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

/** The index of a run that may still be played, in memory as far as its file lacks it. */
export class LiveIndex {
  private shards: Wanted[] = [];
  private open: OpenIndex | null = null;
  private step: { readonly of: Wanted; readonly steps: Generator<undefined, ShardColumns> } | null = null;

  /** @param savedGames returns the games of a file of saved games. Default: the source has records */
  constructor(
    readonly source: Source,
    private readonly savedGames?: (source: Source) => Iterable<FoundRecord>,
  ) {}

  /** Looks which shards are there. */
  refresh(): void {
    this.open ??= openIndex(this.source);
    const known = this.shards.flatMap((one) => one.known ?? []);
    this.shards = wantedShards(
      [...known, ...this.open.shards],
      this.savedGames === undefined ? shardsOf(this.source.path) : [this.source.path],
    );
  }

  /** Forgets all that was read of the file, which is damaged. */
  distrust(): void {
    this.open?.close();
    this.open = { shards: [], trouble: null, close: () => {} };
    this.shards = [];
    this.step = null;
  }

  /** Indexes the next game. False if none is left. */
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

  /** Shards that are not indexed yet. */
  get left(): number {
    return this.shards.filter(({ known }) => known === null).length;
  }

  get indexed(): readonly IndexedShard[] {
    return this.shards.flatMap(({ known }) => known ?? []);
  }
}
