// Measures every row once in one process, and prints the numbers as one line of JSON.
//
//   node dist/bench/run/sample.js quick
//
// The benchmark needs several processes, because V8 does not compile the code in the same way in each.
import { type FamilyName, familyNames } from '../corpus/families.js';
import { runMain } from './child.js';
import { timeAgain, timeRow } from './measure.js';
import type { Row, RowPath } from './measured-row.js';
import { playNames } from './playing.js';
import { bailOutRate, checkByRecursion, checkSets, type Profile, profile } from './resolving.js';
import { ALL_THREADS, makeOtherRows, makeRows, playKeys, warmRows } from './single-thread-rows.js';
import { type Size, sizeOf } from './sizes.js';
import { allThreads, openThreads, RECORDED } from './threads.js';

/** Rate of a row: `path` of the number in the result, and operations per second. */
export interface SampleValue {
  readonly path: RowPath;
  readonly perSecond: number;
}

/** Measurements of one process. */
export interface Sample {
  readonly values: readonly SampleValue[];
  /**
   * Rates of the rows for resolving, as timed by the package `benchmark`. Empty if these were not requested or the
   * package is not installed.
   */
  readonly again: readonly SampleValue[];
  /** Hash of the results of each row, keyed by name of the row. */
  readonly checksums: Readonly<Record<string, number>>;
  readonly bailOut: Readonly<Record<FamilyName, number>>;
  readonly profiles: Readonly<Record<FamilyName, Profile>>;
}

const rowName = (row: Row): string => row.counts[0].path.join(', ');

/**
 * Measures a row. Returns its rates and the hash of its results.
 * @throws Error if a chunk gives different results before and after the timing
 */
const measureRow = async (row: Row, size: Size): Promise<{ values: SampleValue[]; checksum: number }> => {
  const checksum = row.check();
  const { median } = await timeRow(row, size.row);
  const after = row.check();
  if (after !== checksum)
    throw new Error(`${rowName(row)}: results changed during the run, checksum ${checksum} became ${after}`);
  const values = row.counts.map(({ path, operations }) => ({ path, perSecond: operations / median }));
  return { values, checksum };
};

const measureAgain = async (rows: readonly Row[], size: Size): Promise<SampleValue[]> => {
  if (size.again === 0) return [];
  const values: SampleValue[] = [];
  for (const row of rows) {
    const { path, operations } = row.counts[0];
    if (path[0] !== 'resolves_per_second') continue;
    const seconds = await timeAgain(row, size.again);
    if (seconds !== null) values.push({ path, perSecond: operations / seconds });
  }
  return values;
};

const measureThreads = async (size: Size, checksums: Record<string, number>): Promise<SampleValue[]> => {
  const threads = await openThreads(allThreads(), size.job);
  const values: SampleValue[] = [];
  for (const plays of size.others ? [playNames, [RECORDED] as const] : [playNames]) {
    // The warm-up is longer than on the main thread, because the workers leave no processor to V8's compiler threads.
    for (const play of plays) await threads.measure(play, size.warmUp / 2);
    for (const play of plays) {
      const rates = await threads.measure(play, size.threads);
      const { steps, games } = playKeys[play];
      values.push({ path: [games, ALL_THREADS], perSecond: rates.games });
      checksums[`${games}, ${ALL_THREADS}`] = rates.checksum;
      if (steps !== null) values.push({ path: [steps, ALL_THREADS], perSecond: rates.steps });
    }
  }
  await threads.close();
  return values;
};

const byFamily = <T>(of: (name: FamilyName) => T): Record<FamilyName, T> =>
  Object.fromEntries(familyNames.map((name) => [name, of(name)])) as Record<FamilyName, T>;

/**
 * Measures every row in this process.
 * @throws Error if results change during the run, or if the two resolvers disagree on an order set
 */
export const takeSample = async (size: Size): Promise<Sample> => {
  warmRows(size.warmUp);
  const { rows, corpus } = makeRows(size.sets);
  const values: SampleValue[] = [];
  const checksums: Record<string, number> = {};
  const measureAll = async (list: readonly Row[], of: Size): Promise<void> => {
    for (const row of list) {
      const measured = await measureRow(row, of);
      values.push(...measured.values);
      checksums[rowName(row)] = measured.checksum;
    }
  };
  await measureAll(rows, size);
  const again = await measureAgain(rows, size);
  values.push(...(await measureThreads(size, checksums)));
  for (const name of familyNames)
    if (checkSets(corpus.sets[name]) !== checkByRecursion(corpus.sets[name]))
      throw new Error(`${name}: the passes and the recursion give different results`);
  // These rows get half the time, because they are many and only serve to find large differences.
  if (size.others) await measureAll(makeOtherRows(), { ...size, row: size.row / 2 });
  return {
    values,
    again,
    checksums,
    bailOut: byFamily((name) => bailOutRate(corpus.sets[name])),
    profiles: byFamily((name) => profile(corpus.sets[name])),
  };
};

const main = async ([name = 'quick']: readonly string[]): Promise<void> => {
  process.stdout.write(`${JSON.stringify(await takeSample(sizeOf(name)))}\n`);
};

await runMain(import.meta.url, main);
