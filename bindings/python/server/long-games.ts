// The limits of the 1998 guide on the length of a game, watched for thousands of games at once.
import type { CompiledMap, Game } from '../../../engine/internal.js';
import { beginFalls, countFall, fallSize, hasNoFalls, isLong } from '../../../selfplay/games/ending.js';
import type { Memory } from './memory.js';

/** Watches games that end by LONG_GAME, in the array `long_game`. */
export class LongGames {
  private readonly falls = this.memory.int16('long_game');
  private readonly size: number = fallSize(this.map);

  constructor(
    private readonly map: CompiledMap,
    private readonly memory: Memory,
  ) {}

  /** A game begins with this position. */
  begin(row: number, game: Game): void {
    beginFalls(this.falls, row * this.size, game);
  }

  /** The same for a position with an unknown past, unless a game is watched already: that goes on. */
  join(row: number, game: Game): void {
    if (hasNoFalls(this.falls, row * this.size)) this.begin(row, game);
  }

  /** True if the game is a draw now. Call it as countFall() must be called. */
  isOver(row: number, game: Game): boolean {
    countFall(this.falls, row * this.size, game);
    return isLong(this.falls, row * this.size);
  }

  copy(from: number, to: number): void {
    this.falls.copyWithin(to * this.size, from * this.size, (from + 1) * this.size);
  }
}
