// Compares the references, other descriptions of adjudication as printed, with the engine.
import type { Family, OrderSet } from '../../bench/corpus/families.js';
import { runMain } from '../../bench/run/child.js';
import { runProgram } from '../../bench/run/program.js';
import { adjudicate } from '../../engine/adjudicate/calendar.js';
import { standard } from '../../engine/map/standard.js';
import { Game } from '../../engine/position/game.js';
import { rulesByName } from '../../engine/rules/options.js';
import { CONVOY, HOLD, orderHelped, orderType, SUPPORT_MOVE } from '../../engine/rules/order.js';
import { makeResults } from '../../engine/rules/results.js';
import { GIVEN, INVALID, NO_UNIT, SUCCEEDS } from '../../engine/rules/types.js';
import { seedOption, type ValuesOf, wholeIn } from '../../selfplay/question/option.js';
import { families } from '../tools/families.js';
import { mutants } from '../tools/mutants.js';
import { judgeByDecisions } from './decisions.js';
import { byProvince, checkSets, printFirst } from './differential.js';
import { judgeByGuesses } from './guesses.js';
import { judgeByGuide } from './guide.js';
import type { Verdict } from './pieces.js';

export type Judge = (units: Uint8Array, orders: Int32Array) => Verdict;

export interface Reference {
  readonly name: string;
  readonly rules: string;
  readonly judge: Judge;
}

export const references: readonly Reference[] = [
  {
    name: 'decisions, DATC 2.4 chapter 5',
    rules: 'datc-2.4',
    judge: (units, orders) => judgeByDecisions(standard, units, orders, true),
  },
  {
    name: 'guesses, DATC 3.2 chapter 5.F',
    rules: 'datc-3.2',
    judge: (units, orders) => judgeByGuesses(standard, units, orders),
  },
  { name: '20 steps, guide of 1998', rules: 'dptg', judge: (units, orders) => judgeByGuide(standard, units, orders) },
];

/** A set as the references read it, by province, and the engine's results to compare theirs with. */
export interface PlayedSet {
  readonly units: Uint8Array;
  readonly orders: Int32Array;
  /** What the engine and a verdict say differently of positions and moves, in words; none if nothing. */
  differ(verdict: Verdict): readonly string[];
}

/** Adjudicates a set. @param game where; its rules are those in use */
export const playSet = (set: OrderSet, game: Game): PlayedSet => {
  const results = makeResults();
  const { units, orders } = byProvince(set);
  game.copyFrom(set.game);
  adjudicate(game, set.orders, set.count, results);
  const tag = (province: number): string => (province < 0 ? 'nobody' : standard.provinceTags[province]);
  const word = (success: number): string => (success === 1 ? 'succeeds' : 'fails');
  return {
    units,
    orders,
    differ: (verdict) => {
      const lines: string[] = [];
      for (let p = 0; p < standard.provinceCount; p++) {
        if (units[p] === NO_UNIT) continue;
        const [ours, theirs] = [results.attacker[p], verdict.attacker[p]];
        if (ours !== theirs) lines.push(`${tag(p)} is dislodged by: engine ${tag(ours)}, reference ${tag(theirs)}`);
        if (isMatterOfWords(orders[p], results.result)) continue;
        const good = [SUCCEEDS, GIVEN].includes(results.result[p]) ? 1 : 0;
        if (good !== verdict.success[p])
          lines.push(`${tag(p)}: engine ${word(good)}, reference ${word(verdict.success[p])}`);
      }
      return lines;
    },
  };
};

/** What the engine and a reference say differently of a set; none if nothing. */
export const differencesIn = (set: OrderSet, game: Game, judge: Judge): readonly string[] => {
  const played = playSet(set, game);
  return played.differ(judge(played.units, played.orders));
};

/**
 * What is no difference in what happens: a hold; whether a convoy is called available, which shows in its army and its
 * fate; a support of an army that no chain was ordered for, which the guide cancels with it (step 3) and we call given.
 */
const isMatterOfWords = (order: number, said: Uint8Array): boolean => {
  const type = orderType(order);
  return (
    type === 0 || type === HOLD || type === CONVOY || (type === SUPPORT_MOVE && said[orderHelped(order)] === INVALID)
  );
};

/** Compares so many sets of a family; tells of each that differs, and returns their number. */
export const compareReference = (
  { rules, judge }: Reference,
  family: Family,
  sets: number,
  seed: number,
  print: (text: string) => void,
): number => {
  const game = new Game(standard, rulesByName(rules));
  return checkSets(family, sets, seed, (set) => differencesIn(set, game, judge), print);
};

const compared = [...families, mutants];
const options = {
  sets: { ...wholeIn(1, 1e12), default: 2000, help: 'sets of each family' },
  show: { ...wholeIn(0, 1e6), default: 2, help: 'printed differences of each family' },
  family: { words: compared.map(({ name }) => name), help: 'a single family (default: all)' },
  reference: { takes: 'TEXT', default: '', help: 'part of a name: decisions, guesses, steps (default: all)' },
  ...seedOption,
} as const;

const about = `
Compares descriptions of adjudication, as printed, with the engine. Exit code 1
if they differ.
`;

const main = ({ sets, seed, show, ...only }: ValuesOf<typeof options>): void => {
  for (const reference of references.filter(({ name }) => name.includes(only.reference)))
    for (const family of compared.filter(({ name }) => name === (only.family ?? name))) {
      const found = compareReference(reference, family, sets, seed, printFirst(show));
      console.log(`${reference.name}: ${family.name}, ${sets} sets, ${found} differences`);
      if (found > 0) process.exitCode = 1;
    }
};

await runMain(import.meta.url, (args) => runProgram(args, { about, options }, main));
