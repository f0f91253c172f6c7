// Kills every part of runs over a queue at random moments, and says whether the runs finish with the files that one
// machine makes, and how much was played twice. Too long for the tests.
//
//   node dist/test/tools/queue-kills.js [--kills 200] [--seed 1] [--shards 128] [--directory DIR]
//
// Each run has its own server, with an append-only file or without one, three workers of one thread (one of them behind a
// proxy), one of the stores in turn, and about fourteen kills.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Random } from '../../engine/internal.js';
import { CutProxy, differentFiles, killAll, RedisServer, type Running, recordedShards, start } from './queue-kit.js';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    shards: { type: 'string', default: '128' },
    directory: { type: 'string' },
    // Tells when each task was played, and each kill.
    verbose: { type: 'boolean', default: false },
    first: { type: 'string', default: '0' },
  },
});
const shards = Number(values.shards);
const KILLS_A_RUN = 14;
/** Of one run; none should come near. */
const LIMIT_MS = 240_000;
const kinds = ['worker', 'worker', 'worker', 'coordinator', 'coordinator', 'redis', 'freeze', 'cut', 'term'] as const;
type Kind = (typeof kinds)[number];

const directory = values.directory ?? mkdtempSync(join(tmpdir(), 'lepanto-kills-'));
mkdirSync(directory, { recursive: true });
const random = new Random(Number(values.seed), 0, 0);
const below = (n: number): number => random.below(n);
const options = ['--games', String(256 * shards), '--quiet'];

interface RoundResult {
  readonly isFinished: boolean;
  readonly different: readonly string[];
  readonly twice: number;
  readonly kills: Map<Kind, number>;
  readonly seconds: number;
}

/** Parts that were played to their end, and how often, by what workers say. */
const countPlayed = (workers: readonly Running[]): Map<number, number> => {
  const played = new Map<number, number>();
  for (const { out } of workers)
    for (const line of out.split('\n').filter((text) => text.includes('"played"'))) {
      try {
        const { task } = JSON.parse(line) as { task: number };
        played.set(task, (played.get(task) ?? 0) + 1);
      } catch {
        // The last line of a worker that was killed.
      }
    }
  return played;
};

const playRound = async (round: number): Promise<RoundResult> => {
  const place = join(directory, `round-${round}`);
  const aof = round % 2 === 0 ? ['--appendonly', 'yes'] : [];
  const redis = await RedisServer.start(join(place, 'redis'), aof);
  const proxy = await CutProxy.to(redis.port);
  const urls = [redis.url, redis.url, proxy.url];
  const all: Running[] = [];
  const startWorker = (seat: number): Running => {
    const worker = start(['worker', urls[seat], '--workers', '1', '--json', '--grace', '2']);
    all.push(worker);
    return worker;
  };
  const workers = urls.map((_, seat) => startWorker(seat));
  const out = join(place, 'out');
  const stores = [[], ['--store', 'redis'], ['--store', join(place, 'store')]];
  const args = ['selfplay', ...options, '--queue', redis.url, '--out', out, ...stores[round % stores.length]];
  let coordinator = start(args);
  const kills = new Map<Kind, number>();
  const begin = performance.now();
  let isOver = false;
  let code: number | string | null = null;
  const watch = (one: Running): void => {
    void one.ended.then((ended) => {
      if (one !== coordinator) return;
      isOver = true;
      code = ended;
    });
  };
  watch(coordinator);
  const later: Promise<void>[] = [];
  const harm: Record<Kind, () => Promise<void>> = {
    worker: async () => {
      const seat = below(3);
      workers[seat].child.kill('SIGKILL');
      workers[seat] = startWorker(seat);
    },
    term: async () => {
      const seat = below(3);
      workers[seat].child.kill('SIGTERM');
      workers[seat] = startWorker(seat);
    },
    coordinator: async () => {
      const old = coordinator;
      coordinator = start(args);
      watch(coordinator);
      old.child.kill('SIGKILL');
    },
    redis: async () => {
      await redis.kill();
      await setTimeout(below(1500));
      await redis.restart();
    },
    freeze: async () => {
      const { child } = workers[below(3)];
      child.kill('SIGSTOP');
      later.push(setTimeout(9000 + below(6000)).then(() => void child.kill('SIGCONT')));
    },
    cut: async () => {
      proxy.cut();
      later.push(setTimeout(500 + below(14_000)).then(() => proxy.mend()));
    },
  };
  for (let i = 0; i < KILLS_A_RUN && !isOver; i++) {
    // So that kills are spread over the run, however fast this machine is.
    const wanted = ((i + 0.2) / KILLS_A_RUN) * shards;
    while (!isOver && recordedShards(out) < wanted && performance.now() - begin < LIMIT_MS) await setTimeout(50);
    await setTimeout(below(700));
    if (isOver) break;
    const kind = kinds[below(kinds.length)];
    kills.set(kind, (kills.get(kind) ?? 0) + 1);
    if (values.verbose) console.log(`${new Date().toISOString()} ${kind}, ${recordedShards(out)} recorded`);
    await harm[kind]();
  }
  while (!isOver && performance.now() - begin < LIMIT_MS) await setTimeout(100);
  const seconds = (performance.now() - begin) / 1000;
  if (!isOver)
    process.stderr.write(
      `round ${round} did not finish\n${coordinator.err}\n${workers.map(({ err }) => err).join('\n')}\n`,
    );
  else if (code !== 0) process.stderr.write(`round ${round} ended with ${code}\n${coordinator.err}\n`);
  await Promise.all(later);
  const played = countPlayed(all);
  if (values.verbose)
    for (const { out: told, child } of all)
      for (const line of told.split('\n')) {
        const { time, event, task } = /"played"/.test(line) ? JSON.parse(line) : { time: '', event: '', task: 0 };
        if ((played.get(task) ?? 0) > 1 && event !== '') console.log(`${time} ${child.pid} task ${task}`);
      }
  killAll();
  await Promise.all(all.map(({ ended }) => ended));
  proxy.close();
  await redis.kill();
  const different = differentFiles(join(directory, 'plain'), out);
  rmSync(place, { recursive: true });
  let twice = 0;
  for (const times of played.values()) twice += times - 1;
  return { isFinished: isOver && code === 0, different, twice, kills, seconds };
};

const plain = start(['selfplay', ...options, '--out', join(directory, 'plain')]);
const first = performance.now();
await plain.ended;
const alone = (performance.now() - first) / 1000;
const results: RoundResult[] = [];
const total = (): number => results.reduce((sum, { kills }) => sum + [...kills.values()].reduce((a, b) => a + b, 0), 0);
for (let round = Number(values.first); total() < Number(values.kills); round++) {
  const result = await playRound(round);
  results.push(result);
  const { isFinished, different, twice, kills, seconds } = result;
  const what = [...kills].map(([kind, n]) => `${kind} ${n}`).join(', ');
  console.log(
    `run ${round}: ${isFinished ? 'finished' : 'NOT FINISHED'}, ${different.length} files differ${different.length > 0 ? ` (${different.join(' ')})` : ''}, ${twice} of ${shards} shards played twice, ${seconds.toFixed(0)} s; ${what}`,
  );
}
const twice = results.reduce((sum, result) => sum + result.twice, 0);
console.log(
  `${total()} kills over ${results.length} runs of ${shards} shards, seed ${values.seed}: ` +
    `${results.filter(({ isFinished }) => isFinished).length} finished, ` +
    `${results.filter(({ different }) => different.length === 0).length} with identical files, ` +
    `${((100 * twice) / (results.length * shards)).toFixed(2)} % of shards played twice; alone a run took ${alone.toFixed(0)} s`,
);
rmSync(directory, { recursive: true });
