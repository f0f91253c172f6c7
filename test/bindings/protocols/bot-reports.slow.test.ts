// Tests what an arena says of its bots and modules: orders that count, costs, times; and the preset for language models.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { BotUse } from '../../../selfplay/crew/agent-report.js';
import { makeFolder, runLepanto } from '../../tools/command.js';
import { writeBot } from '../../tools/script-bots.js';

const scratch = makeFolder('bot-reports');

const bot = (name: string, reply: string): string =>
  writeBot(join(scratch, `${name.replace(' ', '-')}.mjs`), {
    reply,
    own: `{ name: '${name}', unit: 'US\\tD', batch: 1 }`,
  });

const arena = (agents: string, ...more: readonly string[]) =>
  runLepanto(['arena', '--preset', 'language-model', '--agents', agents, '--quiet', ...more]);

const module = join(scratch, 'still.mjs');
writeFileSync(
  module,
  `export default { name: 'still', help: '', options: { n: { help: '', default: 1, least: 0, most: 9 } },
     make: (options) => ({ name: 'still', options, answer: () => [{ orders: [] }] }) };`,
);

const reports = suite('arena: reports of bots');

reports('the preset: each power twice to the end of 1909; what goes wrong is counted, and no game is lost', () => {
  const stub = bot(
    'stub',
    `const { id, phase, game } = line;
     const orders = draw(line);
     if (phase === 'F1901M') orders[0] = 'A PAR - MOS';
     if (phase === 'S1902M') return { id, error: 'rate limit', cost: 0.25 };
     if (phase === 'F1902M') return { id, orders, cost: -1 };
     if (phase === 'S1903M' && game === '0') return null;
     return { id, orders, cost: 0.25, tokens: 40 };`,
  );
  const out = join(scratch, 'kept');
  const { code, out: text, err } = arena(`${stub},hold`, '--choice-ms', '3000', '--out', out, '--json');
  assert.is(code, 0, err);
  const { games, until, protocol, standings, bots, reproducible } = JSON.parse(text);
  assert.equal([games, until, protocol, reproducible], [14, 1909, '1v6', true]);
  assert.equal([standings[0].games, standings[1].games, standings[0].agent], [14, 14, stub]);
  const powers = Object.values<{ games: number }>(standings[0].powers).map((power) => power.games);
  assert.equal(powers, new Array(7).fill(2));
  const [use, ...others]: BotUse[] = bots;
  assert.equal(others, []);
  assert.equal([use.agent, use.name, use.unit], [stub, 'stub', 'US D']);
  assert.equal([use.refused, use.unanswered], [14, 29]);
  assert.is(use.cost, 0.25 * (use.requests - 15));
  assert.is(use.tokens, 40 * (use.requests - 29));
  assert.ok(use.orders > use.requests && use.requests > 14 * 18);
  assert.ok(use.slowest > 2.9 && use.seconds > use.slowest);
  assert.match(err, 'gave 14 orders that did not count: the first one: ');
  assert.match(err, 'gave 28 answers that did not count: the first one: ');
  assert.match(err, 'was too slow one time, and gave no answer: AUSTRIA in S1903M of game 0: no answer in 3 s');
  assert.match(runLepanto(['replay', join(out, '1'), '--verify', '--quiet']).out, /^14 games, .*: no difference$/m);
  const kept = readFileSync(join(out, 'arena.json'), 'utf8');
  for (const word of ['cost', 'second', 'slowest', 'US D']) assert.not.match(kept, word);
});

reports('explicit options come first; a table has bots and modules', () => {
  const few = ['--games', '2', '--until', '1901'];
  const silent = bot('mute one', "return line.phase === 'S1901M' ? 'null' : { id: line.id, orders: draw(line) };");
  const { code, out, err } = arena(`${silent},${module}:n=3`, ...few, '--protocol', '6v1');
  assert.is(code, 0, err);
  assert.match(out, /^2 games, 6v1, to the end of 1901, /m);
  const table = out.slice(out.indexOf('\nbot ')).trim().split('\n');
  assert.is(table.length, 3);
  assert.match(table[0], /^bot +choices +no answer +orders +legal +cost +tokens +mean time +slowest$/);
  const time = '[\\d.]+ m?s';
  const isUse = (line: string, name: string, rest: string): void =>
    assert.match(line, new RegExp(`^${name} +${rest} +${time} +${time}$`));
  const rows = table.slice(1).sort();
  isUse(rows[0], `${module}:n=3`, '\\d+ +0 +0 +- +- +-');
  isUse(rows[1], `mute one \\(${silent}\\)`, '\\d+ +12 +\\d+ +100.0 % +- +-');
  assert.match(err, 'mute-one.mjs gave 12 answers that did not count');
  // A map for two: four games give each power its two.
  const two = arena('hold,random', '--map', 'france-austria', '--until', '1901', '--json');
  const { games, bots } = JSON.parse(two.out);
  assert.equal([games, bots], [4, undefined]);
});

reports('a cost that is none is refused by name, whatever it is', () => {
  const wrong = bot(
    'costly',
    `const costs = { S1901M: '1e999', F1901M: '"1"', S1902M: 'null', F1902M: '[]', S1903M: '-0.5', F1903M: 'true', S1904M: '0' };
     const { [line.phase]: cost = '1e-3' } = costs;
     return \`{"id": \${line.id}, "orders": \${JSON.stringify(draw(line))}, "cost": \${cost}}\`;`,
  );
  const { code, out, err } = arena(`${wrong},hold`, '--games', '1', '--until', '1904', '--json');
  assert.is(code, 0, err);
  const [use] = JSON.parse(out).bots;
  assert.is(use.unanswered, 6);
  assert.ok(Math.abs(use.cost - 0.001 * (use.requests - 7)) < 1e-9);
  assert.match(
    err,
    'gave 6 answers that did not count: the first one: AUSTRIA in S1901M of game 0: cost: got Infinity, wanted',
  );
});

reports('--preset is refused where it does not belong', () => {
  for (const [args, wrong] of [
    [['--agents', 'hold,hold', '--preset', 'toString'], '--preset: got "toString", wanted one of language-model'],
    [['--gauntlet', 'hold', '--preset', 'language-model'], '--preset: got it with --gauntlet, wanted one of the two'],
    [['--population', 'hold,random', '--preset', 'language-model'], '--preset: got it with a population'],
    [['--gate', 'hold', '--against', 'hold', '--preset', 'language-model'], '--preset: got it with --gate'],
  ] as const) {
    const { code, err } = runLepanto(['arena', ...args]);
    assert.is(code, 2);
    assert.match(err, wrong);
  }
});

reports.run();
