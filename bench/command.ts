// The program behind `lepanto bench`, which runs it in a separate process. Measures the speed of Lepanto.
import { setTimeout } from 'node:timers/promises';
import { help, options as listed } from '../bindings/cli/commands/bench.js';
import { readAddress } from '../bindings/cluster/queue/address.js';
import { type MachineMeasure, measureMachines } from '../bindings/cluster/queue/measure-machines.js';
import { RedisLink } from '../bindings/cluster/queue/redis-link.js';
import { catchInterrupt, INTERRUPTED, sayInterrupted } from '../bindings/terminal/interrupt.js';
import { readArguments } from '../bindings/terminal/options.js';
import { printable, sayBeside } from '../bindings/terminal/output.js';
import { interruptible, type Progress } from '../bindings/terminal/progress.js';
import { runCommand, runMain } from '../bindings/terminal/run-command.js';
import { checkFile, UsageError } from '../bindings/terminal/usage.js';
import { writeWhole } from '../selfplay/records/whole-file.js';
import { type MeasuredNode, nodeAt, thisNode } from './run/other-node.js';
import { type BenchResult, readResult } from './run/result.js';
import { runBench } from './run/run.js';
import { type Size, sizeOf } from './run/sizes.js';
import { formatComparison } from './show/compare.js';
import { formatTable } from './show/report.js';

/** Options of the command. The hidden option `smoke` is for tests: each row takes a fraction of a second. */
const options = { ...listed, smoke: { help: '' } } as const;

const chooseSize = (values: { quick: boolean; full: boolean; smoke: boolean }): Size => {
  const chosen = (['quick', 'full', 'smoke'] as const).filter((name) => values[name]);
  if (chosen.length > 1) throw new UsageError(`got ${chosen.map((name) => `--${name}`).join(' and ')}, wanted one`);
  return sizeOf(chosen[0] ?? 'normal');
};

/**
 * Reads the result to compare with. Called before anything is measured, so that an unsuitable file fails at once.
 * @throws UsageError if the file is not a result
 */
const readCompared = (file: string): BenchResult => {
  try {
    return readResult(file);
  } catch (error) {
    throw new UsageError(`--compare: ${(error as Error).message}`);
  }
};

/**
 * Returns the Node to measure; without a path, the Node that runs this process.
 * @throws UsageError if Lepanto does not run on it
 */
const readNode = async (path: string | undefined): Promise<MeasuredNode> => {
  if (path === undefined) return thisNode;
  try {
    return await nodeAt(path);
  } catch (error) {
    throw new UsageError(`--node: ${(error as Error).message}`);
  }
};

const ECHO_MS = 100;

const flags = ['json', 'quick', 'full', 'smoke', 'quiet'] as const;

/**
 * Measures all machines that work for a queue. Prints each result when it arrives, as a table or as a line of JSON.
 * Returns the exit code: 0 if at least one machine was measured; otherwise 1.
 * @param args options for the measurement
 */
const measureAll = async (queue: string, args: readonly string[], json: boolean): Promise<number> => {
  const link = new RedisLink(readAddress(queue), sayBeside);
  const interrupt = catchInterrupt('waiting for no more reports');
  let reports = 0;
  try {
    await link.open(interrupt.signal);
    const print = (measure: MachineMeasure): void => {
      const { machine, report } = measure;
      const failure = (report as { error?: string }).error;
      if (failure === undefined) reports++;
      const text = failure === undefined ? formatTable(report as BenchResult) : `${failure}\n`;
      process.stdout.write(json ? `${JSON.stringify(measure)}\n` : printable(`${machine}\n${text}\n`));
    };
    await measureMachines(link, args, print, interrupt.signal);
  } finally {
    interrupt.release();
    link.close();
  }
  return reports > 0 ? 0 : 1;
};

const run = async (args: string[]): Promise<number> => {
  const { values } = readArguments(args, options, false);
  const size = chooseSize(values);
  if (values.queue !== undefined) {
    if (values.node !== undefined) throw new UsageError('got --queue and --node, wanted one');
    const sizeFlags = (['quick', 'full', 'smoke'] as const).filter((name) => values[name]).map((name) => `--${name}`);
    return measureAll(values.queue, sizeFlags, values.json);
  }
  if (values.out !== undefined) checkFile('--out', values.out, ['.json']);
  const before = values.compare === undefined ? null : readCompared(values.compare);
  const node = await readNode(values.node);
  // The recorded command omits --out and --node: paths are useless on other machines, and the result has the version.
  const command = ['lepanto bench', ...flags.filter((flag) => values[flag]).map((flag) => `--${flag}`)].join(' ');
  let now: Progress = { done: 0, note: '' };
  const report = (done: number, note: string): void => {
    now = { done, note };
  };
  const progress = { total: size.processes, unit: 'processes', read: () => now, quiet: values.quiet };
  const result = await interruptible('ending the process that measures', progress, async (signal) => {
    try {
      return await runBench(size, command, report, signal, node);
    } catch (error) {
      // A terminal sends Ctrl-C to the measuring process too, and its end may be noticed first.
      await setTimeout(ECHO_MS);
      if (!signal.aborted) throw error;
      return null;
    }
  });
  if (result === null) {
    sayInterrupted(`${now.done} processes measured, no result; the same command restarts the measurement`);
    return INTERRUPTED;
  }
  // The result is printed before the file is written, so that the numbers are not lost if writing fails.
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : formatTable(result));
  if (before !== null) {
    const comparison = `\n${formatComparison(before, result)}`;
    if (values.json) process.stderr.write(comparison);
    else process.stdout.write(comparison);
  }
  if (values.out !== undefined) writeWhole(values.out, `${JSON.stringify(result, null, 2)}\n`);
  return 0;
};

await runMain((args) => runCommand('bench', async () => ({ help, run }), args));
