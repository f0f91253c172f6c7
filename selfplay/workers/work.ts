// What waits in the line of a pool: calls, which are one task each, and jobs in chunks, which are one task for each worker
// that is free.
import {
  type Call,
  type ChunkJob,
  type ChunkTask,
  type Claims,
  countClaimed,
  countPlayed,
  findLost,
  isClaimed,
  makeClaims,
  releaseSeat,
  stopClaims,
} from './chunks.js';
import { MOST_CRASHES, tooManyCrashes } from './limits.js';
import type { CodeWatch } from './patience.js';
import type { WorkerTask } from './worker.js';

/** How a call is named, and watched. */
export interface CallOptions {
  /** Names the call in errors: 'shard 3'. Default: the name of the function. */
  readonly label?: string;
  /** Called when a worker has crashed at it, before it is called again. */
  readonly onCrash?: (error: Error) => void;
  /** For calls that run code of users. */
  readonly watch?: CodeWatch;
}

/** Something to do. Seats that are free ask for a task; each task ends in done() or failed(). */
export interface PoolWork {
  readonly watch?: CodeWatch | undefined;
  take(seat: number): WorkerTask | null;
  done(seat: number, value: unknown): void;
  /** @param crashed true if the worker has ended */
  failed(seat: number, error: Error, crashed: boolean): void;
  cancel(error: Error): void;
}

export class CallWork implements PoolWork {
  readonly result: Promise<unknown>;
  readonly watch: CodeWatch | undefined;
  private readonly task: WorkerTask;
  private readonly options: CallOptions;
  private readonly label: string;
  private waiting = true;
  private crashes = 0;
  private resolve: (value: unknown) => void = () => {};
  private reject: (error: Error) => void = () => {};

  constructor({ module, name, data }: Call, options: CallOptions) {
    this.options = options;
    this.watch = options.watch;
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
      this.options.onCrash?.(error);
      this.waiting = true;
    }
  }

  cancel(error: Error): void {
    this.waiting = false;
    this.reject(error);
  }
}

export class ChunkWork implements PoolWork {
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
