// Tests the protocol of agents (bindings/protocols/BOT-PROTOCOL.md) from both sides: `lepanto agent` answers requests, and `exec:COMMAND`
// asks processes that do everything wrong.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../../engine/internal.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import { parseOrder } from '../../../engine/notation/text/index.js';
import { callLepanto, makeFolder, runLepanto } from '../../tools/command.js';
import { readText } from '../../tools/data.js';
import { linesIn } from '../../tools/running.js';
import { writeBot } from '../../tools/script-bots.js';

const scratch = makeFolder('table');

interface Done {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly stderr: string;
}

const lepanto = async (args: readonly string[], input: readonly unknown[] = []): Promise<Done> => {
  const text = input.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const { code, out, err } = await callLepanto(args, text);
  return { code, lines: linesIn(out), stderr: err };
};

const paris = { phase: 'S1901M', units: { FRANCE: ['A PAR'] }, centers: { FRANCE: ['PAR'] }, power: 'FRANCE' };
const hello = { hello: { protocol: 'lepanto-agent', version: 1, name: 'test' } };

// ---- lepanto agent ----

const answering = suite('bots: lepanto agent');

answering('answers one request, many together, and goes on after a bad line', async () => {
  const two = [{ id: 'a', ...paris, seed: 9 }, { id: 'b' }];
  const requests = [
    hello,
    { id: 1, ...paris },
    two,
    'nonsense',
    '[1',
    { ...paris, power: 'SPAIN' },
    { id: 2, ...paris },
  ];
  const { code, lines, stderr } = await lepanto(['agent', '--agent', 'dumbbot', '--seed', '4'], requests);
  assert.is(code, 1, stderr);
  const answers = lines.map((line) => JSON.parse(line));
  assert.is(answers[0].hello.protocol, 'lepanto-agent');
  assert.is(answers[0].hello.name, 'dumbbot');
  assert.is(answers[1].orders.FRANCE.length, 1);
  assert.is(parseOrder(standard, answers[1].orders.FRANCE[0]).unit?.province, standard.provinceTags.indexOf('PAR'));
  assert.equal({ ...answers[1], id: 2 }, answers[6], 'the same request has the same answer');
  assert.is(answers[2][0].id, 'a');
  assert.equal(answers[2][1], { id: 'b', error: 'phase: got nothing, wanted one like S1901M, F1901R or W1901A' });
  assert.match(answers[3].error, /^not JSON/);
  assert.is(answers[3].line, 4);
  assert.match(answers[4].error, /^not JSON/);
  assert.match(answers[5].error, /^power: got "SPAIN", wanted one of AUSTRIA/);
});

answering('an answer has orders for all powers, and candidates of search with value and share', async () => {
  const all = { id: 1, ...paris, power: undefined };
  const { code, lines } = await lepanto(['agent', '--agent', 'search:rollouts=60'], [all]);
  const answer = JSON.parse(lines[0]);
  assert.equal([code, Object.keys(answer.orders).length], [0, 7]);
  assert.equal(answer.orders.ITALY, []);
  const shares = answer.candidates.FRANCE.map((one: { readonly share: number }) => one.share);
  assert.ok(shares.length > 1 && Math.abs(shares.reduce((sum: number, share: number) => sum + share, 0) - 1) < 1e-6);
  for (const { value, error } of answer.candidates.FRANCE) assert.ok(Number.isFinite(value) && error !== undefined);
});

answering('agents see the history that requests tell of', async () => {
  const module = join(scratch, 'past.mjs');
  writeFileSync(
    module,
    `export default { name: 'past', help: '', options: {}, make: (options) => ({ name: 'past', options,
       answer: ([{ past }]) => {
         process.stderr.write(past.game + ' ' + past.phases.map(({ phase, orders, results }) => phase + ' ' + orders.length + ' ' + results[0]).join() + '\\n');
         return [{ orders: [] }]; } }) };`,
  );
  const phase = { ...paris, orders: { FRANCE: ['A PAR - BUR'] }, results: { FRANCE: ['succeeds'] } };
  const request = { game: 'x', ...paris };
  const told = { ...request, history: [phase] };
  const requests = [{ id: 1, ...request }, { id: 2, ...told }, { id: 3, ...told }, { end: 'x' }, { id: 4, ...request }];
  const { stderr, code } = await lepanto(['agent', '--agent', module], requests);
  assert.is(code, 0, stderr);
  assert.match(stderr, /^x \nx S1901M 1 \d+\nx S1901M 1 \d+,S1901M 1 \d+\nx \n$/);
});

answering('search answers lines on one pool, each as it is read', async () => {
  const { code, lines } = await lepanto(
    ['search', '--lines', '-', '--rollouts', '80', '--top', '1', '--workers', '1', '--quiet'],
    [
      { id: 1, ...paris },
      'x',
      { id: 2, ...paris, power: undefined, powers: ['FRANCE', 'ITALY'], seed: 7 },
      { id: 3, ...paris, power: 'MARS' },
      { id: 1, ...paris },
    ],
  );
  assert.is(code, 1);
  const answers = lines.map((line) => JSON.parse(line));
  assert.equal(Object.keys(answers[0].powers), ['FRANCE']);
  assert.equal(answers[1].line, 2);
  assert.equal(Object.keys(answers[2].powers), ['FRANCE', 'ITALY']);
  assert.is(answers[2].seed, 7);
  assert.match(answers[3].error, '"MARS"');
  const times = { seconds: 0, cpu_seconds: 0 };
  assert.equal({ ...answers[4], ...times }, { ...answers[0], ...times });
  assert.match((await lepanto(['search', '--lines', '--start'])).stderr, '--lines and --start: got both, wanted one');
});

answering('refuses wrong options by name', async () => {
  assert.match((await lepanto(['agent'])).stderr, '--agent: got nothing, wanted the name of an agent');
  assert.match((await lepanto(['agent', '--agent', 'nobody'])).stderr, '--agent: got "nobody", wanted one of random');
  assert.match((await lepanto(['agent', '--agent', 'hold', '--map', 'moon'])).stderr, '--map: got "moon"');
});
answering('orders are written as the document says', () => {
  const text = readText('bindings/protocols/BOT-PROTOCOL.md');
  const [, section = ''] = /## How orders are written\n([\s\S]*?)\n## /.exec(text) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  const listed = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, order]) => order));
  assert.is(listed.length, 14);
  const positions = [
    {
      phase: 'S1902M',
      units: { AUSTRIA: ['A VIE', 'A BUD'], FRANCE: ['F MAO', 'A GAS'], ENGLAND: ['A LON', 'F NTH'] },
    },
    { phase: 'F1902R', units: { ITALY: ['A VIE'] }, retreats: { AUSTRIA: { 'A BOH': ['MUN', 'TYR'] } } },
    { phase: 'W1902A', units: { RUSSIA: [] }, centers: { RUSSIA: ['STP', 'WAR'] } },
    { phase: 'W1902A', units: { RUSSIA: ['A WAR', 'F STP/SC'] }, centers: { RUSSIA: ['STP'] } },
  ];
  const all = new Set(
    positions.flatMap((position) =>
      Object.values(legalRecord(position).orders).flatMap((units) => Object.values(units).flat()),
    ),
  );
  assert.equal(
    listed.filter((order) => !all.has(order)),
    [],
  );
});
answering.run();

// ---- exec:COMMAND ----

const asking = suite('bots: exec:COMMAND');

/** A bot that does something before each line. */
const bot = (name: string, before: string, own = '{}'): string =>
  writeBot(join(scratch, `${name}.mjs`), { before, own });

const selfplay = (agent: string, out: string, ...options: readonly string[]): Promise<Done> =>
  lepanto([
    ...['selfplay', '--agents', agent, '--games', '6', '--until', '1902', '--seed', '3', '--quiet'],
    ...['--out', join(scratch, out), ...options],
  ]);

const recordsOf = (out: string): Buffer => readFileSync(join(scratch, out, 'games-00000.lep'));

asking('records are the same for any number of workers, any batch, and however often a bot dies', async () => {
  const steady = await selfplay(bot('steady', ''), 'steady', '--workers', '1');
  assert.is(steady.code, 0, steady.stderr);
  for (const [name, before, own] of [
    ['single', '', '{ batch: 1 }'],
    ['dying', 'if (!line.hello && n % 25 === 0) process.exit(9)', '{}'],
  ] as const) {
    const done = await selfplay(bot(name, before, own), name, '--workers', '2');
    assert.is(done.code, 0, done.stderr);
    assert.ok(recordsOf(name).equals(recordsOf('steady')), name);
  }
});

asking('a game goes on with holds where an answer is missing, and the end says how often', async () => {
  // biome-ignore format: name, before, message
  const cases = [
    ['garbage', 'if (!line.hello && n === 3) { say("what?"); return; }', 'got "what?", wanted an answer with the id'],
    ['other', 'if (!line.hello && n === 3) { say({ id: 9999, orders: {} }); return; }', 'wanted an answer with the id of each request'],
    ['error', 'if (!line.hello && n === 3) { say([line].flat().map(({ id }) => ({ id, error: "no idea" }))); return; }', 'error: no idea'],
    ['illegal', 'if (!line.hello && n === 3) { say([line].flat().map(({ id, powers: [p] }) => ({ id, orders: { [p]: ["A PAR - MOS"] } }))); return; }', 'M of game '],
    ['slow', 'if (!line.hello && n === 3) return', 'was too slow'],
    ['twice', `if (!line.hello && [line].flat().some(({ game, phase }) => game === '1' && phase === 'F1901M')) process.exit(1)`, 'ended'],
  ] as const;
  for (const [name, before, message] of cases) {
    const limits = ['--games', '2', '--until', '1901', '--choice-ms', name === 'slow' ? '100' : '20000'];
    const done = await selfplay(bot(name, before), name, ...limits);
    assert.is(done.code, 0, `${name}: ${done.stderr}`);
    assert.match(done.stderr, message, name);
    assert.is((await lepanto(['replay', join(scratch, name), '--verify'])).code, 0, name);
  }
});

asking('a bot that cannot be used ends the command by name', async () => {
  // biome-ignore format: name, before, own, message
  const cases = [
    ['mute', 'return', '{}', 'mute.mjs: got no hello in 5 s'],
    ['stranger', '', '{ protocol: "x" }', 'hello, protocol: got "x", wanted "lepanto-agent"'],
    ['future', '', '{ version: 2 }', 'hello, version: got 2, wanted 1'],
    ['greedy', '', '{ batch: 0 }', 'hello, batch: got 0, wanted a whole number from 1 to 4096'],
    ['dead', 'process.exit(1)', '{}', 'without an answer (exit code 1)'],
  ] as const;
  for (const [name, before, own, message] of cases) {
    const limit = name === 'mute' ? '300' : '20000';
    const { code, stderr } = await selfplay(bot(name, before, own), name, '--choice-ms', limit);
    assert.is(code, 1, name);
    assert.match(stderr, message, name);
    assert.match(stderr, 'agent exec:', name);
  }
  assert.match((await selfplay('exec:', 'none')).stderr, 'got no command, wanted exec:COMMAND');
  const { stderr: absent } = await selfplay('exec:/no/such/program', 'absent');
  assert.match(absent, 'ended 2 times without an answer (exit code 127)');
});

asking('sits in the arena and in a batch beside others, and leaves no process behind', () => {
  const agent = bot(`sitting-${process.pid}`, '');
  const options = '--games 4 --until 1902 --quiet --json'.split(' ');
  const { code, out, err } = runLepanto(['arena', '--agents', `${agent},random`, ...options]);
  assert.is(code, 0, err);
  const { standings, bots } = JSON.parse(out);
  assert.is(standings[0].agent, agent);
  assert.equal([bots.length, bots[0].agent, bots[0].name, bots[0].refused], [1, agent, 'bot', 0]);
  assert.ok(bots[0].requests >= 8, `${bots[0].requests} requests in 4 games of two years`);
  const { stdout } = spawnSync('ps', ['-eo', 'args'], { encoding: 'utf8' });
  assert.not.match(stdout, `sitting-${process.pid}.mjs`);
});

asking.run();
