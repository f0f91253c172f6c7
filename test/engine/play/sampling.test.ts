// Tests random play on the board against adjudicate(), the samplers against lists of legal orders, batches and rollouts.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { board, packedOrder } from '../../../engine/adjudicate/movement/index.js';
import { dislodgedIn, isLegal } from '../../../engine/legal/lists.js';
import type { CompiledMap } from '../../../engine/map/compiled-map.js';
import { loadMap } from '../../../engine/map/index.js';
import { standard } from '../../../engine/map/standard.js';
import { Batch } from '../../../engine/play/batch.js';
import { drawPolicy, drawUniform } from '../../../engine/play/draw-orders.js';
import { boardCenters, boardUnits, POLICY, played, RandomGame, samplers, UNIFORM } from '../../../engine/play/step.js';
import { checkGame, Game, newGame } from '../../../engine/position/game.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import * as O from '../../../engine/rules/order.js';
import { GOLDEN, mix, Random } from '../../../engine/rules/random.js';
import { makeResults } from '../../../engine/rules/results.js';
import { scoreInto } from '../../../engine/rules/score.js';
import {
  ADJUSTMENT,
  ARMY,
  FALL,
  FLEET,
  MOVEMENT,
  NO_UNIT,
  PLAYING,
  RETREAT,
  unitType,
} from '../../../engine/rules/types.js';
import { addRollouts, makeRolloutSums, type RolloutSums, rollout } from '../../../selfplay/rollouts/rollout.js';
import { saying } from '../../tools/errors.js';
import { legalLists, placeOf, randomOrders, unitsIn } from '../../tools/legal-orders.js';

const onBoard = new RandomGame();

/** Returns the packed order of the unit in a province from the board. */
const orderOn = (game: Game, province: number): number =>
  packedOrder(board.order[province], game.unitLocation(province));

// ---- lockstep ----

const lockstep = suite('play on the board is adjudicate()');
const results = makeResults();

const playPhase = (game: Game, orders: readonly number[]): void => {
  for (const order of orders) assert.ok(isLegal(game, order), `order ${order} of type ${O.orderType(order)} is legal`);
  adjudicate(game, Int32Array.from(orders), orders.length, results);
};

/** Plays with adjudicate() what the board has just played. */
const replayStep = (game: Game): void => {
  playPhase(
    game,
    unitsIn(game).map((p) => orderOn(game, p)),
  );
  const waits = (order: number): boolean => dislodgedIn(game, placeOf(game, order)) >= 0;
  if (game.phase === RETREAT) playPhase(game, [...played.retreats.subarray(0, played.counts[0])].filter(waits));
  if (game.phase === ADJUSTMENT && game.status === PLAYING)
    playPhase(game, [...played.adjustments.subarray(0, played.counts[1])]);
};

const playInLockstep = (map: CompiledMap, sampler: number, games: number, steps: number): number => {
  const fast = newGame(map, DATC_3_2);
  const slow = newGame(map, DATC_3_2);
  const stream = new Int32Array(2);
  let compared = 0;
  for (let g = 0; g < games; g++) {
    stream.set([g * 7919, sampler]);
    onBoard.load(newGame(map, DATC_3_2), stream);
    onBoard.playOpen(sampler);
    onBoard.store(fast, stream);
    slow.copyFrom(fast);
    for (let k = 0; k < steps && fast.status === PLAYING; k++, compared++) {
      onBoard.load(fast, stream);
      onBoard.step(sampler);
      onBoard.store(fast, stream);
      replayStep(slow);
      assert.is(checkGame(fast), null);
      assert.ok(fast.equals(slow), `${map.name}, ${samplers[sampler]}, game ${g}, step ${k}`);
    }
  }
  return compared;
};

/** Rows of map, number of games, steps per game, and the minimum number of compared positions. */
const LOCKSTEP: readonly (readonly [map: string, games: number, steps: number, compared: number])[] = [
  ['standard', 120, 24, 2000],
  ['chaos', 10, 16, 100],
  ['1898', 10, 16, 100],
  ['ancmed', 10, 16, 100],
  ['colonial,tsr,suez,hongKong', 40, 30, 1000],
  ['loeb9', 40, 30, 1000],
  ['loeb9,armyBorders=SIC-TUN,difficult=SIC-TUN,convoyable=NAP+STP+SIC', 40, 30, 1000],
  ['standard,convoyable=DEN+SWE+SPA+BUL+CON+MAR,fleetBorders=BER-DEN', 40, 30, 1000],
];

for (const [name, games, steps, compared] of LOCKSTEP)
  for (const sampler of [UNIFORM, POLICY])
    lockstep(`${name}, ${samplers[sampler]}: every order legal, every position the same`, () => {
      assert.ok(playInLockstep(loadMap(name), sampler, games, steps) > compared);
    });
lockstep('open retreats and adjustments are played first', () => {
  const stream = Int32Array.of(5, 6);
  const game = newGame(standard, DATC_3_2);
  const random = new Random(11);
  const seen = [0, 0, 0];
  for (let k = 0; k < 400; k++) {
    seen[game.phase]++;
    if (game.phase !== MOVEMENT) {
      const copy = game.clone();
      onBoard.load(copy, stream);
      onBoard.playOpen(UNIFORM);
      onBoard.store(copy, stream);
      assert.is(checkGame(copy), null);
      assert.is(copy.phase, copy.status === PLAYING ? MOVEMENT : ADJUSTMENT);
      assert.ok(copy.year * 2 + copy.season > game.year * 2 + (game.season === 2 ? 1 : game.season));
    }
    adjudicate(game, randomOrders(game, random));
    if (game.status !== PLAYING) game.copyFrom(newGame(standard, DATC_3_2));
  }
  assert.ok(seen[RETREAT] > 3 && seen[ADJUSTMENT] > 20, `phases seen: ${seen}`);
});
lockstep.run();

// ---- samplers ----

const sampling = suite('samplers');

/** Positions by name: power, type and place of each unit. */
const positions: Record<string, string> = {
  'spring 1901':
    'A BUD,A VIE,F TRI,F EDI,F LON,A LVP,F BRE,A MAR,A PAR,F KIE,A BER,A MUN,F NAP,A ROM,A VEN,A WAR,A MOS,F SEV,F STP/SC,F ANK,A CON,A SMY',
  'convoys in the north': 'A YOR,A LON,F NTH,F ENG,A BRE,F MAO,A NAF,A BEL,F NWY,A DEN,F SKA,F HEL,A STP,F WES',
  'convoys in the south':
    'F TYS,F ION,A TUN,A NAP,F LYO,A SPA,F AEG,A GRE,F EAS,A SYR,F ADR,A APU,A ALB,F BUL/EC,F BLA,A RUM,A CON,A MUN',
};

/** Returns a game with these units ('A BUD') only. The powers own them in turn. */
const place = (units: readonly string[], powers: readonly string[] = standard.powerNames, map = standard): Game => {
  const game = newGame(map, DATC_3_2);
  for (const p of unitsIn(game)) game.removeUnit(p);
  for (const [i, unit] of units.entries()) {
    const power = map.powerNames.indexOf(powers[i % powers.length]);
    game.placeUnit(power, unit[0] === 'F' ? FLEET : ARMY, map.locationTags.indexOf(unit.slice(2)));
  }
  return game;
};

/** Returns, for each unit, how often each legal order is drawn in `draws` phases. Fails on an illegal order. */
const countDraws = (game: Game, sampler: typeof drawPolicy, draws: number): Map<number, number>[] => {
  onBoard.load(game, Int32Array.of(1, 2));
  const counts = legalLists(game).map((orders) => new Map([...orders].map((order) => [order, 0])));
  const provinces = unitsIn(game);
  const random = new Random(2026);
  for (let k = 0; k < draws; k++) {
    sampler(standard, false, provinces.length, random.next());
    for (const [i, p] of provinces.entries()) {
      const order = orderOn(game, p);
      const before = counts[i].get(order);
      if (before === undefined) assert.unreachable(`${standard.provinceTags[p]}: drew ${order}, which is not legal`);
      else counts[i].set(order, before + 1);
    }
  }
  return counts;
};

for (const [name, text] of Object.entries(positions)) {
  sampling(`uniform: ${name}, chi-square of every unit's orders`, () => {
    const draws = 60_000;
    for (const counts of countDraws(place(text.split(',')), drawUniform, draws)) {
      const expected = draws / counts.size;
      let chi = 0;
      for (const n of counts.values()) chi += (n - expected) ** 2 / expected;
      const freedom = counts.size - 1;
      // Wilson and Hilferty: the cube root of chi-square over its mean is close to normal. 4.5 deviations: 1 in 300,000.
      const spread = 2 / (9 * freedom);
      const z = (Math.cbrt(chi / freedom) - (1 - spread)) / Math.sqrt(spread);
      assert.ok(z < 4.5, `${counts.size} orders: chi-square ${chi.toFixed(1)}, z ${z.toFixed(2)}`);
    }
  });
  sampling(`policy: ${name}, every draw legal`, () => {
    const counts = countDraws(place(text.split(',')), drawPolicy, 20_000);
    assert.ok(counts.every((each) => [...each.values()].some((n) => n > 0)));
  });
}

/** The number whose product with an odd number is 1. Each of Newton's steps doubles the bits that are right, 3 at first. */
const inverseOf = (odd: number): number => {
  let x = odd;
  for (let i = 0; i < 4; i++) x = Math.imul(x, 2 - Math.imul(odd, x));
  return x;
};

/** What mix() makes `mixed` of: exactly one number, so that all bases together draw all bits equally often. */
const unmix = (mixed: number): number => {
  let x = Math.imul(mixed ^ (mixed >>> 16), inverseOf(0xc2b2_ae35));
  x = Math.imul(x ^ (x >>> 13) ^ (x >>> 26), inverseOf(0x85eb_ca6b));
  return x ^ (x >>> 16);
};

/** Positions of few units, and how many legal orders each has, counted by hand. */
const small: Record<string, Record<string, number>> = {
  'an army': { 'A PAR': 5 },
  'a fleet on one of two coasts': { 'F BUL/EC': 4 },
  'two armies': { 'A PAR': 8, 'A BUR': 11 },
  'an army and the only fleet of its routes': { 'A LON': 10, 'F NTH': 20 },
  'an army with two routes': { 'A LON': 14, 'F NTH': 24, 'F ENG': 19 },
};

for (const [name, sizes] of Object.entries(small))
  sampling(`uniform: ${name}, exact counts`, () => {
    const draws = 2 ** 16;
    const game = place(Object.keys(sizes));
    onBoard.load(game, Int32Array.of(1, 2));
    const lists = legalLists(game);
    for (const list of lists) {
      const counts = new Map([...list].map((order) => [order, 0]));
      const province = placeOf(game, list[0]);
      const type = unitType(game.unitAt(province)) === FLEET ? 'F' : 'A';
      assert.is(counts.size, sizes[`${type} ${standard.locationTags[game.unitLocation(province)]}`]);
      // Each value of the upper half of the bits drawn comes up once.
      for (let i = 0; i < draws; i++) {
        const base = unmix(i << 16) - Math.imul(province + 1, GOLDEN);
        assert.is(mix(base + Math.imul(province + 1, GOLDEN)), i << 16);
        drawUniform(standard, false, lists.length, base);
        const order = orderOn(game, province);
        counts.set(order, (counts.get(order) ?? Number.NaN) + 1);
      }
      const share = draws / counts.size;
      for (const count of counts.values())
        assert.ok(count === Math.floor(share) || count === Math.ceil(share), `${count} of ${share}`);
    }
  });

/** Draws orders of the policy sampler until every legal order was drawn. Skips bases for which `isWorthIt` is false. */
const drawAll = (game: Game, draws: number, isWorthIt: (base: number, k: number) => boolean): void => {
  const { map } = game;
  onBoard.load(game, Int32Array.of(1, 2));
  const legal = new Set(legalLists(game).flatMap((orders) => [...orders]));
  const missing = new Set(legal);
  const provinces = unitsIn(game);
  const random = new Random(4);
  for (let k = 0; k < draws && missing.size > 0; k++) {
    const base = random.next();
    if (!isWorthIt(base, k)) continue;
    drawPolicy(map, game.season === FALL, provinces.length, base);
    for (const p of provinces) {
      const order = orderOn(game, p);
      assert.ok(legal.has(order), `order ${order} of type ${O.orderType(order)} is legal`);
      missing.delete(order);
    }
  }
  assert.is(missing.size, 0, `${missing.size} of ${legal.size} legal orders never came up`);
};

sampling('policy: every legal order of a map with rules of its own comes up', () => {
  const powers = ['RUSSIA', 'RUSSIA', 'BRITAIN', 'TURKEY', 'CHINA'];
  const units = ['A MOS', 'A OMS', 'A ORE', 'F MED', 'F EGY'];
  drawAll(place(units, powers, loadMap('colonial,tsr,suez')), 200_000, () => true);
});

// Looks only at phases that draw from all orders that convoys add, and at one in a thousand of the others.
sampling('policy: every legal order comes up', () =>
  drawAll(
    place(positions['convoys in the north'].split(',')),
    30_000_000,
    (base, k) => (base >>> 3) % 1024 === 0 || k % 1024 === 0,
  ),
);
sampling.run();

// ---- batches ----

const batches = suite('batches');

const course = (seeds: Int32Array, steps: number): Batch => {
  const batch = new Batch(standard, DATC_3_2, seeds.length, { until: 1910 });
  batch.reset(seeds);
  for (let k = 0; k < steps; k++) batch.sampleStep(POLICY);
  return batch;
};

for (const map of [standard, loadMap('ancmed'), loadMap('chaos')])
  for (const sampler of [UNIFORM, POLICY] as const)
    batches(
      `${samplers[sampler]}, ${map.name}: a game that is stored after every step is the one that stays on the board`,
      () => {
        const [stays, stored] = [1, 2].map(() => new Batch(map, DATC_3_2, 400, { until: map.startYear + 7 }));
        for (const batch of [stays, stored]) batch.reset(77);
        stays.playout(sampler);
        while (stored.sampleStep(sampler) > 0);
        assert.equal(stored.bytes, stays.bytes);
        assert.equal(stored.streams, stays.streams);
      },
    );

batches('a game does not depend on its slot', () => {
  const seeds = Int32Array.from({ length: 40 }, (_, i) => i * 31);
  const there = course(seeds, 15);
  const back = course(seeds.slice().reverse(), 15);
  const other = new Game(standard, DATC_3_2, back.bytes);
  for (let i = 0; i < 40; i++) {
    other.offset = (39 - i) * back.stride;
    assert.ok(there.game(i).equals(other), `seed ${seeds[i]}`);
  }
});
batches('playout() is sampleStep() until the end', () => {
  const seeds = Int32Array.from({ length: 60 }, (_, i) => i);
  const stepped = course(seeds, 25);
  const batch = new Batch(standard, DATC_3_2, 60, { until: 1910, shared: true });
  batch.reset(seeds);
  const steps = batch.playout(POLICY);
  assert.is(
    steps,
    stepped.steps.reduce((a, b) => a + b),
  );
  assert.equal([...batch.bytes], [...stepped.bytes]);
  assert.is(batch.ended, 60);
  assert.not.ok(batch.isPlaying(0));
});
batches('10,000 games: every state is sound after every step', () => {
  const batch = new Batch(standard, DATC_3_2, 10_000, { until: 1905 });
  batch.reset(7);
  let steps = 0;
  for (let k = 0; k < 12; k++) {
    steps += batch.sampleStep(k % 2 === 0 ? POLICY : UNIFORM);
    assert.is(batch.check(), null);
  }
  assert.is(steps, 100_000);
});
batches('auto-restart begins the next episode', () => {
  const batch = new Batch(standard, DATC_3_2, 3, { until: 1901, autoRestart: true });
  batch.reset(1);
  const first = [...batch.seeds];
  for (let k = 0; k < 3; k++) assert.is(batch.sampleStep(POLICY), 3);
  assert.is(batch.ended, 3);
  assert.equal([...batch.steps], [1, 1, 1]);
  assert.ok(first.every((seed, i) => seed !== batch.seeds[i]));
});
batches('copies go the same way, reseeded ones another; compact() keeps who plays', () => {
  const batch = new Batch(standard, DATC_3_2, 4, { until: 1903 });
  batch.reset(5);
  batch.copy(0, 1, 3);
  batch.reseed(3, 99);
  for (let k = 0; k < 4; k++) batch.sampleStep(POLICY);
  const copy = batch.game(0).clone();
  assert.ok(batch.game(1).equals(copy));
  assert.not.ok(batch.game(3).equals(copy));
  batch.restart(2, 123);
  batch.sampleStep(POLICY);
  batch.sampleStep(POLICY);
  assert.not.ok(batch.isPlaying(0));
  const slots = new Int32Array(4);
  assert.is(batch.compact(slots), 1);
  assert.is(slots[0], 2);
  assert.is(batch.game(0).year, 1902);
});
batches('step() plays given orders; nonsense is refused', () => {
  const batch = new Batch(standard, DATC_3_2, 2);
  const to = standard.locationTags.indexOf('NTH');
  const from = standard.locationTags.indexOf('LON');
  assert.is(batch.step(Int32Array.of(O.move(from, to)), Int32Array.of(0, 0, 1)), 2);
  assert.is(batch.game(0).unitAt(to), NO_UNIT);
  assert.is.not(batch.game(1).unitAt(to), NO_UNIT);
  assert.throws(() => new Batch(standard, DATC_3_2, 0), saying('got 0, wanted a whole number from 1'));
  assert.throws(() => batch.reset(new Int32Array(3)), saying('got 3, wanted 2'));
  assert.throws(() => batch.playout(POLICY), saying('wanted the option until'));
  const value = new Float64Array(7);
  batch.value(0, 0, value);
  assert.ok(Math.abs(value.reduce((a, b) => a + b) - 1) < 1e-12);
});
batches.run();

// ---- rollouts ----

const rollouts = suite('rollouts');

const tag = (name: string): number => standard.locationTags.indexOf(name);
const fixed = [O.move(tag('ANK'), tag('BLA')), O.move(tag('STP/SC'), tag('BOT'))];

rollouts('parts add up to the whole', () => {
  const game = newGame(standard, DATC_3_2);
  const [whole, parts] = [makeRolloutSums(7), makeRolloutSums(7)];
  addRollouts(game, { horizon: 4, count: 300, seed: 3 }, whole);
  addRollouts(game, { horizon: 4, count: 100, seed: 3 }, parts);
  addRollouts(game, { horizon: 4, count: 200, seed: 3, first: 100 }, parts);
  assert.equal([...parts.sums], [...whole.sums]);
  assert.is(whole.steps, 1200);
});
rollouts('a step to the centres ends as a step does, and restore() as onBoard.load()', () => {
  const after = (again: boolean, seed: number, finish: (sampler: number) => number, sampler: number): number[] => {
    const stream = Int32Array.of(seed, seed ^ 99);
    if (again) assert.ok(onBoard.restore(stream));
    else onBoard.load(start, stream);
    for (let k = 0; k < seed % 4; k++) onBoard.step(sampler);
    finish(sampler);
    return [...boardCenters, onBoard.winner];
  };
  const batch = new Batch(standard, DATC_3_2, 40, { until: 1908 });
  batch.reset(12);
  batch.playout(POLICY);
  // Games that nobody has won go on as if they had just come to a spring; one is close to a solo.
  const starts = Array.from({ length: 40 }, (_, i) => batch.game(i).clone()).filter((game) => game.winner < 0);
  for (const game of starts) Object.assign(game, { status: PLAYING, phase: MOVEMENT, season: 0 });
  for (let c = 0; c < 17; c++) starts[0].setOwner(c, 2);
  let start = starts[0];
  for (start of starts)
    for (const sampler of [POLICY, UNIFORM]) {
      const seeds = [1, 2, 3, 4, 5];
      const whole = seeds.map((seed) => after(false, seed, (by) => onBoard.step(by), sampler));
      onBoard.load(start, Int32Array.of(0, 0));
      onBoard.snapshot();
      const short = seeds.map((seed) => after(true, seed, (by) => onBoard.stepToCenters(by), sampler));
      assert.equal(short, whole);
      // The whole game: what store() writes after a restore() and steps.
      const stream = new Int32Array(2);
      const [one, other] = [() => onBoard.restore(stream), () => onBoard.load(start, stream)].map((begin) => {
        const game = start.clone();
        stream.set([7, 8]);
        begin();
        for (let k = 0; k < 3; k++) onBoard.step(sampler);
        onBoard.store(game, stream);
        return game.bytes;
      });
      assert.equal(one, other);
      assert.not.ok(onBoard.restore(stream), 'another game has been loaded');
    }
  assert.ok(starts.length > 30);
});
/** A game of the policy's orders that waits for retreats. */
const gameInRetreats = (): Game => {
  const game = newGame(standard, DATC_3_2);
  for (let seed = 1; game.phase !== RETREAT; seed++) {
    onBoard.load(game, Int32Array.of(seed, 1));
    const at = unitsIn(game);
    drawPolicy(standard, game.season === FALL, at.length, mix(seed));
    const orders = Int32Array.from(at, (p) => orderOn(game, p));
    adjudicate(game, game.phase === MOVEMENT ? orders : new Int32Array(0));
  }
  return game;
};
rollouts('scored rollouts are those of a function that scores, to the last bit', () => {
  const fresh = newGame(standard, DATC_3_2);
  const inRetreats = gameInRetreats();
  const colonial = newGame(loadMap('colonial'), DATC_3_2);
  for (const score of [0, 1, 2, 3, 5])
    for (const sampler of [POLICY, UNIFORM])
      for (const horizon of [0, 1, 2, 5])
        for (const start of [{ game: fresh }, { game: fresh, fixed }, { game: inRetreats }, { game: colonial }]) {
          const { game, ...first } = start;
          const options = { ...first, horizon, count: 20, seed: 4, sampler };
          const evaluate = (centers: Int32Array, powers: number, winner: number, out: Float64Array): void =>
            scoreInto(score, centers, 1, powers, winner, out);
          const [scored, valued] = [{ score }, { evaluate }].map((by) => {
            const sums = makeRolloutSums(7);
            addRollouts(game, { ...options, ...by }, sums);
            return sums;
          });
          assert.equal(scored, valued);
        }
});
rollouts('a function that values the end may use the board, and finds a whole step played', () => {
  const game = newGame(standard, DATC_3_2);
  const units: number[] = [];
  const valueWith = (use: () => void): RolloutSums => {
    const sums = makeRolloutSums(7);
    const evaluate = (centers: Int32Array, powers: number, _: number, out: Float64Array): void => {
      for (let q = 0; q < powers; q++) out[q] = centers[1 + q];
      units.push(boardUnits.reduce((sum, n) => sum + n));
      use();
    };
    addRollouts(game, { horizon: 2, count: 50, seed: 6, evaluate }, sums);
    return sums;
  };
  const alone = valueWith(() => {});
  assert.ok(Math.max(...units) > 22, 'adjustments are played');
  const noOrders = new Int32Array(0);
  assert.equal(
    valueWith(() => adjudicate(game.clone(), noOrders)),
    alone,
  );
});
rollouts('the standard error covers the truth, and falls with the root of the count', () => {
  const game = newGame(standard, DATC_3_2);
  const truth = rollout(game, { horizon: 6, count: 40_000, seed: 1 });
  const small = rollout(game, { horizon: 6, count: 1000, seed: 2 });
  for (let q = 0; q < 7; q++) {
    assert.ok(Math.abs(small.mean[q] - truth.mean[q]) < 5 * small.error[q], `power ${q}`);
    assert.ok(Math.abs(small.error[q] / truth.error[q] / Math.sqrt(40) - 1) < 0.25, `error of power ${q}`);
  }
  assert.ok(Math.abs(truth.mean.reduce((a, b) => a + b) - 1) < 1e-9);
});
rollouts('fixed orders are played, the others draw the same', () => {
  const game = newGame(standard, DATC_3_2);
  addRollouts(game, { horizon: 0, count: 1, seed: 8, fixed }, makeRolloutSums(7));
  addRollouts(game, { horizon: 1, count: 1, seed: 8 }, makeRolloutSums(7));
  const free = [...board.order];
  addRollouts(game, { horizon: 1, count: 1, seed: 8, fixed }, makeRolloutSums(7));
  assert.is(orderOn(game, tag('ANK')), fixed[0]);
  assert.is(orderOn(game, tag('STP')), fixed[1]);
  for (const p of unitsIn(game)) if (p !== tag('ANK') && p !== tag('STP')) assert.is(board.order[p], free[p]);
});
rollouts('a won game has its value; nonsense is refused', () => {
  const game = newGame(standard, DATC_3_2);
  assert.throws(() => rollout(game, { horizon: -1, count: 1, seed: 1 }), saying('horizon: got -1'));
  assert.throws(() => rollout(game, { horizon: 1, count: 0.5, seed: 1 }), saying('count: got 0.5'));
  for (let c = 0; c < 18; c++) game.setOwner(c, 2);
  assert.is(game.winner, -1);
  assert.is(rollout(game, { horizon: 2, count: 5, seed: 1 }).mean[2] > 0.5, true);
});
rollouts.run();
