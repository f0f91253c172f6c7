// The index of a run in a file next to its records: sections of columns (columns.ts), then a directory of them.
//
//   sections    each at a multiple of 8, with its CRC-32 in the directory
//   directory   JSON
//   end         length of the directory, its CRC-32, version, 'LEPF': u32 in the order of bytes of the machine
//
// A shard counts as indexed while its size and time are those of the directory. The file is written beside its place and
// renamed: two processes that index the same run write the same, and who reads an old one keeps it.
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

/** Raised with every change of the columns, of what is in them or of the directory. */
const VERSION = 3;
/** 'LEPF' */
const MAGIC = 0x4650_454c;
const END_BYTES = 16;
const ALIGNED = 8;

/** 'DIR/find.index', or 'FILE.index' of a file alone. */
export const indexPath = ({ path }: Source): string => (isDirectory(path) ? join(path, INDEX_FILE) : `${path}.index`);

/** What tells a shard that was written anew. */
export interface Stamp {
  /** Name of the file. */
  readonly file: string;
  readonly size: number;
  readonly time: number;
}

/** Null for what is no file: a link is not followed. */
export const stampOf = (path: string): Stamp | null => {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? { file: basename(path), size: found.size, time: found.mtimeMs } : null;
};

interface Section {
  readonly at: number;
  readonly size: number;
  readonly crc: number;
}

interface Entry extends Stamp {
  readonly faults: readonly { readonly text: string; readonly missing: boolean }[];
  readonly games: Section;
  readonly phases: readonly (Section & { readonly key: number })[];
}

interface Directory {
  /** Ids of map and rules. */
  readonly map: number;
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

/** A shard that is indexed. The columns are read when they are asked for. */
export interface IndexedShard {
  readonly stamp: Stamp;
  readonly faults: readonly Fault[];
  /** Phases, ascending. */
  readonly keys: readonly number[];
  /** @throws LepantoError if the index is damaged */
  games(): GameTable;
  phase(key: number): PhaseColumns;
  /** All of it, to be written again. */
  whole(): ShardColumns;
}

/** @param section the bytes of the games, or of a phase */
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

/** A shard that has just been indexed. */
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

/** The shards of an open index. @throws LepantoError that says what is wrong with it */
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

/** An index that is open, or why there is none. */
export interface OpenIndex {
  readonly shards: readonly IndexedShard[];
  /** What is wrong with the file; null for none, and where there is no file. */
  readonly trouble: string | null;
  /** Nothing of its shards may be read after it. */
  readonly close: () => void;
}

/** Opens the index next to the records of a source. A damaged one, or that of another version, has no shards. */
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

/** Writes an index, shard by shard. */
export class IndexWriter {
  private readonly entries: Entry[] = [];
  private at = 0;
  private readonly file: WholeFile = beginFile(indexPath(this.source));

  /** @throws LepantoError if the file cannot be written */
  constructor(private readonly source: Source) {}

  private section(bytes: Uint8Array): Section {
    const { at } = this;
    const rest = new Uint8Array(-bytes.length & (ALIGNED - 1));
    this.file.write(bytes);
    this.file.write(rest);
    this.at += bytes.length + rest.length;
    return { at, size: bytes.length, crc: crc32(bytes) };
  }

  add(stamp: Stamp, { games, phases, faults }: ShardColumns): void {
    this.entries.push({
      ...stamp,
      faults: faults.map(([text, missing]) => ({ text, missing })),
      games: this.section(games),
      phases: phases.map(([key, bytes]) => ({ key, ...this.section(bytes) })),
    });
  }

  finish(): void {
    const { map, rules } = this.source;
    const directory: Directory = { map: map.id, rules: rules.adjudication.id, shards: this.entries };
    const bytes = Buffer.from(JSON.stringify(directory));
    this.file.write(bytes);
    this.file.write(new Uint8Array(Uint32Array.of(bytes.length, crc32(bytes), VERSION, MAGIC).buffer));
    this.file.finish();
  }

  abandon(): void {
    this.file.abandon();
  }
}
