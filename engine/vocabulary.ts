// The vocabulary of a map: every canonical order that some position allows, so that a policy can give each a number.
import { addBit, lowestBit, makeBitsets, testBit } from './bitset.js';
import type { CompiledMap } from './map/types.js';
import {
  buildArmy,
  buildFleet,
  convoy,
  disband,
  hold,
  move,
  moveVia,
  type Order,
  remove,
  retreat,
  supportHold,
  supportMove,
  waive,
} from './order.js';
import { mix } from './random.js';
import { addFleet, beginRoutes, findRoutes, routeReach, routeReachWith, routeReachWithout } from './routes.js';
import { LAND, type Location, type Province, SEA, WORDS } from './types.js';

export interface Vocabulary {
  /** The orders, ascending. A unit's type is no part of an order: one entry serves army and fleet. */
  readonly orders: Int32Array;
  readonly size: number;
  /** Place of an order in `orders`; -1 if no position allows it. Does not allocate. */
  readonly indexOf: (order: Order) => number;
}

/**
 * The proper routes of a map multiply with its seas. On a map with more than this, every fleet in a body of water counts
 * as useful for every convoy over that body: the vocabulary still holds each legal order, but also some convoy orders
 * that are legal in no position.
 */
export const MAX_SEAS_FOR_PROPER_ROUTES = 32;

// ---- sets ----

const provincesOf = (sets: Int32Array, set: number): Province[] => {
  const found: Province[] = [];
  for (let w = 0; w < WORDS; w++)
    for (let rest = sets[set * WORDS + w]; rest !== 0; rest &= rest - 1) found.push(w * 32 + lowestBit(rest));
  return found;
};

/** Keys (map/types.ts) of the units that can stand in a location: an army, a fleet or either. */
const keysAt = (map: CompiledMap, location: Location): number[] => {
  const province = map.locationProvince[location];
  const keys: number[] = [];
  if (location < map.provinceCount && map.kind[province] !== SEA) keys.push(location);
  if (map.kind[province] !== LAND && (location !== province || map.coastCount[province] === 0))
    keys.push(map.locationCount + location);
  return keys;
};

// ---- convoys, with fleets in every sea ----

/** Provinces that an army can be taken to, as bitsets. */
interface Convoys {
  /** By province of the army. */
  readonly reach: Int32Array;
  /** By army and fleet, row army * provinceCount + fleet: over some proper route with that fleet. */
  readonly reachWith: Int32Array;
  /** The same, over some route without that fleet. */
  readonly reachWithout: Int32Array;
}

/** Any route of a position is also one with fleets in every sea, and proper there if it is proper here. */
const listProperRoutes = (map: CompiledMap, convoys: Convoys): void => {
  const { provinceCount } = map;
  const words = (provinceCount + 31) >> 5;
  const seas = provincesOf(map.seas, 0);
  beginRoutes(map);
  for (const sea of seas) addFleet(sea);
  for (const army of provincesOf(map.coasts, 0)) {
    findRoutes(army);
    for (let w = 0; w < words; w++) {
      convoys.reach[army * WORDS + w] = routeReach(army, w);
      for (const sea of seas) {
        const row = (army * provinceCount + sea) * WORDS + w;
        convoys.reachWith[row] = routeReachWith(army, sea, w);
        convoys.reachWithout[row] = routeReachWithout(army, sea, w);
      }
    }
  }
};

/** Seas that a fleet could sail to from some of these without entering one of them, `without`. */
const floodSeas = (map: CompiledMap, from: readonly Province[], without: Province): Province[] => {
  const found = from.filter((sea) => sea !== without);
  const seen = new Set([...found, without]);
  for (const sea of found)
    for (const next of provincesOf(map.seaNeighbours, sea)) {
      if (seen.has(next)) continue;
      seen.add(next);
      found.push(next);
    }
  return found;
};

const addLandings = (
  map: CompiledMap,
  seas: readonly Province[],
  army: Province,
  sets: Int32Array,
  set: number,
): void => {
  for (const sea of seas)
    for (const coast of provincesOf(map.coastNeighbours, sea)) if (coast !== army) addBit(sets, set, coast);
};

/** Like listProperRoutes(), but with each fleet of a body of water on a route over it. */
const listAllRoutes = (map: CompiledMap, convoys: Convoys): void => {
  const seas = provincesOf(map.seas, 0);
  for (const army of provincesOf(map.coasts, 0)) {
    const ports = provincesOf(map.seaNeighbours, army);
    addLandings(map, floodSeas(map, ports, -1), army, convoys.reach, army);
    for (const sea of seas) {
      const row = army * map.provinceCount + sea;
      const body = floodSeas(map, [sea], -1);
      if (body.some((other) => ports.includes(other))) addLandings(map, body, army, convoys.reachWith, row);
      addLandings(map, floodSeas(map, ports, sea), army, convoys.reachWithout, row);
    }
  }
};

const findConvoys = (map: CompiledMap): Convoys => {
  const pairs = map.provinceCount * map.provinceCount;
  const convoys = {
    reach: makeBitsets(map.provinceCount),
    reachWith: makeBitsets(pairs),
    reachWithout: makeBitsets(pairs),
  };
  if (provincesOf(map.seas, 0).length > MAX_SEAS_FOR_PROPER_ROUTES) listAllRoutes(map, convoys);
  else listProperRoutes(map, convoys);
  return convoys;
};

// ---- orders ----

/** By province: where a unit could come from over a border, as bitsets. */
const findComers = (map: CompiledMap): Int32Array => {
  const comers = makeBitsets(map.provinceCount);
  for (let key = 0; key < 2 * map.locationCount; key++)
    for (const to of provincesOf(map.reach, key)) addBit(comers, to, map.locationProvince[key % map.locationCount]);
  return comers;
};

const addOwnOrders = (map: CompiledMap, convoys: Convoys, at: Location, orders: Set<Order>): void => {
  orders.add(hold(at)).add(disband(at)).add(remove(at));
  for (const key of keysAt(map, at))
    for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
      orders.add(move(at, map.moveTargets[i])).add(retreat(at, map.moveTargets[i]));
  if (at < map.provinceCount) for (const to of provincesOf(convoys.reach, at)) orders.add(moveVia(at, to));
};

const addSupports = (
  map: CompiledMap,
  convoys: Convoys,
  comers: Int32Array,
  at: Location,
  orders: Set<Order>,
): void => {
  const { provinceCount } = map;
  const own = map.locationProvince[at];
  const isAtSea = map.kind[own] === SEA;
  for (const key of keysAt(map, at))
    for (const target of provincesOf(map.reach, key)) {
      orders.add(supportHold(at, target));
      for (let helped = 0; helped < provinceCount; helped++) {
        if (helped === own) continue;
        const comesByConvoy = isAtSea
          ? testBit(convoys.reachWithout, helped * provinceCount + own, target)
          : testBit(convoys.reach, helped, target);
        if (comesByConvoy === 1 || testBit(comers, target, helped) === 1) orders.add(supportMove(at, helped, target));
      }
    }
};

const addConvoys = (map: CompiledMap, convoys: Convoys, orders: Set<Order>): void => {
  for (const army of provincesOf(map.coasts, 0))
    for (const sea of provincesOf(map.seas, 0))
      for (const to of provincesOf(convoys.reachWith, army * map.provinceCount + sea))
        orders.add(convoy(sea, army, to));
};

const addBuilds = (map: CompiledMap, orders: Set<Order>): void => {
  map.centers.forEach((province, center) => {
    if (map.homePower[center] < 0 && !map.buildAnywhere) return;
    for (let location = 0; location < map.locationCount; location++) {
      if (map.locationProvince[location] !== province) continue;
      for (const key of keysAt(map, location))
        orders.add(key < map.locationCount ? buildArmy(location) : buildFleet(location));
    }
  });
  for (let power = 0; power < map.powerCount; power++) orders.add(waive(power));
};

const listOrders = (map: CompiledMap): Int32Array => {
  const orders = new Set<Order>();
  const convoys = findConvoys(map);
  const comers = findComers(map);
  for (let at = 0; at < map.locationCount; at++) {
    addOwnOrders(map, convoys, at, orders);
    addSupports(map, convoys, comers, at, orders);
  }
  addConvoys(map, convoys, orders);
  addBuilds(map, orders);
  return Int32Array.from(orders).sort();
};

// ---- the whole ----

/** indexOf() by open addressing in a table at most half full: a slot holds index + 1, 0 is free. */
const makeIndex = (orders: Int32Array): ((order: Order) => number) => {
  const mask = 2 ** (33 - Math.clz32(orders.length)) - 1;
  const slots = new Int32Array(mask + 1);
  orders.forEach((order, index) => {
    let slot = mix(order) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = index + 1;
  });
  return (order) => {
    for (let slot = mix(order) & mask; slots[slot] !== 0; slot = (slot + 1) & mask)
      if (orders[slots[slot] - 1] === order) return slots[slot] - 1;
    return -1;
  };
};

const made = new WeakMap<CompiledMap, Vocabulary>();

/**
 * All canonical orders over all positions of a map. Of every unit that a location can hold: hold, the moves over borders
 * and by convoy, the supports, convoys, retreats, disband and remove; the builds in home centres (in any centre where the
 * map says so); a waive for each power. Made at the first call for a map, some tens of milliseconds; the same object
 * after that.
 */
export const vocabulary = (map: CompiledMap): Vocabulary => {
  const known = made.get(map);
  if (known !== undefined) return known;
  const orders = listOrders(map);
  const built = { orders, size: orders.length, indexOf: makeIndex(orders) };
  made.set(map, built);
  return built;
};
