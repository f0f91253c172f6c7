// Computes statistics of recorded games: lengths, ends, centres by year, and results of orders.

import { fateIn, resultIn } from '../../engine/adjudicate/order-results.js';
import {
  COMPLETED,
  type CompiledMap,
  Game,
  isMovementName,
  MOVE,
  orderType,
  orderTypes,
  type Rules,
} from '../../engine/internal.js';
import * as T from '../../engine/rules/types.js';
import { type GameRecord, loadState } from '../games/game-record.js';
import { courseOf, yearOf } from './summary.js';

/** Sum and sum of squares of a number over games. */
export interface Moments {
  count: number;
  sum: number;
  squares: number;
}

/** Sums over games, made game by game. Lists are by power. */
export interface Stats {
  games: number;
  draws: number;
  readonly solos: number[];
  /** Games in which the power owned a centre at the end. */
  readonly survived: number[];
  /** Games by number of powers that own a centre at the end. */
  readonly survivors: number[];
  readonly years: Moments;
  readonly phases: Moments;
  readonly phaseSteps: Moments;
  /** Games by number of years begun. */
  readonly lengths: Map<number, number>;
  /** By year: centres of each power after it, over the games that lasted so long. A game counts only until it ends. */
  readonly centers: Map<number, Moments[]>;
  /** Orders by type, and in it by result. */
  readonly orders: Map<string, Map<string, number>>;
  moves: number;
  bounces: number;
  /** Orders of movement phases, and those whose unit was dislodged (destroyed ones too) or destroyed. */
  ordered: number;
  dislodged: number;
  destroyed: number;
}

export const moments = (): Moments => ({ count: 0, sum: 0, squares: 0 });

export const addTo = (to: Moments, value: number): void => {
  to.count++;
  to.sum += value;
  to.squares += value * value;
};

const addMoments = (to: Moments, other: Moments): void => {
  to.count += other.count;
  to.sum += other.sum;
  to.squares += other.squares;
};

export const meanOf = ({ sum, count }: Moments): number => sum / count;
/** Standard error of the mean; NaN for fewer than two. */
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
    lengths: new Map(),
    centers: new Map(),
    orders: new Map(),
    moves: 0,
    bounces: 0,
    ordered: 0,
    dislodged: 0,
    destroyed: 0,
  };
};

/** Adds the sums over other games. Orders and years that are new come behind those that are there. */
export const mergeStats = (into: Stats, other: Stats): void => {
  for (const name of ['games', 'draws', 'moves', 'bounces', 'ordered', 'dislodged', 'destroyed'] as const)
    into[name] += other[name];
  for (const name of ['solos', 'survived', 'survivors'] as const)
    for (const [i, count] of other[name].entries()) into[name][i] += count;
  for (const name of ['years', 'phases', 'phaseSteps'] as const) addMoments(into[name], other[name]);
  for (const [years, count] of other.lengths) into.lengths.set(years, (into.lengths.get(years) ?? 0) + count);
  for (const [year, row] of other.centers) {
    const there = into.centers.get(year) ?? row.map(moments);
    into.centers.set(year, there);
    for (const [q, one] of row.entries()) addMoments(there[q], one);
  }
  for (const [type, results] of other.orders) {
    const there = into.orders.get(type) ?? new Map<string, number>();
    into.orders.set(type, there);
    for (const [result, count] of results) there.set(result, (there.get(result) ?? 0) + count);
  }
};

const addOrder = (stats: Stats, order: number, outcome: number, movement: boolean): void => {
  const type = orderTypes[orderType(order)] ?? 'unknown';
  const result = T.resultNames[resultIn(outcome)] ?? 'unknown';
  const byResult = stats.orders.get(type) ?? new Map<string, number>();
  stats.orders.set(type, byResult);
  byResult.set(result, (byResult.get(result) ?? 0) + 1);
  if (!movement) return;
  stats.ordered++;
  const fate = fateIn(outcome);
  if (fate === T.DISLODGED || fate === T.DESTROYED) stats.dislodged++;
  if (fate === T.DESTROYED) stats.destroyed++;
  if (orderType(order) !== MOVE) return;
  stats.moves++;
  if (resultIn(outcome) === T.FAILS) stats.bounces++;
};

/** Centres after each year: as they are when the next one begins, or at the end of the game. */
const addCenters = (stats: Stats, game: Game, record: GameRecord): void => {
  const { map } = game;
  const counts = new Int32Array(map.powerCount);
  const last = record.phases.length - 1;
  for (let i = 1; i <= last; i++) {
    const before = yearOf(record.phases[i - 1].phase);
    const now = record.phases[i].phase === COMPLETED ? before + 1 : yearOf(record.phases[i].phase);
    if (now === before) continue;
    loadState(game, record.phases[i].state);
    game.countCenters(counts);
    const row = stats.centers.get(before) ?? Array.from(counts, moments);
    stats.centers.set(before, row);
    for (let q = 0; q < row.length; q++) addTo(row[q], counts[q]);
  }
};

/**
 * Adds one game.
 * @throws LepantoError for a game without an end, or with another map's positions
 */
export const addGame = (stats: Stats, map: CompiledMap, rules: Rules, record: GameRecord): void => {
  const game = new Game(map, rules);
  const { years, phases, phaseSteps, centers, winner, isDraw } = courseOf(game, record);
  addCenters(stats, game, record);
  stats.games++;
  if (isDraw) stats.draws++;
  if (winner >= 0) stats.solos[winner]++;
  for (const [q, count] of centers.entries()) if (count > 0) stats.survived[q]++;
  stats.survivors[centers.filter((count) => count > 0).length]++;
  stats.lengths.set(years, (stats.lengths.get(years) ?? 0) + 1);
  addTo(stats.years, years);
  addTo(stats.phases, phases);
  addTo(stats.phaseSteps, phaseSteps);
  for (const { phase, orders, results } of record.phases)
    for (let i = 0; i < orders.length; i++) addOrder(stats, orders[i], results[i], isMovementName(phase));
};
