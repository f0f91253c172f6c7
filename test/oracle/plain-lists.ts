// The legal orders of a unit in a movement phase, as plainly as they can be listed: province by province and unit by unit,
// with the routes of routes.ts found each time. The fast lists, counts and draws of the engine (engine/legal/movement.ts)
// are held to this one, order by order; what is legal is told once more, from the rows of the map as text, in
// test/engine/legal.test.ts.
import { testBit } from '../../engine/bitset.js';
import { unitKey } from '../../engine/legal/lists.js';
import {
  addFleet,
  beginRoutes,
  findRoutes,
  routeReach,
  routeReachWith,
  routeReachWithout,
} from '../../engine/legal/routes.js';
import * as O from '../../engine/order.js';
import type { Game } from '../../engine/state.js';
import { FLEET, NO_UNIT, type Province, unitType } from '../../engine/types.js';

const hasUnit = (game: Game, p: Province): boolean => game.unitAt(p) !== NO_UNIT;
const isFleet = (game: Game, p: Province): boolean => hasUnit(game, p) && unitType(game.unitAt(p)) === FLEET;
const isFleetAtSea = (game: Game, p: Province): boolean => isFleet(game, p) && testBit(game.map.seas, 0, p) === 1;
const isArmy = (game: Game, p: Province): boolean => hasUnit(game, p) && !isFleet(game, p);

const provincesOf = (game: Game): Province[] => [...Array(game.map.provinceCount).keys()];
const canMove = (game: Game, from: Province, to: Province): boolean =>
  testBit(game.map.reach, unitKey(game, from), to) === 1;

/** Where an army can be convoyed; with a fleet in its route, or without it. */
interface Routes {
  readonly to: ReadonlySet<Province>;
  readonly over: (fleet: Province) => Province[];
  readonly without: (fleet: Province) => ReadonlySet<Province>;
}

const routesOf = (game: Game, army: Province): Routes => {
  const provinces = provincesOf(game);
  beginRoutes(game.map);
  for (const p of provinces) if (isFleetAtSea(game, p)) addFleet(p);
  findRoutes(army);
  const has = (word: number, p: Province): boolean => ((word >>> (p & 31)) & 1) === 1;
  const to = provinces.filter((p) => has(routeReach(army, p >> 5), p));
  const over = new Map<Province, Province[]>();
  const without = new Map<Province, ReadonlySet<Province>>();
  // Only where there is a route do the others say anything.
  for (const fleet of provinces.filter((p) => isFleetAtSea(game, p))) {
    over.set(
      fleet,
      to.filter((p) => has(routeReachWith(army, fleet, p >> 5), p)),
    );
    without.set(fleet, new Set(to.filter((p) => has(routeReachWithout(army, fleet, p >> 5), p))));
  }
  return {
    to: new Set(to),
    over: (fleet) => over.get(fleet) ?? [],
    without: (fleet) => without.get(fleet) ?? new Set(),
  };
};

const ownOrders = (game: Game, province: Province): O.Order[] => {
  const { map } = game;
  const key = unitKey(game, province);
  const at = game.unitLocation(province);
  const moves = [...map.moveTargets.subarray(map.moveOffsets[key], map.moveOffsets[key + 1])];
  return [O.hold(at), ...moves.map((to) => O.move(at, to))];
};

const supports = (game: Game, province: Province, armies: ReadonlyMap<Province, Routes>): O.Order[] => {
  const at = game.unitLocation(province);
  const found: O.Order[] = [];
  for (const to of provincesOf(game)) {
    if (!canMove(game, province, to)) continue;
    if (hasUnit(game, to)) found.push(O.supportHold(at, to));
    for (const helped of provincesOf(game)) {
      if (helped === province || !hasUnit(game, helped)) continue;
      const routes = armies.get(helped);
      // A fleet at sea supports no army that needs it for its convoy.
      const convoyed = isFleetAtSea(game, province) ? routes?.without(province) : routes?.to;
      if (canMove(game, helped, to) || convoyed?.has(to)) found.push(O.supportMove(at, helped, to));
    }
  }
  return found;
};

/** Legal orders of the units of a position, in the order of allLegalOrders(): a list for each province with a unit. */
export const plainLists = (game: Game): Map<Province, O.Order[]> => {
  const armies = new Map<Province, Routes>();
  for (const p of provincesOf(game)) if (isArmy(game, p)) armies.set(p, routesOf(game, p));
  const lists = new Map<Province, O.Order[]>();
  for (const p of provincesOf(game)) {
    if (!hasUnit(game, p)) continue;
    const vias = [...(armies.get(p)?.to ?? [])].map((to) => O.moveVia(p, to));
    const convoys = isFleetAtSea(game, p)
      ? [...armies].flatMap(([army, { over }]) => over(p).map((to) => O.convoy(p, army, to)))
      : [];
    lists.set(p, [...ownOrders(game, p), ...vias, ...supports(game, p, armies), ...convoys]);
  }
  return lists;
};
