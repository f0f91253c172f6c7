// The forward pass of the project's graph net, for all powers of a position at once.
//
//   h      = input[columns of the location] + place[location]                                  [locations, width]
//   h      = h + max(0, h self + (mean of h over neighbours) near + (mean of h over all) all + bias)     each layer
//   heads  = h heads                                                                           [locations, pairs ...]
//
// The score of an order is a sum of products between rows of `heads`, one row the unit's, one where it goes; so there is
// no vector for each order, and a net plays any map of its shapes. A location's neighbours are those that a unit there
// can reach over a border, and the coasts of its own province. Every matrix of weights is [from, to].
//
// The first layer multiplies sums of rows of the input's table: its products with the table's rows are known beforehand,
// and summed up.
import type { CompiledMap, Game } from '../../engine/internal.js';
import type { Evaluator } from './evaluator.js';
import { columnsOf, Features, SLOTS } from './features.js';
import { Heads, headColumns } from './heads.js';
import { type Kernels, makeKernels } from './kernels/kernels.js';
import { checkTensors, type NetShape, ROW_STEP, readShape, refuse, tensorShapes } from './net-shape.js';
import type { TensorFile } from './safetensors.js';

/** Name of the weights that ship. */
export const DEFAULT_WEIGHTS = 'default';

const FLOAT = 4;

const roundUp = (n: number, step: number): number => Math.ceil(n / step) * step;

/** Neighbours of each location, ascending. */
const neighboursOf = (map: CompiledMap): readonly (readonly number[])[] =>
  Array.from({ length: map.locationCount }, (_, location) => {
    const { locationProvince, moveOffsets, moveTargets } = map;
    const found = new Set(
      [...locationProvince.keys()].filter((l) => locationProvince[l] === locationProvince[location]),
    );
    for (const key of [location, map.locationCount + location])
      for (const to of moveTargets.subarray(moveOffsets[key], moveOffsets[key + 1])) found.add(to);
    found.delete(location);
    return [...found].sort((a, b) => a - b);
  });

/** Gives out addresses of the kernels' memory. */
class AddressPlan {
  /** Bytes given out. Address 0 means "no address". */
  bytes = 16;

  /** Returns the address of a block of words, which begins at a multiple of 16 bytes. */
  take(words: number): number {
    const begin = this.bytes;
    this.bytes += ((words + 3) & ~3) * FLOAT;
    return begin;
  }
}

/** Plans the blocks that are computed. @param tableRows columns, a row of zeros and places: one table, whose rows a location adds up */
const planWork = (plan: AddressPlan, rows: number, edges: number, tableRows: number, shape: NetShape) => {
  const { headWidth, width } = shape;
  return {
    slots: { offsets: plan.take(rows + 1), indices: plan.take(rows * SLOTS), scales: plan.take(rows) },
    neighbours: { offsets: plan.take(rows + 1), indices: plan.take(edges), scales: plan.take(rows) },
    meanScale: plan.take(1),
    near: plan.take(rows * width),
    own: plan.take(rows * width),
    mean: plan.take(ROW_STEP * width),
    all: plan.take(ROW_STEP * width),
    selfTable: plan.take(tableRows * width),
    nearTable: plan.take(tableRows * width),
    /** Two matrices that layers write in turn. */
    states: [plan.take(rows * width), plan.take(rows * width)] as const,
    heads: plan.take(rows * headColumns(headWidth)),
  };
};

/** A graph net of one map. Its weights and all that it computes are in one memory of the kernels. */
export class GraphNet implements Evaluator {
  private readonly features = new Features(this.map);
  private readonly shape: NetShape;
  private readonly rows = roundUp(this.map.locationCount, ROW_STEP);
  private readonly tensors: ReadonlyMap<string, number>;
  private readonly at: ReturnType<typeof planWork>;
  private readonly kernels: Kernels;
  private readonly floats: Float32Array;
  private readonly words: Int32Array;
  private readonly heads: Heads;
  /** Addresses of the weights of each layer. */
  private readonly layers: readonly Readonly<Record<'self' | 'near' | 'all' | 'bias', number>>[];
  /** Address of the input's table. */
  private readonly table: number;
  private readonly slots: Int32Array;

  /**
   * @param file weights, as readTensors() returns them
   * @param options plain: without WebAssembly
   * @throws LepantoError if the file holds no graph net for this map
   */
  constructor(
    readonly map: CompiledMap,
    file: TensorFile,
    { plain = false } = {},
  ) {
    const shape = readShape(file);
    const shapes = tensorShapes(map, shape);
    checkTensors(file, shapes, map.name);
    this.shape = shape;
    const neighbours = neighboursOf(map);
    const tableRows = roundUp(columnsOf(map) + 1 + map.locationCount, ROW_STEP);
    const plan = new AddressPlan();
    this.tensors = new Map(
      Array.from(shapes, ([name, lengths], i) => {
        const at = plan.take(lengths.reduce((product, length) => product * length, 1));
        // The input's table ends with a row of zeros.
        if (i === 0) plan.take(shape.width);
        return [name, at];
      }),
    );
    this.at = planWork(plan, this.rows, neighbours.flat().length, tableRows, shape);
    const { memory, kernels } = makeKernels(plan.bytes, plain);
    this.kernels = kernels;
    this.floats = new Float32Array(memory);
    this.words = new Int32Array(memory);
    for (const [name, { values }] of file.tensors) this.floats.set(values, this.addressOf(name) / FLOAT);
    this.heads = new Heads(this.floats.subarray(this.at.heads / FLOAT), map.locationCount, shape.headWidth);
    this.layers = Array.from({ length: shape.layers }, (_, i) => ({
      self: this.addressOf(`layers.${i}.self.weight`),
      near: this.addressOf(`layers.${i}.near.weight`),
      all: this.addressOf(`layers.${i}.all.weight`),
      bias: this.addressOf(`layers.${i}.bias`),
    }));
    this.table = this.addressOf('input.weight');
    this.slots = this.words.subarray(this.at.slots.indices / FLOAT);
    this.fillTables(neighbours);
    this.multiplyTables(tableRows);
  }

  private addressOf(name: string): number {
    return this.tensors.get(name) ?? refuse(`no tensor "${name}"`, 'a net');
  }

  /** Computes the products of the input's table with the first layer. */
  private multiplyTables(tableRows: number): void {
    const { at, kernels, table } = this;
    const { width } = this.shape;
    const size = { rows: tableRows, inner: width, width };
    const zeros = { at: table + columnsOf(this.map) * width * FLOAT };
    for (const { self, near } of this.layers.slice(0, 1)) {
      kernels.multiply(size, at.selfTable, table, self, zeros);
      kernels.multiply(size, at.nearTable, table, near, zeros);
    }
  }

  /** Writes the lists and scales that depend on the map alone. */
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

  evaluate(game: Game): void {
    const { at, kernels, map, rows } = this;
    const { headWidth, width } = this.shape;
    this.features.list(game, this.slots);
    let [now, next] = at.states;
    const size = { rows, inner: width, width };
    kernels.gather(size, now, at.slots, this.table);
    for (const [i, { self, near, all, bias }] of this.layers.entries()) {
      kernels.pool({ rows: map.locationCount, width }, at.mean, now, at.meanScale);
      kernels.multiply({ rows: ROW_STEP, inner: width, width }, at.all, at.mean, all, { at: bias });
      if (i === 0) {
        kernels.gather(size, at.own, at.slots, at.selfTable);
        kernels.gather(size, next, at.slots, at.nearTable);
        kernels.gather(size, at.near, at.neighbours, next);
        kernels.join(size, next, now, at.own, at.near, at.all);
      } else {
        kernels.gather(size, at.near, at.neighbours, now);
        kernels.multiply(size, at.own, now, self, { at: at.all });
        kernels.multiply(size, next, at.near, near, { at: at.own, stride: width * FLOAT, old: now });
      }
      [now, next] = [next, now];
    }
    const heads = { rows, inner: width, width: headColumns(headWidth) };
    kernels.multiply(heads, at.heads, now, this.addressOf('heads.weight'), { at: this.addressOf('heads.bias') });
  }

  scoreOrders(orders: Int32Array): Float32Array {
    return this.heads.scores(orders);
  }
}
