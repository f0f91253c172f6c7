// Phase keys: numbers for phase names, ascending in the order of play: S1901M, S1901R, F1901M, F1901R, W1901A, S1902M.
import { nameOfPhase, PHASE_LETTERS, SEASON_LETTERS } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';

/** Number of keys reserved for a year. */
export const KEYS_A_YEAR = 8;
/** Number of keys reserved for a season: the first for movement or adjustments, the second for retreats. */
export const KEYS_A_SEASON = 2;
/** Key of the position after the last phase, and of every text that is not the name of a phase. */
export const NO_KEY = 0;

/** Returns the key of a phase. @param season SPRING, FALL or WINTER @param phase MOVEMENT, RETREAT or ADJUSTMENT */
export const keyOf = (year: number, season: number, phase: number): number =>
  KEYS_A_YEAR * year + KEYS_A_SEASON * season + (phase === T.RETREAT ? 1 : 0);

/** Returns the year of the phase with a key. */
export const yearOfKey = (key: number): number => Math.floor(key / KEYS_A_YEAR);

/** Returns the kind of the phase with a key: MOVEMENT, RETREAT or ADJUSTMENT. */
export const kindOfKey = (key: number): T.Phase => {
  const inYear = key % KEYS_A_YEAR;
  if (inYear >= KEYS_A_SEASON * T.WINTER) return T.ADJUSTMENT;
  return inYear % KEYS_A_SEASON === 0 ? T.MOVEMENT : T.RETREAT;
};

/** Returns the name of the phase with a key, such as 'S1901M'. */
export const nameOfKey = (key: number): string => nameOfPhase(yearOfKey(key), (key % KEYS_A_YEAR) >> 1, kindOfKey(key));

const NAME = /^([SFW])([1-9]\d{0,4}|0)([MRA])$/;

/** Returns the key of a phase name such as 'S1901M'; NO_KEY for any other text. */
export const keyOfName = (name: string): number => {
  const [, season = '', year = '', phase = ''] = NAME.exec(name) ?? [];
  if (year === '') return NO_KEY;
  const key = keyOf(Number(year), SEASON_LETTERS.indexOf(season), PHASE_LETTERS.indexOf(phase));
  return nameOfKey(key) === name ? key : NO_KEY;
};
