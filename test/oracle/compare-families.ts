// Registers and runs the tests that compare the engine with the oracle on random sets.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Family } from '../../bench/corpus/families.js';
import { standard } from '../../engine/map/standard.js';
import { Random } from '../../engine/rules/random.js';
import { families } from '../tools/families.js';
import { specialFamilies } from '../tools/special-families.js';
import { checkSets, DifferentialRun, makeShuffledMaps } from './differential.js';

export const SEED = 20_260_101;
export const SPECIAL_SEED = 20_251;
/** Sets by family, 100,000 together. Nearly half are storms and knots, where a resolver is most easily wrong. */
const SETS: Readonly<Record<string, number>> = { knot: 25_000, storm: 20_000, 'mid dense': 15_000 };
const OTHER_SETS = 8_000;
/** 50,000 together. */
const SPECIAL_SETS: Readonly<Record<string, number>> = { railroad: 10_000, rotation: 10_000 };
const OTHER_SPECIAL_SETS = 6_000;

/** @param part share of the sets, from 0 to 1: the first ones of each family */
export const compareFamilies = (part: number): void => {
  const differential = suite('differential');
  const compareSets = (family: Family, run: DifferentialRun, all: number, seed = SEED): void => {
    const sets = Math.round(part * all);
    differential(`engine and oracle agree on ${sets} sets of ${family.name}`, () => {
      assert.is(
        checkSets(family, sets, seed, (set) => run.check(set), assert.unreachable),
        0,
      );
      assert.is(run.sets, sets);
      console.log(`${family.name}: ${sets} sets, 0 differences; ${run.describe()}`);
      const [{ name }, { met }] = [family, run];
      if (name === 'storm') assert.ok(met.paradoxes > sets / 10 && met.circles > sets / 50 && met.several > sets / 100);
      if (name === 'knot') assert.ok(met.paradoxes > sets / 4 && met.higher > sets / 50 && met.several > sets / 50);
    });
  };
  const maps = makeShuffledMaps(standard, 8, new Random(SEED));
  for (const family of families)
    compareSets(family, new DifferentialRun(standard, maps), SETS[family.name] ?? OTHER_SETS);
  for (const family of specialFamilies) {
    const run = new DifferentialRun(family.map, makeShuffledMaps(family.map, 1, new Random(SEED)), family.without);
    compareSets(family, run, SPECIAL_SETS[family.name] ?? OTHER_SPECIAL_SETS, SPECIAL_SEED);
    // Ice changes what is legal, and nothing of what comes of legal orders.
    if (family.name !== 'ice')
      differential(`the option of ${family.name} changes who is where`, () => assert.ok(run.met.changed > 0));
  }
  differential.run();
};
