// Which orders are legal (DATC 3.2, issue 4.E.1: as restrictive as the rules can be read), and the list of them.
//
// Movement, for the unit in a province: hold; every move over a border; for an army every move VIA that some proper
// route of fleets present allows; support of every unit it can reach to hold; support of every move that another unit
// could make into a province it can reach (with a convoy that does not need the supporter); for a fleet at sea the
// convoys for which it is not superfluous.
import * as B from '../bitset.js';
import type { CompiledMap } from '../map/compiled-map.js';
import * as O from '../order.js';
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
  targetProvince,
  WAIVE,
  waivingPower,
} from '../order.js';
import type { Game } from '../state.js';
import * as T from '../types.js';
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
} from '../types.js';
import * as R from './routes.js';

/** A buffer of this length holds the legal orders of any province: 256 targets by 256 units to help at the most. */
export const MAX_ORDERS_PER_PROVINCE = 1 << 16;

/** Key of the unit in a province (map/compiled-map.ts). Assumes that there is one. */
export const unitKey = (game: Game, province: Province): number =>
  unitType(game.unitAt(province)) === FLEET ? game.map.locationCount + game.unitLocation(province) : province;

// ---- the position, made by look() ----
// Lists are made by the hundred thousand: imports are rebound here, so that V8 folds them, and tables of the map copied.
const MAX_LOCATIONS = T.MAX_LOCATIONS;
const lowestBit = B.lowestBit;
const testBit = B.testBit;
const auxAndTarget = O.auxAndTarget;
const withoutVia = O.withoutVia;
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
/** The same provinces as the target of an order, and as the row of `help`. */
const reachTarget = new Int32Array(1 << 14);
const reachRow = new Int32Array(1 << 14);
const canConvoyFrom = new Int32Array(MAX_LOCATIONS);
/** Hold and moves over borders of the unit of a key: ownOrders[ownOffsets[key] .. ownOffsets[key + 1]). */
const ownOffsets = new Int32Array(2 * MAX_LOCATIONS + 1);
const ownOrders = new Int32Array(1 << 15);

/** By province with a unit: its key (map/compiled-map.ts) and the location it stands in; the key is -1 without a unit. */
const keys = new Int32Array(MAX_LOCATIONS);
const locations = new Int32Array(MAX_LOCATIONS);
/** Provinces with units, ascending. */
const unitsAt = new Int32Array(MAX_LOCATIONS + 1);
let unitCount = 0;
/**
 * By province: the supports that can be given into it, without the supporter's location, from province * helpStride on:
 * to hold if a unit is there, then of the units that could move there, ascending. Those of an army that could come only
 * by convoy are marked with the bit of VIA. Rows are as long as a power of two is not: that would put them all into the same few lines of the
 * cache.
 */
const help = new Int32Array(MAX_LOCATIONS * (MAX_LOCATIONS + 4));
let helpStride = 0;
const helpCount = new Int32Array(MAX_LOCATIONS);
/** How many of them are of armies that could come only by convoy. */
const convoyOnlyCount = new Int32Array(MAX_LOCATIONS);
/** By province: 1 if the unit looked at can move there over a border. Clean between calls. */
const byLand = new Int32Array(MAX_LOCATIONS);
/** Armies with a route, ascending. */
const convoyable = new Int32Array(MAX_LOCATIONS);
let convoyableCount = 0;

const isSea = (map: CompiledMap, province: Province): boolean => testBit(map.seas, 0, province) === 1;

const useTables = (map: CompiledMap): void => {
  if (map === tablesOf) return;
  tablesOf = map;
  provinceCount = map.provinceCount;
  locationCount = map.locationCount;
  words = (provinceCount + 31) >> 5;
  helpStride = provinceCount + 4;
  let n = 0;
  for (let key = 0; key < 2 * locationCount; key++) {
    reachOffsets[key] = n;
    for (let p = 0; p < provinceCount; p++) {
      if (testBit(map.reach, key, p) === 0) continue;
      reachList[n] = p;
      reachTarget[n] = auxAndTarget(0, p);
      reachRow[n++] = p * helpStride;
    }
  }
  reachOffsets[2 * locationCount] = n;
  listOwnOrders(map);
  for (let p = 0; p < provinceCount; p++) canConvoyFrom[p] = isSea(map, p) ? 1 : 0;
};

const listOwnOrders = (map: CompiledMap): void => {
  const found: number[] = [];
  for (let key = 0; key < 2 * locationCount; key++) {
    const at = key % locationCount;
    ownOffsets[key] = found.length;
    found.push(O.hold(at));
    for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++) found.push(O.move(at, map.moveTargets[i]));
  }
  ownOffsets[2 * locationCount] = found.length;
  ownOrders.set(found);
};

const lookAtUnits = (game: Game): void => {
  const { bytes, offset, layout, map } = game;
  const units = offset + layout.units;
  const provinces = provinceCount;
  const fleetKeys = locationCount;
  let n = 0;
  for (let p = 0; p < provinces; p++) {
    const there = bytes[units + p];
    // No branch: nothing tells where units stand, and of which type.
    keys[p] = ((p + (fleetKeys & -(there & 1)) + 1) & (-there >> 31)) - 1;
    locations[p] = p;
    unitsAt[n] = p;
    n += -there >>> 31;
  }
  unitCount = n;
  const { coastalProvinces, firstCoast } = map;
  const coasts = offset + layout.coasts;
  for (let k = 0; k < coastalProvinces.length; k++) {
    const coast = bytes[coasts + k];
    const p = coastalProvinces[k];
    if (coast === 0 || keys[p] < 0) continue;
    locations[p] = firstCoast[p] + coast - 1;
    keys[p] += locations[p] - p;
  }
};

const lookAtRoutes = (game: Game): void => {
  useTables(game.map);
  lookAtUnits(game);
  R.beginRoutes(game.map);
  convoyableCount = 0;
  let seaFleets = 0;
  for (let u = 0; u < unitCount; u++)
    if (canConvoyFrom[unitsAt[u]] === 1) {
      R.addFleet(unitsAt[u]);
      seaFleets++;
    }
  if (seaFleets === 0) return;
  for (let u = 0; u < unitCount; u++) {
    const p = unitsAt[u];
    if (keys[p] >= locationCount || !hasRoutes(p)) continue;
    R.findRoutes(p);
    convoyable[convoyableCount++] = p;
  }
};

const look = (game: Game): void => {
  lookAtRoutes(game);
  const stride = helpStride;
  const units = unitCount;
  const provinces = provinceCount;
  for (let p = 0; p < provinces; p++) {
    help[p * stride] = SUPPORT_HOLD | auxAndTarget(p, p);
    helpCount[p] = (keys[p] >>> 31) ^ 1;
    convoyOnlyCount[p] = 0;
  }
  for (let u = 0, next = 0; u < units; u++) {
    const p = unitsAt[u];
    const support = SUPPORT_MOVE | auxAndTarget(p, 0);
    const end = reachOffsets[keys[p] + 1];
    for (let i = reachOffsets[keys[p]]; i < end; i++) {
      const to = reachList[i];
      const n = helpCount[to];
      help[reachRow[i] + n] = support | reachTarget[i];
      helpCount[to] = n + 1;
    }
    if (next === convoyableCount || convoyable[next] !== p) continue;
    next++;
    addConvoyable(p, O.withVia(support));
  }
};

/** Lists the supports of an army to where it could come by convoy only. */
const addConvoyable = (army: Province, support: number): void => {
  const first = reachOffsets[army];
  const end = reachOffsets[army + 1];
  for (let i = first; i < end; i++) byLand[reachList[i]] = 1;
  for (let w = 0; w < words; w++)
    for (let rest = routeReach(army, w); rest !== 0; rest &= rest - 1) {
      const to = w * 32 + lowestBit(rest);
      if (byLand[to] !== 0) continue;
      help[to * helpStride + helpCount[to]++] = support | auxAndTarget(0, to);
      convoyOnlyCount[to]++;
    }
  for (let i = first; i < end; i++) byLand[reachList[i]] = 0;
};

// ---- movement ----

// Lists are short, and their lengths cannot be predicted: the first entries are copied whether they are in the list or
// not, which costs less than a wrong guess. What was too much is written over by what comes next.

const listMoves = (province: Province, out: Int32Array, begin: number): number => {
  const key = keys[province];
  const from = ownOffsets[key];
  const count = ownOffsets[key + 1] - from;
  out[begin] = ownOrders[from];
  out[begin + 1] = ownOrders[from + 1];
  out[begin + 2] = ownOrders[from + 2];
  out[begin + 3] = ownOrders[from + 3];
  out[begin + 4] = ownOrders[from + 4];
  out[begin + 5] = ownOrders[from + 5];
  out[begin + 6] = ownOrders[from + 6];
  out[begin + 7] = ownOrders[from + 7];
  for (let i = 8; i < count; i++) out[begin + i] = ownOrders[from + i];
  const n = begin + count;
  return convoyableCount > 0 && key < locationCount && hasRoutes(province) ? listMovesVia(province, out, n) : n;
};

const listMovesVia = (province: Province, out: Int32Array, begin: number): number => {
  const toMoveVia = O.moveVia(province, 0);
  let n = begin;
  for (let w = 0; w < words; w++)
    for (let rest = routeReach(province, w); rest !== 0; rest &= rest - 1)
      out[n++] = toMoveVia | auxAndTarget(0, w * 32 + lowestBit(rest));
  return n;
};

const FIRST_HELP = 3;

/** Nobody supports himself: of the moves into a province that a unit can reach one is its own. */
const listSupports = (province: Province, out: Int32Array, begin: number): number => {
  const key = keys[province];
  const at = O.withLocation(0, locations[province]);
  const own = SUPPORT_MOVE | auxAndTarget(province, 0);
  const end = reachOffsets[key + 1];
  let n = begin;
  for (let i = reachOffsets[key]; i < end; i++) {
    const target = reachList[i];
    if (convoyOnlyCount[target] !== 0) {
      n = listSupportsOver(province, target, out, n);
      continue;
    }
    const first = reachRow[i];
    const count = helpCount[target];
    const self = own | reachTarget[i];
    let m = n;
    const a = help[first];
    out[m] = at | a;
    m += -(a ^ self) >>> 31;
    const b = help[first + 1];
    out[m] = at | b;
    m += -(b ^ self) >>> 31;
    const c = help[first + 2];
    out[m] = at | c;
    m += -(c ^ self) >>> 31;
    for (let k = first + FIRST_HELP; k < first + count; k++) {
      out[m] = at | help[k];
      m += -(help[k] ^ self) >>> 31;
    }
    n += count - 1;
  }
  return n;
};

/** The supports of one unit into a province where armies could come by convoy: a fleet supports none that needs it. */
const listSupportsOver = (province: Province, target: Province, out: Int32Array, begin: number): number => {
  const couldConvoy = keys[province] >= locationCount && canConvoyFrom[province] === 1;
  const at = O.withLocation(0, locations[province]);
  const self = SUPPORT_MOVE | auxAndTarget(province, target);
  const first = target * helpStride;
  const end = first + helpCount[target];
  let n = begin;
  for (let k = first; k < end; k++) {
    const support = withoutVia(help[k]);
    out[n] = at | support;
    n += -(support ^ self) >>> 31;
    if (
      couldConvoy &&
      support !== help[k] &&
      ((routeReachWithout(O.orderAux(support), province, target >> 5) >>> (target & 31)) & 1) === 0
    )
      n--;
  }
  return n;
};

const listConvoys = (province: Province, out: Int32Array, begin: number): number => {
  const at = locations[province];
  let n = begin;
  for (let i = 0; i < convoyableCount; i++) {
    const toConvoy = O.convoy(at, convoyable[i], 0);
    for (let w = 0; w < words; w++)
      for (let rest = routeReachWith(convoyable[i], province, w); rest !== 0; rest &= rest - 1)
        out[n++] = toConvoy | auxAndTarget(0, w * 32 + lowestBit(rest));
  }
  return n;
};

/** Of a province with a unit. */
const listMovement = (province: Province, out: Int32Array, begin: number): number => {
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

// By power + 1, for balances(): clean between calls.
const centersOf = new Int32Array(MAX_POWERS + 1);
const sitesOf = new Int32Array(MAX_POWERS + 1);
const unitsOf = new Int32Array(MAX_POWERS + 1);

/**
 * Writes for every power the builds due to it (> 0, at most its free home centres) or removals due from it (< 0), by its
 * centres and units.
 */
export const balances = (game: Game, out: Int32Array | Int8Array, at = 0): void => {
  const { bytes, offset, layout, map } = game;
  const { powerCount, provinceCount, centerCount } = map;
  const units = offset + layout.units;
  const owners = offset + layout.owners;
  for (let p = 0; p < provinceCount; p++) unitsOf[bytes[units + p] >> 1]++;
  for (let c = 0; c < centerCount; c++) {
    const owner = bytes[owners + c];
    centersOf[owner]++;
    const isHome = map.buildAnywhere || map.homePower[c] === owner - 1;
    if (isHome && bytes[units + map.centers[c]] === NO_UNIT) sitesOf[owner]++;
  }
  for (let q = 0; q <= powerCount; q++) {
    const due = centersOf[q] - unitsOf[q];
    // Row 0 is nobody's.
    if (q > 0) out[at + q - 1] = Math.min(due, due > 0 ? sitesOf[q] : due);
    centersOf[q] = 0;
    sitesOf[q] = 0;
    unitsOf[q] = 0;
  }
};

const ofAll = new Int32Array(MAX_POWERS);

/** Builds due to one power (> 0) or removals due from it (< 0), as balances() counts them. */
export const balance = (game: Game, power: Power): number => {
  balances(game, ofAll);
  return ofAll[power];
};

/** @param due by power, as balances() counts it */
const listAdjustments = (game: Game, province: Province, due: Int32Array, out: Int32Array, begin: number): number => {
  const { map } = game;
  let n = begin;
  const unit = game.unitAt(province);
  if (unit !== NO_UNIT) {
    if (due[unitPower(unit)] < 0) out[n++] = O.remove(game.unitLocation(province));
    return n;
  }
  const power = builderAt(game, province);
  if (power < 0 || due[power] <= 0) return n;
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
 * @param out at least MAX_ORDERS_PER_PROVINCE long; what stood behind the orders may be written over
 */
export const legalOrders = (game: Game, province: Province, out: Int32Array): number => {
  if (game.phase === MOVEMENT) {
    look(game);
    return keys[province] < 0 ? 0 : listMovement(province, out, 0);
  }
  if (game.phase === RETREAT) return listRetreats(game, province, out, 0);
  balances(game, dues);
  return listAdjustments(game, province, dues, out, 0);
};

const dues = new Int32Array(MAX_POWERS);

/**
 * Writes the legal orders of every province that has any to `out`, province after province, ascending: those of the
 * k-th are out[offsets[k] .. offsets[k + 1]), and each list begins with an order that names its location. Does not
 * allocate.
 * @param out long enough for all: 2,000 a unit is ample on the standard map. Where it is too short, what does not fit is
 *   left out, and offsets[n] says how long it should be. What was behind the last order may be written over
 * @param offsets at least provinceCount + 1 long
 * @returns n, the number of provinces
 */
export const allLegalOrders = (game: Game, out: Int32Array, offsets: Int32Array): number => {
  offsets[0] = 0;
  if (game.phase === MOVEMENT) return listAllMovement(game, out, offsets);
  if (game.phase === RETREAT) return listAllRetreats(game, out, offsets);
  return listAllAdjustments(game, out, offsets);
};

const listAllMovement = (game: Game, out: Int32Array, offsets: Int32Array): number => {
  look(game);
  let n = 0;
  for (let u = 0; u < unitCount; u++) {
    n = listMovement(unitsAt[u], out, n);
    offsets[u + 1] = n;
  }
  return unitCount;
};

/** The dislodged stand in the list of the game as their provinces ascend. */
const listAllRetreats = (game: Game, out: Int32Array, offsets: Int32Array): number => {
  const { dislodgedCount } = game;
  for (let i = 0; i < dislodgedCount; i++) {
    offsets[i + 1] = listRetreats(game, game.dislodged(i).province, out, offsets[i]);
  }
  return dislodgedCount;
};

const listAllAdjustments = (game: Game, out: Int32Array, offsets: Int32Array): number => {
  balances(game, dues);
  let count = 0;
  for (let p = 0; p < game.map.provinceCount; p++) {
    const n = listAdjustments(game, p, dues, out, offsets[count]);
    if (n === offsets[count]) continue;
    offsets[++count] = n;
  }
  return count;
};

// ---- one order ----

const testReach = (word: (w: number) => number, province: Province): boolean =>
  ((word(province >> 5) >>> (province & 31)) & 1) === 1;

/** True if the fleets on the board could take an army there, without one of them (-1: with all). */
const canConvoy = (game: Game, army: Province, to: Province, without: number): boolean => {
  lookAtRoutes(game);
  if (convoyableCount === 0 || !hasRoutes(army)) return false;
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
  return key < map.locationCount && to < map.provinceCount && canConvoy(game, province, targetProvince(order), -1);
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
  const to = targetProvince(order);
  if (key < map.locationCount || !isSea(map, province)) return false;
  if (army >= map.provinceCount || to >= map.provinceCount) return false;
  const unit = game.unitAt(army);
  if (unit === NO_UNIT || unitType(unit) !== ARMY || map.kind[army] === SEA) return false;
  lookAtRoutes(game);
  if (convoyableCount === 0 || !hasRoutes(army)) return false;
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
  if (orderType(order) === WAIVE) return waivingPower(order) < map.powerCount && balance(game, waivingPower(order)) > 0;
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
