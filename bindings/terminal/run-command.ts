// Runs a command: prints its help, or its error as one line with the exit code that fits.
import { hasCode, isSimilar } from '../../engine/rules/error.js';
import { guardStreams, say } from './output.js';

/** A module of a command. */
export interface Command {
  /** Text that --help prints. Null for a program that prints its own. */
  readonly help: string | null;
  /** Returns the exit code. An error that it throws is printed as one line. */
  readonly run: (args: string[]) => Promise<number>;
}

/** Rewords a message of node:util's parseArgs. */
const parseTrouble = (error: NodeJS.ErrnoException, name: string, help: string): string => {
  const [, quoted = ''] = /'([^']*)'/.exec(error.message) ?? [];
  const [option] = quoted.split(/[ ,]/);
  const seeHelp = `(lepanto ${name} --help)`;
  if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const options = [...new Set(help.match(/--[a-z][a-z-]*/g) ?? [])];
    const near = options.filter(
      (one) => isSimilar(option, one) || (option.length > 4 && one.startsWith(option.slice(0, 5))),
    );
    return `got the option ${option}, ${near.length > 0 ? `did you mean ${near.join(' or ')}?` : `wanted one of ${options.join(', ')}`} ${seeHelp}`;
  }
  if (error.code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return `got "${quoted}", wanted options alone ${seeHelp}`;
  if (error.message.includes('ambiguous'))
    return `${option}: got a value with a dash before it, wanted ${option}=VALUE`;
  if (error.message.includes('does not take')) return `${option}: got a value, wanted none ${seeHelp}`;
  return error.message.includes('missing') ? `${quoted}: got nothing, wanted a value ${seeHelp}` : error.message;
};

const isParseError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS');

const isUsageError = (error: unknown): boolean =>
  error instanceof Error && (hasCode(error, 'usage') || isParseError(error));

const asksForHelp = (args: readonly string[]): boolean => {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
};

/**
 * Runs a command and returns its exit code: 2 for a wrong call, 1 for another error.
 * @param name of the command, for messages
 */
export const runCommand = async (name: string, load: () => Promise<Command>, args: string[]): Promise<number> => {
  let help = '';
  try {
    const command = await load();
    help = command.help ?? '';
    if (command.help === null || !asksForHelp(args)) return await command.run(args);
    process.stdout.write(`${help.trim()}\n`);
    return 0;
  } catch (error) {
    if (process.env.LEPANTO_DEBUG) console.error(error);
    else if (isParseError(error)) say(parseTrouble(error, name, help));
    else say(error instanceof Error ? error.message : String(error));
    return isUsageError(error) ? 2 : 1;
  }
};

/** Runs a program: guards its output, and sets the exit code of the process. */
export const runMain = async (main: (args: string[]) => Promise<number>): Promise<void> => {
  guardStreams(say);
  process.exitCode = await main(process.argv.slice(2));
};
