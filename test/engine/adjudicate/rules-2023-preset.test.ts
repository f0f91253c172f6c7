// Tests the 26 rules of the 2023 rulebook under its own preset, under which 11.b and 21.b differ from DATC 3.2.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicateRecord } from '../../../bindings/notation/json/adjudicate-record.js';
import { ruleSetByName } from '../../../bindings/notation/text/rule-set.js';
import { standard } from '../../../engine/map/standard.js';
import { loadCases, rowUnit, type TextsByPower } from '../../tools/cases.js';
import { ordersByPower } from '../../tools/rule-cases.js';

/** What 4.A.7 choice a, and the paradox rule of 2000, make of these. */
const OTHERWISE: Readonly<Record<string, TextsByPower>> = {
  'R2023.11.b': { ENGLAND: ['A HOL', 'F HEL', 'F NTH'], FRANCE: ['A BEL'] },
  'R2023.21.b': { ENGLAND: ['F WAL'], FRANCE: ['A LON', 'F ENG', 'F YOR'], GERMANY: ['F BEL', 'F NTH'] },
};

const tidy = (units: TextsByPower): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(units)
      .filter(([, list]) => list.length > 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([power, list]) => [power, [...list].sort()]),
  );

const rules = suite('rules of 2023 under 2023');
const rows = loadCases('rules-2023.json');

for (const row of rows)
  rules(`${row.id} ${row.title}`, () => {
    const given = row.orders.flatMap(([power, order]) => (order === null ? [] : [{ power, order }]));
    const record = { phase: 'S1901M', units: row.units, centers: {}, orders: ordersByPower(given) };
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

rules('62 positions', () => assert.is(rows.length, 62));
rules.run();
