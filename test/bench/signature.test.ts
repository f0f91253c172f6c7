// Tests that random play is what it was: a hash of a few thousand games (bench/run/signature.ts) is the pinned one.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { signature } from '../../bench/run/signature.js';
import { readData } from '../tools/data.js';

const signatures = suite('signature');

signatures('random play is what it was', () => {
  const [now, pinned] = [signature(), readData<{ signature: number }>('signature.json').signature];
  assert.is(
    now,
    pinned,
    `signature ${now}: play has changed. If it was to, run "node dist/bench/run/signature.js --update" and state the ` +
      'number in the commit message',
  );
});

signatures.run();
