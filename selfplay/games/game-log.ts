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

/** Returns the name of the phase with a key: 'S1901M', or COMPLETED for NO_KEY. */
export const nameOfPhaseKey = (key: number): string => (key === NO_KEY ? COMPLETED : nameOfKey(key));

/** Returns `list`, or a copy with at least twice its length if it is shorter than `wanted`. */
const grown = <T extends Int32Array | Uint8Array>(list: T, wanted: number): T => {
  if (wanted <= list.length) return list;
  const larger = new (list.constructor as new (size: number) => T)(Math.max(wanted, 2 * list.length));
  larger.set(list);
  return larger;
};

const counted = new Int32Array(MAX_POWERS);

/** The log of one game at a time. clear() prepares it for the next game. */
export class GameLog {
  /** Number of phases so far. */
  count = 0;
  /** Number of movement phases so far. */
  steps = 0;
  /** Keys of the phases (phase-key.ts), by phase. NO_KEY for the position after the last one. */
  keys = new Int32Array(64);
  /** End of each phase's orders in `orders`, by phase. */
  orderEnds = new Int32Array(64);
  /** End of each phase's state in `states`, by phase. */
  stateEnds = new Int32Array(64);
  /** Packed orders of all phases. */
  orders = new Int32Array(1024);
  /** Result bytes, one for each order. */
  results = new Uint8Array(1024);
  /** Positions before the orders of the phases, as in PlayedPhase.state. */
  states = new Uint8Array(4096);
  /** Key of the last phase of each year. The last entry is the end of the game. */
  yearKeys: number[] = [];
  /** Centres of all powers for each entry of `yearKeys`: a row of powers for each year. */
  centers: number[] = [];
  /** Policy targets of a phase, keyed by its index. */
  readonly targets = new Map<number, readonly PolicyTargets[]>();
  /** Messages of a phase, keyed by its index. */
  readonly messages = new Map<number, readonly Message[]>();
  /** The phases that past() has already made. */
  private read: PlayedPhase[] = [];

  /** @param keepsStates true to keep all states. False keeps only the first and last: agents cannot read the past. */
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

  /** Makes room for a phase with n orders. Returns the index of its first order in `orders`. */
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

  /** Adds a phase whose n orders and results the caller writes. Returns the index of its first order in `orders`. */
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

  /** True if the next phase, given by its key, is in another year than the last logged phase. */
  beginsYear(key: number): boolean {
    return this.count > 0 && yearOfKey(key) !== yearOfKey(this.keys[this.count - 1]);
  }

  /** Logs the centres of each power at the end of a year or game. @param at index of the first power in `centers` */
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
   * Logs the state before the next phase, which has this key (phase-key.ts). Call it before adjudication, and end()
   * after it.
   */
  begin(game: Game, key: number): void {
    this.reserve(0);
    if (this.beginsYear(key)) this.countYear(game);
    const { count } = this;
    const from = count === 0 ? 0 : this.stateEnds[count - 1];
    this.stateEnds[count] = this.keepsStates || count === 0 ? this.keepState(game, from) : from;
  }

  /** Copies a state to `states` from index `from` on. Returns the index after it. */
  private keepState(game: Game, from: number): number {
    const size = recordedSize(game);
    this.states = grown(this.states, from + size);
    const { states } = this;
    const { bytes, offset } = game;
    for (let i = 0; i < size; i++) states[from + i] = bytes[offset + i];
    return from + size;
  }

  /**
   * Adds the phase that begin() announced, after its adjudication.
   * @param game the position after the phase
   * @param orders array whose first n entries were given to adjudicate()
   */
  end(game: Game, key: number, orders: Int32Array, n: number, results: Results): void {
    const stateEnd = this.stateEnds[this.count];
    const first = this.add(key, n);
    this.stateEnds[this.count - 1] = stateEnd;
    for (let i = 0; i < n; i++) this.orders[first + i] = orders[i];
    outcomesInto(game, kindOfKey(key), orders, n, results, this.results, first);
  }

  /** Removes the last phase if it is an adjustment phase. Returns true if it was. */
  dropAdjustments(): boolean {
    const { count, keys } = this;
    if (count === 0 || kindOfKey(keys[count - 1]) !== ADJUSTMENT) return false;
    this.count--;
    return true;
  }

  /** Logs the position after the last phase. It does not count as a phase, so `count` is unchanged. */
  finish(game: Game): void {
    this.reserve(0);
    this.countYear(game);
    const { count } = this;
    this.stateEnds[count] = this.keepState(game, count === 0 ? 0 : this.stateEnds[count - 1]);
    this.keys[count] = NO_KEY;
    this.orderEnds[count] = count === 0 ? 0 : this.orderEnds[count - 1];
  }

  /** Returns a view of the state before a phase. Empty if the state was not kept. */
  state(phase: number): Uint8Array {
    return this.states.subarray(phase === 0 ? 0 : this.stateEnds[phase - 1], this.stateEnds[phase]);
  }

  /** Returns a copy of a phase. @param phase its index, up to `count` for the position after the last phase */
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

  /** Returns copies of the phases so far. Each is made once, when an agent first reads it. */
  past(): readonly PlayedPhase[] {
    while (this.read.length < this.count) this.read.push(this.phase(this.read.length));
    return this.read;
  }

  /** Summarizes a game after finish(). */
  course(game: Game) {
    const { count, steps, keys, yearKeys, centers } = this;
    return {
      /** Number of phases of all kinds. */
      phases: count,
      /** Number of movement phases. */
      steps,
      /** Key of the last phase of each year. The last entry is the end of the game. */
      yearKeys,
      /** Centres of all powers for each entry of `yearKeys`: a row of powers for each year. */
      centersByYear: centers,
      /** Number of years in which a phase was played. */
      years: count === 0 ? 0 : yearOfKey(keys[count - 1]) - yearOfKey(keys[0]) + 1,
      /** Supply centres at the end, by power. */
      centers: centers.slice(-game.map.powerCount),
      /** The power with a solo, or -1. */
      winner: game.status === SOLO ? game.winner : -1,
      isDraw: game.status === DRAW,
    };
  }
}

/** The summary of a finished game: length, centres by year and winner. */
export type GameCourse = Readonly<ReturnType<GameLog['course']>>;
