// The four loops in which a net spends its time, over one memory of floats: in WebAssembly with SIMD, and the same in
// plain JavaScript, which test/selfplay/nets/net.test.ts holds the first to.
//
//   gather    out[r] = scale[r] * (sum of the rows of a table that are listed for r)
//   multiply  out = start + a b, then the greater of that and 0 added to `out` as it was, if asked for
//   join      out = old + the greater of (a + b + a row) and 0
//   pool      out = mean of the rows of a
//
// Matrices are float32, row after row. All addresses are bytes, all widths multiples of 8, rows multiplied multiples of 4.
import * as W from './wasm-code.js';

/** The loops over the memory of a net. */
export interface Kernels {
  /** Sums listed rows: indices[offsets[r] .. offsets[r + 1]) of the table, for each row r of `out`. */
  gather(
    out: number,
    rows: number,
    width: number,
    offsets: number,
    indices: number,
    table: number,
    scales: number,
  ): void;
  /**
   * Multiplies a [rows, inner] by b [inner, width].
   * @param start what the product is added to: row r begins at start + r * startStride, so a stride of 0 is one row for all
   * @param old 0, or a matrix: `out` becomes old + max(0, result)
   */
  multiply(
    out: number,
    a: number,
    b: number,
    rows: number,
    inner: number,
    width: number,
    start: number,
    startStride: number,
    old: number,
  ): void;
  /** Adds max(0, a + b + row) to `old`: matrices of [rows, width], and one row for all. */
  join(out: number, old: number, a: number, b: number, rows: number, width: number, row: number): void;
  /** Sums the columns of a [rows, width] matrix, times the float at `scale`. */
  pool(out: number, a: number, rows: number, width: number, scale: number): void;
}

const FLOAT = 4;
/** Rows and columns of the block of a product that is kept in registers. */
const BLOCK_ROWS = 4;
const BLOCK_COLUMNS = 8;
/** Terms of a product in one turn of the innermost loop. */
const TERMS = 4;

const times4 = (value: W.Code): W.Code => W.multiply(value, W.constant(FLOAT));

const gatherCode = (): W.WasmFunction => {
  const [out, rows, width, offsets, indices, table, scales] = [0, 1, 2, 3, 4, 5, 6];
  const [row, column, at, end, bytes, from] = [7, 8, 9, 10, 11, 12];
  const [sumLow, sumHigh] = [13, 14];
  const addRow = [
    ...W.set(from, W.add(W.add(W.get(table), W.multiply(W.loadWord(W.get(at)), W.get(bytes))), W.get(column))),
    ...W.set(sumLow, W.addFour(W.get(sumLow), W.loadFour(W.get(from)))),
    ...W.set(sumHigh, W.addFour(W.get(sumHigh), W.loadFour(W.get(from), 16))),
    ...W.advance(at, W.constant(FLOAT)),
  ];
  const address = W.add(W.get(out), W.get(column));
  const scale = W.loadSplat(W.get(scales));
  const columns = [
    ...W.set(sumLow, W.zeroFour),
    ...W.set(sumHigh, W.zeroFour),
    ...W.set(at, W.add(W.get(indices), times4(W.loadWord(W.get(offsets))))),
    ...W.set(end, W.add(W.get(indices), times4(W.loadWord(W.add(W.get(offsets), W.constant(FLOAT)))))),
    ...W.whileLess(at, W.get(end), addRow),
    ...W.storeFour(address, W.multiplyFour(W.get(sumLow), scale)),
    ...W.storeFour(address, W.multiplyFour(W.get(sumHigh), scale), 16),
    ...W.advance(column, W.constant(2 * 16)),
  ];
  return {
    name: 'gather',
    parameters: 7,
    words: 6,
    fours: 2,
    body: [
      ...W.set(bytes, times4(W.get(width))),
      ...W.set(row, W.constant(0)),
      ...W.whileLess(row, W.get(rows), [
        ...W.set(column, W.constant(0)),
        ...W.whileLess(column, W.get(bytes), columns),
        ...W.advance(out, W.get(bytes)),
        ...W.advance(offsets, W.constant(FLOAT)),
        ...W.advance(scales, W.constant(FLOAT)),
        ...W.advance(row, W.constant(1)),
      ]),
    ],
  };
};

const multiplyCode = (): W.WasmFunction => {
  const [out, a, b, rows, inner, width, start, startStride, old] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const [row, column, term, widthBytes, innerBytes, ofB, to, from] = [9, 10, 11, 12, 13, 14, 15, 16];
  const ofA = [17, 18, 19, 20];
  const sums = [21, 22, 23, 24, 25, 26, 27, 28];
  const [low, high] = [29, 30];
  const blockRows = [0, 1, 2, 3];
  const begin = blockRows.flatMap((r) => [
    ...W.set(
      from,
      W.add(W.add(W.get(start), W.multiply(W.add(W.get(row), W.constant(r)), W.get(startStride))), W.get(column)),
    ),
    ...W.set(sums[2 * r], W.loadFour(W.get(from))),
    ...W.set(sums[2 * r + 1], W.loadFour(W.get(from), 16)),
    ...W.set(ofA[r], W.add(W.get(a), W.multiply(W.add(W.get(row), W.constant(r)), W.get(innerBytes)))),
  ]);
  const oneTerm = (t: number): W.Code => [
    ...W.set(low, W.loadFour(W.get(ofB))),
    ...W.set(high, W.loadFour(W.get(ofB), 16)),
    ...W.advance(ofB, W.get(widthBytes)),
    ...blockRows.flatMap((r) => {
      const factor = W.loadSplat(W.get(ofA[r]), t * FLOAT);
      return [
        ...W.set(sums[2 * r], W.addFour(W.get(sums[2 * r]), W.multiplyFour(factor, W.get(low)))),
        ...W.set(sums[2 * r + 1], W.addFour(W.get(sums[2 * r + 1]), W.multiplyFour(factor, W.get(high)))),
      ];
    }),
  ];
  const terms = [
    ...[0, 1, 2, 3].flatMap(oneTerm),
    ...ofA.flatMap((variable) => W.advance(variable, W.constant(TERMS * FLOAT))),
    ...W.advance(term, W.constant(TERMS)),
  ];
  const end = blockRows.flatMap((r) => {
    const place = (base: number): W.Code =>
      W.add(W.add(W.get(base), W.multiply(W.add(W.get(row), W.constant(r)), W.get(widthBytes))), W.get(column));
    const rest = (sum: number, offset: number): W.Code =>
      W.set(sum, W.addFour(W.loadFour(W.get(from), offset), W.greaterFour(W.get(sum), W.zeroFour)));
    return [
      ...W.whenSet(W.get(old), [...W.set(from, place(old)), ...rest(sums[2 * r], 0), ...rest(sums[2 * r + 1], 16)]),
      ...W.set(to, place(out)),
      ...W.storeFour(W.get(to), W.get(sums[2 * r])),
      ...W.storeFour(W.get(to), W.get(sums[2 * r + 1]), 16),
    ];
  });
  return {
    name: 'multiply',
    parameters: 9,
    words: 12,
    fours: 10,
    body: [
      ...W.set(widthBytes, times4(W.get(width))),
      ...W.set(innerBytes, times4(W.get(inner))),
      ...W.set(column, W.constant(0)),
      ...W.whileLess(column, W.get(widthBytes), [
        ...W.set(row, W.constant(0)),
        ...W.whileLess(row, W.get(rows), [
          ...begin,
          ...W.set(ofB, W.add(W.get(b), W.get(column))),
          ...W.set(term, W.constant(0)),
          ...W.whileLess(term, W.get(inner), terms),
          ...end,
          ...W.advance(row, W.constant(BLOCK_ROWS)),
        ]),
        ...W.advance(column, W.constant(BLOCK_COLUMNS * FLOAT)),
      ]),
    ],
  };
};

const joinCode = (): W.WasmFunction => {
  const [out, old, a, b, rows, width, each] = [0, 1, 2, 3, 4, 5, 6];
  const [row, column, bytes, at] = [7, 8, 9, 10];
  const sum = 11;
  const place = (base: number): W.Code => W.loadFour(W.add(W.get(base), W.get(at)));
  return {
    name: 'join',
    parameters: 7,
    words: 4,
    fours: 1,
    body: [
      ...W.set(bytes, times4(W.get(width))),
      ...W.set(row, W.constant(0)),
      ...W.set(at, W.constant(0)),
      ...W.whileLess(row, W.get(rows), [
        ...W.set(column, W.constant(0)),
        ...W.whileLess(column, W.get(bytes), [
          ...W.set(sum, W.addFour(place(a), place(b))),
          ...W.set(sum, W.addFour(W.get(sum), W.loadFour(W.add(W.get(each), W.get(column))))),
          ...W.set(sum, W.addFour(place(old), W.greaterFour(W.get(sum), W.zeroFour))),
          ...W.storeFour(W.add(W.get(out), W.get(at)), W.get(sum)),
          ...W.advance(at, W.constant(16)),
          ...W.advance(column, W.constant(16)),
        ]),
        ...W.advance(row, W.constant(1)),
      ]),
    ],
  };
};

const poolCode = (): W.WasmFunction => {
  const [out, a, rows, width, scale] = [0, 1, 2, 3, 4];
  const [row, column, bytes, from] = [5, 6, 7, 8];
  const sum = 9;
  return {
    name: 'pool',
    parameters: 5,
    words: 4,
    fours: 1,
    body: [
      ...W.set(bytes, times4(W.get(width))),
      ...W.set(column, W.constant(0)),
      ...W.whileLess(column, W.get(bytes), [
        ...W.set(sum, W.zeroFour),
        ...W.set(from, W.add(W.get(a), W.get(column))),
        ...W.set(row, W.constant(0)),
        ...W.whileLess(row, W.get(rows), [
          ...W.set(sum, W.addFour(W.get(sum), W.loadFour(W.get(from)))),
          ...W.advance(from, W.get(bytes)),
          ...W.advance(row, W.constant(1)),
        ]),
        ...W.storeFour(W.add(W.get(out), W.get(column)), W.multiplyFour(W.get(sum), W.loadSplat(W.get(scale)))),
        ...W.advance(column, W.constant(16)),
      ]),
    ],
  };
};

/** The loops in plain JavaScript. */
export const plainKernels = (memory: ArrayBuffer): Kernels => {
  const floats = new Float32Array(memory);
  const words = new Int32Array(memory);
  return {
    gather(out, rows, width, offsets, indices, table, scales) {
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
    multiply(out, a, b, rows, inner, width, start, startStride, old) {
      for (let r = 0; r < rows; r++)
        for (let c = 0; c < width; c++) {
          let sum = floats[(start + r * startStride) / FLOAT + c];
          for (let k = 0; k < inner; k++) sum += floats[a / FLOAT + r * inner + k] * floats[b / FLOAT + k * width + c];
          if (old !== 0) sum = floats[old / FLOAT + r * width + c] + Math.max(sum, 0);
          floats[out / FLOAT + r * width + c] = sum;
        }
    },
    join(out, old, a, b, rows, width, row) {
      for (let i = 0; i < rows * width; i++) {
        const sum = floats[a / FLOAT + i] + floats[b / FLOAT + i] + floats[row / FLOAT + (i % width)];
        floats[out / FLOAT + i] = floats[old / FLOAT + i] + Math.max(sum, 0);
      }
    },
    pool(out, a, rows, width, scale) {
      for (let c = 0; c < width; c++) {
        let sum = 0;
        for (let r = 0; r < rows; r++) sum += floats[a / FLOAT + r * width + c];
        floats[out / FLOAT + c] = sum * floats[scale / FLOAT];
      }
    },
  };
};

// What the types of Node alone do not declare of WebAssembly.
interface WasmMemory {
  readonly buffer: ArrayBuffer;
}
interface Wasm {
  readonly Memory: new (size: { initial: number; maximum: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}
declare const WebAssembly: Wasm | undefined;

const PAGE_BYTES = 1 << 16;
let kernelModule: object | null = null;

/** A memory of at least so many bytes, all 0, and the loops over it: in WebAssembly where the machine has SIMD for it. */
export const makeKernels = (bytes: number, plain = false): { memory: ArrayBuffer; kernels: Kernels } => {
  const code = wasmModuleOfKernels();
  if (plain || typeof WebAssembly === 'undefined' || !WebAssembly.validate(code)) {
    const memory = new ArrayBuffer(bytes);
    return { memory, kernels: plainKernels(memory) };
  }
  const pages = Math.ceil(bytes / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  kernelModule ??= new WebAssembly.Module(code);
  const { exports } = new WebAssembly.Instance(kernelModule, { m: { m: memory } });
  return { memory: memory.buffer, kernels: exports as unknown as Kernels };
};

/** The loops as a WebAssembly module. */
export const wasmModuleOfKernels = (): Uint8Array<ArrayBuffer> =>
  W.wasmModule([gatherCode(), multiplyCode(), joinCode(), poolCode()]);
