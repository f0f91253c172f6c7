// Lets tests order faults of workers, because a crash in the middle of a run could not be tested otherwise.

export interface Faults {
  /** Chunk, or label of a call, at which a worker crashes; 'LABEL, done': when it has done what it was called for. */
  readonly at: string;
  readonly how: 'exit' | 'throw' | 'memory';
  readonly crashes: Int32Array;
}

/** @param crashes how often a worker is to crash at that place */
export const makeFaults = (at: string, how: Faults['how'], crashes: number): Faults => ({
  at,
  how,
  crashes: new Int32Array(new SharedArrayBuffer(4)).fill(crashes),
});

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
