// Sums results over the games of a shard. Sums of shards can be added.
import { scoreInto, scoreNames } from '../../engine/internal.js';
import type { GameTable } from './game-table.js';

/** Sums over games. Lists are indexed by power. */
export interface Summary {
  /** Number of finished games. */
  games: number;
  /** Number of phases of all kinds. */
  phases: number;
  /** Number of phase-steps: movement phases, each with the retreats and adjustments after it. */
  phaseSteps: number;
  /** Sum of the numbers of years that the games have begun. */
  years: number;
  /** Number of draws. */
  draws: number;
  /** Number of solo victories, indexed by power. */
  readonly solos: number[];
  /** Number of games in which a power owned a centre at the end, indexed by power. */
  readonly survived: number[];
  /** Sum of the numbers of supply centres at the end of the games, indexed by power. */
  readonly centers: number[];
  /** Sum of the scores by the system sum_of_squares, indexed by power. */
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

/**
 * Adds all numbers in `sums`, at any depth, to the same places of `to`. Missing numbers and lists of `to` are created.
 */
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

/** Computes the summary of the games of a shard. */
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
