// Allocates the arrays and small tables of hot code, once each, when their modules are loaded.
//
// V8 compiles the address of such an array into the code, and an address below 2 GB gives shorter code. The C library
// places small allocations of the main thread there, but not those of other threads, where random play took 4 to 9 %
// longer (Node 20 and Node 24). Therefore the code that starts a thread lends it memory of the main thread, and the
// thread takes that memory before it loads any other module of the engine. Without a loan the results are the same.

/** Size of a block of memory lent to a thread, in bytes. glibc places allocations of 128 KB or more elsewhere. */
const BLOCK_BYTES = 96 << 10;
/**
 * Gap between two arrays, in bytes. Most arrays are 1 KB long, so without a gap every fourth one would share the lower
 * 12 bits of its addresses. A processor then mistakes a load from one array for a load of data just stored to another
 * (4K aliasing).
 */
const GAP_BYTES = 80;
/** Number of blocks: enough for all arrays of the engine. */
const BLOCKS = 4;

/** Memory lent to a thread for scratch(). */
export type ScratchLoan = readonly SharedArrayBuffer[];

/** Allocates memory to lend to one thread. Shared, because transferring a buffer slows every array of the sender. */
export const lendScratch = (): ScratchLoan => Array.from({ length: BLOCKS }, () => new SharedArrayBuffer(BLOCK_BYTES));

let lent: ScratchLoan = [];
/** Bytes in use, indexed by block. */
const used: number[] = Array.from({ length: BLOCKS }, () => 0);

/**
 * Makes scratch() allocate from this memory, which must be zeroed and not used by another thread. Call it before any
 * other module of the engine is loaded.
 */
export const takeScratch = (loan: ScratchLoan): void => {
  lent = loan;
};

/** Allocates an array of `length` zeros, for a constant of a module, from the lent memory if there is room. */
export const scratch = (length: number): Int32Array<ArrayBufferLike> => {
  const bytes = length * Int32Array.BYTES_PER_ELEMENT;
  const block = lent.findIndex((_, i) => used[i] + bytes <= BLOCK_BYTES);
  if (block < 0) return new Int32Array(length);
  const at = used[block];
  used[block] += bytes + GAP_BYTES;
  return new Int32Array(lent[block], at, length);
};
