// Tests the preset strict-2003, the complements of one adjudicator among our source documents: its choices, conventions and
// expedited removal.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { standard } from '../../../engine/map/standard.js';
import { type AdjudicatedRecord, adjudicateRecord } from '../../../engine/notation/json/adjudicate-record.js';
import { type RuleSet, ruleSetByName } from '../../../engine/notation/text/rule-set.js';
import { FALL, PLAYING, SOLO, unitPower } from '../../../engine/rules/types.js';
import { sorted, type TextsByPower } from '../../tools/cases.js';
import { readData } from '../../tools/data.js';
import { unitsIn } from '../../tools/legal-orders.js';
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

interface Complement {
  readonly id: string;
  readonly title: string;
  readonly phase: 'movement' | 'parsing' | 'adjustment' | 'state' | 'retreat';
  readonly season?: 'spring' | 'autumn';
  readonly orders?: readonly PlainOrder[];
  readonly orders_text?: readonly string[];
  readonly units?: readonly NamedUnit[];
  readonly centers?: TextsByPower | readonly string[];
  readonly power?: string;
  readonly centers_count?: number;
  readonly units_count?: number;
  readonly expect: {
    readonly final?: Readonly<Record<string, string>>;
    readonly retreat_options?: TextsByPower;
    readonly retreat_options_datc32?: TextsByPower;
    readonly dislodged_options?: TextsByPower;
    readonly destroyed_at_once?: readonly string[];
    readonly void_support?: readonly string[];
    readonly distance?: Readonly<Record<string, number>>;
    readonly distance_dptg?: Readonly<Record<string, number>>;
    readonly accepted?: boolean;
    readonly set_accepted?: boolean;
    readonly becomes?: readonly (string | null)[];
    readonly wins?: boolean;
    readonly threshold?: number;
    readonly in_game?: boolean;
    readonly removed?: readonly string[];
    readonly centers_after?: TextsByPower;
  };
  readonly final_datc32?: 'same' | Readonly<Record<string, string>>;
}

const { tests } = readData<{ tests: Complement[] }>('adjudicator-complements.json');

const strict = ruleSetByName('strict-2003');
const datc = ruleSetByName('datc-3.2');

const centersOf = ({ centers = {} }: Complement): Record<string, readonly string[]> =>
  Array.isArray(centers) ? {} : { ...(centers as Record<string, readonly string[]>) };

const playMovement = (test: Complement, rules: RuleSet): AdjudicatedRecord => {
  const { orders = [], season } = test;
  return adjudicateRows(orders, rules, season === 'autumn' ? 'F1901M' : 'S1901M', centersOf(test));
};

const checkMovement = (test: Complement): void => {
  const { expect, final_datc32, orders = [] } = test;
  const answer = playMovement(test, strict);
  if (expect.final !== undefined) checkFinal(orders, expect.final, answer);
  if (expect.retreat_options !== undefined) checkRetreats(expect.retreat_options, answer);
  const usual = playMovement(test, datc);
  if (expect.retreat_options_datc32 !== undefined) checkRetreats(expect.retreat_options_datc32, usual);
  if (final_datc32 !== undefined)
    checkFinal(orders, final_datc32 === 'same' ? (expect.final ?? {}) : final_datc32, usual);
  for (const unit of expect.void_support ?? [])
    assert.is(answer.orders.find((entry) => entry.unit === unit)?.result, 'invalid', unit);
  if (expect.destroyed_at_once === undefined) return;
  // What vanishes at once had retreats under the same rules without expedited removal.
  checkRetreats(expect.dislodged_options ?? {}, playMovement(test, ruleSetByName('strict-2003,expedited=no')));
  assert.equal(sorted(answer.destroyed), sorted(expect.destroyed_at_once), 'destroyed at once');
};

/** The phase in which orders like this are given. */
const phaseOf = ({ orders_text = [], units = [] }: Complement, text: string): string => {
  if (/ B$/.test(text)) return 'W1901A';
  if (units.some(({ dislodged }) => dislodged) || / R | D$/.test(text)) return / D$/.test(text) ? 'W1901A' : 'S1901R';
  return orders_text.length > 0 ? 'S1901M' : '';
};

const readOne = (test: Complement, text: string): AdjudicatedRecord => {
  const { units = [] } = test;
  const phase = phaseOf(test, text);
  const standing = units.filter(({ dislodged }) => !dislodged);
  const place = text.replace(/^[AF] /, '').split(' ')[0];
  const power = units.find(({ unit }) => unit.slice(2).split('/')[0] === place.split('/')[0])?.power ?? 'RUSSIA';
  const record: Record<string, unknown> = {
    phase,
    units: unitsByPower(standing),
    centers: {},
    orders: { [power]: [text] },
  };
  if (phase === 'W1901A' && / B$/.test(text)) record.centers = { RUSSIA: ['MOS', 'STP', 'SEV'] };
  if (phase === 'S1901R')
    record.retreats = {
      [power]: Object.fromEntries(units.filter(({ dislodged }) => dislodged).map(({ unit }) => [unit, ['PIC']])),
    };
  return adjudicateRecord(record, standard, strict);
};

const accepted = (answer: AdjudicatedRecord): string | null => {
  const entry = answer.orders.find(({ order }) => order !== null);
  const refused =
    entry === undefined || entry.result === 'illegal' || (entry.result === 'fails' && entry.reason !== null);
  return refused ? null : entry.order;
};

/** A support that is understood of one coast is one without a coast here: it matches that coast and no other. */
const sameOrder = (order: string | null, becomes: string | null): boolean =>
  order === becomes || (order !== null && / S /.test(order) && order === becomes?.replace(/\/[NSE]C$/, ''));

const checkParsing = (test: Complement): void => {
  const { orders_text = [], expect } = test;
  const read = orders_text.map((text) => accepted(readOne(test, text)));
  if (expect.accepted !== undefined && expect.becomes === undefined)
    assert.equal(
      read.map((order) => order !== null),
      orders_text.map(() => expect.accepted),
      `${test.id}: ${read}`,
    );
  if (expect.set_accepted === false) {
    const { units = [] } = test;
    const orders = { [units[0].power]: orders_text };
    const answer = adjudicateRecord(
      { phase: 'S1901M', units: unitsByPower(units), centers: {}, orders },
      standard,
      strict,
    );
    assert.equal(
      answer.orders.map(({ result }) => result),
      orders_text.map(() => 'illegal'),
    );
  }
  for (const [i, order] of (expect.becomes ?? []).entries())
    assert.ok(sameOrder(read[i], order), `${test.id}: got ${read[i]}, wanted ${order}`);
};

const checkDistance = (test: Complement, name: string, distances: Readonly<Record<string, number>>): void => {
  const game = gameWith(test.units ?? [], ruleSetByName(name).adjudication);
  for (const [unit, distance] of Object.entries(distances))
    assert.is(homeDistance(game, { power: 'RUSSIA', unit }), distance, `${unit} under ${name}`);
};

/** A fall in which everybody holds: who has won, and who is still there. */
const checkState = ({ power = '', centers, centers_count, units = [], expect }: Complement): void => {
  const tags = Array.isArray(centers) ? centers : Array.from(standard.centers, (p) => standard.provinceTags[p]);
  const owned = tags.slice(0, Array.isArray(centers) ? tags.length : (centers_count ?? 0));
  const game = gameWith(units, strict.adjudication, { [power]: owned });
  const index = standard.powerNames.indexOf(power);
  const isThere = owned.length > 0 || unitsIn(game).some((p) => unitPower(game.unitAt(p)) === index);
  if (expect.in_game !== undefined) assert.is(isThere, expect.in_game);
  if (expect.wins === undefined) return;
  game.season = FALL;
  adjudicate(game, new Int32Array(0));
  assert.is(game.status, expect.wins ? SOLO : PLAYING);
  if (expect.threshold !== undefined) assert.is(standard.victoryCenters, expect.threshold);
};

/** Retreats that leave nothing to a power without a centre. */
const checkLandless = (test: Complement): void => {
  const { units = [], orders = [], season, expect } = test;
  const dislodged = units.filter((unit) => unit.dislodged);
  const standing = unitsByPower(units.filter((unit) => !unit.dislodged));
  const from = season === 'autumn' ? 'F1901' : 'S1901';
  const open = ({ unit, power }: NamedUnit): string[] =>
    orders.filter((given) => given.power === power && unitOf(given.order) === unit).map(({ order }) => order.slice(-3));
  const retreats = Object.fromEntries(dislodged.map((one) => [one.power, { [one.unit]: open(one) }]));
  const record =
    dislodged.length > 0
      ? { phase: `${from}R`, units: standing, centers: centersOf(test), retreats, orders: ordersByPower(orders) }
      : { phase: `${from}M`, units: standing, centers: centersOf(test) };
  const answer = adjudicateRecord(record, standard, strict);
  const left = Object.values(answer.units).flat();
  const gone = units.filter(({ unit, dislodged: waits }) => !waits && !left.includes(unit)).map(({ unit }) => unit);
  assert.equal(sorted(gone), sorted(expect.removed ?? []), 'removed');
  for (const [power, tags] of Object.entries(expect.centers_after ?? {}))
    assert.equal(sorted(answer.centers[power] ?? []), sorted(tags), `centres of ${power}`);
};

const complements = suite('complements of seed 004');
for (const test of tests)
  complements(`${test.id} ${test.title}`, () => {
    if (test.phase === 'movement') checkMovement(test);
    else if (test.phase === 'parsing') checkParsing(test);
    else if (test.phase === 'state') checkState(test);
    else if (test.phase === 'retreat') checkLandless(test);
    else {
      checkDistance(test, 'strict-2003,disorderGoal=home', test.expect.distance ?? {});
      checkDistance(test, 'dptg', test.expect.distance_dptg ?? {});
    }
  });
complements('all 41 tests of the adjudicator are here', () => assert.is(tests.length, 41));
complements.run();
