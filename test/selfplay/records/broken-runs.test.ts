// Runs that were killed, damaged, or played by two processes at once: the next start makes them whole, and loses nothing.

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
import { runSelfplay } from '../../../selfplay/records/run.js';
import type { RunSpec } from '../../../selfplay/records/run-spec.js';
import { partOf, WholeFile } from '../../../selfplay/records/whole-file.js';
import { contentsOf, entry, makeFolder, makePlaces } from '../../tools/command.js';

const place = makePlaces('broken');

const pool = makePool({ workers: 2 });
const runs = suite('broken runs');
runs.after(async () => {
  await pool.close();
});

const specOf = (agent: string, games: number): RunSpec => ({
  map: 'standard',
  rules: 'datc-3.2',
  agents: new Array(7).fill(agent),
  games,
  until: 1901,
  seed: 5,
});

interface Ended {
  readonly kept: number;
  readonly games: number;
  readonly damaged: string[];
  readonly rewritten: string[];
}

const start = async (spec: RunSpec, directory: string): Promise<Ended> => {
  const damaged: string[] = [];
  const rewritten: string[] = [];
  const { kept, summary } = await runSelfplay({
    spec,
    directory,
    pool,
    commit: null,
    onDamage: (_, what) => damaged.push(what),
    onRewrite: (_, what) => rewritten.push(what),
  });
  return { kept, games: summary.games, damaged, rewritten };
};

const specs: Readonly<Record<string, RunSpec>> = { random: specOf('random', 600), greedy: specOf('greedy', 3) };
const whole: Record<string, string> = {};
for (const [name, spec] of Object.entries(specs)) {
  whole[name] = place();
  await start(spec, whole[name]);
}
const [spec, directory] = [specs.random, whole.random];
const SHARD = 'games-00001.lep';
const TABLE = 'games-00001.table';

const copy = (from = directory): string => {
  const to = place();
  cpSync(from, to, { recursive: true });
  return to;
};

runs('what is missing is played before what is there is read', async () => {
  const there = copy();
  rmSync(join(there, 'games-00002.lep'));
  const single = makePool({ workers: 1 });
  const seen: boolean[] = [];
  const onKept = (): number => seen.push(existsSync(join(there, 'games-00002.lep')));
  await runSelfplay({ spec, directory: there, pool: single, workers: 1, commit: null, onKept });
  await single.close();
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
  for (const [name, run] of Object.entries(whole))
    for (const table of [null, '', 'LEPT', 'x'.repeat(5000), 'cut', 'flipped']) {
      const there = copy(run);
      const path = join(there, 'games-00000.table');
      const bytes = readFileSync(path);
      if (table === null) rmSync(path);
      else if (table === 'cut') writeFileSync(path, bytes.subarray(0, -4));
      else if (table === 'flipped')
        writeFileSync(
          path,
          bytes.map((byte, i) => (i === 100 ? byte ^ 1 : byte)),
        );
      else writeFileSync(path, table);
      const { kept, games, damaged } = await start(specs[name], there);
      assert.equal([kept, damaged], [games, []], `${name}, ${table}`);
      assert.equal(contentsOf(there), contentsOf(run));
    }
});

runs('games of another place, changed ones, and files that are too long, are played again', async () => {
  const changes: readonly ((there: string) => void)[] = [
    (there) => cpSync(join(there, 'games-00000.lep'), join(there, SHARD)),
    (there) => {
      for (const ending of ['lep', 'table'])
        cpSync(join(there, `games-00000.${ending}`), join(there, `games-00001.${ending}`));
    },
    (there) => writeFileSync(join(there, SHARD), Buffer.concat([readFileSync(join(there, SHARD)), Buffer.alloc(64)])),
    (there) => writeFileSync(join(there, TABLE), readFileSync(join(there, TABLE)).subarray(0, -1)),
    (there) => writeFileSync(join(there, SHARD), ''),
    // The last byte of a score: the shard can still be read, and only the sum tells.
    (there) => {
      const bytes = readFileSync(join(there, SHARD));
      bytes[bytes.length - 1] ^= 1;
      writeFileSync(join(there, SHARD), bytes);
    },
  ];
  for (const change of changes) {
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

runs('by no other command, and not where no shard shows whose it is', async () => {
  const refused = async (other: Partial<RunSpec>, edit: (there: string) => void, message: RegExp): Promise<void> => {
    const there = copy();
    writeFileSync(join(there, MANIFEST), '{"mine": 1}');
    edit(there);
    const before = contentsOf(there);
    const error: unknown = await start({ ...spec, ...other }, there).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.match((error as Error).message, message);
    assert.equal(contentsOf(there), before);
  };
  for (const other of [
    { seed: 6 },
    { until: 1902 },
    { agents: new Array(7).fill('policy') },
    { map: 'chaos', agents: new Array(34).fill('random') },
  ])
    await refused(
      other,
      () => {},
      /manifest\.json, format: got nothing, wanted "lepanto-games".*, and games-00000\.lep holds no games of this command$/,
    );
  const withoutShards = (there: string): void => {
    for (const name of readdirSync(there)) if (name !== MANIFEST) rmSync(join(there, name));
  };
  await refused({}, withoutShards, /manifest\.json, format: got nothing, .* once a shard shows whose it is$/);
});

// ---- several processes ----

const play = (out: string): ChildProcess => {
  const options = ['--games', '600', '--until', '1901', '--seed', '5', '--workers', '1', '--quiet'];
  return spawn(process.execPath, [entry, 'selfplay', ...options, '--out', out], { stdio: 'ignore' });
};

runs('processes that play one run in one directory do not disturb each other', async () => {
  for (let round = 0; round < 3; round++) {
    const there = place();
    const codes = await Promise.all(Array.from({ length: 4 }, async () => (await once(play(there), 'close'))[0]));
    assert.equal(codes, [0, 0, 0, 0]);
    const { [MANIFEST]: mine, ...files } = contentsOf(there);
    const { [MANIFEST]: wanted, ...expected } = contentsOf(directory);
    assert.equal([typeof mine, typeof wanted], ['string', 'string']);
    assert.equal(files, expected);
  }
});

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

runs('those of a process that is gone only when the next start is under way are removed too', async () => {
  const there = copy();
  const ending = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const part = join(there, asOwner(hostname(), ending.pid ?? 0));
  writeFileSync(part, 'half of it');
  const elsewhere = async (): Promise<void> => {
    assert.ok(existsSync(part));
    ending.kill('SIGKILL');
    await once(ending, 'close');
  };
  await runSelfplay({ spec, directory: there, commit: null, pool, elsewhere });
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
