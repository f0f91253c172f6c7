// Stores sets of provinces as bitsets in one Int32Array. Set k occupies the WORDS 32-bit words from k * WORDS.
import { WORDS } from './types.js';

export const makeBitsets = (count: number): Int32Array => new Int32Array(count * WORDS);

export const addBit = (sets: Int32Array, set: number, bit: number): void => {
  sets[set * WORDS + (bit >> 5)] |= 1 << (bit & 31);
};

/** Returns 1 if set number `set` of `sets` contains the bit (a province or location), 0 if not. */
export const testBit = (sets: Int32Array, set: number, bit: number): number =>
  (sets[set * WORDS + (bit >> 5)] >>> (bit & 31)) & 1;

/** Returns the indices of the bits in a set, ascending. */
export const bitsIn = (sets: Int32Array, set: number): number[] => {
  const found: number[] = [];
  for (let w = 0; w < WORDS; w++)
    for (let rest = sets[set * WORDS + w]; rest !== 0; rest &= rest - 1) found.push(w * 32 + lowestBit(rest));
  return found;
};

/** Returns the index of the lowest set bit of a word. The word must not be 0. */
export const lowestBit = (word: number): number => 31 - Math.clz32(word & -word);

/** Returns the number of set bits in a word. */
export const countBits = (word: number): number => {
  let n = word - ((word >>> 1) & 0x5555_5555);
  n = (n & 0x3333_3333) + ((n >>> 2) & 0x3333_3333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
};
