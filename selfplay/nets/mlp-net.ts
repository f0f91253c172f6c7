// The forward pass of a multilayer perceptron: the whole board in one vector.
//
//   h      = max(0, input[location x columns + column, for all columns that are 1] + phase[phase] + bias)     [width]
//   h      = h + max(0, h weight + bias)                                                                      each layer
//   places = h place                                                                      [locations, place width]
//   heads  = places heads                                                                 [locations, pairs ...]
//   value  = softmax(max(0, h value.0 + bias) value.1 + bias)                             [powers]
//
// Scores follow from heads as those of the graph net do. Few columns of a position are not those of an empty board, so
// that the input's table is kept as differences from an empty board's, and an input is a sum of about a hundred rows.
// Positions are evaluated together: each product reads its weights once for four of them.
import type { CompiledMap, Game } from '../../engine/internal.js';
import type { Evaluator } from './evaluator.js';
import { Features, SLOTS } from './features.js';
import { FullHeads, headColumns, PAIRS, SINGLES, scoreOrder, ValueHead } from './heads.js';
import { type Kernels, makeKernels } from './kernels/kernels.js';
import {
  AddressPlan,
  checkTensors,
  FLOAT,
  isWidth,
  MOST_WIDTH,
  ROW_STEP,
  refuse,
  roundUp,
  WIDTH_STEP,
  widthsOf,
} from './net-layout.js';
import type { TensorFile } from './safetensors.js';

/** What the metadata of its files call it. */
export const MLP_FORMAT = 'lepanto mlp 1';
const PHASES = 5;
const MOST_LAYERS = 64;
const NAME = 'a multilayer perceptron';

/** Sizes of the net; those of the map are not among them. */
export interface MlpShape {
  /** Numbers of a position. */
  readonly width: number;
  readonly layers: number;
  /** Numbers of a location, behind the layers. */
  readonly placeWidth: number;
  /** Length of the vectors whose products are scores. */
  readonly headWidth: number;
  readonly valueWidth: number;
}

/** Shapes of all tensors of a net for a map, by name. */
export const mlpShapes = (map: CompiledMap, shape: MlpShape): ReadonlyMap<string, readonly number[]> => {
  const { width, layers, placeWidth, headWidth, valueWidth } = shape;
  const board = new Features(map).columns - PHASES;
  const shapes = new Map<string, readonly number[]>([
    ['input.weight', [map.locationCount * board, width]],
    ['phase.weight', [PHASES, width]],
    ['input.bias', [width]],
  ]);
  for (let i = 0; i < layers; i++) {
    shapes.set(`layers.${i}.weight`, [width, width]);
    shapes.set(`layers.${i}.bias`, [width]);
  }
  shapes.set('place.weight', [width, map.locationCount * placeWidth]);
  shapes.set('place.bias', [map.locationCount * placeWidth]);
  shapes.set('heads.weight', [placeWidth, headColumns(headWidth)]);
  shapes.set('heads.bias', [headColumns(headWidth)]);
  shapes.set('value.0.weight', [width, valueWidth]);
  shapes.set('value.0.bias', [valueWidth]);
  shapes.set('value.1.weight', [valueWidth, map.powerCount]);
  shapes.set('value.1.bias', [map.powerCount]);
  return shapes;
};

/** Sizes of the net in a file, by the shapes of its tensors. @throws LepantoError if it is no such net */
const readShape = ({ tensors }: TensorFile): MlpShape => {
  let layers = 0;
  while (tensors.has(`layers.${layers}.bias`)) layers++;
  const [, width] = widthsOf(tensors, 'phase.weight', NAME);
  const [placeWidth, heads] = widthsOf(tensors, 'heads.weight', NAME);
  const [, valueWidth] = widthsOf(tensors, 'value.0.weight', NAME);
  const headWidth = (heads - SINGLES) / (2 * PAIRS);
  const multiple = `a multiple of ${WIDTH_STEP} up to ${MOST_WIDTH}`;
  if (!isWidth(width, WIDTH_STEP)) refuse(`a width of ${width}`, multiple);
  if (!isWidth(placeWidth, WIDTH_STEP)) refuse(`a place width of ${placeWidth}`, multiple);
  if (!isWidth(headWidth, ROW_STEP))
    refuse(`${heads} columns of heads`, `14 x n + ${SINGLES}, n a multiple of ${ROW_STEP}`);
  if (!isWidth(valueWidth, 1)) refuse(`a value width of ${valueWidth}`, `1 to ${MOST_WIDTH}`);
  if (layers > MOST_LAYERS) refuse(`${layers} layers`, `at most ${MOST_LAYERS}`);
  return { width, layers, placeWidth, headWidth, valueWidth };
};

/** A multilayer perceptron of one map. */
export class MlpNet implements Evaluator {
  readonly shape: MlpShape;
  readonly room: number;
  readonly values: Float32Array;
  private readonly kernels: Kernels;
  private readonly features: Features;
  /** Columns of a location, without those of the phase. */
  private readonly board: number;
  private readonly floats: Float32Array;
  private readonly words: Int32Array;
  private readonly slots: Int32Array;
  private readonly value: ValueHead;
  private readonly weights: ReadonlyMap<string, number>;
  private readonly at: ReturnType<MlpNet['plan']>;
  private readonly heads: FullHeads;

  /**
   * @param file weights, as readTensors() gives them
   * @param room the most positions of one evaluate()
   * @param plain true: without WebAssembly
   * @throws LepantoError if it is no such net for this map
   */
  constructor(
    readonly map: CompiledMap,
    file: TensorFile,
    { room = 1, plain = false } = {},
  ) {
    this.shape = readShape(file);
    const shapes = mlpShapes(map, this.shape);
    checkTensors(file, shapes, NAME);
    this.room = room;
    this.features = new Features(map);
    this.board = this.features.columns - PHASES;
    this.values = new Float32Array(room * map.powerCount);
    this.slots = new Int32Array(map.locationCount * SLOTS);
    const plan = new AddressPlan();
    // Input, phases and what an empty board comes to are one table, whose rows a position adds up.
    const { width, placeWidth, headWidth } = this.shape;
    const inputs = map.locationCount * this.board;
    const table = plan.take((inputs + PHASES + 1) * width);
    this.weights = new Map(
      Array.from(shapes, ([name, lengths]) => {
        if (name === 'input.weight') return [name, table];
        if (name === 'phase.weight') return [name, table + inputs * width * FLOAT];
        if (name === 'input.bias') return [name, table + (inputs + PHASES) * width * FLOAT];
        return [name, plan.take(lengths.reduce((product, length) => product * length, 1))];
      }),
    );
    this.at = this.plan(plan, roundUp(room, ROW_STEP), placeWidth);
    const { memory, kernels } = makeKernels(plan.bytes, plain);
    this.kernels = kernels;
    this.floats = new Float32Array(memory);
    this.words = new Int32Array(memory);
    for (const [name, { values }] of file.tensors) this.floats.set(values, this.addressOf(name) / FLOAT);
    this.value = new ValueHead(this.floats, (name) => this.addressOf(name), this.shape.valueWidth);
    for (let r = 0; r < roundUp(room, ROW_STEP); r++) this.floats[this.at.lists.scales / FLOAT + r] = 1;
    const rows = roundUp(map.locationCount, ROW_STEP);
    const heads = new Float32Array(memory, this.at.heads, room * rows * headColumns(headWidth));
    this.heads = new FullHeads(heads, map.locationCount, rows, headWidth);
    this.subtractBlanks();
  }

  private plan(plan: AddressPlan, rows: number, placeWidth: number) {
    const { map, room, shape } = this;
    const { width, headWidth } = shape;
    const locations = roundUp(map.locationCount, ROW_STEP);
    return {
      // What differs from an empty board, the phase, and the empty board.
      lists: {
        offsets: plan.take(rows + 1),
        indices: plan.take(room * (map.locationCount * (SLOTS - 2) + 2)),
        scales: plan.take(rows),
      },
      zeros: plan.take(rows * width),
      input: plan.take(rows * width),
      states: [plan.take(rows * width), plan.take(rows * width)] as const,
      // A position's locations, rounded up, reach into the next one's.
      places: plan.take((rows * map.locationCount + ROW_STEP) * placeWidth),
      heads: plan.take(room * locations * headColumns(headWidth)),
    };
  }

  private addressOf(name: string): number {
    return this.weights.get(name) ?? refuse(`no tensor "${name}"`, NAME);
  }

  /** Makes rows of the input differences from those of an empty board, whose sum the bias takes. */
  private subtractBlanks(): void {
    const { board, features, floats, map, shape } = this;
    const { width } = shape;
    const table = floats.subarray(this.addressOf('input.weight') / FLOAT);
    const bias = floats.subarray(this.addressOf('input.bias') / FLOAT);
    for (let l = 0; l < map.locationCount; l++) {
      const row = (column: number): number => (l * board + column) * width;
      const blanks = new Set<number>();
      for (let c = 0; c < board; c++) {
        const blank = features.blankOf(l, c);
        if (blank >= board) continue;
        blanks.add(blank);
        if (c !== blank) for (let i = 0; i < width; i++) table[row(c) + i] -= table[row(blank) + i];
      }
      for (const blank of blanks) for (let i = 0; i < width; i++) bias[i] += table[row(blank) + i];
    }
  }

  evaluate(games: readonly Game[]): void {
    const { at, kernels, shape } = this;
    const { width } = shape;
    const rows = roundUp(games.length, ROW_STEP);
    this.listInputs(games, rows);
    const size = { rows, inner: width, width };
    kernels.gather(size, at.input, at.lists, this.addressOf('input.weight'));
    let [now, next] = at.states;
    kernels.join(size, now, at.zeros, at.input, at.zeros, at.zeros);
    for (let i = 0; i < shape.layers; i++) {
      const [weight, bias] = [this.addressOf(`layers.${i}.weight`), this.addressOf(`layers.${i}.bias`)];
      kernels.multiply(size, next, now, weight, { at: bias, old: now });
      [now, next] = [next, now];
    }
    const { powerCount } = this.map;
    for (let position = 0; position < games.length; position++) {
      const begin = now / FLOAT + position * width;
      const values = this.values.subarray(position * powerCount, (position + 1) * powerCount);
      this.value.read(this.floats.subarray(begin, begin + width), values);
    }
    this.readHeads(games.length, rows, now);
  }

  private listInputs(games: readonly Game[], rows: number): void {
    const { at, board, features, map, slots, words } = this;
    const inputs = map.locationCount * board;
    let next = at.lists.indices / FLOAT;
    for (let r = 0; r <= rows; r++) {
      words[at.lists.offsets / FLOAT + r] = next - at.lists.indices / FLOAT;
      if (r >= games.length) continue;
      features.list(games[r], slots);
      next += features.listOwn(slots, board, words, next);
      words[next++] = inputs + features.phaseOf(slots);
      words[next++] = inputs + PHASES;
    }
  }

  private readHeads(count: number, rows: number, now: number): void {
    const { at, kernels, map, shape } = this;
    const { width, placeWidth, headWidth } = shape;
    const places = map.locationCount * placeWidth;
    const [placeWeight, placeBias] = [this.addressOf('place.weight'), this.addressOf('place.bias')];
    kernels.multiply({ rows, inner: width, width: places }, at.places, now, placeWeight, { at: placeBias });
    const columns = headColumns(headWidth);
    const [weight, bias] = [this.addressOf('heads.weight'), this.addressOf('heads.bias')];
    const locations = roundUp(map.locationCount, ROW_STEP);
    const size = { rows: locations, inner: placeWidth, width: columns };
    for (let position = 0; position < count; position++) {
      const from = at.places + position * places * FLOAT;
      const to = at.heads + position * locations * columns * FLOAT;
      kernels.multiply(size, to, from, weight, { at: bias });
    }
  }

  scoreOrders(position: number, orders: Int32Array, count: number, out: Float32Array): void {
    for (let i = 0; i < count; i++) out[i] = scoreOrder(this.heads, position, orders[i]);
  }
}
