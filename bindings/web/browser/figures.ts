// Numbers and names as pages show them.
import * as reports from '../../reports/figures.js';

export { group as figure, percent } from '../../reports/figures.js';

/** '4.21 ± 0.05'; see plusMinus() of reports. */
export const plusMinus = ([mean, error]: readonly [number, number | null], least: number): string =>
  reports.plusMinus(mean, error, least).replace('+-', '±');

/** ', value 4.21 ± 0.05' behind the share of an order set; nothing where the search has no value. */
export const worthText = (value: number | null, error: number | null, digits: number): string =>
  value === null ? '' : `, value ${plusMinus([value, error], digits)}`;

/** A name that somebody else has given, cut. */
export const briefName = (name: string): string => (name.length > 40 ? `${name.slice(0, 37)}...` : name);

/** 'dumbbot × 6, random': equal agents once, in the order in which they first come. */
export const agentsText = (agents: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const agent of agents) counts.set(agent, (counts.get(agent) ?? 0) + 1);
  return [...counts].map(([agent, n]) => (n > 1 ? `${agent} × ${n}` : agent)).join(', ');
};

/** '5 minutes ago' of a time in milliseconds since 1970. */
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
