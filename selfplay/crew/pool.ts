// The worker threads that everything is spread over: chunks of random play, shards of a run, games of an arena, tasks of
// a search, the threads of the Python server, whatever a module exports.
//
//   threads.ts      starts, watches and replaces the threads; watchdog.ts and stragglers.ts say which
//   chunks.ts       a job in chunks: one task for each thread, and the threads share its chunks
//   worker.ts       the one entry of all threads
//   user-code.ts    code of users in a thread: its heartbeat and its warnings
//
// What comes back does not depend on the number of workers. A worker that crashes is replaced, and its task is done
// again; a task or chunk that crashes three workers is an error. Nothing here or in the workers ever spins.
import { availableParallelism } from 'node:os';
import type { Game } from '../../engine/internal.js';
import { wholeIn } from '../question/option.js';
import { type RolloutResult, wholeFrom } from '../rollouts/rollout.js';
import {
  type Call,
  type ChunkJob,
  countPlayed,
  followJob,
  type JobOptions,
  makeClaims,
  shareChunks,
  stopClaims,
} from './chunks.js';
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
import { isSlow, type Speed } from './stragglers.js';
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

const stragglers = new URL('./stragglers.js', import.meta.url).href;

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
  /** Workers that are too slow are replaced so many times at most. Default: twice as often as there are workers. */
  readonly mostReplacements?: number;
  /** Milliseconds of a choice for agents in processes of their own; 0 for as many as they like. Default: a minute. */
  readonly choiceMs?: number | undefined;
  /** For tests: what is to go wrong. */
  readonly faults?: Faults;
}

/** Worker threads that wait for work until close(). The results of their jobs do not depend on how many there are. */
class WorkerPool {
  /** Worker threads. */
  readonly workers: number;
  /** Workers that were replaced because they were slow. */
  replaced = 0;
  /** By worker: nanoseconds that it took for a phase-step (checkSelf); none before they are measured. */
  times: readonly number[] = [];
  private readonly start: (workers: number) => Threads;
  private readonly threads: Threads;
  private readonly faults: Faults | undefined;
  private replacementsLeft: number;
  /** What threads that have ended, and others, took: by thread. */
  private readonly measured = new Map<number, number>();
  private measuring: Promise<void> | null = null;
  private measuredStarts = -1;

  constructor({ workers, mostReplacements = 2 * workers, faults, choiceMs = CHOICE_MS }: PoolOptions) {
    wholeFrom('workers', workers, 1);
    this.workers = workers;
    this.replacementsLeft = mostReplacements;
    this.faults = faults;
    this.start = (count) => new Threads(count, choiceMs, faults);
    this.threads = this.start(workers);
  }

  /** Workers that were replaced because they crashed. */
  get crashed(): number {
    return this.threads.crashed;
  }

  /**
   * Warms up and measures the workers, and replaces those that are slow, which takes about half a second. Jobs in chunks
   * wait for it; calls do not, so a caller with seconds of work to hand out does well to wait for it first.
   */
  async ready(): Promise<void> {
    if (this.measuredStarts === this.threads.started) return;
    this.measuring ??= this.measureAll().finally(() => {
      this.measuring = null;
    });
    await this.measuring;
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
   * @throws whatever the function throws, or Error if it crashes three workers
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
   * @throws LepantoError that names a chunk that has crashed three workers
   */
  async chunks(job: ChunkJob, options: JobOptions = {}): Promise<number> {
    if (job.chunks === 0 || options.signal?.aborted === true) return 0;
    await this.ready();
    const claims = makeClaims(job.chunks);
    const run = (call: Call): Promise<unknown> => this.threads.run({ ...call, label: '', isRetried: true });
    const stop = (): void => stopClaims(claims);
    const share = (): Promise<number> => shareChunks(job, claims, this.workers, run, this.faults);
    return followJob(options, stop, () => countPlayed(claims), share);
  }

  /** Ends the workers, whatever they are doing, and rejects what was not done. No thread is left when it resolves. */
  close(): Promise<void> {
    return this.threads.close();
  }

  private async measure(threads: Threads, count: number, again: readonly number[]): Promise<Speed[]> {
    const arrived = new Int32Array(new SharedArrayBuffer(4));
    const data = { arrived, count, again, faults: this.faults };
    const check = { module: stragglers, name: 'measureThread', data, label: '' };
    try {
      const speeds = (await Promise.all(Array.from({ length: count }, () => threads.run(check)))) as Speed[];
      for (const { thread, time } of speeds) this.measured.set(thread, time);
      return speeds;
    } finally {
      // If one of them has crashed, the others wait for no more.
      Atomics.store(arrived, 0, count);
      Atomics.notify(arrived, 0);
    }
  }

  /** Replaces threads as long as they are slow, also when they are measured once more: the processor may have been busy. */
  private async measureAll(): Promise<void> {
    const { threads, workers, measured } = this;
    const slowOf = (speeds: readonly Speed[]): number[] =>
      speeds.filter(({ time }) => isSlow(time, [...measured.values()])).map(({ thread }) => thread);
    // A single worker is compared with another start.
    const other = workers === 1 ? this.start(1) : null;
    try {
      let [speeds] = await Promise.all([
        this.measure(threads, workers, []),
        other === null ? [] : this.measure(other, 1, []),
      ]);
      while (this.replacementsLeft > 0 && slowOf(speeds).length > 0) {
        speeds = await this.measure(threads, workers, slowOf(speeds));
        const slow = slowOf(speeds).slice(0, this.replacementsLeft);
        this.replacementsLeft -= slow.length;
        this.replaced += slow.length;
        await Promise.all(slow.map((thread) => threads.end(thread)));
        if (slow.length > 0) speeds = await this.measure(threads, workers, []);
      }
      this.times = speeds.map(({ time }) => time);
      this.measuredStarts = threads.started;
    } finally {
      await other?.close();
    }
  }
}

/** What makePool() makes. */
export type Pool = Pick<WorkerPool, keyof WorkerPool>;

/** Starts worker threads. They wait for work until close(). @throws LepantoError for a number that is not whole */
export const makePool = (options: PoolOptions): Pool => new WorkerPool(options);
