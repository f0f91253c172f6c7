// Replays recorded games: adjudicates every phase, checks the record against the result, and restores the positions
// that the record leaves out.

import { fateIn, outcomesInto, resultIn } from '../../engine/adjudicate/order-results.js';
import {
  adjudicate,
  type CompiledMap,
  checkGame,
  declareDraw,
  findIllegal,
  Game,
  hasOrders,
  makeResults,
  newGame,
  phaseName,
  type Rules,
  scoreInto,
  scoreNames,
  stateLayout,
} from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import * as O from '../../engine/rules/order.js';
import * as T from '../../engine/rules/types.js';
import { type GameRecord, loadState, recordState } from '../games/game-record.js';
import { keyOf, NO_KEY } from '../games/phase-key.js';
import { findFault } from '../question/check-orders.js';
import { findStrangers } from '../question/message.js';
import { GameCursor } from './game-cursor.js';
import { packGame, type StoredGame, storedGame } from './record.js';

/** First difference between a record and the adjudication of its orders. */
export interface Difference {
  /** Index of the phase in the game. */
  readonly phaseIndex: number;
  /** Name of the phase: 'F1902M'. */
  readonly phase: string;
  /** Location of the unit or province in which the difference is; -1 if it is in the whole phase. */
  readonly location: number;
  /** Packed order in which the difference is; 0 if it is in none. */
  readonly order: O.Order;
  /** The difference in words: 'recorded as succeeds, wanted fails'. */
  readonly what: string;
  /** Bytes of the position before the orders of the phase, as replayed; empty if the replay did not reach it. */
  readonly state: Uint8Array;
}

/** Describes an outcome byte of PhaseRecord.results: 'fails, dislodged'. */
const inWords = (outcome: number): string => {
  const fate = T.fates[fateIn(outcome)] ?? null;
  return (T.resultNames[resultIn(outcome)] ?? `result ${resultIn(outcome)}`) + (fate === null ? '' : `, ${fate}`);
};

/** Maximum difference from 1 of the sum of a list of recorded probabilities, which are float32. */
const SUM_ERROR = 1e-4;

/** First fault found in a phase: a Difference without the phase. */
interface Fault {
  readonly what: string;
  readonly location?: number;
  readonly order?: O.Order;
}

const findTargetFault = (game: Game, cursor: GameCursor): Fault | null => {
  for (const { power, candidates } of cursor.targets()) {
    if (power >= game.map.powerCount || !hasOrders(game, power))
      return { what: `targets of power ${power}, which has no orders to give` };
    const name = game.map.powerNames[power];
    for (const { orders } of candidates) {
      const found = findFault(game, orders, power);
      if (found !== null) return { what: `a candidate of ${name} has an order that is not legal`, order: found.order };
    }
    const sum = candidates.reduce((all, { probability }) => all + probability, 0);
    if (Math.abs(sum - 1) > SUM_ERROR) return { what: `the candidates of ${name}: got ${sum} as the sum, wanted 1` };
  }
  return null;
};

const findMessageFault = ({ map }: Game, cursor: GameCursor): Fault | null => {
  for (const [i, message] of cursor.messages().entries()) {
    const wrong = findStrangers(map.powerNames, message);
    if (wrong !== null) return { what: `message ${i + 1}, ${wrong}` };
  }
  return null;
};

/** Value of `phasesChecked` when the last order for a unit in the province was seen, indexed by province. */
const orderedIn = new Float64Array(T.MAX_LOCATIONS);
let phasesChecked = 0;

/**
 * Returns the fault of the first illegal order, or of the first second order for a unit, in a phase; null if all orders
 * are valid.
 */
const findOrderFault = (game: Game, { orders, count }: GameCursor): Fault | null => {
  const { locationProvince } = game.map;
  const illegal = findIllegal(game, orders, count);
  phasesChecked++;
  for (let i = 0; i < count; i++) {
    const order = orders[i];
    if (i === illegal) return { what: 'the order is not legal', order };
    if (O.orderType(order) === O.WAIVE) continue;
    const location = O.orderLocation(order);
    const province = locationProvince[location];
    if (orderedIn[province] === phasesChecked) return { what: 'a second order for the unit', location, order };
    orderedIn[province] = phasesChecked;
  }
  return null;
};

/** Returns the first province, centre or other byte in which two positions differ; null if the positions are equal. */
const findStateFault = (recorded: Game, now: Game): Fault | null => {
  if (recorded.equals(now)) return null;
  const { map } = now;
  for (let p = 0; p < map.provinceCount; p++) {
    if (recorded.unitAt(p) !== now.unitAt(p)) return { what: 'another unit is there afterwards', location: p };
    if (recorded.unitLocation(p) !== now.unitLocation(p)) return { what: 'the unit is on another coast', location: p };
  }
  for (let c = 0; c < map.centerCount; c++)
    if (recorded.owner(c) !== now.owner(c))
      return { what: 'the centre has another owner afterwards', location: map.centers[c] };
  const { stride } = now.layout;
  const bytesOf = ({ bytes, offset }: Game): Uint8Array => bytes.subarray(offset, offset + stride);
  const [theirs, ours] = [bytesOf(recorded), bytesOf(now)];
  const i = theirs.findIndex((byte, k) => byte !== ours[k]);
  return { what: `byte ${i} of the position afterwards: recorded ${theirs[i]}, wanted ${ours[i]}` };
};

/** Options of Replay.play(), which relax its checks. All are false by default. */
export interface ReplayOptions {
  /** Allows a game that begins with another position than the map. */
  readonly anyStart?: boolean;
  /** Allows an unfinished game, and does not compare scores. */
  readonly anyEnd?: boolean;
  /**
   * Skips the checks of orders, results, targets and messages, for games from a file known to be intact. Names of
   * phases and recorded positions are still checked.
   */
  readonly isTrusted?: boolean;
  /** Uses the recorded positions, if every phase has one, even if the orders do not lead to them. */
  readonly anyStates?: boolean;
}

const FIRST_PHASES = 64;

/** Replays games, one at a time, and keeps all positions of the last one. */
export class Replay {
  private readonly stride: number = stateLayout(this.map).stride;
  private readonly start: Game = newGame(this.map, this.rules);
  /** Position loaded from the record, for comparison with the replayed one. */
  private readonly recorded: Game = new Game(this.map, this.rules);
  private readonly results = makeResults();
  private readonly scores = new Float64Array(this.map.powerCount);
  private outcomes: Uint8Array = new Uint8Array(2 * T.MAX_LOCATIONS);
  /** View of one position of the last game. The positions of the game are consecutive in the bytes of this view. */
  private game: Game = new Game(this.map, this.rules, new Uint8Array(FIRST_PHASES * this.stride));

  constructor(
    readonly map: CompiledMap,
    readonly rules: Rules,
  ) {}

  /**
   * Returns a view of the position before the orders of a phase of the last game, valid until the next call.
   * @param phase index of the phase
   */
  at(phase: number): Game {
    this.game.offset = phase * this.stride;
    return this.game;
  }

  /**
   * Returns the position before the orders of a phase as recorded bytes (StoredPhase.state).
   * @param phase index of the phase
   */
  stateOf(phase: number): Uint8Array {
    return recordState(this.at(phase));
  }

  /**
   * Enlarges the buffer for the positions of a game with `phases` phases, if necessary. An enlargement discards the
   * positions.
   */
  private reserve(phases: number): void {
    const { map, rules, stride } = this;
    if (phases * stride > this.game.bytes.length) this.game = new Game(map, rules, new Uint8Array(2 * phases * stride));
  }

  private differ(cursor: GameCursor, i: number, fault: Fault, isPlayed = true): Difference {
    const { what, location = -1, order = 0 } = fault;
    const state = isPlayed ? this.stateOf(i) : new Uint8Array(0);
    return { phaseIndex: i, phase: cursor.seek(i).name, location, order, what, state };
  }

  /**
   * Loads the recorded position of the cursor's current phase into `game`. Returns the fault if the position is invalid
   * or of another phase, otherwise null.
   */
  private load(game: Game, cursor: GameCursor): Fault | null {
    try {
      loadState(game, cursor.state ?? new Uint8Array(0));
    } catch (error) {
      return { what: (error as Error).message };
    }
    const wrong = checkGame(game);
    if (wrong !== null) return { what: wrong };
    const name = phaseName(game);
    return name === cursor.name ? null : { what: `the position is that of ${name}` };
  }

  /**
   * Compares the recorded outcomes of a phase with the adjudicated ones. Returns the first difference, or null.
   * @param kind kind of the phase: movement, retreats or adjustments
   */
  private findOutcomeFault(kind: number, { orders, results, count }: GameCursor): Fault | null {
    if (count > this.outcomes.length) this.outcomes = new Uint8Array(2 * count);
    const { outcomes } = this;
    outcomesInto(this.game, kind, orders, count, this.results, outcomes);
    for (let i = 0; i < count; i++) {
      if (outcomes[i] === results[i]) continue;
      const order = orders[i];
      const isNowhere = kind === T.ADJUSTMENT && O.orderType(order) === O.WAIVE;
      const what = `recorded as ${inWords(results[i])}, wanted ${inWords(outcomes[i])}`;
      return { what, location: isNowhere ? -1 : O.orderLocation(order), order };
    }
    return null;
  }

  /**
   * Checks the orders of phase i, and adjudicates them from position i to make position i + 1. Returns the first fault,
   * or null.
   * @param i index of the phase
   * @param isTrusted true to skip the checks
   */
  private playPhase(cursor: GameCursor, i: number, isTrusted: boolean): Fault | null {
    const { stride } = this;
    const game = this.at(i);
    cursor.seek(i);
    const fault = isTrusted
      ? null
      : (findOrderFault(game, cursor) ?? findTargetFault(game, cursor) ?? findMessageFault(game, cursor));
    if (fault !== null) return fault;
    const kind = game.phase;
    game.bytes.copyWithin((i + 1) * stride, i * stride, (i + 1) * stride);
    adjudicate(this.at(i + 1), cursor.orders, cursor.count, this.results);
    return isTrusted ? null : this.findOutcomeFault(kind, cursor);
  }

  /**
   * Compares the recorded name of phase i, and its recorded position if there is one, with the replayed position.
   * Returns the difference, or null.
   */
  private findNextFault(cursor: GameCursor, i: number): Difference | null {
    const game = this.at(i);
    if (!cursor.hasState(i)) {
      const key = game.status === T.PLAYING ? keyOf(game.year, game.season, game.phase) : NO_KEY;
      if (key !== NO_KEY && key === cursor.keyOf(i)) return null;
      const name = phaseName(game);
      const recorded = cursor.seek(i).name;
      return name === recorded ? null : this.differ(cursor, i, { what: `the position is that of ${name}` }, false);
    }
    if (this.recorded.status === T.DRAW && game.status === T.PLAYING) declareDraw(game);
    const fault = findStateFault(this.recorded, game);
    return fault === null ? null : this.differ(cursor, i - 1, fault);
  }

  private playAll(cursor: GameCursor, isTrusted: boolean): Difference | null {
    for (let i = 0; i + 1 < cursor.phases; i++) {
      if (this.at(i).status !== T.PLAYING) return this.differ(cursor, i, { what: 'the game is over before it' });
      const wrong = cursor.hasState(i + 1) ? this.load(this.recorded, cursor.seek(i + 1)) : null;
      if (wrong !== null) return this.differ(cursor, i + 1, wrong, false);
      const fault = this.playPhase(cursor, i, isTrusted);
      if (fault !== null) return this.differ(cursor, i, fault);
      const difference = this.findNextFault(cursor, i + 1);
      if (difference !== null) return difference;
    }
    return null;
  }

  private findScoreFault(cursor: GameCursor): Fault | null {
    const { game, scores } = this;
    const { powerCount } = game.map;
    const centers = new Int32Array(powerCount);
    game.countCenters(centers);
    const winner = game.status === T.SOLO ? game.winner : -1;
    for (let system = 0; system < scoreNames.length; system++) {
      scoreInto(system, centers, 0, powerCount, winner, scores);
      if (!cursor.hasScores(system, scores))
        return { what: `score ${scoreNames[system]}: recorded others, wanted ${scores.join(' ')}` };
    }
    return null;
  }

  /**
   * Loads all recorded positions, and checks only that they are valid and that the orders are legal in them. Returns
   * the first difference, or null.
   */
  private loadAll(cursor: GameCursor): Difference | null {
    for (let i = 0; i < cursor.phases; i++) {
      const wrong = this.load(this.at(i), cursor.seek(i));
      if (wrong !== null) return this.differ(cursor, i, wrong, false);
      const fault = findOrderFault(this.game, cursor);
      if (fault !== null) return this.differ(cursor, i, fault);
    }
    return null;
  }

  /**
   * Replays the open game of a cursor and compares the result with the record. The cursor is moved.
   * @returns the first difference; null if there is none
   * @throws LepantoError if targets or messages are malformed
   */
  play(cursor: GameCursor, options: ReplayOptions = {}): Difference | null {
    const { anyStart = false, anyEnd = false, isTrusted = false, anyStates = false } = options;
    this.reserve(cursor.phases);
    if (anyStates && cursor.hasAllStates) return this.loadAll(cursor);
    const first = this.at(0);
    const wrong = this.load(first, cursor.seek(0)) ?? (anyStart ? null : findStateFault(first, this.start));
    if (wrong !== null) return this.differ(cursor, 0, wrong, false);
    const difference = this.playAll(cursor, isTrusted);
    if (difference !== null || anyEnd) return difference;
    const last = cursor.phases - 1;
    const fault = this.at(last).status === T.PLAYING ? { what: 'the game has no end' } : this.findScoreFault(cursor);
    return fault === null ? null : this.differ(cursor, last, fault, false);
  }

  /** Returns the game replayed last as objects, with all its positions. @param cursor cursor with this game open */
  record(cursor: GameCursor): GameRecord {
    const game = storedGame(cursor);
    return { ...game, phases: game.phases.map((phase, i) => ({ ...phase, state: this.stateOf(i) })) };
  }
}

/**
 * Replays a recorded game and compares the result with the record.
 * @returns the first difference; null if there is none
 * @throws LepantoError if a phase has more or fewer results than orders, or if targets or messages are malformed
 */
export const verifyGame = (map: CompiledMap, rules: Rules, record: StoredGame): Difference | null =>
  new Replay(map, rules).play(new GameCursor().open(packGame(record)));

/**
 * Returns a game with all its positions. Missing positions are restored by replaying the game.
 * @param where name of the game in error messages
 * @throws LepantoError if a position is missing and the record does not follow from its orders
 */
export const fillStates = (map: CompiledMap, rules: Rules, record: StoredGame, where = 'game'): GameRecord => {
  if (record.phases.every(({ state }) => state !== null)) return record as GameRecord;
  const replay = new Replay(map, rules);
  const cursor = new GameCursor().open(packGame(record), where);
  const difference = replay.play(cursor, { anyStart: true, anyEnd: true });
  if (difference !== null) throw new LepantoError('record', `${where}, ${difference.phase}: ${difference.what}`);
  return replay.record(cursor);
};
