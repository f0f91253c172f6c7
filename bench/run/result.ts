// Types of the result of a benchmark: the JSON object that `lepanto bench --json` prints.
import { readFileSync } from 'node:fs';
import { readError } from '../../selfplay/records/whole-file.js';
import type { PlayoutName } from '../../selfplay/search/options.js';
import type { FamilyName } from '../corpus/families.js';
import type { RowPath } from './measured-row.js';
import type { Profile } from './resolving.js';
import { median } from './statistics.js';

/** Spread of a number over the processes: `min` and `max` of `n` processes. `min` is from the slowest one. */
export interface Spread {
  readonly min: number;
  readonly max: number;
  readonly n: number;
}

/** One value for each row, nested as in BenchResult: a value, or values by name. */
export type Tree<T> = { [key: string]: T | { [key: string]: T } };

export interface BenchResult {
  readonly phase_steps_per_second: Readonly<Record<string, number>>;
  readonly playouts_per_second: Readonly<Record<string, number>>;
  readonly uniform_phase_steps_per_second: Readonly<Record<string, number>>;
  readonly uniform_playouts_per_second: Readonly<Record<string, number>>;
  readonly rollouts_per_second: Readonly<Record<string, number>>;
  readonly resolves_per_second: Readonly<Record<FamilyName, number>>;
  readonly bail_out_rate: Readonly<Record<FamilyName, number>>;
  readonly legal_lists_per_second: number;
  readonly legal_counts_per_second: number;
  readonly legal_masks_per_second: number;
  readonly copies_per_second: number;
  /** Rollouts at the root of a search, keyed by kind of playout. */
  readonly search_rollouts_per_second: Readonly<Record<PlayoutName, number>>;
  /** Uniform playouts of self-play that records every game, keyed by threads: 'all threads'. Only with --full. */
  readonly recorded_playouts_per_second?: Readonly<Record<string, number>>;
  /** Phase-steps with the heuristic sampler on one thread, keyed by preset of rules. Only with --full. */
  readonly preset_phase_steps_per_second?: Readonly<Record<string, number>>;
  /** Phase-steps with the heuristic sampler on one thread, keyed by map. Only with --full. */
  readonly map_phase_steps_per_second?: Readonly<Record<string, number>>;
  readonly signature: number;
  readonly machine: Machine;
  /** Version of the Node that was measured: 'v22.20.0'. */
  readonly node: string;
  readonly commit: string | null;
  readonly version: string;
  /** Date of the run, in ISO 8601. */
  readonly date: string;
  /** Command line of the benchmark. */
  readonly command: string;
  readonly size: string;
  /** Duration of the benchmark in seconds. */
  readonly seconds: number;
  /** Number of processes that were measured. */
  readonly processes: number;
  readonly threads: number;
  readonly game_bytes: number;
  readonly spread: Tree<Spread>;
  /** Rate of each row in all processes, in the order in which they ran. compare.js uses these numbers. */
  readonly samples: Tree<readonly number[]>;
  /** Hash of the results of each row, keyed by name of the row. All processes have the same. */
  readonly checksums: Readonly<Record<string, number>>;
  readonly families: Readonly<Record<FamilyName, Profile>>;
  /** Rates of the rows for resolving, as timed by the package `benchmark`; null if it did not run. */
  readonly second_opinion: { readonly resolves_per_second: Readonly<Record<FamilyName, number>> } | null;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly os: string;
  /** Load average of the system over the minute before the run. */
  readonly load: number;
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sets the value of a row in a tree, in place. */
export const put = <T>(tree: Tree<T>, [key, sub]: RowPath, value: T): void => {
  if (sub === undefined) tree[key] = value;
  else tree[key] = { ...(tree[key] as { [key: string]: T } | undefined), [sub]: value };
};

/** Returns the rows of a tree, each with its name and its numbers: ['resolves_per_second, mid dense', [...]]. */
export const listRows = (tree: Tree<readonly number[]>): [string, readonly number[]][] =>
  Object.entries(tree).flatMap(([key, value]) =>
    isTree(value)
      ? Object.entries(value).map(([sub, list]): [string, readonly number[]] => [`${key}, ${sub}`, list])
      : [[key, value as readonly number[]]],
  );

/** Returns a tree with the same rows, in which `of` was applied to the numbers of each row. */
const mapTree = <T>(tree: Tree<readonly number[]>, of: (list: readonly number[]) => T): Tree<T> => {
  const made: Tree<T> = {};
  for (const [row, list] of listRows(tree)) put(made, row.split(', ') as unknown as RowPath, of(list));
  return made;
};

export const medians = (samples: Tree<readonly number[]>): Tree<number> => mapTree(samples, median);

export const spreads = (samples: Tree<readonly number[]>): Tree<Spread> =>
  mapTree(samples, (list) => ({ min: Math.min(...list), max: Math.max(...list), n: list.length }));

/**
 * Reads a result of `lepanto bench --json`.
 * @throws Error that names the file and the missing field, or if the file cannot be read
 */
export const readResult = (file: string): BenchResult => {
  let data: unknown;
  try {
    data = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw error instanceof SyntaxError ? new Error(`${file}: ${error.message}`) : readError(file, error);
  }
  for (const key of ['samples', 'spread', 'phase_steps_per_second', 'machine'])
    if (!isTree(data) || !isTree(data[key]))
      throw new Error(`${file}: got no "${key}", wanted a result of lepanto bench --json`);
  return data as unknown as BenchResult;
};
