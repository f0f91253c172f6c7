// Shows the progress of a long command on stderr: a bar on a terminal, else a plain line every few seconds.
import { group } from '../reports/figures.js';
import { catchInterrupt } from './interrupt.js';
import { canRewriteLines, printable } from './output.js';

/** How far it is now. */
export interface Progress {
  readonly done: number;
  /** Shown after the count: a speed, for example. */
  readonly note: string;
}

export interface ProgressOptions {
  /** Of the same unit as `done`; 0 where it is not known: lines say how many are done then. */
  readonly total: number;
  /** 'games' */
  readonly unit: string;
  readonly read: () => Progress;
  /** Shows nothing. */
  readonly quiet: boolean;
}

const BAR_MS = 100;
const LINE_MS = 3000;
const BAR_WIDTH = 24;

const leftFor = (done: number, total: number, seconds: number): string => {
  if (done === 0 || seconds < 1) return '';
  const left = Math.ceil((seconds * (total - done)) / done);
  return left < 100 ? `, ${left} s left` : `, ${Math.ceil(left / 60)} min left`;
};

/** One line without the bar: '512 of 2,048 games, 25 %, 31,000 phase-steps/s, 6 s left'. */
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

/** Begins to show it; the function that comes back stops it, and wipes the bar. */
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
    // Cut to the terminal: a bar that wraps would scroll instead of being drawn over.
    stderr.write(`\r\x1b[2K${`${bar(now.done, total)} ${line(now)}`.slice(0, (stderr.columns || 80) - 1)}`);
  };
  const timer = setInterval(draw, BAR_MS);
  return () => {
    clearInterval(timer);
    stderr.write('\r\x1b[2K');
  };
};

/** Runs some work and shows its progress. */
export const withProgress = async <T>(options: ProgressOptions, work: () => Promise<T>): Promise<T> => {
  const stop = startProgress(options);
  try {
    return await work();
  } finally {
    stop();
  }
};

/**
 * The same for work that Ctrl-C ends in order.
 * @param doing said then: 'waiting for the games that are being written'
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
