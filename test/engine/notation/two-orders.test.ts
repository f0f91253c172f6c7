// Tests two orders for a unit and other faults of order sets under different rules (DATC 4.D.3, 4.D.7).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../../engine/map/standard.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { DATC_READING, type Interpreted, settleTwice } from '../../../engine/notation/text/index.js';
import { ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { NONE } from '../../../engine/rules/order.js';
import { Random } from '../../../engine/rules/random.js';
import { makeFolder, runLepanto } from '../../tools/command.js';

const resultsUnder = (rules: string, orders: readonly string[]): readonly (readonly [string, string | null])[] => {
  const record = { phase: 'S1901M', units: { FRANCE: ['A PAR', 'A MAR'] }, centers: {}, orders: { FRANCE: orders } };
  return adjudicateRecord(record, standard, ruleSetByName(rules)).orders.map(({ result, reason }) => [result, reason]);
};

const orders = ['A PAR - BUR', 'A MAR - SPA', 'A PAR - PIC'];
const twice = suite('two orders for a unit');

twice('the first counts', () => {
  assert.equal(resultsUnder('datc-3.2', orders), [
    ['succeeds', null],
    ['succeeds', null],
    ['illegal', 'already ordered'],
  ]);
});

twice('the last counts', () => {
  assert.equal(resultsUnder('twoOrders=last', orders), [
    ['illegal', 'ordered again'],
    ['succeeds', null],
    ['succeeds', null],
  ]);
});

twice('none counts', () => {
  assert.equal(resultsUnder('datc-2.4', orders), [
    ['illegal', 'ordered twice'],
    ['succeeds', null],
    ['illegal', 'ordered twice'],
  ]);
});

twice('the set is refused', () => {
  const refused = orders.map((): [string, string] => ['illegal', 'the whole set is refused']);
  assert.equal(resultsUnder('strict-2003', orders), refused);
  assert.equal(resultsUnder('strict-2003', ['A PAR - BUR', 'A MAR - SPA']), [
    ['succeeds', null],
    ['succeeds', null],
  ]);
});

twice('the same order twice is one order', () => {
  for (const rules of ['datc-2.4', 'twoOrders=last'])
    assert.equal(resultsUnder(rules, ['A PAR - BUR', 'A PAR - BUR'])[0], ['succeeds', null], rules);
});

twice('a build is waived, or not', () => {
  const record = { phase: 'W1901A', units: {}, centers: { FRANCE: ['PAR'] }, orders: { FRANCE: ['WAIVE'] } };
  const resultOf = (rules: string): string => adjudicateRecord(record, standard, ruleSetByName(rules)).orders[0].result;
  assert.is(resultOf('datc-3.2'), 'succeeds');
  assert.is(resultOf('waive=no'), 'fails');
});

const adjust = (rules: string, power: string, orders: readonly string[], more: object): readonly string[] => {
  const record = { phase: 'W1901A', orders: { [power]: orders }, ...more };
  const answer = adjudicateRecord(record, standard, ruleSetByName(rules));
  return [...answer.built, ...answer.disbanded].sort();
};

twice('more builds than are due: the first, the last, none', () => {
  const france = { units: { FRANCE: ['A BUR'] }, centers: { FRANCE: ['PAR', 'BRE', 'MAR'] } };
  const builds = ['A PAR B', 'F BRE B', 'A MAR B'];
  assert.equal(adjust('datc-3.2', 'FRANCE', builds, france), ['A PAR', 'F BRE']);
  assert.equal(adjust('surplusBuilds=last', 'FRANCE', builds, france), ['A MAR', 'F BRE']);
  assert.equal(adjust('surplusBuilds=none', 'FRANCE', builds, france), []);
  assert.equal(adjust('surplusBuilds=none', 'FRANCE', builds.slice(1), france), ['A MAR', 'F BRE']);
});

twice('two builds in one centre: the first, the last, none', () => {
  const russia = { units: {}, centers: { RUSSIA: ['STP', 'MOS'] } };
  const builds = ['F STP/NC B', 'F STP/SC B'];
  assert.equal(adjust('datc-3.2', 'RUSSIA', builds, russia), ['F STP/NC']);
  assert.equal(adjust('doubleBuilds=last', 'RUSSIA', builds, russia), ['F STP/SC']);
  assert.equal(adjust('doubleBuilds=none', 'RUSSIA', builds, russia), []);
});

twice('more removals than are due: the first, the last, those of civil disorder', () => {
  const italy = { units: { ITALY: ['A ROM', 'A BUR', 'A NAP'] }, centers: { ITALY: ['ROM', 'NAP'] } };
  const removals = ['A ROM D', 'A NAP D'];
  assert.equal(adjust('datc-3.2', 'ITALY', removals, italy), ['A ROM']);
  assert.equal(adjust('surplusRemovals=last', 'ITALY', removals, italy), ['A NAP']);
  assert.equal(adjust('surplusRemovals=disorder', 'ITALY', removals, italy), ['A BUR']);
});

// ---- many orders ----

/** settleTwice() in the words of its rules, every order held against every other: what counts, by place. */
const settledByPairs = (rule: string, given: readonly (readonly [number, Interpreted])[]): boolean[] => {
  const differs = ([, a]: readonly [number, Interpreted], [, b]: readonly [number, Interpreted]): boolean =>
    a.own >= 0 && a.own === b.own && a.order !== NONE && b.order !== NONE && a.order !== b.order;
  return given.map((one, i) => {
    const [power, { order, own }] = one;
    const twice = given.some((other) => differs(one, other));
    if (order === NONE) return false;
    if (rule === 'hold') return !twice;
    if (rule === 'refuse')
      return !given.some(
        (other) => other[0] === power && (other[1].extra === true || given.some((third) => differs(other, third))),
      );
    return !twice || !given.slice(i + 1).some(([, later]) => later.own === own && later.order !== NONE);
  });
};

twice('orders drawn at random count as when each is held against every other', () => {
  const random = new Random(11, 0, 0);
  let counting = 0;
  let dropped = 0;
  for (let set = 0; set < 6000; set++) {
    const given = Array.from({ length: random.below(9) }, (): readonly [number, Interpreted] => {
      const power = random.below(2);
      const own = random.below(4) === 0 ? -1 : 2 * random.below(3) + power;
      const order = random.below(6) === 0 ? NONE : 100 + random.below(2);
      const extra = order === NONE && random.below(2) === 0;
      return [power, { order, reason: order === NONE ? 'no' : null, unit: null, own, misplaced: false, extra }];
    });
    for (const rule of ['last', 'hold', 'refuse'] as const) {
      const wanted = settledByPairs(rule, given);
      const got = settleTwice({ ...DATC_READING, twoOrders: rule }, given).map(({ order }) => order !== NONE);
      assert.equal(got, wanted, `${rule}, ${JSON.stringify(given)}`);
      counting += wanted.filter((counts) => counts).length;
      dropped += given.filter(([, { order }], i) => order !== NONE && !wanted[i]).length;
    }
  }
  assert.ok(counting > 5000 && dropped > 5000, `${counting} counting, ${dropped} dropped`);
});

const home = { AUSTRIA: 'A VIE', ENGLAND: 'F LON', FRANCE: 'A PAR', GERMANY: 'A BER', ITALY: 'A ROM', RUSSIA: 'A MOS' };
const ofHome = (read: (unit: string) => string): Readonly<Record<string, string[]>> =>
  Object.fromEntries(Object.entries(home).map(([power, unit]) => [power, [read(unit)]]));
const repeated = (order: (unit: string, i: number) => string): Readonly<Record<string, string[]>> =>
  Object.fromEntries(
    Object.entries(home).map(([power, unit]) => [power, Array.from({ length: 1000 }, (_, i) => order(unit, i))]),
  );

twice('a thousand orders of each power for one unit are answered in seconds, whatever the rules say of two', () => {
  const units = ofHome((unit) => unit);
  const sets = [repeated((unit) => `${unit} H`), repeated((unit, i) => `${unit} ${i % 2 === 0 ? 'H' : '- XYZ'}`)];
  const input = sets.map((orders) => JSON.stringify({ phase: 'S1901M', units, orders })).join('\n');
  for (const rule of ['last', 'hold', 'refuse'] as const) {
    const { code, out } = runLepanto(['adjudicate', '--rules', `twoOrders=${rule}`], { input });
    assert.is(code, 0, rule);
    const counts = out.trim().split('\n');
    assert.equal(
      counts.map((line) => JSON.parse(line).orders.length),
      [6000, 6000],
      rule,
    );
  }
});

twice('a saved game with a thousand orders a power is verified in seconds, although all rules are tried', () => {
  const names = Array.from({ length: 6 }, (_, i) => `${i % 2 === 0 ? 'S' : 'F'}${1901 + (i >> 1)}M`);
  // A centre for each unit: no winter comes between.
  const state = { units: ofHome((unit) => unit), centers: ofHome((unit) => unit.slice(2)) };
  const orders = repeated((unit) => `${unit} H`);
  // One result is wrong, so that all rules are tried.
  const phases = names.map((name) => ({
    name,
    state: { name, ...state },
    orders,
    results: { 'A PAR': ['dislodged'] },
  }));
  const path = join(makeFolder('two-orders'), 'many.json');
  writeFileSync(path, JSON.stringify({ id: 'many', map: 'standard', phases }));
  const { code, err } = runLepanto(['convert', path]);
  assert.is(code, 1);
  assert.match(err, /A PAR: result: recorded dislodged, here stands, and 5 more/);
  assert.match(err, /recorded orders do not count: .*already ordered/);
});

twice.run();
