// Tests runs over a queue with a real Redis server: whatever dies, the files are those that one machine makes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { differentFiles, findMissing, killAll, RedisServer, start } from '../tools/queue-kit.js';

const directory = mkdtempSync(join(tmpdir(), 'lepanto-queue-'));
const place = (name: string): string => join(directory, name);
const missing = findMissing();

const queue = suite('queue');

if (missing !== '') {
  process.stdout.write(`SKIPPED: runs over a queue: ${missing}\n`);
  queue.skip('runs over a queue', () => {});
  queue('says why it was skipped', () => {
    assert.ok(missing.length > 0);
  });
} else {
  const redis = await RedisServer.start(place('redis'));
  const options = ['--games', '2000', '--quiet'];
  const plain = await start(['selfplay', ...options, '--out', place('plain')]).ended;

  queue.after(async () => {
    killAll();
    await redis.kill();
    rmSync(directory, { recursive: true });
  });

  for (const store of ['', 'redis', place('store')])
    queue(
      `two workers make the files of one machine, --store ${store === '' ? 'left out' : store.slice(-5)}`,
      async () => {
        assert.is(plain, 0);
        const workers = [1, 2].map(() => start(['worker', redis.url, '--workers', '1']));
        const out = place(`out-${store.slice(-5)}`);
        const run = start([
          ...['selfplay', ...options, '--queue', redis.url, '--out', out],
          ...(store === '' ? [] : ['--store', store]),
        ]);
        assert.is(await run.ended, 0, run.err);
        assert.equal(differentFiles(place('plain'), out), []);
        for (const { child } of workers) child.kill('SIGTERM');
        for (const { ended, err } of workers) assert.is(await ended, 0, err);
      },
    );
}
queue.run();
