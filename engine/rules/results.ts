// Defines the results of an adjudicated phase for each order. The caller owns the object and can reuse it for the next
// phase.
import { CONVOY, HOLD, MOVE, RAIL } from './order.js';
import { AVAILABLE, CUT, DISRUPTED, FAILS, GIVEN, INVALID, MAX_LOCATIONS, STANDS, SUCCEEDS, WORDS } from './types.js';

/**
 * Results of one phase, indexed by the province of the ordered unit (of the new unit for a build). Valid until the next
 * adjudicate() into the same object.
 *
 * - Movement: `unit` has every unit before the moves. `order` has the adjudicated order, a hold for a unit without one.
 *   `result` is the outcome (types.ts). `fate` and `attacker` say if the unit was dislodged, and from which province.
 * - Retreat: only dislodged units. A unit without an order has `order` disband and `result` FAILS.
 * - Adjustment: only provinces where an order or civil disorder built or removed a unit. `result` is SUCCEEDS. `civil`
 *   is 1 if civil disorder removed the unit.
 */
export interface Results {
  /** Unit with its power, indexed by province; 0 without a unit. */
  readonly unit: Uint8Array;
  /** Adjudicated order, indexed by province. */
  readonly order: Int32Array;
  /** Result of the order, indexed by province: one of Result. */
  readonly result: Uint8Array;
  /** Fate of the unit, indexed by province: one of Fate. */
  readonly fate: Uint8Array;
  /** Province of the attacker that dislodged the unit, indexed by province of the unit; -1 if it was not dislodged. */
  readonly attacker: Int16Array;
  /** 1 if the army moved, or tried to move, by convoy, otherwise 0. Indexed by province. */
  readonly convoyed: Uint8Array;
  /** 1 if civil disorder removed the unit, otherwise 0. Indexed by province. */
  readonly civil: Uint8Array;
  /**
   * Province where an army that moved by railroad ended its ride, indexed by its province before the ride; -1 for all
   * other units.
   */
  readonly rideEnd: Int16Array;
  /**
   * Last province on the railroad that the army tried to enter, indexed by its province before the ride; -1 for all
   * other units.
   */
  readonly rideTried: Int16Array;
  /** Provinces that bounced moves left empty in a movement phase, closed to retreats, as a bitset of provinces. */
  readonly contested: Int32Array;
}

/** Allocates results, large enough for any map. */
export const makeResults = (): Results => ({
  unit: new Uint8Array(MAX_LOCATIONS),
  order: new Int32Array(MAX_LOCATIONS),
  result: new Uint8Array(MAX_LOCATIONS),
  fate: new Uint8Array(MAX_LOCATIONS),
  attacker: new Int16Array(MAX_LOCATIONS),
  convoyed: new Uint8Array(MAX_LOCATIONS),
  civil: new Uint8Array(MAX_LOCATIONS),
  rideEnd: new Int16Array(MAX_LOCATIONS),
  rideTried: new Int16Array(MAX_LOCATIONS),
  contested: new Int32Array(WORDS),
});

/** Clears the results of the previous phase: sets attacker, rideEnd and rideTried to -1, and everything else to 0. */
export const clearResults = (results: Results): void => {
  results.unit.fill(0);
  results.order.fill(0);
  results.result.fill(0);
  results.fate.fill(0);
  results.attacker.fill(-1);
  results.convoyed.fill(0);
  results.civil.fill(0);
  results.rideEnd.fill(-1);
  results.rideTried.fill(-1);
  results.contested.fill(0);
};

/**
 * Returns the Result of a movement order after all orders of its phase are resolved.
 * @param type order type
 * @param succeeds true if the order was resolved to a success
 * @param matched true if the counterpart of a support, convoy or convoyed move was ordered
 * @param convoyed true if the army moves by convoy
 */
export const movementResult = (type: number, succeeds: boolean, matched: boolean, convoyed: boolean): number => {
  if (type === HOLD) return STANDS;
  if (type === RAIL || (type === MOVE && !convoyed)) return succeeds ? SUCCEEDS : FAILS;
  if (!matched) return INVALID;
  if (type === MOVE) return succeeds ? SUCCEEDS : FAILS;
  if (type === CONVOY) return succeeds ? AVAILABLE : DISRUPTED;
  return succeeds ? GIVEN : CUT;
};

const SUCCEEDS_SHIFT = 4;
const MATCHED_SHIFT = 5;
const CONVOYED_SHIFT = 6;
const byFlags = Uint8Array.from({ length: 128 }, (_, flags) => {
  const has = (shift: number): boolean => ((flags >> shift) & 1) === 1;
  return movementResult(flags & 15, has(SUCCEEDS_SHIFT), has(MATCHED_SHIFT), has(CONVOYED_SHIFT));
});

/**
 * Returns the Result of a movement order after all orders of its phase are resolved, as movementResult() does, without
 * branches.
 * @param type order type
 * @param succeeds 1 if the order was resolved to a success, otherwise 0
 * @param matched not 0 if the counterpart of a support, convoy or convoyed move was ordered
 * @param convoyed 1 if the army moves by convoy, otherwise 0
 */
export const movementResultBy = (type: number, succeeds: number, matched: number, convoyed: number): number =>
  byFlags[
    type |
      (succeeds << SUCCEEDS_SHIFT) |
      (((matched | (0 - matched)) >>> 31) << MATCHED_SHIFT) |
      (convoyed << CONVOYED_SHIFT)
  ];
