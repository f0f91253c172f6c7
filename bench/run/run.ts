// Runs the benchmark: starts one process after another (sample.ts) and combines their numbers.
import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';
import { standard } from '../../engine/map/standard.js';
import { stateLayout } from '../../engine/position/game.js';
import { findCommit, lepantoVersion } from '../../selfplay/version.js';
import type { FamilyName } from '../corpus/families.js';
import { runScript } from './child.js';
import { type MeasuredNode, thisNode } from './other-node.js';
import { type BenchResult, type Machine, medians, put, spreads, type Tree } from './result.js';
import type { Sample, SampleValue } from './sample.js';
import type { Size } from './sizes.js';
import { allThreads } from './threads.js';

const describeMachine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? arch(),
  cores: cpus().length,
  memory_gb: Math.round(totalmem() / 2 ** 30),
  os: `${type()} ${release()} ${arch()}`,
  load: loadavg()[0],
});

const collect = (lists: readonly (readonly SampleValue[])[]): Tree<readonly number[]> => {
  const tree: Tree<readonly number[]> = {};
  const paths = lists[0].map(({ path }) => path);
  for (const [i, path] of paths.entries())
    put(
      tree,
      path,
      lists.map((list) => list[i].perSecond),
    );
  return tree;
};

/**
 * Returns the checksum of each row, keyed by name of the row.
 * @throws Error if two processes computed different results
 */
const sameChecksums = (samples: readonly Sample[]): Readonly<Record<string, number>> => {
  const [first] = samples;
  for (const sample of samples)
    for (const [row, checksum] of Object.entries(sample.checksums))
      if (checksum !== first.checksums[row])
        throw new Error(`${row}: processes computed different results, checksums ${first.checksums[row]}, ${checksum}`);
  return first.checksums;
};

/** Settings of the measuring processes. */
interface Start {
  readonly size: Size;
  /** Path of the Node that is measured. */
  readonly node: string;
  readonly stop: AbortSignal | undefined;
}

const takeSample = ({ size, node, stop }: Start): Promise<Sample> =>
  runScript<Sample>(new URL('./sample.js', import.meta.url), [size.name], stop, node);

/** Called before each step with the number of finished processes and a description of the step. */
export type Report = (done: number, doing: string) => void;

const takeSamples = async (start: Start, report: Report, begin: number): Promise<Sample[]> => {
  const { size } = start;
  const samples: Sample[] = [];
  let longest = 0;
  while (samples.length < size.processes) {
    const now = performance.now();
    if (samples.length >= size.least && now + longest - begin > size.limit * 1000) break;
    report(samples.length, `process ${samples.length + 1}`);
    samples.push(await takeSample(start));
    longest = Math.max(longest, performance.now() - now);
  }
  return samples;
};

/**
 * Measures all rows in several processes, one after the other.
 * @param command command line, for the result
 * @param report called before each step
 * @param stop aborted to end the benchmark; the promise then rejects
 * @param node Node to be measured
 * @throws Error if a process fails, or if two processes compute different results
 */
export const runBench = async (
  size: Size,
  command: string,
  report: Report,
  stop?: AbortSignal,
  node: MeasuredNode = thisNode,
): Promise<BenchResult> => {
  const begin = performance.now();
  const machine = describeMachine();
  report(0, 'signature');
  // The number is computed in a separate process, like all long work, so that this process can show progress and react
  // to Ctrl-C.
  const number = await runScript<number>(new URL('./signature.js', import.meta.url), [], stop, node.path);
  const samples = await takeSamples({ size, node: node.path, stop }, report, begin);
  const lists = collect(samples.map((sample) => sample.values));
  const again = samples[0].again.length > 0 ? medians(collect(samples.map((sample) => sample.again))) : null;
  const rates = medians(lists) as unknown as Pick<BenchResult, Extract<keyof BenchResult, `${string}_per_second`>>;
  return {
    ...rates,
    bail_out_rate: samples[0].bailOut,
    signature: number,
    machine,
    node: node.version,
    commit: findCommit(),
    version: lepantoVersion,
    date: new Date().toISOString(),
    command,
    size: size.name,
    seconds: (performance.now() - begin) / 1000,
    processes: samples.length,
    threads: allThreads(),
    game_bytes: stateLayout(standard).stride,
    spread: spreads(lists),
    samples: lists,
    checksums: sameChecksums(samples),
    families: samples[0].profiles,
    second_opinion:
      again === null
        ? null
        : { resolves_per_second: again.resolves_per_second as unknown as Record<FamilyName, number> },
  };
};
