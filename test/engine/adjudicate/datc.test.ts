// Tests every case of DATC 3.2, through the code that `lepanto adjudicate` runs for a line.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../../engine/map/standard.js';
import { type CaseRow, checkByCommand, checkCases, loadCases } from '../../tools/cases.js';
import { saying } from '../../tools/errors.js';

const cases = loadCases('datc-3.2.json');

const datc = suite('DATC 3.2');
for (const row of cases) datc(`${row.id} ${row.title}`, () => checkByCommand(standard, row));
datc.run();

const loader = suite('cases');

loader('all of chapter 6 are there', () => {
  const counts: Record<string, number> = {};
  for (const { id } of cases) counts[id.split('.')[1]] = (counts[id.split('.')[1]] ?? 0) + 1;
  // 6.H.15 is here twice: two public transcriptions print different orders under this number.
  assert.equal(counts, { A: 12, B: 19, C: 9, D: 35, E: 15, F: 30, G: 20, H: 18, I: 7, J: 12 });
});

const sound: CaseRow = {
  id: 'x',
  title: 'x',
  phase: 'movement',
  units: { ITALY: ['A VEN'] },
  orders: [['ITALY', 'A VEN H', 'stands']],
  after: { ITALY: ['A VEN'] },
  dislodged: {},
  contested: [],
};

const without = (key: keyof CaseRow): CaseRow => {
  const { [key]: _, ...rest } = sound;
  return rest as CaseRow;
};

loader('a case that asserts nothing does not load', () => {
  const refused = (rows: readonly CaseRow[], message: RegExp): void => {
    assert.throws(() => checkCases(rows), saying(message));
  };
  assert.is(checkCases([sound]).length, 1);
  refused([], /got none/);
  refused([sound, sound], /x: is there twice/);
  refused([{ ...sound, orders: [] }], /x: asserts nothing: no result/);
  refused([{ ...sound, units: { ITALY: ['A VEN', 'A ROM'] } }], /no result for A ROM/);
  refused([{ ...sound, orders: [['ITALY', 'A VEN H', 'holds']] }], /got result holds/);
  refused([{ ...sound, orders: [['ITALY', null, 'stands']] }], /names no unit/);
  refused([without('after')], /no positions/);
  refused([without('dislodged')], /no dislodged units/);
  refused([without('contested')], /contested provinces/);
  refused([{ ...sound, phase: 'retreat' }], /no retreats/);
  refused([{ ...sound, phase: 'adjustment' }], /no builds and disbands/);
  refused([{ ...sound, phase: 'adjustment', orders: [], built: {}, disbanded: {} }], /no result/);
});

loader('a case that states something else fails', () => {
  const right = cases.find(({ id }) => id === '6.D.7');
  if (right === undefined) return assert.unreachable('no case 6.D.7');
  checkByCommand(standard, right);
  const wrong: readonly CaseRow[] = [
    { ...right, orders: right.orders.map((row, i) => (i === 1 ? [row[0], row[1], 'cut'] : row)) },
    { ...right, after: { ...right.after, GERMANY: [] } },
    { ...right, dislodged: {} },
    { ...right, dislodged: { 'F BAL': ['BOT', ['BER', 'DEN', 'KIE']] } },
    { ...right, dislodged: { 'F BAL': ['LVN', ['BER', 'DEN']] } },
    { ...right, contested: [] },
  ];
  const fails = (row: CaseRow): boolean => {
    try {
      checkByCommand(standard, row);
      return false;
    } catch (error) {
      return error instanceof assert.Assertion;
    }
  };
  assert.equal(
    wrong.map(fails),
    wrong.map(() => true),
  );
});

loader.run();
