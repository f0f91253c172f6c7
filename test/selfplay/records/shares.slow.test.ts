// Tests that runs which are killed, shared among machines, copied together or damaged end with the same records as an
// undisturbed run.

import { cpSync, readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../engine/internal.js';
import { MANIFEST } from '../../../selfplay/records/manifest.js';
import { gamesFor } from '../../../selfplay/records/run.js';
import { callLepanto, contentsOf, makePlaces, runLepanto } from '../../tools/command.js';
import { start } from '../../tools/running.js';
import { playRun, runOf } from '../../tools/runs.js';

const makeTemporary = makePlaces('shares');
const spec = runOf('policy', 1000);

const shares = suite('shares of a run');
const whole = makeTemporary();

shares('shares of three machines, copied together, are the run', async () => {
  await playRun(spec, whole);
  const together = makeTemporary();
  let games = 0;
  for (let index = 0; index < 3; index++) {
    const part = makeTemporary();
    const share = { index, count: 3 };
    const { summary } = await playRun(spec, part, { share });
    assert.is(summary.games, gamesFor(spec, share));
    games += summary.games;
    cpSync(part, together, { recursive: true });
  }
  assert.is(games, 1000);
  assert.equal(contentsOf(together, MANIFEST), contentsOf(whole, MANIFEST));
  const { kept, bytes } = await playRun(spec, together);
  assert.equal([kept, bytes], [1000, 0]);
});

/** The same run as a command. */
const commandFor = (directory: string): string[] => [
  ...'selfplay --quiet --agents policy --games 1000 --until 1902 --seed 5 --workers 2 --out'.split(' '),
  directory,
];

shares('a run that is killed at random moments ends with the same records', async () => {
  const directory = makeTemporary();
  const random = new Random(8);
  for (let i = 0; i < 4; i++) {
    const { child, ended } = start(commandFor(directory));
    await setTimeout(100 + random.below(900));
    child.kill('SIGKILL');
    await ended;
  }
  const { code, err } = runLepanto(commandFor(directory));
  assert.is(code, 0, err);
  assert.equal(contentsOf(directory, MANIFEST), contentsOf(whole, MANIFEST));
});

shares('processes that play one run in one directory do not disturb each other', async () => {
  for (let round = 0; round < 3; round++) {
    const directory = makeTemporary();
    const codes = await Promise.all(Array.from({ length: 4 }, () => start(commandFor(directory)).ended));
    assert.equal(codes, [0, 0, 0, 0]);
    assert.equal(contentsOf(directory, MANIFEST), contentsOf(whole, MANIFEST));
    assert.ok(readdirSync(directory).includes(MANIFEST));
  }
});

shares('the part of an array job comes from the environment', () => {
  for (const [shard, variables, file] of [
    [
      'auto',
      {
        SLURM_ARRAY_TASK_ID: '12',
        SLURM_ARRAY_TASK_MIN: '10',
        SLURM_ARRAY_TASK_STEP: '2',
        SLURM_ARRAY_TASK_COUNT: '4',
      },
      'games-00001.lep',
    ],
    ['auto/4', { JOB_COMPLETION_INDEX: '3' }, 'games-00003.lep'],
  ] as const) {
    const directory = makeTemporary();
    const env = { ...process.env, ...variables };
    const { code, err } = runLepanto([...commandFor(directory), '--shard', shard], { env });
    assert.is(code, 0, err);
    assert.equal(
      readdirSync(directory).filter((name) => name.endsWith('.lep')),
      [file],
    );
  }
});

/** Values that are refused, and what is said of them. */
const wrong: readonly (readonly [options: string, message: RegExp])[] = [
  ['--shard 3', /--shard: got "3", wanted I\/N/],
  ['--shard 5/4', /which is part 5 of 4/],
  ['--shard 9/9', /none of the 1000 games/],
  ['--shard auto/4', /JOB_COMPLETION_INDEX=""/],
  ['--resume', /--resume: got .* holds no run/],
];
shares('wrong values of --shard and --resume are refused', async () => {
  for (const [options, message] of wrong) {
    const { code, err } = await callLepanto([...commandFor(makeTemporary()), ...options.split(' ')]);
    assert.is(code, 2, err);
    assert.match(err, message);
  }
});

shares.run();
