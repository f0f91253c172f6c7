// Looks for permanently slow starts of Node: processes in which V8 compiled the engine badly.
//
//   node dist/bench/slow-starts.js --node PATH --starts 200
//
// Each start plays a fixed mixture of games until the code is compiled. It then measures the mixture, and a loop of
// plain arithmetic, in five windows over ten seconds. The fastest window counts, because the machine may be busy in the
// others. A slow start is measured in up to 24 windows, and is permanently slow if all of its windows are.
import { fileURLToPath } from 'node:url';
import { makeTable, numbers, renderText, words } from '../bindings/reports/table.js';
import { quietOption } from '../bindings/terminal/options.js';
import { withProgress } from '../bindings/terminal/progress.js';
import { DATC_3_2, newGame, standard } from '../engine/internal.js';
import { Batch } from '../engine/play/batch.js';
import { POLICY, UNIFORM } from '../engine/play/step.js';
import { type ValuesOf, wholeIn } from '../selfplay/question/option.js';
import { addRollouts, makeRolloutSums } from '../selfplay/rollouts/rollout.js';
import { runChild, runMain } from './run/child.js';
import { runProgram } from './run/program.js';
import { median } from './run/statistics.js';

const GAMES = 12;
const ROLLOUTS = { horizon: 4, count: 100 };
/** Number of rounds of playRound() in the warm-up. */
const WARM_ROUNDS = 40;
/** Number of rounds of playRound() in a window. */
const ROUNDS = 12;
const WINDOWS = 5;
const MOST_WINDOWS = 24;
const BETWEEN_MS = 2400;
/** A window is slow if its time for a phase-step exceeds this multiple of the median over all starts. */
const SLOW = 1.4;
const ARITHMETIC = 400_000;

/**
 * Result of a window. `step`: least time for a phase-step in nanoseconds. `loop`: least time of the arithmetic loop in
 * milliseconds.
 */
type Window = readonly [step: number, loop: number];

const words32 = new Int32Array(4096);
const calculate = (): void => {
  let hash = 1;
  for (let i = 0; i < ARITHMETIC; i++) {
    hash = (Math.imul(hash, 31) + i) | 0;
    words32[hash & 4095] ^= hash;
  }
};

/** Plays games with both samplers, and rollouts. Returns the number of phase-steps played. */
const playRound = (batch: Batch, seed: number): number => {
  let steps = 0;
  for (const sampler of [POLICY, UNIFORM] as const) {
    batch.reset(seed);
    steps += batch.playout(sampler);
  }
  const sums = makeRolloutSums(standard.powerCount);
  addRollouts(newGame(standard, DATC_3_2), { ...ROLLOUTS, seed }, sums);
  return steps + sums.steps;
};

const millisecondsOf = (work: () => void): number => {
  const begin = performance.now();
  work();
  return performance.now() - begin;
};

const measureWindow = (batch: Batch): Window => {
  let step = Number.POSITIVE_INFINITY;
  let loop = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    loop = Math.min(loop, millisecondsOf(calculate));
    let steps = 0;
    const spent = millisecondsOf(() => {
      steps = playRound(batch, 0);
    });
    step = Math.min(step, (spent * 1e6) / steps);
  }
  return [step, loop];
};

/**
 * Measures this process after a warm-up. Returns a result for each window.
 * @param slow nanoseconds for a phase-step; if all windows exceed it, further windows are measured. 0: never
 */
const measureStart = async (slow: number): Promise<Window[]> => {
  const batch = new Batch(standard, DATC_3_2, GAMES, { until: 1910 });
  for (let round = 1; round <= WARM_ROUNDS; round++) {
    playRound(batch, round);
    calculate();
  }
  const windows: Window[] = [];
  const isSlow = (): boolean => slow > 0 && windows.every(([step]) => step > slow);
  while (windows.length < WINDOWS || (windows.length < MOST_WINDOWS && isSlow())) {
    if (windows.length > 0) await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    windows.push(measureWindow(batch));
  }
  return windows;
};

const fastest = (windows: readonly Window[]): number => Math.min(...windows.map(([step]) => step));

const options = {
  node: { takes: 'PATH', default: process.execPath, help: 'path of the Node to start (default: this one)' },
  starts: { ...wholeIn(1, 10_000), default: 200, help: 'number of processes' },
  together: { ...wholeIn(1, 64), default: 4, help: 'processes at the same time; each sleeps most of its time' },
  ...quietOption,
} as const;

const about = 'Searches for processes of Node that stay slow from their start.';

/**
 * Starts `count` processes and measures each. Returns the windows of each process.
 * @param node executable of Node
 * @param together number of processes at the same time
 * @param onEnd called after each process
 * @throws Error if a process ends with an exit code other than 0
 */
const measureAll = async (node: string, count: number, together: number, onEnd: () => void): Promise<Window[][]> => {
  const starts: Window[][] = [];
  let begun = 0;
  const startOthers = async (): Promise<void> => {
    while (begun++ < count) {
      const slow = starts.length === 0 ? 0 : SLOW * median(starts.map(fastest));
      const { code, output, errors } = await runChild(node, [fileURLToPath(import.meta.url), '--one', String(slow)]);
      if (code !== 0) throw new Error(`${node}: got exit code ${code}, wanted 0: ${errors}`);
      starts.push(JSON.parse(output) as Window[]);
      onEnd();
    }
  };
  await Promise.all(Array.from({ length: together }, startOthers));
  return starts;
};

const main = async ({ node, starts: count, together, quiet }: ValuesOf<typeof options>): Promise<void> => {
  let done = 0;
  const progress = { total: count, unit: 'starts', quiet, read: () => ({ done, note: '' }) };
  const starts = await withProgress(progress, () => measureAll(node, count, together, () => done++));
  const steps = starts.map(fastest);
  const middle = median(steps);
  const loop = median(starts.flatMap((windows) => windows.map(([, time]) => time)));
  const windows = starts.flat();
  process.stdout.write(
    renderText([
      makeTable(
        [
          ['starts', count],
          ['fastest start, ns a phase-step', Math.round(Math.min(...steps))],
          ['median', Math.round(middle)],
          ['slowest', Math.round(Math.max(...steps))],
          [`windows over ${SLOW} times the median`, windows.filter(([step]) => step > SLOW * middle).length],
          ['of windows', windows.length],
          ['windows in which the loop took 1.15 times its median', windows.filter(([, t]) => t > 1.15 * loop).length],
          ['starts that are slow in all windows', steps.filter((step) => step > SLOW * middle).length],
        ],
        [words('', ([name]) => String(name)), numbers('', ([, value]) => String(value))],
      ),
    ]),
  );
};

await runMain(import.meta.url, async (args) => {
  if (args[0] !== '--one') await runProgram(args, { about, options }, main);
  else process.stdout.write(JSON.stringify(await measureStart(Number(args[1]))));
});
