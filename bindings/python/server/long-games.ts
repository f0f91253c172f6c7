// The limits of the 1998 guide on the length of a game, watched for thousands of games at once.
import { type CompiledMap, type Game, WINTER } from '../../../engine/internal.js';
import { LONG_GAME } from '../../../selfplay/games/ending.js';
import { LONG_GAME_HEAD, longGameSize } from './layout.js';
import type { Memory } from './memory.js';

/** Numbers of a game in the array `long_game`, before the owners of its centres + 1 at the last fall. */
const FALL = 0;
const START = 1;
const UNCHANGED = 2;

/** The last year whose fall has been played: a winter belongs to a year whose centres are taken. */
const lastFall = (game: Game): number => (game.season === WINTER ? game.year : game.year - 1);

/** Watches games that end by LONG_GAME, as EndingWatch (selfplay/games/ending.ts) watches one. */
export class LongGames {
  declare private readonly cells: Int16Array;
  declare private readonly size: number;
  declare private readonly centerCount: number;

  constructor(map: CompiledMap, memory: Memory) {
    this.cells = memory.int16('long_game');
    this.size = longGameSize(map);
    this.centerCount = map.centerCount;
  }

  /** A game begins with this position. */
  begin(row: number, game: Game): void {
    const at = row * this.size;
    this.cells[at + FALL] = lastFall(game);
    this.cells[at + START] = lastFall(game);
    this.cells[at + UNCHANGED] = 0;
    this.takeOwners(at, game);
  }

  /** The same for a position whose past is not known: that of a game that is watched already goes on. */
  join(row: number, game: Game): void {
    if (this.cells[row * this.size + FALL] === 0) this.begin(row, game);
  }

  private takeOwners(at: number, game: Game): boolean {
    let changed = false;
    for (let c = 0; c < this.centerCount; c++) {
      const owner = game.owner(c) + 1;
      changed ||= this.cells[at + LONG_GAME_HEAD + c] !== owner;
      this.cells[at + LONG_GAME_HEAD + c] = owner;
    }
    return changed;
  }

  /** True if the game is a draw now. To be asked after each phase, or at least once between two falls. */
  isOver(row: number, game: Game): boolean {
    const { cells } = this;
    const at = row * this.size;
    const fall = lastFall(game);
    if (fall === cells[at + FALL]) return false;
    cells[at + FALL] = fall;
    cells[at + UNCHANGED] = this.takeOwners(at, game) ? 0 : cells[at + UNCHANGED] + 1;
    return cells[at + UNCHANGED] >= LONG_GAME.unchanged || fall - cells[at + START] >= LONG_GAME.years;
  }

  copy(from: number, to: number): void {
    this.cells.copyWithin(to * this.size, from * this.size, (from + 1) * this.size);
  }
}
