// Tests press with bots in processes of their own: the same messages for any number of workers, after deaths and kills; what
// hostile bots do while they talk; arenas, and modules that hang.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../../engine/internal.js';
import type { Message } from '../../../selfplay/question/message.js';
import { decodeShard } from '../../../selfplay/records/record.js';
import { contentsOf, type Ended, makeFolder, runLepanto } from '../../tools/command.js';
import { during, start } from '../../tools/running.js';
import { writeBot } from '../../tools/script-bots.js';

const scratch = makeFolder('press');
const powers = standard.powerNames;

/** A bot that in each round writes to another power and to all. `say` makes what it says, by default `usual`. */
const bot = (name: string, { before = '', say = 'usual', own = '{}' } = {}): string =>
  writeBot(join(scratch, `${name}.mjs`), {
    before,
    own: `{ wants: ['legal', 'messages'], ...${own} }`,
    reply: `
       const { id, powers: [power], round, rounds, seed, messages } = line;
       if (round === undefined) return { id, orders: draw(line), cost: 1 };
       const heard = messages.map(({ time_sent }) => time_sent).join();
       const other = ${JSON.stringify(powers)}.filter((name) => name !== power)[Math.abs(seed) % 6];
       const usual = [{ recipient: other, text: \`\${round}/\${rounds} \${heard}\` }, { recipients: ['GLOBAL'], text: power, content: { seed } }];
       return { id, say: ${say}, cost: 1 };`,
  });

const argumentsOf = (agent: string, out: string, ...more: readonly string[]): string[] => [
  ...['selfplay', '--agents', agent, '--games', '4', '--until', '1901', '--seed', '3', '--rounds', '2'],
  ...['--shard-games', '1', '--quiet', '--out', join(scratch, out), ...more],
];
const selfplay = (...given: Parameters<typeof argumentsOf>): Ended => runLepanto(argumentsOf(...given));
const filesOf = (out: string): Record<string, string> => contentsOf(join(scratch, out), 'manifest.json');
const messagesIn = (out: string, shard = 0): Message[] =>
  decodeShard(readFileSync(join(scratch, out, `games-0000${shard}.lep`))).flatMap(({ phases }) =>
    phases.flatMap(({ messages = [] }) => messages),
  );

const press = suite('press: bots');

press('messages are the same for any number of workers, any batch, and however often a bot dies while it talks', () => {
  const steady = selfplay(bot('steady'), 'steady', '--workers', '1');
  assert.equal([steady.code, steady.err], [0, '']);
  const said = messagesIn('steady');
  assert.is(said.length, 2 * 2 * 7 * 2);
  const heard = said.filter(({ text }) => text.startsWith('2/2')).map(({ text }) => text.slice(4).split(','));
  assert.ok(heard.every((times) => times.length >= 8 && times.every((time) => Number(time) <= said.length)));
  for (const [name, more] of [
    ['single', { own: '{ batch: 1 }' }],
    ['dying', { before: 'if (!line.hello && n % 9 === 0) process.exit(9)' }],
  ] as const) {
    const done = selfplay(bot(name, more), name, '--workers', '2');
    assert.is(done.code, 0, done.err);
    assert.equal(filesOf(name), filesOf('steady'), name);
  }
});

press('a game goes on whatever bots say, and the end names them', () => {
  const first = (what: string): string => `if (!line.hello && line.round === 1 && line.phase === 'S1901M') { ${what} }`;
  const only = (said: string): string => `line.phase === 'S1901M' ? ${said} : usual`;
  // biome-ignore format: name, what the bot does, what the end says of it, its messages in spring 1901 that count
  const cases: readonly (readonly [string, Parameters<typeof bot>[1], string, number])[] = [
    ['flood', { say: only('new Array(5000).fill(usual[0])') }, 'said 2 messages that did not count: the first one: AUSTRIA in S1901M of game 0, round 1: got 5000 messages in a round, wanted at most 32', 64],
    ['mars', { say: only('[usual[0], { recipient: "MARS", text: "x" }]') }, 'ENGLAND in S1901M of game 0, round 1: recipients: got "MARS", wanted GLOBAL or one of AUSTRIA', 2],
    ['forged', { say: only('[{ ...usual[0], sender: "ITALY" }, usual[1]]') }, 'sender: got "ITALY", wanted FRANCE', 2],
    ['megabyte', { say: only('[usual[0], { recipient: "GLOBAL", text: "x".repeat(1 << 20) }]') }, 'text: got 1048576 characters, wanted at most 65536', 2],
    ['huge', { say: only('[usual[0], { recipient: "GLOBAL", text: "x".repeat(1 << 23) }]') }, 'round 1: got a line of more than 4194304 bytes, wanted an answer with the id of each request', 0],
    ['words', { say: only('round === 1 ? "hello" : undefined') }, 'gave 2 answers that did not count: the first one: RUSSIA in S1901M of game 0, round 1: say: got "hello", wanted a list', 0],
    ['twice', { before: first('process.exit(1);') }, 'left one question unanswered, as it ended at both tries: TURKEY in S1901M of game 0, round 1: exit code 1', 2],
  ];
  const agents = cases.map(([name, more]) => bot(name, more)).join(',');
  const { code, err } = selfplay(agents, 'hostile', '--games', '1', '--workers', '1');
  assert.is(code, 0, err);
  const said = messagesIn('hostile');
  cases.forEach(([name, , wanted, count], q) => {
    assert.match(err.split('\n').find((line) => line.includes(`${name}.mjs`)) ?? '', wanted, name);
    const own = said.filter(({ sender }) => sender === powers[q]);
    assert.is(own.filter(({ phase }) => phase === 'S1901M').length, count, name);
    assert.is(own.filter(({ phase }) => phase === 'F1901M').length, 4, name);
  });
  const replayed = runLepanto(['replay', join(scratch, 'hostile'), '--verify', '--quiet']).out;
  assert.match(replayed, /^1 game, .*: no difference$/m);
});

press('a slow bot is silent, and bytes that are not UTF-8 are refused in their message alone', () => {
  const path = join(scratch, 'bytes.mjs');
  writeFileSync(
    path,
    `import readline from 'node:readline';
     readline.createInterface({ input: process.stdin }).on('line', (text) => {
       const line = JSON.parse(text);
       const print = (value) => process.stdout.write(Buffer.from(JSON.stringify(value).replace('BYTES', '\\xff\\xfe') + '\\n', 'latin1'));
       if (line.hello) print({ hello: { protocol: 'lepanto-agent', version: 1, wants: ['messages'] } });
       else if (line.round) print({ id: line.id, say: [{ recipients: ['GLOBAL'], text: 'BYTES' }, { recipients: ['GLOBAL'], text: 'plain' }] });
       else if (line.id !== undefined) print({ id: line.id, orders: {} });
     });`,
  );
  const slow = bot('slow', { before: "if (line.round === 2 && line.phase === 'S1901M') return" });
  const agents = [slow, `exec:${process.execPath} ${path}`, ...new Array(5).fill('hold')].join(',');
  const { code, err } = selfplay(agents, 'bytes', '--workers', '1', '--games', '1', '--choice-ms', '1000');
  assert.is(code, 0, err);
  assert.match(
    err,
    'slow.mjs was too slow one time, and gave no answer: AUSTRIA in S1901M of game 0, round 2: no answer in 1 s',
  );
  assert.match(
    err,
    'bytes.mjs said 4 messages that did not count: the first one: ENGLAND in S1901M of game 0, round 1: text: got invalid Unicode, wanted UTF-8',
  );
  const said = messagesIn('bytes');
  assert.equal(
    said.filter(({ sender }) => sender === 'ENGLAND').map(({ text }) => text),
    ['plain', 'plain', 'plain', 'plain'],
  );
  assert.is(said.filter(({ sender }) => sender === 'AUSTRIA').length, 6);
});

press('a run that was killed goes on, and has the messages of one that was not', async () => {
  const slow = bot('slow-one', { before: 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)' });
  const run = start(argumentsOf(slow, 'killed', '--workers', '1'));
  await during(() => existsSync(join(scratch, 'killed', 'games-00001.lep')), run);
  run.child.kill('SIGKILL');
  await run.ended;
  assert.not.ok(existsSync(join(scratch, 'killed', 'games-00003.lep')));
  const again = selfplay(slow, 'killed', '--workers', '2');
  assert.is(again.code, 0, again.err);
  assert.match(again.out, /^games +4, 2 of them already recorded$|^games +4, 3 of them already recorded$/m);
  assert.equal(filesOf('killed'), filesOf('steady'));
  const other = runLepanto(argumentsOf(slow, 'killed').map((word) => (word === '2' ? '3' : word)));
  assert.match(other.err, 'holds another run: its rounds is 2, wanted 3');
});

press('arenas have press too, keep it, and do not mix it with games without', () => {
  const out = join(scratch, 'arena');
  const agents = `${bot('seated')},hold`;
  const arena = (...more: readonly string[]): Ended =>
    runLepanto([...'arena --games 7 --until 1901 --json --quiet --agents'.split(' '), agents, '--out', out, ...more]);
  const { code, out: text, err } = arena('--rounds', '2');
  assert.is(code, 0, err);
  const { bots } = JSON.parse(text);
  // In each game two rounds and two orders for the moves, and perhaps a winter.
  assert.ok(bots[0].requests >= 7 * 6 && bots[0].requests <= 7 * 7 && bots[0].cost === bots[0].requests);
  const [{ origin }] = JSON.parse(readFileSync(join(out, 'arena.json'), 'utf8')).arenas;
  assert.is(origin.rounds, 2);
  const replayed = runLepanto(['replay', join(out, '1'), '--game', '0', '--json']);
  assert.is(JSON.parse(replayed.out).phases[0].messages.length, 4);
  assert.match(runLepanto(['replay', join(out, '1'), '--verify', '--quiet']).out, 'no difference');
  const kept = readFileSync(join(out, '1', 'games-00000.lep'));
  assert.is(JSON.parse(arena('--rounds', '2').out).bots, undefined);
  assert.ok(kept.equals(readFileSync(join(out, '1', 'games-00000.lep'))));
  assert.is(arena().code, 0);
  assert.is(JSON.parse(readFileSync(join(out, 'arena.json'), 'utf8')).arenas.length, 2);
});

press('a module that hangs while it talks is named as one that hangs over its orders', () => {
  const path = join(scratch, 'hanging.mjs');
  writeFileSync(
    path,
    `const talk = ([{ game }]) => { while (game.year < 2000); };
     export default { name: 'hanging', help: '', options: {}, make: () => ({ answer: () => [{ orders: [] }], talk }) };`,
  );
  const { code, err } = selfplay(path, 'hanging', '--workers', '1', '--choice-ms', '300', '--games', '1');
  assert.is(code, 1);
  assert.match(err, 'hanging.mjs for AUSTRIA in S1901M of game 0, round 1: got no answer in 0.3 s');
  for (const rounds of ['1.5', '101', 'x'])
    assert.match(
      selfplay('hold', 'none', '--rounds', rounds).err,
      `--rounds: got "${rounds}", wanted a whole number from 0 to 100`,
    );
});
press.run();
