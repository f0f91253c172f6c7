// Ends games of a batch as draws by the limits that the 1998 guide sets on the length of a game (LONG_GAME).
import type { CompiledMap, Game } from '../../../engine/internal.js';
import { beginFalls, countFall, fallSize, hasNoFalls, isLong } from '../../../selfplay/games/ending.js';
import type { Memory } from './memory.js';

/** Detects games that end by the rule LONG_GAME. Its counters are in the array `long_game`. */
export class LongGames {
  private readonly falls = this.memory.int16('long_game');
  private readonly size: number = fallSize(this.map);

  constructor(
    private readonly map: CompiledMap,
    private readonly memory: Memory,
  ) {}

  /** Starts the counters of the game in a row. @param game its position, taken as the first one of the game */
  begin(row: number, game: Game): void {
    beginFalls(this.falls, row * this.size, game);
  }

  /**
   * Starts the counters of a game in a position with an unknown past. Does nothing if they have already started,
   * because saved games keep them.
   */
  join(row: number, game: Game): void {
    if (hasNoFalls(this.falls, row * this.size)) this.begin(row, game);
  }

  /**
   * Updates the counters of a game after a phase. Returns true if the game has become a draw by its length. Call it
   * after each phase, or at least once between two falls.
   */
  isOver(row: number, game: Game): boolean {
    countFall(this.falls, row * this.size, game);
    return isLong(this.falls, row * this.size);
  }

  copy(from: number, to: number): void {
    this.falls.copyWithin(to * this.size, from * this.size, (from + 1) * this.size);
  }
}
