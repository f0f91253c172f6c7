// Logs the played phases of a batch in memory shared by all threads, because different threads step a game over time.
// The recorder reads the phases of one step (GameLog), agents read the phases of a whole game (PastLog).
//
// The memory is int32 words. The heads of all games come first: [0] number of the episode, [1] number of phases before
// the first logged one, [2] number of logged phases, [3] words that they use. The phases of each game follow the heads:
// [0] words of the phase, [1] year, season and kind, or END for the position after a game, [2] bytes of the state, [3]
// number of orders; then the orders by power, their results (four in a word) and the state (four bytes in a word).
//
// Unwritten memory takes no room, so an unused log costs no memory. The heads are contiguous because every random step
// writes them. Between the phases, each head would be in a separate page, and a step would take a tenth longer.

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
/** Number of 32-bit words of a logged phase before its orders. */
const PHASE_HEAD = 4;
/** Logged in place of a phase's year, season and kind for the position after the end of a game. */
const END = -1;

const NO_ORDERS = new Int32Array(0);
const NO_BYTES = new Uint8Array(0);

const wordsFor = (bytes: number): number => (bytes + 3) >> 2;
const phaseWords = (orders: number, stateBytes: number): number =>
  PHASE_HEAD + orders + wordsFor(orders) + wordsFor(stateBytes);

/**
 * Returns the number of 32-bit words of the longest logged phase without its position: an order for each unit or
 * adjustment.
 */
const mostPhaseWords = (map: CompiledMap): number => phaseWords(2 * map.provinceCount, 0);
const endWords = (map: CompiledMap): number => phaseWords(0, stateLayout(map).stride);

/**
 * Number of phases of each game for which a recorder's log has room. A step to the client's next decision can play
 * several phases.
 */
const STEP_PHASES = 8;

/** Returns the number of 32-bit words that a recorder's log needs for each game. */
export const logWords = (map: CompiledMap): number => HEAD + STEP_PHASES * mostPhaseWords(map) + endWords(map);

/** Returns the orders of a phase sorted by power, as records have them. */
const byPower = (game: Game, orders: Int32Array): Int32Array => {
  const sorted = new Int32Array(orders.length);
  let n = 0;
  for (let q = 0; q < game.map.powerCount; q++)
    for (const order of orders) if (ordererOf(game, order) === q) sorted[n++] = order;
  return sorted;
};

/**
 * Log of the phases that each game played in the last step, in memory that all threads share. A repeated step writes
 * the same phases.
 */
export class GameLog {
  private readonly bytes = new Uint8Array(this.words.buffer, this.words.byteOffset, this.words.byteLength);
  /** Number of 32-bit words for the logged phases of each game. */
  private readonly size: number = Math.floor(this.words.length / this.games) - HEAD;
  /**
   * `state`, `orders`, `when`: position, orders and date of the current phase, set by before() and read by after().
   * `when` has the year from bit 8 on, the season in bits 4 to 7 and the kind of phase in bits 0 to 3.
   */
  private state: Uint8Array = NO_BYTES;
  private orders: Int32Array = NO_ORDERS;
  private when = 0;

  /**
   * Creates a log over shared memory.
   * @param words the memory, divided equally between games; empty for a batch without a log
   * @param games number of games
   * @param keepsStates true to log the position before each phase
   */
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

  /** True if a game's log has room for another phase of any length and a final position. */
  hasRoom(row: number, map: CompiledMap): boolean {
    return this.hasWords(row, mostPhaseWords(map) + endWords(map));
  }
  /** True if a game's log has room for the phase that before() has noted. */
  protected hasRoomForPhase(row: number): boolean {
    return this.hasWords(row, phaseWords(this.orders.length, this.state.length));
  }

  /**
   * Notes the date and the orders of a phase before it is adjudicated, for after(). Does nothing for a row without a
   * log.
   * @param game the game in the position before its orders
   */
  before(row: number, game: Game, orders: Int32Array): void {
    if (!this.has(row)) return;
    if (this.keepsStates) this.state = recordState(game);
    this.orders = byPower(game, orders);
    this.when = (game.year << 8) | (game.season << 4) | game.phase;
  }
  /**
   * Appends the phase of the last before() to a game's log, with its results. Does nothing for a row without a log.
   * @param game the game in the position after its orders
   */
  after(row: number, game: Game, results: Results): void {
    if (!this.has(row)) return;
    const { when, orders } = this;
    this.append(row, when, orders, recordResults(game, when & 15, orders, results), this.state);
  }
  /** Appends the final position of a game to its log. Does nothing for a row without a log. */
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

  /**
   * Yields copies of the logged phases of a game. A phase named COMPLETED is the final position of a game.
   * @param from index of the first phase
   */
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

/**
 * MOST_WORDS: largest number of 32-bit words for the past of one game (128 KiB: about a hundred phases of the standard
 * map). ALL_WORDS: largest number for the past of all games together.
 */
const MOST_WORDS = 1 << 15;
const ALL_WORDS = 1 << 28;

/** Returns the number of 32-bit words that PastLog needs for a number of games. */
export const pastWords = (games: number): number =>
  games * (HEAD + Math.min(MOST_WORDS, Math.floor(ALL_WORDS / games)));

/**
 * Phases of a game that a thread has already read from the log. `episode` and `base` identify the log's beginning: a
 * counter, and the number of phases played before the first logged one.
 */
interface Known {
  readonly episode: number;
  readonly base: number;
  readonly phases: PlayedPhase[];
}

/** Log of all phases that each game has played, with their positions. */
export class PastLog extends GameLog {
  private readonly known: Map<number, Known> = new Map();

  /**
   * Creates a log over shared memory.
   * @param words memory of pastWords() words; empty for a batch without a past
   * @param games number of games
   */
  constructor(words: Int32Array, games: number) {
    super(words, games, true);
  }

  /**
   * Clears the log of a game, and starts it at a position whose past is not known.
   * @param phases number of phases that the game has played before
   */
  begin(row: number, phases: number): void {
    if (!this.has(row)) return;
    this.clear(row);
    this.words[HEAD * row + EPISODE]++;
    this.words[HEAD * row + BASE] = phases;
  }

  /**
   * Truncates a game's log to the first `phases` phases of the game, because an interrupted step is repeated. If these
   * phases are not all logged, clears the log instead and starts it there.
   */
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

  /**
   * Appends a phase to a game's log after it is adjudicated. If the log is full, clears it; the game then has a new
   * name in of(), and its past begins at this phase.
   * @param game the game in the position after its orders
   * @param phases number of phases that the game has played before this one
   */
  override after(row: number, game: Game, results: Results, phases = 0): void {
    if (!this.has(row)) return;
    this.rewind(row, phases);
    if (!this.hasRoomForPhase(row)) this.begin(row, phases);
    super.after(row, game, results);
  }

  /**
   * Returns the logged phases of a game that has played `phases` phases, and a name that identifies the game. For a row
   * without a log, returns the name and no phases.
   */
  of(row: number, phases: number): Past {
    if (!this.has(row)) return { ...NO_PAST, game: String(row) };
    this.rewind(row, phases);
    const [episode, base, count] = this.words.subarray(HEAD * row, HEAD * (row + 1));
    const before = this.known.get(row);
    const known = before?.episode === episode && before.base === base ? before : { episode, base, phases: [] };
    this.known.set(row, known);
    // A repeated step plays the same phases again, so the phases read before stay valid.
    known.phases.length = Math.min(known.phases.length, count);
    if (known.phases.length < count) known.phases.push(...this.read(row, known.phases.length));
    return { game: `${row}.${episode}`, phases: known.phases };
  }
}
