// Sums up the games of a run, shard by shard; the sums can be added.
import { scoreInto, scoreNames } from '../../engine/internal.js';
import type { GameTable } from './game-table.js';

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

/** Adds sums to other sums of the same form, number by number. What is not there yet counts as 0. */
export const addSums = <T extends object>(to: T, sums: T): void => {
  const into = to as Record<string, unknown>;
  for (const [name, value] of Object.entries(sums)) {
    if (typeof value === 'number') into[name] = Number(into[name] ?? 0) + value;
    else {
      into[name] ??= Array.isArray(value) ? [] : {};
      addSums(into[name] as object, value as object);
    }
  }
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
    scoreInto(SUM_OF_SQUARES, centers, 0, powers, winner, scores);
    for (let q = 0; q < powers; q++) {
      if (centers[q] > 0) summary.survived[q]++;
      summary.centers[q] += centers[q];
      summary.sumOfSquares[q] += scores[q];
    }
  }
  return summary;
};
