// Tests 26 positions that distinguish the presets under 9 presets. The matrix was computed without the engine.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { presetNames } from '../../../engine/rules/rule-text.js';
import { readData } from '../../tools/data.js';
import { changesOf, type PlainOrder, playPosition, positionOf } from '../../tools/rule-cases.js';

interface MatrixRow {
  readonly id: string;
  readonly title: string;
  readonly orders: readonly PlainOrder[];
  readonly results: readonly { readonly presets: readonly string[]; readonly changes: Record<string, string> }[];
}

const { positions } = readData<{ positions: MatrixRow[] }>('preset-matrix.json');

const matrix = suite('preset matrix');
let compared = 0;

for (const row of positions)
  matrix(`${row.id} ${row.title}`, () => {
    const position = positionOf(row.orders);
    for (const { presets, changes } of row.results)
      for (const preset of presets) {
        assert.equal(changesOf(playPosition(position, ruleSetByName(preset))), changes, `${row.id} under ${preset}`);
        compared++;
      }
  });

matrix('26 positions are compared under each of 9 presets', () => {
  assert.is(positions.length, 26);
  assert.is(compared, 26 * presetNames.length);
});

matrix.run();
