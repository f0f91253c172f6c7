// Starts, watches and replaces the worker threads of a pool. They wait for tasks in one piscina, which also starts another
// thread when one has ended.
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

/** A number of threads, each of which runs one task at a time; tasks begin in the order in which they are given. */
export class Threads {
  started = 0;
  crashed = 0;
  private readonly piscina: Piscina<ThreadTask, TaskAnswer>;
  /** Threads that have not ended. piscina forgets one as soon as it has an error. */
  private readonly live = new Set<Worker>();
  private closed = false;

  /** @param count of threads at most @param started of them at once; the others start when none is free for a task */
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
    // A thread that ends without a task is replaced: that is all.
    this.piscina.on('error', () => {});
  }

  /**
   * @throws Crash if its thread has ended; LepantoError if a user's module has ended its thread or was too slow, or if the
   * threads are closed; what the task has thrown
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

  private explain(error: Error, watchdog: Watchdog | null): Error {
    if (this.closed) return new LepantoError('worker', CLOSED);
    if (error.name === 'DataCloneError') return error;
    this.crashed++;
    return watchdog?.explain(error) ?? new Crash(error);
  }

  async end(thread: number): Promise<void> {
    await this.piscina.threads.find(({ threadId }) => threadId === thread)?.terminate();
  }

  /** Ends all threads, whatever they are doing. None is left when it resolves. */
  async close(): Promise<void> {
    this.closed = true;
    // piscina would replace a thread that ends after destroy().
    const known = this.piscina.threads;
    await Promise.all([...this.live].filter((thread) => !known.includes(thread)).map((thread) => once(thread, 'exit')));
    await this.piscina.destroy();
  }

  private follow(): void {
    for (const thread of this.piscina.threads) {
      if (this.live.has(thread)) continue;
      this.started++;
      this.live.add(thread);
      thread.once('exit', () => this.live.delete(thread));
    }
  }
}
