// Makes the arrays that hot code writes at every step, and the small tables that it reads there: once each, when their
// modules are loaded.
//
// V8 compiles the address of such an array into the code, and one below 2 GB makes it shorter. There the C library puts
// what the main thread asks for, if it is small, but nothing that other threads ask for: random play took 4 to 9 % longer
// in them, on Node 20 and on Node 24. So who starts a thread lends it memory of the main thread, and the thread takes it
// before it loads anything else of the engine. A thread without a loan, or on a system that knows no such difference,
// works the same.

/** Less than the 128 KB from which on glibc puts memory elsewhere. */
const BLOCK_BYTES = 96 << 10;
/**
 * Between two arrays. Most are 1 KB long: without a gap every fourth would have the lower 12 bits of its addresses in common,
 * and a processor takes a load for one of what was just stored to such an address.
 */
const GAP_BYTES = 80;
/** As many as all scratch() of the engine fills. */
const BLOCKS = 4;

/** Memory of a thread for scratch(). */
export type ScratchLoan = readonly SharedArrayBuffer[];

/** Memory to lend to one thread. It is shared because what is transferred makes every array of the giver slower. */
export const lendScratch = (): ScratchLoan => Array.from({ length: BLOCKS }, () => new SharedArrayBuffer(BLOCK_BYTES));

let lent: ScratchLoan = [];
/** Bytes in use, by block. */
const used: number[] = Array.from({ length: BLOCKS }, () => 0);

/** Lets scratch() take from memory that no other thread uses, and that is clear. */
export const takeScratch = (loan: ScratchLoan): void => {
  lent = loan;
};

/** An array of zeros, for a constant of a module. */
export const scratch = (length: number): Int32Array<ArrayBufferLike> => {
  const bytes = length * Int32Array.BYTES_PER_ELEMENT;
  const block = lent.findIndex((_, i) => used[i] + bytes <= BLOCK_BYTES);
  if (block < 0) return new Int32Array(length);
  const at = used[block];
  used[block] += bytes + GAP_BYTES;
  return new Int32Array(lent[block], at, length);
};
