// Phases and powers as a reader writes them.

/** 'Fall 1903, retreats' for 'F1903R'. */
export const phaseTitle = (phase: string): string => {
  const [, season, year, kind] = /^([SFW])(\d+)([MRA])$/.exec(phase) ?? [];
  if (season === undefined) return phase === 'COMPLETED' ? 'The end' : phase;
  const seasonName = season === 'S' ? 'Spring' : season === 'F' ? 'Fall' : 'Winter';
  return `${seasonName} ${year}${kind === 'R' ? ', retreats' : kind === 'A' ? ', adjustments' : ''}`;
};

/** A power's name as a reader writes it: 'Austria'. */
export const powerTitle = (name: string): string => name.charAt(0) + name.slice(1).toLowerCase();
