// Interprets the order texts of a phase. First checks each order alone (judge.ts), then resolves several orders for one
// unit and surplus builds and removals. The options of reading-options.ts decide the cases of DATC 3.2, chapters 4.B to
// 4.E.
import type { Game } from '../../internal.js';
import { hasCode } from '../../rules/error.js';
import * as O from '../../rules/order.js';
import * as T from '../../rules/types.js';
import { type Interpreted, judgeAdjustment, judgeMovement, judgeRetreat, type Position } from './judge.js';
import { parseOrder } from './parse.js';
import { DATC_READING, type Reading } from './reading-options.js';

/** The interpreted orders of a phase, each with the power that gave it. */
type Judged = readonly (readonly [T.Power, Interpreted])[];

const judgeText = (position: Position, reading: Reading, power: T.Power, text: string): Interpreted => {
  const { game } = position;
  try {
    const raw = parseOrder(game.map, text);
    if (game.phase === T.MOVEMENT) return judgeMovement(game, reading, power, raw);
    return game.phase === T.ADJUSTMENT
      ? judgeAdjustment(position, reading, power, raw)
      : judgeRetreat(position, reading, power, raw);
  } catch (error) {
    if (!hasCode(error, 'notation')) throw error;
    return { order: O.NONE, reason: error.message, unit: null, own: -1, misplaced: true };
  }
};

const drop = (found: Interpreted, reason: string, extra = found.extra ?? false): Interpreted => ({
  ...found,
  order: O.NONE,
  reason,
  extra,
});

// ---- several orders for a unit ----

/**
 * Refuses orders after the first legal order of a unit, if `twoOrders` is 'first' (DATC 4.D.3). An illegal order counts
 * as the first one under rules that treat it as a hold (DATC 4.E.1).
 */
const settleFirst = ({ phase }: Game, { twoOrders, illegalMove }: Reading, given: Judged): Interpreted[] => {
  const holds = phase === T.MOVEMENT && (illegalMove === 'hold' || illegalMove === 'holdNoSupport');
  const ordered = new Set<T.Province>();
  return given.map(([, found]) => {
    const { order, own, effect, ...rest } = found;
    if (own < 0 || found.misplaced || (order === O.NONE ? !holds : twoOrders !== 'first')) return found;
    if (!ordered.has(own)) {
      ordered.add(own);
      return found;
    }
    return order === O.NONE ? { ...rest, order, own } : drop(found, 'already ordered');
  });
};

/** Summary of the valid orders for one unit. */
interface OrdersOfUnit {
  readonly first: O.Order;
  /** True if any of the orders differs from the first one. */
  differ: boolean;
  /** Index of the unit's last order in the list of all orders. */
  last: number;
}

const ordersByUnit = (given: Judged): Map<T.Province, OrdersOfUnit> => {
  const units = new Map<T.Province, OrdersOfUnit>();
  given.forEach(([, { own, order }], i) => {
    if (own < 0 || order === O.NONE) return;
    const unit = units.get(own);
    if (unit === undefined) units.set(own, { first: order, differ: false, last: i });
    else {
      unit.differ ||= order !== unit.first;
      unit.last = i;
    }
  });
  return units;
};

/**
 * Resolves several orders for one unit by the option `twoOrders` (DATC 4.D.3). Under 'first', settleFirst() has done
 * so. If the orders differ, 'last' keeps only the last one and 'hold' refuses them all. Under 'refuse', a power loses
 * its whole set if it gave different orders for a unit, or an order that it was not asked for. An order that cannot be
 * obeyed is otherwise refused alone (DATC 4.E.1).
 */
export const settleTwice = ({ twoOrders: rule }: Reading, given: Judged): Interpreted[] => {
  if (rule === 'first') return given.map(([, found]) => found);
  const units = ordersByUnit(given);
  if (rule === 'refuse') {
    const isExtra = ({ extra, own }: Interpreted): boolean => extra === true || units.get(own)?.differ === true;
    const refused = new Set(given.filter(([, found]) => isExtra(found)).map(([power]) => power));
    return given.map(([power, found]) =>
      refused.has(power) && found.order !== O.NONE ? drop(found, 'the whole set is refused') : found,
    );
  }
  return given.map(([, found], i) => {
    const unit = units.get(found.own);
    if (found.order === O.NONE || unit?.differ !== true) return found;
    if (rule === 'hold') return drop(found, 'ordered twice');
    return i < unit.last ? drop(found, 'ordered again') : found;
  });
};

// ---- more than are due ----

/**
 * Returns at most `most` entries of a list: all if there are no more, otherwise the first ones (rules 'first' and
 * 'refuse'), the last ones (rule 'last') or none (any other rule).
 */
const keepSome = <V>(list: readonly V[], most: number, rule: string): readonly V[] => {
  if (list.length <= most) return list;
  if (rule === 'last') return list.slice(list.length - most);
  return rule === 'first' || rule === 'refuse' ? list.slice(0, most) : [];
};

/** Groups the entries of a list by key. Keeps their order. */
const groupBy = <K, T>(list: readonly T[], keyOf: (entry: T) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>();
  for (const entry of list) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entry]);
    else group.push(entry);
  }
  return groups;
};

/**
 * True if a rule keeps the first of too many entries. The later ones are then refused with another reason than 'more
 * than are due'.
 */
const keepsFirst = (rule: string): boolean => rule === 'first' || rule === 'refuse';

/**
 * Refuses builds and removals beyond the number due, and a second one in the same province (DATC 4.D.4 to 4.D.6).
 */
const settleDue = ({ game: { map }, due }: Position, reading: Reading, given: Judged): Interpreted[] => {
  const { doubleBuilds, surplusBuilds, surplusRemovals } = reading;
  const placeOf = ({ order }: Interpreted): T.Province => map.locationProvince[O.orderLocation(order)];
  const isRemoval = ({ order }: Interpreted): boolean => O.orderType(order) === O.REMOVE;
  const why = new Map<Interpreted, string>();
  const keep = (list: readonly Interpreted[], most: number, rule: string, reason: string): void => {
    const kept = keepSome(list, most, rule);
    for (const one of list) if (!kept.includes(one)) why.set(one, keepsFirst(rule) ? reason : 'more than are due');
  };
  const counting = given.filter(([, { order }]) => order !== O.NONE);
  for (const [power, entries] of groupBy(counting, ([one]) => one)) {
    const own = entries.map(([, found]) => found);
    const placed = own.filter(({ order }) => O.orderType(order) !== O.WAIVE);
    for (const [place, there] of groupBy(placed, placeOf))
      if (isRemoval(there[0])) keep(there, 1, 'first', 'already removed');
      else keep(there, 1, doubleBuilds, `something is built in ${map.provinceTags[place]} already`);
    const single = own.filter((found) => !why.has(found));
    if (due[power] > 0) keep(single, due[power], surplusBuilds, 'no build left');
    else keep(single, -due[power], surplusRemovals, 'no removal left');
  }
  return given.map(([, found]) => {
    const reason = why.get(found);
    return reason === undefined ? found : drop(found, reason, true);
  });
};

/**
 * Interprets the orders of the game's current phase. Returns one result for each order, in the same order.
 * @param given order texts in any common notation, each with its power, in the order in which the power gave them
 * @param reading options of reading; default: the preferences of DATC 3.2
 */
export const interpretOrders = (
  position: Position,
  given: readonly (readonly [T.Power, string])[],
  reading: Reading = DATC_READING,
): Interpreted[] => {
  const { game } = position;
  const alone = given.map(([power, text]) => [power, judgeText(position, reading, power, text)] as const);
  const settled = game.phase === T.ADJUSTMENT ? settleDue(position, reading, alone) : settleFirst(game, reading, alone);
  return settleTwice(
    reading,
    given.map(([power], i) => [power, settled[i]]),
  );
};
