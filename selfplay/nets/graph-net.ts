// The forward pass of the project's graph net, for all powers of a position at once.
//
//   h      = input[columns of the location] + place[location]                                  [locations, width]
//   h      = h + max(0, h self + (mean of h over neighbours) near + (mean of h over all) all + bias)     each layer
//   heads  = h heads                                                                           [locations, pairs ...]
//   value  = softmax(max(0, (mean of h) value.0 + bias) value.1 + bias)                        [powers]
//
// The score of an order is a sum of products between rows of `heads`, one row the unit's, one where it goes; so there is
// no vector for each order, and a net plays any map of its shapes. A location's neighbours are those that a unit there
// can reach over a border, and the coasts of its own province. Every matrix of weights is [from, to].
//
// Two things are computed with less work than this says. The first layer multiplies sums of rows of the input's table:
// its products with the table's rows are known beforehand, and summed up. And only locations from which orders can be
// given have the first vectors of the pairs, and the single scores.
import type { CompiledMap, Game } from '../../engine/internal.js';
import type { Evaluator } from './evaluator.js';
import { Features, SLOTS } from './features.js';
import { type Heads, headColumns, PAIRS, SINGLES, scoreOrder, ValueHead, WAIVES } from './heads.js';
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

/** Sizes of a net; those of the map are not among them. */
export interface NetShape {
  /** Numbers by location. */
  readonly width: number;
  readonly layers: number;
  /** Length of the vectors whose products are scores. */
  readonly headWidth: number;
  /** Numbers between the mean of the locations and the values. */
  readonly valueWidth: number;
}

/** Shapes of all tensors of a net for a map, by name. */
export const tensorShapes = (map: CompiledMap, shape: NetShape): ReadonlyMap<string, readonly number[]> => {
  const { width, layers, headWidth, valueWidth } = shape;
  const { columns } = new Features(map);
  const shapes = new Map<string, readonly number[]>([
    ['input.weight', [columns, width]],
    ['place.weight', [map.locationCount, width]],
  ]);
  for (let i = 0; i < layers; i++) {
    for (const name of ['self', 'near', 'all']) shapes.set(`layers.${i}.${name}.weight`, [width, width]);
    shapes.set(`layers.${i}.bias`, [width]);
  }
  shapes.set('heads.weight', [width, headColumns(headWidth)]);
  shapes.set('heads.bias', [headColumns(headWidth)]);
  shapes.set('value.0.weight', [width, valueWidth]);
  shapes.set('value.0.bias', [valueWidth]);
  shapes.set('value.1.weight', [valueWidth, map.powerCount]);
  shapes.set('value.1.bias', [map.powerCount]);
  return shapes;
};

/** Neighbours of each location, ascending. */
export const neighboursOf = (map: CompiledMap): readonly (readonly number[])[] =>
  Array.from({ length: map.locationCount }, (_, location) => {
    const found = new Set<number>();
    for (const key of [location, map.locationCount + location])
      for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++) found.add(map.moveTargets[i]);
    const province = map.locationProvince[location];
    for (let other = 0; other < map.locationCount; other++)
      if (other !== location && map.locationProvince[other] === province) found.add(other);
    return [...found].sort((a, b) => a - b);
  });

const MOST_LAYERS = 64;

/** Sizes of the net in a file, by the shapes of its tensors. @throws LepantoError if it is no such net */
const readShape = ({ tensors }: TensorFile): NetShape => {
  const widths = (name: string): readonly number[] => widthsOf(tensors, name, 'a graph net');
  let layers = 0;
  while (tensors.has(`layers.${layers}.bias`)) layers++;
  const [width = 0, heads = 0] = widths('heads.weight');
  const [, valueWidth = 0] = widths('value.0.weight');
  const headWidth = (heads - SINGLES) / (2 * PAIRS);
  if (!isWidth(width, WIDTH_STEP)) refuse(`a width of ${width}`, `a multiple of ${WIDTH_STEP} up to ${MOST_WIDTH}`);
  if (!isWidth(headWidth, ROW_STEP))
    refuse(`${heads} columns of heads`, `14 x n + ${SINGLES}, n a multiple of ${ROW_STEP}`);
  if (!isWidth(valueWidth, 1)) refuse(`a value width of ${valueWidth}`, `1 to ${MOST_WIDTH}`);
  if (layers > MOST_LAYERS) refuse(`${layers} layers`, `at most ${MOST_LAYERS}`);
  return { width, layers, headWidth, valueWidth };
};

/** Columns of what each location has of `heads` where orders come from, and where they go. */
const fromColumns = (headWidth: number): number => roundUp(PAIRS * headWidth + SINGLES, WIDTH_STEP);
const toColumns = (headWidth: number): number => roundUp(PAIRS * headWidth, WIDTH_STEP);

const planWork = (plan: AddressPlan, rows: number, edges: number, room: number, { width, headWidth }: NetShape) => {
  const ones = plan.take(rows);
  return {
    slots: { offsets: plan.take(rows + 1), indices: plan.take(rows * SLOTS), scales: ones },
    neighbours: { offsets: plan.take(rows + 1), indices: plan.take(edges), scales: plan.take(rows) },
    origins: { offsets: plan.take(rows + 1), indices: plan.take(rows), scales: ones },
    meanScale: plan.take(1),
    near: plan.take(rows * width),
    own: plan.take(rows * width),
    mean: plan.take(ROW_STEP * width),
    all: plan.take(ROW_STEP * width),
    from: plan.take(room * rows * fromColumns(headWidth)),
    to: plan.take(room * rows * toColumns(headWidth)),
  };
};

/** Addresses of the tensors by name, of two halves of `heads`, and of the products of the first layer. */
const planWeights = (plan: AddressPlan, map: CompiledMap, columns: number, shape: NetShape) => {
  const { width, headWidth } = shape;
  // Columns, a row of zeros and places are one table, whose rows a location adds up.
  const tableRows = roundUp(columns + 1 + map.locationCount, ROW_STEP);
  const table = plan.take(tableRows * width);
  const tensors = new Map(
    Array.from(tensorShapes(map, shape), ([name, lengths]) => {
      if (name === 'input.weight') return [name, table];
      if (name === 'place.weight') return [name, table + (columns + 1) * width * FLOAT];
      return [name, plan.take(lengths.reduce((product, length) => product * length, 1))];
    }),
  );
  return {
    tensors,
    tableRows,
    table,
    selfTable: plan.take(tableRows * width),
    nearTable: plan.take(tableRows * width),
    from: plan.take(width * fromColumns(headWidth)),
    fromBias: plan.take(fromColumns(headWidth)),
    to: plan.take(width * toColumns(headWidth)),
    toBias: plan.take(toColumns(headWidth)),
  };
};

/** How a net is made. */
export interface GraphNetOptions {
  /** The most positions of one evaluate(). Default: 1. */
  readonly room?: number;
  /** True: without WebAssembly. */
  readonly plain?: boolean;
}

/** A location that gives no orders. */
const NO_ROW = -1;

/** A graph net of one map. */
export class GraphNet implements Evaluator, Heads {
  readonly shape: NetShape;
  readonly room: number;
  readonly values: Float32Array;
  private readonly kernels: Kernels;
  private readonly features: Features;
  private readonly floats: Float32Array;
  private readonly words: Int32Array;
  private readonly slots: Int32Array;
  private readonly value: ValueHead;
  private readonly weights: ReturnType<typeof planWeights>;
  /** Addresses of the weights of each layer. */
  private readonly layers: readonly Readonly<Record<'self' | 'near' | 'all' | 'bias', number>>[];
  private readonly at: ReturnType<typeof planWork>;
  /** Two matrices that layers write in turn. */
  private readonly states: readonly [number, number];
  /** Locations, rounded up. */
  private readonly rows: number;
  /** By position, then location: its row in `from`, or NO_ROW. */
  private readonly fromRows: Int32Array;
  /** By position: the score of a waive. */
  private readonly waives: Float32Array;

  /**
   * @param file weights, as readTensors() gives them
   * @throws LepantoError if it is no graph net for this map
   */
  constructor(
    readonly map: CompiledMap,
    file: TensorFile,
    { room = 1, plain = false }: GraphNetOptions = {},
  ) {
    this.shape = readShape(file);
    checkTensors(file, tensorShapes(map, this.shape), 'a graph net');
    this.room = room;
    this.features = new Features(map);
    this.rows = roundUp(map.locationCount, ROW_STEP);
    this.values = new Float32Array(room * map.powerCount);
    this.fromRows = new Int32Array(room * map.locationCount);
    this.waives = new Float32Array(room);
    const neighbours = neighboursOf(map);
    const plan = new AddressPlan();
    this.weights = planWeights(plan, map, this.features.columns, this.shape);
    this.layers = Array.from({ length: this.shape.layers }, (_, i) => ({
      self: this.addressOf(`layers.${i}.self.weight`),
      near: this.addressOf(`layers.${i}.near.weight`),
      all: this.addressOf(`layers.${i}.all.weight`),
      bias: this.addressOf(`layers.${i}.bias`),
    }));
    this.at = planWork(plan, this.rows, neighbours.flat().length, room, this.shape);
    this.states = [plan.take(this.rows * this.shape.width), plan.take(this.rows * this.shape.width)];
    const { memory, kernels } = makeKernels(plan.bytes, plain);
    this.kernels = kernels;
    this.floats = new Float32Array(memory);
    this.words = new Int32Array(memory);
    for (const [name, { values }] of file.tensors) this.floats.set(values, this.addressOf(name) / FLOAT);
    this.value = new ValueHead(this.floats, (name) => this.addressOf(name), this.shape.valueWidth);
    this.slots = new Int32Array(memory, this.at.slots.indices, map.locationCount * SLOTS);
    this.fillTables(neighbours);
    this.splitHeads();
    this.multiplyTable();
  }

  private addressOf(name: string): number {
    return this.weights.tensors.get(name) ?? refuse(`no tensor "${name}"`, 'a graph net');
  }

  /** Writes what the map alone decides. */
  private fillTables(neighbours: readonly (readonly number[])[]): void {
    const { at, floats, map, rows, words } = this;
    let edge = 0;
    for (let r = 0; r <= rows; r++) {
      words[at.slots.offsets / FLOAT + r] = Math.min(r, map.locationCount) * SLOTS;
      words[at.neighbours.offsets / FLOAT + r] = edge;
      const near = neighbours[r] ?? [];
      for (const other of near) words[at.neighbours.indices / FLOAT + edge++] = other;
      if (r === rows) break;
      floats[at.slots.scales / FLOAT + r] = 1;
      floats[at.neighbours.scales / FLOAT + r] = near.length === 0 ? 0 : 1 / near.length;
    }
    floats[at.meanScale / FLOAT] = 1 / map.locationCount;
  }

  /** Writes the columns of `heads` of where orders come from, with the single scores, and of where they go. */
  private splitHeads(): void {
    const { floats, shape, weights } = this;
    const { width, headWidth } = shape;
    const half = PAIRS * headWidth;
    const columns = headColumns(headWidth);
    const copy = (source: number, from: number, to: number): void => {
      const begin = source / FLOAT;
      floats.set(floats.subarray(begin, begin + half), from / FLOAT);
      floats.set(floats.subarray(begin + 2 * half, begin + columns), from / FLOAT + half);
      floats.set(floats.subarray(begin + half, begin + 2 * half), to / FLOAT);
    };
    for (let k = 0; k < width; k++)
      copy(
        this.addressOf('heads.weight') + k * columns * FLOAT,
        weights.from + k * fromColumns(headWidth) * FLOAT,
        weights.to + k * toColumns(headWidth) * FLOAT,
      );
    copy(this.addressOf('heads.bias'), weights.fromBias, weights.toBias);
  }

  /** Multiplies the table of the input by what the first layer multiplies its sums by. */
  private multiplyTable(): void {
    const { features, kernels, shape, weights } = this;
    const { width } = shape;
    const size = { rows: weights.tableRows, inner: width, width };
    const zeros = { at: weights.table + features.columns * width * FLOAT };
    for (const { self, near } of this.layers.slice(0, 1)) {
      kernels.multiply(size, weights.selfTable, weights.table, self, zeros);
      kernels.multiply(size, weights.nearTable, weights.table, near, zeros);
    }
  }

  evaluate(games: readonly Game[]): void {
    for (const [position, game] of games.entries()) this.evaluateOne(position, game);
  }

  private evaluateOne(position: number, game: Game): void {
    const { at, kernels, map, rows, shape, weights } = this;
    const { width } = shape;
    this.features.list(game, this.slots);
    let [now, next] = this.states;
    const size = { rows, inner: width, width };
    const row = { rows: ROW_STEP, inner: width, width };
    const onBoard = { rows: map.locationCount, width };
    kernels.gather(size, now, at.slots, weights.table);
    for (const [i, { self, near, all, bias }] of this.layers.entries()) {
      kernels.pool(onBoard, at.mean, now, at.meanScale);
      kernels.multiply(row, at.all, at.mean, all, { at: bias });
      if (i === 0) {
        kernels.gather(size, at.own, at.slots, weights.selfTable);
        kernels.gather(size, next, at.slots, weights.nearTable);
        kernels.gather(size, at.near, at.neighbours, next);
        kernels.join(size, next, now, at.own, at.near, at.all);
      } else {
        kernels.gather(size, at.near, at.neighbours, now);
        kernels.multiply(size, at.own, now, self, { at: at.all });
        kernels.multiply(size, next, at.near, near, { at: at.own, stride: width * FLOAT, old: now });
      }
      [now, next] = [next, now];
    }
    kernels.pool(onBoard, at.mean, now, at.meanScale);
    const mean = this.floats.subarray(at.mean / FLOAT, at.mean / FLOAT + width);
    this.value.read(mean, this.values.subarray(position * map.powerCount, (position + 1) * map.powerCount));
    this.readHeads(position, now);
  }

  private readHeads(position: number, now: number): void {
    const { at, floats, kernels, rows, shape, waives, weights } = this;
    const { width, headWidth } = shape;
    const to = at.to + position * rows * toColumns(headWidth) * FLOAT;
    const toSize = { rows, inner: width, width: toColumns(headWidth) };
    kernels.multiply(toSize, to, now, weights.to, { at: weights.toBias });
    const origins = roundUp(this.listOrigins(position), ROW_STEP);
    kernels.gather({ rows: origins, width }, at.own, at.origins, now);
    const from = at.from + position * rows * fromColumns(headWidth) * FLOAT;
    const fromSize = { rows: origins, inner: width, width: fromColumns(headWidth) };
    kernels.multiply(fromSize, from, at.own, weights.from, { at: weights.fromBias });
    const waive = PAIRS * headWidth + WAIVES;
    let sum = floats[weights.fromBias / FLOAT + waive];
    for (let k = 0; k < width; k++)
      sum += floats[at.mean / FLOAT + k] * floats[weights.from / FLOAT + k * fromColumns(headWidth) + waive];
    waives[position] = sum;
  }

  /** Lists the locations from which orders of the position can be given, and returns their number. */
  private listOrigins(position: number): number {
    const { at, features, fromRows, map, rows, slots, words } = this;
    let count = 0;
    for (let l = 0; l < map.locationCount; l++) {
      const isOrigin = features.hasOrders(slots, l);
      fromRows[position * map.locationCount + l] = isOrigin ? count : NO_ROW;
      if (!isOrigin) continue;
      words[at.origins.indices / FLOAT + count] = l;
      words[at.origins.offsets / FLOAT + count] = count;
      count++;
    }
    for (let r = count; r <= rows; r++) words[at.origins.offsets / FLOAT + r] = count;
    return count;
  }

  scoreOrders(position: number, orders: Int32Array, count: number, out: Float32Array): void {
    for (let i = 0; i < count; i++) out[i] = scoreOrder(this, position, orders[i]);
  }

  /** Place in `floats` of what a location has where orders come from. */
  private originOf(position: number, location: number): number {
    const { at, fromRows, map, rows, shape } = this;
    const row = position * rows + fromRows[position * map.locationCount + location];
    return at.from / FLOAT + row * fromColumns(shape.headWidth);
  }

  pair(position: number, pair: number, from: number, to: number): number {
    const { at, floats, rows, shape } = this;
    const { headWidth } = shape;
    const a = this.originOf(position, from) + pair * headWidth;
    const b = at.to / FLOAT + (position * rows + to) * toColumns(headWidth) + pair * headWidth;
    let sum = 0;
    for (let i = 0; i < headWidth; i++) sum += floats[a + i] * floats[b + i];
    return sum;
  }

  waive(position: number): number {
    return this.waives[position];
  }

  single(position: number, location: number, which: number): number {
    return this.floats[this.originOf(position, location) + PAIRS * this.shape.headWidth + which];
  }
}
