// A crew: threads that play many short rounds together with the first thread, which owns the crew and starts the
// rounds. Between rounds the threads sleep.
//
// Each thread of a crew is a long-running call of a pool, which starts and watches it. A round is not a task of the
// pool, because it is short: a step of 64 games takes some tens of microseconds. A task costs 12 to 20 microseconds for
// each worker. It also needs the event loop, but the first thread of a server sleeps in a blocking read of a pipe. A
// round costs two wake-ups, and the first thread works while the others wake up.
//
//   first thread   opens a round, claims chunks, closes the round, waits until no thread is active, checks the chunks
//   other thread   wakes up, becomes active, claims chunks while the round is open, sleeps again
//   crash          the chunk is tried three times at most, and the call is repeated in another thread of the pool
//   user module    an error of the round names a module that ends its thread or blocks it for too long
//
// The first thread does not wait for threads that are waking up or starting: they join when they can. It cannot be
// replaced, so it does not play chunks if user modules may block it. Other calls of the pool, such as a search, borrow
// the threads (lend()), which return to the pool and join again later.
import { hasCode } from '../../engine/rules/error.js';
import type { Call } from './chunks.js';
import { type Claimer, type ClaimMemory, Claims, playRounds } from './claims.js';
import type { Faults } from './faults.js';
import { makePool, type Pool } from './pool.js';

/**
 * Maximum time that the first thread waits for other threads before it checks whether some have ended, in milliseconds.
 */
const LOOK_MS = 20;
/** Maximum time between two checks for ended threads if the first thread does not have to wait, in milliseconds. */
const ROUND_MS = 1000;

/** Resolves after a turn of the event loop, in which messages from threads are handled. */
const eventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Settings of a crew. */
export interface CrewOptions {
  /** Number of threads that play at the same time, including the first thread. From 1. */
  readonly workers: number;
  /** Memory shared by the threads. */
  readonly memory: ClaimMemory;
  /** Returns the call in which a thread plays rounds until it is asked to return to the pool. */
  readonly callOf: (thread: number) => Call;
  /** Plays chunks in the first thread, until standBack() is called. */
  readonly first: Claimer;
  /** Time limit for one answer of a user module, in milliseconds. */
  readonly choiceMs: number;
  /** Called when a thread has ended while it played a chunk, before the chunk is played again. */
  readonly onLost: (thread: number, chunk: number) => void;
  /** Crashes that a test requests. */
  readonly faults?: Faults;
}

/** Threads that play short rounds of chunks. */
export class Crew {
  /** Number of threads that were replaced because they crashed. */
  crashed = 0;
  private readonly claims = new Claims(this.options.memory);
  private readonly pool: Pool;
  /** Numbers of all threads but the first. */
  private readonly threads: number[] = [];
  /** Numbers of the threads that have returned to the pool or have ended. */
  private readonly away = new Set<number>();
  /** True if the first thread plays chunks, false if it only waits. */
  private plays = true;
  /** Number of calls in progress that have borrowed the threads. */
  private borrowers = 0;
  /** Error with which a thread failed to start; null if there is none. */
  private failure: Error | null = null;
  /** Error of a user module that ended its thread in this round; null if there is none. */
  private refusal: Error | null = null;
  private lastCrash: Error | null = null;
  /** Time of the last check for threads that have ended, from performance.now(). */
  private looked = 0;
  private closed = false;

  constructor(private readonly options: CrewOptions) {
    const { workers, faults } = options;
    const started = workers - 1;
    this.pool = makePool({ workers, started, ...(faults && { faults }) });
    for (let i = 0; i < started; i++) this.add();
  }

  /** True if a thread has started and can take chunks. */
  private isReady = (thread: number): boolean => !this.away.has(thread) && this.claims.isReady(thread);

  /**
   * Resolves when all threads, or at least one of them, can take chunks.
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
   * Plays a round of chunks with all threads. Returns the sum of the results of play().
   * @param chunks number of chunks
   * @param args arguments for play()
   * @param nameOf returns the name of a chunk for error messages
   * @throws the error of the lowest chunk that threw one; LepantoError that names a chunk that has crashed three
   *   threads, or a user module that ended its thread
   */
  async play(chunks: number, args: readonly number[], nameOf: (chunk: number) => string): Promise<number> {
    if (!this.threads.every(this.isReady) || performance.now() - this.looked > ROUND_MS) await this.look();
    let first: Claimer | null = this.plays ? this.options.first : null;
    const round = async (): Promise<Error | null> => {
      await first?.take();
      // The first thread never repeats a chunk, because a chunk that crashed a thread could crash the process.
      first = null;
      return this.finish();
    };
    await playRounds(this.claims, chunks, args, nameOf, round);
    if (this.borrowers > 0) this.dismissAll();
    return this.claims.sum(chunks);
  }

  /**
   * Starts another thread in place of the first one, which no longer plays chunks. Resolves when a thread can take
   * chunks.
   */
  async standBack(): Promise<void> {
    if (this.plays) {
      this.plays = false;
      this.add();
    }
    await this.ready('one');
  }

  /**
   * Calls `use` with the pool, whose threads then serve other calls. Until the threads return, the first thread plays
   * the rounds alone, or the rounds wait.
   */
  async lend<T>(use: (pool: Pool) => Promise<T>): Promise<T> {
    this.borrowers++;
    this.dismissAll();
    try {
      return await use(this.pool);
    } finally {
      this.borrowers--;
    }
  }

  /** Terminates all threads. */
  async close(): Promise<void> {
    this.closed = true;
    await this.pool.close();
  }

  private dismissAll(): void {
    for (const thread of this.threads) if (!this.away.has(thread)) this.claims.dismiss(thread);
  }

  /**
   * Closes the round once all its chunks are claimed, and waits until no thread is active. Returns the error of the
   * last crash; null if no thread has crashed.
   * @throws the error of a user module that ended its thread
   */
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

  /**
   * Handles the end of a thread: makes its chunk unclaimed, calls onLost(), and counts a crash unless the thread was
   * asked to return.
   */
  private lose(thread: number, error: Error): void {
    const chunk = this.claims.release(thread);
    if (chunk >= 0) this.options.onLost(thread, chunk);
    if (!this.closed && !this.claims.isDismissed(thread)) {
      this.lastCrash = error;
      this.crashed++;
    }
    this.claims.clear(thread);
  }

  /**
   * Handles the error of a thread's call. Starts no other thread if this one has never been ready, because another
   * would fail too.
   */
  private fail(thread: number, error: Error): void {
    if (!this.claims.isReady(thread)) this.failure ??= error;
    else if (!hasCode(error, 'worker')) {
      this.refusal = error;
      this.claims.close();
    }
    this.lose(thread, error.cause instanceof Error ? error.cause : error);
    this.away.add(thread);
  }

  /** Handles events of threads, and restarts threads that have returned. @throws Error if threads cannot start */
  private async look(): Promise<void> {
    await eventLoop();
    this.looked = performance.now();
    if (this.failure !== null) throw this.failure;
    if (this.borrowers === 0 || !this.plays) for (const thread of this.away) this.start(thread);
  }
}
