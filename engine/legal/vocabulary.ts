// Makes the vocabulary of a map: every canonical order that some position allows, each with an index for policies. And
// the legal orders of a position as a mask over it.

import { linkedSeas } from '../map/chains.js';
import { compileMap } from '../map/compile.js';
import type { CompiledMap, MapRows, SpecialTables } from '../map/compiled-map.js';
import { perMap } from '../map/per-map.js';
import type { Game } from '../position/game.js';
import { addBit, bitsIn, makeBitsets, testBit } from '../rules/bitset.js';
import { LepantoError } from '../rules/error.js';
import * as O from '../rules/order.js';
import * as T from '../rules/types.js';
import { berthsIn, listInRoom, orderRoom } from './lists.js';
import { routesOf } from './routes.js';

/** Every canonical order that some position of a map allows, each with an index for policies. */
export interface Vocabulary {
  /**
   * The orders, ascending; on a map with options or changes those of the map without them, then the others, ascending.
   * A unit's type is no part of an order: one entry serves army and fleet.
   */
  readonly orders: Int32Array;
  /** Number of orders. */
  readonly size: number;
  /** Place of an order in `orders`; -1 if no position allows it. Does not allocate. */
  readonly indexOf: (order: O.Order) => number;
  /** indexOf() of from[first .. end), written to out[at ..]. All of them must be in `orders`. Does not allocate. */
  readonly indicesInto: (from: Int32Array, first: number, end: number, out: Int32Array, at: number) => void;
  /**
   * Writes 1 to out[indexOf(order)] for each of from[0 .. end), and 0 everywhere else. All orders must be in `orders`,
   * and `out` as long as it. Does not allocate.
   */
  readonly mark: (from: Int32Array, end: number, out: Uint8Array) => void;
}

/**
 * The number of proper routes explodes with the number of seas. On a map with more seas than this, every fleet in a
 * body of water counts as useful for every convoy over that body: the vocabulary still holds each legal order, but also
 * some convoy orders that are legal in no position.
 */
export const MAX_SEAS_FOR_PROPER_ROUTES = 32;

// ---- units ----

/** Keys (map/compiled-map.ts) of the units that can stand in a location: an army, a fleet or either. */
const keysAt = (map: CompiledMap, location: T.Location): number[] => {
  const province = map.locationProvince[location];
  const keys: number[] = [];
  if (location < map.provinceCount && map.kind[province] !== T.SEA) keys.push(location);
  if (map.kind[province] !== T.LAND && (location !== province || map.coastCount[province] === 0))
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

/** Any route of a position is also a route with fleets in every sea; if it is proper in the one, it is in the other. */
const listProperRoutes = (map: CompiledMap, convoys: Convoys): void => {
  const { provinceCount } = map;
  const words = (provinceCount + 31) >> 5;
  const seas = bitsIn(map.seas, 0);
  const routes = routesOf(map);
  for (const army of bitsIn(map.coasts, 0)) {
    routes.begin();
    // An army in a coastal province where fleets convoy leaves no room for a fleet there.
    for (const sea of seas) if (sea !== army) routes.addFleet(sea);
    routes.find(army);
    for (let w = 0; w < words; w++) {
      convoys.reach[army * T.WORDS + w] = routes.to(army, w);
      for (const sea of seas) {
        if (sea === army) continue;
        const row = (army * provinceCount + sea) * T.WORDS + w;
        convoys.reachWith[row] = routes.toWith(army, sea, w);
        convoys.reachWithout[row] = routes.toWithout(army, sea, w);
      }
    }
  }
};

const addLandings = (
  map: CompiledMap,
  seas: readonly T.Province[],
  army: T.Province,
  sets: Int32Array,
  set: number,
): void => {
  for (const sea of seas)
    for (const coast of bitsIn(map.coastNeighbours, sea)) if (coast !== army) addBit(sets, set, coast);
};

/** Like listProperRoutes(), but puts each fleet of a body of water on every route over it. */
const listAllRoutes = (map: CompiledMap, convoys: Convoys): void => {
  const seas = bitsIn(map.seas, 0);
  for (const army of bitsIn(map.coasts, 0)) {
    const ports = bitsIn(map.seaNeighbours, army).filter((sea) => sea < map.provinceCount);
    addLandings(
      map,
      linkedSeas(map, ports, () => true),
      army,
      convoys.reach,
      army,
    );
    for (const sea of seas) {
      const row = army * map.provinceCount + sea;
      const body = linkedSeas(map, [sea], () => true);
      if (body.some((other) => ports.includes(other))) addLandings(map, body, army, convoys.reachWith, row);
      addLandings(
        map,
        linkedSeas(map, ports, (other) => other !== sea),
        army,
        convoys.reachWithout,
        row,
      );
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
  const seas = bitsIn(map.seas, 0);
  const many = seas.length > MAX_SEAS_FOR_PROPER_ROUTES;
  // A fleet on one coast of two is no fleet of the whole province. Changed maps keep the vocabulary that they have had.
  const isLoose = map.special?.hasConvoyable === true && map.rows.base !== undefined;
  if (many || isLoose || seas.some((p) => map.coastCount[p] > 0)) listAllRoutes(map, convoys);
  else listProperRoutes(map, convoys);
  return convoys;
};

// ---- orders ----

/** By province: the provinces from which a unit could come over a border, as bitsets. */
const findComers = (map: CompiledMap): Int32Array => {
  const comers = makeBitsets(map.provinceCount);
  for (let key = 0; key < 2 * map.locationCount; key++)
    for (const to of bitsIn(map.reach, key)) addBit(comers, to, map.locationProvince[key % map.locationCount]);
  return comers;
};

const addOwnOrders = (map: CompiledMap, convoys: Convoys, at: T.Location, orders: Set<O.Order>): void => {
  orders.add(O.hold(at)).add(O.disband(at)).add(O.remove(at));
  for (const key of keysAt(map, at))
    for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
      orders.add(O.move(at, map.moveTargets[i])).add(O.retreat(at, map.moveTargets[i]));
  if (at < map.provinceCount) for (const to of bitsIn(convoys.reach, at)) orders.add(O.moveVia(at, to));
};

const addSupports = (
  map: CompiledMap,
  convoys: Convoys,
  comers: Int32Array,
  at: T.Location,
  orders: Set<O.Order>,
): void => {
  const { provinceCount } = map;
  const own = map.locationProvince[at];
  const isAtSea = map.kind[own] === T.SEA;
  for (const key of keysAt(map, at))
    for (const target of bitsIn(map.reach, key)) {
      orders.add(O.supportHold(at, target));
      for (let helped = 0; helped < provinceCount; helped++) {
        if (helped === own) continue;
        const comesByConvoy = isAtSea
          ? testBit(convoys.reachWithout, helped * provinceCount + own, target)
          : testBit(convoys.reach, helped, target);
        if (comesByConvoy === 1 || testBit(comers, target, helped) === 1) orders.add(O.supportMove(at, helped, target));
      }
    }
};

const addConvoys = (map: CompiledMap, convoys: Convoys, orders: Set<O.Order>): void => {
  for (const army of bitsIn(map.coasts, 0))
    for (const sea of bitsIn(map.seas, 0))
      for (const to of bitsIn(convoys.reachWith, army * map.provinceCount + sea))
        for (const at of berthsIn(map, sea)) orders.add(O.convoy(at, army, to));
};

const addBuilds = (map: CompiledMap, orders: Set<O.Order>): void => {
  map.centers.forEach((province, center) => {
    if (map.homePower[center] < 0 && !map.buildAnywhere) return;
    for (let location = 0; location < map.locationCount; location++) {
      if (map.locationProvince[location] !== province) continue;
      for (const key of keysAt(map, location))
        orders.add(key < map.locationCount ? O.buildArmy(location) : O.buildFleet(location));
    }
  });
  for (let power = 0; power < map.powerCount; power++) orders.add(O.waive(power));
};

const listOrders = (map: CompiledMap): Int32Array => {
  const orders = new Set<O.Order>();
  const convoys = findConvoys(map);
  const comers = findComers(map);
  for (let at = 0; at < map.locationCount; at++) {
    addOwnOrders(map, convoys, at, orders);
    addSupports(map, convoys, comers, at, orders);
  }
  addConvoys(map, convoys, orders);
  addBuilds(map, orders);
  if (map.special !== null) addSpecialOrders(map, map.special, orders);
  return Int32Array.from(orders).sort();
};

/** Rides by railroad, and supports of moves that a unit's own reach leaves out. */
const addSpecialOrders = (map: CompiledMap, special: SpecialTables, orders: Set<O.Order>): void => {
  const addSupportsOf = (from: T.Province, to: T.Province): void => {
    for (let at = 0; at < map.locationCount; at++)
      for (const key of keysAt(map, at))
        if (map.locationProvince[at] !== from && testBit(map.reach, key, to) === 1)
          orders.add(O.supportMove(at, from, to));
  };
  for (const from of special.line)
    for (const to of special.line) {
      if (from === to) continue;
      orders.add(O.rail(from, to));
      addSupportsOf(from, to);
    }
  for (let from = 0; from < map.provinceCount; from++)
    for (const to of bitsIn(special.difficult, from)) addSupportsOf(from, to);
  for (const from of special.canal) for (const to of special.canal) if (from !== to) addSupportsOf(from, to);
};

// ---- the whole ----

// Imports rebound: orders are looked up by the hundred thousand.
const { orderType, orderVia, orderLocation, orderHelped, orderTarget } = O;

/** The kind of an order: its type, and the VIA bit above it. */
const kindOf = (order: O.Order): number => orderType(order) | (orderVia(order) << 4);
const KINDS = 32;
/** Every helped province is below this. */
const HELPED_PROVINCES = 256;

/**
 * Looks orders up in a table instead of searching. Orders of one kind, location and target form a row, by the helped
 * province, as they do in lists of legal orders. A row reaches from its least to its greatest one.
 */
class OrderIndex {
  declare private readonly orders: Int32Array;
  declare private readonly locations: number;
  /** By kind: the first row of its first location; -1 for a kind that no order has. */
  declare private readonly kinds: Int32Array;
  /** By row: where province 0 is, or would be, in `cells`; 0 for rows without orders: the first cells are empty. */
  declare private readonly rows: Int32Array;
  /** Index + 1; 0 for no order. */
  declare private readonly cells: Uint16Array | Int32Array;
  /** As long as the vocabulary: set() clears shared memory in a fifth of the time that fill() takes. */
  declare private readonly zeros: Uint8Array;

  constructor(map: CompiledMap, orders: Int32Array) {
    this.orders = orders;
    this.locations = map.locationCount;
    this.zeros = new Uint8Array(orders.length);
    this.kinds = new Int32Array(KINDS).fill(-1);
    let rows = 0;
    for (const order of orders) {
      if (this.kinds[kindOf(order)] >= 0) continue;
      this.kinds[kindOf(order)] = rows;
      rows += this.locations * this.locations;
    }
    this.rows = new Int32Array(rows);
    // Int16 if that is enough: the less cache it takes, the faster it is.
    this.cells = new (orders.length < 0xffff ? Uint16Array : Int32Array)(this.layRows() + HELPED_PROVINCES);
    orders.forEach((order, index) => {
      this.cells[this.rows[this.rowOf(order)] + orderHelped(order)] = index + 1;
    });
  }

  private rowOf(order: O.Order): number {
    return this.kinds[kindOf(order)] + orderLocation(order) * this.locations + orderTarget(order);
  }

  /** Lays the rows end to end; returns where the last one ends. */
  private layRows(): number {
    const least = new Int32Array(this.rows.length).fill(HELPED_PROVINCES);
    const most = new Int32Array(this.rows.length).fill(-1);
    for (const order of this.orders) {
      const row = this.rowOf(order);
      least[row] = Math.min(least[row], orderHelped(order));
      most[row] = Math.max(most[row], orderHelped(order));
    }
    let end = HELPED_PROVINCES;
    for (let row = 0; row < this.rows.length; row++) {
      if (most[row] < 0) continue;
      this.rows[row] = end - least[row];
      end += most[row] - least[row] + 1;
    }
    return end;
  }

  of(order: O.Order): number {
    const { locations } = this;
    const hasRow = this.kinds[kindOf(order)] >= 0 && orderLocation(order) < locations && orderTarget(order) < locations;
    if (!hasRow) return -1;
    const index = this.cells[this.rows[this.rowOf(order)] + orderHelped(order)] - 1;
    return index >= 0 && this.orders[index] === order ? index : -1;
  }

  list(from: Int32Array, first: number, end: number, out: Int32Array, at: number): void {
    const { kinds, rows, cells, locations } = this;
    const shift = at - first;
    for (let i = first; i < end; i++) {
      const order = from[i];
      const row = (kinds[kindOf(order)] + Math.imul(orderLocation(order), locations) + orderTarget(order)) | 0;
      out[(i + shift) | 0] = cells[(rows[row] + orderHelped(order)) | 0] - 1;
    }
  }

  mark(from: Int32Array, end: number, out: Uint8Array): void {
    const { kinds, rows, cells, locations } = this;
    out.set(this.zeros);
    for (let i = 0; i < end; i++) {
      const order = from[i];
      const row = (kinds[kindOf(order)] + Math.imul(orderLocation(order), locations) + orderTarget(order)) | 0;
      out[(cells[(rows[row] + orderHelped(order)) | 0] - 1) | 0] = 1;
    }
  }
}

const bases = new WeakMap<MapRows, CompiledMap>();

/**
 * Of a map with options or changes: first the orders of the map without them, under their indices, then what is new.
 */
const withoutChangeOfIds = (map: CompiledMap, orders: Int32Array): Int32Array => {
  const { base } = map.rows;
  if (base === undefined) return orders;
  const plain = bases.get(base) ?? compileMap(base);
  bases.set(base, plain);
  const known = vocabulary(plain);
  return Int32Array.from([...known.orders, ...orders.filter((order) => known.indexOf(order) < 0)]);
};

/**
 * All canonical orders over all positions of a map. Of every unit that a location can hold: hold, the moves over
 * borders and by convoy, the supports, convoys, retreats, disband and remove; the builds in home centres (in any centre
 * where the map says so); a waive for each power. Made at the first call for a map, some tens of milliseconds; the same
 * object after that.
 */
export const vocabulary: (map: CompiledMap) => Vocabulary = perMap((map) => {
  const orders = withoutChangeOfIds(map, listOrders(map));
  const index = new OrderIndex(map, orders);
  return {
    orders,
    size: orders.length,
    indexOf: (order) => index.of(order),
    indicesInto: (from, first, end, out, at) => index.list(from, first, end, out, at),
    mark: (from, end, out) => index.mark(from, end, out),
  };
});

// ---- the legal orders of a position as a mask over the vocabulary ----

const offsets = new Int32Array(T.MAX_LOCATIONS + 1);

/**
 * Writes 1 to `out` at the index of each order that is legal in the phase at hand, and 0 everywhere else. The
 * vocabulary ascends by location, so that a unit's part of the mask is one run; the waives, of no location, lie in the
 * first run. Does not allocate, but at the first call for a map.
 * @param words vocabulary(game.map)
 * @param out words.size long
 * @throws LepantoError if the vocabulary is not that of the map, or if `out` has another length
 */
export const legalMask = (game: Game, words: Vocabulary, out: Uint8Array): void => {
  if (words !== vocabulary(game.map))
    throw new LepantoError('argument', `legalMask: got another vocabulary, wanted that of the map ${game.map.name}`);
  if (out.length !== words.size)
    throw new LepantoError('argument', `legalMask: got an array of length ${out.length}, wanted ${words.size}`);
  const count = offsets[listInRoom(game, offsets)];
  words.mark(orderRoom(), count, out);
};
