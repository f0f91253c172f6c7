// Tests `lepanto arena --gauntlet`, `--gate` and `--out` from the command line: what is printed, kept and refused.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { entry, makeFolder } from '../../tools/command.js';

const scratch = makeFolder('arena-gauntlet');

const arena = (...args: readonly string[]): { code: number | null; stdout: string; stderr: string } => {
  const small = ['--until', '1901', '--workers', '1', '--quiet'];
  const done = spawnSync(process.execPath, [entry, 'arena', ...args, ...small], { encoding: 'utf8', cwd: scratch });
  return { code: done.status, stdout: done.stdout, stderr: done.stderr };
};

const command = suite('lepanto arena --gauntlet');

const gauntlet = ['--gauntlet', 'guard', '--families', 'random,hold', '--games', '2'];

command('a table, Markdown and JSON of the same games, which a file keeps', () => {
  const text = arena(...gauntlet, '--out', 'games.json');
  assert.is(text.code, 0, text.stderr);
  for (const name of ['6 random', '6 hold', 'a mixed table'])
    assert.match(text.stdout, new RegExp(`^${name} +2 `, 'm'));
  const kept = readFileSync(join(scratch, 'games.json'), 'utf8');
  assert.is(JSON.parse(kept).arenas.length, 3);
  const markdown = arena(...gauntlet, '--out', 'games.json', '--markdown');
  assert.match(markdown.stdout, /^\| 6 hold \| 2 \| 0\.\d{3} \+- 0\.\d{3} \|/m);
  assert.is(readFileSync(join(scratch, 'games.json'), 'utf8'), kept, 'nothing is played twice');
  const record = JSON.parse(arena('--field', ...gauntlet.slice(1), '--json').stdout);
  assert.is(record.agent, 'guard');
  assert.is(record.played, 6);
  assert.is(record.rows.length, 3);
  assert.ok(record.rows[0].standing.score <= record.rows[1].standing.score);
});

command('an arena keeps its games too, and plays on for more', () => {
  const agents = ['--agents', 'guard,random', '--json'];
  const few = JSON.parse(arena(...agents, '--games', '3', '--out', 'arena.json').stdout);
  const more = JSON.parse(arena(...agents, '--games', '7', '--out', 'arena.json').stdout);
  const once = JSON.parse(arena(...agents, '--games', '7').stdout);
  assert.is(few.standings[0].games, 3);
  assert.equal(more.standings, once.standings);
  assert.is(JSON.parse(readFileSync(join(scratch, 'arena.json'), 'utf8')).arenas[0].games.length, 7);
});

command('a gate says by its exit code whether an agent passes', () => {
  const gate = ['--gate', 'policy', '--against', 'random', '--games', '21', '--anchors', 'hold'];
  const text = arena(...gate, '--out', 'gate.json');
  assert.is(text.code, 0, text.stderr);
  assert.match(text.stdout, /^passed: better than the other \(p = .* at look 1 of 4, wanted below 0\.013\)\n84 games /);
  assert.match(text.stdout, /^hold +21 +0\.\d{3} +0\.\d{3} +-?0\.\d{3} \+- 0\.\d{3}$/m);
  const kept = readFileSync(join(scratch, 'gate.json'), 'utf8');
  const again = arena(...gate, '--out', 'gate.json', '--json');
  assert.is(readFileSync(join(scratch, 'gate.json'), 'utf8'), kept, 'nothing is played twice');
  const record = JSON.parse(again.stdout);
  assert.equal([record.passed, record.looks, record.games, record.gate.agent], [true, 1, 84, 'policy']);
  const other = arena('--gate', 'hold', '--against', 'random', '--games', '2', '--looks', '2', '--p', '1e-6');
  assert.is(other.code, 1);
  assert.match(
    other.stdout,
    /^did not pass: not clearly better than the other \(.* at look 2 of 2, wanted below 5\.0e-7\)/,
  );
});

command('refusals', () => {
  // biome-ignore format: arguments, message
  const cases = [
    [['--gauntlet', 'guard,hold'], '--gauntlet: got guard,hold, wanted one agent'],
    [['--gauntlet', 'nobody'], '--gauntlet: got "nobody", wanted one of random'],
    [['--gauntlet', 'guard', '--families', 'x'], '--families: got "x", wanted one of random'],
    [['--gauntlet', 'guard', '--agents', 'hold,guard'], '--agents: got it with --gauntlet'],
    [['--gauntlet', 'guard', '--protocol', '6v1'], '--protocol: got it with --gauntlet'],
    [['--gauntlet', 'guard', '--json', '--markdown'], '--markdown: got it with --json'],
    [['--agents', 'hold,guard', '--families', 'hold'], '--families: got it without --gauntlet'],
    [['--agents', 'hold,guard', '--markdown'], '--markdown: got it without --gauntlet'],
    [['--gate', 'hold'], '--against: got nothing, wanted the agent to be better than'],
    [['--gate', 'hold,guard', '--against', 'hold'], '--gate: got hold,guard, wanted one agent'],
    [['--gate', 'hold', '--against', 'hold', '--p', '0.7'], '--p: got "0.7", wanted a number above 0'],
    [['--gate', 'hold', '--against', 'hold', '--games', '1'], '--games: got "1", wanted a whole number from 2'],
    [['--gate', 'hold', '--against', 'hold', '--protocol', '6v1'], '--protocol: got it with --gate'],
    [['--gate', 'hold', '--gauntlet', 'hold'], '--gate: got it with --gauntlet'],
    [['--field', 'hold', '--gauntlet', 'hold'], '--field and --gauntlet: got both'],
    [['--agents', 'hold,guard', '--looks', '3'], '--looks: got it without --gate'],
    [[], '--agents: got nothing, wanted two or more'],
  ] as const;
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = arena(...args);
    assert.ok(code !== 0, message);
    assert.is(stdout, '');
    assert.match(stderr, message);
  }
  const { code, stderr } = arena(...gauntlet, '--out', 'none/games.json');
  assert.is(code, 1);
  assert.match(stderr, 'cannot write none/games.json: its directory does not exist');
  assert.not.ok(existsSync(join(scratch, 'none')));
});

command.run();
