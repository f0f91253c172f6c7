// Tests the pool of workers: the same results for any number of workers and after crashes, and nothing left behind.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  adjudicate,
  DATC_3_2,
  type Game,
  loadMap,
  move,
  newGame,
  Random,
  RETREAT,
  SURVIVORS,
  standard,
} from '../../../engine/internal.js';
import { Batch } from '../../../engine/play/batch.js';
import { POLICY, type Sampler, samplers, UNIFORM } from '../../../engine/play/step.js';
import { rulesByName } from '../../../engine/rules/options.js';
import { type Faults, makeFaults } from '../../../selfplay/crew/faults.js';
import { makePool, type Pool } from '../../../selfplay/crew/pool.js';
import { addToChecksum, endHash, type RolloutTask } from '../../../selfplay/crew/rollout-jobs.js';
import { threadArguments } from '../../../selfplay/crew/threads.js';
import { gameSeed } from '../../../selfplay/games/game-record.js';
import { decodeShard, encodeShard } from '../../../selfplay/records/record.js';
import { makeCounters } from '../../../selfplay/records/run.js';
import { playShard, STEPS_PLAYED } from '../../../selfplay/records/shard.js';
import { summaryOf } from '../../../selfplay/records/summary.js';
import { verifyGame } from '../../../selfplay/records/verify.js';
import { rollout } from '../../../selfplay/rollouts/rollout.js';
import { contentsOf, makePlaces } from '../../tools/command.js';
import { rejection, saying } from '../../tools/errors.js';
import { randomOrders } from '../../tools/legal-orders.js';
import { summarize } from '../../tools/recorded.js';
import { playRun, runOf, withPool } from '../../tools/runs.js';

const start = newGame(standard, DATC_3_2);

/** A position after some phases of random play, in a batch of its own. */
const positionAt = (seed: number, steps: number): Game => {
  const batch = new Batch(standard, DATC_3_2, 1);
  batch.reset(seed);
  for (let k = 0; k < steps; k++) batch.sampleStep(POLICY);
  return batch.game(0);
};

/** Evaluations of every size, with fixed orders and without, from several positions and of several scores. */
const makeTasks = (): RolloutTask[] => {
  const random = new Random(3);
  const tag = (name: string): number => standard.locationTags.indexOf(name);
  const fixed = [move(tag('ANK'), tag('BLA')), move(tag('STP/SC'), tag('BOT'))];
  const positions = [start, positionAt(1, 5), positionAt(2, 12)];
  return Array.from({ length: 60 }, (_, i) => {
    const game = positions[i % 3];
    const options = {
      horizon: random.below(6),
      count: i === 7 ? 6000 : random.below(200),
      seed: i,
      sampler: i % 4 === 0 ? UNIFORM : POLICY,
      score: i % 5 === 0 ? SURVIVORS : 0,
      first: random.below(50),
    };
    return { game, options: game === start && i % 2 === 0 ? { ...options, fixed } : options };
  });
};

const tasks = makeTasks();
const playoutOptions = { map: standard, rules: DATC_3_2, games: 1234, until: 1907, seed: 5, sampler: UNIFORM };

/** Everything that a pool computes, in comparable form. */
const computeAll = async (pool: Pool): Promise<unknown[]> => {
  const whole = await pool.rollouts(start, { horizon: 2, count: 20_011, seed: 9 });
  const many = await pool.evaluate(tasks);
  return [
    await pool.playouts(playoutOptions),
    ...[whole, ...many].map(({ count, steps, mean, error }) => [count, steps, [...mean], [...error]]),
  ];
};

let expected: unknown[] = [];

// ---- results ----

const results = suite('results of a pool');

results('two workers: every sum is what one thread gets', async () => {
  await withPool({ workers: 2 }, async (pool) => {
    expected = await computeAll(pool);
    for (const [i, { mean, error, count, steps }] of (await pool.evaluate(tasks)).entries()) {
      const alone = rollout(tasks[i].game, tasks[i].options);
      assert.equal([count, steps], [alone.count, alone.steps]);
      for (let q = 0; q < 7; q++) {
        // Sums of parts differ in their last digits from a sum of all.
        assert.ok(count === 0 || Math.abs(mean[q] - alone.mean[q]) < 1e-12, `task ${i}, power ${q}`);
        assert.ok(count < 2 || Math.abs(error[q] - alone.error[q]) < 1e-9, `error of task ${i}, power ${q}`);
      }
    }
    assert.is(pool.crashed, 0);
  });
  const batch = new Batch(standard, DATC_3_2, playoutOptions.games, { until: playoutOptions.until });
  batch.reset(playoutOptions.seed);
  const played = batch.playout(UNIFORM);
  let sum = 0;
  for (let i = 0; i < batch.size; i++) sum = addToChecksum(sum, endHash(batch, i));
  const { games, steps, checksum, centers } = expected[0] as Awaited<ReturnType<Pool['playouts']>>;
  assert.equal([games, steps, checksum], [playoutOptions.games, played, sum >>> 0]);
  assert.ok(centers.reduce((a, b) => a + b) > 22 * games);
});

for (const workers of [1, 4])
  results(`${workers} worker${workers > 1 ? 's' : ''}: the results are the same to the last bit`, async () => {
    assert.equal(await withPool({ workers }, computeAll), expected);
  });

for (const how of ['exit', 'memory'] as const)
  results(`a worker that crashes in the middle (${how}) changes nothing`, async () => {
    const faults = makeFaults('3', how, 2);
    await withPool({ workers: 2, faults }, async (pool) => {
      assert.equal(await computeAll(pool), expected);
      assert.is(pool.crashed, 2);
    });
    assert.ok(Atomics.load(faults.crashes, 0) <= 0);
  });

results('a chunk that throws is the error of its job; the pool goes on', () =>
  withPool({ workers: 2, faults: makeFaults('3', 'throw', 1) }, async (pool) => {
    assert.is(await rejection(computeAll(pool)), 'a fault that a test has ordered');
    assert.equal(await computeAll(pool), expected);
  }),
);

results('a chunk that crashes three workers is an error that names it; the pool goes on', () =>
  withPool({ workers: 2, faults: makeFaults('5', 'exit', 3) }, async (pool) => {
    const job = { horizon: 2, count: 20_000, seed: 9 };
    const wanted = /^rolloutPlayer, chunk 5: 3 worker threads have crashed, the last one with: .*code.* 9/;
    assert.match(await rejection(pool.rollouts(start, job)), wanted);
    assert.is((await pool.rollouts(start, { ...job, count: 1000 })).count, 1000);
  }),
);

results('rollouts follow the rules of the position, and play its open retreats first', async () => {
  const game = newGame(standard, rulesByName('1971'));
  const random = new Random(8);
  while (game.phase !== RETREAT) adjudicate(game, randomOrders(game, random));
  const options = { horizon: 3, count: 500, seed: 1 };
  const alone = rollout(game, options);
  const [one] = await withPool({ workers: 1 }, (pool) => pool.evaluate([{ game, options }]));
  assert.ok(Math.abs(one.mean[0] - alone.mean[0]) < 1e-12);
  assert.is(one.steps, alone.steps);
});

results('nonsense is refused before a worker sees it', async () => {
  await withPool({ workers: 1 }, async (pool) => {
    const options = { horizon: 1, count: 1, seed: 1 };
    const wanted = 'wanted a whole number from 0';
    const refusal = (change: object) => rejection(pool.rollouts(start, { ...options, ...change }));
    assert.match(await refusal({ horizon: -1 }), `horizon: got -1, ${wanted}`);
    assert.match(await refusal({ count: Number.POSITIVE_INFINITY }), `count: got Infinity, ${wanted}`);
    assert.match(await rejection(pool.playouts({ ...playoutOptions, until: 1900 })), 'until: got 1900');
    const mixed = [start, newGame(standard, rulesByName('1971'))].map((game) => ({ game, options }));
    assert.match(await rejection(pool.evaluate(mixed)), 'got positions of several maps or rules');
    assert.equal(await pool.evaluate([]), []);
  });
  assert.throws(() => makePool({ workers: 0 }), saying('workers: got 0, wanted a whole number from 1'));
});

/** A signal that the first progress of a job aborts, and that progress. */
const untilProgress = () => {
  const stop = new AbortController();
  const seen: number[] = [];
  const onProgress = (played: number): void => {
    seen.push(played);
    if (played > 0) stop.abort();
  };
  return { seen, job: { signal: stop.signal, onProgress } };
};

results('a signal ends a job, and what was played by then counts', () =>
  withPool({ workers: 2 }, async (pool) => {
    const { seen, job } = untilProgress();
    const endless = { horizon: 2, count: Number.POSITIVE_INFINITY, seed: 9 };
    const { count, mean } = await pool.rollouts(start, { ...endless, ...job });
    assert.ok(count > 0 && seen.length > 1);
    assert.is(seen.at(-1), count);
    assert.equal([...(await pool.rollouts(start, { ...endless, count })).mean], [...mean]);
    assert.is((await pool.playouts({ ...playoutOptions, signal: AbortSignal.abort() })).games, 0);
    const all = { ...playoutOptions, games: Number.POSITIVE_INFINITY };
    const { games, checksum } = await pool.playouts({ ...all, ...untilProgress().job });
    assert.is((await pool.playouts({ ...playoutOptions, games })).checksum, checksum);
  }),
);
results.run();

// ---- workers ----

const starts = suite('workers of a pool');

starts('the engine of a worker lies in memory of the main thread', async () => {
  const module = new URL('../../../engine/rules/scratch.js', import.meta.url).href;
  const call = { module, name: 'scratch', data: 8 };
  const array = await withPool({ workers: 1 }, (pool) => pool.call<Int32Array>(call));
  assert.instance(array.buffer, SharedArrayBuffer);
  // Behind those of the engine.
  assert.ok(array.byteOffset > 0);
});

starts('calls: results and exceptions come back, crashes are called again', async () => {
  const module = new URL('../../../selfplay/version.js', import.meta.url).href;
  const call = { module, name: 'findCommit', data: null };
  await withPool({ workers: 2, faults: makeFaults('findCommit', 'exit', 2) }, async (pool) => {
    let crashes = 0;
    const got = await pool.call<string | null>(call, { onCrash: () => void crashes++ });
    assert.ok(got === null || got.length >= 40);
    assert.equal([crashes, pool.crashed], [2, 2]);
    assert.match(await rejection(pool.call({ ...call, name: 'nothing' })), 'got undefined as nothing');
    assert.match(await rejection(pool.call({ ...call, module: 'file:///no/such.js' })), 'no/such.js');
    // A function cannot be cloned.
    assert.match(await rejection(pool.call({ ...call, data: () => 1 })), 'could not be cloned');
  });
  await withPool({ workers: 1, faults: makeFaults('shard 7', 'exit', 9) }, async (pool) => {
    const message = await rejection(pool.call(call, { label: 'shard 7' }));
    assert.match(message, /^shard 7: 3 worker threads have crashed, the last one with: .*code.* 9/);
  });
});

starts('threads do not load modules by require(), in which it is deadly to be ended', async () => {
  const module = fileURLToPath(new URL('../../../selfplay/version.js', import.meta.url));
  const program = `
    const { parentPort } = require('node:worker_threads');
    try { require(${JSON.stringify(module)}); parentPort.postMessage('required'); }
    catch (error) { parentPort.postMessage(error.code); }`;
  const answer = (execArgv: string[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      new Worker(program, { eval: true, execArgv }).once('message', resolve).once('error', reject);
    });
  assert.is(await answer(threadArguments), 'ERR_REQUIRE_ESM');
});

starts('close() rejects what is not done', async () => {
  const pool = makePool({ workers: 2 });
  const endless = { horizon: 2, count: Number.POSITIVE_INFINITY, seed: 1, signal: new AbortController().signal };
  let job = Promise.resolve('');
  await new Promise<void>((hasPlayed) => {
    const onProgress = (count: number): void => {
      if (count > 0) hasPlayed();
    };
    job = rejection(pool.rollouts(start, { ...endless, onProgress }));
  });
  await pool.close();
  assert.is(await job, 'the pool was closed');
  assert.is(await rejection(pool.playouts(playoutOptions)), 'the pool was closed');
  // Twice is no harm, nor before the workers have started.
  await pool.close();
  await makePool({ workers: 1 }).close();
});

starts('a process that has closed its pool ends by itself, whatever crashed in it', () => {
  const address = (path: string): string => new URL(path, import.meta.url).href;
  const program = `
    import { makePool } from '${address('../../../selfplay/crew/pool.js')}';
    import { makeFaults } from '${address('../../../selfplay/crew/faults.js')}';
    import { DATC_3_2, newGame, standard } from '${address('../../../engine/internal.js')}';
    const pool = makePool({ workers: 2, faults: makeFaults('4', 'exit', 2) });
    const { count } = await pool.rollouts(newGame(standard, DATC_3_2), { horizon: 2, count: 10_000, seed: 1 });
    await pool.close();
    process.on('exit', () => console.log(count, process.getActiveResourcesInfo().filter((x) => !/TTY|Pipe/.test(x))));
  `;
  const args = ['--input-type=module', '-e', program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 });
  assert.equal([status, stdout, stderr], [0, '10000 []\n', '']);
});
starts.run();

// ---- runs ----

const runs = suite('runs of a pool');

const kinds: readonly (readonly [map: string, rules: string, until: number, games: number, sampler: Sampler])[] = [
  ['standard', 'datc-3.2', 1910, 150, UNIFORM],
  ['standard', 'datc-3.2', 1960, 12, UNIFORM],
  ['standard', 'datc-3.2', 1930, 60, POLICY],
  ['standard', '1971', 1904, 60, UNIFORM],
  ['ancmed', 'datc-3.2', 6, 40, UNIFORM],
  ['ancmed', 'datc-3.2', 20, 40, POLICY],
];
for (const [mapName, rulesName, until, count, sampler] of kinds)
  runs(
    `${samplers[sampler]}, ${mapName}, ${rulesName}, to ${until}: games of a shard are those of a batch, and verify`,
    async () => {
      const map = loadMap(mapName);
      const rules = rulesByName(rulesName);
      const first = 5 * count;
      const agents = map.powerNames.map(() => (sampler === POLICY ? 'policy' : 'random'));
      const run = { map: mapName, rules: rulesName, agents, games: 6 * count, shardGames: count, seed: 7, until };
      const [counters, own] = [makeCounters(), makeCounters()];
      const shard = await playShard({ spec: run, shard: 5, path: 'none', counters, own });
      const steps = Number(counters[STEPS_PLAYED]);
      const records = decodeShard(shard.bytes);
      assert.equal(
        records.map(({ index }) => index),
        Array.from({ length: count }, (_, i) => first + i),
      );
      assert.equal(
        records.map((record) => verifyGame(map, rules, record)),
        new Array(count).fill(null),
      );
      // Byte for byte what the general way makes of the same games.
      assert.ok(Buffer.from(encodeShard(records)).equals(shard.bytes));
      const phases = new Set(records.flatMap((record) => record.phases.map(({ phase }) => phase.slice(-1))));
      assert.ok('MRA'.split('').every((kind) => phases.has(kind)));
      const summary = summaryOf(shard.table);
      assert.equal(summary, summarize(map, rules, records));
      assert.is(summary.phaseSteps, steps);
      const batch = new Batch(map, rules, count, { until });
      batch.reset(Int32Array.from({ length: count }, (_, i) => gameSeed(7, first + i)));
      assert.is(batch.playout(sampler), steps);
      for (const [i, record] of records.entries()) {
        const state = record.phases[record.phases.length - 1].state ?? new Uint8Array(0);
        const { bytes, offset } = batch.game(i);
        assert.ok(state.length > 0);
        assert.equal([...state], [...bytes.subarray(offset, offset + state.length)]);
      }
    },
  );

runs('a crashed worker does not end a run; nothing is lost or counted twice', async () => {
  const place = makePlaces('pool');
  const play = async (faults?: Faults) => {
    const counters = makeCounters();
    const out = place();
    const { summary } = await withPool({ workers: 2, ...(faults && { faults }) }, (pool) =>
      playRun(runOf('policy', 300, { seed: 4 }), out, { pool, counters }),
    );
    return { summary, steps: Number(counters[STEPS_PLAYED]), files: contentsOf(out) };
  };
  const calm = await play();
  assert.equal([Object.keys(calm.files).length, calm.steps], [5, 1200]);
  const faults = makeFaults('shard 1', 'exit', 2);
  assert.equal(await play(faults), calm);
  assert.ok(Atomics.load(faults.crashes, 0) <= 0);
});

runs.run();
