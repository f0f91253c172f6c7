// Writes to standard output and standard error, and handles failures of these streams.
import type { Writable } from 'node:stream';
import { stringifyJson } from '../../engine/notation/json/long-ids.js';
import { describeTrouble } from '../../selfplay/records/whole-file.js';

/**
 * Ends the process if standard output cannot be written: silently if the reader has closed it, as `head` does,
 * otherwise with a message and exit code 1. Failures of standard error are ignored.
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
 * Makes untrusted text safe for a terminal. Replaces control characters, except tabs and line feeds, and characters
 * that change the text direction by U+FFFD. They could hide earlier output or control the terminal.
 */
export const printable = (text: string): string => text.replace(/(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');

/** True if standard error is a terminal that can overwrite a line. TERM=dumb (Emacs, some CI) cannot. */
export const canRewriteLines = (): boolean => process.stderr.isTTY === true && process.env.TERM !== 'dumb';

/** Prints a message on one line of standard error, after 'lepanto: '. */
export const say = (text: string): void => {
  process.stderr.write(`lepanto: ${printable(text).replace(/\s*\n\s*/g, ' ')}\n`);
};

/** Prints a message on standard error in place of a progress bar that may be visible. */
export const sayBeside = (text: string): void => {
  if (canRewriteLines()) process.stderr.write('\r\x1b[2K');
  say(text);
};

/**
 * Writes text and waits until the stream accepts more. Resolves to false if the reader has closed the stream.
 * @param signal ends the waiting early; the text is still written
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

/**
 * Prints a record on standard output: as a line of JSON if `json` is true, otherwise as text made safe for a terminal.
 * Only one of the functions is called.
 * @param record returns the record
 * @param text returns its text, with its last line end
 */
export const print = (json: boolean, record: () => unknown, text: () => string): void => {
  process.stdout.write(json ? `${stringifyJson(record())}\n` : printable(text()));
};
