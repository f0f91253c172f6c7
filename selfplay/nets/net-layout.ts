// What nets of all makes need: where their numbers are in memory, and whether those of a file fit.
import { LepantoError } from '../../engine/rules/error.js';
import type { TensorFile } from './safetensors.js';

export const FLOAT = 4;
/** The kernels work on widths of so many, and multiply so many rows at once. */
export const WIDTH_STEP = 8;
export const ROW_STEP = 4;
export const MOST_WIDTH = 1024;

export const refuse = (got: string, wanted: string): never => {
  throw new LepantoError('file', `net: got ${got}, wanted ${wanted}`);
};

const wordOf = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

/** Whether a width is above 0, not too large, and a multiple of a step. */
export const isWidth = (n: number, step: number): boolean => n > 0 && n % step === 0 && n <= MOST_WIDTH;

/** Lengths of a matrix of a file. @throws LepantoError if there is no such matrix */
export const widthsOf = (tensors: TensorFile['tensors'], name: string, net: string): readonly number[] => {
  const shape = tensors.get(name)?.shape;
  if (shape === undefined) return refuse(`no tensor "${name}"`, net);
  return shape.length === 2 ? shape : refuse(`"${name}" of shape ${wordOf(shape)}`, 'two dimensions');
};

/**
 * Holds the tensors of a file to those that are wanted.
 * @param net 'a graph net'
 * @throws LepantoError for a tensor that is missing, too many or of another shape
 */
export const checkTensors = (
  { tensors }: TensorFile,
  wanted: ReadonlyMap<string, readonly number[]>,
  net: string,
): void => {
  for (const [name, shape] of wanted) {
    const got = tensors.get(name)?.shape;
    if (got === undefined) refuse(`no tensor "${name}"`, `one of shape ${wordOf(shape)}`);
    else if (wordOf(got) !== wordOf(shape)) refuse(`"${name}" of shape ${wordOf(got)}`, `${wordOf(shape)} on this map`);
  }
  for (const name of tensors.keys()) if (!wanted.has(name)) refuse(`tensor ${JSON.stringify(name)}`, `those of ${net}`);
};

/** Gives out addresses one after the other. */
export class AddressPlan {
  /** Address 0 is no address. */
  bytes = 16;

  take(words: number): number {
    const begin = this.bytes;
    this.bytes += ((words + 3) & ~3) * FLOAT;
    return begin;
  }
}

export const roundUp = (n: number, step: number): number => Math.ceil(n / step) * step;
