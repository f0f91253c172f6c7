// Measures what the tests notice: changes the source in small ways, one at a time, and runs the tests of the inner ring
// against each change. See `--help`.
//
// The tests run in a copy of dist/, where a changed file is compiled alone, without a check of its types. A first run
// without a change records which code each test file executes (coverage of V8, in every process that ends by itself).
// A change is then tried with the test files that execute it, those of its room first, then quickest first, until one
// fails.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { transformSync } from 'esbuild';
import { startProgress } from '../../bindings/terminal/progress.js';
import { root } from '../tools/data.js';
import { type Candidate, drawMutations, findAgain, findCandidates, type Mutation } from './choose.js';

const HELP = `Counts the small changes of the source that the tests of npm test notice.

  npm run build && node dist/test/mutations/mutations.js [options]

A killed run continues with the same command.

  --seed N       seed that chooses the changes (1)
  --count N      number of changes (60)
  --like FILE    makes the changes of an earlier run: its report of --json
  --folder DIR   where the run keeps its state (dist/mutations)
  --minutes N    starts no test after N minutes (no limit)
  --limit N      ends the tests of a change after N seconds (no limit)
  --at-once N    number of test files that run side by side (2)
  --json         prints the report as JSON
  --quiet        shows no progress
  --help         prints this text
`;

/** A test file may take this many times its time without a change, and some seconds more; then it counts as hung. */
const SLOWER = 6;
const SPARE_MS = 30_000;

interface TestFile {
  /** 'engine/rules/score.test' */
  readonly name: string;
  readonly seconds: number;
  readonly passed: boolean;
  /** Numbers of the mutations whose code it executes. */
  readonly reaches: readonly number[];
}

type Outcome =
  | { readonly outcome: 'caught' | 'hung'; readonly by: string; readonly title: string }
  | { readonly outcome: 'survived'; readonly tried: number; readonly of: number }
  | { readonly outcome: 'no longer there' };

interface State {
  /** Hash of everything that the outcomes depend on. */
  readonly tree: string;
  readonly mutations: readonly (Mutation & { readonly row: number })[];
  readonly tests: TestFile[];
  readonly outcomes: (Outcome | null)[];
}

const compile = (text: string): string =>
  transformSync(text, {
    loader: 'ts',
    format: 'esm',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { useDefineForClassFields: false, verbatimModuleSyntax: true } },
  }).code;

const sourceOf = (file: string): string => fs.readFileSync(join(root, file), 'utf8');

const changed = ({ file, start, end, to }: Candidate): string => {
  const text = sourceOf(file);
  return compile(text.slice(0, start) + to + text.slice(end));
};

// ---- the copy ----

const hashTree = (): string => {
  const hash = createHash('sha256');
  for (const name of fs.readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).sort())
    if (name.endsWith('.js') && !/^(test[\\/])?mutations/.test(name))
      hash.update(fs.readFileSync(join(root, 'dist', name)));
  return hash.digest('hex').slice(0, 16);
};

/**
 * Makes a copy of dist/ among links to the other folders of the tree, with the files to be changed compiled alone. Files
 * beside these folders are copied: a test that copies links and writes to them would write to the tree.
 */
const makeCopy = (copy: string, files: ReadonlySet<string>): void => {
  fs.rmSync(copy, { recursive: true, force: true });
  fs.mkdirSync(copy, { recursive: true });
  for (const entry of fs.readdirSync(root, { withFileTypes: true }))
    if (entry.isFile()) fs.copyFileSync(join(root, entry.name), join(copy, entry.name));
    else if (entry.name !== 'dist') fs.symlinkSync(join(root, entry.name), join(copy, entry.name));
  for (const name of fs.readdirSync(join(root, 'dist')))
    if (name !== 'mutations') fs.cpSync(join(root, 'dist', name), join(copy, 'dist', name), { recursive: true });
  for (const file of files) fs.writeFileSync(builtIn(copy, file), compile(sourceOf(file)));
};

const builtIn = (copy: string, file: string): string => join(copy, 'dist', file.replace(/\.ts$/, '.js'));

// ---- running a test file ----

const running = new Set<ChildProcess>();

const stop = (child: ChildProcess): void => {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
};

interface Run {
  readonly exit: 'passed' | 'failed' | 'hung' | 'stopped';
  /** Title of the first test that failed. */
  readonly title: string;
  readonly seconds: number;
}

/** @param signal ends it: then its exit is 'stopped' */
const runTest = (name: string, limitMs: number, env: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<Run> =>
  new Promise((done) => {
    const begin = performance.now();
    const child = spawn(process.execPath, [join(copy, 'dist', 'test', `${name}.js`)], {
      cwd: copy,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...{ detached: true, timeout: Math.ceil(limitMs), killSignal: 'SIGKILL', ...(signal && { signal }) },
    });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(0, 1 << 20);
      });
    // The signal is an error of the child, before its exit.
    child.on('error', () => {});
    child.on('exit', async (code) => {
      running.delete(child);
      stop(child);
      // For the rest of its output.
      await setTimeout(20);
      const ended = code === 0 ? 'passed' : 'failed';
      // A process that ended by a signal of its own has failed.
      const isKilled = code === null && child.killed;
      const exit = !isKilled ? ended : signal?.aborted ? 'stopped' : 'hung';
      const title = /^ *FAIL +(.+)$/m.exec(output)?.[1] ?? output.trim().split('\n').at(-1) ?? '';
      done({ exit, title: exit === 'failed' ? title.trim() : '', seconds: (performance.now() - begin) / 1000 });
    });
  });

// ---- which tests execute which code ----

/** A range of a compiled file, in characters, and how often it was executed. */
interface Executed {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}
/** What V8 writes of a process. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Executed[] }[];
  }[];
}

/** Where the compiled text of a mutation first differs from that of the file. */
const offsetOf = (candidate: Candidate): number => {
  const [before, after] = [compile(sourceOf(candidate.file)), changed(candidate)];
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  return at;
};

/** True if the innermost range around an offset was executed. */
const isExecuted = (ranges: readonly Executed[], offset: number): boolean => {
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset);
  const sizeOf = ({ startOffset, endOffset }: Executed): number => endOffset - startOffset;
  const [innermost] = around.sort((a, b) => sizeOf(a) - sizeOf(b));
  return innermost !== undefined && innermost.count > 0;
};

interface Place {
  readonly url: string;
  readonly offset: number;
}

/** Returns nothing for a file that a killed process has left half written. */
const readCoverage = (path: string): Coverage['result'] => {
  try {
    return (JSON.parse(fs.readFileSync(path, 'utf8')) as Coverage).result;
  } catch {
    return [];
  }
};

const reachedIn = (folder: string, places: readonly (Place | null)[]): number[] => {
  const reached = new Set<number>();
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const result = readCoverage(join(folder, name));
    const byUrl = new Map(result.map(({ url, functions }) => [url.replace(/[?#].*$/, ''), functions]));
    for (const [i, place] of places.entries()) {
      const ranges = byUrl.get(place?.url ?? '')?.flatMap((of) => of.ranges) ?? [];
      if (place !== null && isExecuted(ranges, place.offset)) reached.add(i);
    }
  }
  return [...reached].sort((a, b) => a - b);
};

// ---- the run ----

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    like: { type: 'string' },
    folder: { type: 'string', default: join(root, 'dist', 'mutations') },
    minutes: { type: 'string', default: 'Infinity' },
    limit: { type: 'string', default: 'Infinity' },
    'at-once': { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const begin = performance.now();
const isOver = (): boolean => (performance.now() - begin) / 60_000 >= Number(values.minutes);
const folder = resolve(values.folder);
const copy = join(folder, 'tree');
const stateFile = join(folder, 'state.json');

const save = (state: State): void => {
  fs.writeFileSync(`${stateFile}.part`, JSON.stringify(state));
  fs.renameSync(`${stateFile}.part`, stateFile);
};

/** Runs work(item) for each item in order, some side by side, until all are done or the time is over. */
const inParallel = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const queue = [...items];
  const next = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined && !isOver(); item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Number(values['at-once']) }, next));
};

const measureTests = async (state: State, places: readonly (Place | null)[]): Promise<void> => {
  const known = new Set(state.tests.map(({ name }) => name));
  const names = fs
    .readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.test.ts') && !name.endsWith('.slow.test.ts'))
    .map((name) => name.slice(0, -'.ts'.length))
    .filter((name) => !known.has(name));
  const total = names.length + known.size;
  const read = () => ({ done: state.tests.length, note: '' });
  const end = startProgress({ total, unit: 'test files', read, quiet: values.quiet });
  await inParallel(names, async (name) => {
    const coverage = join(folder, `coverage-${name.replaceAll('/', '-')}`);
    const { exit, seconds } = await runTest(name, 1_200_000, { NODE_V8_COVERAGE: coverage });
    state.tests.push({ name, seconds, passed: exit === 'passed', reaches: reachedIn(coverage, places) });
    fs.rmSync(coverage, { recursive: true, force: true });
    save(state);
  });
  end();
};

/** True for a test file of the room that a change is in: test/engine/map of engine/map, and test/engine of engine. */
const isNear = ({ name }: TestFile, { file }: Mutation): boolean => {
  const room = file.split('/').slice(0, -1).slice(0, 2).join('/');
  return name.startsWith(`${room}/`);
};

/** Runs the test files against the changed tree, in their order, until one fails. Null if the time is over before. */
const tryTests = async (tests: readonly TestFile[]): Promise<Outcome | null> => {
  const controller = new AbortController();
  const limit = Number(values.limit) * 1000;
  const signal = AbortSignal.any([controller.signal, ...(Number.isFinite(limit) ? [AbortSignal.timeout(limit)] : [])]);
  let found: Outcome | null = null;
  let tried = 0;
  await inParallel(tests, async ({ name, seconds }) => {
    if (signal.aborted) return;
    const run = await runTest(name, 1000 * SLOWER * seconds + SPARE_MS, {}, signal);
    if (run.exit !== 'stopped') tried++;
    if (found !== null || run.exit === 'passed' || run.exit === 'stopped') return;
    found = { outcome: run.exit === 'hung' ? 'hung' : 'caught', by: name, title: run.title };
    controller.abort();
  });
  return found ?? (isOver() ? null : { outcome: 'survived', tried, of: tests.length });
};

const tryMutations = async (state: State, candidates: readonly (Candidate | null)[]): Promise<void> => {
  const { mutations, outcomes } = state;
  const read = () => ({
    done: outcomes.filter((one) => one !== null).length,
    note: `${outcomes.filter((one) => one?.outcome === 'survived').length} survived`,
  });
  const end = startProgress({ total: mutations.length, unit: 'mutations', read, quiet: values.quiet });
  for (const [i, candidate] of candidates.entries()) {
    if (outcomes[i] !== null || isOver()) continue;
    if (candidate === null) {
      outcomes[i] = { outcome: 'no longer there' };
    } else {
      const tests = state.tests
        .filter(({ passed, reaches }) => passed && reaches.includes(i))
        .sort((a, b) => Number(isNear(b, candidate)) - Number(isNear(a, candidate)) || a.seconds - b.seconds);
      const file = builtIn(copy, candidate.file);
      fs.writeFileSync(file, changed(candidate));
      outcomes[i] = await tryTests(tests);
      fs.writeFileSync(file, compile(sourceOf(candidate.file)));
    }
    save(state);
  }
  end();
};

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
};

const report = ({ tests, mutations, outcomes }: State): void => {
  const rows = mutations.map((mutation, i) => ({ ...mutation, ...(outcomes[i] ?? { outcome: 'not tried' }) }));
  const count = (...names: string[]): number => rows.filter(({ outcome }) => names.includes(outcome)).length;
  const failing = tests.filter(({ passed }) => !passed).map(({ name }) => name);
  const totals = {
    mutations: rows.length,
    caught: count('caught', 'hung'),
    survived: count('survived'),
    'not tried': count('not tried'),
  };
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ seed: Number(values.seed), ...totals, failing, rows }, null, 1)}\n`);
    return;
  }
  for (const row of rows) {
    const how = 'by' in row ? ` by ${row.by}` : 'of' in row ? ` ${row.tried} of ${row.of} test files` : '';
    const what =
      row.to === '' || row.to === ';' ? `without ${shorten(row.from)}` : `${shorten(row.from)} -> ${shorten(row.to)}`;
    console.log(`${row.outcome}${how}\n  ${row.file}:${row.row} ${what}\n  ${row.line}`);
  }
  if (failing.length > 0) console.log(`left out, because they fail without a change: ${failing.join(', ')}`);
  console.log(
    `${totals.caught} of ${totals.mutations} caught, ${totals.survived} survived, ${totals['not tried']} not tried`,
  );
};

const main = async (): Promise<void> => {
  const all = findCandidates(root.replace(/\/$/, ''));
  const wanted =
    values.like === undefined ? null : (JSON.parse(fs.readFileSync(values.like, 'utf8')).rows as Mutation[]);
  const candidates =
    wanted === null ? drawMutations(all, Number(values.count), Number(values.seed)) : findAgain(all, wanted);
  const mutations = candidates.map((one, i) => one ?? { ...(wanted as Mutation[])[i], row: 0 });
  const tree = `${hashTree()} ${createHash('sha256').update(JSON.stringify(mutations)).digest('hex').slice(0, 16)}`;
  fs.mkdirSync(folder, { recursive: true });
  const old: State | null = fs.existsSync(stateFile) ? JSON.parse(fs.readFileSync(stateFile, 'utf8')) : null;
  if (old !== null && old.tree !== tree)
    throw new Error(
      `${folder} holds a run over another tree or with other mutations: remove it, or name another --folder`,
    );
  const state = old ?? { tree, mutations, tests: [], outcomes: mutations.map(() => null) };
  makeCopy(copy, new Set(candidates.flatMap((one) => (one === null ? [] : [one.file]))));
  const places = candidates.map((one) =>
    one === null ? null : { url: `file://${builtIn(copy, one.file)}`, offset: offsetOf(one) },
  );
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      for (const child of running) stop(child);
      process.exit(130);
    });
  await measureTests(state, places);
  await tryMutations(state, candidates);
  report(state);
};

if (values.help) process.stdout.write(HELP);
else await main();
