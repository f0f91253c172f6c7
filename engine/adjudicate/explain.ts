// Explains why an order failed, from the results of a phase that has been adjudicated. Cold code that decides nothing.

import type { CompiledMap, SpecialTables } from '../map/compiled-map.js';
import { isCanal } from '../map/special.js';
import { lowestBit, testBit } from '../rules/bitset.js';
import {
  CONVOY,
  MOVE,
  type Order,
  orderAux,
  orderLeave,
  orderTarget,
  orderType,
  RAIL,
  RETREAT_TO,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
} from '../rules/order.js';
import type { Results } from '../rules/results.js';
import {
  ARMY,
  AVAILABLE,
  DISRUPTED,
  FAILS,
  GIVEN,
  INVALID,
  NO_FATE,
  NO_UNIT,
  type Province,
  SUCCEEDS,
  unitPower,
  unitType,
  WORDS,
} from '../rules/types.js';

export const NO_REASON = 0;
export const BOUNCED = 1;
export const HELD = 2;
export const OWN_UNIT_STAYED = 3;
export const LOST_HEAD_TO_HEAD = 4;
export const CONVOY_NOT_ORDERED = 5;
export const CONVOY_DISRUPTED = 6;
export const CONVOY_PARADOX = 7;
export const CUT_BY_ATTACK = 8;
export const CUT_BY_DISLODGEMENT = 9;
export const UNMATCHED = 10;
export const FLEET_DISLODGED = 11;
export const RETREATS_COLLIDED = 12;
export const OTHER_TRAIN = 13;
export const RIDE_BLOCKED = 14;
export const LOST_CENTER = 15;
export const RAILROAD_PARADOX = 16;
export const NO_LEAVE = 17;
export const CONTROL_LEFT = 18;
export const CONTROL_DISLODGED = 19;
export const CANAL_PARADOX = 20;
export const BORDER_TOO_DIFFICULT = 21;
export const SUPPORT_PARADOX = 22;
/** Codes of explain(): why an order failed. Each comment ends with the province that Reason.province names. */
export const ReasonCode = {
  /** It did not fail. */
  NONE: NO_REASON,
  /** A move: another move into its destination was as strong. The origin of that move. */
  BOUNCED,
  /** A move: the unit in its destination held. The destination. */
  HELD,
  /** A move: a unit of the same power stayed in its destination. The destination. */
  OWN_UNIT_STAYED,
  /** A move: it lost, or tied, a head-to-head. The province of its opponent. */
  LOST_HEAD_TO_HEAD,
  /** A move: it needed a convoy, and no chain of fleets was ordered to carry it. */
  CONVOY_NOT_ORDERED,
  /** A move: its last convoy was disrupted. The province of a fleet that was dislodged. */
  CONVOY_DISRUPTED,
  /** A move or convoy: the rule for convoy paradoxes made it fail (DATC 4.A.2). The province of the fleet. */
  CONVOY_PARADOX,
  /** A support: its unit was attacked. The origin of the attack. */
  CUT_BY_ATTACK,
  /** A support: the supporter was dislodged by the unit that it acted against. The origin of that unit. */
  CUT_BY_DISLODGEMENT,
  /** A support or convoy: the other unit did something else. The province of that unit. */
  UNMATCHED,
  /** A convoy: the fleet was dislodged. The origin of its attacker. */
  FLEET_DISLODGED,
  /** A retreat: another unit retreated to the same province. That province. */
  RETREATS_COLLIDED,
  /** A move by railroad: there was another one. The province where that one began. */
  OTHER_TRAIN,
  /** A move by railroad: a unit stayed where it was to go or to pass. That province. */
  RIDE_BLOCKED,
  /** A move by railroad: it does not go on behind a lost centre. That province. */
  LOST_CENTER,
  /** A move by railroad: the rule for paradoxes kept it from where it wanted to go. That province. */
  RAILROAD_PARADOX,
  /** A move through a canal: its fleet had no leave. The province that controls the canal. */
  NO_LEAVE,
  /** A move through a canal: the controlling unit left. Its province before. */
  CONTROL_LEFT,
  /** A move through a canal: the controlling unit was dislodged. The origin of its attacker. */
  CONTROL_DISLODGED,
  /** A move through a canal: the rule for paradoxes shut it. The province that controls the canal. */
  CANAL_PARADOX,
  /** A move over a difficult border, where an army has no strength of its own: it met some. The province of that unit. */
  BORDER_TOO_DIFFICULT,
  /** A support: it hangs on itself, over difficult borders, and nothing says whether it is given. Its own province. */
  SUPPORT_PARADOX,
} as const;
export type ReasonCode = (typeof ReasonCode)[keyof typeof ReasonCode];
/** Names by code. */
export const reasons = [
  'none',
  'bounced',
  'held',
  'own unit stayed',
  'lost head-to-head',
  'convoy not ordered',
  'convoy disrupted',
  'convoy paradox',
  'cut by attack',
  'cut by dislodgement',
  'unmatched',
  'fleet dislodged',
  'retreats collided',
  'other train',
  'ride blocked',
  'lost center',
  'railroad paradox',
  'no leave',
  'control left',
  'control dislodged',
  'canal paradox',
  'border too difficult',
  'support paradox',
] as const;

/** Why an order failed. */
export interface Reason {
  /** What kept the order from succeeding. */
  readonly code: ReasonCode;
  /** The province that the code refers to; -1 for none. */
  readonly province: Province;
}

const because = (code: ReasonCode, province: Province = -1): Reason => ({ code, province });

/** The units and orders of a phase, for questions about them. */
class Aftermath {
  declare readonly map: CompiledMap;
  declare readonly results: Results;
  constructor(map: CompiledMap, results: Results) {
    this.map = map;
    this.results = results;
  }

  type(p: Province): number {
    return orderType(this.results.order[p]);
  }
  target(p: Province): Province {
    return this.map.locationProvince[orderTarget(this.results.order[p])];
  }
  isMove(p: Province): boolean {
    return this.results.unit[p] !== NO_UNIT && this.type(p) === MOVE;
  }
  /** An army that crosses a difficult border by land. */
  crosses(p: Province): boolean {
    const { special } = this.map;
    if (special === null || !this.isMove(p) || this.results.convoyed[p] !== 0) return false;
    return unitType(this.results.unit[p]) === ARMY && testBit(special.difficult, p, this.target(p)) === 1;
  }
  passesCanal(p: Province): boolean {
    return this.map.special !== null && this.isMove(p) && isCanal(this.map.special, p, this.target(p));
  }
  /** The unit's own strength in a move: 1, but 0 over a difficult border. */
  own(p: Province): number {
    return this.crosses(p) ? 0 : 1;
  }
  /** The army that rides by railroad, alone; -1 for none. */
  train(): Province {
    return this.map.special === null ? -1 : this.results.rideTried.findIndex((tried) => tried >= 0);
  }
  /** Provinces of a ride behind the first, as far as the train tried. */
  trip(train: Province): Province[] {
    const { line, lineIndex } = this.map.special as SpecialTables;
    const first = lineIndex[train];
    const last = lineIndex[this.results.rideTried[train]];
    const step = last > first ? 1 : -1;
    return Array.from({ length: Math.abs(last - first) }, (_, i) => line[first + (i + 1) * step]);
  }
  samePower(p: Province, q: Province): boolean {
    return unitPower(this.results.unit[p]) === unitPower(this.results.unit[q]);
  }
  stays(p: Province): boolean {
    return !(this.isMove(p) && this.results.result[p] === SUCCEEDS) && this.results.rideEnd[p] < 0;
  }
  isHeadToHead(p: Province): boolean {
    const q = this.target(p);
    if (this.passesCanal(p) || this.passesCanal(q)) return false;
    const train = this.train();
    if (q === train && this.trip(train)[0] === p) return this.results.convoyed[p] === 0;
    return this.isMove(q) && this.target(q) === p && (this.results.convoyed[p] | this.results.convoyed[q]) === 0;
  }
  /** Given supports of the unit's order, except those of the power of the unit in `except` (-1: count all). */
  supports(helped: Province, except: number): number {
    const { results, map } = this;
    let n = 0;
    for (let s = 0; s < map.provinceCount; s++) {
      if (results.result[s] !== GIVEN || orderAux(results.order[s]) !== helped) continue;
      if (this.type(s) !== SUPPORT_HOLD && this.type(s) !== SUPPORT_MOVE) continue;
      if (except < 0 || !this.samePower(s, except)) n++;
    }
    return n;
  }
  /** Fleets with this result that were ordered to carry the army, first to last. */
  fleets(army: Province, result: number): Province[] {
    const { results, map } = this;
    const found: Province[] = [];
    for (let f = 0; f < map.provinceCount; f++)
      if (this.type(f) === CONVOY && results.result[f] === result && orderAux(results.order[f]) === army) found.push(f);
    return found;
  }
  /** True if available fleets form a chain for the army. */
  hasPath(army: Province): boolean {
    if (this.passesCanal(army)) return isShutFor(this, army) === null;
    if (this.results.convoyed[army] === 0) return true;
    const { seaNeighbours } = this.map;
    const available = new Int32Array(WORDS);
    for (const f of this.fleets(army, AVAILABLE)) available[f >> 5] |= 1 << (f & 31);
    const seen = new Int32Array(WORDS);
    const queue: Province[] = [army];
    for (let place = queue.pop(); place !== undefined; place = queue.pop()) {
      for (let w = 0; w < WORDS; w++) {
        const fresh = seaNeighbours[place * WORDS + w] & available[w] & ~seen[w];
        seen[w] |= fresh;
        for (let rest = fresh; rest !== 0; rest &= rest - 1) {
          const fleet = w * 32 + lowestBit(rest);
          if (testBit(seaNeighbours, this.target(army), fleet) === 1) return true;
          queue.push(fleet);
        }
      }
    }
    return false;
  }
}

const explainLostConvoy = (after: Aftermath, army: Province): Reason => {
  const broken = after.fleets(army, DISRUPTED);
  const dislodged = broken.find((f) => after.results.fate[f] !== NO_FATE);
  if (dislodged !== undefined) return because(CONVOY_DISRUPTED, dislodged);
  return broken.length > 0 ? because(CONVOY_PARADOX, broken[0]) : because(CONVOY_NOT_ORDERED);
};

// ---- maps with rules of their own ----

/** The fleet that was let through the canal; -1 if none was. */
const permittedFleet = (after: Aftermath, { canal, control }: SpecialTables): Province => {
  const { unit, order } = after.results;
  if (unit[control] === NO_UNIT) return -1;
  const named = canal[orderLeave(order[control]) - 1];
  if (named !== undefined && unit[named] !== NO_UNIT) return named;
  const own = canal.filter((p) => after.passesCanal(p) && after.samePower(p, control));
  return own.length === 1 ? own[0] : -1;
};

/** Why the canal is shut for a fleet; null if it is not. */
const isShutFor = (after: Aftermath, fleet: Province): Reason | null => {
  const { special } = after.map;
  if (special === null || permittedFleet(after, special) !== fleet) return because(NO_LEAVE, special?.control ?? -1);
  const { control } = special;
  if (!after.stays(control)) return because(CONTROL_LEFT, control);
  const attacker = after.results.attacker[control];
  return attacker < 0 ? null : because(CONTROL_DISLODGED, attacker);
};

/** What keeps the train from a province of its ride; null if nothing does. */
const blockRide = (after: Aftermath, train: Province, to: Province): Reason | null => {
  const { results } = after;
  if (results.unit[to] !== NO_UNIT && after.stays(to)) return because(RIDE_BLOCKED, to);
  const rival = strongestRival(after, train, to);
  return rival < 0 ? null : because(BOUNCED, rival);
};

const explainRide = (after: Aftermath, rider: Province): Reason => {
  const { results } = after;
  if (results.result[rider] === SUCCEEDS) return because(NO_REASON);
  const tried = results.rideTried[rider];
  if (tried < 0) {
    const other = results.order.findIndex((order, p) => p !== rider && orderType(order) === RAIL);
    return because(OTHER_TRAIN, other);
  }
  const [first = -1] = after.trip(rider);
  if (after.isMove(first) && after.target(first) === rider && after.isHeadToHead(first))
    return because(LOST_HEAD_TO_HEAD, first);
  if (results.rideEnd[rider] === tried) return because(LOST_CENTER, tried);
  return blockRide(after, rider, tried) ?? because(RAILROAD_PARADOX, tried);
};

// ---- orders ----

const explainMove = (after: Aftermath, mover: Province): Reason => {
  const { results } = after;
  if (results.result[mover] === SUCCEEDS) return because(NO_REASON);
  if (results.result[mover] === INVALID) return because(CONVOY_NOT_ORDERED);
  const shut = after.passesCanal(mover) ? isShutFor(after, mover) : null;
  if (shut !== null) return shut;
  if (!after.hasPath(mover)) return explainLostConvoy(after, mover);
  const to = after.target(mover);
  const occupied = results.unit[to] !== NO_UNIT;
  const code = (usual: ReasonCode): ReasonCode => (after.crosses(mover) ? BORDER_TOO_DIFFICULT : usual);
  if (occupied && after.isHeadToHead(mover)) {
    const attack = after.samePower(to, mover) ? -1 : after.own(mover) + after.supports(mover, to);
    if (attack <= after.own(to) + after.supports(to, -1)) return because(code(LOST_HEAD_TO_HEAD), to);
  } else if (occupied && after.stays(to)) {
    if (after.samePower(to, mover)) return because(OWN_UNIT_STAYED, to);
    const hold = after.isMove(to) || after.type(to) === RAIL ? 1 : 1 + after.supports(to, -1);
    if (after.own(mover) + after.supports(mover, to) <= hold) return because(code(HELD), to);
  }
  const rival = strongestRival(after, mover, to);
  if (rival < 0 && after.passesCanal(mover)) return because(CANAL_PARADOX, after.map.special?.control ?? -1);
  if (rival >= 0) return because(code(BOUNCED), rival);
  // Under rules that need every fleet of a convoy, one dislodged fleet breaks it although a chain may be left.
  if (rival < 0 && results.convoyed[mover] !== 0) return explainLostConvoy(after, mover);
  return because(BOUNCED, rival);
};

/** True if a unit, or the train on its way, tries to go to a province. */
const wantsTo = (after: Aftermath, q: Province, to: Province, train: Province): boolean =>
  q === train ? after.trip(train).includes(to) : after.isMove(q) && after.target(q) === to && after.hasPath(q);

const strongestRival = (after: Aftermath, mover: Province, to: Province): Province => {
  const train = after.train();
  let strongest = -1;
  let most = -1;
  for (let q = 0; q < after.map.provinceCount; q++) {
    if (q === mover || !wantsTo(after, q, to, train)) continue;
    const helped = q !== train || after.target(train) === to;
    const strength = after.own(q) + (helped ? after.supports(q, -1) : 0);
    if (strength <= most) continue;
    most = strength;
    strongest = q;
  }
  return strongest;
};

const explainSupport = (after: Aftermath, supporter: Province): Reason => {
  const { results, map } = after;
  const order = results.order[supporter];
  if (results.result[supporter] === GIVEN) return because(NO_REASON);
  if (results.result[supporter] === INVALID) return because(UNMATCHED, orderAux(order));
  const against = after.target(supporter);
  for (let q = 0; q < map.provinceCount; q++)
    if (q !== against && after.isMove(q) && after.target(q) === supporter && !after.samePower(q, supporter))
      if (after.hasPath(q) && (!after.crosses(q) || after.supports(q, supporter) > 0)) return because(CUT_BY_ATTACK, q);
  const dislodger = results.attacker[supporter];
  return dislodger < 0 ? because(SUPPORT_PARADOX, supporter) : because(CUT_BY_DISLODGEMENT, dislodger);
};

const explainConvoy = (after: Aftermath, fleet: Province): Reason => {
  const { results } = after;
  if (results.result[fleet] === INVALID) return because(UNMATCHED, orderAux(results.order[fleet]));
  if (results.result[fleet] === AVAILABLE) return because(NO_REASON);
  return results.fate[fleet] === NO_FATE
    ? because(CONVOY_PARADOX, fleet)
    : because(FLEET_DISLODGED, results.attacker[fleet]);
};

/**
 * Explains why the order of the unit in a province failed, from the results of a movement or retreat phase.
 * @param results of the phase, as adjudicate() left them
 * @returns NO_REASON for an order that succeeded, for a hold, and for a province without an order
 */
export const explain = (map: CompiledMap, results: Results, province: Province): Reason => {
  const after = new Aftermath(map, results);
  const order: Order = results.order[province];
  switch (orderType(order)) {
    case MOVE:
      return explainMove(after, province);
    case RAIL:
      return explainRide(after, province);
    case SUPPORT_HOLD:
    case SUPPORT_MOVE:
      return explainSupport(after, province);
    case CONVOY:
      return explainConvoy(after, province);
    case RETREAT_TO:
      return results.result[province] === FAILS
        ? because(RETREATS_COLLIDED, map.locationProvince[orderTarget(order)])
        : because(NO_REASON);
    default:
      return because(NO_REASON);
  }
};
