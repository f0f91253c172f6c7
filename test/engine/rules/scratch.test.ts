// Tests where the arrays of hot code lie: in memory lent to the thread as long as there is some, and nowhere twice.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lendScratch, scratch, takeScratch } from '../../../engine/rules/scratch.js';

const memory = suite('scratch');

memory('arrays lie in lent memory, apart from one another, until none is left', () => {
  const own = scratch(100);
  assert.instance(own.buffer, ArrayBuffer);
  const loan = lendScratch();
  takeScratch(loan);
  const made: Int32Array<ArrayBufferLike>[] = [];
  for (let room = true; room; ) {
    const array = scratch(9999);
    assert.is(array.length, 9999);
    assert.ok(array.every((word) => word === 0));
    room = loan.some((block) => block === array.buffer);
    made.push(array.fill(made.length + 1));
  }
  assert.is(made.length, 2 * loan.length + 1);
  made.forEach((array, i) => {
    assert.ok(array.every((word) => word === i + 1));
  });
  assert.instance(scratch(100_000).buffer, ArrayBuffer);
  assert.ok(loan.some((block) => block === scratch(100).buffer));
});

memory.run();
