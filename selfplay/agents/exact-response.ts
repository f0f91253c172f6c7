// The best orders of a power against a known distribution of what the others order, by one-turn lookahead: each order set is
// adjudicated against every sample of the others' orders and valued at once (static evaluation).
//
// All legal sets are tried but those that differ in nothing from another one, whatever sample comes. In them a unit
//   - supports a move that is not made, or one into a place where no unit of another power is or goes
//   - supports a unit that moves to hold, or one of its own that no other power attacks
//   - convoys an army that does not go there, or goes by convoy where no fleet carries it
// and might as well hold. So supports count only where powers meet, and early positions of two powers have few sets.
import { type Game, legalByPower, type Power, Random } from '../../engine/internal.js';
import { boardOrder } from '../../engine/play/step.js';
import * as O from '../../engine/rules/order.js';
import { beginTrials, endTrials, evaluateOrders, readPosition } from '../evaluation/static-evaluation.js';
import { responsesTo } from './best-response.js';

/** The best order set against some samples. */
export interface ExactResponse {
  /** Packed orders, ascending. */
  readonly orders: Int32Array;
  /** What the power expects with them: the mean static evaluation over the samples, 0 to 1. */
  readonly value: number;
  /** Order sets that were tried. */
  readonly tried: number;
  /** True if none is better. False if there are more sets than may be tried: a lower bound. */
  readonly isExact: boolean;
}

/** An order of one unit. */
interface Choice {
  readonly order: O.Order;
  readonly onBoard: number;
  readonly type: O.OrderType;
  readonly isMove: boolean;
  /** The province where a move goes, or the move that is helped. */
  readonly target: number;
  /** Place of the own unit that is helped; -1 for others. */
  readonly helped: number;
  /** Of a move VIA: true if a fleet of another power may carry it. */
  readonly isCarried: boolean;
}

interface Unit {
  readonly province: number;
  /** The hold first. */
  readonly stays: readonly Choice[];
  readonly moves: readonly Choice[];
}

type Chosen = readonly Choice[];

/** What the others order: by province on the board, and how often that is drawn. */
interface Sample {
  readonly board: Int32Array;
  readonly packed: ReadonlyMap<number, O.Order>;
  readonly times: number;
}

const moves = (order: O.Order): boolean => O.orderType(order) === O.MOVE || O.orderType(order) === O.RAIL;

/** The samples without repetition. The position must be on the board for trials. */
const readSamples = (game: Game, power: Power, samples: readonly Int32Array[]): Sample[] => {
  const { map } = game;
  const holding = new Int32Array(map.provinceCount);
  for (const other of map.powerNames.keys())
    if (other !== power)
      for (const [first] of legalByPower(game, other)) {
        const at = O.orderLocation(first);
        holding[map.locationProvince[at]] = boardOrder(O.hold(at));
      }
  const found = new Map<string, { -readonly [K in keyof Sample]: Sample[K] }>();
  for (const orders of samples) {
    const key = orders.slice().sort().join();
    const known = found.get(key);
    if (known !== undefined) {
      known.times++;
      continue;
    }
    const board = holding.slice();
    const packed = new Map<number, O.Order>();
    for (const order of orders) {
      const province = map.locationProvince[O.orderLocation(order)];
      packed.set(province, order);
      board[province] = boardOrder(order);
    }
    found.set(key, { board, packed, times: 1 });
  }
  return [...found.values()];
};

/** What the units of a power can do that may have an effect. The position must be on the board for trials. */
const listUnits = (game: Game, power: Power, samples: readonly Sample[]): Unit[] => {
  const { locationProvince, provinceCount } = game.map;
  const lists = legalByPower(game, power).map((list) => list.filter((order) => O.orderLeave(order) === 0));
  const provinces = lists.map(([first]) => locationProvince[O.orderLocation(first)]);
  const targetOf = (order: O.Order): number => locationProvince[O.orderTarget(order)];
  const others = samples.map(({ packed }) => packed);
  const attacked = Array.from({ length: provinceCount }, (_, p) =>
    others.some((packed) => [...packed.values()].some((order) => moves(order) && targetOf(order) === p)),
  );
  const isMet = (p: number): boolean => attacked[p] || samples.some(({ board }) => board[p] !== O.NONE);
  const may = (p: number, does: (order: O.Order) => boolean): boolean =>
    others.some((packed) => does(packed.get(p) ?? O.NONE));
  const hasEffect = ({ type, target, helped, order }: Choice): boolean => {
    if (type === O.HOLD) return true;
    if (helped >= 0) return type === O.CONVOY || (type === O.SUPPORT_HOLD ? attacked[target] : isMet(target));
    return may(O.orderHelped(order), (other) =>
      type === O.SUPPORT_HOLD ? !moves(other) : moves(other) && targetOf(other) === target,
    );
  };
  return lists.map((list, u): Unit => {
    const choices = Array.from(list, (order): Choice => {
      const type = O.orderType(order);
      const target = targetOf(order);
      const isCarried = others.some((packed) =>
        [...packed.values()].some(
          (other) =>
            O.orderType(other) === O.CONVOY && O.orderHelped(other) === provinces[u] && targetOf(other) === target,
        ),
      );
      const helped = type === O.HOLD || moves(order) ? -1 : provinces.indexOf(O.orderHelped(order));
      return { order, onBoard: boardOrder(order), type, isMove: moves(order), target, helped, isCarried };
    });
    return {
      province: provinces[u],
      stays: choices.filter((choice) => !choice.isMove && hasEffect(choice)).sort((a, b) => a.type - b.type),
      moves: choices.filter(({ isMove }) => isMove),
    };
  });
};

/** True if an order has something to help in a set. */
const serves = ({ type, helped, target }: Choice, set: Chosen): boolean => {
  if (helped < 0) return true;
  const other = set[helped];
  return type === O.SUPPORT_HOLD ? !other.isMove : other.isMove && other.target === target;
};

/** True if no fleet carries an army that is to go by convoy. */
const isStranded = (set: Chosen): boolean =>
  set.some(
    ({ order, isMove, isCarried, target }, u) =>
      isMove &&
      O.orderVia(order) === 1 &&
      !isCarried &&
      !set.some((other) => other.type === O.CONVOY && other.helped === u && other.target === target),
  );

/** Gives each order set to `take`, always in the same array, until that returns false. @returns false if it did */
const eachSet = (units: readonly Unit[], take: (set: Chosen) => boolean): boolean => {
  const set: Choice[] = units.map(({ stays }) => stays[0]);
  const help = (u: number): boolean => {
    if (u === units.length) return isStranded(set) || take(set);
    if (set[u].isMove) return help(u + 1);
    for (const choice of units[u].stays) {
      if (!serves(choice, set)) continue;
      set[u] = choice;
      if (!help(u + 1)) return false;
    }
    return true;
  };
  // Who moves where comes first: what the others can do to help follows from it.
  const move = (u: number): boolean => {
    if (u === units.length) return help(0);
    for (const choice of [units[u].stays[0], ...units[u].moves]) {
      set[u] = choice;
      if (!move(u + 1)) return false;
    }
    return true;
  };
  return move(0);
};

const drawSet = (units: readonly Unit[], random: Random): Choice[] => {
  const pick = (choices: readonly Choice[]): Choice => choices[random.below(choices.length)];
  const set = units.map(({ stays, moves: away }) => pick([stays[0], ...away]));
  units.forEach(({ stays }, u) => {
    if (!set[u].isMove) set[u] = pick(stays.filter((choice) => serves(choice, set)));
  });
  return set;
};

/** The mean value of a set, whose orders are given by unit. */
const meanValue = (
  units: readonly Unit[],
  set: ArrayLike<number>,
  samples: readonly Sample[],
  power: Power,
): number => {
  let sum = 0;
  let count = 0;
  for (const { board, times } of samples) {
    for (let u = 0; u < units.length; u++) board[units[u].province] = set[u];
    sum += times * evaluateOrders(board, power);
    count += times;
  }
  return sum / count;
};

/** Takes the board for trials against samples. */
const begin = (game: Game, power: Power, samples: readonly Int32Array[]) => {
  readPosition(game);
  beginTrials(game);
  const known = readSamples(game, power, samples);
  return { known, units: listUnits(game, power, known) };
};

/**
 * The mean values of movement orders of a power against samples of what the others order, 0 to 1 each.
 * @param sets legal packed orders; units without one hold
 * @param samples packed orders of all other powers, at least one sample; likewise
 */
export const valuesOfOrders = (
  game: Game,
  power: Power,
  sets: readonly Int32Array[],
  samples: readonly Int32Array[],
): number[] => {
  const { known, units } = begin(game, power, samples);
  const { locationProvince } = game.map;
  const values = sets.map((set) => {
    const given = new Map(Array.from(set, (order) => [locationProvince[O.orderLocation(order)], boardOrder(order)]));
    const onBoard = units.map(({ province, stays: [hold] }) => given.get(province) ?? hold.onBoard);
    return meanValue(units, onBoard, known, power);
  });
  endTrials();
  return values;
};

/**
 * The best movement orders of a power against samples of what the others order. If there are more than `most` order sets,
 * so many are drawn, and the best of them is improved as `reply` does it.
 * @param samples packed orders of all other powers, at least one sample; units without one hold
 * @param most order sets to try, from 1
 * @param seed of the draws, any int32
 */
export const exactResponse = (
  game: Game,
  power: Power,
  samples: readonly Int32Array[],
  most: number,
  seed: number,
): ExactResponse => {
  const random = new Random(seed, power);
  const { known, units } = begin(game, power, samples);
  const onBoard = new Int32Array(units.length);
  let best: Chosen = [];
  let value = Number.NEGATIVE_INFINITY;
  const tryOut = (set: Chosen): boolean => {
    set.forEach((choice, u) => {
      onBoard[u] = choice.onBoard;
    });
    const found = meanValue(units, onBoard, known, power);
    if (found > value) [best, value] = [[...set], found];
    return true;
  };
  let sets = 0;
  const isExact = eachSet(units, () => ++sets <= most);
  const tried = Math.min(sets, most);
  if (isExact) eachSet(units, tryOut);
  else for (let k = 0; k < tried; k++) tryOut(drawSet(units, random));
  const boards = known.flatMap(({ board, times }) => new Array<Int32Array>(times).fill(board));
  endTrials();
  const orders = Int32Array.from(best, ({ order }) => order).sort();
  if (isExact) return { orders, value, tried, isExact };
  const improved = responsesTo(game, power, [orders], boards, most, random);
  const [after] = valuesOfOrders(game, power, improved, samples);
  return after > value ? { orders: improved[0], value: after, tried, isExact } : { orders, value, tried, isExact };
};
