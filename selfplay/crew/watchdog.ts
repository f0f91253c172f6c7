// Limits the time and memory that user code may take for one answer.

import { getHeapStatistics } from 'node:v8';
import { LepantoError } from '../../engine/rules/error.js';
import { wholeIn } from '../question/option.js';
import { type AgentWarning, makeHeartbeat, readHeartbeat } from './user-code.js';

/** Default time limit of one choice of an agent, in milliseconds. Stops endless loops, but no slow searches. */
export const CHOICE_MS = 60_000;

/** Option for the time limit of one choice of an agent, 0 to a day. */
export const choiceMsOption = {
  ...wholeIn(0, 86_400_000),
  default: CHOICE_MS,
  help: 'time limit for one choice of a module, in milliseconds; 0: none',
} as const;

let choiceLimit = CHOICE_MS;

/**
 * Returns the time limit of one choice for bots in separate processes of this thread, in milliseconds; 0 for no limit.
 */
export const limitOfChoice = (): number => choiceLimit;
/**
 * Sets the time limit that limitOfChoice() returns in this thread. Applies to agents that are made later.
 * @param limit milliseconds; 0 for no limit
 */
export const limitChoices = (limit: number): void => {
  choiceLimit = limit;
};

/** Limits and callbacks for user code in a thread. */
export interface CodeWatch {
  /** Time limit of one answer, in milliseconds. 0 for no limit. */
  readonly limit: number;
  /** Called after a task with each warning of the task, one for each kind and agent. */
  readonly onWarning: (warning: AgentWarning) => void;
}

/** Time between two checks of a thread, in milliseconds. */
const LOOK_MS = 50;

/** Maximum time that counts between two checks, in milliseconds. More may pass if the whole process is suspended. */
const MOST_BETWEEN_MS = 4 * LOOK_MS;

/** Maximum growth of the process during one answer, in bytes. V8 would abort at about twice as much. */
const mostGrowth = getHeapStatistics().heap_size_limit / 2;

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

const describeCause = (error: Error): string => {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return 'ran out of memory';
  const [, code] = /exit(?:ed with)? code:? (\d+)/.exec(error.message) ?? [];
  return code === undefined ? error.message : `ended its thread, with exit code ${code}`;
};

/** Watches the thread of one task while it runs user code. */
export class Watchdog {
  /** Shared memory in which the thread writes its calls of user code. */
  readonly heartbeat = makeHeartbeat();
  /** Error that names the limit that user code has exceeded. Null if it has exceeded none. */
  private found: LepantoError | null = null;
  /** Counter of begun and ended calls of user code (Heartbeat) at the last check. */
  private beat = 0;
  /** Time that the current answer has taken so far, in milliseconds. */
  private spent = 0;
  /** Time of the last check, from performance.now(). */
  private last = 0;
  /** Memory of the process when the current answer began, in bytes. */
  private memory = 0;
  private readonly timer = setInterval(() => this.look(), LOOK_MS);

  /**
   * Begins to watch, until stop() is called.
   * @param limit time limit of one answer in milliseconds; 0 for no limit
   * @param end called once with the number of the thread, if a limit is exceeded
   */
  constructor(
    private readonly limit: number,
    private readonly end: (thread: number) => void,
  ) {}

  private look(): void {
    const { isRunning, text, beat, thread } = readHeartbeat(this.heartbeat);
    const now = performance.now();
    if (!isRunning || this.found !== null) {
      this.beat = beat;
      return;
    }
    if (beat === this.beat) this.spent += Math.min(now - this.last, MOST_BETWEEN_MS);
    else {
      this.beat = beat;
      this.spent = 0;
      this.memory = process.memoryUsage.rss();
    }
    this.last = now;
    const growth = process.memoryUsage.rss() - this.memory;
    if (this.limit > 0 && this.spent > this.limit)
      this.found = new LepantoError('agent', `${text}: got no answer in ${this.limit / 1000} s`);
    else if (growth > mostGrowth)
      this.found = new LepantoError('agent', `${text}: took ${gigabytes(growth)} of memory for one answer`);
    if (this.found !== null) this.end(thread);
  }

  /**
   * Returns an error that names the user code that was running, or ran last, when the thread ended. Null if the thread
   * ran no user code.
   * @param error error with which the thread ended
   */
  explain(error: Error): LepantoError | null {
    const { text, isRunning } = readHeartbeat(this.heartbeat);
    if (this.found !== null || text === '') return this.found;
    const what = `${isRunning ? '' : 'after '}${text}: ${describeCause(error)}`;
    return new LepantoError('agent', what, { cause: error });
  }

  /** Stops watching the thread. */
  stop(): void {
    clearInterval(this.timer);
  }
}
