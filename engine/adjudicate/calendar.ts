// Plays one phase of a game in place and turns to the next phase that has something to order.

import { balances, retreatLocations, uncountedOwner } from '../legal/lists.js';
import { lookAtUnits, position } from '../legal/position.js';
import type { SpecialTables } from '../map/compiled-map.js';
import type { Game } from '../position/game.js';
import { testBit } from '../rules/bitset.js';
import {
  HOLD,
  hold,
  isMoveBit,
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
} from '../rules/order.js';
import { clearResults, makeResults, movementResultBy, type Results } from '../rules/results.js';
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
} from '../rules/types.js';
import { adjudicateAdjustments } from './adjustment.js';
import { isBeyondHope, removeLandless } from './expedited.js';
import {
  board,
  findContested,
  lastTried,
  given as onSpecialMap,
  resolveOrders,
  trainProvince,
  useMap,
  useRules,
} from './movement/index.js';
import { claimBoard } from './movement/ownership.js';
import { adjudicateRetreats } from './retreat.js';

const { keys, locations, unitsAt } = position;
const { places, unit, order, success, dislodgedBy, byConvoy, matched, destination } = board;
// Imports rebound, so that V8 folds them like constants of this module.
const typeOf = orderType;
const targetOf = orderTarget;
const locationOf = orderLocation;
const resultBy = movementResultBy;

// ---- movement ----

/** A support that names a coast helps a move to that coast only (DATC 4.B.4). */
const namesOtherCoast = (results: Results, given: number): boolean => {
  if (typeOf(given) !== SUPPORT_MOVE) return false;
  const helped = results.order[orderAux(given)];
  return orderType(helped) === MOVE && orderTarget(helped) !== orderTarget(given);
};

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
  const { map, bytes } = game;
  useMap(map);
  useRules(game.rules);
  const n = lookAtUnits(game);
  const units = game.offset + game.layout.units;
  // Without a unit 0: its power and its key are then -1.
  for (let p = 0; p < map.provinceCount; p++) unit[p] = ((unitPower(bytes[units + p]) + 1) << 16) | (keys[p] + 1);
  for (let i = 0; i < n; i++) {
    const p = unitsAt[i];
    places[i] = p;
    results.unit[p] = bytes[units + p];
    results.order[p] = hold(locations[p]);
  }
  const { locationProvince, provinceCount } = map;
  for (let i = 0; i < count; i++) results.order[locationProvince[locationOf(orders[i])]] = orders[i];
  if (map.special !== null) setSpecial(game, map.special, results);
  for (let i = 0; i < n; i++) {
    const p = unitsAt[i];
    const given = results.order[p];
    const target = targetOf(given);
    // The resolver expects a province.
    order[p] = withTarget(withoutLeave(given), locationProvince[target]);
    if (target >= provinceCount && namesOtherCoast(results, given)) order[p] = HOLD;
  }
  return n;
};

const dislodgedUnits = new Int32Array(MAX_LOCATIONS);
const dislodgedLocations = new Int32Array(MAX_LOCATIONS);
const dislodgedProvinces = new Int32Array(MAX_LOCATIONS);
/** Provinces of the units whose moves and rides succeed. */
const movers = new Int32Array(MAX_LOCATIONS + 1);

/**
 * Moves the units on the game's bytes and lists the dislodged, ascending by province; returns their number. Orders are
 * random in much of play: so that no branch has to be predicted, lists are written past their ends and grow by 0 or 1.
 */
const moveUnits = (game: Game, count: number, results: Results): number => {
  let dislodged = 0;
  let moves = 0;
  for (let i = 0; i < count; i++) {
    const p = unitsAt[i];
    dislodgedProvinces[dislodged] = p;
    dislodged += -dislodgedBy[p] >>> 31;
    movers[moves] = p;
    moves += isMoveBit(order[p]) & success[p];
  }
  for (let i = 0; i < dislodged; i++) {
    const p = dislodgedProvinces[i];
    dislodgedUnits[i] = results.unit[p];
    dislodgedLocations[i] = locations[p];
    game.removeUnit(p);
  }
  for (let i = 0; i < moves; i++) game.removeUnit(movers[i]);
  for (let i = 0; i < moves; i++) {
    const p = movers[i];
    const to = results.rideEnd[p] < 0 ? targetOf(results.order[p]) : results.rideEnd[p];
    game.placeUnit(unitPower(results.unit[p]), unitType(results.unit[p]), to);
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
    const p = unitsAt[i];
    results.result[p] = resultBy(typeOf(order[p]), success[p] & 1, matched[p], byConvoy[p]);
    // A support that names another coast is a hold on the board.
    if (typeOf(order[p]) !== typeOf(results.order[p])) results.result[p] = INVALID;
    results.attacker[p] = dislodgedBy[p] - 1;
    results.convoyed[p] = byConvoy[p];
    if (orderType(order[p]) === RAIL) recordRide(results, p);
  }
  const dislodged = moveUnits(game, n, results);
  recordDislodged(game, dislodged, results);
};

/** Dislodged units that have nowhere to go are destroyed at once; the others wait in the game for their retreats. */
const recordDislodged = (game: Game, dislodged: number, results: Results): void => {
  if (dislodged === 0) {
    game.clearRetreats();
    return;
  }
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
 * The default rules are DATC 3.2 (Diplomacy Adjudicator Test Cases); engine/adjudicate/movement/index.ts says how they are resolved.
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
