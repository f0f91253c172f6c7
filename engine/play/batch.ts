// Thousands of games side by side in one buffer, stepped together.
//
//   bytes     size x stride   the games (position/game.ts)
//   streams   size x 2        the two words of each game's random stream
//   seeds     size            the seed that each game's episode began with
//   steps     size            turns played in the episode
//
// A game's course follows from its seed alone: not from its slot, from the batch or from the worker. Nothing is
// allocated by a step. All four arrays can be in shared memory.
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

/** How the games of a batch are kept and ended. */
export interface BatchOptions {
  /** Games end as draws after the winter of this year. 0, the default: they only end by a solo. */
  readonly until?: number;
  /** True: the arrays lie in SharedArrayBuffers. */
  readonly shared?: boolean;
  /** True: a game that has ended begins again at the next step, with the next episode's seed. */
  readonly autoRestart?: boolean;
}

/** True if a game that ends after the winter of the year `until` (0: only by a solo) is over in a year. */
export const isAfterLastYear = (year: number, until: number): boolean => until > 0 && year > until;

/** Seed of the next episode in a slot, from that of the last. */
export const nextEpisodeSeed = (seed: number): number => hashSeed(seed, 0x6570_6973);

/** Games side by side in one buffer (see above), at the start of their map until they are played. */
export class Batch {
  /** The map of all its games. */
  declare readonly map: CompiledMap;
  /** The rules of all its games. */
  declare readonly rules: Rules;
  /** Number of games. */
  declare readonly size: number;
  /** Bytes from one game to the next. */
  declare readonly stride: number;
  /** Games end as draws after the winter of this year; 0 for none. */
  declare readonly until: number;
  /** True if a game that has ended begins again at the next step. */
  declare readonly autoRestart: boolean;
  /** The games: size x stride bytes (position/game.ts). */
  declare readonly bytes: Uint8Array;
  /** The random stream of each game: size x 2 words. */
  declare readonly streams: Int32Array;
  /** The seed that the episode of each game began with. */
  declare readonly seeds: Int32Array;
  /** Turns played in the episode of each game. */
  declare readonly steps: Int32Array;
  /** Games that have ended since the batch was made. */
  declare ended: number;
  declare private readonly cursor: Game;
  declare private readonly start: Game;
  declare private readonly results: Results;
  declare private readonly centers: Int32Array;
  declare private readonly given: Int32Array;
  private readonly onBoard = new RandomGame();

  /** @param size number of games; they stand at the start of the map once reset() has seeded them. */
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

  /** A view of game i; valid until the next call that takes a game's index. */
  game(i: number): Game {
    this.cursor.offset = i * this.stride;
    return this.cursor;
  }

  /** Puts game i back to the start, with this seed. */
  restart(i: number, seed: number): void {
    this.game(i).copyFrom(this.start);
    this.reseed(i, seed);
    this.steps[i] = 0;
  }

  /**
   * Puts games back to the start.
   * @param seeds one for each game, or one for all of them to be derived from
   * @param mask games to reset: those with a value other than 0; all without it
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

  /** True while game i is played. */
  isPlaying(i: number): boolean {
    return this.game(i).status === T.PLAYING;
  }

  /** Ends game i as a draw if its last year is over. */
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
   * Plays one turn of every game that is played, with random orders; open retreats or adjustments are played first.
   * Returns the number of games that were stepped.
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
   * Plays games to their end one after the other, each without leaving the board: the fastest way through many games.
   * Needs `until`. Returns the number of turns.
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
   * Plays one phase of every game that is played, by given orders (adjudicate(); the orders must be legal).
   * @param orders packed orders of all games, at most 512 a game; those of game i are orders[offsets[i] .. offsets[i + 1])
   * @param offsets size + 1 of them
   * @returns the number of games that were stepped
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

  /** Copies game `from`, its stream and its seed, to the slots to .. to + count. */
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

  /** Gives game i another random stream: copies of one game then go different ways. */
  reseed(i: number, seed: number): void {
    this.streams[2 * i] = hashSeed(seed, 1);
    this.streams[2 * i + 1] = hashSeed(seed, 2);
    this.seeds[i] = seed;
  }

  /**
   * Moves the games that are played to the front, in their order; what was behind them is lost. Returns their number.
   * @param slots if given: slots[i] is set to the slot that game i came from
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

  /** Writes the value of game i by a scoring system to out, one number a power. */
  value(i: number, system: Score, out: Float64Array): void {
    const game = this.game(i);
    game.countCenters(this.centers);
    scoreInto(system, this.centers, 0, this.map.powerCount, game.winner, out);
  }

  /** What checkGame() says of the first game that something is wrong with, or null. */
  check(): string | null {
    for (let i = 0; i < this.size; i++) {
      const wrong = checkGame(this.game(i));
      if (wrong !== null) return `game ${i}: ${wrong}`;
    }
    return null;
  }
}
