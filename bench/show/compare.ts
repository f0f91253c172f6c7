// Compares two results of `lepanto bench --json` row by row, and shows which differences exceed noise.
//
//   node dist/bench/show/compare.js A.json B.json
//
// The ratio is B's median divided by A's: above 1, B is faster. p is the result of the exact two-sided Mann-Whitney
// test on the numbers of the single processes. Among dozens of rows, one is likely to fall below 0.05 by chance, so
// only p < 0.01 counts as a change. Processes of one run share the state of the machine, so alternating runs tell more.

import { makeTable, numbers, renderText, words } from '../../bindings/reports/table.js';
import { runMain } from '../run/child.js';
import { type BenchResult, listRows, readResult } from '../run/result.js';
import { mannWhitney, median } from '../run/statistics.js';

const SIGNIFICANT = 0.01;

export interface Comparison {
  readonly row: string;
  /** Median rate of B divided by median rate of A. Above 1 if B is faster. */
  readonly ratio: number;
  readonly p: number;
  readonly verdict: 'faster' | 'slower' | 'same within noise' | 'too few processes';
}

/**
 * Returns the smallest p that samples of these sizes can have in the test: 2 divided by the number of their rankings.
 */
const leastP = (a: number, b: number): number => {
  let ways = 1;
  for (let i = 1; i <= b; i++) ways = (ways * (a + i)) / i;
  return 2 / ways;
};

const judge = (a: readonly number[], b: readonly number[], p: number, ratio: number): Comparison['verdict'] => {
  if (leastP(a.length, b.length) > SIGNIFICANT) return 'too few processes';
  if (p > SIGNIFICANT) return 'same within noise';
  return ratio > 1 ? 'faster' : 'slower';
};

/** Compares the rows that both results have. @param a earlier result @param b later result */
export const compareResults = (a: BenchResult, b: BenchResult): Comparison[] => {
  const others = new Map(listRows(b.samples));
  return listRows(a.samples).flatMap(([row, before]) => {
    const after = others.get(row);
    if (after === undefined) return [];
    const p = mannWhitney(before, after);
    const ratio = median(after) / median(before);
    return [{ row, ratio, p, verdict: judge(before, after, p, ratio) }];
  });
};

const describe = (name: string, { commit, machine, node, processes, date, signature }: BenchResult): string =>
  `${name}: commit ${commit ?? 'unknown'}, ${machine.cpu}, Node ${node}, ${processes} processes, ${date}, signature ${signature}`;

const warnings = (a: BenchResult, b: BenchResult): string[] => {
  const found: string[] = [];
  if (a.machine.cpu !== b.machine.cpu) found.push('other machine: the ratios say little');
  if (a.node !== b.node)
    found.push(
      a.commit === b.commit
        ? 'other Node, same commit: the ratios compare the two Nodes'
        : 'other Node and other commit: the ratios contain both changes',
    );
  if (a.signature !== b.signature) found.push('the signature changed: play is not the same');
  const changed = Object.keys(a.checksums).filter((row) => row in b.checksums && a.checksums[row] !== b.checksums[row]);
  if (changed.length > 0 && a.size !== 'smoke' && b.size !== 'smoke')
    found.push(`other results (checksums) in ${changed.join('; ')}`);
  return found;
};

export const formatComparison = (a: BenchResult, b: BenchResult): string =>
  renderText([
    [describe('A', a), describe('B', b), ...warnings(a, b).map((warning) => `note: ${warning}`)].join('\n'),
    makeTable(
      compareResults(a, b),
      [
        words('row', ({ row }) => row),
        numbers('B / A', ({ ratio }) => ratio.toFixed(3)),
        numbers('p', ({ p }) => p.toFixed(4)),
        numbers('verdict', ({ verdict }) => verdict),
      ],
      `B / A, and p of the exact Mann-Whitney test, significant below ${SIGNIFICANT}`,
    ),
  ]);

const main = (files: readonly string[]): void => {
  const [a, b] = files;
  if (a === undefined || b === undefined)
    throw new Error(`got ${files.length} files, wanted two results of lepanto bench --json`);
  process.stdout.write(formatComparison(readResult(a), readResult(b)));
};

await runMain(import.meta.url, main);
