// Writes standard output, and handles failures to write it or standard error.
import type { Writable } from 'node:stream';
import { stringifyJson } from '../../engine/notation/json/long-ids.js';
import { describeTrouble } from '../../selfplay/records/whole-file.js';

/**
 * Ends the process when its output cannot be written: quietly where the reader has gone, as `head` does, else with one
 * line and exit code 1. Nothing is said about standard error, which is where it would be said.
 */
export const guardStreams = (say: (message: string) => void): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    say(`cannot write standard output: ${describeTrouble(error)}`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});
};

/**
 * Text of others for a terminal. Control characters and changes of direction, which could rewrite what was printed before
 * or give a terminal orders, are replaced.
 */
export const printable = (text: string): string => text.replace(/(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');

/** True if standard error is a terminal that can write over a line. TERM=dumb (Emacs, some CI) cannot. */
export const canRewriteLines = (): boolean => process.stderr.isTTY === true && process.env.TERM !== 'dumb';

/** Says something in a line of its own on standard error. */
export const say = (text: string): void => {
  process.stderr.write(`lepanto: ${printable(text).replace(/\s*\n\s*/g, ' ')}\n`);
};

/** The same while a command is running: in place of the bar on a terminal. */
export const sayBeside = (text: string): void => {
  if (canRewriteLines()) process.stderr.write('\r\x1b[2K');
  say(text);
};

/**
 * Writes, and waits while the reader is slow. False once the reader has gone.
 * @param signal ends the wait: the rest is written as it is taken
 */
export const writeText = (output: Writable, text: string, signal?: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    if (output.destroyed || output.write(text)) {
      resolve(!output.destroyed);
      return;
    }
    const settle = (isOpen: boolean): void => {
      output.off('drain', open).off('close', closed).off('error', closed);
      signal?.removeEventListener('abort', open);
      resolve(isOpen);
    };
    const open = (): void => settle(true);
    const closed = (): void => settle(false);
    output.once('drain', open).once('close', closed).once('error', closed);
    signal?.addEventListener('abort', open);
  });

/** Prints a line of JSON on standard output, or a text that ends its own last line. */
export const print = (json: boolean, record: () => unknown, text: () => string): void => {
  process.stdout.write(json ? `${stringifyJson(record())}\n` : printable(text()));
};
