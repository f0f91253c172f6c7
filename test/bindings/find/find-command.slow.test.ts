// Tests `lepanto find` as a command: what it prints, two of them at once, damage, runs that change, and arenas.
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callLepanto, type Ended, makeFolder } from '../../tools/command.js';
import { start } from '../../tools/running.js';

const place = makeFolder('find-command');
const run = join(place, 'run');
const index = join(run, 'find.index');

process.chdir(place);

const find = (...args: readonly string[]): Promise<Ended> => callLepanto(['find', ...args, '--workers', '1']);
const lepanto = async (command: string, ...more: readonly string[]): Promise<string> => {
  const { code, out, err } = await callLepanto([...command.split(' '), ...more, '--workers', '1', '--quiet']);
  assert.is(code, 0, err);
  return out;
};

const command = suite('find command');

command.before(async () => {
  await lepanto('selfplay --games 20 --until 1901 --shard-games 10 --agents policy --out run');
});

command('two searches at once make one index, and a hit has its command', async () => {
  const search = ['find', run, 'draw', '--json', '--quiet', '--workers', '1'];
  const [first, second] = [start(search), start(search)];
  assert.equal(await Promise.all([first.ended, second.ended]), [0, 0]);
  assert.is(first.out, second.out);
  const one = JSON.parse(first.out);
  assert.equal([one.games, one.found, one.hits.length], [20, 20, 20]);
  assert.match(one.hits[3].replay, /lepanto replay .*run --game 3$/);
  assert.is(one.hits[3].agents.FRANCE, 'policy');
  assert.equal(
    readdirSync(run).filter((name) => name.includes('.part')),
    [],
  );
});

command('a damaged index is made anew, one that cannot be written is kept in memory', async () => {
  const whole = readFileSync(index);
  const changed = Buffer.from(whole);
  changed.writeUInt8(changed[100] ^ 1, 100);
  writeFileSync(index, changed);
  const { out, err } = await find(run, 'draw', '--json', '--quiet');
  assert.is(JSON.parse(out).found, 20);
  assert.match(err, /the index is damaged; it is rebuilt/);
  assert.equal(readFileSync(index), whole);
  rmSync(index);
  writeFileSync(join(place, 'in-the-way'), '');
  const full = await find(join(run, 'games-00000.lep'), 'draw', '--json', '--quiet');
  assert.is(JSON.parse(full.out).found, 10);
});

command('openings are printed as a tree', async () => {
  const text = await lepanto('find --limit 1 run', 'openings of France');
  assert.match(
    text,
    /^FRANCE, policy: 20 games, score [\d.]+ \+- [\d.]+, \d+ order sets\nshare +games +score +orders\n *[\d.]+ % +\d+ .* S1901M {2}[AF] /,
  );
});

command('what is missing or wrong is named, and the rest is found', async () => {
  appendFileSync(join(run, 'games-00001.lep'), 'x');
  const { code, out, err } = await find(run, 'draw', '--limit', '1', '--quiet');
  assert.is(code, 1);
  assert.match(
    out,
    /^\d+ of \d+ games \([\d.]+ %\), the first 1:\n\ngame {2}phase {3}players +replay\n0 +F1901M {2}policy plays all powers/,
  );
  assert.match(err, /games-00001\.lep: got \d+ bytes, wanted \d+/);
  rmSync(join(run, 'games-00001.lep'));
  const missing = await find(run, 'draw', '--json', '--quiet', '--partial');
  assert.is(missing.code, 0);
  assert.match(missing.err, /games 10 to 19 are missing/);
  assert.is(JSON.parse(missing.out).games, 10);
});

command('the directory of an arena is all of its runs', async () => {
  for (const agents of ['policy,random', 'random,policy'])
    await lepanto(`arena --agents ${agents} --games 7 --until 1901 --out arena`);
  const { games, hits } = JSON.parse(await lepanto('find --json arena', 'not A VIE - TYR'));
  assert.is(games, 14);
  assert.is(new Set(hits.map(({ run: of }: { run: string }) => of)).size, 2);
  for (const { run: of, game, agents } of hits) {
    const hero = of.endsWith('1') ? 'policy' : 'random';
    const seats = Object.values(agents);
    assert.equal([seats.indexOf(hero), seats.lastIndexOf(hero)], [game, game]);
  }
  const trees: { agent: string }[] = JSON.parse(await lepanto('find --json arena', 'openings')).openings;
  assert.equal(new Set(trees.map(({ agent }) => agent)), new Set(['policy', 'random']));
});

/** Calls that are refused, with what is said of them. */
const REFUSALS: readonly (readonly [args: readonly string[], error: RegExp])[] = [
  [[], /find: got nothing, wanted a run and a query/],
  [['run'], /alone, wanted a run and a query/],
  [['run', 'draw', '--limit', 'x'], /--limit: got "x", wanted a whole number/],
  [['run', 'draw', '--scoring', 'x'], /--scoring: got "x", wanted one of sum_of_squares/],
  [['arena', 'position of game 0 in S1901M'], /got game 0 of several runs, wanted "position of game 0 of RUN in/],
];

command('a wrong call says what was got and what was wanted', async () => {
  for (const [args, wanted] of REFUSALS) {
    const { code, err } = await find(...args);
    assert.is(code, 2);
    assert.match(err, wanted);
  }
});

command.run();
