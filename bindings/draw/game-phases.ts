// Converts the phases of a recorded game for drawing.
import {
  ADJUSTMENT,
  adjudicate,
  COMPLETED,
  type CompiledMap,
  type Game,
  makeResults,
  orderLocation,
  type Rules,
} from '../../engine/internal.js';
import { type OrderEntry, outcomes } from '../../engine/notation/json/outcomes.js';
import { formatPosition } from '../../engine/notation/json/position.js';
import type { GameRecord, PhaseRecord } from '../../selfplay/games/game-record.js';
import { positions } from '../formats/games/phases.js';
import type { DrawnOrder, DrawnPhase } from './drawn-phase.js';

/**
 * Returns the orders of a recorded phase with their results under the rules of the game, and an entry with `order` null
 * for each unit without an order. @param game position before the orders, not modified
 */
export const playedOrders = (game: Game, { orders }: PhaseRecord): DrawnOrder[] => {
  const after = game.clone();
  const results = makeResults();
  adjudicate(after, orders, orders.length, results);
  const { locationProvince, provinceTags } = game.map;
  const ordered = new Set(Array.from(orders, (order) => provinceTags[locationProvince[orderLocation(order)]]));
  const isOrdered = ({ unit }: OrderEntry): boolean => unit === null || ordered.has(unit.slice(2, 5));
  return outcomes(after, results).map((entry): DrawnOrder => {
    if (isOrdered(entry)) return entry;
    const reason = game.phase === ADJUSTMENT ? 'civil disorder' : entry.reason;
    return { ...entry, order: null, reason, result: game.phase === ADJUSTMENT ? 'fails' : entry.result };
  });
};

/** Replays a recorded game and yields its phases for drawing. The last one, COMPLETED, has no orders. */
export function* drawnPhases(
  map: CompiledMap,
  rules: Rules,
  record: Pick<GameRecord, 'phases'>,
): Generator<DrawnPhase> {
  for (const [game, phase] of positions(map, rules, record))
    yield phase.phase === COMPLETED
      ? { ...formatPosition(game), phase: COMPLETED }
      : { ...formatPosition(game), orders: playedOrders(game, phase) };
}
