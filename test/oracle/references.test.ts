// Tests three published descriptions of adjudication, implemented literally, against the engine under the rules that each
// describes: on all cases and on random sets. They must agree on positions and moves; differential-references.ts lists
// where they differ in words.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OrderSet } from '../../bench/corpus/families.js';
import { standard } from '../../engine/map/standard.js';
import { ruleSetByName } from '../../engine/notation/text/rule-set.js';
import { Game } from '../../engine/position/game.js';
import { NONE } from '../../engine/rules/order.js';
import { loadCases, readPosition } from '../tools/cases.js';
import { readData } from '../tools/data.js';
import { families } from '../tools/families.js';
import { mutants } from '../tools/mutants.js';
import { gameOf, ordersUnder, type PlainOrder, positionOf, unitOf } from '../tools/rule-cases.js';
import { compareReference, differencesIn, references } from './differential-references.js';
import { type GuideVerdict, judgeByGuide } from './guide.js';
import type { Piece } from './pieces.js';

interface GuideExample {
  readonly id: string;
  readonly title: string;
  readonly phase: string;
  readonly orders: readonly PlainOrder[];
  readonly expect: Readonly<Record<string, unknown>>;
}

const { examples } = readData<{ examples: GuideExample[] }>('dptg-examples.json');

const tag = (province: number): string => standard.provinceTags[province];
const sorted = (list: readonly string[]): string[] => [...list].sort();

// ---- cases ----

const cases = suite('references on the cases');

const movements = [...loadCases('datc-3.2.json'), ...loadCases('rules-2023.json')].filter(
  ({ phase }) => phase !== 'adjustment',
);

for (const reference of references)
  cases(`${reference.name}: ${movements.length} cases`, () => {
    const { adjudication: rules, reading } = ruleSetByName(reference.rules);
    const board = new Game(standard, rules);
    for (const row of movements) {
      const position = readPosition(standard, row);
      const game = gameOf(position, rules);
      const orders = ordersUnder(position, reading, game).filter((order) => order !== NONE);
      const set: OrderSet = { game, orders, count: orders.length };
      assert.equal(differencesIn(set, board, reference.judge), [], row.id);
    }
    assert.ok(movements.length > 200);
  });
cases.run();

// ---- random sets ----

const random = suite('references on random sets');
const SETS = 250;

for (const reference of references)
  random(`${reference.name}: ${SETS} sets of each family`, () => {
    for (const family of [...families, mutants])
      assert.is(compareReference(reference, family, SETS, 17, assert.unreachable), 0);
  });

random('other rules than its own are told apart', () => {
  for (const reference of references) {
    const found = compareReference({ ...reference, rules: '1971' }, mutants, 500, 3, () => {});
    assert.ok(found > 10, `${reference.name}: ${found}`);
  }
});
random.run();

// ---- what the guide says on the way ----

const steps = suite('steps of the guide');

/** Returns the units of pieces, named as in the orders where those name them: 'F SPA/NC', not 'F SPA'. */
const namesOf = (pieces: Iterable<Piece>, orders: readonly PlainOrder[]): string[] =>
  Array.from(pieces, ({ at, isFleet }) => {
    const name = `${isFleet ? 'F' : 'A'} ${tag(at)}`;
    return orders.map(({ order }) => unitOf(order)).find((unit) => unit.split('/')[0] === name) ?? name;
  });

interface StatedConvoy {
  readonly fleets: readonly string[];
  readonly subverts?: readonly string[];
  readonly state?: string;
}

/** Entries that speak of one or two of their convoys only. */
const OF_SOME_CONVOYS = ['DPTG.VIII.5.c', 'DPTG.VIII.11.c'];

const checkConvoys = (id: string, verdict: GuideVerdict, stated: Readonly<Record<string, StatedConvoy>>): void => {
  const convoys = verdict.convoys.filter(({ army }) => tag(army.at) in stated || !OF_SOME_CONVOYS.includes(id));
  assert.equal(sorted(convoys.map(({ army }) => tag(army.at))), sorted(Object.keys(stated)), 'convoys');
  for (const convoy of convoys) {
    const name = tag(convoy.army.at);
    const { fleets, subverts, state } = stated[name];
    assert.equal(sorted(convoy.fleets.map(({ at }) => tag(at))), sorted(fleets), `fleets of ${name}`);
    if (subverts !== undefined) assert.equal(sorted(convoy.subverts.map(tag)), sorted(subverts), `${name} subverts`);
    if (state !== undefined) assert.is(convoy.state, state, `state of ${name}`);
  }
};

const checkBattles = (
  verdict: GuideVerdict,
  stated: readonly { units: readonly string[]; strengths?: readonly number[]; balanced: boolean }[],
): void => {
  for (const { units, strengths, balanced } of stated) {
    const battle = verdict.headToHeads.find(({ stronger, weaker }) =>
      units.every((unit) => [stronger, weaker].some(({ at }) => tag(at) === unit.slice(2))),
    );
    assert.is(battle?.balanced, balanced, units.join(' and '));
    if (strengths === undefined || battle === undefined) continue;
    const own = tag(battle.stronger.at) === units[0].slice(2) ? battle.strengths : [...battle.strengths].reverse();
    assert.equal([...own], [...strengths], `strengths of ${units.join(' and ')}`);
  }
};

const checkSteps = ({ id, expect, orders }: GuideExample, verdict: GuideVerdict): number => {
  let checked = 0;
  const on = <T>(key: string, check: (value: T) => void): void => {
    if (!(key in expect)) return;
    check(expect[key] as T);
    checked++;
  };
  const convoyOf = (name: string) => verdict.convoys.find(({ army }) => tag(army.at) === name);
  const losesFleet = (name: string): boolean =>
    convoyOf(name)?.fleets.some(({ at }) => verdict.attacker[at] >= 0) ?? false;
  on<Record<string, StatedConvoy>>('convoys', (stated) => checkConvoys(id, verdict, stated));
  on<Record<string, number>>('routes', (stated) => {
    for (const [name, routes] of Object.entries(stated)) assert.is(convoyOf(name)?.routes, routes, `routes of ${name}`);
  });
  on<Record<string, string>>('subverted_after_loop', (stated) => {
    const textOf = (pairs: readonly (readonly [string, string])[]): string =>
      sorted(pairs.map(([by, of]) => `${by} ${of}`)).join();
    const pairs = Object.entries(stated);
    const wanted = [textOf(pairs), textOf(pairs.map(([a, b]) => [b, a]))];
    const found = verdict.subvertedAfterLoop.map((list) => textOf(list.map(([by, of]) => [tag(by), tag(of)])));
    assert.ok(
      wanted.some((text) => found.includes(text)),
      `subverted: ${found.join(' / ')}`,
    );
  });
  on<string[]>('disrupted', (names) => assert.equal(names.filter(losesFleet), names));
  on<string[]>('through', (names) => assert.equal(names.filter(losesFleet), []));
  on<string[]>('cancelled', (units) => {
    const found = namesOf(verdict.cancelled, orders);
    for (const unit of units) assert.ok(found.includes(unit), `${unit} is cancelled`);
  });
  on<string[][]>('target_passes', (passes) =>
    assert.equal(
      verdict.passes.map((pass) => sorted(pass.map(tag))),
      passes.map(sorted),
    ),
  );
  on<{ units: string[]; strengths?: number[]; balanced: boolean }[]>('head_to_head', (stated) =>
    checkBattles(verdict, stated),
  );
  return checked;
};

let statements = 0;
for (const example of examples) {
  if (example.phase !== 'movement' && example.phase !== 'order-legality') continue;
  // Switzerland is not on our maps; any other place that nobody there can reach does as well.
  const orders = example.orders.map(({ power, order }) => ({ power, order: order.replace(/ SWI$/, ' SYR') }));
  steps(`${example.id} ${example.title}`, () => {
    const { adjudication: rules, reading } = ruleSetByName('dptg');
    const position = positionOf(orders);
    const game = gameOf(position, rules);
    const given = ordersUnder(position, reading, game);
    const verdict = judgeByGuide(standard, position.units, given);
    statements += checkSteps(example, verdict);
    const list = given.filter((order) => order !== NONE);
    const set: OrderSet = { game, orders: list, count: list.length };
    assert.equal(differencesIn(set, new Game(standard, rules), references[2].judge), [], example.id);
  });
}
steps('statements on the way were checked', () => assert.ok(statements >= 40, `${statements}`));
steps.run();
