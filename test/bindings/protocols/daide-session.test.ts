// Plays recorded sessions of bots of others anew: the server answers as it did, word for word.
//
// test/data/daide-session.txt holds what seven clients that nobody here wrote have sent in a game to 1904. The bots
// themselves check every message of the server against the syntax document, where they are installed: the last test.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rulesByName } from '../../../engine/internal.js';
import { readSession, withoutPasscode } from '../../tools/daide-session.js';
import { serve } from '../../tools/daide-table.js';
import { DaideClient } from './daide-client.js';

const recorded = readSession(
  readFileSync(fileURLToPath(new URL('../../../../test/data/daide-session.txt', import.meta.url)), 'utf8'),
);
const SEATS = 7;
const sessions = suite('daide sessions');

sessions('seven recorded clients are told what they were told', async () => {
  const rules = rulesByName(
    'datc-3.2,convoyRoutes=all,paradox=dptg,adjacentConvoy=written,cutFromOrigin=yes,superfluousConvoy=legal',
  );
  const { server, port } = await serve({ until: 1904, limits: [600, 600, 600], rules });
  try {
    const clients: DaideClient[] = [];
    for (let seat = 0; seat < SEATS; seat++) {
      const client = await DaideClient.join(port);
      const sent = recorded.filter((line) => line.isSent && line.client === seat);
      const sendTurn = (turn: number): void =>
        client.send(...sent.filter((line) => line.turn === turn).map(({ text }) => text));
      let turn = 0;
      client.onMessage = (text) => {
        if (text.startsWith('NOW')) sendTurn(++turn);
      };
      const [name = { text: '' }, ...rest] = sent.filter((line) => line.turn === 0);
      client.send(name.text);
      await client.hear('MAP');
      clients.push(client);
      client.send(...rest.map(({ text }) => text));
    }
    await clients[0].hear('OFF', 600_000);
    const told = recorded.filter(({ isSent }) => !isSent).map(({ text }) => text);
    assert.ok(told.length > 250);
    assert.equal(clients[0].heard.filter((text) => text !== 'RM').map(withoutPasscode), told);
    for (const client of clients) client.leave();
  } finally {
    await server.close();
  }
});

// ---- the bots themselves ----

const directory = mkdtempSync(join(tmpdir(), 'lepanto-daide-'));
sessions.after(() => rmSync(directory, { recursive: true, force: true }));

/** Pythons of version 2.7, which these bots need. */
const pythons = ['python2.7', join(homedir(), '.pyenv', 'versions', '2.7.18', 'bin', 'python2.7')];

/** Installs the bots; why they are not there, or the Python that runs them. */
const install = (): { readonly missing: string } | { readonly python: string } => {
  const python = pythons.find((one) => spawnSync(one, ['--version']).status === 0);
  if (python === undefined) return { missing: 'no Python 2.7' };
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', join(directory, 'bots')];
  const done = spawnSync(python, [...pip, 'Parlance==1.4.1', 'Parang==1.4.1', 'Parterre==1.4.1'], {
    encoding: 'utf8',
    timeout: 300_000,
  });
  return existsSync(join(directory, 'bots', 'parang'))
    ? { python }
    : { missing: `no way to Parlance 1.4.1: ${done.stderr.trim().split('\n').at(-1)}` };
};
const installed = install();

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

// For whoever has Python 2.7: no run of CI installs it.
if ('python' in installed)
  sessions('bots from PyPI play a game, and find no message wrong', () => play(installed.python));
else process.stdout.write(`SKIPPED: the bots of others did not play: ${installed.missing}\n`);

sessions.run();
