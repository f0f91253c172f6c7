// Tests the programs of bench/ and test/oracle/ that users start by path: their help, and wrong arguments.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const programs = suite('programs');

const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', input: '' });

const scripts = ['dist/bench', 'dist/bench/strength', 'dist/test/oracle']
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((file) => file.endsWith('.js') && readFileSync(file, 'utf8').includes('runProgram(args'));

programs('each program has a usage line and a help of 80 columns, and refuses other options and operands', () => {
  assert.ok(scripts.length >= 13, scripts.join());
  for (const script of scripts) {
    const help = run(script, '--help');
    assert.is(help.status, 0, help.stderr);
    const [usage] = help.stdout.split('\n');
    assert.match(usage, new RegExp(`^usage: node ${script}( AGENT)? \\[OPTIONS\\]$`));
    for (const line of help.stdout.split('\n')) assert.ok(line.length <= 80, `${script}: ${line}`);
    assert.not.match(help.stdout, /default: \)|undefined|NaN/);
    for (const [args, message] of [
      [['--unknown'], /got .*--unknown/],
      [['one', 'two'], /got one two, wanted (AGENT|options only) \(--help\)/],
    ] as const) {
      const { status, stdout, stderr } = run(script, ...args);
      assert.is(status, 2, `${script}: ${stderr}`);
      assert.is(stdout, '');
      assert.match(stderr, message);
    }
  }
});

programs('games without a position to learn from are refused', () => {
  const { status, stderr } = run('dist/bench/strength/next-turn.js', '--games', '1', '--until', '1901', '--quiet');
  assert.is(status, 1);
  assert.match(stderr, 'got 1 games to 1901 without a position to learn from, wanted more');
});

programs.run();
