// The same play on several threads at once.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { mix } from '../engine/random.js';
import type { PlayName } from './playing.js';
import type { ThreadData, ThreadResult, ThreadTask } from './worker.js';

/** What "all threads" means: one for each processor that the process may use. */
export const allThreads = (): number => availableParallelism();

export interface Rates {
  readonly steps: number;
  readonly games: number;
  /** Of all threads' chunks: depends on how many there are. */
  readonly checksum: number;
}

export interface Threads {
  /** Plays on all of them for so long; phase-steps and games a second, all together. */
  readonly measure: (play: PlayName, milliseconds: number) => Promise<Rates>;
  readonly close: () => Promise<void>;
}

const answer = <T>(worker: Worker): Promise<T> =>
  new Promise((resolve, reject) => {
    const clear = (): void => {
      worker.off('message', onMessage);
      worker.off('error', onError);
      worker.off('exit', onExit);
    };
    const onMessage = (message: T): void => {
      clear();
      resolve(message);
    };
    const onError = (error: Error): void => {
      clear();
      reject(error);
    };
    const onExit = (code: number): void => onError(new Error(`a bench thread ended with code ${code}`));
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.on('exit', onExit);
  });

/** Starts threads and warms them up. */
export const openThreads = async (count: number, warmUp: number): Promise<Threads> => {
  const workers = Array.from({ length: count }, (_, index) => {
    const workerData: ThreadData = { index, warmUp };
    return new Worker(new URL('./worker.js', import.meta.url), { workerData });
  });
  await Promise.all(workers.map((worker) => answer<string>(worker)));
  const measure = async (play: PlayName, milliseconds: number): Promise<Rates> => {
    const task: ThreadTask = { play, milliseconds };
    const answers = workers.map((worker) => answer<ThreadResult>(worker));
    for (const worker of workers) worker.postMessage(task);
    const results = await Promise.all(answers);
    const sum = (of: (result: ThreadResult) => number): number => results.reduce((total, one) => total + of(one), 0);
    return {
      steps: sum((one) => one.steps / one.seconds),
      games: sum((one) => one.games / one.seconds),
      checksum: results.reduce((hash, one) => mix(Math.imul(hash, 31) + one.checksum), 0) >>> 0,
    };
  };
  const close = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.terminate()));
  };
  return { measure, close };
};
