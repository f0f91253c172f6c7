// Implements adjudicate(), which plays one phase of a game by given orders and reports the result of each order. The
// phase is played on the board (turn.ts).

import { builderAt } from '../legal/lists.js';
import type { CompiledMap } from '../map/compiled-map.js';
import type { Game } from '../position/game.js';
import * as O from '../rules/order.js';
import { clearResults, makeResults, movementResultBy, type Results } from '../rules/results.js';
import { scratch } from '../rules/scratch.js';
import * as T from '../rules/types.js';
import { civilDisorderRemoval } from './civil-disorder.js';
import { dropHopeless, removeLandless } from './expedited.js';
import * as M from './movement/index.js';
import { adjustments, GameOnBoard, gameArrays, listSites } from './turn.js';

// Imports are copied to constants of this module, which is faster (movement/passes.ts has measurements).
const { places, unit, order, success, dislodgedBy, byConvoy, matched, destination } = M.board;
const { contested, waiting, waitingWords, retreatTo, met } = gameArrays;
const { adjusting, due } = adjustments;
const { KEY_MASK, POWER_SHIFT } = M;
const { orderType, orderTarget, orderLocation } = O;
const resultBy = movementResultBy;
const { toBoard, locationOfWord } = M;

const onBoard = new GameOnBoard();

// ---- movement ----

/**
 * True if an order is a support to move that names another coast than the move, which it then does not help (DATC
 * 4.B.4).
 * @param given the order, packed
 */
const namesOtherCoast = (results: Results, given: number): boolean => {
  if (orderType(given) !== O.SUPPORT_MOVE) return false;
  const helped = results.order[O.orderHelped(given)];
  return orderType(helped) === O.MOVE && orderTarget(helped) !== orderTarget(given);
};

/**
 * Puts the orders of `results` on the board, for the units in places[0 .. count). A support that names another coast
 * than its move becomes a hold.
 */
export const putOrders = ({ locationProvince, provinceCount }: CompiledMap, count: number, results: Results): void => {
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const key = (unit[p] & KEY_MASK) - 1;
    const given = results.order[p];
    const target = orderTarget(given);
    if (orderType(given) === O.MOVE || target < provinceCount) order[p] = toBoard(key, given);
    // The resolver has no coasts, so a support that names another coast becomes a hold.
    else if (namesOtherCoast(results, given)) order[p] = toBoard(key, O.HOLD);
    else order[p] = toBoard(key, O.withTarget(given, locationProvince[target]));
  }
};

/**
 * Writes the units on the board and their orders to `results`. Units without an order get a hold.
 * @param count number of orders to read, orders[0 .. count)
 */
const readOrders = (game: Game, orders: Int32Array, count: number, results: Results): void => {
  const { map, bytes, offset, layout } = game;
  const { locationProvince } = map;
  const n = onBoard.count;
  const units = offset + layout.units;
  for (let i = 0; i < n; i++) {
    const p = places[i];
    results.unit[p] = bytes[units + p];
    results.order[p] = O.hold(locationOfWord(unit[p]));
  }
  for (let i = 0; i < count; i++) results.order[locationProvince[orderLocation(orders[i])]] = orders[i];
};

/**
 * Returns the end of the canal that the controlling unit gives leave to, as orderLeave() returns it; 0 on maps without
 * a canal.
 */
export const leaveIn = ({ special }: CompiledMap, results: Results): number =>
  special === null || special.control < 0 ? 0 : O.orderLeave(results.order[special.control]);

/**
 * Writes the end of a ride by railroad to `results`: rideTried, rideEnd, and the result STOPS if it ended before its
 * target.
 * @param province province of the army before the ride
 */
const recordRide = (results: Results, province: T.Province): void => {
  if (M.found.train === province) results.rideTried[province] = M.found.tried;
  if (success[province] === 0) return;
  results.rideEnd[province] = destination[province];
  if (destination[province] !== orderTarget(results.order[province])) results.result[province] = T.STOPS;
};

const recordMoves = (results: Results): void => {
  const n = onBoard.count;
  for (let i = 0; i < n; i++) {
    const p = places[i];
    const o = order[p];
    results.result[p] = resultBy(orderType(o), success[p] & 1, matched[p], byConvoy[p]);
    // A support that names another coast is a hold on the board (putOrders()).
    if (orderType(o) !== orderType(results.order[p])) results.result[p] = T.INVALID;
    results.attacker[p] = dislodgedBy[p] - 1;
    results.convoyed[p] = byConvoy[p];
    if (orderType(o) === O.RAIL) recordRide(results, p);
  }
};

const gone = scratch(T.MAX_LOCATIONS);

/**
 * Destroys the dislodged units without an open retreat, and under the option expedited those of powers without hope of
 * a centre after a fall. Writes the fates of all dislodged units to `results`.
 */
const recordDislodged = (game: Game, results: Results): void => {
  results.contested.set(contested);
  for (let i = 0; i < onBoard.waitingCount; i++) {
    gone[i] = onBoard.openRetreats(i) === 0 ? 1 : 0;
    results.fate[waiting[i]] = T.DESTROYED;
  }
  onBoard.dropWaiting(gone);
  if (game.rules.expedited !== 0 && game.season === T.FALL) dropHopeless(onBoard);
  for (let i = 0; i < onBoard.waitingCount; i++) results.fate[waiting[i]] = T.DISLODGED;
};

const playMoves = (game: Game, orders: Int32Array, count: number, results: Results): void => {
  readOrders(game, orders, count, results);
  putOrders(game.map, onBoard.count, results);
  const dislodged = onBoard.resolveMoves(leaveIn(game.map, results));
  recordMoves(results);
  if (dislodged === 0) M.findContested(onBoard.count, results.contested);
  onBoard.endMoves();
  if (dislodged > 0) recordDislodged(game, results);
  if (onBoard.waitingCount > 0) onBoard.phase = T.RETREAT;
  else endSeason(game);
};

// ---- retreats ----

/**
 * Plays a retreat phase. Dislodged units without an order are disbanded.
 * @param count number of orders to read, orders[0 .. count)
 */
const playRetreats = (game: Game, orders: Int32Array, count: number, results: Results): void => {
  const { locationProvince } = game.map;
  const n = onBoard.waitingCount;
  for (let i = 0; i < n; i++) {
    const p = waiting[i];
    const word = waitingWords[i];
    const location = locationOfWord(word);
    const type = (word & KEY_MASK) - 1 === location ? T.ARMY : T.FLEET;
    results.unit[p] = T.makeUnit((word >>> POWER_SHIFT) - 1, type);
    results.order[p] = O.disband(location);
    results.result[p] = T.FAILS;
  }
  for (let i = 0; i < count; i++) {
    const p = locationProvince[orderLocation(orders[i])];
    results.order[p] = orders[i];
    results.result[p] = T.SUCCEEDS;
  }
  for (let i = 0; i < n; i++) {
    const o = results.order[waiting[i]];
    retreatTo[i] = orderType(o) === O.RETREAT_TO ? orderTarget(o) : -1;
  }
  onBoard.landRetreats();
  for (let i = 0; i < n; i++) if (met[i] === 1) results.result[waiting[i]] = T.FAILS;
  endSeason(game);
};

// ---- adjustments ----

const build = (game: Game, o: O.Order, results: Results): void => {
  const { locationProvince, locationCount } = game.map;
  const location = orderLocation(o);
  const p = locationProvince[location];
  const powerPlusOne = builderAt(game, p) + 1;
  if (unit[p] !== 0 || powerPlusOne === 0 || due[powerPlusOne] <= 0) return;
  due[powerPlusOne]--;
  const fleet = orderType(o) === O.BUILD_FLEET;
  onBoard.putUnit(p, (powerPlusOne << POWER_SHIFT) | (1 + (fleet ? locationCount + location : location)));
  results.unit[p] = T.makeUnit(powerPlusOne - 1, fleet ? T.FLEET : T.ARMY);
  results.order[p] = o;
  results.result[p] = T.SUCCEEDS;
};

/** Removes a unit from the board if a removal is due, and from the bytes of the game, which civil disorder reads. */
const removeUnit = (game: Game, province: T.Province, results: Results): void => {
  const powerPlusOne = unit[province] >>> POWER_SHIFT;
  if (unit[province] === 0 || due[powerPlusOne] >= 0) return;
  due[powerPlusOne]++;
  results.unit[province] = game.unitAt(province);
  results.order[province] = O.remove(locationOfWord(unit[province]));
  results.result[province] = T.SUCCEEDS;
  let i = 0;
  while (places[i] !== province) i++;
  onBoard.removeAt(i);
  game.removeUnit(province);
};

/**
 * Plays builds and removals in the order given. Skips a build in an occupied centre, and builds and removals that
 * exceed the number due. Civil disorder makes the removals that are still due at the end.
 * @param count number of orders to read, orders[0 .. count)
 * @param given builds (> 0) or removals (< 0) due, indexed by power; default: counted from centres and units
 */
const playAdjustments = (game: Game, orders: Int32Array, count: number, results: Results, given?: Int32Array): void => {
  const { powerCount, locationProvince } = game.map;
  onBoard.listAdjusting();
  if (given !== undefined) for (let q = 0; q < powerCount; q++) due[q + 1] = given[q];
  for (let i = 0; i < count; i++) {
    const o = orders[i];
    const type = orderType(o);
    if (type === O.BUILD_ARMY || type === O.BUILD_FLEET) build(game, o, results);
    else if (type === O.REMOVE) removeUnit(game, locationProvince[orderLocation(o)], results);
    else if (type === O.WAIVE && due[O.waivingPower(o) + 1] > 0) due[O.waivingPower(o) + 1]--;
  }
  for (let q = 0; q < powerCount; q++) if (due[q + 1] < 0) removeByCivilDisorder(game, q, results);
  onBoard.toNextYear();
};

const removeByCivilDisorder = (game: Game, power: T.Power, results: Results): void => {
  onBoard.store(game);
  while (due[power + 1] < 0) {
    const province = civilDisorderRemoval(game, power);
    if (province < 0) break;
    removeUnit(game, province, results);
    results.civil[province] = 1;
  }
};

// ---- the end of a season ----

/** True if a power has a removal due, or a build due and a province to build in. */
const hasAdjustments = (): boolean => {
  const n = onBoard.listAdjusting();
  for (let i = 0; i < n; i++) if (due[adjusting[i]] < 0 || listSites(adjusting[i]) > 0) return true;
  return false;
};

/**
 * Ends a spring or fall, and skips an adjustment phase without builds or removals. Under the option expedited, removes
 * the units of powers without centres after a fall.
 */
const endSeason = (game: Game): void => {
  const isFall = game.season === T.FALL;
  const adjustmentsFollow = onBoard.endSeason();
  if (isFall && game.rules.expedited !== 0) removeLandless(onBoard);
  if (adjustmentsFollow && !hasAdjustments()) onBoard.toNextYear();
};

/**
 * Plays one phase of a game in place and advances the game to the next phase that needs orders. Empty retreat and
 * adjustment phases are skipped. After a fall, centres change owner. A power with at least `map.victoryCenters`
 * centres, and with more than any other power, then wins: the status becomes SOLO and the last winter is not played.
 *
 * Units without an order hold. Dislodged units without an order are disbanded. Builds without an order are not made,
 * and civil disorder makes removals without an order. Orders are not checked: they must be legal (isLegal()), with at
 * most one for each unit. A support to move may name a coast. Does not allocate if `results` is given.
 *
 * The default rules are DATC 3.2 (Diplomacy Adjudicator Test Cases). engine/adjudicate/movement/index.ts describes the
 * resolver.
 * @param game with status PLAYING
 * @param orders packed orders of all powers. Their sequence matters only for builds, which are made in this sequence
 * @param count number of orders to read, orders[0 .. count); default: all
 * @param results overwritten with the result of each order; default: a new object
 * @param adjustmentsDue builds (> 0) or removals (< 0) due, indexed by power; default: counted from centres and units
 * @returns `results`
 */
export const adjudicate = (
  game: Game,
  orders: Int32Array,
  count: number = orders.length,
  results: Results = makeResults(),
  adjustmentsDue?: Int32Array,
): Results => {
  clearResults(results);
  onBoard.load(game);
  if (game.phase === T.MOVEMENT) playMoves(game, orders, count, results);
  else if (game.phase === T.RETREAT) playRetreats(game, orders, count, results);
  else playAdjustments(game, orders, count, results, adjustmentsDue);
  onBoard.store(game);
  return results;
};

/** Ends a running game as a draw between the surviving powers. */
export const declareDraw = (game: Game): void => {
  game.status = T.DRAW;
};
