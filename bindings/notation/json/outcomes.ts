// Puts the results of a phase into words.
import {
  type CompiledMap,
  type FateName,
  fates,
  type Game,
  NO_UNIT,
  orderLocation,
  type Province,
  type ResultName,
  type Results,
  resultNames,
  STOPS,
  unitPower,
} from '../../../engine/internal.js';
import { formatOrder, formatUnit, unitsOf } from '../text/index.js';
import { describeFailure } from './reasons.js';

/** An order, or a unit without one, and its result. */
export interface OrderEntry {
  /** Name of the power: 'FRANCE'. */
  readonly power: string;
  /** The unit before the phase, or as it was built: 'F STP/SC'; null if there is none. */
  readonly unit: string | null;
  /**
   * The order as canonical text: 'A PAR - BUR'. In an adjudicated record an order that did not count is as it was given,
   * and no order is null.
   */
  readonly order: string | null;
  /** DATC 3.2, issue 4.E.2; `stops` for a move by railroad that stopped before its target. */
  readonly result: ResultName;
  /** 'dislodged', or 'destroyed' if the unit cannot retreat; null if it stays. Given once for each unit. */
  readonly fate: FateName;
  /** Why the order failed: 'bounced with A MUN'; null if it did not. */
  readonly reason: string | null;
  /** Where a move by railroad that `stops` ended; there is none otherwise. */
  readonly end?: string;
}

/** By power, then by the place of the unit. */
export const sortEntries = (entries: OrderEntry[]): OrderEntry[] => {
  const key = (entry: OrderEntry): string => entry.power + (entry.unit ?? '').slice(2);
  return entries.sort((a, b) => (key(a) < key(b) ? -1 : 1));
};

/** The result of the unit in a province. There must be one in the results. */
export const outcomeIn = (map: CompiledMap, results: Results, province: Province): OrderEntry => {
  const order = results.order[province];
  return {
    power: map.powerNames[unitPower(results.unit[province])],
    unit: formatUnit(map, results.unit[province], orderLocation(order)),
    order: formatOrder(map, order, unitsOf(results)),
    result: resultNames[results.result[province]],
    fate: fates[results.fate[province]],
    reason: describeFailure(map, results, province),
    ...(results.result[province] === STOPS ? { end: map.provinceTags[results.rideEnd[province]] } : {}),
  };
};

/**
 * The results of a phase in words, by power and then by the place of the unit. In a movement phase every unit has an
 * entry, with a hold if it had no order; in a retreat phase every dislodged unit, with a disband that fails if it had
 * none; in an adjustment phase every unit that was built or removed, civil disorder included.
 * @param game in which the phase was played; only its map is used
 * @param results from adjudicate()
 */
export const outcomes = (game: Game, results: Results): OrderEntry[] => {
  const entries: OrderEntry[] = [];
  for (let p = 0; p < game.map.provinceCount; p++)
    if (results.unit[p] !== NO_UNIT) entries.push(outcomeIn(game.map, results, p));
  return sortEntries(entries);
};
