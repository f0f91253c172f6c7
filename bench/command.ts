// Implements `lepanto bench`, which measures the speed of Lepanto.
import { setTimeout } from 'node:timers/promises';
import { readAddress } from '../bindings/cluster/queue/address.js';
import { type MachineMeasure, measureMachines } from '../bindings/cluster/queue/measure-machines.js';
import { RedisLink } from '../bindings/cluster/queue/redis-link.js';
import { catchInterrupt, INTERRUPTED, sayInterrupted } from '../bindings/terminal/interrupt.js';
import { optionText, quietOption, readArguments } from '../bindings/terminal/options.js';
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

const listed = {
  json: { help: 'one JSON object' },
  quick: { help: 'within 20 seconds (without it within 40, on two cores)' },
  full: {
    help: `20 processes, at least 10, recorded games, every preset of rules and every map: five minutes; the source of
      bench/results.md`,
  },
  compare: { takes: 'FILE', help: 'says row by row what changed from this result of --json; with --json on stderr' },
  out: { takes: 'FILE', help: 'the JSON object to a file as well' },
  node: {
    takes: 'PATH',
    help: 'measures with this executable of Node, 20.19 or later, in place of the one that runs Lepanto',
  },
  queue: {
    takes: 'URL',
    help: `every machine with a lepanto worker on this queue measures itself and reports: redis://HOST:PORT, or env for the
      address in LEPANTO_QUEUE_URL`,
  },
  ...quietOption,
} as const;

/** A fraction of a second for each row: for tests of the command itself. */
const options = { ...listed, smoke: { help: '' } } as const;

const help = `
usage: lepanto bench [OPTIONS]

Measures phase-steps, whole games, one-year rollouts, resolved order sets, lists
of legal orders, copies and rollouts of the search a second, on one thread and
on all, in several processes one after the other. Prints medians;
--json has the spread and every sample. The machine should have nothing else to
do.

${optionText(listed)}

In the source tree after a build (bench/README.md):
  node dist/bench/show/report.js RESULT.json
                     bench/results.md from a full result
  node dist/bench/show/compare.js A.json B.json
                     what changed from A to B, and whether it is more than noise
  node dist/bench/peers/peers.js
                     ratio to the PyPI package diplomacy, in one run
  node dist/bench/run/signature.js
                     one number for everything that random play depends on
`;

const chooseSize = (values: { quick: boolean; full: boolean; smoke: boolean }): Size => {
  const chosen = (['quick', 'full', 'smoke'] as const).filter((name) => values[name]);
  if (chosen.length > 1) throw new UsageError(`got ${chosen.map((name) => `--${name}`).join(' and ')}, wanted one`);
  return sizeOf(chosen[0] ?? 'normal');
};

/** Reads the result to compare with, before anything is measured, so that a wrong file fails at once. */
const readCompared = (file: string): BenchResult => {
  try {
    return readResult(file);
  } catch (error) {
    throw new UsageError(`--compare: ${(error as Error).message}`);
  }
};

/** Returns the Node to be measured. @throws UsageError if Lepanto does not run on it */
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

/** Measures all machines of a queue. Prints each result when it arrives, as a table or a line of JSON. */
const measureAll = async (queue: string, args: readonly string[], json: boolean): Promise<number> => {
  const link = new RedisLink(readAddress(queue === 'env' ? undefined : queue), sayBeside);
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
  // The recorded command leaves out --out and --node: paths are of no use on other machines, and the result names the
  // version.
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
      // A terminal sends Ctrl-C to the measuring process too, whose end may be noticed first.
      await setTimeout(ECHO_MS);
      if (!signal.aborted) throw error;
      return null;
    }
  });
  if (result === null) {
    sayInterrupted(`${now.done} processes measured, no result; the same command measures from the beginning`);
    return INTERRUPTED;
  }
  const json = `${JSON.stringify(result, null, 2)}\n`;
  // Print before writing the file, so that the numbers are not lost if writing fails.
  process.stdout.write(values.json ? json : formatTable(result));
  if (before !== null) {
    const comparison = `\n${formatComparison(before, result)}`;
    if (values.json) process.stderr.write(comparison);
    else process.stdout.write(comparison);
  }
  if (values.out !== undefined) writeWhole(values.out, json);
  return 0;
};

await runMain((args) => runCommand('bench', async () => ({ help, run }), args));
