// Plays a game with bots from PyPI that check every message of the server against the syntax document.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeFolder } from '../../tools/command.js';
import { serve } from '../../tools/daide-table.js';
import { lastLines, runProgram, skipAll, tryTo } from '../../tools/python-kit.js';

const sessions = suite('daide bots');

const directory = makeFolder('daide');

/** Pythons of version 2.7, which these bots need. */
const pythons = ['python2.7', join(homedir(), '.pyenv', 'versions', '2.7.18', 'bin', 'python2.7')];

/** Installs the bots. Returns the Python that runs them. @throws Error that says why they are not there */
const install = (): string => {
  const python = pythons.find((one) => runProgram(one, ['--version']).status === 0);
  if (python === undefined) throw new Error('no Python 2.7');
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', join(directory, 'bots')];
  const done = runProgram(python, [...pip, 'Parlance==1.4.1', 'Parang==1.4.1', 'Parterre==1.4.1']);
  if (!existsSync(join(directory, 'bots', 'parang'))) throw new Error(`no way to Parlance 1.4.1: ${lastLines(done)}`);
  return python;
};
const [python, missing] = tryTo(install);

const play = async (python: string): Promise<void> => {
  // Every message of the server is checked against the syntax document; what it does not allow is said.
  writeFileSync(join(directory, 'parlance.cfg'), '[clients]\nvalidate = yes\nresponse = warn\n');
  const { server, port, ended } = await serve({ until: 1902, inOrder: false, limits: [60, 60, 60] });
  const bots = ['dumbbot', 'teddybot', 'dumbbot', 'peacebot', 'teddybot', 'parlance-holdbot', 'peacebot'];
  let said = '';
  const children = bots.map((bot) =>
    spawn(python, [join(directory, 'bots', 'bin', bot), `127.0.0.1:${port}`, '1'], {
      cwd: directory,
      env: { ...process.env, PYTHONPATH: join(directory, 'bots') },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  for (const { stdout, stderr } of children)
    for (const stream of [stdout, stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
  const timer = setTimeout(() => void server.close(), 240_000);
  try {
    await server.done;
    assert.not.match(said, /Invalid server command/);
    assert.equal(
      ended.map(({ state, game }) => [state, game.game.year]),
      [['over', 1903]],
      said,
    );
  } finally {
    clearTimeout(timer);
    await server.close();
    for (const child of children) child.kill();
  }
};

if (python === null) skipAll(sessions, 'the bots of others did not play', missing);
else sessions('bots from PyPI play a game, and find no message wrong', () => play(python));

sessions.run();
