// Reads files with the weights of nets, and makes nets from them.
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CompiledMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { fileHash } from '../question/file-hash.js';
import type { Evaluator } from './evaluator.js';
import { DEFAULT_WEIGHTS, GraphNet } from './graph-net.js';
import { loadOnnx, OnnxNet } from './onnx-net.js';
import { readTensors, type TensorFile } from './safetensors.js';

/** Path of the default weights, which are part of the package. */
export const defaultWeights = fileURLToPath(new URL('../../../selfplay/nets/default.safetensors', import.meta.url));
const MOST_BYTES = 256 << 20;

/** The content of a file of weights. */
export interface Weights {
  /** First 12 hexadecimal digits of the SHA-256 of the file. */
  readonly hash: string;
  /** Tensors of a safetensors file; none for an ONNX model. */
  readonly file: TensorFile;
  /** Bytes of an ONNX model. Undefined for a safetensors file. */
  readonly model?: Uint8Array;
}

const ONNX = '.onnx';
const NO_TENSORS: TensorFile = { tensors: new Map(), metadata: {} };

/**
 * Reads a file of weights.
 * @param name path of a safetensors file, or of an ONNX model (onnx-net.ts) if it ends in .onnx; 'default' for the
 *   weights in the package
 * @param hash hash that the file must have; '' for any
 * @throws LepantoError if the file does not exist, contains no weights, is too large or has another hash; for an ONNX
 *   model also if the package onnxruntime-node is not installed
 */
export const readWeights = (name: string, hash = ''): Weights => {
  const path = name === DEFAULT_WEIGHTS ? defaultWeights : name;
  try {
    const { size } = statSync(path);
    if (size > MOST_BYTES) throw new LepantoError('file', `weights: got ${size} bytes, wanted at most ${MOST_BYTES}`);
    const bytes = readFileSync(path);
    const found = fileHash(bytes);
    if (hash !== '' && hash !== found) throw new LepantoError('file', `got weights with hash ${found}, wanted ${hash}`);
    if (!path.endsWith(ONNX)) return { file: readTensors(bytes), hash: found };
    loadOnnx();
    return { file: NO_TENSORS, model: new Uint8Array(bytes), hash: found };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const text = code === 'ENOENT' ? 'got no file, wanted weights of a net' : message;
    throw new LepantoError('file', `${path}: ${text}`);
  }
};

/** Makes a net for a map from weights. @throws LepantoError if the weights do not fit the map */
export const makeNet = (map: CompiledMap, { file, model }: Weights): Evaluator =>
  model === undefined ? new GraphNet(map, file) : new OnnxNet(map, model);
