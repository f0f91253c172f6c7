// Ends a game as a draw before a power has won: by year, stalemate, chance, or the limits of the rulebook.

import { type CompiledMap, type Game, Random, WINTER } from '../../engine/internal.js';
import { isAfterLastYear } from '../../engine/play/batch.js';
import { wholeIn } from '../question/option.js';

/** When a game without a winner is a draw. All rules but longGameDraw are checked after each year. */
export interface Ending {
  /** The last year; 0 for none. */
  readonly until: number;
  /** Years in a row without a change of ownership; 0 for no such rule. Default 0. */
  readonly stalemate?: number;
  /** Probability that a year is the last one, drawn from the seed of the game; 0 to 1. Default 0. */
  readonly chance?: number;
  /** True if the limits of LONG_GAME apply too. Default false. */
  readonly longGameDraw?: boolean;
}

/** The options of an ending that a command line states. */
export const endingOptions = {
  until: {
    ...wholeIn(0, 9999),
    takes: 'YEAR',
    help: 'last year: a game without a winner after its winter is a draw',
  },
  stalemate: {
    ...wholeIn(0, 9999),
    default: 0,
    help: 'a draw after N years in a row without a change of ownership',
  },
  chance: {
    least: 0,
    most: 1,
    takes: 'P',
    default: 0,
    help: "a draw after each year with this probability, from 0 to 1, drawn from the game's seed",
  },
} as const;

/** From a year on, the probability that a year is the last one, 0 to 1. */
export interface ChanceStep {
  /** The first year with this chance. */
  readonly from: number;
  /** 0 to 1. */
  readonly chance: number;
}

/** An ending whose chance changes with the years. */
export interface EndingByYear extends Ending {
  /** In place of `chance`; the years ascend. Before the first of them the chance is 0. */
  readonly chanceByYear?: readonly ChanceStep[];
}

/**
 * Limits of the 1998 guide, chapter II: a draw after this many years in a row without a captured centre, or after this
 * many years. The centres of the last fall change hands, but the winter of that year is not played.
 */
export const LONG_GAME = { unchanged: 7, years: 35 } as const;

/** True if LONG_GAME can end a game that begins in the year `first` before `until` does. */
export const mayEndLong = ({ longGameDraw = false, until }: Ending, first: number): boolean =>
  longGameDraw && (until === 0 || until - first + 1 >= Math.min(LONG_GAME.unchanged, LONG_GAME.years));

/** The last year whose fall has been played: in a winter, the centres of its year have already changed hands. */
const lastFall = (game: Game): number => (game.season === WINTER ? game.year : game.year - 1);

// What LONG_GAME asks about a game: the last fall and the first, the falls since a centre changed hands, and the owners + 1
// at the last fall.
const LAST = 0;
const FIRST = 1;
const UNCHANGED = 2;
const OWNERS = 3;

export const fallSize = (map: CompiledMap): number => OWNERS + map.centerCount;

const takeOwners = (falls: Int16Array, at: number, game: Game): boolean => {
  let changed = false;
  for (let c = 0; c < game.map.centerCount; c++) {
    const owner = game.owner(c) + 1;
    changed ||= falls[at + OWNERS + c] !== owner;
    falls[at + OWNERS + c] = owner;
  }
  return changed;
};

export const beginFalls = (falls: Int16Array, at: number, game: Game): void => {
  falls[at + LAST] = lastFall(game);
  falls[at + FIRST] = lastFall(game);
  falls[at + UNCHANGED] = 0;
  takeOwners(falls, at, game);
};

export const hasNoFalls = (falls: Int16Array, at: number): boolean => falls[at + LAST] === 0;

/** Counts a fall. Call it after each phase, or at least once between two falls: adjustments change no owner. */
export const countFall = (falls: Int16Array, at: number, game: Game): void => {
  const fall = lastFall(game);
  if (fall === falls[at + LAST]) return;
  falls[at + LAST] = fall;
  falls[at + UNCHANGED] = takeOwners(falls, at, game) ? 0 : falls[at + UNCHANGED] + 1;
};

/** True if a game is a draw by LONG_GAME. */
export const isLong = (falls: Int16Array, at: number): boolean =>
  falls[at + UNCHANGED] >= LONG_GAME.unchanged || falls[at + LAST] - falls[at + FIRST] >= LONG_GAME.years;

/** Separates the streams of endings from those of agents, whose second number is that of a phase. */
const ENDING_STREAM = 0x7e4d;

const chanceIn = (year: number, { chance = 0, chanceByYear }: EndingByYear): number =>
  chanceByYear === undefined ? chance : (chanceByYear.findLast(({ from }) => from <= year)?.chance ?? 0);

/** Watches one game, and tells when a rule of its ending makes it a draw. */
export class EndingWatch {
  private readonly falls: Int16Array;
  private year: number;

  /** @param game at its start @param seed of the game, which the chance of an ending is drawn from */
  constructor(
    private readonly ending: EndingByYear,
    game: Game,
    private readonly seed: number,
  ) {
    this.falls = new Int16Array(fallSize(game.map));
    this.year = game.year;
    beginFalls(this.falls, 0, game);
  }

  /** True if the last fall that isOver() saw is a draw by `longGameDraw`: the winter after it is not played. */
  get isLong(): boolean {
    return this.ending.longGameDraw === true && isLong(this.falls, 0);
  }

  /** True if the game must end now. Call it after each phase. */
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
