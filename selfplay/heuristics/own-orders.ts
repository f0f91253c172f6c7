// The movement orders of one power that make sense without friends, and its plans: orders of some units that belong
// together, such as a move and its supports.
import { type CompiledMap, type Game, listInRoom, orderRoom } from '../../engine/internal.js';
import type { RandomGame } from '../../engine/play/step.js';
import * as O from '../../engine/rules/order.js';
import * as T from '../../engine/rules/types.js';

interface OwnOrder {
  readonly order: O.Order;
  readonly onBoard: number;
  readonly type: number;
  /** Where a move goes, or the move that is helped; the province of a unit that holds. */
  readonly target: T.Province;
  /** Place of the unit that a support or convoy helps; -1 for other orders. */
  readonly helped: number;
}

// More than any map of the field has need of: they bound memory where everything borders on everything.
const MOST_HELPS = 4096;
const MOST_HELPERS = 16;

/** Orders that belong together: pairs of the place of a unit and that of an order. */
export type Plan = readonly number[];

/** Who can help a unit, by its place, in a way and to a province. */
type Helpers = (helped: number, type: number, target: T.Province) => readonly Plan[];

/** More than there are types of orders. */
const TYPES = 16;
const keyOfHelp = (helped: number, type: number, target: T.Province): number =>
  (helped * TYPES + type) * T.MAX_LOCATIONS + target;

const isVia = ({ order }: OwnOrder): boolean => O.orderVia(order) === 1;

/** What one power can order: none that helps another power. An order set has the place of an order for each unit. */
export class OwnOrders {
  readonly holds: Int32Array = Int32Array.from(this.orders, (list) => list.findIndex(({ type }) => type === O.HOLD));
  private known: readonly Plan[] | null = null;

  constructor(
    readonly power: T.Power,
    /** Provinces of the units, ascending. */
    readonly units: readonly T.Province[],
    /** By unit. */
    readonly orders: readonly (readonly OwnOrder[])[],
  ) {}

  /** The order set that packed orders make; units whose order is not listed hold. */
  read(map: CompiledMap, packed: Int32Array): Int32Array {
    const set = this.holds.slice();
    for (const order of packed) {
      const unit = this.units.indexOf(map.locationProvince[O.orderLocation(order)]);
      const place = this.orders[unit].findIndex((one) => one.order === order);
      if (place >= 0) set[unit] = place;
    }
    return set;
  }

  /** Writes the orders of a set for the board, by province. */
  put(set: Int32Array, into: Int32Array): void {
    for (let u = 0; u < set.length; u++) into[this.units[u]] = this.orders[u][set[u]].onBoard;
  }

  /** Writes the packed orders of a set; returns their number. */
  write(set: Int32Array, out: Int32Array): number {
    for (let u = 0; u < set.length; u++) out[u] = this.orders[u][set[u]].order;
    return set.length;
  }

  get plans(): readonly Plan[] {
    this.known ??= this.listPlans();
    return this.known;
  }

  /** Lays a plan over a set: units whose help has become useless hold. @returns false if nothing new comes of it */
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

  /** By keyOfHelp(): each unit that can help another in this way, as its place and that of its first such order. */
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

  /** Adds a move alone, with supports, by convoy, or into the place of an own unit that moves on. */
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

/** Adds a plan without help, with that of each, with that of each two, and with that of all. */
const addHelped = (plan: Plan, helpers: readonly Plan[], plans: Plan[]): void => {
  plans.push(plan);
  for (const one of helpers) plans.push(plan.concat(one));
  const some = helpers.slice(0, MOST_HELPERS);
  for (const [i, one] of some.entries()) for (const two of some.slice(i + 1)) plans.push(plan.concat(one, two));
  if (helpers.length > 2) plans.push(plan.concat(...helpers));
};

const offsets = new Int32Array(T.MAX_LOCATIONS + 1);

/**
 * The orders of the powers with units, by power.
 * @param onBoard has loaded the game
 * @param only the power to list; default: all
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
