// Tests legal orders by three sources that must agree: the lists, isLegal(), and a literal list made from the text rows of
// the map as DATC 3.2 says (3.C and issue 4.E.1), which shares no table with the engine. Counts and masks follow the lists.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import {
  countLegalOrders,
  findIllegal,
  isLegal,
  legalOrders,
  MAX_ORDERS_PER_PROVINCE,
} from '../../../engine/legal/lists.js';
import { hasOrders, legalByPower, ordererOf } from '../../../engine/legal/orderer.js';
import { legalMask, vocabulary } from '../../../engine/legal/vocabulary.js';
import type { MapRows } from '../../../engine/map/compiled-map.js';
import { loadMap } from '../../../engine/map/index.js';
import { standard } from '../../../engine/map/standard.js';
import { formatOrder, orderedUnits } from '../../../engine/notation/text/index.js';
import { type Game, newGame } from '../../../engine/position/game.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import * as O from '../../../engine/rules/order.js';
import { Random } from '../../../engine/rules/random.js';
import { makeResults } from '../../../engine/rules/results.js';
import * as T from '../../../engine/rules/types.js';
import { families } from '../../tools/families.js';
import { legalLists, placeOf, randomOrders, unitsIn as unitsOn } from '../../tools/legal-orders.js';

const counted = new Int32Array(257);

// ---- the literal list ----

type Names = ReadonlySet<string>;

/** Borders of a map by name: an army's by province, a fleet's by location; what a border leads to is a location. */
interface Borders {
  readonly army: ReadonlyMap<string, Names>;
  readonly fleet: ReadonlyMap<string, Names>;
  readonly seas: Names;
}

const namesIn = (text: string | undefined): Names => new Set(text?.split(' ').filter((name) => name !== '') ?? []);
const provinceOf = (location: string): string => location.split('/')[0];
const provincesOf = (locations: Names): Names => new Set([...locations].map(provinceOf));

const bordersOf = ({ provinces }: MapRows): Borders => {
  const fleet = new Map<string, Names>();
  for (const row of provinces) {
    if (typeof row.fleet === 'string') fleet.set(row.tag, namesIn(row.fleet));
    else for (const [coast, text] of Object.entries(row.fleet ?? {})) fleet.set(`${row.tag}/${coast}`, namesIn(text));
  }
  return {
    army: new Map(provinces.map((row) => [row.tag, namesIn(row.army)])),
    fleet,
    seas: new Set(provinces.filter((row) => row.kind === 'sea').map((row) => row.tag)),
  };
};

/** A unit in words. */
interface Unit {
  readonly text: string;
  readonly province: string;
  readonly isFleet: boolean;
  /** Locations next to it that it could enter. */
  readonly moves: Names;
}

const unitsIn = (game: Game, { army, fleet }: Borders): readonly Unit[] => {
  return unitsOn(game).map((p) => {
    const isFleet = T.unitType(game.unitAt(p)) === T.FLEET;
    const at = game.map.locationTags[game.unitLocation(p)];
    const moves = (isFleet ? fleet : army).get(at) ?? new Set<string>();
    return { text: `${isFleet ? 'F' : 'A'} ${at}`, province: provinceOf(at), isFleet, moves };
  });
};

/** A way of an army over fleets at sea: the fleets, in order, and where it lands. */
interface Way {
  readonly fleets: readonly string[];
  readonly to: string;
}

/**
 * All ways of an army without superfluous fleets: no link passes by a place that a link before it, or the army itself,
 * could have gone to at once.
 */
const waysOf = (army: Unit, fleets: Names, { fleet, seas }: Borders): readonly Way[] => {
  const next = (sea: string): Names => provincesOf(fleet.get(sea) ?? new Set());
  const embarks = new Set([...fleets].filter((sea) => next(sea).has(army.province)));
  const found: Way[] = [];
  const follow = (chain: readonly string[]): void => {
    const last = chain[chain.length - 1];
    const before = chain.slice(0, -1);
    const passed = (place: string): boolean =>
      before.some((sea) => next(sea).has(place)) || (before.length > 0 && embarks.has(place));
    for (const place of next(last)) {
      if (place === army.province || chain.includes(place)) continue;
      if (!seas.has(place) && !before.some((sea) => next(sea).has(place))) found.push({ fleets: chain, to: place });
      if (fleets.has(place) && !passed(place) && !embarks.has(place)) follow([...chain, place]);
    }
  };
  for (const sea of embarks) follow([sea]);
  return found;
};

/** Every canonical legal order of a movement phase, as text. */
const literalOrders = (game: Game, borders: Borders): Set<string> => {
  const units = unitsIn(game, borders);
  const fleets = new Set(
    units.filter((unit) => unit.isFleet && borders.seas.has(unit.province)).map((u) => u.province),
  );
  const ways = new Map(units.filter((unit) => !unit.isFleet).map((unit) => [unit, waysOf(unit, fleets, borders)]));
  const orders = new Set<string>();
  for (const unit of units) {
    const { text, province } = unit;
    orders.add(`${text} H`);
    for (const to of unit.moves) orders.add(`${text} - ${to}`);
    for (const { to } of ways.get(unit) ?? []) orders.add(`${text} - ${to} VIA`);
    const reach = provincesOf(unit.moves);
    for (const helped of units) {
      if (helped === unit) continue;
      if (reach.has(helped.province)) orders.add(`${text} S ${helped.text}`);
      for (const to of provincesOf(helped.moves)) if (reach.has(to)) orders.add(`${text} S ${helped.text} - ${to}`);
      for (const way of ways.get(helped) ?? []) {
        if (reach.has(way.to) && !way.fleets.includes(province)) orders.add(`${text} S ${helped.text} - ${way.to}`);
        if (way.fleets.includes(province)) orders.add(`${text} C ${helped.text} - ${way.to}`);
      }
    }
  }
  return orders;
};

const compareLists = (game: Game, borders: Borders): number => {
  const units = orderedUnits(game);
  const listed = legalLists(game).flatMap((orders) =>
    Array.from(orders, (order) => formatOrder(game.map, order, units)),
  );
  const literal = literalOrders(game, borders);
  assert.is(literal.size, listed.length, 'an order is listed twice, or not at all');
  assert.equal(new Set(listed), literal);
  return listed.length;
};

const literal = suite('legal orders: the literal list');

const POSITIONS: Readonly<Record<string, number>> = { 'mid uniform': 60, scattered: 150, storm: 150, knot: 60 };

for (const { name, open } of families)
  if (Object.hasOwn(POSITIONS, name))
    literal(`positions of the family ${name}`, () => {
      const next = open(2024);
      const borders = bordersOf(standard.rows);
      let orders = 0;
      for (let i = 0; i < POSITIONS[name]; i++) orders += compareLists(next().game, borders);
      assert.ok(orders > 20_000, `${orders} orders`);
    });

literal('start positions of the other maps', () => {
  for (const name of ['1898', 'ancmed']) {
    const map = loadMap(name);
    assert.ok(compareLists(newGame(map, DATC_3_2), bordersOf(map.rows)) > 5, name);
  }
});

literal.run();

// ---- list and question ----

const agreement = suite('legal orders: list and isLegal()');

const FORMS = 3000;

/** Order words that mean nothing much: one that is legal with a bit or two flipped, or any int32. */
const strangeOrder = (random: Random, legal: readonly O.Order[]): O.Order => {
  if (legal.length === 0 || random.below(4) === 0) return random.next();
  let order = legal[random.below(legal.length)];
  for (let flips = 1 + random.below(2); flips > 0; flips--) order ^= 1 << random.below(29);
  return order;
};

/** A support that names a coast which the supported fleet can reach: legal, though the list has it without. */
const isFoldedSupport = (game: Game, order: O.Order, legal: ReadonlySet<O.Order>): boolean => {
  const { map } = game;
  const target = O.orderTarget(order);
  if (O.orderType(order) !== O.SUPPORT_MOVE || target < map.provinceCount || target >= map.locationCount) return false;
  const helped = game.unitAt(O.orderHelped(order));
  return T.unitType(helped) === T.FLEET && legal.has(O.withTarget(order, map.locationProvince[target]));
};

/** Every legal order is one of its power's, and every list is of one province. */
const checkByPower = (game: Game, legal: readonly O.Order[]): void => {
  const found: O.Order[] = [];
  for (let power = 0; power < game.map.powerCount; power++) {
    const lists = legalByPower(game, power);
    for (const orders of lists) {
      const at = O.orderLocation(orders[0]);
      for (const order of orders) {
        assert.is(ordererOf(game, order), power);
        if (O.orderType(order) === O.WAIVE) continue;
        assert.is(game.map.locationProvince[O.orderLocation(order)], game.map.locationProvince[at]);
      }
      found.push(...orders);
    }
    assert.is(hasOrders(game, power), lists.length > 0);
  }
  const ascending = (a: number, b: number): number => a - b;
  assert.equal(found.sort(ascending), [...legal].sort(ascending));
};

const checkAgreement = (game: Game, random: Random): void => {
  const lists = legalLists(game);
  const legal = lists.flatMap((orders) => [...orders]);
  const set = new Set(legal);
  const one = new Int32Array(MAX_ORDERS_PER_PROVINCE);
  for (const orders of lists) assert.equal(one.subarray(0, legalOrders(game, placeOf(game, orders[0]), one)), orders);
  for (const order of legal) assert.ok(isLegal(game, order), `${order} is listed`);
  assert.is(findIllegal(game, Int32Array.from(legal), legal.length), -1);
  assert.is(countLegalOrders(game, counted), lists.length);
  assert.equal(
    [counted[0], ...lists.map((_, k) => counted[k + 1] - counted[k])],
    [0, ...lists.map(({ length }) => length)],
  );
  checkByPower(game, legal);
  const words = vocabulary(game.map);
  const mask = new Uint8Array(words.size);
  legalMask(game, words, mask);
  assert.equal(
    words.orders.filter((_, i) => mask[i] === 1),
    Int32Array.from(set).sort(),
  );
  const { orders } = words;
  for (let i = 0; i < FORMS; i++) {
    const order = i % 2 === 0 ? orders[random.below(orders.length)] : strangeOrder(random, legal);
    if (set.has(order) || isFoldedSupport(game, order, set)) continue;
    assert.not(isLegal(game, order), `${order} is not listed`);
    assert.is(findIllegal(game, Int32Array.of(legal[0] ?? order, order), 2), legal.length === 0 ? 0 : 1);
  }
};

for (const name of ['standard', 'ancmed', 'chaos'])
  agreement(`agree in games of the map ${name}`, () => {
    const random = new Random(31, 4);
    const seen = new Int32Array(T.phases.length);
    for (let g = 0; g < 3; g++) {
      const game = newGame(loadMap(name), DATC_3_2);
      for (let step = 0; step < 24 && game.status === T.PLAYING; step++) {
        checkAgreement(game, random);
        seen[game.phase]++;
        adjudicate(game, randomOrders(game, random));
      }
    }
    assert.ok(seen[T.MOVEMENT] > 0 && seen[T.ADJUSTMENT] > 0, `phases seen: ${seen.join()}`);
  });

agreement('agree in crowded seas, and in the retreats from them', () => {
  const random = new Random(5, 9);
  const results = makeResults();
  let retreats = 0;
  const storm = families.find(({ name }) => name === 'storm');
  assert.ok(storm !== undefined);
  const next = storm.open(77);
  for (let i = 0; i < 40; i++) {
    const { game, orders, count } = next();
    checkAgreement(game, random);
    adjudicate(game, orders, count, results);
    if (game.phase !== T.RETREAT) continue;
    checkAgreement(game, random);
    retreats++;
  }
  assert.ok(retreats > 10, `${retreats} retreat phases`);
});

agreement.run();
