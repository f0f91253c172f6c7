// Tests that `lepanto merge` puts the parts of a run together, and names what is missing, damaged or of another run.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MANIFEST } from '../../../selfplay/records/manifest.js';
import { callLepanto, contentsOf, type Ended, entry, makeFolder, makePlaces } from '../../tools/command.js';
import { forgeTable } from '../../tools/recorded.js';
import { playRun, runOf } from '../../tools/runs.js';

const makeTemporary = makePlaces('merge');

const play = async (index: number, count: number, seed = 5): Promise<string> => {
  const directory = makeTemporary();
  await playRun(runOf('policy', 1000, { seed }), directory, { share: { index, count } });
  return directory;
};
const copy = (from: string): string => {
  const to = makeTemporary();
  cpSync(from, to, { recursive: true });
  return to;
};

const merge = (...args: readonly string[]): Promise<Ended> => callLepanto(['merge', ...args, '--quiet']);

const merging = suite('merge');
const whole = await play(0, 1);
const parts = [await play(0, 3), await play(1, 3), await play(2, 3)];

merging('parts become the run, and once more changes nothing', async () => {
  const out = makeTemporary();
  for (const copied of [4, 0]) {
    const done = await merge(...parts, '--out', out);
    assert.is(done.code, 0, done.err);
    assert.is(done.out, `4 of 4 shards, ${copied} of them copied now, in ${out}\n`);
    assert.equal(contentsOf(out), contentsOf(whole));
  }
});

merging('what is missing is named, with the command that plays it', async () => {
  const out = join(makeTemporary(), 'all of it');
  cpSync(parts[1], out, { recursive: true });
  const done = await merge(out, parts[2], '--out', out);
  assert.is(done.code, 1);
  assert.match(done.out, /^2 of 4 shards, 1 of them copied now/);
  assert.match(done.out, /missing {7}games-00000\.lep, games-00003\.lep\n/);
  const [, args = ''] = /npx lepanto (selfplay .*)/.exec(done.out) ?? [];
  // As a shell reads it.
  execFileSync('sh', ['-c', `"${process.execPath}" "${entry}" ${args} --quiet`], { stdio: 'ignore' });
  assert.equal(contentsOf(out), contentsOf(whole));
  const again = await merge(parts[2], '--out', makeTemporary(), '--partial', '--json');
  assert.is(again.code, 0, again.err);
  assert.equal(JSON.parse(again.out).missing, [0, 1, 3]);
});

merging('a shard that is damaged, unfinished or different is left out', async () => {
  const broken = copy(whole);
  const change = (name: string): void => {
    const bytes = readFileSync(join(broken, name));
    bytes[bytes.length - 1] ^= 1;
    writeFileSync(join(broken, name), bytes);
  };
  change('games-00001.lep');
  rmSync(join(broken, 'games-00002.table'));
  writeFileSync(join(broken, 'games-00003.table'), 'nothing');
  const out = makeTemporary();
  const done = await merge(broken, '--out', out);
  assert.is(done.code, 1);
  assert.match(done.err, /games-00001\.lep is left out: got crc32/);
  assert.equal(readdirSync(out), ['games-00000.lep', 'games-00000.table', MANIFEST]);
  // The target's own damage is mended by a sound part.
  assert.is((await merge(whole, '--out', broken)).code, 0);
  assert.equal(contentsOf(broken), contentsOf(whole));
  const other = copy(whole);
  const table = readFileSync(join(other, 'games-00000.table'));
  change('games-00000.lep');
  const crc = crc32(readFileSync(join(broken, 'games-00000.lep')));
  writeFileSync(join(broken, 'games-00000.table'), forgeTable(table, crc));
  const { err } = await merge(broken, '--out', other);
  assert.match(err, /games-00000\.lep is left out: got crc32 \w+, wanted \w+ as in/);
  assert.equal(contentsOf(other), contentsOf(whole));
});

merging('a shard of another seed is left out', async () => {
  const mixed = copy(whole);
  const other = await play(0, 1, 6);
  for (const ending of ['lep', 'table'])
    cpSync(join(other, `games-00001.${ending}`), join(mixed, `games-00001.${ending}`));
  const done = await merge(mixed, '--out', makeTemporary());
  assert.is(done.code, 1);
  assert.match(done.err, /games-00001\.lep is left out: got seed -?\d+ of game 256, wanted -?\d+\n/);
  assert.match(done.out, /missing {7}games-00001\.lep\n/);
});

merging('parts of different runs, and directories of something else, are refused', async () => {
  const foreign = await play(0, 4, 6);
  const other = makeFolder('merge');
  writeFileSync(join(other, 'thesis.tex'), '');
  for (const [args, message] of [
    [[whole, foreign, '--out', makeTemporary()], /is no part of the run in .*: its seed is 6, wanted 5/],
    [[whole, '--out', foreign], /holds another run: its seed is 6, wanted 5/],
    [[whole, '--out', other], /got a directory with thesis\.tex but no manifest\.json/],
    [[other, '--out', makeTemporary()], /cannot read .*manifest\.json: there is no such file/],
    [['--out', makeTemporary()], /merge: got no directory/],
    [[whole], /--out: got nothing/],
  ] as [string[], RegExp][]) {
    const { code, err } = await merge(...args);
    assert.is.not(code, 0);
    assert.match(err, message);
  }
  assert.ok(existsSync(join(other, 'thesis.tex')));
});

merging.run();
