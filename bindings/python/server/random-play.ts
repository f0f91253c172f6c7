// Plays random turns of many games on the engine's board. A turn is a movement phase with its retreats and adjustments.
import { type Game, MOVEMENT } from '../../../engine/internal.js';
import { Batch, isAfterLastYear, nextEpisodeSeed } from '../../../engine/play/batch.js';
import { RandomGame, type Sampler } from '../../../engine/play/step.js';
import type { Endings } from './endings.js';
import type { Games } from './games.js';

/** Number of games in one piece of playEngine(), which takes a few milliseconds. */
const ENGINE_GAMES = 256;

export class RandomPlay {
  declare private engine: Batch | undefined;
  private readonly onBoard = new RandomGame();

  constructor(
    private readonly games: Games,
    private readonly endings: Endings,
  ) {}

  /**
   * Plays `count` turns of games first .. end - 1 with random orders, and returns the number of turns played, summed
   * over the games. Restarts games that end, except in mode disabled. Does not update the legal lists.
   * @param sampler index of the way to draw orders, in `samplers`
   */
  play(first: number, end: number, count: number, sampler: number): number {
    let played = 0;
    for (let row = first; row < end; row++) played += this.playRow(row, count, sampler);
    return played;
  }

  private playRow(row: number, count: number, sampler: number): number {
    const { games } = this;
    const { config, longGames, tensors, lastOrders, arrays } = games;
    let played = 0;
    games.clearGains(row);
    for (let left = count; left > 0; ) {
      if (!games.isPlaying(row)) {
        if (config.resetMode === 'disabled') break;
        games.restart(row, nextEpisodeSeed(arrays.episodeSeed[row]));
      }
      // Finishes a turn that has already begun, without counting it.
      const open = Math.max(games.at(row).phase === MOVEMENT ? 1 : 0, this.endings.stepsLeft(row));
      const turns = this.playTurns(row, Math.min(longGames === null ? left : 1, open), sampler);
      this.endings.finish(row);
      played += turns;
      left -= turns;
    }
    tensors?.write(row, games.at(row), arrays.builds);
    lastOrders?.clear(row);
    return played;
  }

  /**
   * Plays at most `count` turns of one game until it ends, after the rest of a turn that has already begun. Returns the
   * number of turns played without that rest.
   */
  private playTurns(row: number, count: number, sampler: number): number {
    const { onBoard } = this;
    const { tensors, config, arrays, past } = this.games;
    const { streams, phases, steps } = arrays;
    const game = this.games.at(row);
    onBoard.load(game, streams, 2 * row);
    const seesAll = tensors !== null && (tensors.isCumulative || config.resetMode === 'disabled');
    let isOver = false;
    if (game.phase !== MOVEMENT) {
      onBoard.playOpen(sampler);
      isOver = this.isBoardOver();
      onBoard.store(game, streams, 2 * row);
    }
    let played = 0;
    let isSeen = true;
    for (; played < count && !isOver; played++) {
      isSeen = seesAll || (tensors !== null && played === count - 1);
      if (isSeen) this.seeTurn(row, game, sampler, played);
      else onBoard.step(sampler);
      isOver = this.isBoardOver();
    }
    onBoard.store(game, streams, 2 * row);
    if (isSeen && played > 0) tensors?.play?.writeBoard(row, onBoard.count);
    if (!isSeen) tensors?.clear(row);
    past.begin(row, phases[row]);
    steps[row] += played;
    return played;
  }

  /** True if the game on the engine's board is over: a power has won, or the last year has been played. */
  private isBoardOver(): boolean {
    return this.onBoard.winner >= 0 || isAfterLastYear(this.onBoard.year, this.games.config.until);
  }

  /**
   * Plays one turn on the board, and updates the observation tensors of the game's row.
   * @param played number of turns played on the board since the game was loaded
   */
  private seeTurn(row: number, game: Game, sampler: number, played: number): void {
    const { onBoard } = this;
    const { arrays, tensors } = this.games;
    if (tensors?.play != null) {
      onBoard.begin(sampler);
      tensors.play.writeOrders(row, onBoard.count);
      onBoard.finish(sampler);
      return;
    }
    // The tensors read the position before the moves.
    if (played > 0) onBoard.store(game, arrays.streams, 2 * row);
    onBoard.step(sampler);
    tensors?.afterStep(row, game);
  }

  /**
   * Measures the engine alone, without the batch's arrays: plays whole random games for a number of milliseconds.
   * @returns number of turns played
   */
  playEngine(milliseconds: number, sampler: number): number {
    const { config, map, rules } = this.games;
    const until = config.until > 0 ? config.until : map.startYear + 9;
    this.engine ??= new Batch(map, rules, ENGINE_GAMES, { until });
    let played = 0;
    const start = performance.now();
    for (let seed = 0; performance.now() - start < milliseconds; seed++) {
      this.engine.reset(seed);
      played += this.engine.playout(sampler as Sampler);
    }
    return played;
  }
}
