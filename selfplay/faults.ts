// Faults that tests order from workers: without them a crash in the middle of a run could not be tried.

export interface Faults {
  /** Chunk, or label of a call, at which a worker crashes. */
  readonly at: string;
  readonly how: 'exit' | 'throw' | 'memory';
  /** Shared: crashes that are still to come. */
  readonly crashes: Int32Array;
  /** Shared: workers that are still to report themselves as slow. */
  readonly slowStarts: Int32Array;
}

/** @param crashes how often a worker is to crash at that place; @param slowStarts how many are to seem slow */
export const makeFaults = (at: string, how: Faults['how'], crashes: number, slowStarts = 0): Faults => {
  const shared = (value: number): Int32Array => new Int32Array(new SharedArrayBuffer(4)).fill(value);
  return { at, how, crashes: shared(crashes), slowStarts: shared(slowStarts) };
};

const fillMemory = (): never => {
  const kept: number[][] = [];
  while (true) kept.push(new Array<number>(1 << 16).fill(kept.length));
};

/** Crashes this worker if that is ordered for this place. */
export const crashAt = (faults: Faults | undefined, place: string): void => {
  if (faults === undefined || place !== faults.at || Atomics.sub(faults.crashes, 0, 1) <= 0) return;
  if (faults.how === 'exit') process.exit(9);
  if (faults.how === 'memory') fillMemory();
  throw new Error('a fault that a test has ordered');
};
