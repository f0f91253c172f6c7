// Lets tests crash workers at a chosen point of a run.

/** Crashes that a test requests. */
export interface Faults {
  /** Number of the chunk or label of the call at which a worker crashes. 'LABEL, done': after the call has finished. */
  readonly at: string;
  /** Kind of the crash: the thread exits, throws an error or runs out of memory. */
  readonly how: 'exit' | 'throw' | 'memory';
  /** Number of crashes that are left, in one word of shared memory. */
  readonly crashes: Int32Array;
}

/** Requests crashes at a place. @param at see Faults.at @param crashes number of crashes, over all workers */
export const makeFaults = (at: string, how: Faults['how'], crashes: number): Faults => ({
  at,
  how,
  crashes: new Int32Array(new SharedArrayBuffer(4)).fill(crashes),
});

const fillMemory = (): never => {
  const kept: number[][] = [];
  while (true) kept.push(new Array<number>(1 << 16).fill(kept.length));
};

/** Crashes this worker if a test has requested it for this place and crashes are left. */
export const crashAt = (faults: Faults | undefined, place: string): void => {
  if (faults === undefined || place !== faults.at || Atomics.sub(faults.crashes, 0, 1) <= 0) return;
  if (faults.how === 'exit') process.exit(9);
  if (faults.how === 'memory') fillMemory();
  throw new Error('a fault that a test has ordered');
};
