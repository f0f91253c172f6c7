// What does it cost to have a run played elsewhere? The same run by one process, by two of a job array, and by two workers of
// a queue whose results come through a folder, Redis, or a store that speaks S3, in turn. Needs redis-server, bullmq and ioredis.
//
//   node dist/bench/run/queued.js [--agents A] [--until YEAR] [--shards N] [--turns N] [--s3 s3://BUCKET/PREFIX] [--ways W,W]
//
// The store is where the client of AWS looks for it (AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID); its own time is not measured.
//
// Processor time of every process, in milliseconds a shard: that of a run of N shards more, less that of one that is shorter by
// them. So what a start costs does not count, and little of what else the machine does. A line of JSON for each turn, then
// the medians with the least and the most.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './statistics.js';

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: 'policy' },
    until: { type: 'string', default: '1910' },
    shards: { type: 'string', default: '300' },
    turns: { type: 'string', default: '3' },
    s3: { type: 'string' },
    ways: { type: 'string' },
  },
});
const [shards, turns] = [values.shards, values.turns].map(Number);
/** Of the shorter run. */
const FEW = 40;
const GAMES_PER_SHARD = 256;

const place = mkdtempSync(join(tmpdir(), 'lepanto-queued-'));
const lepanto = fileURLToPath(new URL('../../bindings/cli/lepanto.js', import.meta.url));

/** Loaded by every process before its own code: writes down at the end what it has used. */
const meter = `import{isMainThread as m}from'node:worker_threads';import{writeFileSync as w}from'node:fs';
if(m)process.on('exit',()=>{let{user:u,system:s}=process.cpuUsage();w(process.env.LEPANTO_METER,String((u+s)/1000))})`;

/** Milliseconds of processor time by part, bytes of files and bytes through Redis. */
type Used = Record<string, number>;

let made = 0;
const start = (args: readonly string[]): { readonly child: ChildProcess; readonly used: () => number } => {
  const path = join(place, `meter-${made++}`);
  const env = {
    ...process.env,
    LEPANTO_METER: path,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(meter)}`,
  };
  const child = spawn(process.execPath, [lepanto, ...args], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return { child, used: () => Number(readFileSync(path, 'utf8')) };
};

const end = async ({ child }: { readonly child: ChildProcess }): Promise<void> => {
  if (child.exitCode === null) await once(child, 'exit');
  if (child.exitCode !== 0) throw new Error(`got exit code ${child.exitCode} of ${child.spawnargs.join(' ')}`);
};

const sizeOf = (directory: string): number =>
  readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);

const runOf = (count: number, out: string): string[] => [
  ...['selfplay', '--quiet', '--agents', values.agents, '--until', values.until],
  ...['--games', String(count * GAMES_PER_SHARD), '--shard-games', String(GAMES_PER_SHARD), '--out', out],
];

const alone = async (count: number, out: string): Promise<Used> => {
  const player = start([...runOf(count, out), '--workers', '2']);
  await end(player);
  return { players: player.used(), bytes: sizeOf(out) };
};

const byArray = async (count: number, out: string): Promise<Used> => {
  const players = [1, 2].map((i) => start([...runOf(count, out), '--workers', '1', '--shard', `${i}/2`]));
  await Promise.all(players.map(end));
  return { players: players.reduce((sum, one) => sum + one.used(), 0) };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

/** What a Redis server says of itself. */
const infoOf = (port: number): Used => {
  const text = execFileSync('redis-cli', ['-p', String(port), 'info'], { encoding: 'utf8' });
  const number = (name: string): number => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1]);
  return {
    redis: 1000 * (number('used_cpu_user') + number('used_cpu_sys')),
    redisBytes: number('total_net_input_bytes') + number('total_net_output_bytes'),
    redisCommands: number('total_commands_processed'),
  };
};

const byQueue = async (count: number, out: string, store: readonly string[]): Promise<Used> => {
  const port = await freePort();
  const data = join(place, `redis-${port}`);
  mkdirSync(data);
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', data];
  const server = spawn('redis-server', options, { stdio: 'ignore' });
  const url = `redis://127.0.0.1:${port}`;
  const isUp = (): boolean => {
    try {
      return execFileSync('redis-cli', ['-p', String(port), 'ping'], { encoding: 'utf8', stdio: 'pipe' }) === 'PONG\n';
    } catch {
      return false;
    }
  };
  while (!isUp()) await setTimeout(50);
  try {
    const players = [1, 2].map(() => start(['worker', url, '--workers', '1', '--quiet']));
    const coordinator = start([...runOf(count, out), '--queue', url, ...store, '--workers', '1']);
    await end(coordinator);
    const info = infoOf(port);
    for (const { child } of players) child.kill('SIGTERM');
    await Promise.all(players.map(end));
    return { players: players.reduce((sum, one) => sum + one.used(), 0), coordinator: coordinator.used(), ...info };
  } finally {
    server.kill();
  }
};

const ways: Readonly<Record<string, (count: number, out: string) => Promise<Used>>> = {
  alone,
  array: byArray,
  folder: (count, out) => byQueue(count, out, []),
  redis: (count, out) => byQueue(count, out, ['--store', 'redis']),
  ...(values.s3 !== undefined && { s3: (count, out) => byQueue(count, out, ['--store', values.s3 ?? '']) }),
};
const wanted = values.ways?.split(',') ?? Object.keys(ways);

/** What a shard more takes. */
const measure = async (way: (count: number, out: string) => Promise<Used>): Promise<Used> => {
  const found: Used[] = [];
  for (const count of [FEW, FEW + shards]) {
    const out = join(place, `out-${made++}`);
    found.push(await way(count, out));
    rmSync(out, { recursive: true });
  }
  const [few, many] = found;
  return Object.fromEntries(Object.entries(many).map(([name, value]) => [name, (value - few[name]) / shards]));
};

const all: Record<string, Used[]> = Object.fromEntries(wanted.map((name) => [name, []]));
try {
  for (let turn = 0; turn < turns; turn++)
    for (const name of wanted) {
      const used = await measure(ways[name]);
      all[name].push(used);
      process.stdout.write(`${JSON.stringify({ turn, way: name, ...used })}\n`);
    }
} finally {
  rmSync(place, { recursive: true, force: true });
}
for (const [name, found] of Object.entries(all))
  for (const part of Object.keys(found[0] ?? {})) {
    const each = found.map((used) => used[part]);
    const [middle, least, most] = [median(each), Math.min(...each), Math.max(...each)].map((value) => value.toFixed(2));
    process.stdout.write(`${name.padEnd(8)}${part.padEnd(14)}${middle.padStart(12)}   ${least} to ${most}\n`);
  }
