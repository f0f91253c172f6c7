// Runs test files, each in a process of its own, several at once, and adds up their reports.
//
//   node dist/test/run.js [--all | --slow] [--title PATTERN] [part of a name]...
//
// The inner ring is every *.test.ts, the outer ring every *.slow.test.ts. Without an option only the inner ring runs,
// with --slow only the outer one. --title chooses tests by a regular expression, whatever the case of its letters; the
// others count as skipped. A test that cannot run on this machine prints `SKIPPED: what: why`.
//
// uvu alone exits with 0 when a file holds no test or a `before` hook throws. Here a file fails once for each test that
// did not pass, and once if it crashed: if it gave no totals, no tests, an exit code without a failing test, or did not
// end.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const CORES = Math.max(2, availableParallelism());
/** After this a file counts as hung. */
const LIMIT_MS = 1_200_000;
/** What an ended file has left running may hold its output open; so long is waited for the rest of it. */
const LEFT_OPEN_MS = 5_000;
/** Started first, because they take longest: started last, one of them would run alone at the end. */
const LONGEST = ['python/', 'cluster/queue', 'web/pages', 'adjudicate/differential', 'agents/agents', 'search/search'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    slow: { type: 'boolean', default: false },
    title: { type: 'string' },
  },
});

interface Report {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  readonly output: string;
  /** Why the file itself failed; null if only its tests speak. */
  readonly crash: string | null;
}

const here = fileURLToPath(new URL('./', import.meta.url));
const sources = fileURLToPath(new URL('../../test/', import.meta.url));

const isSlow = (name: string): boolean => name.endsWith('.slow.test');

const isLong = (name: string): boolean => LONGEST.some((part) => name.includes(part));

/** Compiled test files by name. A file whose source was deleted lingers in dist/: it is no test any more. */
const findTests = (filters: readonly string[]): string[] =>
  readdirSync(here, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => file.slice(0, -'.js'.length).replaceAll('\\', '/'))
    .filter((name) => existsSync(join(sources, `${name}.ts`)))
    .filter((name) => filters.length === 0 || filters.some((part) => name.includes(part)))
    .sort((a, b) => Number(isLong(b)) - Number(isLong(a)) || (a < b ? -1 : 1));

/** The last number that uvu printed under a heading, or null. */
const lastCount = (output: string, heading: string): number | null => {
  const found = [...output.matchAll(new RegExp(`^ {2}${heading}: +(\\d+)$`, 'gm'))].at(-1);
  return found === undefined ? null : Number(found[1]);
};

const explainCrash = (total: number | null, failed: number, exit: string): string | null => {
  if (exit === 'limit') return `still running after ${LIMIT_MS / 1000} s`;
  if (total === null) return `ended with ${exit} before it printed its totals`;
  if (total === 0 && values.title === undefined) return 'holds no test';
  return exit !== 'code 0' && failed === 0 ? `ended with ${exit} although no test failed` : null;
};

const makeReport = (name: string, output: string, exit: string, seconds: number): Report => {
  const total = lastCount(output, 'Total');
  const passed = lastCount(output, 'Passed') ?? 0;
  const unpassed = (total ?? passed) - passed;
  const crash = explainCrash(total, unpassed, exit);
  const skipped = lastCount(output, 'Skipped') ?? 0;
  return { name, passed, failed: unpassed + (crash === null ? 0 : 1), skipped, seconds, output, crash };
};

const runFile = (name: string): Promise<Report> =>
  new Promise((resolve) => {
    const begin = performance.now();
    const { FORCE_COLOR: _, ...env } = process.env;
    const { title } = values;
    const preload = title === undefined ? [] : ['--import', new URL('./tools/chosen-titles.js', import.meta.url).href];
    const child = spawn(process.execPath, [...preload, join(here, `${name}.js`)], {
      env: { ...env, NO_COLOR: '1', ...(title !== undefined && { LEPANTO_TITLE: title }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let hung = false;
    const take = (text: string): void => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    const limit = setTimeout(() => {
      hung = true;
      child.kill('SIGKILL');
    }, LIMIT_MS);
    const finish = (exit: string): void => {
      clearTimeout(limit);
      resolve(makeReport(name, output, hung ? 'limit' : exit, (performance.now() - begin) / 1000));
    };
    child.on('error', (error) => finish(error.message));
    const closeOutput = (): void => {
      child.stdout.destroy();
      child.stderr.destroy();
    };
    child.on('exit', () => setTimeout(closeOutput, LEFT_OPEN_MS).unref());
    child.on('close', (code, signal) => finish(signal === null ? `code ${code}` : `signal ${signal}`));
  });

const counts = (passed: number, failed: number): string => `${passed} passed, ${failed} failed`;

const show = (report: Report): void => {
  const { name, passed, failed, skipped, seconds, output, crash } = report;
  if (failed > 0) console.log(`\n${output.trim()}`);
  if (crash !== null) console.log(`${name} ${crash}`);
  console.log(
    `${name.padEnd(44)} ${counts(passed, failed)}${skipped > 0 ? `, ${skipped} skipped` : ''} in ${seconds.toFixed(1)} s`,
  );
};

/** @param names in the order in which they begin @param atOnce how many run side by side */
const runAll = async (names: readonly string[], atOnce: number): Promise<Report[]> => {
  const reports: Report[] = [];
  const queue = [...names];
  const work = async (): Promise<void> => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const report = await runFile(name);
      show(report);
      reports.push(report);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return reports;
};

const sum = (reports: readonly Report[], key: 'passed' | 'failed' | 'skipped'): number =>
  reports.reduce((total, report) => total + report[key], 0);

/** One line that says what did not run, and why; null if everything did. */
const sayLeftOut = (slow: number, reports: readonly Report[]): string | null => {
  const said = reports.flatMap(({ output }) => [...output.matchAll(/^SKIPPED: (.+)$/gm)].map(([, what]) => what));
  const skipped = sum(reports, 'skipped');
  const left = [
    ...(slow === 0 ? [] : [`${slow} slow files (npm run test:all)`]),
    ...(skipped === 0 ? [] : [`${skipped} tests`]),
    ...new Set(said),
  ];
  return left.length === 0 ? null : `left out: ${left.join('; ')}`;
};

const tests = findTests(positionals);
const chosen = tests.filter((name) => values.all || isSlow(name) === values.slow);
// Some files wait, for processes, downloads, servers and browsers: with one more no core does.
const reports = await runAll(chosen, CORES + 1);
if (reports.length === 0) console.log('no test file to run');
const leftOut = sayLeftOut(chosen.some(isSlow) ? 0 : tests.length - chosen.length, reports);
if (leftOut !== null) console.log(leftOut);
const [passed, failed] = [sum(reports, 'passed'), sum(reports, 'failed')];
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
console.log(counts(passed, failed));
