// The forward pass of the project's graph net, for a batch of positions and all powers together.
//
//   h      = sum of input[column] over the location's columns + place[location]                [locations, width]
//   h      = h + max(0, h self + (mean of h over neighbours) near + (mean of h over all) all + bias)     each layer
//   heads  = h heads.weight + heads.bias                                                       [locations, columns]
//
// An order is scored with products of vectors from the rows of `heads` for its unit and its target (heads.ts). The net
// has no vector for each order, so it plays any map that fits its shapes. The neighbours of a location are the
// locations that a unit there can reach over a border, and the other locations of its province. Weight matrices are
// [from, to].
//
// The input of the first layer is a sum of rows of the input table. So the products of that table with the first
// layer's weights are computed once, and the forward pass only adds up their rows.
//
// Matrices have the rows of all positions of a batch, position after position. A row is computed only from rows of the
// same position, so scores do not depend on the batch, to the last bit.
import type { CompiledMap } from '../../engine/internal.js';
import type { Evaluator, Position, PositionScores } from './evaluator.js';
import { columnsOf, Features, SLOTS } from './features.js';
import { Heads, headColumns } from './heads.js';
import { type Kernels, makeKernels, type RowLists } from './kernels/kernels.js';
import { checkTensors, type NetShape, ROW_STEP, readShape, refuse, tensorShapes } from './net-shape.js';
import type { TensorFile } from './safetensors.js';

/** Name that stands for the weights in the package. */
export const DEFAULT_WEIGHTS = 'default';

/** Maximum number of positions in a batch, a multiple of ROW_STEP. Small, so that matrices fit in a core's cache. */
const BATCH = 8;
const FLOAT = 4;

const roundUp = (n: number, step: number): number => Math.ceil(n / step) * step;

/**
 * Returns the neighbours of each location, ascending, indexed by location: locations that a unit there can reach over a
 * border, and the other locations of its province.
 */
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

/** Assigns addresses in the memory of the kernels, one block after another. */
class AddressPlan {
  /** Number of bytes assigned so far. Begins above 0, because address 0 means "no address". */
  bytes = 16;

  /** Assigns a block of 4-byte words. Returns its address, a multiple of 16. */
  take(words: number): number {
    const begin = this.bytes;
    this.bytes += ((words + 3) & ~3) * FLOAT;
    return begin;
  }
}

/**
 * Assigns the blocks for intermediate results of a batch. Returns their addresses.
 * @param locations number of locations
 * @param edges total number of neighbours over all locations
 * @param tableRows number of rows of the input table (columns, a row of zeros, locations), rounded up to ROW_STEP
 */
const planWork = (plan: AddressPlan, locations: number, edges: number, tableRows: number, shape: NetShape) => {
  const { headWidth, width } = shape;
  const rows = BATCH * locations;
  const takeLists = (entries: number): RowLists => ({
    offsets: plan.take(rows + 1),
    indices: plan.take(entries),
    scales: plan.take(rows),
  });
  return {
    slots: takeLists(rows * SLOTS),
    neighbours: takeLists(BATCH * edges),
    /** Lists with the number of the position of each row. They copy the row of a position to all its locations. */
    positions: takeLists(rows),
    meanScale: plan.take(1),
    near: plan.take(rows * width),
    own: plan.take(rows * width),
    /** Mean of a layer's input over all locations: one row for each position. */
    mean: plan.take(BATCH * width),
    /** Product of `mean` and a layer's weights `all`, plus the bias: one row for each position. */
    all: plan.take(BATCH * width),
    selfTable: plan.take(tableRows * width),
    nearTable: plan.take(tableRows * width),
    /** Input and output of a layer. They change places after each layer. */
    states: [plan.take(rows * width), plan.take(rows * width)] as const,
    heads: plan.take(rows * headColumns(headWidth)),
  };
};

/** A graph net for one map. Weights and intermediate results are in one memory of the kernels. */
export class GraphNet implements Evaluator {
  private readonly features = new Features(this.map);
  private readonly shape: NetShape;
  private readonly tensors: ReadonlyMap<string, number>;
  private readonly at: ReturnType<typeof planWork>;
  private readonly kernels: Kernels;
  private readonly floats: Float32Array;
  private readonly words: Int32Array;
  /** Output of the net for each position of a batch, which scores orders. */
  private readonly heads: readonly Heads[];
  /** Addresses of the weights of each layer. */
  private readonly layers: readonly Readonly<Record<'self' | 'near' | 'all' | 'bias', number>>[];
  /** Address of the input table. */
  private readonly table: number;
  /** Slots (features.ts) of each position of a batch, which are the input of the net. */
  private readonly slots: readonly Int32Array[];

  /**
   * Makes a net from its weights.
   * @param file weights, as readTensors() returns them
   * @param options `plain`: true to use plain TypeScript instead of WebAssembly
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
        // The first tensor, input.weight, has one row for each input column. A row of zeros follows it in the input
        // table, because the index of an unused slot is the number of columns.
        if (i === 0) plan.take(shape.width);
        return [name, at];
      }),
    );
    this.at = planWork(plan, map.locationCount, neighbours.flat().length, tableRows, shape);
    const { memory, kernels } = makeKernels(plan.bytes, plain);
    this.kernels = kernels;
    this.floats = new Float32Array(memory);
    this.words = new Int32Array(memory);
    for (const [name, { values }] of file.tensors) this.floats.set(values, this.addressOf(name) / FLOAT);
    this.layers = Array.from({ length: shape.layers }, (_, i) => ({
      self: this.addressOf(`layers.${i}.self.weight`),
      near: this.addressOf(`layers.${i}.near.weight`),
      all: this.addressOf(`layers.${i}.all.weight`),
      bias: this.addressOf(`layers.${i}.bias`),
    }));
    this.table = this.addressOf('input.weight');
    const firstRows = Array.from({ length: BATCH }, (_, i) => i * map.locationCount);
    this.slots = firstRows.map((row) => this.words.subarray(this.at.slots.indices / FLOAT + row * SLOTS));
    this.heads = firstRows.map((row) => {
      const begin = this.at.heads / FLOAT + row * headColumns(shape.headWidth);
      return new Heads(this.floats.subarray(begin), map.locationCount, shape.headWidth);
    });
    this.fillTables(neighbours);
    this.multiplyTables(tableRows);
  }

  private addressOf(name: string): number {
    return this.tensors.get(name) ?? refuse(`no tensor "${name}"`, 'a net');
  }

  /** Computes the products of the input table with the weights of the first layer, if there is one. */
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

  /** Writes the lists of row indices and their factors that depend only on the map. */
  private fillTables(neighbours: readonly (readonly number[])[]): void {
    const { at, floats, map } = this;
    const rows = Array.from({ length: BATCH * map.locationCount }, (_, row) => row);
    const positionOf = (row: number): number => Math.trunc(row / map.locationCount);
    const near = rows.map((row) => {
      const first = positionOf(row) * map.locationCount;
      return neighbours[row - first].map((other) => first + other);
    });
    this.fillLists(
      at.slots,
      rows.map(() => new Array(SLOTS).fill(0)),
    );
    this.fillLists(at.neighbours, near);
    this.fillLists(
      at.positions,
      rows.map((row) => [positionOf(row)]),
    );
    for (const [row, { length }] of near.entries())
      floats[at.neighbours.scales / FLOAT + row] = length === 0 ? 0 : 1 / length;
    floats[at.meanScale / FLOAT] = 1 / map.locationCount;
  }

  /** Writes lists of row indices, each with the factor 1. */
  private fillLists({ offsets, indices, scales }: RowLists, lists: readonly (readonly number[])[]): void {
    const { floats, words } = this;
    words.set(lists.flat(), indices / FLOAT);
    let end = 0;
    for (const [row, { length }] of lists.entries()) {
      end += length;
      words[offsets / FLOAT + row + 1] = end;
      floats[scales / FLOAT + row] = 1;
    }
  }

  evaluate(positions: readonly Position[]): PositionScores[] {
    const scores: PositionScores[] = [];
    for (let first = 0; first < positions.length; first += BATCH) {
      const batch = positions.slice(first, first + BATCH);
      for (const [i, { game }] of batch.entries()) this.features.list(game, this.slots[i]);
      this.computeHeads(batch.length);
      for (const [i, { lists }] of batch.entries()) scores.push(lists.map((orders) => this.heads[i].scores(orders)));
    }
    return scores;
  }

  /** Computes the output of a batch from the slots of its positions. @param count number of positions */
  private computeHeads(count: number): void {
    const { at, kernels } = this;
    const { headWidth, width } = this.shape;
    const locations = this.map.locationCount;
    let [now, next] = at.states;
    // The number of rows is rounded up to ROW_STEP. The results of the additional rows are never read.
    const size = { rows: roundUp(count * locations, ROW_STEP), inner: width, width };
    kernels.gather(size, now, at.slots, this.table);
    for (const [i, { self, near, all, bias }] of this.layers.entries()) {
      for (let p = 0; p < count; p++) {
        const row = p * width * FLOAT;
        kernels.pool({ rows: locations, width }, at.mean + row, now + locations * row, at.meanScale);
      }
      kernels.multiply({ ...size, rows: roundUp(count, ROW_STEP) }, at.all, at.mean, all, { at: bias });
      if (i === 0) {
        kernels.gather(size, at.own, at.slots, at.selfTable);
        kernels.gather(size, next, at.slots, at.nearTable);
        kernels.gather(size, at.near, at.neighbours, next);
        for (let p = 0; p < count; p++) {
          const row = p * width * FLOAT;
          const begin = locations * row;
          const own = at.own + begin;
          kernels.join({ rows: locations, width }, next + begin, now + begin, own, at.near + begin, at.all + row);
        }
      } else {
        kernels.gather(size, at.near, at.neighbours, now);
        kernels.gather(size, at.own, at.positions, at.all);
        kernels.multiply(size, at.own, now, self, { at: at.own, stride: width * FLOAT });
        kernels.multiply(size, next, at.near, near, { at: at.own, stride: width * FLOAT, old: now });
      }
      [now, next] = [next, now];
    }
    const heads = { ...size, width: headColumns(headWidth) };
    kernels.multiply(heads, at.heads, now, this.addressOf('heads.weight'), { at: this.addressOf('heads.bias') });
  }
}
