// Games as the threads of a reader hand them to each other: some of them in one piece of shared memory, phase by phase.
//
// Words (int32), then float32, then bytes:
//
//   [0] games, [1] phases, [2] powers, [3] bytes of a position
//   by game    its first phase (and one more: the end)
//   by game    file, number, winner or -1, and by power the number of its agent or -1
//   by phase   its game; its kind; where it begins, in bytes
//   by game and power, float32: the score
//   by phase   number of orders, int32; the orders, int32; their results; the position; what agents weighed (below)
//
//   what agents weighed: the number of powers; for each of them the power, its root value (float32), and the number of its
//   candidates; for each of these the probability (float32), the number of orders, and the orders
//
// The last phase of each game is the position after all others, which has no orders.
import { type CompiledMap, Game, type Rules, stateLayout } from '../../../engine/internal.js';
import { loadState, type PhaseRecord } from '../../../selfplay/games/game-record.js';

/** A game that has been played again. */
export interface ReadGame {
  /** Place among the files of the dataset. */
  readonly file: number;
  /** Its number in its run, or in its file. */
  readonly number: number;
  /** Power that won alone; -1 for none. */
  readonly winner: number;
  /** By power: number of its agent among those of the dataset; -1 if it is not known. */
  readonly agents: readonly number[];
  /** By power. */
  readonly scores: ArrayLike<number>;
  /** With all positions, and the one after the last. */
  readonly phases: readonly PhaseRecord[];
}

const HEAD = 4;
const WORD = Int32Array.BYTES_PER_ELEMENT;
/** Words of each game but for its first phase and its agents, and of each phase. */
const GAME_WORDS = 3;
const PHASE_WORDS = 3;
/** Words of the targets of a power before its candidates. */
const TARGET_WORDS = 3;

const aligned = (n: number): number => (n + 3) & ~3;

type Targets = NonNullable<PhaseRecord['targets']>;

/** Words that the targets of a phase take. */
const wordsOf = (targets: Targets): number =>
  targets.reduce(
    (sum, { candidates }) => candidates.reduce((n, { orders }) => n + 2 + orders.length, sum + TARGET_WORDS),
    1,
  );

/** An order set that an agent weighed, and how likely it was. */
export interface WeighedSet {
  readonly probability: number;
  readonly orders: Int32Array;
}

/** What an agent weighed for a power. */
export interface WeighedChoice {
  /** NaN where unknown. */
  readonly value: number;
  readonly sets: readonly WeighedSet[];
}

/** A view of one piece. */
export class GameBlock {
  private readonly words = new Int32Array(this.memory);
  private readonly floats = new Float32Array(this.memory);
  private readonly bytes = new Uint8Array(this.memory);
  readonly games: number = this.words[0];
  readonly phases: number = this.words[1];
  private readonly powers = this.words[2];
  private readonly stateSize = this.words[3];
  private readonly gameAt = HEAD + this.games + 1;
  /** Words of each game, with its agents. */
  private readonly gameWords = GAME_WORDS + this.powers;
  private readonly phaseAt = this.gameAt + this.gameWords * this.games;
  private readonly scoreAt = this.phaseAt + PHASE_WORDS * this.phases;

  constructor(readonly memory: SharedArrayBuffer) {}

  /** First phase of a game; that of game `games` is the end. */
  firstPhase(game: number): number {
    return this.words[HEAD + game];
  }
  lastPhase(game: number): number {
    return this.words[HEAD + game + 1] - 1;
  }
  file(game: number): number {
    return this.words[this.gameAt + this.gameWords * game];
  }
  number(game: number): number {
    return this.words[this.gameAt + this.gameWords * game + 1];
  }
  winner(game: number): number {
    return this.words[this.gameAt + this.gameWords * game + 2];
  }
  /** Number of the agent of a power; -1 if it is not known. */
  agent(game: number, power: number): number {
    return this.words[this.gameAt + this.gameWords * game + GAME_WORDS + power];
  }
  score(game: number, power: number): number {
    return this.floats[this.scoreAt + game * this.powers + power];
  }
  gameOf(phase: number): number {
    return this.words[this.phaseAt + PHASE_WORDS * phase];
  }
  /** MOVEMENT, RETREAT or ADJUSTMENT. */
  kindOf(phase: number): number {
    return this.words[this.phaseAt + PHASE_WORDS * phase + 1];
  }
  private at(phase: number): number {
    return this.words[this.phaseAt + PHASE_WORDS * phase + 2];
  }
  orders(phase: number): Int32Array {
    const at = this.at(phase) / WORD;
    return this.words.subarray(at + 1, at + 1 + this.words[at]);
  }
  /** One byte for each order. */
  results(phase: number): Uint8Array {
    const at = this.at(phase);
    const count = this.words[at / WORD];
    return this.bytes.subarray(at + WORD * (1 + count), at + WORD * (1 + count) + count);
  }
  /** Puts the position before the orders of a phase into a game. */
  load(phase: number, game: Game): void {
    const at = this.at(phase);
    const count = this.words[at / WORD];
    const from = at + WORD * (1 + count) + aligned(count);
    game.bytes.set(this.bytes.subarray(from, from + this.stateSize), game.offset);
  }

  /** What agents weighed in a phase, by power; undefined for those of which nothing is recorded. */
  weighed(phase: number): (WeighedChoice | undefined)[] {
    const { words, floats } = this;
    const start = this.at(phase);
    const count = words[start / WORD];
    let at = (start + WORD * (1 + count) + aligned(count) + this.stateSize) / WORD;
    const found: (WeighedChoice | undefined)[] = new Array(this.powers);
    for (let left = words[at++]; left > 0; left--) {
      const power = words[at];
      const value = floats[at + 1];
      const sets: WeighedSet[] = [];
      let more = words[at + 2];
      at += TARGET_WORDS;
      for (; more > 0; more--) {
        const end = at + 2 + words[at + 1];
        sets.push({ probability: floats[at], orders: words.subarray(at + 2, end) });
        at = end;
      }
      found[power] = { value, sets };
    }
    return found;
  }

  /** Writes games into a piece of their own. */
  static of(map: CompiledMap, rules: Rules, games: readonly ReadGame[]): GameBlock {
    const { stride } = stateLayout(map);
    const phases = games.flatMap((game) => game.phases);
    const { powerCount } = map;
    const head = HEAD + 1 + games.length * (1 + GAME_WORDS + 2 * powerCount) + PHASE_WORDS * phases.length;
    const sizeOf = ({ orders, targets = [] }: PhaseRecord): number =>
      WORD * (1 + orders.length + wordsOf(targets)) + aligned(orders.length) + stride;
    const memory = new SharedArrayBuffer(phases.reduce((size, phase) => size + sizeOf(phase), WORD * head));
    new Int32Array(memory).set([games.length, phases.length, powerCount, stride]);
    const block = new GameBlock(memory);
    block.write(games, new Game(map, rules), WORD * head, sizeOf);
    return block;
  }

  private write(games: readonly ReadGame[], view: Game, begin: number, sizeOf: (phase: PhaseRecord) => number): void {
    const { words, bytes, floats } = this;
    let n = 0;
    let at = begin;
    for (const [g, { file, number, winner, agents, scores, phases }] of games.entries()) {
      words[HEAD + g] = n;
      words.set([file, number, winner, ...agents], this.gameAt + this.gameWords * g);
      floats.set(scores, this.scoreAt + g * this.powers);
      for (const phase of phases) {
        const { orders, results, state, targets = [] } = phase;
        loadState(view, state);
        words.set([g, view.phase, at], this.phaseAt + PHASE_WORDS * n++);
        words[at / WORD] = orders.length;
        words.set(orders, at / WORD + 1);
        const resultAt = at + WORD * (1 + orders.length);
        bytes.set(results, resultAt);
        bytes.set(view.bytes, resultAt + aligned(orders.length));
        this.writeTargets(targets, (resultAt + aligned(orders.length) + this.stateSize) / WORD);
        at += sizeOf(phase);
      }
    }
    words[HEAD + games.length] = n;
  }

  private writeTargets(targets: Targets, begin: number): void {
    const { words, floats } = this;
    let at = begin;
    words[at++] = targets.length;
    for (const { power, value, candidates } of targets) {
      words[at] = power;
      floats[at + 1] = value;
      words[at + 2] = candidates.length;
      at += TARGET_WORDS;
      for (const { probability, orders } of candidates) {
        floats[at] = probability;
        words[at + 1] = orders.length;
        words.set(orders, at + 2);
        at += 2 + orders.length;
      }
    }
  }
}
