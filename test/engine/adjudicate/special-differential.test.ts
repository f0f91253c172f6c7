// Tests the engine against the oracle on maps with rules of their own: families of dense positions near each special place,
// and for each order that failed there, that the reason is one that its result can have.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { explain, ReasonCode, reasons } from '../../../engine/adjudicate/explain.js';
import { makeResults } from '../../../engine/rules/results.js';
import { FAILS, NO_UNIT, STANDS, STOPS } from '../../../engine/rules/types.js';
import { describeRun, SpecialRun } from '../../oracle/special-differential.js';
import { specialFamilies } from '../../tools/special-families.js';

const SEED = 20_251;
/** Sets of each family: 50,000 in all. */
const SETS: Readonly<Record<string, number>> = { railroad: 10_000, rotation: 10_000 };
const OTHER_SETS = 6000;

const differential = suite('special maps: differential');
let compared = 0;

for (const family of specialFamilies) {
  const sets = SETS[family.name] ?? OTHER_SETS;
  differential(`${family.name}: ${sets} sets`, () => {
    const run = new SpecialRun(family, SEED);
    const next = family.open(SEED);
    for (let i = 0; i < sets; i++) {
      const difference = run.check(next());
      if (difference !== null) assert.unreachable(`${family.name}, seed ${SEED}, set ${i}: ${difference}`);
    }
    compared += run.sets;
    assert.is(run.differences, 0);
    // Ice changes what is legal, and nothing of what comes of legal orders.
    assert.ok(run.changed > 0 || family.name === 'ice');
    console.log(describeRun(family.name, run));
  });
}

differential('50,000 sets were compared', () => assert.is(compared, 50_000));
differential.run();

const told = suite('special maps: reasons');

told('every order that fails has a reason, and every reason comes up', () => {
  const results = makeResults();
  const seen = new Set<number>();
  for (const { map, open } of specialFamilies) {
    const next = open(SEED + 1);
    for (let i = 0; i < 3000; i++) {
      const { game, orders } = next();
      adjudicate(
        game,
        orders.filter((order) => order !== 0),
        undefined,
        results,
      );
      for (let p = 0; p < map.provinceCount; p++) {
        if (results.unit[p] === NO_UNIT || results.result[p] === STANDS) continue;
        const { code, province } = explain(map, results, p);
        const failed = [FAILS, STOPS].includes(results.result[p] as 2 | 9);
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
