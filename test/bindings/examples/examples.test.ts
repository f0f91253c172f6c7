// Tests that every program of bindings/examples runs as a user would run it, and prints what its reader expects.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entry, makeFolder } from '../../tools/command.js';
import { root } from '../../tools/data.js';

const folder = join(root, 'bindings/examples');
const place = makeFolder('examples');
mkdirSync(join(place, 'node_modules'));
symlinkSync(root, join(place, 'node_modules', 'lepanto'));

const run = (...args: readonly string[]): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: place, encoding: 'utf8' });
  assert.is(status, 0, stderr);
  assert.is(stderr, '');
  return stdout;
};

/** Runs an example: JavaScript as it lies there, TypeScript as it was compiled. */
const runExample = (name: string, ...args: readonly string[]): string =>
  run(
    name.endsWith('.mjs') ? join(folder, name) : join(root, 'dist/bindings/examples', name.replace(/ts$/, 'js')),
    ...args,
  );

/** What each example must print. */
const tests: Readonly<Record<string, () => void>> = {
  'adjudicate-text.mjs': () => {
    const lines = runExample('adjudicate-text.mjs').trimEnd().split('\n');
    assert.is(lines.length, 7);
    assert.is(lines[5], 'GERMANY  A MUN - BUR          fails bounced with A PAR');
    assert.is(lines[6], 'F1901M: France has A BUR, F MAO, A MAR');
  },
  'step-a-batch.ts': () => {
    const [spring, ...shares] = runExample('step-a-batch.ts').trimEnd().split('\n');
    assert.is(spring, 'spring: 1000 games stepped, 22000 orders');
    assert.is(shares.length, 7);
    const total = shares.reduce((sum, line) => sum + Number(line.slice(9)), 0);
    assert.ok(Math.abs(total - 1) < 0.001, shares.join('\n'));
  },
  'own-agent.mjs': () => {
    copyFileSync(join(folder, 'own-agent.mjs'), join(place, 'own-agent.mjs'));
    const arena = ['arena', '--agents', './own-agent.mjs,random', '--games', '7', '--until', '1902', '--seed', '1'];
    assert.match(run(entry, ...arena, '--quiet'), /^\.\/own-agent\.mjs +7 +7 +0\.\d+/m);
  },
  'find-orders.ts': () => {
    const first = runExample('find-orders.ts');
    const [looks, best] = first.split('\n');
    assert.is(looks, '4800 lookaheads');
    assert.match(best, /^ *\d+\.\d % {2}value 0\.\d+ {2}([AF] (BUR|SPA|MAO) .*){3}$/);
    assert.is(runExample('find-orders.ts'), first);
  },
  'read-a-run.ts': () => {
    const games = ['selfplay', '--games', '20', '--until', '1903', '--seed', '1', '--agents', 'random', '--out', 'run'];
    run(entry, ...games, '--quiet');
    const lines = runExample('read-a-run.ts', 'run').trimEnd().split('\n');
    assert.is(lines[0], '20 games');
    assert.is(lines.length, 8);
    for (const line of lines.slice(1)) assert.match(line, /^[A-Z]+ +\d+ of \d+ moves succeeded$/);
  },
  browser: () => {
    // test/project/consumer.slow.test.ts bundles and runs it.
    assert.equal(readdirSync(join(folder, 'browser')).toSorted(), ['index.html', 'page.ts']);
  },
};

const examples = suite('examples');

examples('every example has a test', () => {
  assert.equal(readdirSync(folder).toSorted(), Object.keys(tests).toSorted());
});
for (const [name, test] of Object.entries(tests)) examples(name, test);

examples.run();
