// Runs that were killed or damaged: the next start makes them whole, and loses nothing.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../engine/internal.js';
import { makePool } from '../../../selfplay/crew/pool.js';
import { MANIFEST } from '../../../selfplay/records/manifest.js';
import type { RunSpec } from '../../../selfplay/records/run-spec.js';
import { partOf, WholeFile } from '../../../selfplay/records/whole-file.js';
import { contentsOf, entry, makeFolder, makePlaces } from '../../tools/command.js';
import { rejection } from '../../tools/errors.js';
import { playRun, runOf, withPool } from '../../tools/runs.js';

const place = makePlaces('broken');

const pool = makePool({ workers: 2 });
const runs = suite('broken runs');
runs.after(() => pool.close());

const start = async (run: RunSpec, directory: string) => {
  const damaged: string[] = [];
  const rewritten: string[] = [];
  const { kept, summary } = await playRun(run, directory, {
    pool,
    onDamage: (_, what) => damaged.push(what),
    onRewrite: (_, what) => rewritten.push(what),
  });
  return { kept, games: summary.games, damaged, rewritten };
};

const specs = { random: runOf('random', 600, { until: 1901 }), greedy: runOf('greedy', 3, { until: 1901 }) };
const whole = { random: place(), greedy: place() };
const names = ['random', 'greedy'] as const;
for (const name of names) await start(specs[name], whole[name]);
const [spec, directory] = [specs.random, whole.random];
const SHARD = 'games-00001.lep';
const TABLE = 'games-00001.table';

const copy = (from = directory): string => {
  const to = place();
  cpSync(from, to, { recursive: true });
  return to;
};
/** Changes the bytes of a file. */
const edit = (path: string, change: (bytes: Buffer) => Uint8Array): void =>
  writeFileSync(path, change(readFileSync(path)));

runs('what is missing is played before what is there is read', async () => {
  const there = copy();
  rmSync(join(there, 'games-00002.lep'));
  const seen: boolean[] = [];
  const onKept = (): number => seen.push(existsSync(join(there, 'games-00002.lep')));
  await withPool({ workers: 1 }, (single) => playRun(spec, there, { pool: single, workers: 1, onKept }));
  assert.equal(seen, [true, true]);
  assert.equal(contentsOf(there), contentsOf(directory));
});

for (const [name, flips] of [
  ['random', 40],
  ['greedy', 60],
] as const)
  runs(`a shard of ${name} without a table is no better for having none`, async () => {
    const there = copy(whole[name]);
    const [shard] = readdirSync(there).filter((file) => file.endsWith('.lep'));
    const bytes = readFileSync(join(there, shard));
    const random = new Random(8);
    let damaged = 0;
    for (let i = 0; i < flips; i++) {
      const flipped = Buffer.from(bytes);
      flipped[random.below(bytes.length)] ^= 1 << random.below(8);
      writeFileSync(join(there, shard), flipped);
      rmSync(join(there, shard.replace('.lep', '.table')));
      damaged += (await start(specs[name], there)).damaged.length;
      assert.equal(contentsOf(there), contentsOf(whole[name]), `flip ${i}`);
    }
    assert.is(damaged, flips);
  });

runs('a whole shard without a table, or with a damaged one, is kept', async () => {
  const damages: readonly ((table: Buffer) => Uint8Array)[] = [
    ...['', 'LEPT', 'x'.repeat(5000)].map((text) => () => Buffer.from(text)),
    (table) => table.subarray(0, -4),
    (table) => table.with(100, table[100] ^ 1),
  ];
  for (const name of names)
    for (const [i, damage] of [null, ...damages].entries()) {
      const there = copy(whole[name]);
      const path = join(there, 'games-00000.table');
      if (damage === null) rmSync(path);
      else edit(path, damage);
      const { kept, games, damaged } = await start(specs[name], there);
      assert.equal([kept, damaged], [games, []], `${name}, damage ${i}`);
      assert.equal(contentsOf(there), contentsOf(whole[name]));
    }
});

runs('games of another place, changed ones, and files that are too long, are played again', async () => {
  const lend = (there: string, ending: string): void =>
    cpSync(join(there, `games-00000.${ending}`), join(there, `games-00001.${ending}`));
  for (const change of [
    (there) => lend(there, 'lep'),
    (there) => {
      for (const ending of ['lep', 'table']) lend(there, ending);
    },
    (there) => edit(join(there, SHARD), (bytes) => Buffer.concat([bytes, Buffer.alloc(64)])),
    (there) => edit(join(there, TABLE), (bytes) => bytes.subarray(0, -1)),
    (there) => writeFileSync(join(there, SHARD), ''),
    // The last byte of a score: the shard can still be read, and only the sum tells.
    (there) => edit(join(there, SHARD), (bytes) => bytes.with(-1, (bytes.at(-1) ?? 0) ^ 1)),
  ] as ((there: string) => void)[]) {
    const there = copy();
    change(there);
    await start(spec, there);
    assert.equal(contentsOf(there), contentsOf(directory));
  }
});

// ---- manifests ----

const manifest = JSON.parse(readFileSync(join(directory, MANIFEST), 'utf8')) as object;

runs('a manifest that is damaged or missing is written anew by the command of the run', async () => {
  for (const text of [null, '', '{"format": "lepanto', JSON.stringify({ ...manifest, seed: 'x' }), '[]']) {
    const there = copy();
    if (text === null) rmSync(join(there, MANIFEST));
    else writeFileSync(join(there, MANIFEST), text);
    const { kept, rewritten } = await start(spec, there);
    assert.equal([kept, rewritten.length], [600, 1]);
    assert.match(rewritten[0], join(there, MANIFEST));
    assert.equal(contentsOf(there), contentsOf(directory));
  }
});

runs('a damaged manifest is refused by any other command, and where no shard shows whose it is', async () => {
  const ofOthers = /, wanted "lepanto-games".*, and games-00000\.lep holds no games of this command$/;
  for (const [other, shards, message] of [
    [{ seed: 6 }, true, ofOthers],
    [{ until: 1902 }, true, ofOthers],
    [{ agents: new Array(7).fill('policy') }, true, ofOthers],
    [{ map: 'chaos', agents: new Array(34).fill('random') }, true, ofOthers],
    [{}, false, / once a shard shows whose it is$/],
  ] as [Partial<RunSpec>, boolean, RegExp][]) {
    const there = copy();
    writeFileSync(join(there, MANIFEST), '{"mine": 1}');
    if (!shards) for (const name of readdirSync(there)) if (name !== MANIFEST) rmSync(join(there, name));
    const before = contentsOf(there);
    const refusal = await rejection(start({ ...spec, ...other }, there));
    assert.match(refusal, 'manifest.json, format: got nothing, ');
    assert.match(refusal, message);
    assert.equal(contentsOf(there), before);
  }
});

// ---- several processes ----

const play = (out: string): ChildProcess => {
  const options = ['--games', '600', '--until', '1901', '--seed', '5', '--workers', '1', '--quiet'];
  return spawn(process.execPath, [entry, 'selfplay', ...options, '--out', out], { stdio: 'ignore' });
};

const asOwner = (host: string, pid: number): string => `${SHARD}.${host.replace(/[^\w.-]/g, '_')}-${pid}-1.part`;

runs('temporary files of processes that were killed are removed, those of others stay', async () => {
  const there = copy();
  const ended = play(place());
  ended.kill('SIGKILL');
  await once(ended, 'close');
  const dead = [asOwner(hostname(), ended.pid ?? 0), `${SHARD}.part`, `${MANIFEST}.part`];
  const alive = [asOwner(hostname(), process.pid), asOwner('elsewhere', 1), 'notes.part'];
  for (const name of [...dead, ...alive]) writeFileSync(join(there, name), 'half of it');
  mkdirSync(join(there, 'games-00002.lep.part'));
  symlinkSync(join(there, 'notes.part'), join(there, 'games-00003.lep.part'));
  await start(spec, there);
  const wanted = [...readdirSync(directory), ...alive, 'games-00002.lep.part'];
  assert.equal(readdirSync(there).sort(), wanted.sort());
  assert.is(readFileSync(join(there, 'notes.part'), 'utf8'), 'half of it');
});

runs('temporary files of a process that ends only after the next start has begun are removed too', async () => {
  const there = copy();
  const ending = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const part = join(there, asOwner(hostname(), ending.pid ?? 0));
  writeFileSync(part, 'half of it');
  const elsewhere = async (): Promise<void> => {
    assert.ok(existsSync(part));
    ending.kill('SIGKILL');
    await once(ending, 'close');
  };
  await playRun(spec, there, { pool, elsewhere });
  assert.not(existsSync(part));
  assert.equal(readdirSync(there).sort(), readdirSync(directory).sort());
});

runs('a temporary file is never written through a link, nor into a directory', () => {
  const temporary = makeFolder('links');
  const path = join(temporary, 'x.json');
  writeFileSync(join(temporary, 'precious'), 'years of work');
  symlinkSync(join(temporary, 'precious'), partOf(path));
  const file = new WholeFile(path);
  file.write('new');
  file.finish();
  assert.is(readFileSync(path, 'utf8'), 'new');
  assert.ok(lstatSync(path).isFile());
  assert.is(readFileSync(join(temporary, 'precious'), 'utf8'), 'years of work');
  mkdirSync(partOf(path));
  assert.throws(
    () => new WholeFile(path),
    /^cannot write .*x\.json: x\.json\..*\.part, its temporary file, is a directory$/,
  );
});
runs.run();
