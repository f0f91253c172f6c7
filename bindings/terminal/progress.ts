// Shows the progress of a command on stderr: a bar on a terminal, otherwise a line every few seconds.
import { group } from '../reports/figures.js';
import { catchInterrupt } from './interrupt.js';
import { canRewriteLines, printable } from './output.js';

/** Progress of a command. */
export interface Progress {
  /** Finished amount, in the unit of ProgressOptions.total. */
  readonly done: number;
  /** Text after the count, such as a speed; '' for none. */
  readonly note: string;
}

/** Options for showing progress. */
export interface ProgressOptions {
  /** Total amount; 0 if unknown. Then lines show only the finished amount. */
  readonly total: number;
  /** Name of the unit: 'games'. */
  readonly unit: string;
  /** Returns the current progress. */
  readonly read: () => Progress;
  /** True to show no progress. */
  readonly quiet: boolean;
}

const BAR_MS = 100;
const LINE_MS = 3000;
const BAR_WIDTH = 24;

/** Formats the estimated remaining time: ', 6 s left'. '' in the first second, and while nothing is done. */
const leftFor = (done: number, total: number, seconds: number): string => {
  if (done === 0 || seconds < 1) return '';
  const left = Math.ceil((seconds * (total - done)) / done);
  return left < 100 ? `, ${left} s left` : `, ${Math.ceil(left / 60)} min left`;
};

/**
 * Formats progress as a line without a bar: '512 of 2,048 games, 25 %, 31,000 phase-steps/s, 6 s left'.
 * @param total total amount; 0 if unknown
 * @param unit name of the unit: 'games'
 * @param seconds elapsed time
 */
export const progressLine = ({ done, note }: Progress, total: number, unit: string, seconds: number): string => {
  const middle = note === '' ? '' : `, ${note}`;
  if (total === 0) return `${group(done)} ${unit}${middle}`;
  const share = Math.floor((100 * done) / total);
  return `${group(done)} of ${group(total)} ${unit}, ${share} %${middle}${leftFor(done, total, seconds)}`;
};

const bar = (done: number, total: number): string => {
  const full = Math.floor((BAR_WIDTH * done) / total);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_WIDTH - full)}]`;
};

/** Starts to show progress. Returns a function that stops it and removes the bar. */
export const startProgress = ({ total, unit, read, quiet }: ProgressOptions): (() => void) => {
  if (quiet) return () => {};
  const { stderr } = process;
  const begin = performance.now();
  const line = (now: Progress): string => printable(progressLine(now, total, unit, (performance.now() - begin) / 1000));
  if (!canRewriteLines() || total === 0) {
    let last = -1;
    const timer = setInterval(() => {
      const now = read();
      if (total > 0 || now.done !== last) stderr.write(`${line(now)}\n`);
      last = now.done;
    }, LINE_MS);
    return () => clearInterval(timer);
  }
  const draw = (): void => {
    const now = read();
    // The bar is cut to the width of the terminal, because a bar that wraps would not be overwritten.
    stderr.write(`\r\x1b[2K${`${bar(now.done, total)} ${line(now)}`.slice(0, (stderr.columns || 80) - 1)}`);
  };
  const timer = setInterval(draw, BAR_MS);
  return () => {
    clearInterval(timer);
    stderr.write('\r\x1b[2K');
  };
};

/** Shows progress while `work` runs. Resolves to its result, and rejects with its error. */
export const withProgress = async <T>(options: ProgressOptions, work: () => Promise<T>): Promise<T> => {
  const stop = startProgress(options);
  try {
    return await work();
  } finally {
    stop();
  }
};

/**
 * Shows progress while `work` runs. The first Ctrl-C aborts the signal that `work` gets, the second ends the process.
 * @param doing message for the first Ctrl-C: 'waiting for the games that are being written'
 */
export const interruptible = async <T>(
  doing: string,
  options: ProgressOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const { signal, release } = catchInterrupt(doing);
  try {
    return await withProgress(options, () => work(signal));
  } finally {
    release();
  }
};
