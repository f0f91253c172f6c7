// Draws consistent orders for the units of a power by the scores of a net. Training uses the same algorithm
// (bindings/python/src/lepanto/train/joint.py).
//
// Units draw one after another, in descending probability of their best order. Orders already drawn exclude orders of
// later units:
//
//   1. to end in a province where a unit of the power will be
//   2. to support or convoy a unit of the power that has another order, or support a move against one that stays
//   3. if a drawn support or convoy helps the unit: all orders but the helped one
//
// If these rules leave no order, the unit ignores rule 3. If that leaves no order, it ignores all rules.
import { type CompiledMap, MAX_LOCATIONS, type Province, type Random } from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';
import { softmax } from './evaluator.js';

const NOWHERE = -1;

/**
 * Draws an index with the probabilities softmax(scores / temperature), and writes these to `scores`. With temperature 0
 * returns the index of the highest score, draws no random number and leaves `scores` unchanged.
 */
export const drawIndex = (scores: Float32Array, temperature: number, random: Random): number => {
  if (temperature === 0) return scores.reduce((best, score, i) => (score > scores[best] ? i : best), 0);
  softmax(scores, temperature);
  let left = random.fraction();
  for (let i = 0; i < scores.length; i++) {
    left -= scores[i];
    if (left < 0) return i;
  }
  return scores.length - 1;
};

/** Returns the probability of the order with the highest score, by softmax of the scores, rounded to float32. */
const bestShare = (scores: Float32Array): number => {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < scores.length; i++) most = Math.max(most, scores[i]);
  let sum = 0;
  for (let i = 0; i < scores.length; i++) sum += Math.fround(Math.exp(scores[i] - most));
  return Math.fround(1 / sum);
};

/** An order in terms of provinces. NOWHERE stands for no province. */
interface Aim {
  /** Province of the unit. */
  readonly here: Province;
  /** Province in which the unit ends if the order succeeds. */
  readonly end: number;
  /** Province of the unit that a support or convoy helps. */
  readonly helped: number;
  /** Province in which the helped unit ends. */
  readonly to: number;
}

const aimOf = ({ locationProvince }: CompiledMap, order: O.Order): Aim => {
  const type = O.orderType(order);
  const here = locationProvince[O.orderLocation(order)];
  const to = locationProvince[O.orderTarget(order)];
  if (O.isHelp(order)) return { here, end: here, helped: O.orderHelped(order), to };
  const moves = type === O.MOVE || type === O.RAIL || type === O.RETREAT_TO;
  return { here, end: moves ? to : type === O.DISBAND ? NOWHERE : here, helped: NOWHERE, to: NOWHERE };
};

/** Draws the orders of all units of a power in movement and retreat phases. */
export class JointDraw {
  /**
   * Province in which a unit of the power ends by its drawn order, indexed by province of the unit. NOWHERE if none is
   * drawn.
   */
  private readonly goes = new Int16Array(MAX_LOCATIONS);
  /**
   * Province in which drawn supports and convoys need a unit to end, indexed by province of the unit. NOWHERE if none
   * do.
   */
  private readonly wanted = new Int16Array(MAX_LOCATIONS);
  /** 1 if a unit of the power ends in the province by the drawn orders, else 0, indexed by province. */
  private readonly taken = new Uint8Array(MAX_LOCATIONS);

  constructor(private readonly map: CompiledMap) {}

  /**
   * Draws one order for each unit, and writes them to `out` in the order of the units.
   * @param lists legal packed orders of each unit
   * @param scores scores of these orders by a net, with the same lengths
   * @param temperature divisor of the scores; 0 to choose the best order
   */
  draw(
    lists: readonly Int32Array[],
    scores: readonly Float32Array[],
    temperature: number,
    random: Random,
    out: Int32Array,
  ): void {
    this.goes.fill(NOWHERE);
    this.wanted.fill(NOWHERE);
    this.taken.fill(0);
    // Probability of each unit's best order, regardless of other units.
    const sure = scores.map(bestShare);
    const turns = [...sure.keys()].sort((a, b) => sure[b] - sure[a] || a - b);
    for (const place of turns) {
      const orders = lists[place];
      const left = this.left(orders);
      const some = new Float32Array(left.length);
      for (let i = 0; i < left.length; i++) some[i] = scores[place][left[i]];
      out[place] = orders[left[drawIndex(some, temperature, random)]];
      this.settle(aimOf(this.map, out[place]));
    }
  }

  /**
   * Returns the indices of the orders of a unit that the drawn orders leave possible, by the rules at the head of this
   * file. Returns all indices if the rules leave none.
   */
  private left(orders: Int32Array): number[] {
    const possible: number[] = [];
    const wanted: number[] = [];
    for (let i = 0; i < orders.length; i++) {
      const order = orders[i];
      const aim = aimOf(this.map, order);
      if (this.clashes(order, aim)) continue;
      possible.push(i);
      const wish = this.wanted[aim.here];
      if (wish === NOWHERE || wish === aim.end) wanted.push(i);
    }
    if (wanted.length > 0) return wanted;
    return possible.length > 0 ? possible : [...orders.keys()];
  }

  /** True if rule 1 or 2 at the head of this file excludes an order, given the drawn orders. */
  private clashes(order: O.Order, { end, helped, to }: Aim): boolean {
    const { goes } = this;
    if (end !== NOWHERE && this.taken[end] === 1) return true;
    if (helped === NOWHERE) return false;
    if (goes[helped] !== NOWHERE && goes[helped] !== to) return true;
    return O.orderType(order) === O.SUPPORT_MOVE && goes[to] === to;
  }

  /** Records a drawn order, so that it excludes orders of later units. */
  private settle({ here, end, helped, to }: Aim): void {
    this.goes[here] = end;
    if (end !== NOWHERE) this.taken[end] = 1;
    if (helped !== NOWHERE) this.wanted[helped] = to;
  }
}
