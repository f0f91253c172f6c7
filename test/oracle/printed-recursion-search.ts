// Finds where the recursion as DATC 3.2 prints it (printed-recursion.ts) goes wrong: in which share of the sets of each
// family, and in which smallest position.
//
//   node dist/test/oracle/printed-recursion-search.js [--seed 1] [--sets 2000] [--small 20000] [--units 4,5] [--family storm]
//
// A set strays under a form of the recursion if the recursion never ends, or gives another result than the engine, for at
// least one order in which its orders are asked for. Up to six units all of these are tried, of larger sets some. Sets that
// stray are shrunk: units are taken off one by one, and orders turned into holds, as long as what is left still strays.
// To find out whether there are smaller positions yet, --small sets of as few units as --units says are drawn at random.
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { chance, isNextToSea, orderMoves, orderSupports, pick, provincesOf } from '../../bench/corpus/dense-orders.js';
import type { Family, OrderSet } from '../../bench/corpus/families.js';
import { isLegal } from '../../engine/legal/lists.js';
import { standard } from '../../engine/map/standard.js';
import { Game, resetGame } from '../../engine/position/game.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import { convoy, HOLD, hold, move, moveVia, type Order, orderLocation, orderType } from '../../engine/rules/order.js';
import { Random } from '../../engine/rules/random.js';
import { ARMY, COAST, FLEET, LAND, NO_UNIT, SEA, unitPower, unitType } from '../../engine/rules/types.js';
import { families, shuffled } from '../tools/families.js';
import { mutants } from '../tools/mutants.js';
import { permutations, setText } from './differential.js';
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

/** Sets of so many units are asked for in every order; larger ones in so many orders, or so many when they are shrunk. */
const MOST_UNITS = 6;
const SAMPLED = 8;
const SAMPLED_TO_SHRINK = 100;

/** Orders of asking: provinces of all units. Ascending, descending, and at random, if there are too many. */
export const sequencesOf = (set: OrderSet, random: Random, sampled = SAMPLED): readonly (readonly number[])[] => {
  const provinces = given(set).map(provinceOf);
  if (provinces.length <= MOST_UNITS) return permutations(provinces);
  const others = Array.from({ length: sampled - 2 }, () => shuffled(random, provinces));
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

/** True if some order of asking gives another answer than the engine's. */
const strays = (set: OrderSet, form: PrintedForm, random: Random): boolean =>
  [...countAnswers(set, form, sequencesOf(set, random, SAMPLED_TO_SHRINK)).keys()].some((answer) => answer !== '');

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

/** Takes from a set that strays whatever it can do without: units first, then orders, then powers. */
export const shrink = (set: OrderSet, form: PrintedForm, random: Random): OrderSet => {
  for (let now = setOf(set.game, given(set)); ; ) {
    const next = reductions(now).find((smaller) => strays(smaller, form, random));
    if (next === undefined) return now;
    now = next;
  }
};

/** Units, orders that are no holds, powers: compared in this order. */
export const sizeOf = (set: OrderSet): readonly [units: number, orders: number, powers: number] => {
  const powers = new Set(given(set).map((order) => unitPower(set.game.unitAt(provinceOf(order)))));
  return [set.count, given(set).filter((order) => orderType(order) !== HOLD).length, powers.size];
};

const isSmaller = (a: OrderSet, b: OrderSet): boolean => {
  const [sizes, others] = [sizeOf(a), sizeOf(b)];
  const i = sizes.findIndex((size, k) => size !== others[k]);
  return i >= 0 && sizes[i] < others[i];
};

// ---- sets of few units ----

const provincesOfKind = (kind: number): number[] =>
  [...Array(standard.provinceCount).keys()].filter((p) => standard.kind[p] === kind);
const seas = provincesOfKind(SEA);
const coasts = provincesOfKind(COAST);

/** Puts a unit in a province, a fleet where one can be in six of ten. */
const placeUnit = (game: Game, random: Random, province: number, power: number): void => {
  const kind = standard.kind[province];
  const type = kind === SEA || (kind !== LAND && chance(random, 60)) ? FLEET : ARMY;
  const onCoast = type === FLEET ? standard.coastCount[province] : 0;
  game.placeUnit(power, type, onCoast > 0 ? standard.firstCoast[province] + random.below(onCoast) : province);
};

/** What every paradox begins with: a fleet takes an army to a unit, and another unit may attack the fleet. */
const fewUnits = (game: Game, random: Random, units: number, chosen: Int32Array): void => {
  const powers = 2 + random.below(units - 1);
  const sea = pick(random, seas);
  const [from, to] = shuffled(
    random,
    coasts.filter((coast) => isNextToSea(coast, sea)),
  );
  game.placeUnit(random.below(powers), FLEET, sea);
  game.placeUnit(random.below(powers), ARMY, from);
  placeUnit(game, random, to, random.below(powers));
  const near = [...Array(standard.provinceCount).keys()].filter((p) => {
    const away = standard.distance[sea * standard.provinceCount + p];
    return game.unitAt(p) === NO_UNIT && (away === 1 || (away === 2 && chance(random, 30)));
  });
  for (const p of shuffled(random, near).slice(0, units - 3)) placeUnit(game, random, p, random.below(powers));
  chosen[from] = moveVia(from, to);
  chosen[sea] = convoy(sea, from, to);
  const attacks = provincesOf(game).map((p) => move(game.unitLocation(p), sea));
  const possible = attacks.filter((order) => chosen[provinceOf(order)] === 0 && isLegal(game, order));
  if (possible.length > 0 && chance(random, 80)) {
    const attack = pick(random, possible);
    chosen[provinceOf(attack)] = attack;
  }
};

/** Sets of so many units, three or more: a convoy that is mostly attacked, and orders that match. */
export const few = (units: number): Family => ({
  name: `${units} units`,
  open: (seed) => {
    const random = new Random(seed, units);
    const game = new Game(standard, DATC_3_2);
    const chosen = new Int32Array(standard.locationCount);
    return () => {
      resetGame(game);
      for (const p of provincesOf(game)) game.removeUnit(p);
      chosen.fill(0);
      fewUnits(game, random, units, chosen);
      orderMoves(game, random, chosen, 20);
      orderSupports(game, random, chosen);
      return setOf(
        game,
        provincesOf(game).map((p) => chosen[p]),
      );
    };
  },
});

// ---- the script ----

interface Search {
  readonly sets: number;
  /** By form: sets that never end for some order of asking, and sets that then get another result. */
  readonly noEnd: readonly number[];
  readonly wrong: readonly number[];
}

/** Tries so many sets; tells of each that strays under a form. */
export const searchFamily = (
  family: Family,
  sets: number,
  seed: number,
  tell: (set: OrderSet, form: number) => void,
): Search => {
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
      if (answers.length > 0) tell(set, k);
    }
  }
  return { sets, noEnd, wrong };
};

/** Sets of each family that are shrunk for each form: the first that stray. */
const MOST_SHRUNK = 10;

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;

const tellAnswers = (set: OrderSet, form: PrintedForm, random: Random): string =>
  [...countAnswers(set, form, sequencesOf(set, random))]
    .map(([answer, n]) => `  ${n} x ${answer === '' ? 'as the engine' : answer}`)
    .join('\n');

const main = (): void => {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      sets: { type: 'string', default: '2000' },
      small: { type: 'string', default: '20000' },
      units: { type: 'string', default: '4,5' },
      family: { type: 'string' },
    },
  });
  const seed = Number(values.seed);
  const random = new Random(seed, 600);
  const smallest: (OrderSet | undefined)[] = forms.map(() => undefined);
  const search = (family: Family, sets: number): void => {
    if (sets === 0) return;
    const shrunkOf = forms.map(() => 0);
    const { noEnd, wrong } = searchFamily(family, sets, seed, (set, k) => {
      if (shrunkOf[k]++ >= MOST_SHRUNK) return;
      const shrunk = shrink(set, forms[k], random);
      const best = smallest[k];
      if (best === undefined || isSmaller(shrunk, best)) smallest[k] = shrunk;
    });
    const shares = forms.map(
      ({ name }, k) => `${name}: ${percent(noEnd[k], sets)} never end, ${percent(wrong[k], sets)} differ`,
    );
    console.log([`${family.name}, seed ${seed}, ${sets} sets`.padEnd(40), ...shares].join('  '));
  };
  for (const family of [...families, mutants])
    if (values.family === undefined || values.family === family.name) search(family, Number(values.sets));
  for (const units of values.units.split(',').map(Number)) search(few(units), Number(values.small));
  for (const [k, set] of smallest.entries()) {
    if (set === undefined) continue;
    console.log(`\n${forms[k].name}: the smallest position found\n${setText(set)}`);
    for (const form of forms) console.log(`${form.name}:\n${tellAnswers(set, form, random)}`);
  }
};

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main();
