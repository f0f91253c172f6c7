// The bytes between a client and the batch server, as bindings/server/PROTOCOL.md lays them out.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const server = fileURLToPath(new URL('../../bindings/server/main.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'lepanto-protocol-'));
const FRAME = 24;

interface Answer {
  readonly mark: string;
  readonly number: number;
  readonly value: number;
  readonly body: string;
}

/** A client that knows bytes and no more. */
class Client {
  readonly info: Record<string, unknown>;
  private readonly child: ChildProcess;
  private readonly fd: number;
  private data = Buffer.alloc(0);
  private wake: () => void = () => {};
  private isOver = false;
  private errors = '';
  static readonly all: ChildProcess[] = [];

  private constructor(changes: object) {
    this.info = {};
    this.fd = openSync(join(directory, 'memory'), 'w+');
    this.child = spawn(process.execPath, [server], {
      stdio: ['pipe', 'pipe', 'pipe', this.fd],
      env: { ...process.env, LEPANTO_KOFFI: 'none' },
    });
    Client.all.push(this.child);
    this.child.stdout?.on('data', (data: Buffer) => {
      this.data = Buffer.concat([this.data, data]);
      this.wake();
    });
    this.child.stderr?.on('data', (data: Buffer) => {
      this.errors += data;
    });
    this.child.on('close', () => {
      this.isOver = true;
      this.wake();
    });
    const config = {
      map: 'standard',
      rules: 'datc-3.2',
      games: 3,
      children: 2,
      workers: 1,
      observations: 'none',
      reset_mode: 'same_step',
      until: 0,
      actions: 'index',
      fd: 3,
      parent: process.pid,
    };
    this.write(Buffer.from(`${JSON.stringify({ ...config, ...changes })}\n`));
  }

  static async start(changes: object = {}): Promise<Client> {
    const client = new Client(changes);
    Object.assign(client.info, JSON.parse((await client.until((data) => data.indexOf(10) + 1)).toString()));
    return client;
  }

  write(bytes: Uint8Array): void {
    this.child.stdin?.write(bytes);
  }

  /** Waits until so many bytes have come as a look at them says; 0 for more. */
  private async until(size: (data: Buffer) => number): Promise<Buffer> {
    for (;;) {
      const count = size(this.data);
      if (count > 0 && count <= this.data.length) {
        const taken = this.data.subarray(0, count);
        this.data = this.data.subarray(count);
        return taken;
      }
      if (this.isOver) throw new Error(`the server has ended: ${this.errors}`);
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  async answer(): Promise<Answer> {
    const head = await this.until(() => FRAME);
    const length = head.readUInt32LE(16);
    const body = length === 0 ? '' : (await this.until(() => length)).toString('latin1');
    assert.equal([head.readUIntLE(1, 3), head.readUInt32LE(20)], [0, 0]);
    return { mark: head.toString('latin1', 0, 1), number: head.readUInt32LE(4), value: head.readDoubleLE(8), body };
  }

  request(command: string, number: number, args: readonly number[] = [], body: Uint8Array | string = ''): void {
    const frame = Buffer.alloc(FRAME);
    frame.write(command, 'latin1');
    frame.writeUInt32LE(number, 4);
    for (const [i, argument] of args.entries()) frame.writeInt32LE(argument, 8 + 4 * i);
    this.write(Buffer.concat([frame, Buffer.from(body)]));
  }

  async ask(...request: Parameters<Client['request']>): Promise<Answer> {
    this.request(...request);
    return this.answer();
  }

  json(number: number, request: object): Promise<Answer> {
    const body = JSON.stringify(request);
    return this.ask('j', number, [Buffer.byteLength(body)], body);
  }

  /** Bytes of an array, and where they are in the file. */
  private place(name: string): number {
    const found = (this.info.arrays as { name: string; offset: number }[]).find((array) => array.name === name);
    assert.ok(found !== undefined);
    return found.offset;
  }
  read(name: string, size: number): Buffer {
    const bytes = Buffer.alloc(size);
    readSync(this.fd, bytes, 0, size, this.place(name));
    return bytes;
  }
  fill(name: string, bytes: Uint8Array): void {
    writeSync(this.fd, bytes, 0, bytes.length, this.place(name));
  }

  /** Ends the pipe; exit code of the server, and what it has said. */
  async end(): Promise<[number | null, string]> {
    this.child.stdin?.end();
    if (this.child.exitCode === null) await new Promise((resolve) => this.child.once('close', resolve));
    closeSync(this.fd);
    return [this.child.exitCode, this.errors];
  }
}

const ALL = Uint8Array.of(1, 1, 1);

const protocol = suite('protocol of the batch server');

protocol.after(() => {
  for (const child of Client.all) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

protocol('an answer has the number of its request, a value and a body', async () => {
  const client = await Client.start();
  client.fill('mask', ALL);
  assert.equal(await client.ask('r', 7), { mark: '.', number: 7, value: 0, body: '' });
  assert.equal(await client.ask('p', 0xffff_ffff, [5, 1]), { mark: '.', number: 0xffff_ffff, value: 15, body: '' });
  const { mark, number, body } = await client.json(9, { op: 'position', game: 2 });
  assert.equal([mark, number, JSON.parse(body).phase], ['.', 9, 'F1903M']);
  assert.equal(await client.end(), [0, '']);
});

protocol('requests may be many before the first answer', async () => {
  const client = await Client.start();
  client.fill('mask', ALL);
  for (let number = 1; number <= 50; number++) client.request(number % 2 === 1 ? 'r' : 'd', number, [0, 3]);
  for (let number = 1; number <= 50; number++)
    assert.equal(await client.answer(), { mark: '.', number, value: 0, body: '' });
  client.request('q', 51);
  assert.equal(await client.end(), [0, '']);
});

protocol('a token comes back behind all answers, whatever is before it', async () => {
  const client = await Client.start();
  client.fill('mask', ALL);
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
  await client.end();
});

protocol('what cannot be done is refused by name, and the next request is read', async () => {
  const client = await Client.start();
  client.fill('mask', ALL);
  await client.ask('r', 1);
  const cases: readonly (readonly [string, readonly number[], RegExp])[] = [
    ['?', [], /^RangeError: command: got "\?", wanted one of sdprlxej=q$/],
    ['s', [-1, 3], /^RangeError: first game: got -1, wanted 0 to 3$/],
    ['s', [0, 4], /^RangeError: end of the games: got 4, wanted 0 to 3$/],
    ['d', [2, 1], /^RangeError: end of the games: got 1, wanted 2 to 3$/],
    ['p', [-1, 0], /^RangeError: count: got -1, wanted 0 to 2147483647$/],
    ['p', [1, 2], /^RangeError: sampler: got 2, wanted 0 to 1$/],
    ['x', [3, 1], /^RangeError: game: got 3, wanted 0 to 2$/],
    ['x', [0, 3], /^RangeError: children: got 3, wanted 0 to 2$/],
    ['x', [0, -1], /^RangeError: children: got -1, wanted 0 to 2$/],
  ];
  for (const [i, [command, args, pattern]] of cases.entries()) {
    const { mark, number, body } = await client.ask(command, 100 + i, args);
    assert.equal([mark, number], ['!', 100 + i]);
    assert.match(body, pattern, body);
  }
  assert.match((await client.json(200, { op: 'dance' })).body, /op: got dance/);
  assert.match((await client.ask('j', 201, [3], '{]}')).body, /^SyntaxError: /);
  assert.is((await client.ask('p', 202, [1, 0])).value, 3);
  await client.end();
});

protocol('two builds in one centre are refused', async () => {
  const client = await Client.start();
  client.fill('mask', ALL);
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
  await client.end();
});

protocol('a step that fails halfway leaves a batch that wants a reset', async () => {
  const agent = join(directory, 'fails.mjs');
  writeFileSync(
    agent,
    `export default { name: 'fails', help: '', options: {}, make: () => ({
      name: 'fails', options: {}, choose: (game) => { if (game.season === 1) throw new Error('no idea'); return 0; } }) };`,
  );
  const client = await Client.start({ games: 3, workers: 2, opponents: { FRANCE: agent } });
  const slots = 3 * 7 * (client.info.max_orders as number);
  client.fill('actions', new Uint8Array(new Int32Array(slots).fill(-1).buffer));
  client.fill('mask', ALL);
  await client.ask('r', 1);
  assert.is((await client.ask('s', 2, [0, 3])).mark, '.');
  assert.match(
    (await client.ask('s', 3, [0, 3])).body,
    /^Error: agent .*fails.mjs for FRANCE in F1901M of game 0: threw Error: no idea \(fails.mjs:2:\d+\)$/,
  );
  for (const [command, args] of [
    ['s', [0, 3]],
    ['p', [1, 0]],
    ['x', [0, 1]],
  ] as const)
    assert.match(
      (await client.ask(command, 4, args)).body,
      /^Error: got a batch whose last step failed \(agent .*no idea.*\), wanted/,
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
  const client = await Client.start();
  client.request('j', 1, [-1]);
  const [code, errors] = await client.end();
  assert.is(code, 1);
  assert.match(errors, /pipe: got a body of -1 bytes, wanted at most 67108864/);
  const cut = await Client.start();
  cut.write(Buffer.from('s123'));
  assert.match((await cut.end())[1], /pipe: got its end within a request/);
  for (const [changes, pattern] of [
    [{ until: 1900 }, /until: got 1900, wanted 0 \(games end only by a solo\) or a year from 1901/],
    [{ workers: -3 }, /workers: got -3, wanted a whole number from 1 to 256/],
    [{ choice_ms: -1 }, /choice_ms: got -1, wanted a whole number from 0 to 86400000/],
    [{ opponents: { FRANCE: 'hold', france: 'random' } }, /opponents: got "france" twice/],
  ] as const) {
    const refused = await Client.start(changes);
    assert.match(String(refused.info.error), pattern);
    assert.is((await refused.end())[0], 1);
  }
});

protocol.run();
