// Generates seeded random numbers. The state of a stream is two int32 words, stored by the caller.
//
// The stream of a game yields one number per phase, the base. The random number of a unit is a hash of the base and its
// province. It depends on the game's seed, the phase and the province, but not on the order in which units are visited,
// the slot of the game in its batch, or the worker.

/** Hashes an int32. The finaliser of MurmurHash3 (Appleby, public domain): every input bit affects every output bit. */
export const mix = (value: number): number => {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x85eb_ca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2_ae35);
  return x ^ (x >>> 16);
};

/** 2^32 divided by the golden ratio, as an int32. Consecutive multiples modulo 2^32 are far apart. */
export const GOLDEN = 0x9e37_79b9 | 0;

/** Multiplier of the second index in hashSeed(). */
const SUB_STEP = 0x85eb_ca6b | 0;

/** Returns a 32-bit hash of a seed and up to two indices. Every stream starts from such hashes. */
export const hashSeed = (seed: number, a: number, b = 0): number =>
  mix(mix(mix(seed | 0) + Math.imul(a + 1, GOLDEN)) + Math.imul(b + 1, SUB_STEP));

/**
 * Starts a stream: writes hashSeed(seed, index, 1) and hashSeed(seed, index, 2) to stream[0] and stream[1]. Faster than
 * two calls of hashSeed().
 */
export const startStream = (seed: number, index: number, stream: Int32Array): void => {
  const shared = mix(mix(seed | 0) + Math.imul(index + 1, GOLDEN));
  stream[0] = mix(shared + Math.imul(2, SUB_STEP));
  stream[1] = mix(shared + Math.imul(3, SUB_STEP));
};

/** Random number generator for code that is not performance-critical: agents, tests, set-up. */
export class Random {
  declare private a: number;
  declare private b: number;

  /**
   * Makes a generator at the start of its stream.
   * @param seed any int32. `index` and `sub` select one of its independent streams, for example game and phase.
   */
  constructor(seed: number, index = 0, sub = 0) {
    this.a = hashSeed(seed, index, sub);
    this.b = hashSeed(seed ^ 0x5bd1_e995, index, sub);
  }

  /** Returns the next 32 random bits as an int32: two coupled 32-bit Weyl sequences, hashed by mix(). */
  next(): number {
    this.a = (this.a + GOLDEN) | 0;
    this.b = (this.b + 0x7f4a_7c15 + (this.a === 0 ? 1 : 0)) | 0;
    return mix(this.a ^ mix(this.b));
  }

  /** Returns an integer from 0 to n - 1, exactly uniform. n is from 1 to 2^31 - 1. */
  below(n: number): number {
    const limit = 0x1_0000_0000 - (0x1_0000_0000 % n);
    let x = this.next() >>> 0;
    while (x >= limit) x = this.next() >>> 0;
    return x % n;
  }

  /** Returns a number from 0 (included) to 1 (excluded), with 32 random bits. */
  fraction(): number {
    return (this.next() >>> 0) / 0x1_0000_0000;
  }
}
