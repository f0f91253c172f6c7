// Tests the script that looks for slow starts of Node (bench/slow-starts.ts).
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const starts = suite('starts');

starts('each start is measured in five windows or more', () => {
  const args = ['dist/bench/slow-starts.js', '--starts', '1', '--quiet'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.is(status, 0);
  assert.match(stdout, /^starts +1$/m);
  assert.ok(Number(/^of windows +(\d+)$/m.exec(stdout)?.[1]) >= 5);
});

starts.run();
