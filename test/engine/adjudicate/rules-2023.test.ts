// Tests the 26 rules of the 2023 rulebook as positions under the preset datc-3.2, and under its own preset, in which 11.b
// and 21.b differ.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../../engine/map/standard.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import {
  byPower,
  type CaseRow,
  checkByCommand,
  loadCases,
  type OrderRow,
  rowUnit,
  type TextsByPower,
  tidy,
} from '../../tools/cases.js';

const cases = loadCases('rules-2023.json');

const rules = suite('rules of 2023');

rules('all 26 are there', () => {
  assert.is(cases.length, 62);
  const numbers = new Set(cases.map(({ id }) => Number(id.split('.')[1])));
  assert.equal(
    [...numbers],
    [...Array(26).keys()].map((n) => n + 1),
  );
});

for (const row of cases) rules(`${row.id} ${row.title}`, () => checkByCommand(standard, row));

for (const row of cases) {
  const { shortForm } = row;
  if (shortForm === undefined) continue;
  rules(`${row.id} in short form`, () => {
    const shorten = ([power, order, ...rest]: OrderRow): OrderRow => {
      const text = order === null ? null : (shortForm[order] ?? order);
      return [power, text, ...rest] as unknown as OrderRow;
    };
    const short: CaseRow = { ...row, orders: row.orders.map(shorten) };
    assert.is.not(JSON.stringify(short.orders), JSON.stringify(row.orders));
    checkByCommand(standard, short);
  });
}

rules.run();

/** What 4.A.7 choice a, and the paradox rule of 2000, make of these. */
const OTHERWISE: Readonly<Record<string, TextsByPower>> = {
  'R2023.11.b': { ENGLAND: ['A HOL', 'F HEL', 'F NTH'], FRANCE: ['A BEL'] },
  'R2023.21.b': { ENGLAND: ['F WAL'], FRANCE: ['A LON', 'F ENG', 'F YOR'], GERMANY: ['F BEL', 'F NTH'] },
};

const preset = suite('rules of 2023 under 2023');

for (const row of cases)
  preset(`${row.id} ${row.title}`, () => {
    const record = { phase: 'S1901M', units: row.units, centers: {}, orders: byPower(row.orders) };
    const answer = adjudicateRecord(record, standard, ruleSetByName('2023'));
    const other = OTHERWISE[row.id];
    assert.equal(tidy(answer.units), tidy(other ?? row.after), 'units');
    if (other !== undefined) return;
    assert.equal(Object.keys(answer.dislodged).sort(), Object.keys(row.dislodged ?? {}).sort(), 'dislodged');
    assert.equal([...answer.contested].sort(), [...(row.contested ?? [])].sort(), 'contested');
    for (const entry of row.orders) {
      const found = answer.orders.find(({ unit }) => unit === rowUnit(entry));
      assert.is(found?.result, entry[2], rowUnit(entry));
    }
  });

preset.run();
