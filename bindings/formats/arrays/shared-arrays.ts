// Named arrays in memory that is shared with a client. If the package koffi is found, the file is mapped into memory.
// Otherwise the threads of the server share a copy of it.
//
// pull() and push() copy rows between the copy and the file, and do nothing for a mapping. A copy is four times slower;
// the results are the same.
import { openSync, readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { LepantoError } from '../../../engine/rules/error.js';
import { type Shape, wholeNumber } from '../../../engine/rules/shape.js';

/** Array for each element type, by NumPy name. An i8 is 64 bits: two int32 here, the low one first. */
const arrayTypes = {
  ...{ b1: Uint8Array, u1: Uint8Array, i1: Int8Array, i2: Int16Array },
  ...{ i4: Int32Array, i8: Int32Array, f4: Float32Array },
} as const;
/** NumPy name of an element type. */
export type ElementType = keyof typeof arrayTypes;
export type ArrayOf<Type extends ElementType> = InstanceType<(typeof arrayTypes)[Type]>;

const widthOf = (dtype: ElementType): number => Number(dtype.slice(1));

/** An array in the memory: an entry of the table that is sent to the client. */
export interface Section {
  readonly name: string;
  readonly dtype: ElementType;
  readonly shape: readonly number[];
  /** Offset of the array in the memory, in bytes. */
  readonly offset: number;
  /** Size of a row (an element of the first dimension) in bytes. */
  readonly rowBytes: number;
  /** True for the state of a game, such as its position. clone() copies it and save() stores it. */
  readonly kept: boolean;
  /**
   * True for arrays that a step both reads and writes. An interrupted step is repeated from saved copies of their rows.
   */
  readonly stepped: boolean;
}

/** Flags of an array, see Section. */
type Use = 'kept' | 'stepped' | 'kept, stepped';
/** An array to be placed. The first dimension of its shape is rows. */
export type ArrayRow = readonly [name: string, dtype: ElementType, shape: readonly number[], use?: Use];

/** Returns a number of bytes, rounded up to a multiple of 64. */
export const align = (n: number): number => Math.ceil(n / 64) * 64;

/** Returns a layout with arrays one after another, each at a multiple of 64 bytes. size: total number of bytes. */
export const placeArrays = (rows: readonly ArrayRow[]): { readonly sections: Section[]; readonly size: number } => {
  let size = 0;
  const sections = rows.map(([name, dtype, shape, use = '']): Section => {
    const offset = size;
    const rowBytes = shape.slice(1).reduce((n, d) => n * d, widthOf(dtype));
    size = align(offset + rowBytes * shape[0]);
    return { name, dtype, shape, offset, rowBytes, kept: use.startsWith('kept'), stepped: use.endsWith('stepped') };
  });
  return { sections, size };
};

/** Returns a descriptor of the file of the memory. Takes the number of an inherited descriptor, or a path to open. */
export const memoryFile: Shape<number> = (value, where) =>
  typeof value === 'string' ? openSync(value, 'r+') : wholeNumber(3, 1 << 20)(value, where);

/** The functions of koffi that are used for mapping. */
interface Koffi {
  load(path: string | null): { func(signature: string): (...args: unknown[]) => unknown };
  view(pointer: unknown, size: number): ArrayBuffer;
  address(pointer: unknown): bigint;
}

const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;

/**
 * Loads koffi, which Node finds next to this package or on NODE_PATH. LEPANTO_KOFFI can name its folder, or `none`.
 * Returns null if it is not found.
 * @throws LepantoError if LEPANTO_KOFFI names anything else
 */
const findKoffi = (): Koffi | null => {
  const named = process.env.LEPANTO_KOFFI;
  if (named === 'none') return null;
  const load = createRequire(import.meta.url);
  try {
    return load(named === undefined ? 'koffi' : resolve(named)) as Koffi;
  } catch (error) {
    if (named === undefined) return null;
    const [reason] = (error as Error).message.split('\n');
    throw new LepantoError(
      'argument',
      `LEPANTO_KOFFI: got "${named}", wanted "none" or the directory of koffi (${reason})`,
    );
  }
};

/** Maps an open file into memory and returns the bytes. Null if that is not possible. @param size number of bytes */
const mapFile = (fd: number, size: number): ArrayBuffer | null => {
  const koffi = findKoffi();
  if (koffi === null) return null;
  try {
    const mmap = koffi
      .load(null)
      .func('void *mmap(void *address, size_t length, int protection, int flags, int fd, long offset)');
    const pointer = mmap(null, size, PROT_READ_WRITE, MAP_SHARED, fd, 0);
    if (koffi.address(pointer) === 0xffff_ffff_ffff_ffffn) return null;
    return koffi.view(pointer, size);
  } catch {
    return null;
  }
};

/** Signature of readSync and writeSync. */
type Move = (fd: number, view: Uint8Array, offset: number, length: number, position: number) => number;

/** Layout of the memory: its arrays and its size in bytes. */
export interface Arrangement {
  readonly sections: readonly Section[];
  readonly size: number;
}

/** Named arrays in a file that a client has opened. Each thread has its own object. */
export class SharedArrays {
  /** Copy shared by all threads; null if the file is mapped. */
  declare readonly copy: SharedArrayBuffer | null;
  declare private readonly buffer: ArrayBuffer | SharedArrayBuffer;
  declare private readonly byName: ReadonlyMap<string, Section>;
  /** All bytes of the memory. */
  declare protected readonly all: Uint8Array;

  /**
   * Maps the file into memory, or uses the copy that all threads share.
   * @param fd descriptor of the open file
   * @param copy `copy` of the first thread's object. Undefined in the first thread itself, which makes a copy if it
   *   cannot map the file
   * @throws Error if the file was mapped in the first thread and cannot be mapped again
   */
  constructor(
    { sections, size }: Arrangement,
    readonly fd: number,
    copy?: SharedArrayBuffer | null,
  ) {
    const mapping = copy === undefined || copy === null ? mapFile(fd, size) : null;
    if (mapping === null && copy === null)
      throw new Error('shared memory: cannot be mapped again, wanted it in each thread');
    this.copy = mapping === null ? (copy ?? new SharedArrayBuffer(size)) : null;
    this.buffer = mapping ?? this.copy ?? new ArrayBuffer(0);
    this.byName = new Map(sections.map((section) => [section.name, section]));
    this.all = new Uint8Array(this.buffer);
  }

  /** True if the file is mapped into memory. */
  get isMapped(): boolean {
    return this.copy === null;
  }

  section(name: string): Section {
    const found = this.byName.get(name);
    if (found === undefined) throw new LepantoError('argument', `memory: got array ${name}, wanted one of the table`);
    return found;
  }
  has(name: string): boolean {
    return this.byName.has(name);
  }

  /** Returns the elements of the array with a name; empty if there is none. @param type element type of the array */
  array<Type extends ElementType>(name: string, type: Type): ArrayOf<Type> {
    const { offset, rowBytes, shape } = this.byName.get(name) ?? { offset: 0, rowBytes: 0, shape: [0] };
    const found = arrayTypes[type];
    return new found(
      this.buffer as ArrayBuffer,
      offset,
      (rowBytes * shape[0]) / found.BYTES_PER_ELEMENT,
    ) as ArrayOf<Type>;
  }
  bytes(name: string): Uint8Array {
    return this.array(this.section(name).name, 'u1');
  }
  int8(name: string): Int8Array {
    return this.array(this.section(name).name, 'i1');
  }
  int16(name: string): Int16Array {
    return this.array(this.section(name).name, 'i2');
  }
  int32(name: string): Int32Array {
    return this.array(this.section(name).name, 'i4');
  }
  float32(name: string): Float32Array {
    return this.array(this.section(name).name, 'f4');
  }

  /**
   * Moves bytes between the copy and the file.
   * @param name name of the array
   * @param begin offset in the array, in bytes
   * @param size number of bytes
   * @param move reads from the file to the copy, or writes to the file
   * @throws Error if the file ends before the last byte
   */
  private cross(name: string, begin: number, size: number, move: Move): void {
    if (this.copy === null) return;
    const at = this.section(name).offset + begin;
    const view = new Uint8Array(this.copy, at, size);
    for (let done = 0; done < size; ) {
      const n = move(this.fd, view, done, size - done, at + done);
      if (n === 0) throw new Error(`shared memory, array ${name}: got its end, wanted ${size - done} bytes more`);
      done += n;
    }
  }
  private crossRows(name: string, first: number, end: number, move: Move): void {
    const { rowBytes } = this.section(name);
    this.cross(name, first * rowBytes, (end - first) * rowBytes, move);
  }
  /** Reads rows `first` to `end` (exclusive) of an array from the file. Does nothing if the file is mapped. */
  pull(name: string, first: number, end: number): void {
    this.crossRows(name, first, end, readSync);
  }
  /** Writes rows `first` to `end` (exclusive) of an array to the file. Does nothing if the file is mapped. */
  push(name: string, first: number, end: number): void {
    this.crossRows(name, first, end, writeSync);
  }
  /**
   * Writes some bytes of an array to the file. Does nothing if the file is mapped.
   * @param begin offset in the array, in bytes
   * @param size number of bytes
   */
  pushBytes(name: string, begin: number, size: number): void {
    this.cross(name, begin, size, writeSync);
  }
}
