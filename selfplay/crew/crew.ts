// A crew: threads that play many short rounds together with the thread that opens them, and sleep in between.
//
// The threads are calls of a pool that stay: the pool starts and watches them. A round is no task of the pool, because it is
// short: to step 64 games takes some tens of microseconds. A task costs 12 to 20 for each worker and needs the event loop,
// while the first thread of a server sleeps in a blocking read of a pipe. A round costs two wake-ups, and the first thread
// is at work while the others wake up.
//
//   first thread   opens a round, claims chunks, closes it, waits until no thread is active, looks at the chunks
//   thread         woken: active, claims chunks as long as the round is open, sleeps again
//   crash          its chunk is played again, three times at most, and its call by another thread of the pool
//   module         that ends its thread or blocks it for too long: an error of the round, which names it
//
// The first thread does not wait for threads that have not woken up, or that are only starting: they join when they can. It
// cannot be replaced, so it does not play where modules of users may block it. Calls of the pool, as of a search, borrow
// the threads (lend()): those return to the pool, and join again later.
import { hasCode } from '../../engine/rules/error.js';
import type { Call } from './chunks.js';
import { type Claimer, type ClaimMemory, Claims, playRounds } from './claims.js';
import type { Faults } from './faults.js';
import { makePool, type Pool } from './pool.js';

/** How long the first thread sleeps before it looks whether a thread has ended. */
const LOOK_MS = 20;
/** How often it looks when it need not wait for any. */
const ROUND_MS = 1000;

const eventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export interface CrewOptions {
  /** Threads that play at the same time, from 1. */
  readonly workers: number;
  readonly memory: ClaimMemory;
  /** The call in which a thread plays until it is dismissed. */
  readonly callOf: (thread: number) => Call;
  /** What the first thread plays with, until it stands back. */
  readonly first: Claimer;
  /** Milliseconds of one answer of a user's module. */
  readonly choiceMs: number;
  /** Called for a chunk whose thread has ended in the middle of it. */
  readonly onLost: (thread: number, chunk: number) => void;
  /** For tests: what is to go wrong. */
  readonly faults?: Faults;
}

export class Crew {
  /** Threads that were replaced because they crashed. */
  crashed = 0;
  private readonly claims = new Claims(this.options.memory);
  private readonly pool: Pool;
  /** Numbers of the threads that can be replaced, and of those whose calls have ended. */
  private readonly threads: number[] = [];
  private readonly away = new Set<number>();
  /** False if the first thread only waits. */
  private plays = true;
  /** Calls of the pool that have borrowed the threads. */
  private borrowers = 0;
  /** Why no thread can be started. */
  private failure: Error | null = null;
  /** What is wrong with a module that ended its thread in this round. */
  private refusal: Error | null = null;
  private lastCrash: Error | null = null;
  private looked = 0;
  private closed = false;

  constructor(private readonly options: CrewOptions) {
    const { workers, faults } = options;
    const started = workers - 1;
    this.pool = makePool({ workers, started, ...(faults && { faults }) });
    for (let i = 0; i < started; i++) this.add();
  }

  private isReady = (thread: number): boolean => !this.away.has(thread) && this.claims.isReady(thread);

  /**
   * Resolves when so many threads take chunks: all of them, or the first one that can.
   * @throws LepantoError if no thread can be started
   */
  async ready(wanted: 'all' | 'one'): Promise<void> {
    for (;;) {
      const { left } = this.claims;
      await this.look();
      if (wanted === 'all' ? this.threads.every(this.isReady) : this.threads.some(this.isReady)) return;
      this.claims.waitForThread(left, LOOK_MS);
    }
  }

  /**
   * Plays a round of chunks, all threads together; returns the sum of what the players returned.
   * @throws the error of the lowest chunk that had one, or LepantoError that names a chunk that has crashed three threads
   */
  async play(chunks: number, args: readonly number[], nameOf: (chunk: number) => string): Promise<number> {
    if (!this.threads.every(this.isReady) || performance.now() - this.looked > ROUND_MS) await this.look();
    let first: Claimer | null = this.plays ? this.options.first : null;
    const round = async (): Promise<Error | null> => {
      await first?.take();
      // It does not play what has crashed a thread.
      first = null;
      return this.finish();
    };
    await playRounds(this.claims, chunks, args, nameOf, round);
    if (this.borrowers > 0) this.dismissAll();
    return this.claims.sum(chunks);
  }

  /** From here on only threads that can be replaced play: one more takes the place of the first. */
  async standBack(): Promise<void> {
    if (this.plays) {
      this.plays = false;
      this.add();
    }
    await this.ready('one');
  }

  /** Lends all threads to calls of their pool. Rounds are played meanwhile by the first thread, or between the calls. */
  async lend<T>(use: (pool: Pool) => Promise<T>): Promise<T> {
    this.borrowers++;
    this.dismissAll();
    try {
      return await use(this.pool);
    } finally {
      this.borrowers--;
    }
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    this.closed = true;
    await this.pool.close();
  }

  private dismissAll(): void {
    for (const thread of this.threads) if (!this.away.has(thread)) this.claims.dismiss(thread);
  }

  /** Closes the round once all its chunks are claimed, and waits for the threads that are at one. */
  private async finish(): Promise<Error | null> {
    const { claims } = this;
    for (;;) {
      const { left } = claims;
      if (claims.isClosed) {
        claims.close();
        if (!this.threads.some((thread) => claims.isActive(thread))) break;
      }
      if (!claims.waitForThread(left, LOOK_MS)) await this.look();
    }
    const { refusal } = this;
    this.refusal = null;
    if (refusal !== null) throw refusal;
    return this.lastCrash;
  }

  // ---- threads ----

  private add(): void {
    this.threads.push(this.threads.length);
    this.start(this.threads.length - 1);
  }

  private start(thread: number): void {
    const { callOf, choiceMs } = this.options;
    this.away.delete(thread);
    this.claims.clear(thread);
    const watch = { limit: choiceMs, onWarning: () => {} };
    const onCrash = (error: Error): void => this.lose(thread, error);
    this.pool.call(callOf(thread), { label: 'a thread of the batch', watch, onCrash }).then(
      () => this.away.add(thread),
      (error: Error) => this.fail(thread, error),
    );
  }

  /** A thread has ended: its chunk is open again. */
  private lose(thread: number, error: Error): void {
    const chunk = this.claims.release(thread);
    if (chunk >= 0) this.options.onLost(thread, chunk);
    if (!this.closed && !this.claims.isDismissed(thread)) {
      this.lastCrash = error;
      this.crashed++;
    }
    this.claims.clear(thread);
  }

  /** The call of a thread has failed. One that has never played would fail again. */
  private fail(thread: number, error: Error): void {
    if (!this.claims.isReady(thread)) this.failure ??= error;
    else if (!hasCode(error, 'worker')) {
      this.refusal = error;
      this.claims.close();
    }
    this.lose(thread, error.cause instanceof Error ? error.cause : error);
    this.away.add(thread);
  }

  /** Sees which threads have come and gone. @throws Error if none can be started any more */
  private async look(): Promise<void> {
    await eventLoop();
    this.looked = performance.now();
    if (this.failure !== null) throw this.failure;
    if (this.borrowers === 0 || !this.plays) for (const thread of this.away) this.start(thread);
  }
}
