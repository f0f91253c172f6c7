// Names of phases as numbers that ascend as the phases are played: S1901M, S1901R, F1901M, F1901R, W1901A, S1902M.
import { nameOfPhase, PHASE_LETTERS, SEASON_LETTERS } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';

/** Numbers of a year, two of each season. */
export const KEYS_A_YEAR = 8;
export const KEYS_A_SEASON = 2;
/** Key of the position after the last phase, and of every name that is no phase. */
export const NO_KEY = 0;

export const keyOf = (year: number, season: number, phase: number): number =>
  KEYS_A_YEAR * year + KEYS_A_SEASON * season + (phase === T.RETREAT ? 1 : 0);

export const yearOfKey = (key: number): number => Math.floor(key / KEYS_A_YEAR);

/** The kind of a phase: movement, retreats or adjustments. */
export const kindOfKey = (key: number): T.Phase => {
  const inYear = key % KEYS_A_YEAR;
  if (inYear >= KEYS_A_SEASON * T.WINTER) return T.ADJUSTMENT;
  return inYear % KEYS_A_SEASON === 0 ? T.MOVEMENT : T.RETREAT;
};

/** 'S1901M' */
export const nameOfKey = (key: number): string => nameOfPhase(yearOfKey(key), (key % KEYS_A_YEAR) >> 1, kindOfKey(key));

const NAME = /^([SFW])([1-9]\d{0,4}|0)([MRA])$/;

/** Key of a phase by its name as nameOfPhase() writes it; NO_KEY for any other text. */
export const keyOfName = (name: string): number => {
  const [, season = '', year = '', phase = ''] = NAME.exec(name) ?? [];
  if (year === '') return NO_KEY;
  const key = keyOf(Number(year), SEASON_LETTERS.indexOf(season), PHASE_LETTERS.indexOf(phase));
  return nameOfKey(key) === name ? key : NO_KEY;
};
