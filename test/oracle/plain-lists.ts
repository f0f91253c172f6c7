// The legal orders of a unit in a movement phase, as plainly as they can be listed: province by province and unit by unit,
// with the routes of routes.ts found each time. The fast lists, counts and draws of the engine (engine/legal/movement.ts)
// are held to this one, order by order; what is legal is told once more, from the rows of the map as text, in
// test/engine/legal/legal.test.ts.

import { unitKey } from '../../engine/legal/lists.js';
import { routesOf as fleetRoutesOf } from '../../engine/legal/routes.js';
import type { Game } from '../../engine/position/game.js';
import { testBit } from '../../engine/rules/bitset.js';
import * as O from '../../engine/rules/order.js';
import { FALL, FLEET, type Location, NO_UNIT, type Province, unitPower, unitType } from '../../engine/rules/types.js';

const hasUnit = (game: Game, p: Province): boolean => game.unitAt(p) !== NO_UNIT;
const isFleet = (game: Game, p: Province): boolean => hasUnit(game, p) && unitType(game.unitAt(p)) === FLEET;
const isFleetAtSea = (game: Game, p: Province): boolean =>
  isFleet(game, p) && testBit(game.map.seas, 0, p) === 1 && !isClosed(game, p);
/** By ice, in fall. */
const isClosed = ({ map, season }: Game, p: Province): boolean =>
  map.special !== null && season === FALL && testBit(map.special.ice, 0, p) === 1;
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
  const at = (fleet: Province): Location => game.unitLocation(fleet);
  const routes = fleetRoutesOf(game.map);
  routes.begin();
  for (const p of provinces) if (isFleetAtSea(game, p)) routes.addFleet(game.unitLocation(p));
  routes.find(army);
  const has = (word: number, p: Province): boolean => ((word >>> (p & 31)) & 1) === 1;
  const to = provinces.filter((p) => has(routes.to(army, p >> 5), p));
  const over = new Map<Province, Province[]>();
  const without = new Map<Province, ReadonlySet<Province>>();
  // Only where there is a route do the others say anything.
  for (const fleet of provinces.filter((p) => isFleetAtSea(game, p))) {
    over.set(
      fleet,
      to.filter((p) => has(routes.toWith(army, at(fleet), p >> 5), p)),
    );
    without.set(fleet, new Set(to.filter((p) => has(routes.toWithout(army, at(fleet), p >> 5), p))));
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
      ? [...armies].flatMap(([army, { over }]) => over(p).map((to) => O.convoy(game.unitLocation(p), army, to)))
      : [];
    const orders = [...ownOrders(game, p), ...vias, ...supports(game, p, armies), ...convoys];
    lists.set(p, game.map.special === null ? orders : withSpecial(game, p, orders));
  }
  return lists;
};

// ---- maps with rules of their own ----

/** Where a unit could move to although its own reach leaves it out: by railroad, over a difficult border, by canal. */
const specialTargets = (game: Game, from: Province): Province[] => {
  const { special } = game.map;
  if (special === null) return [];
  const rides =
    isArmy(game, from) && special.line.includes(from) && unitPower(game.unitAt(from)) === special.railPower
      ? special.line
      : [];
  const crossings = isArmy(game, from)
    ? provincesOf(game).filter((p) => testBit(special.difficult, from, p) === 1)
    : [];
  const passages = isFleet(game, from) && special.canal.includes(from) ? special.canal : [];
  return [...rides, ...crossings, ...passages].filter((to) => to !== from).sort((a, b) => a - b);
};

/** Without what ice forbids; then rides, then supports of special moves. */
const withSpecial = (game: Game, p: Province, orders: readonly O.Order[]): O.Order[] => {
  const { map } = game;
  const line = map.special?.line ?? [];
  if (isClosed(game, p)) return [O.hold(p)];
  const isBarred = (order: O.Order): boolean => {
    if (O.orderType(order) === O.HOLD) return false;
    const helped = O.orderType(order) === O.SUPPORT_MOVE ? O.orderHelped(order) : p;
    return isClosed(game, map.locationProvince[O.orderTarget(order)]) || isClosed(game, helped);
  };
  const found = orders.filter((order) => !isBarred(order));
  if (specialTargets(game, p).some((to) => line.includes(to)) && line.includes(p))
    found.push(...line.filter((to) => to !== p).map((to) => O.rail(p, to)));
  for (const from of provincesOf(game))
    for (const to of from === p || !hasUnit(game, from) ? [] : specialTargets(game, from)) {
      const support = O.supportMove(game.unitLocation(p), from, to);
      if (to !== p && canMove(game, p, to) && !found.includes(support)) found.push(support);
    }
  return found;
};
