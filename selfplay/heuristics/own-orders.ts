// Lists the movement orders of one power that do not help other powers, and its plans: combinations of orders, such as
// a move with its supports.
import { type CompiledMap, type Game, listInRoom, orderRoom } from '../../engine/internal.js';
import type { RandomGame } from '../../engine/play/step.js';
import * as O from '../../engine/rules/order.js';
import * as T from '../../engine/rules/types.js';

/** A legal order of one unit: packed (`order`), as a board order (`onBoard`), and its type (`type`). */
interface OwnOrder {
  readonly order: O.Order;
  readonly onBoard: number;
  readonly type: number;
  /** Target of a move, or of the move that is helped; for holds and supports of holds, the province of the unit. */
  readonly target: T.Province;
  /** Index of the own unit that a support or convoy helps; -1 for other orders. */
  readonly helped: number;
}

// Limits that no published map reaches. They bound memory on maps where every province borders on every other.
const MOST_HELPS = 4096;
const MOST_HELPERS = 16;

/**
 * Orders of some units of a power, as a flat list of pairs: index of a unit, index of its order in OwnOrders.orders.
 */
export type Plan = readonly number[];

/**
 * Returns the orders that can help a unit, each as a plan of one order.
 * @param helped index of the unit
 * @param type type of the helping order
 * @param target target of the helped move
 */
type Helpers = (helped: number, type: number, target: T.Province) => readonly Plan[];

/** Upper bound on the number of order types. */
const TYPES = 16;
const keyOfHelp = (helped: number, type: number, target: T.Province): number =>
  (helped * TYPES + type) * T.MAX_LOCATIONS + target;

const isVia = ({ order }: OwnOrder): boolean => O.orderVia(order) === 1;

/**
 * Orders of one power that do not help other powers. An order set has for each unit the index of its order in `orders`.
 */
export class OwnOrders {
  readonly holds: Int32Array = Int32Array.from(this.orders, (list) => list.findIndex(({ type }) => type === O.HOLD));
  private known: readonly Plan[] | null = null;

  constructor(
    readonly power: T.Power,
    /** Provinces of the units, ascending. */
    readonly units: readonly T.Province[],
    /** Orders of each unit, indexed like `units`. */
    readonly orders: readonly (readonly OwnOrder[])[],
  ) {}

  /**
   * Converts packed orders to an order set: for each unit the index of its order in `orders`. A unit holds if its order
   * is missing or not in its list. @param packed orders of units in `units` only
   */
  read(map: CompiledMap, packed: Int32Array): Int32Array {
    const set = this.holds.slice();
    for (const order of packed) {
      const unit = this.units.indexOf(map.locationProvince[O.orderLocation(order)]);
      const place = this.orders[unit].findIndex((one) => one.order === order);
      if (place >= 0) set[unit] = place;
    }
    return set;
  }

  /** Writes an order set to `into` as board orders, indexed by province. */
  put(set: Int32Array, into: Int32Array): void {
    for (let u = 0; u < set.length; u++) into[this.units[u]] = this.orders[u][set[u]].onBoard;
  }

  /** Writes an order set to `out` as packed orders, and returns their number. */
  write(set: Int32Array, out: Int32Array): number {
    for (let u = 0; u < set.length; u++) out[u] = this.orders[u][set[u]].order;
    return set.length;
  }

  /** All plans of the power: combinations of orders, such as a move with its supports. */
  get plans(): readonly Plan[] {
    this.known ??= this.listPlans();
    return this.known;
  }

  /**
   * Writes to `out` the order set `set` with the orders of a plan. A unit holds if its support or convoy no longer
   * matches the order that it helps.
   * @returns false if the set already contains the plan, or if the plan is a single support or convoy that matches no
   *   order
   */
  lay(set: Int32Array, plan: Plan, out: Int32Array): boolean {
    out.set(set);
    let changed = false;
    for (let i = 0; i < plan.length; i += 2) {
      changed ||= out[plan[i]] !== plan[i + 1];
      out[plan[i]] = plan[i + 1];
    }
    if (!changed || (plan.length === 2 && !this.serves(out, plan[0]))) return false;
    for (let u = 0; u < out.length; u++) if (!this.serves(out, u)) out[u] = this.holds[u];
    return true;
  }

  private serves(set: Int32Array, unit: number): boolean {
    const { helped, type, target } = this.orders[unit][set[unit]];
    if (helped < 0) return true;
    const other = this.orders[helped][set[helped]];
    if (type === O.SUPPORT_HOLD) return other.type !== O.MOVE;
    return other.type === O.MOVE && other.target === target && (type === O.SUPPORT_MOVE || isVia(other));
  }

  /**
   * Returns the orders that can help, each as a plan of one order, keyed by keyOfHelp(). For each kind of help a unit
   * is listed once, with its first such order.
   */
  private listHelpers(): ReadonlyMap<number, Plan[]> {
    const helpers = new Map<number, Plan[]>();
    for (const [u, list] of this.orders.entries())
      for (const [place, { type, helped, target }] of list.entries()) {
        if (helped < 0) continue;
        const key = keyOfHelp(helped, type, target);
        const known = helpers.get(key);
        if (known === undefined) helpers.set(key, [[u, place]]);
        else if (known[known.length - 1][0] !== u) known.push([u, place]);
      }
    return helpers;
  }

  private listPlans(): Plan[] {
    const all = this.listHelpers();
    const helpers: Helpers = (helped, type, target) => all.get(keyOfHelp(helped, type, target)) ?? [];
    const plans: Plan[] = [];
    for (const [u, list] of this.orders.entries())
      for (const [place, order] of list.entries()) {
        if (order.type === O.HOLD) addHelped([u, place], helpers(u, O.SUPPORT_HOLD, this.units[u]), plans);
        else if (order.type === O.MOVE) this.addMove(u, place, order, helpers, plans);
        else if (order.type !== O.CONVOY) plans.push([u, place]);
      }
    return plans;
  }

  /**
   * Appends the plans of a move to `plans`: alone, with supports, by convoy, and into the province of an own unit that
   * moves away.
   * @param place index of the move among the unit's orders
   */
  private addMove(unit: number, place: number, order: OwnOrder, helpers: Helpers, plans: Plan[]): void {
    const supporters = helpers(unit, O.SUPPORT_MOVE, order.target);
    if (isVia(order)) {
      const fleets = helpers(unit, O.CONVOY, order.target);
      const busy = new Set(fleets.map(([u]) => u));
      const free = supporters.filter(([u]) => !busy.has(u));
      if (fleets.length > 0) addHelped([unit, place, ...fleets.flat()], free, plans);
      return;
    }
    addHelped([unit, place], supporters, plans);
    const next = this.units.indexOf(order.target);
    for (const [k, one] of this.orders[next]?.entries() ?? [])
      if (one.type === O.MOVE && !isVia(one)) plans.push([unit, place, next, k]);
  }
}

/**
 * Appends to `plans` a plan without help, with each helper, with each pair of the first MOST_HELPERS helpers, and with
 * all helpers.
 */
const addHelped = (plan: Plan, helpers: readonly Plan[], plans: Plan[]): void => {
  plans.push(plan);
  for (const one of helpers) plans.push(plan.concat(one));
  const some = helpers.slice(0, MOST_HELPERS);
  for (const [i, one] of some.entries()) for (const two of some.slice(i + 1)) plans.push(plan.concat(one, two));
  if (helpers.length > 2) plans.push(plan.concat(...helpers));
};

const offsets = new Int32Array(T.MAX_LOCATIONS + 1);

/**
 * Returns the orders of all powers with units, ascending by power. At most MOST_HELPS supports and convoys of each unit
 * are listed.
 * @param onBoard board that has loaded the position
 * @param only the only power to list; by default all powers
 */
export const listOwnOrders = (onBoard: RandomGame, game: Game, only?: T.Power): OwnOrders[] => {
  const { map } = game;
  const units: T.Province[][] = map.powerNames.map(() => []);
  const orders: OwnOrder[][][] = map.powerNames.map(() => []);
  const powers = Array.from({ length: map.provinceCount }, (_, p) => T.unitPower(game.unitAt(p)));
  for (let p = 0; p < map.provinceCount; p++) if (game.unitAt(p) !== T.NO_UNIT) units[powers[p]].push(p);
  const count = listInRoom(game, offsets);
  const room = orderRoom();
  for (let i = 0; i < count; i++) {
    const province = map.locationProvince[O.orderLocation(room[offsets[i]])];
    const power = powers[province];
    if (power !== (only ?? power)) continue;
    const list: OwnOrder[] = [];
    let left = MOST_HELPS;
    for (let k = offsets[i]; k < offsets[i + 1]; k++) {
      const order = room[k];
      const type = O.orderType(order);
      const helps = O.isHelp(order);
      if (O.orderLeave(order) !== 0 || (helps && powers[O.orderHelped(order)] !== power)) continue;
      if (helps && left-- <= 0) continue;
      list.push({
        order,
        onBoard: onBoard.boardOrder(order),
        type,
        target: type === O.HOLD ? province : map.locationProvince[O.orderTarget(order)],
        helped: helps ? units[power].indexOf(O.orderHelped(order)) : -1,
      });
    }
    orders[power].push(list);
  }
  return units.flatMap((own, power) => (orders[power].length === 0 ? [] : [new OwnOrders(power, own, orders[power])]));
};
