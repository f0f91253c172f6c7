// Builds, removals and civil disorder: the adjustment phase.
import { balance, builderAt } from './legal.js';
import { BUILD_ARMY, BUILD_FLEET, orderAux, orderLocation, orderType, REMOVE, remove, WAIVE } from './order.js';
import type { Results } from './results.js';
import type { Game } from './state.js';
import { ARMY, FLEET, MAX_POWERS, NO_UNIT, type Power, type Province, SUCCEEDS, unitPower, unitType } from './types.js';

/** Builds (> 0) or removals (< 0) that are still due, by power. */
const due = new Int32Array(MAX_POWERS);

const build = (game: Game, order: number, results: Results): void => {
  const location = orderLocation(order);
  const province = game.map.locationProvince[location];
  const power = builderAt(game, province);
  if (power < 0 || due[power] <= 0) return;
  due[power]--;
  game.placeUnit(power, orderType(order) === BUILD_FLEET ? FLEET : ARMY, location);
  results.unit[province] = game.unitAt(province);
  results.order[province] = order;
  results.result[province] = SUCCEEDS;
};

const removeUnit = (game: Game, province: Province, results: Results): void => {
  const unit = game.unitAt(province);
  if (unit === NO_UNIT || due[unitPower(unit)] >= 0) return;
  due[unitPower(unit)]++;
  results.unit[province] = unit;
  results.order[province] = remove(game.unitLocation(province));
  results.result[province] = SUCCEEDS;
  game.removeUnit(province);
};

/** Moves from a province to the nearest centre that the power owns; 255 if it owns none. */
const distanceToCenters = (game: Game, power: Power, province: Province): number => {
  const { map } = game;
  let least = 255;
  for (let c = 0; c < map.centerCount; c++) {
    if (game.owner(c) !== power) continue;
    const d = map.distance[province * map.provinceCount + map.centers[c]];
    if (d < least) least = d;
  }
  return least;
};

/**
 * The unit that civil disorder removes next from a power that has units: farthest from the centres it owns, then
 * fleets before armies, then by the alphabet of full names (2023 rules; DATC 4.D.8).
 */
export const civilDisorderRemoval = (game: Game, power: Power): Province => {
  const { map } = game;
  let chosen = -1;
  let best = -1;
  for (let p = 0; p < map.provinceCount; p++) {
    const unit = game.unitAt(p);
    if (unit === NO_UNIT || unitPower(unit) !== power) continue;
    // One number that sorts by distance, then fleet, then early in the alphabet.
    const rank = (distanceToCenters(game, power, p) * 2 + unitType(unit)) * 256 + (255 - map.alphabeticalRank[p]);
    if (rank <= best) continue;
    best = rank;
    chosen = p;
  }
  return chosen;
};

/**
 * Plays the builds and removals of an adjustment phase in the order given, first come first served; a build in a
 * centre that is taken, or beyond what is due, does nothing. Removals still due then fall to civil disorder.
 */
export const adjudicateAdjustments = (
  game: Game,
  orders: Int32Array,
  count: number,
  results: Results,
  balances?: Int32Array,
): void => {
  const { powerCount } = game.map;
  for (let q = 0; q < powerCount; q++) due[q] = balances === undefined ? balance(game, q) : balances[q];
  for (let i = 0; i < count; i++) {
    const order = orders[i];
    const type = orderType(order);
    if (type === BUILD_ARMY || type === BUILD_FLEET) build(game, order, results);
    else if (type === REMOVE) removeUnit(game, game.map.locationProvince[orderLocation(order)], results);
    else if (type === WAIVE && due[orderAux(order)] > 0) due[orderAux(order)]--;
  }
  for (let q = 0; q < powerCount; q++)
    while (due[q] < 0) {
      const province = civilDisorderRemoval(game, q);
      if (province < 0) break;
      removeUnit(game, province, results);
      results.civil[province] = 1;
    }
};
