// Tests Ctrl-C: the command finishes what it is writing, says how to continue, and exits with 130; a second one ends it
// at once.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, entry, makeFolder, runLepanto } from '../../tools/command.js';
import { during, type Running, start } from '../../tools/running.js';

const directory = makeFolder('interrupt');
const place = (name: string): string => join(directory, name);

const startHere = (...args: string[]): Running => start(args, {}, { cwd: directory });

const press = ({ child }: Running): boolean => child.kill('SIGINT');

const lepanto = (...args: string[]): Ended => runLepanto(args, { cwd: directory });

/** A module with an agent that writes the file `marker`. @param choose body of its choice, which may call mark() */
const agentModule = (marker: string, choose: string): string => {
  const path = place(`${marker}.mjs`);
  const lines = [
    "import { writeFileSync } from 'node:fs';",
    `let asked = 0;\nconst mark = () => writeFileSync(${JSON.stringify(place(marker))}, '');`,
    `const answer = () => { ${choose} };`,
    "const make = () => ({ name: 'marking', options: {}, answer });",
    "export default { name: 'marking', help: '', options: {}, make };",
  ];
  writeFileSync(path, lines.join('\n'));
  return path;
};

/** An agent that never chooses, once it was asked. */
const waiting = (marker: string): string => agentModule(marker, 'mark(); return new Promise(() => {});');

const interrupt = suite('interrupt');

interrupt('selfplay keeps the shards that are finished and says the command that goes on', async () => {
  const options = ['--games', '8192', '--until', '1902', '--seed', '3', '--quiet'];
  const run = startHere('selfplay', ...options, '--out', 'a run');
  await during(() => existsSync(place('a run/games-00001.table')), run);
  press(run);
  assert.is(await run.ended, 130);
  assert.is(run.out, '');
  const [waits, ends] = run.err.split('\n');
  assert.match(waits, /^lepanto: waiting .* Ctrl-C again ends at once$/);
  const [, games, command] =
    /^lepanto: interrupted: ([\d,]+) of 8,192 games are recorded; to resume: npx lepanto (.*)$/.exec(ends) ?? [];
  const shards = readdirSync(place('a run')).filter((name) => name.endsWith('.lep'));
  assert.is(Number(games.replace(',', '')), 256 * shards.length);
  assert.ok(shards.length < 32, `${shards.length} shards`);
  assert.equal(
    readdirSync(place('a run')).filter((name) => name.endsWith('.part')),
    [],
  );
  const again = spawnSync('sh', ['-c', `"$0" "$1" ${command} --quiet --json`, process.execPath, entry], {
    cwd: directory,
    encoding: 'utf8',
  });
  assert.equal([again.status, again.stderr], [0, '']);
  const { kept, games: all } = JSON.parse(again.stdout);
  assert.equal([kept, all], [256 * shards.length, 8192]);
  lepanto('selfplay', ...options, '--out', 'whole');
  for (const name of readdirSync(place('whole')))
    assert.ok(readFileSync(place(`whole/${name}`)).equals(readFileSync(place(`a run/${name}`))), name);
});

interrupt('the second Ctrl-C ends at once, two in one moment are one', async () => {
  const run = startHere('selfplay', '--games', '3', '--agents', waiting('asked'), '--out', 'never', '--quiet');
  await during(() => existsSync(place('asked')), run);
  press(run);
  press(run);
  await during(() => run.err !== '', run);
  // Longer than two signals of one press may be apart.
  await setTimeout(700);
  assert.match(run.err, /^lepanto: waiting [^\n]*\n$/);
  press(run);
  assert.is(await run.ended, 130);
});

interrupt('games that do not end are waited for some seconds', async () => {
  const run = startHere('arena', '--agents', `${waiting('begun')},hold`, '--games', '7', '--quiet', '--json');
  await during(() => existsSync(place('begun')), run);
  press(run);
  assert.is(await run.ended, 130);
  assert.is(run.out, '');
  assert.match(run.err, /\nlepanto: interrupted: 0 of 7 games were played; the same command begins with the first/);
});

interrupt('arena prints the standings of the first games', async () => {
  const counting = agentModule('counted', 'if (++asked === 400) mark(); return [{ orders: [] }];');
  const args = ['--agents', `${counting},random`, '--until', '1902', '--json'];
  const run = startHere('arena', ...args, '--games', '100000', '--workers', '2', '--quiet');
  await during(() => existsSync(place('counted')), run);
  press(run);
  assert.is(await run.ended, 130);
  const { games, standings } = JSON.parse(run.out);
  assert.match(run.err, new RegExp(`interrupted: ${games} of 100000 games`));
  const same = JSON.parse(lepanto('arena', ...args, '--games', String(games), '--quiet').out);
  assert.equal(standings, same.standings);
});

interrupt('search ends with what it has found, which cannot be repeated', async () => {
  const run = startHere(...'search --start --power ITALY --rollouts 1000000000 --json --workers 1'.split(' '));
  await during(() => / rollouts, /.test(run.err), run);
  press(run);
  assert.is(await run.ended, 130);
  const { powers, reproducible, rollouts } = JSON.parse(run.out);
  assert.is(powers.ITALY.length, 5);
  assert.is(reproducible, false);
  assert.match(run.err, new RegExp(`interrupted: ${rollouts} rollouts were played`));
});

interrupt('convert leaves no half file', async () => {
  mkdirSync(place('converted'));
  const run = startHere('convert', 'whole', 'converted/games.jsonl');
  await during(() => readdirSync(place('converted')).length > 0, run);
  press(run);
  assert.is(await run.ended, 130);
  assert.equal(readdirSync(place('converted')), []);
  assert.match(run.err, /interrupted: \d+ games? read, no file is written; the same command restarts/);
});

interrupt('convert ends though nobody takes its lines', async () => {
  const run = startHere('convert', 'whole', '-');
  // Its lines are not read, and the pipe is full after some games.
  run.child.stdout?.pause();
  await during(() => (run.child.stdout?.readableLength ?? 0) > 0, run);
  press(run);
  await during(() => /interrupted: \d+ games? read/.test(run.err), run);
  run.child.stdout?.resume();
  assert.is(await run.ended, 130);
});

interrupt('bench ends the process that measures, whose temporary files go', async () => {
  const temporary = place('temporary');
  mkdirSync(temporary);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = temporary;
  const run = startHere('bench', '--out', 'bench.json');
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  await during(() => readdirSync(temporary, { recursive: true }).some((name) => /bench-.*bench-/.test(`${name}`)), run);
  press(run);
  assert.is(await run.ended, 130);
  assert.is(run.out, '');
  assert.match(run.err, /interrupted: 0 processes measured, no result; the same command restarts the measurement/);
  assert.is(existsSync(place('bench.json')), false);
  assert.equal(readdirSync(temporary), []);
});
interrupt.run();
