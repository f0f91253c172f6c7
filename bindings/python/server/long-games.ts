// Applies the limits of the 1998 guide on the length of a game to the games of a batch.
import type { CompiledMap, Game } from '../../../engine/internal.js';
import { beginFalls, countFall, fallSize, hasNoFalls, isLong } from '../../../selfplay/games/ending.js';
import type { Memory } from './memory.js';

/** Detects games that end by LONG_GAME. Its counters are in the array `long_game`. */
export class LongGames {
  private readonly falls = this.memory.int16('long_game');
  private readonly size: number = fallSize(this.map);

  constructor(
    private readonly map: CompiledMap,
    private readonly memory: Memory,
  ) {}

  /** Starts the counters of a game in its first position. */
  begin(row: number, game: Game): void {
    beginFalls(this.falls, row * this.size, game);
  }

  /** Starts the counters in a position with an unknown past. Counters that have already started continue. */
  join(row: number, game: Game): void {
    if (hasNoFalls(this.falls, row * this.size)) this.begin(row, game);
  }

  /** True if a game is a draw by its length. Updates the counters, so the calling rules of countFall() apply. */
  isOver(row: number, game: Game): boolean {
    countFall(this.falls, row * this.size, game);
    return isLong(this.falls, row * this.size);
  }

  copy(from: number, to: number): void {
    this.falls.copyWithin(to * this.size, from * this.size, (from + 1) * this.size);
  }
}
