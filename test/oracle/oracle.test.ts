// Tests the oracle against the cases, before anything else is tested against the oracle.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CompiledMap } from '../../engine/map/compiled-map.js';
import { resultNames } from '../../engine/rules/types.js';
import { type CaseRow, loadCases, mapOfCase, readPosition, rowUnit } from '../tools/cases.js';
import { consultOracle } from './oracle.js';

const check = (map: CompiledMap, row: CaseRow): void => {
  const tag = (province: number): string => map.provinceTags[province];
  const provinceOf = (unit: string): number => map.provinceTags.indexOf(unit.slice(2).split('/')[0]);
  const { units, orders } = readPosition(map, row);
  const lost = new Set(
    Object.values(row.centers ?? {})
      .flat()
      .map((center) => map.provinceTags.indexOf(center)),
  );
  const outcome = consultOracle(map, units, orders, undefined, { lost });
  for (const [unit, end] of Object.entries(row.ends ?? {})) {
    assert.ok(orders[provinceOf(unit)] !== 0);
    assert.is(tag(outcome.rideEnd), end);
  }
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
  const contested = map.provinceTags.filter((_, p) => outcome.contested[p] === 1);
  assert.equal(contested.sort(), [...(row.contested ?? [])].sort());
};

for (const file of ['datc-3.2.json', 'rules-2023.json', 'datc-2.4-variants.json']) {
  const cases = suite(`oracle: ${file}`);
  for (const row of loadCases(file))
    if (row.phase !== 'adjustment') cases(`${row.id} ${row.title}`, () => check(mapOfCase(row), row));
  cases.run();
}
