// The threads of a batch: the same games for any number of them, after crashes and replacements.
import { createHash } from 'node:crypto';
import { closeSync, ftruncateSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Core, type Work } from '../../../bindings/python/server/core.js';
import { Memory } from '../../../bindings/python/server/memory.js';
import { ServerThreads } from '../../../bindings/python/server/server-threads.js';
import { Random } from '../../../engine/internal.js';
import { POLICY, UNIFORM } from '../../../engine/play/step.js';
import { type Faults, makeFaults } from '../../../selfplay/crew/faults.js';
import { prepareBatch, writeSeeds } from '../../tools/batch-kit.js';
import { makeFolder } from '../../tools/command.js';
import { rejection } from '../../tools/errors.js';

const GAMES = 90;
const CHILDREN = 20;
const directory = makeFolder('threads');
const at = (name: string): string => join(directory, name);

interface BatchOptions {
  readonly workers: number;
  readonly changes?: object;
  /** The first thread plays too. */
  readonly plays?: boolean;
  readonly isMapped?: boolean;
  readonly faults?: Faults;
}

const openBatch = async (options: BatchOptions) => {
  const { workers, changes = {}, plays = false, isMapped = false, faults } = options;
  const fd = openSync(at('memory'), 'w+');
  const usual = { games: GAMES, children: CHILDREN, until: 1904, actions: 'index', parent: process.pid };
  const { config, setup, memory, shared, agents } = prepareBatch({ ...usual, workers, fd, ...changes }, (layout) => {
    ftruncateSync(fd, layout.size);
    return new Memory(layout, fd, isMapped ? undefined : new SharedArrayBuffer(layout.size));
  });
  const core = new Core(config, setup, memory, shared);
  const threads = new ServerThreads({ config, memory, shared, core, ...(faults === undefined ? {} : { faults }) });
  if (!plays) await threads.crew.standBack();
  const close = async (): Promise<void> => {
    await threads.crew.close();
    closeSync(fd);
  };
  try {
    for (const i of agents.list().keys()) await threads.runTasks('load', 1, i + 1);
  } catch (error) {
    await close();
    throw error;
  }
  return { config, setup, memory, threads, fd, close };
};
type OpenBatch = Awaited<ReturnType<typeof openBatch>>;

/** Hash of everything that the client finds in the file, but for what it has written itself. */
const digest = ({ setup, fd, memory }: OpenBatch): string => {
  const hash = createHash('sha1');
  const read = (begin: number, size: number): void => {
    const bytes = Buffer.alloc(size);
    assert.is(readSync(fd, bytes, 0, size, begin), size);
    hash.update(bytes);
  };
  for (const { name, offset, rowBytes, shape } of setup.layout.sections)
    if (!['mask', 'seeds', 'actions', 'legal_ids'].includes(name)) read(offset, rowBytes * shape[0]);
  // Of the lists what is listed: behind it are the ends of longer ones.
  const lists = memory.section('legal_ids').offset;
  const ends = memory.section('legal_offsets');
  const perRow = ends.rowBytes / 4;
  const offsets = memory.int32('legal_offsets');
  for (let row = 0; row < GAMES; row++) {
    const first = offsets[row * perRow];
    read(lists + 4 * first, 4 * (offsets[(row + 1) * perRow - 1] - first));
  }
  return hash.digest('hex');
};

/** Writes legal actions to the slots of rows from `first` on, by the lists of `from`: the same ones each time. */
const chooseActions = ({ memory, setup }: OpenBatch, first: number, end: number, seed: number, from?: number): void => {
  const { maxOrders } = setup.layout;
  const perGame = setup.map.powerCount * maxOrders;
  const actions = memory.int32('actions');
  const offsets = memory.int32('legal_offsets');
  const orderable = memory.int16('orderable');
  for (let row = first; row < end; row++) {
    const random = new Random(seed, row, 0);
    for (let k = 0; k < perGame; k++) {
      const list = (from ?? row) * (perGame + 1) + k;
      const count = offsets[list + 1] - offsets[list];
      // Of adjustments none: two together may not be legal.
      const isUnit = orderable[(from ?? row) * perGame + k] >= 0;
      actions[row * perGame + k] = count > 0 && isUnit ? random.below(count) : -1;
    }
  }
  memory.push('actions', first, end);
};

/** Everything that a batch can be asked for, from the start; what the client has seen after each. */
const playAll = async (batch: OpenBatch, rounds = 2): Promise<string[]> => {
  const { memory, threads } = batch;
  const seen: string[] = [];
  const run = (what: Work, first: number, end: number, a = 0, b = 0): Promise<number> =>
    threads.run(what, first, end, a, b);
  const act = async (first: number, end: number): Promise<void> => {
    await run('decode', first, end);
    await run('apply', first, end);
  };
  for (const { name, shape } of batch.setup.layout.sections) {
    if (name === 'legal_ids') continue;
    memory.bytes(name).fill(0);
    memory.push(name, 0, shape[0]);
  }
  memory.bytes('mask').fill(1);
  writeSeeds(memory);
  memory.push('mask', 0, GAMES);
  memory.push('seeds', 0, GAMES);
  await run('reset', 0, GAMES);
  for (let k = 0; k < rounds; k++) {
    chooseActions(batch, 0, GAMES, k);
    await act(0, GAMES);
    seen.push(digest(batch));
    memory.int32('parents').fill(3, GAMES, GAMES + CHILDREN);
    memory.push('parents', GAMES, GAMES + CHILDREN);
    await run('copy', GAMES, GAMES + CHILDREN);
    chooseActions(batch, GAMES, GAMES + CHILDREN, k, 3);
    await act(GAMES, GAMES + CHILDREN);
    const played = await run('random', 0, GAMES, 1 + k, k % 2 === 0 ? UNIFORM : POLICY);
    await run('check', 0, GAMES);
    await run('describe', 0, GAMES);
    seen.push(`${played} ${digest(batch)}`);
  }
  return seen;
};

/** playAll() in a batch that is closed after it. */
const playOnce = async (options: BatchOptions): Promise<string[]> => {
  const batch = await openBatch(options);
  return playAll(batch).finally(batch.close);
};

const served = suite('threads of a batch');

const kinds: Readonly<Record<string, object>> = {
  'no observations': {},
  dipnet: { observations: 'dipnet', reset_mode: 'next_step' },
  deepmind: { observations: 'deepmind' },
  'long games': { rules: 'datc-3.2,longGameDraw=yes', reset_mode: 'disabled', until: 0 },
  'agents of the engine': { opponents: { FRANCE: 'random', italy: 'dumbbot' } },
};
const expected = new Map<string, string[]>();

for (const [name, changes] of Object.entries(kinds))
  served(`one thread, and three of which the first only waits, play the same: ${name}`, async () => {
    const alone = await playOnce({ workers: 1, changes, plays: true });
    expected.set(name, alone);
    assert.is(new Set(alone).size, alone.length);
    assert.equal(await playOnce({ workers: 3, changes, plays: false }), alone);
  });

served('two threads, of memory that is written and, where koffi is, mapped', async () => {
  const alone = expected.get('no observations');
  assert.equal(await playOnce({ workers: 2, plays: true }), alone);
  const mapped = await openBatch({ workers: 2, isMapped: true, plays: true });
  const seen = await playAll(mapped);
  await mapped.close();
  if (!mapped.memory.isMapped) assert.equal(seen, alone);
  assert.is(seen.length, alone?.length);
});

// Chunks have two games: GAMES / 64, rounded up. Those from 45 on are children. Only apply and random change their rows.
const places = ['apply 0', 'apply 31', 'random 44', 'apply 46', 'decode 7', 'copy 45'];
for (const [i, place] of places.entries())
  served(`a thread that ends in the middle of ${place} changes nothing`, async () => {
    const name = Object.keys(kinds)[i % 5];
    const faults = makeFaults(place, i === 3 ? 'memory' : 'exit', 2);
    const batch = await openBatch({ workers: 2, changes: kinds[name], faults });
    assert.equal(await playAll(batch), expected.get(name));
    assert.is(batch.threads.crew.crashed, 2);
    await batch.close();
  });

served('a chunk that crashes three threads is an error that names its games; the batch goes on', async () => {
  const batch = await openBatch({ workers: 2, faults: makeFaults('apply 4', 'exit', 3) });
  assert.is(
    await rejection(playAll(batch)),
    'apply of games 8 to 9: 3 worker threads have crashed, the last one with: worker exited with code: 9',
  );
  assert.is(batch.threads.crew.crashed, 3);
  assert.equal(await playAll(batch), expected.get('no observations'));
  await batch.close();
});

served('an exception is the error of the command, and costs the thread its seat', async () => {
  const batch = await openBatch({ workers: 2, faults: makeFaults('random 11', 'throw', 1) });
  assert.is(await rejection(playAll(batch)), 'a fault that a test has ordered');
  assert.is(batch.threads.crew.crashed, 0);
  assert.equal(await playAll(batch), expected.get('no observations'));
  await batch.close();
});

served('of several refusals the one of the lowest game is told', async () => {
  const batch = await openBatch({ workers: 3 });
  await playAll(batch, 1);
  chooseActions(batch, 0, GAMES, 1);
  const actions = batch.memory.int32('actions');
  const perGame = actions.length / (GAMES + CHILDREN);
  for (const game of [89, 57, 80]) actions[game * perGame] = 1 << 20;
  batch.memory.push('actions', 0, GAMES);
  assert.match(
    await rejection(batch.threads.run('decode', 0, GAMES)),
    /^game 57, AUSTRIA, .*: got action 1048576, wanted/,
  );
  await batch.close();
});

for (const plays of [true, false])
  served(`threads lent to calls of their pool come back; the first one ${plays ? 'plays' : 'waits'}`, async () => {
    const batch = await openBatch({ workers: 2, plays });
    const { crew } = batch.threads;
    await crew.ready('all');
    const module = new URL('../../../selfplay/version.js', import.meta.url).href;
    const call = { module, name: 'findCommit', data: null };
    const seen = await crew.lend(async (pool) => {
      const calls = Promise.all(Array.from({ length: 6 }, () => pool.call<string | null>(call)));
      const played = await playAll(batch);
      assert.is(new Set(await calls).size, 1);
      return played;
    });
    assert.equal(seen, expected.get('no observations'));
    await crew.ready('all');
    assert.equal(await playAll(batch), seen);
    await batch.close();
  });

// ---- modules of users ----

/** An agent that holds, but for what `trick` does with the game. */
const writeAgent = (name: string, trick: string): string => {
  const path = at(name);
  writeFileSync(
    path,
    `import { appendFileSync, existsSync, readFileSync } from 'node:fs';
    const count = (file) => (existsSync(file) ? readFileSync(file).length : 0);
    export default { name: '${name}', help: '', options: {}, make: () => ({
      name: '${name}', options: {},
      async answer([{ game, power, random }]) { const file = ${JSON.stringify(`${path}.count`)}; ${trick}; return [{ orders: [] }]; },
    }) };`,
  );
  return path;
};

/** What a batch against an agent ends with. */
const errorAgainst = (agent: string, more: object = {}): Promise<string> =>
  rejection(playOnce({ workers: 2, changes: { opponents: { FRANCE: agent }, ...more } }));

served('an agent that ends its thread is an error that names it', async () => {
  const exits = writeAgent('exits.mjs', 'if (game.year === 1901 && game.season === 1) process.exit(7)');
  assert.match(
    await errorAgainst(exits),
    /^agent .*exits.mjs for FRANCE in F1901M of game [\d.]+: ended its thread, with exit code 7$/,
  );
});

served('an agent that hangs is ended with its thread, and named; the batch goes on', async () => {
  const hangs = writeAgent(
    'hangs.mjs',
    'if (count(file) < 1 && game.year === 1901 && game.season === 1) { appendFileSync(file, "x"); for (;;); }',
  );
  const batch = await openBatch({ workers: 2, changes: { opponents: { FRANCE: hangs }, choice_ms: 1000 } });
  await batch.threads.crew.ready('one');
  assert.match(
    await rejection(playAll(batch)),
    /^agent .*hangs\.mjs for FRANCE in F1901M of game [\d.]+: got no answer in 1 s$/,
  );
  assert.is((await playAll(batch)).length, 4);
  await batch.close();
  const loading = at('loading.mjs');
  writeFileSync(loading, 'for (;;);');
  const message = await errorAgainst(loading, { choice_ms: 1000 });
  assert.is(message, `agent ${loading}, while it is loaded: got no answer in 1 s`);
});

served('a module that cannot be loaded is an error that names it', async () => {
  assert.match(await errorAgainst(at('nothing.mjs')), /^agent .*nothing.mjs: got no file/);
  const ends = at('ends.mjs');
  writeFileSync(ends, 'process.exit(0);');
  assert.is(await errorAgainst(ends), `agent ${ends}, while it is loaded: ended its thread, with exit code 0`);
});

served.run();
