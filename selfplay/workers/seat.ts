// A seat of the pool holds one worker thread at a time. Each seat has a piscina of its own, so that its worker can be
// replaced without the others.
import { Piscina } from 'piscina';
import { addedMaps } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { lendScratch } from '../../engine/rules/scratch.js';
import type { Faults } from './faults.js';
import { makeNotes, type Notes } from './notes.js';
import { type CodeWatch, LOOK_MS, nameEnd, Patience } from './patience.js';
import type { TaskAnswer, WorkerData, WorkerTask } from './worker.js';

/** Thrown for any request to a closed pool. */
export const CLOSED = 'the pool was closed';

/**
 * Options of Node for a thread. piscina loads a worker's module with require() first; a thread that is ended while
 * require() is loading modules of ECMAScript takes the whole process down with it (Node 20.20, "IsGraphAsync must be
 * used on an instantiated module"). Without that kind of require() piscina turns to import() at once.
 */
export const threadArguments: string[] = [
  ...process.execArgv,
  ...(process.allowedNodeEnvironmentFlags.has('--no-experimental-require-module')
    ? ['--no-experimental-require-module']
    : []),
];

/** Room for one worker. */
export class Seat {
  readonly index: number;
  time = 0;
  busy = false;
  /** False once the worker has ended. */
  alive = false;
  private readonly faults: Faults | undefined;
  private readonly choiceMs: number;
  private piscina: Piscina<WorkerTask, TaskAnswer> | null = null;
  private notes: Notes = makeNotes();
  private ended: Promise<void> = Promise.resolve();
  private closing: Promise<void> = Promise.resolve();
  private last: Promise<unknown> = Promise.resolve();
  private closed = false;

  constructor(index: number, faults: Faults | undefined, choiceMs: number) {
    this.index = index;
    this.faults = faults;
    this.choiceMs = choiceMs;
    this.open();
  }

  private open(): void {
    const memory = this.faults?.how === 'memory' ? { resourceLimits: { maxOldGenerationSizeMb: 64 } } : {};
    this.notes = makeNotes();
    const workerData: WorkerData = {
      faults: this.faults,
      notes: this.notes,
      scratch: lendScratch(),
      maps: addedMaps(),
      choiceMs: this.choiceMs,
    };
    const piscina = new Piscina<WorkerTask, TaskAnswer>({
      filename: new URL('./worker.js', import.meta.url).href,
      execArgv: threadArguments,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      recordTiming: false,
      workerData,
      ...memory,
    });
    const [thread] = piscina.threads;
    this.ended = new Promise((resolve) => {
      if (thread === undefined) resolve();
      else thread.once('exit', () => resolve());
    });
    // piscina replaces a worker that has ended by one that is neither warm nor measured.
    piscina.on('workerDestroy', () => {
      if (this.piscina === piscina) this.alive = false;
    });
    // What a worker throws outside its tasks ends it; the next task for it finds that out.
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
  async run(task: WorkerTask, watch?: CodeWatch): Promise<unknown> {
    if (this.piscina === null) throw new LepantoError('worker', CLOSED);
    if (watch === undefined) return (await this.piscina.run(task)).value;
    const { value, remarks } = await this.runWatched(this.piscina, task, watch);
    remarks.forEach(watch.onRemark);
    return value;
  }

  /** Ends the worker if code of a user hangs in it, and says what it was at when it ended. */
  private async runWatched(
    piscina: Piscina<WorkerTask, TaskAnswer>,
    task: WorkerTask,
    { limit }: CodeWatch,
  ): Promise<TaskAnswer> {
    const { notes } = this;
    const patience = new Patience(notes, limit);
    let lost: string | null = null;
    const timer = setInterval(() => {
      if (lost !== null) return;
      lost = patience.look();
      if (lost !== null) void this.end();
    }, LOOK_MS);
    try {
      return await piscina.run(task);
    } catch (error) {
      if (lost !== null) throw new Error(lost);
      throw this.alive ? error : nameEnd(notes, error as Error);
    } finally {
      clearInterval(timer);
    }
  }

  /** Starts another worker in the place of this one. */
  async replace(): Promise<void> {
    await this.end();
    if (this.closed) throw new LepantoError('worker', CLOSED);
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
