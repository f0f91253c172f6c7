// Prints a result as a table for a terminal, and writes bench/results.md with a copy of the result.
//
//   node dist/bench/show/report.js RESULT.json [OTHER.json ...]
//
// RESULT.json is the output of `lepanto bench --full --json`. The other files are outputs of `lepanto bench --json
// --node PATH` at the same commit on the same machine; the report has a column for each.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { group } from '../../bindings/reports/figures.js';
import { makeTable, numbers, renderMarkdown, renderText, type Table, words } from '../../bindings/reports/table.js';
import { packageRoot } from '../../selfplay/version.js';
import { type FamilyName, familyNames } from '../corpus/families.js';
import { runMain } from '../run/child.js';
import { type BenchResult, listRows, readResult } from '../run/result.js';
import { median } from '../run/statistics.js';

/** Formats the time of one operation in ns or µs. @param perSecond number of operations per second */
const cost = (perSecond: number): string => {
  const ns = 1e9 / perSecond;
  return ns < 10_000 ? `${ns.toFixed(ns < 100 ? 1 : 0)} ns` : `${(ns / 1000).toFixed(1)} µs`;
};

const percent = (share: number): string => `${(100 * share).toFixed(share < 0.01 ? 2 : 1)} %`;

const shortName = (row: string): string => row.replaceAll('_per_second', '/s').replaceAll('_', ' ');

const checksumOf = (result: BenchResult, row: string): string => {
  // Phase-steps and playouts come from the same run, which has one checksum.
  const same = row.replace('phase_steps', 'playouts');
  const checksum = result.checksums[row] ?? result.checksums[same];
  return checksum === undefined ? '' : checksum.toString(16).padStart(8, '0');
};

/** Returns the rate of the fastest process in each row, in operations per second, keyed by name of the row. */
const fastest = ({ samples }: BenchResult): Map<string, number> =>
  new Map(listRows(samples).map(([row, rates]) => [row, Math.max(...rates)]));

/**
 * Makes the table of rates: each row with its spread over the processes.
 *
 * @param others results of other Nodes; each gets a column with the rate of its fastest process, relative to `result`
 */
const speedTable = (result: BenchResult, others: readonly BenchResult[] = []): Table =>
  makeTable(listRows(result.samples), [
    words('row', ([row]) => shortName(row)),
    numbers('median', ([, rates]) => group(median(rates))),
    numbers('one takes', ([, rates]) => cost(median(rates))),
    numbers('slowest', ([, rates]) => group(Math.min(...rates))),
    numbers('fastest', ([, rates]) => group(Math.max(...rates))),
    numbers('slowest takes', ([, rates]) => `${(median(rates) / Math.min(...rates)).toFixed(2)} x median`),
    numbers('checksum', ([row]) => checksumOf(result, row)),
    ...others.map((other) => {
      const rates = fastest(other);
      return numbers<readonly [string, readonly number[]]>(`Node ${other.node}`, ([row, here]) => {
        const rate = rates.get(row);
        return rate === undefined ? '' : (rate / Math.max(...here)).toFixed(2);
      });
    }),
  ]);

const describeMachine = ({ machine, node, commit, version, threads }: BenchResult): string =>
  `${machine.cpu}, ${machine.cores} cores, ${machine.memory_gb} GB, ${machine.os}; Node ${node}; ` +
  `lepanto ${version}, commit ${commit ?? 'unknown'}; all threads: ${threads}; load before the run ${machine.load.toFixed(2)}`;

/** Formats the output of `lepanto bench` without --json. */
export const formatTable = (result: BenchResult): string => {
  const bails = familyNames.map((name) => `${name} ${percent(result.bail_out_rate[name])}`).join(', ');
  return renderText([
    speedTable(result),
    [
      `left to the recursion: ${bails}`,
      `signature ${result.signature}; ${result.processes} processes in ${result.seconds.toFixed(1)} s`,
      describeMachine(result),
    ].join('\n'),
  ]);
};

const familyTable = (result: BenchResult): Table => {
  const { families, bail_out_rate: bails, resolves_per_second: first } = result;
  const second = result.second_opinion?.resolves_per_second;
  return makeTable(familyNames, [
    words('family', String),
    numbers('units', (name) => families[name].units.toFixed(1)),
    ...(['moves', 'succeeding', 'supports', 'given', 'convoys', 'via'] as const).map((share) =>
      numbers<FamilyName>(share, (name) => percent(families[name][share])),
    ),
    numbers('left to the recursion', (name) => percent(bails[name])),
    ...(second === undefined
      ? []
      : [
          numbers<FamilyName>('resolves/s by benchmark', (name) => group(second[name])),
          numbers<FamilyName>('to tinybench', (name) => (second[name] / first[name]).toFixed(3)),
        ]),
  ]);
};

const opinionLine = ({ second_opinion }: BenchResult): string =>
  second_opinion?.resolves_per_second === undefined
    ? 'The package `benchmark` did not run: it does with `--full`, where it is installed.'
    : 'Last, the resolver once more by the package `benchmark`, in the same processes.';

const scalingLine = ({ phase_steps_per_second: rates }: BenchResult): string =>
  `All threads play ${(rates['all threads'] / rates['1 thread']).toFixed(2)} times the phase-steps of the main one.`;

/** Returns a line about the columns of other Nodes, with command, version and load of each; [] if there are none. */
const nodeLines = (others: readonly BenchResult[]): string[] =>
  others.length === 0
    ? []
    : [
        `Columns of other Nodes: the rate of the fastest process, relative to that of this Node. ${others.map(({ command, node, processes, machine }) => `\`${command}\` with Node ${node}, ${processes} processes, load before the run ${machine.load.toFixed(2)}`).join('; ')}.`,
      ];

/** Returns the text of bench/results.md. @param others results of other Nodes, one column each */
export const formatReport = (result: BenchResult, others: readonly BenchResult[] = []): string =>
  renderMarkdown([
    `# How fast Lepanto is

Made by \`node dist/bench/show/report.js\` from the JSON of \`${result.command}\` on ${result.date.slice(0, 10)}; do not edit.

- Machine: ${describeMachine(result)}
- ${result.processes} processes, one after the other, in ${Math.round(result.seconds)} s. A number is the median over the processes, of the median over the chunks of each.
- [How it is measured](README.md). Full rules of DATC 3.2; signature ${result.signature}; a game at rest takes ${result.game_bytes} bytes.
- ${[scalingLine(result), ...nodeLines(others)].join('\n- ')}`,
    speedTable(result, others),
    `## The order sets

${group(4000)} sets of each family, from seeds (bench/corpus/families.ts). Resolving includes loading the set. ${opinionLine(result)}`,
    familyTable(result),
  ]);

/** Checks that two results are from the same commit and processor. @throws Error if they are not */
const checkSame = (result: BenchResult, other: BenchResult): void => {
  for (const [what, got, wanted] of [
    ['commit', other.commit, result.commit],
    ['processor', other.machine.cpu, result.machine.cpu],
  ])
    if (got !== wanted) throw new Error(`Node ${other.node}: got ${what} ${got}, wanted ${wanted}`);
};

const main = ([file, ...more]: readonly string[]): void => {
  if (file === undefined) throw new Error('got no file, wanted the JSON of lepanto bench --full --json');
  const result = readResult(file);
  const folder = join(packageRoot, 'bench');
  const others = more.map(readResult);
  for (const other of others) checkSame(result, other);
  writeFileSync(join(folder, 'results.md'), formatReport(result, others));
  // `lepanto bench --compare bench/results.json` compares later results with this copy.
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify(result)}\n`);
  console.log(['results.md', 'results.json'].map((name) => join(folder, name)).join('\n'));
};

await runMain(import.meta.url, main);
