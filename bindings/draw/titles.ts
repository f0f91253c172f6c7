// Phases, powers and outcomes as a reader writes them.
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

/** What came of an order, no word twice: 'fails, bounced with A MUN, dislodged'. */
export const outcomeText = ({ result, reason, fate }: Pick<DrawnOrder, 'result' | 'reason' | 'fate'>): string =>
  [
    reason?.startsWith(result ?? '') ? '' : result === 'invalid' ? 'no effect' : result,
    ...[reason, fate && reason?.includes(fate) ? '' : fate],
  ]
    .filter((word) => word)
    .join(', ');

/** 'Army in Paris, France, dislodged' @param place name of its province */
export const unitTitle = (type: string, place: string, power: string, isDislodged: boolean): string =>
  `${type === 'A' ? 'Army' : 'Fleet'} in ${place}, ${powerTitle(power)}${isDislodged ? ', dislodged' : ''}`;
