// Defines which orders are legal (DATC 3.2, issue 4.E.1, in the most restrictive reading of the rules), lists them and
// counts them.
//
// Legal orders of a unit in a movement phase:
//   - hold
//   - every move over a border
//   - for an army, every move VIA for which the fleets on the board make a proper route (routes.ts)
//   - support to hold of every unit in a province that it can reach
//   - support of every move that another unit could make into a province that it can reach. A convoy of that move must
//     be possible without the supporter
//   - for a fleet at sea, the convoys for which it is not superfluous

import { fleetsOnChains } from '../map/chains.js';
import type { CompiledMap, SpecialTables } from '../map/compiled-map.js';
import { isCanal, isFrozen } from '../map/special.js';
import type { Game } from '../position/game.js';
import { testBit } from '../rules/bitset.js';
import * as O from '../rules/order.js';
import * as T from '../rules/types.js';
import { countAll, fillRows, listAll, listOf, useMapForMovement } from './movement.js';
import { lookAtUnits, position } from './position.js';
import { routesOf } from './routes.js';
import { canRide, hasSpecialMove, type SpecialOrders, specialOrdersOf } from './special-orders.js';

const { keys, unitsAt, locations } = position;

/** Length of a buffer that holds the legal orders of any province: at most 256 targets times 256 units to help. */
export const MAX_ORDERS_PER_PROVINCE = 1 << 16;

/**
 * Returns the key (unit type and location, map/compiled-map.ts) of the unit in a province. The province must have a
 * unit.
 */
export const unitKey = (game: Game, province: T.Province): number =>
  T.unitType(game.unitAt(province)) === T.FLEET ? game.map.locationCount + game.unitLocation(province) : province;

/** Returns the locations of a fleet in a province that is not inland: its coasts, or the province if it has none. */
export const berthsIn = (map: CompiledMap, province: T.Province): T.Location[] =>
  map.coastCount[province] === 0
    ? [province]
    : Array.from({ length: map.coastCount[province] }, (_, i) => map.firstCoast[province] + i);

const isSea = (map: CompiledMap, province: T.Province): boolean => testBit(map.seas, 0, province) === 1;

// ---- retreats ----

/**
 * True if a dislodged unit may retreat to an adjacent location.
 * @param from location of the unit
 * @param attacker province to which it may not retreat; -1 for none
 * @param location location of the retreat; must be in the unit's reach
 */
const isOpenRetreat = (game: Game, from: T.Location, attacker: number, location: T.Location): boolean => {
  const { map } = game;
  const to = map.locationProvince[location];
  if (game.unitAt(to) !== T.NO_UNIT || to === attacker || game.isContested(to)) return false;
  return map.special === null || !isBarredRetreat(map.special, map.locationProvince[from], to, game.season);
};

/** True if special rules forbid a retreat: it leads through a canal, or from or to ice in fall. */
export const isBarredRetreat = (special: SpecialTables, from: T.Province, to: T.Province, season: number): boolean =>
  isCanal(special, from, to) || isFrozen(special, season, from) || isFrozen(special, season, to);

/**
 * Writes the locations to which a unit dislodged from `location` may retreat to `out`, ascending. Returns their number.
 * Reads the units and the contested provinces of the game.
 * @param unit type and power of the dislodged unit (types.ts)
 * @param attacker province to which it may not retreat, the origin of its attacker; -1 for none
 */
export const retreatLocations = (
  game: Game,
  unit: number,
  location: T.Location,
  attacker: number,
  out: Int32Array,
): number => {
  const { map } = game;
  const key = T.unitType(unit) === T.FLEET ? map.locationCount + location : location;
  let n = 0;
  for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
    if (isOpenRetreat(game, location, attacker, map.moveTargets[i])) out[n++] = map.moveTargets[i];
  return n;
};

/** Returns the index of the unit dislodged from a province, for Game.dislodged(); -1 if there is none. */
export const dislodgedIn = (game: Game, province: T.Province): number => {
  for (let i = 0; i < game.dislodgedCount; i++) if (game.dislodged(i).province === province) return i;
  return -1;
};

const listRetreats = (game: Game, province: T.Province, out: Int32Array, begin: number): number => {
  const index = dislodgedIn(game, province);
  if (index < 0) return begin;
  const { unit, location, attacker } = game.dislodged(index);
  const n = retreatLocations(game, unit, location, attacker, retreats);
  for (let i = 0; i < n; i++) out[begin + i] = O.retreat(location, retreats[i]);
  out[begin + n] = O.disband(location);
  return begin + n + 1;
};
const retreats = new Int32Array(T.MAX_LOCATIONS);

// ---- adjustments ----

/**
 * Returns the power that may build in a province if it has a build due: the owner of an empty home centre, or of any
 * empty centre on maps that allow builds anywhere. Returns -1 if no power may build there.
 */
export const builderAt = (game: Game, province: T.Province): number => {
  const { map } = game;
  const center = map.centerIndex[province];
  if (center < 0 || game.unitAt(province) !== T.NO_UNIT) return -1;
  const owner = game.owner(center);
  return owner >= 0 && (map.buildAnywhere || map.homePower[center] === owner) ? owner : -1;
};

/**
 * Returns the power that owns a centre that does not count for it (SpecialTables.uncounted). Returns -1 if the map has
 * no such centre or if another power owns it.
 */
export const uncountedOwner = (game: Game): T.Power => {
  const { special } = game.map;
  if (special === null || special.uncounted < 0) return -1;
  return game.owner(special.uncounted) === special.uncountedPower ? special.uncountedPower : -1;
};

// Scratch of adjustmentsDue(): numbers of centres, of provinces to build in and of units, indexed by power + 1. All 0
// between calls.
const centersOf = new Int32Array(T.MAX_POWERS + 1);
const sitesOf = new Int32Array(T.MAX_POWERS + 1);
const unitsOf = new Int32Array(T.MAX_POWERS + 1);

/**
 * Writes the number of builds (> 0) or removals (< 0) due for each power, from its centres and units. The number of
 * builds is at most that of provinces where the power may build.
 * @param out overwritten from index `at` on, indexed by power
 */
export const adjustmentsDue = (game: Game, out: Int32Array | Int8Array, at = 0): void => {
  const { bytes, offset, layout, map } = game;
  const { powerCount, provinceCount, centerCount } = map;
  const units = offset + layout.units;
  const owners = offset + layout.owners;
  for (let p = 0; p < provinceCount; p++) unitsOf[bytes[units + p] >> 1]++;
  for (let c = 0; c < centerCount; c++) {
    const owner = bytes[owners + c];
    centersOf[owner]++;
    const isHome = map.buildAnywhere || map.homePower[c] === owner - 1;
    if (isHome && bytes[units + map.centers[c]] === T.NO_UNIT) sitesOf[owner]++;
  }
  const idle = uncountedOwner(game);
  if (idle >= 0) centersOf[idle + 1]--;
  for (let q = 0; q <= powerCount; q++) {
    const due = centersOf[q] - unitsOf[q];
    // Element 0 counts centres without an owner.
    if (q > 0) out[at + q - 1] = Math.min(due, due > 0 ? sitesOf[q] : due);
    centersOf[q] = 0;
    sitesOf[q] = 0;
    unitsOf[q] = 0;
  }
};

const ofAll = new Int32Array(T.MAX_POWERS);

/**
 * Returns the number of builds (> 0) or removals (< 0) due for a power. The number of builds is at most that of
 * provinces where the power may build.
 */
export const adjustmentDue = (game: Game, power: T.Power): number => {
  adjustmentsDue(game, ofAll);
  return ofAll[power];
};

/**
 * Writes the legal builds and the waive, or the removal, in one province to `out` from index `begin` on. Returns the
 * index after the last order.
 * @param due builds (> 0) or removals (< 0) due, indexed by power
 */
const listAdjustments = (game: Game, province: T.Province, due: Int32Array, out: Int32Array, begin: number): number => {
  const { map } = game;
  let n = begin;
  const unit = game.unitAt(province);
  if (unit !== T.NO_UNIT) {
    if (due[T.unitPower(unit)] < 0) out[n++] = O.remove(game.unitLocation(province));
    return n;
  }
  const power = builderAt(game, province);
  if (power < 0 || due[power] <= 0) return n;
  out[n++] = O.buildArmy(province);
  if (map.kind[province] !== T.LAND) {
    if (map.coastCount[province] === 0) out[n++] = O.buildFleet(province);
    for (let i = 0; i < map.coastCount[province]; i++) out[n++] = O.buildFleet(map.firstCoast[province] + i);
  }
  out[n++] = O.waive(power);
  return n;
};

// ---- lists ----

/**
 * Writes the canonical legal orders of one province to `out` and returns their number. In a movement phase these are
 * the orders of the unit there, in a retreat phase those of the dislodged unit. In an adjustment phase they are the
 * builds and the waive in an empty centre, if its owner has builds due, or the removal of a unit, if its power has
 * removals due.
 * @param out at least MAX_ORDERS_PER_PROVINCE long. Elements after the orders may be overwritten
 */
export const legalOrders = (game: Game, province: T.Province, out: Int32Array): number => {
  if (game.phase === T.MOVEMENT) {
    const special = findSpecial(game, fillRowsOf(game));
    if (keys[province] < 0) return 0;
    return special === null ? listOf(province, out, 0) : special.list(province, out, 0);
  }
  if (game.phase === T.RETREAT) return listRetreats(game, province, out, 0);
  adjustmentsDue(game, dues);
  return listAdjustments(game, province, dues, out, 0);
};

const dues = new Int32Array(T.MAX_POWERS);

/**
 * Writes the canonical legal orders of all provinces to `out`, ascending by province. Provinces without orders are
 * skipped: the orders of the k-th province with orders are out[offsets[k] .. offsets[k + 1]). The first order of each
 * list names its location. Does not allocate.
 * @param out receives the orders. 2,000 elements for each unit are ample on the standard map. If it is too short,
 *   orders that do not fit are dropped, and offsets[n] is the length needed. Elements after the last order may be
 *   overwritten
 * @param offsets at least provinceCount + 1 long
 * @returns n, the number of provinces with orders
 */
export const allLegalOrders = (game: Game, out: Int32Array, offsets: Int32Array): number => {
  offsets[0] = 0;
  if (game.phase === T.MOVEMENT) return listAllMovement(game, out, offsets);
  if (game.phase === T.RETREAT) return listAllRetreats(game, out, offsets);
  adjustmentsDue(game, dues);
  return listAllAdjustments(game, dues, out, offsets);
};

/**
 * Fills the rows of supports in movement.ts for a game, and reads its units into position.ts. Returns the number of
 * units.
 */
const fillRowsOf = (game: Game): number => {
  useMapForMovement(game.map);
  const count = lookAtUnits(game);
  fillRows(count, game.season === T.FALL);
  return count;
};

/**
 * Finds the orders of special rules (special-orders.ts) for the units in position.ts. Returns null if the map has none.
 * @param count number of units
 */
const findSpecial = (game: Game, count: number): SpecialOrders | null => {
  const special = specialOrdersOf(game.map);
  special?.find(game.season === T.FALL, count, powerAt(game));
  return special;
};

const listAllMovement = (game: Game, out: Int32Array, offsets: Int32Array): number => {
  const count = fillRowsOf(game);
  const special = findSpecial(game, count);
  if (special === null) listAll(count, out, offsets);
  else special.listAll(count, out, offsets);
  return count;
};

/** Implements allLegalOrders() in a retreat phase. Dislodged units are stored in ascending order of province. */
const listAllRetreats = (game: Game, out: Int32Array, offsets: Int32Array): number => {
  const { dislodgedCount } = game;
  for (let i = 0; i < dislodgedCount; i++) {
    offsets[i + 1] = listRetreats(game, game.dislodged(i).province, out, offsets[i]);
  }
  return dislodgedCount;
};

const listAllAdjustments = (game: Game, due: Int32Array, out: Int32Array, offsets: Int32Array): number => {
  let count = 0;
  for (let p = 0; p < game.map.provinceCount; p++) {
    const n = listAdjustments(game, p, due, out, offsets[count]);
    if (n === offsets[count]) continue;
    offsets[++count] = n;
  }
  return count;
};

/** Initial number of elements of `room` for each province of the map. Enough for almost all positions. */
const ROOM_PER_PROVINCE = 2000;
let room = new Int32Array(0);

const makeRoom = ({ map }: Game): void => {
  const usual = ROOM_PER_PROVINCE * map.provinceCount;
  if (room.length < usual) room = new Int32Array(usual);
};

/**
 * Lists the legal orders of all provinces, as allLegalOrders() does, in an array of this module that grows as needed.
 * orderRoom() returns the array. Returns the number of provinces with orders.
 * @param offsets receives where the orders of each province begin in the array; at least provinceCount + 1 long
 */
export const listInRoom = (game: Game, offsets: Int32Array): number => {
  makeRoom(game);
  const count = allLegalOrders(game, room, offsets);
  if (offsets[count] <= room.length) return count;
  room = new Int32Array(2 * offsets[count]);
  return allLegalOrders(game, room, offsets);
};

/**
 * Lists the builds and removals of all provinces for given numbers due, as listInRoom() does for the numbers of the
 * game. Returns the number of provinces with orders. The array need not grow, because a centre or unit has only a few
 * orders.
 * @param due builds (> 0) or removals (< 0) due, indexed by power
 * @param offsets receives where the orders of each province begin in the array; at least provinceCount + 1 long
 */
export const listAdjustmentsDue = (game: Game, due: Int32Array, offsets: Int32Array): number => {
  makeRoom(game);
  offsets[0] = 0;
  return listAllAdjustments(game, due, room, offsets);
};

/**
 * Returns the array with the orders of the last listInRoom() or listAdjustmentsDue(), not copied: the next call of
 * either overwrites it.
 */
export const orderRoom = (): Int32Array => room;

/**
 * Counts the legal orders of all provinces: offsets[k + 1] - offsets[k] of the k-th province with orders. Writes the
 * same offsets as allLegalOrders() and returns the same number of provinces. In a movement phase it makes no lists,
 * which takes a third of the time, and does not allocate. In other phases, and on maps with special rules, it calls
 * listInRoom(), whose array may grow.
 * @param offsets at least provinceCount + 1 long
 */
export const countLegalOrders = (game: Game, offsets: Int32Array): number => {
  if (game.phase !== T.MOVEMENT || specialOrdersOf(game.map) !== null) return listInRoom(game, offsets);
  const count = fillRowsOf(game);
  countAll(count, offsets);
  return count;
};

// ---- one order ----

const hasBit = (word: number, bit: number): boolean => ((word >>> (bit & 31)) & 1) === 1;

/**
 * Finds the convoy routes of an army (routes.ts), and leaves them in routesOf(map). True if one leads to province `to`.
 */
const hasRoute = (game: Game, army: T.Province, to: T.Province): boolean => {
  const { map } = game;
  const count = lookAtUnits(game);
  const routes = routesOf(map);
  routes.begin();
  for (let u = 0; u < count; u++) {
    const p = unitsAt[u];
    if (keys[p] >= map.locationCount && isSea(map, p) && !isFrozen(map.special, game.season, p))
      routes.addFleet(locations[p]);
  }
  routes.find(army);
  return hasBit(routes.to(army, to >> 5), to);
};

/**
 * True if the fleets on the board could convoy an army to province `to`.
 * @param without province of a fleet that the convoy may not use; -1 for none
 */
const canConvoy = (game: Game, army: T.Province, to: T.Province, without: number): boolean =>
  hasRoute(game, army, to) &&
  (without < 0 || hasBit(routesOf(game.map).toWithout(army, locations[without], to >> 5), to));

const hasMove = (map: CompiledMap, key: number, location: T.Location): boolean => {
  for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
    if (map.moveTargets[i] === location) return true;
  return false;
};

const isLegalMove = (game: Game, order: O.Order, province: T.Province, key: number): boolean => {
  const { map } = game;
  const to = O.orderTarget(order);
  if (to >= map.locationCount) return false;
  if (O.orderVia(order) === 0) return hasMove(map, key, to);
  return key < map.locationCount && to < map.provinceCount && canConvoy(game, province, O.targetProvince(order), -1);
};

const isLegalSupport = (game: Game, order: O.Order, province: T.Province, key: number): boolean => {
  const { map } = game;
  const helped = O.orderHelped(order);
  const to = O.orderTarget(order);
  if (helped >= map.provinceCount || to >= map.locationCount || helped === province) return false;
  if (game.unitAt(helped) === T.NO_UNIT) return false;
  const target = map.locationProvince[to];
  if (testBit(map.reach, key, target) === 0) return false;
  if (O.orderType(order) === O.SUPPORT_HOLD) return to === helped;
  const helpedKey = unitKey(game, helped);
  if (to !== target) return helpedKey >= map.locationCount && hasMove(map, helpedKey, to);
  if (testBit(map.reach, helpedKey, target) === 1) return true;
  if (hasSpecialMove(map, helped, target, helpedKey, powerAt(game))) return true;
  if (helpedKey >= map.locationCount || target === helped) return false;
  const couldConvoy = key >= map.locationCount && isSea(map, province);
  return canConvoy(game, helped, target, couldConvoy ? province : -1);
};

const isLegalConvoy = (game: Game, order: O.Order, province: T.Province, key: number): boolean => {
  const { map } = game;
  const army = O.orderHelped(order);
  const to = O.targetProvince(order);
  if (key < map.locationCount || !isSea(map, province)) return false;
  if (army >= map.provinceCount || to >= map.provinceCount) return false;
  const unit = game.unitAt(army);
  if (unit === T.NO_UNIT || T.unitType(unit) !== T.ARMY || map.kind[army] === T.SEA) return false;
  const routes = routesOf(map);
  if (hasRoute(game, army, to) && hasBit(routes.toWith(army, game.unitLocation(province), to >> 5), to)) return true;
  return game.rules.superfluousConvoy !== 0 && isOnSimpleChain(game, army, province, to);
};

/** True if a fleet is on a simple chain of fleets at sea from an army to its destination. */
const isOnSimpleChain = (game: Game, army: T.Province, fleet: T.Province, to: T.Province): boolean => {
  const { map } = game;
  if (to === army || map.kind[to] === T.SEA) return false;
  const fleets: T.Location[] = [];
  for (let p = 0; p < map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (p === to || unit === T.NO_UNIT || T.unitType(unit) !== T.FLEET) continue;
    if (isSea(map, p) && !isFrozen(map.special, game.season, p)) fleets.push(game.unitLocation(p));
  }
  const areLinked = (from: T.Location, at: T.Location): boolean => testBit(map.seaNeighbours, from, at) === 1;
  const arrives = (at: T.Location): boolean => testBit(map.coastNeighbours, at, to) === 1;
  const wanted = game.unitLocation(fleet);
  return fleetsOnChains({ army, fleets, areLinked, arrives }, wanted).has(wanted);
};

const powerAt =
  (game: Game) =>
  (p: T.Province): T.Power =>
    T.unitPower(game.unitAt(p));

/**
 * True if ice forbids an order. In fall a unit in ice can only hold, and no unit may enter ice or support a unit there.
 */
const isBarredByIce = (game: Game, order: O.Order, province: T.Province): boolean => {
  const { map } = game;
  if (O.orderType(order) === O.HOLD || O.orderTarget(order) >= map.locationCount) return false;
  const helped: T.Province = O.orderType(order) === O.SUPPORT_MOVE ? O.orderHelped(order) : province;
  const target: T.Province = map.locationProvince[O.orderTarget(order)];
  return [province, target, helped].some((p) => isFrozen(map.special, game.season, p));
};

const isLegalMovement = (game: Game, order: O.Order): boolean => {
  const { map } = game;
  const at = O.orderLocation(order);
  const province = map.locationProvince[at];
  if (game.unitAt(province) === T.NO_UNIT || game.unitLocation(province) !== at) return false;
  const key = unitKey(game, province);
  if (map.special !== null && isBarredByIce(game, order, province)) return false;
  switch (O.orderType(order)) {
    case O.HOLD:
      return true;
    case O.RAIL:
      return canRide(map, province, O.targetProvince(order), key, powerAt(game));
    case O.MOVE:
      return isLegalMove(game, order, province, key);
    case O.SUPPORT_HOLD:
    case O.SUPPORT_MOVE:
      return isLegalSupport(game, order, province, key);
    case O.CONVOY:
      return isLegalConvoy(game, order, province, key);
    default:
      return false;
  }
};

const few = new Int32Array(T.MAX_LOCATIONS);

/**
 * True if a retreat, disband, build, waive or removal is legal: searches the list of the order's province, which is
 * short.
 */
const isListed = (game: Game, order: O.Order): boolean => {
  const { map } = game;
  if (O.orderType(order) === O.WAIVE && game.phase === T.ADJUSTMENT)
    return O.waivingPower(order) < map.powerCount && adjustmentDue(game, O.waivingPower(order)) > 0;
  const count = legalOrders(game, map.locationProvince[O.orderLocation(order)], few);
  return few.subarray(0, count).includes(order);
};

/**
 * True if an order may give a fleet leave to pass a canal: it is an order of the unit that controls the canal, in a
 * movement phase, and its leave names an end of the canal, 1 or 2.
 */
const givesLeave = ({ map, phase }: Game, order: O.Order): boolean =>
  phase === T.MOVEMENT &&
  O.orderLeave(order) <= 2 &&
  map.special?.control === map.locationProvince[O.orderLocation(order)];

/**
 * True if the order is legal in the current phase. These are the orders of legalOrders(), the same with leave to pass a
 * canal (withLeave()), and supports of a fleet's move that name a coast which that fleet can reach.
 * @param order any int32
 */
export const isLegal = (game: Game, order: O.Order): boolean => {
  if (O.orderLeave(order) !== 0) return givesLeave(game, order) && isLegal(game, O.withoutLeave(order));
  if (!O.isWellFormed(order) || O.orderLocation(order) >= game.map.locationCount) return false;
  return game.phase === T.MOVEMENT ? isLegalMovement(game, order) : isListed(game, order);
};

/** True if an order is a build or removal that is legal with the numbers due in `dues`. False for a waive. */
const isDue = (game: Game, order: O.Order): boolean => {
  const at = O.orderLocation(order);
  if (O.orderType(order) === O.WAIVE || at >= game.map.locationCount) return false;
  const listed = listAdjustments(game, game.map.locationProvince[at], dues, few, 0);
  for (let i = 0; i < listed; i++) if (few[i] === order) return true;
  return false;
};

/**
 * True if an order is a legal hold, a legal move without convoy, or a legal support of a unit that needs no convoy, for
 * the units in position.ts. False for other orders, even if they are legal.
 */
const isPlainlyLegal = (map: CompiledMap, order: O.Order): boolean => {
  const at = O.orderLocation(order);
  const to = O.orderTarget(order);
  if (O.orderLeave(order) !== 0 || !O.isWellFormed(order) || at >= map.locationCount) return false;
  const province = map.locationProvince[at];
  const key = keys[province];
  if (key < 0 || locations[province] !== at) return false;
  const type = O.orderType(order);
  if (type === O.HOLD) return true;
  if (to >= map.locationCount) return false;
  if (type === O.MOVE) return O.orderVia(order) === 0 && hasMove(map, key, to);
  const helped = O.orderHelped(order);
  if (type !== O.SUPPORT_HOLD && type !== O.SUPPORT_MOVE) return false;
  if (helped >= map.provinceCount || helped === province || keys[helped] < 0 || to >= map.provinceCount) return false;
  if (testBit(map.reach, key, to) === 0) return false;
  return type === O.SUPPORT_HOLD ? to === helped : testBit(map.reach, keys[helped], to) === 1;
};

/**
 * Returns the index of the first illegal order, as isLegal() tests it; -1 if all are legal. Faster than isLegal() for
 * each order, because it reads the units, or counts the builds and removals due, only once.
 * @param count number of orders to read, orders[0 .. count)
 */
export const findIllegal = (game: Game, orders: Int32Array, count: number): number => {
  const { map, phase } = game;
  if (phase === T.MOVEMENT) lookAtUnits(game);
  if (phase === T.ADJUSTMENT) adjustmentsDue(game, dues);
  const isPlain = phase === T.MOVEMENT && map.special === null;
  for (let i = 0; i < count; i++) {
    const isFound = phase === T.ADJUSTMENT ? isDue(game, orders[i]) : isPlain && isPlainlyLegal(map, orders[i]);
    if (!isFound && !isLegal(game, orders[i])) return i;
  }
  return -1;
};
