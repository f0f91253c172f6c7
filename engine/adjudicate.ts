// Plays one phase of a game in place and turns to the next phase that has something to order.
import { adjudicateAdjustments } from './adjustment.js';
import { testBit } from './bitset.js';
import { isBeyondHope, removeLandless } from './expedited.js';
import { balances, retreatLocations, uncountedOwner, unitKey } from './legal/lists.js';
import type { SpecialTables } from './map/compiled-map.js';
import {
  HOLD,
  hold,
  MOVE,
  orderAux,
  orderLeave,
  orderLocation,
  orderTarget,
  orderType,
  RAIL,
  SUPPORT_MOVE,
  withoutLeave,
  withTarget,
} from './order.js';
import {
  board,
  findContested,
  lastTried,
  given as onSpecialMap,
  resolveOrders,
  trainProvince,
  useMap,
  useRules,
} from './resolve/index.js';
import { claimBoard } from './resolve/ownership.js';
import { clearResults, makeResults, movementResult, type Results } from './results.js';
import { adjudicateRetreats } from './retreat.js';
import type { Game } from './state.js';
import {
  ADJUSTMENT,
  DESTROYED,
  DISLODGED,
  DRAW,
  FALL,
  INVALID,
  MAX_LOCATIONS,
  MAX_POWERS,
  MOVEMENT,
  NO_UNIT,
  PLAYING,
  type Province,
  RETREAT,
  SOLO,
  SPRING,
  STOPS,
  unitPower,
  unitType,
  WINTER,
} from './types.js';

const { places, unit, order, success, dislodgedBy, byConvoy, matched, destination } = board;

// ---- movement ----

/** A support that names a coast helps a move to that coast only (DATC 4.B.4). */
const namesOtherCoast = (game: Game, results: Results, province: Province): boolean => {
  const given = results.order[province];
  if (orderType(given) !== SUPPORT_MOVE || orderTarget(given) < game.map.provinceCount) return false;
  const helped = results.order[orderAux(given)];
  return orderType(helped) === MOVE && orderTarget(helped) !== orderTarget(given);
};

/** The order with a province as its target, as the resolver expects it. */
const toProvince = (game: Game, given: number): number =>
  withTarget(withoutLeave(given), game.map.locationProvince[orderTarget(given)]);

/** What the resolver must know of a railroad and a canal: lost centres, and who lets whom through. */
const setSpecial = (game: Game, special: SpecialTables, results: Results): void => {
  special.line.forEach((province, place) => {
    const center = game.map.centerIndex[province];
    const owner = center < 0 ? -1 : game.owner(center);
    onSpecialMap.lost[place] = owner >= 0 && owner !== special.railPower ? 1 : 0;
  });
  onSpecialMap.leave[0] = special.control < 0 ? 0 : orderLeave(results.order[special.control]);
};

/** Puts units and orders on the board, a hold where no order is given; returns the number of units. */
const setBoard = (game: Game, orders: Int32Array, count: number, results: Results): number => {
  const { map } = game;
  useMap(map);
  useRules(game.rules);
  let n = 0;
  for (let p = 0; p < map.provinceCount; p++) {
    const there = game.unitAt(p);
    unit[p] = there === NO_UNIT ? 0 : ((unitPower(there) + 1) << 16) | (unitKey(game, p) + 1);
    if (there === NO_UNIT) continue;
    places[n++] = p;
    results.unit[p] = there;
    results.order[p] = hold(game.unitLocation(p));
  }
  for (let i = 0; i < count; i++) results.order[map.locationProvince[orderLocation(orders[i])]] = orders[i];
  if (map.special !== null) setSpecial(game, map.special, results);
  for (let i = 0; i < n; i++) {
    const given = results.order[places[i]];
    order[places[i]] = namesOtherCoast(game, results, places[i]) ? HOLD : toProvince(game, given);
  }
  return n;
};

const resultOf = (province: Province): number =>
  movementResult(
    orderType(order[province]),
    success[province] === 1,
    matched[province] !== 0,
    byConvoy[province] === 1,
  );

const dislodgedUnits = new Int32Array(MAX_LOCATIONS);
const dislodgedLocations = new Int32Array(MAX_LOCATIONS);
const dislodgedProvinces = new Int32Array(MAX_LOCATIONS);

/** Moves the units on the game's bytes and lists the dislodged, ascending by province; returns their number. */
const moveUnits = (game: Game, count: number, results: Results): number => {
  let dislodged = 0;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (dislodgedBy[p] !== 0) {
      dislodgedProvinces[dislodged] = p;
      dislodgedUnits[dislodged] = results.unit[p];
      dislodgedLocations[dislodged++] = game.unitLocation(p);
    }
  }
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const leaves = (orderType(order[p]) === MOVE || results.rideEnd[p] >= 0) && success[p] === 1;
    if (leaves || dislodgedBy[p] !== 0) game.removeUnit(p);
  }
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (orderType(order[p]) === MOVE && success[p] === 1)
      game.placeUnit(unitPower(results.unit[p]), unitType(results.unit[p]), orderTarget(results.order[p]));
    else if (results.rideEnd[p] >= 0)
      game.placeUnit(unitPower(results.unit[p]), unitType(results.unit[p]), results.rideEnd[p]);
  }
  return dislodged;
};

const recordRide = (results: Results, province: Province): void => {
  if (trainProvince() === province) results.rideTried[province] = lastTried[0];
  if (success[province] === 0) return;
  results.rideEnd[province] = destination[province];
  if (destination[province] !== orderTarget(results.order[province])) results.result[province] = STOPS;
};

const adjudicateMovement = (game: Game, orders: Int32Array, count: number, results: Results): void => {
  const n = setBoard(game, orders, count, results);
  resolveOrders(n);
  findContested(n, results.contested);
  for (let i = 0; i < n; i++) {
    const p = places[i];
    results.result[p] = orderType(order[p]) === orderType(results.order[p]) ? resultOf(p) : INVALID;
    results.attacker[p] = dislodgedBy[p] - 1;
    results.convoyed[p] = byConvoy[p];
    if (orderType(order[p]) === RAIL) recordRide(results, p);
  }
  const dislodged = moveUnits(game, n, results);
  recordDislodged(game, dislodged, results);
};

/** Dislodged units that have nowhere to go are destroyed at once; the others wait in the game for their retreats. */
const recordDislodged = (game: Game, dislodged: number, results: Results): void => {
  const { provinceCount } = game.map;
  for (let p = 0; p < provinceCount; p++) if (testBit(results.contested, 0, p) === 1) game.setContested(p);
  for (let i = 0; i < dislodged; i++) {
    const province = dislodgedProvinces[i];
    // The province of a convoyed attacker is not barred, by most rules (DATC 4.A.5).
    const attacker = dislodgedBy[province] - 1;
    const barred = byConvoy[attacker] === 1 && game.rules.retreatToConvoyOrigin === 0 ? -1 : attacker;
    const open = retreatLocations(game, dislodgedUnits[i], dislodgedLocations[i], barred, openRetreats);
    results.fate[province] = open > 0 ? DISLODGED : DESTROYED;
    if (open > 0) game.addDislodged(dislodgedUnits[i], dislodgedLocations[i], barred);
  }
  if (game.rules.expedited !== 0 && game.season === FALL) dropHopeless(game, results);
  if (game.dislodgedCount === 0) game.clearRetreats();
};

/** Expedited removal (preset s004): destroys the dislodged units of powers that can no longer change anything. */
const dropHopeless = (game: Game, results: Results): void => {
  const waiting = Array.from({ length: game.dislodgedCount }, (_, i) => game.dislodged(i));
  const kept = waiting.filter(({ unit }) => !isBeyondHope(game, unitPower(unit)));
  if (kept.length === waiting.length) return;
  for (const { province } of waiting) results.fate[province] = DESTROYED;
  game.clearRetreats();
  for (let p = 0; p < game.map.provinceCount; p++) if (testBit(results.contested, 0, p) === 1) game.setContested(p);
  for (const { province, unit, location, attacker } of kept) {
    results.fate[province] = DISLODGED;
    game.addDislodged(unit, location, attacker);
  }
};
const openRetreats = new Int32Array(MAX_LOCATIONS);

// ---- the calendar ----

/** Centres go to whoever has a unit in them after a fall. */
const takeCenters = (game: Game): void => {
  const { map } = game;
  for (let c = 0; c < map.centerCount; c++) {
    const there = game.unitAt(map.centers[c]);
    if (there !== NO_UNIT) game.setOwner(c, unitPower(there));
  }
};

const centerCounts = new Int32Array(MAX_POWERS);

/** A power with enough centres, and more than any other, has won. */
const checkVictory = (game: Game): void => {
  const { map } = game;
  game.countCenters(centerCounts);
  const idle = uncountedOwner(game);
  if (idle >= 0) centerCounts[idle]--;
  let leader = 0;
  let tied = false;
  for (let q = 1; q < map.powerCount; q++) {
    tied = centerCounts[q] === centerCounts[leader] || (tied && centerCounts[q] < centerCounts[leader]);
    if (centerCounts[q] > centerCounts[leader]) leader = q;
  }
  if (tied || centerCounts[leader] < map.victoryCenters) return;
  game.status = SOLO;
  game.winner = leader;
};

const dues = new Int32Array(MAX_POWERS);

const hasAdjustments = (game: Game): boolean => {
  balances(game, dues);
  for (let q = 0; q < game.map.powerCount; q++) if (dues[q] !== 0) return true;
  return false;
};

const toNextYear = (game: Game): void => {
  game.year++;
  game.season = SPRING;
  game.phase = MOVEMENT;
};

/**
 * Ends a spring or fall: settles ownership and victory after a fall, then finds the next phase with something to order.
 */
const endSeason = (game: Game): void => {
  if (game.season === SPRING) {
    game.season = FALL;
    game.phase = MOVEMENT;
    return;
  }
  takeCenters(game);
  if (game.rules.expedited !== 0) removeLandless(game);
  checkVictory(game);
  game.season = WINTER;
  game.phase = ADJUSTMENT;
  if (game.status === PLAYING && !hasAdjustments(game)) toNextYear(game);
};

/**
 * Plays one phase of a game in place, and turns it to the next phase that has something to order: empty retreat and
 * adjustment phases are skipped. After a fall centres change hands, and a power with `map.victoryCenters` or more, and
 * more than any other, wins: the game then has the status SOLO and its last winter is not played.
 *
 * Units without an order hold, dislodged units without one are disbanded, builds without one are not made, removals
 * without one fall to civil disorder. Nothing is checked: orders must be legal (isLegal()), with at most one for each
 * unit. A support to move may name a coast. Nothing is allocated if `results` is given.
 *
 * The default rules are DATC 3.2 (Diplomacy Adjudicator Test Cases); engine/resolve/index.ts says how they are resolved.
 * @param game with status PLAYING
 * @param orders packed orders of all powers, in any order; builds are made in the order in which they are given
 * @param count number of orders to read, orders[0 .. count); default: all
 * @param results overwritten with the result of each order; default: a new object
 * @param balances builds (> 0) or removals (< 0) due by power, if they do not follow from centres and units
 * @returns `results`
 */
export const adjudicate = (
  game: Game,
  orders: Int32Array,
  count: number = orders.length,
  results: Results = makeResults(),
  balances?: Int32Array,
): Results => {
  claimBoard();
  clearResults(results);
  if (game.phase === MOVEMENT) {
    adjudicateMovement(game, orders, count, results);
    if (game.dislodgedCount > 0) game.phase = RETREAT;
    else endSeason(game);
  } else if (game.phase === RETREAT) {
    adjudicateRetreats(game, orders, count, results);
    endSeason(game);
  } else {
    adjudicateAdjustments(game, orders, count, results, balances);
    toNextYear(game);
  }
  return results;
};

/** Ends a game that is still being played as a draw between the surviving powers. */
export const declareDraw = (game: Game): void => {
  game.status = DRAW;
};
