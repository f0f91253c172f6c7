// Timing of the rows: tinybench, and `benchmark` as the second opinion on the same chunks.
import { Bench } from 'tinybench';
import type { Row } from './rows.js';

/** Seconds a chunk takes. */
export interface Timing {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly chunks: number;
}

/** At least so many chunks of a row, however long they take. */
const LEAST_CHUNKS = 3;

/** Keeps the work of a chunk alive: what it returns goes somewhere. */
export const sink = { value: 0 };

/** Times chunks of a row for so many milliseconds. */
export const timeRow = async (row: Row, milliseconds: number): Promise<Timing> => {
  const bench = new Bench({
    time: milliseconds,
    iterations: LEAST_CHUNKS,
    // V8 compiles beside the program: on a busy machine it may not be done when the warm-up on other seeds ends.
    warmupTime: milliseconds / 4,
    warmupIterations: 1,
    throws: true,
  });
  bench.add('row', () => {
    sink.value = (sink.value + row.run()) | 0;
  });
  row.prepare();
  const [task] = await bench.run();
  if (task.result.state !== 'completed') throw new Error(`tinybench: the row ended as ${task.result.state}`);
  const { p50, min, max, samplesCount } = task.result.latency;
  return { median: p50 / 1000, least: min / 1000, most: max / 1000, chunks: samplesCount };
};

/** The package `benchmark`, a dependency for development only; null if it is not installed. */
const loadBenchmark = async (): Promise<typeof import('benchmark') | null> => {
  try {
    return (await import('benchmark')).default;
  } catch {
    return null;
  }
};

/** The same by `benchmark`: seconds a chunk takes, the mean of its samples; null if it is not installed. */
export const timeAgain = async (row: Row, milliseconds: number): Promise<number | null> => {
  const Benchmark = await loadBenchmark();
  if (Benchmark === null) return null;
  const chunk = (): void => {
    sink.value = (sink.value + row.run()) | 0;
  };
  row.prepare();
  // Bound, or it would be decompiled and run without what it closes over.
  const bench = new Benchmark({ fn: chunk.bind(null), maxTime: milliseconds / 1000, minSamples: LEAST_CHUNKS });
  bench.run({ async: false });
  if (bench.error !== undefined) throw new Error(`benchmark: ${String(bench.error)}`);
  return bench.stats.mean;
};
