// Tests what engine/README.md says of the recursion that DATC 3.2 prints: where it strays from the conditions that it is
// meant to solve.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OrderSet } from '../../bench/corpus/families.js';
import { standard } from '../../engine/map/standard.js';
import { Game } from '../../engine/position/game.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import { NONE } from '../../engine/rules/order.js';
import { Random } from '../../engine/rules/random.js';
import { resultNames } from '../../engine/rules/types.js';
import { type CaseRow, loadCases, readLines, readPosition } from '../tools/cases.js';
import { families } from '../tools/families.js';
import { gameOf } from '../tools/rule-cases.js';
import { judgeByDecisions } from './decisions.js';
import { permutations } from './differential.js';
import { playSet } from './differential-references.js';
import { judgeByGuesses } from './guesses.js';
import { consultOracle } from './oracle.js';
import type { Verdict } from './pieces.js';
import type { PrintedForm } from './printed-recursion.js';
import { countAnswers, forms, NO_END, reductions, searchFamily, sequencesOf } from './printed-recursion-search.js';

const [PRINTED, MOVE_FIRST, MENDED, PATH_ONLY] = forms;

/** Five units of two powers. No position of fewer units is known in which the printed recursion strays. */
const SMALLEST = `
  ENGLAND F APU - ADR
  ENGLAND F ALB S F APU - ADR
  TURKEY  A VEN - ALB VIA
  TURKEY  F ADR C A VEN - ALB
  TURKEY  A GRE S A VEN - ALB`;
/** The same with an army of a third power. */
const OF_THREE_POWERS = SMALLEST.replace('TURKEY  A VEN', 'GERMANY A VEN');
/** The support holds the convoying fleet: this is no paradox, the attack is too weak in any case. */
const NO_PARADOX = `
  ENGLAND F APU - ADR
  TURKEY  F ALB S F ADR
  GERMANY A VEN - ALB VIA
  TURKEY  F ADR C A VEN - ALB
  GERMANY A GRE S A VEN - ALB`;

const readSet = (text: string): OrderSet => {
  const position = readLines(standard, text);
  const orders = position.orders.filter((order) => order !== NONE);
  return { game: gameOf(position, DATC_3_2), orders, count: orders.length };
};

const random = new Random(1);
const provinceOf = (tag: string): number => standard.provinceTags.indexOf(tag);
const tags = (text: string): string[] => [...text.matchAll(/^\s+\w+\s+[AF] (\w+)/gm)].map(([, tag]) => tag);
const everySequence = (text: string): number[][] => permutations(tags(text).map(provinceOf));
const countsOf = (text: string, form: PrintedForm): Record<string, number> =>
  Object.fromEntries(countAnswers(readSet(text), form, everySequence(text)));

const smallest = suite('the smallest position');

for (const [name, text] of [
  ['two powers', SMALLEST],
  ['three powers', OF_THREE_POWERS],
]) {
  smallest(`${name}: the printed recursion never ends from 90 of 120 orders of asking`, () => {
    assert.equal(countsOf(text, PRINTED), { [NO_END]: 90, '': 30 });
    // Asked for first, the army is resolved before the cycle is.
    for (const sequence of everySequence(text)) {
      const armyFirst = sequence.filter((province) => province !== provinceOf('GRE'))[0] === provinceOf('VEN');
      const [answer] = countAnswers(readSet(text), PRINTED, [sequence]).keys();
      assert.is(answer, armyFirst ? '' : NO_END, sequence.join());
    }
  });

  smallest(`${name}: mended, it lets the convoy succeed in as many`, () => {
    const wrong = [
      'ADR is dislodged by: engine APU, reference nobody',
      'ALB is dislodged by: engine nobody, reference VEN',
      'ALB: engine succeeds, reference fails',
      'APU: engine succeeds, reference fails',
      'VEN: engine fails, reference succeeds',
    ];
    assert.equal(countsOf(text, MENDED), { [wrong.join('; ')]: 90, '': 30 });
  });

  smallest(`${name}: every other method gives one result from all 120 orders of asking`, () => {
    for (const form of [MOVE_FIRST, PATH_ONLY]) assert.equal(countsOf(text, form), { '': 120 });
    const { units, orders, differ } = playSet(readSet(text), new Game(standard, DATC_3_2));
    const agrees = (verdict: Verdict): void => assert.equal(differ(verdict), []);
    for (const sequence of everySequence(text)) {
      agrees(judgeByGuesses(standard, units, orders, sequence));
      agrees(judgeByDecisions(standard, units, orders, false, sequence));
    }
    const outcome = consultOracle(standard, units, orders);
    const said = tags(text).map((tag) => `${tag} ${resultNames[outcome.result[provinceOf(tag)]]}`);
    assert.equal(said, ['APU succeeds', 'ALB given', 'VEN fails', 'ADR disrupted', 'GRE given']);
    assert.is(outcome.attacker[provinceOf('ADR')], provinceOf('APU'));
    assert.is(outcome.paradoxes, 1);
  });
}

smallest('engine/README.md shows this position', () => {
  const readme = readFileSync(new URL('../../../engine/README.md', import.meta.url), 'utf8');
  const plain = (text: string): string => text.replace(/ +/g, ' ');
  assert.ok(plain(readme).includes(plain(SMALLEST.trim().replace(/^ +/gm, ''))));
});

smallest('with a unit or an order less, every form gives the result of the engine', () => {
  const smaller = reductions(readSet(SMALLEST));
  // Five units less, five orders less, and all units of one power or of the other.
  assert.is(smaller.length, 12);
  for (const set of smaller)
    for (const form of forms) assert.equal([...countAnswers(set, form, sequencesOf(set, random)).keys()], ['']);
});

smallest('it never ends where there is no paradox either', () => {
  assert.equal(countsOf(NO_PARADOX, PRINTED), { [NO_END]: 60, '': 60 });
  assert.equal(countsOf(NO_PARADOX, MENDED), { '': 120 });
  assert.is(
    consultOracle(standard, readLines(standard, NO_PARADOX).units, readLines(standard, NO_PARADOX).orders).paradoxes,
    0,
  );
});
smallest.run();

// ---- the search ----

const search = suite('search');

search('counts the sets of a family that stray under each form', () => {
  const knot = families.find(({ name }) => name === 'knot') ?? families[0];
  const { noEnd, wrong } = searchFamily(knot, 60, 5);
  assert.ok(noEnd[0] >= 3 && wrong[2] >= 3, `${noEnd} never end, ${wrong} differ`);
  assert.equal([noEnd[2], noEnd[3], ...wrong.toSpliced(2, 1)], [0, 0, 0, 0, 0]);
});
search.run();

// ---- the cases ----

const cases = suite('cases');

const rows = loadCases('datc-3.2.json').filter(({ phase }) => phase !== 'adjustment');

/** A case with all its orders of asking, or some if they are many. */
const countsIn = (row: CaseRow, form: PrintedForm): ReadonlyMap<string, number> => {
  const position = readPosition(standard, row);
  const orders = position.orders.filter((order) => order !== NONE);
  const set: OrderSet = { game: gameOf(position, DATC_3_2), orders, count: orders.length };
  return countAnswers(set, form, sequencesOf(set, random));
};

cases(
  'the printed recursion never ends in four cases of the document; asked for PATH only, it gives all results',
  () => {
    assert.ok(rows.length > 100);
    const endless: string[] = [];
    for (const row of rows) {
      const answers = countsIn(row, PRINTED);
      assert.equal(
        [...answers.keys()].filter((answer) => answer !== '' && answer !== NO_END),
        [],
        row.id,
      );
      if (answers.has(NO_END)) endless.push(row.id);
      for (const form of [MOVE_FIRST, PATH_ONLY]) assert.equal([...countsIn(row, form).keys()], [''], row.id);
    }
    assert.equal(endless, ['6.F.17', '6.F.18', '6.F.27', '6.G.11']);
  },
);

cases('case 6.G.11 is the smallest position in other provinces', () => {
  const row = rows.find(({ id }) => id === '6.G.11') ?? rows[0];
  assert.equal(Object.fromEntries(countsIn(row, PRINTED)), { [NO_END]: 90, '': 30 });
});
cases.run();
