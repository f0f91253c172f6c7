// Tests `lepanto arena --population` from the command line: what is printed, kept, resumed and refused.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callLepanto, type Ended, makeFolder } from '../../tools/command.js';

const scratch = makeFolder('population-command');

process.chdir(scratch);

const arena = (...args: readonly string[]): Promise<Ended> =>
  callLepanto(['arena', '--workers', '1', ...args, '--quiet']);

const population = ['--population', 'guard,random,policy', '--chance', '1902:0.5', '--seed', '2'];

const command = suite('lepanto arena --population');

command('any number of workers, and more games later, make one report as text, Markdown and JSON', async () => {
  const one = await arena(...population, '--games', '9', '--markdown');
  const few = await arena(...population, '--games', '9', '--workers', '2', '--markdown');
  assert.is(one.code, 0, one.err);
  assert.is(few.out, one.out);
  assert.is((await arena(...population, '--games', '4', '--out', 'kept.json')).code, 0);
  assert.is((await arena(...population, '--games', '9', '--out', 'kept.json', '--markdown')).out, one.out);
  const lines = one.out.split('\n');
  assert.match(lines[2], /^\| (guard|policy|random) \| \d+ \| 0\.\d{3} \+- 0\.\d{3} \| \d+ \| \d+ to \d+ \|/);
  assert.is(lines.filter((line) => line.startsWith('|')).length, 5 + 9 + 5);
  assert.match(one.out, '9 games of a population to 1930, from 1902 each year the last one with 50 %, seed 2');
  const record = JSON.parse((await arena(...population, '--games', '9', '--out', 'kept.json', '--json')).out);
  assert.equal(record.chance, [{ from: 1902, chance: 0.5 }]);
  assert.is(
    record.members.reduce((sum: number, { share }: { share: { seats: number } }) => sum + share.seats, 0),
    63,
  );
  const text = await arena(...population, '--games', '9', '--out', 'kept.json');
  assert.match(text.out, /^gains where there is +\w+ +\w+ +\w+$/m);
});

command('games of another build are not mixed with those of now', async () => {
  const path = join(scratch, 'kept.json');
  const kept = readFileSync(path, 'utf8');
  writeFileSync(path, kept.replace(/"lepanto":"[^"]*"/, '"lepanto":"0.0.1"'));
  const { code, err } = await arena(...population, '--games', '9', '--out', 'kept.json');
  assert.is(code, 1);
  assert.match(err, 'kept.json: got this population played by another build (lepanto "0.0.1"), wanted that of now');
});

command('tasks of a job array play parts, which one command takes together', async () => {
  const games = [...population, '--games', '9'];
  const whole = (await arena(...games, '--markdown')).out;
  for (const part of [1, 2])
    assert.is((await arena(...games, '--shard', `${part}/3`, '--out', `part-${part}.json`)).code, 0);
  const kept = JSON.parse(readFileSync(join(scratch, 'part-2.json'), 'utf8')).arenas[0].games;
  assert.equal(
    kept.map((game: unknown) => game !== null),
    [1, 2, 3, 4, 5, 6, 7, 8].map((n) => n % 3 === 2),
  );
  // The third part is missing: it is played.
  assert.is((await arena(...games, '--with', 'part-1.json,part-2.json', '--markdown')).out, whole);
  assert.match(
    (await arena(...games, '--seed', '3', '--with', 'part-1.json')).err,
    'part-1.json: got no game of this arena',
  );
});

command('options that do not fit a population are refused by name', async () => {
  const refused = async (wanted: string, ...args: readonly string[]): Promise<void> => {
    const { code, err } = await arena(...args);
    assert.is.not(code, 0);
    assert.match(err, wanted);
  };
  await refused('--population: got 1, wanted at least 2', '--population', 'guard');
  await refused('--population: got guard twice', '--population', 'guard,random,guard');
  await refused('--agents: got it with --population', '--population', 'guard,random', '--agents', 'hold,guard');
  await refused('--chance: got "1909", wanted P or YEAR:P', ...population.slice(0, 2), '--chance', '1909');
  await refused('--chance: got "1909:2"', ...population.slice(0, 2), '--chance', '1909:2');
  await refused('--chance: got 1905 after 1909', ...population.slice(0, 2), '--chance', '1909:0.1,1905:0.2');
  await refused('--shard: got "4/3"', ...population, '--shard', '4/3', '--out', 'x.json');
  await refused('--out: got nothing with --shard', ...population, '--shard', '1/3');
  await refused('--markdown: got it without', '--agents', 'guard,random', '--markdown');
});

command.run();
