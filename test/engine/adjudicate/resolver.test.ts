// Which of the two resolvers decides: the passes, or the recursion where other rules matter or the passes give up.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adjudicate } from '../../../engine/adjudicate/calendar.js';
import { counters } from '../../../engine/adjudicate/movement/index.js';
import { standard } from '../../../engine/map/standard.js';
import { rulesByName } from '../../../engine/rules/options.js';
import { NONE } from '../../../engine/rules/order.js';
import { makeResults, type Results } from '../../../engine/rules/results.js';
import { presetNames } from '../../../engine/rules/rule-text.js';
import { DISLODGED, NO_FATE, resultNames } from '../../../engine/rules/types.js';
import { readLines } from '../../tools/cases.js';
import { gameOf } from '../../tools/rule-cases.js';

interface Resolved {
  readonly results: Results;
  /** True if the recursion decided. */
  readonly recursion: boolean;
}

const resolve = (rules: string, lines: string): Resolved => {
  const position = readLines(standard, lines);
  const game = gameOf(position, rulesByName(rules));
  const orders = position.orders.filter((order) => order !== NONE);
  const results = makeResults();
  const before = { ...counters };
  adjudicate(game, orders, orders.length, results);
  assert.is(counters.sets - before.sets, 1);
  return { results, recursion: counters.recursions > before.recursions };
};

const resultAt = ({ results }: Resolved, tag: string): string =>
  resultNames[results.result[standard.provinceTags.indexOf(tag)]];
const fateAt = ({ results }: Resolved, tag: string): number => results.fate[standard.provinceTags.indexOf(tag)];

/** Orders, and the rules under which they are the recursion's; under all others of the list they are the passes'. */
interface Seam {
  readonly what: string;
  readonly lines: string;
  readonly recursion: readonly string[];
}

const single = [
  'convoyRoutes=all',
  'paradox=allHold',
  'adjacentConvoy=always',
  'adjacentConvoy=written',
  'convoyFallback=broken',
  'cutFromOrigin=yes',
  'dislodgedNoEffect=always',
  'ownSupportVsRivals=yes',
  'retreatToConvoyOrigin=no',
];
const allRules = [...presetNames, ...single];
const convoyRules = [...presetNames.filter((name) => name !== 'datc-3.2'), ...single.slice(0, 7)];

const seams: readonly Seam[] = [
  {
    what: 'no convoy, and no support against an own unit',
    lines: 'FRANCE A PAR - BUR\nFRANCE A MAR S A PAR - BUR\nGERMANY A MUN - BUR\nGERMANY A RUH H',
    recursion: [],
  },
  {
    what: 'a convoy that matches',
    lines: 'ENGLAND A LON - BEL VIA\nENGLAND F NTH C A LON - BEL\nGERMANY A HOL - BEL',
    recursion: convoyRules,
  },
  {
    what: 'a convoy of an army that holds',
    lines: 'ENGLAND A LON H\nENGLAND F NTH C A LON - BEL\nGERMANY A HOL - BEL',
    recursion: [],
  },
  {
    what: 'a move VIA to an adjacent province, without a convoy',
    lines: 'GERMANY A HOL - BEL VIA\nENGLAND F NTH H',
    recursion: '1982 2000 2023 datc-2.4 1971 strict-2003 adjacentConvoy=always convoyFallback=broken'.split(' '),
  },
  {
    what: 'a support against a unit of its own power',
    lines: 'FRANCE A PAR H\nFRANCE A BRE S A BUR - PAR\nGERMANY A BUR - PAR',
    recursion: ['dptg', 'ownSupportVsRivals=yes'],
  },
];

const seam = suite('rules that the passes do not know');

for (const { what, lines, recursion } of seams)
  seam(what, () => {
    const found = allRules.filter((rules) => resolve(rules, lines).recursion);
    assert.equal(found.toSorted(), recursion.toSorted());
  });

seam.run();

const places = suite('a move by convoy to where the army is');

places('is no hold under any rules: it cannot be supported', () => {
  const lines =
    'FRANCE A PAR - PAR VIA\nFRANCE A BUR S A PAR\nGERMANY A PIC - PAR\nGERMANY A GAS S A PIC - PAR\nGERMANY A RUH H';
  for (const rules of allRules) {
    const resolved = resolve(rules, lines);
    assert.ok(resolved.recursion, rules);
    assert.equal(
      ['PAR', 'BUR', 'PIC', 'GAS', 'RUH'].map((tag) => resultAt(resolved, tag)),
      ['invalid', 'invalid', 'succeeds', 'given', 'stands'],
      rules,
    );
    assert.is(fateAt(resolved, 'PAR'), DISLODGED);
    assert.is(fateAt(resolved, 'BUR'), NO_FATE);
  }
});

places.run();
