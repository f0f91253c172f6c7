// Tests properties that must hold for any position and orders. Seeds are fixed, so failures are reproducible.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pick } from '../../../bench/corpus/dense-orders.js';
import type { OrderSet } from '../../../bench/corpus/families.js';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { isLegal } from '../../../engine/legal/lists.js';
import { standard } from '../../../engine/map/standard.js';
import { checkGame, Game, newGame } from '../../../engine/position/game.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import { Random } from '../../../engine/rules/random.js';
import { makeResults, type Results } from '../../../engine/rules/results.js';
import * as T from '../../../engine/rules/types.js';
import { makeShuffledMaps, setText, translateGame, translateOrder } from '../../oracle/differential.js';
import { families, shuffled } from '../../tools/families.js';
import { legalLists, placeOf, unitsIn } from '../../tools/legal-orders.js';

const SEED = 4;
const map = standard;
const provinces = [...Array(map.provinceCount).keys()];

/** A set of any family, good until the next of that family is drawn. */
const anySet = (): fc.Arbitrary<OrderSet> => {
  const streams = families.map(({ open }) => open(SEED));
  return fc
    .tuple(fc.nat(families.length - 1), fc.nat())
    .map(([family]) => streams[family]())
    .filter(({ count }) => count > 0);
};

const played = (set: OrderSet, orders: Int32Array): { game: Game; results: Results } => {
  const game = set.game.clone();
  const results = makeResults();
  adjudicate(game, orders, orders.length, results);
  return { game, results };
};

const given = (set: OrderSet): Int32Array => set.orders.slice(0, set.count);

const properties = suite('properties');

const hold = (runs: number, property: fc.IRawProperty<unknown>): void => {
  fc.assert(property, { seed: SEED, numRuns: runs, endOnFailure: true });
};

properties('the order of the orders does not matter', () => {
  hold(
    3000,
    fc.property(anySet(), fc.nat(), (set, seed) => {
      const orders = given(set);
      const one = played(set, orders);
      const other = played(set, Int32Array.from(shuffled(new Random(seed), [...orders])));
      assert.equal(other.results, one.results, setText(set));
      assert.ok(other.game.equals(one.game), setText(set));
    }),
  );
});

/** The same units under other flags. */
const relabel = (game: Game, powers: readonly number[]): Game => {
  const out = new Game(map, DATC_3_2);
  out.year = game.year;
  out.season = game.season;
  out.phase = game.phase;
  for (const p of unitsIn(game)) {
    const unit = game.unitAt(p);
    out.placeUnit(powers[T.unitPower(unit)], T.unitType(unit), game.unitLocation(p));
  }
  return out;
};

properties('which power is which does not matter', () => {
  const anyPowers = fc.shuffledSubarray([...Array(map.powerCount).keys()], { minLength: map.powerCount });
  hold(
    3000,
    fc.property(anySet(), anyPowers, (set, powers) => {
      const orders = given(set);
      const flag = (unit: number): number =>
        unit === T.NO_UNIT ? T.NO_UNIT : T.makeUnit(powers[T.unitPower(unit)], T.unitType(unit));
      const one = played({ ...set, game: relabel(set.game, [...powers.keys()]) }, orders);
      const other = played({ ...set, game: relabel(set.game, powers) }, orders);
      assert.equal(other.results, { ...one.results, unit: one.results.unit.map(flag) }, setText(set));
      for (const p of provinces) assert.is(other.game.unitAt(p), flag(one.game.unitAt(p)));
      assert.is(other.game.dislodgedCount, one.game.dislodgedCount);
      for (let i = 0; i < one.game.dislodgedCount; i++) {
        const dislodged = one.game.dislodged(i);
        assert.equal(other.game.dislodged(i), { ...dislodged, unit: flag(dislodged.unit) });
      }
    }),
  );
});

/** A legal order for most of the units, retreats and sites of a game, uniform. */
const someOrders = (game: Game, random: Random): Int32Array =>
  Int32Array.from(
    legalLists(game).filter(() => random.below(20) > 0),
    (orders) => pick(random, orders),
  );

properties('a map of shuffled rows plays the same game by name', () => {
  const random = new Random(SEED);
  const maps = makeShuffledMaps(map, 6, random);
  const results = makeResults();
  hold(
    24,
    fc.property(fc.nat(maps.length - 1), fc.nat(), (index, seed) => {
      const to = maps[index];
      const draw = new Random(seed);
      const game = newGame(map, DATC_3_2);
      const mirror = newGame(to.map, DATC_3_2);
      const expected = new Game(to.map, DATC_3_2);
      for (let phase = 0; phase < 40 && game.status === T.PLAYING; phase++) {
        const orders = someOrders(game, draw);
        const translated = orders.map((order) => translateOrder(order, to));
        for (const order of translated) assert.ok(isLegal(mirror, order), 'legal on the one map, not on the other');
        adjudicate(game, orders, orders.length, results);
        adjudicate(mirror, translated, translated.length, results);
        translateGame(game, to, expected);
        expected.status = game.status;
        expected.winner = game.winner < 0 ? -1 : to.power[game.winner];
        assert.equal(mirror.bytes, expected.bytes, `seed ${seed}, phase ${phase}`);
      }
    }),
  );
});

properties('a far unit changes nothing', () => {
  const near = (p: number, q: number): number => map.distance[p * map.provinceCount + q];
  let checked = 0;
  hold(
    3000,
    fc.property(anySet(), fc.nat(map.provinceCount - 1), fc.nat(), (set, center, seed) => {
      const random = new Random(seed);
      const game = set.game.clone();
      const kept = unitsIn(game).filter((p) => near(center, p) <= 2);
      // Distance 4: nothing that the far unit can do, or a convoy by it, touches a province that the others act on.
      const far = unitsIn(game).filter((p) => kept.every((q) => near(p, q) >= 4));
      if (kept.length < 3 || far.length === 0) return;
      const added = far[random.below(far.length)];
      for (const p of provinces) if (p !== added && !kept.includes(p)) game.removeUnit(p);
      const without = game.clone();
      without.removeUnit(added);
      const orders = given(set).filter((order) => kept.includes(placeOf(game, order)));
      const legal = orders.filter((order) => isLegal(without, order));
      const extra = pick(random, legalLists(game).find(([order]) => placeOf(game, order) === added) ?? []);
      const one = played({ ...set, game: without }, legal);
      const other = played({ ...set, game }, Int32Array.from([...legal, extra]));
      for (const p of kept) {
        for (const part of ['order', 'result', 'fate', 'attacker', 'convoyed'] as const)
          assert.is(other.results[part][p], one.results[part][p], part);
        assert.is(other.game.unitAt(p), one.game.unitAt(p));
      }
      assert.equal(other.results.contested, one.results.contested);
      checked++;
    }),
  );
  assert.ok(checked > 300, `only ${checked} positions had a far unit`);
});

properties('the state holds after every step, and no unit is lost or doubled', () => {
  const results = makeResults();
  let phases = 0;
  hold(
    40,
    fc.property(fc.nat(), (seed) => {
      const random = new Random(seed);
      const game = newGame(map, DATC_3_2);
      for (let phase = 0; phase < 60 && game.status === T.PLAYING; phase++) {
        const before = unitsIn(game).length;
        const moving = game.phase === T.MOVEMENT;
        const orders = someOrders(game, random);
        adjudicate(game, orders, orders.length, results);
        assert.is(checkGame(game), null, `seed ${seed}, phase ${phase}`);
        const after = unitsIn(game).length;
        assert.ok(after + game.dislodgedCount <= map.centerCount, `${after} units`);
        // What left the board in a movement phase was dislodged: two units in one province would show here.
        const gone = provinces.filter((p) => results.fate[p] !== 0).length;
        if (moving) assert.is(after + gone, before, `seed ${seed}, phase ${phase}`);
        phases++;
      }
    }),
  );
  assert.ok(phases > 1500, `only ${phases} phases were played`);
});

properties.run();
