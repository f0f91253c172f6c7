// Keeps the phases of a game in typed arrays while it is played: for its record, and for agents that read the past.
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

/** The name of a phase by its key: 'S1901M', or COMPLETED. */
export const nameOfPhaseKey = (key: number): string => (key === NO_KEY ? COMPLETED : nameOfKey(key));

/** A typed array that grows. */
const grown = <T extends Int32Array | Uint8Array>(list: T, wanted: number): T => {
  if (wanted <= list.length) return list;
  const larger = new (list.constructor as new (size: number) => T)(Math.max(wanted, 2 * list.length));
  larger.set(list);
  return larger;
};

const counted = new Int32Array(MAX_POWERS);

/** The phases of one game after another. */
export class GameLog {
  /** Number of phases so far. */
  count = 0;
  /** Movement phases among them. */
  steps = 0;
  /** Key of each phase (phase-key.ts); NO_KEY for the position after the last one. */
  keys = new Int32Array(64);
  /** Where the orders of each phase end in `orders`, and the state in `states`. */
  orderEnds = new Int32Array(64);
  stateEnds = new Int32Array(64);
  /** Packed orders of all phases; one result byte for each; states before the orders. */
  orders = new Int32Array(1024);
  results = new Uint8Array(1024);
  states = new Uint8Array(4096);
  /** Key of the last phase of each year, and the centres of each power after it. The last entry is the end of the game. */
  yearKeys: number[] = [];
  centers: number[] = [];
  /** What agents compared for their orders, and messages, by phase. */
  readonly targets = new Map<number, readonly PolicyTargets[]>();
  readonly messages = new Map<number, readonly Message[]>();
  private read: PlayedPhase[] = [];

  /** @param keepsStates false to keep the first state and the last alone: then nothing can read the past */
  constructor(private readonly keepsStates: boolean) {}

  /** Forgets the game before. */
  clear(): void {
    this.count = 0;
    this.steps = 0;
    this.yearKeys = [];
    this.centers = [];
    this.targets.clear();
    this.messages.clear();
    this.read = [];
  }

  /** Makes room for another phase with so many orders; returns where they begin. */
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

  /** Adds a phase whose orders and results the caller writes; returns where they begin. */
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

  /** True if a phase begins another year than the one before it. */
  beginsYear(key: number): boolean {
    return this.count > 0 && yearOfKey(key) !== yearOfKey(this.keys[this.count - 1]);
  }

  /** Notes the centres of each power at the end of a year, or of the game. @param at place of the first power's */
  endYear(centers: ArrayLike<number>, powers: number, at = 0): void {
    this.yearKeys.push(this.count === 0 ? NO_KEY : this.keys[this.count - 1]);
    for (let power = 0; power < powers; power++) this.centers.push(centers[at + power]);
  }

  private countYear(game: Game): void {
    const { powerCount } = game.map;
    game.countCenters(counted);
    this.endYear(counted, powerCount);
  }

  /** Keeps the state before the next phase. */
  begin(game: Game, key: number): void {
    this.reserve(0);
    if (this.beginsYear(key)) this.countYear(game);
    const { count } = this;
    const from = count === 0 ? 0 : this.stateEnds[count - 1];
    this.stateEnds[count] = this.keepsStates || count === 0 ? this.keepState(game, from) : from;
  }

  private keepState(game: Game, from: number): number {
    const size = recordedSize(game);
    this.states = grown(this.states, from + size);
    const { states } = this;
    const { bytes, offset } = game;
    for (let i = 0; i < size; i++) states[from + i] = bytes[offset + i];
    return from + size;
  }

  /** Adds the phase that was just played: the game is after it. @param orders the first `n` of them were given to adjudicate() */
  end(game: Game, key: number, orders: Int32Array, n: number, results: Results): void {
    const stateEnd = this.stateEnds[this.count];
    const first = this.add(key, n);
    this.stateEnds[this.count - 1] = stateEnd;
    for (let i = 0; i < n; i++) this.orders[first + i] = orders[i];
    outcomesInto(game, kindOfKey(key), orders, n, results, this.results, first);
  }

  /** Takes the last phase back if it is one of adjustments. */
  dropAdjustments(): boolean {
    const { count, keys } = this;
    if (count === 0 || kindOfKey(keys[count - 1]) !== ADJUSTMENT) return false;
    this.count--;
    return true;
  }

  /** Keeps the position after the last phase. It is no phase: `count` stays. */
  finish(game: Game): void {
    this.reserve(0);
    this.countYear(game);
    const { count } = this;
    this.stateEnds[count] = this.keepState(game, count === 0 ? 0 : this.stateEnds[count - 1]);
    this.keys[count] = NO_KEY;
    this.orderEnds[count] = count === 0 ? 0 : this.orderEnds[count - 1];
  }

  /** The state before a phase; empty where it is not kept. */
  state(phase: number): Uint8Array {
    return this.states.subarray(phase === 0 ? 0 : this.stateEnds[phase - 1], this.stateEnds[phase]);
  }

  /** A phase in arrays of its own. */
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

  /** The phases so far, in arrays of their own: made when an agent first reads them. */
  past(): readonly PlayedPhase[] {
    while (this.read.length < this.count) this.read.push(this.phase(this.read.length));
    return this.read;
  }

  /** How the game went that finish() has ended. */
  course(game: Game) {
    const { count, steps, keys, yearKeys, centers } = this;
    return {
      /** Phases of all kinds, and movement phases among them. */
      phases: count,
      steps,
      /** Key of the last phase of each year, and the centres of each power after it. The last entry is the end of the game. */
      yearKeys,
      centersByYear: centers,
      /** Years begun. */
      years: count === 0 ? 0 : yearOfKey(keys[count - 1]) - yearOfKey(keys[0]) + 1,
      /** Supply centres at the end, by power. */
      centers: centers.slice(-game.map.powerCount),
      /** The power that won alone; -1 if none did. */
      winner: game.status === SOLO ? game.winner : -1,
      isDraw: game.status === DRAW,
    };
  }
}

/** How a game went. */
export type GameCourse = Readonly<ReturnType<GameLog['course']>>;
