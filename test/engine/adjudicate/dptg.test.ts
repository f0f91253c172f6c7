// Tests the Player's Technical Guide of 1998: its printed examples, the variants it describes, its rules turned into
// orders, and positions that distinguish it from other rules, under the preset dptg; and the same orders under the
// default rules.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { guideRankOf } from '../../../engine/adjudicate/civil-disorder.js';
import { standard } from '../../../engine/map/standard.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { type RuleSet, ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { testBit } from '../../../engine/rules/bitset.js';
import { sorted, type TextsByPower } from '../../tools/cases.js';
import { readData } from '../../tools/data.js';
import {
  adjudicateRows,
  checkFinal,
  checkRetreats,
  gameWith,
  homeDistance,
  type NamedUnit,
  ordersByPower,
  type PlainOrder,
  unitOf,
  unitsByPower,
} from '../../tools/rule-cases.js';

interface GuideExample {
  readonly id: string;
  readonly title: string;
  readonly phase: 'movement' | 'order-legality' | 'retreat' | 'adjustment';
  readonly orders: readonly PlainOrder[];
  readonly movement?: readonly PlainOrder[];
  readonly units?: readonly NamedUnit[];
  readonly centers?: TextsByPower;
  readonly expect: Readonly<Record<string, unknown>>;
  readonly final_dptg?: Readonly<Record<string, string>>;
  readonly final_datc32?: 'same' | Readonly<Record<string, string>>;
  readonly removed_datc32?: readonly string[];
  readonly distance_datc32?: Readonly<Record<string, number>>;
  readonly dislodged_options?: TextsByPower;
}

const data = readData<{ examples: GuideExample[]; alphabetical_order: readonly string[] }>('dptg-examples.json');

const guide = ruleSetByName('dptg');
const datc = ruleSetByName('datc-3.2');

/** Checks of the guide's statements about a unit, or about a province for `standoff`, indexed by statement. */
const STATEMENTS: Readonly<Record<string, (word: string, unit: string, answer: AdjudicatedRecord) => boolean>> = {
  legal: (word) => word !== 'illegal',
  illegal: (word) => word === 'illegal',
  uncut: (word) => word === 'given',
  valid_support: (word) => word === 'given',
  cut: (word) => word === 'cut' || word === 'invalid',
  fails: (word) => ['fails', 'illegal', 'invalid'].includes(word),
  dislodged: (_, unit, { dislodged }) => unit in dislodged,
  undislodged: (_, unit, { dislodged }) => !(unit in dislodged),
  standoff: (_, province, { contested }) => contested.includes(province),
};

/** A match of these names is nothing that a result tells: the reference (references.test.ts) is held to them. */
const STATED_OF_STEPS =
  'convoys subverted_after_loop target_passes head_to_head routes cancelled disrupted through'.split(' ');

const checkStatements = (example: GuideExample, answer: AdjudicatedRecord): void => {
  // An order that names no place of the map (SWI) is said of no unit.
  const words = new Map(answer.orders.map(({ unit, order, result }) => [unit ?? unitOf(order ?? ''), result]));
  const unread = answer.orders.filter(({ unit, order }) => unit === null && order !== null).map(({ order }) => order);
  for (const order of unread) words.set(unitOf(order ?? ''), 'illegal');
  const units = Object.values(answer.units).flat();
  for (const [statement, value] of Object.entries(example.expect)) {
    if (STATED_OF_STEPS.includes(statement)) continue;
    if (statement === 'moves') {
      for (const [unit, to] of Object.entries(value as Record<string, string>))
        assert.ok(words.get(unit) === 'succeeds' && units.includes(`${unit[0]} ${to}`), `${example.id}: ${unit} ${to}`);
      continue;
    }
    for (const unit of value as string[]) {
      const word = words.get(unit) ?? 'none';
      const isSaid = STATEMENTS[statement];
      if (isSaid !== undefined)
        assert.ok(isSaid(word, unit, answer), `${example.id}: ${statement} ${unit}, got ${word}`);
      else if (statement !== 'no_hold_support') assert.unreachable(`${example.id}: what is ${statement}?`);
      else if (!unread.some((order) => order?.startsWith(`${unit} `))) checkNoHoldSupport(example, unit);
    }
  }
};

/** A neighbour that supports the unit to hold gets nothing for it. */
const checkNoHoldSupport = (example: GuideExample, unit: string): void => {
  const at = standard.provinceTags.indexOf(unit.slice(2).split('/')[0]);
  const near = [...Array(standard.provinceCount).keys()].find(
    (p) =>
      standard.distance[at * standard.provinceCount + p] === 1 &&
      standard.kind[p] !== 2 &&
      standard.coastCount[p] === 0 &&
      testBit(standard.reach, p, at) === 1 &&
      !example.orders.some(({ order }) => unitOf(order).slice(2) === standard.provinceTags[p]),
  );
  if (near === undefined) return;
  const support = { power: 'TURKEY', order: `A ${standard.provinceTags[near]} S ${unit}` };
  const answer = adjudicateRows([...example.orders, support], guide);
  const entry = answer.orders.find((one) => one.unit === unitOf(support.order));
  assert.is(entry?.result, 'invalid', `${example.id}: ${support.order}`);
};

const checkMovement = (example: GuideExample): void => {
  const { orders, final_dptg = {}, final_datc32 = {} } = example;
  const answer = adjudicateRows(orders, guide);
  checkFinal(orders, final_dptg, answer);
  checkStatements(example, answer);
  checkFinal(orders, final_datc32 === 'same' ? final_dptg : final_datc32, adjudicateRows(orders, datc));
};

const checkRetreat = (example: GuideExample): void => {
  const { movement = [], orders, expect, final_dptg = {}, dislodged_options = {} } = example;
  const moved = adjudicateRows(movement, guide);
  checkFinal(movement, final_dptg, moved);
  checkRetreats(dislodged_options, moved);
  const open: TextsByPower = Object.assign({}, ...Object.values(moved.retreats));
  for (const [unit, places] of Object.entries((expect.forbidden ?? {}) as Record<string, string[]>))
    for (const place of places) assert.not.ok(open[unit].includes(place), `${example.id}: ${place}`);
  for (const unit of (expect.destroyed ?? []) as string[])
    assert.ok(moved.destroyed.includes(unit), `${example.id}: ${unit}`);
  if (moved.next_phase !== 'S1901R') {
    assert.ok(expect.destroyed !== undefined);
    return;
  }
  const { next_phase: phase, units, centers, retreats } = moved;
  const given = ordersByPower(orders);
  const answer = adjudicateRecord({ phase, units, centers, retreats, orders: given }, standard, guide);
  assert.equal(sorted(answer.disbanded), sorted((expect.disbanded ?? []) as string[]), `${example.id}: disbanded`);
  for (const [unit, to] of Object.entries((expect.retreats ?? {}) as Record<string, string>))
    assert.ok(Object.values(answer.units).flat().includes(`${unit[0]} ${to}`), `${example.id}: ${unit} to ${to}`);
};

/** Distances from home by unit, as the rules count them. */
const checkDistances = (example: GuideExample, rules: RuleSet, distances: Readonly<Record<string, number>>): void => {
  const { units = [], centers = {} } = example;
  const game = gameWith(units, rules.adjudication, centers);
  for (const one of units)
    if (one.unit in distances)
      assert.is(homeDistance(game, one), distances[one.unit], `${example.id}: ${one.unit} under ${rules.name}`);
};

const playAdjustment = ({ units = [], centers = {}, orders }: GuideExample, rules: RuleSet): AdjudicatedRecord =>
  adjudicateRecord(
    { phase: 'W1901A', units: unitsByPower(units), centers, orders: ordersByPower(orders) },
    standard,
    rules,
  );

const checkAdjustment = (example: GuideExample): void => {
  const { expect, removed_datc32, distance_datc32 } = example;
  const distances = expect.distance as Readonly<Record<string, number>> | undefined;
  if (distances !== undefined) checkDistances(example, guide, distances);
  if (distance_datc32 !== undefined) checkDistances(example, datc, distance_datc32);
  const answer = playAdjustment(example, guide);
  if (expect.removed !== undefined)
    assert.equal(sorted(answer.disbanded), sorted(expect.removed as string[]), `${example.id}: removed`);
  if (removed_datc32 !== undefined)
    assert.equal(sorted(playAdjustment(example, datc).disbanded), sorted(removed_datc32), `${example.id}: removed`);
  if (expect.built !== undefined) assert.equal(sorted(answer.built), sorted(expect.built as string[]));
  if (expect.not_both !== undefined) assert.is(answer.built.length, 1);
  if (expect.illegal !== undefined) {
    assert.equal(answer.built, []);
    assert.is(answer.orders[0].result, 'fails');
  }
};

const examples = suite("Player's Technical Guide");
for (const example of data.examples)
  examples(`${example.id} ${example.title}`, () => {
    if (example.phase === 'retreat') checkRetreat(example);
    else if (example.phase === 'adjustment') checkAdjustment(example);
    else checkMovement(example);
  });
examples('all 98 entries of the guide are here', () => assert.is(data.examples.length, 98));

examples('the alphabet of civil disorder is that of the guide', () => {
  const rank = guideRankOf(standard);
  const places = [...standard.provinceTags].sort(
    (a, b) => rank[standard.provinceTags.indexOf(a)] - rank[standard.provinceTags.indexOf(b)],
  );
  assert.equal(places, [...data.alphabetical_order]);
});

examples.run();
