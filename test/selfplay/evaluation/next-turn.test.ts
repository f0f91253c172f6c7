// Tests what the next turn usually changes (selfplay/evaluation/next-turn.ts), and how it is learned.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fitTable, learnNextTurn, type Seen } from '../../../bench/strength/next-turn.js';
import { Random, standard } from '../../../engine/internal.js';
import { RandomGame } from '../../../engine/play/step.js';
import { MINE, NO_PATTERN, nextTurn, OTHERS, PATTERNS, patternOf } from '../../../selfplay/evaluation/next-turn.js';
import { evaluateOrders, readPosition, seenAfter } from '../../../selfplay/evaluation/static-evaluation.js';
import { nextWeights } from '../../../selfplay/evaluation/weights.js';
import { listOwnOrders } from '../../../selfplay/heuristics/own-orders.js';
import { position } from '../../tools/positions.js';

const next = suite('the next turn');

next('every pattern has a number of its own, and more than three units count as three', () => {
  const seen = new Set<number>();
  for (const season of [0, 1])
    for (const owner of [0, MINE, OTHERS])
      for (const unit of [0, MINE, OTHERS])
        for (const mine of [0, 2, 4, 6])
          for (const most of [0, 2, 4, 6]) seen.add(patternOf(season, owner, unit, mine, most));
  assert.is(seen.size, PATTERNS - 1);
  assert.equal([Math.min(...seen), Math.max(...seen)], [1, PATTERNS - 1]);
  assert.not(seen.has(NO_PATTERN));
  assert.is(patternOf(1, MINE, 0, 1, 9), patternOf(1, MINE, 0, 2, 6), 'half a unit counts as one');
  assert.is(nextTurn.length, PATTERNS);
  assert.is(nextTurn[NO_PATTERN], 0);
  assert.ok(nextTurn.every((x) => Math.abs(x) < 1));
});

const turkey = {
  phase: 'F1902M',
  units: {
    TURKEY: ['A CON', 'F BLA', 'A SMY'],
    RUSSIA: ['A ARM', 'F SEV', 'A RUM'],
    AUSTRIA: ['A BUL', 'A SER', 'F GRE'],
  },
  centers: {
    TURKEY: ['CON', 'ANK', 'SMY'],
    RUSSIA: ['SEV', 'MOS', 'WAR', 'RUM'],
    AUSTRIA: ['BUL', 'SER', 'GRE', 'BUD'],
  },
};

next('what is kept from one trial to the next makes no difference, whoever looks', () => {
  const game = position(turkey);
  const random = new Random(1);
  readPosition(game, nextWeights);
  const trial = new RandomGame();
  trial.load(game);
  const sides = listOwnOrders(trial, game);
  const sets = Array.from({ length: 200 }, () => {
    const orders = new Int32Array(standard.provinceCount);
    for (const own of sides) {
      const drawn = Int32Array.from(own.orders, (list) => random.below(list.length));
      own.put(drawn, orders);
    }
    return orders;
  });
  const powers = sets.map(() => sides[random.below(sides.length)].power);
  const inTurn = sets.map((orders, i) => evaluateOrders(trial, orders, powers[i], i % 2));
  const ofTurn = seenAfter(trial, powers[199], 1);
  assert.equal(
    listOwnOrders(trial, game, powers[0]).map(({ orders }) => orders),
    sides.filter(({ power }) => power === powers[0]).map(({ orders }) => orders),
  );
  const anew = sets.map((orders, i) => {
    readPosition(game, nextWeights);
    trial.load(game);
    return evaluateOrders(trial, orders, powers[i]);
  });
  assert.equal(inTurn, anew);
  assert.equal(ofTurn, seenAfter(trial, powers[199]));
  assert.ok(new Set(anew).size > 100);
  readPosition(game);
  trial.load(game);
  const without = sets.map((orders, i) => evaluateOrders(trial, orders, powers[i]));
  assert.ok(without.filter((value, i) => value !== anew[i]).length > 150, 'the table counts');
});

next('what two units of another power threaten after a spring is worth less, what two own ones threaten more', () => {
  for (const mine of [2, 4, 6]) {
    const guarded = (most: number): number => nextTurn[patternOf(1, MINE, MINE, mine, most)];
    assert.ok(guarded(4) < 0 && guarded(0) > 0, `${guarded(4)}, ${guarded(0)}`);
  }
  for (const most of [2, 4, 6]) {
    const attacked = (mine: number): number => nextTurn[patternOf(1, OTHERS, OTHERS, mine, most)];
    assert.ok(attacked(4) > 0.1 && attacked(0) < 0.05, `${attacked(4)}, ${attacked(0)}`);
  }
  assert.ok(nextTurn[patternOf(1, 0, 0, 2, 0)] > 0.2, 'a free centre that only an own unit is near');
});

next('a table is found that the targets were made by', () => {
  const random = new Random(3);
  const table = Float64Array.from({ length: PATTERNS }, (_, i) => (i === NO_PATTERN ? 0 : random.fraction() - 0.5));
  const lessons = Array.from({ length: 3000 }, () =>
    Array.from({ length: 6 }, (): Seen => {
      const patterns = Int32Array.from({ length: 34 }, () => 1 + random.below(PATTERNS - 1));
      const value = random.fraction();
      const slope = 0.5 + random.fraction();
      return { patterns, value, slope, target: patterns.reduce((sum, i) => sum + slope * table[i], value) };
    }),
  );
  const found = fitTable(lessons);
  const level = found[1] - table[1];
  assert.ok(found.every((x, i) => i === NO_PATTERN || Math.abs(x - table[i] - level) < 0.001));
});

next('what is learned is the same for any number of workers', async () => {
  const one = await learnNextTurn({ games: 2, until: 1903, seed: 4 }, 1);
  assert.equal(await learnNextTurn({ games: 2, until: 1903, seed: 4 }, 2), one);
  assert.ok(one.learned > 0 && one.tried > 0, `${one.learned}, ${one.tried}`);
  assert.is(one.table.length, PATTERNS);
  assert.ok(one.before > 0.3 && one.before < 1 && one.after !== one.before);
});

next.run();
