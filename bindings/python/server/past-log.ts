// The phases that each game of a batch has played so far, for agents that want to know them. All threads share it: which
// of them steps a game changes from step to step.
//
// The heads of all games come first, int32 words: [0] number of the episode, [1] its first phase here by `phases`, [2] phases
// that are here, [3] words that they take. Behind the heads, of each game and phase: [0] its words, [1] year, season and
// kind, [2] bytes of the state, [3] number of orders; the orders, their results, four in a word, and the state, likewise.
//
// Memory that nobody writes to is no more than an address: a batch without such agents has its log for nothing. The heads
// lie together because every random step writes them. With the phases between them each would be in a page of its own, and
// a step would take a tenth longer.
import { type Game, nameOfPhase, type Results } from '../../../engine/internal.js';
import { NO_PAST, type Past, type PlayedPhase } from '../../../selfplay/agents/agent.js';
import { recordState } from '../../../selfplay/games/game-record.js';
import { recordResults } from '../../../selfplay/games/outcomes.js';

/** Words of each game, and of all: 128 KiB are some hundred phases of the standard map. */
const MOST_WORDS = 1 << 15;
const ALL_WORDS = 1 << 28;

const EPISODE = 0;
const BASE = 1;
const COUNT = 2;
const USED = 3;
const HEAD = 4;
/** Words of a phase before its orders. */
const PHASE_HEAD = 4;

const wordsFor = (bytes: number): number => (bytes + 3) >> 2;

/** Words for the log of so many games. */
export const pastWords = (games: number): number =>
  games * (HEAD + Math.min(MOST_WORDS, Math.floor(ALL_WORDS / games)));

/** A phase of a game as far as it is read. */
interface Known {
  readonly episode: number;
  readonly base: number;
  readonly phases: PlayedPhase[];
}

export class PastLog {
  declare private readonly words: Int32Array;
  declare private readonly bytes: Uint8Array;
  declare private readonly games: number;
  /** Words of the phases of each game; those of the first begin at `phasesAt`. */
  declare private readonly size: number;
  declare private readonly phasesAt: number;
  /** By row: what this thread has read. */
  declare private readonly known: Map<number, Known>;
  /** Of the phase that is being played: its state, orders and kind. */
  declare private state: Uint8Array;
  declare private orders: Int32Array;
  declare private when: number;

  /** @param words pastWords() of them; none for a batch that keeps no past */
  constructor(words: Int32Array, games: number) {
    this.words = words;
    this.bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    this.games = games;
    this.size = Math.floor(words.length / games) - HEAD;
    this.phasesAt = HEAD * games;
    this.known = new Map();
    this.state = new Uint8Array(0);
    this.orders = new Int32Array(0);
    this.when = 0;
  }

  private has(row: number): boolean {
    return this.size > 0 && row < this.games;
  }

  private firstPhase(row: number): number {
    return this.phasesAt + row * this.size;
  }

  /** A game of which nothing is known begins, or goes on. @param phases that it has played before */
  begin(row: number, phases: number): void {
    if (!this.has(row)) return;
    const { words } = this;
    const head = HEAD * row;
    words[head + EPISODE]++;
    words[head + BASE] = phases;
    words[head + COUNT] = 0;
    words[head + USED] = 0;
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

  /** A phase begins: the game is still before its orders. */
  before(row: number, game: Game, orders: Int32Array): void {
    if (!this.has(row)) return;
    this.state = recordState(game);
    this.orders = orders.slice();
    this.when = (game.year << 8) | (game.season << 4) | game.phase;
  }

  /** A phase has been played: the game is behind it. @param phases that it had played before */
  after(row: number, game: Game, results: Results, phases: number): void {
    if (!this.has(row)) return;
    this.rewind(row, phases);
    const { words, bytes, size, state, orders, when } = this;
    const outcome = recordResults(game, when & 15, orders, results);
    const length = PHASE_HEAD + orders.length + wordsFor(outcome.length) + wordsFor(state.length);
    // A game that is too long goes on as another.
    const head = HEAD * row;
    if (words[head + USED] + length > size) this.begin(row, phases);
    const at = this.firstPhase(row) + words[head + USED];
    words.set([length, when, state.length, orders.length], at);
    words.set(orders, at + PHASE_HEAD);
    bytes.set(outcome, 4 * (at + PHASE_HEAD + orders.length));
    bytes.set(state, 4 * (at + PHASE_HEAD + orders.length + wordsFor(outcome.length)));
    words[head + COUNT]++;
    words[head + USED] += length;
  }

  /** The past of a game that has played so many phases. */
  of(row: number, phases: number): Past {
    if (!this.has(row)) return NO_PAST;
    this.rewind(row, phases);
    const [episode, base, count] = this.words.subarray(HEAD * row, HEAD * (row + 1));
    const before = this.known.get(row);
    const known = before?.episode === episode && before.base === base ? before : { episode, base, phases: [] };
    this.known.set(row, known);
    // Phases that are played again come to the same.
    known.phases.length = Math.min(known.phases.length, count);
    if (known.phases.length < count) known.phases.push(...this.read(this.firstPhase(row), known.phases.length, count));
    return { game: `${row}.${episode}`, phases: known.phases };
  }

  private *read(begin: number, from: number, count: number): Generator<PlayedPhase> {
    const { words, bytes } = this;
    for (let i = 0, at = begin; i < count; i++, at += words[at]) {
      if (i < from) continue;
      const [, when, stateBytes, orderCount] = words.subarray(at, at + PHASE_HEAD);
      const orders = at + PHASE_HEAD;
      const results = 4 * (orders + orderCount);
      const state = results + 4 * wordsFor(orderCount);
      yield {
        phase: nameOfPhase(when >> 8, (when >> 4) & 15, when & 15),
        state: bytes.slice(state, state + stateBytes),
        orders: words.slice(orders, orders + orderCount),
        results: bytes.slice(results, results + orderCount),
      };
    }
  }
}
