// What the nets have in common that run in this thread: their numbers are in one memory of the kernels, those of a file
// must fit, and a matrix of heads is what they make of a position.
import type { CompiledMap, Game } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import type { Evaluator } from './evaluator.js';
import { Features } from './features.js';
import { HEADS_WANTED, Heads, headColumns, headWidthOf } from './heads.js';
import { type Kernels, makeKernels } from './kernels/kernels.js';
import type { TensorFile } from './safetensors.js';

export const FLOAT = 4;
/** The kernels work on widths of so many, and multiply so many rows at once. */
const WIDTH_STEP = 8;
export const ROW_STEP = 4;
const MOST_WIDTH = 1024;
const MOST_LAYERS = 64;

export const refuse = (got: string, wanted: string): never => {
  throw new LepantoError('file', `net: got ${got}, wanted ${wanted}`);
};

const wordOf = (shape: readonly number[]): string => `[${shape.join(', ')}]`;

/** Whether a width is above 0, not too large, and a multiple of a step. */
export const isWidth = (n: number, step: number): boolean => n > 0 && n % step === 0 && n <= MOST_WIDTH;

export const checkWidth = (name: string, width: number): void => {
  if (!isWidth(width, WIDTH_STEP)) refuse(`a ${name} of ${width}`, `a multiple of ${WIDTH_STEP} up to ${MOST_WIDTH}`);
};

/** Lengths of a matrix of a file. @throws LepantoError if there is no such matrix */
export const widthsOf = ({ tensors }: TensorFile, name: string, net: string): readonly number[] => {
  const shape = tensors.get(name)?.shape;
  if (shape === undefined) return refuse(`no tensor "${name}"`, net);
  return shape.length === 2 ? shape : refuse(`"${name}" of shape ${wordOf(shape)}`, 'two dimensions');
};

/** Sizes of a net, but for those of its map. */
export interface NetShape {
  readonly layers: number;
  /** Numbers of a location that `heads` are made of. */
  readonly inner: number;
  /** Length of the vectors whose products are scores. */
  readonly headWidth: number;
  /** Numbers between what is known of the board and the values. */
  readonly valueWidth: number;
}

/** Sizes of the net in a file, by the shapes of its tensors. @throws LepantoError if it is no net */
export const readShape = (file: TensorFile, net: string): NetShape => {
  let layers = 0;
  while (file.tensors.has(`layers.${layers}.bias`)) layers++;
  const [inner, heads] = widthsOf(file, 'heads.weight', net);
  const [, valueWidth] = widthsOf(file, 'value.0.weight', net);
  const headWidth = headWidthOf(heads);
  checkWidth('width', inner);
  if (!isWidth(headWidth, ROW_STEP))
    refuse(`${heads} columns of heads`, `${HEADS_WANTED}, n a multiple of ${ROW_STEP}`);
  if (!isWidth(valueWidth, 1)) refuse(`a value width of ${valueWidth}`, `1 to ${MOST_WIDTH}`);
  if (layers > MOST_LAYERS) refuse(`${layers} layers`, `at most ${MOST_LAYERS}`);
  return { layers, inner, headWidth, valueWidth };
};

export type Shapes = ReadonlyMap<string, readonly number[]>;

/** Shapes of the tensors behind the layers. Those of the values are in every file; no agent asks for values. */
export const lastShapes = (
  { powerCount }: CompiledMap,
  width: number,
  { inner, headWidth, valueWidth }: NetShape,
): Shapes =>
  new Map([
    ['heads.weight', [inner, headColumns(headWidth)]],
    ['heads.bias', [headColumns(headWidth)]],
    ['value.0.weight', [width, valueWidth]],
    ['value.0.bias', [valueWidth]],
    ['value.1.weight', [valueWidth, powerCount]],
    ['value.1.bias', [powerCount]],
  ]);

/** @throws LepantoError for a tensor that is missing, too many or of another shape */
const checkTensors = ({ tensors }: TensorFile, wanted: Shapes, net: string, map: string): void => {
  for (const [name, shape] of wanted) {
    const got = tensors.get(name)?.shape;
    if (got === undefined) refuse(`no tensor "${name}"`, `one of shape ${wordOf(shape)}`);
    else if (wordOf(got) !== wordOf(shape))
      refuse(`"${name}" of shape ${wordOf(got)}`, `${wordOf(shape)}, as on the map ${map}`);
  }
  for (const name of tensors.keys()) if (!wanted.has(name)) refuse(`tensor ${JSON.stringify(name)}`, `those of ${net}`);
};

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

interface Layout<Work> {
  /** 'a graph net' */
  readonly net: string;
  readonly shapes: Shapes;
  readonly shape: NetShape;
  /** Zeros behind the first tensor. */
  readonly gap?: number;
  /** Addresses of what is computed. */
  readonly work: (plan: AddressPlan) => Work;
}

/** A net that runs in this thread. */
export abstract class LocalNet<Work> implements Evaluator {
  protected readonly features = new Features(this.map);
  protected readonly shape: NetShape;
  protected readonly at: Work;
  protected readonly kernels: Kernels;
  protected readonly floats: Float32Array;
  protected readonly words: Int32Array;
  private readonly tensors: ReadonlyMap<string, number>;
  private readonly heads: Heads;
  private readonly headsAt: number;

  /** @param plain true: without WebAssembly @throws LepantoError if it is no such net for this map */
  constructor(
    readonly map: CompiledMap,
    file: TensorFile,
    { net, shapes, shape, gap = 0, work }: Layout<Work>,
    plain: boolean,
  ) {
    checkTensors(file, shapes, net, map.name);
    const plan = new AddressPlan();
    const rows = roundUp(map.locationCount, ROW_STEP);
    this.shape = shape;
    this.tensors = new Map(
      Array.from(shapes, ([name, lengths], i) => {
        const at = plan.take(lengths.reduce((product, length) => product * length, 1));
        if (i === 0) plan.take(gap);
        return [name, at];
      }),
    );
    this.at = work(plan);
    this.headsAt = plan.take(rows * headColumns(shape.headWidth));
    const { memory, kernels } = makeKernels(plan.bytes, plain);
    this.kernels = kernels;
    this.floats = new Float32Array(memory);
    this.words = new Int32Array(memory);
    for (const [name, { values }] of file.tensors) this.floats.set(values, this.addressOf(name) / FLOAT);
    this.heads = new Heads(this.floats.subarray(this.headsAt / FLOAT), map.locationCount, shape.headWidth);
  }

  abstract evaluate(game: Game): void;

  protected addressOf(name: string): number {
    return this.tensors.get(name) ?? refuse(`no tensor "${name}"`, 'a net');
  }

  /** Makes the heads of what is known of each location. */
  protected readHeads(locations: number): void {
    const { inner, headWidth } = this.shape;
    const size = { rows: roundUp(this.map.locationCount, ROW_STEP), inner, width: headColumns(headWidth) };
    const weight = this.addressOf('heads.weight');
    this.kernels.multiply(size, this.headsAt, locations, weight, { at: this.addressOf('heads.bias') });
  }

  scoreOrders(orders: Int32Array): Float32Array {
    return this.heads.scores(orders);
  }
}
