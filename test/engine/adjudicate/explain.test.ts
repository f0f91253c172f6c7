// Tests that explain() gives a reason for each failure, and none for anything else, by comparison with the results.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { explain, ReasonCode, reasons } from '../../../engine/adjudicate/explain.js';
import { standard as map } from '../../../engine/map/standard.js';
import { Game } from '../../../engine/position/game.js';
import { DATC_3_2, rulesByName } from '../../../engine/rules/options.js';
import { CONVOY, MOVE, orderHelped, orderTarget, orderType } from '../../../engine/rules/order.js';
import { makeResults } from '../../../engine/rules/results.js';
import * as T from '../../../engine/rules/types.js';
import { families } from '../../tools/families.js';

const SETS = 600;

const results = makeResults();
const target = (p: number): number => map.locationProvince[orderTarget(results.order[p])];
const isMove = (p: number): boolean => results.unit[p] !== T.NO_UNIT && orderType(results.order[p]) === MOVE;
const samePower = (p: number, q: number): boolean => T.unitPower(results.unit[p]) === T.unitPower(results.unit[q]);
const left = (p: number): boolean => isMove(p) && results.result[p] === T.SUCCEEDS;
const carries = (fleet: number, army: number): boolean =>
  orderType(results.order[fleet]) === CONVOY && orderHelped(results.order[fleet]) === army;

/** By reason: the results it may stand for, and what must be so if it names province q for the unit in p. */
const claims: ReadonlyMap<number, readonly [readonly number[], (p: number, q: number) => boolean]> = new Map([
  [ReasonCode.NONE, [[T.STANDS, T.SUCCEEDS, T.GIVEN, T.AVAILABLE], (_, q) => q === -1]],
  [ReasonCode.BOUNCED, [[T.FAILS], (p, q) => q !== p && isMove(q) && target(q) === target(p)]],
  [
    ReasonCode.HELD,
    [[T.FAILS], (p, q) => q === target(p) && results.unit[q] !== T.NO_UNIT && !left(q) && !samePower(p, q)],
  ],
  [ReasonCode.OWN_UNIT_STAYED, [[T.FAILS], (p, q) => q === target(p) && samePower(p, q) && !left(q)]],
  [ReasonCode.LOST_HEAD_TO_HEAD, [[T.FAILS], (p, q) => q === target(p) && isMove(q) && target(q) === p]],
  [ReasonCode.CONVOY_NOT_ORDERED, [[T.INVALID], (_, q) => q === -1]],
  [ReasonCode.CONVOY_DISRUPTED, [[T.FAILS], (p, q) => carries(q, p) && results.fate[q] !== T.NO_FATE]],
  [
    ReasonCode.CONVOY_PARADOX,
    [[T.FAILS, T.DISRUPTED], (p, q) => (q === p || carries(q, p)) && results.fate[q] === T.NO_FATE],
  ],
  [ReasonCode.CUT_BY_ATTACK, [[T.CUT], (p, q) => isMove(q) && target(q) === p && !samePower(p, q)]],
  [ReasonCode.CUT_BY_DISLODGEMENT, [[T.CUT], (p, q) => q === results.attacker[p] && q === target(p)]],
  [ReasonCode.UNMATCHED, [[T.INVALID], (p, q) => q === orderHelped(results.order[p]) && results.unit[q] !== T.NO_UNIT]],
  [ReasonCode.FLEET_DISLODGED, [[T.DISRUPTED], (p, q) => q >= 0 && q === results.attacker[p]]],
]);

const reasonSuite = suite('explain');
const seen = new Set<number>();

// By the rules of 1971 a convoy wants every fleet that was ordered to it: there may be a chain all the same.
const cases = [
  ...families.map((family) => ({ family, rules: DATC_3_2 })),
  ...families.map((family) => ({ family, rules: rulesByName('1971') })),
];
for (const { family, rules } of cases)
  reasonSuite(`the reasons of ${SETS} sets of ${family.name} by ${rules.name} are true`, () => {
    const next = family.open(4242);
    for (let i = 0; i < SETS; i++) {
      const { game: drawn, orders, count } = next();
      const game = new Game(map, rules);
      game.copyFrom(drawn);
      adjudicate(game, orders, count, results);
      for (let p = 0; p < map.provinceCount; p++) {
        if (results.unit[p] === T.NO_UNIT) continue;
        const { code, province } = explain(map, results, p);
        const claim = claims.get(code);
        assert.ok(claim !== undefined, `reason ${code}`);
        const what = `${reasons[code]}, set ${i}, ${map.provinceTags[p]}`;
        assert.ok(claim[0].includes(results.result[p]), `${what}: result ${results.result[p]}`);
        assert.ok(claim[1](p, province), `${what}: province ${province}`);
        seen.add(code);
      }
    }
  });

reasonSuite('every reason of a movement phase came up', () => {
  assert.equal(
    [...seen].sort((a, b) => a - b),
    [...claims.keys()].sort((a, b) => a - b),
  );
  // The others are those of maps with rules of their own.
  assert.equal(
    [...claims.keys(), ReasonCode.RETREATS_COLLIDED].sort((a, b) => a - b),
    [...reasons.keys()].filter((code) => code < ReasonCode.OTHER_TRAIN),
  );
});

reasonSuite.run();
