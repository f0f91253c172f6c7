// Finds starts of V8 that are slow for good: of single-threaded processes, by the check that workers measure themselves
// with. About one start in 25 is, because a function was deoptimized at the wrong moment. Such a process is measured anew,
// and the result says how many there were.
import { median } from './statistics.js';

/** A start this many times slower than the median is slow. */
export const SLOW_START = 1.25;
/** Of fewer processes there is no saying which is slow. */
const LEAST_STARTS = 3;
const MOST_REPLACED = 0.2;
/** How many processes are measured anew at most: a fifth, or one. */
export const mostReplaced = (processes: number): number =>
  processes < LEAST_STARTS ? 0 : Math.max(1, Math.floor(processes * MOST_REPLACED));

/** Nanoseconds of a phase-step in checkSelf() (selfplay/crew/self-check.ts): of the main thread, and of each worker. */
export interface StartTimes {
  readonly main: number;
  readonly workers: readonly number[];
}

/** By start: how many times the median its thread takes, or the slowest of its workers that of all workers. */
export const slowness = (starts: readonly StartTimes[]): number[] => {
  const main = median(starts.map((start) => start.main));
  const worker = median(starts.flatMap((start) => start.workers));
  return starts.map((start) => Math.max(start.main / main, ...start.workers.map((time) => time / worker)));
};

/** Place of the slowest start, if it is slow; -1 if none is. */
export const findSlowest = (starts: readonly StartTimes[]): number => {
  const times = slowness(starts);
  const most = Math.max(...times);
  return most > SLOW_START ? times.indexOf(most) : -1;
};

/** What a result says of its starts. */
export interface Starts {
  /** Processes started, and those of them that were slow and were measured anew. */
  readonly started: number;
  readonly replaced: number;
  /** Of those that count, how many times the median each takes, in the order in which they ran. */
  readonly slowness: readonly number[];
}
