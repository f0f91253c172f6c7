// The threads of a batch, seen from the first one: it opens a command to all of them, takes chunks itself, and waits until
// every chunk is done.
//
// They are no pool of selfplay/workers, because a command is short: stepping 64 games takes some tens of microseconds. A
// task of that pool costs 12 to 20 for each worker and needs the event loop, while the first thread here sleeps in a
// blocking read of the client's pipe, and the others in Atomics.wait. A command costs two wake-ups, and the first thread
// is at work while the others wake up. What the pool promises holds here too: results do not depend on the number of
// threads, a thread that crashes or is slow (pace.ts) is replaced, and its chunk is played again.
//
//   first thread   opens a command, takes chunks, closes it, waits until nobody is ACTIVE, looks at the chunks
//   thread         woken by GENERATION: ACTIVE, chunks as long as the command is OPEN, no more ACTIVE, sleeps again
//   crash          seen as the event `exit`. The rows of a chunk that steps games are put back as they were before; the
//                  chunk is open again and is played by another thread, three times at most
//
// Nobody waits for a thread that has not woken up, or that is only starting: it joins when it can. A module of a user may
// end its thread at any moment, so the first thread, which nobody can replace, does not play such batches itself.
import { Worker } from 'node:worker_threads';
import { lendScratch } from '../../../engine/rules/scratch.js';
import type { Faults } from '../../../selfplay/workers/faults.js';
import { MOST_CRASHES, tooManyCrashes } from '../../../selfplay/workers/limits.js';
import { makeNotes } from '../../../selfplay/workers/notes.js';
import { nameEnd, Patience } from '../../../selfplay/workers/patience.js';
import type { ServerConfig, Setup } from './config.js';
import type { Memory } from './memory.js';
import { Pace } from './pace.js';
import {
  ACTIVE,
  type CrewMemory,
  DONE,
  FAILED,
  gameOfError,
  isStepping,
  KEPT,
  LEFT,
  NEXT,
  OPEN,
  openCommand,
  placeOfError,
  READY,
  readError,
  SEAT_WORDS,
  seatAt,
  type ThreadData,
  type ThreadShare,
  type Work,
} from './share.js';

/** Piping a thread's streams to ours would make our ends of the client's pipes non-blocking. */
export const OWN_STREAMS = { stdout: true, stderr: true } as const;

/** How long the first thread sleeps before it looks whether a thread has ended. */
const LOOK_MS = 20;
/** How often it looks when it need not wait for any. */
const ROUND_MS = 1000;

const eventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Seat {
  readonly thread: number;
  worker: Worker | null;
  pace: Pace;
  /** True once the thread takes chunks. */
  isReady: boolean;
  /** Threads in a row that have ended here before they were ready. */
  failedStarts: number;
  /** What the thread has thrown outside its chunks. */
  thrown: Error | null;
  /** Why it was ended from here: an agent did not answer. */
  lost: string | null;
  patience: Patience;
}

export interface CrewOptions {
  readonly config: ServerConfig;
  readonly setup: Setup;
  readonly memory: Memory;
  readonly shared: CrewMemory;
  /** What the first thread plays with; null if it does not play. */
  readonly share: ThreadShare | null;
  /** Threads that are slow are replaced so many times at most. Default: twice as often as there are workers. */
  readonly mostReplacements?: number;
  /** For tests: what is to go wrong. */
  readonly faults?: Faults;
}

interface Round {
  /** What the chunks returned, those that are done. */
  readonly sum: number;
  /** Chunks that were left unfinished by a thread that has ended. */
  readonly lost: readonly number[];
}

export class ServerCrew {
  /** Threads that were replaced because they were slow, or because they crashed. */
  replaced = 0;
  crashed = 0;
  private readonly options: CrewOptions;
  private readonly seats: Seat[] = [];
  private readonly pace = new Pace();
  /** False if the first thread only waits. */
  private plays: boolean;
  private replacementsLeft: number;
  /** Why no thread can be started. */
  private failure: Error | null = null;
  /** What the last thread that crashed ended with. */
  private lastCrash = '';
  private looked = 0;
  private closed = false;

  constructor(options: CrewOptions) {
    const { config, share, mostReplacements = 2 * config.workers } = options;
    this.options = options;
    this.plays = share !== null;
    this.replacementsLeft = mostReplacements;
    for (let i = this.plays ? 1 : 0; i < config.workers; i++) this.addSeat();
  }

  /**
   * Resolves when so many threads take chunks: all of them, or the first one that can.
   * @throws LepantoError if no thread can be started
   */
  async ready(wanted: 'all' | 'one'): Promise<void> {
    const { words } = this.options.shared;
    const isEnough = (): boolean => {
      const count = this.seats.filter(({ isReady }) => isReady).length;
      return wanted === 'all' ? count === this.seats.length : count > 0;
    };
    for (;;) {
      const left = Atomics.load(words, LEFT);
      await this.look();
      if (isEnough()) return;
      Atomics.wait(words, LEFT, left, LOOK_MS);
    }
  }

  /**
   * Does something with the chunks of rows first .. end, all threads together; first must begin a chunk.
   * @returns the sum of what the chunks returned
   * @throws the error of the lowest game that had one; Error that names the games of a chunk that has crashed three threads
   */
  async run(what: Work, first: number, end: number, a = 0, b = 0): Promise<number> {
    if (this.seats.some(({ isReady }) => !isReady) || performance.now() - this.looked > ROUND_MS) await this.look();
    const { chunk } = this.options.memory.layout;
    let { sum, lost } = await this.round([what, first, end, a, b], this.plays);
    if (isStepping(what)) await this.compare();
    for (const index of lost) {
      const from = first + index * chunk;
      sum += await this.playAgain([what, from, Math.min(from + chunk, end), a, b]);
    }
    return sum;
  }

  /** From here on only threads that can be replaced play: one more takes the place of the first. */
  async standBack(): Promise<void> {
    if (this.plays) {
      this.plays = false;
      this.addSeat();
    }
    await this.ready('one');
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.seats.map(({ worker }) => worker?.terminate()));
  }

  // ---- commands ----

  /** A chunk that was left unfinished, by threads that can be replaced: it has crashed one. */
  private async playAgain(command: readonly [Work, number, number, number, number]): Promise<number> {
    for (let crashes = 1; crashes < MOST_CRASHES; crashes++) {
      const { sum, lost } = await this.round(command, false);
      if (lost.length === 0) return sum;
    }
    const [what, first, end] = command;
    throw tooManyCrashes(`${what} of games ${first} to ${end - 1}`, new Error(this.lastCrash));
  }

  private async round(command: readonly [Work, number, number, number, number], plays: boolean): Promise<Round> {
    const { memory, shared, share } = this.options;
    const [, first, end] = command;
    const chunks = Math.max(0, Math.ceil((end - first) / memory.layout.chunk));
    openCommand(shared, chunks, command);
    if (plays) await share?.run();
    await this.finish(chunks, command, plays);
    const { states, sums } = shared;
    const lost: number[] = [];
    let sum = 0;
    let hasFailed = false;
    for (let chunk = 0; chunk < chunks; chunk++)
      if (states[chunk] === DONE) sum += sums[chunk];
      else if (states[chunk] === FAILED) hasFailed = true;
      else lost.push(chunk);
    if (hasFailed) throw await this.findError(plays);
    return { sum, lost };
  }

  /** Closes the command when all its chunks have been taken, and waits for the threads that are at one. */
  private async finish(
    chunks: number,
    command: readonly [Work, number, number, number, number],
    plays: boolean,
  ): Promise<void> {
    const { words } = this.options.shared;
    const isActive = ({ thread }: Seat): boolean => Atomics.load(words, seatAt(thread) + ACTIVE) === 1;
    for (;;) {
      const left = Atomics.load(words, LEFT);
      const isTaken = plays || Atomics.load(words, NEXT) >= chunks;
      if (isTaken) Atomics.store(words, OPEN, 0);
      if (isTaken && !this.seats.some(isActive)) return;
      if (Atomics.wait(words, LEFT, left, LOOK_MS) === 'timed-out') await this.look(command);
    }
  }

  /** The error of the lowest game. A thread that has thrown anything else but that may have left its scratch anyhow. */
  private async findError(plays: boolean): Promise<Error> {
    const { share, shared } = this.options;
    let found = plays ? (share?.error ?? null) : null;
    let place = share?.errorPlace ?? 0;
    for (const seat of this.seats) {
      const error = readError(shared, seat.thread);
      if (error === null) continue;
      const at = placeOfError(shared, seat.thread);
      if (gameOfError(error) < 0) await this.replace(seat);
      if (found !== null && place <= at) continue;
      found = error;
      place = at;
    }
    return found ?? new Error('got a chunk that failed without an error');
  }

  // ---- threads ----

  private addSeat(): void {
    const seat: Seat = {
      thread: this.seats.length,
      worker: null,
      pace: new Pace(),
      isReady: false,
      failedStarts: 0,
      thrown: null,
      lost: null,
      patience: new Patience(makeNotes(), 0),
    };
    this.seats.push(seat);
    this.start(seat);
  }

  private start(seat: Seat): void {
    const { config, memory, shared, faults } = this.options;
    const { thread } = seat;
    const at = seatAt(thread);
    shared.words.fill(0, at, at + SEAT_WORDS);
    const notes = makeNotes();
    const scratch = lendScratch();
    const workerData: ThreadData = { config, copy: memory.copy, shared, thread, faults, notes, scratch };
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      workerData,
      ...OWN_STREAMS,
      ...(faults?.how === 'memory' ? { resourceLimits: { maxOldGenerationSizeMb: 64 } } : {}),
    });
    seat.worker = worker;
    seat.pace = new Pace();
    seat.isReady = false;
    seat.thrown = null;
    seat.lost = null;
    seat.patience = new Patience(notes, config.choiceMs);
    worker.on('error', (error) => {
      seat.thrown = error;
    });
    worker.on('exit', (code) => {
      if (seat.worker === worker) seat.worker = null;
      else return;
      if (!this.closed) this.crashed++;
      this.lastCrash = seat.lost ?? nameEnd(notes, seat.thrown ?? new Error(`exit code ${code}`)).message;
    });
  }

  /** Sees which threads have come and gone. @throws LepantoError if none can be started any more */
  private async look(command?: readonly [Work, number, number, number, number]): Promise<void> {
    await eventLoop();
    this.looked = performance.now();
    for (const seat of this.seats) this.lookAt(seat, command);
    if (this.failure !== null) throw this.failure;
  }

  private lookAt(seat: Seat, command?: readonly [Work, number, number, number, number]): void {
    const { words } = this.options.shared;
    if (!seat.isReady && Atomics.load(words, seatAt(seat.thread) + READY) === 1) {
      seat.isReady = true;
      seat.failedStarts = 0;
    }
    if (seat.worker !== null) {
      this.endIfLost(seat, seat.worker);
      return;
    }
    if (command !== undefined) this.release(seat.thread, command);
    // An error while it starts comes again; an end without one may have been chance.
    const error = seat.lost === null ? seat.thrown : new Error(seat.lost);
    const isFinal = !seat.isReady && (error !== null || ++seat.failedStarts === MOST_CRASHES);
    if (isFinal) this.failure ??= error ?? new Error(this.describeFailure());
    else this.start(seat);
  }

  /** An agent that hangs ends with its thread. */
  private endIfLost(seat: Seat, worker: Worker): void {
    if (seat.lost !== null) return;
    seat.lost = seat.patience.look();
    if (seat.lost === null) return;
    process.stderr.write(`lepanto server: ${seat.lost}; its thread is ended\n`);
    void worker.terminate();
  }

  private describeFailure(): string {
    const { opponents } = this.options.config;
    const agents = Object.entries(opponents).map(([power, agent]) => `${agent} for ${power}`);
    const what = agents.length > 0 ? `, which loads ${agents.join(', ')},` : '';
    return `a thread of the batch${what} has ended ${MOST_CRASHES} times before it was ready, the last time with: ${this.lastCrash}`;
  }

  /** A thread has ended: the chunk that it was at is open again, and its rows are as they were. */
  private release(thread: number, [what, first, end]: readonly [Work, number, number, number, number]): void {
    const { memory, shared } = this.options;
    const { states, words } = shared;
    const { chunk } = memory.layout;
    const index = states.indexOf(thread + 1);
    if (index >= 0) {
      const from = first + index * chunk;
      // Before the rows were kept they were not touched.
      if (isStepping(what) && words[seatAt(thread) + KEPT] === index + 1)
        memory.restoreRows(thread, from, Math.min(from + chunk, end));
      states[index] = 0;
    }
    Atomics.store(words, seatAt(thread) + ACTIVE, 0);
  }

  private async replace(seat: Seat): Promise<void> {
    const { worker } = seat;
    seat.worker = null;
    await worker?.terminate();
    this.start(seat);
  }

  /** Replaces threads that are slow. The first one stays, and leaves the play to one more. */
  private async compare(): Promise<void> {
    const { spent } = this.options.shared;
    const costs = Array.from({ length: this.seats.length + 1 }, (_, i) => spent[2 * i] / spent[2 * i + 1]);
    const leastBut = (i: number): number => Math.min(...costs.filter((cost, k) => k !== i && Number.isFinite(cost)));
    const isSlow = (pace: Pace, i: number): boolean =>
      Number.isFinite(costs[i]) &&
      Number.isFinite(leastBut(i)) &&
      pace.add(spent[2 * i], costs[i], leastBut(i)) &&
      this.replacementsLeft > 0;
    if (isSlow(this.pace, 0)) {
      this.countReplacement();
      this.plays = false;
      this.addSeat();
    }
    for (const seat of this.seats)
      if (isSlow(seat.pace, seat.thread + 1)) {
        this.countReplacement();
        await this.replace(seat);
      }
  }

  private countReplacement(): void {
    this.replacementsLeft--;
    this.replaced++;
  }
}
