// Tests the oracle against the cases, before anything else is tested against the oracle.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { standard } from '../../engine/map/standard.js';
import { resultNames } from '../../engine/types.js';
import { type CaseRow, loadCases, readPosition, rowUnit } from '../tools/cases.js';
import { consultOracle } from './oracle.js';

const tag = (province: number): string => standard.provinceTags[province];

const provinceOf = (unit: string): number => standard.provinceTags.indexOf(unit.slice(2).split('/')[0]);

const check = (row: CaseRow): void => {
  const { units, orders } = readPosition(standard, row);
  const outcome = consultOracle(standard, units, orders);
  for (const order of row.orders) {
    const said = resultNames[outcome.result[provinceOf(rowUnit(order))]];
    assert.is(
      said,
      order[2] === 'illegal' || order[1] === null ? 'stands' : order[2],
      `${order[1]} of ${rowUnit(order)}`,
    );
  }
  const dislodged = Object.values(row.units)
    .flat()
    .filter((unit) => outcome.attacker[provinceOf(unit)] >= 0)
    .map((unit) => `${unit} by ${tag(outcome.attacker[provinceOf(unit)])}`);
  const expected = Object.entries(row.dislodged ?? {}).map(([unit, [by]]) => `${unit} by ${by}`);
  assert.equal(dislodged.sort(), expected.sort());
  const contested = standard.provinceTags.filter((_, p) => outcome.contested[p] === 1);
  assert.equal(contested.sort(), [...(row.contested ?? [])].sort());
};

for (const file of ['datc-3.2.json', 'rules-2023.json']) {
  const cases = suite(`oracle: ${file}`);
  for (const row of loadCases(file)) if (row.phase !== 'adjustment') cases(`${row.id} ${row.title}`, () => check(row));
  cases.run();
}
