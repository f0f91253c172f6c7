// Standard output and standard error: what happens when they cannot be written.
import { writeSync } from 'node:fs';
import { describeTrouble, writeError } from '../../selfplay/records/whole-file.js';

const STANDARD_OUTPUT = 'standard output';

/**
 * Ends the process when its output cannot be written: quietly where the reader has gone, as `head` does, else with one
 * line and exit code 1. Nothing is said about standard error, which is where it would be said.
 */
export const guardStreams = (say: (message: string) => void): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    say(`cannot write ${STANDARD_OUTPUT}: ${describeTrouble(error)}`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});
};

const pause = new Int32Array(new SharedArrayBuffer(4));
const PAUSE_MS = 5;

/** Writes what it can; 0 while a pipe is full. */
const writeSome = (bytes: Uint8Array, from: number): number => {
  try {
    return writeSync(1, bytes, from);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EPIPE') process.exit(0);
    if (code !== 'EAGAIN') throw writeError(STANDARD_OUTPUT, error);
    Atomics.wait(pause, 0, 0, PAUSE_MS);
    return 0;
  }
};

/**
 * Writes text to standard output and waits until it is out: for loops that make more than memory holds.
 * @throws Error that says why it cannot be written
 */
export const writeOut = (text: string): void => {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSome(bytes, done);
};
