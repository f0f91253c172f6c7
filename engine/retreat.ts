// Plays the retreat phase: moves units that retreat alone and disbands those that meet another.
import { DISBAND, disband, orderLocation, orderTarget, orderType, RETREAT_TO } from './order.js';
import type { Results } from './results.js';
import type { Game } from './state.js';
import { FAILS, MAX_LOCATIONS, SUCCEEDS, unitPower, unitType } from './types.js';

/** Retreats into a province, by province. */
const arrivals = new Int32Array(MAX_LOCATIONS);

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
    const order = results.order[game.dislodged(i).province];
    if (orderType(order) === RETREAT_TO) arrivals[map.locationProvince[orderTarget(order)]]++;
  }
  for (let i = 0; i < game.dislodgedCount; i++) {
    const { province, unit } = game.dislodged(i);
    const order = results.order[province];
    if (orderType(order) !== RETREAT_TO || arrivals[map.locationProvince[orderTarget(order)]] > 1) continue;
    results.result[province] = SUCCEEDS;
    game.placeUnit(unitPower(unit), unitType(unit), orderTarget(order));
  }
  game.clearRetreats();
};
