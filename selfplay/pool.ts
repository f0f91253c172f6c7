// The worker threads that shards are spread over. What comes back does not depend on their number.
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { ShardResult, ShardTask } from './worker.js';

/** One worker for each processor that the process may use. */
export const defaultWorkers = (): number => availableParallelism();

export interface ShardPool {
  readonly run: (task: ShardTask) => Promise<ShardResult>;
  /** Ends the workers, whatever they do; no thread is left when it resolves. */
  readonly close: () => Promise<void>;
}

/** Starts the threads. They wait for tasks until close(). */
export const makeShardPool = (workers: number): ShardPool => {
  const pool = new Piscina<ShardTask, ShardResult>({
    filename: new URL('./worker.js', import.meta.url).href,
    minThreads: workers,
    maxThreads: workers,
    idleTimeout: Number.POSITIVE_INFINITY,
    recordTiming: false,
  });
  return { run: (task) => pool.run(task), close: () => pool.destroy() };
};
