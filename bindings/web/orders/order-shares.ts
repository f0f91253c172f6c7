// Computes how often an agent gives each order in a position, and how far the orders of two agents are apart.
import { province } from './order-clicks.js';
import type { Placed } from './written-position.js';

/** Order sets of one power, one from each of an agent's repeated answers. */
export type Answers = readonly (readonly string[])[];

/** Returns the province of the unit that an order is for, or of a build; 'WAIVE' for a waive. */
const subjectOf = (order: string): string => province(order.split(' ')[1] ?? order);

/**
 * Returns the orders of a power together with holds or disbands of its units without an order. Sorted, so that equal
 * sets are equal.
 */
export const wholeOrders = (
  { phase, units, retreats }: Placed,
  power: string,
  given: readonly string[],
): readonly string[] => {
  const ordered = new Set(given.map(subjectOf));
  const [waiting, silent] = phase.endsWith('M')
    ? [units[power] ?? [], 'H']
    : [phase.endsWith('R') ? Object.keys(retreats[power] ?? {}) : [], 'D'];
  const rest = waiting.filter((unit) => !ordered.has(subjectOf(unit))).map((unit) => `${unit} ${silent}`);
  return [...given, ...rest].sort();
};

const countAll = (texts: Iterable<string>): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
};

/** Returns for each order the share of answers that contain it, 0 to 1, the most frequent order first. */
export const orderShares = (answers: Answers): ReadonlyMap<string, number> =>
  new Map(
    Array.from(countAll(answers.flatMap((set) => [...new Set(set)])), ([order, n]) => [order, n / answers.length]),
  );

export interface SharedSet {
  readonly orders: readonly string[];
  readonly share: number;
}

/** Returns the different order sets with their shares of the answers, 0 to 1, the most frequent first. */
export const setShares = (answers: Answers): SharedSet[] =>
  Array.from(countAll(answers.map((set) => JSON.stringify(set))), ([text, n]) => ({
    orders: JSON.parse(text) as string[],
    share: n / answers.length,
  }));

/**
 * Returns for each unit or building province how far the orders of two agents are apart: total variation distance, 0 to
 * 1.
 */
export const unitDistances = (a: Answers, b: Answers): number[] => {
  const [first, second] = [orderShares(a), orderShares(b)];
  const gaps = new Map<string, { sum: number; net: number }>();
  for (const order of new Set([...first.keys(), ...second.keys()])) {
    const gap = (first.get(order) ?? 0) - (second.get(order) ?? 0);
    const { sum, net } = gaps.get(subjectOf(order)) ?? { sum: 0, net: 0 };
    gaps.set(subjectOf(order), { sum: sum + Math.abs(gap), net: net + gap });
  }
  // Answers without an order for the unit count as one more order.
  return Array.from(gaps.values(), ({ sum, net }) => (sum + Math.abs(net)) / 2);
};

export const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** An order that agents give with different frequencies, with its share of the answers of each. */
export interface Difference {
  readonly order: string;
  /** Share of answers with the order, 0 to 1, indexed by agent. */
  readonly shares: readonly number[];
  /** Index of the only agent that ever gives the order; null if several do. */
  readonly only: number | null;
}

const spreadOf = ({ shares }: Difference): number => Math.max(...shares) - Math.min(...shares);

export const furthestFirst = (a: Difference, b: Difference): number =>
  spreadOf(b) - spreadOf(a) || (a.order < b.order ? -1 : 1);

/**
 * Returns the orders whose shares differ between agents, the greatest difference first.
 * @param agents answers of each agent
 * @param least least difference between shares, 0 to 1
 */
export const differencesOf = (agents: readonly Answers[], least: number): Difference[] => {
  const all = agents.map(orderShares);
  return [...new Set(all.flatMap((shares) => [...shares.keys()]))]
    .map((order): Difference => {
      const shares = all.map((of) => of.get(order) ?? 0);
      const givers = shares.flatMap((share, i) => (share > 0 ? [i] : []));
      return { order, shares, only: givers.length === 1 ? givers[0] : null };
    })
    .filter((one) => spreadOf(one) >= least)
    .sort(furthestFirst);
};
