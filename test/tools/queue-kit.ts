// Starts a Redis server and a proxy before it for tests, and does them harm.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, connect as openSocket, type Server, type Socket } from 'node:net';
import { contentsOf } from './command.js';
import { errorOf } from './errors.js';
import { running, until } from './running.js';

/** What runs over a queue need and this machine lacks; '' if nothing. */
export const findMissing = (): string => {
  if (spawnSync('redis-server', ['--version']).status !== 0) return 'redis-server is not installed';
  const { resolve } = createRequire(import.meta.url);
  const missing = ['bullmq', 'ioredis'].filter((name) => errorOf(() => resolve(name)) !== '');
  return missing.length === 0 ? '' : `${missing.join(' and ')} cannot be loaded`;
};

/** A port of this machine that nobody listens on. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const servers = new Set<ChildProcess>();

/** A Redis server on a port of its own. */
export class RedisServer {
  private child: ChildProcess | null = null;

  private constructor(
    readonly port: number,
    private readonly args: readonly string[],
  ) {}

  /** @param directory for its files @param options more arguments: ['--appendonly', 'yes'] */
  static async start(directory: string, options: readonly string[] = []): Promise<RedisServer> {
    mkdirSync(directory, { recursive: true });
    const port = await freePort();
    const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', directory];
    const server = new RedisServer(port, [...own, ...options]);
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  is(child: ChildProcess): boolean {
    return this.child === child;
  }

  async restart(): Promise<void> {
    const child = spawn('redis-server', this.args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child = child;
    servers.add(child);
    child.on('exit', () => servers.delete(child));
    let said = '';
    child.stdout.on('data', (bytes) => {
      said += bytes;
    });
    await until('redis-server', () => /Ready to accept/.test(said) || child.exitCode !== null);
    if (child.exitCode !== null) throw new Error(said);
  }

  /** As a machine that loses power. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

/** Ends what a test has left. @param server goes on */
export const killAll = (server?: RedisServer): void => {
  for (const child of [...running, ...servers]) if (!server?.is(child)) child.kill('SIGKILL');
};

/** A way to a port that can be cut: then nothing comes through, and nobody is told. */
export class CutProxy {
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(private readonly server: Server) {}

  static async to(target: number): Promise<CutProxy> {
    const server = createServer();
    const proxy = new CutProxy(server);
    server.on('connection', (near) => {
      const far = openSocket(target, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        proxy.sockets.add(from);
        from.on('data', (bytes) => {
          if (!proxy.isCut) to.write(bytes);
        });
        from.on('error', () => {});
        from.on('close', () => {
          proxy.sockets.delete(from);
          if (!proxy.isCut) to.destroy();
        });
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.isCut = true;
  }

  /** New connections work; what was sent over the old ones is lost, and they end. */
  mend(): void {
    this.isCut = false;
    for (const socket of this.sockets) socket.destroy();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

/** Files of a run that differ between two directories, or are in one alone. */
export const differentFiles = (one: string, other: string): string[] => {
  const [here, there] = [contentsOf(one), contentsOf(other)];
  return Object.keys({ ...here, ...there }).filter((name) => here[name] !== there[name]);
};

/** Shards that are whole in a directory. */
export const recordedShards = (directory: string): number => {
  try {
    return readdirSync(directory).filter((name) => /^games-\d+\.table$/.test(name)).length;
  } catch {
    return 0;
  }
};
