// The worker threads that everything is spread over: chunks of random play, shards of a run, whatever a module exports.
//
//   work     waits in a line (calls: one task each; chunk jobs: one task for each worker that is free)
//   seats    one worker each. Each has a piscina of its own: a worker can then be replaced without the others
//   worker   worker.ts; it warms up and measures itself before its first chunk
//
// What comes back does not depend on the number of workers. A worker that crashes is replaced, and what it was at is
// played again; a task or chunk that crashes three of them is an error. Nothing here or in the workers ever spins.

import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { Game } from '../../engine/internal.js';
import type { RolloutResult } from '../rollouts/rollout.js';
import {
  type Call,
  type ChunkJob,
  type ChunkTask,
  type Claims,
  countClaimed,
  countPlayed,
  findLost,
  isClaimed,
  type JobOptions,
  makeClaims,
  releaseSeat,
  stopClaims,
} from './chunks.js';
import type { Faults } from './faults.js';
import {
  evaluateOn,
  type PlayoutOptions,
  type PlayoutSummary,
  playoutsOn,
  type RolloutTask,
  type SharedRolloutOptions,
} from './pooled.js';
import { threadArguments } from './threads.js';
import type { WorkerTask } from './worker.js';

/** One worker for each processor that the process may use. */
export const defaultWorkers = (): number => availableParallelism();

/** Workers that one task or chunk may crash. */
const MOST_CRASHES = 3;
/** A worker this many times slower than the fastest quarter of all that were measured is replaced. */
const SLOW = 1.4;
const PROGRESS_MS = 100;
const CLOSED = 'the pool was closed';
const CHECK: WorkerTask = { kind: 'check' };

export interface PoolOptions {
  readonly workers: number;
  /** Workers that are too slow are replaced so many times at most. Default: twice as often as there are workers. */
  readonly mostReplacements?: number;
  /** For tests: what is to go wrong. */
  readonly faults?: Faults;
}

export interface CallOptions {
  /** Named in errors: 'shard 3'. */
  readonly label?: string;
  /** Called when a worker has crashed at it, before it is called again. */
  readonly onCrash?: () => void;
}

export interface Pool {
  readonly workers: number;
  /** Workers that were replaced because they were slow, or because they crashed. */
  readonly replaced: number;
  readonly crashed: number;
  /** Nanoseconds for a phase-step that each worker there is has measured (self-check.ts); 0 before. */
  readonly times: readonly number[];
  /** Starts, warms up and measures the workers; everything in chunks waits for it. */
  ready(): Promise<void>;
  /** rollout() over all workers. With a signal the count may be infinite. */
  rollouts(game: Game, options: SharedRolloutOptions & JobOptions): Promise<RolloutResult>;
  /** Many rollout()s at once, of positions of one map: one result for each task. */
  evaluate(tasks: readonly RolloutTask[], options?: JobOptions): Promise<RolloutResult[]>;
  /** Games from the start of a map to their end, and what became of them. */
  playouts(options: PlayoutOptions & JobOptions): Promise<PlayoutSummary>;
  /**
   * Calls a function in some worker, and again in another if that crashes.
   * @throws whatever the function throws, or Error if it crashes three workers
   */
  call<T>(call: Call, options?: CallOptions): Promise<T>;
  /**
   * Plays a job in chunks. Resolves with the number of chunks played, always the first ones.
   * @throws Error that names a chunk that has crashed three workers
   */
  chunks(job: ChunkJob, options?: JobOptions): Promise<number>;
  /** Ends the workers, whatever they do; no thread is left when it resolves. What was not done is rejected. */
  close(): Promise<void>;
}

/** What a quarter of the workers are at least as fast as: of few, the fastest. A slow one among them moves it little. */
const quartileOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[(times.length - 1) >> 2] ?? Number.POSITIVE_INFINITY;

/** Room for one worker. */
class Seat {
  readonly index: number;
  time = 0;
  busy = false;
  /** False once the worker has ended. */
  alive = false;
  private readonly faults: Faults | undefined;
  private piscina: Piscina<WorkerTask, unknown> | null = null;
  private ended: Promise<void> = Promise.resolve();
  private closing: Promise<void> = Promise.resolve();
  private last: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(index: number, faults: Faults | undefined) {
    this.index = index;
    this.faults = faults;
    this.open();
  }

  private open(): void {
    const memory = this.faults?.how === 'memory' ? { resourceLimits: { maxOldGenerationSizeMb: 64 } } : {};
    const piscina = new Piscina<WorkerTask, unknown>({
      filename: new URL('./worker.js', import.meta.url).href,
      execArgv: threadArguments,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      recordTiming: false,
      workerData: { faults: this.faults },
      ...memory,
    });
    const [thread] = piscina.threads;
    this.ended = new Promise((resolve) => {
      if (thread === undefined) resolve();
      else thread.once('exit', () => resolve());
    });
    // piscina puts another worker in the place of one that has ended; that one is neither warm nor measured.
    piscina.on('workerDestroy', () => {
      if (this.piscina === piscina) this.alive = false;
    });
    // What a worker throws outside its tasks ends it; that is found out when there is a task for it.
    piscina.on('error', () => {});
    this.piscina = piscina;
    this.alive = true;
    this.time = 0;
  }

  /** Lets one user after the other have the worker. */
  exclusive<T>(use: () => Promise<T>): Promise<T> {
    const result = this.last.then(use);
    this.last = result.catch(() => {});
    return result;
  }

  /** Rejects with what the task has thrown; if `alive` is false then, the worker has ended. */
  async run(task: WorkerTask): Promise<unknown> {
    if (this.piscina === null) throw new Error(CLOSED);
    return this.piscina.run(task);
  }

  /** Starts another worker in the place of this one. */
  async replace(): Promise<void> {
    await this.end();
    if (this.closed) throw new Error(CLOSED);
    this.open();
  }

  /** Ends the worker; there will be no other. */
  close(): Promise<void> {
    this.closed = true;
    return this.end();
  }

  private end(): Promise<void> {
    const { piscina, ended, alive } = this;
    this.piscina = null;
    this.alive = false;
    if (piscina !== null)
      this.closing = (async () => {
        // If a worker's end came to light after destroy(), piscina would start another.
        if (!alive) await ended;
        await piscina.destroy();
      })();
    return this.closing;
  }
}

/** Something to do. Seats that are free ask for a task; each task ends in done() or failed(). */
interface Work {
  take(seat: number): WorkerTask | null;
  done(seat: number, value: unknown): void;
  /** @param crashed true if the worker has ended */
  failed(seat: number, error: Error, crashed: boolean): void;
  cancel(error: Error): void;
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

const tooManyCrashes = (what: string, cause: Error): Error =>
  new Error(`${what} has crashed ${MOST_CRASHES} workers, the last one with: ${cause.message}`, { cause });

class CallWork implements Work {
  readonly result: Promise<unknown>;
  private readonly task: WorkerTask;
  private readonly options: CallOptions;
  private readonly label: string;
  private waiting = true;
  private crashes = 0;
  private resolve: (value: unknown) => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor({ module, name, data }: Call, options: CallOptions) {
    this.options = options;
    this.label = options.label ?? name;
    this.task = { kind: 'call', module, name, data, label: this.label };
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  take(): WorkerTask | null {
    if (!this.waiting) return null;
    this.waiting = false;
    return this.task;
  }

  done(_: number, value: unknown): void {
    this.resolve(value);
  }

  failed(_: number, error: Error, crashed: boolean): void {
    if (!crashed) this.reject(error);
    else if (++this.crashes === MOST_CRASHES) this.reject(tooManyCrashes(this.label, error));
    else {
      this.options.onCrash?.();
      this.waiting = true;
    }
  }

  cancel(error: Error): void {
    this.waiting = false;
    this.reject(error);
  }
}

class ChunkWork implements Work {
  /** Number of chunks played. */
  readonly result: Promise<number>;
  private readonly job: ChunkJob;
  private readonly claims: Claims;
  private readonly crashes = new Map<number, number>();
  private again: number[] = [];
  private active = 0;
  private cancelled = false;
  /** Crashes in a row of workers that had not claimed a chunk. */
  private failedStarts = 0;
  private resolve: (chunks: number) => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor(job: ChunkJob) {
    this.job = job;
    this.claims = makeClaims(job.chunks);
    this.result = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  get played(): number {
    return countPlayed(this.claims);
  }

  take(seat: number): ChunkTask | null {
    if (this.cancelled || (this.again.length === 0 && isClaimed(this.claims))) return null;
    const { module, name, data } = this.job;
    const { again, claims } = this;
    this.again = [];
    this.active++;
    return { kind: 'chunks', module, name, data, claims, seat, again };
  }

  done(): void {
    this.active--;
    this.failedStarts = 0;
    this.settle();
  }

  failed(seat: number, error: Error, crashed: boolean): void {
    this.active--;
    const chunks = releaseSeat(this.claims, seat);
    if (chunks.length === 0 && (!crashed || ++this.failedStarts === MOST_CRASHES)) this.cancel(error);
    for (const chunk of chunks) this.putBack(chunk, error);
    this.settle();
  }

  private putBack(chunk: number, error: Error): void {
    const crashes = (this.crashes.get(chunk) ?? 0) + 1;
    this.crashes.set(chunk, crashes);
    if (crashes === MOST_CRASHES) this.cancel(tooManyCrashes(`${this.job.name}, chunk ${chunk}`, error));
    else this.again.push(chunk);
  }

  /** Workers finish what they have claimed, and the job resolves. */
  stop(): void {
    stopClaims(this.claims);
    this.settle();
  }

  cancel(error: Error): void {
    stopClaims(this.claims);
    this.cancelled = true;
    this.reject(error);
  }

  private settle(): void {
    if (this.cancelled || this.active > 0 || this.again.length > 0 || !isClaimed(this.claims)) return;
    this.again = findLost(this.claims);
    if (this.again.length === 0) this.resolve(countClaimed(this.claims));
  }
}

class WorkerPool implements Pool {
  readonly workers: number;
  replaced = 0;
  crashed = 0;
  private readonly seats: readonly Seat[];
  /** Beside a single worker while it is measured. */
  private fellow: Seat | null = null;
  private readonly line = new Set<Work>();
  private readonly faults: Faults | undefined;
  private replacementsLeft: number;
  /** Of all workers that this pool has had. */
  private readonly measured: number[] = [];
  private checked: Promise<void> | null = null;
  private isChecked = false;
  private closed = false;

  constructor({ workers, mostReplacements = 2 * workers, faults }: PoolOptions) {
    if (!Number.isInteger(workers) || workers < 1)
      throw new RangeError(`workers: got ${workers}, wanted a whole number from 1`);
    this.workers = workers;
    this.replacementsLeft = mostReplacements;
    this.faults = faults;
    this.seats = Array.from({ length: workers }, (_, index) => new Seat(index, faults));
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
    for (const work of this.line) work.cancel(new Error(CLOSED));
    await Promise.all([...this.seats.map((seat) => seat.close()), this.fellow?.close()]);
  }

  private async finish<T>(work: Work, result: Promise<T>): Promise<T> {
    if (this.closed) throw new Error(CLOSED);
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

  private async runTask(seat: Seat, work: Work, task: WorkerTask): Promise<void> {
    try {
      if (!seat.alive) await this.revive(seat);
      work.done(seat.index, await seat.run(task));
    } catch (thrown) {
      if (this.closed) return work.cancel(new Error(CLOSED));
      const crashed = !seat.alive;
      if (crashed) this.crashed++;
      // An exception in the middle of a chunk may have left anything in the scratch arrays of the engine.
      else if (task.kind === 'chunks') await seat.replace();
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
      this.fellow = new Seat(1, this.faults);
      all.push(this.fellow);
    }
    await Promise.all(all.map((seat) => seat.exclusive(() => this.measure(seat))));
    await this.fellow?.close();
    await Promise.all(this.seats.map((seat) => seat.exclusive(() => this.replaceSlow(seat))));
    this.isChecked = true;
  }
}

/** Starts worker threads. They wait for work until close(). @throws RangeError for a number that is not whole */
export const makePool = (options: PoolOptions): Pool => new WorkerPool(options);
