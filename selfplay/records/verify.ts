// Verifies that a record follows from its orders by the rules: adjudicates every phase again, which also gives the
// positions that the record leaves out.

import { fateIn, recordResults, resultIn } from '../../engine/adjudicate/order-results.js';
import {
  adjudicate,
  type CompiledMap,
  checkGame,
  declareDraw,
  Game,
  hasOrders,
  makeResults,
  newGame,
  phaseName,
  type Results,
  type Rules,
  scoreNames,
} from '../../engine/internal.js';
import { LepantoError } from '../../engine/rules/error.js';
import * as O from '../../engine/rules/order.js';
import * as T from '../../engine/rules/types.js';
import { findFault } from '../games/check-orders.js';
import { type GameRecord, gameScores, loadState, recordState } from '../games/game-record.js';
import { findStrangers } from '../question/message.js';
import type { StoredGame, StoredPhase } from './record.js';

/** The first difference between a record and the result of its orders by the rules. */
export interface Difference {
  /** Place of the phase in the game. */
  readonly phaseIndex: number;
  /** Its name: 'F1902M'. */
  readonly phase: string;
  /** Location of the unit or province concerned; -1 if it is the whole phase. */
  readonly location: number;
  /** The order concerned; NONE if none is. */
  readonly order: O.Order;
  /** What differs: 'recorded as succeeds, wanted fails'. */
  readonly what: string;
  /** Bytes of the position that the phase begins with, as the rules make it; empty if there is none. */
  readonly state: Uint8Array;
}

/** 'fails, dislodged' for a byte of PhaseRecord.results. */
const inWords = (outcome: number): string => {
  const fate = T.fates[fateIn(outcome)] ?? null;
  return (T.resultNames[resultIn(outcome)] ?? `result ${resultIn(outcome)}`) + (fate === null ? '' : `, ${fate}`);
};

type Report = (what: string, location?: number, order?: O.Order) => Difference;

const NO_STATE = new Uint8Array(0);

const reporter =
  (phaseIndex: number, phase: string, state: Uint8Array = NO_STATE): Report =>
  (what, location = -1, order = 0) => ({ phaseIndex, phase, location, order, what, state });

/** What recorded probabilities may differ from 1 by: they are float32. */
const SUM_ERROR = 1e-4;

const checkTargets = (game: Game, { targets = [] }: StoredPhase, report: Report): Difference | null => {
  for (const { power, candidates } of targets) {
    if (power >= game.map.powerCount || !hasOrders(game, power))
      return report(`targets of power ${power}, which has no orders to give`);
    const name = game.map.powerNames[power];
    for (const { orders } of candidates) {
      const found = findFault(game, orders, power);
      if (found !== null) return report(`a candidate of ${name} has an order that is not legal`, -1, found.order);
    }
    const sum = candidates.reduce((all, { probability }) => all + probability, 0);
    if (Math.abs(sum - 1) > SUM_ERROR) return report(`the candidates of ${name}: got ${sum} as the sum, wanted 1`);
  }
  return null;
};

const checkMessages = (game: Game, { messages = [] }: StoredPhase, report: Report): Difference | null => {
  for (const [i, message] of messages.entries()) {
    const wrong = findStrangers(game.map.powerNames, message);
    if (wrong !== null) return report(`message ${i + 1}, ${wrong}`);
  }
  return null;
};

const checkOrders = (game: Game, orders: Int32Array, report: Report): Difference | null => {
  const found = findFault(game, orders);
  if (found === null) return null;
  const { order, fault } = found;
  return fault === 'second'
    ? report('a second order for the unit', O.orderLocation(order), order)
    : report('the order is not legal', -1, order);
};

/** First province, centre or other byte in which two positions differ, in words; null if they are equal. */
const compareStates = (recorded: Game, now: Game, report: Report): Difference | null => {
  if (recorded.equals(now)) return null;
  const { map } = now;
  for (let p = 0; p < map.provinceCount; p++) {
    if (recorded.unitAt(p) !== now.unitAt(p)) return report('another unit stands there afterwards', p);
    if (recorded.unitLocation(p) !== now.unitLocation(p)) return report('the unit stands on another coast', p);
  }
  for (let c = 0; c < map.centerCount; c++)
    if (recorded.owner(c) !== now.owner(c)) return report('the centre has another owner afterwards', map.centers[c]);
  const i = recorded.bytes.findIndex((byte, k) => byte !== now.bytes[k]);
  return report(`byte ${i} of the position afterwards: recorded ${recorded.bytes[i]}, wanted ${now.bytes[i]}`);
};

const loadChecked = (game: Game, { phase, state }: StoredPhase, report: Report): Difference | null => {
  try {
    loadState(game, state ?? NO_STATE);
  } catch (error) {
    return report((error as Error).message);
  }
  const wrong = checkGame(game);
  if (wrong !== null) return report(wrong);
  const name = phaseName(game);
  return name === phase ? null : report(`the position is that of ${name}`);
};

/** Plays one recorded phase from `now` on. */
const playPhase = (now: Game, record: StoredPhase, results: Results, report: Report): Difference | null => {
  const illegal =
    checkOrders(now, record.orders, report) ?? checkTargets(now, record, report) ?? checkMessages(now, record, report);
  if (illegal !== null) return illegal;
  const { phase } = now;
  adjudicate(now, record.orders, record.orders.length, results);
  const bytes = recordResults(now, phase, record.orders, results);
  const i = bytes.findIndex((byte, k) => byte !== record.results[k]);
  if (i < 0) return null;
  const order = record.orders[i];
  const where = phase === T.ADJUSTMENT && O.orderType(order) === O.WAIVE ? -1 : O.orderLocation(order);
  return report(`recorded as ${inWords(record.results[i])}, wanted ${inWords(bytes[i])}`, where, order);
};

const verifyScores = (game: Game, record: StoredGame, report: Report): Difference | null => {
  const now = gameScores(game);
  for (const name of scoreNames)
    if (now[name].join() !== record.scores[name].join()) return report(`score ${name}: wanted ${now[name].join(' ')}`);
  return null;
};

/**
 * Plays a record from its first position on, up to the first difference.
 * @param states takes the position of each phase, the last one included
 * @param isTrusted takes orders and results as they are; the names of phases and the recorded positions must still follow
 */
const walk = (now: Game, { phases }: StoredGame, states: Uint8Array[], isTrusted = false): Difference | null => {
  const results = makeResults();
  const next = new Game(now.map, now.rules);
  for (let i = 0; i + 1 < phases.length; i++) {
    const state = recordState(now);
    states.push(state);
    const report = reporter(i, phases[i].phase, state);
    if (now.status !== T.PLAYING) return report('the game is over before it');
    const after = phases[i + 1];
    const wrong = after.state === null ? null : loadChecked(next, after, reporter(i + 1, after.phase));
    if (isTrusted) adjudicate(now, phases[i].orders, phases[i].orders.length, results);
    const difference = wrong ?? (isTrusted ? null : playPhase(now, phases[i], results, report));
    if (difference !== null) return difference;
    if (after.state === null) {
      if (phaseName(now) !== after.phase)
        return reporter(i + 1, after.phase)(`the position is that of ${phaseName(now)}`);
      continue;
    }
    if (next.status === T.DRAW && now.status === T.PLAYING) declareDraw(now);
    const changed = compareStates(next, now, report);
    if (changed !== null) return changed;
  }
  states.push(recordState(now));
  return null;
};

/**
 * Adjudicates a recorded game again, and compares all that the record says with it.
 * @param anyStart allows another first position than that of the map
 * @param states takes the position of each phase, the last one included
 * @returns the first difference, or null if there is none
 */
export const replayRecord = (
  map: CompiledMap,
  rules: Rules,
  record: StoredGame,
  anyStart: boolean,
  states: Uint8Array[],
): Difference | null => {
  const { phases } = record;
  const now = new Game(map, rules);
  const first = reporter(0, phases[0].phase);
  const wrong =
    loadChecked(now, phases[0], first) ?? (anyStart ? null : compareStates(now, newGame(map, rules), first));
  if (wrong !== null) return wrong;
  const difference = walk(now, record, states);
  if (difference !== null) return difference;
  const end = reporter(phases.length - 1, phases[phases.length - 1].phase);
  return now.status === T.PLAYING ? end('the game has no end') : verifyScores(now, record, end);
};

/** Adjudicates a recorded game again. @returns the first difference, or null if there is none */
export const verifyGame = (map: CompiledMap, rules: Rules, record: StoredGame): Difference | null =>
  replayRecord(map, rules, record, false, []);

/** The game with these positions. */
export const withStates = (record: StoredGame, states: readonly Uint8Array[]): GameRecord => ({
  ...record,
  phases: record.phases.map((phase, i) => ({ ...phase, state: states[i] })),
});

/**
 * The game with all its positions. Those that are not recorded are made by adjudicating the phases before them.
 * @param where named in refusals
 * @param isTrusted for records of a file that is known to be whole: orders and results are taken as they are
 * @throws LepantoError if positions must be made, and the record is not what the rules make of its orders
 */
export const fillStates = (
  map: CompiledMap,
  rules: Rules,
  record: StoredGame,
  where = 'game',
  isTrusted = false,
): GameRecord => {
  const { phases } = record;
  if (phases.every(({ state }) => state !== null)) return record as GameRecord;
  const game = new Game(map, rules);
  const states: Uint8Array[] = [];
  const first = loadChecked(game, phases[0], reporter(0, phases[0].phase));
  const difference = first ?? walk(game, record, states, isTrusted);
  if (difference !== null) throw new LepantoError('record', `${where}, ${difference.phase}: ${difference.what}`);
  return withStates(record, states);
};
