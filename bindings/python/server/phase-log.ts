// What the threads of a batch that records tell the first one about a step: the phases that each game has played in it.
// Words (int32) of a game, in memory that the threads share:
//
//   [0]        words in use behind it
//   a phase    number of its orders + 1; year, season and kind; the orders, by power; their results, four in a word
//   an end     0; the bytes of the last position, four in a word
//
// A step begins with an empty log: played again, it comes to the same.
import {
  type CompiledMap,
  type Game,
  nameOfPhase,
  ordererOf,
  type Results,
  stateLayout,
} from '../../../engine/internal.js';
import { recordedSize } from '../../../selfplay/games/game-record.js';
import { recordResults } from '../../../selfplay/games/outcomes.js';

/** Phases for which there is room: a step to the client's next decision has many. */
const PHASES = 8;

/** Orders of a phase: one for each unit, or for each adjustment. */
const ordersOf = (map: CompiledMap): number => 2 * map.provinceCount;
const phaseWords = (map: CompiledMap): number => 2 + ordersOf(map) + Math.ceil(ordersOf(map) / 4);

/** Words of each game. */
export const logWords = (map: CompiledMap): number =>
  1 + PHASES * phaseWords(map) + 2 + Math.ceil(stateLayout(map).stride / 4);

/** A phase as it was played, or the end of a game. */
export interface LoggedPhase {
  /** 'S1901M'; null for the end of the game. */
  readonly name: string | null;
  readonly orders: Int32Array;
  readonly results: Uint8Array;
  /** Bytes of the last position; null for a phase. */
  readonly state: Uint8Array | null;
}

const NOTHING = new Uint8Array(0);

export class PhaseLog {
  declare private readonly words: Int32Array;
  declare private readonly bytes: Uint8Array;
  declare private readonly map: CompiledMap;
  declare private readonly games: number;
  declare private readonly size: number;
  /** Of the phase that is being played. */
  declare private orders: Int32Array;
  declare private kind: number;

  /** @param words logWords() for each of so many games */
  constructor(map: CompiledMap, words: Int32Array, games: number) {
    this.map = map;
    this.words = words;
    this.bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    this.games = games;
    this.size = logWords(map);
    this.orders = new Int32Array(0);
    this.kind = 0;
  }

  clear(row: number): void {
    if (row < this.games) this.words[row * this.size] = 0;
  }

  /** True if another phase and an end find room. */
  hasRoom(row: number): boolean {
    const left = this.size - this.words[row * this.size];
    return left > phaseWords(this.map) + 2 + stateLayout(this.map).stride / 4;
  }

  /** Where the next entry of a game begins. */
  private next(row: number): number {
    const at = row * this.size;
    return at + 1 + this.words[at];
  }
  private add(row: number, words: number): void {
    this.words[row * this.size] += words;
  }

  /** A phase begins: the game is still before its orders. */
  before(row: number, game: Game, orders: Int32Array): void {
    if (row >= this.games) return;
    const { words, map } = this;
    const at = this.next(row);
    words[at] = orders.length + 1;
    words[at + 1] = (game.year << 8) | (game.season << 4) | game.phase;
    let n = at + 2;
    for (let q = 0; q < map.powerCount; q++)
      for (const order of orders) if (ordererOf(game, order) === q) words[n++] = order;
    this.orders = words.subarray(at + 2, n);
    this.kind = game.phase;
  }

  /** A phase has been played: the game is behind it. */
  after(row: number, game: Game, results: Results): void {
    if (row >= this.games) return;
    const at = this.next(row);
    const { orders } = this;
    this.bytes.set(recordResults(game, this.kind, orders, results), 4 * (at + 2 + orders.length));
    this.add(row, 2 + orders.length + Math.ceil(orders.length / 4));
  }

  /** A game has ended, with this position. */
  end(row: number, game: Game): void {
    if (row >= this.games) return;
    const at = this.next(row);
    const size = recordedSize(game);
    this.words[at] = 0;
    this.words[at + 1] = size;
    this.bytes.set(game.bytes.subarray(game.offset, game.offset + size), 4 * (at + 2));
    this.add(row, 2 + Math.ceil(size / 4));
  }

  /** What a game has played in the last step, in copies of its own. */
  *read(row: number): Generator<LoggedPhase> {
    const { words, bytes } = this;
    const begin = row * this.size;
    for (let at = begin + 1; at < begin + 1 + words[begin]; ) {
      const [head, second] = words.subarray(at, at + 2);
      at += 2;
      if (head === 0) {
        yield { name: null, orders: new Int32Array(0), results: NOTHING, state: bytes.slice(4 * at, 4 * at + second) };
        at += Math.ceil(second / 4);
        continue;
      }
      const count = head - 1;
      const orders = words.slice(at, at + count);
      const results = bytes.slice(4 * (at + count), 4 * (at + count) + count);
      yield { name: nameOfPhase(second >> 8, (second >> 4) & 15, second & 15), orders, results, state: null };
      at += count + Math.ceil(count / 4);
    }
  }
}
