// Counts in which share of the sets of each family the recursion as DATC 3.2 prints it (printed-recursion.ts) goes wrong:
//
//   node dist/test/oracle/printed-recursion-search.js [--seed 1] [--sets 2000] [--family storm]
//
// A set strays under a form of the recursion if the recursion never ends, or gives another result than the engine, for at
// least one order in which its orders are asked for. Up to six units all of these are tried, of larger sets eight.
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { provincesOf } from '../../bench/corpus/dense-orders.js';
import type { Family, OrderSet } from '../../bench/corpus/families.js';
import { isLegal } from '../../engine/legal/lists.js';
import { standard } from '../../engine/map/standard.js';
import { Game } from '../../engine/position/game.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import { HOLD, hold, type Order, orderLocation, orderType } from '../../engine/rules/order.js';
import { Random } from '../../engine/rules/random.js';
import { unitPower, unitType } from '../../engine/rules/types.js';
import { families, shuffled } from '../tools/families.js';
import { mutants } from '../tools/mutants.js';
import { permutations } from './differential.js';
import { type PlayedSet, playSet } from './differential-references.js';
import { judgeAsPrinted, type PrintedForm } from './printed-recursion.js';

export interface NamedForm extends PrintedForm {
  readonly name: string;
}

export const forms: readonly NamedForm[] = [
  { name: 'as printed', support: 'path, move', mended: false },
  { name: 'MOVE asked first', support: 'move, path', mended: false },
  { name: 'mended', support: 'path, move', mended: true },
  { name: 'PATH only', support: 'path', mended: false },
];

/** The answer of a recursion that never ends. */
export const NO_END = 'never ends';

const provinceOf = (order: Order): number => standard.locationProvince[orderLocation(order)];
const given = (set: OrderSet): number[] => [...set.orders.subarray(0, set.count)];

// ---- one set ----

/** Sets of so many units are asked for in every order; larger ones in so many. */
const MOST_UNITS = 6;
const SAMPLED = 8;

/** Orders of asking: provinces of all units. Ascending, descending, and at random, if there are too many. */
export const sequencesOf = (set: OrderSet, random: Random): readonly (readonly number[])[] => {
  const provinces = given(set).map(provinceOf);
  if (provinces.length <= MOST_UNITS) return permutations(provinces);
  const others = Array.from({ length: SAMPLED - 2 }, () => shuffled(random, provinces));
  return [provinces, [...provinces].reverse(), ...others];
};

const board = new Game(standard, DATC_3_2);

/** What the recursion says differently from the engine when it is asked in this order; none if nothing. */
const strayLines = (played: PlayedSet, form: PrintedForm, sequence: readonly number[]): readonly string[] => {
  const verdict = judgeAsPrinted(standard, played.units, played.orders, form, sequence);
  return verdict === null ? [NO_END] : played.differ(verdict);
};

/** How often each answer comes over these orders of asking: 'never ends', or what differs from the engine, or ''. */
export const countAnswers = (
  set: OrderSet,
  form: PrintedForm,
  sequences: readonly (readonly number[])[],
): ReadonlyMap<string, number> => {
  const played = playSet(set, board);
  const counts = new Map<string, number>();
  for (const sequence of sequences) {
    const answer = strayLines(played, form, sequence).join('; ');
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
  }
  return counts;
};

// ---- smaller sets ----

/** The units that these orders are for, with the orders: one that is not legal without the other units is a hold. */
const setOf = (from: Game, orders: readonly Order[]): OrderSet => {
  const game = new Game(standard, DATC_3_2);
  for (const p of provincesOf(game)) game.removeUnit(p);
  for (const p of orders.map(provinceOf)) {
    const unit = from.unitAt(p);
    game.placeUnit(unitPower(unit), unitType(unit), from.unitLocation(p));
  }
  const legal = orders.map((order) => (isLegal(game, order) ? order : hold(orderLocation(order))));
  return { game, orders: Int32Array.from(legal), count: legal.length };
};

/** The set after each single change that makes it smaller: one unit less, or one order turned into a hold. */
const smallerSets = ({ game, ...set }: OrderSet): OrderSet[] => {
  const orders = given({ game, ...set });
  const fewer = orders.map((_, i) => setOf(game, orders.toSpliced(i, 1)));
  const quieter = orders.flatMap((order, i) =>
    orderType(order) === HOLD ? [] : [setOf(game, orders.with(i, hold(orderLocation(order))))],
  );
  return [...fewer, ...quieter];
};

/** The set after all units of one power went to another that has some. */
const plainerSets = ({ game, orders, count }: OrderSet): OrderSet[] => {
  const powers = [...new Set(provincesOf(game).map((p) => unitPower(game.unitAt(p))))];
  return powers.flatMap((from) =>
    powers
      .filter((to) => to !== from)
      .map((to) => {
        const copy = game.clone();
        for (const p of provincesOf(game)) {
          if (unitPower(game.unitAt(p)) !== from) continue;
          copy.removeUnit(p);
          copy.placeUnit(to, unitType(game.unitAt(p)), game.unitLocation(p));
        }
        return { game: copy, orders, count };
      }),
  );
};

/** Every set that is smaller by a single change. */
export const reductions = (set: OrderSet): readonly OrderSet[] => [...smallerSets(set), ...plainerSets(set)];

// ---- the script ----

interface Search {
  /** By form: sets that never end for some order of asking, and sets that then get another result. */
  readonly noEnd: readonly number[];
  readonly wrong: readonly number[];
}

/** Tries so many sets of a family. */
export const searchFamily = (family: Family, sets: number, seed: number): Search => {
  const next = family.open(seed);
  const random = new Random(seed, 500);
  const noEnd = forms.map(() => 0);
  const wrong = forms.map(() => 0);
  for (let i = 0; i < sets; i++) {
    const set = next();
    const sequences = sequencesOf(set, random);
    for (const [k, form] of forms.entries()) {
      const answers = [...countAnswers(set, form, sequences).keys()].filter((answer) => answer !== '');
      if (answers.includes(NO_END)) noEnd[k]++;
      if (answers.some((answer) => answer !== NO_END)) wrong[k]++;
    }
  }
  return { noEnd, wrong };
};

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;

const main = (): void => {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      sets: { type: 'string', default: '2000' },
      family: { type: 'string' },
    },
  });
  const { seed, sets } = { seed: Number(values.seed), sets: Number(values.sets) };
  for (const family of [...families, mutants]) {
    if (values.family !== undefined && values.family !== family.name) continue;
    const { noEnd, wrong } = searchFamily(family, sets, seed);
    const shares = forms.map(
      ({ name }, k) => `${name}: ${percent(noEnd[k], sets)} never end, ${percent(wrong[k], sets)} differ`,
    );
    console.log([`${family.name}, seed ${seed}, ${sets} sets`.padEnd(40), ...shares].join('  '));
  }
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main();
