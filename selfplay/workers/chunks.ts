// Shares work in chunks of about a millisecond among any number of workers.
//
// The chunks of a job are numbered, and what is in a chunk does not depend on the workers. Each worker claims the next
// number until none is left; it writes its results to shared memory, where every chunk has its own place. Added up
// in the order of the numbers, they give the same sum to the last bit for any number of workers, and after crashes: a
// chunk that a worker left unfinished is played again from its beginning.
import { Crash, MOST_CRASHES, tooManyCrashes } from './crashes.js';

/** How a job that lasts is watched and ended. */
export interface JobOptions {
  /** Ends the job early: it resolves with what has been played. For a budget: AbortSignal.timeout(milliseconds). */
  readonly signal?: AbortSignal;
  /** Called several times a second with the operations played so far: rollouts, or games. */
  readonly onProgress?: (played: number) => void;
}

/** A function that a module exports. */
export interface Call {
  /** Address of the module: new URL('../module.js', import.meta.url).href */
  readonly module: string;
  /** Name of the function among the exports of the module. */
  readonly name: string;
  /** Its argument, cloned for the worker. */
  readonly data: unknown;
}

/** A job in chunks: the function makes, from the data, what plays a chunk and returns its operations. */
export interface ChunkJob extends Call {
  /** How many chunks, from 0. */
  readonly chunks: number;
}

/** What a pool offers that plays jobs. */
export interface ChunkRunner {
  chunks(job: ChunkJob, options?: JobOptions): Promise<number>;
}

/** Words of the control block. */
const NEXT = 0;
const STOP = 1;
const PLAYED = 2;
const CONTROL_WORDS = 3;

/** States of a chunk; slot + 1 of the worker that plays it in between. */
const OPEN = 0;
const DONE = -1;

/** Shared by all workers of a job. */
export interface Claims {
  /** [first chunk that is not claimed, 1 to stop, operations played so far] */
  readonly control: Int32Array;
  /** State by chunk. */
  readonly states: Int32Array;
}

export const makeClaims = (chunks: number): Claims => ({
  control: new Int32Array(new SharedArrayBuffer(4 * CONTROL_WORDS)),
  states: new Int32Array(new SharedArrayBuffer(4 * chunks)),
});

/** What one worker is given of a job. The function named makes, from the data, what plays a chunk and returns its operations. */
export interface ChunkTask {
  readonly kind: 'chunks';
  readonly module: string;
  readonly name: string;
  readonly data: unknown;
  readonly claims: Claims;
  /** Number of this task among those of the job. */
  readonly slot: number;
  /** Chunks that a worker left unfinished: they come first. */
  readonly again: readonly number[];
}

/** In the worker: plays chunks until none is left, or until the job is stopped. What was claimed is always finished. */
export const playChunks = (
  { claims, slot, again }: ChunkTask,
  play: (chunk: number) => number,
  before: (chunk: number) => void,
): void => {
  const { control, states } = claims;
  const playOne = (chunk: number): void => {
    Atomics.store(states, chunk, slot + 1);
    before(chunk);
    const operations = play(chunk);
    Atomics.store(states, chunk, DONE);
    Atomics.add(control, PLAYED, operations);
  };
  for (const chunk of again) playOne(chunk);
  while (Atomics.load(control, STOP) === 0) {
    const chunk = Atomics.add(control, NEXT, 1);
    if (chunk >= states.length) return;
    playOne(chunk);
  }
};

export const stopClaims = ({ control }: Claims): void => {
  Atomics.store(control, STOP, 1);
};

/** Operations played so far: rollouts, games. */
export const countPlayed = ({ control }: Claims): number => Atomics.load(control, PLAYED);

/** Chunks that were claimed. Once all workers are done they are finished, and are the first ones of the job. */
const countClaimed = ({ control, states }: Claims): number => Math.min(Atomics.load(control, NEXT), states.length);

/** Opens the chunks again that a worker has left unfinished; there is at most one. */
const releaseSlot = ({ states }: Claims, slot: number): number[] => {
  const chunks: number[] = [];
  for (let chunk = states.indexOf(slot + 1); chunk >= 0; chunk = states.indexOf(slot + 1)) {
    Atomics.store(states, chunk, OPEN);
    chunks.push(chunk);
  }
  return chunks;
};

/** With no worker at the job: chunks that were claimed by one that crashed before it could say so. */
const findLost = (claims: Claims): number[] => {
  const lost: number[] = [];
  const claimed = countClaimed(claims);
  for (let chunk = 0; chunk < claimed; chunk++) if (Atomics.load(claims.states, chunk) !== DONE) lost.push(chunk);
  return lost;
};

/**
 * Plays a job on several workers. Resolves with the number of chunks played, always the first ones.
 * @param run gives a task to some worker; rejects with a Crash if the task may be given to another
 * @throws LepantoError that names a chunk that has crashed three workers
 */
export const shareChunks = async (
  { module, name, data }: ChunkJob,
  claims: Claims,
  workers: number,
  run: (task: ChunkTask) => Promise<unknown>,
): Promise<number> => {
  const crashes = new Map<number, number>();
  const noteCrash = (chunk: number, reason: Error): void => {
    const count = (crashes.get(chunk) ?? 0) + 1;
    crashes.set(chunk, count);
    if (count === MOST_CRASHES) throw tooManyCrashes(`${name}, chunk ${chunk}`, reason);
  };
  const runSlot = async (slot: number, first: readonly number[]): Promise<void> => {
    for (let again = first, failedStarts = 0; ; ) {
      try {
        await run({ kind: 'chunks', module, name, data, claims, slot, again });
        return;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        again = releaseSlot(claims, slot);
        if (again.length === 0 && ++failedStarts === MOST_CRASHES) throw error.reason;
        for (const chunk of again) noteCrash(chunk, error.reason);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: workers }, (_, slot) => runSlot(slot, [])));
    for (let lost = findLost(claims); lost.length > 0; lost = findLost(claims)) await runSlot(0, lost);
  } catch (error) {
    stopClaims(claims);
    throw error;
  }
  return countClaimed(claims);
};
