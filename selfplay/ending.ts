// Rules that end a game as a draw before anybody has won: a year, a stalemate, or chance.
import { type Game, Random } from '../engine/index.js';

/** When a game that nobody has won is a draw. All are looked at once a year has been played. */
export interface Ending {
  /** The last year. */
  readonly until: number;
  /** Years in a row without a change of ownership; 0 for no such rule. Default 0. */
  readonly stalemate?: number;
  /** Probability that a year is the last one, drawn from the seed of the game; 0 to 1. Default 0. */
  readonly chance?: number;
}

/** Keeps the streams of endings apart from those of agents, whose second number is a phase's. */
const ENDING_STREAM = 0x7e4d;

/** Watches one game from its beginning. */
export class EndingWatch {
  declare private readonly ending: Ending;
  declare private readonly seed: number;
  declare private year: number;
  declare private owners: Int32Array;
  declare private unchanged: number;

  constructor(ending: Ending, game: Game, seed: number) {
    this.ending = ending;
    this.seed = seed;
    this.year = game.year;
    this.owners = this.ownersOf(game);
    this.unchanged = 0;
  }

  private ownersOf(game: Game): Int32Array {
    return Int32Array.from({ length: game.map.centerCount }, (_, center) => game.owner(center));
  }

  /** True if the game is to end now. To be asked after each phase. */
  isOver(game: Game): boolean {
    if (game.year === this.year) return false;
    this.year = game.year;
    const { until, stalemate = 0, chance = 0 } = this.ending;
    if (game.year > until) return true;
    if (stalemate > 0) {
      const owners = this.ownersOf(game);
      this.unchanged = owners.every((owner, center) => owner === this.owners[center]) ? this.unchanged + 1 : 0;
      this.owners = owners;
      if (this.unchanged >= stalemate) return true;
    }
    return chance > 0 && new Random(this.seed, game.year, ENDING_STREAM).fraction() < chance;
  }
}
