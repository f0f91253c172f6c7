// Tests whole answers to records: each row of test/data/records.json has a record, the rules under which it is
// adjudicated, and everything that the answer says.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadMap } from '../../../engine/map/index.js';
import { standard } from '../../../engine/map/standard.js';
import { adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { legalRecord } from '../../../engine/notation/json/legal-record.js';
import type { OrderEntry } from '../../../engine/notation/json/outcomes.js';
import { ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { presetNames } from '../../../engine/rules/rule-text.js';
import { readData } from '../../tools/data.js';

interface RecordRow {
  readonly title: string;
  /** Name of the map, with its options; default: standard. */
  readonly map?: string;
  /** The answer is the same under all of these. */
  readonly rules: readonly string[];
  readonly record: { readonly id?: unknown; readonly phase: string };
  /** `orders` has a line for each entry, `next` is the next phase, and what is empty is left out. */
  readonly answer: object;
}

interface LegalRow {
  readonly title: string;
  readonly record: { readonly id?: unknown; readonly phase: string };
  readonly answer: { readonly orders: object; readonly builds: object };
}

const data = readData<{ records: RecordRow[]; legal: LegalRow[] }>('records.json');

/** An entry as text: 'FRANCE: F LON H [A LON]; illegal; A LON belongs to ENGLAND', its unit where the order has another. */
const lineOf = ({ power, unit, order, result, fate, reason }: OrderEntry): string => {
  const named = order?.split(' ').slice(0, 2).join(' ');
  const who = order === null ? `(${unit})` : unit === named ? order : `${order} [${unit ?? '-'}]`;
  return [`${power}: ${who}`, result, fate, reason].filter((part) => part !== null).join('; ');
};

/** Leaves out empty lists, empty objects and zeros. */
const withoutEmpty = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).filter(([, one]) => (typeof one === 'object' ? Object.keys(one).length > 0 : one !== 0)),
  );

const records = suite('records');

for (const { title, map: name = 'standard', rules, record, answer } of data.records)
  records(title, () => {
    const map = loadMap(name);
    for (const rule of rules) {
      const {
        id,
        phase,
        orders,
        next_phase: next,
        units,
        centers,
        ...rest
      } = adjudicateRecord(record, map, ruleSetByName(rule));
      assert.equal([id, phase], [record.id ?? null, record.phase]);
      for (const lists of [units, centers]) assert.equal(Object.keys(lists), [...map.powerNames]);
      const found = {
        ...{ orders: orders.map(lineOf), next, units: withoutEmpty(units), centers: withoutEmpty(centers) },
        ...withoutEmpty(rest),
      };
      assert.equal(found, answer, rule);
    }
  });

records('every preset says what an army does that is sent by a convoy that no fleet could give', () => {
  const named = data.records.filter(({ title }) => title.startsWith('an army sent by convoy to an inland neighbour'));
  assert.equal(named.flatMap(({ rules }) => rules).sort(), [...presetNames].sort());
});
records.run();

const legal = suite('legal orders');
for (const { title, record, answer } of data.legal)
  legal(`legal orders ${title}`, () => {
    const { id, phase, orders, builds } = legalRecord(record);
    assert.equal([id, phase], [record.id ?? null, record.phase]);
    for (const lists of [orders, builds]) assert.equal(Object.keys(lists), [...standard.powerNames]);
    assert.equal([withoutEmpty(orders), withoutEmpty(builds)], [answer.orders, answer.builds]);
  });
legal.run();
