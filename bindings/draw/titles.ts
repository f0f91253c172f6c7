// Phases, powers, outcomes and numbers as a reader writes them.
import type { DrawnOrder } from './drawn-phase.js';

/** 'Fall 1903, retreats' for 'F1903R'. */
export const phaseTitle = (phase: string): string => {
  const [, season, year, kind] = /^([SFW])(\d+)([MRA])$/.exec(phase) ?? [];
  if (season === undefined) return phase === 'COMPLETED' ? 'The end' : phase;
  const seasonName = season === 'S' ? 'Spring' : season === 'F' ? 'Fall' : 'Winter';
  return `${seasonName} ${year}${kind === 'R' ? ', retreats' : kind === 'A' ? ', adjustments' : ''}`;
};

/** A power's name as a reader writes it: 'Austria'. */
export const powerTitle = (name: string): string => name.charAt(0) + name.slice(1).toLowerCase();

/** Digits behind the point that show an error: at least so many, and more where it would be 0. */
export const digitsFor = (error: number | null, least: number): number =>
  error === null || !(error > 0) ? least : Math.min(12, Math.max(least, Math.ceil(-Math.log10(error) - 0.02)));

/** What came of an order, no word twice: 'fails, bounced with A MUN, dislodged'. */
export const outcomeText = ({ result, reason, fate }: Pick<DrawnOrder, 'result' | 'reason' | 'fate'>): string =>
  [
    reason?.startsWith(result ?? '') ? '' : result === 'invalid' ? 'no effect' : result,
    ...[reason, fate && reason?.includes(fate) ? '' : fate],
  ]
    .filter((word) => word)
    .join(', ');
