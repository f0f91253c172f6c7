// Iterates over the phases of a recorded game: its positions, and its orders as text.

import { fateIn, resultIn } from '../../../engine/adjudicate/order-results.js';
import { type CompiledMap, DATC_3_2, Game, ordererOf, type Rules, standard } from '../../../engine/internal.js';
import { type OrderFields, orderFields, orderText } from '../../../engine/notation/text/index.js';
import * as T from '../../../engine/rules/types.js';
import { type GameRecord, loadState, type PhaseRecord } from '../../../selfplay/games/game-record.js';
import type { StoredGame } from '../../../selfplay/records/record.js';
import { fillStates } from '../../../selfplay/records/verify.js';

/** Yields each recorded phase with its position. All positions are one Game object, which the next phase overwrites. */
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

/** An order of a recorded phase as text, with its result and the fate of its unit. */
export interface RecordedOrder extends OrderFields {
  /** Name of the power: 'FRANCE'. */
  readonly power: string;
  /** Canonical text: 'A PAR - BUR'. */
  readonly order: string;
  /** Result of the order (DATC 3.2, issue 4.E.2). */
  readonly result: T.ResultName;
  /** Fate of the unit; null if it was not dislodged. */
  readonly fate: T.FateName;
}

/** Returns the orders of a phase as text with their results, as recorded. @param game position before the orders */
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
  /** Name of the phase: 'S1901M'. 'COMPLETED' for the position after the last phase, which has no orders. */
  readonly name: string;
  /** Position before the orders. The next phase overwrites this object; use clone() to keep it. */
  readonly game: Game;
  /** Orders of the phase, in the recorded order. */
  readonly orders: readonly RecordedOrder[];
}

/**
 * Yields the phases of a recorded game, and last the final position. Positions that are not in the record are computed
 * from its orders.
 * @param record game from playedGames(), decodeShard() or a run
 * @param map map of the game; default: the standard map
 * @param rules rules of the game; default: DATC 3.2
 * @throws LepantoError if the record does not match its orders under the rules
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
