// Programs of the benchmark that users start by path: options as data, --help, wrong arguments.
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { optionText, readArguments } from '../../bindings/terminal/options.js';
import { type ProgressOptions, withProgress } from '../../bindings/terminal/progress.js';
import { asksForHelp } from '../../bindings/terminal/run-command.js';
import { UsageError } from '../../bindings/terminal/usage.js';
import type { Options, ValuesOf } from '../../selfplay/question/option.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A program that has help and options. */
export interface Program<T extends Options> {
  /** Text of the help between the usage and the options, at most 80 characters a line. */
  readonly about: string;
  /** Name of the required argument besides the options, such as AGENT. Default: no such argument is allowed. */
  readonly operand?: string;
  readonly options: T;
}

/**
 * Prints the help for --help. Otherwise reads the arguments and calls main().
 * @param args arguments of the command line
 * @param main gets the values of the options, and the operand ('' for a program without one)
 * @throws UsageError for a wrong argument; what main() throws
 */
export const runProgram = async <T extends Options>(
  args: readonly string[],
  { about, operand, options }: Program<T>,
  main: (values: ValuesOf<T>, operand: string) => unknown,
): Promise<void> => {
  if (asksForHelp(args)) {
    const usage = ['node', relative(root, process.argv[1]), ...(operand === undefined ? [] : [operand]), '[OPTIONS]'];
    const parts = [`usage: ${usage.join(' ')}`, about.trim(), optionText(options)];
    process.stdout.write(`${parts.join('\n\n').trim()}\n`);
    return;
  }
  const { values, positionals } = readArguments(args, options);
  const wanted = operand === undefined ? 0 : 1;
  if (positionals.length !== wanted)
    throw new UsageError(`got ${positionals.join(' ') || 'nothing'}, wanted ${operand ?? 'options only'} (--help)`);
  await main(values, positionals[0] ?? '');
};

/**
 * Runs work of `total` units and shows how many are done. Returns its result.
 * @param run does the work, and calls onDone() with the number of finished units
 */
export const withCount = <T>(
  progress: Omit<ProgressOptions, 'read'>,
  run: (onDone: (done: number) => void) => Promise<T>,
): Promise<T> => {
  let done = 0;
  return withProgress({ ...progress, read: () => ({ done, note: '' }) }, () =>
    run((now) => {
      done = now;
    }),
  );
};
