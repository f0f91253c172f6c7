// A client of the batch server that knows bytes and no more, as bindings/python/server/BATCH-PROTOCOL.md lays them out.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';

const ownServer = fileURLToPath(new URL('../../bindings/python/server/main.js', import.meta.url));
const FRAME = 24;

export interface ServerAnswer {
  readonly mark: string;
  readonly number: number;
  readonly value: number;
  readonly body: string;
}

/** What a client asks for if nothing else is said: a small batch. */
export const handshake = (): Record<string, unknown> => ({
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
});

export interface ProtocolClientOptions {
  /** For the memory. */
  readonly directory: string;
  /** The compiled server; default: the one of this tree. */
  readonly server?: string;
  /** The first line: a handshake. */
  readonly line: string;
}

export class ProtocolClient {
  readonly info: Record<string, unknown> = {};
  private readonly child: ChildProcess;
  private readonly fd: number;
  private data = Buffer.alloc(0);
  private wake: () => void = () => {};
  private isOver = false;
  private errors = '';
  static readonly all: ChildProcess[] = [];

  private constructor({ directory, server = ownServer, line }: ProtocolClientOptions) {
    this.fd = openSync(join(directory, 'memory'), 'w+');
    this.child = spawn(process.execPath, [server], {
      stdio: ['pipe', 'pipe', 'pipe', this.fd],
      env: { ...process.env, LEPANTO_KOFFI: 'none' },
    });
    ProtocolClient.all.push(this.child);
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
    this.child.stdin?.on('error', () => {});
    this.write(Buffer.from(`${line}\n`));
  }

  static async start(options: ProtocolClientOptions): Promise<ProtocolClient> {
    const client = new ProtocolClient(options);
    Object.assign(client.info, JSON.parse((await client.until((data) => data.indexOf(10) + 1)).toString()));
    return client;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }
  kill(): void {
    this.child.kill('SIGKILL');
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

  async answer(): Promise<ServerAnswer> {
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

  async ask(...request: Parameters<ProtocolClient['request']>): Promise<ServerAnswer> {
    this.request(...request);
    return this.answer();
  }

  json(number: number, request: object): Promise<ServerAnswer> {
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
