// The four inner loops of nets, in WebAssembly with SIMD (assembly.ts) and in plain TypeScript.
// test/selfplay/nets/net.test.ts compares the two.
//
// Matrices are float32 in row-major order, in one memory. Addresses are in bytes. Widths are multiples of 8, and
// numbers of rows in products multiples of 4.
import { code } from './code.js';

/** Size of the result of a loop, in rows and columns. */
export interface Size {
  readonly rows: number;
  readonly width: number;
}

/**
 * Addresses of lists of row indices, with a list for each row of the result. List r is indices[offsets[r]] to
 * indices[offsets[r + 1] - 1]. The sum over list r is multiplied by scales[r].
 */
export interface RowLists {
  readonly offsets: number;
  readonly indices: number;
  readonly scales: number;
}

/** Address of the matrix that is added to a product, and optionally of a residual connection. */
export interface Start {
  /** Address of the first row. */
  readonly at: number;
  /** Bytes from one row to the next. Default 0: the same row is added to all rows. */
  readonly stride?: number;
  /** Address of a matrix `old`. If given and not 0, the result is old + max(0, sum), as in a residual layer. */
  readonly old?: number;
}

/** Inner loops of a net over its memory. All number arguments are addresses in bytes. */
export interface Kernels {
  /** Writes to row r of `out` the sum of the rows of `table` in list r, multiplied by the factor of the list. */
  gather(size: Size, out: number, lists: RowLists, table: number): void;
  /** Writes a b + start to out [rows, width]. The factors are a [rows, inner] and b [inner, width]. */
  multiply(size: Size & { readonly inner: number }, out: number, a: number, b: number, start: Start): void;
  /**
   * Writes old + max(0, a + b + row) to `out`. All are matrices of the given size, but `row` is a single row that is
   * added to each row.
   */
  join(size: Size, out: number, old: number, a: number, b: number, row: number): void;
  /**
   * Writes the sum of the rows of `a`, a matrix of the given size, multiplied by the float at `scale`, to the row
   * `out`.
   */
  pool(size: Size, out: number, a: number, scale: number): void;
}

const FLOAT = 4;

/** Returns the inner loops in plain TypeScript. @param memory memory of the net */
const plainKernels = (memory: ArrayBuffer): Kernels => {
  const floats = new Float32Array(memory);
  const words = new Int32Array(memory);
  return {
    gather({ rows, width }, out, { offsets, indices, scales }, table) {
      for (let r = 0; r < rows; r++) {
        const scale = floats[scales / FLOAT + r];
        for (let c = 0; c < width; c++) {
          let sum = 0;
          for (let i = words[offsets / FLOAT + r]; i < words[offsets / FLOAT + r + 1]; i++)
            sum += floats[table / FLOAT + words[indices / FLOAT + i] * width + c];
          floats[out / FLOAT + r * width + c] = sum * scale;
        }
      }
    },
    multiply({ rows, inner, width }, out, a, b, { at, stride = 0, old = 0 }) {
      for (let r = 0; r < rows; r++)
        for (let c = 0; c < width; c++) {
          let sum = floats[(at + r * stride) / FLOAT + c];
          for (let k = 0; k < inner; k++) sum += floats[a / FLOAT + r * inner + k] * floats[b / FLOAT + k * width + c];
          if (old !== 0) sum = floats[old / FLOAT + r * width + c] + Math.max(sum, 0);
          floats[out / FLOAT + r * width + c] = sum;
        }
    },
    join({ rows, width }, out, old, a, b, row) {
      for (let i = 0; i < rows * width; i++) {
        const sum = floats[a / FLOAT + i] + floats[b / FLOAT + i] + floats[row / FLOAT + (i % width)];
        floats[out / FLOAT + i] = floats[old / FLOAT + i] + Math.max(sum, 0);
      }
    },
    pool({ rows, width }, out, a, scale) {
      for (let c = 0; c < width; c++) {
        let sum = 0;
        for (let r = 0; r < rows; r++) sum += floats[a / FLOAT + r * width + c];
        floats[out / FLOAT + c] = sum * floats[scale / FLOAT];
      }
    },
  };
};

interface Exports {
  resize(rows: number, width: number, inner: number): void;
  gather(out: number, offsets: number, indices: number, table: number, scales: number): void;
  multiply(out: number, a: number, b: number, start: number, stride: number, old: number): void;
  join(out: number, old: number, a: number, b: number, row: number): void;
  pool(out: number, a: number, scale: number): void;
}

/** Returns the inner loops in WebAssembly. @param wasm exports of the compiled module */
const fastKernels = (wasm: Exports): Kernels => ({
  gather({ rows, width }, out, { offsets, indices, scales }, table) {
    wasm.resize(rows, width, 0);
    wasm.gather(out, offsets, indices, table, scales);
  },
  multiply({ rows, inner, width }, out, a, b, { at, stride = 0, old = 0 }) {
    wasm.resize(rows, width, inner);
    wasm.multiply(out, a, b, at, stride, old);
  },
  join({ rows, width }, out, old, a, b, row) {
    wasm.resize(rows, width, 0);
    wasm.join(out, old, a, b, row);
  },
  pool({ rows, width }, out, a, scale) {
    wasm.resize(rows, width, 0);
    wasm.pool(out, a, scale);
  },
});

// The types of Node do not declare WebAssembly.
interface Wasm {
  readonly Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}
declare const WebAssembly: Wasm | undefined;

const PAGE_BYTES = 1 << 16;
const binary = Uint8Array.from(atob(code), (char) => char.charCodeAt(0));
let compiled: object | null = null;

/**
 * Allocates a memory filled with 0, and returns it with the inner loops that work on it. Uses WebAssembly if the
 * machine supports SIMD.
 * @param bytes minimum size of the memory in bytes
 * @param plain true to use plain TypeScript in any case
 */
export const makeKernels = (bytes: number, plain = false): { memory: ArrayBuffer; kernels: Kernels } => {
  if (plain || typeof WebAssembly === 'undefined' || !WebAssembly.validate(binary)) {
    const memory = new ArrayBuffer(bytes);
    return { memory, kernels: plainKernels(memory) };
  }
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  compiled ??= new WebAssembly.Module(binary);
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  return { memory: memory.buffer, kernels: fastKernels(exports as Exports) };
};
