// Validates the tensors of a graph net for a map, and reads the sizes of the net from their shapes.
import type { CompiledMap } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { columnsOf } from './features.js';
import { HEADS_WANTED, headColumns, headWidthOf } from './heads.js';
import type { TensorFile } from './safetensors.js';

/** Name of the format in the metadata of a file. Of a file without this entry only the tensors are checked. */
const FORMAT = 'lepanto graph net 1';
const NET = 'a graph net';
/** Widths of layers must be multiples of this number, because the loops of kernels/ compute eight columns at a time. */
const WIDTH_STEP = 8;
/** Number of rows that the kernels multiply at the same time. */
export const ROW_STEP = 4;
const MOST_WIDTH = 1024;
const MOST_LAYERS = 64;

/**
 * Throws the error for a file that cannot be used.
 * @param got description of the actual content, for the message
 * @param wanted description of the expected content, for the message
 * @throws LepantoError with the code 'file', always
 */
export const refuse = (got: string, wanted: string): never => {
  throw new LepantoError('file', `net: got ${got}, wanted ${wanted}`);
};

const wordOf = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

/** True if a width is at least 1, at most 1024 and a multiple of `step`. */
export const isWidth = (n: number, step: number): boolean => n > 0 && n % step === 0 && n <= MOST_WIDTH;

/** Returns the shape of a matrix in a file. @throws LepantoError if the file has no matrix of this name */
const widthsOf = ({ tensors }: TensorFile, name: string): readonly number[] => {
  const shape = tensors.get(name)?.shape;
  if (shape === undefined) return refuse(`no tensor "${name}"`, NET);
  return shape.length === 2 ? shape : refuse(`"${name}" of shape ${wordOf(shape)}`, 'two dimensions');
};

/** Sizes of a graph net that do not depend on its map. */
export interface NetShape {
  /** Number of layers. */
  readonly layers: number;
  /** Number of values for each location between two layers. */
  readonly width: number;
  /** Length of the vectors whose dot products are scores of orders (heads.ts). */
  readonly headWidth: number;
  /** Number of values in the hidden layer between the mean over all locations and the values of the powers. */
  readonly valueWidth: number;
}

/** Returns the sizes of the net in a file. @throws LepantoError if the file has no graph net of allowed sizes */
export const readShape = (file: TensorFile): NetShape => {
  const { format = FORMAT } = file.metadata;
  if (format !== FORMAT) refuse(`a file of format ${JSON.stringify(format)}`, JSON.stringify(FORMAT));
  let layers = 0;
  while (file.tensors.has(`layers.${layers}.bias`)) layers++;
  const [width, heads] = widthsOf(file, 'heads.weight');
  const [, valueWidth] = widthsOf(file, 'value.0.weight');
  const headWidth = headWidthOf(heads);
  if (!isWidth(width, WIDTH_STEP)) refuse(`a width of ${width}`, `a multiple of ${WIDTH_STEP} up to ${MOST_WIDTH}`);
  if (!isWidth(headWidth, ROW_STEP))
    refuse(`${heads} columns of heads`, `${HEADS_WANTED}, n a multiple of ${ROW_STEP}`);
  if (!isWidth(valueWidth, 1)) refuse(`a value width of ${valueWidth}`, `1 to ${MOST_WIDTH}`);
  if (layers > MOST_LAYERS) refuse(`${layers} layers`, `at most ${MOST_LAYERS}`);
  return { layers, width, headWidth, valueWidth };
};

/** Returns the shapes of all tensors of a net, keyed by name. Includes the value tensors, which no agent uses. */
export const tensorShapes = (map: CompiledMap, shape: NetShape): ReadonlyMap<string, readonly number[]> => {
  const { headWidth, layers, valueWidth, width } = shape;
  const ofLayers = Array.from({ length: layers }, (_, i): [string, number[]][] => [
    ...['self', 'near', 'all'].map((name): [string, number[]] => [`layers.${i}.${name}.weight`, [width, width]]),
    [`layers.${i}.bias`, [width]],
  ]);
  return new Map([
    ['input.weight', [columnsOf(map), width]],
    ['place.weight', [map.locationCount, width]],
    ...ofLayers.flat(),
    ['heads.weight', [width, headColumns(headWidth)]],
    ['heads.bias', [headColumns(headWidth)]],
    ['value.0.weight', [width, valueWidth]],
    ['value.0.bias', [valueWidth]],
    ['value.1.weight', [valueWidth, map.powerCount]],
    ['value.1.bias', [map.powerCount]],
  ]);
};

/**
 * Checks that a file has exactly the wanted tensors.
 * @param wanted shapes, keyed by tensor name
 * @param map name of the map, for error messages
 * @throws LepantoError if a tensor is missing, unknown or has the wrong shape
 */
export const checkTensors = (
  { tensors }: TensorFile,
  wanted: ReadonlyMap<string, readonly number[]>,
  map: string,
): void => {
  for (const [name, shape] of wanted) {
    const got = tensors.get(name)?.shape;
    if (got === undefined) refuse(`no tensor "${name}"`, `one of shape ${wordOf(shape)}`);
    else if (wordOf(got) !== wordOf(shape))
      refuse(`"${name}" of shape ${wordOf(got)}`, `${wordOf(shape)}, as on the map ${map}`);
  }
  for (const name of tensors.keys()) if (!wanted.has(name)) refuse(`tensor ${JSON.stringify(name)}`, `those of ${NET}`);
};
