// Makes lists of orders: the results of a phase, and the order sets of a search.
import type { CompiledMap } from '../../../engine/internal.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import type { ByPower } from '../../../engine/notation/json/position.js';
import type { RuleSet } from '../../../engine/notation/text/index.js';
import type { DrawnOrder } from '../../draw/drawn-phase.js';
import { phaseTitle, powerTitle } from '../../draw/titles.js';
import { type Placed, positionIn } from '../orders/written-position.js';
import type { ShownCandidate } from '../page-data.js';
import { element, orderRow, swatch } from './page.js';

/**
 * Makes a list of orders with their results, with a heading for each power.
 * @param onPick called with an order when it is clicked
 */
export const resultBlocks = (
  { powerNames }: CompiledMap,
  orders: readonly DrawnOrder[],
  onPick: (order: DrawnOrder) => void,
): HTMLElement[] =>
  powerNames.flatMap((power, q) => {
    const rows = orders.filter((one) => one.power === power).map((one) => orderRow(one, onPick));
    if (rows.length === 0) return [];
    const title = element('h3', {}, swatch(q), powerTitle(power));
    return [title, element('table', {}, element('tbody', {}, ...rows))];
  });

/** Returns the results of a phase that are not results of orders as text, such as 'contested: BUR; next: Fall 1901'. */
export const phaseEnd = ({ next_phase: next, contested, built, disbanded, destroyed }: AdjudicatedRecord): string => {
  const also = Object.entries({ contested, built, disbanded, destroyed })
    .filter(([, list]) => list.length > 0)
    .map(([what, list]) => `${what}: ${list.join(', ')}`);
  return [...also, next === 'COMPLETED' ? 'the game is over' : `next: ${phaseTitle(next)}`].join('; ');
};

/** Order sets of a search, keyed by power, the most probable first. */
export type CandidateSets = Readonly<Record<string, readonly ShownCandidate[]>>;

export type SetTeller = (power: string, set: ShownCandidate) => (Node | string)[];

/**
 * Returns a function that formats an order set of a power. It marks orders that are invalid if the other powers play
 * their most probable sets.
 * @param sets order sets of all powers
 */
export const setTeller = (placed: Placed, map: CompiledMap, rules: RuleSet, sets: CandidateSets): SetTeller => {
  const likeliest: ByPower = {};
  for (const [power, [best]] of Object.entries(sets)) if (best !== undefined) likeliest[power] = [...best.orders];
  return (power, { orders }) => {
    const record = { ...positionIn(placed), orders: { ...likeliest, [power]: orders } };
    const idle = new Map(
      adjudicateRecord(record, map, rules).orders.flatMap((one) =>
        one.result === 'invalid' && one.power === power ? [[one.order, one.reason] as const] : [],
      ),
    );
    return orders.flatMap((order, i) => {
      const text = `${i > 0 ? ', ' : ''}${order}`;
      return idle.has(order) ? [text, element('i', { class: 'dim' }, ` (invalid: ${idle.get(order)})`)] : [text];
    });
  };
};
