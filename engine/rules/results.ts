// The results of an adjudicated phase, order by order. The caller owns the object and can use it again for the next
// phase.
import { CONVOY, HOLD, MOVE, RAIL } from './order.js';
import { AVAILABLE, CUT, DISRUPTED, FAILS, GIVEN, INVALID, MAX_LOCATIONS, STANDS, SUCCEEDS, WORDS } from './types.js';

/**
 * Results of one phase, by province of the ordered unit (for a build: of the new unit). Valid until the next
 * adjudicate() into the same object.
 *
 * - Movement: `unit` has every unit on the board before the moves; `order` the order that counted for it, a hold for a
 *   unit without one; `result` its outcome (types.ts); `fate` and `attacker` say whether it was dislodged and by whom.
 * - Retreat: only the dislodged units; a unit without an order has `order` disband and result FAILS.
 * - Adjustment: only provinces where a unit was built or removed, by order or by civil disorder; result SUCCEEDS.
 *   `civil` is 1 where civil disorder removed it.
 */
export interface Results {
  /** Unit with its power, by province (see above); 0 where there is none. */
  readonly unit: Uint8Array;
  /** The order that counted, by province. */
  readonly order: Int32Array;
  /** Its result, by province: one of Result. */
  readonly result: Uint8Array;
  /** What happened to the unit, by province: one of Fate. */
  readonly fate: Uint8Array;
  /** Province from which the unit was dislodged by its attacker; -1 if it was not dislodged. */
  readonly attacker: Int16Array;
  /** 1 where the army went, or tried to go, by convoy. */
  readonly convoyed: Uint8Array;
  /** 1 where civil disorder removed the unit. */
  readonly civil: Uint8Array;
  /** Province where an army that left by railroad ended its ride; -1 for all others. */
  readonly rideEnd: Int16Array;
  /** Of the one army that rides by railroad: where the last stretch leads that it tried; -1 for all others. */
  readonly rideTried: Int16Array;
  /** Movement: provinces left empty in which moves that had a path bounced (a bitset of one row). */
  readonly contested: Int32Array;
}

/** Makes room for the results of a phase on any map. */
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

/** Clears the results of the previous phase. */
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
 * Result of a movement order once all orders of its phase are resolved.
 * @param type of the order
 * @param succeeds true if it was resolved to a success
 * @param matched true for a support, a convoy or a convoyed move whose counterpart was ordered
 * @param convoyed true for an army that goes by convoy
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

/** movementResult() without branches, which nothing could predict: the others as 1 and 0, `matched` as 0 and anything else. */
export const movementResultBy = (type: number, succeeds: number, matched: number, convoyed: number): number =>
  byFlags[
    type |
      (succeeds << SUCCEEDS_SHIFT) |
      (((matched | (0 - matched)) >>> 31) << MATCHED_SHIFT) |
      (convoyed << CONVOYED_SHIFT)
  ];
