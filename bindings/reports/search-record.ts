// Converts searches between JSON and packed orders: parses positions, and formats answers with orders as text.

import { adjustmentDue, type CompiledMap, type Game, phaseName, type Rules } from '../../engine/internal.js';
import { mapOf } from '../../engine/notation/json/map-of-record.js';
import { parsePosition } from '../../engine/notation/json/position.js';
import { formatOrder, orderedUnits } from '../../engine/notation/text/index.js';
import { LepantoError } from '../../engine/rules/error.js';
import { fieldOf } from '../../engine/rules/shape.js';
import type { PowerResult, RankedOrders, SearchResult } from '../../selfplay/search/monte-carlo.js';
import type { SearchOptions } from '../../selfplay/search/options.js';

/** A position to search in. id: the id in its JSON record, which the answer repeats; undefined without one. */
export interface AskedPosition {
  readonly game: Game;
  readonly id: unknown;
}

/**
 * Parses a position to search in.
 * @param record parsed JSON
 * @param map map of a record that names none
 * @throws LepantoError that describes the invalid value, also for builds that do not follow from units and centres
 */
export const parseAsked = (record: unknown, map: CompiledMap, rules: Rules): AskedPosition => {
  const { game, due } = parsePosition(record, mapOf(record, map), rules);
  for (let q = 0; q < game.map.powerCount; q++)
    if (due[q] !== 0 && due[q] !== adjustmentDue(game, q))
      throw new LepantoError(
        'record',
        `builds of ${game.map.powerNames[q]}: got ${due[q]}, wanted ${adjustmentDue(game, q)}, as units and centres say`,
      );
  return { game, id: fieldOf(Object(record), 'id') };
};

/** Returns each of some packed orders as text: 'A PAR - BUR'. */
export const formatSet = (game: Game, orders: Int32Array): string[] => {
  const units = orderedUnits(game);
  return Array.from(orders, (order) => formatOrder(game.map, order, units));
};

/** An order set that a search has compared. */
export interface RankedRecord {
  readonly orders: readonly string[];
  /** Probability with which the search would play the order set, 0 to 1. */
  readonly probability: number;
  /** Mean value of the order set to its power, 0 to 1; null if it was not evaluated. */
  readonly value: number | null;
  /** Standard error of the value; null for fewer than two evaluations. */
  readonly error: number | null;
  readonly rollouts: number;
}

const rankedRecord = (game: Game, { orders, probability, value, error, rollouts }: RankedOrders): RankedRecord => ({
  orders: formatSet(game, orders),
  probability,
  value: Number.isNaN(value) ? null : value,
  error: Number.isNaN(error) ? null : error,
  rollouts,
});

const byName = (game: Game, powers: readonly PowerResult[], top: number): Record<string, RankedRecord[]> =>
  Object.fromEntries(
    powers.map(({ power, ranked }) => [
      game.map.powerNames[power],
      ranked.slice(0, top).map((one) => rankedRecord(game, one)),
    ]),
  );

/** Output of `lepanto search --json`. */
export interface SearchRecord {
  readonly id: unknown;
  /** Name of the phase: 'S1901M'. */
  readonly phase: string;
  /** Order sets of the searched powers, best first, keyed by power name. */
  readonly powers: Readonly<Record<string, readonly RankedRecord[]>>;
  /** Order sets that the other powers are expected to play, most likely first, keyed by power name. */
  readonly replies: Readonly<Record<string, readonly RankedRecord[]>>;
  /** Number of phases that a rollout plays before the position is evaluated. */
  readonly depth: number;
  readonly rollouts: number;
  readonly seconds: number;
}

/** Settings of a search and of its output. */
export interface AskedSearch {
  readonly options: SearchOptions;
  readonly workers: number;
  /** Maximum number of order sets in the output for each power. */
  readonly top: number;
}

/** Returns the result of a search as an object for JSON. @param interrupted true if the search was ended early */
export const searchRecord = (
  { game, id }: AskedPosition,
  result: SearchResult,
  { options, workers, top }: AskedSearch,
  interrupted: boolean,
): SearchRecord => {
  const told = (searched: boolean): Record<string, RankedRecord[]> =>
    byName(
      game,
      result.powers.filter((one) => one.searched === searched),
      top,
    );
  const record = {
    id,
    phase: phaseName(game),
    powers: told(true),
    replies: told(false),
    depth: result.depth,
    value: options.value,
    playout: options.playout,
    method: options.method,
    opponents: options.opponents,
    ...(options.model !== undefined && { model: options.model.opponent }),
    seed: options.seed,
    reproducible: Number.isFinite(options.rollouts) && !interrupted,
    rollouts: result.rollouts,
    seconds: result.milliseconds / 1000,
    cpu_seconds: result.processorMilliseconds / 1000,
    workers,
  };
  return record;
};
