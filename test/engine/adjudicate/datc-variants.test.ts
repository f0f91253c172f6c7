// Tests every case of DATC 2.4, chapters 7 to 12 (maps with rules of their own), through the code that `lepanto
// adjudicate` runs for a line; and what a line says of its map.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { changeMap, loadMap } from '../../../engine/map/index.js';
import { readMapChanges } from '../../../engine/map/map-options.js';
import { standard } from '../../../engine/map/standard.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import { newGame } from '../../../engine/position/game.js';
import { DATC_3_2 } from '../../../engine/rules/options.js';
import { FALL, PLAYING, SOLO } from '../../../engine/rules/types.js';
import { byPower, checkByCommand, loadCases, mapOfCase } from '../../tools/cases.js';
import { saying } from '../../tools/errors.js';

const cases = loadCases('datc-2.4-variants.json');

const datc = suite('DATC 2.4, chapters 7 to 12');
for (const row of cases) datc(`${row.id} ${row.title}`, () => checkByCommand(mapOfCase(row), row));

datc('all of the 86 cases are here', () => {
  const counts: Record<string, number> = {};
  for (const { id } of cases) {
    const chapter = id
      .split('.')
      .slice(0, id.startsWith('7') ? 2 : 1)
      .join('.');
    counts[chapter] = (counts[chapter] ?? 0) + 1;
  }
  // 7.A.3 is below, and 10.G has two parts.
  assert.equal(counts, { '7.A': 2, '7.B': 34, '7.C': 14, '7.D': 2, 8: 5, 9: 7, 10: 16, 11: 1, 12: 4 });
});

datc('7.A.3: Hong Kong does not count towards a victory of China', () => {
  const winnerWith = (name: string, power: string): number => {
    const map = loadMap(name);
    const game = newGame(map, DATC_3_2);
    for (let p = 0; p < map.provinceCount; p++) game.removeUnit(p);
    const hong = map.centerIndex[map.provinceTags.indexOf('HON')];
    const owner = map.powerNames.indexOf(power);
    for (let c = 0, n = 0; c < map.centerCount; c++)
      game.setOwner(c, c === hong ? owner : n++ < map.victoryCenters - 1 ? owner : -1);
    game.season = FALL;
    adjudicate(game, new Int32Array(0));
    assert.is(game.status, game.winner < 0 ? PLAYING : SOLO);
    return game.winner;
  };
  assert.is(winnerWith('colonial,hongKong', 'CHINA'), -1);
  assert.is(winnerWith('colonial', 'CHINA'), 1);
  assert.is(winnerWith('colonial,hongKong', 'FRANCE'), 2);
});

datc('nothing is left of them on other maps', () => {
  const others = loadCases('datc-3.2.json').filter(({ id }) => /^6\.[FG]/.test(id));
  assert.ok(others.length > 40);
  cases.forEach((row, i) => {
    checkByCommand(mapOfCase(row), row);
    for (let k = 0; k < 6; k++) checkByCommand(standard, others[(6 * i + k) % others.length]);
  });
});

datc('10.F: supports that hang on one another say so', () => {
  const row = cases.find(({ id }) => id === '10.F');
  if (row === undefined) return assert.unreachable('no case 10.F');
  const orders = byPower(row.orders);
  const { units, map, options, mapEdits } = row;
  const answer = adjudicateRecord({ map, options, mapEdits, phase: 'F1901M', units, orders });
  const told = answer.orders.filter(({ result }) => result === 'cut').map(({ reason }) => reason);
  const words = 'cut: the supports over difficult borders depend on one another';
  assert.equal(told, [words, words]);
});
datc.run();

// ---- the line ----

const lines = suite('the map of a line');

const line = {
  id: 1,
  phase: 'S1M',
  units: { RUSSIA: ['A MOS'] },
  orders: { RUSSIA: ['A MOS - TSR - VLA'] },
};
const refusal = (fields: object): string => {
  try {
    adjudicateRecord({ ...line, ...fields });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

lines('names its map, options and changes; maps are mixed', () => {
  const ride = adjudicateRecord({ ...line, map: 'colonial', options: { tsr: true, suez: false } });
  assert.equal(ride.units.RUSSIA, ['A VLA']);
  assert.is(ride.next_phase, 'F1M');
  const without = adjudicateRecord({ ...line, map: 'colonial' });
  assert.equal([without.orders[0].result, without.orders[0].reason], ['illegal', 'the railroad is not in use']);
  assert.is(adjudicateRecord(line).orders[0].result, 'illegal');
  assert.is(adjudicateRecord({ ...line, options: { tsr: true } }, loadMap('colonial')).orders[0].result, 'succeeds');
  const off = adjudicateRecord({ ...line, options: { tsr: false } }, loadMap('colonial,tsr'));
  assert.is(off.orders[0].result, 'illegal');
});

lines('legal lists what the options allow', () => {
  const units = { RUSSIA: ['A MOS', 'F MED'], TURKEY: ['A EGY'] };
  const orders = (options: object): readonly string[] => {
    const { RUSSIA } = legalRecord({ map: 'colonial', phase: 'S1870M', units, options }).orders;
    return Object.values(RUSSIA).flat();
  };
  const plain = orders({});
  const all = orders({ tsr: true, suez: true });
  assert.equal(
    all.filter((order) => !plain.includes(order)),
    ['F MED - RED', ...['PRM', 'OMS', 'KRA', 'IRK', 'VLA'].map((to) => `A MOS - TSR - ${to}`)],
  );
  assert.equal(
    plain.filter((order) => !all.includes(order)),
    [],
  );
});

lines('refuses what there is not, by name', () => {
  assert.match(refusal({ map: 'nowhere' }), 'map: got "nowhere", wanted one of standard, 1898');
  assert.match(refusal({ map: 7 }), 'map: got 7, wanted the name of a map');
  assert.match(refusal({ options: { steam: true } }), 'options: got "steam", wanted one of tsr, suez');
  assert.match(refusal({ options: { tsr: true } }), 'map standard: got option tsr, which this map has no place for');
  assert.match(refusal({ options: { tsr: false } }), 'got option tsr, which this map has no place for');
  assert.match(refusal({ map: 'colonial', options: { tsr: 1 } }), 'options, tsr: got 1, wanted true or false');
  assert.match(refusal({ options: { ice: true } }), 'got option ice');
  assert.match(refusal({ options: [] }), 'options: got a list of 0, wanted an object');
  assert.match(refusal({ mapEdits: { bridges: [] } }), 'mapEdits: got "bridges", wanted one of convoyable');
  assert.match(refusal({ mapEdits: { convoyable: ['MOS'] } }), 'convoyable: got MOS, wanted a coastal province');
  assert.match(refusal({ mapEdits: { convoyable: ['ZZZ'] } }), 'convoyable: unknown province ZZZ');
  assert.match(refusal({ mapEdits: { convoyable: ['A,B'] } }), 'got "A,B", wanted a tag');
  assert.match(refusal({ mapEdits: { fleetBorders: [['BER']] } }), 'got a list of 1, wanted pairs like ["BER", "DEN"]');
  assert.match(refusal({ mapEdits: { fleetBorders: [['BER', 'MOS']] } }), 'fleet border at MOS, which is land');
  assert.match(refusal({ mapEdits: { fleetBorders: [['BUL', 'GRE']] } }), 'got BUL, wanted one of its coasts');
  assert.match(refusal({ mapEdits: { armyBorders: [['NTH', 'LON']] } }), 'army border at NTH, which is sea');
  assert.match(refusal({ mapEdits: { difficult: [['LON', 'MOS']] } }), 'no army moves between LON and MOS');
  assert.match(refusal({ mapEdits: { difficult: [['LON', 'LON']] } }), 'got "LON-LON", wanted two places');
});

lines('a name says options and changes in one spelling', () => {
  const names = (text: string): string => loadMap(text).name;
  assert.is(names('COLONIAL,suez,TSR'), 'colonial,tsr,suez');
  assert.is(names('colonial,tsr=no'), 'colonial');
  assert.is(names('loeb9,ice=on,difficult=off'), 'loeb9,difficult=no');
  assert.is(names('chaos,buildAnywhere=no'), 'chaos,buildAnywhere=no');
  assert.is(
    names('standard,fleetBorders=DEN-BER,convoyable=swe+DEN'),
    'standard,convoyable=DEN+SWE,fleetBorders=DEN-BER',
  );
  assert.is(loadMap('colonial,suez,tsr'), loadMap('colonial,tsr,suez'));
  const twice = changeMap(loadMap('colonial,tsr'), readMapChanges(['suez', 'tsr=no']));
  assert.is(twice.name, 'colonial,suez');
  assert.is(twice, loadMap('colonial,suez'));
  const ids = ['colonial', 'colonial,tsr', 'colonial,suez', 'colonial,hongKong', 'loeb9', 'loeb9,ice=no'].map(
    (name) => loadMap(name).id,
  );
  assert.is(new Set(ids).size, ids.length);
  assert.throws(() => loadMap('colonial,tsr,tsr'), saying('wanted each option once'));
  assert.throws(() => loadMap('loeb9,ice=thin'), saying('got "ice=thin"'));
});

// ---- order text ----

const text = suite('order text of special maps');

const judge = (units: Record<string, string[]>, orders: Record<string, string[]>, options: object, phase = 'S1870M') =>
  adjudicateRecord({ map: 'colonial', phase, units, orders, options });

text('leave to pass is read with any order of the unit that controls the canal', () => {
  const units = { TURKEY: ['A EGY', 'A SYR', 'F RED'], BRITAIN: ['F MED'] };
  const passes = (order: string, fleets: string[] = ['F MED - RED']): string[] => {
    const answer = judge(units, { TURKEY: [order, 'F RED - GOA'], BRITAIN: fleets }, { suez: true });
    return answer.orders.filter(({ order }) => order !== null).map(({ result }) => result);
  };
  for (const order of [
    'A EGY H PERMITS F MED - RED',
    'A EGY H SC F MED - RED',
    'A EGY S A SYR PERMITS F MED - RED',
    'Army Egypt holds permits Fleet Mediterranean to Red Sea',
  ])
    assert.is(passes(order).at(-1), 'succeeds', order);
  assert.is(passes('A EGY - SUD PERMITS F MED - RED').at(-1), 'fails');
  assert.is(passes('A EGY H PERMITS F RED - MED').at(-1), 'fails');
  assert.is(passes('A EGY H').at(-1), 'fails');
  const canonical = judge(units, { TURKEY: ['A EGY H SC F MED - RED'] }, { suez: true }).orders[0];
  assert.equal([canonical.order, canonical.result, canonical.reason], ['A EGY H PERMITS F MED - RED', 'stands', null]);
});

text('leave that cannot be given is refused with the reason', () => {
  const units = { TURKEY: ['A EGY', 'A SYR'] };
  const first = (order: string, options: object = { suez: true }): (string | null)[] => {
    const [{ result, reason }] = judge(units, { TURKEY: [order] }, options).orders;
    return [result, reason];
  };
  assert.equal(first('A EGY H PERMITS F MED - RED'), ['stands', 'leave is not given: no fleet in MED']);
  assert.equal(first('A SYR H PERMITS F MED - RED'), ['illegal', 'only a unit in EGY gives leave to pass the canal']);
  assert.equal(first('A EGY H PERMITS F MED - RED', {}), ['illegal', 'the canal is not in use']);
  assert.equal(first('A EGY H PERMITS F MED - ANG'), [
    'illegal',
    'got leave for MED - ANG, wanted MED - RED or RED - MED',
  ]);
  assert.is(first('A EGY H PERMITS F MED')[0], 'illegal');
});

text('a train in a ring contests no province that lies behind the end of its knot', () => {
  const units = { TURKEY: ['A AKM'], CHINA: ['A OMS'], RUSSIA: ['A KRA'], BRITAIN: ['A ORE'] };
  const orders = {
    TURKEY: ['A AKM - KRA'],
    CHINA: ['A OMS - AKM'],
    RUSSIA: ['A KRA - TSR - MOS'],
    BRITAIN: ['A ORE - MOS'],
  };
  const { orders: given, contested } = judge(units, orders, { tsr: true });
  assert.equal(
    given.map(({ unit, result, reason }) => [unit, result, reason]),
    [
      ['A AKM', 'succeeds', null],
      ['A OMS', 'succeeds', null],
      ['A KRA', 'stops', 'railroad paradox at PRM'],
      ['A ORE', 'succeeds', null],
    ],
  );
  assert.equal(contested, []);
});

text('rides that cannot be are refused with the reason', () => {
  const reason = (unit: string, order: string, power = 'RUSSIA', options: object = { tsr: true }): string | null =>
    judge({ [power]: [unit] }, { [power]: [order] }, options).orders[0].reason;
  assert.is(reason('A MOS', 'A MOS - TSR - ODE'), 'ODE is not on the railroad');
  assert.is(reason('A ODE', 'A ODE - TSR - MOS'), 'ODE is not on the railroad');
  assert.is(reason('F VLA', 'F VLA - TSR - MOS'), 'got F VLA, wanted an army for the railroad');
  assert.is(reason('A MOS', 'A MOS - TSR - VLA', 'CHINA'), 'only RUSSIA uses the railroad');
  assert.is(reason('A MOS', 'A MOS - TSR - VLA', 'RUSSIA', {}), 'the railroad is not in use');
  assert.is(reason('A MOS', 'A MOS - TSR - MOS'), 'A MOS is there already');
  assert.is(reason('F MED', 'F MED - RED', 'RUSSIA', {}), 'the canal is not in use');
});

text('seas whose tags look like coasts are read', () => {
  const units = { BRITAIN: ['F HON', 'F CAN'] };
  const answer = judge(units, { BRITAIN: ['F HON - SCS', 'F CAN S F HON - SCS'] }, {});
  assert.equal(
    answer.orders.map(({ result }) => result),
    ['succeeds', 'given'],
  );
});
text.run();
lines.run();
