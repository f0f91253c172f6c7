// Ends a game as a draw before a power has won: by year, stalemate, chance, or the limits of the rulebook.
import { type Game, Random, WINTER } from '../../engine/internal.js';

/** When a game without a winner is a draw. All rules but longGameDraw are checked after each year. */
export interface Ending {
  /** The last year. */
  readonly until: number;
  /** Years in a row without a change of ownership; 0 for no such rule. Default 0. */
  readonly stalemate?: number;
  /** Probability that a year is the last one, drawn from the seed of the game; 0 to 1. Default 0. */
  readonly chance?: number;
  /** True if the limits of LONG_GAME apply too. Default false. */
  readonly longGameDraw?: boolean;
}

/**
 * Limits of the 1998 guide, chapter II: a draw after this many years in a row without a captured centre, or after this
 * many years. The centres of the last fall change hands, but the winter of that year is not played.
 */
export const LONG_GAME = { unchanged: 7, years: 35 } as const;

/** True if LONG_GAME can end a game that begins in the year `first` before `until` does. */
export const mayEndLong = ({ longGameDraw = false, until }: Ending, first: number): boolean =>
  longGameDraw && until - first + 1 >= Math.min(LONG_GAME.unchanged, LONG_GAME.years);

/** The last year whose fall has been played: in a winter, the centres of its year have already changed hands. */
const lastFall = (game: Game): number => (game.season === WINTER ? game.year : game.year - 1);

/** Separates the streams of endings from those of agents, whose second number is that of a phase. */
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

  /** Counts the years without a change of ownership, once after each fall. Adjustments change no owner. */
  private countFall(game: Game): void {
    const owners = this.ownersOf(game);
    this.unchanged = owners.every((owner, center) => owner === this.owners[center]) ? this.unchanged + 1 : 0;
    this.owners = owners;
    this.fall = lastFall(game);
  }

  private isLong(): boolean {
    return this.unchanged >= LONG_GAME.unchanged || this.fall - this.start >= LONG_GAME.years;
  }

  /** True if the game must end now. Call it after each phase. */
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
