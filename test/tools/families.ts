// Makes families of order sets for the tests, each a stream fixed by a seed: positions on the standard map with one legal
// order for every unit. The first are those of the benchmark (bench/corpus/families.ts); the others are made to be hard:
//
//   scattered      12 to 34 units anywhere; uniform or dense
//   storm          seas full of fleets, coasts full of units: matched convoys over one another, attacks on the convoying
//                  fleets, supports of these from provinces where the convoys land, swaps and circles; a third of these
//                  with some orders blown away at random
//   knot           rings of one to four convoys, each landing on a unit that decides over the fleet of the next, with
//                  other units and orders scattered around
//
// In all families, one in four orders that have another notation uses it: a support names the coast that a fleet moves
// to, an army that an own fleet takes to a neighbouring province does not say VIA.

import {
  chance,
  isNextToSea,
  orderConvoys,
  orderDensely,
  orderMoves,
  orderSupports,
  pick,
} from '../../bench/corpus/dense-orders.js';
import { families as benchFamilies, type Family, type OrderSet } from '../../bench/corpus/families.js';
import { unitKey } from '../../engine/legal/lists.js';
import { standard } from '../../engine/map/standard.js';
import { Game, resetGame } from '../../engine/position/game.js';
import { testBit } from '../../engine/rules/bitset.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import * as O from '../../engine/rules/order.js';
import { Random } from '../../engine/rules/random.js';
import * as T from '../../engine/rules/types.js';
import { legalLists, placeOf } from './legal-orders.js';

const map = standard;

const provincesOfKind = (kind: number): number[] =>
  [...map.kind.keys()].filter((p) => p < map.provinceCount && map.kind[p] === kind);
const lands = provincesOfKind(T.LAND);
const coasts = provincesOfKind(T.COAST);
const seas = provincesOfKind(T.SEA);

/** A list in a random order. */
export const shuffled = <Item>(random: Random, list: readonly Item[]): Item[] => {
  const out = [...list];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
};

/** The legal orders of a position, listed once, and the orders that are being chosen from them. */
class Draft {
  readonly game = new Game(map, DATC_3_2);
  /** By province: the chosen order, 0 while there is none. */
  readonly chosen = new Int32Array(T.MAX_LOCATIONS);
  /** Orders that the position was made for, legal or not. */
  wanted: O.Order[] = [];
  private lists: ReadonlyMap<number, Int32Array> = new Map();

  /** Lists the legal orders of the position that the game has now. */
  begin(): void {
    this.lists = new Map(legalLists(this.game).map((orders) => [placeOf(this.game, orders[0]), orders]));
    this.chosen.fill(0);
  }

  isFree(province: number): boolean {
    return this.lists.has(province) && this.chosen[province] === 0;
  }

  /** Provinces whose unit has no order yet. */
  free(): number[] {
    return [...this.lists.keys()].filter((province) => this.isFree(province));
  }

  legal(province: number): Int32Array {
    return this.lists.get(province) ?? new Int32Array(0);
  }

  /** Chooses an order if it is legal and its unit has none; says whether it did. */
  choose(order: O.Order): boolean {
    const province = map.locationProvince[O.orderLocation(order)];
    if (!this.isFree(province) || !this.legal(province).includes(order)) return false;
    this.chosen[province] = order;
    return true;
  }

  /** The orders by ascending province: holds for units that have none, or one that is not legal. */
  finish(): OrderSet {
    const orders = Int32Array.from(this.lists, ([province, legal]) =>
      legal.includes(this.chosen[province]) ? this.chosen[province] : O.hold(this.at(province)),
    );
    return { game: this.game, orders, count: orders.length };
  }

  isFleet(province: number): boolean {
    return T.unitType(this.game.unitAt(province)) === T.FLEET;
  }
  isArmy(province: number): boolean {
    return this.game.unitAt(province) !== T.NO_UNIT && !this.isFleet(province);
  }
  at(province: number): number {
    return this.game.unitLocation(province);
  }
}

// ---- ways to order ----

const targetOf = (order: O.Order): number => map.locationProvince[O.orderTarget(order)];

const orderUniform = (draft: Draft, random: Random): void => {
  for (const province of draft.free()) draft.choose(pick(random, draft.legal(province)));
};

const pickOf = (draft: Draft, random: Random, province: number, test: (order: O.Order) => boolean): O.Order => {
  const fitting = draft.legal(province).filter(test);
  return fitting.length === 0 ? 0 : pick(random, fitting);
};

const isMove = (order: O.Order): boolean => O.orderType(order) === O.MOVE;
const isLandMove = (order: O.Order): boolean => O.orderType(order) === O.MOVE && O.orderVia(order) === 0;

/** By province: the seas at it. Fleets from one to the other, or an army is taken up or landed: one of the two is a sea. */
const neighbours: readonly (readonly number[])[] = [...Array(map.provinceCount).keys()].map((p) =>
  seas.filter((sea) => isNextToSea(p, sea)),
);
// ---- storms ----

/** A way over fleets without orders: an army, and the seas it passes. */
const findRoute = (draft: Draft, random: Random, army: number, length: number): number[] => {
  const route: number[] = [];
  for (let from = army; route.length < length; from = route[route.length - 1]) {
    const next = neighbours[from].filter((sea) => draft.isFree(sea) && !route.includes(sea));
    if (next.length === 0) break;
    route.push(pick(random, next));
  }
  return route;
};

/** Coasts whose unit could act on one of these seas: an army that lands there may decide over its own convoy. */
const hostsOf = (draft: Draft, ends: readonly number[], at: ReadonlySet<number>): number[] =>
  ends.filter((c) => draft.isFree(c) && draft.legal(c).some((order) => isLandMove(order) && at.has(targetOf(order))));

/** Convoys by single routes, mostly onto units that could meddle with convoys; now and then a fleet too many or too few. */
const stormConvoys = (draft: Draft, random: Random): void => {
  const convoying = new Set<number>();
  const hosts = new Set<number>();
  const armies = draft.free().filter((p) => draft.isArmy(p) && map.kind[p] === T.COAST);
  for (const army of shuffled(random, armies)) {
    if (!chance(random, hosts.has(army) ? 25 : 80)) continue;
    const route = findRoute(draft, random, army, 1 + random.below(3));
    if (route.length === 0) continue;
    const ends = coasts.filter((c) => c !== army && isNextToSea(c, route[route.length - 1]));
    const better = hostsOf(draft, ends, new Set([...convoying, ...route])).filter((c) => c !== army);
    const to = pick(random, better.length > 0 && chance(random, 85) ? better : ends);
    // Without VIA the army walks to a neighbouring province, if no own fleet carries it.
    if (!(chance(random, 12) && draft.choose(O.move(army, to))) && !draft.choose(O.moveVia(army, to))) continue;
    hosts.add(to);
    if (chance(random, 25)) route.push(pick(random, seas));
    for (const sea of route)
      if (chance(random, 95) && draft.choose(O.convoy(draft.at(sea), army, to))) convoying.add(sea);
  }
};

/** Provinces where armies are to land. */
const landingsOf = (draft: Draft): Set<number> => {
  const landings = new Set<number>();
  for (let p = 0; p < map.provinceCount; p++)
    if (isMove(draft.chosen[p]) && draft.isArmy(p)) landings.add(targetOf(draft.chosen[p]));
  return landings;
};

/** Attacks on fleets that convoy, by units that no army lands on: those are needed for the supports. */
const stormAttacks = (draft: Draft, random: Random): void => {
  const landings = landingsOf(draft);
  for (const sea of seas) {
    if (O.orderType(draft.chosen[sea]) !== O.CONVOY || !chance(random, 85)) continue;
    const attackers = draft
      .free()
      .filter((p) => draft.legal(p).includes(O.move(draft.at(p), sea)) && (!landings.has(p) || chance(random, 10)));
    const wanted = chance(random, 25) ? 2 : 1;
    for (const attacker of shuffled(random, attackers).slice(0, wanted)) draft.choose(O.move(draft.at(attacker), sea));
  }
};

/** True if the order helps or hinders a convoying fleet: supports its hold, or an attack on it. */
const meddles = (draft: Draft, order: O.Order): boolean => {
  const done = draft.chosen[O.orderHelped(order)];
  if (O.orderType(order) !== O.SUPPORT_MOVE)
    return O.orderType(order) === O.SUPPORT_HOLD && O.orderType(done) === O.CONVOY;
  const to = O.orderTarget(order);
  return (
    isLandMove(done) && targetOf(done) === to && to < map.provinceCount && O.orderType(draft.chosen[to]) === O.CONVOY
  );
};

/** Units where a convoyed army lands meddle with convoying fleets: what paradoxes are made of. */
const stormSupports = (draft: Draft, random: Random): void => {
  const landings = landingsOf(draft);
  for (const province of shuffled(random, draft.free())) {
    if (!chance(random, landings.has(province) ? 95 : 40)) continue;
    const supports = draft.legal(province).filter((order) => meddles(draft, order));
    const attacks = supports.filter((order) => O.orderType(order) === O.SUPPORT_MOVE);
    if (supports.length > 0) draft.choose(pick(random, attacks.length > 0 && chance(random, 60) ? attacks : supports));
  }
};

/** A circle of two (head to head, or a swap where one is convoyed) or more units that move into one another. */
const stormCircle = (draft: Draft, random: Random): void => {
  const free = draft.free();
  if (free.length === 0) return;
  const circle = [pick(random, free)];
  const size = 2 + random.below(4);
  const entry = (from: number, to: number): O.Order =>
    pickOf(draft, random, from, (order) => isLandMove(order) && targetOf(order) === to);
  while (circle.length < size) {
    const last = circle[circle.length - 1];
    const next = free.filter((p) => !circle.includes(p) && entry(last, p) !== 0);
    if (next.length === 0) break;
    circle.push(pick(random, next));
    if (circle.length > 1 && chance(random, 30) && entry(circle[circle.length - 1], circle[0]) !== 0) break;
  }
  for (const [i, from] of circle.entries()) {
    const order = entry(from, circle[(i + 1) % circle.length]);
    if (order !== 0) draft.choose(order);
  }
};

/** Some land moves become moves by convoy of the same army, if fleets can take it. */
const stormSwaps = (draft: Draft, random: Random): void => {
  for (let army = 0; army < map.provinceCount; army++) {
    if (!isLandMove(draft.chosen[army]) || !draft.isArmy(army) || !chance(random, 40)) continue;
    const to = targetOf(draft.chosen[army]);
    const ferry = neighbours[army].filter((sea) => isNextToSea(to, sea) && draft.isFree(sea));
    if (ferry.length === 0 || !draft.choose(O.convoy(draft.at(ferry[0]), army, to))) continue;
    if (chance(random, 60)) draft.chosen[army] = O.moveVia(army, to);
  }
};

const orderStorm = (draft: Draft, random: Random): void => {
  for (let i = random.below(2); i > 0; i--) stormCircle(draft, random);
  if (chance(random, 50)) stormSwaps(draft, random);
  stormConvoys(draft, random);
  stormAttacks(draft, random);
  stormSupports(draft, random);
  orderMoves(draft.game, random, draft.chosen, 35);
  orderSupports(draft.game, random, draft.chosen);
  if (chance(random, 67)) return;
  for (let p = 0; p < map.provinceCount; p++)
    if (draft.chosen[p] !== 0 && chance(random, 15)) draft.chosen[p] = pick(random, draft.legal(p));
};

// ---- positions ----

const clear = (game: Game): void => {
  resetGame(game);
  for (let p = 0; p < map.provinceCount; p++) game.removeUnit(p);
};

/** A random unit of one of some powers in a province, on a random coast. */
const place = (game: Game, random: Random, province: number, powers: readonly number[], fleets: number): void => {
  const kind = map.kind[province];
  const type = kind === T.SEA || (kind === T.COAST && chance(random, fleets)) ? T.FLEET : T.ARMY;
  const onCoast = type === T.FLEET && map.coastCount[province] > 0;
  const location = onCoast ? map.firstCoast[province] + random.below(map.coastCount[province]) : province;
  game.placeUnit(pick(random, powers), type, location);
};

/** Two powers to all: own units block, own supports do not count, own fleets show intent. */
const somePowers = (random: Random): number[] =>
  shuffled(random, [...Array(map.powerCount).keys()]).slice(0, 2 + random.below(map.powerCount - 1));

const scatter = (game: Game, random: Random): void => {
  clear(game);
  const powers = somePowers(random);
  const provinces = shuffled(random, [...lands, ...coasts, ...seas]).slice(0, 12 + random.below(23));
  for (const province of provinces) place(game, random, province, powers, 50);
};

const stormPosition = (game: Game, random: Random): void => {
  clear(game);
  const powers = somePowers(random);
  const atSea = shuffled(random, seas).slice(0, 8 + random.below(10));
  // Coasts near one another and near the fleets: what is far apart has nothing to do with each other.
  const near = coasts.filter((c) => atSea.some((sea) => isNextToSea(c, sea)));
  const onCoast = shuffled(random, near).slice(0, Math.min(34 - atSea.length, 8 + random.below(14)));
  for (const province of [...atSea, ...onCoast]) place(game, random, province, powers, 45);
};

/** Ways on from a sea: a coast at it, and another sea at that coast. */
const passages = (sea: number): [number, number][] =>
  coasts.filter((c) => isNextToSea(c, sea)).flatMap((c) => neighbours[c].map((next): [number, number] => [c, next]));

/** Seas, and between each and the next a coast that both touch: the host. Closed if it can be. */
const findRing = (random: Random, length: number): { seas: number[]; hosts: number[] } => {
  const ring = { seas: [pick(random, seas)], hosts: [] as number[] };
  while (ring.hosts.length < length) {
    const closing = ring.hosts.length === length - 1;
    const fits = ([host, next]: [number, number]): boolean =>
      !ring.hosts.includes(host) && (closing ? next === ring.seas[0] : !ring.seas.includes(next));
    const ways = passages(ring.seas[ring.seas.length - 1]).filter(fits);
    if (ways.length === 0) break;
    const [host, next] = pick(random, ways);
    ring.hosts.push(host);
    if (!closing) ring.seas.push(next);
  }
  return ring;
};

/** Where a fleet can stand that reaches the sea: locations of a province, all of its neighbours if none is given. */
const moorings = (sea: number, province = -1): number[] =>
  [...Array(map.locationCount).keys()].filter(
    (l) =>
      (province < 0 || map.locationProvince[l] === province) &&
      testBit(map.reach, map.locationCount + l, sea) === 1 &&
      (l >= map.provinceCount || (map.coastCount[l] === 0 && map.kind[l] !== T.LAND)),
  );

/**
 * A ring of convoys. The fleet in each sea takes an army to the host; the host supports an attack on the fleet of the
 * next sea, or its hold. With one sea this is the plain paradox, with more those of higher order (6.F.14 to 6.F.28).
 */
const tieKnot = (game: Game, random: Random, wanted: O.Order[]): void => {
  const ring = findRing(random, 1 + random.below(4));
  const reserved = [...ring.seas, ...ring.hosts];
  const isEmpty = (l: number): boolean => game.unitAt(map.locationProvince[l]) === T.NO_UNIT;
  const flag = (): number => random.below(map.powerCount);
  /** A unit in one of these locations, mostly of another power than that; -1 if none is free. */
  const put = (locations: readonly number[], type: T.UnitType, not = -1): number => {
    const free = locations.filter(isEmpty);
    if (free.length === 0) return -1;
    const location = pick(random, free);
    const power = flag();
    const changed = power === not && chance(random, 90) ? (power + 1) % map.powerCount : power;
    game.placeUnit(changed, type, location);
    return location;
  };
  const open = (locations: readonly number[]): number[] =>
    locations.filter((l) => !reserved.includes(map.locationProvince[l]));
  for (const [i, sea] of ring.seas.entries()) {
    const before = ring.hosts[(i + ring.hosts.length - 1) % ring.hosts.length];
    const decider = before === undefined ? -1 : put(moorings(sea, before), T.FLEET);
    if (put([sea], T.FLEET) < 0) continue;
    const fleetPower = T.unitPower(game.unitAt(sea));
    const attacker = put(open(moorings(sea)), T.FLEET, fleetPower);
    if (attacker < 0) continue;
    const from = map.locationProvince[attacker];
    wanted.push(O.move(attacker, sea));
    // With its help the attack is only just strong enough; or its help is only just enough against two.
    const decidesAttack = chance(random, 60);
    if (decider >= 0) wanted.push(decidesAttack ? O.supportMove(decider, from, sea) : O.supportHold(decider, sea));
    const helped = chance(random, decidesAttack ? 10 : 90);
    const helper = helped ? put(open(moorings(sea)), T.FLEET, fleetPower) : -1;
    if (helper >= 0) wanted.push(O.supportMove(helper, from, sea));
    const host = ring.hosts[i];
    const shore = coasts.filter((c) => isNextToSea(c, sea));
    const hostPower = host === undefined ? -1 : T.unitPower(game.unitAt(host));
    const army = host === undefined ? -1 : put(open(shore), T.ARMY, hostPower);
    if (army >= 0) wanted.push(O.moveVia(army, host), O.convoy(sea, army, host));
    const second = army >= 0 && chance(random, 20) ? put(open(moorings(host)), T.FLEET) : -1;
    if (second >= 0) wanted.push(O.supportMove(second, army, host));
  }
};

/** One or two knots, and some units beside them. */
const tieKnots = (game: Game, random: Random, wanted: O.Order[]): void => {
  clear(game);
  for (let i = 1 + random.below(3); i > 0; i--) tieKnot(game, random, wanted);
  const empty = [...coasts, ...seas].filter((p) => game.unitAt(p) === T.NO_UNIT);
  const powers = somePowers(random);
  for (const province of shuffled(random, empty).slice(0, random.below(10))) place(game, random, province, powers, 50);
  const crowd = [...lands, ...coasts, ...seas].filter((p) => game.unitAt(p) !== T.NO_UNIT);
  for (const province of crowd.slice(34)) game.removeUnit(province);
};

const orderKnots = (draft: Draft, random: Random): void => {
  for (const order of draft.wanted) if (chance(random, 99)) draft.choose(order);
  if (chance(random, 30)) stormCircle(draft, random);
  if (chance(random, 50)) orderConvoys(draft.game, random, draft.chosen, 35);
  orderMoves(draft.game, random, draft.chosen, 40);
  orderSupports(draft.game, random, draft.chosen);
};

// ---- the families ----

/** True if a fleet of the same power is ordered to take the army there: then the army goes by convoy, VIA or not. */
const isCarriedByOwn = (set: OrderSet, army: number, to: number): boolean =>
  set.orders.some((order) => {
    const carries = O.orderType(order) === O.CONVOY && O.orderHelped(order) === army && O.orderTarget(order) === to;
    const powerAt = (province: number): number => T.unitPower(set.game.unitAt(province));
    return carries && powerAt(placeOf(set.game, order)) === powerAt(army);
  });

/** The order in other words: a support names the coast that the move names, or a move next door leaves its VIA out. */
const reword = (set: OrderSet, order: O.Order, helped: O.Order): O.Order => {
  const type = O.orderType(order);
  if (type === O.SUPPORT_MOVE && O.orderType(helped) === O.MOVE && targetOf(helped) === O.orderTarget(order))
    return O.withTarget(order, O.orderTarget(helped));
  if (type !== O.MOVE || O.orderVia(order) === 0) return order;
  const army = map.locationProvince[O.orderLocation(order)];
  const isNextDoor = testBit(map.reach, unitKey(set.game, army), O.orderTarget(order)) === 1;
  return isNextDoor && isCarriedByOwn(set, army, O.orderTarget(order)) ? O.move(army, O.orderTarget(order)) : order;
};

/** The same family with one order in four reworded. */
const reworded = ({ name, open }: Family): Family => ({
  name,
  open: (seed) => {
    const next = open(seed);
    const random = new Random(seed, 100);
    return () => {
      const { game, orders, count } = next();
      const set = { game, orders: orders.slice(0, count), count };
      const byProvince = new Map(Array.from(set.orders, (order) => [placeOf(game, order), order]));
      const other = (order: O.Order): O.Order => reword(set, order, byProvince.get(O.orderHelped(order)) ?? O.NONE);
      return { ...set, orders: set.orders.map((order) => (chance(random, 25) ? other(order) : order)) };
    };
  },
});

type Position = (game: Game, random: Random, wanted: O.Order[]) => void;
type Ordering = (draft: Draft, random: Random) => void;

const family = (name: string, sub: number, position: Position, order: Ordering): Family => ({
  name,
  open: (seed) => {
    const random = new Random(seed, sub);
    const draft = new Draft();
    return () => {
      draft.wanted = [];
      position(draft.game, random, draft.wanted);
      draft.begin();
      order(draft, random);
      return draft.finish();
    };
  },
});

const orderScattered: Ordering = (draft, random) => {
  if (chance(random, 20)) orderUniform(draft, random);
  else orderDensely(draft.game, random, draft.chosen);
};

export const families: readonly Family[] = [
  ...benchFamilies,
  family('scattered', 5, scatter, orderScattered),
  family('storm', 6, stormPosition, orderStorm),
  family('knot', 7, tieKnots, orderKnots),
].map(reworded);
