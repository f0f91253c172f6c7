// Tests the script that looks for slow starts of Node (bench/slow-starts.ts).
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runScript } from '../tools/command.js';

const starts = suite('starts');

starts('each start is measured in five windows or more', () => {
  const { code, out } = runScript('bench/slow-starts.js', ['--starts', '1', '--quiet']);
  assert.is(code, 0);
  assert.match(out, /^starts +1$/m);
  assert.ok(Number(/^of windows +(\d+)$/m.exec(out)?.[1]) >= 5);
});

starts.run();
