// The threads of a batch, seen from the first one: it opens a command to all of them, takes chunks itself, and waits until
// every chunk is done.
//
// The other threads are calls of a pool that do not end: the pool starts, watches and replaces their threads. A command is
// no task of the pool, because it is short: stepping 64 games takes some tens of microseconds. A task costs 12 to 20 for
// each worker and needs the event loop, while the first thread here sleeps in a blocking read of the client's pipe, and
// the others in Atomics.wait. A command costs two wake-ups, and the first thread is at work while the others wake up.
//
//   first thread   opens a command, takes chunks, closes it, waits until no thread is ACTIVE, looks at the chunks
//   thread         woken by GENERATION: ACTIVE, chunks as long as the command is OPEN, no more ACTIVE, sleeps again
//   crash          its call ends. The rows of a chunk that steps games are put back as they were before; the chunk is
//                  open again and is played by another thread, three times at most
//
// The first thread does not wait for threads that have not woken up, or that are only starting: they join when they can. A
// module of a user may end its thread at any moment, so the first thread, which cannot be replaced, does not play such
// batches itself.
import { LepantoError } from '../../../engine/rules/error.js';
import { MOST_CRASHES, tooManyCrashes } from '../../../selfplay/crew/crashes.js';
import type { Faults } from '../../../selfplay/crew/faults.js';
import { makePool, type Pool } from '../../../selfplay/crew/pool.js';
import { Pace } from '../../../selfplay/crew/stragglers.js';
import type { ServerConfig } from './config.js';
import type { Work } from './core.js';
import type { Memory } from './memory.js';
import {
  ACTIVE,
  type Command,
  DONE,
  dismiss,
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
  SLOT_WORDS,
  slotAt,
  type ThreadData,
  type ThreadMemory,
  type ThreadShare,
} from './share.js';

/** How long the first thread sleeps before it looks whether a thread has ended. */
const LOOK_MS = 20;
/** How often it looks when it need not wait for any. */
const ROUND_MS = 1000;

const eventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Room for one thread, which can be replaced. */
interface Slot {
  readonly thread: number;
  readonly pool: Pool;
  pace: Pace;
  /** True once the thread takes chunks. */
  isReady: boolean;
  /** Threads in a row that have ended here before they were ready. */
  failedStarts: number;
  /** True once it was told to end. */
  dismissed: boolean;
  /** Why the thread has ended, and whether it crashed: if not, the next one would end in the same way. */
  ended: Error | null;
  crashed: boolean;
}

export interface ServerThreadsOptions {
  readonly config: ServerConfig;
  readonly memory: Memory;
  readonly shared: ThreadMemory;
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

const serverWorker = new URL('./worker.js', import.meta.url).href;

const unstarted = (): Pick<Slot, 'pace' | 'isReady' | 'dismissed' | 'ended' | 'crashed'> => ({
  pace: new Pace(),
  isReady: false,
  dismissed: false,
  ended: null,
  crashed: false,
});

export class ServerThreads {
  /** Threads that were replaced because they were slow, or because they crashed. */
  replaced = 0;
  crashed = 0;
  private readonly slots: Slot[] = [];
  private readonly pools: Pool[] = [];
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

  constructor(private readonly options: ServerThreadsOptions) {
    const { config, share, mostReplacements = 2 * config.workers } = options;
    this.plays = share !== null;
    this.replacementsLeft = mostReplacements;
    this.open(this.plays ? config.workers - 1 : config.workers);
  }

  /**
   * Resolves when so many threads take chunks: all of them, or the first one that can.
   * @throws LepantoError if no thread can be started
   */
  async ready(wanted: 'all' | 'one'): Promise<void> {
    const { words } = this.options.shared;
    const isEnough = (): boolean => {
      const count = this.slots.filter(({ isReady }) => isReady).length;
      return wanted === 'all' ? count === this.slots.length : count > 0;
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
    if (this.slots.some(({ isReady }) => !isReady) || performance.now() - this.looked > ROUND_MS) await this.look();
    const { chunk } = this.options.memory.layout;
    let { sum, lost } = await this.round([what, first, end, a, b], this.plays);
    if (isStepping(what)) this.compare();
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
      this.open(1);
    }
    await this.ready('one');
  }

  /** Ends all threads. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.pools.map((pool) => pool.close()));
  }

  // ---- commands ----

  /** A chunk that was left unfinished, by threads that can be replaced: it has crashed one. */
  private async playAgain(command: Command): Promise<number> {
    for (let crashes = 1; crashes < MOST_CRASHES; crashes++) {
      const { sum, lost } = await this.round(command, false);
      if (lost.length === 0) return sum;
    }
    const [what, first, end] = command;
    throw tooManyCrashes(`${what} of games ${first} to ${end - 1}`, new Error(this.lastCrash));
  }

  private async round(command: Command, plays: boolean): Promise<Round> {
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
    if (hasFailed) throw this.findError(plays);
    return { sum, lost };
  }

  /** Closes the command when all its chunks have been taken, and waits for the threads that are at one. */
  private async finish(chunks: number, command: Command, plays: boolean): Promise<void> {
    const { words } = this.options.shared;
    const isActive = ({ thread }: Slot): boolean => Atomics.load(words, slotAt(thread) + ACTIVE) === 1;
    for (;;) {
      const left = Atomics.load(words, LEFT);
      const isTaken = plays || Atomics.load(words, NEXT) >= chunks;
      if (isTaken) Atomics.store(words, OPEN, 0);
      if (isTaken && !this.slots.some(isActive)) return;
      if (Atomics.wait(words, LEFT, left, LOOK_MS) === 'timed-out') await this.look(command);
    }
  }

  /** The error of the lowest game. A thread that has thrown anything else but that may have left its scratch anyhow. */
  private findError(plays: boolean): Error {
    const { share, shared } = this.options;
    let found = plays ? (share?.error ?? null) : null;
    let place = share?.errorPlace ?? 0;
    for (const slot of this.slots) {
      const error = readError(shared, slot.thread);
      if (error === null) continue;
      const at = placeOfError(shared, slot.thread);
      if (gameOfError(error) < 0) this.replace(slot);
      if (found !== null && place <= at) continue;
      found = error;
      place = at;
    }
    return found ?? new Error('got a chunk that failed without an error');
  }

  // ---- threads ----

  /** Starts more threads. */
  private open(count: number): void {
    if (count === 0) return;
    const { faults } = this.options;
    const pool = makePool({ workers: count, ...(faults === undefined ? {} : { faults }) });
    this.pools.push(pool);
    for (let i = 0; i < count; i++) {
      const slot: Slot = { thread: this.slots.length, pool, failedStarts: 0, ...unstarted() };
      this.slots.push(slot);
      this.start(slot);
    }
  }

  private start(slot: Slot): void {
    const { config, memory, shared, faults } = this.options;
    const { thread } = slot;
    const at = slotAt(thread);
    shared.words.fill(0, at, at + SLOT_WORDS);
    Object.assign(slot, unstarted());
    const data: ThreadData = { config, copy: memory.copy, shared, thread, faults };
    const onCrash = (error: Error): never => {
      slot.crashed = true;
      throw error;
    };
    const watch = { limit: config.choiceMs, onWarning: () => {} };
    slot.pool.call({ module: serverWorker, name: 'serve', data }, { watch, onCrash }).catch((error: Error) => {
      slot.ended = error;
      if (this.closed || slot.dismissed) return;
      if (slot.crashed) this.crashed++;
      if (error instanceof LepantoError)
        process.stderr.write(`lepanto server: ${error.message}; its thread is ended\n`);
      this.lastCrash = error.message;
    });
  }

  /** Sees which threads have come and gone. @throws LepantoError if none can be started any more */
  private async look(command?: Command): Promise<void> {
    await eventLoop();
    this.looked = performance.now();
    for (const slot of this.slots) this.lookAt(slot, command);
    if (this.failure !== null) throw this.failure;
  }

  private lookAt(slot: Slot, command?: Command): void {
    const { words } = this.options.shared;
    const { thread, ended, crashed, dismissed } = slot;
    if (!slot.isReady && Atomics.load(words, slotAt(thread) + READY) === 1) {
      slot.isReady = true;
      slot.failedStarts = 0;
    }
    if (ended === null) return;
    if (command !== undefined) this.release(thread, command);
    // An error while it starts comes again, and so does a hang; an end without one may have been chance.
    const isChance = crashed && !(ended instanceof LepantoError);
    if (slot.isReady || dismissed || (isChance && ++slot.failedStarts < MOST_CRASHES)) this.start(slot);
    else this.failure ??= isChance ? new Error(this.describeFailure()) : ended;
  }

  private describeFailure(): string {
    const { opponents } = this.options.config;
    const agents = Object.entries(opponents).map(([power, agent]) => `${agent} for ${power}`);
    const what = agents.length > 0 ? `, which loads ${agents.join(', ')},` : '';
    return `a thread of the batch${what} has ended ${MOST_CRASHES} times before it was ready, the last time with: ${this.lastCrash}`;
  }

  /** A thread has ended: the chunk that it was at is open again, and its rows are as they were. */
  private release(thread: number, [what, first, end]: Command): void {
    const { memory, shared } = this.options;
    const { states, words } = shared;
    const { chunk } = memory.layout;
    const index = states.indexOf(thread + 1);
    if (index >= 0) {
      const from = first + index * chunk;
      // Before the rows were kept they were not touched.
      if (isStepping(what) && words[slotAt(thread) + KEPT] === index + 1)
        memory.restoreRows(thread, from, Math.min(from + chunk, end));
      states[index] = 0;
    }
    Atomics.store(words, slotAt(thread) + ACTIVE, 0);
  }

  private replace(slot: Slot): void {
    slot.dismissed = true;
    slot.isReady = false;
    dismiss(this.options.shared, slot.thread);
  }

  /** Replaces threads that are slow. The first one stays, and leaves the play to one more. */
  private compare(): void {
    const { spent } = this.options.shared;
    const costs = Array.from({ length: this.slots.length + 1 }, (_, i) => spent[2 * i] / spent[2 * i + 1]);
    const leastBut = (i: number): number => Math.min(...costs.filter((cost, k) => k !== i && Number.isFinite(cost)));
    const isSlow = (pace: Pace, i: number): boolean =>
      Number.isFinite(costs[i]) &&
      Number.isFinite(leastBut(i)) &&
      pace.add(spent[2 * i], costs[i], leastBut(i)) &&
      this.replacementsLeft > 0;
    if (isSlow(this.pace, 0)) {
      this.countReplacement();
      this.plays = false;
      this.open(1);
    }
    for (const slot of this.slots)
      if (isSlow(slot.pace, slot.thread + 1)) {
        this.countReplacement();
        this.replace(slot);
      }
  }

  private countReplacement(): void {
    this.replacementsLeft--;
    this.replaced++;
  }
}
