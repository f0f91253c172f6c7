// Steps many games together, stored next to each other in one buffer.
//
//   bytes     size x stride   the games (position/game.ts)
//   streams   size x 2        two words of random state for each game
//   seeds     size            seed of each game's current episode
//   steps     size            turns played in each game's current episode
//
// With random orders a game depends only on its seed, not on its slot, its batch or its worker. A step allocates no
// memory. All four arrays can be in shared memory.
import { adjudicate } from '../adjudicate/calendar.js';
import type { CompiledMap } from '../map/compiled-map.js';
import { checkGame, Game, newGame } from '../position/game.js';
import { LepantoError } from '../rules/error.js';
import type { Rules } from '../rules/options.js';
import { hashSeed } from '../rules/random.js';
import { makeResults, type Results } from '../rules/results.js';
import { type Score, scoreInto } from '../rules/score.js';
import * as T from '../rules/types.js';
import { RandomGame, type Sampler } from './step.js';

/** Options of a batch. */
export interface BatchOptions {
  /** Last year of the games: after its winter they are declared draws. Default: 0, games end only by a solo. */
  readonly until?: number;
  /** True to allocate the arrays as SharedArrayBuffers. Default: false. */
  readonly shared?: boolean;
  /** True to restart ended games at the next step, with nextEpisodeSeed(). Default: false. */
  readonly autoRestart?: boolean;
}

/** True if `year` is after the last year `until` of a game. Always false if `until` is 0. */
export const isAfterLastYear = (year: number, until: number): boolean => until > 0 && year > until;

/** Returns the seed with which an ended game of a batch restarts. @param seed seed of the ended game */
export const nextEpisodeSeed = (seed: number): number => hashSeed(seed, 0x6570_6973);

/** A batch of games on one map, stored in one buffer. All games begin at the start of the map. */
export class Batch {
  /** Map of all games. */
  declare readonly map: CompiledMap;
  /** Rules of all games. */
  declare readonly rules: Rules;
  /** Number of games. */
  declare readonly size: number;
  /** Size of a game in bytes: game i begins at bytes[i * stride]. */
  declare readonly stride: number;
  /** Last year of the games: after its winter they are declared draws; 0 if they end only by a solo. */
  declare readonly until: number;
  /** True if ended games restart at the next step. */
  declare readonly autoRestart: boolean;
  /** Positions of the games: size x stride bytes (position/game.ts). */
  declare readonly bytes: Uint8Array;
  /** Random streams: two words for each game, streams[2 * i] and streams[2 * i + 1]. */
  declare readonly streams: Int32Array;
  /** Seed of the current episode, indexed by game. */
  declare readonly seeds: Int32Array;
  /** Turns played in the current episode, indexed by game. */
  declare readonly steps: Int32Array;
  /**
   * Number of games that have ended in play since the batch was made. A game that restarts and ends again counts again.
   */
  declare ended: number;
  declare private readonly cursor: Game;
  declare private readonly start: Game;
  declare private readonly results: Results;
  declare private readonly centers: Int32Array;
  declare private readonly given: Int32Array;
  private readonly onBoard = new RandomGame();

  /**
   * Makes a batch of games at the start of the map, with the seeds of reset(0).
   * @param size number of games
   * @throws LepantoError unless `size` is a whole number from 1
   */
  constructor(map: CompiledMap, rules: Rules, size: number, options: BatchOptions = {}) {
    if (!Number.isInteger(size) || size < 1)
      throw new LepantoError('argument', `batch size: got ${size}, wanted a whole number from 1`);
    this.map = map;
    this.rules = rules;
    this.size = size;
    this.start = newGame(map, rules);
    this.stride = this.start.layout.stride;
    this.until = options.until ?? 0;
    this.autoRestart = options.autoRestart ?? false;
    const room = (bytes: number): ArrayBuffer | SharedArrayBuffer =>
      options.shared === true ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
    this.bytes = new Uint8Array(room(size * this.stride));
    this.streams = new Int32Array(room(size * 8));
    this.seeds = new Int32Array(room(size * 4));
    this.steps = new Int32Array(room(size * 4));
    this.ended = 0;
    this.cursor = new Game(map, rules, this.bytes);
    this.results = makeResults();
    this.centers = new Int32Array(T.MAX_POWERS);
    this.given = new Int32Array(512);
    for (let i = 0; i < size; i++) this.restart(i, hashSeed(0, i));
  }

  /** Returns a view of game i. Valid until the next call of any method of this batch. */
  game(i: number): Game {
    this.cursor.offset = i * this.stride;
    return this.cursor;
  }

  /** Resets game i to the start of the map, with this seed. */
  restart(i: number, seed: number): void {
    this.game(i).copyFrom(this.start);
    this.reseed(i, seed);
    this.steps[i] = 0;
  }

  /**
   * Resets games to the start of the map.
   * @param seeds a seed for each game, or one number from which the seeds of all games are derived
   * @param mask games to reset: a value other than 0, indexed by game. Default: all games
   * @throws LepantoError if `seeds` or `mask` does not have one value for each game
   */
  reset(seeds: Int32Array | number, mask?: Uint8Array): void {
    if (typeof seeds !== 'number' && seeds.length !== this.size)
      throw new LepantoError('argument', `seeds: got ${seeds.length}, wanted ${this.size}`);
    if (mask !== undefined && mask.length !== this.size)
      throw new LepantoError('argument', `mask: got ${mask.length}, wanted ${this.size}`);
    for (let i = 0; i < this.size; i++) {
      if (mask !== undefined && mask[i] === 0) continue;
      this.restart(i, typeof seeds === 'number' ? hashSeed(seeds, i) : seeds[i]);
    }
  }

  /** True if game i is in progress. */
  isPlaying(i: number): boolean {
    return this.game(i).status === T.PLAYING;
  }

  /** Declares game i a draw if its last year is over. Adds 1 to `ended` if the game has ended. */
  private endIfLate(i: number): void {
    const game = this.game(i);
    if (game.status === T.PLAYING && isAfterLastYear(game.year, this.until)) game.status = T.DRAW;
    if (game.status !== T.PLAYING) this.ended++;
  }

  private wake(i: number): boolean {
    if (this.isPlaying(i)) return true;
    if (!this.autoRestart) return false;
    this.restart(i, nextEpisodeSeed(this.seeds[i]));
    return true;
  }

  /**
   * Plays one turn of every game in progress with random orders, after any pending retreats or adjustments. Restarts
   * ended games first if `autoRestart` is set. Returns the number of games stepped.
   */
  sampleStep(sampler: Sampler): number {
    const { onBoard } = this;
    let stepped = 0;
    for (let i = 0; i < this.size; i++) {
      if (!this.wake(i)) continue;
      const game = this.game(i);
      onBoard.load(game, this.streams, 2 * i);
      if (game.phase !== T.MOVEMENT) onBoard.playOpen(sampler);
      onBoard.step(sampler);
      onBoard.store(game, this.streams, 2 * i);
      this.steps[i]++;
      this.endIfLate(i);
      stepped++;
    }
    return stepped;
  }

  /**
   * Plays each game in progress to its end with random orders, one game after another. The fastest way to play many
   * games, because a game is loaded only once. Restarts no game. Returns the number of turns of all games.
   * @throws LepantoError if the batch has no last year `until`
   */
  playout(sampler: Sampler): number {
    if (this.until === 0) throw new LepantoError('argument', 'playout: got no last year, wanted the option until');
    const { onBoard } = this;
    let total = 0;
    for (let i = 0; i < this.size; i++) {
      if (!this.isPlaying(i)) continue;
      const game = this.game(i);
      onBoard.load(game, this.streams, 2 * i);
      if (game.phase !== T.MOVEMENT) onBoard.playOpen(sampler);
      let played = 0;
      // Two turns a year; one in this year for a game in fall.
      for (let left = 2 * (this.until - onBoard.year + 1) - onBoard.season; left > 0; left--) {
        played++;
        if (onBoard.step(sampler) >= 0) break;
      }
      onBoard.store(game, this.streams, 2 * i);
      this.steps[i] += played;
      total += played;
      this.endIfLate(i);
    }
    return total;
  }

  /**
   * Adjudicates one phase of every game in progress with the given orders. The orders must be legal. Restarts ended
   * games first if `autoRestart` is set.
   * @param orders packed orders of all games, at most 512 per game. Game i has orders[offsets[i] .. offsets[i + 1])
   * @param offsets size + 1 offsets into `orders`
   * @returns number of games stepped
   */
  step(orders: Int32Array, offsets: Int32Array): number {
    let stepped = 0;
    for (let i = 0; i < this.size; i++) {
      if (!this.wake(i)) continue;
      const game = this.game(i);
      const moves = game.phase === T.MOVEMENT;
      const count = offsets[i + 1] - offsets[i];
      for (let k = 0; k < count; k++) this.given[k] = orders[offsets[i] + k];
      adjudicate(game, this.given, count, this.results);
      if (moves) this.steps[i]++;
      this.endIfLate(i);
      stepped++;
    }
    return stepped;
  }

  /**
   * Copies game `from` with its stream, seed and number of turns to the games `to` to `to + count - 1`, which are
   * overwritten.
   */
  copy(from: number, to: number, count = 1): void {
    const { bytes, stride, streams, seeds, steps } = this;
    for (let i = to; i < to + count; i++) {
      bytes.copyWithin(i * stride, from * stride, (from + 1) * stride);
      streams[2 * i] = streams[2 * from];
      streams[2 * i + 1] = streams[2 * from + 1];
      seeds[i] = seeds[from];
      steps[i] = steps[from];
    }
  }

  /** Gives game i a new seed and random stream, for example to make copies of a game diverge. */
  reseed(i: number, seed: number): void {
    this.streams[2 * i] = hashSeed(seed, 1);
    this.streams[2 * i + 1] = hashSeed(seed, 2);
    this.seeds[i] = seed;
  }

  /**
   * Moves the games in progress to the indices from 0 on, keeping their order. The games after them are undefined.
   * Returns the number of games in progress.
   * @param slots output, optional: slots[i] is the former index of game i
   */
  compact(slots?: Int32Array): number {
    let kept = 0;
    for (let i = 0; i < this.size; i++) {
      if (!this.isPlaying(i)) continue;
      if (i !== kept) this.copy(i, kept);
      if (slots !== undefined) slots[kept] = i;
      kept++;
    }
    return kept;
  }

  /** Writes the score of each power in game i under a scoring system to `out`, indexed by power. */
  value(i: number, system: Score, out: Float64Array): void {
    const game = this.game(i);
    game.countCenters(this.centers);
    scoreInto(system, this.centers, 0, this.map.powerCount, game.winner, out);
  }

  /**
   * Returns a message about the first inconsistent game, with its index and the error of checkGame(); null if all games
   * are consistent.
   */
  check(): string | null {
    for (let i = 0; i < this.size; i++) {
      const wrong = checkGame(this.game(i));
      if (wrong !== null) return `game ${i}: ${wrong}`;
    }
    return null;
  }
}
