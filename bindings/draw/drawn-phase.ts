// Types for drawing: a position, with the orders of its phase and their results if there are any.
import type { ByPower, RetreatsByPower } from '../../engine/notation/json/position.js';

/** An order of a drawn phase, as in the output of `lepanto adjudicate` and `lepanto replay --json`. */
export interface DrawnOrder {
  /** Name of the power: 'FRANCE'. */
  readonly power: string;
  /** Order in any common notation. Null for a unit without an order. */
  readonly order: string | null;
  /** The ordered unit before the phase, or the built unit: 'F STP/SC'. Required if `order` is null. */
  readonly unit?: string | null;
  /** Result of the order: stands, succeeds, fails, given, cut, …. Absent before adjudication. */
  readonly result?: string | null;
  /** Fate of the unit: 'dislodged' or 'destroyed'. */
  readonly fate?: string | null;
  /** Reason of the result, as text. */
  readonly reason?: string | null;
  /** Province where a move by railroad with result `stops` ended. */
  readonly end?: string;
  /** Frequency of the order, 0 to 1, which sets the width of its lines. Absent for orders of a real game. */
  readonly share?: number;
}

/** A position, and the orders given in it. */
export interface DrawnPhase {
  /** Name of the phase: 'S1901M'. 'COMPLETED' for the position after the last phase. */
  readonly phase: string;
  /** Units of each power before the orders, keyed by power name, without dislodged units. */
  readonly units: ByPower;
  /** Tags of the centres of each power, keyed by power name. */
  readonly centers?: ByPower;
  /** Dislodged units and their possible retreats, keyed by power name, then by unit. */
  readonly retreats?: RetreatsByPower;
  /** Orders given in the phase, with their results if it has been adjudicated. Absent for a position alone. */
  readonly orders?: readonly DrawnOrder[];
  /** Tags of the provinces that a standoff left empty. Default: derived from the orders. */
  readonly contested?: readonly string[];
}

/** A unit of a phase: power 'FRANCE', unit 'F STP/SC'. */
export interface StandingUnit {
  readonly power: string;
  readonly unit: string;
  readonly isDislodged: boolean;
}

/** Returns the units of a phase, dislodged ones last. */
export const unitsOfPhase = ({ units, retreats = {} }: Pick<DrawnPhase, 'units' | 'retreats'>): StandingUnit[] => {
  const of = (power: string, list: readonly string[], isDislodged: boolean): StandingUnit[] =>
    list.map((unit) => ({ power, unit, isDislodged }));
  return [
    ...Object.entries(units).flatMap(([power, list]) => of(power, list, false)),
    ...Object.entries(retreats).flatMap(([power, list]) => of(power, Object.keys(list), true)),
  ];
};
