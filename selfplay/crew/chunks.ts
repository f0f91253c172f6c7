// Jobs of worker threads: calls of an exported function, once or for each of many chunks.

/** Settings to stop a long job and to show its progress. */
export interface JobOptions {
  /**
   * Signal that stops the job early when aborted. The job then resolves with its results so far.
   * AbortSignal.timeout(ms) sets a time limit.
   */
  readonly signal?: AbortSignal;
  /** Called ten times a second, and once at the end, with the number of operations (rollouts or games) so far. */
  readonly onProgress?: (played: number) => void;
}

/** Time between two progress calls, in milliseconds. */
const PROGRESS_MS = 100;

/**
 * Runs a job and returns its result. Meanwhile calls `stop` if the signal aborts, and onProgress() ten times a second
 * and at the end.
 * @param stop asks the job to end early
 * @param played returns the number of operations so far
 * @param run starts the job
 */
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

/** A call of an exported function in a worker. */
export interface Call {
  /** URL of the module: new URL('../module.js', import.meta.url).href */
  readonly module: string;
  /** Name of the exported function to call. */
  readonly name: string;
  /** Argument of the function, cloned for the worker. */
  readonly data: unknown;
}

/**
 * A job in chunks. The function is called once in each worker and returns another function, which plays the chunk with
 * a given number and returns its number of operations.
 */
export interface ChunkJob extends Call {
  /** Number of chunks; 0 for none. */
  readonly chunks: number;
}

/** Plays jobs in chunks. A Pool is one. */
export interface ChunkRunner {
  /** Plays a job. Resolves with the number of chunks played, always the first ones. */
  chunks(job: ChunkJob, options?: JobOptions): Promise<number>;
}

/**
 * Imports a module in a worker and returns one of its exported functions.
 * @throws TypeError if the export is no function
 */
export const findFunction = async ({ module, name }: Call): Promise<(data: unknown) => unknown> => {
  const found: unknown = ((await import(module)) as Record<string, unknown>)[name];
  if (typeof found !== 'function') throw new TypeError(`${module}: got ${typeof found} as ${name}, wanted a function`);
  return found as (data: unknown) => unknown;
};
