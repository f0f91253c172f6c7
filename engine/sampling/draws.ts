// One random order for every unit on the board, on any map: the draws of sampler.ts, which knows what all maps have, and on
// maps with rules of their own more.
//
// - Uniform: a unit whose legal orders differ from those draws anew, from its list in legal/special-orders.ts. So every
//   legal order of a unit is as likely as any other: rides by railroad, crossings, passages.
// - Policy: one such unit in eight draws from that list; of the others, and of those that convoy, an order that is not
//   legal becomes a hold.

import { MAX_ORDERS_PER_PROVINCE } from '../legal/lists.js';
import { useMapForMovement } from '../legal/movement.js';
import { useSeason } from '../legal/route-memo.js';
import { findSpecialMoves, isTouched, listSpecial } from '../legal/special-orders.js';
import type { CompiledMap, SpecialTables } from '../map/compiled-map.js';
import * as O from '../order.js';
import { GOLDEN, mix } from '../random.js';
import { board, given } from '../resolve/index.js';
import { below, fillRowsOfBoard, samplePolicy, sampleUniform, toBoard, useMapForSampling } from './sampler.js';

const { places, unit, order } = board;
const POWER_SHIFT = 16;
const KEY_MASK = 0xffff;

const listed = new Int32Array(MAX_ORDERS_PER_PROVINCE);
const powerAt = (p: number): number => (unit[p] >>> POWER_SHIFT) - 1;

/** What the resolver must know of the railroad and the canal. Drawn orders give no leave. @param owner + 1, by centre */
export const setGivens = (map: CompiledMap, special: SpecialTables, owner: Int32Array): void => {
  special.line.forEach((province, place) => {
    const center = map.centerIndex[province];
    const there = center < 0 ? 0 : owner[center];
    given.lost[place] = there > 0 && there !== special.railPower + 1 ? 1 : 0;
  });
  given.leave[0] = 0;
};

const keyOf = (p: number): number => (unit[p] & KEY_MASK) - 1;

/** Moves and rides differ on the board in nothing but their targets. */
const isSame = (a: number, b: number): boolean => {
  const type = O.orderType(a);
  if (type !== O.orderType(b) || O.orderTarget(a) !== O.orderTarget(b) || O.orderVia(a) !== O.orderVia(b)) return false;
  if (O.orderNextKey(a) !== O.orderNextKey(b)) return false;
  return type === O.HOLD || type === O.MOVE || type === O.RAIL || O.orderAux(a) === O.orderAux(b);
};

const isListed = (p: number, count: number): boolean => {
  for (let i = 0; i < count; i++) if (isSame(order[p], toBoard(keyOf(p), listed[i]))) return true;
  return O.orderType(order[p]) === O.HOLD;
};

const redrawUniform = (m: CompiledMap, count: number, base: number): void => {
  if (!findSpecialMoves(m, isFall, count, powerAt)) return;
  for (let i = 0; i < count; i++) {
    const p = places[i];
    if (!isTouched(p)) continue;
    const all = listSpecial(p, listed, 0);
    order[p] = toBoard(keyOf(p), listed[below(mix((base + Math.imul(p + 1, GOLDEN)) | 0), all)]);
  }
};

const mendPolicy = (m: CompiledMap, count: number, base: number): void => {
  fillRowsOfBoard(count);
  findSpecialMoves(m, isFall, count, powerAt);
  for (let i = 0; i < count; i++) {
    const p = places[i];
    const touched = isTouched(p);
    if (!touched && O.orderType(order[p]) !== O.CONVOY && O.orderVia(order[p]) === 0) continue;
    const all = listSpecial(p, listed, 0);
    const bits = mix(base ^ Math.imul(p + 1, 0x85eb_ca6b));
    if (touched && bits >>> 29 === 0) order[p] = toBoard(keyOf(p), listed[below(mix(bits), all)]);
    else if (!isListed(p, all)) order[p] = toBoard(keyOf(p), O.hold(0));
  }
};

// ---- any map ----

let map: CompiledMap | undefined;
let isFall = false;

/** Makes the tables of a map those in use. Cheap when they are already. */
export const useMapForDraws = (next: CompiledMap): void => {
  map = next;
  useMapForSampling(next);
};

/** Says whether it is fall, when ice closes seas. */
export const useSeasonForDraws = (fall: boolean): void => {
  isFall = fall;
};

/** Rows are filled for a season. */
const prepareRows = (m: CompiledMap): void => {
  useMapForMovement(m);
  useSeason(isFall);
};

/** sampleUniform() of sampler.ts on any map: each order is the one with its index in the list of legalOrders(). */
export const drawUniform = (count: number, base: number): void => {
  if (map === undefined || map.special === null) {
    sampleUniform(count, base);
    return;
  }
  prepareRows(map);
  sampleUniform(count, base);
  redrawUniform(map, count, base);
};

/** samplePolicy() of sampler.ts on any map. */
export const drawPolicy = (count: number, base: number): void => {
  if (map === undefined || map.special === null) {
    samplePolicy(count, base);
    return;
  }
  prepareRows(map);
  samplePolicy(count, base);
  mendPolicy(map, count, base);
};
