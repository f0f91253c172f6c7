// Tests `lepanto adjudicate` and `lepanto legal` as programs use them: whole records in, whole records out.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ResultName, standard } from '../../../engine/internal.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import type { OrderEntry } from '../../../engine/notation/json/outcomes.js';
import { type CaseRow, loadCases, type OrderRow } from '../../tools/cases.js';

type Lists = Record<string, string[]>;

const groupOrders = (rows: readonly OrderRow[]): Lists => {
  const byPower: Lists = {};
  for (const [power, text] of rows) {
    byPower[power] ??= [];
    if (text !== null) byPower[power].push(text);
  }
  return byPower;
};

/** What is said of each order, in an order of its own: the entries come power by power. */
const said = (rows: readonly (readonly [string, string | null, string, string | null])[]): string[] =>
  rows.map(([power, unit, result, fate]) => `${power} ${unit} ${result} ${fate}`).sort();

const saidOf = (entries: readonly OrderEntry[]): string[] =>
  said(entries.map(({ power, unit, result, fate }) => [power, unit, result, fate]));

const standingUnit = (row: CaseRow, [, text, , , unit]: OrderRow): string | null => {
  if (unit !== undefined) return unit;
  const [letter, tag] = (text ?? '').split(' ');
  const all = Object.values(row.units).flat();
  return all.find((one) => one.slice(2, 5) === tag.slice(0, 3)) ?? `${letter} ${tag}`;
};

const sortLists = (lists: Readonly<Record<string, readonly string[]>>): Lists =>
  Object.fromEntries(
    Object.entries(lists)
      .filter(([, list]) => list.length > 0)
      .map(([name, list]): [string, string[]] => [name, [...list].sort()])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const dislodgedOf = ({ dislodged, retreats }: AdjudicatedRecord): Record<string, [string, string[]]> => {
  const open = Object.assign({}, ...Object.values(retreats)) as Lists;
  return Object.fromEntries(Object.entries(dislodged).map(([unit, by]) => [unit, [by, open[unit] ?? []]]));
};

const record = (row: CaseRow, phase: string, units: CaseRow['units']): object => ({
  id: row.id,
  phase,
  units,
  centers: row.centers ?? {},
  orders: groupOrders(row.orders),
});

const checkMovement = (row: CaseRow, out: AdjudicatedRecord): void => {
  const expected = row.orders.map((order) => {
    const [power, , result, fate] = order;
    return [power, standingUnit(row, order), result, fate ?? null] as const;
  });
  assert.equal(saidOf(out.orders), said(expected), 'orders');
  assert.equal(sortLists(out.units), sortLists(row.after), 'units');
  const dislodged = Object.entries(row.dislodged ?? {}).map(([unit, [by, open]]) => [unit, [by, [...open].sort()]]);
  assert.equal(dislodgedOf(out), Object.fromEntries(dislodged), 'dislodged');
  assert.equal(out.contested, [...(row.contested ?? [])].sort(), 'contested');
};

const checkRetreat = (row: CaseRow, before: AdjudicatedRecord): void => {
  const { retreat } = row;
  if (retreat === undefined || before.next_phase !== 'S1901R') return;
  const orders = groupOrders(retreat.orders);
  const { units, centers, retreats } = before;
  const out = adjudicateRecord(JSON.parse(JSON.stringify({ phase: 'S1901R', units, centers, retreats, orders })));
  assert.equal(sortLists(out.units), sortLists(retreat.after), 'units after retreats');
  const disbanded = Object.entries(retreat.disbanded)
    .filter(([, reason]) => reason !== 'no retreat possible')
    .map(([unit]) => unit);
  assert.equal([...out.disbanded].sort(), disbanded.sort(), 'disbanded');
  const results = out.orders.filter(({ order }) => order !== null).map(({ power, result }) => `${power} ${result}`);
  assert.equal(
    results.sort(),
    retreat.orders.map(([power, , result]) => `${power} ${result}`).sort(),
    'retreat orders',
  );
};

const checkAdjustment = (row: CaseRow): void => {
  const out = adjudicateRecord(record(row, 'W1901A', row.units));
  const results = out.orders.map(({ power, result }) => `${power} ${result}`);
  assert.equal(results.sort(), row.orders.map(([power, , result]) => `${power} ${result}`).sort(), 'orders');
  assert.equal(sortLists(out.units), sortLists(row.after), 'units');
  assert.equal(
    [...out.built].sort(),
    Object.values(row.built ?? {})
      .flat()
      .sort(),
    'built',
  );
  assert.equal([...out.disbanded].sort(), Object.keys(row.disbanded ?? {}).sort(), 'disbanded');
};

const cases = suite('adjudicate: cases');
for (const file of ['datc-3.2.json', 'rules-2023.json'])
  for (const row of loadCases(file))
    cases(`${row.id} ${row.title}`, () => {
      if (row.phase === 'adjustment') return checkAdjustment(row);
      const out = adjudicateRecord(record(row, 'S1901M', row.units));
      checkMovement(row, out);
      checkRetreat(row, out);
    });
cases.run();

// ---- whole records ----

const records = suite('adjudicate: records');

/** An entry of a power's order. */
const entry = (
  power: string,
  unit: string | null,
  order: string | null,
  result: ResultName,
  more: object = {},
): OrderEntry => ({
  power,
  unit,
  order,
  result,
  fate: null,
  reason: null,
  ...more,
});

const NOBODY = { AUSTRIA: [], ENGLAND: [], FRANCE: [], GERMANY: [], ITALY: [], RUSSIA: [], TURKEY: [] };

/** What an answer has where nothing of the kind has happened. */
const QUIET = { dislodged: {}, retreats: {}, destroyed: [], contested: [], built: [], disbanded: [] };

/** A fall: a convoy over two routes, one of them lost; a standoff; orders that do not count. */
const fall = {
  id: 'fall',
  phase: 'F1902M',
  units: {
    ENGLAND: ['A LON', 'F NTH', 'F ENG'],
    FRANCE: ['F BRE', 'F MAO', 'A PIC', 'A PAR'],
    GERMANY: ['A HOL', 'A RUH', 'F HEL', 'A MUN'],
    AUSTRIA: ['A VIE'],
  },
  centers: {
    ENGLAND: ['LON', 'EDI', 'LVP'],
    FRANCE: ['PAR', 'BRE', 'MAR'],
    GERMANY: ['BER', 'KIE', 'MUN'],
    AUSTRIA: ['VIE'],
    RUSSIA: ['WAR'],
  },
  orders: {
    GERMANY: ['A HOL - BEL', 'A RUH S A HOL - BEL', 'F HEL - NTH', 'A MUN - BUR', 'A MUN - RUH'],
    ENGLAND: ['A LON - BEL', 'F NTH C A LON - BEL', 'F ENG C A LON - BEL'],
    FRANCE: ['F BRE - ENG', 'F MAO S F BRE - ENG', 'A PIC S A LON - BEL', 'A PAR - BUR', 'F LON H', 'A PAR X'],
    RUSSIA: null,
  },
};

records('a movement phase', () => {
  assert.equal(adjudicateRecord(fall), {
    id: 'fall',
    phase: 'F1902M',
    next_phase: 'F1902R',
    orders: [
      entry('GERMANY', 'A HOL', 'A HOL - BEL', 'fails', { reason: 'bounced with A LON' }),
      entry('GERMANY', 'A RUH', 'A RUH S A HOL - BEL', 'given'),
      entry('GERMANY', 'F HEL', 'F HEL - NTH', 'fails', { reason: 'F NTH held' }),
      entry('GERMANY', 'A MUN', 'A MUN - BUR', 'fails', { reason: 'bounced with A PAR' }),
      entry('GERMANY', 'A MUN', 'A MUN - RUH', 'illegal', { reason: 'already ordered' }),
      entry('ENGLAND', 'A LON', 'A LON - BEL VIA', 'fails', { reason: 'bounced with A HOL' }),
      entry('ENGLAND', 'F NTH', 'F NTH C A LON - BEL', 'available'),
      entry('ENGLAND', 'F ENG', 'F ENG C A LON - BEL', 'disrupted', {
        fate: 'dislodged',
        reason: 'dislodged by F BRE',
      }),
      entry('FRANCE', 'F BRE', 'F BRE - ENG', 'succeeds'),
      entry('FRANCE', 'F MAO', 'F MAO S F BRE - ENG', 'given'),
      entry('FRANCE', 'A PIC', 'A PIC S A LON - BEL', 'given'),
      entry('FRANCE', 'A PAR', 'A PAR - BUR', 'fails', { reason: 'bounced with A MUN' }),
      entry('FRANCE', 'A LON', 'F LON H', 'illegal', { reason: 'A LON belongs to ENGLAND' }),
      entry('FRANCE', null, 'A PAR X', 'illegal', {
        reason: 'got "X", wanted what the unit does (-, H, S, C, R, D or B)',
      }),
      entry('AUSTRIA', 'A VIE', null, 'stands'),
    ],
    units: {
      ...NOBODY,
      AUSTRIA: ['A VIE'],
      ENGLAND: ['A LON', 'F NTH'],
      FRANCE: ['F ENG', 'F MAO', 'A PAR', 'A PIC'],
      GERMANY: ['F HEL', 'A HOL', 'A MUN', 'A RUH'],
    },
    centers: {
      ...NOBODY,
      AUSTRIA: ['VIE'],
      ENGLAND: ['EDI', 'LON', 'LVP'],
      FRANCE: ['BRE', 'MAR', 'PAR'],
      GERMANY: ['BER', 'KIE', 'MUN'],
      RUSSIA: ['WAR'],
    },
    ...QUIET,
    dislodged: { 'F ENG': 'BRE' },
    retreats: { ENGLAND: { 'F ENG': ['IRI', 'WAL'] } },
    contested: ['BEL', 'BUR'],
  });
});

records('the retreat phase after it, which ends the fall', () => {
  const { next_phase: phase, units, centers, retreats } = adjudicateRecord(fall);
  const orders = { ENGLAND: ['F ENG - LON', 'F ENG - Wales', 'F ENG D'], FRANCE: ['F MAO H'] };
  const out = adjudicateRecord({ id: 2, phase, units, centers, retreats, orders });
  assert.equal(out, {
    id: 2,
    phase: 'F1902R',
    next_phase: 'W1902A',
    orders: [
      entry('ENGLAND', 'F ENG', 'F ENG - LON', 'illegal', { reason: 'got LON, wanted IRI, WAL' }),
      entry('ENGLAND', 'F ENG', 'F ENG R WAL', 'succeeds'),
      entry('ENGLAND', 'F ENG', 'F ENG D', 'illegal', { reason: 'already ordered' }),
      entry('FRANCE', 'F MAO', 'F MAO H', 'illegal', { reason: 'F MAO was not dislodged' }),
    ],
    units: { ...units, ENGLAND: ['A LON', 'F NTH', 'F WAL'] },
    centers: { ...centers, GERMANY: ['BER', 'HOL', 'KIE', 'MUN'] },
    ...QUIET,
  });
});

const retreats = {
  phase: 'S1903R',
  units: { GERMANY: ['A TYR', 'A BOH'], ITALY: ['A VIE'], FRANCE: ['A MUN', 'A BUR'], RUSSIA: ['F SKA'] },
  centers: { ITALY: ['VEN'] },
  retreats: {
    AUSTRIA: { 'A TYR': ['PIE', 'VEN'], 'A VIE': ['TRI', 'GAL'] },
    GERMANY: { 'A MUN': ['KIE', 'BER'] },
    ITALY: { 'A BOH': ['GAL'] },
    ENGLAND: { 'F SKA': [] },
  },
  orders: { AUSTRIA: ['A VIE R GAL'], ITALY: ['A BOH R GAL'], GERMANY: ['A MUN D'], ENGLAND: ['F SKA - NTH'] },
};

records('retreats that collide, are left out, are impossible', () => {
  assert.equal(adjudicateRecord(retreats), {
    id: null,
    phase: 'S1903R',
    next_phase: 'F1903M',
    orders: [
      entry('AUSTRIA', 'A VIE', 'A VIE R GAL', 'fails', { reason: 'two retreats to GAL' }),
      entry('ITALY', 'A BOH', 'A BOH R GAL', 'fails', { reason: 'two retreats to GAL' }),
      entry('GERMANY', 'A MUN', 'A MUN D', 'succeeds'),
      entry('ENGLAND', 'F SKA', 'F SKA - NTH', 'illegal', { reason: 'got NTH, wanted a disband' }),
      entry('AUSTRIA', 'A TYR', null, 'fails', { reason: 'no order' }),
    ],
    units: { ...NOBODY, FRANCE: ['A BUR', 'A MUN'], GERMANY: ['A BOH', 'A TYR'], ITALY: ['A VIE'], RUSSIA: ['F SKA'] },
    centers: { ...NOBODY, ITALY: ['VEN'] },
    ...QUIET,
    disbanded: ['A BOH', 'A MUN', 'F SKA', 'A TYR', 'A VIE'],
  });
});

const winter = {
  id: false,
  phase: 'W1903A',
  units: {
    RUSSIA: ['A UKR', 'F SEV'],
    FRANCE: ['A PAR', 'A PIC', 'F NTH', 'F LYO'],
    ENGLAND: ['F LON'],
    TURKEY: ['A SMY'],
  },
  centers: {
    RUSSIA: ['SEV', 'STP', 'MOS', 'WAR', 'RUM'],
    FRANCE: ['PAR', 'BEL'],
    ENGLAND: ['LON', 'EDI'],
    TURKEY: ['ANK', 'CON', 'SMY'],
  },
  builds: { TURKEY: 0 },
  orders: {
    RUSSIA: ['A WAR B', 'Build F STP', 'F STP/SC B', 'A SEV B', 'A MOS - UKR', 'A MOS B', 'A RUM B'],
    FRANCE: ['A PIC D', 'A MAR D', 'gibberish'],
    ENGLAND: ['WAIVE', 'A EDI B'],
    TURKEY: ['A ANK B'],
  },
};

records('an adjustment phase', () => {
  const wanted = 'got a move, wanted a build, a removal or a waive in an adjustment phase';
  assert.equal(adjudicateRecord(winter), {
    id: false,
    phase: 'W1903A',
    next_phase: 'S1904M',
    orders: [
      entry('RUSSIA', 'A WAR', 'A WAR B', 'succeeds'),
      entry('RUSSIA', null, 'Build F STP', 'fails', { reason: 'got STP, wanted one of STP/NC, STP/SC' }),
      entry('RUSSIA', 'F STP/SC', 'F STP/SC B', 'succeeds'),
      entry('RUSSIA', null, 'A SEV B', 'fails', { reason: 'F SEV stands there' }),
      entry('RUSSIA', null, 'A MOS - UKR', 'illegal', { reason: wanted }),
      entry('RUSSIA', 'A MOS', 'A MOS B', 'succeeds'),
      entry('RUSSIA', null, 'A RUM B', 'fails', { reason: 'RUM is no home centre of RUSSIA' }),
      entry('FRANCE', 'A PIC', 'A PIC D', 'succeeds'),
      entry('FRANCE', null, 'A MAR D', 'fails', { reason: 'no unit in MAR' }),
      entry('FRANCE', null, 'gibberish', 'illegal', { reason: 'got "gibberish", wanted an order' }),
      entry('ENGLAND', null, 'WAIVE', 'succeeds'),
      entry('ENGLAND', null, 'A EDI B', 'fails', { reason: 'no build left' }),
      entry('TURKEY', null, 'A ANK B', 'fails', { reason: 'no build is due' }),
    ],
    units: {
      ...NOBODY,
      RUSSIA: ['A MOS', 'F SEV', 'F STP/SC', 'A UKR', 'A WAR'],
      FRANCE: ['F NTH', 'A PAR'],
      ENGLAND: ['F LON'],
      TURKEY: ['A SMY'],
    },
    centers: {
      ...NOBODY,
      RUSSIA: ['MOS', 'RUM', 'SEV', 'STP', 'WAR'],
      FRANCE: ['BEL', 'PAR'],
      ENGLAND: ['EDI', 'LON'],
      TURKEY: ['ANK', 'CON', 'SMY'],
    },
    ...QUIET,
    built: ['A MOS', 'F STP/SC', 'A WAR'],
    // F LYO by civil disorder: three moves from PAR.
    disbanded: ['F LYO', 'A PIC'],
  });
});

records('builds of the record take the place of what units and centres say', () => {
  const position = {
    phase: 'W1905A',
    units: { FRANCE: ['A BUR', 'A GAS'] },
    centers: { FRANCE: ['PAR', 'BRE', 'MAR'] },
  };
  const due = (builds: object | undefined): AdjudicatedRecord =>
    adjudicateRecord({ ...position, builds, orders: { FRANCE: ['A PAR B', 'F BRE B', 'A BUR D'] } });
  assert.equal(due(undefined).built, ['A PAR']);
  assert.equal(due({ ENGLAND: 0 }).built, ['A PAR']);
  assert.equal(due({ FRANCE: 2 }).built, ['F BRE', 'A PAR']);
  const removal = due({ FRANCE: -1 });
  assert.equal([removal.built, removal.disbanded], [[], ['A BUR']]);
  assert.equal(due({ FRANCE: -2 }).units.FRANCE, []);
});

records('a unit that cannot retreat is destroyed, and the phase of retreats is skipped', () => {
  const units = { AUSTRIA: ['A TRI', 'A TYR'], ITALY: ['A VEN'], FRANCE: ['A PIE', 'F APU', 'A TUS', 'A ROM'] };
  const orders = { AUSTRIA: ['A TRI - VEN', 'A TYR S A TRI - VEN'], ITALY: ['A VEN - MOS'] };
  const out = adjudicateRecord({ phase: 'S1902M', units, orders });
  assert.equal(out.dislodged, { 'A VEN': 'TRI' });
  assert.equal([out.destroyed, out.retreats, out.next_phase], [['A VEN'], {}, 'F1902M']);
  const illegal = entry('ITALY', 'A VEN', 'A VEN - MOS', 'illegal');
  assert.equal(out.orders[2], { ...illegal, fate: 'destroyed', reason: 'A VEN does not border MOS' });
});

records('the fate of a unit is said once: with the order that counts, else with its first', () => {
  const units = { AUSTRIA: ['A TRI', 'A TYR'], ITALY: ['A VEN'] };
  const fates = (italy: string[], france: string[] = []): (string | null)[] => {
    const orders = { FRANCE: france, ITALY: italy, AUSTRIA: ['A TRI - VEN', 'A TYR S A TRI - VEN'] };
    const out = adjudicateRecord({ phase: 'S1902M', units, orders });
    return out.orders.filter(({ unit }) => unit === 'A VEN').map(({ fate }) => fate);
  };
  assert.equal(fates([]), ['dislodged']);
  assert.equal(fates(['A VEN - MOS', 'A VEN - PAR']), ['dislodged', null]);
  assert.equal(fates(['A VEN - MOS', 'A VEN H', 'A VEN - PAR']), [null, 'dislodged', null]);
  assert.equal(fates(['A VEN H'], ['A VEN H']), [null, 'dislodged']);
  assert.equal(fates([], ['A VEN H']), [null, 'dislodged']);
});

records('empty phases are skipped, and a won game is COMPLETED', () => {
  const next = (phase: string, units: object, centers: object, orders = {}): string =>
    adjudicateRecord({ phase, units, centers, orders }).next_phase;
  assert.is(next('S1901M', { FRANCE: ['A PAR'] }, { FRANCE: ['PAR'] }), 'F1901M');
  assert.is(next('F1901M', { FRANCE: ['A PAR'] }, { FRANCE: ['PAR'] }), 'S1902M');
  assert.is(next('F1901M', { FRANCE: ['A PAR'] }, { FRANCE: ['PAR', 'BRE'] }), 'W1901A');
  assert.is(next('F1901M', { FRANCE: ['A PAR'] }, {}, { FRANCE: ['A PAR - BRE'] }), 'S1902M');
  assert.is(next('W1901A', { FRANCE: ['A PAR'] }, { FRANCE: ['PAR'] }), 'S1902M');
  const mine = 'PAR BRE MAR LON EDI LVP BEL HOL DEN NWY SWE KIE BER MUN POR SPA TUN'.split(' ');
  assert.is(next('F1901M', { FRANCE: ['A PIE'] }, { FRANCE: mine }, { FRANCE: ['A PIE - VEN'] }), 'COMPLETED');
  assert.is(next('S1901M', { FRANCE: ['A PIE'] }, { FRANCE: mine }, { FRANCE: ['A PIE - VEN'] }), 'F1901M');
});

records('centres change hands only with the last phase of a fall', () => {
  const units = { FRANCE: ['A BEL', 'A BUR'], GERMANY: ['A MUN', 'F KIE'], AUSTRIA: ['A TYR', 'A BOH'] };
  const orders = { AUSTRIA: ['A TYR - MUN', 'A BOH S A TYR - MUN'] };
  const fallMoves = adjudicateRecord({ phase: 'F1901M', units, centers: { GERMANY: ['MUN', 'KIE'] }, orders });
  assert.equal([fallMoves.next_phase, fallMoves.centers.GERMANY], ['F1901R', ['KIE', 'MUN']]);
  const { units: stood, centers, retreats: open } = fallMoves;
  const fallRetreats = adjudicateRecord({ phase: 'F1901R', units: stood, centers, retreats: open });
  assert.equal([fallRetreats.centers.AUSTRIA, fallRetreats.centers.FRANCE], [['MUN'], ['BEL']]);
  const spring = adjudicateRecord({ phase: 'S1901M', units: { FRANCE: ['A BEL'] } });
  assert.equal(spring.centers, NOBODY);
});
records('a head-to-head is lost, or a tie', () => {
  const reasons = (units: object, given: object): (string | null)[] =>
    adjudicateRecord({ phase: 'S1901M', units, orders: given }).orders.map(({ reason }) => reason);
  const units = { FRANCE: ['A BUR'], GERMANY: ['A MUN', 'A RUH'] };
  assert.equal(reasons(units, { FRANCE: ['A BUR - MUN'], GERMANY: ['A MUN - BUR', 'A RUH H'] }), [
    ...['bounced head-to-head with A MUN', 'bounced head-to-head with A BUR', null],
  ]);
  assert.equal(reasons(units, { FRANCE: ['A BUR - MUN'], GERMANY: ['A MUN - BUR', 'A RUH S A MUN - BUR'] }), [
    ...['lost head-to-head against A MUN', null, null],
  ]);
});

records.run();

// ---- legal orders ----

const legal = suite('legal');

legal('movement', () => {
  const out = legalRecord({ id: 5, phase: 'S1901M', units: { RUSSIA: ['F STP/SC'], TURKEY: ['A CON'] } });
  const nobody = Object.fromEntries(standard.powerNames.map((name) => [name, {}]));
  assert.equal(out, {
    id: 5,
    phase: 'S1901M',
    orders: {
      ...nobody,
      RUSSIA: { 'F STP/SC': ['F STP/SC H', 'F STP/SC - BOT', 'F STP/SC - FIN', 'F STP/SC - LVN'] },
      TURKEY: { 'A CON': ['A CON H', 'A CON - ANK', 'A CON - SMY', 'A CON - BUL'] },
    },
    builds: Object.fromEntries(standard.powerNames.map((name) => [name, 0])),
  });
});

legal('retreats and adjustments', () => {
  assert.equal(legalRecord(retreats).orders.AUSTRIA, {
    'A TYR': ['A TYR R PIE', 'A TYR R VEN', 'A TYR D'],
    'A VIE': ['A VIE R GAL', 'A VIE R TRI', 'A VIE D'],
  });
  assert.equal(legalRecord(retreats).orders.ENGLAND, { 'F SKA': ['F SKA D'] });
  const { orders, builds } = legalRecord(winter);
  assert.equal(orders.RUSSIA, {
    MOS: ['A MOS B', 'WAIVE'],
    STP: ['A STP B', 'F STP/NC B', 'F STP/SC B', 'WAIVE'],
    WAR: ['A WAR B', 'WAIVE'],
  });
  assert.equal(orders.FRANCE, {
    'F LYO': ['F LYO D'],
    'F NTH': ['F NTH D'],
    'A PAR': ['A PAR D'],
    'A PIC': ['A PIC D'],
  });
  assert.equal([orders.ENGLAND, orders.TURKEY], [{ EDI: ['A EDI B', 'F EDI B', 'WAIVE'] }, {}]);
  assert.equal(builds, { AUSTRIA: 0, ENGLAND: 1, FRANCE: -2, GERMANY: 0, ITALY: 0, RUSSIA: 3, TURKEY: 0 });
});
legal.run();
