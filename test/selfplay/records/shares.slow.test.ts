// Tests that runs which are killed, shared among machines, copied together or damaged end with the same records as an
// undisturbed run.

import { spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../engine/internal.js';
import { MANIFEST } from '../../../selfplay/records/manifest.js';
import { gamesFor, makeCounters, runSelfplay, type Share } from '../../../selfplay/records/run.js';
import type { RunSpec } from '../../../selfplay/records/run-spec.js';
import { callLepanto, entry as command, contentsOf, makePlaces } from '../../tools/command.js';

const makeTemporary = makePlaces('shares');

const spec: RunSpec = {
  map: 'standard',
  rules: 'datc-3.2',
  agents: new Array(7).fill('policy'),
  games: 1000,
  until: 1902,
  seed: 5,
};

const run = (directory: string, share: Share = { index: 0, count: 1 }) =>
  runSelfplay({ spec, directory, commit: null, workers: 2, share, counters: makeCounters() });

const shares = suite('shares of a run');
const whole = makeTemporary();

shares('shares of three machines, copied together, are the run', async () => {
  await run(whole);
  const together = makeTemporary();
  let games = 0;
  for (let index = 0; index < 3; index++) {
    const part = makeTemporary();
    const { summary } = await run(part, { index, count: 3 });
    assert.is(summary.games, gamesFor(spec, { index, count: 3 }));
    games += summary.games;
    cpSync(part, together, { recursive: true });
  }
  assert.is(games, 1000);
  assert.equal(contentsOf(together, MANIFEST), contentsOf(whole, MANIFEST));
  const again = await run(together);
  assert.is(again.kept, 1000);
  assert.is(again.bytes, 0);
});

const argumentsFor = (directory: string): string[] =>
  `${command} selfplay --quiet --agents policy --games 1000 --until 1902 --seed 5 --workers 2 --out ${directory}`.split(
    ' ',
  );

/** Starts the command, with more arguments or variables. @returns exit code (-1: killed) and what it said */
const start = (
  args: readonly string[],
  milliseconds = 0,
  env: Record<string, string> = {},
): Promise<[number, string]> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    child.stderr.on('data', (data) => {
      said += data;
    });
    child.on('close', (code) => resolve([code ?? -1, said]));
    if (milliseconds > 0) void setTimeout(milliseconds).then(() => child.kill('SIGKILL'));
  });

shares('a run that is killed at random moments ends with the same records', async () => {
  const directory = makeTemporary();
  const random = new Random(8);
  for (let i = 0; i < 4; i++) await start(argumentsFor(directory), 100 + random.below(900));
  const [code, said] = await start(argumentsFor(directory));
  assert.is(code, 0, said);
  assert.equal(contentsOf(directory, MANIFEST), contentsOf(whole, MANIFEST));
});

shares('the part of an array job comes from the environment', async () => {
  const slurm = makeTemporary();
  const ofSlurm = {
    SLURM_ARRAY_TASK_ID: '12',
    SLURM_ARRAY_TASK_MIN: '10',
    SLURM_ARRAY_TASK_STEP: '2',
    SLURM_ARRAY_TASK_COUNT: '4',
  };
  assert.is((await start([...argumentsFor(slurm), '--shard', 'auto'], 0, ofSlurm))[0], 0);
  assert.ok(existsSync(join(slurm, 'games-00001.lep')));
  const pods = makeTemporary();
  assert.is((await start([...argumentsFor(pods), '--shard', 'auto/4'], 0, { JOB_COMPLETION_INDEX: '3' }))[0], 0);
  assert.equal(
    readdirSync(pods).filter((name) => name.endsWith('.lep')),
    ['games-00003.lep'],
  );
});

shares('wrong values of --shard and --resume are refused', async () => {
  const wrong = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await callLepanto([...argumentsFor(makeTemporary()).slice(1), ...args]);
    assert.is(code, 2, err);
    return out + err;
  };
  assert.match(await wrong('--shard', '3'), /--shard: got "3", wanted I\/N/);
  assert.match(await wrong('--shard', '5/4'), /which is part 5 of 4/);
  assert.match(await wrong('--shard', '9/9'), /none of the 1000 games/);
  assert.match(await wrong('--shard', 'auto/4'), /JOB_COMPLETION_INDEX=""/);
  assert.match(await wrong('--resume'), /--resume: got .* holds no run/);
});

shares.run();
