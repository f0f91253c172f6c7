// Rules that end a game without a winner as a draw: last year, stalemate, chance, and the limits of the rulebook.

import { type CompiledMap, type Game, Random, WINTER } from '../../engine/internal.js';
import { isAfterLastYear } from '../../engine/play/batch.js';
import { wholeIn } from '../question/option.js';

/** Conditions under which a game without a winner is a draw. All but longGameDraw are checked after each year. */
export interface Ending {
  /** The last year. 0 for no limit. */
  readonly until: number;
  /** Draw after this many consecutive years without a captured centre. 0 turns the rule off. Default 0. */
  readonly stalemate?: number;
  /** Probability of a draw after each year, 0 to 1, drawn from the seed of the game. Default 0. */
  readonly chance?: number;
  /**
   * True to draw a game also at a limit of LONG_GAME: 7 years without a captured centre, or 35 years. Default false.
   */
  readonly longGameDraw?: boolean;
}

/** Options for Ending on command lines. */
export const endingOptions = {
  until: {
    ...wholeIn(0, 9999),
    takes: 'YEAR',
    help: 'last year; a game without a solo by its end is a draw',
  },
  stalemate: {
    ...wholeIn(0, 9999),
    default: 0,
    help: 'draw after N years in a row without a change of ownership, 0: never',
  },
  chance: {
    least: 0,
    most: 1,
    takes: 'P',
    default: 0,
    help: 'probability of a draw after each year, 0 to 1',
  },
} as const;

/** The probability of a draw after each year, from a given year on. */
export interface ChanceStep {
  /** First year with this probability. */
  readonly from: number;
  /** Probability of a draw after each year, 0 to 1. */
  readonly chance: number;
}

/** Conditions for a draw, with a probability of a draw that may change over the years. */
export interface EndingByYear extends Ending {
  /** Replaces `chance`. Steps in ascending order of years. The probability is 0 before the first step. */
  readonly chanceByYear?: readonly ChanceStep[];
}

/**
 * Limits of the 1998 guide, chapter II: a draw after `unchanged` consecutive years without a captured centre, or after
 * `years` years. The last fall still changes the owners of centres, but its winter is not played.
 */
export const LONG_GAME = { unchanged: 7, years: 35 } as const;

/** True if LONG_GAME can end a game before the last year `until`. @param first year in which the game begins */
export const mayEndLong = ({ longGameDraw = false, until }: Ending, first: number): boolean =>
  longGameDraw && (until === 0 || until - first + 1 >= Math.min(LONG_GAME.unchanged, LONG_GAME.years));

/** Returns the last year whose fall has been played. In winter this is the current year. */
const lastFall = (game: Game): number => (game.season === WINTER ? game.year : game.year - 1);

// The functions below keep an int16 record of each game in an array: the falls played and the owners of centres at the
// last fall. The record of a game begins at index `at` of the array. These constants are positions in the record.
/** Position of the year of the last fall. */
const LAST = 0;
/** Position of the year of the last fall before the record began. */
const FIRST = 1;
/** Position of the number of consecutive falls without a captured centre. */
const UNCHANGED = 2;
/** Position of the first of the owners at the last fall: owner + 1, indexed by centre, 0 for none. */
const OWNERS = 3;

/** Returns the number of int16 values in the record of falls of one game. */
export const fallSize = (map: CompiledMap): number => OWNERS + map.centerCount;

/** Writes the current owners of the centres to the record of a game. Returns true if any owner has changed. */
const takeOwners = (falls: Int16Array, at: number, game: Game): boolean => {
  let changed = false;
  for (let c = 0; c < game.map.centerCount; c++) {
    const owner = game.owner(c) + 1;
    changed ||= falls[at + OWNERS + c] !== owner;
    falls[at + OWNERS + c] = owner;
  }
  return changed;
};

/**
 * Begins the record of a game at its current position: year of the last fall, 0 falls without a captured centre,
 * current owners. Writes fallSize() values to `falls`, from index `at`.
 */
export const beginFalls = (falls: Int16Array, at: number, game: Game): void => {
  falls[at + LAST] = lastFall(game);
  falls[at + FIRST] = lastFall(game);
  falls[at + UNCHANGED] = 0;
  takeOwners(falls, at, game);
};

/** True if beginFalls() has not been called for the record at index `at`, whose values are all 0. */
export const hasNoFalls = (falls: Int16Array, at: number): boolean => falls[at + LAST] === 0;

/**
 * Updates the record of a game if a fall was played since the last call. Call it after each phase, or at least once
 * between two falls.
 * @param falls array of the records of games
 * @param at index at which the record of the game begins
 */
export const countFall = (falls: Int16Array, at: number, game: Game): void => {
  const fall = lastFall(game);
  if (fall === falls[at + LAST]) return;
  falls[at + LAST] = fall;
  falls[at + UNCHANGED] = takeOwners(falls, at, game) ? 0 : falls[at + UNCHANGED] + 1;
};

/**
 * True if a game has reached a limit of LONG_GAME and is a draw.
 * @param falls array of the records of games, updated by countFall()
 * @param at index at which the record of the game begins
 */
export const isLong = (falls: Int16Array, at: number): boolean =>
  falls[at + UNCHANGED] >= LONG_GAME.unchanged || falls[at + LAST] - falls[at + FIRST] >= LONG_GAME.years;

/**
 * Third number that seeds the random draw of a draw: (seed, year, ENDING_STREAM). Keeps these random numbers apart from
 * those of agents, which are seeded by (seed, phase index, power).
 */
const ENDING_STREAM = 0x7e4d;

/** Returns the probability of a draw after a year, 0 to 1. */
const chanceIn = (year: number, { chance = 0, chanceByYear }: EndingByYear): number =>
  chanceByYear === undefined ? chance : (chanceByYear.findLast(({ from }) => from <= year)?.chance ?? 0);

/** Watches one game and decides when the conditions of an Ending make the game a draw. */
export class EndingWatch {
  private readonly falls: Int16Array;
  private year: number;

  /**
   * Begins to watch a game.
   * @param game position at the start of the game
   * @param seed seed of the game, for the random draw after each year
   */
  constructor(
    private readonly ending: EndingByYear,
    game: Game,
    private readonly seed: number,
  ) {
    this.falls = new Int16Array(fallSize(game.map));
    this.year = game.year;
    beginFalls(this.falls, 0, game);
  }

  /**
   * True if `longGameDraw` made the game a draw at the last call of isOver(). In this case the winter of that year must
   * not be played.
   */
  get isLong(): boolean {
    return this.ending.longGameDraw === true && isLong(this.falls, 0);
  }

  /**
   * Returns true if the game must end as a draw now. Must be called after each phase.
   * @param game position after the phase
   */
  isOver(game: Game): boolean {
    countFall(this.falls, 0, game);
    if (this.isLong) return true;
    if (game.year === this.year) return false;
    this.year = game.year;
    const { until, stalemate = 0 } = this.ending;
    const chance = chanceIn(game.year - 1, this.ending);
    if (isAfterLastYear(game.year, until)) return true;
    if (stalemate > 0 && this.falls[UNCHANGED] >= stalemate) return true;
    return chance > 0 && new Random(this.seed, game.year, ENDING_STREAM).fraction() < chance;
  }
}
