// Writes the positions of recorded games to a folder of NumPy .npy tables, which programs can map into memory.
//
//   DIR/index.json                      TensorIndex: contents and origin of the folder
//   DIR/part-00000000-256/NAME.npy      tables of the first 256 games (tensor-part.ts, row-layout.ts)
//
// The files depend on the games and options only, not on the number of workers. The same call resumes an interrupted
// one and adds games that a run has got since: a part is kept while its games are unchanged. The index lists the parts
// once all of them exist.

import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { scoreNames } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { callConcurrently } from '../../../selfplay/crew/concurrent-calls.js';
import type { Pool } from '../../../selfplay/crew/pool.js';
import { MANIFEST } from '../../../selfplay/records/manifest.js';
import { makeDirectories, removeLeftOvers, writeWhole } from '../../../selfplay/records/whole-file.js';
import { lepantoVersion } from '../../../selfplay/version.js';
import { describeMap } from '../arrays/describe-map.js';
import { type Files, findGames, openFiles, type Places } from './find-games.js';
import type { Packed } from './row-layout.js';
import type { TensorConfig } from './tensor-config.js';
import {
  layoutOf,
  type PartNote,
  type PartRange,
  readPart,
  sourceOf,
  stampsOf,
  type TensorTask,
} from './tensor-part.js';

const TENSOR_INDEX = 'index.json';
/** Default number of games in a part. */
export const PART_GAMES = 256;
const VERSION = 3;

/** A part of a folder, as the index lists it. */
interface TensorPart extends Omit<PartNote, 'trouble' | 'fits' | 'stamps' | 'source'> {
  readonly name: string;
}

/** Contents of DIR/index.json. */
interface TensorIndex {
  readonly format: 'lepanto-tensors';
  readonly version: typeof VERSION;
  /** Version of Lepanto that wrote the folder. */
  readonly lepanto: string;
  readonly map: object;
  readonly options: Readonly<Record<string, unknown>>;
  readonly max_orders: number;
  /** Names of the scoring systems, in the order of the column `scores` of games.npy. */
  readonly scores: readonly string[];
  /** Observations that are stored as bits, keyed by name. */
  readonly packed: Readonly<Record<string, Packed>>;
  /**
   * Versions of the game files, manifests and directories, keyed by path: size in bytes and modification time in ns. ''
   * if missing.
   */
  readonly stamps: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly agents: readonly string[];
  readonly games: number;
  /** Number of games in each part except the last. */
  readonly part_games: number;
  /** Number of games that were skipped, because they could not be read or replayed. */
  readonly skipped: number;
  /** Reason why the first skipped game was skipped; null if none was. */
  readonly trouble: string | null;
  /** Number of games of other programs that contradict the rules. */
  readonly disagreeing: number;
  /**
   * Names of other rules that none of the compared contradicting games contradicts (tensor-part.ts). Empty if there are
   * none.
   */
  readonly fits: readonly string[];
  /** Descriptions of missing shards of the runs. */
  readonly missing: readonly string[];
  /** The parts, in order. Null while some are missing. */
  readonly parts: readonly TensorPart[] | null;
}

/** Options for writing a folder. */
interface TensorOptions {
  readonly config: TensorConfig;
  readonly directory: string;
  /** Number of games in a part. */
  readonly partGames: number;
  /** True to replace a folder with other games, options or version. */
  readonly replace: boolean;
  /** Returns the worker threads. Called only if a part is missing. */
  readonly pool: () => Pool;
  /** Maximum number of parts that threads work on at a time. */
  readonly atOnce: number;
  /** Numbers of written games (index 0) and positions (index 1), in shared memory. */
  readonly counters: Int32Array;
  /** Stops the call early: no further part is started. */
  readonly signal: AbortSignal;
  /** Called once at the start with the number of all games, and the number of games in parts that are kept. */
  readonly onBegin: (games: number, kept: number) => void;
}

/** Result of writing a folder. */
export interface TensorResult {
  readonly index: TensorIndex;
  /** Number of parts in the folder. */
  readonly parts: number;
  /** Number of parts that exist; less than `parts` if the call was stopped. */
  readonly done: number;
}

/** Matches the name of a part. The name of its temporary directory has a suffix after a dot. */
const PART_NAME = /^part-\d{8,15}-\d+(?=$|\.)/;
const partName = ({ first, count }: PartRange): string => `part-${String(first).padStart(8, '0')}-${count}`;

/**
 * Returns the versions of the files, their manifests, and the directories where files may be added, keyed by path. The
 * version is '' if the path does not exist.
 */
const versionsOf = ({ paths }: TensorConfig, { files }: Files): Record<string, string> => {
  const found = new Set([
    ...paths,
    ...files.flatMap(({ path, source }) => (source === null ? [path] : [path, join(dirname(path), MANIFEST)])),
  ]);
  return Object.fromEntries(
    Array.from(found, (path) => {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
      return [path, stats === undefined ? '' : `${stats.size} ${stats.mtimeNs}`];
    }),
  );
};

const makeIndex = (
  config: TensorConfig,
  partGames: number,
  files: Files,
  places: Places,
  stamps: Record<string, string>,
): TensorIndex => {
  const { maxOrders, packed } = layoutOf({ config, places });
  return {
    format: 'lepanto-tensors',
    version: VERSION,
    lepanto: lepantoVersion,
    map: describeMap(files.map),
    options: { observations: config.observations, rules: files.rules.name, errors: config.errors },
    max_orders: maxOrders,
    scores: scoreNames,
    packed,
    stamps,
    files: files.files.map(({ path }) => path),
    agents: [...files.agents.keys()],
    games: places.count,
    part_games: partGames,
    ...{ skipped: 0, trouble: null, disagreeing: 0, fits: [], missing: files.missing },
    parts: null,
  };
};

const readIndex = (path: string): TensorIndex => {
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new LepantoError('file', `${path}: got no JSON (${(error as Error).message}), wanted the index of tensors`);
  }
  if ((found as Partial<TensorIndex> | null)?.format === 'lepanto-tensors') return found as TensorIndex;
  throw new LepantoError('file', `${path}: got no index of tensors, wanted "format": "lepanto-tensors"`);
};

/** Returns a text about the difference that prevents continuing a folder, or null if there is none. */
const differenceOf = (found: TensorIndex, wanted: TensorIndex): string | null => {
  for (const key of ['version', 'map', 'options', 'part_games', 'lepanto'] as const) {
    const [got, here] = [found, wanted].map((index) => JSON.stringify(index[key]));
    if (got !== here) return `its ${key} is ${got?.slice(0, 200)}, wanted ${here.slice(0, 200)}`;
  }
  // Growing runs may add files.
  const lost = found.files.find((path) => !wanted.files.includes(path));
  return lost === undefined ? null : `it has games of ${lost}`;
};

/**
 * Prepares the folder for its parts.
 * @returns the existing index, or null if there was none
 * @throws LepantoError if the folder has other contents, or was written for other games or options
 */
const openFolder = (directory: string, wanted: TensorIndex, replace: boolean): TensorIndex | null => {
  makeDirectories(directory);
  const names = readdirSync(directory);
  const path = join(directory, TENSOR_INDEX);
  let found: TensorIndex | null = null;
  if (names.includes(TENSOR_INDEX)) {
    found = readIndex(path);
    const difference = differenceOf(found, wanted);
    if (difference !== null && !replace)
      throw new LepantoError('file', `${directory} holds other tensors: ${difference}; --replace writes it again`);
    if (difference !== null) {
      rmSync(path);
      found = null;
      for (const name of names)
        if (PART_NAME.test(name)) rmSync(join(directory, name), { recursive: true, force: true });
    }
  } else {
    const other = names.find((name) => !name.startsWith(`${TENSOR_INDEX}.`) && !PART_NAME.test(name));
    if (other !== undefined)
      throw new LepantoError(
        'file',
        `${directory}: got a directory with ${other} but no ${TENSOR_INDEX}, wanted an empty or a new one`,
      );
  }
  if (found === null) writeWhole(path, `${JSON.stringify(wanted, null, 2)}\n`);
  removeLeftOvers(directory, names, (name) => PART_NAME.exec(name)?.[0], true);
  return found;
};

/** Returns the note of an existing part. Null if the part does not exist or its games have changed. */
const keptPart = (directory: string, files: Files, places: Places, range: PartRange): PartNote | null => {
  const note = readPart(join(directory, partName(range)));
  if (note === null) return null;
  if (JSON.stringify(note.stamps) === JSON.stringify(stampsOf(files, places, range))) return note;
  return note.source === sourceOf(files, places, range) ? note : null;
};

const MODULE = new URL('./tensor-part.js', import.meta.url).href;

/**
 * Writes the missing parts of a folder of tensors, and then its index.
 * @throws LepantoError if the folder has other contents, a file cannot be written, or a game cannot be read (the
 *   message names it)
 */
export const writeTensors = async (options: TensorOptions): Promise<TensorResult> => {
  const { config, directory, partGames, atOnce, signal, counters } = options;
  const files = openFiles(config);
  // The versions of the files are read before the games are counted, so that a file that grows in the meantime counts
  // as changed next time.
  const stamps = versionsOf(config, files);
  const places = findGames(files);
  const index = makeIndex(config, partGames, files, places, stamps);
  const before = openFolder(directory, index, options.replace);
  const ranges = Array.from({ length: Math.ceil(places.count / partGames) }, (_, part): PartRange => {
    const first = part * partGames;
    return { first, count: Math.min(partGames, places.count - first) };
  });
  const notes = ranges.map((range) => keptPart(directory, files, places, range));
  const missing = [...notes.keys()].filter((part) => notes[part] === null);
  options.onBegin(
    places.count,
    notes.reduce((sum, note) => sum + (note === null ? 0 : note.games + note.skipped), 0),
  );
  if (missing.length > 0) {
    const pool = options.pool();
    await callConcurrently(
      missing.length,
      atOnce,
      async (turn) => {
        const range = ranges[missing[turn]];
        const data: TensorTask = { ...range, config, path: join(directory, partName(range)), counters, places };
        notes[missing[turn]] = await pool.call<PartNote>(
          { module: MODULE, name: 'writePart', data },
          { label: partName(range) },
        );
      },
      signal,
    );
  }
  const found = notes.filter((note) => note !== null);
  if (found.length < ranges.length) return { index, parts: ranges.length, done: found.length };
  const whole = { ...index, ...summaryOf(found), parts: found.map((note, part) => partOfIndex(note, ranges[part])) };
  const path = join(directory, TENSOR_INDEX);
  const text = `${JSON.stringify(whole, null, 2)}\n`;
  if (readFileSync(path, 'utf8') !== text) writeWhole(path, text);
  // Parts in the previous index are kept: programs may still read them.
  const names = new Set([...(before?.parts ?? []), ...whole.parts].map(({ name }) => name));
  for (const name of readdirSync(directory))
    if (PART_NAME.exec(name)?.[0] === name && !names.has(name))
      rmSync(join(directory, name), { recursive: true, force: true });
  return { index: whole, parts: ranges.length, done: found.length };
};

const partOfIndex = (note: PartNote, range: PartRange): TensorPart => {
  const { trouble: _, fits: _fits, stamps: _stamps, source: _source, ...rest } = note;
  return { name: partName(range), ...rest };
};

const summaryOf = (notes: readonly PartNote[]): Pick<TensorIndex, 'skipped' | 'trouble' | 'disagreeing' | 'fits'> => {
  const [first, ...others] = notes.filter(({ disagreeing }) => disagreeing > 0).map(({ fits }) => fits);
  return {
    skipped: notes.reduce((sum, { skipped }) => sum + skipped, 0),
    trouble: notes.find(({ trouble }) => trouble !== null)?.trouble ?? null,
    disagreeing: notes.reduce((sum, { disagreeing }) => sum + disagreeing, 0),
    fits: (first ?? []).filter((name) => others.every((names) => names.includes(name))),
  };
};
