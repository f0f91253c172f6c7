// Starts, watches and closes the worker threads of a pool. The package piscina queues their tasks, and replaces threads
// that have ended.
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { addedMaps } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { lendScratch } from '../../engine/rules/scratch.js';
import { Crash } from './crashes.js';
import type { Faults } from './faults.js';
import { type CodeWatch, Watchdog } from './watchdog.js';
import type { TaskAnswer, ThreadTask, Thrown, WorkerData, WorkerTask } from './worker.js';

const CLOSED = 'the pool was closed';

/**
 * Node options of worker threads. Piscina first tries to load a worker's module with require(). If a thread is
 * terminated while require() loads ECMAScript modules, the whole process crashes (Node 20.20, "IsGraphAsync must be
 * used on an instantiated module"). With require() of such modules turned off, piscina uses import() at once.
 */
export const threadArguments: string[] = [
  ...process.execArgv,
  ...(process.allowedNodeEnvironmentFlags.has('--no-experimental-require-module')
    ? ['--no-experimental-require-module']
    : []),
];

const workerDataFor = (faults: Faults | undefined, choiceMs: number): WorkerData => ({
  faults,
  choiceMs,
  get scratch() {
    return lendScratch();
  },
  get maps() {
    return addedMaps();
  },
});

const asThrown = ({ error, code }: Thrown): Error =>
  code === null ? error : new LepantoError(code, error.message, { cause: error });

/** Worker threads that run one task at a time each. Tasks start in the order given. */
export class Threads {
  /** Number of threads started so far, including replacements. */
  started = 0;
  /** Number of tasks whose thread has ended. */
  crashed = 0;
  private readonly piscina: Piscina<ThreadTask, TaskAnswer>;
  /** Threads that have not ended. Kept here because piscina forgets a thread as soon as it has an error. */
  private readonly live = new Set<Worker>();
  private closed = false;

  /**
   * Starts threads.
   * @param count maximum number of threads
   * @param started number of threads to start now; the others start when a task finds no free thread
   * @param choiceMs time limit of one choice for agents in separate processes, in milliseconds; 0 for no limit
   */
  constructor(count: number, started: number, choiceMs: number, faults?: Faults) {
    this.piscina = new Piscina<ThreadTask, TaskAnswer>({
      filename: new URL('./worker.js', import.meta.url).href,
      execArgv: threadArguments,
      minThreads: started,
      maxThreads: count,
      idleTimeout: Number.POSITIVE_INFINITY,
      recordTiming: false,
      stricterFIFO: true,
      workerData: workerDataFor(faults, choiceMs),
      ...(faults?.how === 'memory' ? { resourceLimits: { maxOldGenerationSizeMb: 64 } } : {}),
    });
    this.piscina.on('workerCreate', () => this.follow());
    // Ignores threads that end without a task: piscina replaces them.
    this.piscina.on('error', () => {});
  }

  /**
   * Runs a task in a thread, and resolves with its result.
   * @param watch time limit and callback for warnings, for tasks that run user code
   * @throws Crash if the thread has ended; LepantoError if a user module has ended the thread or was too slow, or if
   *   the threads are closed; any error that the task throws
   */
  async run(task: WorkerTask, watch?: CodeWatch): Promise<unknown> {
    if (this.closed) throw new LepantoError('worker', CLOSED);
    const watchdog = watch === undefined ? null : new Watchdog(watch.limit, (thread) => void this.end(thread));
    let answer: TaskAnswer;
    try {
      answer = await this.piscina.run({ ...task, heartbeat: watchdog?.heartbeat ?? null });
    } catch (error) {
      throw this.explain(error as Error, watchdog);
    } finally {
      watchdog?.stop();
    }
    if ('error' in answer) throw asThrown(answer);
    for (const warning of answer.warnings) watch?.onWarning(warning);
    return answer.value;
  }

  /**
   * Converts an error of piscina to the error that run() throws. Counts a crash unless the threads are closed or the
   * data cannot be sent.
   */
  private explain(error: Error, watchdog: Watchdog | null): Error {
    if (this.closed) return new LepantoError('worker', CLOSED);
    if (error.name === 'DataCloneError') return error;
    this.crashed++;
    return watchdog?.explain(error) ?? new Crash(error);
  }

  /** Terminates a thread. Does nothing if it has ended. @param thread threadId of the thread */
  async end(thread: number): Promise<void> {
    await this.piscina.threads.find(({ threadId }) => threadId === thread)?.terminate();
  }

  /** Terminates all threads, even in the middle of a task. Resolves when all have ended. */
  async close(): Promise<void> {
    this.closed = true;
    // Waits for threads that piscina has forgotten first: it would replace a thread that ends after destroy().
    const known = this.piscina.threads;
    await Promise.all([...this.live].filter((thread) => !known.includes(thread)).map((thread) => once(thread, 'exit')));
    await this.piscina.destroy();
  }

  /** Adds newly started threads to `live`. */
  private follow(): void {
    for (const thread of this.piscina.threads) {
      if (this.live.has(thread)) continue;
      this.started++;
      this.live.add(thread);
      thread.once('exit', () => this.live.delete(thread));
    }
  }
}
