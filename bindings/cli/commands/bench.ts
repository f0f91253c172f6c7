// Runs `lepanto bench`: starts the program of the benchmark in a separate process that shares this terminal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { jsonOption, optionText, quietOption } from '../../terminal/options.js';

export const options = {
  ...jsonOption,
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

export const help = `
usage: lepanto bench [OPTIONS]

Measures phase-steps, whole games, one-year rollouts, resolved order sets, lists
of legal orders, copies and rollouts of the search a second, on one thread and
on all, in several processes one after the other. Prints medians;
--json has the spread and every sample. The machine should have nothing else to
do.

${optionText(options)}

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

export const run = async (args: string[]): Promise<number> => {
  const program = fileURLToPath(new URL('../../../bench/command.js', import.meta.url));
  const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit' });
  // The program handles Ctrl-C. A terminal sends it to both processes; the program counts two at the same time as one.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
};
