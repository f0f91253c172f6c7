// A net from the tensors of its file. Needs nothing of Node.
import type { CompiledMap } from '../../engine/internal.js';
import type { Evaluator } from './evaluator.js';
import { GraphNet } from './graph-net.js';
import { MLP_FORMAT, MlpNet } from './mlp-net.js';
import type { TensorFile } from './safetensors.js';

/** The name of the weights that ship. */
export const DEFAULT_WEIGHTS = 'default';

/** @throws LepantoError if the weights are those of another map */
export const tensorNet = (map: CompiledMap, file: TensorFile): Evaluator =>
  file.metadata.format === MLP_FORMAT ? new MlpNet(map, file) : new GraphNet(map, file);
