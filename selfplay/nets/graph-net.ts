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
import { columnsOf, SLOTS } from './features.js';
import {
  type AddressPlan,
  FLOAT,
  LocalNet,
  lastShapes,
  type NetShape,
  ROW_STEP,
  readShape,
  roundUp,
  type Shapes,
} from './local-net.js';
import type { TensorFile } from './safetensors.js';

const NAME = 'a graph net';

/** Shapes of all tensors of a net for a map. */
const shapesOf = (map: CompiledMap, columns: number, shape: NetShape): Shapes => {
  const { inner: width } = shape;
  const layers = Array.from({ length: shape.layers }, (_, i): [string, number[]][] => [
    ...['self', 'near', 'all'].map((name): [string, number[]] => [`layers.${i}.${name}.weight`, [width, width]]),
    [`layers.${i}.bias`, [width]],
  ]);
  return new Map([
    ['input.weight', [columns, width]],
    ['place.weight', [map.locationCount, width]],
    ...layers.flat(),
    ...lastShapes(map, width, shape),
  ]);
};

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

/** @param tableRows columns, a row of zeros and places: one table, whose rows a location adds up */
const planWork = (plan: AddressPlan, rows: number, edges: number, tableRows: number, width: number) => ({
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
});

/** A graph net of one map. */
export class GraphNet extends LocalNet<ReturnType<typeof planWork>> {
  /** Addresses of the weights of each layer. */
  private readonly layers = Array.from({ length: this.shape.layers }, (_, i) => ({
    self: this.addressOf(`layers.${i}.self.weight`),
    near: this.addressOf(`layers.${i}.near.weight`),
    all: this.addressOf(`layers.${i}.all.weight`),
    bias: this.addressOf(`layers.${i}.bias`),
  }));
  private readonly table = this.addressOf('input.weight');
  private readonly rows = roundUp(this.map.locationCount, ROW_STEP);
  private readonly slots: Int32Array;

  /** @param file weights, as readTensors() gives them @throws LepantoError if it is no graph net for this map */
  constructor(map: CompiledMap, file: TensorFile, { plain = false } = {}) {
    const shape = readShape(file, NAME);
    const { inner: width } = shape;
    const columns = columnsOf(map);
    const neighbours = neighboursOf(map);
    const rows = roundUp(map.locationCount, ROW_STEP);
    const tableRows = roundUp(columns + 1 + map.locationCount, ROW_STEP);
    const work = (plan: AddressPlan) => planWork(plan, rows, neighbours.flat().length, tableRows, width);
    super(map, file, { net: NAME, shapes: shapesOf(map, columns, shape), shape, gap: width, work }, plain);
    const { at, kernels, table } = this;
    this.slots = this.words.subarray(at.slots.indices / FLOAT);
    this.fillTables(neighbours);
    const zeros = { at: table + columns * width * FLOAT };
    for (const { self, near } of this.layers.slice(0, 1)) {
      kernels.multiply({ rows: tableRows, inner: width, width }, at.selfTable, table, self, zeros);
      kernels.multiply({ rows: tableRows, inner: width, width }, at.nearTable, table, near, zeros);
    }
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

  evaluate(game: Game): void {
    const { at, kernels, map, rows } = this;
    const { inner: width } = this.shape;
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
    this.readHeads(now);
  }
}
