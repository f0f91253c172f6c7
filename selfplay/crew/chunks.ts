// Shares work in chunks of about a millisecond among any number of workers.
//
// The chunks of a job are numbered, and what is in a chunk does not depend on the workers. Each worker claims the next
// number until none is left; it writes its results to shared memory, where every chunk has its own place. Added up
// in the order of the numbers, they give the same sum to the last bit for any number of workers, and after crashes: a
// chunk that a worker left unfinished is played again from its beginning.
import { Crash, MOST_CRASHES, tooManyCrashes } from './crashes.js';
import { crashAt, type Faults } from './faults.js';

/** How a job that lasts is watched and ended. */
export interface JobOptions {
  /** Ends the job early: it resolves with what has been played. For a budget: AbortSignal.timeout(milliseconds). */
  readonly signal?: AbortSignal;
  /** Called several times a second with the operations played so far: rollouts, or games. */
  readonly onProgress?: (played: number) => void;
}

const PROGRESS_MS = 100;

/** Runs a job that a signal stops, and shows its progress. @param played operations so far */
export const followJob = async <T>(
  { signal, onProgress }: JobOptions,
  stop: () => void,
  played: () => number,
  run: () => Promise<T>,
): Promise<T> => {
  const show = (): void => onProgress?.(played());
  const timer = onProgress === undefined ? undefined : setInterval(show, PROGRESS_MS);
  signal?.addEventListener('abort', stop);
  if (signal?.aborted === true) stop();
  try {
    return await run();
  } finally {
    clearInterval(timer);
    signal?.removeEventListener('abort', stop);
    show();
  }
};

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

export interface ChunkRunner {
  chunks(job: ChunkJob, options?: JobOptions): Promise<number>;
}

// Words of the control block.
const NEXT = 0;
const STOP = 1;
const PLAYED = 2;

export interface Claims {
  /** [first chunk that is not claimed, 1 to stop, operations played so far] */
  readonly control: Int32Array;
  /** By chunk: 1 once it is played. */
  readonly done: Int32Array;
}

export const makeClaims = (chunks: number): Claims => ({
  control: new Int32Array(new SharedArrayBuffer(12)),
  done: new Int32Array(new SharedArrayBuffer(4 * chunks)),
});

interface ChunkTask extends Call {
  readonly claims: Claims;
  /** Chunks that were left unfinished: they come first. */
  readonly again: readonly number[];
  readonly faults: Faults | undefined;
}

/** In a worker: the function that a module exports under a name. @throws TypeError if it exports none */
export const findFunction = async ({ module, name }: Call): Promise<(data: unknown) => unknown> => {
  const found: unknown = ((await import(module)) as Record<string, unknown>)[name];
  if (typeof found !== 'function') throw new TypeError(`${module}: got ${typeof found} as ${name}, wanted a function`);
  return found as (data: unknown) => unknown;
};

/** In the worker: plays chunks until none is left, or until the job is stopped. What was claimed is always finished. */
export const playChunks = async (task: ChunkTask): Promise<void> => {
  const { control, done } = task.claims;
  const play = (await findFunction(task))(task.data) as (chunk: number) => number;
  const playOne = (chunk: number): void => {
    crashAt(task.faults, String(chunk));
    const operations = play(chunk);
    Atomics.store(done, chunk, 1);
    Atomics.add(control, PLAYED, operations);
  };
  for (const chunk of task.again) playOne(chunk);
  while (Atomics.load(control, STOP) === 0) {
    const chunk = Atomics.add(control, NEXT, 1);
    if (chunk >= done.length) return;
    playOne(chunk);
  }
};

export const stopClaims = ({ control }: Claims): void => {
  Atomics.store(control, STOP, 1);
};

export const countPlayed = ({ control }: Claims): number => Atomics.load(control, PLAYED);

/** Chunks that were claimed. Once all workers are done they are finished, and are the first ones of the job. */
const countClaimed = ({ control, done }: Claims): number => Math.min(Atomics.load(control, NEXT), done.length);

/** Plays a job; resolves with the chunks played. @param run rejects with a Crash if another worker may be called */
export const shareChunks = async (
  { module, name, data }: ChunkJob,
  claims: Claims,
  workers: number,
  run: (call: Call) => Promise<unknown>,
  faults?: Faults,
): Promise<number> => {
  const crashes = new Map<number, number>();
  const runTask = (again: readonly number[]): Promise<unknown> => {
    const task: ChunkTask = { module, name, data, claims, again, faults };
    return run({ module: import.meta.url, name: 'playChunks', data: task }).catch((error: unknown) => {
      if (!(error instanceof Crash)) stopClaims(claims);
      throw error;
    });
  };
  for (let again: number[] = [], failedStarts = 0; ; ) {
    const tasks = Array.from({ length: workers }, (_, slot) => runTask(again.filter((_, i) => i % workers === slot)));
    const ended = await Promise.allSettled(tasks);
    const errors = ended.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
    const claimed = countClaimed(claims);
    if (errors.length === 0) return claimed;
    for (const error of errors) if (!(error instanceof Crash)) throw error;
    const [{ reason }] = errors as Crash[];
    again = [...claims.done.keys()].filter((chunk) => chunk < claimed && claims.done[chunk] === 0);
    if (again.length === 0 && ++failedStarts === MOST_CRASHES) throw reason;
    for (const chunk of again) {
      const count = (crashes.get(chunk) ?? 0) + 1;
      crashes.set(chunk, count);
      if (count === MOST_CRASHES) throw tooManyCrashes(`${name}, chunk ${chunk}`, reason);
    }
  }
};
