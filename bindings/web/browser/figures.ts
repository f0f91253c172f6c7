// Formats numbers and names for pages.
import * as reports from '../../reports/figures.js';

export { group as figure, percent } from '../../reports/figures.js';

/**
 * Returns a mean with its standard error, such as '4.21 ± 0.05'.
 * @param least minimum number of digits after the point; a small error gets as many digits as it needs
 */
export const plusMinus = ([mean, error]: readonly [number, number | null], least: number): string =>
  reports.plusMinus(mean, error, least).replace('+-', '±');

/**
 * Returns the text after the share of an order set, such as ', value 4.21 ± 0.05'. Empty if the value is null.
 * @param digits as for plusMinus()
 */
export const worthText = (value: number | null, error: number | null, digits: number): string =>
  value === null ? '' : `, value ${plusMinus([value, error], digits)}`;

/** Returns a name that a user gave, cut to 40 characters. */
export const briefName = (name: string): string => (name.length > 40 ? `${name.slice(0, 37)}...` : name);

/** Returns the names of agents with their counts, in order of appearance: 'dumbbot × 6, random'. */
export const agentsText = (agents: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const agent of agents) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return [...counts].map(([agent, n]) => (n > 1 ? `${agent} × ${n}` : agent)).join(', ');
};

/** Returns the time since a moment: '5 minutes ago'. @param time in milliseconds since 1970 */
export const ago = (time: number): string => {
  const seconds = Math.max(0, (Date.now() - time) / 1000);
  const units: readonly (readonly [number, string])[] = [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ];
  for (const [length, unit] of units) {
    const count = Math.floor(seconds / length);
    if (count > 0) return `${count} ${unit}${count > 1 ? 's' : ''} ago`;
  }
  return 'just now';
};
