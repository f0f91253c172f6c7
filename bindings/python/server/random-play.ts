// Random turns of many games, played on the board of the engine. A turn is a movement phase with its retreats and builds.
import { type Game, MOVEMENT } from '../../../engine/internal.js';
import { Batch, isAfterLastYear, nextEpisodeSeed } from '../../../engine/play/batch.js';
import { RandomGame, type Sampler } from '../../../engine/play/step.js';
import type { Endings } from './endings.js';
import type { Games } from './games.js';

/** Games of a piece of playEngine(): some milliseconds. */
const ENGINE_GAMES = 256;

export class RandomPlay {
  declare private engine: Batch | undefined;
  private readonly onBoard = new RandomGame();

  constructor(
    private readonly games: Games,
    private readonly endings: Endings,
  ) {}

  /** Plays `count` turns of each game; returns how many were played. Legal lists are left as they were. */
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
      // What is open of the last turn of an episode is played first, and that alone.
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

  /** Plays turns of one game until it ends, `count` at most; in between it stays on the board. */
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

  /** True if the last year has been played on the board, or a power has won there. */
  private isBoardOver(): boolean {
    return this.onBoard.winner >= 0 || isAfterLastYear(this.onBoard.year, this.games.config.until);
  }

  /** Plays a turn, and shows it to the tensors. */
  private seeTurn(row: number, game: Game, sampler: number, played: number): void {
    const { onBoard } = this;
    const { arrays, tensors } = this.games;
    if (tensors?.play != null) {
      onBoard.begin(sampler);
      tensors.play.writeOrders(row, onBoard.count);
      onBoard.finish(sampler);
      return;
    }
    // They read the position before the moves.
    if (played > 0) onBoard.store(game, arrays.streams, 2 * row);
    onBoard.step(sampler);
    tensors?.afterStep(row, game);
  }

  /**
   * The engine alone, for comparison: whole games in a batch of its own, each played to its end without leaving the board.
   * Returns how many turns it played in so many milliseconds.
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
