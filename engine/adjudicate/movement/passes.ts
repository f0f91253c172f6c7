// Resolves most order sets under the default rules in a few straight passes, without recursion.
//
// The cost here is branches that the processor cannot predict, not instructions, and the end of a loop is such a
// branch. So the passes are few plain loops of integer arithmetic, which compute flags of 0 or 1 instead of branching
// on them. They settle a whole order set or none of it. Each pass uses only facts that do not depend on its own
// results:
//
//   1  every order: its destination; the attackers of each province, except moves VIA
//   2  if there are convoys: the armies for which a chain was ordered. The other convoyed armies do not move
//   3  supports: whether they match, and whether another power cuts them. The unit that a support acts against cuts it
//      only by dislodging the supporter. If that unit attacks with support, the supports on both sides decide, once
//      they are certain. If they never are, the recursion resolves the set.
//      If there are convoys: the supports on both sides decide whether a fleet attacked with support is dislodged. They
//      are certain unless an army of such a fleet attacks a supporter: then the recursion resolves the set
//   4  supported moves: for each province the strongest move, and the strength of the next
//   5  moves: only a leader (the strongest move, without a tie) can succeed; into an empty province it does
//   6  leaders into occupied provinces: they dislodge, fail, or depend on whether the unit there leaves
//   7  dependent moves: follow the chain to a decided move; a ring is circular movement
//
// If pass 6 finds a decided head-to-head, and other units attack the winner's province, the loser no longer prevents
// their moves. The leader into that province is found again, and passes 5 and 6 are repeated.
//
// Strengths are defined as in recursion.ts (DATC 3.2, chapter 5.B), and the results are the same: oracle.test.ts runs
// test/oracle/differential.ts, which compares both resolvers order by order.
import * as O from '../../rules/order.js';
import { scratch } from '../../rules/scratch.js';
import * as T from '../../rules/types.js';
import * as B from './board.js';
import * as C from './convoys.js';

// Code patterns for V8, here and in other files of the hot path, with their measured benefit (minimum time of the same
// work, versions run in turn, AMD EPYC, Node 20.20 and 24.19):
//
//   imports are rebound             as imports, resolving took 16 % longer on Node 20 and 1 % on Node 24, and playing
//                                   16 to 30 % on Node 20 and 3 to 9 % on Node 24
//   arrays have local names         without local names, resolving and playing took 0 to 3 % longer on both Nodes. With
//   before a nested loop, or a      runPasses() split into two functions as well, resolving took 9 % longer on Node 24
//   loop in an inlined function
//   0 - a instead of -a, which      with -a, resolving took 4 % longer on Node 20 and 2 % on Node 24
//   is -0 for a = 0
//   lengths of lists in one word    with module variables, resolving took 12 % longer on Node 20 and as long on Node 24

const { places, unit, order, success, byConvoy, matched, hasPath, destination, convoyed } = B.board;
const { firstConvoy, nextConvoy } = C.convoys;
const { hasChain, isChainOrdered, linkConvoy, NO_PROVINCE } = C;
const { convoyedArmies, listConvoyed, dislodge, samePower } = B;
const MAX_LOCATIONS = T.MAX_LOCATIONS;
const { orderTarget, orderHelped, orderVia, isMoveBit, isSupportOrRailBit, isConvoyBit, supportsMoveBit } = O;
/** Order bits that are set in convoys or moves VIA only. */
const OF_CONVOYS = O.CONVOY | O.VIA_BIT;

// ---- flags: numbers that are 0 or 1 ----

/** Returns 1 if a and b are equal, otherwise 0: for equal numbers a ^ b is 0, and 0 - 1 has the top bit set. */
const isEqual = (a: number, b: number): number => ((a ^ b) - 1) >>> 31;
/** Returns 1 if a is less than b, otherwise 0. The difference must fit an int32. */
const isLess = (a: number, b: number): number => (a - b) >>> 31;
/** Returns 1 if a is greater than 0, otherwise 0. a must not be negative. */
const isPositive = (a: number): number => (0 - a) >>> 31;
/** Returns a word with all bits set if flag is 1, and 0 if flag is 0. */
const mask = (flag: number): number => 0 - flag;
const not = (flag: number): number => flag ^ 1;
/**
 * Returns 1 if two unit words (board.ts) are of different powers, or if exactly one of them is 0 (no unit); otherwise
 * 0.
 */
const isForeign = (a: number, b: number): number => isLess(0xffff, a ^ b);

// ---- lengths of lists ----

// A pass takes the lengths of the lists that it reads as arguments. It returns the lengths of the lists that it writes,
// up to three packed in one word, because module variables would be written and read each time. No list is longer than
// 256.
const LENGTH_SHIFT = 10;
const LENGTH_MASK = (1 << LENGTH_SHIFT) - 1;
const threeLengths = (first: number, second: number, third: number): number =>
  first | (second << LENGTH_SHIFT) | (third << (2 * LENGTH_SHIFT));
const firstLength = (lengths: number): number => lengths & LENGTH_MASK;
const secondLength = (lengths: number): number => (lengths >> LENGTH_SHIFT) & LENGTH_MASK;
const thirdLength = (lengths: number): number => lengths >> (2 * LENGTH_SHIFT);

// ---- pass 1: every order ----

// `attackers` has one word for each province:
//   bits 24 to 30   from pass 4 on: the strength of the second strongest move, if a supported move goes there
//   bits 16 to 23   the number of attackers
//   bits 0 to 15    the sum of their provinces, each + 1 (at most 255 attackers, each at most 256)
// The sum is p + 1 only if the attacker from p is alone. Pass 4 sets it to p + 1 if p leads other moves, and to 0 if
// none leads. The strength fits: two movers share at most 253 supporters, so the weaker has at most 126.
const COUNT_SHIFT = 16;
const ATTACKER = 1 << COUNT_SHIFT;
const SOURCES = ATTACKER - 1;
const NEXT_SHIFT = 24;
const attackers = scratch(MAX_LOCATIONS);
/** Returns the amount that an attacker from province p adds to the word of its destination in `attackers`. */
const attackFrom = (p: number): number => (ATTACKER + 1 + p) | 0;
const attackersOf = (province: number): number => (attackers[province] >>> COUNT_SHIFT) & 0xff;
/**
 * Returns 1 if the move from p is the only or the strongest move into its destination, otherwise 0.
 * @param attack word of the destination in `attackers`
 */
const leads = (p: number, attack: number): number => isEqual(attack & SOURCES, p + 1);

// Lists are written without a branch: the next entry overwrites an entry that is not kept. So they need one extra
// element.
const movers = scratch(MAX_LOCATIONS + 1);
const supporters = scratch(MAX_LOCATIONS + 1);
/** Provinces of units with convoys or moves VIA, which pass 2 reads. */
const convoyOrders = scratch(MAX_LOCATIONS + 1);

/**
 * Pass 1: reads every order. Writes destinations, and lists moves, supports and convoy orders in `movers`, `supporters`
 * and `convoyOrders`. Returns the lengths of the three lists, packed. Moves VIA become movers in pass 2.
 * @param count number of units on the board: places[0 .. count)
 */
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
    s += isSupportOrRailBit(o);
    convoyOrders[c] = p;
    c += isPositive(o & OF_CONVOYS);
    attackers[to] += attackFrom(p) & mask(goes);
  }
  return threeLengths(m, s, c);
};

// ---- pass 2: convoys ----

/** Provinces of fleets ordered to convoy, with or without a matching army. */
const fleets = scratch(MAX_LOCATIONS + 1);
let fleetCount = 0;
/** Number of fleets whose convoy matches the order of the army. */
let matchedFleets = 0;
/** Number of convoyed armies without a path. */
let pathlessCount = 0;
/** Number of convoyed armies ordered to their own province. */
let inPlaceCount = 0;

/**
 * Pass 2: matches convoys to their armies, and adds the armies with VIA for which a chain of fleets was ordered to
 * `movers`. Returns the new length of `movers`.
 * @param convoyOrderCount length of `convoyOrders`
 * @param moverCount length of `movers`
 */
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
    // Lists an army without VIA if a fleet of the same power convoys it.
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

/**
 * Pass 2 for convoyed armies without VIA, which pass 1 has listed as movers: removes those without a chain of fleets
 * from `movers`. Returns its new length.
 * @param written number of convoyed armies with VIA, the first elements of `convoyed`
 * @param moverCount length of `movers`
 */
const readUnwritten = (written: number, moverCount: number): number => {
  const armies = convoyedArmies();
  for (let i = written; i < armies; i++) if (readChain(convoyed[i]) === 0) stopAttack(convoyed[i]);
  return dropPathless(movers, moverCount);
};

/**
 * Returns 1 if a chain of fleets was ordered for a convoyed army, otherwise 0. Writes `matched` and `hasPath` of the
 * army, and adds it to pathlessCount and inPlaceCount if it belongs there.
 */
const readChain = (army: number): number => {
  const chain = isChainOrdered(army);
  matched[army] = chain;
  hasPath[army] = chain;
  pathlessCount += not(chain);
  inPlaceCount += isEqual(destination[army], army);
  return chain;
};

/** Removes an army without a path from the attackers of its destination. The army's move fails. */
const stopAttack = (army: number): void => {
  success[army] = 0;
  attackers[destination[army]] -= attackFrom(army);
};

const losePath = (army: number): void => {
  hasPath[army] = 0;
  pathlessCount++;
  stopAttack(army);
};

/** Removes the convoyed armies without a path from the first `count` provinces of a list. Returns the new length. */
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

// `support` has one word for each unit, which counts its supports:
//   bits 24 to 30   doubtful
//   bits 16 to 23   matched
//   bits 8 to 15    given by other powers than the power of the unit in the target
//   bits 0 to 7     given
// A doubtful support counts as given until it is settled.
const DOUBTFUL = 1 << 24;
const MATCHED = 1 << 16;
const FOREIGN_SHIFT = 8;
const FOREIGN = 1 << FOREIGN_SHIFT;
const GIVEN = 1;
const COUNT_MASK = 0xff;
const support = scratch(MAX_LOCATIONS);

const givenSupports = (p: number): number => support[p] & COUNT_MASK;
/**
 * Returns the PREVENT or DEFEND strength of a move, or the HOLD strength of a unit that does not move (DATC 3.2,
 * chapter 5.B): 1 and all given supports.
 */
const strength = (p: number): number => 1 + givenSupports(p);
/**
 * Returns the ATTACK strength of a move against a unit that stays (DATC 3.2, chapter 5.B): 1 and the given supports,
 * except those of that unit's power.
 */
const attackStrength = (p: number): number => 1 + ((support[p] >> FOREIGN_SHIFT) & COUNT_MASK);

/** List of the provinces of units whose moves have a support that is not cut, each once. Written by readSupports(). */
const supported = scratch(MAX_LOCATIONS + 1);
/**
 * List of the provinces of supporters whose support is doubtful: it matches, and of the other powers' units only the
 * one in its target attacks the supporter.
 */
const doubtful = scratch(MAX_LOCATIONS + 1);

/**
 * Pass 3: finds out which supports match, which of them another power cuts, and which are doubtful. Counts them in
 * `support`, and writes the lists `supported` and `doubtful`. Returns the lengths of the two lists, packed.
 * @param moverCount length of `movers`
 */
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

// Bits of the results of readAttacksOn().
const CUT = 1;
const FROM_TARGET_SHIFT = 1;
const FROM_TARGET = 1 << FROM_TARGET_SHIFT;

/**
 * Returns CUT if a unit of another power attacks the supporter from a province other than the support's target,
 * FROM_TARGET if only the unit in the target does, 0 if neither.
 * @param moverCount length of `movers`
 */
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

/**
 * Settles the doubtful supports: one is cut if the unit that it acts against dislodges the supporter. Returns 1 if some
 * depend on one another, so that they stay open; otherwise 0.
 * @param doubtfulCount length of `doubtful`
 */
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
      // With several attackers, moves of the supporter's own power would have to be counted too.
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

/**
 * True if any fleet with a matching convoy is attacked with support.
 * @param moverCount length of `movers`
 */
const isConvoyInDanger = (moverCount: number): boolean => {
  for (let i = 0; i < fleetCount; i++) if (matched[fleets[i]] === 1 && isInDanger(fleets[i], moverCount)) return true;
  return false;
};

/**
 * True if a unit is attacked with a matched support, given or cut.
 * @param moverCount length of `movers`
 */
const isInDanger = (province: number, moverCount: number): boolean => {
  if (attackers[province] === 0) return false;
  for (let k = 0; k < moverCount; k++)
    if (destination[movers[k]] === province && support[movers[k]] >= MATCHED) return true;
  return false;
};

/**
 * True if a fleet of a convoyed army is attacked with support. If not, it is certain whether the army has a path.
 * @param moverCount length of `movers`
 */
const mayLosePath = (army: number, moverCount: number): boolean => {
  for (let f = firstConvoy[army]; f !== 0; f = nextConvoy[f - 1]) if (isInDanger(f - 1, moverCount)) return true;
  return false;
};

/**
 * Finds the dislodged convoying fleets and the armies that lose their path because of them. Returns 1 if this is not
 * certain, because an army that may lose its path attacks a supporting unit; otherwise 0.
 * @param moverCount length of `movers`
 */
const breakConvoys = (moverCount: number): number => {
  const armies = convoyedArmies();
  for (let i = 0; i < armies; i++) {
    const to = destination[convoyed[i]];
    if (unit[to] !== 0 && isSupportOrRailBit(order[to]) === 1 && mayLosePath(convoyed[i], moverCount)) return 1;
  }
  for (let i = 0; i < fleetCount; i++)
    if (matched[fleets[i]] === 1 && isFleetDislodged(fleets[i], moverCount)) success[fleets[i]] = 0;
  for (let i = 0; i < armies; i++)
    if (hasPath[convoyed[i]] === 1 && !hasChain(convoyed[i], isAvailable, true, NO_PROVINCE)) losePath(convoyed[i]);
  return 0;
};

const isAvailable: C.Carries = (fleet) => success[fleet] === 1;

/**
 * True if a fleet that does not move is dislodged. All supports must be certain.
 * @param moverCount length of `movers`
 */
const isFleetDislodged = (fleet: number, moverCount: number): boolean => {
  findStrongest(fleet, NO_PROVINCE, moverCount);
  if (strongest === runnerUp || samePower(unit[strongestFrom], unit[fleet])) return false;
  const attack = attackStrength(strongestFrom);
  return attack > strength(fleet) && attack > runnerUp;
};

// Results of findStrongest(): strength and origin of the strongest move into a province (0 and NO_PROVINCE without
// one), and the strength of the next (0 without one).
let strongest = 0;
let strongestFrom = NO_PROVINCE;
let runnerUp = 0;

/**
 * Finds the two strongest moves into province `to`, and writes them to `strongest`, `strongestFrom` and `runnerUp`.
 * @param without origin of a move to ignore; NO_PROVINCE for none
 * @param moverCount length of `movers`
 */
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

// `ranking` has one word for each province, 0 if no supported move goes there:
//   bits 16 up     strength of the strongest move
//   bits 8 to 15   strength of the next, supported or not
//   bits 0 to 7    origin of the strongest
const BEST_SHIFT = 16;
const SECOND_SHIFT = 8;
const SECOND_MASK = 0xff;
const FROM_MASK = 0xff;
/** Strengths of the supported moves into each province, in one word; all 0 outside findLeaders(). */
const ranking = scratch(MAX_LOCATIONS);

const rank = (best: number, next: number, from: number): number => (best << BEST_SHIFT) | (next << SECOND_SHIFT) | from;
const bestStrength = (ranked: number): number => ranked >> BEST_SHIFT;
const nextStrength = (ranked: number): number => (ranked >> SECOND_SHIFT) & SECOND_MASK;

/**
 * Writes the leader into province `to` (the move that is stronger than all others there), if any, and the strength of
 * the next move to `attackers`.
 * @param ranked word of the province in the format of `ranking`
 */
const setLeader = (to: number, ranked: number): void => {
  const leader = (FROM_MASK & ranked) + 1;
  attackers[to] =
    (nextStrength(ranked) << NEXT_SHIFT) |
    (attackersOf(to) << COUNT_SHIFT) |
    (leader & mask(isLess(nextStrength(ranked), bestStrength(ranked))));
};

/**
 * Pass 4. For each province into which a supported unit moves, finds the leader, if any: the move that is stronger
 * than all other moves there. Writes it to `attackers`.
 * @param supportedCount length of `supported`
 */
const findLeaders = (supportedCount: number): void => {
  for (let i = 0; i < supportedCount; i++) {
    const p = supported[i];
    const to = destination[p];
    const own = strength(p);
    const ranked = ranking[to];
    const best = bestStrength(ranked);
    if (own > best) {
      // At the first supported move (best is 0) other attackers, if any, count with strength 1.
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

/**
 * Origins of leaders (moves that are stronger than all others into their destination) into occupied provinces. After
 * pass 6: of leaders that beat the unit there if it stays.
 */
const challengers = scratch(MAX_LOCATIONS + 1);
/** Origins of moves that succeed only if the unit in their destination leaves. Their `success` is DEPENDS. */
const dependent = scratch(MAX_LOCATIONS + 1);
const DEPENDS = 2;
/** Origins of head-to-head winners whose own province has another attacker. */
const vacated = scratch(MAX_LOCATIONS + 1);

/**
 * Passes 5 and 6: decide all moves. Only a leader can succeed; into an empty province it does. Into an occupied one it
 * wins, fails, or depends on whether the unit there leaves. Writes the lists challengers, dependent and vacated, and
 * returns their lengths, packed.
 * @param moverCount length of `movers`
 */
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
    // HOLD of a unit that stays, or DEFEND in a head-to-head; otherwise 1, the HOLD of a unit whose move fails.
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

/**
 * Finds the strongest move into the province of a head-to-head winner again, without the loser, which prevents no move
 * there. Writes it to `attackers`.
 * @param moverCount length of `movers`
 */
const leadWithoutLoser = (winner: number, moverCount: number): void => {
  findStrongest(winner, destination[winner], moverCount);
  setLeader(winner, rank(strongest, runnerUp, strongestFrom));
};

// ---- pass 7: moves that depend on others ----

/** Pass 7. Decides each dependent move by the first decided order of its chain. A ring of dependent moves succeeds. */
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

// ---- all passes ----

/**
 * Clears `attackers` for the next order set. Returns false, the result of runPasses() if it gives up.
 * @param moverCount length of `movers`
 */
const giveUp = (moverCount: number): boolean => {
  for (let i = 0; i < moverCount; i++) attackers[destination[movers[i]]] = 0;
  return false;
};

/**
 * Resolves the orders of places[0 .. count) by the default rules. Call clearOutput() first. Deliberately one long
 * function (over 460 bytes of bytecode), so that V8 inlines the passes into it and does not inline it into its caller:
 * up to 4 % faster on Node 20 and on Node 24.
 * @returns false if the passes give up: the recursion must then resolve the order set
 */
export const runPasses = (count: number): boolean => {
  const read = readOrders(count);
  let moverCount = firstLength(read);
  const convoyOrderCount = thirdLength(read);
  if (convoyOrderCount > 0) {
    moverCount = readConvoys(convoyOrderCount, moverCount);
    // An army convoyed to its own province does not hold, but the passes would treat it as a hold.
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
    // The winner of a head-to-head depends on no other result, so one repetition is enough.
    for (let i = 0; i < vacatedCount; i++) leadWithoutLoser(vacated[i], moverCount);
    decided = decideLeaders(moverCount);
  }
  followDependents(secondLength(decided));
  // Records the dislodged units.
  const to = destination;
  const winnerCount = firstLength(decided);
  const winners = challengers;
  for (let i = 0; i < winnerCount; i++) {
    const at = to[winners[i]];
    if ((isEqual(to[at], at) | not(success[at])) !== 0) dislodge(at, winners[i]);
  }
  // Clears `attackers` for the next order set, as giveUp() does.
  const moving = movers;
  const counts = attackers;
  for (let i = 0; i < moverCount; i++) counts[to[moving[i]]] = 0;
  return true;
};
