// How the scores of orders follow from what a net says of each location: a row of `heads` for each.
import {
  BUILD_ARMY,
  BUILD_FLEET,
  CONVOY,
  DISBAND,
  HOLD,
  MOVE,
  type Order,
  orderHelped,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
  RAIL,
  REMOVE,
  RETREAT_TO,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
  WAIVE,
} from '../../engine/internal.js';
import { softmaxInto } from './evaluator.js';

// Pairs of vectors: a row of `heads` has the first of each pair, then the second of each, then the single scores.
const MOVES = 0;
const GOES_VIA = 1;
const SUPPORTS_UNIT = 2;
const SUPPORTS_INTO = 3;
const CONVOYS_INTO = 4;
const RETREATS = 5;
/** Of the unit that a support or convoy helps, and where that goes. */
const HELPED = 6;
export const PAIRS = 7;
// Single scores, by location.
const HOLDS = 0;
const DISBANDS = 1;
const BUILDS_ARMY = 2;
const BUILDS_FLEET = 3;
const REMOVES = 4;
/** The only one that is no location's: the mean over all. */
export const WAIVES = 5;
export const SINGLES = 8;

/** Columns of `heads`. */
export const headColumns = (headWidth: number): number => 2 * PAIRS * headWidth + SINGLES;

/** The heads of the positions that a net evaluated last. */
export interface Heads {
  /** The product of the first vector of a pair at one location and the second at another. */
  pair(position: number, pair: number, from: number, to: number): number;
  /** A single score of a location. */
  single(position: number, location: number, which: number): number;
  /** The score of a waive. */
  waive(position: number): number;
}

/** The score of an order of a position. */
export const scoreOrder = (heads: Heads, position: number, order: Order): number => {
  const from = orderLocation(order);
  const to = orderTarget(order);
  switch (orderType(order)) {
    case HOLD:
      return heads.single(position, from, HOLDS);
    case MOVE:
      return heads.pair(position, orderVia(order) === 1 ? GOES_VIA : MOVES, from, to);
    case RAIL:
      return heads.pair(position, GOES_VIA, from, to);
    case SUPPORT_HOLD:
      return heads.pair(position, SUPPORTS_UNIT, from, to);
    case SUPPORT_MOVE:
      return heads.pair(position, SUPPORTS_INTO, from, to) + heads.pair(position, HELPED, orderHelped(order), to);
    case CONVOY:
      return heads.pair(position, CONVOYS_INTO, from, to) + heads.pair(position, HELPED, orderHelped(order), to);
    case RETREAT_TO:
      return heads.pair(position, RETREATS, from, to);
    case DISBAND:
      return heads.single(position, from, DISBANDS);
    case BUILD_ARMY:
      return heads.single(position, from, BUILDS_ARMY);
    case BUILD_FLEET:
      return heads.single(position, from, BUILDS_FLEET);
    case REMOVE:
      return heads.single(position, from, REMOVES);
    case WAIVE:
      return heads.waive(position);
    default:
      return 0;
  }
};

/** Heads as one matrix for each position, some rows long, one for each location. */
export class FullHeads implements Heads {
  private readonly columns: number = headColumns(this.headWidth);

  /** @param locations rows of locations among `rows` */
  constructor(
    /** float32[positions, rows, columns] */
    public values: Float32Array,
    private readonly locations: number,
    private readonly rows: number,
    private readonly headWidth: number,
  ) {}

  pair(position: number, pair: number, from: number, to: number): number {
    const { values, rows, headWidth, columns } = this;
    const a = (position * rows + from) * columns + pair * headWidth;
    const b = (position * rows + to) * columns + (PAIRS + pair) * headWidth;
    let sum = 0;
    for (let i = 0; i < headWidth; i++) sum += values[a + i] * values[b + i];
    return sum;
  }

  single(position: number, location: number, which: number): number {
    const { values, rows, columns } = this;
    return values[(position * rows + location + 1) * columns - SINGLES + which];
  }

  waive(position: number): number {
    let sum = 0;
    for (let l = 0; l < this.locations; l++) sum += this.single(position, l, WAIVES);
    return sum / this.locations;
  }
}

/** Addresses of the four tensors of a value head, in floats. */
type ValueTensors = readonly [hidden: number, hiddenBias: number, value: number, valueBias: number];

/** The values of all powers from one vector: softmax(max(0, vector value.0 + bias) value.1 + bias). */
export class ValueHead {
  private readonly tensors: ValueTensors;
  private readonly hidden: Float32Array;

  /** @param addressOf addresses of tensors by name, in bytes of the memory of `floats` */
  constructor(
    private readonly floats: Float32Array,
    addressOf: (name: string) => number,
    width: number,
  ) {
    const at = (name: string): number => addressOf(name) / floats.BYTES_PER_ELEMENT;
    this.tensors = [at('value.0.weight'), at('value.0.bias'), at('value.1.weight'), at('value.1.bias')];
    this.hidden = new Float32Array(width);
  }

  /** @param vector what the net has made of a position; `out` takes a value for each power */
  read(vector: Float32Array, out: Float32Array): void {
    const [weight, bias, lastWeight, lastBias] = this.tensors;
    const { hidden } = this;
    this.multiply(vector, weight, bias, hidden);
    for (let i = 0; i < hidden.length; i++) hidden[i] = Math.max(hidden[i], 0);
    this.multiply(hidden, lastWeight, lastBias, out);
    softmaxInto(out, out.length, 1);
  }

  private multiply(vector: Float32Array, weight: number, bias: number, out: Float32Array): void {
    const { floats } = this;
    const width = out.length;
    for (let c = 0; c < width; c++) {
      let sum = floats[bias + c];
      for (let k = 0; k < vector.length; k++) sum += vector[k] * floats[weight + k * width + c];
      out[c] = sum;
    }
  }
}
