// Handles Ctrl-C: the first one lets a command finish its current work, the second one ends it at once.
import { sayBeside } from './output.js';

/** Exit code of a command that Ctrl-C has ended: 128 plus the number of the signal, as in shells. */
export const INTERRUPTED = 130;

/** Signals so close together are one press: npm and npx pass on to a command what the terminal has sent it already. */
const ONE_PRESS_MS = 300;

export interface Interrupt {
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** Ctrl-C ends the process again. */
  readonly release: () => void;
}

/**
 * Takes over Ctrl-C until it is released.
 * @param doing said at the first one: 'waiting for the games that are being written'
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

/** An argument as a shell reads it. */
const quoteArgument = (text: string): string =>
  /^[\w./,:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A command for a message: 'npx lepanto selfplay --games 9 --out runs/mine', or as the Python package is called. */
export const formatCommand = (args: readonly string[]): string =>
  [process.env.LEPANTO_COMMAND ?? 'npx lepanto', ...args.map(quoteArgument)].join(' ');

/** Says how far a command came, and how to continue. */
export const sayInterrupted = (text: string): void => {
  process.stderr.write(`lepanto: interrupted: ${text}\n`);
};
