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
// Words on the board. All coasts are gone here: targets are provinces.
//   unit    (power + 1) << 16 | key + 1    key: what the unit is and where (map/compiled-map.ts); the resolver reads the power
//   order   as order.ts packs it, but the target is a province; the bits of the location are free for others to use

import type { CompiledMap } from '../map/compiled-map.js';
import * as O from '../order.js';
import { DATC_3_2, type Rules, ruleOptions } from '../rules.js';
import * as T from '../types.js';

// Imports rebound, so that V8 folds them like constants of this module (performance.md, V8).
const MAX_LOCATIONS = T.MAX_LOCATIONS;
const WORDS = T.WORDS;
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
/** By province: its unit, as a word; 0 where there is none. Provinces without a unit must be 0, and so must the rest. */
const unit = new Int32Array(2 * MAX_LOCATIONS);
/** By province with a unit: its order. */
const order = new Int32Array(MAX_LOCATIONS);

// ---- output, by province with a unit ----
/** 1 if the move succeeds, the support is given, the convoy available; else 0. Anything for a hold. */
const success = new Int32Array(MAX_LOCATIONS);
/** Province of the attacker that dislodged the unit, + 1; 0 if it was not dislodged. */
const dislodgedBy = new Int32Array(MAX_LOCATIONS);
/** 1 if the unit is an army that goes, or would go, by convoy. */
const byConvoy = new Int32Array(MAX_LOCATIONS);
/**
 * Of a support or convoy: 0 if the other unit did not do what it helps. Of an army by convoy: 0 if no ordered chain
 * could take it. Not written for others.
 */
const matched = new Int32Array(MAX_LOCATIONS);
/** Of an army by convoy: 1 if a chain held. Not written for others. */
const held = new Int32Array(MAX_LOCATIONS);
/** Where the unit goes if its order succeeds: the target of a move, else its own province. */
const destination = new Int32Array(MAX_LOCATIONS);

/** What other modules of the engine read and write; they rebind the arrays at their top. */
export const board = { places, unit, order, success, dislodgedBy, byConvoy, matched, held, destination };

// ---- map tables in use ----
let map: CompiledMap | undefined;
const seaNeighbours = new Int32Array(MAX_LOCATIONS * WORDS);
let reach = new Int32Array(0);

/** Makes the tables of a map those in use. Cheap when they are already. */
export const useMap = (next: CompiledMap): void => {
  if (next === map) return;
  map = next;
  seaNeighbours.set(next.seaNeighbours);
  reach = Int32Array.from(next.reach);
};

// ---- rules in use ----
// Options of the rules (rules.ts) as they are asked about below. The default rules are all zeros, and only what is
// reached with convoys on the board, or in the recursion, reads any.
let rules: Rules = DATC_3_2;
/** 4.A.1: every ordered route must hold. */
let routesAll = false;
/** An army that its own fleets can take refuses those of others. */
let ownFleetsFirst = false;
/** 4.A.2: which supports a convoyed army does not cut, by the rulebook of that year. */
const NO_YEAR = 0;
const RULE_1971 = ruleOptions.paradox.indexOf('1971');
const RULE_1982 = ruleOptions.paradox.indexOf('1982');
const RULE_2000 = ruleOptions.paradox.indexOf('2000');
let spared = NO_YEAR;
/** 4.A.2: what decides a paradox that is left: indices into ruleOptions.paradoxBackup. */
const SZYKMAN = 0;
const DPTG = 2;
let backupRule = SZYKMAN;
/** 4.A.3: how an army goes to an adjacent province. */
const INTENT = 0;
const ALWAYS = ruleOptions.adjacentConvoy.indexOf('always');
const OPPOSITE = ruleOptions.adjacentConvoy.indexOf('opposite');
const WRITTEN = ruleOptions.adjacentConvoy.indexOf('written');
let adjacentConvoy = INTENT;
const NO_FALLBACK = 0;
const FALLBACK_UNORDERED = 1;
let fallback = NO_FALLBACK;
let cutFromOrigin = false;
let noEffectAlways = false;
let ownSupportCounts = false;
/** Bits: some option matters once a convoy is given; for an army that wants none but could walk; for own supports. */
const CONVOYS_DIFFER = 1;
const SUPPORTS_DIFFER = 2;
const WALKS_DIFFER = 4;
let special = 0;

const findBackupRule = (next: Rules): number => {
  const { paradox, paradoxBackup } = ruleOptions;
  const own: string = paradox[next.paradox];
  const rule = own === 'szykman' || own === 'allHold' || own === 'dptg' ? own : paradoxBackup[next.paradoxBackup];
  return paradoxBackup.indexOf(rule);
};

/** Makes rules those in use. Cheap when they are already. */
export const useRules = (next: Rules): void => {
  if (next === rules) return;
  rules = next;
  // The default rules never look at these: what other rules left must not stay.
  mayWalk.fill(0);
  stopped.fill(0);
  routesAll = next.convoyRoutes !== 0;
  ownFleetsFirst = next.preferOwnConvoy !== 0;
  spared = [RULE_1971, RULE_1982, RULE_2000].includes(next.paradox) ? next.paradox : NO_YEAR;
  backupRule = findBackupRule(next);
  adjacentConvoy = next.adjacentConvoy;
  fallback = next.convoyFallback;
  cutFromOrigin = next.cutFromOrigin !== 0;
  noEffectAlways = next.dislodgedNoEffect !== 0;
  ownSupportCounts = next.ownSupportVsRivals !== 0;
  const convoys =
    next.convoyRoutes |
    next.paradox |
    next.adjacentConvoy |
    next.convoyFallback |
    next.cutFromOrigin |
    next.dislodgedNoEffect;
  const walks = fallback !== NO_FALLBACK || (adjacentConvoy !== INTENT && adjacentConvoy !== WRITTEN);
  special =
    (convoys === 0 ? 0 : CONVOYS_DIFFER) | (ownSupportCounts ? SUPPORTS_DIFFER : 0) | (walks ? WALKS_DIFFER : 0);
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

/** 1 for an army that goes by convoy if one holds, and else by land: it has a path for certain. */
const mayWalk = new Int32Array(MAX_LOCATIONS);
/** 1 for an army that a paradox keeps where it is: it has no path. */
const stopped = new Int32Array(MAX_LOCATIONS);
/** Whether there are armies that may walk, among these orders. */
let walkers = false;

// ---- conditions (DATC 3.2, chapter 5.B) ----

/**
 * PATH: not convoyed, or a chain of adjacent fleets from origin to destination whose convoys match and succeed.
 */
const path = (mover: number, optimistic: boolean): boolean => {
  if (byConvoy[mover] === 0) return true;
  return matched[mover] !== 0 && chain(mover, NO_PROVINCE, optimistic);
};
const NO_PROVINCE = -1;

/** A chain of convoys that match and succeed, without one of the fleets (NO_PROVINCE: with all). */
const chain = (mover: number, without: number, optimistic: boolean): boolean => {
  if (stopped[mover] !== 0) return false;
  if (routesAll) return without === NO_PROVINCE && everyConvoy(mover, optimistic);
  const begin = reachedTop;
  let fleets = 0;
  // 1 is reached, 2 is not asked: it is known to fail, or left out.
  for (let f = firstConvoy[mover]; f !== 0; f = nextConvoy[f - 1])
    reachedStack[begin + fleets++] = f - 1 === without ? 2 : 0;
  reachedTop = begin + fleets;
  const found = flood(mover, begin, optimistic);
  reachedTop = begin;
  return found;
};

/** Every route holds if every fleet on one does (DATC 4.A.1, choice a). */
const everyConvoy = (mover: number, optimistic: boolean): boolean => {
  for (let f = firstConvoy[mover]; f !== 0; f = nextConvoy[f - 1]) if (!resolve(f - 1, optimistic)) return false;
  return true;
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

/** The unit in a mover's destination moves to where it comes from. */
const isOpposed = (mover: number): boolean => {
  const opponent = target[mover];
  return unit[opponent] !== 0 && type[opponent] === MOVE && target[opponent] === mover;
};

/** Two units that move against each other, neither by convoy. The flag counts while a convoy is open that decides it. */
const isHeadToHead = (mover: number, optimistic: boolean): boolean => {
  if (!isOpposed(mover) || (byConvoy[target[mover]] | byConvoy[mover]) !== 0) return false;
  return !walkers || !(sails(mover, !optimistic) || sails(target[mover], !optimistic));
};

/** An army that may walk finds its convoy whole. */
const sails = (mover: number, optimistic: boolean): boolean =>
  mayWalk[mover] === 1 && chain(mover, NO_PROVINCE, optimistic);

/** Number of given supports of a unit's order, those of the power of `except` left out (0: all count). */
const supports = (helped: number, optimistic: boolean, except: number): number => {
  let n = 0;
  for (let s = firstSupport[helped]; s !== 0; s = nextSupport[s - 1])
    if ((except === 0 || !samePower(unit[s - 1], except)) && resolve(s - 1, optimistic)) n++;
  return n;
};

/** ATTACK: strength of a move, which has a path, against the unit in its destination. */
const attackStrength = (mover: number, optimistic: boolean, headToHead: boolean): number => {
  const occupant = target[mover];
  const defender = unit[occupant];
  if (defender === 0) return 1 + supports(mover, optimistic, 0);
  if (type[occupant] === MOVE && !headToHead && resolve(occupant, optimistic))
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

/** PREVENT: strength with which a move keeps others from its destination. `beaten`: flag for asking about its opponent. */
const preventStrength = (mover: number, optimistic: boolean, beaten: boolean): number => {
  if (!path(mover, optimistic)) return 0;
  if (isHeadToHead(mover, !optimistic) && resolve(target[mover], beaten)) return 0;
  if (noEffectAlways && isOpposed(mover) && resolve(target[mover], beaten) && !resolve(mover, optimistic)) return 0;
  return 1 + supports(mover, optimistic, 0);
};

const adjudicateMove = (mover: number, optimistic: boolean): boolean => {
  if (!path(mover, optimistic)) return false;
  const headToHead = isHeadToHead(mover, optimistic);
  if (!walkers || headToHead === isHeadToHead(mover, !optimistic)) return wins(mover, optimistic, headToHead);
  // Whether it is a head-to-head is open: best and worst of both.
  return optimistic
    ? wins(mover, true, true) || wins(mover, true, false)
    : wins(mover, false, true) && wins(mover, false, false);
};

/** A move with a path beats who is in its destination, and the others who want it. */
const wins = (mover: number, optimistic: boolean, headToHead: boolean): boolean => {
  const destination = target[mover];
  let attack = attackStrength(mover, optimistic, headToHead);
  const resistance = headToHead
    ? defendStrength(destination, !optimistic)
    : holdStrength(destination, !optimistic, optimistic);
  if (attack <= resistance) return false;
  if (ownSupportCounts) attack = 1 + supports(mover, optimistic, 0);
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
    if (spared !== NO_YEAR && byConvoy[attacker] === 1 && isSpared(supporter, attacker)) {
      if (sparedButCut(supporter, attacker, !optimistic)) return false;
    } else if (attacker === target[supporter] && !(cutFromOrigin && byConvoy[attacker] === 1)) {
      if (resolve(attacker, !optimistic)) return false;
    } else if (path(attacker, !optimistic)) return false;
  }
  return true;
};

/**
 * The paradox rules of the rulebooks (DATC 4.A.2): a convoyed army does not cut a support against one of its own fleets
 * (1971, 2000), or a support that acts where any fleet convoys (1982); not even by dislodging (DATC case 6.F.17).
 */
const isSpared = (supporter: number, army: number): boolean => {
  const fleet = target[supporter];
  if (unit[fleet] === 0 || type[fleet] !== CONVOY || matched[fleet] === 0) return false;
  return spared === RULE_1982 || (type[supporter] === SUPPORT_MOVE && orderAux(order[fleet]) === army);
};

/** Since 2000 only fleets that the army needs count: a chain without this one cuts. */
const sparedButCut = (supporter: number, army: number, optimistic: boolean): boolean =>
  spared === RULE_2000 && matched[army] !== 0 && chain(army, target[supporter], optimistic);

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
  if (convoys && backupRule !== SZYKMAN) {
    holdArmies(begin);
    return;
  }
  for (let i = begin; i < cycleLength; i++) {
    const province = cycle[i];
    if (!convoys) decision[province] = moves ? SUCCEEDED : FAILED;
    else if (type[province] === CONVOY) decision[province] = FAILED;
  }
};

/** The armies whose convoys are in the cycle stay; attacks there fail, unless they are fought (dptg). */
const holdArmies = (begin: number): void => {
  const core = cycle.slice(begin, cycleLength);
  for (const fleet of core) {
    if (type[fleet] !== CONVOY) continue;
    stopped[orderAux(order[fleet])] = 1;
    decision[orderAux(order[fleet])] = FAILED;
  }
  if (backupRule === DPTG && attacksBreakAll(core)) return;
  for (const province of core) {
    if (type[province] === SUPPORT_MOVE || type[province] === SUPPORT_HOLD) continue;
    decision[province] = FAILED;
    if (type[province] === CONVOY) failAttacks(orderAux(order[province]));
  }
};

/** Fails what is open of the attacks on all the fleets of a convoy. */
const failAttacks = (army: number): void => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1])
    for (let a = firstAttacker[f - 1]; a !== 0; a = nextAttacker[a - 1])
      if (decision[a - 1] === OPEN) decision[a - 1] = FAILED;
};

/**
 * Tries whether the attacks, with the armies of the core stopped, break every one of its convoys: then that is the
 * resolution (DATC 4.A.2, choice f; the Player's Technical Guide, steps 12 and 13). What was known before is kept.
 */
const attacksBreakAll = (core: Int32Array): boolean => {
  const known = [decision, visitDepth, cycle, inCycle, lowOf, stopped].map((array) => array.slice());
  const numbers = [cycleLength, depth, low, reachedTop];
  const wasUncertain = uncertain;
  visitDepth.fill(NOT_VISITED);
  inCycle.fill(0);
  cycleLength = 0;
  depth = 0;
  for (const fleet of core) if (type[fleet] === CONVOY) stopped[orderAux(order[fleet])] = 1;
  let all = true;
  for (const fleet of core) if (type[fleet] === CONVOY && all) all = isBroken(orderAux(order[fleet]));
  [decision, visitDepth, cycle, inCycle, lowOf, stopped].forEach((array, i) => {
    array.set(known[i]);
  });
  [cycleLength, depth, low, reachedTop] = numbers;
  uncertain = wasUncertain;
  return all;
};

/** True if fleets were lost that the army needed. Decides its convoys. */
const isBroken = (army: number): boolean => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) resolve(f - 1, true);
  const kept = stopped[army];
  stopped[army] = 0;
  const whole = chain(army, NO_PROVINCE, true);
  stopped[army] = kept;
  return !whole;
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
    destination[p] = type[p] === MOVE ? target[p] : p;
    decision[p] = type[p] === HOLD ? FAILED : OPEN;
    firstAttacker[target[p]] = 0;
    firstAttacker[p] = 0;
    firstSupport[p] = 0;
    firstConvoy[p] = 0;
  }
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (type[p] === MOVE) {
      nextAttacker[p] = firstAttacker[target[p]];
      firstAttacker[target[p]] = p + 1;
    } else if (type[p] === SUPPORT_MOVE || type[p] === SUPPORT_HOLD) linkSupport(p);
  }
  convoyingCount = 0;
  walkers = false;
  if (special !== 0) {
    for (let i = 0; i < count; i++) {
      mayWalk[places[i]] = 0;
      stopped[places[i]] = 0;
    }
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
    if (type[fleet] === CONVOY && !linkConvoy(fleet)) unmatch(fleet);
  }
  if ((special & CONVOYS_DIFFER) !== 0) chooseWays(count);
  for (let i = 0; i < count; i++) {
    const army = places[i];
    if (type[army] !== MOVE || (byConvoy[army] | (walkers ? mayWalk[army] : 0)) === 0) continue;
    convoying[convoyingCount++] = army;
    if (!hasOrderedChain(army)) unmatch(army);
  }
};

// ---- which way an army goes, and with which fleets, where the rules are not the default ones (DATC 4.A.1, 4.A.3) ----

const chooseWays = (count: number): void => {
  for (let i = 0; i < count; i++) {
    const army = places[i];
    if (type[army] !== MOVE || (firstConvoy[army] === 0 && byConvoy[army] === 0)) continue;
    const ownFleet = hasOwnFleet(army);
    if (ownFleetsFirst) refuseForeign(army);
    const ordered = hasOrderedChain(army);
    if (routesAll && ordered) dropUseless(army);
    byConvoy[army] = goesByConvoy(army, ordered, ownFleet) ? 1 : 0;
    if (mayWalk[army] === 1) walkers = true;
  }
};

const canWalk = (mover: number): boolean => reaches(mover, target[mover]);

/** True if the unit in a province can go to another over a border. */
const reaches = (from: number, to: number): boolean => {
  const key = (unit[from] & 0xffff) - 1;
  return ((reach[key * WORDS + (to >> 5)] >>> (to & 31)) & 1) === 1;
};

/** Decides the way; marks the armies for which that is open. */
const goesByConvoy = (army: number, ordered: boolean, ownFleet: boolean): boolean => {
  if (!canWalk(army)) return true;
  const written = orderVia(order[army]) === 1;
  switch (adjacentConvoy) {
    case INTENT:
      if (!written && !ownFleet) return false;
      if (fallback === NO_FALLBACK) return true;
      if (fallback === FALLBACK_UNORDERED) return ordered;
      mayWalk[army] = ordered ? 1 : 0;
      return false;
    case ALWAYS:
      return ordered;
    case OPPOSITE:
      return ordered && isOpposed(army);
    case WRITTEN:
      return written;
    default:
      mayWalk[army] = ordered && isOpposed(army) ? 1 : 0;
      return false;
  }
};

const hasOwnFleet = (army: number): boolean => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) if (samePower(unit[f - 1], unit[army])) return true;
  return false;
};

/** Takes those fleets from the army's convoys that `keep` does not mark, and unmatches them. */
const keepFleets = (army: number, keep: Int32Array): void => {
  let last = -1;
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) {
    if (keep[f - 1] === 1) {
      last = f - 1;
      continue;
    }
    unmatch(f - 1);
    if (last < 0) firstConvoy[army] = nextConvoy[f - 1];
    else nextConvoy[last] = nextConvoy[f - 1];
  }
};
const kept = new Int32Array(MAX_LOCATIONS);

/** If the army's own fleets make a route, the others are not wanted (Player's Technical Guide, step 1). */
const refuseForeign = (army: number): void => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) {
    kept[f - 1] = samePower(unit[f - 1], unit[army]) ? 1 : 0;
    assumed[f - 1] = kept[f - 1];
  }
  if (floodAssumed(army)) keepFleets(army, kept);
};

/** Fleets on no simple chain from the army to its destination fall out. */
const dropUseless = (army: number): void => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) kept[f - 1] = 0;
  walkChains(army, army);
  keepFleets(army, kept);
};

/** Follows every simple chain on from a province, marks in `kept` the fleets of those that arrive; says if one did. */
const walkChains = (army: number, from: number): boolean => {
  let arrives = from !== army && isNextToSea(target[army], from) === 1;
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) {
    const fleet = f - 1;
    if (assumed[fleet] !== 0 || isNextToSea(from, fleet) === 0) continue;
    assumed[fleet] = 1;
    if (walkChains(army, fleet)) {
      kept[fleet] = 1;
      arrives = true;
    }
    assumed[fleet] = 0;
  }
  return arrives;
};

/** Adds a fleet to the convoys of its army if that army moves where the fleet takes it; else returns false. */
const linkConvoy = (fleet: number): boolean => {
  const army = orderAux(order[fleet]);
  if (unit[army] === 0 || orderType(order[army]) !== MOVE) return false;
  if (destination[army] !== orderTarget(order[fleet])) return false;
  nextConvoy[fleet] = firstConvoy[army];
  firstConvoy[army] = fleet + 1;
  // Intent: the convoy of an own fleet is taken even if the destination is adjacent (DATC 4.A.3).
  if (samePower(unit[fleet], unit[army])) byConvoy[army] = 1;
  return true;
};

/** True if the matching convoys, all of them taken to succeed, make a chain for the army. */
const hasOrderedChain = (army: number): boolean => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) assumed[f - 1] = 1;
  return floodAssumed(army);
};
const assumed = new Int32Array(MAX_LOCATIONS);

/** Spreads over the fleets marked in `assumed` (2: reached), clears the marks; true if it reached the destination. */
const floodAssumed = (army: number): boolean => {
  const found = spread(army);
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) assumed[f - 1] = 0;
  return found;
};

const spread = (army: number): boolean => {
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
      if (isNextToSea(destination[army], fleet) === 1) return true;
      assumed[fleet] = 2;
      grown = true;
    }
  }
  return false;
};

/**
 * Resolves the orders on the board by the recursion alone.
 * @param count units on the board: places[0 .. count)
 * @returns the number of dislodged units
 */
export const resolveByRecursion = (count: number): number => {
  clearOutput();
  dislodged = 0;
  prepare(count);
  for (let i = 0; i < count; i++) if (decision[places[i]] === OPEN) resolve(places[i], true);
  for (let i = 0; i < count; i++) {
    const p = places[i];
    success[p] = decision[p] === SUCCEEDED ? 1 : 0;
  }
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (type[p] !== MOVE) continue;
    if (walkers && mayWalk[p] === 1) byConvoy[p] = holds(p) ? 1 : 0;
    if (byConvoy[p] === 1) held[p] = holds(p) ? 1 : 0;
    if (success[p] === 0 || !staysIn(target[p])) continue;
    dislodgedBy[target[p]] = p + 1;
    losers[dislodged++] = target[p];
  }
  return dislodged;
};

/** After resolving: true if the army's convoy held. */
const holds = (army: number): boolean => {
  if (matched[army] === 0 || stopped[army] !== 0) return false;
  if (routesAll) return everyConvoy(army, true);
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) if (success[f - 1] === 1) assumed[f - 1] = 1;
  return floodAssumed(army);
};

/** After resolving: true if there is a unit in the province that does not leave it. */
const staysIn = (province: number): boolean =>
  unit[province] !== 0 && (destination[province] === province || success[province] === 0);

/**
 * Writes the provinces left empty in which moves bounced to `contested` (a bitset of one row), after resolving: no unit
 * retreats there. A unit dislodged in a head-to-head bounced nobody in its attacker's province.
 */
export const findContested = (count: number, contested: Int32Array): void => {
  for (let w = 0; w < WORDS; w++) contested[w] = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const to = destination[p];
    if (to === p || success[p] === 1) continue;
    if (byConvoy[p] === 1 ? held[p] === 0 || (noEffectAlways && lostHeadToHead(p)) : lostHeadToHead(p)) continue;
    contested[to >> 5] |= 1 << (to & 31);
  }
  // What is occupied afterwards is not contested.
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const stays = success[p] === 1 ? destination[p] : p;
    if (dislodgedBy[p] === 0) contested[stays >> 5] &= ~(1 << (stays & 31));
  }
};

const lostHeadToHead = (mover: number): boolean => {
  const opponent = destination[mover];
  return (
    unit[opponent] !== 0 &&
    destination[opponent] === mover &&
    (byConvoy[opponent] === 0 || noEffectAlways) &&
    dislodgedBy[mover] === opponent + 1
  );
};

// ---- the straight-line passes ----
//
// Most order sets need no recursion. The passes below settle everything with integer arithmetic in plain loops (what
// costs here is branches that cannot be predicted), or find that they cannot be certain and leave the whole set to the
// recursion. They are certain because they use only facts that do not depend on what they establish:
//
//   1  every order: where it goes; attackers counted by province
//   2  if there are convoys: chains that could carry an army
//   3  supports: matched; cut by another power, but for the unit that the support acts against. If that attacks with
//      support of its own, the supports on both sides decide, once they are certain; if they never are -> recursion.
//      If there are convoys: a fleet attacked with support is dislodged or not by the supports on both sides, which are
//      certain while no convoyed army attacks a supporter -> else recursion
//   4  supported moves: who leads in a province, and the strength of the best rival
//   5  moves: only a leader can succeed; into an empty province it does
//   6  leaders into occupied provinces: they dislodge, fail, or depend on the unit there leaving
//   7  those that depend: follow the chain to something decided; a ring is circular movement
//
// If pass 6 finds a head-to-head that is won, and others attack the winner's province, the loser no longer prevents
// those: their leader is found anew, and passes 5 and 6 begin again.

/** 1 if the two are equal, else 0: a ^ b is 0, and 0 - 1 has the top bit set. */
const isEqual = (a: number, b: number): number => ((a ^ b) - 1) >>> 31;
/** 1 if a is less than b, else 0, for numbers whose difference fits an int32. */
const isLess = (a: number, b: number): number => (a - b) >>> 31;
/** All bits set where flag is 1, none where it is 0. */
const mask = (flag: number): number => -flag;
/** 1 if the units are of different powers (or one of the words is 0 and the other not). */
const isForeign = (a: number, b: number): number => -((a ^ b) >>> 16) >>> 31;

// One word of attackers by province: how many [16..], and the sum of the provinces that they come from [0..15] (at most
// 256 of at most 255). A single attacker from p: ATTACKER + p.
const ATTACKER = 1 << 16;
const SOURCES = ATTACKER - 1;
const attackers = new Int32Array(MAX_LOCATIONS);

// One word of supports by unit: doubtful [24..30], matched [16..23], given by others than the power of the unit in the
// target [8..15], given [0..7]. What is doubtful counts as given until it is settled.
const DOUBTFUL = 1 << 24;
const MATCHED = 1 << 16;
const USABLE = 1 << 8;
const COUNT_MASK = 0xff;
const support = new Int32Array(MAX_LOCATIONS);

/** A supported move that is stronger than all others into its destination: 1. */
const leads = new Int32Array(MAX_LOCATIONS);
/** By supported move: the strength of its strongest rival, 0 if it has none. */
const rival = new Int32Array(MAX_LOCATIONS);

const movers = new Int32Array(MAX_LOCATIONS + 1);
const supporters = new Int32Array(MAX_LOCATIONS + 1);
const convoying = new Int32Array(MAX_LOCATIONS + 1);
const supported = new Int32Array(2 * MAX_LOCATIONS);
const doubtful = new Int32Array(MAX_LOCATIONS + 1);
const challengers = new Int32Array(MAX_LOCATIONS + 1);
const dependent = new Int32Array(MAX_LOCATIONS + 1);
const vacated = new Int32Array(MAX_LOCATIONS + 1);

/** Provinces of dislodged units: those where dislodgedBy is not 0. */
const losers = new Int32Array(MAX_LOCATIONS);

/** Strongest and second strongest supported move into a province, and where the strongest comes from. Only in pass 4. */
const best = new Int32Array(MAX_LOCATIONS);
const second = new Int32Array(MAX_LOCATIONS);
const top = new Int32Array(MAX_LOCATIONS);

let moverCount = 0;
let supporterCount = 0;
let convoyingCount = 0;
let supportedCount = 0;
let doubtfulCount = 0;
/** Fleets whose convoys match, and armies by convoy that no chain takes, of this order set. */
let linkedCount = 0;
let strandedCount = 0;
let dislodged = 0;

/** Forgets what the last order set left in the output, where the passes write only what is not 0. */
const clearOutput = (): void => {
  for (let i = 0; i < dislodged; i++) dislodgedBy[losers[i]] = 0;
  for (let i = 0; i < convoyingCount; i++) byConvoy[convoying[i]] = 0;
};

/** Pass 1. */
const readOrders = (count: number): void => {
  let m = 0;
  let s = 0;
  let c = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const o = order[p];
    const moves = (o >> 1) & 1;
    const to = p ^ ((p ^ orderTarget(o)) & mask(moves));
    destination[p] = to;
    movers[m] = p;
    m += moves;
    supporters[s] = p;
    s += (o >> 2) & 1;
    convoying[c] = p;
    c += ((o >> 3) | (o >> 4)) & 1;
    attackers[to] += (ATTACKER + p) & mask(moves);
  }
  moverCount = m;
  supporterCount = s;
  convoyingCount = c;
};

/** Pass 2, only with convoys: those without an ordered chain do not move. */
const readConvoys = (): void => {
  const count = convoyingCount;
  for (let i = 0; i < count; i++) {
    const p = convoying[i];
    byConvoy[p] = orderVia(order[p]);
    firstConvoy[orderType(order[p]) === CONVOY ? orderAux(order[p]) : p] = 0;
  }
  let armies = count;
  let links = 0;
  for (let i = 0; i < count; i++) {
    const fleet = convoying[i];
    if (orderType(order[fleet]) !== CONVOY) continue;
    const army = orderAux(order[fleet]);
    const known = orderVia(order[army]) | byConvoy[army];
    const link = linkConvoy(fleet) ? 1 : 0;
    matched[fleet] = link;
    success[fleet] = link;
    links += link;
    // An army that an own fleet takes without VIA joins those to look at.
    convoying[armies] = army;
    armies += link & (known ^ 1) & byConvoy[army];
  }
  convoyingCount = armies;
  linkedCount = links;
  strandedCount = 0;
  for (let i = 0; i < armies; i++) {
    const army = convoying[i];
    if (orderType(order[army]) !== MOVE) continue;
    const chain = firstConvoy[army] !== 0 && hasOrderedChain(army) ? 1 : 0;
    matched[army] = chain;
    held[army] = chain;
    if (chain === 0) strand(army);
  }
  if (strandedCount > 0) dropStranded();
};

/** An army without a convoy attacks nothing. */
const strand = (army: number): void => {
  success[army] = 0;
  attackers[destination[army]] -= ATTACKER + army;
  strandedCount++;
};

const dropStranded = (): void => {
  let m = 0;
  for (let i = 0; i < moverCount; i++) {
    const p = movers[i];
    movers[m] = p;
    m += (byConvoy[p] & (held[p] ^ 1)) ^ 1;
  }
  moverCount = m;
};

// What several attackers of a supporter come to.
const CUT = 1;
const FROM_TARGET = 2;

/** CUT if one of another power comes from elsewhere than the province that the support acts on, FROM_TARGET if from it. */
const readAttacksOn = (supporter: number, target: number): number => {
  let found = 0;
  for (let i = 0; i < moverCount; i++) {
    const p = movers[i];
    if (destination[p] !== supporter || samePower(unit[p], unit[supporter])) continue;
    found |= p === target ? FROM_TARGET : CUT;
  }
  return found;
};

/** Pass 3. */
const readSupports = (): void => {
  let n = 0;
  let doubts = 0;
  for (let i = 0; i < supporterCount; i++) {
    const q = supporters[i];
    const o = order[q];
    const helped = orderAux(o);
    const to = orderTarget(o);
    const match = isEqual(destination[helped], to) & (-unit[helped] >>> 31);
    const attack = attackers[q];
    let cut = isForeign(unit[attack & SOURCES & 0xff], unit[q]);
    let onlyTarget = isEqual(attack, ATTACKER + to) & cut;
    cut &= (-attack >>> 31) & (onlyTarget ^ 1);
    if (attack >= 2 * ATTACKER) {
      const hostile = readAttacksOn(q, to);
      cut = hostile & CUT;
      onlyTarget = (hostile >> 1) & (cut ^ 1);
    }
    const given = match & (cut ^ 1);
    const doubt = match & onlyTarget;
    const before = support[helped];
    support[helped] = before + given * (1 + USABLE * isForeign(unit[q], unit[to])) + MATCHED * match + DOUBTFUL * doubt;
    matched[q] = match;
    success[q] = given;
    supported[n] = helped;
    n += given & o & isEqual(before & COUNT_MASK, 0);
    doubtful[doubts] = q;
    doubts += doubt;
  }
  supportedCount = n;
  doubtfulCount = doubts;
};

/** Given supports of a unit, and those that count against the unit in its target. */
const givenTo = (unitAt: number): number => support[unitAt] & COUNT_MASK;
const usableTo = (unitAt: number): number => (support[unitAt] >> 8) & COUNT_MASK;

/**
 * Settles supports that are attacked by the unit which they act against, and by no other: cut if that dislodges the
 * supporter. Returns 1 if some stay open because they hang on one another.
 */
const settleDoubts = (): number => {
  let left = doubtfulCount;
  let settled = true;
  while (left > 0 && settled) {
    settled = false;
    let open = 0;
    for (let i = 0; i < left; i++) {
      const q = doubtful[i];
      const attacker = orderTarget(order[q]);
      const supportedAttack = support[attacker] >= MATCHED;
      // Others of the supporter's own power that attack it would have to be counted too.
      const clear = attackers[q] >>> 16 === 1 && support[attacker] < DOUBTFUL && support[q] < DOUBTFUL;
      if (supportedAttack && !clear) {
        doubtful[open++] = q;
        continue;
      }
      settled = true;
      const helped = orderAux(order[q]);
      support[helped] -= DOUBTFUL;
      if (!supportedAttack || usableTo(attacker) <= givenTo(q)) continue;
      success[q] = 0;
      support[helped] -= 1 + USABLE * isForeign(unit[q], unit[attacker]);
    }
    left = open;
  }
  return left;
};

/** Pass 3, only with convoys: true if some convoying fleet is attacked with support. */
const isConvoyInDanger = (): boolean => {
  for (let i = 0; i < convoyingCount; i++) {
    const fleet = convoying[i];
    if (orderType(order[fleet]) !== CONVOY || matched[fleet] === 0 || attackers[fleet] === 0) continue;
    for (let k = 0; k < moverCount; k++)
      if (destination[movers[k]] === fleet && support[movers[k]] >= MATCHED) return true;
  }
  return false;
};

/**
 * Finds the convoying fleets that are dislodged, and the armies that lose their chain by it. Returns 1 if that is not
 * certain, because a convoyed army attacks a unit that supports.
 */
const breakConvoys = (): number => {
  for (let i = 0; i < convoyingCount; i++) {
    const to = destination[convoying[i]];
    if (to !== convoying[i] && unit[to] !== 0 && ((order[to] >> 2) & 1) === 1) return 1;
  }
  for (let i = 0; i < convoyingCount; i++) {
    const fleet = convoying[i];
    if (orderType(order[fleet]) === CONVOY && matched[fleet] === 1 && isFleetDislodged(fleet)) success[fleet] = 0;
  }
  for (let i = 0; i < convoyingCount; i++) {
    const army = convoying[i];
    if (orderType(order[army]) !== MOVE || held[army] === 0 || holds(army)) continue;
    held[army] = 0;
    strand(army);
  }
  if (strandedCount > 0) dropStranded();
  return 0;
};

/** With certain supports: true if a unit that does not move is dislodged. */
const isFleetDislodged = (fleet: number): boolean => {
  let strongest = 0;
  let next = 0;
  let from = 0;
  for (let i = 0; i < moverCount; i++) {
    const p = movers[i];
    if (destination[p] !== fleet) continue;
    const strength = 1 + givenTo(p);
    if (strength > strongest) {
      next = strongest;
      strongest = strength;
      from = p;
    } else if (strength > next) next = strength;
  }
  if (strongest === next || samePower(unit[from], unit[fleet])) return false;
  const attack = 1 + usableTo(from);
  return attack > 1 + givenTo(fleet) && attack > next;
};

/** Pass 3, only with convoys: an army that does not move leads nowhere, whoever supports it. */
const dropSupportedStranded = (): void => {
  let n = 0;
  for (let i = 0; i < supportedCount; i++) {
    const p = supported[i];
    if (byConvoy[p] === 1 && held[p] === 0) continue;
    supported[n++] = p;
  }
  supportedCount = n;
};

/** Pass 4. */
const findLeaders = (): void => {
  for (let i = 0; i < supportedCount; i++) {
    const p = supported[i];
    const to = destination[p];
    const strength = 1 + (support[p] & COUNT_MASK);
    const strongest = best[to];
    if (strength > strongest) {
      second[to] = strongest;
      best[to] = strength;
      top[to] = p;
    } else if (strength > second[to]) second[to] = strength;
  }
  for (let i = 0; i < supportedCount; i++) {
    const p = supported[i];
    const to = destination[p];
    // Moves without support have strength 1.
    const least = isLess(1, attackers[to] >>> 16);
    const against = Math.max(second[to], least);
    rival[p] = against;
    leads[p] = isEqual(top[to], p) & isLess(against, best[to]);
  }
  for (let i = 0; i < supportedCount; i++) {
    const to = destination[supported[i]];
    best[to] = 0;
    second[to] = 0;
  }
};

/** Success of a move that goes wherever the unit before it goes. */
const DEPENDS = 2;

/** Finds the leader into a province anew, without the move from one province. */
const leadWithout = (to: number, loser: number): void => {
  let strongest = 0;
  let next = 0;
  for (let i = 0; i < moverCount; i++) {
    const p = movers[i];
    if (destination[p] !== to || p === loser) continue;
    const strength = 1 + givenTo(p);
    next = Math.max(next, Math.min(strongest, strength));
    strongest = Math.max(strongest, strength);
  }
  for (let i = 0; i < moverCount; i++) {
    const p = movers[i];
    if (destination[p] !== to) continue;
    leads[p] = p !== loser && strongest > next && 1 + givenTo(p) === strongest ? 1 : 0;
    rival[p] = next;
    supported[supportedCount++] = p;
  }
};

/** Passes 5 and 6; returns the number of those that depend on others. */
const decideLeaders = (): number => {
  let n = 0;
  for (let i = 0; i < moverCount; i++) {
    const p = movers[i];
    const to = destination[p];
    const leader = isEqual(attackers[to] >>> 16, 1) | leads[p];
    const occupied = -unit[to] >>> 31;
    success[p] = leader & (occupied ^ 1);
    challengers[n] = p;
    n += leader & occupied;
  }
  let dependents = 0;
  let winners = 0;
  let leaving = 0;
  for (let i = 0; i < n; i++) {
    const p = challengers[i];
    const to = destination[p];
    const next = destination[to];
    const leaves = isEqual(next, to) ^ 1;
    const headToHead = isEqual(next, p) & ((byConvoy[p] | byConvoy[to]) ^ 1);
    const attack = (1 + usableTo(p)) & mask(isForeign(unit[to], unit[p]));
    const resistance = 1 + (givenTo(to) & mask((leaves ^ 1) | headToHead));
    const wins = isLess(resistance, attack) & isLess(rival[p], attack);
    const depends = leaves & (headToHead ^ 1) & (wins ^ 1);
    success[p] = wins | (depends << 1);
    vacated[leaving] = p;
    leaving += headToHead & wins & isLess(1, attackers[p] >>> 16);
    dependent[dependents] = p;
    dependents += depends;
    challengers[winners] = p;
    winners += wins;
  }
  winnerCount = winners;
  vacatedCount = leaving;
  return dependents;
};
let winnerCount = 0;
let vacatedCount = 0;

/** Passes 5 to 7. */
const decideMoves = (): void => {
  let dependents = decideLeaders();
  if (vacatedCount > 0) {
    // Who wins a head-to-head hangs on nothing else: once is enough.
    for (let i = 0; i < vacatedCount; i++) leadWithout(vacated[i], destination[vacated[i]]);
    dependents = decideLeaders();
  }
  for (let i = 0; i < dependents; i++) {
    const p = dependent[i];
    let q = destination[p];
    while (success[q] === DEPENDS && q !== p) q = destination[q];
    success[p] = success[q] === 0 ? 0 : 1;
  }
  dislodged = 0;
  for (let i = 0; i < winnerCount; i++) {
    const to = destination[challengers[i]];
    if ((isEqual(destination[to], to) | (success[to] ^ 1)) === 0) continue;
    dislodgedBy[to] = challengers[i] + 1;
    losers[dislodged++] = to;
  }
};

const clearCounts = (): void => {
  for (let i = 0; i < moverCount; i++) attackers[destination[movers[i]]] = 0;
  for (let i = 0; i < supporterCount; i++) support[orderAux(order[supporters[i]])] = 0;
  for (let i = 0; i < supportedCount; i++) {
    leads[supported[i]] = 0;
    rival[supported[i]] = 0;
  }
};

/** Returns 1 if the recursion must decide. */
const passes = (count: number): number => {
  clearOutput();
  readOrders(count);
  if (convoyingCount > 0) readConvoys();
  readSupports();
  if (doubtfulCount > 0 && settleDoubts() > 0) return 1;
  if (convoyingCount > 0) {
    if (linkedCount > 0 && isConvoyInDanger() && breakConvoys() > 0) return 1;
    if (strandedCount > 0) dropSupportedStranded();
  }
  findLeaders();
  decideMoves();
  return 0;
};

/** True if rules that are not the default ones could matter for the orders on the board: the passes know only those. */
const isSpecial = (count: number): boolean => {
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const o = order[p];
    const to = orderTarget(o);
    switch (orderType(o)) {
      case MOVE:
        // A move that cannot be made, to where the unit stands, is no hold for the recursion alone.
        if (orderVia(o) === 1 && (to === p || ((special & WALKS_DIFFER) !== 0 && reaches(p, to)))) return true;
        break;
      case CONVOY:
        if ((special & CONVOYS_DIFFER) !== 0 && isMatched(o)) return true;
        break;
      case SUPPORT_MOVE:
        if ((special & SUPPORTS_DIFFER) !== 0 && helpsAgainstOwn(p, o)) return true;
    }
  }
  return false;
};

/** The unit that a support or convoy helps moves there. */
const isMatched = (o: number): boolean => {
  const helped = orderAux(o);
  return unit[helped] !== 0 && orderType(order[helped]) === MOVE && orderTarget(order[helped]) === orderTarget(o);
};

const helpsAgainstOwn = (supporter: number, o: number): boolean => {
  const there = unit[orderTarget(o)];
  return there !== 0 && samePower(unit[supporter], there) && isMatched(o) && !samePower(unit[orderAux(o)], there);
};

/** Order sets resolved, and those among them that the passes left to the recursion, since the program began. */
export const counters = { sets: 0, recursions: 0 };

/**
 * Resolves the orders on the board.
 * @param count units on the board: places[0 .. count)
 * @returns the number of dislodged units
 */
export const resolveOrders = (count: number): number => {
  if (special !== 0 && isSpecial(count)) {
    counters.sets++;
    counters.recursions++;
    return resolveByRecursion(count);
  }
  const open = passes(count);
  clearCounts();
  counters.sets++;
  if (open === 0) return dislodged;
  counters.recursions++;
  return resolveByRecursion(count);
};
