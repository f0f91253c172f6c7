// How the scores of orders follow from what a net says of each location: a row of `heads` for each.
import * as O from '../../engine/rules/order.js';

// Pairs of vectors: a row of `heads` has the first of each pair, then the second of each, then the single scores.
const GOES_VIA = 1;
const NONE = -1;
/** Number of the pair of an order, indexed by its type. */
const pairOf = new Int8Array(O.orderTypes.length).fill(NONE);
pairOf[O.MOVE] = 0;
pairOf[O.RAIL] = GOES_VIA;
pairOf[O.SUPPORT_HOLD] = 2;
pairOf[O.SUPPORT_MOVE] = 3;
pairOf[O.CONVOY] = 4;
pairOf[O.RETREAT_TO] = 5;
/** Of the unit that a support or convoy helps, and where that goes. */
const HELPED = 6;
const PAIRS = 7;
/** Number of the single score of an order, indexed by its type. */
const singleOf = new Int8Array(O.orderTypes.length).fill(NONE);
singleOf[O.HOLD] = 0;
singleOf[O.DISBAND] = 1;
singleOf[O.BUILD_ARMY] = 2;
singleOf[O.BUILD_FLEET] = 3;
singleOf[O.REMOVE] = 4;
/** The only single score that is no location's: the mean over all. */
const WAIVES = 5;
const SINGLES = 8;

/** Columns of `heads`. @param width of the vectors whose products are scores */
export const headColumns = (width: number): number => 2 * PAIRS * width + SINGLES;
/** The width of vectors that so many columns of `heads` have room for. */
export const headWidthOf = (columns: number): number => (columns - SINGLES) / (2 * PAIRS);
/** The columns that `heads` may have, in words. */
export const HEADS_WANTED = `${2 * PAIRS} x n + ${SINGLES}`;

/** The heads of a position: float32[locations, columns]. */
export class Heads {
  private readonly columns = headColumns(this.width);

  constructor(
    private readonly values: Float32Array,
    private readonly locations: number,
    private readonly width: number,
  ) {}

  scores(orders: Int32Array): Float32Array {
    const scores = new Float32Array(orders.length);
    for (let i = 0; i < orders.length; i++) scores[i] = this.score(orders[i]);
    return scores;
  }

  private score(order: O.Order): number {
    const type = O.orderType(order);
    const from = O.orderLocation(order);
    const to = O.orderTarget(order);
    if (type === O.WAIVE) return this.waive();
    const single = singleOf[type];
    if (single !== NONE) return this.single(from, single);
    const pair = type === O.MOVE && O.orderVia(order) === 1 ? GOES_VIA : pairOf[type];
    if (pair === NONE) return 0;
    const score = this.pair(pair, from, to);
    return type === O.SUPPORT_MOVE || type === O.CONVOY ? score + this.pair(HELPED, O.orderHelped(order), to) : score;
  }

  /** The product of the first vector of a pair at one location and the second at another. */
  private pair(pair: number, from: number, to: number): number {
    const { values, width, columns } = this;
    const a = from * columns + pair * width;
    const b = to * columns + (PAIRS + pair) * width;
    let sum = 0;
    for (let i = 0; i < width; i++) sum += values[a + i] * values[b + i];
    return sum;
  }

  private single(location: number, which: number): number {
    return this.values[(location + 1) * this.columns - SINGLES + which];
  }

  private waive(): number {
    let sum = 0;
    for (let l = 0; l < this.locations; l++) sum += this.single(l, WAIVES);
    return sum / this.locations;
  }
}
