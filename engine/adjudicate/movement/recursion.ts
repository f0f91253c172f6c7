// The reference resolver: resolves a movement phase by recursion over partial information (DATC 3.2, chapter 5.E, with
// the conditions of chapter 5.B).
//
// Each order resolves to success or failure. adjudicate(order, optimistic) evaluates the condition of an order. It
// assumes the best case (optimistic) or the worst case for every open decision, and passes the opposite flag for every
// decision that works against the order. An order is decided when both cases agree. Orders that stay open depend on one
// another in a cycle, called a knot when it is complete. A backup rule settles it: circular movement succeeds, and a
// convoy paradox follows the Szykman rule.
//
// The conditions implement the default rules. Where other rules (variants.ts) differ, the condition calls a function of
// the section "other rules". Maps with a railroad, a canal, difficult borders or convoyable coasts (DATC 2.4, chapters
// 7 to 10) add conditions, decisions that belong to no order, and a search in each cycle: see the sections "special
// maps".
import * as O from '../../rules/order.js';
import type { Results } from '../../rules/results.js';
import * as T from '../../rules/types.js';
import * as B from './board.js';
import * as C from './convoys.js';
import * as V from './variants.js';

// Imports are copied to constants of this module, which is faster (passes.ts has measurements).
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
// Index of a decision. Below MAX_LOCATIONS: a province, for the order of its unit. From MAX_LOCATIONS on: decisions of
// special maps. ROOMS + i, ONS + i and TRIES + i belong to stretch i of the ride of the train, the army that moves by
// railroad. Stretch i leads to trip[i], for i from 1 (variants.ts).
const PASS = MAX_LOCATIONS;
const ROOMS = MAX_LOCATIONS;
const ONS = ROOMS + MAX_LOCATIONS;
const TRIES = ONS + MAX_LOCATIONS;
const DECISIONS = TRIES + MAX_LOCATIONS;
/** Types of decisions that belong to no order. Greater than every order type. */
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
// Linked lists of provinces, stored + 1; 0 ends a list. Attackers: moves into a province. Supports: matched supports of
// the unit in a province.
const firstAttacker = new Int32Array(MAX_LOCATIONS);
const nextAttacker = new Int32Array(MAX_LOCATIONS);
const firstSupport = new Int32Array(MAX_LOCATIONS);
const nextSupport = new Int32Array(MAX_LOCATIONS);

// ---- state of each decision ----
const OPEN = 0;
const FAILED = 1;
const SUCCEEDED = 2;
const decision = new Int32Array(DECISIONS);

// ---- conditions (DATC 3.2, chapter 5.B) ----

/** No strength. Lower than 0, which is the strength of an unsupported crossing of a difficult border. */
const NONE = -1;

/**
 * PATH: true if a move needs no convoy, or a chain of adjacent fleets with matched, successful convoys carries it. A
 * move through a canal needs the canal to be open for it.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const path = (mover: number, optimistic: boolean): boolean =>
  byConvoy[mover] === 0
    ? passes[mover] === 0 || canalPath(mover, optimistic)
    : convoyPath(mover, NO_PROVINCE, optimistic);

/**
 * True if an army has a path by convoy that does not use the fleet in `without` (NO_PROVINCE: any fleet may be used)
 * and no paradox stops it.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const convoyPath = (army: number, without: number, optimistic: boolean): boolean =>
  matched[army] !== 0 && !isStopped(army) && isCarried(army, resolve, optimistic, without);

/**
 * True if a move and the unit in its destination move against each other, neither by convoy nor through a canal.
 * @param optimistic the answer as long as it is undecided whether one of them goes by convoy
 */
const isHeadToHead = (mover: number, optimistic: boolean): boolean => {
  if (!isOpposed(mover) || (byConvoy[target[mover]] | byConvoy[mover]) !== 0) return false;
  if ((passes[mover] | passes[target[mover]]) !== 0) return false;
  return !waysAreOpen || !(goesByConvoy(mover, !optimistic) || goesByConvoy(target[mover], !optimistic));
};

/**
 * Returns 1 plus the number of given supports of a unit, or only the supports if it crosses a difficult border by land.
 * @param helped province of the unit
 * @param optimistic true for the best case of the open decisions, false for the worst
 * @param except word of a unit, whose power's supports do not count; 0 to count all
 */
const strength = (helped: number, optimistic: boolean, except: number): number => {
  let n = crosses[helped] === 0 ? 1 : ownStrength(helped, optimistic);
  for (let s = firstSupport[helped]; s !== 0; s = nextSupport[s - 1])
    if ((except === 0 || !samePower(unit[s - 1], except)) && resolve(s - 1, optimistic)) n++;
  return n;
};

/**
 * ATTACK: strength of a move against the unit in its destination. Assumes that the move has a path.
 * @param optimistic true for the best case of the open decisions, false for the worst
 * @param headToHead true if the unit in the destination moves against the mover, so that it does not leave
 */
const attackStrength = (mover: number, optimistic: boolean, headToHead: boolean): number => {
  const occupant = target[mover];
  const defender = unit[occupant];
  if (defender === 0) return strength(mover, optimistic, 0);
  if (isMove(occupant) && !headToHead && resolve(occupant, optimistic)) return strength(mover, optimistic, 0);
  return samePower(defender, unit[mover]) ? NONE : strength(mover, optimistic, defender);
};

/**
 * HOLD: strength of the unit in a province against moves into it; NONE for an empty province or a unit that leaves.
 * @param optimistic true for the best case of the open decisions, false for the worst
 * @param leaves the optimistic flag with which to resolve the move of that unit
 */
const holdStrength = (province: number, optimistic: boolean, leaves: boolean): number => {
  if (unit[province] === 0) return NONE;
  if (isMove(province)) return resolve(province, leaves) ? NONE : 1;
  return strength(province, optimistic, 0);
};

/**
 * DEFEND: strength of a move against its opponent in a head-to-head.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const defendStrength = (mover: number, optimistic: boolean): number =>
  type[mover] === RAIL ? stretchStrength(1, optimistic) : strength(mover, optimistic, 0);

/**
 * PREVENT: strength with which a move keeps other moves out of its destination; NONE if it has no path or loses a
 * head-to-head.
 * @param optimistic true for the best case of the open decisions, false for the worst
 * @param beaten the optimistic flag with which to resolve the move of its opponent
 */
const preventStrength = (mover: number, optimistic: boolean, beaten: boolean): number => {
  if (!path(mover, optimistic)) return NONE;
  if (isHeadToHead(mover, !optimistic) && resolve(target[mover], beaten)) return NONE;
  if (inUse.noEffectAlways && isDislodgedByOpponent(mover, optimistic, beaten)) return NONE;
  return strength(mover, optimistic, 0);
};

/**
 * True if the order of the unit in a province is a move or a ride by railroad, so that the unit leaves if it succeeds.
 */
const isMove = (province: number): boolean => type[province] === MOVE || type[province] === RAIL;

/**
 * MOVE: succeeds if it has a path and beats the unit in its destination, all other moves there and the train.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const adjudicateMove = (mover: number, optimistic: boolean): boolean =>
  beatsUnits(mover, optimistic) && (stretchTo[target[mover]] === 0 || beatsTrain(mover, optimistic));

/**
 * True if a move has a path and beats the unit in its destination and all other moves there, the train ignored.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const beatsUnits = (mover: number, optimistic: boolean): boolean => {
  if (!path(mover, optimistic)) return false;
  const headToHead = isHeadToHead(mover, optimistic);
  return waysAreOpen && headToHead !== isHeadToHead(mover, !optimistic)
    ? winsEitherWay(mover, optimistic)
    : wins(mover, optimistic, headToHead);
};

/**
 * True if a move with a path beats the unit in its destination and all other moves there.
 * @param optimistic true for the best case of the open decisions, false for the worst
 * @param headToHead true if the move and that of the unit in its destination are a head-to-head
 */
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

/**
 * SUPPORT: given if no move of another power into the supporter's province cuts it.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const adjudicateSupport = (supporter: number, optimistic: boolean): boolean => {
  for (let a = firstAttacker[supporter]; a !== 0; a = nextAttacker[a - 1])
    if (!samePower(unit[a - 1], unit[supporter]) && cuts(a - 1, supporter, !optimistic)) return false;
  return true;
};

/**
 * True if a move cuts the support of the unit that it attacks. A path is enough, except for a move from the province
 * that the support acts on: it cuts only by success, which dislodges the supporter.
 * @param attacker province of the moving unit
 * @param supporter province of the supporting unit
 * @param optimistic answer in doubt: true to assume that decisions which are still open favour the cut
 */
const cuts = (attacker: number, supporter: number, optimistic: boolean): boolean => {
  if (crosses[attacker] !== 0 && !hasForeignHelp(attacker, supporter, optimistic)) return false;
  if (byConvoy[attacker] === 1) {
    if (V.isSpared(supporter, attacker)) return cutsSpared(attacker, supporter, optimistic);
    if (inUse.cutFromOrigin) return path(attacker, optimistic);
  }
  return attacker === target[supporter] ? resolve(attacker, optimistic) : path(attacker, optimistic);
};

/**
 * CONVOY: available if no move into the fleet's province succeeds.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const adjudicateConvoy = (fleet: number, optimistic: boolean): boolean => {
  for (let a = firstAttacker[fleet]; a !== 0; a = nextAttacker[a - 1]) if (resolve(a - 1, !optimistic)) return false;
  return true;
};

/** True if the condition of a decision holds in the best (optimistic) or worst case of the open decisions. */
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
/** Recursion depth, from 1, at which a decision is being visited; NOT_VISITED if it is not. */
const visitDepth = new Int32Array(DECISIONS);
/** The decisions of the open cycle found so far: the first state.cycleLength elements. */
const cycle = new Int32Array(DECISIONS);
/** 1 if a decision is in `cycle`, otherwise 0. Indexed by decision. */
const inCycle = new Int32Array(DECISIONS);
/** Least recursion depth that a decision of the cycle depends on. */
const lowOf = new Int32Array(DECISIONS);
const INFINITE_DEPTH = 1 << 20;

/** State of the recursion, which resolve() reads and writes. */
const state = {
  /** Number of decisions in `cycle`. */
  cycleLength: 0,
  /** Number of decisions being visited. */
  depth: 0,
  /** Least depth that the decision being adjudicated was found to depend on. */
  low: INFINITE_DEPTH,
  /** True once the current adjudication has used the assumed outcome of an open decision. */
  uncertain: false,
};

/** Shortens `cycle` to its first `length` decisions. */
const dropCycle = (length: number): void => {
  while (state.cycleLength > length) inCycle[cycle[--state.cycleLength]] = 0;
};

/** Adds a decision to `cycle`. @param leansOn least depth that it depends on */
const joinCycle = (province: number, leansOn: number): void => {
  lowOf[province] = leansOn;
  if (inCycle[province] !== 0) return;
  inCycle[province] = 1;
  cycle[state.cycleLength++] = province;
};

/**
 * Resolves a decision (the order of the unit in a province, or one of special maps) and writes the outcome to
 * `decision`. Returns true if it succeeds. While the outcome is open, because it depends on a decision being visited,
 * returns `optimistic`.
 */
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
  // One evaluation is enough if the order fails in the best case, or if it used no open decision.
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
    // No decision of the cycle depends on a lower depth, so the cycle is complete and this order is its head.
    joinCycle(province, state.low);
    if (!isSpecial || settleKnot(oldLength, ownDepth)) {
      if (!isSpecial) applyBackupRule(oldLength);
      dropCycle(oldLength);
      state.low = oldLow;
      state.uncertain = oldUncertain;
      return resolve(province, optimistic);
    }
    // The search found a dependence on a lower depth, so the cycle is larger.
  }
  joinCycle(province, state.low);
  if (oldLow < state.low) state.low = oldLow;
  return optimistic;
};

/**
 * Decides the cycle from index `begin` of `cycle` on by the backup rule. It is circular movement if all its orders are
 * moves.
 */
const applyBackupRule = (begin: number): void => {
  const knot = [...cycle.subarray(begin, state.cycleLength)];
  breakKnot(
    begin,
    knot,
    knot.every((node) => type[node] === MOVE),
  );
};

// ---- other rules: conditions ----

/** True if an army of this order set falls back to its land route when its convoy fails (DATC 4.A.3). */
let waysAreOpen = false;

/**
 * True if an army that may go either way has a path by convoy.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const goesByConvoy = (mover: number, optimistic: boolean): boolean =>
  eitherWay[mover] === 1 && convoyPath(mover, NO_PROVINCE, optimistic);

/**
 * True if a move with a path beats the unit in its destination and all other moves there, while it is open whether it
 * is a head-to-head: in the better (optimistic) or the worse of both cases.
 */
const winsEitherWay = (mover: number, optimistic: boolean): boolean =>
  optimistic
    ? wins(mover, true, true) || wins(mover, true, false)
    : wins(mover, false, true) && wins(mover, false, false);

/**
 * True if the unit that a move opposes dislodges the mover, by convoy or not (DATC 4.A.7).
 * @param optimistic true for the best case of the open decisions, false for the worst
 * @param beaten the optimistic flag with which to resolve the move of that unit
 */
const isDislodgedByOpponent = (mover: number, optimistic: boolean, beaten: boolean): boolean =>
  isOpposed(mover) && resolve(target[mover], beaten) && !resolve(mover, optimistic);

/**
 * True if a convoyed army cuts a support that the rulebooks may spare. By the 2000 rules it does if it has a path
 * without the fleet that the support acts on; by the older ones never (DATC 4.A.2).
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const cutsSpared = (army: number, supporter: number, optimistic: boolean): boolean =>
  V.sparesOnlyNeeded() && convoyPath(army, target[supporter], optimistic);

// ---- other rules: paradoxes that stop the armies (DATC 4.A.2) ----

/** 1 for an army that a convoy paradox stops: it has no path. Indexed by province. */
const stopped = new Int32Array(MAX_LOCATIONS);
const isStopped = (army: number): boolean => inUse.backupRule !== 'szykman' && stopped[army] !== 0;

/**
 * Settles a convoy paradox by a rule other than Szykman's. Armies with a convoy in the cycle stay. Attacks on their
 * fleets fail, except where the rule 'dptg' resolves them.
 * @param begin index of the cycle's first decision in `cycle`
 */
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

/** Returns the provinces of the units that attack a fleet ordered to convoy an army. */
const attacksOnFleets = (army: number): number[] => {
  const attacks: number[] = [];
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1])
    for (let a = firstAttacker[f - 1]; a !== 0; a = nextAttacker[a - 1]) attacks.push(a - 1);
  return attacks;
};

/**
 * Resolves those attacks on the convoying fleets of the cycle whose outcome does not depend on the paradox.
 * @param core decisions of the cycle
 */
const decideAttacksOutside = (core: Int32Array): void => {
  // One deeper than the head of the cycle, so that attacks that depend on the cycle stay open.
  state.depth++;
  for (const node of core) lowOf[node] = state.depth;
  for (const fleet of core)
    if (type[fleet] === CONVOY) for (const attack of attacksOnFleets(orderHelped(order[fleet]))) resolve(attack, true);
  state.depth--;
};

/** Calls `attempt`, restores the contents of `arrays`, and returns the result of the call. */
const keeping = <T>(arrays: readonly Int32Array[], attempt: () => T): T => {
  const known = arrays.map((array) => array.slice());
  const answer = attempt();
  arrays.forEach((array, i) => {
    array.set(known[i]);
  });
  return answer;
};

/**
 * True if the attacks break every convoy of the cycle (`core`) while its armies are stopped. That is then the
 * resolution (DATC 4.A.2, choice f; the Player's Technical Guide, steps 12 and 13). Restores all decisions.
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

/** Resolves the convoys of an army. Returns true if the remaining fleets no longer make its route. */
const isBroken = (army: number): boolean => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) resolve(f - 1, true);
  return !isCarried(army, resolve, true, NO_PROVINCE);
};

// ---- special maps: conditions (DATC 2.4, chapters 7 and 10) ----

/** True if the order set has an order of special rules (isSpecialOrder() in variants.ts). */
let isSpecial = false;

/**
 * Returns the strength without supports of an army with a move over a difficult border: 0, or 1 if it goes by convoy.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const ownStrength = (mover: number, optimistic: boolean): number =>
  byConvoy[mover] === 1 || (waysAreOpen && goesByConvoy(mover, optimistic)) ? 1 : 0;

/**
 * True if a move over a difficult border has a given support of another power than the supporter's. Only then the move
 * cuts the support (DATC 2.4, case 10.O).
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const hasForeignHelp = (attacker: number, supporter: number, optimistic: boolean): boolean =>
  strength(attacker, optimistic, unit[supporter]) > 0;

/**
 * True if the move of a fleet through the canal has a path: the fleet has leave, and the controlling unit neither
 * leaves nor is dislodged.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const canalPath = (mover: number, optimistic: boolean): boolean =>
  mover === found.permitted && resolve(PASS, optimistic);

/**
 * PASS: true if the unit that controls the canal neither leaves nor is dislodged.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const adjudicatePass = (optimistic: boolean): boolean => {
  const control = inUse.special?.control ?? -1;
  return !(isMove(control) && resolve(control, !optimistic)) && !isEntered(control, !optimistic);
};

/**
 * True if any move into a province succeeds.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const isEntered = (province: number, optimistic: boolean): boolean => {
  for (let a = firstAttacker[province]; a !== 0; a = nextAttacker[a - 1]) if (resolve(a - 1, optimistic)) return true;
  return false;
};

/**
 * Returns the strength of the train on a stretch. Supports count on the last stretch only.
 * @param stretch number of a step of the ride along the railroad line, from 1
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const stretchStrength = (stretch: number, optimistic: boolean): number =>
  stretch === found.stretches ? strength(found.train, optimistic, 0) : 1;

/**
 * TRY: true if the train continues past every province before the end of this stretch.
 * @param stretch number of a step of the ride along the railroad line, from 1
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const adjudicateTry = (stretch: number, optimistic: boolean): boolean => {
  for (let i = 1; i < stretch; i++) if (!resolve(ONS + i, optimistic)) return false;
  return true;
};

/**
 * True if the train tries to move by a stretch of its ride. It always tries the first.
 * @param stretch number of a step of the ride along the railroad line, from 1
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const triesStretch = (stretch: number, optimistic: boolean): boolean =>
  stretch === 1 || resolve(TRIES + stretch, optimistic);

/** True if the unit in trip[1] moves to the province of the train, trip[0], without a convoy: a head-to-head. */
const meetsOnStart = (): boolean =>
  type[trip[1]] === MOVE && unit[trip[1]] !== 0 && target[trip[1]] === trip[0] && isHeadToHead(trip[1], true);

/**
 * True if a move into a province of the ride beats the train there, or the train does not come that far.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const beatsTrain = (mover: number, optimistic: boolean): boolean => {
  const stretch = stretchTo[target[mover]];
  if (!triesStretch(stretch, !optimistic)) return true;
  if (stretch === 1 && meetsOnStart() && resolve(trip[1], optimistic)) return true;
  return strengthAmongMovers(mover, optimistic) > stretchStrength(stretch, !optimistic);
};

/**
 * Returns the strength with which a move competes with other moves into its destination.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const strengthAmongMovers = (mover: number, optimistic: boolean): number =>
  inUse.ownSupportCounts
    ? strength(mover, optimistic, 0)
    : attackStrength(mover, optimistic, isHeadToHead(mover, optimistic));

/**
 * True if the train is stronger than every move that would otherwise enter the province at the end of the stretch.
 * @param stretch number of a step of the ride along the railroad line, from 1
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const beatsRival = (stretch: number, optimistic: boolean): boolean => {
  const own = stretchStrength(stretch, optimistic);
  for (let a = firstAttacker[trip[stretch]]; a !== 0; a = nextAttacker[a - 1])
    if (beatsUnits(a - 1, !optimistic) && own <= preventStrength(a - 1, !optimistic, optimistic)) return false;
  return true;
};

/**
 * ROOM: true if the province at the end of a stretch is or becomes empty and the train beats every rival there.
 * @param stretch number of a step of the ride along the railroad line, from 1
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const adjudicateRoom = (stretch: number, optimistic: boolean): boolean => {
  const to = trip[stretch];
  if (stretch === 1 && meetsOnStart()) return false;
  if (unit[to] !== 0 && !(isMove(to) && resolve(to, optimistic))) return false;
  return beatsRivalIfFree(stretch, optimistic);
};

/**
 * True if the train is stronger than every move that would otherwise enter the province at the end of the stretch,
 * assuming that the unit in that province leaves it.
 * @param stretch number of a step of the ride along the railroad line, from 1
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const beatsRivalIfFree = (stretch: number, optimistic: boolean): boolean => {
  const to = trip[stretch];
  if (unit[to] === 0 || decision[to] !== OPEN) return beatsRival(stretch, optimistic);
  return keeping([decision], () => {
    decision[to] = SUCCEEDED;
    return beatsRival(stretch, optimistic);
  });
};

/**
 * ON: true if the train continues past the province at the end of a stretch. While it is open whether the unit there
 * leaves, both cases are evaluated.
 * @param stretch number of a step of the ride along the railroad line, from 1
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
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

/**
 * True if the train tries this stretch and there is room at its end. Room is resolved first: without room, TRY does not
 * belong to the cycle.
 * @param stretch number of a step of the ride along the railroad line, from 1
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
const leavesBy = (stretch: number, optimistic: boolean): boolean =>
  resolve(ROOMS + stretch, optimistic) && triesStretch(stretch, optimistic);

/**
 * MOVE of a train: succeeds if the train can end its ride in a province other than its own.
 * @param optimistic true for the best case of the open decisions, false for the worst
 */
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
// Where supports depend on supports, a cycle can have exactly one consistent outcome, which a search finds. The search
// tries outcomes of moves, supports and convoys; the other decisions of a cycle follow from them.

/**
 * True for a decision whose outcomes the search for a consistent outcome of a cycle tries: an order other than a
 * train's.
 */
const isTried = (node: number): boolean => node < MAX_LOCATIONS && type[node] !== RAIL;

/**
 * True if the outcome that the search has set for a decision agrees with its condition, or may agree once more is
 * decided.
 */
const mayAgree = (node: number): boolean =>
  decision[node] === SUCCEEDED ? adjudicate(node, true) : !adjudicate(node, false);

/** Calls `attempt`, undoes all decisions made in the call, and returns its result. */
const onTrial = <T>(attempt: () => T): T =>
  keeping([decision, stopped], () => {
    const length = state.cycleLength;
    const answer = attempt();
    dropCycle(length);
    return answer;
  });

/**
 * Maximum number of outcomes of single decisions that the search tries in one order set. No dense position has come
 * near this limit. Beyond it a cycle counts as having several consistent outcomes.
 */
const MOST_TRIALS = 1 << 15;
let trials = 0;

/**
 * Tries both outcomes of each decision of `tried` from index `next` on. Appends a copy of `decision` to `agreeing` for
 * each outcome of all of them that agrees with their conditions, two at most. Restores all decisions.
 */
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
      // Decisions that are still open must be evaluated again.
      dropCycle(length);
      if (mayBe) tryOutcomes(tried, next + 1, agreeing);
    });
    if (agreeing.length > 1) return;
  }
};

/** Returns the province where the ride ends, which is its first province if the train stays. */
const endOfRide = (): number => {
  for (let i = found.stretches; i > 0; i--) if (leavesBy(i, true)) return trip[i];
  return trip[0];
};

/**
 * True if the orders of a knot (a complete cycle of decisions) form one ring of moves. A train counts as a move to the
 * end of its ride.
 */
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

/**
 * True if a knot (a complete cycle of decisions) is a ring of moves that can all succeed together. Restores all
 * decisions.
 */
const ringAgrees = (knot: readonly number[]): boolean => {
  if (!knot.every((node) => isMove(node) || stretchOf(node) > 0)) return false;
  const tried = knot.filter(isTried);
  return onTrial(() => {
    for (const node of tried) decision[node] = SUCCEEDED;
    return tried.every((node) => adjudicate(node, false)) && isRing(knot);
  });
};

/** Returns the step of the train's ride that a railroad decision belongs to, from 1; 0 for any other decision. */
const stretchOf = (node: number): number => (node > ROOMS && node < DECISIONS ? node & (MAX_LOCATIONS - 1) : 0);

/**
 * Settles a knot (a complete cycle of decisions) that does not have exactly one consistent outcome. In circular
 * movement all moves succeed. In a paradox convoys fail, no fleet passes the canal, and the train does not enter the
 * end of its last stretch in the knot but keeps others out. In any other knot all orders fail.
 * @param begin index of the knot's first decision in `cycle`
 * @param knot the decisions
 * @param isCircular true for circular movement
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
 * Settles the cycle from index `begin` of `cycle` on by its one consistent outcome, or by breakKnot() if there are none
 * or several.
 * @param depthOfHead recursion depth of the decision that completed the cycle
 * @returns false if a decision of the cycle depends on one at a depth less than `depthOfHead`, so that the cycle is
 *   larger and stays open
 */
const settleKnot = (begin: number, depthOfHead: number): boolean => {
  const knot = [...cycle.subarray(begin, state.cycleLength)];
  const tried = knot.filter(isTried);
  const lowBefore = state.low;
  // Decisions that follow from tried outcomes are resolved again for each trial, one deeper than the head.
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

/**
 * Sets the destinations of special moves after resolving, and the end of the ride. A failed train, and a failed move
 * without path or strength, gets its own province as destination, because it contests no province.
 * @param count number of units on the board: places[0 .. count)
 */
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

/**
 * Unpacks the orders of places[0 .. count), links attackers, supports and convoys, finds the convoyed armies, and opens
 * all decisions. Holds, and orders whose counterpart was not ordered, fail at once.
 */
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

/**
 * Prepares a ride by railroad. If there are several trains, all hold.
 * @param count number of units on the board: places[0 .. count)
 */
const prepareTrains = (count: number): void => {
  for (let i = 1; i <= found.stretches; i++) firstAttacker[trip[i]] = 0;
  if (found.train !== V.NO_TRAIN) return;
  for (let i = 0; i < count; i++) if (type[places[i]] === RAIL) type[places[i]] = HOLD;
};

/** Opens the decisions of special maps, and sets the train's destination to the first province of its ride. */
const prepareSpecial = (): void => {
  trials = 0;
  decision.fill(OPEN, PASS);
  if (found.train !== V.NO_TRAIN) destination[found.train] = trip[1];
};

/** Adds a support to the list of the unit that it helps, or marks it as unmatched (0 in `matched`). */
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

/**
 * Links convoys to their armies, and marks convoys and armies without a counterpart as unmatched.
 * @param count number of units on the board: places[0 .. count)
 */
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

/** True if a fleet's convoy succeeded. Valid after resolving. */
const isAvailable: C.Carries = (fleet) => success[fleet] === 1;

/** True if the province has a unit that does not leave it. Valid after resolving. */
const staysIn = (province: number): boolean =>
  unit[province] !== 0 && (destination[province] === province || success[province] === 0);

/** Resolves the orders of places[0 .. count) by the rules in use, and writes the output. Call clearOutput() first. */
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

// ---- conditions of a resolved phase, for explain.ts ----

const hasSucceeded = (result: number): boolean =>
  result === T.SUCCEEDS || result === T.GIVEN || result === T.AVAILABLE || result === T.STOPS;

/**
 * Sets the decisions of the railroad from the results: the last stretch that the train tried, and the end of the ride.
 */
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
 * Sets all decisions from the results of a resolved phase, so that `recalled` can evaluate its conditions. Units and
 * orders must be on the board, with the default rules in use: the effects of other rules are already in the results.
 * @param count units on the board: places[0 .. count)
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

/** Conditions of a phase, valid after recall(). A strength below 0 means that the order has none. */
export const recalled = {
  /** True if a move has a path; for a fleet ordered through a canal, if it may pass. */
  path: (mover: number): boolean => path(mover, true),
  isHeadToHead: (mover: number): boolean => isHeadToHead(mover, true),
  attackStrength: (mover: number): number => attackStrength(mover, true, isHeadToHead(mover, true)),
  defendStrength: (mover: number): number => defendStrength(mover, true),
  holdStrength: (province: number): number => holdStrength(province, true, true),
  cuts: (attacker: number, supporter: number): boolean => isMove(attacker) && cuts(attacker, supporter, true),
  /** Strength with which a move, or the train on its way, keeps other moves out of a province; below 0 for none. */
  preventStrength: (mover: number, province: number): number => {
    if (type[mover] === RAIL) {
      const stretch = stretchTo[province];
      return stretch > 0 && triesStretch(stretch, true) ? stretchStrength(stretch, true) : NONE;
    }
    return type[mover] === MOVE && target[mover] === province ? preventStrength(mover, true, true) : NONE;
  },
  /** True if the unit in a province does not leave it by its own order. */
  stays: (province: number): boolean => !(isMove(province) && resolve(province, true)),
  /** True if the unit in the first province of the ride moves towards the train. */
  meetsOnStart,
};
