// Reads safetensors files: named tensors, without executable code
// (https://github.com/huggingface/safetensors, "Format"). Checks all bounds before it reads data or allocates memory.
//
//   8 bytes    length of the header, little-endian
//   header     JSON: {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {...}}
//   data       the tensors, row after row, little-endian
import { LepantoError } from '../../engine/rules/error.js';
import { isObject } from '../../engine/rules/shape.js';

/** A tensor, converted to float32. */
export interface Tensor {
  /** Lengths of the dimensions. */
  readonly shape: readonly number[];
  /** Elements in row-major order. */
  readonly values: Float32Array;
}

/** The content of a safetensors file. */
export interface TensorFile {
  /** Tensors, keyed by name. */
  readonly tensors: ReadonlyMap<string, Tensor>;
  /** The file's `__metadata__`: texts keyed by name. */
  readonly metadata: Readonly<Record<string, string>>;
}

const LENGTH_BYTES = 8;
const MOST_HEADER_BYTES = 1 << 20;
const MOST_DIMENSIONS = 8;
const METADATA = '__metadata__';

/** Size of an element in bytes, and function that reads one, keyed by name of the element type. */
const readers: ReadonlyMap<string, readonly [bytes: number, read: (view: DataView, at: number) => number]> = new Map([
  ['F32', [4, (view, at) => view.getFloat32(at, true)]],
  ['F16', [2, (view, at) => halfToFloat(view.getUint16(at, true))]],
  ['BF16', [2, (view, at) => upperHalfToFloat(view.getUint16(at, true))]],
]);

const word = new DataView(new ArrayBuffer(4));
/** Converts a bfloat16, which is the upper half of a float32, to a number. @param bits its 16 bits */
const upperHalfToFloat = (bits: number): number => {
  word.setUint32(0, bits << 16);
  return word.getFloat32(0);
};

/** Converts a half-precision float (IEEE 754 binary16) to a number. @param bits its 16 bits */
const halfToFloat = (bits: number): number => {
  const sign = bits >> 15 === 0 ? 1 : -1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 0x400) * 2 ** (exponent - 15);
};

const refuse = (got: string, wanted: string): never => {
  throw new LepantoError('file', `weights: got ${got}, wanted ${wanted}`);
};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * Parses the header of a file. Returns it with the offset of the data in the file.
 * @throws LepantoError if the header is too long or not a JSON object
 */
const readHeader = (bytes: Uint8Array): readonly [Readonly<Record<string, unknown>>, dataBegin: number] => {
  if (bytes.length < LENGTH_BYTES) refuse(`${bytes.length} bytes`, 'a safetensors file');
  const length = new DataView(bytes.buffer, bytes.byteOffset, LENGTH_BYTES).getBigUint64(0, true);
  const most = Math.min(MOST_HEADER_BYTES, bytes.length - LENGTH_BYTES);
  if (length > most) refuse(`a header of ${length} bytes in a file of ${bytes.length}`, 'a safetensors file');
  const dataBegin = LENGTH_BYTES + Number(length);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(LENGTH_BYTES, dataBegin)));
  } catch {
    return refuse('a header that is not JSON', 'a safetensors file');
  }
  return isObject(header) ? [header, dataBegin] : refuse('a header that is no object', 'a safetensors file');
};

/**
 * Reads a tensor. Returns it with its byte range in the data.
 * @param entry header entry of the tensor
 * @throws LepantoError for an invalid entry, or values that are not finite
 */
const readTensor = (name: string, entry: unknown, data: DataView): readonly [Tensor, begin: number, end: number] => {
  const of = `tensor ${JSON.stringify(name)}`;
  if (!isObject(entry)) return refuse(`${of} that is no object`, '{dtype, shape, data_offsets}');
  const { dtype, shape, data_offsets: offsets } = entry;
  const reader = readers.get(String(dtype));
  if (reader === undefined) return refuse(`${of} of type ${JSON.stringify(dtype)}`, 'F32, F16 or BF16');
  if (!Array.isArray(shape) || shape.length > MOST_DIMENSIONS || !shape.every(isCount))
    return refuse(`${of} of shape ${JSON.stringify(shape)}`, `at most ${MOST_DIMENSIONS} lengths`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount))
    return refuse(`${of} at ${JSON.stringify(offsets)}`, 'where it begins and ends');
  const [begin, end] = offsets as [number, number];
  const [size, read] = reader;
  const count = (shape as number[]).reduce((product, length) => product * length, 1);
  if (begin > end || end > data.byteLength || end - begin !== count * size)
    return refuse(
      `${of} of shape [${shape.join(', ')}] at ${begin} to ${end} of ${data.byteLength} bytes`,
      `${count * size} bytes of the file`,
    );
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) values[i] = read(data, begin + i * size);
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0) return refuse(`${of} with ${values[wrong]} at ${wrong}`, 'finite numbers');
  return [{ shape: shape as number[], values }, begin, end];
};

/**
 * Reads a safetensors file whose tensors are F32, F16 or BF16.
 * @throws LepantoError for another format (a pickle), inconsistent lengths, overlapping tensors, NaN or infinity
 */
export const readTensors = (bytes: Uint8Array): TensorFile => {
  const [header, dataBegin] = readHeader(bytes);
  const data = new DataView(bytes.buffer, bytes.byteOffset + dataBegin, bytes.length - dataBegin);
  const tensors = new Map<string, Tensor>();
  const metadata: Record<string, string> = {};
  const places: [begin: number, end: number, name: string][] = [];
  for (const [name, entry] of Object.entries(header)) {
    if (name === METADATA) {
      if (!isObject(entry) || !Object.values(entry).every((text) => typeof text === 'string'))
        refuse('metadata that are not texts', 'texts by name');
      Object.assign(metadata, entry);
      continue;
    }
    const [tensor, begin, end] = readTensor(name, entry, data);
    tensors.set(name, tensor);
    places.push([begin, end, name]);
  }
  places.sort(([a], [b]) => a - b);
  places.forEach(([begin, , name], i) => {
    if (i > 0 && begin < places[i - 1][1])
      refuse(`tensors "${places[i - 1][2]}" and "${name}" in one place`, 'each its own');
  });
  return { tensors, metadata };
};
