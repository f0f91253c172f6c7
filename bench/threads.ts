// The same play on several threads at once.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { mix } from '../engine/random.js';
import type { PlayName } from './playing.js';
import type { ThreadData, ThreadReady, ThreadResult, ThreadTask } from './worker.js';

/** What "all threads" means: one for each processor that the process may use. */
export const allThreads = (): number => availableParallelism();

export interface Rates {
  readonly steps: number;
  readonly games: number;
  /** Of all threads' chunks: depends on how many there are. */
  readonly checksum: number;
}

export interface Threads {
  /** Workers that were far slower than the fastest and were started again. */
  readonly replaced: number;
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

interface Started {
  readonly worker: Worker;
  readonly stepsPerSecond: number;
}

const start = async (index: number, warmUp: number): Promise<Started> => {
  const workerData: ThreadData = { index, warmUp };
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData });
  return { worker, ...(await answer<ThreadReady>(worker)) };
};

/** A worker below this share of the fastest one's speed was compiled badly: about 1 start in 25 stays so for good. */
const FAR_SLOWER = 0.75;
const MOST_ROUNDS = 3;

/** Starts workers again that are far slower than the fastest; how many that took. */
const replaceSlow = async (started: Started[], warmUp: number): Promise<number> => {
  let replaced = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const fastest = Math.max(...started.map((one) => one.stepsPerSecond));
    const slow = [...started.keys()].filter((i) => started[i].stepsPerSecond < FAR_SLOWER * fastest);
    if (slow.length === 0) break;
    replaced += slow.length;
    await Promise.all(
      slow.map(async (i) => {
        await started[i].worker.terminate();
        started[i] = await start(i, warmUp);
      }),
    );
  }
  return replaced;
};

/** Starts threads, warms them up, and has them measure themselves. */
export const openThreads = async (count: number, warmUp: number): Promise<Threads> => {
  const started = await Promise.all(Array.from({ length: count }, (_, index) => start(index, warmUp)));
  // Those that share a processor cannot be told from slow ones.
  const replaced = count > allThreads() ? 0 : await replaceSlow(started, warmUp);
  const workers = started.map((one) => one.worker);
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
  return { replaced, measure, close };
};
