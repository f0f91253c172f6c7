// Makes seeded random numbers without keeping state: a stream is two int32 words that its owner keeps.
//
// A game's stream yields one base per phase; the number for a unit is a hash of the base and of its province. So what a
// unit draws depends on the game's seed, the phase and the province, never on the order in which units are visited,
// on the slot of the game in a batch, or on the worker.

/** The finaliser of MurmurHash3 (Appleby, public domain): every input bit reaches every output bit. */
export const mix = (value: number): number => {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x85eb_ca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2_ae35);
  return x ^ (x >>> 16);
};

/** 2^32 divided by the golden ratio: consecutive multiples fall far apart. */
export const GOLDEN = 0x9e37_79b9 | 0;

/** What the second index of a seed is multiplied by. */
const SUB_STEP = 0x85eb_ca6b | 0;

/** A 32-bit hash of a seed and up to two indices, the way every stream is started. */
export const hashSeed = (seed: number, a: number, b = 0): number =>
  mix(mix(mix(seed | 0) + Math.imul(a + 1, GOLDEN)) + Math.imul(b + 1, SUB_STEP));

/** Writes hashSeed(seed, index, 1) and hashSeed(seed, index, 2) to stream[0] and stream[1]: they share two of their hashes. */
export const startStream = (seed: number, index: number, stream: Int32Array): void => {
  const shared = mix(mix(seed | 0) + Math.imul(index + 1, GOLDEN));
  stream[0] = mix(shared + Math.imul(2, SUB_STEP));
  stream[1] = mix(shared + Math.imul(3, SUB_STEP));
};

/** A source of random numbers for code that is not hot: agents, tests, set-up. */
export class Random {
  declare private a: number;
  declare private b: number;

  /** @param seed any int32; `index` and `sub` name one of its independent streams, for example game and phase. */
  constructor(seed: number, index = 0, sub = 0) {
    this.a = hashSeed(seed, index, sub);
    this.b = hashSeed(seed ^ 0x5bd1_e995, index, sub);
  }

  /** The next 32 random bits as an int32. A 64-bit Weyl sequence through `mix`. */
  next(): number {
    this.a = (this.a + GOLDEN) | 0;
    this.b = (this.b + 0x7f4a_7c15 + (this.a === 0 ? 1 : 0)) | 0;
    return mix(this.a ^ mix(this.b));
  }

  /** A whole number from 0 to n - 1, exactly uniform. n from 1 to 2^31 - 1. */
  below(n: number): number {
    const limit = 0x1_0000_0000 - (0x1_0000_0000 % n);
    let x = this.next() >>> 0;
    while (x >= limit) x = this.next() >>> 0;
    return x % n;
  }

  /** A number from 0 (included) to 1 (excluded), of 32 random bits. */
  fraction(): number {
    return (this.next() >>> 0) / 0x1_0000_0000;
  }
}
