// Compares the engine with the oracle under every preset and single option of the rules.
import type { OrderSet } from '../../bench/corpus/families.js';
import { runMain } from '../../bench/run/child.js';
import { runProgram } from '../../bench/run/program.js';
import { adjudicate } from '../../engine/adjudicate/calendar.js';
import { standard } from '../../engine/map/standard.js';
import { Game } from '../../engine/position/game.js';
import { DATC_3_2, type Rules, rulesByName } from '../../engine/rules/options.js';
import { makeResults, type Results } from '../../engine/rules/results.js';
import { presetNames } from '../../engine/rules/rule-text.js';
import { seedOption, type ValuesOf, wholeIn } from '../../selfplay/question/option.js';
import { families } from '../tools/families.js';
import { mutants } from '../tools/mutants.js';
import { byProvince, checkSets, compare, printFirst } from './differential.js';
import { consultOracle } from './oracle.js';

/** Families in which the rules differ often enough to be worth comparing. */
export const DENSE = ['mid dense', '1901 dense', 'scattered', 'storm', 'knot', 'mutants'] as const;
const all = [...families, mutants];

const results = makeResults();

const play = (set: OrderSet, game: Game, into: Results): void => {
  game.copyFrom(set.game);
  adjudicate(game, set.orders, set.count, into);
};

const familiesOf = (names: readonly string[]): typeof families => all.filter((family) => names.includes(family.name));

/** Compares so many sets, spread over the families; tells of each that differs, and returns their number. */
export const compareRules = (
  rules: Rules,
  sets: number,
  seed: number,
  names: readonly string[],
  print: (text: string) => void,
): number => {
  const game = new Game(standard, rules);
  const check = (set: OrderSet): readonly string[] => {
    const { units, orders } = byProvince(set);
    play(set, game, results);
    return compare(set, consultOracle(standard, units, orders, rules), results);
  };
  return familiesOf(names).reduce(
    (sum, family) => sum + checkSets(family, Math.ceil(sets / names.length), seed, check, print),
    0,
  );
};

// ---- which option matters how often ----

/** Every single change that can touch a movement phase, as rules on the default. */
export const singleOptions = [
  'convoyRoutes=all',
  'convoyRoutes=all,preferOwnConvoy=yes',
  'paradox=1971',
  'paradox=1982',
  'paradox=2000',
  'paradox=allHold',
  'paradox=dptg',
  'adjacentConvoy=always',
  'adjacentConvoy=opposite',
  'adjacentConvoy=oppositeIntact',
  'adjacentConvoy=written',
  'convoyFallback=unordered',
  'convoyFallback=broken',
  'cutFromOrigin=yes',
  'dislodgedNoEffect=always',
  'ownSupportVsRivals=yes',
  'retreatToConvoyOrigin=no',
] as const;

/** How many of so many sets of a family end on another board (units, dislodged units, retreats) than by default. */
const countChanged = (rules: readonly Rules[], family: string, sets: number, seed: number): readonly number[] => {
  const [{ open }] = familiesOf([family]);
  const next = open(seed);
  const usual = new Game(standard, DATC_3_2);
  const others = rules.map((one) => new Game(standard, one));
  const changed = rules.map(() => 0);
  for (let i = 0; i < sets; i++) {
    const set = next();
    play(set, usual, results);
    for (const [k, other] of others.entries()) {
      play(set, other, results);
      if (!usual.equals(other)) changed[k]++;
    }
  }
  return changed;
};

const tabulate = (sets: number, seed: number): void => {
  const names = all.map((family) => family.name);
  const texts = [...singleOptions, ...presetNames.slice(1)];
  const counts = names.map((name) => countChanged(texts.map(rulesByName), name, sets, seed));
  console.log(`| rules | ${names.join(' | ')} |\n|${'---|'.repeat(names.length + 1)}`);
  for (const [k, text] of texts.entries())
    console.log(`| ${text} | ${counts.map((list) => `${((100 * list[k]) / sets).toFixed(2)} %`).join(' | ')} |`);
};

const options = {
  sets: { ...wholeIn(1, 1e12), default: 100_000, help: 'sets for each of the rules, over all families' },
  rules: { takes: 'RULES', help: 'a preset or option (default: every one)' },
  family: { words: all.map(({ name }) => name), help: 'a single family (default: those in which rules differ often)' },
  table: { help: 'prints the share of sets that each option changes, by family, instead' },
  ...seedOption,
} as const;

const about = `
Compares the engine with the literal oracle under every preset and single
option of the rules. Exit code 1 if they differ.
`;

const main = (values: ValuesOf<typeof options>): void => {
  const { sets, seed } = values;
  if (values.table) {
    tabulate(sets, seed);
    return;
  }
  let total = 0;
  for (const name of values.rules === undefined ? [...presetNames, ...singleOptions] : [values.rules]) {
    const rules = rulesByName(name);
    const begin = performance.now();
    const found = compareRules(rules, sets, seed, values.family === undefined ? DENSE : [values.family], printFirst(5));
    total += found;
    console.log(`${name}: ${sets} sets, ${found} differences, ${Math.round((performance.now() - begin) / 1000)} s`);
  }
  process.exitCode = total === 0 ? 0 : 1;
};

await runMain(import.meta.url, (args) => runProgram(args, { about, options }, main));
