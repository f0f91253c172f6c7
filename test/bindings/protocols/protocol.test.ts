// The bytes between a client and the batch server, as bindings/python/server/BATCH-PROTOCOL.md lays them out.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { batchCommands, pipeCommands } from '../../../bindings/python/server/commands.js';
import { makeFolder } from '../../tools/command.js';
import { readText } from '../../tools/data.js';
import { handshake, ProtocolClient } from '../../tools/protocol-client.js';

const directory = makeFolder('protocol');

const startClient = (changes: object = {}): Promise<ProtocolClient> =>
  ProtocolClient.start({ directory, line: JSON.stringify({ ...handshake(), ...changes }) });

const ALL = Uint8Array.of(1, 1, 1);

const protocol = suite('protocol of the batch server');

/** Tests a server whose mask is set, and ends it. */
const withClient = (title: string, run: (client: ProtocolClient) => Promise<void>): void =>
  protocol(title, async () => {
    const client = await startClient();
    client.fill('mask', ALL);
    await run(client);
    assert.equal(await client.end(), [0, '']);
  });

protocol.after(() => {
  for (const child of ProtocolClient.all) child.kill('SIGKILL');
});

protocol('the document lists the commands of the table', async () => {
  const text = readText('bindings/python/server/BATCH-PROTOCOL.md');
  const rows = [...text.matchAll(/^\| `(.)` \| (\w+) \| ([\w, ]*?) ?\| .* \|$/gm)];
  const written = rows.map(([, letter, name, list]) => [
    name,
    { letter, arguments: list === '' ? [] : list.split(', ') },
  ]);
  const commands = { ...batchCommands, ...pipeCommands };
  assert.equal(Object.fromEntries(written), commands);
  const client = await startClient();
  assert.equal(client.info.commands, commands);
  await client.end();
});

withClient('an answer has the number of its request, a value and a body', async (client) => {
  assert.equal(await client.ask('r', 7), { mark: '.', number: 7, value: 0, body: '' });
  assert.equal(await client.ask('p', 0xffff_ffff, [5, 1]), { mark: '.', number: 0xffff_ffff, value: 15, body: '' });
  const { mark, number, body } = await client.json(9, { op: 'position', game: 2 });
  assert.equal([mark, number, JSON.parse(body).phase], ['.', 9, 'F1903M']);
});

withClient('requests may be many before the first answer', async (client) => {
  for (let number = 1; number <= 50; number++) client.request(number % 2 === 1 ? 'r' : 'd', number, [0, 3]);
  for (let number = 1; number <= 50; number++)
    assert.equal(await client.answer(), { mark: '.', number, value: 0, body: '' });
  client.request('q', 51);
});

withClient('a token comes back behind all answers, whatever is before it', async (client) => {
  const token = [0x0102_0304, -5, 0x7fff_ffff, 6];
  const body = Buffer.from(Int32Array.from(token).buffer).toString('latin1');
  client.request('r', 1);
  // A request of which half has come, and zeros for the rest of it and more.
  client.request('j', 2, [1000], '{"op": "vocab');
  client.write(Buffer.alloc(2000));
  client.request('=', 3, token);
  assert.is((await client.answer()).number, 1);
  const broken = await client.answer();
  assert.equal([broken.mark, broken.number], ['!', 2]);
  assert.equal(await client.answer(), { mark: '.', number: 3, value: 0, body });
  assert.is((await client.ask('r', 4)).mark, '.');
});

withClient('what cannot be done is refused by name, and the next request is read', async (client) => {
  await client.ask('r', 1);
  const cases: readonly (readonly [string, readonly number[], RegExp])[] = [
    ['?', [], /^LepantoError: command: got "\?", wanted one of =adejlnpqrswx$/],
    ['s', [-1, 3], /^LepantoError: first game: got -1, wanted 0 to 3$/],
    ['s', [0, 4], /^LepantoError: end of the games: got 4, wanted 0 to 3$/],
    ['d', [2, 1], /^LepantoError: end of the games: got 1, wanted 2 to 3$/],
    ['p', [-1, 0], /^LepantoError: count: got -1, wanted 0 to 2147483647$/],
    ['p', [1, 2], /^LepantoError: sampler: got 2, wanted 0 to 1$/],
    ['x', [2, 4], /^LepantoError: first child: got 2, wanted 3 to 5$/],
    ['x', [3, 6], /^LepantoError: end of the children: got 6, wanted 3 to 5$/],
    ['x', [3, 2], /^LepantoError: end of the children: got 2, wanted 3 to 5$/],
  ];
  for (const [i, [command, args, pattern]] of cases.entries()) {
    const { mark, number, body } = await client.ask(command, 100 + i, args);
    assert.equal([mark, number], ['!', 100 + i]);
    assert.match(body, pattern, body);
  }
  assert.match((await client.json(200, { op: 'dance' })).body, /op: got "dance"/);
  assert.match((await client.ask('j', 201, [3], '{]}')).body, /^SyntaxError: /);
  assert.is((await client.ask('p', 202, [1, 0])).value, 3);
});

withClient('two builds in one centre are refused', async (client) => {
  await client.ask('r', 1);
  const position = { phase: 'W1901A', units: {}, centers: { FRANCE: ['BRE', 'PAR'] } };
  const state = JSON.parse((await client.json(2, { op: 'read_position', position })).body) as number[];
  client.fill('state', Uint8Array.from(state));
  client.fill('mask', Uint8Array.of(1, 0, 0));
  assert.is((await client.ask('l', 3)).mark, '.');
  const slots = client.info.max_orders as number;
  const actions = new Int32Array(7 * slots * 3).fill(-1);
  const choose = (first: number, second: number): void => {
    actions.set([first, second], 2 * slots);
    client.fill('actions', new Uint8Array(actions.buffer));
  };
  choose(1, 2);
  const { mark, body } = await client.ask('s', 4, [0, 3]);
  assert.is(mark, '!');
  assert.match(body, /^ActionError: game 0, FRANCE, adjustment 1: got action 2, wanted an order elsewhere than in BRE/);
  choose(0, 1);
  assert.is((await client.ask('s', 5, [0, 3])).mark, '.');
  const after = JSON.parse((await client.json(6, { op: 'position', game: 0 })).body) as { units: { FRANCE: string[] } };
  assert.equal(after.units.FRANCE, ['A BRE', 'A PAR']);
});

protocol('a step that fails halfway leaves a batch that wants a reset', async () => {
  const agent = join(directory, 'fails.mjs');
  writeFileSync(
    agent,
    `export default { name: 'fails', help: '', options: {}, make: () => ({
      name: 'fails', options: {}, answer: ([{ game }]) => { if (game.season === 1) throw new Error('no idea'); return [{ orders: [] }]; } }) };`,
  );
  const client = await startClient({ games: 3, workers: 2, opponents: { FRANCE: agent } });
  const slots = 3 * 7 * (client.info.max_orders as number);
  client.fill('actions', new Uint8Array(new Int32Array(slots).fill(-1).buffer));
  client.fill('mask', ALL);
  await client.ask('r', 1);
  assert.is((await client.ask('s', 2, [0, 3])).mark, '.');
  assert.match(
    (await client.ask('s', 3, [0, 3])).body,
    /^LepantoError: agent .*fails.mjs for FRANCE in F1901M of game 0\.1: threw Error: no idea \(fails.mjs:2:\d+\)$/,
  );
  for (const [command, args] of [
    ['s', [0, 3]],
    ['p', [1, 0]],
    ['x', [3, 4]],
  ] as const)
    assert.match(
      (await client.ask(command, 4, args)).body,
      /^LepantoError: got a batch whose last step failed \(agent .*no idea.*\), wanted/,
    );
  client.fill('mask', Uint8Array.of(1, 1, 0));
  assert.is((await client.ask('r', 5)).mark, '.');
  assert.is((await client.ask('s', 6, [0, 3])).mark, '!');
  client.fill('mask', ALL);
  assert.is((await client.ask('r', 7)).mark, '.');
  assert.is((await client.ask('s', 8, [0, 3])).mark, '.');
  await client.end();
});

protocol('a line or a body that cannot be ends the server with a word', async () => {
  const client = await startClient();
  client.request('j', 1, [-1]);
  const [code, errors] = await client.end();
  assert.is(code, 1);
  assert.match(errors, /pipe: got a body of -1 bytes, wanted at most 67108864/);
  const cut = await startClient();
  cut.write(Buffer.from('s123'));
  assert.match((await cut.end())[1], /pipe: got its end within a request/);
  for (const [changes, pattern] of [
    [{ until: 1900 }, /until: got 1900, wanted 0 \(games end only by a solo\) or a year from 1901/],
    [{ workers: -3 }, /workers: got -3, wanted a whole number from 1 to 256/],
    [{ choice_ms: -1 }, /choice_ms: got -1, wanted a whole number from 0 to 86400000/],
    [{ opponents: { FRANCE: 'hold', france: 'random' } }, /opponents: got "france" twice/],
  ] as const) {
    const refused = await startClient(changes);
    assert.match(String(refused.info.error), pattern);
    assert.is((await refused.end())[0], 1);
  }
});

protocol.run();
