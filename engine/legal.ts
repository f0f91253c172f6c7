// Which orders are legal (DATC 3.2, issue 4.E.1: as restrictive as the rules can be read), and the list of them.
//
// Movement, for the unit in a province: hold; every move over a border; for an army every move VIA that some proper
// route of fleets present allows; support of every unit it can reach to hold; support of every move that another unit
// could make into a province it can reach (with a convoy that does not need the supporter); for a fleet at sea the
// convoys for which it is not superfluous.
import * as B from './bitset.js';
import type { CompiledMap } from './map/types.js';
import * as O from './order.js';
import {
  BUILD_ARMY,
  BUILD_FLEET,
  CONVOY,
  DISBAND,
  HOLD,
  isWellFormed,
  MOVE,
  type Order,
  orderAux,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
  REMOVE,
  RETREAT_TO,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
  WAIVE,
} from './order.js';
import * as R from './routes.js';
import type { Game } from './state.js';
import * as T from './types.js';
import {
  ARMY,
  FLEET,
  LAND,
  type Location,
  MAX_POWERS,
  MOVEMENT,
  NO_UNIT,
  type Power,
  type Province,
  RETREAT,
  SEA,
  unitPower,
  unitType,
} from './types.js';

/** A buffer of this length holds the legal orders of any province: 256 targets by 256 units to help at the most. */
export const MAX_ORDERS_PER_PROVINCE = 1 << 16;

/** Key of the unit in a province (map/types.ts). Assumes that there is one. */
export const unitKey = (game: Game, province: Province): number =>
  unitType(game.unitAt(province)) === FLEET ? game.map.locationCount + game.unitLocation(province) : province;

// ---- the position, made by look() ----
// Lists are made by the hundred thousand: imports are rebound here, tables of the map copied (performance.md, V8).
const MAX_LOCATIONS = T.MAX_LOCATIONS;
const lowestBit = B.lowestBit;
const testBit = B.testBit;
const auxAndTarget = O.auxAndTarget;
const hasRoutes = R.hasRoutes;
const routeReach = R.routeReach;
const routeReachWith = R.routeReachWith;
const routeReachWithout = R.routeReachWithout;

let tablesOf: CompiledMap | undefined;
let provinceCount = 0;
let locationCount = 0;
let words = 0;
/** Provinces that the unit of a key can move to, ascending: reachList[reachOffsets[key] .. reachOffsets[key + 1]). */
const reachOffsets = new Int32Array(2 * MAX_LOCATIONS + 1);
const reachList = new Int32Array(1 << 14);
const canConvoyFrom = new Int32Array(MAX_LOCATIONS);
let moveOffsets = new Uint16Array(0);
let moveTargets = new Uint8Array(0);

/** By province with a unit: its key (map/types.ts) and the location it stands in; the key is -1 without a unit. */
const keys = new Int32Array(MAX_LOCATIONS);
const locations = new Int32Array(MAX_LOCATIONS);
/**
 * By province: where the units stand that could move there, ascending, from province << COMERS_SHIFT on; BY_CONVOY is
 * set for an army that could come only so.
 */
const comers = new Int32Array(MAX_LOCATIONS << 8);
const COMERS_SHIFT = 8;
const BY_CONVOY = 1 << 8;
const comerCount = new Int32Array(MAX_LOCATIONS);
/** By province: 1 if the unit looked at can move there over a border. Clean between calls. */
const byLand = new Int32Array(MAX_LOCATIONS);
/** Armies with a route, ascending. */
const passengers = new Int32Array(MAX_LOCATIONS);
let passengerCount = 0;

const isSea = (map: CompiledMap, province: Province): boolean => testBit(map.seas, 0, province) === 1;

const useTables = (map: CompiledMap): void => {
  if (map === tablesOf) return;
  tablesOf = map;
  provinceCount = map.provinceCount;
  locationCount = map.locationCount;
  words = (provinceCount + 31) >> 5;
  let n = 0;
  for (let key = 0; key < 2 * locationCount; key++) {
    reachOffsets[key] = n;
    for (let p = 0; p < provinceCount; p++) if (testBit(map.reach, key, p) === 1) reachList[n++] = p;
  }
  reachOffsets[2 * locationCount] = n;
  moveOffsets = Uint16Array.from(map.moveOffsets);
  moveTargets = Uint8Array.from(map.moveTargets);
  for (let p = 0; p < provinceCount; p++) canConvoyFrom[p] = isSea(map, p) ? 1 : 0;
};

const lookAtUnits = (game: Game): void => {
  const { bytes, offset, layout, map } = game;
  const units = offset + layout.units;
  for (let p = 0; p < provinceCount; p++) {
    const there = bytes[units + p];
    keys[p] = there === 0 ? -1 : (there & 1) === 1 ? locationCount + p : p;
    locations[p] = p;
  }
  for (const p of map.coastalProvinces) {
    if (keys[p] < 0) continue;
    locations[p] = game.unitLocation(p);
    keys[p] += locations[p] - p;
  }
};

const lookAtRoutes = (game: Game): void => {
  useTables(game.map);
  lookAtUnits(game);
  R.beginRoutes(game.map);
  passengerCount = 0;
  let seaFleets = 0;
  for (let p = 0; p < provinceCount; p++)
    if (canConvoyFrom[p] === 1 && keys[p] >= locationCount) {
      R.addFleet(p);
      seaFleets++;
    }
  if (seaFleets === 0) return;
  for (let p = 0; p < provinceCount; p++) {
    if (keys[p] < 0 || keys[p] >= locationCount || !hasRoutes(p)) continue;
    R.findRoutes(p);
    passengers[passengerCount++] = p;
  }
};

const addComer = (to: number, comer: number): void => {
  comers[(to << COMERS_SHIFT) + comerCount[to]++] = comer;
};

const look = (game: Game): void => {
  lookAtRoutes(game);
  for (let p = 0; p < provinceCount; p++) comerCount[p] = 0;
  let next = 0;
  for (let p = 0; p < provinceCount; p++) {
    const key = keys[p];
    if (key < 0) continue;
    for (let i = reachOffsets[key]; i < reachOffsets[key + 1]; i++) addComer(reachList[i], p);
    if (next === passengerCount || passengers[next] !== p) continue;
    next++;
    for (let i = reachOffsets[key]; i < reachOffsets[key + 1]; i++) byLand[reachList[i]] = 1;
    for (let w = 0; w < words; w++)
      for (let rest = routeReach(p, w); rest !== 0; rest &= rest - 1) {
        const to = w * 32 + lowestBit(rest);
        if (byLand[to] === 0) addComer(to, p | BY_CONVOY);
      }
    for (let i = reachOffsets[key]; i < reachOffsets[key + 1]; i++) byLand[reachList[i]] = 0;
  }
};

// ---- movement ----

const listMoves = (province: Province, out: Int32Array, begin: number): number => {
  let n = begin;
  const at = locations[province];
  const key = keys[province];
  out[n++] = O.hold(at);
  const toMove = O.move(at, 0);
  for (let i = moveOffsets[key]; i < moveOffsets[key + 1]; i++) out[n++] = toMove | auxAndTarget(0, moveTargets[i]);
  if (passengerCount === 0 || key >= locationCount || !hasRoutes(province)) return n;
  const toMoveVia = O.moveVia(at, 0);
  for (let w = 0; w < words; w++)
    for (let rest = routeReach(province, w); rest !== 0; rest &= rest - 1)
      out[n++] = toMoveVia | auxAndTarget(0, w * 32 + lowestBit(rest));
  return n;
};

const listSupports = (province: Province, out: Int32Array, begin: number): number => {
  const at = locations[province];
  const key = keys[province];
  const couldConvoy = key >= locationCount && canConvoyFrom[province] === 1;
  const toSupportHold = O.supportHold(at, 0);
  const toSupport = O.supportMove(at, 0, 0);
  let n = begin;
  for (let i = reachOffsets[key]; i < reachOffsets[key + 1]; i++) {
    const target = reachList[i];
    out[n] = toSupportHold | auxAndTarget(target, target);
    n += (keys[target] >>> 31) ^ 1;
    const first = target << COMERS_SHIFT;
    for (let k = first; k < first + comerCount[target]; k++) {
      const comer = comers[k];
      const helped = comer & (BY_CONVOY - 1);
      out[n] = toSupport | auxAndTarget(helped, target);
      // Nobody supports himself; a fleet supports nobody whom it would have to convoy.
      n += -(helped ^ province) >>> 31;
      if (
        couldConvoy &&
        comer >= BY_CONVOY &&
        ((routeReachWithout(helped, province, target >> 5) >>> (target & 31)) & 1) === 0
      )
        n--;
    }
  }
  return n;
};

const listConvoys = (province: Province, out: Int32Array, begin: number): number => {
  const at = locations[province];
  let n = begin;
  for (let i = 0; i < passengerCount; i++) {
    const toConvoy = O.convoy(at, passengers[i], 0);
    for (let w = 0; w < words; w++)
      for (let rest = routeReachWith(passengers[i], province, w); rest !== 0; rest &= rest - 1)
        out[n++] = toConvoy | auxAndTarget(0, w * 32 + lowestBit(rest));
  }
  return n;
};

const listMovement = (province: Province, out: Int32Array, begin: number): number => {
  if (keys[province] < 0) return begin;
  const n = listSupports(province, out, listMoves(province, out, begin));
  return keys[province] >= locationCount && canConvoyFrom[province] === 1 ? listConvoys(province, out, n) : n;
};

// ---- retreats ----

/** True if a unit dislodged by an attacker from that province may retreat to a location next to it. */
const isOpenRetreat = (game: Game, attacker: number, location: Location): boolean => {
  const to = game.map.locationProvince[location];
  return game.unitAt(to) === NO_UNIT && to !== attacker && !game.isContested(to);
};

/**
 * Locations where a unit dislodged from `location` may retreat to, written to `out` ascending; returns their number.
 * Reads the contested provinces of the game.
 * @param attacker province that its attacker came from over a border; -1 if by convoy
 */
export const retreatLocations = (
  game: Game,
  unit: number,
  location: Location,
  attacker: number,
  out: Int32Array,
): number => {
  const { map } = game;
  const key = unitType(unit) === FLEET ? map.locationCount + location : location;
  let n = 0;
  for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
    if (isOpenRetreat(game, attacker, map.moveTargets[i])) out[n++] = map.moveTargets[i];
  return n;
};

/** Index of the dislodged unit that waits in a province; -1 if there is none. */
export const dislodgedIn = (game: Game, province: Province): number => {
  for (let i = 0; i < game.dislodgedCount; i++) if (game.dislodged(i).province === province) return i;
  return -1;
};

const listRetreats = (game: Game, province: Province, out: Int32Array, begin: number): number => {
  const index = dislodgedIn(game, province);
  if (index < 0) return begin;
  const { unit, location, attacker } = game.dislodged(index);
  const n = retreatLocations(game, unit, location, attacker, retreats);
  for (let i = 0; i < n; i++) out[begin + i] = O.retreat(location, retreats[i]);
  out[begin + n] = O.disband(location);
  return begin + n + 1;
};
const retreats = new Int32Array(MAX_LOCATIONS);

// ---- adjustments ----

/** Power that may build in a province now if it has a build left: a free home centre that it owns. -1 if none may. */
export const builderAt = (game: Game, province: Province): number => {
  const { map } = game;
  const center = map.centerIndex[province];
  if (center < 0 || game.unitAt(province) !== NO_UNIT) return -1;
  const owner = game.owner(center);
  return owner >= 0 && (map.buildAnywhere || map.homePower[center] === owner) ? owner : -1;
};

/**
 * Builds due to a power (> 0, at most its free home centres) or removals due from it (< 0), by its centres and units.
 */
export const balance = (game: Game, power: Power): number => {
  const { map } = game;
  let centers = 0;
  let sites = 0;
  let units = 0;
  for (let c = 0; c < map.centerCount; c++) {
    if (game.owner(c) === power) centers++;
    if (builderAt(game, map.centers[c]) === power) sites++;
  }
  for (let p = 0; p < map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit !== NO_UNIT && unitPower(unit) === power) units++;
  }
  return centers > units ? Math.min(centers - units, sites) : centers - units;
};

const listAdjustments = (
  game: Game,
  province: Province,
  due: (power: Power) => number,
  out: Int32Array,
  begin: number,
): number => {
  const { map } = game;
  let n = begin;
  const unit = game.unitAt(province);
  if (unit !== NO_UNIT) {
    if (due(unitPower(unit)) < 0) out[n++] = O.remove(game.unitLocation(province));
    return n;
  }
  const power = builderAt(game, province);
  if (power < 0 || due(power) <= 0) return n;
  out[n++] = O.buildArmy(province);
  if (map.kind[province] !== LAND) {
    if (map.coastCount[province] === 0) out[n++] = O.buildFleet(province);
    for (let i = 0; i < map.coastCount[province]; i++) out[n++] = O.buildFleet(map.firstCoast[province] + i);
  }
  out[n++] = O.waive(power);
  return n;
};

// ---- lists ----

/**
 * Writes the canonical legal orders of one province to `out` and returns their number: of the unit there in a movement
 * phase, of the dislodged unit there in a retreat phase; in an adjustment phase the builds in a free centre of a power
 * with builds due (its waiving among them), or the removal of a unit of a power with removals due.
 * @param out at least MAX_ORDERS_PER_PROVINCE long
 */
export const legalOrders = (game: Game, province: Province, out: Int32Array): number => {
  if (game.phase === MOVEMENT) {
    look(game);
    return listMovement(province, out, 0);
  }
  if (game.phase === RETREAT) return listRetreats(game, province, out, 0);
  return listAdjustments(game, province, (power) => balance(game, power), out, 0);
};

/** Provinces of the last allLegalOrders(), ascending. */
export const legalProvinces = new Int32Array(MAX_LOCATIONS);
const dues = new Int32Array(MAX_POWERS);

/**
 * Writes the legal orders of every province that has any to `out`, province after province (`legalProvinces`):
 * the k-th has out[offsets[k] .. offsets[k + 1]). Returns the number of provinces.
 * @param out long enough for all: 2,000 a unit on the standard map is ample
 * @param offsets at least provinceCount + 1 long
 */
export const allLegalOrders = (game: Game, out: Int32Array, offsets: Int32Array): number => {
  const { map, phase } = game;
  if (phase === MOVEMENT) look(game);
  else if (phase !== RETREAT) for (let q = 0; q < map.powerCount; q++) dues[q] = balance(game, q);
  let n = 0;
  let count = 0;
  offsets[0] = 0;
  for (let p = 0; p < map.provinceCount; p++) {
    const begin = n;
    if (phase === MOVEMENT) n = listMovement(p, out, n);
    else if (phase === RETREAT) n = listRetreats(game, p, out, n);
    else n = listAdjustments(game, p, (power) => dues[power], out, n);
    if (n === begin) continue;
    legalProvinces[count++] = p;
    offsets[count] = n;
  }
  return count;
};

// ---- one order ----

const testReach = (word: (w: number) => number, province: Province): boolean =>
  ((word(province >> 5) >>> (province & 31)) & 1) === 1;

/** True if the fleets on the board could take an army there, without one of them (-1: with all). */
const canConvoy = (game: Game, army: Province, to: Province, without: number): boolean => {
  lookAtRoutes(game);
  if (passengerCount === 0 || !hasRoutes(army)) return false;
  if (without < 0) return testReach((w) => routeReach(army, w), to);
  return testReach((w) => routeReachWithout(army, without, w), to);
};

const hasMove = (map: CompiledMap, key: number, location: Location): boolean => {
  for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
    if (map.moveTargets[i] === location) return true;
  return false;
};

const isLegalMove = (game: Game, order: Order, province: Province, key: number): boolean => {
  const { map } = game;
  const to = orderTarget(order);
  if (to >= map.locationCount) return false;
  if (orderVia(order) === 0) return hasMove(map, key, to);
  return key < map.locationCount && to < map.provinceCount && canConvoy(game, province, to, -1);
};

const isLegalSupport = (game: Game, order: Order, province: Province, key: number): boolean => {
  const { map } = game;
  const helped = orderAux(order);
  const to = orderTarget(order);
  if (helped >= map.provinceCount || to >= map.locationCount || helped === province) return false;
  if (game.unitAt(helped) === NO_UNIT) return false;
  const target = map.locationProvince[to];
  if (testBit(map.reach, key, target) === 0) return false;
  if (orderType(order) === SUPPORT_HOLD) return to === helped;
  const helpedKey = unitKey(game, helped);
  if (to !== target) return helpedKey >= map.locationCount && hasMove(map, helpedKey, to);
  if (testBit(map.reach, helpedKey, target) === 1) return true;
  if (helpedKey >= map.locationCount || target === helped) return false;
  const couldConvoy = key >= map.locationCount && isSea(map, province);
  return canConvoy(game, helped, target, couldConvoy ? province : -1);
};

const isLegalConvoy = (game: Game, order: Order, province: Province, key: number): boolean => {
  const { map } = game;
  const army = orderAux(order);
  const to = orderTarget(order);
  if (key < map.locationCount || !isSea(map, province)) return false;
  if (army >= map.provinceCount || to >= map.provinceCount) return false;
  const unit = game.unitAt(army);
  if (unit === NO_UNIT || unitType(unit) !== ARMY || map.kind[army] === SEA) return false;
  lookAtRoutes(game);
  if (passengerCount === 0 || !hasRoutes(army)) return false;
  if (testReach((w) => routeReachWith(army, province, w), to)) return true;
  return game.rules.superfluousConvoy !== 0 && isOnSimpleChain(game, army, army, province, to, new Set());
};

/** True if some chain of the fleets at sea leads on from a province through the fleet's to the destination. */
const isOnSimpleChain = (
  game: Game,
  army: Province,
  from: Province,
  fleet: Province,
  to: Province,
  passed: Set<Province>,
): boolean => {
  const { map } = game;
  if (to === army || map.kind[to] === SEA) return false;
  if (passed.has(fleet) && testBit(map.coastNeighbours, from, to) === 1) return true;
  for (let p = 0; p < map.provinceCount; p++) {
    if (testBit(map.seaNeighbours, from, p) === 0 || passed.has(p) || !isSea(map, p)) continue;
    const unit = game.unitAt(p);
    if (unit === NO_UNIT || unitType(unit) !== FLEET) continue;
    passed.add(p);
    const found = isOnSimpleChain(game, army, p, fleet, to, passed);
    passed.delete(p);
    if (found) return true;
  }
  return false;
};

const isLegalMovement = (game: Game, order: Order): boolean => {
  const { map } = game;
  const at = orderLocation(order);
  const province = map.locationProvince[at];
  if (game.unitAt(province) === NO_UNIT || game.unitLocation(province) !== at) return false;
  const key = unitKey(game, province);
  switch (orderType(order)) {
    case HOLD:
      return true;
    case MOVE:
      return isLegalMove(game, order, province, key);
    case SUPPORT_HOLD:
    case SUPPORT_MOVE:
      return isLegalSupport(game, order, province, key);
    case CONVOY:
      return isLegalConvoy(game, order, province, key);
    default:
      return false;
  }
};

const isLegalRetreat = (game: Game, order: Order): boolean => {
  const { map } = game;
  const index = dislodgedIn(game, map.locationProvince[orderLocation(order)]);
  if (index < 0) return false;
  const { unit, location, attacker } = game.dislodged(index);
  if (location !== orderLocation(order)) return false;
  if (orderType(order) === DISBAND) return true;
  if (orderType(order) !== RETREAT_TO || orderTarget(order) >= map.locationCount) return false;
  const key = unitType(unit) === FLEET ? map.locationCount + location : location;
  return hasMove(map, key, orderTarget(order)) && isOpenRetreat(game, attacker, orderTarget(order));
};

const isLegalAdjustment = (game: Game, order: Order): boolean => {
  const { map } = game;
  if (orderType(order) === WAIVE) return orderAux(order) < map.powerCount && balance(game, orderAux(order)) > 0;
  const at = orderLocation(order);
  const province = map.locationProvince[at];
  if (orderType(order) === REMOVE) {
    const unit = game.unitAt(province);
    return unit !== NO_UNIT && game.unitLocation(province) === at && balance(game, unitPower(unit)) < 0;
  }
  const power = builderAt(game, province);
  if (power < 0 || balance(game, power) <= 0) return false;
  if (orderType(order) === BUILD_ARMY) return at === province;
  return (
    orderType(order) === BUILD_FLEET &&
    map.kind[province] !== LAND &&
    (map.coastCount[province] === 0 ? at === province : at !== province)
  );
};

/**
 * True if the order is legal now: one of legalOrders(), or a support of a fleet's move that names a coast which that
 * fleet can reach. Any int32 may be asked about.
 */
export const isLegal = (game: Game, order: Order): boolean => {
  if (!isWellFormed(order) || orderLocation(order) >= game.map.locationCount) return false;
  if (game.phase === MOVEMENT) return isLegalMovement(game, order);
  if (game.phase === RETREAT) return isLegalRetreat(game, order);
  return isLegalAdjustment(game, order);
};
