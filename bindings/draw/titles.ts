// Formats phases, powers and results for readers.
import type { DrawnOrder } from './drawn-phase.js';

/** Returns the title of a phase: 'Fall 1903, retreats' for 'F1903R'. An unknown name is returned unchanged. */
export const phaseTitle = (phase: string): string => {
  const [, season, year, kind] = /^([SFW])(\d+)([MRA])$/.exec(phase) ?? [];
  if (season === undefined) return phase === 'COMPLETED' ? 'The end' : phase;
  const seasonName = season === 'S' ? 'Spring' : season === 'F' ? 'Fall' : 'Winter';
  return `${seasonName} ${year}${kind === 'R' ? ', retreats' : kind === 'A' ? ', adjustments' : ''}`;
};

/** Returns the title of a power: 'Austria' for 'AUSTRIA'. */
export const powerTitle = (name: string): string => name.charAt(0) + name.slice(1).toLowerCase();

/** Formats the result of an order without repeating words: 'fails, bounced with A MUN, dislodged'. */
export const outcomeText = ({ result, reason, fate }: Pick<DrawnOrder, 'result' | 'reason' | 'fate'>): string =>
  [reason?.startsWith(result ?? '') ? '' : result, ...[reason, fate && reason?.includes(fate) ? '' : fate]]
    .filter((word) => word)
    .join(', ');

/** Formats a unit: 'Army in Paris, France, dislodged'. @param place name of its province */
export const unitTitle = (type: string, place: string, power: string, isDislodged: boolean): string =>
  `${type === 'A' ? 'Army' : 'Fleet'} in ${place}, ${powerTitle(power)}${isDislodged ? ', dislodged' : ''}`;
