// Chooses the orders of a power by the scores of a net so that they fit together (bindings/python/src/lepanto/train/joint.py
// is the same where nets learn).
//
// Units draw in turn, those first that are surest of their best order. What the units before have been ordered rules orders
// out: to go where an own unit will be, to help an own unit with what it does not do, and, of a unit that is to be helped
// with something, everything else. A unit that is left without an order may do anything but the first two, and else
// anything at all.
import { type CompiledMap, MAX_LOCATIONS, type Province, type Random } from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';
import { softmax } from './evaluator.js';

const NOWHERE = -1;

/** Draws an index by scores, which become probabilities; the best if the temperature is 0. */
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

/** Returns the probability of the best order, as a float32. */
const bestShare = (scores: Float32Array): number => {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < scores.length; i++) most = Math.max(most, scores[i]);
  let sum = 0;
  for (let i = 0; i < scores.length; i++) sum += Math.fround(Math.exp(scores[i] - most));
  return Math.fround(1 / sum);
};

/** The province of a unit, where its order ends, the unit that it helps, and where that is to end. */
interface Aim {
  readonly here: Province;
  readonly end: number;
  readonly helped: number;
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

/** Draws the orders of all units of a power: in movement and retreat phases, where each has a list of its own. */
export class JointDraw {
  /** By province: where the own unit there goes, where it is wanted, and whether an own unit will be there. */
  private readonly goes = new Int16Array(MAX_LOCATIONS);
  private readonly wanted = new Int16Array(MAX_LOCATIONS);
  private readonly taken = new Uint8Array(MAX_LOCATIONS);

  constructor(private readonly map: CompiledMap) {}

  /**
   * @param lists legal orders of each unit
   * @param scores of the orders of each unit, by a net
   * @param temperature what scores are divided by; 0: always the best order
   * @param out takes an order for each list
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
    // How likely the best order of each would be, were it alone.
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

  private clashes(order: O.Order, { end, helped, to }: Aim): boolean {
    const { goes } = this;
    if (end !== NOWHERE && this.taken[end] === 1) return true;
    if (helped === NOWHERE) return false;
    if (goes[helped] !== NOWHERE && goes[helped] !== to) return true;
    return O.orderType(order) === O.SUPPORT_MOVE && goes[to] === to;
  }

  private settle({ here, end, helped, to }: Aim): void {
    this.goes[here] = end;
    if (end !== NOWHERE) this.taken[end] = 1;
    if (helped !== NOWHERE) this.wanted[helped] = to;
  }
}
