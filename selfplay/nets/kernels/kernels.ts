// The four loops in which a net spends its time, over one memory of floats: in WebAssembly with SIMD (assembly.ts), and the
// same in plain TypeScript, which test/selfplay/nets/net.test.ts compares them with.
//
// Matrices are float32, row after row. All addresses are bytes, all widths multiples of 8, rows multiplied multiples of 4.
import { code } from './code.js';

export interface Size {
  readonly rows: number;
  readonly width: number;
}

/** Addresses of lists of rows, indices[offsets[r] .. offsets[r + 1]) for row r, and of a factor for each sum. */
export interface RowLists {
  readonly offsets: number;
  readonly indices: number;
  readonly scales: number;
}

/** What a product is added to: row r begins at `at + r * stride`, by default one row for all. */
export interface Start {
  readonly at: number;
  readonly stride?: number;
  /** Address of a matrix: the result is that plus max(0, sum), as in a layer that passes on its input. */
  readonly old?: number;
}

/** The loops over the memory of a net. */
export interface Kernels {
  /** Sums the rows of a table that are listed for each row of `out`, times its scale. */
  gather(size: Size, out: number, lists: RowLists, table: number): void;
  /** Multiplies a [rows, inner] by b [inner, width], and adds what the result starts from. */
  multiply(size: Size & { readonly inner: number }, out: number, a: number, b: number, start: Start): void;
  /** Adds max(0, a + b + row) to `old`: matrices of the size, and one row for all. */
  join(size: Size, out: number, old: number, a: number, b: number, row: number): void;
  /** Sums the columns of a matrix of the size, times the float at `scale`. */
  pool(size: Size, out: number, a: number, scale: number): void;
}

const FLOAT = 4;

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

/** A memory of at least so many bytes, all 0, and the loops over it: in WebAssembly where the machine has SIMD for it. */
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
