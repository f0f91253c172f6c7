// Lets tests order faults of workers, because a crash in the middle of a run could not be tested otherwise.

export interface Faults {
  /** Chunk, or label of a call, at which a worker crashes; 'LABEL, done': when it has done what it was called for. */
  readonly at: string;
  readonly how: 'exit' | 'throw' | 'memory';
  readonly crashes: Int32Array;
  /** Bit n: the n-th worker that is measured seems three times as slow as the others. */
  readonly slow: number;
  readonly starts: Int32Array;
}

const shared = (value: number): Int32Array => new Int32Array(new SharedArrayBuffer(4)).fill(value);

/** @param crashes how often a worker is to crash at that place */
export const makeFaults = (at: string, how: Faults['how'], crashes: number): Faults => ({
  ...{ at, how, crashes: shared(crashes), slow: 0, starts: shared(0) },
});

/** @param slow bit n for the n-th worker that is measured */
export const makeSlowStarts = (slow: number): Faults => ({ ...makeFaults('', 'exit', 0), slow });

let start = -1;

/** Time that a test gives to this thread for one unit of its work, in place of the clock; null if it gives none. */
export const orderedTime = (faults: Faults | undefined): number | null => {
  if (faults === undefined) return null;
  if (start < 0) start = Atomics.add(faults.starts, 0, 1);
  return ((faults.slow >> start) & 1) === 1 ? 3 : 1;
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
