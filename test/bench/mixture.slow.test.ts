// Tests the script that measures order sets of several families in turn (bench/mixture.ts).
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { familyNames } from '../../bench/corpus/families.js';

const mixture = suite('mixture');

mixture('each family has its figures, alone and in turn', () => {
  const args = ['dist/bench/mixture.js', '--starts', '1', '--sets', '250', '--time', '20', '--quiet'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.is(status, 0);
  for (const name of [...familyNames, 'mean'])
    assert.match(
      stdout,
      new RegExp(`^${name}( +[1-9]\\d* \\([1-9]\\d*\\)){3}( +\\d\\.\\d\\d \\(\\d\\.\\d\\d\\)){2}$`, 'm'),
    );
  assert.match(stdout, /^mixed( +[1-9]\d* \([1-9]\d*\)) +\d\.\d\d \(\d\.\d\d\)$/m);
});

mixture.run();
