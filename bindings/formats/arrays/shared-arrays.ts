// Named arrays in memory that is shared with a client: mapped where koffi is found, else a copy that is read and written
// through its file.
//
// With a mapping pull() and push() do nothing. Without one the threads of the server share a copy, and what crosses to
// the client is written row by row: four times slower, and otherwise the same.
import { openSync, readSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { LepantoError } from '../../../engine/rules/error.js';
import { type Shape, wholeNumber } from '../../../engine/rules/shape.js';

/** Array of each type of elements, by the numpy name of the type. i8 are 64 bits: two int32 here, the low one first. */
const arrayTypes = {
  ...{ b1: Uint8Array, u1: Uint8Array, i1: Int8Array, i2: Int16Array },
  ...{ i4: Int32Array, i8: Int32Array, f4: Float32Array },
} as const;
export type ElementType = keyof typeof arrayTypes;
export type ArrayOf<Type extends ElementType> = InstanceType<(typeof arrayTypes)[Type]>;

const widthOf = (dtype: ElementType): number => Number(dtype.slice(1));

/** One array: an entry of the table that the client is given. */
export interface Section {
  readonly name: string;
  readonly dtype: ElementType;
  readonly shape: readonly number[];
  /** Bytes from the beginning of the memory. */
  readonly offset: number;
  /** Bytes of one row (the first dimension). */
  readonly rowBytes: number;
  /** True for what belongs to a game, its position included: clone() copies and save() keeps it. */
  readonly kept: boolean;
  /** True for what a step both reads and writes: a chunk that is cut short is played again from these rows. */
  readonly stepped: boolean;
}

/** Flags of an array; see Section. */
type Use = 'kept' | 'stepped' | 'kept, stepped';
export type ArrayRow = readonly [name: string, dtype: ElementType, shape: readonly number[], use?: Use];

export const align = (n: number): number => Math.ceil(n / 64) * 64;

/** Places arrays one behind the other. */
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

/** A file for the memory: the number of a descriptor that was inherited, or the path of what is to be opened. */
export const memoryFile: Shape<number> = (value, where) =>
  typeof value === 'string' ? openSync(value, 'r+') : wholeNumber(3, 1 << 20)(value, where);

/** The few calls of koffi that a mapping takes. */
interface Koffi {
  load(path: string | null): { func(signature: string): (...args: unknown[]) => unknown };
  view(pointer: unknown, size: number): ArrayBuffer;
  address(pointer: unknown): bigint;
}

const PROT_READ_WRITE = 3;
const MAP_SHARED = 1;

/**
 * koffi where Node finds it: next to this package, on NODE_PATH, or where LEPANTO_KOFFI says. Null without it.
 * @throws LepantoError if LEPANTO_KOFFI names anything but `none` or the folder of koffi
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
      `LEPANTO_KOFFI: got "${named}", wanted "none" or the folder of koffi (${reason})`,
    );
  }
};

/** Maps an open file; null where that cannot be done. */
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

/** readSync or writeSync. */
type Move = (fd: number, view: Uint8Array, offset: number, length: number, position: number) => number;

/** What memory holds: its arrays, and its bytes. */
export interface Arrangement {
  readonly sections: readonly Section[];
  readonly size: number;
}

/** Named arrays in a file that a client has opened, in one of its threads. */
export class SharedArrays {
  /** The copy that threads share; null with a mapping. */
  declare readonly copy: SharedArrayBuffer | null;
  declare private readonly buffer: ArrayBuffer | SharedArrayBuffer;
  declare private readonly byName: ReadonlyMap<string, Section>;
  /** All bytes. */
  declare protected readonly all: Uint8Array;

  /**
   * @param copy that of another thread, null if it has mapped the file; undefined in the first thread, which does either
   * @throws LepantoError if the file can no longer be mapped
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

  /** Returns an array, which is empty if the table does not have the name. */
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

  /** @param begin bytes from the beginning of the array */
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
  /** Takes over what the client wrote to rows of an array. */
  pull(name: string, first: number, end: number): void {
    this.crossRows(name, first, end, readSync);
  }
  /** Shows the client rows of an array. */
  push(name: string, first: number, end: number): void {
    this.crossRows(name, first, end, writeSync);
  }
  /** Shows the client so many bytes of an array, from some byte on. */
  pushBytes(name: string, begin: number, size: number): void {
    this.cross(name, begin, size, writeSync);
  }
}
