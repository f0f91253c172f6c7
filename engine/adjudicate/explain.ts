// Explains why an order failed, from the results of an adjudicated phase. It evaluates the conditions of the resolver
// (movement/recursion.ts) with all results known. This is not a hot path, and it does not change any result.

import type { CompiledMap } from '../map/compiled-map.js';
import { DATC_3_2 } from '../rules/options.js';
import * as O from '../rules/order.js';
import type { Results } from '../rules/results.js';
import * as T from '../rules/types.js';
import { leaveIn, putOrders } from './calendar.js';
import { board, POWER_SHIFT, specialInput } from './movement/index.js';
import { recall, recalled } from './movement/recursion.js';
import { found } from './movement/variants.js';
import { takeBoard } from './turn.js';

/** Reasons of explain() for which an order failed. After `Province:`, each comment says what Reason.province is. */
export const ReasonCode = {
  /** The order did not fail. Province: -1. */
  NONE: 0,
  /**
   * A move: another move into its destination was at least as strong. Province: the origin of that move; -1 if unknown.
   */
  BOUNCED: 1,
  /** A move: the unit in its destination held. Province: the destination. */
  HELD: 2,
  /** A move: a unit of the same power stayed in its destination. Province: the destination. */
  OWN_UNIT_STAYED: 3,
  /** A move, also by railroad: it lost or tied a head-to-head. Province: that of its opponent. */
  LOST_HEAD_TO_HEAD: 4,
  /** A move: it needed a convoy, and no chain of fleets was ordered to carry it. Province: -1. */
  CONVOY_NOT_ORDERED: 5,
  /** A move: a dislodged fleet disrupted its convoy. Province: that of the fleet. */
  CONVOY_DISRUPTED: 6,
  /**
   * A move or convoy: the rule for convoy paradoxes made it fail (DATC 4.A.2). Province: that of the convoying fleet.
   */
  CONVOY_PARADOX: 7,
  /** A support: an attack on the supporter cut it. Province: the origin of the attack. */
  CUT_BY_ATTACK: 8,
  /** A support: the unit that it acted against dislodged the supporter. Province: the origin of that unit. */
  CUT_BY_DISLODGEMENT: 9,
  /** A support or convoy: the order of the helped unit did not match. Province: that of the helped unit. */
  UNMATCHED: 10,
  /** A convoy: the fleet was dislodged. Province: the origin of its attacker. */
  FLEET_DISLODGED: 11,
  /** A retreat: another unit retreated to the same province. Province: the one that both entered. */
  RETREATS_COLLIDED: 12,
  /** A move by railroad: another train was ordered. Province: the origin of that train. */
  OTHER_TRAIN: 13,
  /** A move by railroad: a unit stayed in a province on its way or at its end. Province: that of the unit. */
  RIDE_BLOCKED: 14,
  /** A move by railroad: it had to stop at a lost centre. Province: that of the centre. */
  LOST_CENTER: 15,
  /** A move by railroad: the rule for paradoxes kept it out of a province. Province: the one not entered. */
  RAILROAD_PARADOX: 16,
  /** A move through a canal: its fleet had no leave. Province: the one that controls the canal. */
  NO_LEAVE: 17,
  /** A move through a canal: the controlling unit left. Province: the one that it left. */
  CONTROL_LEFT: 18,
  /** A move through a canal: the controlling unit was dislodged. Province: the origin of its attacker. */
  CONTROL_DISLODGED: 19,
  /** A move through a canal: the rule for paradoxes closed the canal. Province: the one that controls the canal. */
  CANAL_PARADOX: 20,
  /**
   * A move over a difficult border, where an army has only the strength of its supports: another unit was at least as
   * strong. Province: that of the other unit.
   */
  BORDER_TOO_DIFFICULT: 21,
  /** A support: part of circular supports over difficult borders, which the rules do not decide. Province: its own. */
  SUPPORT_PARADOX: 22,
} as const;
/** A value of the constant ReasonCode. */
export type ReasonCode = (typeof ReasonCode)[keyof typeof ReasonCode];
const R = ReasonCode;
/** Names of the reasons, indexed by ReasonCode, such as 'cut by attack'. */
export const reasons: readonly string[] = Object.keys(ReasonCode).map((name) =>
  name.toLowerCase().replaceAll('_', ' '),
);

/** The reason for which an order failed. */
export interface Reason {
  /** Kind of the reason. */
  readonly code: ReasonCode;
  /** Province that `code` refers to, as the comments of ReasonCode say; -1 for none. */
  readonly province: T.Province;
}

const because = (code: ReasonCode, province: T.Province = -1): Reason => ({ code, province });

const { places, unit, order } = board;
const { passes, crosses, trip } = found;

/** Puts the units and orders of a movement phase on the board, and gives its results to the resolver's conditions. */
const recallPhase = (map: CompiledMap, results: Results): void => {
  takeBoard(map, DATC_3_2);
  let n = 0;
  for (let p = 0; p < map.provinceCount; p++) {
    const there = results.unit[p];
    const at = O.orderLocation(results.order[p]);
    const key = T.unitType(there) === T.FLEET ? map.locationCount + at : at;
    unit[p] = there === T.NO_UNIT ? 0 : ((T.unitPower(there) + 1) << POWER_SHIFT) | (key + 1);
    if (there !== T.NO_UNIT) places[n++] = p;
  }
  putOrders(map, n, results);
  specialInput.leave = leaveIn(map, results);
  recall(n, results);
};

const { path, isHeadToHead, attackStrength, defendStrength, holdStrength, preventStrength, cuts, stays } = recalled;

const samePower = (p: T.Province, q: T.Province): boolean => unit[p] >>> POWER_SHIFT === unit[q] >>> POWER_SHIFT;

/**
 * Explains a failed convoy of an army by the first dislodged fleet, otherwise by the first fleet that a paradox
 * stopped, otherwise by the lack of convoy orders for the army. @param army province of the army
 */
const explainLostConvoy = (results: Results, army: T.Province): Reason => {
  const broken = [...order.keys()].filter(
    (f) => unit[f] !== 0 && results.result[f] === T.DISRUPTED && O.orderHelped(order[f]) === army,
  );
  const dislodged = broken.find((f) => results.fate[f] !== T.NO_FATE);
  if (dislodged !== undefined) return because(R.CONVOY_DISRUPTED, dislodged);
  return broken.length > 0 ? because(R.CONVOY_PARADOX, broken[0]) : because(R.CONVOY_NOT_ORDERED);
};

/** Returns the origin of the strongest other move or train that keeps a unit out of province `to`; -1 for none. */
const strongestRival = (map: CompiledMap, mover: T.Province, to: T.Province): T.Province => {
  let strongest = -1;
  let most = -1;
  for (let q = 0; q < map.provinceCount; q++) {
    const strength = q === mover || unit[q] === 0 ? -1 : preventStrength(q, to);
    if (strength <= most) continue;
    most = strength;
    strongest = q;
  }
  return strongest;
};

// ---- special maps ----

/** Returns the reason for which a fleet may not pass the canal; null if it may. */
const whyShut = ({ special }: CompiledMap, results: Results, fleet: T.Province): Reason | null => {
  const control = special?.control ?? -1;
  if (found.permitted !== fleet) return because(R.NO_LEAVE, control);
  if (!stays(control)) return because(R.CONTROL_LEFT, control);
  const attacker = results.attacker[control];
  return attacker < 0 ? null : because(R.CONTROL_DISLODGED, attacker);
};

const explainRide = (map: CompiledMap, results: Results, rider: T.Province): Reason => {
  if (results.result[rider] === T.SUCCEEDS) return because(R.NONE);
  const tried = results.rideTried[rider];
  if (tried < 0) {
    const other = results.order.findIndex((order, p) => p !== rider && O.orderType(order) === O.RAIL);
    return because(R.OTHER_TRAIN, other);
  }
  if (recalled.meetsOnStart()) return because(R.LOST_HEAD_TO_HEAD, trip[1]);
  if (results.rideEnd[rider] === tried) return because(R.LOST_CENTER, tried);
  if (unit[tried] !== 0 && stays(tried)) return because(R.RIDE_BLOCKED, tried);
  const rival = strongestRival(map, rider, tried);
  return rival < 0 ? because(R.RAILROAD_PARADOX, tried) : because(R.BOUNCED, rival);
};

// ---- orders ----

const explainMove = (map: CompiledMap, results: Results, mover: T.Province): Reason => {
  if (results.result[mover] === T.INVALID) return because(R.CONVOY_NOT_ORDERED);
  const shut = passes[mover] === 1 ? whyShut(map, results, mover) : null;
  if (shut !== null) return shut;
  if (passes[mover] === 0 && !path(mover)) return explainLostConvoy(results, mover);
  const to = O.targetProvince(order[mover]);
  const code = (usual: ReasonCode): ReasonCode =>
    crosses[mover] === 1 && results.convoyed[mover] === 0 ? R.BORDER_TOO_DIFFICULT : usual;
  if (isHeadToHead(mover)) {
    if (attackStrength(mover) <= defendStrength(to)) return because(code(R.LOST_HEAD_TO_HEAD), to);
  } else if (unit[to] !== 0 && stays(to)) {
    if (samePower(to, mover)) return because(R.OWN_UNIT_STAYED, to);
    if (attackStrength(mover) <= holdStrength(to)) return because(code(R.HELD), to);
  }
  const rival = strongestRival(map, mover, to);
  if (rival >= 0) return because(code(R.BOUNCED), rival);
  if (passes[mover] === 1) return because(R.CANAL_PARADOX, map.special?.control ?? -1);
  // Under rules that need every fleet of a convoy, one dislodged fleet breaks it even if a chain remains.
  return results.convoyed[mover] === 0 ? because(R.BOUNCED) : explainLostConvoy(results, mover);
};

const explainSupport = (map: CompiledMap, results: Results, supporter: T.Province): Reason => {
  if (results.result[supporter] === T.INVALID) return because(R.UNMATCHED, O.orderHelped(results.order[supporter]));
  const against = O.targetProvince(order[supporter]);
  for (let q = 0; q < map.provinceCount; q++)
    if (unit[q] !== 0 && q !== against && !samePower(q, supporter) && O.targetProvince(order[q]) === supporter)
      if (cuts(q, supporter)) return because(R.CUT_BY_ATTACK, q);
  const dislodger = results.attacker[supporter];
  return dislodger < 0 ? because(R.SUPPORT_PARADOX, supporter) : because(R.CUT_BY_DISLODGEMENT, dislodger);
};

const explainConvoy = (_: CompiledMap, results: Results, fleet: T.Province): Reason => {
  if (results.result[fleet] === T.INVALID) return because(R.UNMATCHED, O.orderHelped(results.order[fleet]));
  return results.fate[fleet] === T.NO_FATE
    ? because(R.CONVOY_PARADOX, fleet)
    : because(R.FLEET_DISLODGED, results.attacker[fleet]);
};

const failures: ReadonlySet<number> = new Set([T.FAILS, T.STOPS, T.CUT, T.DISRUPTED, T.INVALID]);
const explainers: ReadonlyMap<number, (map: CompiledMap, results: Results, province: T.Province) => Reason> = new Map([
  [O.MOVE, explainMove],
  [O.RAIL, explainRide],
  [O.CONVOY, explainConvoy],
  [O.SUPPORT_HOLD, explainSupport],
  [O.SUPPORT_MOVE, explainSupport],
]);

/**
 * Explains why the order of the unit in a province failed, from the results of a movement or retreat phase.
 * @param results results of the phase, as written by adjudicate()
 * @param province province of the unit before the phase
 * @returns code ReasonCode.NONE for an order that succeeded, for a hold, and for a province without an order
 */
export const explain = (map: CompiledMap, results: Results, province: T.Province): Reason => {
  if (!failures.has(results.result[province])) return because(R.NONE);
  const order = results.order[province];
  const type = O.orderType(order);
  if (type === O.RETREAT_TO) return because(R.RETREATS_COLLIDED, map.locationProvince[O.orderTarget(order)]);
  const say = explainers.get(type);
  if (say === undefined) return because(R.NONE);
  recallPhase(map, results);
  return say(map, results, province);
};
