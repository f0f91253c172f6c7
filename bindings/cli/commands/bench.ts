// Runs `lepanto bench`: starts the program of the benchmark in a separate process that shares this terminal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { jsonOption, optionText, quietOption } from '../../terminal/options.js';

export const options = {
  ...jsonOption,
  quick: { help: '20 seconds instead of 40 on two cores, less certain' },
  full: {
    help: `20 processes (at least 10), recorded games, every preset of rules and every map, in five minutes; the source of
      bench/results.md`,
  },
  compare: {
    takes: 'FILE',
    help: 'earlier result of --json to compare with, row by row; with --json on standard error',
  },
  out: { takes: 'FILE', help: 'further output of the JSON object' },
  node: {
    takes: 'PATH',
    help: 'executable of Node to measure with, 20.19 or later (default: the one that runs Lepanto)',
  },
  queue: {
    takes: 'URL',
    help: `queue whose lepanto worker machines measure themselves: redis://HOST:PORT, or env for the

      address in LEPANTO_QUEUE_URL`,
  },
  ...quietOption,
} as const;

export const help = `
usage: lepanto bench [OPTIONS]

Measures phase-steps, whole games, one-year rollouts, resolved order sets, lists
of legal orders, copies and rollouts of the search per second, on one thread and
on all, in several processes one after the other. Prints medians; --json has the
spread and every sample. Run it on an idle machine.

${optionText(options)}

In the source tree after a build (bench/README.md):
  node dist/bench/show/report.js RESULT.json
                     bench/results.md from a full result
  node dist/bench/show/compare.js A.json B.json
                     changes from A to B, and whether they are significant
  node dist/bench/peers/peers.js
                     ratio to the PyPI package diplomacy, in one run
  node dist/bench/run/signature.js
                     one number for everything that random play depends on
`;

export const run = async (args: string[]): Promise<number> => {
  const program = fileURLToPath(new URL('../../../bench/command.js', import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' });
  // The program handles Ctrl-C. A terminal sends it to both processes; the program counts two at the same time as one.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
};
