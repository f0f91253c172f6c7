// The recursion over partial information: what an order set means. DATC 3.2, chapter 5.E, with the conditions of chapter
// 5.B.
//
// Each order resolves to success or failure. adjudicate(order, optimistic) computes the condition of an order with the
// best or the worst case for everything that is still open, and asks with the opposite flag about whatever works against
// the order. An order is decided when both cases agree. Orders that stay open depend on one another in a cycle, for
// which the rules have a backup rule: circular movement succeeds, and a convoy paradox falls to the Szykman rule.
//
// Conditions say what the default rules say; where other rules (variants.ts) say something else, a line calls a function
// of the part "other rules". Maps with a railroad, a canal, difficult borders or convoyable coasts (DATC 2.4, chapters 7
// to 10) add conditions of their own, decisions that belong to no order, and a search in each cycle: see "special maps".
import * as O from '../../rules/order.js';
import type { Results } from '../../rules/results.js';
import * as T from '../../rules/types.js';
import * as B from './board.js';
import * as C from './convoys.js';
import * as V from './variants.js';

// Imports are rebound for speed (passes.ts).
const { places, unit, order, success, byConvoy, matched, hasPath, destination, convoyed } = B.board;
const { firstConvoy, nextConvoy } = C.convoys;
const { eitherWay } = V.ways;
const { found, inUse, isCarried } = V;
const { crosses, passes, stretchTo, trip, lostAt } = found;
const { hasChain, NO_PROVINCE } = C;
const { isOpposed, samePower } = B;
const MAX_LOCATIONS = T.MAX_LOCATIONS;
const { HOLD, MOVE, SUPPORT_HOLD, SUPPORT_MOVE, CONVOY, RAIL, orderType, orderTarget, orderHelped, orderVia } = O;

// ---- decisions ----
// Below MAX_LOCATIONS: of the order of the unit in a province. Above: those of special maps. A stretch of the railroad
// leads to trip[i], i from 1 (variants.ts).
const PASS = MAX_LOCATIONS;
const ROOMS = MAX_LOCATIONS;
const ONS = ROOMS + MAX_LOCATIONS;
const TRIES = ONS + MAX_LOCATIONS;
const DECISIONS = TRIES + MAX_LOCATIONS;
/** Types of decisions that belong to no order: beyond those of orders. */
const IS_PASS = 16;
const IS_ROOM = 17;
const IS_ON = 18;
const IS_TRY = 19;

// ---- the orders, unpacked by prepare() ----
const type = new Int32Array(DECISIONS);
type[PASS] = IS_PASS;
type.fill(IS_ROOM, ROOMS + 1, ONS + 1);
type.fill(IS_ON, ONS + 1, TRIES + 1);
type.fill(IS_TRY, TRIES + 1);
const target = new Int32Array(MAX_LOCATIONS);
// Lists through provinces, each link + 1 (0 ends): attackers of a province, supports of a unit.
const firstAttacker = new Int32Array(MAX_LOCATIONS);
const nextAttacker = new Int32Array(MAX_LOCATIONS);
const firstSupport = new Int32Array(MAX_LOCATIONS);
const nextSupport = new Int32Array(MAX_LOCATIONS);

// ---- what is known ----
const OPEN = 0;
const FAILED = 1;
const SUCCEEDED = 2;
const decision = new Int32Array(DECISIONS);

// ---- conditions (DATC 3.2, chapter 5.B) ----

/** No strength. Less than 0, the strength of a crossing of a difficult border. */
const NONE = -1;

/** PATH: not convoyed, or a chain of adjacent fleets from origin to destination whose convoys match and succeed. */
const path = (mover: number, optimistic: boolean): boolean =>
  byConvoy[mover] === 0
    ? passes[mover] === 0 || canalPath(mover, optimistic)
    : convoyPath(mover, NO_PROVINCE, optimistic);

const convoyPath = (army: number, without: number, optimistic: boolean): boolean =>
  matched[army] !== 0 && !isStopped(army) && isCarried(army, resolve, optimistic, without);

/** Two units that move against each other, neither by convoy. The flag counts while it is open who is convoyed. */
const isHeadToHead = (mover: number, optimistic: boolean): boolean => {
  if (!isOpposed(mover) || (byConvoy[target[mover]] | byConvoy[mover]) !== 0) return false;
  if ((passes[mover] | passes[target[mover]]) !== 0) return false;
  return !waysAreOpen || !(goesByConvoy(mover, !optimistic) || goesByConvoy(target[mover], !optimistic));
};

/** 1 + the given supports of a unit's order, those of the power of the unit `except` left out (0: all count). */
const strength = (helped: number, optimistic: boolean, except: number): number => {
  let n = crosses[helped] === 0 ? 1 : ownStrength(helped, optimistic);
  for (let s = firstSupport[helped]; s !== 0; s = nextSupport[s - 1])
    if ((except === 0 || !samePower(unit[s - 1], except)) && resolve(s - 1, optimistic)) n++;
  return n;
};

/** ATTACK: strength of a move, which has a path, against the unit in its destination. */
const attackStrength = (mover: number, optimistic: boolean, headToHead: boolean): number => {
  const occupant = target[mover];
  const defender = unit[occupant];
  if (defender === 0) return strength(mover, optimistic, 0);
  if (isMove(occupant) && !headToHead && resolve(occupant, optimistic)) return strength(mover, optimistic, 0);
  return samePower(defender, unit[mover]) ? NONE : strength(mover, optimistic, defender);
};

/** HOLD: strength of a province against those who enter. `leaves` is the flag for asking whether its unit leaves. */
const holdStrength = (province: number, optimistic: boolean, leaves: boolean): number => {
  if (unit[province] === 0) return NONE;
  if (isMove(province)) return resolve(province, leaves) ? NONE : 1;
  return strength(province, optimistic, 0);
};

/** DEFEND: strength of a move in a head-to-head. */
const defendStrength = (mover: number, optimistic: boolean): number =>
  type[mover] === RAIL ? stretchStrength(1, optimistic) : strength(mover, optimistic, 0);

/** PREVENT: strength with which a move keeps others from its destination. `beaten`: flag for asking about its opponent. */
const preventStrength = (mover: number, optimistic: boolean, beaten: boolean): number => {
  if (!path(mover, optimistic)) return NONE;
  if (isHeadToHead(mover, !optimistic) && resolve(target[mover], beaten)) return NONE;
  if (inUse.noEffectAlways && isDislodgedByOpponent(mover, optimistic, beaten)) return NONE;
  return strength(mover, optimistic, 0);
};

/** A unit that leaves if it succeeds. */
const isMove = (province: number): boolean => type[province] === MOVE || type[province] === RAIL;

/** MOVE: it has a path, and beats the unit in its destination and all other moves there. */
const adjudicateMove = (mover: number, optimistic: boolean): boolean =>
  beatsUnits(mover, optimistic) && (stretchTo[target[mover]] === 0 || beatsTrain(mover, optimistic));

/** The same but for a train, which only wants to go there. */
const beatsUnits = (mover: number, optimistic: boolean): boolean => {
  if (!path(mover, optimistic)) return false;
  const headToHead = isHeadToHead(mover, optimistic);
  return waysAreOpen && headToHead !== isHeadToHead(mover, !optimistic)
    ? winsEitherWay(mover, optimistic)
    : wins(mover, optimistic, headToHead);
};

const wins = (mover: number, optimistic: boolean, headToHead: boolean): boolean => {
  const destination = target[mover];
  let attack = attackStrength(mover, optimistic, headToHead);
  const resistance = headToHead
    ? defendStrength(destination, !optimistic)
    : holdStrength(destination, !optimistic, optimistic);
  if (attack <= resistance) return false;
  if (inUse.ownSupportCounts) attack = strength(mover, optimistic, 0);
  for (let a = firstAttacker[destination]; a !== 0; a = nextAttacker[a - 1])
    if (a - 1 !== mover && attack <= preventStrength(a - 1, !optimistic, optimistic)) return false;
  return true;
};

/** SUPPORT: no move of another power into the supporter's province cuts it. */
const adjudicateSupport = (supporter: number, optimistic: boolean): boolean => {
  for (let a = firstAttacker[supporter]; a !== 0; a = nextAttacker[a - 1])
    if (!samePower(unit[a - 1], unit[supporter]) && cuts(a - 1, supporter, !optimistic)) return false;
  return true;
};

/**
 * A move with a path cuts. From the province that the support acts on only a successful one does: it dislodges. (Of the
 * others the path is enough: a successful move has one.)
 */
const cuts = (attacker: number, supporter: number, optimistic: boolean): boolean => {
  if (crosses[attacker] !== 0 && !hasForeignHelp(attacker, supporter, optimistic)) return false;
  if (byConvoy[attacker] === 1) {
    if (V.isSpared(supporter, attacker)) return cutsSpared(attacker, supporter, optimistic);
    if (inUse.cutFromOrigin) return path(attacker, optimistic);
  }
  return attacker === target[supporter] ? resolve(attacker, optimistic) : path(attacker, optimistic);
};

/** CONVOY: no move into the fleet's province succeeds. */
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
    case SUPPORT_HOLD:
    case SUPPORT_MOVE:
      return adjudicateSupport(province, optimistic);
    default:
      return adjudicateSpecial(province, optimistic);
  }
};

// ---- the recursion (DATC 3.2, chapter 5.E) ----

const NOT_VISITED = 0;
/** Depth in the recursion at which an order is being visited, from 1. */
const visitDepth = new Int32Array(DECISIONS);
/** Orders of the cycle found so far that is still open, and whether one is in it. */
const cycle = new Int32Array(DECISIONS);
const inCycle = new Int32Array(DECISIONS);
/** The least depth that an order of the cycle leans on. */
const lowOf = new Int32Array(DECISIONS);
const INFINITE_DEPTH = 1 << 20;

/** How far the recursion is. */
const state = {
  /** Number of orders in `cycle`. */
  cycleLength: 0,
  /** Number of orders that are being visited. */
  depth: 0,
  /** The least depth that the order being adjudicated was found to lean on. */
  low: INFINITE_DEPTH,
  /** True once something that was asked about was still open. */
  uncertain: false,
};

const dropCycle = (length: number): void => {
  while (state.cycleLength > length) inCycle[cycle[--state.cycleLength]] = 0;
};

const joinCycle = (province: number, leansOn: number): void => {
  lowOf[province] = leansOn;
  if (inCycle[province] !== 0) return;
  inCycle[province] = 1;
  cycle[state.cycleLength++] = province;
};

/** True if the order succeeds; while that is open, true in the optimistic case and false in the other. */
const resolve = (province: number, optimistic: boolean): boolean => {
  if (decision[province] !== OPEN) return decision[province] === SUCCEEDED;
  if (inCycle[province] !== 0) {
    state.uncertain = true;
    if (lowOf[province] < state.low) state.low = lowOf[province];
    return optimistic;
  }
  if (visitDepth[province] !== NOT_VISITED) {
    state.uncertain = true;
    joinCycle(province, visitDepth[province]);
    if (visitDepth[province] < state.low) state.low = visitDepth[province];
    return optimistic;
  }
  visitDepth[province] = ++state.depth;
  const oldLength = state.cycleLength;
  const oldLow = state.low;
  const oldUncertain = state.uncertain;
  state.low = INFINITE_DEPTH;
  state.uncertain = false;
  const best = adjudicate(province, true);
  // It failed even in the best case, or nothing that it asked about was open: one pass is enough.
  const worst = best && state.uncertain ? adjudicate(province, false) : best;
  const ownDepth = state.depth--;
  visitDepth[province] = NOT_VISITED;
  if (best === worst) {
    dropCycle(oldLength);
    state.low = oldLow;
    state.uncertain = oldUncertain;
    decision[province] = best ? SUCCEEDED : FAILED;
    return best;
  }
  if (state.low >= ownDepth) {
    // Nothing below leans on anything above: this order heads the whole cycle.
    joinCycle(province, state.low);
    if (!isSpecial || settleKnot(oldLength, ownDepth)) {
      if (!isSpecial) applyBackupRule(oldLength);
      dropCycle(oldLength);
      state.low = oldLow;
      state.uncertain = oldUncertain;
      return resolve(province, optimistic);
    }
    // The search found that something below leans on something above after all.
  }
  joinCycle(province, state.low);
  if (oldLow < state.low) state.low = oldLow;
  return optimistic;
};

/** Decides the orders of a cycle that have no solution or two: moves alone are circular movement. */
const applyBackupRule = (begin: number): void => {
  const knot = [...cycle.subarray(begin, state.cycleLength)];
  breakKnot(
    begin,
    knot,
    knot.every((node) => type[node] === MOVE),
  );
};

// ---- other rules: conditions ----

/** True while some army goes by convoy if that gives it a path, and else by land (DATC 4.A.3). */
let waysAreOpen = false;

/** An army that may go either way has a path by convoy. */
const goesByConvoy = (mover: number, optimistic: boolean): boolean =>
  eitherWay[mover] === 1 && convoyPath(mover, NO_PROVINCE, optimistic);

/** Whether it is a head-to-head is open: the best, or the worst, of both. */
const winsEitherWay = (mover: number, optimistic: boolean): boolean =>
  optimistic
    ? wins(mover, true, true) || wins(mover, true, false)
    : wins(mover, false, true) && wins(mover, false, false);

/** The unit that it moves against dislodges it, by convoy or not (DATC 4.A.7). */
const isDislodgedByOpponent = (mover: number, optimistic: boolean, beaten: boolean): boolean =>
  isOpposed(mover) && resolve(target[mover], beaten) && !resolve(mover, optimistic);

/** Since 2000 a support is spared only from armies that need the fleet which it acts on (DATC 4.A.2). */
const cutsSpared = (army: number, supporter: number, optimistic: boolean): boolean =>
  V.sparesOnlyNeeded() && convoyPath(army, target[supporter], optimistic);

// ---- other rules: paradoxes in which the armies are stopped (DATC 4.A.2) ----

/** 1 for an army that a paradox keeps where it is: it has no path. */
const stopped = new Int32Array(MAX_LOCATIONS);
const isStopped = (army: number): boolean => inUse.backupRule !== 'szykman' && stopped[army] !== 0;

/** The armies whose convoys are in the cycle stay; attacks there fail, unless the rule lets them be fought. */
const stopArmies = (begin: number): void => {
  const core = cycle.slice(begin, state.cycleLength);
  decideAttacksOutside(core);
  for (const fleet of core) {
    if (type[fleet] !== CONVOY) continue;
    stopped[orderHelped(order[fleet])] = 1;
    decision[orderHelped(order[fleet])] = FAILED;
  }
  if (inUse.backupRule === 'dptg' && attacksBreakAll(core)) return;
  for (const province of core) {
    if (type[province] === SUPPORT_MOVE || type[province] === SUPPORT_HOLD) continue;
    decision[province] = FAILED;
    if (type[province] !== CONVOY) continue;
    for (const attack of attacksOnFleets(orderHelped(order[province])))
      if (decision[attack] === OPEN) decision[attack] = FAILED;
  }
};

/** Moves into all the fleets that were ordered to take an army. */
const attacksOnFleets = (army: number): number[] => {
  const attacks: number[] = [];
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1])
    for (let a = firstAttacker[f - 1]; a !== 0; a = nextAttacker[a - 1]) attacks.push(a - 1);
  return attacks;
};

/** Decides the attacks on those fleets that come out the same whatever the paradox does: they are no part of it. */
const decideAttacksOutside = (core: Int32Array): void => {
  // Below the head of the cycle, on which all of it leans.
  state.depth++;
  for (const node of core) lowOf[node] = state.depth;
  for (const fleet of core)
    if (type[fleet] === CONVOY) for (const attack of attacksOnFleets(orderHelped(order[fleet]))) resolve(attack, true);
  state.depth--;
};

/** Tries something, and writes the arrays back as they were. */
const keeping = <T>(arrays: readonly Int32Array[], attempt: () => T): T => {
  const known = arrays.map((array) => array.slice());
  const answer = attempt();
  arrays.forEach((array, i) => {
    array.set(known[i]);
  });
  return answer;
};

/**
 * Tries whether the attacks, with the armies of the core stopped, break every one of its convoys: then that is the
 * resolution (DATC 4.A.2, choice f; the Player's Technical Guide, steps 12 and 13). What was known before is kept.
 */
const attacksBreakAll = (core: Int32Array): boolean => {
  const before = { ...state };
  const breaksAll = keeping([decision, visitDepth, cycle, inCycle, lowOf, stopped], () => {
    visitDepth.fill(NOT_VISITED);
    inCycle.fill(0);
    state.cycleLength = 0;
    state.depth = 0;
    return core.every((fleet) => type[fleet] !== CONVOY || isBroken(orderHelped(order[fleet])));
  });
  Object.assign(state, before);
  return breaksAll;
};

/** True if fleets were lost that the army needed. Decides its convoys. */
const isBroken = (army: number): boolean => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) resolve(f - 1, true);
  return !isCarried(army, resolve, true, NO_PROVINCE);
};

// ---- special maps: conditions (DATC 2.4, chapters 7 and 10) ----

/** True while one of the orders is special (variants.ts). */
let isSpecial = false;

/** An army that crosses a difficult border has no strength of its own, unless it goes by convoy after all. */
const ownStrength = (mover: number, optimistic: boolean): number =>
  byConvoy[mover] === 1 || (waysAreOpen && goesByConvoy(mover, optimistic)) ? 1 : 0;

/** A crossing cuts only with a given support of another power than the supporter's (case 10.O). */
const hasForeignHelp = (attacker: number, supporter: number, optimistic: boolean): boolean =>
  strength(attacker, optimistic, unit[supporter]) > 0;

/** A fleet passes the canal if it has leave, and the controlling unit neither leaves nor is dislodged. */
const canalPath = (mover: number, optimistic: boolean): boolean =>
  mover === found.permitted && resolve(PASS, optimistic);

/** PASS */
const adjudicatePass = (optimistic: boolean): boolean => {
  const control = inUse.special?.control ?? -1;
  return !(isMove(control) && resolve(control, !optimistic)) && !isEntered(control, !optimistic);
};

/** Some move into the province succeeds. */
const isEntered = (province: number, optimistic: boolean): boolean => {
  for (let a = firstAttacker[province]; a !== 0; a = nextAttacker[a - 1]) if (resolve(a - 1, optimistic)) return true;
  return false;
};

/** Supports count on the last stretch alone. */
const stretchStrength = (stretch: number, optimistic: boolean): number =>
  stretch === found.stretches ? strength(found.train, optimistic, 0) : 1;

/** TRY: the train goes on behind all provinces before this one. */
const adjudicateTry = (stretch: number, optimistic: boolean): boolean => {
  for (let i = 1; i < stretch; i++) if (!resolve(ONS + i, optimistic)) return false;
  return true;
};

const triesStretch = (stretch: number, optimistic: boolean): boolean =>
  stretch === 1 || resolve(TRIES + stretch, optimistic);

/** The unit in the first province of the ride comes towards the train: a head-to-head. */
const meetsOnStart = (): boolean =>
  type[trip[1]] === MOVE && unit[trip[1]] !== 0 && target[trip[1]] === trip[0] && isHeadToHead(trip[1], true);

/** A move into a province of the ride must also beat the train on its way there. */
const beatsTrain = (mover: number, optimistic: boolean): boolean => {
  const stretch = stretchTo[target[mover]];
  if (!triesStretch(stretch, !optimistic)) return true;
  if (stretch === 1 && meetsOnStart() && resolve(trip[1], optimistic)) return true;
  return strengthAmongMovers(mover, optimistic) > stretchStrength(stretch, !optimistic);
};

/** With what a move beats the others who want to go to its destination. */
const strengthAmongMovers = (mover: number, optimistic: boolean): number =>
  inUse.ownSupportCounts
    ? strength(mover, optimistic, 0)
    : attackStrength(mover, optimistic, isHeadToHead(mover, optimistic));

/** The train is stronger than the move that would succeed without it, if there is one. */
const beatsRival = (stretch: number, optimistic: boolean): boolean => {
  const own = stretchStrength(stretch, optimistic);
  for (let a = firstAttacker[trip[stretch]]; a !== 0; a = nextAttacker[a - 1])
    if (beatsUnits(a - 1, !optimistic) && own <= preventStrength(a - 1, !optimistic, optimistic)) return false;
  return true;
};

/** ROOM: the province is free, and the train beats its rival. */
const adjudicateRoom = (stretch: number, optimistic: boolean): boolean => {
  const to = trip[stretch];
  if (stretch === 1 && meetsOnStart()) return false;
  if (unit[to] !== 0 && !(isMove(to) && resolve(to, optimistic))) return false;
  return beatsRivalIfFree(stretch, optimistic);
};

/** beatsRival() in the case that the unit in the province leaves it, which may still be open. */
const beatsRivalIfFree = (stretch: number, optimistic: boolean): boolean => {
  const to = trip[stretch];
  if (unit[to] === 0 || decision[to] !== OPEN) return beatsRival(stretch, optimistic);
  return keeping([decision], () => {
    decision[to] = SUCCEEDED;
    return beatsRival(stretch, optimistic);
  });
};

/** ON: the train goes on behind the province. Both cases are asked: its unit leaves, or it stays. */
const adjudicateOn = (stretch: number, optimistic: boolean): boolean => {
  const to = trip[stretch];
  if (stretch === 1 && meetsOnStart()) return false;
  const goesThrough = (): boolean => lostAt[stretch] === 0 && beatsRivalIfFree(stretch, optimistic);
  const goesPast = (): boolean => V.isRailUnit(to) && !isEntered(to, !optimistic);
  if (unit[to] === 0) return goesThrough();
  if (!isMove(to)) return goesPast();
  const mayLeave = resolve(to, true);
  const mayStay = !resolve(to, false);
  return optimistic
    ? (mayLeave && goesThrough()) || (mayStay && goesPast())
    : (!mayLeave || goesThrough()) && (!mayStay || goesPast());
};

/** True if the ride ends there or further on. Room is asked for first: without it, TRY does not belong to the knot. */
const leavesBy = (stretch: number, optimistic: boolean): boolean =>
  resolve(ROOMS + stretch, optimistic) && triesStretch(stretch, optimistic);

/** MOVE of a train: it leaves. */
const adjudicateTrain = (optimistic: boolean): boolean => {
  for (let i = 1; i <= found.stretches; i++) if (leavesBy(i, optimistic)) return true;
  return false;
};

const adjudicateSpecial = (node: number, optimistic: boolean): boolean => {
  switch (type[node]) {
    case RAIL:
      return adjudicateTrain(optimistic);
    case IS_ROOM:
      return adjudicateRoom(node - ROOMS, optimistic);
    case IS_ON:
      return adjudicateOn(node - ONS, optimistic);
    case IS_TRY:
      return adjudicateTry(node - TRIES, optimistic);
    default:
      return adjudicatePass(optimistic);
  }
};

// ---- special maps: cycles ----
// Where support depends on support, a cycle can have exactly one outcome that agrees with itself; it is looked for. All
// that is tried are moves, supports and convoys: the rest of a cycle follows from them.

const isTried = (node: number): boolean => node < MAX_LOCATIONS && type[node] !== RAIL;

/** True if the decision, as it was tried, is what its condition says, or may still come to that. */
const mayAgree = (node: number): boolean =>
  decision[node] === SUCCEEDED ? adjudicate(node, true) : !adjudicate(node, false);

/** Tries something, and takes back what came to be known by it. */
const onTrial = <T>(attempt: () => T): T =>
  keeping([decision, stopped], () => {
    const length = state.cycleLength;
    const answer = attempt();
    dropCycle(length);
    return answer;
  });

/**
 * Outcomes of single decisions that are tried in one order set at the most. No dense position has come near it; one that
 * does counts as having several outcomes.
 */
const MOST_TRIALS = 1 << 15;
let trials = 0;

/** Tries both outcomes of the decisions from place `next` on. Adds those that agree with themselves, two at the most. */
const tryOutcomes = (tried: readonly number[], next: number, agreeing: Int32Array[]): void => {
  if (next === tried.length) {
    agreeing.push(decision.slice());
    return;
  }
  const length = state.cycleLength;
  for (const outcome of [SUCCEEDED, FAILED]) {
    if (++trials > MOST_TRIALS) return;
    onTrial(() => {
      decision[tried[next]] = outcome;
      const mayBe = tried.every((node, i) => i > next || mayAgree(node));
      // What was open still must be asked about again.
      dropCycle(length);
      if (mayBe) tryOutcomes(tried, next + 1, agreeing);
    });
    if (agreeing.length > 1) return;
  }
};

/** Province where the ride ends; that where it begins if the train stays. */
const endOfRide = (): number => {
  for (let i = found.stretches; i > 0; i--) if (leavesBy(i, true)) return trip[i];
  return trip[0];
};

/** True if moves follow one another in one ring, among them a train that goes as far as it comes. */
const isRing = (knot: readonly number[]): boolean => {
  const units = knot.filter((node) => node < MAX_LOCATIONS);
  let at = units[0];
  for (let left = units.length; left > 0; left--) {
    if (at === undefined || !isMove(at) || !units.includes(at)) return false;
    at = type[at] === RAIL ? endOfRide() : target[at];
    if (at === units[0]) return left === 1;
  }
  return false;
};

/** Whether all moves of a ring can succeed together. */
const ringAgrees = (knot: readonly number[]): boolean => {
  if (!knot.every((node) => isMove(node) || stretchOf(node) > 0)) return false;
  const tried = knot.filter(isTried);
  return onTrial(() => {
    for (const node of tried) decision[node] = SUCCEEDED;
    return tried.every((node) => adjudicate(node, false)) && isRing(knot);
  });
};

/** The stretch that a decision of the railroad is about; 0 for all others. */
const stretchOf = (node: number): number => (node > ROOMS && node < DECISIONS ? node & (MAX_LOCATIONS - 1) : 0);

/**
 * What a knot without one clear outcome comes to: circular movement; a paradox, in which convoys fail, no fleet passes the
 * canal, and the train does not get in where the last of its stretches leads, but keeps others out; or nothing succeeds.
 */
const breakKnot = (begin: number, knot: readonly number[], isCircular: boolean): void => {
  if (isCircular) {
    for (const node of knot) if (isTried(node)) decision[node] = SUCCEEDED;
    return;
  }
  const last = Math.max(...knot.map(stretchOf));
  const isParadox = last > 0 || knot.some((node) => type[node] === CONVOY || type[node] === IS_PASS);
  if (inUse.backupRule !== 'szykman' && knot.some((node) => type[node] === CONVOY)) stopArmies(begin);
  for (const node of knot)
    if (isParadox ? type[node] === CONVOY || type[node] === IS_PASS : isTried(node)) decision[node] = FAILED;
  if (last === 0) return;
  decision[ROOMS + last] = FAILED;
  decision[ONS + last] = FAILED;
  decision[TRIES + last] = SUCCEEDED;
};

/**
 * Settles the cycle from place `begin` on: its one outcome that agrees with itself, or what the rules say if there is none
 * or another.
 * @returns false if something in it leans on what is less deep than `depthOfHead`, so that more belongs to the knot
 */
const settleKnot = (begin: number, depthOfHead: number): boolean => {
  const knot = [...cycle.subarray(begin, state.cycleLength)];
  const tried = knot.filter(isTried);
  const lowBefore = state.low;
  // While others are tried, what follows from them is asked anew, below the head.
  state.depth++;
  for (const node of knot) {
    lowOf[node] = depthOfHead;
    if (!isTried(node)) inCycle[node] = 0;
  }
  const agreeing: Int32Array[] = [];
  tryOutcomes(tried, 0, agreeing);
  const isClear = agreeing.length === 1 && tried.length > 0 && trials <= MOST_TRIALS;
  const isCircular = !isClear && ringAgrees(knot);
  state.depth--;
  for (const node of knot) inCycle[node] = 1;
  if (state.low < depthOfHead) {
    for (const node of knot) lowOf[node] = state.low;
    return false;
  }
  state.low = lowBefore;
  if (isClear) for (const node of tried) decision[node] = agreeing[0][node];
  else breakKnot(begin, knot, isCircular);
  return true;
};

// ---- special maps: after resolving ----

/** Special moves that came to nothing contest nothing: those without path or strength, and trains. */
const finishSpecial = (count: number): void => {
  const { train } = found;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (orderType(order[p]) === RAIL) destination[p] = p;
    else if (success[p] === 1) continue;
    else if (passes[p] === 1 && !path(p, true)) destination[p] = p;
    else if (crosses[p] === 1 && preventStrength(p, true, true) <= 0) destination[p] = p;
  }
  if (train === V.NO_TRAIN) return;
  for (let i = 1; i <= found.stretches; i++) if (triesStretch(i, true)) found.tried = trip[i];
  if (success[train] === 0) return;
  destination[train] = endOfRide();
  order[train] = O.withNextKey(order[train], destination[train] + 1);
};

// ---- before and after ----

/** Unpacks the orders, links attackers, supports and convoys, and finds the convoyed armies. */
const prepare = (count: number): void => {
  let convoys = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const o = order[p];
    type[p] = orderType(o);
    target[p] = orderTarget(o);
    byConvoy[p] = orderVia(o);
    convoys += orderVia(o) | O.isConvoyBit(o);
    matched[p] = 1;
    destination[p] = type[p] === MOVE ? target[p] : p;
    firstAttacker[target[p]] = 0;
    firstAttacker[p] = 0;
    firstSupport[p] = 0;
    firstConvoy[p] = 0;
  }
  isSpecial = V.findSpecial();
  if (isSpecial) prepareTrains(count);
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (type[p] === MOVE) {
      nextAttacker[p] = firstAttacker[target[p]];
      firstAttacker[target[p]] = p + 1;
    } else if (type[p] === SUPPORT_MOVE || type[p] === SUPPORT_HOLD) linkSupport(p);
  }
  waysAreOpen = false;
  if (inUse.backupRule !== 'szykman') stopped.fill(0);
  if (convoys > 0) prepareConvoys(count);
  if (isSpecial) prepareSpecial();
  for (let i = 0; i < count; i++) {
    const p = places[i];
    decision[p] = type[p] === HOLD || matched[p] === 0 ? FAILED : OPEN;
  }
};

/** If there is more than one train, all of them hold. */
const prepareTrains = (count: number): void => {
  for (let i = 1; i <= found.stretches; i++) firstAttacker[trip[i]] = 0;
  if (found.train !== V.NO_TRAIN) return;
  for (let i = 0; i < count; i++) if (type[places[i]] === RAIL) type[places[i]] = HOLD;
};

/** Before this a train does not look like a move to where it rides. */
const prepareSpecial = (): void => {
  trials = 0;
  decision.fill(OPEN, PASS);
  if (found.train !== V.NO_TRAIN) destination[found.train] = trip[1];
};

const linkSupport = (supporter: number): void => {
  const helped = orderHelped(order[supporter]);
  const moves = unit[helped] !== 0 && isMove(helped);
  const fits =
    type[supporter] === SUPPORT_MOVE ? moves && target[helped] === target[supporter] : unit[helped] !== 0 && !moves;
  if (!fits) {
    matched[supporter] = 0;
    return;
  }
  nextSupport[supporter] = firstSupport[helped];
  firstSupport[helped] = supporter + 1;
};

const prepareConvoys = (count: number): void => {
  for (let i = 0; i < count; i++) {
    const fleet = places[i];
    if (type[fleet] === CONVOY && !C.linkConvoy(fleet)) matched[fleet] = 0;
  }
  if ((inUse.differences & V.CONVOYS_DIFFER) !== 0) waysAreOpen = V.chooseWays(count);
  for (let i = 0; i < count; i++) {
    const army = places[i];
    if (type[army] !== MOVE || (byConvoy[army] === 0 && !(waysAreOpen && eitherWay[army] === 1))) continue;
    B.listConvoyed(army, 1);
    if (!hasChain(army, C.isOrdered, true, NO_PROVINCE)) matched[army] = 0;
  }
};

/** After resolving. */
const isAvailable: C.Carries = (fleet) => success[fleet] === 1;

/** After resolving: true if there is a unit in the province that does not leave it. */
const staysIn = (province: number): boolean =>
  unit[province] !== 0 && (destination[province] === province || success[province] === 0);

/** Resolves the orders of places[0 .. count), whatever they are and by any rules. The output must be clear. */
export const runRecursion = (count: number): void => {
  prepare(count);
  for (let i = 0; i < count; i++) if (decision[places[i]] === OPEN) resolve(places[i], true);
  for (let i = 0; i < count; i++) {
    const p = places[i];
    success[p] = decision[p] === SUCCEEDED ? 1 : 0;
  }
  for (let i = 0; i < B.convoyedArmies(); i++) {
    const army = convoyed[i];
    const arrives = matched[army] !== 0 && !isStopped(army) && isCarried(army, isAvailable, true, NO_PROVINCE);
    if (waysAreOpen && eitherWay[army] === 1) byConvoy[army] = arrives ? 1 : 0;
    hasPath[army] = arrives ? 1 : 0;
  }
  if (isSpecial) finishSpecial(count);
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (type[p] === MOVE && success[p] === 1 && staysIn(target[p])) B.dislodge(target[p], p);
  }
};

// ---- after resolving: what decided (explain.ts) ----

const hasSucceeded = (result: number): boolean =>
  result === T.SUCCEEDS || result === T.GIVEN || result === T.AVAILABLE || result === T.STOPS;

/** What is known of a ride: the train tried the stretches up to one, and stayed, or left to there. */
const recallRide = ({ rideTried, rideEnd }: Results): void => {
  const { train } = found;
  if (train === V.NO_TRAIN) return;
  const last = stretchTo[rideTried[train]];
  for (let i = 1; i <= found.stretches; i++) {
    decision[TRIES + i] = i <= last ? SUCCEEDED : FAILED;
    decision[ONS + i] = i < last ? SUCCEEDED : FAILED;
    decision[ROOMS + i] = rideEnd[train] === trip[i] ? SUCCEEDED : FAILED;
  }
};

/**
 * Takes results for decisions, so that the conditions in `recalled` can be asked about orders that were resolved before.
 * Units and orders are on the board, by the default rules: what others decided is in the results.
 */
export const recall = (count: number, results: Results): void => {
  prepare(count);
  for (let i = 0; i < count; i++) {
    const p = places[i];
    decision[p] = hasSucceeded(results.result[p]) ? SUCCEEDED : FAILED;
    byConvoy[p] = results.convoyed[p];
  }
  if (isSpecial) recallRide(results);
};

/** The conditions after recall(), when nothing is open. Strengths are less than 0 where there is none. */
export const recalled = {
  /** Of a fleet that is ordered through a canal: that it is let through. */
  path: (mover: number): boolean => path(mover, true),
  isHeadToHead: (mover: number): boolean => isHeadToHead(mover, true),
  attackStrength: (mover: number): number => attackStrength(mover, true, isHeadToHead(mover, true)),
  defendStrength: (mover: number): number => defendStrength(mover, true),
  holdStrength: (province: number): number => holdStrength(province, true, true),
  cuts: (attacker: number, supporter: number): boolean => isMove(attacker) && cuts(attacker, supporter, true),
  /** Strength with which a move, or the train on its way, keeps others from a province. */
  preventStrength: (mover: number, province: number): number => {
    if (type[mover] === RAIL) {
      const stretch = stretchTo[province];
      return stretch > 0 && triesStretch(stretch, true) ? stretchStrength(stretch, true) : NONE;
    }
    return type[mover] === MOVE && target[mover] === province ? preventStrength(mover, true, true) : NONE;
  },
  /** The unit stays where it is, if it is not dislodged. */
  stays: (province: number): boolean => !(isMove(province) && resolve(province, true)),
  /** The first unit on the way comes towards the train. */
  meetsOnStart,
};
