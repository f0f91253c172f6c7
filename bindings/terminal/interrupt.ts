// Handles Ctrl-C: the first lets a command finish its current work, the second ends it at once.
import { sayBeside } from './output.js';

/** Exit code of a command that was ended by Ctrl-C: 128 plus the number of the signal, as in shells. */
export const INTERRUPTED = 130;

/**
 * Milliseconds within which two signals count as one Ctrl-C. npm and npx forward a signal that the terminal has already
 * sent to the command.
 */
const ONE_PRESS_MS = 300;

/** Handler of Ctrl-C while a command is running. */
export interface Interrupt {
  /** Signal that the first Ctrl-C aborts. */
  readonly signal: AbortSignal;
  /** Removes the handler, so that Ctrl-C ends the process again. */
  readonly release: () => void;
}

/**
 * Installs a handler of Ctrl-C: the first aborts the returned signal, the second ends the process.
 * @param doing message for the first Ctrl-C: 'waiting for the games that are being written'
 */
export const catchInterrupt = (doing: string): Interrupt => {
  const controller = new AbortController();
  let last = Number.NEGATIVE_INFINITY;
  const press = (): void => {
    const now = performance.now();
    const again = now - last > ONE_PRESS_MS;
    last = now;
    if (!again) return;
    if (controller.signal.aborted) process.exit(INTERRUPTED);
    sayBeside(`${doing}; Ctrl-C again ends at once`);
    controller.abort();
  };
  process.on('SIGINT', press);
  return { signal: controller.signal, release: () => process.off('SIGINT', press) };
};

/** Quotes an argument for a shell, if necessary. */
const quoteArgument = (text: string): string =>
  /^[\w./,:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Formats a command for messages: 'npx lepanto selfplay --games 9 --out runs/mine'. LEPANTO_COMMAND replaces 'npx
 * lepanto', for the Python package.
 */
export const formatCommand = (args: readonly string[]): string =>
  [process.env.LEPANTO_COMMAND ?? 'npx lepanto', ...args.map(quoteArgument)].join(' ');

/** Prints a line about an interrupted command on standard error. @param text how far it came, and how to continue */
export const sayInterrupted = (text: string): void => {
  process.stderr.write(`lepanto: interrupted: ${text}\n`);
};
