// Draws one random order for every unit on the board, on any map. Extends sampler.ts with the special orders of maps
// with special rules.
//
// - Uniform: a unit whose legal orders differ under the special rules draws again, from its list in
//   legal/special-orders.ts. So all legal orders of a unit are equally likely, including railroad moves.
// - Policy: an illegal order becomes a hold. An army that can use the railroad does so with probability 1/8. In one
//   phase of EXACT, units whose legal orders differ draw from all of their legal orders, so that every legal order can
//   occur.

import { board, KEY_MASK, POWER_SHIFT, toBoard } from '../adjudicate/movement/index.js';
import { MAX_ORDERS_PER_PROVINCE } from '../legal/lists.js';
import { listOf } from '../legal/movement.js';
import { type SpecialOrders, specialOrdersOf } from '../legal/special-orders.js';
import type { CompiledMap, SpecialTables } from '../map/compiled-map.js';
import { testBit } from '../rules/bitset.js';
import * as O from '../rules/order.js';
import { GOLDEN, mix } from '../rules/random.js';
import { MAX_POWERS } from '../rules/types.js';
import { below, fillRowsOfBoard, samplePolicy, sampleUniform, sampleUniformBy } from './sampler.js';

const { places, unit, order } = board;

const listed = new Int32Array(MAX_ORDERS_PER_PROVINCE);
const powerAt = (p: number): number => (unit[p] >>> POWER_SHIFT) - 1;

const keyOf = (p: number): number => (unit[p] & KEY_MASK) - 1;

/** True if two board orders are the same. Ignores the helped province of holds, moves and railroad moves. */
const isSame = (a: number, b: number): boolean => {
  const type = O.orderType(a);
  if (type !== O.orderType(b) || O.orderTarget(a) !== O.orderTarget(b) || O.orderVia(a) !== O.orderVia(b)) return false;
  if (O.orderNextKey(a) !== O.orderNextKey(b)) return false;
  return type === O.HOLD || type === O.MOVE || type === O.RAIL || O.orderHelped(a) === O.orderHelped(b);
};

/**
 * Finds the orders of special rules (legal/special-orders.ts) of the units on the board. Returns null if the map has
 * none. Call fillRowsOfBoard() first.
 * @param isFall true in fall, when ice closes seas
 * @param count number of units on the board
 */
const findSpecial = (m: CompiledMap, isFall: boolean, count: number): SpecialOrders | null => {
  const orders = specialOrdersOf(m);
  orders?.find(isFall, count, powerAt);
  return orders;
};

const isListed = (m: CompiledMap, p: number, isFall: boolean, count: number): boolean => {
  fillRowsOfBoard(m, isFall, count);
  const orders = findSpecial(m, isFall, count);
  const all = orders === null ? listOf(p, listed, 0) : orders.list(p, listed, 0);
  for (let i = 0; i < all; i++) if (isSame(order[p], toBoard(keyOf(p), listed[i]))) return true;
  return false;
};

/** Random bits of one phase, the same for every power. Indexed by power + 1. */
const sameBases = new Int32Array(MAX_POWERS + 2);

const redrawUniform = (m: CompiledMap, isFall: boolean, count: number, bases: Int32Array): void => {
  const orders = findSpecial(m, isFall, count);
  if (orders === null) return;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (!orders.isTouched(p)) continue;
    const all = orders.list(p, listed, 0);
    const base = bases[powerAt(p) + 1];
    order[p] = toBoard(keyOf(p), listed[below(mix((base + Math.imul(p + 1, GOLDEN)) | 0), all)]);
  }
};

/**
 * Replaces orders drawn by the policy that the special rules make illegal by holds. Only convoys have to be looked up
 * in the list of legal orders.
 * @param isFall true in fall, when ice closes seas
 * @param count number of units on the board
 */
const holdIllegal = (m: CompiledMap, special: SpecialTables, isFall: boolean, count: number): void => {
  const { origins, hasIce, hasConvoyable } = special;
  if ((isFall && hasIce) || hasConvoyable)
    for (let i = 0; i < count; i++) mendOrder(m, special, places[i], isFall, count);
  else
    for (let i = 0; i < origins.length; i++)
      if (unit[origins[i]] !== 0) mendOrder(m, special, origins[i], isFall, count);
};

const mendOrder = (m: CompiledMap, special: SpecialTables, p: number, isFall: boolean, count: number): void => {
  const isIcy = isFall && special.hasIce;
  const o = order[p];
  const type = O.orderType(o);
  if (type === O.HOLD) return;
  const convoys = type === O.CONVOY || O.orderVia(o) === 1;
  if (convoys ? (isIcy || special.hasConvoyable) && !isListed(m, p, isFall, count) : !canBe(m, special, p, o, isIcy))
    order[p] = toBoard(keyOf(p), O.hold(0));
};

/**
 * True if the order of the unit in province p, a move or a matching support, is legal: a unit supports only into its
 * own reach, and never into ice.
 * @param isIcy true in fall on a map with ice
 */
const canBe = (m: CompiledMap, { ice }: SpecialTables, p: number, o: number, isIcy: boolean): boolean => {
  const to = O.targetProvince(o);
  const type = O.orderType(o);
  if (type !== O.MOVE && testBit(m.reach, keyOf(p), to) === 0) return false;
  if (!isIcy) return true;
  const helped = type === O.SUPPORT_MOVE ? O.orderHelped(o) : p;
  return (testBit(ice, 0, p) | testBit(ice, 0, to) | testBit(ice, 0, helped)) === 0;
};

/**
 * Gives armies that can use the railroad a railroad move with probability 1/8.
 * @param armyKeys number of unit keys of armies; those of fleets are higher
 * @param base random bits of this phase
 */
const drawRides = ({ line, railPower }: SpecialTables, armyKeys: number, base: number): void => {
  for (let i = 0; i < line.length; i++) {
    const p = line[i];
    const bits = mix(base ^ Math.imul(p + 1, 0xc2b2_ae35));
    if (unit[p] === 0 || powerAt(p) !== railPower || keyOf(p) >= armyKeys || bits >>> 29 !== 0) continue;
    const to = line[(i + 1 + below(mix(bits), line.length - 1)) % line.length];
    order[p] = toBoard(keyOf(p), O.rail(0, to));
  }
};

/** In one phase out of EXACT, a quarter of the units with special orders draw from all of their legal orders. */
const EXACT = 32;

const drawFromLists = (m: CompiledMap, isFall: boolean, count: number, base: number): void => {
  fillRowsOfBoard(m, isFall, count);
  const orders = findSpecial(m, isFall, count);
  if (orders === null) return;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const bits = mix(base ^ Math.imul(p + 1, 0x85eb_ca6b));
    if ((bits & 3) !== 0 || !orders.isTouched(p)) continue;
    order[p] = toBoard(keyOf(p), listed[below(mix(bits), orders.list(p, listed, 0))]);
  }
};

/**
 * Adapts the orders that samplePolicy() drew to the special rules of a map.
 * @param isFall true in fall, when ice closes seas
 * @param count number of units on the board
 * @param base random bits of this phase
 */
const mendPolicy = (m: CompiledMap, special: SpecialTables, isFall: boolean, count: number, base: number): void => {
  holdIllegal(m, special, isFall, count);
  drawRides(special, m.locationCount, base);
  if ((base >>> 5) % EXACT === 0) drawFromLists(m, isFall, count, base);
};

// ---- any map ----

/**
 * Gives every unit on the board a random legal order, all orders of a unit equally likely, on any map. Writes
 * board.order.
 * @param isFall true in fall, when ice closes seas
 * @param count number of units on the board
 * @param base random bits of this phase
 */
export const drawUniform = (m: CompiledMap, isFall: boolean, count: number, base: number): void => {
  sampleUniform(m, isFall, count, base);
  if (m.special !== null) redrawUniform(m, isFall, count, sameBases.fill(base));
};

/**
 * Gives every unit on the board a random legal order, all orders of a unit equally likely, with separate random bits
 * for each power. Writes board.order.
 * @param isFall true in fall, when ice closes seas
 * @param count number of units on the board
 * @param bases random bits of this phase, one int32 for each power, indexed by power + 1
 */
export const drawUniformBy = (m: CompiledMap, isFall: boolean, count: number, bases: Int32Array): void => {
  sampleUniformBy(m, isFall, count, bases);
  if (m.special !== null) redrawUniform(m, isFall, count, bases);
};

/**
 * Gives every unit on the board an order of the policy (see the head of sampler.ts) on any map: samplePolicy(), adapted
 * to the special rules. Writes board.order.
 * @param isFall true in fall, when ice closes seas
 * @param count number of units on the board
 * @param base random bits of this phase
 */
export const drawPolicy = (m: CompiledMap, isFall: boolean, count: number, base: number): void => {
  samplePolicy(m, isFall, count, base);
  if (m.special !== null) mendPolicy(m, m.special, isFall, count, base);
};
