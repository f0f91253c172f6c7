// Computes scores of orders from the output of a net, `heads`, which has a row for each location.
//
// A row has PAIRS first vectors, then PAIRS second vectors, then SINGLES single scores. The score of an order with a
// target is the product of a first vector at its unit's location and the second vector at its target. Other orders have
// single scores.
import * as O from '../../engine/rules/order.js';

/** Number of the pair of vectors for a move VIA a convoy. */
const GOES_VIA = 1;
const NONE = -1;
/**
 * Number of the pair of vectors that scores an order, indexed by type of the order; NONE for types without a target.
 */
const pairOf = new Int8Array(O.orderTypes.length).fill(NONE);
pairOf[O.MOVE] = 0;
pairOf[O.RAIL] = GOES_VIA;
pairOf[O.SUPPORT_HOLD] = 2;
pairOf[O.SUPPORT_MOVE] = 3;
pairOf[O.CONVOY] = 4;
pairOf[O.RETREAT_TO] = 5;
/**
 * Number of the pair of vectors for the helped unit of a support or convoy and the target of that unit. Its score is
 * added to the score of the order's own pair.
 */
const HELPED = 6;
const PAIRS = 7;
/** Number of the single score of an order, indexed by type of the order; NONE for types with a pair of vectors. */
const singleOf = new Int8Array(O.orderTypes.length).fill(NONE);
singleOf[O.HOLD] = 0;
singleOf[O.DISBAND] = 1;
singleOf[O.BUILD_ARMY] = 2;
singleOf[O.BUILD_FLEET] = 3;
singleOf[O.REMOVE] = 4;
/** Number of the single score of a waive. A waive has no location, so its score is the mean over all locations. */
const WAIVES = 5;
const SINGLES = 8;

/** Returns the number of columns of `heads`, the output of a net. @param width length of a vector */
export const headColumns = (width: number): number => 2 * PAIRS * width + SINGLES;
/**
 * Returns the length of a vector for a number of columns of `heads`. The result is not an integer if the number is
 * invalid.
 */
export const headWidthOf = (columns: number): number => (columns - SINGLES) / (2 * PAIRS);
/** Valid numbers of columns of `heads`, for error messages. */
export const HEADS_WANTED = `${2 * PAIRS} x n + ${SINGLES}`;

/** Scores orders by the output of a net for one position: float32 [locations, columns]. */
export class Heads {
  private readonly columns = headColumns(this.width);

  constructor(
    private readonly values: Float32Array,
    private readonly locations: number,
    private readonly width: number,
  ) {}

  /** Returns the score of each packed order, in the order of the argument. */
  scores(orders: Int32Array): Float32Array {
    const scores = new Float32Array(orders.length);
    for (let i = 0; i < orders.length; i++) scores[i] = this.score(orders[i]);
    return scores;
  }

  /** Returns the score of a packed order; 0 for a type of order that has no score. */
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

  /**
   * Returns the dot product of the first vector of a pair at location `from` and the second vector at location `to`.
   * @param pair number of the pair
   */
  private pair(pair: number, from: number, to: number): number {
    const { values, width, columns } = this;
    const a = from * columns + pair * width;
    const b = to * columns + (PAIRS + pair) * width;
    let sum = 0;
    for (let i = 0; i < width; i++) sum += values[a + i] * values[b + i];
    return sum;
  }

  /** Returns a single score at a location. @param which number of the score: a value of singleOf, or WAIVES */
  private single(location: number, which: number): number {
    return this.values[(location + 1) * this.columns - SINGLES + which];
  }

  /** Returns the score of a waive: the mean over all locations. */
  private waive(): number {
    let sum = 0;
    for (let l = 0; l < this.locations; l++) sum += this.single(l, WAIVES);
    return sum / this.locations;
  }
}
