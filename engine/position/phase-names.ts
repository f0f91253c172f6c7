// Names of phases: 'S1901M'.

import { MOVEMENT, PLAYING } from '../rules/types.js';
import type { Game } from './game.js';

/** Name of the position after the last phase of a game. */
export const COMPLETED = 'COMPLETED';

/** Letters of the seasons and of the kinds of phase in a name, by their codes. */
export const SEASON_LETTERS = 'SFW';
export const PHASE_LETTERS = 'MRA';

/** The name of a phase by its codes: nameOfPhase(1901, SPRING, MOVEMENT) is 'S1901M'. */
export const nameOfPhase = (year: number, season: number, phase: number): string =>
  SEASON_LETTERS[season] + String(year) + PHASE_LETTERS[phase];

/**
 * The name of the phase that a game waits to play: season (S, F, W), year, and M for movement, R for retreats or A for
 * adjustments, as in 'S1901M'. 'COMPLETED' once the game is over. The names are those of the package `diplomacy`.
 */
export const phaseName = (game: Game): string =>
  game.status === PLAYING ? nameOfPhase(game.year, game.season, game.phase) : COMPLETED;

/** True for the name of a movement phase: one turn each. */
export const isMovementName = (name: string): boolean => name.endsWith(PHASE_LETTERS[MOVEMENT]);
