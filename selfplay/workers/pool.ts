// The worker threads that everything is spread over: chunks of random play, shards of a run, games of an arena, tasks of
// a search, whatever a module exports.
//
//   work.ts     what waits in the line: a call is one task, a job in chunks one task for each worker that is free
//   seat.ts     one worker each, which can be replaced without the others
//   worker.ts   the one entry of all threads; a worker warms up and measures itself before its first chunk
//
// What comes back does not depend on the number of workers. A worker that crashes is replaced, and its task is done
// again; a task or chunk that crashes three workers is an error. Nothing here or in the workers ever spins.
import { availableParallelism } from 'node:os';
import type { Game } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import type { RolloutResult } from '../rollouts/rollout.js';
import type { Call, ChunkJob, JobOptions } from './chunks.js';
import type { Faults } from './faults.js';
import { MOST_CRASHES, SLOW } from './limits.js';
import { CHOICE_MS } from './patience.js';
import {
  evaluateOn,
  type PlayoutOptions,
  type PlayoutSummary,
  playoutsOn,
  type RolloutTask,
  type SharedRolloutOptions,
} from './pooled.js';
import { CLOSED, Seat } from './seat.js';
import { type CallOptions, CallWork, ChunkWork, type PoolWork } from './work.js';
import type { WorkerTask } from './worker.js';

/** One worker for each processor that the process may use. */
export const defaultWorkers = (): number => availableParallelism();

const PROGRESS_MS = 100;
const CHECK: WorkerTask = { kind: 'check' };

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
export interface Pool {
  /** Worker threads. */
  readonly workers: number;
  /** Workers that were replaced because they were slow. */
  readonly replaced: number;
  /** Workers that were replaced because they crashed. */
  readonly crashed: number;
  /** By worker: nanoseconds that it took for a phase-step (self-check.ts); 0 for one that has not been measured. */
  readonly times: readonly number[];
  /**
   * Warms up and measures the workers, and replaces those that are slow, which takes about half a second. Jobs in chunks
   * wait for it; calls do not, so a caller with seconds of work to hand out does well to wait for it first.
   */
  ready(): Promise<void>;
  /** rollout() over all workers. With a signal the count may be infinite. */
  rollouts(game: Game, options: SharedRolloutOptions & JobOptions): Promise<RolloutResult>;
  /** Many rollout()s at once, of positions of one map: one result for each task. */
  evaluate(tasks: readonly RolloutTask[], options?: JobOptions): Promise<RolloutResult[]>;
  /** Plays games from the start of a map to their end, and counts how they ended. */
  playouts(options: PlayoutOptions & JobOptions): Promise<PlayoutSummary>;
  /**
   * Calls a function in some worker, and again in another if that crashes.
   * @throws whatever the function throws, or Error if it crashes three workers
   */
  call<T>(call: Call, options?: CallOptions): Promise<T>;
  /**
   * Plays a job in chunks. Resolves with the number of chunks played, always the first ones.
   * @throws LepantoError that names a chunk that has crashed three workers
   */
  chunks(job: ChunkJob, options?: JobOptions): Promise<number>;
  /** Ends the workers, whatever they are doing, and rejects what was not done. No thread is left when it resolves. */
  close(): Promise<void>;
}

/** The time that the fastest quarter of the workers do not exceed: of few workers, that of the fastest. */
const quartileOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[(times.length - 1) >> 2] ?? Number.POSITIVE_INFINITY;

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

class WorkerPool implements Pool {
  readonly workers: number;
  replaced = 0;
  crashed = 0;
  private readonly seats: readonly Seat[];
  /** Beside a single worker while it is measured. */
  private fellow: Seat | null = null;
  private readonly line = new Set<PoolWork>();
  private readonly faults: Faults | undefined;
  private replacementsLeft: number;
  /** Of all workers that this pool has had. */
  private readonly measured: number[] = [];
  private checked: Promise<void> | null = null;
  private isChecked = false;
  private closed = false;

  constructor({ workers, mostReplacements = 2 * workers, faults, choiceMs = CHOICE_MS }: PoolOptions) {
    if (!Number.isInteger(workers) || workers < 1)
      throw new LepantoError('argument', `workers: got ${workers}, wanted a whole number from 1`);
    this.workers = workers;
    this.replacementsLeft = mostReplacements;
    this.faults = faults;
    this.seats = Array.from({ length: workers }, (_, index) => new Seat(index, faults, choiceMs));
  }

  get times(): readonly number[] {
    return this.seats.map(({ time }) => time);
  }

  ready(): Promise<void> {
    this.checked ??= this.checkAll();
    return this.checked;
  }

  async rollouts(game: Game, options: SharedRolloutOptions & JobOptions): Promise<RolloutResult> {
    const [result] = await evaluateOn(this, [{ game, options }], options);
    return result;
  }

  evaluate(tasks: readonly RolloutTask[], options: JobOptions = {}): Promise<RolloutResult[]> {
    return evaluateOn(this, tasks, options);
  }

  playouts(options: PlayoutOptions & JobOptions): Promise<PlayoutSummary> {
    return playoutsOn(this, options);
  }

  async call<T>(call: Call, options: CallOptions = {}): Promise<T> {
    const work = new CallWork(call, options);
    return (await this.finish(work, work.result)) as T;
  }

  async chunks(job: ChunkJob, options: JobOptions = {}): Promise<number> {
    const { signal, onProgress } = options;
    if (job.chunks === 0 || isAborted(signal)) return 0;
    await this.ready();
    const work = new ChunkWork(job);
    const stop = (): void => work.stop();
    const show = (): void => onProgress?.(work.played);
    const timer = onProgress === undefined ? undefined : setInterval(show, PROGRESS_MS);
    signal?.addEventListener('abort', stop);
    // It may have come while the workers were measured.
    if (isAborted(signal)) stop();
    try {
      const chunks = await this.finish(work, work.result);
      show();
      return chunks;
    } finally {
      clearInterval(timer);
      signal?.removeEventListener('abort', stop);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const work of this.line) work.cancel(new LepantoError('worker', CLOSED));
    await Promise.all([...this.seats.map((seat) => seat.close()), this.fellow?.close()]);
  }

  private async finish<T>(work: PoolWork, result: Promise<T>): Promise<T> {
    if (this.closed) throw new LepantoError('worker', CLOSED);
    this.line.add(work);
    this.feedAll();
    try {
      return await result;
    } finally {
      this.line.delete(work);
    }
  }

  private feedAll(): void {
    for (const seat of this.seats) if (!seat.busy) void this.feed(seat);
  }

  /** Gives a free seat tasks until there are none for it. */
  private async feed(seat: Seat): Promise<void> {
    seat.busy = true;
    while (!this.closed && (await this.feedOne(seat)));
    seat.busy = false;
  }

  private async feedOne(seat: Seat): Promise<boolean> {
    for (const work of this.line) {
      const task = work.take(seat.index);
      if (task === null) continue;
      await seat.exclusive(() => this.runTask(seat, work, task));
      return true;
    }
    return false;
  }

  private async runTask(seat: Seat, work: PoolWork, task: WorkerTask): Promise<void> {
    try {
      if (!seat.alive) await this.revive(seat);
      work.done(seat.index, await seat.run(task, work.watch));
    } catch (thrown) {
      if (this.closed) return work.cancel(new LepantoError('worker', CLOSED));
      const crashed = !seat.alive;
      if (crashed) this.crashed++;
      // An exception in the middle of a chunk may have left anything in the scratch arrays of the engine, and code of a
      // user anything anywhere.
      else if (task.kind === 'chunks' || work.watch !== undefined) await seat.replace();
      work.failed(seat.index, asError(thrown), crashed);
      // What is to be done again may be taken by any of them.
      this.feedAll();
    }
  }

  private async revive(seat: Seat): Promise<void> {
    await seat.replace();
    if (!this.isChecked) return;
    await this.measure(seat);
    await this.replaceSlow(seat);
  }

  private async measure(seat: Seat): Promise<void> {
    for (let crashes = 0; seat.time === 0; ) {
      try {
        if (!seat.alive) await seat.replace();
        seat.time = (await seat.run(CHECK)) as number;
      } catch (error) {
        if (seat.alive || this.closed || ++crashes === MOST_CRASHES) throw error;
      }
    }
    this.measured.push(seat.time);
  }

  private isSlow(seat: Seat): boolean {
    return seat.time > SLOW * quartileOf(this.measured);
  }

  /** Replaces a worker as long as it is slow, also when it is measured once more: the processor may have been busy. */
  private async replaceSlow(seat: Seat): Promise<void> {
    while (this.isSlow(seat) && this.replacementsLeft > 0) {
      seat.time = Math.min(seat.time, (await seat.run(CHECK)) as number);
      if (!this.isSlow(seat)) return;
      this.replacementsLeft--;
      this.replaced++;
      await seat.replace();
      await this.measure(seat);
    }
  }

  private async checkAll(): Promise<void> {
    const all = [...this.seats];
    // A single worker has nobody to be compared with.
    if (this.workers === 1) {
      this.fellow = new Seat(1, this.faults, CHOICE_MS);
      all.push(this.fellow);
    }
    await Promise.all(all.map((seat) => seat.exclusive(() => this.measure(seat))));
    await this.fellow?.close();
    await Promise.all(this.seats.map((seat) => seat.exclusive(() => this.replaceSlow(seat))));
    this.isChecked = true;
  }
}

/** Starts worker threads. They wait for work until close(). @throws LepantoError for a number that is not whole */
export const makePool = (options: PoolOptions): Pool => new WorkerPool(options);
