// Sums up the games of a run, shard by shard; the sums can be added.
import { COMPLETED, DRAW, type Game, isMovementName, SOLO, scoreInto, scoreNames } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { loadState } from '../games/game-record.js';
import type { GameTable } from './game-table.js';
import type { StoredGame } from './record.js';

/** Sums over games. Lists are by power. */
export interface Summary {
  /** Games that were played to their end. */
  games: number;
  /** Phases of all kinds. */
  phases: number;
  /** Movement phases, each with the retreats and adjustments after it. */
  phaseSteps: number;
  /** Years begun. */
  years: number;
  /** Games that nobody won. */
  draws: number;
  /** Games that the power won alone. */
  readonly solos: number[];
  /** Games in which the power owned a centre at the end. */
  readonly survived: number[];
  /** Supply centres at the end. */
  readonly centers: number[];
  /** Scores by the system sum_of_squares. */
  readonly sumOfSquares: number[];
}

export const makeSummary = (powerCount: number): Summary => {
  const zeros = (): number[] => new Array<number>(powerCount).fill(0);
  return {
    games: 0,
    phases: 0,
    phaseSteps: 0,
    years: 0,
    draws: 0,
    solos: zeros(),
    survived: zeros(),
    centers: zeros(),
    sumOfSquares: zeros(),
  };
};

const addInto = (into: number[], values: ArrayLike<number>): void => {
  for (let q = 0; q < into.length; q++) into[q] += values[q];
};

/** Adds one shard's sums to another's. */
export const mergeSummary = (into: Summary, other: Summary): void => {
  for (const name of ['games', 'phases', 'phaseSteps', 'years', 'draws'] as const) into[name] += other[name];
  for (const name of ['solos', 'survived', 'centers', 'sumOfSquares'] as const) addInto(into[name], other[name]);
};

export const yearOf = (name: string): number => Number(name.slice(1, -1));

/** How a recorded game went. */
interface Course {
  /** Years begun. */
  readonly years: number;
  /** Phases of all kinds. */
  readonly phases: number;
  /** Movement phases. */
  readonly phaseSteps: number;
  /** Supply centres by power at the end. */
  readonly centers: readonly number[];
  /** -1 if nobody won. */
  readonly winner: number;
  readonly isDraw: boolean;
}

/**
 * How a recorded game went, by the names of its phases and its last position, which `game` takes.
 * @throws LepantoError for a game without an end, or with another map's positions
 */
export const courseOf = (game: Game, { index, phases }: Pick<StoredGame, 'index' | 'phases'>): Course => {
  const last = phases.at(-1);
  if (last?.phase !== COMPLETED || last.state === null)
    throw new LepantoError(
      'record',
      `game ${index}: got ${last?.phase ?? 'nothing'} as its last phase, wanted ${COMPLETED}`,
    );
  loadState(game, last.state);
  const centers = new Int32Array(game.map.powerCount);
  game.countCenters(centers);
  const played = phases.slice(0, -1).map(({ phase }) => phase);
  return {
    years: played.length === 0 ? 0 : yearOf(played[played.length - 1]) - yearOf(played[0]) + 1,
    phases: played.length,
    phaseSteps: played.filter(isMovementName).length,
    centers: [...centers],
    winner: game.status === SOLO ? game.winner : -1,
    isDraw: game.status === DRAW,
  };
};

const SUM_OF_SQUARES = scoreNames.indexOf('sum_of_squares');

/** Sums over the games of a shard. */
export const summaryOf = (table: GameTable): Summary => {
  const { powers } = table;
  const { phases, steps, winners, draws } = table.columns;
  const summary = makeSummary(powers);
  const scores = new Float64Array(powers);
  for (let game = 0; game < table.games; game++) {
    const centers = table.lastCenters(game);
    const winner = winners[game];
    summary.games++;
    summary.phases += phases[game];
    summary.phaseSteps += steps[game];
    summary.years += table.yearsOf(game);
    summary.draws += draws[game];
    if (winner >= 0) summary.solos[winner]++;
    for (let q = 0; q < powers; q++) if (centers[q] > 0) summary.survived[q]++;
    addInto(summary.centers, centers);
    scoreInto(SUM_OF_SQUARES, centers, 0, powers, winner, scores);
    addInto(summary.sumOfSquares, scores);
  }
  return summary;
};
