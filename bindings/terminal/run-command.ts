// Runs a command: prints its help, or its error as one line, and returns the exit code.
import { hasCode } from '../../engine/rules/error.js';
import type { Options } from '../../selfplay/question/option.js';
import { readError, writeError } from '../../selfplay/records/whole-file.js';
import { ArgumentsError } from './options.js';
import { guardStreams, say } from './output.js';

/** A command, exported by its module. */
export interface Command {
  /** Text that --help prints. */
  readonly help: string;
  /** Options, for completion in shells. */
  readonly options?: Options;
  /** Runs the command and returns the exit code. An error that it throws is printed as one line. */
  readonly run: (args: string[]) => Promise<number>;
}

/** True if the arguments ask for help, before an argument `--`. */
export const asksForHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
};

const READS = ['open', 'scandir', 'opendir', 'stat', 'lstat', 'read'];

/**
 * Returns the message of an error. System errors about files get a message that names the path, as Lepanto's errors.
 */
const messageOf = (error: unknown): string => {
  const { path, syscall = '', message } = error as NodeJS.ErrnoException;
  if (path === undefined || syscall === '') return error instanceof Error ? message : String(error);
  return (READS.includes(syscall) ? readError : writeError)(path, error).message;
};

/**
 * Runs a command, or prints its help for --help. Returns the command's exit code; prints an error that it throws, and
 * returns 2 for wrong arguments, 1 for any other error.
 * @param name name of the command, for messages
 * @param load loads the module of the command
 * @param example arguments of `lepanto` that the help ends with, as an example
 */
export const runCommand = async (
  name: string,
  load: () => Promise<Command>,
  args: string[],
  example?: string,
): Promise<number> => {
  try {
    const { help, run } = await load();
    if (!asksForHelp(args)) return await run(args);
    process.stdout.write(`${help.trim()}\n${example === undefined ? '' : `\nexample: lepanto ${example}\n`}`);
    return 0;
  } catch (error) {
    const seeHelp = error instanceof ArgumentsError ? ` (lepanto ${name} --help)` : '';
    if (process.env.LEPANTO_DEBUG) console.error(error);
    else say(messageOf(error) + seeHelp);
    return hasCode(error, 'usage') ? 2 : 1;
  }
};

/** Runs a program with guarded output streams, and sets the exit code of the process. */
export const runMain = async (main: (args: string[]) => Promise<number>): Promise<void> => {
  guardStreams(say);
  process.exitCode = await main(process.argv.slice(2));
};
