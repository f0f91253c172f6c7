// Tests that a file belongs to one process at a time, also after kills.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeptGames } from '../../../selfplay/arena/kept-games.js';
import { lockPath } from '../../../selfplay/records/lock.js';
import { makeFolder } from '../../tools/command.js';

const folder = makeFolder('lock');
const module = new URL('../../../selfplay/records/lock.js', import.meta.url).href;

/** A process that tries to take a path, says what came of it, and stays. */
const take = async (path: string) => {
  const program = `import { lockPath } from ${JSON.stringify(module)};
    try { lockPath(${JSON.stringify(path)}); console.log('taken'); } catch (error) { console.log(error.message); }
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await once(child, 'exit');
  };
  return { said: said.toString().trim(), pid: child.pid, end };
};

const locks = suite('locks');

locks('another process is refused until the first one ends, however it does', async () => {
  const path = join(folder, 'games.json');
  const first = await take(path);
  assert.is(first.said, 'taken');
  const inUse = new RegExp(`games\\.json is in use by process ${first.pid} on ${hostname()}, wanted another one`);
  assert.throws(() => lockPath(path), inUse);
  assert.throws(() => new KeptGames(path), inUse);
  await first.end('SIGKILL');
  const release = lockPath(path);
  assert.is(JSON.parse(readFileSync(`${path}.lock`, 'utf8')).pid, process.pid);
  // The same process may take it again.
  lockPath(path)();
  assert.ok(existsSync(`${path}.lock`));
  release();
  assert.equal(readdirSync(folder), []);
});

locks('of many at once one has it, also where a dead process has left its lock', async () => {
  const path = join(folder, 'many');
  for (const left of ['', JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() })]) {
    writeFileSync(`${path}.lock`, left);
    const all = await Promise.all(Array.from({ length: 6 }, () => take(path)));
    assert.is(all.filter(({ said }) => said === 'taken').length, 1);
    assert.is(all.filter(({ said }) => /is in use by process/.test(said)).length, 5);
    for (const { end } of all) await end('SIGKILL');
  }
});

locks('the lock of another machine counts', () => {
  const path = join(folder, 'far');
  writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, host: 'another' }));
  assert.throws(() => lockPath(path), /far is in use by process 1 on another, .*remove .*far\.lock/);
});

locks.run();
