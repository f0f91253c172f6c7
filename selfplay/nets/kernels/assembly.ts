// The four inner loops of nets, in AssemblyScript with SIMD, compiled by `npm run build:kernels`.
//
// kernels.ts documents them, has the same loops in plain TypeScript, and calls resize() before each. Matrices are
// float32 in row-major order. Addresses are in bytes. Widths are multiples of 8, and numbers of rows in products
// multiples of 4.

/** Size of a float32 in bytes. */
const FLOAT: usize = 4;
/** Size of four float32 values in bytes. */
const FOUR: usize = 16;
/** Number of rows of a product that are computed at the same time, in registers. */
const BLOCK_ROWS: usize = 4;
/** Number of bytes of each of these rows that are computed at the same time: eight float32 values. */
const BLOCK_BYTES: usize = 2 * FOUR;

/** Number of rows of the result. */
let rows: usize = 0;
/** Size of a row of the result in bytes. */
let width: usize = 0;
/** Size of a row of the first factor of a product in bytes. */
let inner: usize = 0;

/**
 * Sets the sizes for the next loop.
 * @param ofRows rows of the result
 * @param ofWidth floats in a row of the result
 * @param ofInner floats in a row of the first factor of a product
 */
export function resize(ofRows: usize, ofWidth: usize, ofInner: usize): void {
  rows = ofRows;
  width = ofWidth * FLOAT;
  inner = ofInner * FLOAT;
}

/** Writes to each row of `out` the scaled sum of the table rows in its list (Kernels.gather()). */
export function gather(out: usize, offsets: usize, indices: usize, table: usize, scales: usize): void {
  const bytes = width;
  const count = rows;
  for (let row: usize = 0; row < count; row++) {
    const scale = v128.load32_splat(scales + row * FLOAT);
    const first = indices + load<usize>(offsets + row * FLOAT) * FLOAT;
    const end = indices + load<usize>(offsets + row * FLOAT, FLOAT) * FLOAT;
    const to = out + row * bytes;
    for (let column: usize = 0; column < bytes; column += BLOCK_BYTES) {
      let low = f32x4.splat(0);
      let high = f32x4.splat(0);
      for (let at = first; at < end; at += FLOAT) {
        const from = table + load<usize>(at) * bytes + column;
        low = f32x4.add(low, v128.load(from));
        high = f32x4.add(high, v128.load(from, FOUR));
      }
      v128.store(to + column, f32x4.mul(low, scale));
      v128.store(to + column, f32x4.mul(high, scale), FOUR);
    }
  }
}

/** Returns sum + factor * four, for four floats at a time. */
function addProduct(sum: v128, factor: v128, four: v128): v128 {
  return f32x4.add(sum, f32x4.mul(factor, four));
}

/**
 * Stores eight floats of a row: the sums, or old + max(0, sum) if `old` is not 0.
 * @param place offset in bytes in both matrices
 */
function storeRow(out: usize, old: usize, place: usize, low: v128, high: v128): void {
  let first = low;
  let second = high;
  if (old !== 0) {
    const zero = f32x4.splat(0);
    first = f32x4.add(v128.load(old + place), f32x4.max(first, zero));
    second = f32x4.add(v128.load(old + place, FOUR), f32x4.max(second, zero));
  }
  v128.store(out + place, first);
  v128.store(out + place, second, FOUR);
}

/**
 * Writes a matrix product plus a start matrix to `out` (Kernels.multiply()).
 * @param startStride bytes between rows of the start matrix
 * @param old address of a matrix; 0 for none
 */
export function multiply(out: usize, a: usize, b: usize, start: usize, startStride: usize, old: usize): void {
  const bytes = width;
  const terms = inner;
  const count = rows;
  for (let row: usize = 0; row < count; row += BLOCK_ROWS)
    for (let column: usize = 0; column < bytes; column += BLOCK_BYTES) {
      const from = start + row * startStride + column;
      let low0 = v128.load(from);
      let high0 = v128.load(from, FOUR);
      let low1 = v128.load(from + startStride);
      let high1 = v128.load(from + startStride, FOUR);
      let low2 = v128.load(from + 2 * startStride);
      let high2 = v128.load(from + 2 * startStride, FOUR);
      let low3 = v128.load(from + 3 * startStride);
      let high3 = v128.load(from + 3 * startStride, FOUR);
      let ofB = b + column;
      let a0 = a + row * terms;
      let a1 = a0 + terms;
      let a2 = a1 + terms;
      let a3 = a2 + terms;
      const end = a1;
      while (a0 < end) {
        const low = v128.load(ofB);
        const high = v128.load(ofB, FOUR);
        ofB += bytes;
        const factor0 = v128.load32_splat(a0);
        low0 = addProduct(low0, factor0, low);
        high0 = addProduct(high0, factor0, high);
        const factor1 = v128.load32_splat(a1);
        low1 = addProduct(low1, factor1, low);
        high1 = addProduct(high1, factor1, high);
        const factor2 = v128.load32_splat(a2);
        low2 = addProduct(low2, factor2, low);
        high2 = addProduct(high2, factor2, high);
        const factor3 = v128.load32_splat(a3);
        low3 = addProduct(low3, factor3, low);
        high3 = addProduct(high3, factor3, high);
        a0 += FLOAT;
        a1 += FLOAT;
        a2 += FLOAT;
        a3 += FLOAT;
      }
      const place = row * bytes + column;
      storeRow(out, old, place, low0, high0);
      storeRow(out, old, place + bytes, low1, high1);
      storeRow(out, old, place + 2 * bytes, low2, high2);
      storeRow(out, old, place + 3 * bytes, low3, high3);
    }
}

/**
 * Writes old + max(0, a + b + row) to `out` (Kernels.join()).
 * @param each address of the row, which is added to each row
 */
export function join(out: usize, old: usize, a: usize, b: usize, each: usize): void {
  const bytes = width;
  const end = rows * bytes;
  const zero = f32x4.splat(0);
  for (let row: usize = 0; row < end; row += bytes)
    for (let column: usize = 0; column < bytes; column += FOUR) {
      const at = row + column;
      const sum = f32x4.add(f32x4.add(v128.load(a + at), v128.load(b + at)), v128.load(each + column));
      v128.store(out + at, f32x4.add(v128.load(old + at), f32x4.max(sum, zero)));
    }
}

/**
 * Writes the sum of the rows of a matrix, multiplied by a factor, to the row `out` (Kernels.pool()).
 * @param scale address of the factor
 */
export function pool(out: usize, a: usize, scale: usize): void {
  const bytes = width;
  const end = rows * bytes;
  const factor = v128.load32_splat(scale);
  for (let column: usize = 0; column < bytes; column += FOUR) {
    let sum = f32x4.splat(0);
    for (let row: usize = 0; row < end; row += bytes) sum = f32x4.add(sum, v128.load(a + row + column));
    v128.store(out + column, f32x4.mul(sum, factor));
  }
}
