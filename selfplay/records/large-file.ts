// Writes large files in one of two ways: as any file, or past the page cache (O_DIRECT), straight from memory to the disk.
//
// Nobody reads a shard soon after it was written, so the cache has no use for it. Where fresh pages are dear, as in virtual
// machines that give freed memory back to their host, copying a shard into the cache takes ten times as long as the disk
// does; on other machines the cache is faster. So each thread tries both, and stays with the faster one.
import { constants } from 'node:fs';
import { WholeFile, writeWhole } from './whole-file.js';

/** Addresses, offsets and lengths of direct writes are multiples of this: no block of a disk is larger. */
const BLOCK = 4096;
/** Smaller files are written as any other. */
const LARGE = 1 << 18;
/** So often each way is tried. The least time counts: other programs lengthen some of them. */
const TRIES = 4;

const roundUp = (size: number, to: number): number => Math.ceil(size / to) * to;

/** Memory of WebAssembly begins at a page of the system, which an ArrayBuffer does not. (Node's types leave it out.) */
interface Wasm {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
}
const WASM_PAGE = 1 << 16;

/** The content of a file at an address that a disk can read from, and zeros up to the next block. */
let aligned = new Uint8Array(0);

const align = (content: Uint8Array): Uint8Array => {
  const size = roundUp(content.length, BLOCK);
  if (aligned.length < size) {
    const { Memory } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
    aligned = new Uint8Array(new Memory({ initial: Math.ceil((2 * size) / WASM_PAGE) }).buffer);
  }
  aligned.set(content);
  aligned.fill(0, content.length, size);
  return aligned.subarray(0, size);
};

/** Writes a file past the page cache. False if the system does not, and then there is no file. */
const writeDirect = (path: string, content: Uint8Array): boolean => {
  try {
    const file = new WholeFile(path, constants.O_DIRECT);
    file.write(align(content));
    file.truncate(content.length);
    file.finish();
    return true;
  } catch {
    return false;
  }
};

/** What is known of a way to write. */
interface Way {
  readonly write: (path: string, content: Uint8Array) => boolean;
  triesLeft: number;
  /** The least time that a byte has taken, in milliseconds. */
  least: number;
}

const cached: Way = {
  write: (path, content) => {
    writeWhole(path, content);
    return true;
  },
  triesLeft: TRIES,
  least: Number.POSITIVE_INFINITY,
};
const direct: Way = {
  write: writeDirect,
  // Only Linux has it.
  triesLeft: constants.O_DIRECT === undefined ? 0 : TRIES,
  least: Number.POSITIVE_INFINITY,
};

const chooseWay = (): Way => {
  if (direct.triesLeft > 0) return direct;
  if (cached.triesLeft > 0) return cached;
  return direct.least < cached.least ? direct : cached;
};

/** As writeWhole(), for a path where there is nothing yet. @throws Error that names the file */
export const writeLarge = (path: string, content: Uint8Array): void => {
  if (content.length < LARGE) {
    writeWhole(path, content);
    return;
  }
  const way = chooseWay();
  const begin = performance.now();
  if (way.write(path, content)) {
    way.triesLeft--;
    way.least = Math.min(way.least, (performance.now() - begin) / content.length);
  } else {
    direct.triesLeft = 0;
    direct.least = Number.POSITIVE_INFINITY;
    writeWhole(path, content);
  }
};
