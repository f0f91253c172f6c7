// Checks orders before their phase is played: illegal orders, units without orders, too many or too few builds.
import type { CompiledMap } from '../../../engine/internal.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import type { ByPower } from '../../../engine/notation/json/position.js';
import type { RuleSet } from '../../../engine/notation/text/index.js';
import type { Orderable } from './order-clicks.js';
import { type Placed, positionIn } from './written-position.js';

/** An order that does not count, with the reason why. */
export interface WrongOrder {
  readonly power: string;
  readonly order: string;
  readonly reason: string;
}

export interface CheckedOrders {
  /** Result of the phase with only the checked orders; null if the position cannot be adjudicated. */
  readonly answer: AdjudicatedRecord | null;
  readonly wrong: readonly WrongOrder[];
  /** Units without an order, keyed by power. Empty in winter. */
  readonly missing: ByPower;
  /** In winter, number of builds (> 0) or removals (< 0) without an order, keyed by power. */
  readonly left: Readonly<Record<string, number>>;
}

/** Returns the number of builds (> 0) or removals (< 0) of a power in winter: its centres minus its units. */
export const dueOf = ({ units, centers }: Placed, power: string): number =>
  (centers[power]?.length ?? 0) - (units[power]?.length ?? 0);

/**
 * Checks the orders of a phase by adjudicating it. Reports nothing for a position that cannot be adjudicated.
 * @param orders orders in any usual notation, keyed by power
 * @param open units and centres whose missing orders are reported
 */
export const checkOrders = (
  placed: Placed,
  orders: Readonly<Record<string, readonly string[]>>,
  open: readonly Orderable[],
  map: CompiledMap,
  rules: RuleSet,
): CheckedOrders => {
  const isWinter = placed.phase.endsWith('A');
  let answer: AdjudicatedRecord;
  try {
    answer = adjudicateRecord({ ...positionIn(placed), orders }, map, rules);
  } catch {
    return { answer: null, wrong: [], missing: {}, left: {} };
  }
  const wrong = answer.orders.flatMap(({ power, order, result, reason }): WrongOrder[] => {
    if (order === null || !(result === 'illegal' || (isWinter && result === 'fails'))) return [];
    return [{ power, order, reason: reason ?? 'illegal' }];
  });
  const missing: ByPower = {};
  const left: Record<string, number> = {};
  const ordered = new Set(answer.orders.flatMap((one) => (one.order === null ? [] : [`${one.power} ${one.unit}`])));
  for (const { power, name, orders: legal } of open) {
    if (!isWinter && !ordered.has(`${power} ${name}`)) missing[power] = [...(missing[power] ?? []), name];
    if (!isWinter || left[power] !== undefined || legal.length === 0) continue;
    const [due, homes] = [dueOf(placed, power), open.filter((one) => one.power === power).length];
    const good = answer.orders.filter((one) => one.power === power && one.order !== null && one.result !== 'illegal');
    const given = good.filter(({ order, result }) => result !== 'fails' || order === 'WAIVE').length;
    left[power] = due > 0 ? Math.max(0, Math.min(due, homes) - given) : Math.min(0, due + given);
  }
  return { answer, wrong, missing, left };
};

const some = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/**
 * Returns a text for each problem with orders, such as 'F LON - MUN: a fleet cannot enter MUN'. Empty if there are
 * none.
 */
export const troublesIn = ({ wrong, missing, left }: CheckedOrders): string[] => [
  ...wrong.map(({ order, reason }) => `${order}: ${reason}`),
  ...Object.values(missing).map((units) => `no order for ${units.join(', ')}`),
  ...Object.values(left).flatMap((count) =>
    count === 0 ? [] : [count > 0 ? `${some(count, 'build')} not used` : `${some(-count, 'removal')} missing`],
  ),
];
