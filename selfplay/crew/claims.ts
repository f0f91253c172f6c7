// Chunks of work in memory that threads share: each thread claims the next chunk until none is left.
//
// The chunks of a round are numbered, and the contents of a chunk do not depend on the threads. Each chunk has its own
// place for its result, and results are added up by number: the same sum, to the last bit, for any number of threads. A
// chunk that a thread left unfinished is played again from its beginning; a chunk that throws ends the round with that error.
//
//   pool.ts   jobs in chunks: each thread of a pool plays until no chunk is left, as one task
//   crew.ts   many short rounds: threads stay, and sleep between rounds
//
// Words (int32), then SLOT_WORDS for each thread, so that no two threads write to the same cache line:
//
//   GENERATION  counted up to wake the threads    NEXT, END  next chunk to claim, and the end of the chunks
//   OPEN        1 while chunks may be claimed     LEFT       counted up when a thread has no chunk any more
//   ARGUMENTS   numbers for the players
//
//   ACTIVE   1 while the thread may be at a chunk   READY   1 once it has started   LEAVE  see Leave
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

/** What a thread does instead of sleeping: nothing, return to its pool, or end itself. */
const Leave = { NO: 0, RETURN: 1, END: 2 } as const;

/** States of a chunk: thread + 1 while a thread plays it, FAILED - thread if that has thrown. */
const UNCLAIMED = 0;
const DONE = -1;
const FAILED = -2;

const ERROR_BYTES = 4096;

/** Plays chunks in one thread. */
export interface Player {
  /** Called before play(): if the thread ends in the middle of the chunk, it was called to its end. */
  readonly keep?: (chunk: number, args: Int32Array) => void;
  /** Plays a chunk; returns its operations, or whatever is to be added up. @param args numbers of the round */
  readonly play: (chunk: number, args: Int32Array) => number | Promise<number>;
}

/** What the threads share. */
export interface ClaimMemory {
  readonly words: Int32Array;
  /** State by chunk. */
  readonly states: Int32Array;
  /** What the player returned, by chunk. */
  readonly results: Float64Array;
  /** ERROR_BYTES for each thread: length, then name, code and message of its last error. */
  readonly errors: Uint8Array;
}

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

// ---- in the thread that hands out the work ----

/** Hands out chunks to threads. */
export class Claims {
  constructor(readonly memory: ClaimMemory) {}

  /** Opens chunks begin .. end - 1, and wakes the threads. */
  open(begin: number, end: number, args: readonly number[]): void {
    const { words, states } = this.memory;
    // Loops, because calls for so few entries take longer.
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

  /** Ends the round early: chunks that are claimed are still finished. */
  close(): void {
    Atomics.store(this.memory.words, OPEN, 0);
  }

  /** True if no chunk can be claimed any more. */
  get isClosed(): boolean {
    const { words } = this.memory;
    return Atomics.load(words, OPEN) === 0 || Atomics.load(words, NEXT) >= words[END];
  }

  /** Chunks that were claimed: always the first ones. */
  get claimed(): number {
    const { words } = this.memory;
    return Math.min(Atomics.load(words, NEXT), words[END]);
  }

  isDone(chunk: number): boolean {
    return Atomics.load(this.memory.states, chunk) === DONE;
  }

  /** Sum of the results of the first chunks, so far. */
  sum(chunks: number): number {
    let sum = 0;
    for (let chunk = 0; chunk < chunks; chunk++) if (this.isDone(chunk)) sum += this.memory.results[chunk];
    return sum;
  }

  /** The first chunk from `begin` on that is not done; `end` if all are. @throws the error of the first one that has thrown */
  firstLost(begin: number, end: number): number {
    const { states, errors } = this.memory;
    let lost = end;
    for (let chunk = end - 1; chunk >= begin; chunk--) if (states[chunk] !== DONE) lost = chunk;
    for (let chunk = lost; chunk < end; chunk++)
      if (states[chunk] <= FAILED) throw readError(errors, FAILED - states[chunk]);
    return lost;
  }

  // ---- threads that stay ----

  private slot(thread: number): number {
    return SLOTS + SLOT_WORDS * thread;
  }

  /** Before a thread starts. */
  clear(thread: number): void {
    const slot = this.slot(thread);
    this.memory.words.fill(0, slot, slot + SLOT_WORDS);
  }
  isReady(thread: number): boolean {
    return Atomics.load(this.memory.words, this.slot(thread) + READY) === 1;
  }
  isActive(thread: number): boolean {
    return Atomics.load(this.memory.words, this.slot(thread) + ACTIVE) === 1;
  }
  isDismissed(thread: number): boolean {
    return Atomics.load(this.memory.words, this.slot(thread) + LEAVE) !== Leave.NO;
  }

  /** Lets a thread return to its pool between two rounds. */
  dismiss(thread: number): void {
    Atomics.store(this.memory.words, this.slot(thread) + LEAVE, Leave.RETURN);
    this.wake();
  }

  /** After a thread has ended. Returns the chunk that it was at; -1 for none. */
  release(thread: number): number {
    const { words, states } = this.memory;
    Atomics.store(words, this.slot(thread) + ACTIVE, 0);
    const chunk = states.indexOf(thread + 1);
    if (chunk >= 0) states[chunk] = UNCLAIMED;
    return chunk;
  }

  /** How often threads have left their chunks: for waitForThread(). */
  get left(): number {
    return Atomics.load(this.memory.words, LEFT);
  }
  /** Blocks until one more thread has left its chunks than `left` counts. False if none has in so many milliseconds. */
  waitForThread(left: number, milliseconds: number): boolean {
    return Atomics.wait(this.memory.words, LEFT, left, milliseconds) !== 'timed-out';
  }
}

/**
 * Plays chunks 0 .. chunks - 1, and again those that were left unfinished; resolves with the number of chunks played, always
 * the first ones.
 * @param round lets the threads claim chunks until none is left; resolves with why a thread has ended meanwhile, if one has
 * @param nameOf names a chunk in errors
 * @throws the error of the lowest chunk that has thrown; LepantoError for a chunk that has crashed three threads
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
    // All threads have ended before they could claim anything.
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

// ---- in each thread that plays ----

/** Claims chunks for one thread, and plays them. */
export class Claimer {
  private readonly slot: number = SLOTS + SLOT_WORDS * this.thread;
  private readonly args: Int32Array = this.memory.words.subarray(ARGUMENTS, SLOTS);
  /** True once a chunk of this round has thrown. */
  private hasFailed = false;

  constructor(
    private readonly memory: ClaimMemory,
    readonly thread: number,
    private readonly player: Player,
    private readonly faults?: Faults,
  ) {}

  /** Plays chunks until none is left, or until the round is closed. A chunk that was claimed is always finished. */
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
        // Without user code nothing is waited for.
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
    // The first error is that of the lowest chunk, because chunks are claimed in their order.
    if (!this.hasFailed) writeError(errors, this.thread, error);
    this.hasFailed = true;
    // It may have left anything behind in the arrays of the engine.
    if (!(error instanceof LepantoError)) Atomics.store(words, this.slot + LEAVE, Leave.END);
    Atomics.store(states, chunk, FAILED - this.thread);
  }

  /** Sleeps until a round is open, plays, and sleeps again, until the thread is dismissed. */
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
      // First active, then the look whether it is open: the other side closes it, and then looks who is active.
      Atomics.store(words, this.slot + ACTIVE, 1);
      if (Atomics.load(words, OPEN) === 1) await this.take();
    }
  }

  /** True if the thread is to return to its pool. It ends here if it is to end. */
  leaves(): boolean {
    const leave = Atomics.load(this.memory.words, this.slot + LEAVE);
    if (leave === Leave.END) process.exit(0);
    return leave === Leave.RETURN;
  }
}

/** A thread's share of a job in chunks. */
export interface ChunkTask extends Call {
  readonly claims: ClaimMemory;
  readonly thread: number;
  readonly faults: Faults | undefined;
}

/** In a worker: plays chunks of a job until none is left. The first error closes the job. */
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
