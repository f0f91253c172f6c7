// The resolver: which orders of one movement phase succeed.
//
// Input is the board below: the provinces with units, and for each its unit and its order, all legal (a unit without an
// order has hold). Output is `success`, `dislodgedBy`, `byConvoy` and `matched`, for those provinces.
//
// The meaning is the recursion over partial information of DATC 3.2, chapter 5.E, with the conditions of chapter 5.B.
// Each order resolves to success or failure; adjudicate(order, optimistic) computes its condition with the best or the
// worst case for everything still open, and asks with the opposite flag about whatever works against the order. An
// order is decided when both cases agree. What is left open hangs together in a cycle, for which the rules have a
// backup rule: circular movement succeeds, a convoy paradox falls to the Szykman rule.
//
// All coasts are gone here: targets are provinces.

import type { CompiledMap } from './map/types.js';
import * as O from './order.js';
import { MAX_LOCATIONS, WORDS } from './types.js';

// Imports rebound, so that V8 folds them like constants of this module (performance.md, V8).
const HOLD = O.HOLD;
const MOVE = O.MOVE;
const SUPPORT_HOLD = O.SUPPORT_HOLD;
const SUPPORT_MOVE = O.SUPPORT_MOVE;
const CONVOY = O.CONVOY;
const orderType = O.orderType;
const orderTarget = O.orderTarget;
const orderAux = O.orderAux;
const orderVia = O.orderVia;

// ---- the board: input ----
/** Provinces with units, in any order. */
const places = new Int32Array(MAX_LOCATIONS);
/** By province: its unit, as a word; 0 where there is none. Provinces without a unit must be 0. */
const unit = new Int32Array(MAX_LOCATIONS);
/** By province with a unit: its order. */
const order = new Int32Array(MAX_LOCATIONS);

// ---- output, by province with a unit ----
/** Move succeeds, support is given, convoy is available: 1. Else, and for a hold, 0. */
const success = new Int32Array(MAX_LOCATIONS);
/** Province of the attacker that dislodged the unit, + 1; 0 if it was not dislodged. */
const dislodgedBy = new Int32Array(MAX_LOCATIONS);
/** 1 if the unit is an army that goes, or would go, by convoy. */
const byConvoy = new Int32Array(MAX_LOCATIONS);
/** 0 for a support or convoy of something that the other unit did not do, and for a convoy without any ordered chain. */
const matched = new Int32Array(MAX_LOCATIONS);

/** What other modules of the engine read and write; they rebind the arrays at their top. */
export const board = { places, unit, order, success, dislodgedBy, byConvoy, matched };

// ---- map tables in use ----
let map: CompiledMap | undefined;
const seaNeighbours = new Int32Array(MAX_LOCATIONS * WORDS);

/** Makes the tables of a map those in use. Cheap when they are already. */
export const useMap = (next: CompiledMap): void => {
  if (next === map) return;
  map = next;
  seaNeighbours.set(next.seaNeighbours);
};

const isNextToSea = (province: number, sea: number): number =>
  (seaNeighbours[province * WORDS + (sea >> 5)] >>> (sea & 31)) & 1;

/** Two units of one power: their words differ in the key at most. */
const samePower = (a: number, b: number): boolean => (a ^ b) >>> 16 === 0;

// ---- the orders, unpacked by prepare() ----
const type = new Int32Array(MAX_LOCATIONS);
const target = new Int32Array(MAX_LOCATIONS);
// Lists through provinces, each link + 1 (0 ends): attackers of a province, supports of a unit, convoys of an army.
const firstAttacker = new Int32Array(MAX_LOCATIONS);
const nextAttacker = new Int32Array(MAX_LOCATIONS);
const firstSupport = new Int32Array(MAX_LOCATIONS);
const nextSupport = new Int32Array(MAX_LOCATIONS);
const firstConvoy = new Int32Array(MAX_LOCATIONS);
const nextConvoy = new Int32Array(MAX_LOCATIONS);

// ---- what the recursion knows ----
const OPEN = 0;
const FAILED = 1;
const SUCCEEDED = 2;
const decision = new Int32Array(MAX_LOCATIONS);
const NOT_VISITED = 0;
/** Depth in the recursion at which an order is being visited, from 1. */
const visitDepth = new Int32Array(MAX_LOCATIONS);
/** Orders of the cycle found so far that is still open, and whether one is in it. */
const cycle = new Int32Array(MAX_LOCATIONS);
const inCycle = new Int32Array(MAX_LOCATIONS);
/** The least depth that an order of the cycle leans on. */
const lowOf = new Int32Array(MAX_LOCATIONS);
let cycleLength = 0;
let depth = 0;
const INFINITE_DEPTH = 1 << 20;
/** The least depth that the order being adjudicated was found to lean on. */
let low = INFINITE_DEPTH;
/** True once something that was asked about was still open. */
let uncertain = false;

/** Flags of fleets reached, one stretch for each path() under way: at most one per order, each at most as long as that. */
const reachedStack = new Uint8Array(MAX_LOCATIONS * MAX_LOCATIONS);
let reachedTop = 0;

/** How often the backup rules decided, since the last prepare(). For statistics of tests. */
export const backups = { circular: 0, paradox: 0 };

// ---- conditions (DATC 3.2, chapter 5.B) ----

/**
 * PATH: not convoyed, or a chain of adjacent fleets from origin to destination whose convoys match and succeed.
 */
const path = (mover: number, optimistic: boolean): boolean => {
  if (byConvoy[mover] === 0) return true;
  if (matched[mover] === 0) return false;
  const begin = reachedTop;
  let fleets = 0;
  for (let f = firstConvoy[mover]; f !== 0; f = nextConvoy[f - 1]) reachedStack[begin + fleets++] = 0;
  reachedTop = begin + fleets;
  const found = flood(mover, begin, optimistic);
  reachedTop = begin;
  return found;
};

/** Spreads from the army over its convoying fleets until one of them touches the destination. */
const flood = (mover: number, begin: number, optimistic: boolean): boolean => {
  const destination = target[mover];
  let grown = true;
  while (grown) {
    grown = false;
    let k = begin;
    for (let f = firstConvoy[mover]; f !== 0; f = nextConvoy[f - 1], k++) {
      const fleet = f - 1;
      if (reachedStack[k] !== 0 || !touchesReached(mover, begin, fleet)) continue;
      // 1 is reached, 2 is known to fail: nobody asks twice.
      if (!resolve(fleet, optimistic)) reachedStack[k] = 2;
      else if (isNextToSea(destination, fleet) === 1) return true;
      else {
        reachedStack[k] = 1;
        grown = true;
      }
    }
  }
  return false;
};

const touchesReached = (mover: number, begin: number, fleet: number): boolean => {
  if (isNextToSea(mover, fleet) === 1) return true;
  let k = begin;
  for (let f = firstConvoy[mover]; f !== 0; f = nextConvoy[f - 1], k++)
    if (reachedStack[k] === 1 && isNextToSea(f - 1, fleet) === 1) return true;
  return false;
};

/** Two units that move against each other, neither by convoy. */
const isHeadToHead = (mover: number): boolean => {
  const opponent = target[mover];
  return (
    unit[opponent] !== 0 &&
    type[opponent] === MOVE &&
    target[opponent] === mover &&
    (byConvoy[opponent] | byConvoy[mover]) === 0
  );
};

/** Number of given supports of a unit's order, those of the power of `except` left out (0: all count). */
const supports = (helped: number, optimistic: boolean, except: number): number => {
  let n = 0;
  for (let s = firstSupport[helped]; s !== 0; s = nextSupport[s - 1])
    if ((except === 0 || !samePower(unit[s - 1], except)) && resolve(s - 1, optimistic)) n++;
  return n;
};

/** ATTACK: strength of a move, which has a path, against the unit in its destination. */
const attackStrength = (mover: number, optimistic: boolean): number => {
  const occupant = target[mover];
  const defender = unit[occupant];
  if (defender === 0) return 1 + supports(mover, optimistic, 0);
  if (type[occupant] === MOVE && !isHeadToHead(mover) && resolve(occupant, optimistic))
    return 1 + supports(mover, optimistic, 0);
  if (samePower(defender, unit[mover])) return 0;
  return 1 + supports(mover, optimistic, defender);
};

/** HOLD: strength of a province against those who enter. `leaves` is the flag for asking whether its unit leaves. */
const holdStrength = (province: number, optimistic: boolean, leaves: boolean): number => {
  if (unit[province] === 0) return 0;
  if (type[province] === MOVE) return resolve(province, leaves) ? 0 : 1;
  return 1 + supports(province, optimistic, 0);
};

/** DEFEND: strength of a move in a head-to-head. */
const defendStrength = (mover: number, optimistic: boolean): number => 1 + supports(mover, optimistic, 0);

/** PREVENT: strength with which a move keeps others from its destination. `wins`: flag for asking about its opponent. */
const preventStrength = (mover: number, optimistic: boolean, wins: boolean): number => {
  if (!path(mover, optimistic)) return 0;
  if (isHeadToHead(mover) && resolve(target[mover], wins)) return 0;
  return 1 + supports(mover, optimistic, 0);
};

const adjudicateMove = (mover: number, optimistic: boolean): boolean => {
  if (!path(mover, optimistic)) return false;
  const destination = target[mover];
  const attack = attackStrength(mover, optimistic);
  const resistance = isHeadToHead(mover)
    ? defendStrength(destination, !optimistic)
    : holdStrength(destination, !optimistic, optimistic);
  if (attack <= resistance) return false;
  for (let a = firstAttacker[destination]; a !== 0; a = nextAttacker[a - 1])
    if (a - 1 !== mover && attack <= preventStrength(a - 1, !optimistic, optimistic)) return false;
  return true;
};

/**
 * Cut by a path of another power's move into the supporter's province. From the province that the support acts on,
 * only a successful move cuts: it dislodges. (Of the others the path is enough: a successful move has one.)
 */
const adjudicateSupport = (supporter: number, optimistic: boolean): boolean => {
  for (let a = firstAttacker[supporter]; a !== 0; a = nextAttacker[a - 1]) {
    const attacker = a - 1;
    if (samePower(unit[attacker], unit[supporter])) continue;
    if (attacker === target[supporter] ? resolve(attacker, !optimistic) : path(attacker, !optimistic)) return false;
  }
  return true;
};

const adjudicateConvoy = (fleet: number, optimistic: boolean): boolean => {
  for (let a = firstAttacker[fleet]; a !== 0; a = nextAttacker[a - 1]) if (resolve(a - 1, !optimistic)) return false;
  return true;
};

const adjudicate = (province: number, optimistic: boolean): boolean => {
  switch (type[province]) {
    case MOVE:
      return adjudicateMove(province, optimistic);
    case CONVOY:
      return adjudicateConvoy(province, optimistic);
    default:
      return adjudicateSupport(province, optimistic);
  }
};

// ---- the recursion (DATC 3.2, chapter 5.E) ----

const dropCycle = (length: number): void => {
  while (cycleLength > length) inCycle[cycle[--cycleLength]] = 0;
};

const joinCycle = (province: number, leansOn: number): void => {
  lowOf[province] = leansOn;
  if (inCycle[province] !== 0) return;
  inCycle[province] = 1;
  cycle[cycleLength++] = province;
};

/**
 * Decides orders of the cycle from place `begin` on, which hang together and have no solution or two: moves alone are
 * circular movement and succeed; if convoys are among them, those fail (Szykman); else everything fails (DATC 5.B).
 */
const applyBackupRule = (begin: number): void => {
  let moves = true;
  let convoys = false;
  for (let i = begin; i < cycleLength; i++) {
    if (type[cycle[i]] === CONVOY) convoys = true;
    if (type[cycle[i]] !== MOVE) moves = false;
  }
  if (convoys) backups.paradox++;
  else backups.circular++;
  for (let i = begin; i < cycleLength; i++) {
    const province = cycle[i];
    if (!convoys) decision[province] = moves ? SUCCEEDED : FAILED;
    else if (type[province] === CONVOY) decision[province] = FAILED;
  }
};

/** True if the order succeeds; while that is open, true in the optimistic case and false in the other. */
const resolve = (province: number, optimistic: boolean): boolean => {
  if (decision[province] !== OPEN) return decision[province] === SUCCEEDED;
  if (inCycle[province] !== 0) {
    uncertain = true;
    if (lowOf[province] < low) low = lowOf[province];
    return optimistic;
  }
  if (visitDepth[province] !== NOT_VISITED) {
    uncertain = true;
    joinCycle(province, visitDepth[province]);
    if (visitDepth[province] < low) low = visitDepth[province];
    return optimistic;
  }
  visitDepth[province] = ++depth;
  const oldLength = cycleLength;
  const oldLow = low;
  const oldUncertain = uncertain;
  low = INFINITE_DEPTH;
  uncertain = false;
  const best = adjudicate(province, true);
  // It failed even in the best case, or nothing that it asked about was open: one pass is enough.
  const worst = best && uncertain ? adjudicate(province, false) : best;
  const ownDepth = depth--;
  visitDepth[province] = NOT_VISITED;
  if (best === worst) {
    dropCycle(oldLength);
    low = oldLow;
    uncertain = oldUncertain;
    decision[province] = best ? SUCCEEDED : FAILED;
    return best;
  }
  if (low >= ownDepth) {
    // Nothing below leans on anything above: this order heads the whole cycle.
    joinCycle(province, low);
    applyBackupRule(oldLength);
    dropCycle(oldLength);
    low = oldLow;
    uncertain = oldUncertain;
    return resolve(province, optimistic);
  }
  joinCycle(province, low);
  if (oldLow < low) low = oldLow;
  return optimistic;
};

// ---- before and after ----

/** Unpacks the orders, links attackers, supports and convoys, and finds which armies go by convoy. */
const prepare = (count: number): void => {
  let convoys = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const o = order[p];
    type[p] = orderType(o);
    target[p] = orderTarget(o);
    byConvoy[p] = orderVia(o);
    convoys += orderVia(o) | (type[p] === CONVOY ? 1 : 0);
    matched[p] = 1;
    decision[p] = type[p] === HOLD ? FAILED : OPEN;
    firstAttacker[target[p]] = 0;
    firstAttacker[p] = 0;
    firstSupport[p] = 0;
    firstConvoy[p] = 0;
    dislodgedBy[p] = 0;
  }
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (type[p] === MOVE) {
      nextAttacker[p] = firstAttacker[target[p]];
      firstAttacker[target[p]] = p + 1;
    } else if (type[p] === SUPPORT_MOVE || type[p] === SUPPORT_HOLD) linkSupport(p);
  }
  if (convoys > 0) prepareConvoys(count);
};

const unmatch = (province: number): void => {
  matched[province] = 0;
  decision[province] = FAILED;
};

const linkSupport = (supporter: number): void => {
  const helped = orderAux(order[supporter]);
  const moves = unit[helped] !== 0 && orderType(order[helped]) === MOVE;
  const fits =
    type[supporter] === SUPPORT_MOVE
      ? moves && orderTarget(order[helped]) === target[supporter]
      : unit[helped] !== 0 && !moves;
  if (!fits) {
    unmatch(supporter);
    return;
  }
  nextSupport[supporter] = firstSupport[helped];
  firstSupport[helped] = supporter + 1;
};

const prepareConvoys = (count: number): void => {
  for (let i = 0; i < count; i++) {
    const fleet = places[i];
    if (type[fleet] !== CONVOY) continue;
    const army = orderAux(order[fleet]);
    if (unit[army] === 0 || type[army] !== MOVE || target[army] !== target[fleet]) {
      unmatch(fleet);
      continue;
    }
    nextConvoy[fleet] = firstConvoy[army];
    firstConvoy[army] = fleet + 1;
    // Intent: the convoy of an own fleet is taken even if the destination is adjacent (DATC 4.A.3).
    if (samePower(unit[fleet], unit[army])) byConvoy[army] = 1;
  }
  for (let i = 0; i < count; i++) {
    const army = places[i];
    if (type[army] === MOVE && byConvoy[army] === 1 && !hasOrderedChain(army)) unmatch(army);
  }
};

/** True if the matching convoys, all of them taken to succeed, make a chain for the army. */
const hasOrderedChain = (army: number): boolean => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) if (decision[f - 1] === OPEN) assumed[f - 1] = 1;
  const found = floodAssumed(army);
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) assumed[f - 1] = 0;
  return found;
};
const assumed = new Int32Array(MAX_LOCATIONS);

/** The flood over fleets whose success is already settled: `assumed` is 1 for usable ones, 2 once reached. */
const floodAssumed = (army: number): boolean => {
  let grown = true;
  while (grown) {
    grown = false;
    for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) {
      const fleet = f - 1;
      if (assumed[fleet] !== 1) continue;
      let touches = isNextToSea(army, fleet) === 1;
      for (let g = firstConvoy[army]; g !== 0 && !touches; g = nextConvoy[g - 1])
        touches = assumed[g - 1] === 2 && isNextToSea(g - 1, fleet) === 1;
      if (!touches) continue;
      if (isNextToSea(target[army], fleet) === 1) return true;
      assumed[fleet] = 2;
      grown = true;
    }
  }
  return false;
};

/**
 * Resolves the orders on the board by the recursion alone.
 * @param count units on the board: places[0 .. count)
 */
export const resolveByRecursion = (count: number): void => {
  prepare(count);
  for (let i = 0; i < count; i++) if (decision[places[i]] === OPEN) resolve(places[i], true);
  for (let i = 0; i < count; i++) {
    const p = places[i];
    success[p] = decision[p] === SUCCEEDED ? 1 : 0;
  }
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (type[p] !== MOVE || success[p] === 0) continue;
    const occupant = target[p];
    if (unit[occupant] !== 0 && !(type[occupant] === MOVE && success[occupant] === 1)) dislodgedBy[occupant] = p + 1;
  }
};

/** After resolving: true if the army's convoy held (for a mover not by convoy: true). */
const hadPath = (mover: number): boolean => {
  if (byConvoy[mover] === 0) return true;
  if (matched[mover] === 0) return false;
  for (let f = firstConvoy[mover]; f !== 0; f = nextConvoy[f - 1]) if (success[f - 1] === 1) assumed[f - 1] = 1;
  const found = floodAssumed(mover);
  for (let f = firstConvoy[mover]; f !== 0; f = nextConvoy[f - 1]) assumed[f - 1] = 0;
  return found;
};

/**
 * Writes the provinces left empty in which moves bounced to `contested` (a bitset of one row), after resolving: no unit
 * retreats there. A unit dislodged in a head-to-head bounced nobody in its attacker's province.
 */
export const findContested = (count: number, contested: Int32Array): void => {
  for (let w = 0; w < WORDS; w++) contested[w] = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (type[p] !== MOVE || success[p] === 1 || !hadPath(p)) continue;
    if (isHeadToHead(p) && success[target[p]] === 1) continue;
    contested[target[p] >> 5] |= 1 << (target[p] & 31);
  }
  // What is occupied afterwards is not contested.
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const stays = type[p] === MOVE && success[p] === 1 ? target[p] : p;
    if (dislodgedBy[p] === 0) contested[stays >> 5] &= ~(1 << (stays & 31));
  }
};
