// Sums up the games of a run, shard by shard; the sums can be added.
import { COMPLETED, type CompiledMap, DRAW, Game, isMovementName, type Rules, SOLO } from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import { loadState } from '../games/game-record.js';
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

/**
 * Sums over the games of a shard.
 * @throws LepantoError for a game without an end, or with another map's positions
 */
export const summarize = (map: CompiledMap, rules: Rules, records: readonly StoredGame[]): Summary => {
  const summary = makeSummary(map.powerCount);
  const game = new Game(map, rules);
  for (const record of records) {
    const { years, phases, phaseSteps, centers, winner, isDraw } = courseOf(game, record);
    summary.games++;
    summary.phases += phases;
    summary.phaseSteps += phaseSteps;
    summary.years += years;
    if (isDraw) summary.draws++;
    if (winner >= 0) summary.solos[winner]++;
    addInto(summary.survived, record.scores.survivors);
    addInto(summary.centers, centers);
    addInto(summary.sumOfSquares, record.scores.sum_of_squares);
  }
  return summary;
};
