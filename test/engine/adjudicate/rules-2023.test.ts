// Tests the 26 rules of the 2023 rulebook as positions under the preset datc-3.2.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../../engine/map/standard.js';
import { type CaseRow, checkByCommand, loadCases, type OrderRow } from '../../tools/cases.js';

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
