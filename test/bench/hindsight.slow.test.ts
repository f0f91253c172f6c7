// Tests the measurement of choices by hindsight (bench/strength/hindsight.ts) on the recorded games of test/data.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readGames } from '../../bench/strength/calibration.js';
import { measureGame, summarize } from '../../bench/strength/hindsight.js';

const hindsight = suite('hindsight');

const [recorded] = readGames('test/data/strangers.jsonl.gz');
const year = { ...recorded, phases: recorded.phases.slice(0, 2) };
const measure = (known: number) =>
  measureGame({ recorded: year, index: 0, seed: 1, searches: [{ rollouts: 100, known }] });

hindsight(
  'a row for each position: springs have no centres, falls have, and the same seed gives the same',
  async () => {
    const rows = await measure(0);
    assert.equal(
      rows.map(({ phase }) => phase),
      ['S1901M', 'F1901M'],
    );
    assert.is(new Set(rows.map(({ power }) => power)).size, 2);
    for (const { phase, figures } of rows) {
      // What was recorded, and one search.
      assert.is(figures.length, 2);
      for (const { value, later, centers, lost, walked } of figures) {
        assert.ok(value !== null && value > 0 && value < 1);
        assert.ok(later !== null && later > 0 && later < 1);
        if (phase.startsWith('S')) assert.equal([centers, lost, walked], [null, null, null]);
        else assert.ok(centers !== null && lost !== null && walked !== null && walked <= lost && centers >= -lost);
      }
    }
    assert.equal(await measure(0), rows);
  },
);

hindsight('who knows the orders of the others gains by it, or chooses the same', async () => {
  const [without, withThem] = [await measure(0), await measure(1)];
  assert.ok(summarize(withThem, 1, 'value')[0] >= summarize(without, 1, 'value')[0] - 1e-3);
  assert.equal(summarize(withThem, 0, 'value'), summarize(without, 0, 'value'));
});

hindsight('means and errors are over positions that have a figure', () => {
  const figures = (value: number, centers: number | null) => ({ value, later: 0, centers, lost: 0, walked: 0 });
  const rows = [1, 3].map((x, i) => ({
    ...{ id: 'a', phase: 'F1901M', power: 'FRANCE' },
    figures: [figures(0, 0), figures(x, i === 0 ? null : x), figures(x + 1, x)],
  }));
  assert.equal(summarize(rows, 1, 'value'), [2, 1]);
  assert.equal(summarize(rows, 1, 'centers'), [3, null]);
  assert.equal(summarize(rows, 2, 'value', 1), [1, 0]);
});

hindsight.run();
