// How long code of users may take for one answer, and how much memory.

import { getHeapStatistics } from 'node:v8';
import { LepantoError } from '../../engine/rules/error.js';
import { wholeIn } from '../question/option.js';
import { type AgentWarning, makeHeartbeat, readHeartbeat } from './user-code.js';

/** Default milliseconds of one choice: an endless loop is found, and a slow search is not. */
export const CHOICE_MS = 60_000;

/** Time limit of one choice, up to a day. */
export const choiceMsOption = {
  ...wholeIn(0, 86_400_000),
  default: CHOICE_MS,
  help: 'milliseconds for one choice of a module, 0: no limit',
} as const;

let choiceLimit = CHOICE_MS;

/** Milliseconds for a choice of a bot in a process of its own; 0 for as many as it takes. */
export const limitOfChoice = (): number => choiceLimit;
/** Sets it for agents that are made from now on in this thread. */
export const limitChoices = (limit: number): void => {
  choiceLimit = limit;
};

/** How code of users in a thread is watched. */
export interface CodeWatch {
  /** Milliseconds that it may take for one answer; 0 for as many as it likes. */
  readonly limit: number;
  /** Called with each kind of fault that the code has shown. */
  readonly onWarning: (warning: AgentWarning) => void;
}

const LOOK_MS = 50;

/** Between two looks no more than this counts: the whole process may have been stopped. */
const MOST_BETWEEN_MS = 4 * LOOK_MS;

/** What the process may grow by while one answer is waited for. V8 would end it at about twice as much. */
const mostGrowth = getHeapStatistics().heap_size_limit / 2;

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

const describeCause = (error: Error): string => {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return 'ran out of memory';
  const [, code] = /exit(?:ed with)? code:? (\d+)/.exec(error.message) ?? [];
  return code === undefined ? error.message : `ended its thread, with exit code ${code}`;
};

/** Looks at one thread while it runs code of a user. */
export class Watchdog {
  readonly heartbeat = makeHeartbeat();
  /** Why the thread had to be ended. */
  private found: LepantoError | null = null;
  private beat = 0;
  private spent = 0;
  private last = 0;
  private memory = 0;
  private readonly timer = setInterval(() => this.look(), LOOK_MS);

  /** @param limit milliseconds for one answer; 0 for any @param end is called once, with the number of the thread */
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

  /** Why the thread has ended: an error that names the code of a user that it ran then, or last; null if it ran none. */
  explain(error: Error): LepantoError | null {
    const { text, isRunning } = readHeartbeat(this.heartbeat);
    if (this.found !== null || text === '') return this.found;
    const what = `${isRunning ? '' : 'after '}${text}: ${describeCause(error)}`;
    return new LepantoError('agent', what, { cause: error });
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
