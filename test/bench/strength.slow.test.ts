// Tests the measurement of strength (bench/strength): the same games for any number of workers and after an interruption, and
// that the tables in the tree are those of the games beside them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readStrength, type StrengthResult, strengthReport } from '../../bench/strength/report.js';
import { makeFolder, runScript } from '../tools/command.js';

const scratch = makeFolder('strength');
const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = join(root, 'bench/strength');

const measure = (out: string, games: number, ...args: readonly string[]): StrengthResult => {
  const path = join(scratch, out);
  const given = ['--agents', 'random,guard', '--games', String(games), '--alone', '1', '--quiet', '--out', path];
  const { code, out: said, err } = runScript('bench/strength/strength.js', [...given, ...args]);
  assert.is(code, 0, err);
  assert.is(said.trim(), join(path, 'result.json'));
  return readStrength(join(path, 'result.json'));
};

/** What must be the same on every machine. */
const stable = (result: StrengthResult): string =>
  strengthReport({
    ...{ ...result, machine: '', seconds: 0 },
    profiles: result.profiles.map((one) => ({ ...one, ms: 1, slowest: 1, memory: 1 })),
  }).text;

const strength = suite('strength');

strength('the tables are the same for any number of workers, and after an interruption', () => {
  const one = measure('one', 4, '--workers', '1', '--exploit', '1');
  measure('two', 2, '--workers', '2', '--exploit', '0');
  const two = measure('two', 4, '--workers', '2', '--exploit', '0');
  // Those of best responses are the same in test/bench/exploitability.
  assert.is(stable({ ...two, exploited: one.exploited }), stable(one));
  assert.equal([one.exploited.length, two.exploited.length], [2, 0]);
  assert.is(one.population.games.length, 4);
  assert.is(one.pairs.games.length, 14);
  assert.match(stable(one), /^\| guard \| \d+ \| 0\.\d{3} \+- 0\.\d{3} \| \d+ \| \d+ to \d+ \|/m);
  assert.ok(one.profiles.every(({ choices, ms, memory }) => choices > 50 && ms > 0 && memory > 20));
});

strength('the tables in the tree and the ratings in the README follow from results.json', () => {
  const { text, plot } = strengthReport(readStrength(join(folder, 'results.json')));
  assert.is(readFileSync(join(folder, 'results.md'), 'utf8'), text);
  assert.is(readFileSync(join(folder, 'elo.svg'), 'utf8'), plot);
  const table = text.split('\n').filter((line) => /^\| [\w:=]+ \| \d+ \| 0\.\d{3,4} \+- /.test(line));
  assert.ok(table.length >= 9);
  const readme = readFileSync(join(root, 'README.md'), 'utf8').replace(/\s+/g, ' ');
  for (const line of table) {
    const [, agent, , , elo] = line.split('|').map((cell) => cell.trim());
    assert.ok(readme.includes(`\`${agent}\` ${elo}`), `${agent}: ${elo}`);
  }
});

strength.run();
