// The phases that the games of a batch have played, in memory that all threads share: which of them steps a game changes
// from step to step. The recorder reads those of one step (GameLog), agents those of a whole game (PastLog).
//
// The heads of all games come first, int32 words: [0] number of the episode, [1] phases of the game before the first one
// here, [2] phases here, [3] words that they take. Behind the heads, of each game and phase: [0] its words, [1] year,
// season and kind, or END for the position after a game, [2] bytes of the state, [3] number of orders; the orders by power,
// their results, four in a word, and the state, likewise.
//
// Memory that is never written takes no room: a batch without such agents has its log for nothing. The heads lie together
// because every random step writes them. With the phases between them each would be in a page of its own, and a step
// would take a tenth longer.

import { recordResults } from '../../../engine/adjudicate/order-results.js';
import {
  COMPLETED,
  type CompiledMap,
  type Game,
  nameOfPhase,
  ordererOf,
  type Results,
  stateLayout,
} from '../../../engine/internal.js';
import { recordState } from '../../../selfplay/games/game-record.js';
import { NO_PAST, type Past, type PlayedPhase } from '../../../selfplay/question/agent.js';

const EPISODE = 0;
const BASE = 1;
const COUNT = 2;
const USED = 3;
const HEAD = 4;
/** Words of a phase before its orders. */
const PHASE_HEAD = 4;
/** In place of the time of a phase. */
const END = -1;

const NO_ORDERS = new Int32Array(0);
const NO_BYTES = new Uint8Array(0);

const wordsFor = (bytes: number): number => (bytes + 3) >> 2;
const phaseWords = (orders: number, stateBytes: number): number =>
  PHASE_HEAD + orders + wordsFor(orders) + wordsFor(stateBytes);

/** The longest phase without its state: an order for each unit or each adjustment. */
const mostPhaseWords = (map: CompiledMap): number => phaseWords(2 * map.provinceCount, 0);
const endWords = (map: CompiledMap): number => phaseWords(0, stateLayout(map).stride);

/** Phases for which a recorder has room: a step to the client's next decision has many. */
const STEP_PHASES = 8;

/** Words for each game of a recorder's log. */
export const logWords = (map: CompiledMap): number => HEAD + STEP_PHASES * mostPhaseWords(map) + endWords(map);

/** Orders by power, as records have them. */
const byPower = (game: Game, orders: Int32Array): Int32Array => {
  const sorted = new Int32Array(orders.length);
  let n = 0;
  for (let q = 0; q < game.map.powerCount; q++)
    for (const order of orders) if (ordererOf(game, order) === q) sorted[n++] = order;
  return sorted;
};

/** What each game has played in the last step. A step that is played again comes to the same. */
export class GameLog {
  private readonly bytes = new Uint8Array(this.words.buffer, this.words.byteOffset, this.words.byteLength);
  /** Words for the phases of each game. */
  private readonly size: number = Math.floor(this.words.length / this.games) - HEAD;
  /** Of the phase that is being played: its state, orders and kind. */
  private state: Uint8Array = NO_BYTES;
  private orders: Int32Array = NO_ORDERS;
  private when = 0;

  /** @param words as many for each game; none for a batch that keeps no log */
  constructor(
    protected readonly words: Int32Array,
    private readonly games: number,
    private readonly keepsStates: boolean = false,
  ) {}

  protected has(row: number): boolean {
    return this.size > 0 && row < this.games;
  }
  protected firstPhase(row: number): number {
    return HEAD * this.games + row * this.size;
  }
  private hasWords(row: number, words: number): boolean {
    return this.words[HEAD * row + USED] + words <= this.size;
  }

  clear(row: number): void {
    if (this.has(row)) this.words.fill(0, HEAD * row + COUNT, HEAD * row + HEAD);
  }

  /** True if another phase and an end find room. */
  hasRoom(row: number, map: CompiledMap): boolean {
    return this.hasWords(row, mostPhaseWords(map) + endWords(map));
  }
  /** True if the phase that is being played does. */
  protected hasRoomForPhase(row: number): boolean {
    return this.hasWords(row, phaseWords(this.orders.length, this.state.length));
  }

  /** A phase begins: the game is still before its orders. */
  before(row: number, game: Game, orders: Int32Array): void {
    if (!this.has(row)) return;
    if (this.keepsStates) this.state = recordState(game);
    this.orders = byPower(game, orders);
    this.when = (game.year << 8) | (game.season << 4) | game.phase;
  }
  /** A phase has been played: the game is behind it. */
  after(row: number, game: Game, results: Results): void {
    if (!this.has(row)) return;
    const { when, orders } = this;
    this.append(row, when, orders, recordResults(game, when & 15, orders, results), this.state);
  }
  /** A game has ended, with this position. */
  end(row: number, game: Game): void {
    if (this.has(row)) this.append(row, END, NO_ORDERS, NO_BYTES, recordState(game));
  }

  private append(row: number, when: number, orders: Int32Array, results: Uint8Array, state: Uint8Array): void {
    const { words, bytes } = this;
    const head = HEAD * row;
    const at = this.firstPhase(row) + words[head + USED];
    const length = phaseWords(orders.length, state.length);
    const resultAt = at + PHASE_HEAD + orders.length;
    words.set([length, when, state.length, orders.length], at);
    words.set(orders, at + PHASE_HEAD);
    bytes.set(results, 4 * resultAt);
    bytes.set(state, 4 * (resultAt + wordsFor(results.length)));
    words[head + COUNT]++;
    words[head + USED] += length;
  }

  /** The phases of a game, in copies of their own. One named COMPLETED is the position after a game that has ended. */
  *read(row: number, from = 0): Generator<PlayedPhase> {
    const { words, bytes } = this;
    const count = words[HEAD * row + COUNT];
    for (let i = 0, at = this.firstPhase(row); i < count; i++, at += words[at]) {
      if (i < from) continue;
      const [, when, stateBytes, orderCount] = words.subarray(at, at + PHASE_HEAD);
      const orders = at + PHASE_HEAD;
      const results = 4 * (orders + orderCount);
      const state = results + 4 * wordsFor(orderCount);
      yield {
        phase: when === END ? COMPLETED : nameOfPhase(when >> 8, (when >> 4) & 15, when & 15),
        state: bytes.slice(state, state + stateBytes),
        orders: words.slice(orders, orders + orderCount),
        results: bytes.slice(results, results + orderCount),
      };
    }
  }
}

/** Words for the past of each game, and of all: 128 KiB are some hundred phases of the standard map. */
const MOST_WORDS = 1 << 15;
const ALL_WORDS = 1 << 28;

/** Words for the past of so many games. */
export const pastWords = (games: number): number =>
  games * (HEAD + Math.min(MOST_WORDS, Math.floor(ALL_WORDS / games)));

/** The phases of a game as far as a thread has read them. */
interface Known {
  readonly episode: number;
  readonly base: number;
  readonly phases: PlayedPhase[];
}

/** What each game has played so far, with all positions. */
export class PastLog extends GameLog {
  private readonly known: Map<number, Known> = new Map();

  /** @param words pastWords() of them; none for a batch that keeps no past */
  constructor(words: Int32Array, games: number) {
    super(words, games, true);
  }

  /** A game of which nothing is known begins, or goes on. @param phases that it has played before */
  begin(row: number, phases: number): void {
    if (!this.has(row)) return;
    this.clear(row);
    this.words[HEAD * row + EPISODE]++;
    this.words[HEAD * row + BASE] = phases;
  }

  /** Makes the log that of a game which has played so many phases: a step that was cut short is played again. */
  private rewind(row: number, phases: number): void {
    const { words } = this;
    const head = HEAD * row;
    const count = phases - words[head + BASE];
    if (count === words[head + COUNT]) return;
    if (count < 0 || count > words[head + COUNT]) {
      this.begin(row, phases);
      return;
    }
    const first = this.firstPhase(row);
    let used = 0;
    for (let i = 0; i < count; i++) used += words[first + used];
    words[head + COUNT] = count;
    words[head + USED] = used;
  }

  /** @param phases that the game had played before; one that is too long goes on as another game */
  override after(row: number, game: Game, results: Results, phases = 0): void {
    if (!this.has(row)) return;
    this.rewind(row, phases);
    if (!this.hasRoomForPhase(row)) this.begin(row, phases);
    super.after(row, game, results);
  }

  /** Returns the past of a game that has played a number of phases; if it is not known, only the name of the game. */
  of(row: number, phases: number): Past {
    if (!this.has(row)) return { ...NO_PAST, game: String(row) };
    this.rewind(row, phases);
    const [episode, base, count] = this.words.subarray(HEAD * row, HEAD * (row + 1));
    const before = this.known.get(row);
    const known = before?.episode === episode && before.base === base ? before : { episode, base, phases: [] };
    this.known.set(row, known);
    // Phases that are played again come to the same.
    known.phases.length = Math.min(known.phases.length, count);
    if (known.phases.length < count) known.phases.push(...this.read(row, known.phases.length));
    return { game: `${row}.${episode}`, phases: known.phases };
  }
}
