// Tests that a file belongs to one process at a time, also after kills.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeptGames } from '../../../selfplay/arena/kept-games.js';
import { lockPath } from '../../../selfplay/records/lock.js';
import { makeFolder } from '../../tools/command.js';
import { saying } from '../../tools/errors.js';

const folder = makeFolder('lock');
const module = new URL('../../../selfplay/records/lock.js', import.meta.url).href;

const children: ChildProcess[] = [];

/** Processes that try to take each path that they are sent, and say what came of it. */
const startTakers = (count: number) => {
  const program = `import { createInterface } from 'node:readline';
    import { lockPath } from ${JSON.stringify(module)};
    process.setMaxListeners(0);
    createInterface({ input: process.stdin }).on('line', (path) => {
      try { lockPath(path); console.log('taken'); } catch (error) { console.log(error.message); }
    });`;
  return Array.from({ length: count }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
      pid: child.pid,
      take: async (path: string): Promise<string> => {
        child.stdin.write(`${path}\n`);
        return String((await lines.next()).value);
      },
      end: async (): Promise<void> => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  });
};

const locks = suite('locks');
// Also where a test has failed: nothing may outlive this file.
locks.after(() => {
  for (const child of children) child.kill('SIGKILL');
});

locks('another process is refused until the first one ends, however it does', async () => {
  const path = join(folder, 'games.json');
  const [first] = startTakers(1);
  assert.is(await first.take(path), 'taken');
  const inUse = new RegExp(`games\\.json is in use by process ${first.pid} on ${hostname()}, wanted a free one`);
  assert.throws(() => lockPath(path), saying(inUse));
  assert.throws(() => new KeptGames(path), saying(inUse));
  await first.end();
  const release = lockPath(path);
  assert.is(JSON.parse(readFileSync(`${path}.lock`, 'utf8')).pid, process.pid);
  // The same process may take it again.
  lockPath(path)();
  assert.ok(existsSync(`${path}.lock`));
  release();
  assert.equal(readdirSync(folder), []);
});

locks('of many at once one has it, also where a dead process has left its lock', async () => {
  const takers = startTakers(6);
  for (let round = 0; round < 300; round++) {
    const path = join(folder, `many-${round}`);
    const left = [null, '', JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() })][round % 3];
    if (left !== null) writeFileSync(`${path}.lock`, left);
    const all = await Promise.all(takers.map(({ take }) => take(path)));
    assert.is(all.filter((said) => said === 'taken').length, 1);
    assert.is(all.filter((said) => /is in use by process/.test(said)).length, 5);
  }
});

locks('a lock that nobody may clear is reported', async () => {
  const path = join(folder, 'stuck');
  for (const file of ['lock', 'lock.clear']) writeFileSync(`${path}.${file}`, '');
  assert.throws(() => lockPath(path), /stuck\.lock is stale and .*stuck\.lock\.clear exists; remove both/);
});

locks('the lock of another machine counts', () => {
  const path = join(folder, 'far');
  writeFileSync(`${path}.lock`, JSON.stringify({ pid: 1, host: 'another' }));
  assert.throws(() => lockPath(path), /far is in use by process 1 on another, .*remove .*far\.lock/);
});

locks.run();
