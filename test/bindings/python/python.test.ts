// Tests the Python package as it lies in the tree, with a Python of this machine that has numpy: nothing is installed.
// The rest, in an environment that pip has made, is in python.slow.test.ts.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../tools/data.js';

const project = join(root, 'bindings/python');

/** Tests of each wrapper, and the modules that they need beside numpy. */
const files: Readonly<Record<string, readonly string[]>> = {
  'test_batch.Copies': [],
  'test_batch.Tensors': [],
  'test_batch.Text': [],
  'test_trees.Clones.test_clones_play_independently': [],
  'test_equilibria.Twins': [],
  test_bot: [],
  'test_diplomacy.Messages': [],
  'test_diplomacy.Names.test_orders': [],
  test_deepmind: [],
  test_drawing: [],
  'test_llm.Answers': [],
  'test_llm.Contexts': [],
  test_wrappers: ['gymnasium', 'pettingzoo'],
  test_supersuit: ['gymnasium', 'pettingzoo', 'supersuit'],
  test_openspiel: ['pyspiel'],
};

const has = (python: string, module: string): boolean => spawnSync(python, ['-c', `import ${module}`]).status === 0;

const python = [process.env.LEPANTO_PYTHON ?? 'python3', '/usr/bin/python3'].find((command) => has(command, 'numpy'));
const smoke = suite('python');

if (python === undefined) {
  process.stdout.write('SKIPPED: the Python package: no python3 that has numpy\n');
  smoke('the runner names what is left out', () => {
    assert.not.ok(has('python3', 'numpy'));
  });
} else {
  const modules = [...new Set(Object.values(files).flat())];
  const missing = modules.filter((module) => !has(python, module));
  if (missing.length > 0) process.stdout.write(`SKIPPED: Python wrappers: ${python} has no ${missing.join(', ')}\n`);
  const isLeftOut = (name: string): boolean => files[name].some((module) => missing.includes(module));
  const names = Object.keys(files).filter((name) => !isLeftOut(name));
  // One process for all: to start one takes longer than most of them.
  const done = spawnSync(python, ['-W', 'ignore', '-m', 'unittest', '--verbose', ...names], {
    cwd: join(project, 'tests'),
    encoding: 'utf8',
    env: {
      ...process.env,
      LEPANTO_JS: root,
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONPATH: join(project, 'src'),
    },
  });
  const said = `${done.error?.message ?? ''}${done.stdout}${done.stderr}`;
  smoke('every test passes', () => assert.is(done.status, 0, said));
  for (const name of Object.keys(files)) {
    if (isLeftOut(name)) smoke.skip(name, () => {});
    else
      smoke(name, () =>
        assert.match(done.stderr, new RegExp(`^test\\w+ \\(${name.split('.', 2).join('[.]')}\\b`, 'm'), said),
      );
  }
}

smoke.run();
