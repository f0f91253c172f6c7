// Rules that end a game as a draw before anybody has won: a year, a stalemate, chance, or the limits of the rulebook.
import { type Game, Random, WINTER } from '../../engine/internal.js';

/** When a game that nobody has won is a draw. All but longGameDraw are looked at once a year has been played. */
export interface Ending {
  /** The last year. */
  readonly until: number;
  /** Years in a row without a change of ownership; 0 for no such rule. Default 0. */
  readonly stalemate?: number;
  /** Probability that a year is the last one, drawn from the seed of the game; 0 to 1. Default 0. */
  readonly chance?: number;
  /** True if the limits of LONG_GAME hold beside the others. Default false. */
  readonly longGameDraw?: boolean;
}

/**
 * Limits of the 1998 guide, chapter II: a draw after so many years' ends in a row without a captured centre, or after so
 * many years. Then the centres of the fall are taken, and the winter of that year is not played.
 */
export const LONG_GAME = { unchanged: 7, years: 35 } as const;

/** True if LONG_GAME can end a game, begun in the year `first`, that `until` would not have ended before. */
export const mayEndLong = ({ longGameDraw = false, until }: Ending, first: number): boolean =>
  longGameDraw && until - first + 1 >= Math.min(LONG_GAME.unchanged, LONG_GAME.years);

/** The last year whose fall has been played: a winter belongs to a year whose centres are taken. */
const lastFall = (game: Game): number => (game.season === WINTER ? game.year : game.year - 1);

/** Keeps the streams of endings apart from those of agents, whose second number is a phase's. */
const ENDING_STREAM = 0x7e4d;

/** Watches one game from its beginning. */
export class EndingWatch {
  declare private readonly ending: Ending;
  declare private readonly seed: number;
  declare private readonly start: number;
  declare private year: number;
  declare private fall: number;
  declare private owners: Int32Array;
  declare private unchanged: number;

  constructor(ending: Ending, game: Game, seed: number) {
    this.ending = ending;
    this.seed = seed;
    this.start = lastFall(game);
    this.year = game.year;
    this.fall = this.start;
    this.owners = this.ownersOf(game);
    this.unchanged = 0;
  }

  private ownersOf(game: Game): Int32Array {
    return Int32Array.from({ length: game.map.centerCount }, (_, center) => game.owner(center));
  }

  /** Counts the years without a change of ownership, once for each fall. Adjustments change no owner. */
  private countFall(game: Game): void {
    const owners = this.ownersOf(game);
    this.unchanged = owners.every((owner, center) => owner === this.owners[center]) ? this.unchanged + 1 : 0;
    this.owners = owners;
    this.fall = lastFall(game);
  }

  private isLong(): boolean {
    return this.unchanged >= LONG_GAME.unchanged || this.fall - this.start >= LONG_GAME.years;
  }

  /** True if the game is to end now. To be asked after each phase. */
  isOver(game: Game): boolean {
    if (lastFall(game) !== this.fall) this.countFall(game);
    if (this.ending.longGameDraw === true && this.isLong()) return true;
    if (game.year === this.year) return false;
    this.year = game.year;
    const { until, stalemate = 0, chance = 0 } = this.ending;
    if (game.year > until) return true;
    if (stalemate > 0 && this.unchanged >= stalemate) return true;
    return chance > 0 && new Random(this.seed, game.year, ENDING_STREAM).fraction() < chance;
  }
}
