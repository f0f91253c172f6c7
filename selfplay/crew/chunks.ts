// Jobs of worker threads: a function that a module exports, called once or for each of many chunks.

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

/** In a worker: the function that a module exports under a name. @throws TypeError if it exports none */
export const findFunction = async ({ module, name }: Call): Promise<(data: unknown) => unknown> => {
  const found: unknown = ((await import(module)) as Record<string, unknown>)[name];
  if (typeof found !== 'function') throw new TypeError(`${module}: got ${typeof found} as ${name}, wanted a function`);
  return found as (data: unknown) => unknown;
};
