// Stores the index of a run in a file next to its records: sections of columns (columns.ts), then a directory of them.
//
//   sections    each aligned to 8 bytes, with its CRC-32 in the directory
//   directory   JSON
//   end         length of the directory, its CRC-32, version, 'LEPF': u32 in native byte order
//
// A shard counts as indexed while its size and modification time match the directory. The index is written to a
// temporary file and renamed. Two processes that index the same run write the same contents, and programs that have an
// old index open can continue to read it.

import { closeSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { fields, listOf, numberIn, type Shape, text, trueOrFalse, wholeNumber } from '../../engine/rules/shape.js';
import type { GameTable } from '../../selfplay/records/game-table.js';
import { INDEX_FILE } from '../../selfplay/records/manifest.js';
import { readAt } from '../../selfplay/records/shard-file.js';
import { beginFile, type WholeFile } from '../../selfplay/records/whole-file.js';
import { isDirectory } from '../formats/games/read.js';
import type { Source } from '../formats/games/recorded-run.js';
import type { Fault } from '../formats/games/shard-tasks.js';
import { DamagedIndex, type PhaseColumns, readGames, readPhaseColumns, type ShardColumns } from './columns.js';

/** Version of the file. Increased with every change of the columns, their meaning, or the directory. */
const VERSION = 3;
/**
 * Number in the last four bytes of an index file, in host byte order. It identifies the format and the byte order: the
 * bytes are 'LEPF' if the host is little-endian.
 */
const MAGIC = 0x4650_454c;
const END_BYTES = 16;
const ALIGNED = 8;

/** Returns the path of an index: 'DIR/find.index' for a run, 'FILE.index' for a single file. */
export const indexPath = ({ path }: Source): string => (isDirectory(path) ? join(path, INDEX_FILE) : `${path}.index`);

/** Identifies a version of a shard, to detect a rewrite. */
export interface Stamp {
  /** Name of the shard's file, without its directory. */
  readonly file: string;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Modification time of the file, in milliseconds since 1970. */
  readonly time: number;
}

/** Returns the version of a file. Null unless the path is a regular file; symbolic links are not followed. */
export const stampOf = (path: string): Stamp | null => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? { file: basename(path), size: found.size, time: found.mtimeMs } : null;
};

/** Offset (`at`) and size of some bytes in the file, with their CRC-32. */
interface Section {
  readonly at: number;
  readonly size: number;
  readonly crc: number;
}

/** A shard in the directory of an index file: its version, problems, and places of its columns. */
interface Entry extends Stamp {
  readonly faults: readonly { readonly text: string; readonly missing: boolean }[];
  readonly games: Section;
  readonly phases: readonly (Section & { readonly key: number })[];
}

interface Directory {
  /** Id of the map on which the games were played. */
  readonly map: number;
  /** Id of the adjudication rules of the games. */
  readonly rules: number;
  readonly shards: readonly Entry[];
}

const most = (): Shape<number> => wholeNumber(0, Number.MAX_SAFE_INTEGER);
const section = { at: most(), size: most(), crc: most() };
const readDirectory = fields<Directory>({
  map: wholeNumber(-(2 ** 31), 2 ** 32),
  rules: most(),
  shards: listOf(
    fields<Entry>({
      file: text,
      size: most(),
      time: numberIn(0),
      faults: listOf(fields<Entry['faults'][number]>({ text, missing: trueOrFalse }), 0, 1000),
      games: fields<Section>(section),
      phases: listOf(fields<Entry['phases'][number]>({ key: most(), ...section }), 0, 1 << 20),
    }),
    0,
    1 << 20,
  ),
});

/** An indexed shard. Its columns are read on demand, and not cached. */
export interface IndexedShard {
  readonly stamp: Stamp;
  readonly faults: readonly Fault[];
  /** Numbers of the phases of its games (selfplay/games/phase-key.ts), ascending. */
  readonly keys: readonly number[];
  /** Reads the table of games. @throws DamagedIndex if it is damaged or for another map or other rules */
  games(): GameTable;
  /** Reads the columns of a phase. @param key one of `keys` @throws DamagedIndex if they are damaged */
  phase(key: number): PhaseColumns;
  /** Reads all columns, to write them to a new index. @throws DamagedIndex if they are damaged */
  whole(): ShardColumns;
}

/** Makes an IndexedShard. @param section reads the columns of the phase with a key; for null, the table of games */
const shardOf = (
  source: Source,
  stamp: Stamp,
  { faults, keys, section }: Pick<IndexedShard, 'faults' | 'keys'> & { section: (key: number | null) => Uint8Array },
): IndexedShard => ({
  ...{ stamp, faults, keys },
  games: () => readGames(section(null), source),
  phase: (key) => readPhaseColumns(section(key)),
  whole: () => ({ games: section(null), phases: keys.map((key) => [key, section(key)]), faults }),
});

/** Makes an IndexedShard whose columns are in memory. @param stamp version of the shard's file */
export const shardInMemory = (source: Source, stamp: Stamp, { games, phases, faults }: ShardColumns): IndexedShard => {
  const byKey = new Map<number | null, Uint8Array>([[null, games], ...phases]);
  const section = (key: number | null): Uint8Array => byKey.get(key) ?? new Uint8Array(0);
  return shardOf(source, stamp, { faults, keys: phases.map(([key]) => key), section });
};

const damaged = (path: string, got: string, wanted: string): never => {
  throw new DamagedIndex(`${path}: got ${got}, wanted ${wanted}`);
};

const sectionIn = (fd: number, path: string, { at, size, crc }: Section): Uint8Array => {
  if (size > fstatSync(fd).size) damaged(path, `a section of ${size} bytes`, 'one in the file');
  const bytes = readAt(fd, at, size);
  const got = crc32(bytes);
  return got === crc ? bytes : damaged(path, `crc32 ${got} at offset ${at}`, `${crc}: the index is damaged`);
};

/**
 * Reads the directory of an open index file. Returns its shards, which read from the file.
 * @throws LepantoError if it is damaged, of another version, or for another map or other rules
 */
const readShards = (source: Source, fd: number, path: string): IndexedShard[] => {
  const { size } = fstatSync(fd);
  const end = new Uint32Array(new Uint8Array(readAt(fd, Math.max(0, size - END_BYTES), END_BYTES)).buffer);
  if (size < END_BYTES || end[3] !== MAGIC) damaged(path, `${size} bytes`, 'an index of lepanto find');
  if (end[2] !== VERSION) damaged(path, `version ${end[2]}`, String(VERSION));
  const bytes = sectionIn(fd, path, { at: size - END_BYTES - end[0], size: end[0], crc: end[1] });
  const directory = readDirectory(JSON.parse(Buffer.from(bytes).toString('utf8')), path);
  const { map, rules } = source;
  if (directory.map !== map.id) damaged(path, `map ${directory.map}`, `${map.id}, that of the run`);
  if (directory.rules !== rules.adjudication.id)
    damaged(path, `rules ${directory.rules}`, `${rules.adjudication.id}, those of the run`);
  return directory.shards.map(({ faults, games, phases, file, size, time }) => {
    const byKey = new Map<number | null, Section>([[null, games], ...phases.map((one) => [one.key, one] as const)]);
    const section = (key: number | null): Uint8Array => sectionIn(fd, path, byKey.get(key) ?? games);
    const keys = phases.map(({ key }) => key);
    return shardOf(
      source,
      { file, size, time },
      { faults: faults.map((fault): Fault => [fault.text, fault.missing]), keys, section },
    );
  });
};

/** An open index of a run. */
export interface OpenIndex {
  readonly shards: readonly IndexedShard[];
  /** Description of a problem with the index file; null if there is no problem, or no file. */
  readonly trouble: string | null;
  /** Closes the file. Its shards must not be read afterwards. */
  readonly close: () => void;
}

/**
 * Opens the index next to the records of a source. Without a file, or with a damaged one or one of another version, it
 * has no shards. Never throws for a damaged file: `trouble` describes it.
 */
export const openIndex = (source: Source): OpenIndex => {
  const path = indexPath(source);
  const none = { shards: [], close: () => {} };
  if (stampOf(path) === null) return { ...none, trouble: null };
  let fd: number | undefined;
  const close = (): void => {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  };
  try {
    fd = openSync(path, 'r');
    return { shards: readShards(source, fd, path), trouble: null, close };
  } catch (error) {
    close();
    return { ...none, trouble: (error as Error).message };
  }
};

/** Writes an index shard by shard, next to the records of a source. */
export class IndexWriter {
  private readonly entries: Entry[] = [];
  private at = 0;
  private readonly file: WholeFile = beginFile(indexPath(this.source));

  /** Begins a temporary file next to the records. @throws LepantoError if it cannot be written */
  constructor(private readonly source: Source) {}

  private section(bytes: Uint8Array): Section {
    const { at } = this;
    const rest = new Uint8Array(-bytes.length & (ALIGNED - 1));
    this.file.write(bytes);
    this.file.write(rest);
    this.at += bytes.length + rest.length;
    return { at, size: bytes.length, crc: crc32(bytes) };
  }

  /** Appends the columns of a shard. @throws LepantoError if the file cannot be written */
  add(stamp: Stamp, { games, phases, faults }: ShardColumns): void {
    this.entries.push({
      ...stamp,
      faults: faults.map(([text, missing]) => ({ text, missing })),
      games: this.section(games),
      phases: phases.map(([key, bytes]) => ({ key, ...this.section(bytes) })),
    });
  }

  /** Completes the file and renames it to its final name. @throws LepantoError if the file cannot be written */
  finish(): void {
    const { map, rules } = this.source;
    const directory: Directory = { map: map.id, rules: rules.adjudication.id, shards: this.entries };
    const bytes = Buffer.from(JSON.stringify(directory));
    this.file.write(bytes);
    this.file.write(new Uint8Array(Uint32Array.of(bytes.length, crc32(bytes), VERSION, MAGIC).buffer));
    this.file.finish();
  }

  /** Removes the unfinished file. */
  abandon(): void {
    this.file.abandon();
  }
}
