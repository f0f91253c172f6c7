// Computes statistics of recorded games: lengths, results and centres by year from the tables of games; orders and
// their results from the games. The sums are plain data and can be added.

import { fateIn, resultIn } from '../../engine/adjudicate/order-results.js';
import { MOVE, orderType, orderTypes } from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';
import { kindOfKey, NO_KEY, yearOfKey } from '../games/phase-key.js';
import type { GameCursor } from './game-cursor.js';
import type { GameTable } from './game-table.js';

/** Sums over the values of a figure in games: number of values, sum of the values, and sum of their squares. */
export interface Moments {
  count: number;
  sum: number;
  squares: number;
}

/** Number of possible outcome bytes of an order: an outcome byte uses six bits. */
const OUTCOMES = 64;
const TYPES = 16;

/** Sums over games. Lists are indexed by power unless they say otherwise. */
export interface Stats {
  games: number;
  draws: number;
  readonly solos: number[];
  /** Number of games in which a power owned a centre at the end, indexed by power. */
  readonly survived: number[];
  /** Number of games, indexed by the number of powers that own a centre at the end. */
  readonly survivors: number[];
  readonly years: Moments;
  readonly phases: Moments;
  readonly phaseSteps: Moments;
  /** Number of games, keyed by the number of years begun. */
  readonly lengths: Record<number, number>;
  /** Centres of each power after a year, keyed by year and indexed by power, over the games that reached the year. */
  readonly centers: Record<number, Moments[]>;
  /**
   * Number of orders in movement phases (`moved`) and in other phases, indexed by OUTCOMES * order type + outcome byte.
   */
  readonly moved: number[];
  readonly others: number[];
}

/** Returns the moments of no values: all are 0. */
export const moments = (): Moments => ({ count: 0, sum: 0, squares: 0 });

/** Adds a value to the moments `to`. */
export const addTo = (to: Moments, value: number): void => {
  to.count++;
  to.sum += value;
  to.squares += value * value;
};

/** Returns the mean; NaN for no values. */
export const meanOf = ({ sum, count }: Moments): number => sum / count;
/** Returns the standard error of the mean; NaN for fewer than two values. */
export const errorOf = ({ sum, squares, count }: Moments): number =>
  Math.sqrt(Math.max(0, squares - (sum * sum) / count) / (count - 1) / count);

export const makeStats = (powerCount: number): Stats => {
  const zeros = (length: number): number[] => new Array<number>(length).fill(0);
  return {
    games: 0,
    draws: 0,
    solos: zeros(powerCount),
    survived: zeros(powerCount),
    survivors: zeros(powerCount + 1),
    years: moments(),
    phases: moments(),
    phaseSteps: moments(),
    lengths: {},
    centers: {},
    moved: zeros(TYPES * OUTCOMES),
    others: zeros(TYPES * OUTCOMES),
  };
};

/** Adds the games of a table, without their orders, to the statistics. addOrders() adds the orders. */
export const addTable = (stats: Stats, table: GameTable): void => {
  const { powers, columns } = table;
  for (let game = 0; game < table.games; game++) {
    const [first, last] = table.rowsOf(game);
    for (let row = first; row <= last; row++) {
      if (columns.keys[row] === NO_KEY) continue;
      const year = yearOfKey(columns.keys[row]);
      const there = stats.centers[year] ?? Array.from({ length: powers }, moments);
      stats.centers[year] = there;
      for (let q = 0; q < powers; q++) addTo(there[q], columns.centers[row * powers + q]);
    }
    const years = table.yearsOf(game);
    let survivors = 0;
    for (const [q, count] of table.lastCenters(game).entries()) {
      if (count === 0) continue;
      stats.survived[q]++;
      survivors++;
    }
    stats.games++;
    stats.draws += columns.draws[game];
    if (columns.winners[game] >= 0) stats.solos[columns.winners[game]]++;
    stats.survivors[survivors]++;
    stats.lengths[years] = (stats.lengths[years] ?? 0) + 1;
    addTo(stats.years, years);
    addTo(stats.phases, columns.phases[game]);
    addTo(stats.phaseSteps, columns.steps[game]);
  }
};

/** Adds the orders of a game and their results to the statistics. @param game cursor with the open game; it is moved */
export const addOrders = (stats: Stats, game: GameCursor): void => {
  for (let i = 0; i < game.phases; i++) {
    const { key, orders, results, count } = game.seek(i);
    const counts = kindOfKey(key) === T.MOVEMENT ? stats.moved : stats.others;
    for (let k = 0; k < count; k++) counts[OUTCOMES * orderType(orders[k]) + (results[k] & (OUTCOMES - 1))]++;
  }
};

/**
 * Returns the number of orders of each result, keyed by the name of the order type and then by the name of the result.
 */
export const orderCounts = ({ moved, others }: Stats): Map<string, Map<string, number>> => {
  const counts = new Map<string, Map<string, number>>();
  for (const [place, count] of moved.entries()) {
    const all = count + others[place];
    if (all === 0) continue;
    const type = orderTypes[Math.floor(place / OUTCOMES)] ?? 'unknown';
    const result = T.resultNames[resultIn(place % OUTCOMES)] ?? 'unknown';
    const byResult = counts.get(type) ?? new Map<string, number>();
    counts.set(type, byResult.set(result, (byResult.get(result) ?? 0) + all));
  }
  return counts;
};

/**
 * Counts outcomes in movement phases: moves, moves that failed (bounces), orders, dislodged units (including destroyed
 * ones) and destroyed units.
 */
export const moveCounts = ({ moved }: Stats) => {
  const counts = { moves: 0, bounces: 0, ordered: 0, dislodged: 0, destroyed: 0 };
  for (const [place, count] of moved.entries()) {
    const fate = fateIn(place % OUTCOMES);
    counts.ordered += count;
    if (fate === T.DISLODGED || fate === T.DESTROYED) counts.dislodged += count;
    if (fate === T.DESTROYED) counts.destroyed += count;
    if (Math.floor(place / OUTCOMES) !== MOVE) continue;
    counts.moves += count;
    if (resultIn(place % OUTCOMES) === T.FAILS) counts.bounces += count;
  }
  return counts;
};
