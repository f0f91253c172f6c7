// Makes neighbours of good order sets: applies a plan, changes the order of one unit (often with a helper), or copies
// part of another good set. Units whose supports or convoys no longer match get new orders.
import { type Game, legalByPower, MOVEMENT, type Power, type Province, type Random } from '../../engine/internal.js';
import * as O from '../../engine/rules/order.js';
import { holdIllegal } from '../evaluation/hold-illegal.js';
import { fillPlan, listPlans, type Plan, replaceOne } from './candidates.js';

/**
 * TRIES: maximum number of draws of an order for a unit, before it holds. SET_TRIES: maximum number of draws of an
 * order set, before next() returns null. REPAIRS: maximum number of passes over the units that get new orders.
 */
const TRIES = 8;
const SET_TRIES = 20;
const REPAIRS = 3;

/**
 * Makes neighbours of order sets: order sets of one power in one position that differ from a good one in a few orders.
 */
export class LocalSearch {
  private readonly plans: readonly Plan[];
  /**
   * `legal`: all legal orders of the power. `legalOf`: legal orders of each unit, indexed by unit. `units`: index of
   * the unit, keyed by province. Units are in the order of the order sets.
   */
  private readonly legal: readonly O.Order[];
  private readonly legalOf: O.Order[][] = [];
  private readonly units = new Map<Province, number>();

  /**
   * Lists the legal orders of a power in a position, and in a movement phase its plans.
   * @param random random numbers that vary the ranking of plans
   */
  constructor(
    private readonly game: Game,
    power: Power,
    random: Random,
  ) {
    this.legal = legalByPower(game, power).flatMap((list) => [...list]);
    this.plans = game.phase === MOVEMENT ? listPlans(game, power, random) : [];
    const byLocation = [...this.legal].sort((a, b) => O.orderLocation(a) - O.orderLocation(b) || a - b);
    for (const order of byLocation) {
      const p = this.province(O.orderLocation(order));
      const unit = this.units.get(p) ?? this.legalOf.push([]) - 1;
      this.units.set(p, unit);
      this.legalOf[unit].push(order);
    }
  }

  /**
   * Returns a new neighbour of one of the order sets; null if SET_TRIES draws find none.
   * @param best order sets, best first; earlier ones are changed more often
   * @param known returns true for an order set that is not new
   */
  next(best: readonly Int32Array[], known: (set: Int32Array) => boolean, random: Random): Int32Array | null {
    for (let i = 0; i < SET_TRIES && this.legal.length > 0; i++) {
      const from = best[Math.min(random.below(best.length), random.below(best.length))];
      const set = this.game.phase === MOVEMENT ? this.change(from, best, random) : this.replace(from, random);
      if (set !== null && !known(set)) return set;
    }
    return null;
  }

  private province(location: number): Province {
    return this.game.map.locationProvince[location];
  }

  private replace(from: Int32Array, random: Random): Int32Array | null {
    return replaceOne(this.game, from, this.legal[random.below(this.legal.length)], random.below(from.length));
  }

  private change(from: Int32Array, best: readonly Int32Array[], random: Random): Int32Array {
    const set = from.slice();
    do {
      const kind = random.below(3);
      if (kind === 0 && this.plans.length > 0) this.layPlan(set, random);
      else if (kind === 1 && best.length > 1) this.takeOver(set, best[random.below(best.length)], random);
      else this.reorder(set, random);
    } while (random.below(4) === 0);
    holdIllegal(this.game, set, set.length);
    return set;
  }

  private layPlan(set: Int32Array, random: Random): void {
    const plan = this.plans[Math.min(random.below(this.plans.length), random.below(this.plans.length))];
    set.set(fillPlan(this.game.map, plan, set));
    this.repair(set, random);
  }

  private reorder(set: Int32Array, random: Random): void {
    const unit = random.below(set.length);
    set[unit] = this.draw(set, unit, random);
    if (random.below(2) === 0) {
      const helper = random.below(set.length);
      const help = this.legalOf[helper].find((order) => helper !== unit && this.helps(set, order, unit));
      if (help !== undefined) set[helper] = help;
    }
    this.repair(set, random);
  }

  /**
   * Copies from another order set the order of one random unit, and the orders of all units that help it or that it
   * helps. Gives new orders to units whose orders no longer match.
   */
  private takeOver(set: Int32Array, other: Int32Array, random: Random): void {
    const unit = random.below(set.length);
    for (let k = 0; k < set.length; k++)
      if (k === unit || this.helps(other, other[k], unit) || this.helps(other, other[unit], k)) set[k] = other[k];
    this.repair(set, random);
  }

  /**
   * True if an order supports or convoys a unit as the unit is ordered in `set`.
   * @param unit index of the unit that may be helped
   */
  private helps(set: Int32Array, order: O.Order, unit: number): boolean {
    const type = O.orderType(order);
    if (type === O.SUPPORT_HOLD)
      return this.units.get(O.targetProvince(order)) === unit && O.orderType(set[unit]) !== O.MOVE;
    if (type !== O.SUPPORT_MOVE && type !== O.CONVOY) return false;
    return (
      this.units.get(O.orderHelped(order)) === unit &&
      O.orderType(set[unit]) === O.MOVE &&
      this.province(O.orderTarget(set[unit])) === this.province(O.orderTarget(order)) &&
      (type === O.SUPPORT_MOVE || O.orderVia(set[unit]) === 1)
    );
  }

  /**
   * True if the order of a unit can have an effect, given the other own orders in `set`: for example, a support matches
   * the order of the supported unit.
   * @param unit index of the unit
   */
  private serves(set: Int32Array, unit: number): boolean {
    const order = set[unit];
    const type = O.orderType(order);
    if (type === O.HOLD) return true;
    if (type === O.MOVE && O.orderVia(order) === 1)
      return set.some((other) => O.orderType(other) === O.CONVOY && this.helps(set, other, unit));
    const target = this.units.get(this.province(O.orderTarget(order)));
    if (type === O.MOVE) return target === undefined || O.orderType(set[target]) === O.MOVE;
    const helped = type === O.SUPPORT_HOLD ? target : this.units.get(O.orderHelped(order));
    return helped === undefined || this.helps(set, order, helped);
  }

  private isForeign(order: O.Order): boolean {
    return O.isHelp(order) && !this.units.has(O.orderHelped(order));
  }

  private collides(set: Int32Array, unit: number): boolean {
    const goal = (order: O.Order): Province =>
      O.orderType(order) === O.MOVE ? this.province(O.orderTarget(order)) : -1;
    const target = goal(set[unit]);
    return target >= 0 && set.some((other, k) => k !== unit && goal(other) === target);
  }

  /**
   * Draws an order for a unit that can have an effect with the other orders in `set`. Help for other powers and moves
   * of two own units to one province are drawn rarely. Returns a hold if TRIES draws find none.
   * @param unit index of the unit
   */
  private draw(set: Int32Array, unit: number, random: Random): O.Order {
    const before = set[unit];
    const legal = this.legalOf[unit];
    let drawn = O.hold(O.orderLocation(before));
    for (let i = 0; i < TRIES; i++) {
      set[unit] = legal[random.below(legal.length)];
      const odd = this.isForeign(set[unit]) || this.collides(set, unit);
      if (!this.serves(set, unit) || (odd && random.below(8) !== 0)) continue;
      drawn = set[unit];
      break;
    }
    set[unit] = before;
    return drawn;
  }

  private repair(set: Int32Array, random: Random): void {
    for (let pass = 0, broken = true; broken && pass < REPAIRS; pass++) {
      broken = false;
      for (let unit = 0; unit < set.length; unit++) {
        if (this.serves(set, unit)) continue;
        broken = true;
        set[unit] = this.draw(set, unit, random);
      }
    }
    for (let unit = 0; unit < set.length; unit++)
      if (!this.serves(set, unit)) set[unit] = O.hold(O.orderLocation(set[unit]));
  }
}
