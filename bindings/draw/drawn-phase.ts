// What is drawn: a position, with the orders of its phase and their results where there are any.
import type { ByPower, RetreatsByPower } from '../../engine/notation/json/position.js';

/** An order of a drawn phase, as `lepanto adjudicate` and `lepanto replay --json` write them. */
export interface DrawnOrder {
  /** Name of the power. */
  readonly power: string;
  /** The order in any usual notation; null for a unit without one. */
  readonly order: string | null;
  /** The unit before the phase, or as it was built; needed where `order` is null. */
  readonly unit?: string | null;
  /** stands, succeeds, fails, given, cut, …; left out where the phase is not adjudicated. */
  readonly result?: string | null;
  /** 'dislodged' or 'destroyed'. */
  readonly fate?: string | null;
  /** Why it failed. */
  readonly reason?: string | null;
  /** Where a move by railroad that `stops` ended. */
  readonly end?: string;
  /** How often it is given, 0 to 1: its lines are as wide. Left out of orders that are given. */
  readonly share?: number;
}

/** A position before its orders, and the orders. */
export interface DrawnPhase {
  /** 'S1901M'; 'COMPLETED' for the position after the last phase. */
  readonly phase: string;
  /** Units by power, as they are before the orders, without the dislodged. */
  readonly units: ByPower;
  /** Centres by power. */
  readonly centers?: ByPower;
  /** Dislodged units and where they may retreat to, by power. */
  readonly retreats?: RetreatsByPower;
  /** Orders with their results. */
  readonly orders?: readonly DrawnOrder[];
  /** Provinces left empty by a standoff; found from the orders where it is left out. */
  readonly contested?: readonly string[];
}

/** A unit of a phase: 'FRANCE', 'F STP/SC'. */
export interface StandingUnit {
  readonly power: string;
  readonly unit: string;
  readonly isDislodged: boolean;
}

/** The units of a phase, then its dislodged ones. */
export const unitsOfPhase = ({ units, retreats = {} }: Pick<DrawnPhase, 'units' | 'retreats'>): StandingUnit[] => {
  const of = (power: string, list: readonly string[], isDislodged: boolean): StandingUnit[] =>
    list.map((unit) => ({ power, unit, isDislodged }));
  return [
    ...Object.entries(units).flatMap(([power, list]) => of(power, list, false)),
    ...Object.entries(retreats).flatMap(([power, list]) => of(power, Object.keys(list), true)),
  ];
};
