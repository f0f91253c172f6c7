// The straight-line passes, which settle most order sets without any recursion.
//
// What costs here is branches that cannot be predicted, not instructions, and the end of a loop is one of them: few
// plain loops with integer arithmetic, where a flag of 0 or 1 is computed and not asked about. The passes know the
// default rules, and settle a whole set or none of it. They are certain because each uses only facts that do not depend
// on what it establishes:
//
//   1  every order: where it goes; attackers counted by province, but for moves VIA
//   2  if there are convoys: the armies for which a chain was ordered; the others do not move
//   3  supports: matched; cut by another power, but for the unit that the support acts against. If that attacks with
//      support of its own, the supports on both sides decide, once they are certain; if they never are -> recursion.
//      If there are convoys: a fleet attacked with support is dislodged or not by the supports on both sides, which are
//      certain while no army of such a fleet attacks a supporter -> else recursion
//   4  supported moves: by province the strongest, and the strength of the next
//   5  moves: only a leader can succeed; into an empty province it does
//   6  leaders into occupied provinces: they dislodge, fail, or depend on whether the unit there leaves
//   7  those that depend: follow the chain to something decided; a ring is circular movement
//
// If pass 6 finds a head-to-head that is won, and others attack the winner's province, the loser no longer prevents
// those: their leader is found anew, and passes 5 and 6 begin again.
//
// Strengths are those of recursion.ts (DATC 3.2, chapter 5.B), and so are the results: test/oracle/differential.ts, which
// oracle.test.ts runs, compares the two order by order.
import * as O from '../../rules/order.js';
import { scratch } from '../../rules/scratch.js';
import * as T from '../../rules/types.js';
import * as B from './board.js';
import * as C from './convoys.js';

// What is written for V8's sake here and in other files that play, and what it is worth (minima of the same work, versions
// in turn, AMD EPYC, Node 20.20 and 24.19):
//
//   imports are rebound              used as imports, resolving took 16 % longer on Node 20 and 1 % on Node 24, playing 16 to
//                                    30 % and 3 to 9 %
//   arrays have local names before   without them both took 0 to 3 % longer on both Nodes; with runPasses() in two functions
//   a nested loop, or one in a       as well, resolving took 9 % longer on Node 24
//   function that is inlined
//   0 - a, not -a, which is -0       with -a resolving took 4 % longer on Node 20 and 2 % on Node 24
//   for a = 0
//   lengths of lists, see there      in variables of the module resolving took 12 % longer on Node 20, and no longer on Node 24

const { places, unit, order, success, byConvoy, matched, hasPath, destination, convoyed } = B.board;
const { firstConvoy, nextConvoy } = C.convoys;
const { hasChain, isChainOrdered, linkConvoy, NO_PROVINCE } = C;
const { convoyedArmies, listConvoyed, dislodge, samePower } = B;
const MAX_LOCATIONS = T.MAX_LOCATIONS;
const { orderTarget, orderHelped, orderVia, isMoveBit, isSupportBit, isConvoyBit, supportsMoveBit } = O;
/** Bits of convoys and moves VIA. */
const OF_CONVOYS = O.CONVOY | O.VIA_BIT;

// ---- flags: numbers that are 0 or 1 ----

/** 1 if the two are equal, else 0: a ^ b is 0, and 0 - 1 has the top bit set. */
const isEqual = (a: number, b: number): number => ((a ^ b) - 1) >>> 31;
/** 1 if a is less than b, else 0, for numbers whose difference fits an int32. */
const isLess = (a: number, b: number): number => (a - b) >>> 31;
/** 1 if a, which is not negative, is greater than 0, else 0. */
const isPositive = (a: number): number => (0 - a) >>> 31;
/** All bits set where flag is 1, none where it is 0. */
const mask = (flag: number): number => 0 - flag;
const not = (flag: number): number => flag ^ 1;
/** 1 if the units are of different powers (or one of the words is 0 and the other not). */
const isForeign = (a: number, b: number): number => isLess(0xffff, a ^ b);

// ---- lengths of lists ----

// A pass is given the lengths of the lists that it reads, and returns those of the lists that it writes, up to three in
// one word: a variable of the module would be written and read each time. No list is longer than 256.
const LENGTH_SHIFT = 10;
const LENGTH_MASK = (1 << LENGTH_SHIFT) - 1;
const threeLengths = (first: number, second: number, third: number): number =>
  first | (second << LENGTH_SHIFT) | (third << (2 * LENGTH_SHIFT));
const firstLength = (lengths: number): number => lengths & LENGTH_MASK;
const secondLength = (lengths: number): number => (lengths >> LENGTH_SHIFT) & LENGTH_MASK;
const thirdLength = (lengths: number): number => lengths >> (2 * LENGTH_SHIFT);

// ---- pass 1: every order ----

// One word of attackers by province: from pass 4 on the strength of all but the strongest supported one [24..30], how many
// there are [16..23], and the sum of the provinces that they come from, each + 1 [0..15] (at most 255 of at most 256). So
// the sum is p + 1 only if the attacker from p is alone; pass 4 makes it p + 1 if p leads others. The strength fits: two
// movers share at most 253 supporters, so the weaker has at most 126.
const COUNT_SHIFT = 16;
const ATTACKER = 1 << COUNT_SHIFT;
const SOURCES = ATTACKER - 1;
const NEXT_SHIFT = 24;
const attackers = scratch(MAX_LOCATIONS);
/** What an attacker from p adds to the word. */
const attackFrom = (p: number): number => (ATTACKER + 1 + p) | 0;
const attackersOf = (province: number): number => (attackers[province] >>> COUNT_SHIFT) & 0xff;
/** 1 if the move from p is alone or stronger than all others into its destination, by the word of that. */
const leads = (p: number, attack: number): number => isEqual(attack & SOURCES, p + 1);

// Lists are written without a branch: an entry that is not kept is written over by the next, so one more cell is needed.
const movers = scratch(MAX_LOCATIONS + 1);
const supporters = scratch(MAX_LOCATIONS + 1);
/** Orders that make pass 2 necessary: convoys and moves VIA. */
const convoyOrders = scratch(MAX_LOCATIONS + 1);

/** Returns the lengths of movers, supporters and convoyOrders. Moves VIA become movers in pass 2. */
const readOrders = (count: number): number => {
  let m = 0;
  let s = 0;
  let c = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const o = order[p];
    const moves = isMoveBit(o);
    const to = p ^ ((p ^ orderTarget(o)) & mask(moves));
    const goes = moves & not(orderVia(o));
    destination[p] = to;
    support[p] = 0;
    movers[m] = p;
    m += goes;
    supporters[s] = p;
    s += isSupportBit(o);
    convoyOrders[c] = p;
    c += isPositive(o & OF_CONVOYS);
    attackers[to] += attackFrom(p) & mask(goes);
  }
  return threeLengths(m, s, c);
};

// ---- pass 2: convoys ----

/** Fleets that convoy, whether their convoys match or not. */
const fleets = scratch(MAX_LOCATIONS + 1);
let fleetCount = 0;
/** How many of them match, how many convoyed armies have no path, and how many have orders to go where they are. */
let matchedFleets = 0;
let pathlessCount = 0;
let inPlaceCount = 0;

/** Returns the number of movers. */
const readConvoys = (convoyOrderCount: number, moverCount: number): number => {
  let n = 0;
  for (let i = 0; i < convoyOrderCount; i++) {
    const p = convoyOrders[i];
    const convoys = isConvoyBit(order[p]);
    byConvoy[p] = not(convoys);
    listConvoyed(p, not(convoys));
    firstConvoy[p ^ ((p ^ orderHelped(order[p])) & mask(convoys))] = 0;
    fleets[n] = p;
    n += convoys;
  }
  fleetCount = n;
  const written = convoyedArmies();
  let links = 0;
  for (let i = 0; i < n; i++) {
    const fleet = fleets[i];
    const army = orderHelped(order[fleet]);
    const known = byConvoy[army];
    const link = linkConvoy(fleet) ? 1 : 0;
    matched[fleet] = link;
    success[fleet] = link;
    links += link;
    // An army without VIA that an own fleet takes.
    listConvoyed(army, known ^ byConvoy[army]);
  }
  matchedFleets = links;
  pathlessCount = 0;
  inPlaceCount = 0;
  let m = moverCount;
  for (let i = 0; i < written; i++) {
    const army = convoyed[i];
    const chain = readChain(army);
    success[army] = 0;
    movers[m] = army;
    m += chain;
    attackers[destination[army]] += attackFrom(army) & mask(chain);
  }
  return convoyedArmies() === written ? m : readUnwritten(written, m);
};

/** Convoyed armies without VIA are movers already, from pass 1. Returns the number of movers. */
const readUnwritten = (written: number, moverCount: number): number => {
  const armies = convoyedArmies();
  for (let i = written; i < armies; i++) if (readChain(convoyed[i]) === 0) stopAttack(convoyed[i]);
  return dropPathless(movers, moverCount);
};

/** Returns 1 if a chain of fleets was ordered for a convoyed army, else 0. */
const readChain = (army: number): number => {
  const chain = isChainOrdered(army);
  matched[army] = chain;
  hasPath[army] = chain;
  pathlessCount += not(chain);
  inPlaceCount += isEqual(destination[army], army);
  return chain;
};

/** An army without a path attacks nothing. */
const stopAttack = (army: number): void => {
  success[army] = 0;
  attackers[destination[army]] -= attackFrom(army);
};

const losePath = (army: number): void => {
  hasPath[army] = 0;
  pathlessCount++;
  stopAttack(army);
};

/** Takes the convoyed armies without a path out of a list; returns its new length. */
const dropPathless = (list: Int32Array, count: number): number => {
  let n = 0;
  for (let i = 0; i < count; i++) {
    const p = list[i];
    list[n] = p;
    n += not(byConvoy[p] & not(hasPath[p]));
  }
  return n;
};

// ---- pass 3: supports ----

// One word of supports by unit: doubtful [24..30], matched [16..23], given by others than the power of the unit in the
// target [8..15], given [0..7]. What is doubtful counts as given until it is settled.
const DOUBTFUL = 1 << 24;
const MATCHED = 1 << 16;
const FOREIGN_SHIFT = 8;
const FOREIGN = 1 << FOREIGN_SHIFT;
const GIVEN = 1;
const COUNT_MASK = 0xff;
const support = scratch(MAX_LOCATIONS);

const givenSupports = (p: number): number => support[p] & COUNT_MASK;
/** PREVENT and DEFEND of a move, HOLD of a unit that does not move: all given supports count. */
const strength = (p: number): number => 1 + givenSupports(p);
/** ATTACK of a move on a unit that stays: the supports of that unit's power do not count. */
const attackStrength = (p: number): number => 1 + ((support[p] >> FOREIGN_SHIFT) & COUNT_MASK);

/** Moves with given supports. */
const supported = scratch(MAX_LOCATIONS + 1);
/** Matched supports whose only attacker is the unit that they act against. */
const doubtful = scratch(MAX_LOCATIONS + 1);

/** Returns the lengths of supported and doubtful. */
const readSupports = (supporterCount: number, moverCount: number): number => {
  let n = 0;
  let doubts = 0;
  for (let i = 0; i < supporterCount; i++) {
    const q = supporters[i];
    const o = order[q];
    const helped = orderHelped(o);
    const to = orderTarget(o);
    const match = isEqual(destination[helped], to) & isPositive(unit[helped]);
    const attack = attackers[q];
    let cut = isForeign(unit[(attack - 1) & 0xff], unit[q]);
    let onlyTarget = isEqual(attack, attackFrom(to)) & cut;
    cut &= isPositive(attack) & not(onlyTarget);
    if (attack >= 2 * ATTACKER) {
      const hostile = readAttacksOn(q, to, moverCount);
      cut = hostile & CUT;
      onlyTarget = hostile >> FROM_TARGET_SHIFT;
    }
    const given = match & not(cut);
    const doubt = match & onlyTarget;
    const before = support[helped];
    support[helped] =
      before + given * (GIVEN + FOREIGN * isForeign(unit[q], unit[to])) + MATCHED * match + DOUBTFUL * doubt;
    matched[q] = match;
    success[q] = given;
    supported[n] = helped;
    n += given & supportsMoveBit(o) & isEqual(before & COUNT_MASK, 0);
    doubtful[doubts] = q;
    doubts += doubt;
  }
  return threeLengths(n, doubts, 0);
};

// What several attackers of a supporter come to.
const CUT = 1;
const FROM_TARGET_SHIFT = 1;
const FROM_TARGET = 1 << FROM_TARGET_SHIFT;

/** CUT if a move of another power comes from elsewhere than where the support acts, else FROM_TARGET if from there. */
const readAttacksOn = (supporter: number, target: number, moverCount: number): number => {
  let found = 0;
  for (let i = 0; i < moverCount; i++) {
    const p = movers[i];
    if (destination[p] !== supporter || samePower(unit[p], unit[supporter])) continue;
    if (p !== target) return CUT;
    found = FROM_TARGET;
  }
  return found;
};

/** A doubtful support is cut if its attacker dislodges the supporter. Returns 1 if some depend on one another. */
const settleDoubts = (doubtfulCount: number): number => {
  const list = doubtful;
  const by = support;
  let left = doubtfulCount;
  let settled = true;
  while (left > 0 && settled) {
    settled = false;
    let open = 0;
    for (let i = 0; i < left; i++) {
      const q = list[i];
      const attacker = orderTarget(order[q]);
      const supportedAttack = by[attacker] >= MATCHED;
      // Others of the supporter's own power that attack it would have to be counted too.
      const clear = attackersOf(q) === 1 && by[attacker] < DOUBTFUL && by[q] < DOUBTFUL;
      if (supportedAttack && !clear) {
        list[open++] = q;
        continue;
      }
      settled = true;
      const helped = orderHelped(order[q]);
      by[helped] -= DOUBTFUL;
      if (!supportedAttack || attackStrength(attacker) <= strength(q)) continue;
      success[q] = 0;
      by[helped] -= GIVEN + FOREIGN * isForeign(unit[q], unit[attacker]);
    }
    left = open;
  }
  return isPositive(left);
};

/** True if some convoying fleet is attacked with support. */
const isConvoyInDanger = (moverCount: number): boolean => {
  for (let i = 0; i < fleetCount; i++) if (matched[fleets[i]] === 1 && isInDanger(fleets[i], moverCount)) return true;
  return false;
};

/** True if a unit is attacked with support, given or cut. */
const isInDanger = (province: number, moverCount: number): boolean => {
  if (attackers[province] === 0) return false;
  for (let k = 0; k < moverCount; k++)
    if (destination[movers[k]] === province && support[movers[k]] >= MATCHED) return true;
  return false;
};

/** True if a fleet of a convoyed army is in danger: of all other armies it is certain whether they have a path. */
const mayLosePath = (army: number, moverCount: number): boolean => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) if (isInDanger(f - 1, moverCount)) return true;
  return false;
};

/**
 * Finds the convoying fleets that are dislodged, and the armies that lose their path by it. Returns 1 if that is not
 * certain, because an army attacks a unit that supports and may lose its path.
 */
const breakConvoys = (moverCount: number): number => {
  const armies = convoyedArmies();
  for (let i = 0; i < armies; i++) {
    const to = destination[convoyed[i]];
    if (unit[to] !== 0 && isSupportBit(order[to]) === 1 && mayLosePath(convoyed[i], moverCount)) return 1;
  }
  for (let i = 0; i < fleetCount; i++)
    if (matched[fleets[i]] === 1 && isFleetDislodged(fleets[i], moverCount)) success[fleets[i]] = 0;
  for (let i = 0; i < armies; i++)
    if (hasPath[convoyed[i]] === 1 && !hasChain(convoyed[i], isAvailable, true, NO_PROVINCE)) losePath(convoyed[i]);
  return 0;
};

const isAvailable: C.Carries = (fleet) => success[fleet] === 1;

/** With certain supports: true if a unit that does not move is dislodged. */
const isFleetDislodged = (fleet: number, moverCount: number): boolean => {
  findStrongest(fleet, NO_PROVINCE, moverCount);
  if (strongest === runnerUp || samePower(unit[strongestFrom], unit[fleet])) return false;
  const attack = attackStrength(strongestFrom);
  return attack > strength(fleet) && attack > runnerUp;
};

/** The strongest move into a province, from where, and the strength of the next; 0 if there is none. */
let strongest = 0;
let strongestFrom = NO_PROVINCE;
let runnerUp = 0;

/** Finds them among the moves into a province, without the one from `without`. */
const findStrongest = (to: number, without: number, moverCount: number): void => {
  strongest = 0;
  strongestFrom = NO_PROVINCE;
  runnerUp = 0;
  for (let i = 0; i < moverCount; i++) {
    const p = movers[i];
    if (destination[p] !== to || p === without) continue;
    if (strength(p) > strongest) {
      runnerUp = strongest;
      strongest = strength(p);
      strongestFrom = p;
    } else if (strength(p) > runnerUp) runnerUp = strength(p);
  }
};

// ---- pass 4: supported moves ----

// One word by province, 0 if no supported move goes there: the strength of the strongest [16..], that of the next of all
// moves [8..15], and where the strongest comes from [0..7].
const BEST_SHIFT = 16;
const SECOND_SHIFT = 8;
const SECOND_MASK = 0xff;
const FROM_MASK = 0xff;
/** Clear but in findLeaders(). */
const ranking = scratch(MAX_LOCATIONS);

const rank = (best: number, next: number, from: number): number => (best << BEST_SHIFT) | (next << SECOND_SHIFT) | from;
const bestStrength = (ranked: number): number => ranked >> BEST_SHIFT;
const nextStrength = (ranked: number): number => (ranked >> SECOND_SHIFT) & SECOND_MASK;

/** Writes a ranking that is not 0 to the attackers of its province. */
const setLeader = (to: number, ranked: number): void => {
  const leader = (FROM_MASK & ranked) + 1;
  attackers[to] =
    (nextStrength(ranked) << NEXT_SHIFT) |
    (attackersOf(to) << COUNT_SHIFT) |
    (leader & mask(isLess(nextStrength(ranked), bestStrength(ranked))));
};

const findLeaders = (supportedCount: number): void => {
  for (let i = 0; i < supportedCount; i++) {
    const p = supported[i];
    const to = destination[p];
    const own = strength(p);
    const ranked = ranking[to];
    const best = bestStrength(ranked);
    if (own > best) {
      // Before the first supported move: the others, if there are any, have strength 1.
      ranking[to] = rank(own, best === 0 ? isLess(1, attackersOf(to)) : best, p);
    } else if (own > nextStrength(ranked)) ranking[to] = rank(best, own, ranked & FROM_MASK);
  }
  for (let i = 0; i < supportedCount; i++) {
    const to = destination[supported[i]];
    if (ranking[to] !== 0) setLeader(to, ranking[to]);
    ranking[to] = 0;
  }
};

// ---- passes 5 and 6: leaders ----

/** Leaders into occupied provinces; after pass 6, those of them that dislodge or would. */
const challengers = scratch(MAX_LOCATIONS + 1);
/** Moves that succeed if the unit before them leaves; success says DEPENDS. */
const dependent = scratch(MAX_LOCATIONS + 1);
const DEPENDS = 2;
/** Winners of a head-to-head whose own province others attack. */
const vacated = scratch(MAX_LOCATIONS + 1);

/** Returns the lengths of challengers, dependent and vacated. */
const decideLeaders = (moverCount: number): number => {
  let n = 0;
  for (let i = 0; i < moverCount; i++) {
    const p = movers[i];
    const to = destination[p];
    const leader = leads(p, attackers[to]);
    const occupied = isPositive(unit[to]);
    success[p] = leader & not(occupied);
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
    const leaves = not(isEqual(next, to));
    const headToHead = isEqual(next, p) & not(byConvoy[p] | byConvoy[to]);
    const attack = attackStrength(p) & mask(isForeign(unit[to], unit[p]));
    // HOLD of a unit that stays, or DEFEND; HOLD is 1 if its move fails, and what comes of a move that does not is open.
    const resistance = 1 + (givenSupports(to) & mask(not(leaves) | headToHead));
    const wins = isLess(resistance, attack) & isLess(attackers[to] >>> NEXT_SHIFT, attack);
    const depends = leaves & not(headToHead) & not(wins);
    success[p] = wins | (depends * DEPENDS);
    vacated[leaving] = p;
    leaving += headToHead & wins & isLess(1, attackersOf(p));
    dependent[dependents] = p;
    dependents += depends;
    challengers[winners] = p;
    winners += wins;
  }
  return threeLengths(winners, dependents, leaving);
};

/** Finds the leader into the province of a head-to-head's winner anew: the loser prevents no move there. */
const leadWithoutLoser = (winner: number, moverCount: number): void => {
  findStrongest(winner, destination[winner], moverCount);
  setLeader(winner, rank(strongest, runnerUp, strongestFrom));
};

// ---- pass 7: moves that depend on others ----

const followDependents = (dependentCount: number): void => {
  const list = dependent;
  const to = destination;
  const result = success;
  for (let i = 0; i < dependentCount; i++) {
    const p = list[i];
    let q = to[p];
    while (result[q] === DEPENDS && q !== p) q = to[q];
    result[p] = isPositive(result[q]);
  }
};

// ---- all of them ----

/** Counts by province must be 0 before the next set. */
const giveUp = (moverCount: number): boolean => {
  for (let i = 0; i < moverCount; i++) attackers[destination[movers[i]]] = 0;
  return false;
};

/**
 * Resolves the orders of places[0 .. count) by the default rules. The output must be clear. Deliberately one long function
 * (over 460 bytes of bytecode), so that V8 inlines the passes here and not this into its caller: worth up to 4 % on Node 20
 * and on Node 24.
 * @returns false if the recursion must resolve them: nothing is decided then
 */
export const runPasses = (count: number): boolean => {
  const read = readOrders(count);
  let moverCount = firstLength(read);
  const convoyOrderCount = thirdLength(read);
  if (convoyOrderCount > 0) {
    moverCount = readConvoys(convoyOrderCount, moverCount);
    // An army that goes where it is does not hold, as the passes would take it to.
    if (inPlaceCount > 0) return giveUp(moverCount);
  }
  const supports = readSupports(secondLength(read), moverCount);
  let supportedCount = firstLength(supports);
  const doubtfulCount = secondLength(supports);
  if (doubtfulCount > 0 && settleDoubts(doubtfulCount) > 0) return giveUp(moverCount);
  if (convoyOrderCount > 0) {
    if (matchedFleets > 0 && isConvoyInDanger(moverCount)) {
      if (breakConvoys(moverCount) > 0) return giveUp(moverCount);
      moverCount = dropPathless(movers, moverCount);
    }
    if (pathlessCount > 0) supportedCount = dropPathless(supported, supportedCount);
  }
  findLeaders(supportedCount);
  let decided = decideLeaders(moverCount);
  const vacatedCount = thirdLength(decided);
  if (vacatedCount > 0) {
    // Who wins a head-to-head depends on nothing else: once is enough.
    for (let i = 0; i < vacatedCount; i++) leadWithoutLoser(vacated[i], moverCount);
    decided = decideLeaders(moverCount);
  }
  followDependents(secondLength(decided));
  // Who is dislodged.
  const to = destination;
  const winnerCount = firstLength(decided);
  const winners = challengers;
  for (let i = 0; i < winnerCount; i++) {
    const at = to[winners[i]];
    if ((isEqual(to[at], at) | not(success[at])) !== 0) dislodge(at, winners[i]);
  }
  // As in giveUp().
  const moving = movers;
  const counts = attackers;
  for (let i = 0; i < moverCount; i++) counts[to[moving[i]]] = 0;
  return true;
};
