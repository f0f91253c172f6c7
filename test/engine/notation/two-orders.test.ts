// Tests many orders for a unit (DATC 4.D.3): which count, and that answering them takes no time that grows with pairs.
// Sets of two or three are in test/data/records.json.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DATC_READING, type Interpreted, settleTwice } from '../../../engine/notation/text/index.js';
import { NONE } from '../../../engine/rules/order.js';
import { Random } from '../../../engine/rules/random.js';
import { makeFolder, runLepanto } from '../../tools/command.js';

const twice = suite('two orders for a unit');

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
  assert.match(err, /A PAR: result: recorded dislodged, adjudicated stands, and 5 more/);
  assert.match(err, /recorded orders do not count: .*already ordered/);
});

twice.run();
