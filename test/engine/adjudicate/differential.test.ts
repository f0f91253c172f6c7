// Tests that the engine agrees with the oracle on every set: a quarter of those of differential.slow.test.ts. For more
// sets run differential.ts, which is also a script.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { explain, ReasonCode, reasons } from '../../../engine/adjudicate/explain.js';
import { isLegal } from '../../../engine/legal/lists.js';
import { standard, standardRows } from '../../../engine/map/standard.js';
import { checkGame, Game } from '../../../engine/position/game.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import {
  type Order,
  orderLocation,
  orderTarget,
  orderType,
  SUPPORT_MOVE,
  withTarget,
} from '../../../engine/rules/order.js';
import { makeResults, type Results } from '../../../engine/rules/results.js';
import * as T from '../../../engine/rules/types.js';
import { compareFamilies, SEED, SPECIAL_SEED } from '../../oracle/compare-families.js';
import {
  byProvince,
  compare,
  permutations,
  reorderMap,
  setText,
  translateGame,
  translateOrder,
} from '../../oracle/differential.js';
import { consultOracle } from '../../oracle/oracle.js';
import { readLines } from '../../tools/cases.js';
import { families } from '../../tools/families.js';
import { legalLists, placeOf, unitsIn } from '../../tools/legal-orders.js';
import { gameOf } from '../../tools/rule-cases.js';
import { specialFamilies } from '../../tools/special-families.js';

const provinceOf = (tag: string): number => standard.provinceTags.indexOf(tag);

// ---- the families are what they say ----

const family = suite('families');

for (const { name, open } of families)
  family(`${name}: every unit has one legal order, canonical but for coasts named in supports`, () => {
    const next = open(SEED);
    for (let i = 0; i < 60; i++) {
      const { game, orders, count } = next();
      assert.is(checkGame(game), null);
      const legal = new Set(legalLists(game).flatMap((list) => [...list]));
      const canonical = (order: Order): Order =>
        orderType(order) === SUPPORT_MOVE ? withTarget(order, standard.locationProvince[orderTarget(order)]) : order;
      for (const order of orders.subarray(0, count)) {
        assert.ok(isLegal(game, order), setText({ game, orders: Int32Array.of(order), count: 1 }));
        assert.ok(legal.has(canonical(order)), setText({ game, orders: Int32Array.of(order), count: 1 }));
      }
      assert.equal(
        Array.from(orders.subarray(0, count), (order) => placeOf(game, order)),
        unitsIn(game),
      );
      assert.ok(count <= 34);
    }
  });

family('a seed fixes the stream', () => {
  for (const { open } of families) {
    const [one, two, other] = [open(7), open(7), open(8)];
    let same = 0;
    for (let i = 0; i < 5; i++) {
      const text = setText(one());
      assert.is(setText(two()), text);
      if (setText(other()) === text) same++;
    }
    assert.is(same, 0);
  }
});

family.run();

// ---- the comparison sees what is to be seen ----

const comparison = suite('comparison');

comparison('reports every kind of difference', () => {
  const next = families[families.length - 1].open(SEED);
  const results = makeResults();
  for (let i = 0; i < 20; i++) {
    const set = next();
    const { units, orders } = byProvince(set);
    const outcome = consultOracle(standard, units, orders);
    adjudicate(set.game.clone(), set.orders, set.count, results);
    assert.equal(compare(set, outcome, results), []);
    const at = standard.locationProvince[orderLocation(set.orders[i % set.count])];
    const bit = (value: number): number => value ^ 1;
    const spoils: readonly (readonly [keyof Results, number, (value: number) => number, what: string])[] = [
      ['result', at, bit, 'result'],
      ['attacker', at, (value) => (value === 3 ? 4 : 3), 'attacker'],
      ['convoyed', at, bit, 'by convoy'],
      ['contested', at >> 5, (word) => word ^ (1 << (at & 31)), 'contested'],
    ];
    for (const [part, place, change, what] of spoils) {
      const spoilt = structuredClone(results);
      spoilt[part][place] = change(spoilt[part][place]);
      const lines = compare(set, outcome, spoilt);
      assert.is(lines.length, 1);
      assert.match(lines[0], what);
    }
  }
});

comparison('reads back the text that it prints', () => {
  for (const { open } of families) {
    const next = open(SEED);
    for (let i = 0; i < 10; i++) {
      const { game, orders, count } = next();
      const position = readLines(standard, setText({ game, orders, count }));
      assert.equal(
        [...position.orders].filter((order) => order !== 0),
        [...orders.subarray(0, count)],
      );
      for (let p = 0; p < standard.provinceCount; p++) assert.is(position.units[p], game.unitAt(p));
    }
  }
});

comparison.run();

// ---- cases that went wrong in trials, from every order of asking ----

const order = suite('order of asking');

// The recursion that DATC 3.2 prints in chapter 5.E never ends here from most of the starting orders (engine/README.md).
const SMALLEST = `
  ENGLAND F APU - ADR
  ENGLAND F ALB S F APU - ADR
  GERMANY A VEN - ALB VIA
  TURKEY  F ADR C A VEN - ALB
  TURKEY  A GRE S A VEN - ALB`;
const EXPECTED = { APU: 'succeeds', ALB: 'given', VEN: 'fails', ADR: 'disrupted', GRE: 'given' };

const results = makeResults();

const checkSmallest = (game: Game, orders: Int32Array, place: (tag: string) => number): void => {
  adjudicate(game, orders, orders.length, results);
  for (const [tag, word] of Object.entries(EXPECTED)) {
    assert.is(T.resultNames[results.result[place(tag)]], word, tag);
    assert.is(results.attacker[place(tag)], tag === 'ADR' ? place('APU') : -1, tag);
  }
};

order('a cycle that leans on the open cycle: orders given in all 120 orders', () => {
  const position = readLines(standard, SMALLEST);
  const orders = [...position.orders].filter((given) => given !== 0);
  assert.is(orders.length, 5);
  for (const given of permutations(orders))
    checkSmallest(gameOf(position, DATC_3_2), Int32Array.from(given), provinceOf);
});

order('a cycle that leans on the open cycle: provinces numbered in all 120 orders', () => {
  const position = readLines(standard, SMALLEST);
  const orders = position.orders.filter((given) => given !== 0);
  const { provinces, powers } = standardRows;
  const [late, early] = [false, true].map((is) => provinces.filter(({ tag }) => tag in EXPECTED === is));
  for (const first of permutations(early)) {
    const shuffled = reorderMap(standard, { provinces: [...first, ...late], powers });
    const game = new Game(shuffled.map, DATC_3_2);
    translateGame(gameOf(position, DATC_3_2), shuffled, game);
    const given = Int32Array.from(orders, (one) => translateOrder(one, shuffled));
    checkSmallest(game, given, (tag) => shuffled.map.provinceTags.indexOf(tag));
  }
});

order.run();

compareFamilies(0.25);

const told = suite('special maps: reasons');

told('every order that fails has a reason, and every reason comes up', () => {
  const seen = new Set<number>();
  for (const { map, open } of specialFamilies) {
    const next = open(SPECIAL_SEED + 1);
    for (let i = 0; i < 3000; i++) {
      const { game, orders, count } = next();
      adjudicate(game, orders, count, results);
      for (let p = 0; p < map.provinceCount; p++) {
        if (results.unit[p] === T.NO_UNIT || results.result[p] === T.STANDS) continue;
        const { code, province } = explain(map, results, p);
        const failed = [T.FAILS, T.STOPS].includes(results.result[p] as 2 | 9);
        if (failed) assert.is.not(code, ReasonCode.NONE, `set ${i}, ${map.provinceTags[p]}`);
        if (code >= ReasonCode.OTHER_TRAIN) assert.ok(province >= 0 && province < map.provinceCount, reasons[code]);
        seen.add(code);
      }
    }
  }
  // Supports that hang on themselves are too rare; test/engine/adjudicate/datc-variants.test.ts has them.
  for (let code = ReasonCode.OTHER_TRAIN; code < ReasonCode.SUPPORT_PARADOX; code++)
    assert.ok(seen.has(code), `${reasons[code]} came up`);
});
told.run();
