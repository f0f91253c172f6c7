// Which orders are legal (DATC 3.2, issue 4.E.1: as restrictive as the rules can be read), and the list of them.
//
// Movement, for the unit in a province: hold; every move over a border; for an army every move VIA that some proper
// route of fleets present allows; support of every unit it can reach to hold; support of every move that another unit
// could make into a province it can reach (with a convoy that does not need the supporter); for a fleet at sea the
// convoys for which it is not superfluous.
import { lowestBit, testBit } from './bitset.js';
import type { CompiledMap } from './map/types.js';
import {
  BUILD_ARMY,
  BUILD_FLEET,
  buildArmy,
  buildFleet,
  CONVOY,
  convoy,
  DISBAND,
  disband,
  HOLD,
  hold,
  isWellFormed,
  MOVE,
  move,
  moveVia,
  type Order,
  orderAux,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
  REMOVE,
  RETREAT_TO,
  remove,
  retreat,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
  supportHold,
  supportMove,
  WAIVE,
  waive,
} from './order.js';
import {
  addFleet,
  beginRoutes,
  findRoutes,
  hasRoutes,
  routeReach,
  routeReachWith,
  routeReachWithout,
} from './routes.js';
import type { Game } from './state.js';
import {
  ARMY,
  FLEET,
  LAND,
  type Location,
  MAX_LOCATIONS,
  MAX_POWERS,
  MOVEMENT,
  NO_UNIT,
  type Power,
  type Province,
  RETREAT,
  SEA,
  unitPower,
  unitType,
  WORDS,
} from './types.js';

/** Most legal orders that one province can have on a map of this size; buffers of this length are always enough. */
export const MAX_ORDERS_PER_PROVINCE = 1 << 14;

/** Key of the unit in a province (map/types.ts). Assumes that there is one. */
export const unitKey = (game: Game, province: Province): number =>
  unitType(game.unitAt(province)) === FLEET ? game.map.locationCount + game.unitLocation(province) : province;

// ---- the position as bitsets, made by look() ----
const occupied = new Int32Array(WORDS);
/** By province: where the units stand that could move there over a border. */
const comers = new Int32Array(MAX_LOCATIONS * WORDS);
/** By province: where the armies stand that could come by convoy. */
const comersByConvoy = new Int32Array(MAX_LOCATIONS * WORDS);
/** Armies with a route, ascending. */
const passengers = new Int32Array(MAX_LOCATIONS);
let passengerCount = 0;

const isSea = (map: CompiledMap, province: Province): boolean => testBit(map.seas, 0, province) === 1;

const lookAtRoutes = (game: Game): void => {
  const { map } = game;
  beginRoutes(map);
  passengerCount = 0;
  let seaFleets = 0;
  for (let p = 0; p < map.provinceCount; p++)
    if (unitType(game.unitAt(p)) === FLEET && isSea(map, p)) {
      addFleet(p);
      seaFleets++;
    }
  if (seaFleets === 0) return;
  for (let p = 0; p < map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit === NO_UNIT || unitType(unit) !== ARMY || !hasRoutes(p)) continue;
    findRoutes(p);
    passengers[passengerCount++] = p;
  }
};

const look = (game: Game): void => {
  const { map } = game;
  const words = (map.provinceCount + 31) >> 5;
  occupied.fill(0);
  comers.fill(0, 0, map.provinceCount * WORDS);
  for (let p = 0; p < map.provinceCount; p++) {
    if (game.unitAt(p) === NO_UNIT) continue;
    const word = p >> 5;
    const bit = 1 << (p & 31);
    occupied[word] |= bit;
    const reach = unitKey(game, p) * WORDS;
    for (let w = 0; w < words; w++)
      for (let rest = map.reach[reach + w]; rest !== 0; rest &= rest - 1)
        comers[(w * 32 + lowestBit(rest)) * WORDS + word] |= bit;
  }
  lookAtRoutes(game);
  if (passengerCount === 0) return;
  comersByConvoy.fill(0, 0, map.provinceCount * WORDS);
  for (let i = 0; i < passengerCount; i++) {
    const army = passengers[i];
    const word = army >> 5;
    const bit = 1 << (army & 31);
    for (let w = 0; w < words; w++)
      for (let rest = routeReach(army, w); rest !== 0; rest &= rest - 1)
        comersByConvoy[(w * 32 + lowestBit(rest)) * WORDS + word] |= bit;
  }
};

// ---- movement ----

const listMoves = (game: Game, province: Province, key: number, out: Int32Array, begin: number): number => {
  const { map } = game;
  let n = begin;
  const at = game.unitLocation(province);
  out[n++] = hold(at);
  for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++) out[n++] = move(at, map.moveTargets[i]);
  if (passengerCount === 0 || key >= map.locationCount || !hasRoutes(province)) return n;
  for (let w = 0; w < WORDS; w++)
    for (let rest = routeReach(province, w); rest !== 0; rest &= rest - 1)
      out[n++] = moveVia(at, w * 32 + lowestBit(rest));
  return n;
};

const listSupports = (game: Game, province: Province, key: number, out: Int32Array, begin: number): number => {
  const { map } = game;
  const words = (map.provinceCount + 31) >> 5;
  const at = game.unitLocation(province);
  const ownWord = province >> 5;
  const others = ~(1 << (province & 31));
  const couldConvoy = key >= map.locationCount && isSea(map, province);
  let n = begin;
  for (let w = 0; w < words; w++) {
    for (let rest = map.reach[key * WORDS + w]; rest !== 0; rest &= rest - 1) {
      const target = w * 32 + lowestBit(rest);
      if (testBit(occupied, 0, target) === 1) out[n++] = supportHold(at, target);
      for (let v = 0; v < words; v++) {
        let from = comers[target * WORDS + v];
        if (v === ownWord) from &= others;
        const byLand = from;
        if (passengerCount > 0) from |= comersByConvoy[target * WORDS + v] & (v === ownWord ? others : -1);
        for (; from !== 0; from &= from - 1) {
          const helped = v * 32 + lowestBit(from);
          if (
            couldConvoy &&
            (byLand & from & -from) === 0 &&
            ((routeReachWithout(helped, province, target >> 5) >>> (target & 31)) & 1) === 0
          )
            continue;
          out[n++] = supportMove(at, helped, target);
        }
      }
    }
  }
  return n;
};

const listConvoys = (game: Game, province: Province, out: Int32Array, begin: number): number => {
  const at = game.unitLocation(province);
  let n = begin;
  for (let i = 0; i < passengerCount; i++)
    for (let w = 0; w < WORDS; w++)
      for (let rest = routeReachWith(passengers[i], province, w); rest !== 0; rest &= rest - 1)
        out[n++] = convoy(at, passengers[i], w * 32 + lowestBit(rest));
  return n;
};

const listMovement = (game: Game, province: Province, out: Int32Array, begin: number): number => {
  if (game.unitAt(province) === NO_UNIT) return begin;
  const key = unitKey(game, province);
  let n = listMoves(game, province, key, out, begin);
  n = listSupports(game, province, key, out, n);
  if (key >= game.map.locationCount && isSea(game.map, province)) n = listConvoys(game, province, out, n);
  return n;
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
  for (let i = 0; i < n; i++) out[begin + i] = retreat(location, retreats[i]);
  out[begin + n] = disband(location);
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
    if (due(unitPower(unit)) < 0) out[n++] = remove(game.unitLocation(province));
    return n;
  }
  const power = builderAt(game, province);
  if (power < 0 || due(power) <= 0) return n;
  out[n++] = buildArmy(province);
  if (map.kind[province] !== LAND) {
    if (map.coastCount[province] === 0) out[n++] = buildFleet(province);
    for (let i = 0; i < map.coastCount[province]; i++) out[n++] = buildFleet(map.firstCoast[province] + i);
  }
  out[n++] = waive(power);
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
    return listMovement(game, province, out, 0);
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
    if (phase === MOVEMENT) n = listMovement(game, p, out, n);
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
