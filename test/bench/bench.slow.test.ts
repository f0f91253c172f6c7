// Tests the benchmark: its result has every row, and its statistics and order sets are right.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FamilyName, familyNames, makeCorpus, families as standardFamilies } from '../../bench/corpus/families.js';
import { bailOutRate, checkByRecursion, checkSets, profile } from '../../bench/run/resolving.js';
import { type BenchResult, listRows, readResult } from '../../bench/run/result.js';
import { makeOtherRows } from '../../bench/run/single-thread-rows.js';
import { mannWhitney, median } from '../../bench/run/statistics.js';
import { openThreads, RECORDED } from '../../bench/run/threads.js';
import { compareResults, formatComparison } from '../../bench/show/compare.js';
import { formatReport, formatTable } from '../../bench/show/report.js';
import { mapNames } from '../../engine/map/index.js';
import { standard } from '../../engine/map/standard.js';
import { HOLD, MOVE, orderHelped, orderLocation, orderTarget, orderType, orderVia } from '../../engine/rules/order.js';
import { presetNames } from '../../engine/rules/rule-text.js';
import { playoutNames } from '../../selfplay/search/options.js';
import { type Ended, makeFolder, runLepanto } from '../tools/command.js';

const call = (...args: readonly string[]): Ended => runLepanto(['bench', ...args]);

const folder = makeFolder('bench-test');
const file = join(folder, 'result.json');
const { code, out, err } = call('--smoke', '--json', '--out', file);

const bench = suite('bench');

const ROWS = [
  'phase_steps_per_second',
  'playouts_per_second',
  'uniform_phase_steps_per_second',
  'uniform_playouts_per_second',
  'rollouts_per_second',
]
  .flatMap((row) => [`${row}, 1 thread`, `${row}, all threads`])
  .concat(familyNames.map((name) => `resolves_per_second, ${name}`))
  .concat(playoutNames.map((name) => `search_rollouts_per_second, ${name}`))
  .concat(
    ['lists', 'counts', 'masks'].map((what) => `legal_${what}_per_second`),
    'copies_per_second',
  );

const isRate = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value > 0;

bench('lepanto bench --json prints one object: each row is a rate with its spread, samples and a checksum', () => {
  assert.is(code, 0, err);
  const result: BenchResult = JSON.parse(out);
  const rows = listRows(result.samples);
  assert.equal(rows.map(([row]) => row).sort(), [...ROWS].sort());
  const at = (tree: unknown, path: readonly string[]): unknown =>
    path.reduce((part, key) => (part as Record<string, unknown>)[key], tree);
  for (const [row, list] of rows) {
    assert.ok(list.every(isRate), row);
    assert.is(at(result, row.split(', ')), median(list), row);
    const spread = { min: Math.min(...list), max: Math.max(...list), n: result.processes };
    assert.equal(at(result.spread, row.split(', ')), spread, row);
    assert.type(result.checksums[row.replace('phase_steps', 'playouts')], 'number', row);
  }
  assert.equal(Object.keys(result.resolves_per_second), [...familyNames]);
  assert.equal(Object.keys(result.search_rollouts_per_second), [...playoutNames]);
  for (const name of familyNames)
    assert.ok(result.bail_out_rate[name] >= 0 && result.bail_out_rate[name] < 0.2, `${name}, bail-out rate`);
  assert.equal([result.processes, result.node, result.machine.cores > 0], [1, process.version, true]);
  assert.ok(result.commit === null || /^[0-9a-f]{40}(-dirty)?$/.test(result.commit), String(result.commit));
});

bench('--out writes the same object, which says nothing of where it was written', () => {
  assert.equal(readResult(file), JSON.parse(out));
  assert.is(readResult(file).command, 'lepanto bench --json --smoke');
});

bench('--compare prints what changed after the table, and needs a result before it measures', async () => {
  const compared = call('--smoke', '--quiet', '--compare', file);
  assert.is(compared.code, 0, compared.err);
  const [table, comparison] = compared.out.split('\nA: ');
  assert.match(table, /^search rollouts\/s, dumbbot/m);
  assert.match(comparison, /^search_rollouts_per_second, dumbbot +\d+\.\d{3}/m);
  assert.not.match(comparison, /other results|the signature changed/);
  const refused = call('--smoke', '--compare', join(folder, 'none.json'));
  assert.is(refused.code, 2);
  assert.match(refused.err, /--compare: .*none\.json/);
});

bench('--node measures with another Node, and the result names its version', () => {
  // A program in place of a Node: says another version, and leaves a note of each script that it runs.
  const other = join(folder, 'other-node');
  const notes = join(folder, 'notes');
  const script = `#!/bin/sh\n[ "$1" = --version ] && echo v99.1.2 && exit\necho "$1" >> '${notes}'\nexec '${process.execPath}' "$@"\n`;
  writeFileSync(other, script, { mode: 0o755 });
  const measured = call('--smoke', '--json', '--quiet', '--node', other, '--compare', file);
  assert.is(measured.code, 0, measured.err);
  const { node, command }: BenchResult = JSON.parse(measured.out);
  assert.equal([node, command], ['v99.1.2', 'lepanto bench --json --smoke --quiet']);
  assert.match(measured.err, `Node ${process.version}`);
  assert.match(measured.err, 'Node v99.1.2');
  assert.match(measured.err, 'note: other Node, same commit: the ratios compare the two Nodes');
  const scripts = readFileSync(notes, 'utf8').trim().split('\n');
  assert.equal(
    scripts.map((path) => basename(path)),
    ['signature.js', 'sample.js'],
  );
});

/** Programs that are no Node that Lepanto runs on: name, what the program does, and what is said of it. */
const noNodes: readonly (readonly [name: string, does: string, message: RegExp])[] = [
  ['old', 'echo v20.18.3', /--node: got Node v20\.18\.3 at ".*old", wanted Node 20\.19 or later/],
  ['deno', 'echo deno 2.1.4', /--node: got ".*deno", which is "deno 2\.1\.4", wanted Node 20\.19 or later/],
  ['fails', 'exit 3', /--node: got ".*fails" \(exit code 3\), wanted Node 20\.19 or later/],
  ['endless', 'exec yes', /--node: got ".*endless" \(.+\), wanted Node 20\.19 or later/],
];
bench('--node refuses what is no Node that Lepanto runs on', () => {
  const refused = (message: RegExp | string, ...args: string[]): void => {
    const { code: exit, err: said } = call('--smoke', ...args);
    assert.is(exit, 2, args.join(' '));
    assert.match(said, message);
  };
  for (const [name, does, message] of noNodes) {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${does}\n`, { mode: 0o755 });
    refused(message, '--node', path);
  }
  refused(/--node: got ".*none" \(ENOENT\), wanted Node 20\.19 or later/, '--node', join(folder, 'none'));
  refused(/--node: got ".*" \(EACCES\), wanted Node 20\.19 or later/, '--node', folder);
  refused(/--node: got "" \(no name\), wanted Node 20\.19 or later/, '--node', '');
  refused('got --queue and --node, wanted one', '--node', process.execPath, '--queue', 'env');
});

bench('games that are recorded are the same for any number of workers', async () => {
  const checksums: number[] = [];
  for (const workers of [1, 2]) {
    const threads = await openThreads(workers, 0.01);
    const { games, steps, checksum } = await threads.measure(RECORDED, 0);
    await threads.close();
    assert.ok(isRate(games) && isRate(steps));
    checksums.push(checksum);
  }
  assert.is(checksums[0], checksums[1]);
});

bench('every preset and every map has a row that plays the same each time', () => {
  const rows = makeOtherRows();
  const names = rows.map(({ counts: [{ path }] }) => path.join(', '));
  assert.equal(names, [
    ...presetNames.map((name) => `preset_phase_steps_per_second, ${name}`),
    ...mapNames.map((name) => `map_phase_steps_per_second, ${name}`),
  ]);
  for (const [i, row] of rows.entries()) {
    assert.ok(row.counts[0].operations > 0, names[i]);
    assert.is(row.run(), row.counts[0].operations, names[i]);
    assert.is(row.check(), row.check(), names[i]);
  }
});

bench('wrong options are refused', async () => {
  assert.is(call('--quick', '--full').code, 2);
  assert.is(call('--fast').code, 2);
  assert.match(call('--help').out, /--quick/);
});

bench('a file that is no result is refused by name', () => {
  const wrong = join(folder, 'wrong.json');
  writeFileSync(wrong, '{"samples":{}}');
  assert.throws(() => readResult(wrong), /wrong\.json: got no "spread"/);
  assert.throws(() => readResult(join(folder, 'none.json')), /none\.json/);
});

bench('tables have a line for every row', () => {
  const result = readResult(file);
  const text = formatTable(result);
  const report = formatReport(result);
  for (const [row] of listRows(result.samples)) {
    const name = row.replaceAll('_per_second', '/s').replaceAll('_', ' ');
    assert.ok(text.includes(name), name);
    assert.ok(report.includes(`| ${name} |`), name);
  }
  assert.ok(report.includes(result.command));
  assert.not.match(report, 'other Nodes');
});

bench('a report has a column for each other Node, relative to the first', () => {
  const result = readResult(file);
  const half = JSON.parse(JSON.stringify(result), (_, value) => (typeof value === 'number' ? value / 2 : value));
  const report = formatReport(result, [
    { ...result, node: 'v98.7.6' },
    { ...half, node: 'v99.0.0' },
  ]);
  assert.match(report, /^\| row \| .* \| checksum \| Node v98\.7\.6 \| Node v99\.0\.0 \|$/m);
  assert.match(report, /^\| resolves\/s, mid dense \| .* \| 1\.00 \| 0\.50 \|$/m);
});

bench('Mann-Whitney gives the exact probabilities of the tables', () => {
  assert.is(median([3, 1, 2]), 2);
  assert.is(median([4, 1, 2, 3]), 2.5);
  // Two of the C(10, 5) = 252 orders are as far apart as this one.
  assert.is(mannWhitney([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]), 2 / 252);
  // U = 1 of 3 and 4: orders with U of 0 or 1 are 1 + 1 of 35, on both sides.
  assert.is(mannWhitney([1, 2, 4], [3, 5, 6, 7]), 4 / 35);
  assert.is(mannWhitney([1, 4], [2, 3]), 1);
  assert.is(mannWhitney([1, 1, 1], [1, 1, 1]), 1);
});

bench('compare tells faster from noise, and says when there are too few processes', () => {
  const base = readResult(file);
  const numbers = (factor: number): number[] => Array.from({ length: 8 }, (_, i) => factor * (100 + i));
  const a = { ...base, samples: { fast: numbers(1), same: numbers(1), few: [1, 2] }, signature: 1 };
  const b = { ...base, samples: { fast: numbers(1.2), same: numbers(1.01), few: [3, 4] }, signature: 2 };
  const compared = compareResults(a, b);
  assert.equal(
    compared.map(({ row, verdict }) => `${row}: ${verdict}`),
    ['fast: faster', 'same: same within noise', 'few: too few processes'],
  );
  assert.is(compareResults(b, a)[0].verdict, 'slower');
  assert.ok(Math.abs(compared[0].ratio - 1.2) < 1e-12);
  assert.match(formatComparison(a, b), /the signature changed/);
});

const families = suite('bench families');
const corpus = makeCorpus(3, 400);

/** What the board and order.ts both say of an order: its type and VIA, whom it helps, and the province it acts on. */
const isSameOnBoard = (onBoard: number, order: number): boolean => {
  const type = orderType(order);
  if (type !== orderType(onBoard) || orderVia(order) !== orderVia(onBoard)) return false;
  if (type === HOLD) return true;
  const isSameTarget = standard.locationProvince[orderTarget(order)] === orderTarget(onBoard);
  return isSameTarget && (type === MOVE || orderHelped(order) === orderHelped(onBoard));
};

families('the seed fixes every set; the two tiers agree on all of them', () => {
  const again = makeCorpus(3, 400);
  for (const name of familyNames) {
    assert.equal(corpus.sets[name], again.sets[name], name);
    assert.is(checkSets(corpus.sets[name]), checkByRecursion(corpus.sets[name]), name);
  }
  assert.not.equal(corpus.sets['mid dense'], makeCorpus(4, 400).sets['mid dense']);
});

families('the streams give the same sets one after the other, whoever uses the board in between', () => {
  const other = standardFamilies[1].open(5);
  let illegal = 0;
  for (const { name, open } of standardFamilies) {
    const next = open(3);
    for (const { places, orders } of corpus.sets[name as FamilyName].slice(0, 60)) {
      const set = next();
      const given = set.orders.slice(0, set.count);
      assert.equal(
        [...given].map((order) => standard.locationProvince[orderLocation(order)]),
        [...places],
        name,
      );
      for (const [i, place] of places.entries())
        if (!isSameOnBoard(orders[place], given[i])) {
          assert.is(orderType(given[i]), HOLD);
          illegal++;
        }
      other();
    }
  }
  assert.ok(illegal < 20, `${illegal} orders of the corpus are not legal`);
});

/** Shares in a family as in the speed table. */
const shares: readonly (readonly [family: FamilyName, of: keyof ReturnType<typeof profile>, share: number])[] = [
  ['1901 uniform', 'moves', 0.4],
  ['1901 uniform', 'supports', 0.5],
  ['mid uniform', 'moves', 0.31],
  ['mid uniform', 'via', 0.045],
  ['mid dense', 'given', 0.87],
  ['mid dense', 'convoys', 0.06],
];
families('the sets are like those of the speed table', () => {
  for (const name of familyNames) {
    const { units } = profile(corpus.sets[name]);
    if (name.startsWith('1901')) assert.is(units, 22, name);
    else assert.ok(units >= 30 && units <= 34, `${name}: ${units} units`);
  }
  for (const [name, of, wanted] of shares) {
    const got = profile(corpus.sets[name])[of];
    assert.ok(Math.abs(got - wanted) < 0.05, `${name}, ${of}: got ${got.toFixed(3)}, wanted about ${wanted}`);
  }
  assert.ok(bailOutRate(corpus.sets['mid dense']) > 0, 'some of the dense sets need the recursion');
});

families.run();
bench.run();
