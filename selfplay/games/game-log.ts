// Logs the phases of a game in progress to typed arrays, for its record and for agents that read the past.
import { outcomesInto } from '../../engine/adjudicate/order-results.js';
import {
  ADJUSTMENT,
  COMPLETED,
  DRAW,
  type Game,
  MAX_POWERS,
  MOVEMENT,
  type Results,
  SOLO,
} from '../../engine/internal.js';
import type { PlayedPhase } from '../question/agent.js';
import type { Message } from '../question/message.js';
import { recordedSize } from './game-record.js';
import { kindOfKey, NO_KEY, nameOfKey, yearOfKey } from './phase-key.js';
import type { PolicyTargets } from './targets.js';

/** Returns the name of the phase with this key (phase-key.ts): 'S1901M', or COMPLETED for NO_KEY. */
export const nameOfPhaseKey = (key: number): string => (key === NO_KEY ? COMPLETED : nameOfKey(key));

/**
 * Returns `list` if it has at least `wanted` elements. Otherwise returns a longer copy of it, at least twice as long.
 */
const grown = <T extends Int32Array | Uint8Array>(list: T, wanted: number): T => {
  if (wanted <= list.length) return list;
  const larger = new (list.constructor as new (size: number) => T)(Math.max(wanted, 2 * list.length));
  larger.set(list);
  return larger;
};

const counted = new Int32Array(MAX_POWERS);

/** Log of one game at a time. clear() empties the log for the next game. */
export class GameLog {
  /** Number of phases so far. */
  count = 0;
  /** Number of movement phases so far. */
  steps = 0;
  /** Keys of the phases (phase-key.ts), indexed by phase. After the last phase: NO_KEY, for the final position. */
  keys = new Int32Array(64);
  /** Index in `orders` after the last order of each phase, indexed by phase. */
  orderEnds = new Int32Array(64);
  /** Index in `states` after the last byte of each phase's position, indexed by phase. */
  stateEnds = new Int32Array(64);
  /** Packed orders of all phases, one phase after another. */
  orders = new Int32Array(1024);
  /** Outcome bytes of the orders, indexed like `orders`. */
  results = new Uint8Array(1024);
  /** Positions before the orders of the phases (PlayedPhase.state), one phase after another. */
  states = new Uint8Array(4096);
  /** Key of the last phase played in each year, ascending by year. */
  yearKeys: number[] = [];
  /**
   * Number of centres after each year, or at the end of the game: for each entry of `yearKeys` one number for each
   * power.
   */
  centers: number[] = [];
  /** Policy targets, keyed by the index of the phase. */
  readonly targets = new Map<number, readonly PolicyTargets[]>();
  /** Messages, keyed by the index of the phase. */
  readonly messages = new Map<number, readonly Message[]>();
  /** Phases that past() has already converted to objects. */
  private read: PlayedPhase[] = [];

  /**
   * Makes an empty log.
   * @param keepsStates true to keep all positions; false to keep only the first and the last one, if no agent reads the
   *   past
   */
  constructor(private readonly keepsStates: boolean) {}

  /** Removes all phases, so that the log can take another game. */
  clear(): void {
    this.count = 0;
    this.steps = 0;
    this.yearKeys = [];
    this.centers = [];
    this.targets.clear();
    this.messages.clear();
    this.read = [];
  }

  /**
   * Enlarges the arrays for one more phase with n orders, if necessary. Returns the index of its first order in
   * `orders`.
   */
  reserve(n: number): number {
    const { count } = this;
    const first = count === 0 ? 0 : this.orderEnds[count - 1];
    if (count + 1 >= this.keys.length) {
      this.keys = grown(this.keys, count + 2);
      this.orderEnds = grown(this.orderEnds, count + 2);
      this.stateEnds = grown(this.stateEnds, count + 2);
    }
    if (first + n > this.orders.length) {
      this.orders = grown(this.orders, first + n);
      this.results = grown(this.results, first + n);
    }
    return first;
  }

  /**
   * Adds a phase with n orders. The caller must write its orders and outcomes. Returns the index of its first order in
   * `orders`.
   * @param key key of the phase (phase-key.ts)
   */
  add(key: number, n: number): number {
    const first = this.reserve(n);
    const { count } = this;
    this.keys[count] = key;
    this.orderEnds[count] = first + n;
    if (count > 0) this.stateEnds[count] = this.stateEnds[count - 1];
    if (kindOfKey(key) === MOVEMENT) this.steps++;
    this.count++;
    return first;
  }

  /**
   * True if the next phase is in another year than the last logged phase.
   * @param key key of the next phase (phase-key.ts)
   */
  beginsYear(key: number): boolean {
    return this.count > 0 && yearOfKey(key) !== yearOfKey(this.keys[this.count - 1]);
  }

  /**
   * Logs the number of centres of each power at the end of a year or of the game.
   * @param powers number of powers
   * @param at index in `centers` of the number of power 0
   */
  endYear(centers: ArrayLike<number>, powers: number, at = 0): void {
    this.yearKeys.push(this.count === 0 ? NO_KEY : this.keys[this.count - 1]);
    for (let power = 0; power < powers; power++) this.centers.push(centers[at + power]);
  }

  private countYear(game: Game): void {
    const { powerCount } = game.map;
    game.countCenters(counted);
    this.endYear(counted, powerCount);
  }

  /**
   * Logs the position before the next phase. Must be called before the adjudication of the phase, and end() after it.
   * @param game position before the phase
   * @param key key of the phase (phase-key.ts)
   */
  begin(game: Game, key: number): void {
    this.reserve(0);
    if (this.beginsYear(key)) this.countYear(game);
    const { count } = this;
    const from = count === 0 ? 0 : this.stateEnds[count - 1];
    this.stateEnds[count] = this.keepsStates || count === 0 ? this.keepState(game, from) : from;
  }

  /** Copies a position to `states` from index `from` on. Returns the index after its last byte. */
  private keepState(game: Game, from: number): number {
    const size = recordedSize(game);
    this.states = grown(this.states, from + size);
    const { states } = this;
    const { bytes, offset } = game;
    for (let i = 0; i < size; i++) states[from + i] = bytes[offset + i];
    return from + size;
  }

  /**
   * Adds the phase for which begin() was called, after its adjudication.
   * @param game position after the phase
   * @param key key of the phase (phase-key.ts)
   * @param orders array whose first n elements were given to adjudicate()
   * @param results results of this adjudication
   */
  end(game: Game, key: number, orders: Int32Array, n: number, results: Results): void {
    const stateEnd = this.stateEnds[this.count];
    const first = this.add(key, n);
    this.stateEnds[this.count - 1] = stateEnd;
    for (let i = 0; i < n; i++) this.orders[first + i] = orders[i];
    outcomesInto(game, kindOfKey(key), orders, n, results, this.results, first);
  }

  /** Removes the last phase if it is an adjustment phase. Returns true if a phase was removed. */
  dropAdjustments(): boolean {
    const { count, keys } = this;
    if (count === 0 || kindOfKey(keys[count - 1]) !== ADJUSTMENT) return false;
    this.count--;
    return true;
  }

  /**
   * Logs the position after the last phase and the centres at the end of the game. The number of phases stays the same.
   */
  finish(game: Game): void {
    this.reserve(0);
    this.countYear(game);
    const { count } = this;
    this.stateEnds[count] = this.keepState(game, count === 0 ? 0 : this.stateEnds[count - 1]);
    this.keys[count] = NO_KEY;
    this.orderEnds[count] = count === 0 ? 0 : this.orderEnds[count - 1];
  }

  /**
   * Returns a view of the position before a phase; empty if the position was not kept.
   * @param phase index of the phase
   */
  state(phase: number): Uint8Array {
    return this.states.subarray(phase === 0 ? 0 : this.stateEnds[phase - 1], this.stateEnds[phase]);
  }

  /** Returns a copy of a phase. @param phase index of the phase; `count` for the final position */
  phase(phase: number): PlayedPhase {
    const from = phase === 0 ? 0 : this.orderEnds[phase - 1];
    const end = this.orderEnds[phase];
    return {
      phase: nameOfPhaseKey(this.keys[phase]),
      state: this.state(phase).slice(),
      orders: this.orders.slice(from, end),
      results: this.results.slice(from, end),
    };
  }

  /** Returns copies of the phases so far. Each phase is copied once, when past() first needs it. */
  past(): readonly PlayedPhase[] {
    while (this.read.length < this.count) this.read.push(this.phase(this.read.length));
    return this.read;
  }

  /** Returns the summary of a finished game. Must be called after finish(). @param game final position */
  course(game: Game) {
    const { count, steps, keys, yearKeys, centers } = this;
    return {
      /** Number of phases of all kinds. */
      phases: count,
      /** Number of movement phases. */
      steps,
      /** Key of the last phase played in each year, ascending by year. */
      yearKeys,
      /**
       * Number of centres after each year, or at the end of the game: for each entry of `yearKeys` one number for each
       * power.
       */
      centersByYear: centers,
      /** Number of years from the first to the last phase, both included. */
      years: count === 0 ? 0 : yearOfKey(keys[count - 1]) - yearOfKey(keys[0]) + 1,
      /** Number of centres at the end, indexed by power. */
      centers: centers.slice(-game.map.powerCount),
      /** Power that won a solo victory; -1 for none. */
      winner: game.status === SOLO ? game.winner : -1,
      isDraw: game.status === DRAW,
    };
  }
}

/** Summary of a finished game: length, centres by year and result. */
export type GameCourse = Readonly<ReturnType<GameLog['course']>>;
