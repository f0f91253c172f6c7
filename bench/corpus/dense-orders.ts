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

/** Returns true with the given probability, in percent. */
export const chance = (random: Random, percent: number): boolean => random.below(100) < percent;

export const pick = <T>(random: Random, list: ArrayLike<T>): T => list[random.below(list.length)];

/** True if a convoy can pass between a province and a sea: from fleet to fleet, or when an army embarks or lands. */
export const isNextToSea = (province: number, sea: number): boolean => testBit(map.seaNeighbours, province, sea) === 1;

/** Returns the provinces with units, ascending. */
export const provincesOf = (game: Game): number[] =>
  [...Array(map.provinceCount).keys()].filter((p) => game.unitAt(p) !== NO_UNIT);

/**
 * Returns the provinces of fleets at sea that have no order, in groups of adjacent seas.
 * @param chosen packed orders by province, 0 for none
 */
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
 * Gives convoy orders to a percentage of the armies that can be convoyed, and to nine in ten fleets of the group of
 * fleets next to the army, if legal. Writes the orders to `chosen`, for units that have none there.
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

/**
 * Gives moves to a percentage of the units without an order, preferably into occupied provinces. Writes them to
 * `chosen`.
 */
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
 * Gives an order to every unit that has none in `chosen`: the support of another unit's order in `chosen` within reach,
 * or a hold if there is none. A support may be illegal: a fleet may support the army that needs it for its convoy.
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

/**
 * Gives orders to all units and writes them to `chosen`, where all must be 0: convoys to a third of the armies on
 * coasts, moves to half of the other units, supports or holds to the rest.
 */
export const orderDensely = (game: Game, random: Random, chosen: Int32Array): void => {
  orderConvoys(game, random, chosen, 35);
  orderMoves(game, random, chosen, 50);
  orderSupports(game, random, chosen);
};
