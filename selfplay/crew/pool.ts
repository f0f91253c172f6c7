// The worker threads that everything is spread over: chunks of random play, shards of a run, games of an arena, tasks of
// a search, the threads of the Python server, whatever a module exports.
//
//   threads.ts      starts and watches the threads; watchdog.ts finds those that user code blocks
//   claims.ts       shares chunks of work among threads: for jobs of a pool, and for a crew (crew.ts) that stays awake
//   worker.ts       the one entry of all threads
//   user-code.ts    code of users in a thread: its heartbeat and its warnings
//
// Results do not depend on the number of workers. A worker that crashes is replaced, and its task is done again; a task or
// chunk that crashes three workers is an error. A worker that a user's module has ended, or blocked for too long, is
// replaced too, and its task is an error that names the module. Nothing here or in the workers ever spins.
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

/** One worker for each processor that the process may use. */
export const defaultWorkers = (): number => availableParallelism();

const MAX_WORKERS = 256;

/** Threads of a pool. */
export const workersOption = {
  workers: {
    ...wholeIn(1, MAX_WORKERS),
    takes: 'W',
    default: Math.min(MAX_WORKERS, defaultWorkers()),
    help: `threads (default: one for each processor, here ${defaultWorkers()})`,
  },
} as const;

const claimsModule = new URL('./claims.js', import.meta.url).href;

/** How a call is named, and watched. */
export interface CallOptions {
  /** Names the call in errors: 'shard 3'. Default: the name of the function. */
  readonly label?: string;
  /** Called when a worker has crashed at it, before it is called again; if this throws, the call rejects with that. */
  readonly onCrash?: (error: Error) => void;
  /** For calls that run code of users. */
  readonly watch?: CodeWatch;
}

/** How a pool is made. */
export interface PoolOptions {
  /** Worker threads, from 1: defaultWorkers() for one on each processor. */
  readonly workers: number;
  /** Workers that start at once; each other one starts with a call that finds none free. Default: all. */
  readonly started?: number;
  /** Milliseconds of a choice for agents in processes of their own; 0 for as many as they like. Default: a minute. */
  readonly choiceMs?: number | undefined;
  /** For tests: what is to go wrong. */
  readonly faults?: Faults;
}

/** Worker threads that wait for work until close(). The results of their jobs do not depend on how many there are. */
class WorkerPool {
  /** Worker threads. */
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

  /** Workers that were replaced because they crashed. */
  get crashed(): number {
    return this.threads.crashed;
  }

  /** rollout() over all workers. With a signal the count may be infinite. */
  async rollouts(game: Game, options: SharedRolloutOptions & JobOptions): Promise<RolloutResult> {
    return (await evaluateOn(this, [{ game, options }], options))[0];
  }

  /** Many rollout()s at once, of positions of one map: one result for each task. */
  evaluate(tasks: readonly RolloutTask[], options: JobOptions = {}): Promise<RolloutResult[]> {
    return evaluateOn(this, tasks, options);
  }

  /** Plays games from the start of a map to their end, and counts how they ended. */
  playouts(options: PlayoutOptions & JobOptions): Promise<PlayoutSummary> {
    return playoutsOn(this, options);
  }

  /**
   * Calls a function in some worker, and again in another if that crashes.
   * @throws whatever the function throws, LepantoError for a user's module that ends its worker, or Error if the call
   * crashes three workers
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
   * Plays a job in chunks. Resolves with the number of chunks played, always the first ones.
   * @throws what a chunk has thrown, or LepantoError that names a chunk that has crashed three workers
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

  /** All workers play chunks of a job until none is left. Resolves with why one of them has crashed, if one has. */
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

  /** Ends the workers, whatever they are doing, and rejects what was not done. No thread is left when it resolves. */
  close(): Promise<void> {
    return this.threads.close();
  }
}

/** What makePool() makes. */
export type Pool = Pick<WorkerPool, keyof WorkerPool>;

/** Starts worker threads. They wait for work until close(). @throws LepantoError for a number that is not whole */
export const makePool = (options: PoolOptions): Pool => new WorkerPool(options);
