// Tests `lepanto tune` from the command line: what is printed, drawn, kept and refused.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callLepanto, type Ended, makeFolder } from '../../tools/command.js';

const scratch = makeFolder('tune-command');

process.chdir(scratch);
const tune = (...args: readonly string[]): Promise<Ended> =>
  callLepanto(['tune', ...args, '--until', '1901', '--workers', '1', '--quiet']);

const command = suite('lepanto tune');

const reply = [
  'reply:plans=1',
  '--options',
  'free=0..3,near=0..2',
  '--against',
  'random',
  '--games',
  '7',
  '--steps',
  '2',
];

command('the curve, the answer and a gate; the same command plays nothing twice', async () => {
  const first = await tune(...reply, '--gate', '2', '--out', 'games.json', '--svg', 'curve.svg');
  assert.ok(first.code === 0 || first.code === 1, first.err);
  assert.match(first.out, /^28 games, 2 steps, to the end of 1901, seed 1, /);
  assert.match(first.out, /^step +gain +free +near\nstart +1 +0\.8\n1 +-?0\.\d{3} \+- 0\.\d{3} /m);
  assert.match(first.out, /\n\nreply:plans=1:free=[\d.]+:near=[\d.]+\n\n(passed|did not pass): /);
  assert.match(readFileSync(join(scratch, 'curve.svg'), 'utf8'), /free 0\.\.3[\s\S]*near 0\.\.2/);
  const kept = readFileSync(join(scratch, 'games.json'), 'utf8');
  const again = await tune(...reply, '--gate', '2', '--out', 'games.json', '--json');
  assert.is(readFileSync(join(scratch, 'games.json'), 'utf8'), kept);
  const { steps, values, agent, games, gate } = JSON.parse(again.out);
  assert.equal([steps.length, values.length, games, gate.gate.agent], [2, 2, 28, agent]);
  assert.is(again.code, gate.passed ? 0 : 1);
});

command('what is no range of an option of the agent is refused before anything is played', async () => {
  const refused = async (args: readonly string[], why: string): Promise<void> => {
    const { code, err } = await tune(...args, '--out', 'none.json');
    assert.is(code, 2);
    assert.match(err, why);
    assert.not.ok(existsSync(join(scratch, 'none.json')));
  };
  await refused([], 'got 0 agents, wanted one');
  await refused(['reply'], '--options: got nothing, wanted NAME=LEAST..MOST');
  await refused(['nobody', '--options', 'x=0..1'], 'AGENT: got "nobody", wanted one of');
  await refused(['reply', '--options', 'free=3..0'], '--options: got "free=3..0", wanted NAME=LEAST..MOST');
  await refused(['reply', '--options', 'free=0..1,free=0..2'], '--options: got free twice, wanted it once');
  await refused(['reply', '--options', 'free=0..9'], 'agent reply, option free: got "9", wanted a number from 0 to 4');
  await refused(
    ['reply', '--options', 'near=2..3'],
    '--options: near: got 2..3 where reply:plans=16 has 0.8, wanted a range around it',
  );
  await refused(['greedy', '--options', 'x=0..1'], '--options: x: got 0..1 where greedy has no such option');
  await refused([...reply, '--gate', '1'], '--gate: got 1, wanted 0, or at least 2');
  await refused([...reply, '--games', '1'], '--games: got "1", wanted a whole number from 2');
});

command.run();
