// Tests runs over a queue with a real Redis server: whatever dies, the files are those that one machine makes.
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readAddress } from '../../../bindings/cluster/queue/address.js';
import { packPayload, unpackPayload } from '../../../bindings/cluster/queue/payload.js';
import { mostResultBytes } from '../../../bindings/cluster/queue/result-size.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { callLepanto, makeFolder } from '../../tools/command.js';
import { root } from '../../tools/data.js';
import { errorOf } from '../../tools/errors.js';
import {
  CutProxy,
  differentFiles,
  findMissing,
  freePort,
  killAll,
  RedisServer,
  recordedShards,
} from '../../tools/queue-kit.js';
import { type Running, start, until } from '../../tools/running.js';
import { FakeS3 } from '../../tools/s3-store.js';
import { writeAgent } from '../../tools/simple-agents.js';

const directory = makeFolder('queue');
const place = (...names: string[]): string => join(directory, ...names);
const missing = findMissing();

/** Most bytes of the results of these tests. */
const MOST = 1000;

const payloads = suite('addresses and payloads');

payloads('an address has its password from the environment, and shows none', () => {
  const url = 'rediss://me:pass%2Fword@host:7000/3';
  const address = readAddress(undefined, { LEPANTO_QUEUE_URL: url });
  assert.equal(
    [address.host, address.port, address.isSecure, address.db, address.user, address.password, address.shown],
    ['host', 7000, true, 3, 'me', 'pass/word', 'rediss://host:7000/3'],
  );
  assert.is(readAddress('redis://host', { LEPANTO_QUEUE_PASSWORD: 'x' }).password, 'x');
  assert.throws(
    () => readAddress(url, {}),
    (error: Error) =>
      /LEPANTO_QUEUE_PASSWORD/.test(error.message) && !/word/.test(error.message.replaceAll(/password|PASSWORD/g, '')),
  );
  for (const wrong of ['', 'host:6379', 'http://host', 'redis://'])
    assert.throws(() => readAddress(wrong, {}), /wanted redis:\/\/HOST:PORT/);
  assert.throws(() => readAddress('redis://host/name', {}), /wanted the number of a database/);
});

payloads('a payload that is damaged anywhere is refused', () => {
  const bytes = Buffer.from('some games, some games, some games');
  const head = { run: 'r', task: 3, games: 2, crc: 0, size: bytes.length, machine: 'm' };
  assert.throws(() => unpackPayload(packPayload(head, bytes), MOST), /got crc32 \d+, wanted 0/);
  const crc = Number(/got crc32 (\d+)/.exec(errorOf(() => unpackPayload(packPayload(head, bytes), MOST)))?.[1]);
  const packed = packPayload({ ...head, crc }, bytes);
  assert.equal(Buffer.from(unpackPayload(packed, MOST).bytes), bytes);
  for (let at = 0; at < packed.length; at++) {
    assert.throws(
      () => unpackPayload(packed.subarray(0, at), MOST),
      (error: unknown) => error instanceof LepantoError,
    );
    const changed = Buffer.from(packed);
    changed[at] ^= 0x55;
    try {
      // What is changed in the head alone may still be a head.
      assert.equal(Buffer.from(unpackPayload(changed, MOST).bytes), bytes);
    } catch (error) {
      assert.instance(error, LepantoError, `byte ${at}: ${error}`);
    }
  }
});

payloads('a result is unpacked only as far as its games can be large', () => {
  const bomb = Buffer.alloc(1 << 26);
  const packed = packPayload({ run: 'r', task: 3, games: 1, crc: crc32(bomb), size: bomb.length, machine: 'm' }, bomb);
  assert.ok(packed.length < 100_000);
  const spec = {
    map: 'standard',
    rules: 'datc-3.2',
    agents: ['random'],
    games: 300,
    until: 1910,
    seed: 1,
    shardGames: 256,
  };
  const most = (more: object): number => mostResultBytes({ work: { kind: 'selfplay', spec: { ...spec, ...more } } }, 1);
  const before = process.memoryUsage().rss;
  assert.throws(() => unpackPayload(packed, most({})), /got 67108864 bytes, wanted at most \d{1,8}$/);
  // A head that tells of less than its bytes are.
  const head = Buffer.from(JSON.stringify({ run: 'r', task: 3, games: 1, crc: 1, size: 100, machine: 'm' }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  const lying = Buffer.concat([length, head, packed.subarray(4 + packed.readUInt32LE())]);
  assert.throws(() => unpackPayload(lying, most({})), /cannot be unpacked/);
  assert.ok(process.memoryUsage().rss - before < bomb.length / 2);
  assert.ok(most({ rounds: 1 }) > 44 << 24);
  assert.ok(most({ shardGames: 1 }) < 300_000);
});

payloads.run();

const queue = suite('queue');
let redis: RedisServer;

/** How a command ended, and what it wrote. */
interface Done extends Pick<Running, 'out' | 'err'> {
  readonly code: unknown;
}

/** Runs `lepanto` to its end; in this process, which is quicker, where it needs no environment of its own. */
const lepantoNow = async (args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<Done> => {
  if (environment === undefined) return callLepanto(args);
  const one = start(args, environment);
  return { code: await one.ended, out: one.out, err: one.err };
};

/** Runs `lepanto` to its end; it must succeed. Returns what it prints. */
const lepanto = async (...args: string[]): Promise<string> => {
  const { code, out, err } = await callLepanto(args);
  assert.is(code, 0, err);
  return out;
};

/** Runs `lepanto` to its end; it must fail. Returns what it says. */
const refusal = async (...args: Parameters<typeof lepantoNow>): Promise<string> => {
  const { code, err } = await lepantoNow(...args);
  assert.is(code, 1);
  return err;
};

/** What `lepanto queue` lists of the server. */
const listQueue = async (): Promise<{ runs: { id: string; queue: string; waiting: number }[]; machines: unknown[] }> =>
  JSON.parse(await lepanto('queue', redis.url, '--json'));

/** Workers of a test. They are stopped after it, and all that it has not killed must end without an error. */
const workers: Running[] = [];
const stopWorkers = async (): Promise<void> => {
  const own = workers.filter(({ child }) => child.signalCode === null);
  // Before, a signal ends a process as any other.
  for (const one of own)
    await until('a worker', () => one.child.exitCode !== null || /"ready"|plays with/.test(one.out + one.err));
  for (const { child } of own) child.kill('SIGTERM');
  for (const one of own) assert.is(await one.ended, 0, one.err);
};

/** Number of times that something happened to a task of workers with --json. */
const timesOf = (event: string, ...all: Running[]): number =>
  all
    .flatMap(({ out }) => out.split('\n').filter((line) => line.endsWith('}')))
    .filter((line) => JSON.parse(line).event === event).length;

/** Runs a process for a tenth of the time. */
const slowDown = (child: Running['child']): (() => void) => {
  let isSlow = true;
  void (async () => {
    while (isSlow) {
      child.kill('SIGSTOP');
      await setTimeout(180);
      child.kill('SIGCONT');
      await setTimeout(20);
    }
  })();
  return () => {
    isSlow = false;
  };
};

const SHARDS = 12;
const options = ['--games', String(256 * SHARDS), '--until', '1905', '--quiet'];

/** What a test has opened. */
const closing: (() => unknown)[] = [];
const connect = (port: number = redis.port) => {
  const client = new (createRequire(import.meta.url)('ioredis').Redis)(port);
  closing.push(() => client.disconnect());
  return client;
};

const startWorker = (url = redis.url, environment = {}, ...more: readonly string[]): Running =>
  startWorkerIn([], ['worker', url, '--workers', '1', '--json', ...more], environment);
/** @param wrap a command that runs the worker */
const startWorkerIn = (wrap: readonly string[], args: readonly string[], environment = {}): Running => {
  const worker = start(args, environment, { wrap });
  workers.push(worker);
  return worker;
};
const command = (name: string, url: string, ...more: readonly string[]): string[] => [
  ...['selfplay', ...options, '--queue', url, '--out', place(name)],
  ...more,
];
/** Copies the compiled package, without the packages that it needs. */
const copyBuilt = (name: string): string => {
  for (const part of ['dist', 'package.json']) cpSync(join(root, part), join(place(name), part), { recursive: true });
  return place(name);
};
/** Asserts that a run has the files of a run on one machine. */
const assertFiles = (name: string, plain = 'plain'): void =>
  assert.equal(differentFiles(place(plain), place(name)), []);
/** Waits for the end of a run, which must have the files of a run on one machine. */
const assertSame = async (name: string, run: Running, plain?: string): Promise<void> => {
  assert.is(await run.ended, 0, run.err);
  assertFiles(name, plain);
};
/** Waits until a run has so many shards. */
const recorded = (name: string, count: number): Promise<void> =>
  until(`${count} shards of ${name}`, () => recordedShards(place(name)) >= count);

queue.before(async () => {
  if (missing !== '') return;
  redis = await RedisServer.start(place('redis'));
  await lepanto('selfplay', ...options, '--out', place('plain'));
});
queue.after.each(async () => {
  for (const close of closing.splice(0)) await close();
  killAll(redis);
  await connect().flushall();
  for (const close of closing.splice(0)) await close();
});
queue.after(() => killAll());

/** A test that is skipped where there is no Redis. */
const withServer = (title: string, run: () => Promise<void>): void => {
  const add = missing === '' ? queue : queue.skip;
  add(title, async () => {
    workers.splice(0);
    await run();
    await stopWorkers();
  });
};

withServer('two workers make the files of one machine, whatever the store, and leave nothing in it', async () => {
  const s3 = await FakeS3.start();
  closing.push(() => s3.close());
  for (let i = 0; i < 2; i++) startWorker(redis.url, s3.environment);
  const stores = { 'by itself': [], redis: ['redis'], folder: [place('store')], s3: ['s3://runs/some/prefix'] };
  for (const [name, store] of Object.entries(stores)) {
    const stored = command(name, redis.url, ...store.flatMap((way) => ['--store', way]));
    await assertSame(name, start(stored, s3.environment));
  }
  // As a coordinator leaves it that is killed after the last shard.
  mkdirSync(place('by itself', 'incoming'));
  writeFileSync(place('by itself', 'incoming', '3.payload'), '');
  await assertSame('by itself', start(command('by itself', redis.url)));
  assert.is(timesOf('played', ...workers), 4 * SHARDS);
  assert.equal(readdirSync(place('store')), []);
  assert.is(s3.objects.size, 0);
  assert.is(s3.calls.get('PUT'), SHARDS);
  const keys: string[] = await connect().keys('lepanto:*');
  assert.not.match(keys.join(), /:(run|runs|payloads?|done):/);
});

for (const aof of [true, false])
  withServer(`workers, coordinator and Redis ${aof ? 'with' : 'without'} a file are killed`, async () => {
    const name = `killed-${aof}`;
    const own = await RedisServer.start(place(`redis-${name}`), aof ? ['--appendonly', 'yes'] : []);
    const more = aof ? [] : ['--store', 'redis'];
    const [lost] = [startWorker(own.url), startWorker(own.url)];
    let run = start(command(name, own.url, ...more));
    await recorded(name, 1);
    lost.child.kill('SIGKILL');
    await recorded(name, 3);
    const client = connect(own.port);
    const runs = (): Promise<string[]> => client.smembers('lepanto:runs');
    const before = await runs();
    run.child.kill('SIGKILL');
    // Results come in while nobody takes them.
    await setTimeout(1000);
    run = start(command(name, own.url, ...more));
    await recorded(name, 5);
    // None where the run is over by now.
    for (const id of await runs()) assert.equal([id], before, 'a run that is resumed is another one');
    client.disconnect();
    await own.kill();
    await own.restart();
    await recorded(name, 6);
    startWorker(own.url);
    await assertSame(name, run);
  });

withServer('what Redis refuses around a task is no try of the task', async () => {
  const client = connect();
  await client.call('ACL', 'SETUSER', 'default', '-getbit');
  const worker = startWorker();
  const run = start(command('refused', redis.url));
  await until('trouble', () => /getbit.*; the task is handed back/.test(worker.out));
  await client.call('ACL', 'SETUSER', 'default', '+getbit');
  await assertSame('refused', run);
  assert.is(timesOf('failed', worker), 0, worker.out);
});

withServer('a run whose coordinator stays away does not hold up others', async () => {
  startWorker();
  const left = start(command('left', redis.url, '--store', 'redis'));
  await recorded('left', 1);
  left.child.kill('SIGKILL');
  const client = connect();
  const [run] = await client.smembers('lepanto:runs');
  // As a minute later, when what its store holds has come in.
  await client.hset(`lepanto:payloads:${run}`, '99', 1 << 30);
  await client.set(`lepanto:payload:${run}:11`, 'not in the index');
  for (const strange of ['x', '-1', '1.5', '007']) await client.hset(`lepanto:payloads:${run}`, strange, 'many');
  assert.is(await client.del(`lepanto:coordinator:${run}`), 1);
  await lepanto(...command('second', redis.url));
  assertFiles('second');
  await lepanto(...command('left', redis.url, '--store', 'redis'));
  assertFiles('left');
});

withServer('a worker with another clock delays nobody', async () => {
  const shift = (hours: number) => ({
    NODE_OPTIONS: `--import=data:text/javascript,const{now}=Date;Date.now=()=>now()+${hours * 3_600_000}`,
  });
  for (const hours of [1, -1]) {
    const name = `clock${hours}`;
    const games = ['--games', '12', '--shard-games', '1', '--until', '1901', '--agents', 'reply', '--quiet'];
    const shifted = startWorker(redis.url, shift(hours), '--grace', '0');
    const run = start(['selfplay', ...games, '--queue', redis.url, '--out', place(name)]);
    await recorded(name, 2);
    // It hands back what it plays.
    shifted.child.kill('SIGTERM');
    assert.is(await shifted.ended, 0, shifted.err);
    assert.ok(recordedShards(place(name)) < 12, 'the worker was through before it was stopped');
    startWorker();
    assert.is(await run.ended, 0, run.err);
    assert.is(recordedShards(place(name)), 12);
    await stopWorkers();
  }
});

withServer('a worker that is frozen past its lock, one that is cut off, and a slow one change no file', async () => {
  const proxy = await CutProxy.to(redis.port);
  const [frozen, , slow] = [startWorker(), startWorker(proxy.url), startWorker(), startWorker()];
  const run = start(command('frozen', redis.url));
  await recorded('frozen', 1);
  const hasten = slowDown(slow.child);
  closing.push(hasten, () => proxy.close());
  frozen.child.kill('SIGSTOP');
  proxy.cut();
  await assertSame('frozen', run);
  // They come back after the run is over: what they have is nobody's.
  frozen.child.kill('SIGCONT');
  proxy.mend();
  hasten();
  await lepanto(...command('second', redis.url));
  assertFiles('second');
  await setTimeout(500);
  slow.child.kill('SIGCONT');
});

withServer('jobs that are delivered twice are played once', async () => {
  const { Queue } = createRequire(import.meta.url)('bullmq');
  const run = start(command('twice', redis.url));
  await until('the run', async () => (await listQueue()).runs.length === 1);
  const [{ id, queue: name }] = (await listQueue()).runs;
  const jobs = new Queue(name, { connection: { host: '127.0.0.1', port: redis.port }, prefix: 'lepanto' });
  closing.push(() => jobs.close());
  for (let task = 0; task < SHARDS; task++)
    await jobs.add('selfplay', { run: id, task }, { jobId: `again-${task}`, removeOnComplete: true });
  const worker = startWorker();
  await assertSame('twice', run);
  await until('an empty queue', async () => (await jobs.getWaitingCount()) === 0);
  assert.is(timesOf('played', worker), SHARDS);
});

withServer('a full disk ends the coordinator, which is started again, and a worker hands back', async () => {
  const limited = ['sh', '-c', 'ulimit -f 40; exec "$@"', 'sh'];
  startWorker();
  const first = start(command('full', redis.url, '--store', 'redis'), {}, { wrap: limited });
  assert.is(await first.ended, 1);
  assert.match(first.err, /cannot write .*full.*games-000.*: the file would be larger than the system allows/);
  await stopWorkers();
  const full = startWorkerIn(limited, ['worker', redis.url, '--workers', '1', '--json']);
  const second = start(command('full', redis.url));
  await until('trouble', () => /the task is handed back/.test(full.out));
  await until('a word about it', () => /the file would be larger/.test(second.err));
  // It tries again after five seconds, and says the same thing once.
  await setTimeout(7000);
  assert.is(full.out.split('the task is handed back').length, 2, full.out);
  assert.is(second.err.split('the file would be larger').length, 2, second.err);
  startWorker();
  await assertSame('full', second);
});

withServer('workers pause while nobody takes what waits in Redis', async () => {
  const games = ['selfplay', '--games', '20480', '--agents', 'random', '--quiet', '--queue', redis.url];
  const run = start([...games, '--out', place('pressed'), '--store', 'redis']);
  for (let i = 0; i < 2; i++) startWorker();
  await recorded('pressed', 1);
  run.child.kill('SIGSTOP');
  const client = connect();
  const waiting = async (): Promise<number> => {
    const [index] = await client.keys('lepanto:payloads:*');
    const sizes: string[] = index === undefined ? [] : await client.hvals(index);
    return sizes.reduce((sum, size) => sum + Number(size), 0);
  };
  let before = -1;
  await until('a pause', async () => {
    const now = await waiting();
    const isSame = now === before && now > 4 << 20;
    before = now;
    await setTimeout(1500);
    return isSame;
  });
  assert.ok(before <= 1 << 23, `${before} bytes wait`);
  run.child.kill('SIGCONT');
  await until('room', async () => (await waiting()) < before);
  run.child.kill('SIGINT');
  assert.is(await run.ended, 130);
  assert.match(
    run.err,
    /interrupted: .* are recorded; to resume: npx lepanto selfplay .* --queue redis:.* --store redis/,
  );
  await stopWorkers();
  const [{ id }] = (await listQueue()).runs;
  await lepanto('queue', redis.url, 'drop', id);
  assert.equal((await listQueue()).runs, []);
});

withServer('another version of the code plays nothing, and both sides say so', async () => {
  const other = copyBuilt('other');
  symlinkSync(join(root, 'node_modules'), join(other, 'node_modules'), 'dir');
  appendFileSync(join(other, 'dist/engine/rules/order.js'), '// another engine\n');
  const changed = join(other, 'dist/bindings/cli/lepanto.js');
  const wrap = ['sh', '-c', `shift 2; exec node ${changed} "$@"`, 'sh'];
  const stranger = startWorkerIn(wrap, ['worker', redis.url, '--workers', '1']);
  const run = start(command('versions', redis.url));
  await until('a refusal', () =>
    /is not played here: it is of version .* with the code [0-9a-f]{12}/.test(stranger.err),
  );
  await until('a word about it', () =>
    /no worker plays this run: .* is of version .* wanted [0-9a-f]{12}/.test(run.err),
  );
  assert.is(recordedShards(place('versions')), 0);
  startWorker();
  await assertSame('versions', run);
});

withServer('modules of users travel where they are allowed', async () => {
  const agent = writeAgent(
    place('agent.mjs'),
    `answer: ([{ game, power, random }]) => {
      const lists = game.phase === 0 ? legalByPower(game, power) : [];
      return [{ orders: lists.map((list) => list[random.below(list.length)]) }];
    }`,
    "import { legalByPower } from 'lepanto';",
    "{ n: { help: '', default: 1, least: 0, most: 9 } }",
  );
  const home = place('node_modules');
  mkdirSync(home);
  symlinkSync(root, join(home, 'lepanto'), 'dir');
  const games = ['selfplay', '--games', '40', '--until', '1903', '--agents', `${agent}:n=2`, '--quiet'];
  await lepanto(...games, '--out', place('module-plain'));
  const strict = startWorker();
  const run = start([...games, '--queue', redis.url, '--out', place('module')]);
  await until('a word about it', () =>
    /no worker plays this run: .* does not allow agent.mjs [0-9a-f]{16}/.test(run.err),
  );
  assert.match(strict.out, /which runs here with --allow-modules [0-9a-f]{16}/);
  const [, hash = ''] = /does not allow agent.mjs ([0-9a-f]{16})/.exec(run.err) ?? [];
  const open = startWorker(redis.url, {}, '--allow-modules', hash);
  await assertSame('module', run, 'module-plain');
  assert.is(timesOf('played', strict), 0);
  // The module is on the worker already: two more runs at once.
  const more = ['2', '3'].map((seed) =>
    start([...games, '--games', '8', '--seed', seed, '--queue', redis.url, '--out', place(`module-${seed}`)]),
  );
  for (const one of more) assert.is(await one.ended, 0, one.err);
  assert.not.match(open.out, /handed back/);
});

withServer('a coordinator that is started again takes what came in while it was away, of modules too', async () => {
  const s3 = await FakeS3.start();
  closing.push(() => s3.close());
  const client = connect();
  const agent = writeAgent(place('hold.mjs'), 'answer: ([_]) => [{ orders: [] }]');
  const counted = ['--games', '12', '--shard-games', '2', '--until', '1902', '--quiet'];
  const games = ['selfplay', ...counted, '--agents', agent];
  await lepanto(...games, '--out', place('again-plain'));
  const inRedis = async (): Promise<number> => (await client.keys('lepanto:payload:*')).length;
  const stores = { redis: inRedis, 's3://runs/again': async () => s3.objects.size };
  const worker = startWorker(redis.url, s3.environment, '--allow-modules', 'any');
  for (const [store, waiting] of Object.entries(stores)) {
    const name = `again-${store.slice(0, 2)}`;
    await until('the worker', async () => (await listQueue()).machines.length === 1);
    await lepanto('queue', redis.url, 'pause');
    const command = [...games, '--queue', redis.url, '--store', store, '--out', place(name)];
    const first = start(command, s3.environment);
    await until('shards that wait', async () => (await listQueue()).runs[0]?.waiting === 6);
    first.child.kill('SIGKILL');
    await first.ended;
    await lepanto('queue', redis.url, 'resume');
    await until('results of a run without a coordinator', async () => (await waiting()) === 6);
    assert.is(recordedShards(place(name)), 0);
    await assertSame(name, start(command, s3.environment), 'again-plain');
    assert.is(await waiting(), 0);
  }
  assert.is(timesOf('played', worker), 12);
  assert.not.match(worker.out, /handed back/);
});

withServer('the weights of a net travel', async () => {
  const weights = place('net.safetensors');
  cpSync(join(root, 'selfplay/nets/default.safetensors'), weights);
  const games = ['selfplay', '--games', '2', '--until', '1901', '--agents', `net:file=${weights}`, '--quiet'];
  await lepanto(...games, '--out', place('net-plain'));
  const run = start([...games, '--queue', redis.url, '--store', 'redis', '--out', place('net')]);
  const client = connect();
  await until('the run', async () => (await client.keys('lepanto:files:*')).length === 1);
  // As on a machine that has no such file.
  renameSync(weights, `${weights}.away`);
  startWorker();
  await assertSame('net', run, 'net-plain');
  assert.equal(await client.keys('lepanto:files:*'), []);
});

withServer('a shard that fails three times is named, with the command that plays it', async () => {
  const agent = writeAgent(
    place('fails.mjs'),
    `answer: ([{ past }]) => {
      if (past.game === '300' && !existsSync(${JSON.stringify(place('mended'))})) throw new Error('not this one');
      return [{ orders: [] }];
    }`,
    "import { existsSync } from 'node:fs';",
  );
  const counted = ['--games', '600', '--until', '1901', '--shard-games', '256', '--quiet'];
  const games = ['selfplay', ...counted, '--agents', agent];
  const worker = startWorker(redis.url, {}, '--allow-modules', 'any');
  const said = await refusal([...games, '--queue', redis.url, '--out', place('failed')]);
  assert.match(said, /shard 1 failed in every try: .*not this one/);
  assert.match(
    said,
    /without 1 shard that failed in every try: 1\n.*to play the missing games: npx lepanto selfplay .*--out/,
  );
  assert.is(recordedShards(place('failed')), 2);
  assert.is(timesOf('failed', worker), 3);
  writeFileSync(place('mended'), '');
  await lepanto(...games, '--out', place('failed'));
  assert.is(recordedShards(place('failed')), 3);
});

withServer('an arena, a gate and statistics over a queue are those of one machine', async () => {
  startWorker();
  const fixed = ['arena', '--agents', 'random,hold', '--games', '140', '--until', '1901', '--json', '--quiet'];
  const last = ({ out }: Done): Record<string, unknown> => {
    const { seconds: _, workers: __, event: ___, ...rest } = JSON.parse(out.trim().split('\n').at(-1) ?? '');
    return rest;
  };
  const drawn = ['arena', '--population', 'random,hold', '--games', '70', '--chance', '1902:0.9', '--json', '--quiet'];
  const gate = 'arena --gate policy --against random --games 21 --until 1901 --json --quiet'.split(' ');
  for (const command of [fixed, drawn, gate]) {
    const [alone, spread] = [await lepantoNow(command), await lepantoNow([...command, '--queue', redis.url])];
    assert.equal([spread.code, last(spread)], [0, last(alone)], spread.err);
  }
  const counted = ['stats', place('plain'), '--json', '--quiet'];
  assert.is(await lepanto(...counted, '--queue', redis.url), await lepanto(...counted));
});

withServer('a worker whose server has gone ends by a signal, and ends by itself where it has no work', async () => {
  const own = await RedisServer.start(place('redis-gone'));
  const [stopped, idle] = [startWorker(own.url), startWorker(own.url, {}, '--idle', '1')];
  assert.is(await idle.ended, 0, idle.err);
  await until('a worker', () => /"ready"/.test(stopped.out));
  await own.kill();
  await until('a word about it', () => /does not answer/.test(stopped.out));
  stopped.child.kill('SIGTERM');
  assert.is(await stopped.ended, 0, stopped.err);
  const never = start(['worker', own.url, '--workers', '1', '--idle', '1']);
  assert.is(await never.ended, 1);
  assert.match(never.err, /got no answer/);
  assert.match(await refusal(['queue', own.url]), /got no answer/);
});

withServer('a queue is paused, listed and resumed', async () => {
  startWorker();
  const list = async (): Promise<string> => (await lepantoNow(['queue', redis.url])).out;
  await until('the queue of the worker', async () => /games-/.test(await list()));
  assert.match((await lepantoNow(['queue', redis.url, 'pause'])).out, /^paused .*games-/);
  const run = start(command('paused', redis.url));
  await until('parts that wait', async () =>
    new RegExp(`0 of ${SHARDS} recorded, ${SHARDS} waiting`).test(await list()),
  );
  assert.match(await list(), /\n {2}games-[\w.-]+ {2}prefix lepanto, paused\n/);
  await lepanto('queue', redis.url, 'resume');
  await assertSame('paused', run);
});

withServer('TLS and a password: what is wrong is refused, and nothing shows the password', async () => {
  const key = place('key.pem');
  const certificate = place('certificate.pem');
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'],
    ...['-keyout', key, '-out', certificate, ...subject],
  ]);
  assert.is(made.status, 0, String(made.stderr));
  const port = await freePort();
  const password = 'correct-horse-battery';
  await RedisServer.start(place('redis-tls'), [
    ...['--tls-port', String(port), '--tls-cert-file', certificate, '--tls-key-file', key],
    ...['--tls-auth-clients', 'no', '--requirepass', password, '--tls-ca-cert-file', certificate],
  ]);
  const url = `rediss://127.0.0.1:${port}`;
  const trusted = { NODE_EXTRA_CA_CERTS: certificate };
  const known = { ...trusted, LEPANTO_QUEUE_PASSWORD: password };
  const run = start(command('secure', url), known);
  const worker = startWorkerIn([], ['worker', '--workers', '1', '--json'], { ...known, LEPANTO_QUEUE_URL: url });
  await until('a shard', () => recordedShards(place('secure')) > 0);
  assert.not.match(spawnSync('ps', ['axww', '-o', 'args']).stdout.toString(), password);
  await assertSame('secure', run);
  const listed = await lepantoNow(['queue', url], known);
  const manifest = readFileSync(place('secure', 'manifest.json'), 'utf8');
  for (const { out, err } of [run, worker, listed]) assert.not.match(out + err + manifest, password);
  for (const [environment, why] of [
    [{ LEPANTO_QUEUE_PASSWORD: password }, /self[- ]signed.*NODE_EXTRA_CA_CERTS/],
    [{ ...trusted, LEPANTO_QUEUE_PASSWORD: 'wrong' }, /WRONGPASS.*LEPANTO_QUEUE_PASSWORD/],
    [trusted, /NOAUTH.*LEPANTO_QUEUE_PASSWORD/],
  ] as const) {
    const refused = await refusal(['queue', url], environment);
    assert.match(refused, why);
    assert.not.match(refused, password);
  }
});

withServer('a server that would drop jobs is refused, and a missing package is named', async () => {
  const forgetful = await RedisServer.start(place('redis-lru'), ['--maxmemory-policy', 'allkeys-lru']);
  assert.match(await refusal(['worker', forgetful.url]), /got maxmemory-policy allkeys-lru, wanted noeviction/);
  const bare = copyBuilt('bare');
  // Its own bullmq is broken, so that none further up is found.
  mkdirSync(join(bare, 'node_modules', 'bullmq'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((one) => one !== 'bullmq'))
    symlinkSync(join(root, 'node_modules', name), join(bare, 'node_modules', name));
  writeFileSync(join(bare, 'node_modules', 'bullmq', 'package.json'), '{"main": "none.js"}');
  const poor = spawnSync(process.execPath, [join(bare, 'dist/bindings/cli/lepanto.js'), 'worker', redis.url], {
    encoding: 'utf8',
    cwd: bare,
    env: { ...process.env, NODE_PATH: '' },
    timeout: 600_000,
  });
  assert.is(poor.status, 1);
  assert.match(poor.stderr, /got no package bullmq, wanted it in .*: npm install bullmq ioredis/);
});

if (missing !== '') process.stdout.write(`SKIPPED: runs over a queue: ${missing}\n`);
queue.run();
