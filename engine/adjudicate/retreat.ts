// Plays the retreat phase: moves units that retreat alone and disbands those that meet another.

import type { SpecialTables } from '../map/compiled-map.js';
import type { Game } from '../position/game.js';
import { testBit } from '../rules/bitset.js';
import { DISBAND, disband, orderLocation, orderTarget, orderType, RETREAT_TO } from '../rules/order.js';
import type { Results } from '../rules/results.js';
import { FAILS, FLEET, MAX_LOCATIONS, type Province, SUCCEEDS, unitPower, unitType } from '../rules/types.js';

/** Retreats into a province, by province: ORDINARY for each, but CROSSING for an army over a difficult border. */
const arrivals = new Int32Array(MAX_LOCATIONS);
const CROSSING = 1;
export const ORDINARY = 256;

/** What the retreat of an army counts for. */
export const weightOfRetreat = ({ difficult }: SpecialTables, from: Province, to: Province): number =>
  testBit(difficult, from, to) === 1 ? CROSSING : ORDINARY;

const weightOf = ({ map: { special } }: Game, from: Province, unit: number, to: Province): number =>
  special === null || unitType(unit) === FLEET ? ORDINARY : weightOfRetreat(special, from, to);

/** One ordinary retreat, or one crossing where nobody else comes (DATC 2.4, case 10.K). */
export const getsIn = (weight: number, all: number): boolean =>
  weight === CROSSING ? all === CROSSING : all < 2 * ORDINARY;

/**
 * Plays the retreats. Units that retreat to the same province are all disbanded, and so is a unit without an order.
 * Clears the dislodged units and contested provinces of the game.
 */
export const adjudicateRetreats = (game: Game, orders: Int32Array, count: number, results: Results): void => {
  const { map } = game;
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { province, unit, location } = game.dislodged(i);
    results.unit[province] = unit;
    results.order[province] = disband(location);
    results.result[province] = FAILS;
  }
  for (let i = 0; i < count; i++) {
    const province = map.locationProvince[orderLocation(orders[i])];
    results.order[province] = orders[i];
    if (orderType(orders[i]) === DISBAND) results.result[province] = SUCCEEDS;
  }
  arrivals.fill(0, 0, map.provinceCount);
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { province, unit } = game.dislodged(i);
    const order = results.order[province];
    if (orderType(order) !== RETREAT_TO) continue;
    const to = map.locationProvince[orderTarget(order)];
    arrivals[to] += weightOf(game, province, unit, to);
  }
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { province, unit } = game.dislodged(i);
    const order = results.order[province];
    if (orderType(order) !== RETREAT_TO) continue;
    const to = map.locationProvince[orderTarget(order)];
    if (!getsIn(weightOf(game, province, unit, to), arrivals[to])) continue;
    results.result[province] = SUCCEEDS;
    game.placeUnit(unitPower(unit), unitType(unit), orderTarget(order));
  }
  game.clearRetreats();
};
