// Writes the samples of recorded games into a folder of arrays that programs map into memory: numpy's .npy files.
//
//   DIR/index.json             TensorIndex: what there is, and what it was made of
//   DIR/part-00000/NAME.npy    the first games; part-00001 the next ones, as many (tensor-part.ts)
//
// The files follow from the games and the options, not from the number of workers. The same call goes on with a folder that
// is not whole: parts that are there stay. The index lists them once all are there.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LepantoError } from '../../../engine/rules/error.js';
import { makePool } from '../../../selfplay/crew/pool.js';
import { inTurns } from '../../../selfplay/crew/turns.js';
import { makeDirectories, removeLeftOvers, writeWhole } from '../../../selfplay/records/whole-file.js';
import { lepantoVersion } from '../../../selfplay/version.js';
import { describeMap } from '../arrays/describe-map.js';
import { type Files, findGames, openFiles, type Places } from './find-games.js';
import type { ReaderConfig } from './reader-config.js';
import { layOutRows, ROWS_A_TASK } from './row-layout.js';
import { type PartNote, readPart, type TensorTask } from './tensor-part.js';

export const TENSOR_INDEX = 'index.json';

/** What a folder of tensors is asked for. */
export type TensorConfig = Pick<
  ReaderConfig,
  'paths' | 'map' | 'rules' | 'observations' | 'per' | 'score' | 'targets' | 'trouble'
>;

/** A part that is there. */
export interface TensorPart extends Omit<PartNote, 'files' | 'trouble'> {
  readonly name: string;
}

/** What DIR/index.json says. */
export interface TensorIndex {
  readonly format: 'lepanto-tensors';
  readonly version: 2;
  readonly lepanto: string;
  readonly map: object;
  /** Observations, sampling, score, targets and what is done with games that cannot be read. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly max_orders: number;
  /** Names of the arrays that have a row for each legal order; the others have a row for each sample. */
  readonly lists: readonly string[];
  /** Paths by the numbers in `file`, with their bytes; agents by those in `agents`. */
  readonly files: readonly (readonly [path: string, bytes: number])[];
  readonly agents: readonly string[];
  readonly games: number;
  /** Games in each part, the last one excepted. */
  readonly part_games: number;
  /** Null while some are missing. */
  readonly parts: readonly TensorPart[] | null;
}

/** How a folder is written. */
export interface TensorOptions {
  readonly config: TensorConfig;
  readonly directory: string;
  /** Games in a part. */
  readonly partGames: number;
  readonly workers: number;
  /** In shared memory: [0] counts games, [1] samples. */
  readonly counters: Int32Array;
  /** Ends it early: no further part is begun. */
  readonly signal: AbortSignal;
  /** Called once with the games of all parts, and those of parts that are there. */
  readonly onBegin: (games: number, kept: number) => void;
}

/** How it went. */
export interface TensorResult {
  readonly index: TensorIndex;
  /** Parts of the folder, and those that are there. */
  readonly parts: number;
  readonly done: number;
  /** Why the first game was left out; null if none was. */
  readonly trouble: string | null;
  /** Games of runs whose shards are not there, in words. */
  readonly missing: readonly string[];
}

/** A part, up to what its temporary directory appends. */
const PART_NAME = /^part-\d{5,15}(?=$|\.)/;
const partName = (part: number): string => `part-${String(part).padStart(5, '0')}`;

const makeIndex = (config: ReaderConfig, partGames: number, files: Files, { count }: Places): TensorIndex => {
  const { maxOrders, lists } = layOutRows(files.map, config);
  return {
    format: 'lepanto-tensors',
    version: 2,
    lepanto: lepantoVersion,
    map: describeMap(files.map),
    options: {
      observations: config.observations,
      per: config.per,
      score: config.score,
      targets: config.targets,
      rules: files.rules.name,
      errors: config.trouble,
    },
    max_orders: maxOrders,
    lists,
    files: files.files.map(({ path }) => [path, statSync(path).size]),
    agents: [...files.agents.keys()],
    games: count,
    part_games: partGames,
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

/** @throws LepantoError if the folder has something else in it, or was made of other games or with other options */
const openFolder = (directory: string, wanted: TensorIndex): void => {
  makeDirectories(directory);
  const names = readdirSync(directory);
  const path = join(directory, TENSOR_INDEX);
  if (names.includes(TENSOR_INDEX)) {
    const found = readIndex(path);
    for (const key of ['version', 'map', 'options', 'files', 'agents', 'games', 'part_games'] as const) {
      const [got, here] = [found, wanted].map((index) => JSON.stringify(index[key]));
      if (got !== here)
        throw new LepantoError(
          'file',
          `${directory} holds other tensors: its ${key} is ${got?.slice(0, 200)}, here it is ${here.slice(0, 200)}`,
        );
    }
  } else {
    const other = names.find((name) => !name.startsWith(`${TENSOR_INDEX}.`));
    if (other !== undefined)
      throw new LepantoError(
        'file',
        `${directory}: got a directory with ${other} but no ${TENSOR_INDEX}, wanted an empty or a new one`,
      );
    writeWhole(path, `${JSON.stringify(wanted, null, 2)}\n`);
  }
  removeLeftOvers(directory, names, (name) => PART_NAME.exec(name)?.[0], true);
};

const MODULE = new URL('./tensor-part.js', import.meta.url).href;

/**
 * Writes what is missing of a folder of tensors.
 * @throws LepantoError if the folder holds something else, if a file cannot be written, or names a game that cannot be read
 */
export const writeTensors = async (options: TensorOptions): Promise<TensorResult> => {
  const { directory, partGames, workers, signal, counters } = options;
  const config: ReaderConfig = {
    ...options.config,
    ...{ powers: null, phases: null, winners: null, winnerOnly: false, agents: null, years: null },
    ...{ legal: true, nStep: 0, discount: 1, shuffle: 0, seed: 0, shard: [0, 1] },
    // The rows of one task are in memory at a time, of a thread alone.
    ...{ batchSize: ROWS_A_TASK, slots: 1, workers, fd: -1, parent: process.pid },
  };
  const files = openFiles(config);
  const places = findGames(files);
  const index = makeIndex(config, partGames, files, places);
  openFolder(directory, index);
  const count = Math.ceil(places.count / partGames);
  const notes = Array.from({ length: count }, (_, part) => readPart(join(directory, partName(part))));
  const missing = [...notes.keys()].filter((part) => notes[part] === null);
  options.onBegin(
    places.count,
    notes.reduce((sum, note) => sum + (note?.games ?? 0), 0),
  );
  if (missing.length > 0) {
    const pool = makePool({ workers: Math.min(workers, missing.length) });
    try {
      await inTurns(
        missing.length,
        2 * workers,
        async (turn) => {
          const part = missing[turn];
          const path = join(directory, partName(part));
          const first = part * partGames;
          const games = Int32Array.from({ length: Math.min(partGames, places.count - first) }, (_, i) => first + i);
          const data: TensorTask = { config, path, counters, places, games };
          notes[part] = await pool.call<PartNote>(
            { module: MODULE, name: 'writePart', data },
            { label: partName(part) },
          );
        },
        signal,
      );
    } finally {
      await pool.close();
    }
  }
  const found = notes.filter((note) => note !== null);
  const trouble = found.find((note) => note.trouble !== null)?.trouble ?? null;
  const result = { index, parts: count, done: found.length, trouble, missing: files.missing };
  if (found.length < count) return result;
  const parts = found.map(
    ({ games, samples, legal_ids, skipped }, part): TensorPart => ({
      name: partName(part),
      games,
      samples,
      legal_ids,
      skipped,
    }),
  );
  const whole = { ...index, parts };
  const path = join(directory, TENSOR_INDEX);
  const text = `${JSON.stringify(whole, null, 2)}\n`;
  if (readFileSync(path, 'utf8') !== text) writeWhole(path, text);
  return { ...result, index: whole };
};
