// Tests seeded random numbers: their spread, and sequences that must not change because every record and the signature
// depend on them.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashSeed, mix, Random, startStream } from '../../../engine/rules/random.js';

/** `mix` of 0, 1 and -1 as MurmurHash3's finaliser has them; the rest is pinned as it came out. */
const FIXED = {
  mix: [0, 0x514e_28b7, 0x81f1_6f39 | 0],
  hash: [1126369725, 1149522980, 973095535],
  zero: [302914602, 535553373, 439580992, -440829835],
  stream: [-19420454, -253370971, -1590267125, 300003334],
};

const take = (random: Random, count: number): number[] => Array.from({ length: count }, () => random.next());

const random = suite('random');

random('a seed gives the same sequence for ever', () => {
  assert.equal([mix(0), mix(1), mix(-1)], FIXED.mix);
  assert.equal([hashSeed(0, 0), hashSeed(1, 2), hashSeed(1, 2, 3)], FIXED.hash);
  assert.equal(take(new Random(0), 4), FIXED.zero);
  assert.equal(take(new Random(7, 11, 13), 4), FIXED.stream);
});

random('a stream is named by its seed and both indices', () => {
  const first = [
    new Random(1, 2, 3),
    new Random(2, 2, 3),
    new Random(1, 3, 3),
    new Random(1, 2, 4),
    new Random(1, 3, 2),
  ];
  assert.is(new Set(first.map((stream) => stream.next())).size, first.length);
  assert.equal(take(new Random(1, 2, 3), 9), take(new Random(1, 2, 3), 9));
});

random('startStream() writes what hashSeed() gives', () => {
  const stream = new Int32Array(2);
  for (const seed of [0, 7, -3, 0x7fff_ffff])
    for (const index of [0, 1, 65_535, 3_000_000_000]) {
      startStream(seed, index, stream);
      assert.equal([...stream], [hashSeed(seed, index, 1), hashSeed(seed, index, 2)], `${seed} ${index}`);
    }
});

random('hashSeed() gives the games of a run seeds of their own', () => {
  const seeds = new Set(Array.from({ length: 1 << 16 }, (_, index) => hashSeed(5, index)));
  assert.is(seeds.size, 1 << 16);
});

/** Chi-square of counts that should be equal. */
const chiSquare = (counts: readonly number[]): number => {
  const mean = counts.reduce((sum, n) => sum + n, 0) / counts.length;
  return counts.reduce((sum, n) => sum + (n - mean) ** 2 / mean, 0);
};

random('below() is even, and fraction() stays under 1', () => {
  for (const n of [2, 7, 10, 22]) {
    const stream = new Random(3, n);
    const counts = new Array<number>(n).fill(0);
    for (let i = 0; i < 1000 * n; i++) counts[stream.below(n)]++;
    // Four standard deviations above the mean of the distribution.
    assert.ok(chiSquare(counts) < n - 1 + 4 * Math.sqrt(2 * (n - 1)), `${n}: ${counts.join(' ')}`);
  }
  const stream = new Random(9);
  for (let i = 0; i < 10_000; i++) {
    const x = stream.fraction();
    assert.ok(x >= 0 && x < 1);
  }
  assert.is(new Random(1).below(1), 0);
});

random('every bit is set half of the time', () => {
  const stream = new Random(21);
  const counts = new Array<number>(32).fill(0);
  for (let i = 0; i < 4000; i++) {
    const x = stream.next();
    for (let bit = 0; bit < 32; bit++) counts[bit] += (x >>> bit) & 1;
  }
  // Mean 2000, standard deviation 32.
  assert.ok(
    counts.every((n) => Math.abs(n - 2000) < 160),
    counts.join(' '),
  );
});

random.run();
