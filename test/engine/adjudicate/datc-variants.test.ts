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

const REFUSALS: readonly (readonly [fields: object, message: string])[] = [
  [{ map: 'nowhere' }, 'map: got "nowhere", wanted one of standard, 1898'],
  [{ map: 7 }, 'map: got 7, wanted the name of a map'],
  [{ options: { steam: true } }, 'options: got "steam", wanted one of tsr, suez'],
  [{ options: { tsr: true } }, 'map standard: got option tsr, wanted one that this map has'],
  [{ options: { tsr: false } }, 'got option tsr, wanted one that this map has'],
  [{ map: 'colonial', options: { tsr: 1 } }, 'options, tsr: got 1, wanted true or false'],
  [{ options: { ice: true } }, 'got option ice'],
  [{ options: [] }, 'options: got a list of 0, wanted an object'],
  [{ mapEdits: { bridges: [] } }, 'mapEdits: got "bridges", wanted one of convoyable'],
  [{ mapEdits: { convoyable: ['MOS'] } }, 'convoyable: got MOS, wanted a coastal province'],
  [{ mapEdits: { convoyable: ['ZZZ'] } }, 'convoyable: unknown province ZZZ'],
  [{ mapEdits: { convoyable: ['A,B'] } }, 'got "A,B", wanted a tag'],
  [{ mapEdits: { fleetBorders: [['BER']] } }, 'got a list of 1, wanted pairs like ["BER", "DEN"]'],
  [{ mapEdits: { fleetBorders: [['BER', 'MOS']] } }, 'fleet border at MOS, which is land'],
  [{ mapEdits: { fleetBorders: [['BUL', 'GRE']] } }, 'got BUL, wanted one of its coasts'],
  [{ mapEdits: { armyBorders: [['NTH', 'LON']] } }, 'army border at NTH, which is sea'],
  [{ mapEdits: { difficult: [['LON', 'MOS']] } }, 'no army moves between LON and MOS'],
  [{ mapEdits: { difficult: [['LON', 'LON']] } }, 'got "LON-LON", wanted two places'],
];

lines('refuses what there is not, by name', () => {
  for (const [fields, message] of REFUSALS)
    assert.throws(() => adjudicateRecord({ ...line, ...fields }), saying(message), message);
});

const SPELLINGS: readonly (readonly [given: string, name: string])[] = [
  ['COLONIAL,suez,TSR', 'colonial,tsr,suez'],
  ['colonial,suez,tsr', 'colonial,tsr,suez'],
  ['colonial,tsr=no', 'colonial'],
  ['loeb9,ice=on,difficult=off', 'loeb9,difficult=no'],
  ['chaos,buildAnywhere=no', 'chaos,buildAnywhere=no'],
  ['standard,fleetBorders=DEN-BER,convoyable=swe+DEN', 'standard,convoyable=DEN+SWE,fleetBorders=DEN-BER'],
];

lines('a name says options and changes in one spelling', () => {
  for (const [given, name] of SPELLINGS) {
    assert.is(loadMap(given).name, name);
    assert.is(loadMap(given), loadMap(name));
  }
  const twice = changeMap(loadMap('colonial,tsr'), readMapChanges(['suez', 'tsr=no']));
  assert.is(twice.name, 'colonial,suez');
  assert.is(twice, loadMap('colonial,suez'));
  const ids = ['colonial', 'colonial,tsr', 'colonial,suez', 'colonial,hongKong', 'loeb9', 'loeb9,ice=no'];
  assert.is(new Set(ids.map((name) => loadMap(name).id)).size, ids.length);
  assert.throws(() => loadMap('colonial,tsr,tsr'), saying('wanted each option once'));
  assert.throws(() => loadMap('loeb9,ice=thin'), saying('got "ice=thin"'));
});

// ---- order text ----

const text = suite('order text of special maps');

const judge = (units: Record<string, string[]>, orders: Record<string, string[]>, options: object, phase = 'S1870M') =>
  adjudicateRecord({ map: 'colonial', phase, units, orders, options });

/** Orders of the unit in Egypt, and the result of F MED - RED with each. */
const LEAVES: readonly (readonly [order: string, result: string])[] = [
  ['A EGY H PERMITS F MED - RED', 'succeeds'],
  ['A EGY H SC F MED - RED', 'succeeds'],
  ['A EGY S A SYR PERMITS F MED - RED', 'succeeds'],
  ['Army Egypt holds permits Fleet Mediterranean to Red Sea', 'succeeds'],
  ['A EGY - SUD PERMITS F MED - RED', 'fails'],
  ['A EGY H PERMITS F RED - MED', 'fails'],
  ['A EGY H', 'fails'],
];

text('leave to pass is read with any order of the unit that controls the canal', () => {
  const units = { TURKEY: ['A EGY', 'A SYR', 'F RED'], BRITAIN: ['F MED'] };
  const passes = (order: string): string[] => {
    const orders = { TURKEY: [order, 'F RED - GOA'], BRITAIN: ['F MED - RED'] };
    const answer = judge(units, orders, { suez: true });
    return answer.orders.filter(({ order }) => order !== null).map(({ result }) => result);
  };
  for (const [order, result] of LEAVES) assert.is(passes(order).at(-1), result, order);
  const canonical = judge(units, { TURKEY: ['A EGY H SC F MED - RED'] }, { suez: true }).orders[0];
  assert.equal([canonical.order, canonical.result, canonical.reason], ['A EGY H PERMITS F MED - RED', 'stands', null]);
});

/** Rows of power, unit, map options and order, and the result and reason of the order. */
const REASONS: readonly (readonly [string, string, object, string, string, string])[] = [
  ['TURKEY', 'A EGY', { suez: true }, 'A EGY H PERMITS F MED - RED', 'stands', 'leave is not given: no fleet in MED'],
  [
    'TURKEY',
    'A SYR',
    { suez: true },
    'A SYR H PERMITS F MED - RED',
    'illegal',
    'only a unit in EGY gives leave to pass the canal',
  ],
  ['TURKEY', 'A EGY', {}, 'A EGY H PERMITS F MED - RED', 'illegal', 'the canal is not in use'],
  [
    'TURKEY',
    'A EGY',
    { suez: true },
    'A EGY H PERMITS F MED - ANG',
    'illegal',
    'got leave for MED - ANG, wanted MED - RED or RED - MED',
  ],
  [
    'TURKEY',
    'A EGY',
    { suez: true },
    'A EGY H PERMITS F MED',
    'illegal',
    'got nothing more, wanted "-" and where the fleet goes',
  ],
  ['RUSSIA', 'A MOS', { tsr: true }, 'A MOS - TSR - ODE', 'illegal', 'ODE is not on the railroad'],
  ['RUSSIA', 'A ODE', { tsr: true }, 'A ODE - TSR - MOS', 'illegal', 'ODE is not on the railroad'],
  ['RUSSIA', 'F VLA', { tsr: true }, 'F VLA - TSR - MOS', 'illegal', 'got F VLA, wanted an army for the railroad'],
  ['CHINA', 'A MOS', { tsr: true }, 'A MOS - TSR - VLA', 'illegal', 'only RUSSIA uses the railroad'],
  ['RUSSIA', 'A MOS', {}, 'A MOS - TSR - VLA', 'illegal', 'the railroad is not in use'],
  ['RUSSIA', 'A MOS', { tsr: true }, 'A MOS - TSR - MOS', 'illegal', 'A MOS is there already'],
  ['RUSSIA', 'F MED', {}, 'F MED - RED', 'illegal', 'the canal is not in use'],
];

text('leave that cannot be given, and rides that cannot be, are refused with the reason', () => {
  for (const [power, unit, options, order, ...said] of REASONS) {
    const [{ result, reason }] = judge({ [power]: [unit] }, { [power]: [order] }, options).orders;
    assert.equal([result, reason], said, order);
  }
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
