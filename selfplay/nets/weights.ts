// Files of nets by name: what they hold, and nets made from them.
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CompiledMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { fileHash } from '../question/file-hash.js';
import type { Evaluator } from './evaluator.js';
import { DEFAULT_WEIGHTS, GraphNet } from './graph-net.js';
import { loadOnnx, OnnxNet } from './onnx-net.js';
import { readTensors, type TensorFile } from './safetensors.js';

/** The file of the weights that ship. */
export const defaultWeights = fileURLToPath(new URL('../../../selfplay/nets/default.safetensors', import.meta.url));
const MOST_BYTES = 256 << 20;

/** A file of weights. */
export interface Weights {
  /** The first digits of the SHA-256 of the file. */
  readonly hash: string;
  /** Its tensors; none of a model in ONNX. */
  readonly file: TensorFile;
  /** The bytes of a model in ONNX. */
  readonly model?: Uint8Array;
}

const ONNX = '.onnx';
const NO_TENSORS: TensorFile = { tensors: new Map(), metadata: {} };

/**
 * Reads weights.
 * @param name a path, or 'default' for the weights that ship; a path that ends in .onnx is that of a model in ONNX (onnx-net.ts)
 * @param hash what the file must have; '' for any
 * @throws LepantoError for a file that is not there, holds no weights or has another hash; for a model in ONNX also if
 * the package onnxruntime-node is not installed
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
    throw new LepantoError('file', `${path}: ${(error as Error).message}`);
  }
};

/** Makes a net of a map. @throws LepantoError if the weights are those of another map */
export const makeNet = (map: CompiledMap, { file, model }: Weights): Evaluator =>
  model === undefined ? new GraphNet(map, file) : new OnnxNet(map, model);
