// Makes order sets from the test cases: the same orders, but with powers, orders and units changed at random. Rules
// differ most often here, because the cases were made to distinguish them.
import { chance, pick } from '../../bench/corpus/dense-orders.js';
import type { Family, OrderSet } from '../../bench/corpus/families.js';
import { isLegal, legalOrders, MAX_ORDERS_PER_PROVINCE } from '../../engine/legal/lists.js';
import { standard } from '../../engine/map/standard.js';
import { Game, newGame } from '../../engine/position/game.js';
import { DATC_3_2 } from '../../engine/rules/options.js';
import * as O from '../../engine/rules/order.js';
import { Random } from '../../engine/rules/random.js';
import { ARMY, FLEET, LAND, NO_UNIT, SEA, unitPower, unitType } from '../../engine/rules/types.js';
import { type CasePosition, loadCases, readPosition } from './cases.js';
import { readData } from './data.js';
import { unitsIn } from './legal-orders.js';
import { type PlainOrder, positionOf } from './rule-cases.js';

const readable = (read: () => CasePosition): CasePosition[] => {
  try {
    return [read()];
  } catch {
    // Orders that name what is not there are no seeds.
    return [];
  }
};

const seeds = (): CasePosition[] => {
  const { positions } = readData<{ positions: { orders: PlainOrder[] }[] }>('preset-matrix.json');
  const { examples } = readData<{ examples: { phase: string; orders: PlainOrder[] }[] }>('dptg-examples.json');
  const plain = [...positions, ...examples.filter(({ phase }) => phase === 'movement')];
  const cases = loadCases('datc-3.2.json').filter(({ id }) => /^6\.[EFG]\./.test(id));
  return [
    ...plain.flatMap(({ orders }) => readable(() => positionOf(orders))),
    ...cases.flatMap((row) => readable(() => readPosition(standard, row))),
  ];
};

const mutate = (game: Game, orders: Int32Array, seed: CasePosition, random: Random): void => {
  const powers = [random.below(7), random.below(7), random.below(7)];
  const keeps = chance(random, 50) ? 100 : 60;
  for (let p = 0; p < standard.provinceCount; p++) {
    game.removeUnit(p);
    orders[p] = O.NONE;
    const unit = seed.units[p];
    if (unit === NO_UNIT || chance(random, 3)) continue;
    const power = chance(random, keeps) ? unitPower(unit) : powers[random.below(3)];
    game.placeUnit(power, unitType(unit) === FLEET ? FLEET : ARMY, seed.locations[p]);
    orders[p] = chance(random, 92) ? seed.orders[p] : O.NONE;
  }
};

/** Adds a unit somewhere near the others. */
const addUnit = (game: Game, random: Random): void => {
  const at = random.below(standard.provinceCount);
  if (game.unitAt(at) !== NO_UNIT) return;
  const near = unitsIn(game).some((p) => standard.distance[p * standard.provinceCount + at] === 1);
  if (!near) return;
  const fleet = standard.kind[at] === SEA || (standard.kind[at] !== LAND && chance(random, 50));
  const location = fleet && standard.coastCount[at] > 0 ? standard.firstCoast[at] : at;
  game.placeUnit(random.below(7), fleet ? FLEET : ARMY, location);
};

const list = new Int32Array(MAX_ORDERS_PER_PROVINCE);

/** A legal order for a unit that has none: mostly a support of what another does, or the move that is done by others. */
const invent = (game: Game, orders: Int32Array, province: number, random: Random): O.Order => {
  const n = legalOrders(game, province, list);
  const legal = [...list.subarray(0, n)];
  const fitting = legal.filter((order) => {
    const done = orders[O.orderHelped(order)];
    if (O.orderType(order) === O.SUPPORT_HOLD) return O.orderType(done) !== O.MOVE;
    if (O.orderType(order) !== O.SUPPORT_MOVE) return false;
    return O.orderType(done) === O.MOVE && standard.locationProvince[O.orderTarget(done)] === O.orderTarget(order);
  });
  const from = fitting.length > 0 && chance(random, 75) ? fitting : legal;
  return pick(random, from);
};

export const mutants: Family = {
  name: 'mutants',
  open(seed: number): () => OrderSet {
    const random = new Random(seed, 77);
    const bases = seeds();
    const start = newGame(standard, DATC_3_2);
    const game = new Game(standard, DATC_3_2);
    const byProvince = new Int32Array(standard.provinceCount);
    return () => {
      game.copyFrom(start);
      mutate(game, byProvince, bases[random.below(bases.length)], random);
      for (let k = random.below(5) * 4; k > 0; k--) addUnit(game, random);
      for (let p = 0; p < standard.provinceCount; p++)
        if (byProvince[p] !== O.NONE && !isLegal(game, byProvince[p])) byProvince[p] = O.NONE;
      const units = unitsIn(game);
      for (const p of units) if (byProvince[p] === O.NONE) byProvince[p] = invent(game, byProvince, p, random);
      return { game, orders: Int32Array.from(units, (p) => byProvince[p]), count: units.length };
    };
  },
};
