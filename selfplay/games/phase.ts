// Names of phases: 'S1901M'.
import { type Game, MOVEMENT } from '../../engine/index.js';

/** Name of the position after the last phase. */
export const COMPLETED = 'COMPLETED';

/** Letters of the seasons and phases in a phase's name. */
const SEASON_LETTERS = 'SFW';
const PHASE_LETTERS = 'MRA';

/** 'S1901M'. */
export const nameOfPhase = (year: number, season: number, phase: number): string =>
  SEASON_LETTERS[season] + String(year) + PHASE_LETTERS[phase];

/** Name of the phase that a game stands at. */
export const phaseName = ({ year, season, phase }: Game): string => nameOfPhase(year, season, phase);

/** True for the name of a movement phase: one phase-step each. */
export const isMovementName = (name: string): boolean => name.endsWith(PHASE_LETTERS[MOVEMENT]);
