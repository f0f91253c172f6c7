// Shows a recorded game phase by phase: the position, and the orders in words.

import { fateIn, resultIn } from '../../../engine/adjudicate/order-results.js';
import { type CompiledMap, DATC_3_2, Game, ordererOf, type Rules, standard } from '../../../engine/internal.js';
import { type OrderFields, orderFields, orderText } from '../../../engine/notation/text/index.js';
import * as T from '../../../engine/rules/types.js';
import { type GameRecord, loadState, type PhaseRecord } from '../../../selfplay/games/game-record.js';
import type { StoredGame } from '../../../selfplay/records/record.js';
import { fillStates } from '../../../selfplay/records/verify.js';

/** The positions of a game in turn, in one view. */
export function* positions(
  map: CompiledMap,
  rules: Rules,
  record: Pick<GameRecord, 'phases'>,
): Generator<[Game, PhaseRecord]> {
  const game = new Game(map, rules);
  for (const phase of record.phases) {
    loadState(game, phase.state);
    yield [game, phase];
  }
}

/** An order of a recorded phase. */
export interface RecordedOrder extends OrderFields {
  /** Name of the power: 'FRANCE'. */
  readonly power: string;
  /** Canonical text: 'A PAR - BUR'. */
  readonly order: string;
  /** DATC 3.2, issue 4.E.2. */
  readonly result: T.ResultName;
  /** Null if the unit stayed. */
  readonly fate: T.FateName;
}

/** The orders of a phase in words, as they were given. @param game before these orders */
export const recordedOrders = (game: Game, phase: PhaseRecord): RecordedOrder[] =>
  Array.from(phase.orders, (order, i) => ({
    power: game.map.powerNames[ordererOf(game, order)] ?? '?',
    order: orderText(game, order),
    ...orderFields(game, order),
    result: T.resultNames[resultIn(phase.results[i])] ?? 'illegal',
    fate: T.fates[fateIn(phase.results[i])] ?? null,
  }));

/** A phase of a recorded game. */
export interface RecordedPhase {
  /** 'S1901M'; 'COMPLETED' for the position after the last phase, which has no orders. */
  readonly name: string;
  /** The position before the orders: a view that the next phase overwrites; keep a clone(). */
  readonly game: Game;
  /** Its orders, as they were given. */
  readonly orders: readonly RecordedOrder[];
}

/**
 * The phases of a recorded game, from the first to the position after the last. Positions that the record leaves out
 * are made from its orders.
 * @param record from playedGames(), decodeShard() or a run
 * @param map that it was played on; default: the standard map
 * @param rules under which it was played; default: DATC 3.2
 * @throws LepantoError if the record is not what the rules make of its orders
 */
export function* recordedPhases(
  record: StoredGame,
  map: CompiledMap = standard,
  rules: Rules = DATC_3_2,
): Generator<RecordedPhase> {
  const whole = fillStates(map, rules, record, `game ${record.index}`);
  for (const [game, phase] of positions(map, rules, whole))
    yield { name: phase.phase, game, orders: recordedOrders(game, phase) };
}
