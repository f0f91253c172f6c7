// Orders that match one another: convoys with the armies that they carry, and supports of what other units really do.
// Each function orders units that have no order yet, and writes to `chosen`: by province, 0 for none so far.
import { testBit } from '../../engine/bitset.js';
import { isLegal, unitKey } from '../../engine/legal/lists.js';
import { standard } from '../../engine/map/standard.js';
import * as O from '../../engine/order.js';
import type { Random } from '../../engine/random.js';
import type { Game } from '../../engine/state.js';
import { ARMY, COAST, NO_UNIT, unitType } from '../../engine/types.js';

const map = standard;

/** True in so many of a hundred draws. */
export const chance = (random: Random, percent: number): boolean => random.below(100) < percent;

export const pick = <T>(random: Random, list: ArrayLike<T>): T => list[random.below(list.length)];

/** Fleets pass from one to the other, or an army embarks or lands: `sea` is a sea, the province may be a coast. */
export const isNextToSea = (province: number, sea: number): boolean => testBit(map.seaNeighbours, province, sea) === 1;

/** Provinces with units, ascending. */
export const provincesOf = (game: Game): number[] =>
  [...Array(map.provinceCount).keys()].filter((p) => game.unitAt(p) !== NO_UNIT);

/** Fleets at sea without an order, in groups that hang together. */
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

/** So many of a hundred armies that can go by convoy do; nine in ten fleets of the group carry it, where that is legal. */
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

/** So many of a hundred units move, rather to where another unit is. */
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
 * Whoever is left supports what another unit within reach really does, or holds. Not every support is legal: a fleet may
 * support the army that needs it for its convoy.
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

/** A third of the armies on coasts goes by convoy, half of the other units move, the rest supports. */
export const orderDensely = (game: Game, random: Random, chosen: Int32Array): void => {
  orderConvoys(game, random, chosen, 35);
  orderMoves(game, random, chosen, 50);
  orderSupports(game, random, chosen);
};
