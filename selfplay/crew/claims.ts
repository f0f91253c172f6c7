// Distributes chunks of work over threads through shared memory: each thread claims the next chunk until none is left.
//
// The chunks of a round are numbered, and the contents of a chunk do not depend on the threads. Each chunk has its own
// slot for its result, and results are added up by chunk number. The sum is the same, to the last bit, for any number
// of threads. A chunk that a crashed thread left unfinished is played again from its beginning. A chunk that throws
// ends the round with its error.
//
//   pool.ts   jobs in chunks: each thread of a pool plays chunks until none is left, as one task
//   crew.ts   many short rounds: the threads sleep between rounds
//
// Layout of `words` (int32). First the words that all threads share:
//
//   GENERATION  incremented to wake the threads   NEXT, END  next chunk to claim, and the end of the chunks
//   OPEN        1 while chunks may be claimed     LEFT       incremented when a thread has no more chunks
//   ARGUMENTS   numbers for the players
//
// Then SLOT_WORDS words for each thread, so that no two threads write to the same cache line:
//
//   ACTIVE   1 while the thread may play a chunk   READY   1 once it has started   LEAVE   a value of Leave
import { type ErrorCode, LepantoError } from '../../engine/rules/error.js';
import { type Call, findFunction } from './chunks.js';
import { MOST_CRASHES, tooManyCrashes } from './crashes.js';
import { crashAt, type Faults } from './faults.js';

const GENERATION = 0;
const OPEN = 1;
const NEXT = 2;
const END = 3;
const LEFT = 4;
const ARGUMENTS = 5;
const SLOTS = 16;
const SLOT_WORDS = 16;

const ACTIVE = 0;
const READY = 1;
const LEAVE = 2;

/** Requests to a thread, which obeys before it would sleep. NO: none. RETURN: return to its pool. END: exit. */
const Leave = { NO: 0, RETURN: 1, END: 2 } as const;

/**
 * States of a chunk: not claimed (UNCLAIMED) or played (DONE). Two more states: thread + 1 while a thread plays the
 * chunk, FAILED - thread if the chunk threw an error in that thread.
 */
const UNCLAIMED = 0;
const DONE = -1;
const FAILED = -2;

const ERROR_BYTES = 4096;

/** Functions with which a thread plays chunks of work. */
export interface Player {
  /**
   * Called before a chunk is marked as claimed, for example to save its inputs. If a thread crashes in play(), keep()
   * has been completed for this chunk.
   * @param args arguments of the round
   */
  readonly keep?: (chunk: number, args: Int32Array) => void;
  /**
   * Plays a chunk. Returns a number that is added up over the chunks, such as its operations.
   * @param args arguments of the round
   */
  readonly play: (chunk: number, args: Int32Array) => number | Promise<number>;
}

/** Arrays in memory that all threads of a job share. */
export interface ClaimMemory {
  /** Control words, in the layout at the head of this file. */
  readonly words: Int32Array;
  /** State of each chunk, indexed by chunk: UNCLAIMED, DONE, thread + 1 or FAILED - thread. */
  readonly states: Int32Array;
  /** Result of play() for each chunk, indexed by chunk. */
  readonly results: Float64Array;
  /**
   * First error of each thread in the round, ERROR_BYTES for each thread: length in bytes, then name, code and message.
   */
  readonly errors: Uint8Array;
}

/** Allocates the shared memory for a number of threads and chunks. */
export const makeClaims = (threads: number, chunks: number): ClaimMemory => ({
  words: new Int32Array(new SharedArrayBuffer(4 * (SLOTS + SLOT_WORDS * threads))),
  states: new Int32Array(new SharedArrayBuffer(4 * chunks)),
  results: new Float64Array(new SharedArrayBuffer(8 * chunks)),
  errors: new Uint8Array(new SharedArrayBuffer(ERROR_BYTES * threads)),
});

const writeError = (errors: Uint8Array, thread: number, error: Error): void => {
  const code = error instanceof LepantoError ? error.code : '';
  const text = Buffer.from(`${error.name}\n${code}\n${error.message}`).subarray(0, ERROR_BYTES - 4);
  new Int32Array(errors.buffer, thread * ERROR_BYTES, 1)[0] = text.length;
  errors.set(text, thread * ERROR_BYTES + 4);
};

const readError = (errors: Uint8Array, thread: number): Error => {
  const begin = thread * ERROR_BYTES + 4;
  const [length] = new Int32Array(errors.buffer, begin - 4, 1);
  const [name, code, ...lines] = Buffer.from(errors.slice(begin, begin + length))
    .toString('utf8')
    .split('\n');
  const message = lines.join('\n');
  const error = code === '' ? new Error(message) : new LepantoError(code as ErrorCode, message);
  return Object.defineProperty(error, 'name', { value: name });
};

// ---- in the thread that distributes the work ----

/** Distributes chunks to threads, and collects their results. */
export class Claims {
  constructor(readonly memory: ClaimMemory) {}

  /**
   * Starts a round with the chunks `begin` (included) to `end` (excluded), and wakes the threads.
   * @param args arguments for play()
   */
  open(begin: number, end: number, args: readonly number[]): void {
    const { words, states } = this.memory;
    // Loops are faster than fill() and set() for so few entries.
    for (let chunk = begin; chunk < end; chunk++) states[chunk] = UNCLAIMED;
    for (let i = 0; i < args.length; i++) words[ARGUMENTS + i] = args[i];
    words[NEXT] = begin;
    words[END] = end;
    Atomics.store(words, OPEN, 1);
    this.wake();
  }

  private wake(): void {
    const { words } = this.memory;
    Atomics.add(words, GENERATION, 1);
    Atomics.notify(words, GENERATION);
  }

  /** Ends the round early. Claimed chunks are still finished. */
  close(): void {
    Atomics.store(this.memory.words, OPEN, 0);
  }

  /** True if no more chunks can be claimed. */
  get isClosed(): boolean {
    const { words } = this.memory;
    return Atomics.load(words, OPEN) === 0 || Atomics.load(words, NEXT) >= words[END];
  }

  /** Number of the first chunk that is not claimed. Chunks are claimed in ascending order. */
  get claimed(): number {
    const { words } = this.memory;
    return Math.min(Atomics.load(words, NEXT), words[END]);
  }

  /** True if a chunk has been played without an error. */
  isDone(chunk: number): boolean {
    return Atomics.load(this.memory.states, chunk) === DONE;
  }

  /** Returns the sum of the results of those chunks among the first `chunks` that are finished. */
  sum(chunks: number): number {
    let sum = 0;
    for (let chunk = 0; chunk < chunks; chunk++) if (this.isDone(chunk)) sum += this.memory.results[chunk];
    return sum;
  }

  /**
   * Returns the first unfinished chunk from `begin` (included) to `end` (excluded); `end` if all are done.
   * @throws the error of the first chunk that threw an error
   */
  firstLost(begin: number, end: number): number {
    const { states, errors } = this.memory;
    let lost = end;
    for (let chunk = end - 1; chunk >= begin; chunk--) if (states[chunk] !== DONE) lost = chunk;
    for (let chunk = lost; chunk < end; chunk++)
      if (states[chunk] <= FAILED) throw readError(errors, FAILED - states[chunk]);
    return lost;
  }

  // ---- threads that sleep between rounds ----

  private slot(thread: number): number {
    return SLOTS + SLOT_WORDS * thread;
  }

  /** Clears the control words of a thread, before it starts. */
  clear(thread: number): void {
    const slot = this.slot(thread);
    this.memory.words.fill(0, slot, slot + SLOT_WORDS);
  }
  /** True if a thread has started. */
  isReady(thread: number): boolean {
    return Atomics.load(this.memory.words, this.slot(thread) + READY) === 1;
  }
  /** True if a thread may be playing a chunk. */
  isActive(thread: number): boolean {
    return Atomics.load(this.memory.words, this.slot(thread) + ACTIVE) === 1;
  }
  /** True if a thread was asked to return to its pool or to exit. */
  isDismissed(thread: number): boolean {
    return Atomics.load(this.memory.words, this.slot(thread) + LEAVE) !== Leave.NO;
  }

  /** Asks a thread to return to its pool after the current round, and wakes it. */
  dismiss(thread: number): void {
    Atomics.store(this.memory.words, this.slot(thread) + LEAVE, Leave.RETURN);
    this.wake();
  }

  /**
   * Makes the chunk unclaimed that a thread had claimed when it ended. Returns the number of this chunk; -1 if there
   * was none.
   */
  release(thread: number): number {
    const { words, states } = this.memory;
    Atomics.store(words, this.slot(thread) + ACTIVE, 0);
    const chunk = states.indexOf(thread + 1);
    if (chunk >= 0) states[chunk] = UNCLAIMED;
    return chunk;
  }

  /**
   * Number of times that threads have run out of chunks. To wait for a condition without a race: read this number,
   * check the condition, then call waitForThread() with the number.
   */
  get left(): number {
    return Atomics.load(this.memory.words, LEFT);
  }
  /**
   * Blocks this thread until the number `left` of this object differs from the argument. Returns false after the given
   * time without a change.
   */
  waitForThread(left: number, milliseconds: number): boolean {
    return Atomics.wait(this.memory.words, LEFT, left, milliseconds) !== 'timed-out';
  }
}

/**
 * Plays chunks 0 to chunks - 1, and repeats chunks that crashed threads left unfinished.
 * @param args arguments for play()
 * @param nameOf returns the name of a chunk for error messages
 * @param round waits until the threads have played all chunks that they can claim; resolves with the error of a thread
 *   that has crashed, or null
 * @returns the number of chunks played, always the first ones; less than `chunks` if the round was closed early
 * @throws the error of the lowest chunk that threw one; LepantoError for a chunk that has crashed three threads
 */
export const playRounds = async (
  claims: Claims,
  chunks: number,
  args: readonly number[],
  nameOf: (chunk: number) => string,
  round: () => Promise<Error | null>,
): Promise<number> => {
  claims.open(0, chunks, args);
  let crash = await round();
  for (let failures = 1; !claims.isClosed; failures++) {
    // All threads have crashed before they could claim a chunk.
    if (failures === MOST_CRASHES) throw crash ?? new Error('got no thread that plays, wanted one');
    crash = await round();
  }
  const { claimed } = claims;
  for (let lost = claims.firstLost(0, chunks), crashes = 1; lost < claimed; ) {
    if (crashes === MOST_CRASHES) throw tooManyCrashes(nameOf(lost), crash ?? new Error('a thread has ended'));
    claims.open(lost, lost + 1, args);
    crash = (await round()) ?? crash;
    const next = claims.firstLost(lost, chunks);
    crashes = next === lost ? crashes + 1 : 1;
    lost = next;
  }
  return claimed;
};

// ---- in each thread that plays chunks ----

/** Claims and plays chunks in one thread. */
export class Claimer {
  private readonly slot: number = SLOTS + SLOT_WORDS * this.thread;
  private readonly args: Int32Array = this.memory.words.subarray(ARGUMENTS, SLOTS);
  /** True once a chunk of this round has thrown an error in this thread. */
  private hasFailed = false;

  constructor(
    private readonly memory: ClaimMemory,
    readonly thread: number,
    private readonly player: Player,
    private readonly faults?: Faults,
  ) {}

  /** Plays chunks until none is left or the round is closed. Finishes each chunk that it has claimed. */
  async take(): Promise<void> {
    const { memory, faults, player } = this;
    const { words, states, results } = memory;
    this.hasFailed = false;
    while (Atomics.load(words, OPEN) === 1) {
      const chunk = Atomics.add(words, NEXT, 1);
      if (chunk >= words[END]) break;
      player.keep?.(chunk, this.args);
      Atomics.store(states, chunk, this.thread + 1);
      try {
        const result = player.play(chunk, this.args);
        // Does not await a plain number: only user code returns promises.
        results[chunk] = typeof result === 'number' ? result : await result;
        if (faults !== undefined) crashAt(faults, String(chunk));
        Atomics.store(states, chunk, DONE);
      } catch (thrown) {
        this.fail(chunk, thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
    }
  }

  private fail(chunk: number, error: Error): void {
    const { words, states, errors } = this.memory;
    // Keeps only the first error. Chunks are claimed in ascending order, so it belongs to the lowest failed chunk.
    if (!this.hasFailed) writeError(errors, this.thread, error);
    this.hasFailed = true;
    // After an unexpected error the arrays of the engine may be inconsistent, so the thread must exit.
    if (!(error instanceof LepantoError)) Atomics.store(words, this.slot + LEAVE, Leave.END);
    Atomics.store(states, chunk, FAILED - this.thread);
  }

  /** Plays all rounds, and sleeps between them, until the thread is dismissed. */
  async stay(): Promise<void> {
    const { words } = this.memory;
    Atomics.store(words, this.slot + READY, 1);
    for (let seen = 0; ; ) {
      Atomics.store(words, this.slot + ACTIVE, 0);
      Atomics.add(words, LEFT, 1);
      Atomics.notify(words, LEFT);
      if (Atomics.load(words, this.slot + LEAVE) === Leave.NO) Atomics.wait(words, GENERATION, seen);
      seen = Atomics.load(words, GENERATION);
      if (this.leaves()) return;
      // Sets ACTIVE before reading OPEN. The other side clears OPEN before reading ACTIVE, so it never misses a thread.
      Atomics.store(words, this.slot + ACTIVE, 1);
      if (Atomics.load(words, OPEN) === 1) await this.take();
    }
  }

  /** True if the thread must return to its pool. Ends the thread if it was asked to exit. */
  leaves(): boolean {
    const leave = Atomics.load(this.memory.words, this.slot + LEAVE);
    if (leave === Leave.END) process.exit(0);
    return leave === Leave.RETURN;
  }
}

/** Task of one thread in a job in chunks: the function that returns the thread's play(), and the shared memory. */
export interface ChunkTask extends Call {
  readonly claims: ClaimMemory;
  readonly thread: number;
  readonly faults: Faults | undefined;
}

/** Plays chunks of a job in a worker until none is left. The first error closes the job for all threads. */
export const playChunks = async (task: ChunkTask): Promise<void> => {
  const play = (await findFunction(task))(task.data) as Player['play'];
  const claims = new Claims(task.claims);
  const playOrClose: Player['play'] = (chunk, args) => {
    try {
      return play(chunk, args);
    } catch (error) {
      claims.close();
      throw error;
    }
  };
  const claimer = new Claimer(task.claims, task.thread, { play: playOrClose }, task.faults);
  await claimer.take();
  claimer.leaves();
};
