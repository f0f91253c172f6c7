// The pool of worker threads. It runs chunks of random play, shards of runs, games of arenas, searches, the threads of
// the Python server, and any other exported function.
//
//   threads.ts      starts and watches the threads; watchdog.ts finds threads blocked by user code
//   claims.ts       distributes chunks over threads, for jobs of a pool and rounds of a crew (crew.ts)
//   worker.ts       entry point of all threads
//   user-code.ts    heartbeat and warnings of user code in a thread
//
// Results do not depend on the number of workers. A worker that crashes is replaced and its task is repeated. A task or
// chunk that crashes three workers fails with an error. If a user module ends its worker or blocks it for too long, the
// worker is replaced and the task fails with an error that names the module. No thread waits in a busy loop.
import { availableParallelism } from 'node:os';
import type { Game } from '../../engine/internal.js';
import { wholeIn } from '../question/option.js';
import { type RolloutResult, wholeFrom } from '../rollouts/rollout.js';
import { type Call, type ChunkJob, followJob, type JobOptions } from './chunks.js';
import { type ChunkTask, Claims, makeClaims, playRounds } from './claims.js';
import { Crash, MOST_CRASHES, tooManyCrashes } from './crashes.js';
import type { Faults } from './faults.js';
import {
  evaluateOn,
  type PlayoutOptions,
  type PlayoutSummary,
  playoutsOn,
  type RolloutTask,
  type SharedRolloutOptions,
} from './rollout-jobs.js';
import { Threads } from './threads.js';
import { CHOICE_MS, type CodeWatch } from './watchdog.js';

/** Returns the number of processors that the process may use. */
export const defaultWorkers = (): number => availableParallelism();

const MAX_WORKERS = 256;

/** Option for the number of threads of a pool. */
export const workersOption = {
  workers: {
    ...wholeIn(1, MAX_WORKERS),
    takes: 'W',
    default: Math.min(MAX_WORKERS, defaultWorkers()),
    help: `worker threads (default: one for each processor, here ${defaultWorkers()})`,
  },
} as const;

const claimsModule = new URL('./claims.js', import.meta.url).href;

/** Settings of a call in a worker. */
export interface CallOptions {
  /** Name of the call in error messages, such as 'shard 3'. Default: the name of the function. */
  readonly label?: string;
  /**
   * Called with the error when a worker has crashed, before the call is repeated. If onCrash() throws, the call
   * rejects.
   */
  readonly onCrash?: (error: Error) => void;
  /** Time limit and callback for warnings, for calls that run user code. */
  readonly watch?: CodeWatch;
}

/** Settings of a pool. */
export interface PoolOptions {
  /** Number of worker threads, from 1. Use defaultWorkers() for one on each processor. */
  readonly workers: number;
  /** Number of workers to start immediately. The others start when a call finds no free worker. Default: all. */
  readonly started?: number;
  /** Time limit of one choice for agents in separate processes, in milliseconds. 0 for no limit. Default: a minute. */
  readonly choiceMs?: number | undefined;
  /** Crashes that a test requests. */
  readonly faults?: Faults;
}

/** Worker threads that wait for work until close(). The results of jobs do not depend on the number of workers. */
class WorkerPool {
  /** Number of worker threads. */
  readonly workers: number;
  private readonly threads: Threads;
  private readonly faults: Faults | undefined;

  constructor(options: PoolOptions) {
    const { workers, started = workers, faults, choiceMs = CHOICE_MS } = options;
    wholeFrom('workers', workers, 1);
    this.workers = workers;
    this.faults = faults;
    this.threads = new Threads(workers, started, choiceMs, faults);
  }

  /** Number of workers that were replaced because they crashed. */
  get crashed(): number {
    return this.threads.crashed;
  }

  /**
   * Plays rollouts from a position on all workers and returns the mean value of each power. `count` may be infinite if
   * there is a signal.
   */
  async rollouts(game: Game, options: SharedRolloutOptions & JobOptions): Promise<RolloutResult> {
    return (await evaluateOn(this, [{ game, options }], options))[0];
  }

  /**
   * Plays rollouts from many positions of one map on all workers. Returns one result for each task, in the order of the
   * tasks.
   * @throws LepantoError if the positions differ in map or rules, or for invalid options
   */
  evaluate(tasks: readonly RolloutTask[], options: JobOptions = {}): Promise<RolloutResult[]> {
    return evaluateOn(this, tasks, options);
  }

  /** Plays random games from the start of a map on all workers, and summarizes how they ended. */
  playouts(options: PlayoutOptions & JobOptions): Promise<PlayoutSummary> {
    return playoutsOn(this, options);
  }

  /**
   * Calls a function in a free worker and returns its result. Repeats the call in another worker after a crash.
   * @throws any error of the function; LepantoError if a user module ends its worker or is too slow, or if the call
   *   crashes three workers
   */
  async call<T>({ module, name, data }: Call, { label = name, onCrash, watch }: CallOptions = {}): Promise<T> {
    for (let crashes = 1; ; crashes++)
      try {
        return (await this.threads.run({ module, name, data, label }, watch)) as T;
      } catch (error) {
        if (!(error instanceof Crash)) throw error;
        if (crashes === MOST_CRASHES) throw tooManyCrashes(label, error.reason);
        onCrash?.(error.reason);
      }
  }

  /**
   * Plays a job in chunks on all workers. Resolves with the number of chunks played, always the first ones.
   * @throws the error of the lowest chunk that threw one; LepantoError that names a chunk that has crashed three
   *   workers
   */
  async chunks(job: ChunkJob, options: JobOptions = {}): Promise<number> {
    if (job.chunks === 0 || options.signal?.aborted === true) return 0;
    const claims = new Claims(makeClaims(this.workers, job.chunks));
    const play = (): Promise<number> =>
      playRounds(
        claims,
        job.chunks,
        [],
        (chunk) => `${job.name}, chunk ${chunk}`,
        () => this.round(job, claims),
      );
    const stop = (): void => claims.close();
    return followJob(options, stop, () => claims.sum(job.chunks), play);
  }

  /**
   * Lets all workers play chunks of a job until none is left. Resolves with the error of a crashed worker; null if none
   * has crashed.
   */
  private async round({ module, name, data }: ChunkJob, claims: Claims): Promise<Error | null> {
    const { memory } = claims;
    const playIn = (thread: number): Promise<unknown> => {
      const task: ChunkTask = { module, name, data, claims: memory, thread, faults: this.faults };
      return this.threads.run({ module: claimsModule, name: 'playChunks', data: task, label: '' });
    };
    const ended = await Promise.allSettled(Array.from({ length: this.workers }, (_, thread) => playIn(thread)));
    const errors = ended.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
    for (const error of errors) if (!(error instanceof Crash)) throw error;
    return (errors as Crash[])[0]?.reason ?? null;
  }

  /** Terminates all workers, and rejects unfinished calls. Resolves when all threads have ended. */
  close(): Promise<void> {
    return this.threads.close();
  }
}

/** A pool of worker threads, made by makePool(). */
export type Pool = Pick<WorkerPool, keyof WorkerPool>;

/** Starts worker threads, which wait for work until close(). @throws LepantoError if `workers` is no integer from 1 */
export const makePool = (options: PoolOptions): Pool => new WorkerPool(options);
