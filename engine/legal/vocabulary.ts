// Makes the vocabulary of a map, which gives an index for policies to every canonical order that is legal in some
// position, and writes the legal orders of a position as a mask over the vocabulary.

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

/** Every canonical order that is legal in some position of a map. Policies refer to an order by its index. */
export interface Vocabulary {
  /**
   * The packed orders, ascending. On a map with options or changes, the orders of the map without them come first, then
   * the other orders, each part ascending. An order does not contain the unit's type, so one entry serves army and
   * fleet.
   */
  readonly orders: Int32Array;
  /** Number of orders. */
  readonly size: number;
  /** Returns the index of an order in `orders`; -1 if no position allows it. Does not allocate. */
  readonly indexOf: (order: O.Order) => number;
  /**
   * Writes indexOf() of the orders from[first .. end) to `out` from index `at` on. All these orders must be in
   * `orders`. Does not allocate.
   */
  readonly indicesInto: (from: Int32Array, first: number, end: number, out: Int32Array, at: number) => void;
  /**
   * Writes 1 to out[indexOf(order)] for each order of from[0 .. end), and 0 to all other elements. All these orders
   * must be in `orders`, and `out` must have `size` elements. Does not allocate.
   */
  readonly mark: (from: Int32Array, end: number, out: Uint8Array) => void;
}

/**
 * Greatest number of seas for which the vocabulary is made from proper routes (routes.ts), whose number grows
 * exponentially. On a map with more seas, every fleet in a body of water counts as useful for every convoy over that
 * body. The vocabulary then still has every legal order, and also some convoy orders that are legal in no position.
 */
export const MAX_SEAS_FOR_PROPER_ROUTES = 32;

// ---- units ----

/**
 * Returns the keys (unit type and location, map/compiled-map.ts) of the units that a location can have: an army, a
 * fleet, or both.
 */
const keysAt = (map: CompiledMap, location: T.Location): number[] => {
  const province = map.locationProvince[location];
  const keys: number[] = [];
  if (location < map.provinceCount && map.kind[province] !== T.SEA) keys.push(location);
  if (map.kind[province] !== T.LAND && (location !== province || map.coastCount[province] === 0))
    keys.push(map.locationCount + location);
  return keys;
};

// ---- convoys, with fleets in every sea ----

/** Provinces to which an army can be convoyed, as bitsets. */
interface Convoys {
  /** Provinces reached by any proper route. Row: province of the army. */
  readonly reach: Int32Array;
  /** Provinces reached by a proper route with a fleet. Row: army * provinceCount + fleet, both as provinces. */
  readonly reachWith: Int32Array;
  /** Provinces reached by a route without a fleet. Row: army * provinceCount + fleet, both as provinces. */
  readonly reachWithout: Int32Array;
}

/**
 * Writes to `convoys` the provinces that proper routes reach with fleets in every sea. These include the routes of
 * every position, because a route that is proper in one position is also proper with more fleets.
 */
const listProperRoutes = (map: CompiledMap, convoys: Convoys): void => {
  const { provinceCount } = map;
  const words = (provinceCount + 31) >> 5;
  const seas = bitsIn(map.seas, 0);
  const routes = routesOf(map);
  for (const army of bitsIn(map.coasts, 0)) {
    routes.begin();
    // A fleet cannot be in the army's province, even if that is coastal and fleets can convoy there.
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

/** Adds the coastal provinces next to some seas, except the army's own province, to bitset `set` of `sets`. */
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

/**
 * Writes to `convoys` the provinces that armies can reach with fleets in every sea. Counts each fleet of a body of
 * water as part of every route over that body, even where the route is not proper.
 */
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
  // Proper routes with whole provinces are wrong for fleets on one of two coasts. Changed maps keep the vocabulary of
  // earlier versions.
  const isLoose = map.special?.hasConvoyable === true && map.rows.base !== undefined;
  if (many || isLoose || seas.some((p) => map.coastCount[p] > 0)) listAllRoutes(map, convoys);
  else listProperRoutes(map, convoys);
  return convoys;
};

// ---- orders ----

/** Returns a bitset for each province: the provinces from which a unit could move to it over a border. */
const findComers = (map: CompiledMap): Int32Array => {
  const comers = makeBitsets(map.provinceCount);
  for (let key = 0; key < 2 * map.locationCount; key++)
    for (const to of bitsIn(map.reach, key)) addBit(comers, to, map.locationProvince[key % map.locationCount]);
  return comers;
};

/** Adds the orders at a location that do not help another unit: hold, moves, retreats, disband and remove. */
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

/**
 * Adds the orders of special rules to `orders`: rides by railroad, and supports of moves by railroad, over difficult
 * borders and through a canal, which are beyond the reach of the moving unit.
 */
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

// Imports are copied to constants of this module for speed, because hundreds of thousands of orders are looked up.
const { orderType, orderVia, orderLocation, orderHelped, orderTarget } = O;

/** Returns the kind of an order: its type in bits 0 to 3, its VIA bit in bit 4. */
const kindOf = (order: O.Order): number => orderType(order) | (orderVia(order) << 4);
const KINDS = 32;
/** Greater than every helped province. */
const HELPED_PROVINCES = 256;

/**
 * A table that maps orders to indices without a search. Orders of one kind, location and target form a row, indexed by
 * the helped province. A row extends from its least to its greatest helped province.
 */
class OrderIndex {
  declare private readonly orders: Int32Array;
  declare private readonly locations: number;
  /** Index of the first row of each kind; -1 for a kind without orders. */
  declare private readonly kinds: Int32Array;
  /**
   * Index in `cells` at which province 0 of each row is, or would be; 0 for rows without orders, where cells are empty.
   */
  declare private readonly rows: Int32Array;
  /** Index of an order in the vocabulary, + 1; 0 for no order. */
  declare private readonly cells: Uint16Array | Int32Array;
  /** Array of `size` zeros. Copying it with set() clears shared memory in a fifth of the time of fill(). */
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
    // 16 bits are used if they are enough, because a smaller table needs less cache.
    this.cells = new (orders.length < 0xffff ? Uint16Array : Int32Array)(this.layRows() + HELPED_PROVINCES);
    orders.forEach((order, index) => {
      this.cells[this.rows[this.rowOf(order)] + orderHelped(order)] = index + 1;
    });
  }

  private rowOf(order: O.Order): number {
    return this.kinds[kindOf(order)] + orderLocation(order) * this.locations + orderTarget(order);
  }

  /** Places the rows one after another in `cells`; returns the end of the last one. */
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

  /** Returns the index of an order in the vocabulary; -1 if the vocabulary does not have it. */
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

/** Keeps indices stable on a map with options or changes: puts the orders of the map without them first. */
const withoutChangeOfIds = (map: CompiledMap, orders: Int32Array): Int32Array => {
  const { base } = map.rows;
  if (base === undefined) return orders;
  const plain = bases.get(base) ?? compileMap(base);
  bases.set(base, plain);
  const known = vocabulary(plain);
  return Int32Array.from([...known.orders, ...orders.filter((order) => known.indexOf(order) < 0)]);
};

/**
 * Returns the vocabulary of a map: all canonical orders over all its positions. For every unit that a location can
 * have: hold, moves over borders and by convoy, supports, convoys, retreats, disband and remove. Also builds in home
 * centres (in any centre on maps that allow it), and a waive for each power. The first call for a map takes some tens
 * of milliseconds. Later calls return the same object.
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
 * Writes 1 to `out` at the index of each order that is legal in the current phase, and 0 to all other elements. The
 * vocabulary ascends by location, so the elements of one unit are contiguous. Waives have no location and are among the
 * first elements. Does not allocate, except at the first call for a map.
 * @param words vocabulary of the game's map: vocabulary(game.map)
 * @param out exactly words.size long
 * @throws LepantoError if `words` is the vocabulary of another map, or if `out` has another length
 */
export const legalMask = (game: Game, words: Vocabulary, out: Uint8Array): void => {
  if (words !== vocabulary(game.map))
    throw new LepantoError('argument', `legalMask: got another vocabulary, wanted that of the map ${game.map.name}`);
  if (out.length !== words.size)
    throw new LepantoError('argument', `legalMask: got an array of length ${out.length}, wanted ${words.size}`);
  const count = offsets[listInRoom(game, offsets)];
  words.mark(orderRoom(), count, out);
};
