// Draws orders that match one another: convoys with their armies, and supports of actual orders. Each function gives
// orders to units without one, and writes to `chosen`: packed orders by province, 0 for none.

import { isLegal, unitKey } from '../../engine/legal/lists.js';
import { standard } from '../../engine/map/standard.js';
import type { Game } from '../../engine/position/game.js';
import { testBit } from '../../engine/rules/bitset.js';
import * as O from '../../engine/rules/order.js';
import type { Random } from '../../engine/rules/random.js';
import { ARMY, COAST, NO_UNIT, unitType } from '../../engine/rules/types.js';

const map = standard;

/** Returns true in this percentage of calls. */
export const chance = (random: Random, percent: number): boolean => random.below(100) < percent;

export const pick = <T>(random: Random, list: ArrayLike<T>): T => list[random.below(list.length)];

/** True if a convoy can pass between a sea and a province: from fleet to fleet, or when an army embarks or lands. */
export const isNextToSea = (province: number, sea: number): boolean => testBit(map.seaNeighbours, province, sea) === 1;

/** Returns the provinces with units, ascending. */
export const provincesOf = (game: Game): number[] =>
  [...Array(map.provinceCount).keys()].filter((p) => game.unitAt(p) !== NO_UNIT);

/** Returns the provinces of fleets at sea without an order, in connected groups. */
const groupFleets = (provinces: readonly number[], chosen: Int32Array): number[][] => {
  const rest = new Set(provinces.filter((p) => chosen[p] === 0 && testBit(map.seas, 0, p) === 1));
  const groups: number[][] = [];
  for (const first of rest) {
    const group = [first];
    rest.delete(first);
    for (const sea of group)
      for (const next of rest)
        if (isNextToSea(sea, next)) {
          rest.delete(next);
          group.push(next);
        }
    groups.push(group);
  }
  return groups;
};

/**
 * Convoys a percentage of the armies that can be convoyed. Nine in ten fleets of the group convoy the army, if legal.
 */
export const orderConvoys = (game: Game, random: Random, chosen: Int32Array, percent: number): void => {
  const provinces = provincesOf(game);
  const groups = groupFleets(provinces, chosen);
  for (const army of provinces) {
    if (chosen[army] !== 0 || unitType(game.unitAt(army)) !== ARMY || map.kind[army] !== COAST) continue;
    if (!chance(random, percent)) continue;
    const group = groups.find((g) => g.some((sea) => isNextToSea(army, sea)) && g.every((sea) => chosen[sea] === 0));
    if (group === undefined) continue;
    const ends = [...Array(map.provinceCount).keys()].filter(
      (p) => p !== army && map.kind[p] === COAST && group.some((sea) => isNextToSea(p, sea)),
    );
    if (ends.length === 0) continue;
    const to = pick(random, ends);
    chosen[army] = O.moveVia(army, to);
    for (const sea of group) {
      const order = O.convoy(sea, army, to);
      if (chance(random, 90) && isLegal(game, order)) chosen[sea] = order;
    }
  }
};

/** Moves a percentage of the units, with a preference for occupied provinces. */
export const orderMoves = (game: Game, random: Random, chosen: Int32Array, percent: number): void => {
  for (const p of provincesOf(game)) {
    if (chosen[p] !== 0 || !chance(random, percent)) continue;
    const key = unitKey(game, p);
    const targets = map.moveTargets.subarray(map.moveOffsets[key], map.moveOffsets[key + 1]);
    if (targets.length === 0) continue;
    let to = pick(random, targets);
    if (game.unitAt(map.locationProvince[to]) === NO_UNIT) to = pick(random, targets);
    chosen[p] = O.move(game.unitLocation(p), to);
  }
};

/**
 * Gives supports to all units without an order: of the actual order of another unit within reach, or else a hold. A
 * support may be illegal: a fleet may support the army that needs it for its convoy.
 */
export const orderSupports = (game: Game, random: Random, chosen: Int32Array): void => {
  const provinces = provincesOf(game);
  for (const p of provinces.filter((province) => chosen[province] === 0)) {
    const at = game.unitLocation(p);
    const key = unitKey(game, p);
    const helpful: number[] = [];
    for (const q of provinces) {
      if (q === p) continue;
      const moves = O.orderType(chosen[q]) === O.MOVE;
      const to = moves ? map.locationProvince[O.orderTarget(chosen[q])] : q;
      if (to === p || testBit(map.reach, key, to) === 0) continue;
      helpful.push(moves ? O.supportMove(at, q, to) : O.supportHold(at, q));
    }
    chosen[p] = helpful.length > 0 ? pick(random, helpful) : O.hold(at);
  }
};

/** Convoys a third of the armies on coasts, moves half of the other units, and lets the rest support. */
export const orderDensely = (game: Game, random: Random, chosen: Int32Array): void => {
  orderConvoys(game, random, chosen, 35);
  orderMoves(game, random, chosen, 50);
  orderSupports(game, random, chosen);
};
