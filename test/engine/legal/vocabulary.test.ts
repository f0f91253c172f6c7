// Tests the vocabulary: its sizes, its index, and that it holds exactly the orders that positions allow.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isLegal } from '../../../engine/legal/lists.js';
import { MAX_SEAS_FOR_PROPER_ROUTES, vocabulary } from '../../../engine/legal/vocabulary.js';
import { compileMap } from '../../../engine/map/compile.js';
import type { CompiledMap, ProvinceRow } from '../../../engine/map/compiled-map.js';
import { loadMap, mapNames } from '../../../engine/map/index.js';
import { standard } from '../../../engine/map/standard.js';
import { Game, newGame } from '../../../engine/position/game.js';
import { testBit } from '../../../engine/rules/bitset.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import * as O from '../../../engine/rules/order.js';
import { Random } from '../../../engine/rules/random.js';
import { ARMY, FLEET, LAND, SEA } from '../../../engine/rules/types.js';
import { readOrder } from '../../tools/cases.js';
import { crowd, lattice, unitTypesFor } from '../../tools/crowds.js';
import { legalLists } from '../../tools/legal-orders.js';

const place = (tag: string): number => standard.locationTags.indexOf(tag);

const countTypes = (map: CompiledMap): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const order of vocabulary(map).orders) {
    const name = O.orderVia(order) === 1 ? 'move via' : O.orderTypes[O.orderType(order)];
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
};

// ---- a second way to the convoys ----

/** Neighbours at sea and landing places of each sea, by names, from the fleet borders alone. */
const seaGraph = (map: CompiledMap): { seas: Map<string, string[]>; landings: Map<string, string[]> } => {
  const seas = new Map<string, string[]>();
  const landings = new Map<string, string[]>();
  for (let p = 0; p < map.provinceCount; p++) {
    if (testBit(map.seas, 0, p) === 0) continue;
    const key = map.locationCount + p;
    const reached = [...map.moveTargets.subarray(map.moveOffsets[key], map.moveOffsets[key + 1])];
    const provinces = [...new Set(reached.map((to) => map.locationProvince[to]))];
    const tags = (list: number[]): string[] => list.map((q) => map.provinceTags[q]);
    seas.set(map.provinceTags[p], tags(provinces.filter((q) => testBit(map.seas, 0, q) === 1)));
    landings.set(map.provinceTags[p], tags(provinces.filter((q) => map.kind[q] !== SEA)));
  }
  return { seas, landings };
};

/** All 'F C A - B' with F on a chain from A to B no two of whose provinces are next to each other but in turn. */
const properConvoys = (map: CompiledMap): Set<string> => {
  const { seas, landings } = seaGraph(map);
  const found = new Set<string>();
  const lands = (sea: string, coast: string): boolean => landings.get(sea)?.includes(coast) ?? false;
  const follow = (from: string, chain: string[]): void => {
    const last = chain[chain.length - 1];
    for (const to of landings.get(last) ?? [])
      if (to !== from && !chain.includes(to) && !chain.slice(0, -1).some((sea) => lands(sea, to)))
        for (const sea of chain) found.add(`${sea} C ${from} - ${to}`);
    for (const next of seas.get(last) ?? []) {
      const touches = chain.slice(0, -1).some((sea) => sea === next || seas.get(sea)?.includes(next));
      if (!touches && next !== from && !lands(next, from)) follow(from, [...chain, next]);
    }
  };
  for (const [sea, coasts] of landings) for (const coast of coasts) follow(coast, [sea]);
  return found;
};

const convoyName = (map: CompiledMap, order: number): string => {
  const tag = (p: number): string => map.provinceTags[p];
  return `${tag(O.orderLocation(order))} C ${tag(O.orderHelped(order))} - ${tag(O.orderTarget(order))}`;
};

// ---- what it is ----

const whole = suite('vocabulary');

whole('has its size on the standard map', () => {
  assert.equal(countTypes(standard), {
    hold: 81,
    move: 436,
    'move via': 1194,
    'support hold': 424,
    'support move': 7171,
    convoy: 5826,
    retreat: 436,
    disband: 81,
    'build army': 22,
    'build fleet': 17,
    remove: 81,
    waive: 7,
  });
  assert.is(vocabulary(standard).size, 15_776);
});

whole('is made once for a map', () => {
  assert.is(vocabulary(standard), vocabulary(standard));
  assert.is.not(vocabulary(loadMap('1898')), vocabulary(standard));
  assert.equal(vocabulary(loadMap('1898')).orders, vocabulary(standard).orders);
});

for (const name of mapNames)
  whole(`${name}: ascending without repeats, and indexOf is the way back`, () => {
    const { orders, size, indexOf } = vocabulary(loadMap(name));
    assert.is(orders.length, size);
    for (let i = 0; i < size; i++) {
      assert.is(indexOf(orders[i]), i);
      if (i > 0) assert.ok(orders[i - 1] < orders[i]);
    }
  });

whole('knows no order that is none', () => {
  const { indexOf } = vocabulary(standard);
  for (const order of [
    O.NONE,
    -1,
    0x7fff_ffff,
    O.hold(81),
    O.move(place('PAR'), place('PAR')),
    O.withTarget(O.hold(0), 3),
  ])
    assert.is(indexOf(order), -1);
});

whole('follows the rules of building', () => {
  const chaos = countTypes(loadMap('chaos'));
  // 34 centres of which 8 are inland and 3 have two coasts.
  assert.is(chaos['build army'], 34);
  assert.is(chaos['build fleet'], 34 - [...standard.centers].filter((p) => standard.kind[p] === LAND).length + 3);
  assert.is(chaos.waive, 34);
});

whole.run();

// ---- convoys ----

const convoys = suite('vocabulary: convoys');

for (const name of mapNames)
  convoys(`${name}: fleets on a proper route, found another way`, () => {
    const map = loadMap(name);
    const listed = [...vocabulary(map).orders].filter((order) => O.orderType(order) === O.CONVOY);
    const wanted = properConvoys(map);
    assert.is(listed.length, wanted.size);
    for (const order of listed) assert.ok(wanted.has(convoyName(map, order)), convoyName(map, order));
    const ways = new Set([...wanted].map((text) => text.slice(6)));
    const vias = [...vocabulary(map).orders].filter((order) => O.orderVia(order) === 1);
    assert.is(vias.length, ways.size);
  });

convoys('of a small map are not those of a larger one used before', () => {
  const map = compileMap(lattice(2, 2));
  legalLists(crowd(loadMap('ancmed'), new Random(3)));
  const vias = [...vocabulary(map).orders].filter((order) => O.orderVia(order) === 1);
  assert.is(vias.length, 4 * 3);
});

convoys.run();

// ---- orders that it holds, and others that it lacks ----

const held = suite('vocabulary: single orders');

const ORDERS: readonly { title: string; holds: readonly string[]; lacks: readonly string[] }[] = [
  {
    title: 'convoys join the coasts of one body of water, adjacent ones too; the Black Sea and the Baltic are closed',
    holds: ['A SYR - STP VIA', 'A ANK - SEV VIA', 'A BRE - PIC VIA'],
    lacks: ['A ANK - SMY VIA', 'A LVN - EDI VIA', 'A PAR - LON VIA', 'A LON - LON VIA'],
  },
  {
    title: 'convoys leave superfluous fleets, dead ends and fleets on coasts out (DATC 4.E.1)',
    holds: ['F ENG C A LON - BRE', 'F IRI C A WAL - SPA'],
    lacks: ['F IRI C A LON - BEL', 'F HEL C A LON - BRE', 'F KIE C A BER - DEN'],
  },
  {
    title: 'convoys are supported only by who is not needed for them',
    holds: ['F ENG S A LON - BEL', 'F BLA S A ANK - CON', 'A BUL S A ANK - RUM', 'F SPA/SC S A SYR - MAR'],
    lacks: ['F BLA S A ANK - RUM'],
  },
  {
    title: 'supports name provinces, also those whose coast is out of reach, and never the unit itself',
    holds: ['A GAS S F WES - SPA', 'F SPA/NC S A GAS', 'A MAR S F MAO - SPA'],
    lacks: ['F SPA/NC S A MAR', 'A MAR S F MAO - SPA/SC', 'A MAR S A MAR - SPA'],
  },
  {
    title: 'supports are the same order for army and fleet, though only one of them can make the move',
    holds: ['A ROM S A NAP - APU', 'A ROM S F ION - TYS'],
    lacks: [],
  },
];

for (const { title, holds, lacks } of ORDERS)
  held(title, () => {
    const { indexOf } = vocabulary(standard);
    const has = (text: string): boolean => indexOf(readOrder(standard, place(text.split(' ')[1]), text)) >= 0;
    assert.equal([holds.filter(has), lacks.filter(has)], [holds, []]);
  });

held.run();

// ---- against the legal orders ----

const legality = suite('vocabulary: against legality');

/** Fails if a legal order is not in the vocabulary; returns how many there are. */
const checkHeld = (game: Game): number => {
  const { indexOf } = vocabulary(game.map);
  const orders = legalLists(game).flatMap((list) => [...list]);
  for (const order of orders) assert.ok(indexOf(order) >= 0, `${game.map.name}: ${order} is legal`);
  return orders.length;
};

for (const name of mapNames)
  legality(`${name}: holds the legal orders of the start, and of crowded positions`, () => {
    const map = loadMap(name);
    const random = new Random(19, map.id);
    assert.ok(checkHeld(newGame(map, DATC_3_2)) > 0);
    let seen = 0;
    // A small map has few orders a position.
    for (let round = 0; round < 8 || seen <= 1000; round++) seen += checkHeld(crowd(map, random));
  });

/** True if the order is legal for an army or a fleet put where it is ordered from. */
const someTypeObeys = (game: Game, order: number): boolean => {
  const { map } = game;
  const location = O.orderLocation(order);
  const province = map.locationProvince[location];
  for (const type of unitTypesFor(map, province)) {
    if (type === FLEET && location === province && map.coastCount[province] > 0) continue;
    if (type === ARMY && location !== province) continue;
    game.placeUnit(0, type === FLEET ? FLEET : ARMY, location);
    const legal = isLegal(game, order);
    game.removeUnit(province);
    if (legal) return true;
  }
  return false;
};

legality('holds no hold, move or VIA that fleets in every sea do not allow', () => {
  let checked = 0;
  const game = new Game(standard, DATC_3_2);
  game.year = 1901;
  for (let p = 0; p < standard.provinceCount; p++) if (standard.kind[p] === SEA) game.placeUnit(1, FLEET, p);
  for (const order of vocabulary(standard).orders) {
    const type = O.orderType(order);
    if (
      (type !== O.HOLD && type !== O.MOVE) ||
      standard.kind[standard.locationProvince[O.orderLocation(order)]] === SEA
    )
      continue;
    assert.ok(someTypeObeys(game, order), String(order));
    checked++;
  }
  assert.ok(checked > 1500);
});

legality.run();

// ---- large maps ----

const large = suite('vocabulary: large maps');

large('finds proper routes up to the bound of seas', () => {
  const map = compileMap(lattice(4, 8));
  assert.is([...map.kind].filter((kind) => kind === SEA).length, MAX_SEAS_FOR_PROPER_ROUTES);
  assert.ok(vocabulary(map).size > 10_000);
});

large('counts every fleet of the water as useful beyond it', () => {
  // A line of seas with coasts at the first and the eleventh: the seas behind that are dead ends.
  const seas = Array.from({ length: MAX_SEAS_FOR_PROPER_ROUTES + 1 }, (_, i) => `S${String(i).padStart(2, '0')}`);
  const ports = new Map([
    [0, 'PRT'],
    [10, 'QAY'],
  ]);
  const provinces: ProvinceRow[] = seas.map((tag, i) => ({
    tag,
    name: tag,
    kind: 'sea',
    fleet: [seas[i - 1], seas[i + 1], ports.get(i)].filter((next) => next !== undefined).join(' '),
  }));
  for (const [i, tag] of ports) provinces.push({ tag, name: tag, kind: 'coast', center: true, fleet: seas[i] });
  const map = compileMap({ ...lattice(1, 1), provinces });
  const counts = countTypes(map);
  assert.is(properConvoys(map).size, 2 * 11);
  assert.is(counts.convoy, 2 * seas.length);
  assert.is(counts['move via'], 2);
});

large('holds all legal orders beyond it', () => {
  const map = compileMap(lattice(5, 7));
  const convoyed = [...vocabulary(map).orders].filter((order) => O.orderType(order) === O.CONVOY);
  const listed = new Set(convoyed.map((order) => convoyName(map, order)));
  for (const text of properConvoys(map)) assert.ok(listed.has(text), text);
  const random = new Random(5);
  const game = new Game(map, DATC_3_2);
  game.year = 1901;
  for (let p = 0; p < map.provinceCount; p++)
    if (random.below(100) < 60) game.placeUnit(0, map.kind[p] === SEA ? FLEET : ARMY, p);
  assert.ok(checkHeld(game) > 100);
});

large.run();
