// Tests the Python package: builds it, installs it as users do into a throw-away environment, and runs its tests there.
//
// If that is impossible (no python3 with venv, no access to numpy), the tests say so and count as skipped.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf, packageDocuments } from '../../tools/code-blocks.js';
import { root } from '../../tools/data.js';
import {
  type Environment,
  lastLines,
  makeEnvironment,
  outputOf,
  type Ran,
  runProgram,
  skipAll,
  tryTo,
} from '../../tools/python-kit.js';
import { checkStyle, styleTools } from '../../tools/python-style.js';
import { findMissing } from '../../tools/queue-kit.js';

const project = join(root, 'bindings/python');
const tests = readdirSync(join(project, 'tests')).filter((name) => /^test_.*\.py$/.test(name));

/** Modules that tests need, and that are not always there: those tests are skipped then, and say so. */
const needs: Readonly<Record<string, string>> = {
  'test_llm_recipe.py': 'torch',
  'test_llm_textarena.py': 'textarena',
  'test_llm_tokens.py': 'tokenizers, llguidance',
  'test_loader.py': 'torch',
  'test_net.py': 'torch',
  'test_openspiel.py': 'pyspiel',
  'test_supersuit.py': 'supersuit',
  'test_torch.py': 'torch',
  'test_torch_recipes.py': 'torch',
  'test_train.py': 'torch',
};

/** The same for what is too large to be installed, or not to be had, in every run of CI: tests for whoever has it. */
const rare: Readonly<Record<string, string>> = {
  'test_jax.py': 'jax',
  'test_llm_inspect.py': 'inspect_ai',
  'test_ray.py': 'ray',
  'test_ray_data.py': 'ray.data',
  'test_rllib.py': 'ray.rllib, torch',
  'test_ray_training.py': 'ray, torch',
  'test_tensorboard.py': 'tensorboard, torch',
};

/** Those with a test that plays over a queue. */
const queued: readonly string[] = ['test_train.py'];

/** Files that take longest, the last of them most. */
const longest: readonly string[] = [
  'test_batch.py',
  'test_record.py',
  'test_copies.py',
  'test_ray.py',
  'test_acting.py',
  'test_arena.py',
  'test_dataset.py',
  'test_train.py',
];

const AT_ONCE = Math.max(2, availableParallelism());

const directory = mkdtempSync(join(tmpdir(), 'lepanto-python-'));
/** Bytecode is kept beside the environment: of what is loaded, once for all processes. Other files use the other cores. */
const shared = {
  ...process.env,
  PYTHONDONTWRITEBYTECODE: '',
  PYTHONPYCACHEPREFIX: join(directory, 'bytecode'),
  OMP_NUM_THREADS: '1',
};

const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Ran =>
  runProgram(command, args, { env: { ...shared, ...env } });

const engine = join(directory, 'engine');

/** For tests that are skipped without; each may be missing for some Python. */
const optional = [
  'ray',
  'nbclient ipykernel',
  'supersuit',
  'open_spiel',
  'mypy ruff',
  'resvg_py pillow',
  'tokenizers llguidance textarena',
];

/** Makes an environment with what the tests need. @throws Error that says why there is none */
const install = (): Environment => {
  const made = makeEnvironment(join(directory, 'venv'), 'python3', { env: shared });
  const numpy = made.pip('numpy', 'gymnasium', 'pettingzoo', 'setuptools>=70.1');
  if (numpy.status !== 0) throw new Error(`no way to numpy, gymnasium and pettingzoo: ${lastLines(numpy)}`);
  if (made.pip(...optional.join(' ').split(' ')).status !== 0)
    for (const names of optional) made.pip(...names.split(' '));
  return made;
};

/** How tests of a file ended, and what they wrote to standard error. */
interface Ended {
  readonly error: Error | null;
  readonly stderr: string;
}

const runFile = (command: string, name: string, env: NodeJS.ProcessEnv): Promise<Ended> =>
  new Promise((resolve) => {
    const args = ['-W', 'ignore', '-m', 'unittest', join(project, 'tests', name)];
    const options = { cwd: root, env: { ...shared, ...env }, maxBuffer: 1 << 28 };
    execFile(command, args, options, (error, _, stderr) => resolve({ error, stderr }));
  });

const [environment, missing] = tryTo(install);
const installed = environment?.python ?? '';
/**
 * A python3 that has numpy and a module. Torch is too heavy to be installed for its tests: Debian's own python3 has it
 * where python3-torch is installed.
 */
const findPython = (name: string): string | undefined =>
  [installed, 'python3', '/usr/bin/python3'].find(
    (command) => run(command, ['-c', `import numpy, ${name}`]).status === 0,
  );
const python = suite('python');

python.after(() => rmSync(directory, { recursive: true, force: true }));

if (environment === null) {
  skipAll(python, 'the tests of the Python package did not run', missing);
  for (const name of tests) python.skip(name, () => {});
} else {
  const { pip } = environment;
  python('says before the engine is built that it wants to be', () => {
    const copy = join(directory, 'unbuilt');
    cpSync(project, copy, { recursive: true, filter: (path) => !path.endsWith('/js') });
    const refused = pip('--no-build-isolation', '--no-deps', copy);
    assert.is.not(refused.status, 0);
    assert.match(`${refused.stdout}${refused.stderr}`, /got no built engine in src\/lepanto\/js.*npm run build:python/);
  });

  python('builds and installs as one wheel', () => {
    outputOf(run(process.execPath, [join(root, 'dist/bindings/python/package.js')]));
    // From a copy: setuptools leaves its own files beside the sources.
    const copy = join(directory, 'source');
    cpSync(project, copy, { recursive: true });
    outputOf(pip('--no-build-isolation', '--no-deps', copy));
    assert.match(outputOf(run(join(directory, 'venv/bin/lepanto'), ['--version'])), /^lepanto \d/);
  });

  python('the wheel is for every version of Python and has the licence', () => {
    const show = `
import importlib.metadata
files = importlib.metadata.files('lepanto')
print([file.read_text() for file in files if file.name == 'WHEEL'][0])
print([file.read_text() for file in files if file.name == 'LICENSE' and 'dist-info' in str(file)][0])
print([file.read_text() for file in files if file.name == 'METADATA'][0])`;
    const shown = outputOf(run(installed, ['-c', show]));
    assert.match(shown, /^Tag: py3-none-(any|manylinux_2_28_\w+|macosx_11_0_\w+)$/m);
    assert.ok(shown.includes(readFileSync(join(root, 'LICENSE'), 'utf8').trim()));
    const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const address = repository.url.replace(/^git\+|\.git$/g, '');
    for (const name of ['Homepage', 'Source', 'Documentation', 'Changelog', 'Issues'])
      assert.match(shown, new RegExp(`^Project-URL: ${name}, ${address}\\b`, 'm'));
    assert.match(shown, /^Author: The Lepanto authors$/m);
    assert.match(shown, /^Classifier: Typing :: Typed$/m);
    // PyPI shows the text alone: each link needs its whole address, and leads to a file that exists.
    const links = Array.from(shown.matchAll(/\]\(([^)\s]+)\)/g), ([, link]) => link);
    assert.ok(links.length > 5);
    for (const link of links) {
      assert.match(link, /^(https?:|#)/);
      const [, path] = /\/blob\/v[\d.]+\/([^#]*)/.exec(link) ?? [];
      assert.ok(path === undefined || existsSync(join(root, path)), link);
    }
  });

  for (const { name, command, missing: lack } of styleTools(installed))
    python(name, () => {
      if (command === undefined) process.stdout.write(`SKIPPED: ${name}: ${lack}\n`);
      else assert.is(checkStyle(name, command), '');
    });

  python('the wheel carries what the commands load', () => {
    const lepanto = join(directory, 'venv/bin/lepanto');
    const games = join(directory, 'games');
    const saved = join(directory, 'games.jsonl');
    for (const [args, wanted] of [
      [['selfplay', '--games', '4', '--until', '1902', '--agents', 'random', '--out', games, '--quiet'], /^games +4$/m],
      [['replay', games, '--verify'], /^4 games, \d+ phases: no difference$/m],
      [['stats', games], /^games +4$/m],
      [['convert', games, saved], /^/],
      [['convert', games, join(directory, 'tables'), '--to', 'parquet'], /^/],
      [['arena', '--agents', 'random,hold', '--games', '7', '--until', '1901', '--quiet'], /^hold +\d+ /m],
      [['rules'], /^datc-3\.2 /m],
      [['bench', '--help'], /^usage: lepanto bench/],
    ] as const) {
      assert.match(outputOf(run(lepanto, args), args.join(' ')), wanted);
    }
    assert.ok(existsSync(saved));
  });

  python('lepanto.bench measures itself', () => {
    const args = ['-m', 'lepanto.benchmark', '--games', '64', '--repeats', '2', '--seconds', '0.05', '--json'];
    const measured = outputOf(run(installed, args, { NODE_PATH: join(root, 'node_modules') }));
    const {
      phase_steps_per_second: rates,
      bytes_per_game: bytes,
      contexts_per_second: contexts,
    } = JSON.parse(measured);
    for (const sampler of ['policy', 'uniform'])
      for (const row of ['engine alone', 'random_step(1)', 'random_step(20)', 'random_step(1), dipnet'])
        assert.ok(rates[sampler][row].least > 0 && rates[sampler][row].ratio.least > 0, `${sampler}, ${row}`);
    assert.ok(contexts.least > 0);
    assert.ok(bytes.dipnet > bytes['without observations']);
  });

  python('the examples of its documents run', () => {
    const place = join(directory, 'documents');
    const bin = join(directory, 'venv/bin');
    const shell = (command: string): void => {
      const env = { ...shared, PATH: `${bin}:${process.env.PATH}` };
      outputOf(runProgram('sh', ['-ec', command], { cwd: place, env }), command);
    };
    mkdirSync(place);
    cpSync(join(project, 'examples/my_bot.py'), join(place, 'my_bot.py'));
    shell('lepanto selfplay --games 64 --until 1902 --agents policy --out runs/policy --quiet');
    const blocks = packageDocuments.flatMap((path) => blocksOf(readFileSync(join(root, path), 'utf8')));
    const commands = blocks.filter(({ language, code }) => language === 'sh' && /^(lepanto|python) /.test(code));
    // Those of the guide go on from each other: test_guide.py runs them.
    const isWhole = /^(import|from) /;
    const programs = blocks.filter(({ language, code }) => language === 'python' && isWhole.test(code));
    assert.equal([commands.length, programs.length], [1, 3]);
    for (const { code } of commands) shell(code);
    for (const { code } of programs) {
      writeFileSync(join(place, 'example.py'), code);
      shell('python example.py');
    }
  });

  const needed = new Map<string | undefined, string | undefined>([[undefined, installed]]);
  for (const modules of new Set(Object.values({ ...needs, ...rare }))) needed.set(modules, findPython(modules));
  const runners = tests.map((name) => [name, needed.get(needs[name] ?? rare[name])] as const);
  const start = (name: string, command: string): Promise<Ended> =>
    runFile(command, name, {
      NODE_PATH: join(root, 'node_modules'),
      // The package as it was built above, which another python3 does not have installed.
      ...(command !== installed && { PYTHONPATH: join(project, 'src') }),
      // Tests with Ray count and kill engines, by their path.
      ...(rare[name] !== undefined && { LEPANTO_JS: engine }),
    });
  const ended = new Map<string, Promise<Ended>>();
  let free = AT_ONCE;
  const waiting: (() => void)[] = [];
  /** Runs a task once fewer than AT_ONCE run, in the order of the calls. */
  const inTurn = async <T>(task: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
  /** Files run several at once, from the first test of a file on: by then the package is installed. The longest begin. */
  const startAll = (): void => {
    cpSync(join(project, 'src/lepanto/js'), engine, { recursive: true });
    // One cluster of Ray at a time: a second one would join the first.
    let lastOfRay: Promise<unknown> = Promise.resolve();
    for (const [name, command] of runners.toSorted(([a], [b]) => longest.indexOf(b) - longest.indexOf(a))) {
      if (command === undefined) continue;
      const own = (): Promise<Ended> => inTurn(() => start(name, command));
      const end = rare[name] === undefined ? own() : lastOfRay.then(own);
      if (rare[name] !== undefined) lastOfRay = end;
      ended.set(name, end);
    }
  };
  for (const [name, command] of runners) {
    if (command === undefined) {
      process.stdout.write(`SKIPPED: ${name}: no python3 has ${needs[name] ?? rare[name]}\n`);
      if (rare[name] === undefined) python.skip(name, () => {});
      continue;
    }
    python(name, async () => {
      if (ended.size === 0) startAll();
      const { error, stderr } = (await ended.get(name)) ?? { error: new Error('never started'), stderr: '' };
      assert.is(error, null, stderr.trim().split('\n').slice(-12).join('\n'));
      assert.match(stderr, /^Ran [1-9]\d* tests? in/m);
      const skipped = /skipped=\d+/.test(stderr);
      const without = queued.includes(name) ? findMissing() : '';
      assert.ok(!skipped || without !== '', `tests of ${name} were skipped, and nothing is missing`);
      if (skipped) process.stdout.write(`SKIPPED: a test of ${name}: ${without}\n`);
    });
  }
}

python.run();
