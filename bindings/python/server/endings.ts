// Ends the games of a batch: draws by year or by the rules, truncated episodes, scores and final positions.
import { DRAW, type Game, MOVEMENT, PLAYING, scoreInto, scoreNames } from '../../../engine/internal.js';
import { isAfterLastYear, nextEpisodeSeed } from '../../../engine/play/batch.js';
import type { Games } from './games.js';

export class Endings {
  private readonly scores = new Float64Array(this.games.map.powerCount);
  private readonly centers = new Int32Array(this.games.map.powerCount);

  constructor(private readonly games: Games) {}

  /**
   * Ends the game of a row after a phase if it is over: sets `terminated` or `truncated`, writes scores and the final
   * position, and restarts the row in mode same_step. Children are never restarted.
   */
  finish(row: number): void {
    const { games } = this;
    const { terminated, truncated, episodeSeed } = games.arrays;
    const game = games.at(row);
    if (terminated[row] + truncated[row] > 0) games.clearOutcome(row);
    if (game.status === PLAYING && this.isDrawn(row, game)) game.status = DRAW;
    const isCut = game.status === PLAYING && game.phase === MOVEMENT && this.stepsLeft(row) <= 0;
    if (game.status === PLAYING && !isCut) return;
    // A truncated game is not continued.
    if (isCut) game.status = DRAW;
    (isCut ? truncated : terminated)[row] = 1;
    this.writeScores(row, game);
    if (!games.isChild(row)) this.keepFinal(row, game);
    // Truncated episodes earn no reward.
    if (isCut) games.clearScores(row);
    if (games.isChild(row)) return;
    games.log?.end(row, game);
    if (games.config.resetMode === 'same_step') games.restart(row, nextEpisodeSeed(episodeSeed[row]));
  }

  private isDrawn(row: number, game: Game): boolean {
    const { config, longGames } = this.games;
    return isAfterLastYear(game.year, config.until) || longGames?.isOver(row, game) === true;
  }

  /** Returns the number of turns after which a game's episode is truncated; infinity if the batch has no limit. */
  stepsLeft(row: number): number {
    const { maxSteps } = this.games.config;
    return maxSteps === 0 ? Number.POSITIVE_INFINITY : maxSteps - this.games.arrays.steps[row];
  }

  private writeScores(row: number, game: Game): void {
    const { map, arrays } = this.games;
    game.countCenters(this.centers);
    for (let s = 0; s < scoreNames.length; s++) {
      scoreInto(s, this.centers, 0, map.powerCount, game.winner, this.scores);
      arrays.rewards.set(this.scores, (row * scoreNames.length + s) * map.powerCount);
    }
    const size = scoreNames.length * map.powerCount;
    arrays.returns.set(arrays.rewards.subarray(row * size, (row + 1) * size), row * size);
  }

  private keepFinal(row: number, game: Game): void {
    const { arrays, map, tensors } = this.games;
    const size = scoreNames.length * map.powerCount;
    const { stride } = game.layout;
    arrays.finalScores.set(arrays.rewards.subarray(row * size, (row + 1) * size), row * size);
    arrays.finalState.set(arrays.state.subarray(row * stride, (row + 1) * stride), row * stride);
    tensors?.writeFinal(row, game);
  }
}
