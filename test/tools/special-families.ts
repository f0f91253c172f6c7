// Makes families of order sets near the special places of maps with rules of their own: positions that are crowded there,
// and orders that match one another, each a stream fixed by a seed.
//
//   railroad     the line of colonial and its neighbours; at times two trains, or a lost centre
//   canal        the canal of colonial and what controls it; leave in two sets of five
//   rotation     both, and what lies between
//   ice          around the ice of loeb9, in spring and fall
//   border       the difficult borders of loeb9, and two more that join them
//   coasts       fleets that convoy from coasts of the standard map
//   berths       the same with provinces that have coasts of their own
import { chance, pick } from '../../bench/corpus/dense-orders.js';
import type { Family, OrderSet } from '../../bench/corpus/families.js';
import type { CompiledMap } from '../../engine/map/compiled-map.js';
import { loadMap } from '../../engine/map/index.js';
import { Game } from '../../engine/position/game.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import * as O from '../../engine/rules/order.js';
import { Random } from '../../engine/rules/random.js';
import { FALL, FLEET, LAND, NO_UNIT, SEA, SPRING } from '../../engine/rules/types.js';
import { shuffled } from './families.js';
import { legalLists } from './legal-orders.js';

export interface SpecialFamily extends Family {
  readonly map: CompiledMap;
  /** The map without the option that the family is about. */
  readonly without: CompiledMap;
}

interface Plan {
  readonly name: string;
  readonly map: string;
  readonly without: string;
  /** Provinces, and how far around them units are placed. */
  readonly places: string;
  readonly around: number;
  /** Of 100 provinces there, how many have a unit. */
  readonly crowd: number;
  /** Powers, the first as often as all others together. */
  readonly powers: string;
}

const BORDERS = 'armyBorders=SIC-TUN,difficult=SIC-TUN+TUN-NAF';
const plans: readonly Plan[] = [
  {
    name: 'railroad',
    map: 'colonial,tsr',
    without: 'colonial',
    places: 'MOS PRM OMS KRA IRK VLA',
    around: 1,
    crowd: 55,
    powers: 'RUSSIA CHINA BRITAIN TURKEY',
  },
  {
    name: 'canal',
    map: 'colonial,suez',
    without: 'colonial',
    places: 'MED RED EGY',
    around: 1,
    crowd: 70,
    powers: 'TURKEY RUSSIA BRITAIN',
  },
  {
    name: 'rotation',
    map: 'colonial,tsr,suez',
    without: 'colonial',
    places: 'MED RED EGY MOS PRM OMS KRA IRK VLA ARM BAK',
    around: 1,
    crowd: 45,
    powers: 'RUSSIA TURKEY BRITAIN CHINA',
  },
  {
    name: 'ice',
    map: 'loeb9',
    without: 'loeb9,ice=no',
    places: 'ARC',
    around: 2,
    crowd: 60,
    powers: 'RUSSIA ENGLAND NORWAY',
  },
  {
    name: 'border',
    map: `loeb9,${BORDERS}`,
    without: 'loeb9,armyBorders=SIC-TUN,difficult=no',
    places: 'NAP SIC COR NAF TUN',
    around: 1,
    crowd: 75,
    powers: 'ITALY SPAIN TURKEY FRANCE',
  },
  {
    name: 'coasts',
    map: 'standard,convoyable=BER+DEN+FIN+KIE+NWY+SWE,fleetBorders=BER-DEN',
    without: 'standard,fleetBorders=BER-DEN',
    places: 'BAL BOT SKA DEN SWE',
    around: 1,
    crowd: 70,
    powers: 'GERMANY RUSSIA ENGLAND',
  },
  {
    name: 'berths',
    map: 'standard,convoyable=BUL+CON+GAS+MAR+POR+RUM+SPA,fleetBorders=GAS-SPA/SC',
    without: 'standard,fleetBorders=GAS-SPA/SC',
    places: 'BUL SPA',
    around: 2,
    crowd: 60,
    powers: 'TURKEY FRANCE ITALY',
  },
];

/** Puts units around the places. */
const placeUnits = (game: Game, plan: Plan, random: Random): void => {
  const { map } = game;
  const places = plan.places.split(' ').map((tag) => map.provinceTags.indexOf(tag));
  const powers = plan.powers.split(' ').map((name) => map.powerNames.indexOf(name));
  for (let p = 0; p < map.provinceCount; p++) {
    const away = Math.min(...places.map((place) => map.distance[place * map.provinceCount + p]));
    if (away > plan.around || !chance(random, plan.crowd)) continue;
    const fleet = map.kind[p] === SEA || (map.kind[p] !== LAND && chance(random, 45));
    const coasts = map.coastCount[p];
    const location = fleet && coasts > 0 ? map.firstCoast[p] + random.below(coasts) : p;
    game.placeUnit(chance(random, 50) ? powers[0] : pick(random, powers), fleet ? FLEET : 0, location);
  }
};

/** True if the order helps one that was chosen. */
const matches = (order: O.Order, chosen: Int32Array, provinceOf: Uint8Array): boolean => {
  const helped = chosen[O.orderHelped(order)];
  const type = O.orderType(order);
  if (type === O.SUPPORT_HOLD) return helped !== 0 && ![O.MOVE, O.RAIL].includes(O.orderType(helped) as 2 | 7);
  if (type !== O.SUPPORT_MOVE && type !== O.CONVOY) return false;
  return (
    [O.MOVE, O.RAIL].includes(O.orderType(helped) as 2 | 7) &&
    provinceOf[O.orderTarget(helped)] === O.orderTarget(order)
  );
};

/** Moves first, rides and moves by convoy more often than others; then orders that match these, or any. */
const chooseOrders = (game: Game, random: Random): Int32Array => {
  const { map } = game;
  const chosen = new Int32Array(256);
  const put = (options: ArrayLike<O.Order>): void => {
    const one = pick(random, options);
    chosen[map.locationProvince[O.orderLocation(one)]] = one;
  };
  let trains = 0;
  const late = shuffled(random, legalLists(game)).filter((orders) => {
    if (!chance(random, 52)) return true;
    const rides = orders.filter((one) => O.orderType(one) === O.RAIL);
    const vias = orders.filter((one) => O.orderVia(one) === 1);
    const moves = orders.filter((one) => O.orderType(one) === O.MOVE && O.orderVia(one) === 0);
    if (rides.length > 0 && chance(random, trains === 0 ? 75 : 4)) {
      trains++;
      put(rides);
    } else if (vias.length > 0 && chance(random, 60)) put(vias);
    else if (moves.length > 0) put(moves);
    else return true;
    return false;
  });
  for (const orders of late) {
    const fitting = orders.filter((one) => matches(one, chosen, map.locationProvince));
    const convoys = fitting.filter((one) => O.orderType(one) === O.CONVOY);
    if (convoys.length > 0 && chance(random, 80)) put(convoys);
    else if (fitting.length > 0 && chance(random, 85)) put(fitting);
    else put(orders);
  }
  return chosen;
};

const openPlan = (plan: Plan, map: CompiledMap, seed: number): (() => OrderSet) => {
  const random = new Random(seed, map.id);
  const russia = map.powerNames.indexOf('RUSSIA');
  return () => {
    const game = new Game(map, DATC_3_2);
    game.year = 1901;
    game.season = plan.name === 'ice' && chance(random, 70) ? FALL : SPRING;
    placeUnits(game, plan, random);
    for (const p of map.special?.line ?? [])
      if (map.centerIndex[p] >= 0)
        game.setOwner(map.centerIndex[p], chance(random, 30) ? random.below(map.powerCount) : russia);
    const orders = chooseOrders(game, random);
    const control = map.special?.control ?? -1;
    if (control >= 0 && game.unitAt(control) !== NO_UNIT && chance(random, 40))
      orders[control] = O.withLeave(orders[control], 1 + random.below(2));
    const given = orders.filter((order) => order !== O.NONE);
    return { game, orders: given, count: given.length };
  };
};

export const specialFamilies: readonly SpecialFamily[] = plans.map((plan) => {
  const map = loadMap(plan.map);
  return { name: plan.name, map, without: loadMap(plan.without), open: (seed) => openPlan(plan, map, seed) };
});
