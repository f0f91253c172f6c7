// Lets tests crash workers at a chosen point of a run.

/** Crashes that a test requests. */
export interface Faults {
  /** Place of the crash: number of a chunk, or label of a call; 'LABEL, done' for after the call with this label. */
  readonly at: string;
  /** Kind of the crash: the thread exits, throws an error or runs out of memory. */
  readonly how: 'exit' | 'throw' | 'memory';
  /** One word of shared memory with the number of crashes that are left. */
  readonly crashes: Int32Array;
}

/**
 * Makes the request of a test to crash workers.
 * @param at place of the crash (Faults.at)
 * @param crashes number of crashes, over all workers
 */
export const makeFaults = (at: string, how: Faults['how'], crashes: number): Faults => ({
  at,
  how,
  crashes: new Int32Array(new SharedArrayBuffer(4)).fill(crashes),
});

const fillMemory = (): never => {
  const kept: number[][] = [];
  while (true) kept.push(new Array<number>(1 << 16).fill(kept.length));
};

/**
 * Crashes this worker if a test has requested a crash at this place and crashes are left.
 * @param place number of a chunk or label of a call
 */
export const crashAt = (faults: Faults | undefined, place: string): void => {
  if (faults === undefined || place !== faults.at || Atomics.sub(faults.crashes, 0, 1) <= 0) return;
  if (faults.how === 'exit') process.exit(9);
  if (faults.how === 'memory') fillMemory();
  throw new Error('a fault that a test has ordered');
};
