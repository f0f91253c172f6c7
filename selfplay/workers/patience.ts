// How long code of a user may take for one answer, and how much memory.
import { getHeapStatistics } from 'node:v8';
import { type Notes, type Remark, readNotes } from './notes.js';

/** Milliseconds of one choice if nobody says otherwise: an endless loop is found, and a slow search is not. */
export const CHOICE_MS = 60_000;

/** How code of users in a thread is watched. */
export interface CodeWatch {
  /** Milliseconds that it may take for one answer; 0 for as many as it likes. */
  readonly limit: number;
  /** Told what the code did outside its answers. */
  readonly onRemark: (remark: Remark) => void;
}

/** How often a thread is looked at. */
export const LOOK_MS = 50;

/** Between two looks no more than this counts: the whole process may have been stopped. */
const MOST_BETWEEN_MS = 4 * LOOK_MS;

/** What the process may grow by while one answer is waited for. V8 would end it at about twice as much. */
const mostGrowth = getHeapStatistics().heap_size_limit / 2;

const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

/** Looks at one thread again and again. */
export class Patience {
  private readonly notes: Notes;
  private readonly limit: number;
  private turn = 0;
  private spent = 0;
  private last = 0;
  private memory = 0;

  /** @param limit milliseconds for one answer; 0 for as many as it takes */
  constructor(notes: Notes, limit: number) {
    this.notes = notes;
    this.limit = limit;
  }

  /** Why the thread has to be ended; null if it need not be. */
  look(): string | null {
    const { isRunning, text, turn } = readNotes(this.notes);
    const now = performance.now();
    if (!isRunning) {
      this.turn = turn;
      return null;
    }
    if (turn !== this.turn) {
      this.turn = turn;
      this.spent = 0;
      this.memory = process.memoryUsage.rss();
    } else this.spent += Math.min(now - this.last, MOST_BETWEEN_MS);
    this.last = now;
    if (this.limit > 0 && this.spent > this.limit) return `${text}: got no answer in ${this.limit / 1000} s`;
    const growth = process.memoryUsage.rss() - this.memory;
    return growth > mostGrowth ? `${text}: took ${gigabytes(growth)} of memory for one answer` : null;
  }
}

/** Node's words for a thread that has ended, in ours. */
const describeEnd = (error: Error): string => {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') return 'ran out of memory';
  const [, code] = /exit(?:ed with)? code:? (\d+)/.exec(error.message) ?? [];
  return code === undefined ? error.message : `ended its thread, with exit code ${code}`;
};

/** Why a thread has ended, with what it was at or had just done if that was code of a user. */
export const nameEnd = (notes: Notes, error: Error): Error => {
  const { text, isRunning } = readNotes(notes);
  if (text === '') return error;
  return new Error(`${isRunning ? '' : 'after '}${text}: ${describeEnd(error)}`, { cause: error });
};
