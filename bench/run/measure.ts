// Times rows with tinybench, and a second time with the package `benchmark` for comparison.
import { Bench } from 'tinybench';
import type { Row } from './measured-row.js';

/** `median`, `least` and `most`: time of a chunk in seconds. `chunks`: number of timed chunks. */
export interface Timing {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly chunks: number;
}

/** Minimum number of timed chunks of a row, even if they exceed the time. */
const LEAST_CHUNKS = 3;

/** Receives the results of chunks. V8 cannot remove work whose results are used. */
export const sink = { value: 0 };

/**
 * Times chunks of a row.
 * @param milliseconds time for the timed chunks. The warm-up before them takes another quarter of this time
 * @throws Error if a chunk fails
 */
export const timeRow = async (row: Row, milliseconds: number): Promise<Timing> => {
  const bench = new Bench({
    time: milliseconds,
    iterations: LEAST_CHUNKS,
    // V8 compiles in other threads, which may not be finished on a busy machine when the warm-up on other seeds ends.
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

/** Loads the package `benchmark`, a development dependency. Returns null if it is not installed. */
const loadBenchmark = async (): Promise<typeof import('benchmark') | null> => {
  try {
    return (await import('benchmark')).default;
  } catch {
    return null;
  }
};

/**
 * Returns the mean time of a chunk in seconds as measured by the package `benchmark`; null if the package is not
 * installed.
 * @param milliseconds maximum time
 * @throws Error if a chunk fails
 */
export const timeAgain = async (row: Row, milliseconds: number): Promise<number | null> => {
  const Benchmark = await loadBenchmark();
  if (Benchmark === null) return null;
  const chunk = (): void => {
    sink.value = (sink.value + row.run()) | 0;
  };
  row.prepare();
  // The function is bound, because `benchmark` would decompile a plain function and run it without its closure.
  const bench = new Benchmark({ fn: chunk.bind(null), maxTime: milliseconds / 1000, minSamples: LEAST_CHUNKS });
  bench.run({ async: false });
  if (bench.error !== undefined) throw new Error(`benchmark: ${String(bench.error)}`);
  return bench.stats.mean;
};
