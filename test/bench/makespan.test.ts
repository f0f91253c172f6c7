// Tests the simulation of runs on many machines by cases whose answer is known.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Fleet, simulate } from '../../bench/run/makespan.js';

const fleet: Fleet = {
  machines: 10,
  threads: 4,
  work: 3600,
  shard: 60,
  spread: 0,
  lost: 0,
  away: 300,
  notice: 10,
  overhead: 0,
  byQueue: true,
  seed: 1,
};

const near = (got: number, wanted: number): void => {
  assert.ok(Math.abs(got - wanted) < 1e-6, `got ${got}, wanted ${wanted}`);
};

const makespan = suite('makespan');

makespan('equal machines that nobody takes away wait for nothing', () => {
  for (const byQueue of [false, true]) {
    const { ratio, lost } = simulate({ ...fleet, byQueue });
    near(ratio, 1);
    assert.is(lost, 0);
    // 3600 s of work in shards of 2400 s: 1.5 of them for each thread, which are two.
    near(simulate({ ...fleet, byQueue, shard: 2400 }).ratio, 4 / 3);
    near(simulate({ ...fleet, byQueue, overhead: 6 }).ratio, 1.1);
  }
});

makespan('a queue ends before a job array where machines differ or are lost', () => {
  for (const [spread, lost] of [
    [0.3, 0],
    [0, 1 / 3600],
    [0.3, 1 / 3600],
  ])
    for (let seed = 1; seed < 6; seed++) {
      const [array, queue] = [false, true].map((byQueue) => simulate({ ...fleet, spread, lost, seed, byQueue }));
      assert.ok(array.ratio > 1.05 && queue.ratio < 1.3 && queue.ratio < array.ratio, `seed ${seed}`);
      assert.ok(queue.ratio >= 1);
      assert.is(queue.lost > 0, lost > 0);
    }
});

makespan('longer shards lose more, and a seed has one result', () => {
  const hard = { ...fleet, spread: 0.2, lost: 1 / 3600 };
  const [short, long] = [30, 600].map((shard) => simulate({ ...hard, shard }));
  assert.ok(short.ratio < long.ratio && short.lost < long.lost);
  assert.equal(simulate({ ...hard, shard: 600 }), long);
  assert.not.equal(simulate({ ...hard, shard: 600, seed: 2 }), long);
});

makespan.run();
