// Models a stranger: a player that fits none of the player types (player-types.ts). Each of its units either repeats
// its order of the turn before, or chooses an order in one of several styles: as one of the types, or as a random order
// of some kind. The probabilities are learned in the game, from the player's own orders and, with less weight, from
// other opponents.
//
// External bots are strangers. The order sets of the types lack 2 % of the orders of `reply`, and 21 % of the orders of
// a bot that plays by regret matching; half of these support an own unit that holds. A unit that has not moved gets the
// same order again in 48 to 66 % of cases, and more often if it had the order several times in a row.
import {
  type CompiledMap,
  HOLD,
  MOVE,
  type Order,
  orderHelped,
  orderLocation,
  orderType,
  type Power,
  type Province,
  type Random,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
} from '../../engine/internal.js';
import { shuffle } from '../evaluation/shuffle.js';
import type { HabitParameters } from './opponent-parameters.js';
import { type Prediction, typePrior } from './player-types.js';

const TYPES = typePrior.length;
/** Kinds of orders: holds, supports of own units to hold, supports of own moves, moves, and all others. */
export const kindNames = ['hold', 'supportHold', 'supportMove', 'move', 'other'] as const;
const KINDS = kindNames.length;
const STYLES = TYPES + KINDS;

/**
 * KIND_PRIOR: prior over the kinds of orders, in the order of kindNames. KIND_SHARE: prior probability that a style is
 * one of these kinds.
 */
const KIND_PRIOR = [0.25, 0.25, 0.15, 0.33, 0.02];
const KIND_SHARE = 0.4;
const STYLE_PRIOR = [...typePrior.map((x) => (1 - KIND_SHARE) * x), ...KIND_PRIOR.map((x) => KIND_SHARE * x)];
/** Number of seen orders with the same weight as the prior over styles. */
const PRIOR_ORDERS = 20;
/**
 * Weight of another opponent's orders relative to the player's own: when its styles are learned (OTHERS_STYLE), and
 * when its repeats are learned (OTHERS_REPEAT).
 */
const OTHERS_STYLE = 0.5;
const OTHERS_REPEAT = 0.3;

/**
 * Constants of the probability that a unit repeats its order. The odds are (REPEAT + AGREED * p) * RUN * strength. p:
 * probability of that order by the styles. RUN: indexed by the number of turns in a row that the unit had the order,
 * minus 1; the last element also for more turns. strength: one of STRENGTHS, unknown for each player, with the prior
 * STRENGTH_PRIOR.
 */
const REPEAT = 0.2;
const AGREED = 3;
const RUN = [0.4, 1.7, 3, 5, 7];
const STRENGTHS = [0.05, 0.15, 0.4, 1, 2.5, 6];
const STRENGTH_PRIOR = [1, 2, 4, 6, 4, 1].map((x) => x / 18);
/** Factor of the log likelihood of a strength. Below 1, because the orders of one turn are not independent. */
const STRENGTH_WEIGHT = 0.5;

/** Default prior over the habits of a stranger: a player that fits none of the player types. */
export const usualHabits: HabitParameters = {
  ...{ styles: STYLE_PRIOR, orders: PRIOR_ORDERS, strengths: STRENGTH_PRIOR },
  ...{ repeat: REPEAT, agreed: AGREED, runs: RUN },
};

/** Part of the probability that is spread evenly over all legal orders of a unit, so that none has probability 0. */
const ANY = 0.02;

/**
 * Probability of one order of a unit under each style, indexed by style: the player types, then the kinds of orders.
 */
type ByStyle = Float32Array;

/** An order that a unit was given, with the facts about the unit that decide how likely the order was. */
export interface SeenOrder {
  /** Number of legal orders of the unit. */
  readonly legal: number;
  /** Probability of the order under each style, indexed by style. */
  readonly chosen: ByStyle;
  /**
   * Probability, under each style, of the order that the unit had in the turn before. Null if the unit has moved since,
   * or if the order is not legal now.
   */
  readonly last: ByStyle | null;
  readonly isRepeat: boolean;
  /** Bit set of the kinds of orders of which the unit has legal ones: bit k for kind k of kindNames. */
  readonly kinds: number;
}

const kindOf = (order: Order, own: ReadonlySet<Province>): number => {
  const type = orderType(order);
  if (type === HOLD) return 0;
  if (type === MOVE) return 3;
  if ((type !== SUPPORT_HOLD && type !== SUPPORT_MOVE) || !own.has(orderHelped(order))) return 4;
  return type === SUPPORT_HOLD ? 1 : 2;
};

/**
 * Legal orders of one power, grouped by unit and kind (kindNames). Units are in the order of the prediction's order
 * sets.
 */
export class KindsOfOrders {
  private readonly own: ReadonlySet<Province>;
  /** Legal orders, indexed by unit, then by kind. */
  readonly lists: readonly (readonly (readonly Order[])[])[];

  constructor(
    map: CompiledMap,
    private readonly prediction: Prediction,
  ) {
    const { legal } = prediction;
    const own = new Set(legal.map(([order]) => map.locationProvince[orderLocation(order)]));
    this.own = own;
    this.lists = legal.map((orders) => {
      const lists = Array.from({ length: KINDS }, (): Order[] => []);
      for (const order of orders) lists[kindOf(order, own)].push(order);
      return lists;
    });
  }

  /**
   * Returns a bit set of the kinds of which a unit has legal orders: bit k for kind k of kindNames.
   * @param unit index of the unit
   */
  kinds(unit: number): number {
    return this.lists[unit].reduce((bits, { length }, kind) => (length > 0 ? bits | (1 << kind) : bits), 0);
  }

  /** Returns the probability of an order of a unit under each style, indexed by style. @param unit index of the unit */
  chances(unit: number, order: Order): ByStyle {
    const { sets, likely } = this.prediction;
    const out = new Float32Array(STYLES);
    for (let c = 0; c < sets.length; c++)
      if (sets[c][unit] === order) for (let t = 0; t < TYPES; t++) out[t] += likely[t][c];
    const kind = kindOf(order, this.own);
    const { length } = this.lists[unit][kind];
    out[TYPES + kind] = length === 0 ? 0 : 1 / length;
    return out;
  }

  /**
   * Returns the probability of the unit's order of the turn before under each style. Null if there is none or if it is
   * not legal now.
   * @param unit index of the unit
   */
  lastChances(unit: number, last: Order | null): ByStyle | null {
    return last !== null && this.prediction.legal[unit].includes(last) ? this.chances(unit, last) : null;
  }

  /**
   * Describes an order that a unit was given.
   * @param unit index of the unit
   * @param last order of the unit in the turn before; null if the unit has moved since
   */
  seen(unit: number, order: Order, last: Order | null): SeenOrder {
    return {
      legal: this.prediction.legal[unit].length,
      chosen: this.chances(unit, order),
      last: this.lastChances(unit, last),
      isRepeat: order === last,
      kinds: this.kinds(unit),
    };
  }
}

/** Expected habits of a player that fits none of the player types. */
export interface Habits {
  /** Probability of each style, indexed by style. Sums to 1. */
  readonly styles: Float64Array;
  /** Sum of the probabilities of the player types in `styles`. */
  readonly types: number;
  /** Probability of each strength of the habit of repeating orders, indexed like STRENGTHS. Sums to 1. */
  readonly strengths: Float64Array;
  /** Habits expected before any order was seen. */
  readonly prior: HabitParameters;
}

/**
 * Returns the sum of the probabilities of some kinds of orders.
 * @param kinds bit set of kinds: bit k for kind k of kindNames
 */
const shareOfKinds = ({ styles }: Habits, kinds: number): number => {
  let sum = 0;
  for (let k = 0; k < KINDS; k++) if ((kinds >> k) & 1) sum += styles[TYPES + k];
  return sum;
};

/**
 * Returns the probability of an order if the unit chooses it by a style and does not repeat its last order. Kinds
 * without a legal order leave their probability to the other styles.
 * @param chances probability of the order under each style
 * @param kinds bit set of the kinds of which the unit has legal orders
 */
export const byStyles = (habits: Habits, chances: ByStyle, kinds: number): number => {
  let sum = 0;
  for (let s = 0; s < STYLES; s++) sum += habits.styles[s] * chances[s];
  return sum / (habits.types + shareOfKinds(habits, kinds));
};

const oddsOf = ({ runs, repeat, agreed }: HabitParameters, chance: number, run: number): number =>
  runs[Math.max(0, Math.min(run, runs.length) - 1)] * (repeat + agreed * chance);

/**
 * Returns the probability that a unit repeats its order of the turn before.
 * @param chance probability of that order by the styles
 * @param run number of turns in a row that the unit had that order
 */
export const repeatShare = ({ strengths, prior }: Habits, chance: number, run: number): number => {
  const odds = oddsOf(prior, chance, run);
  let sum = 0;
  for (const [i, weight] of strengths.entries()) sum += (weight * STRENGTHS[i] * odds) / (1 + STRENGTHS[i] * odds);
  return sum;
};

/**
 * Returns the probability of an order that a unit was given.
 * @param run number of turns in a row that the unit had its order of the turn before
 */
export const chanceOf = (habits: Habits, { chosen, last, isRepeat, kinds }: SeenOrder, run: number): number => {
  const byChoice = byStyles(habits, chosen, kinds);
  if (last === null) return byChoice;
  const repeats = repeatShare(habits, byStyles(habits, last, kinds), run);
  return (isRepeat ? repeats : 0) + (1 - repeats) * byChoice;
};

const zeros = (powers: number, length: number): Float64Array[] =>
  Array.from({ length: powers }, () => new Float64Array(length));

/** Learns the habits of all powers in a game. */
export class Strangers {
  /**
   * `styles`: number of orders attributed to each style. `strengths`: log likelihood of each strength. Both are indexed
   * by power.
   */
  private readonly styles: Float64Array[];
  private readonly strengths: Float64Array[];

  /**
   * Begins without orders.
   * @param others powers whose orders are evidence about each other
   * @param prior habits expected of each power before any order was seen
   */
  constructor(
    powers: number,
    private readonly others: readonly Power[],
    private readonly prior: HabitParameters = usualHabits,
  ) {
    this.styles = zeros(powers, STYLES);
    this.strengths = zeros(powers, STRENGTHS.length);
  }

  /**
   * Returns the numbers of a power plus `weight` times those of each other opponent.
   * @param counts list of numbers of each power, indexed by power
   */
  private pool(counts: readonly Float64Array[], power: Power, weight: number): Float64Array {
    const own = counts[power].slice();
    for (const q of this.others) if (q !== power) for (let i = 0; i < own.length; i++) own[i] += weight * counts[q][i];
    return own;
  }

  /** Returns the expected habits of a power, after all orders learned so far. */
  habits(power: Power): Habits {
    const { prior } = this;
    const counts = this.pool(this.styles, power, OTHERS_STYLE).map((x, s) => x + prior.orders * prior.styles[s]);
    const orders = counts.reduce((sum, x) => sum + x, 0);
    const logs = this.pool(this.strengths, power, OTHERS_REPEAT);
    const most = logs.reduce((max, x) => Math.max(max, x), Number.NEGATIVE_INFINITY);
    const weights = logs.map((x, i) => prior.strengths[i] * Math.exp(STRENGTH_WEIGHT * (x - most)));
    const sum = weights.reduce((total, x) => total + x, 0);
    const styles = counts.map((x) => x / orders);
    return {
      styles,
      types: styles.subarray(0, TYPES).reduce((total, x) => total + x, 0),
      strengths: weights.map((x) => x / sum),
      prior,
    };
  }

  /**
   * Learns from the orders of a power in one phase.
   * @param habits habits of the power before the phase
   * @param seen orders of the phase, indexed by unit
   * @param runs number of turns in a row that each unit had its order of the turn before, indexed by unit
   * @returns logarithm of the likelihood of the orders by these habits
   */
  learn(power: Power, habits: Habits, seen: readonly SeenOrder[], runs: readonly number[]): number {
    let log = 0;
    for (const [unit, { chosen, last, isRepeat, kinds, legal }] of seen.entries()) {
      const byChoice = byStyles(habits, chosen, kinds);
      let chance = byChoice;
      let share = 1;
      if (last !== null) {
        const again = byStyles(habits, last, kinds);
        const repeats = repeatShare(habits, again, runs[unit]);
        chance = (isRepeat ? repeats : 0) + (1 - repeats) * byChoice;
        share = ((1 - repeats) * byChoice) / chance;
        this.learnStrength(power, oddsOf(this.prior, again, runs[unit]), isRepeat, byChoice);
      }
      log += Math.log((1 - ANY) * chance + ANY / legal);
      if (byChoice > 0) this.learnStyles(power, habits, chosen, share);
    }
    return log;
  }

  private learnStrength(power: Power, odds: number, isRepeat: boolean, byChoice: number): void {
    const logs = this.strengths[power];
    for (let i = 0; i < logs.length; i++) {
      const repeats = (STRENGTHS[i] * odds) / (1 + STRENGTHS[i] * odds);
      logs[i] += Math.log((isRepeat ? repeats : 0) + (1 - repeats) * Math.max(1e-6, byChoice));
    }
  }

  /**
   * Adds one order to the counts of the styles, divided in proportion to the posterior probability of each style.
   * @param chosen probability of the order under each style
   * @param share probability that the unit did not just repeat its last order
   */
  private learnStyles(power: Power, { styles }: Habits, chosen: ByStyle, share: number): void {
    const counts = this.styles[power];
    let sum = 0;
    for (let s = 0; s < STYLES; s++) sum += styles[s] * chosen[s];
    for (let s = 0; s < STYLES; s++) counts[s] += (share * styles[s] * chosen[s]) / sum;
  }
}

/**
 * Order of a unit in the turn before (`order`), and number of turns in a row that the unit had this order in the same
 * province (`run`).
 */
export interface LastOrder {
  readonly order: Order;
  readonly run: number;
}

/**
 * One in this number of order sets is drawn with the same random number for all units of a power, so that they repeat
 * their last orders together. In recorded games, the correlation of the repeats of two units is 0.12 to 0.24 of the
 * maximum, because a support is repeated with the order that it supports.
 */
const TOGETHER = 4;

/**
 * Draws `count` indexes of `weights` in proportion to the weights, in random order. Each index is drawn as often as
 * expected, rounded up or down.
 */
const drawEvenly = (weights: Float64Array, count: number, random: Random): number[] => {
  const step = weights.reduce((sum, x) => sum + x, 0) / count;
  const out: number[] = [];
  let next = random.fraction() * step;
  let sum = 0;
  for (const [i, weight] of weights.entries()) {
    sum += weight;
    for (; next < sum && out.length < count; next += step) out.push(i);
  }
  while (out.length < count) out.push(weights.length - 1);
  return shuffle(out, random);
};

/** Draws one number from each of `count` equal intervals between 0 and 1. Returns them in ascending order. */
const evenNumbers = (count: number, random: Random): number[] =>
  Array.from({ length: count }, (_, k) => (k + random.fraction()) / count);

/**
 * Draws `count` order sets of a player that fits none of the types. Each order of a unit is drawn about as often as
 * expected.
 * @param lasts order of each unit in the turn before, indexed like the prediction's order sets; null if the unit has
 *   moved since
 */
export const drawStranger = (
  map: CompiledMap,
  prediction: Prediction,
  habits: Habits,
  lasts: readonly (LastOrder | null)[],
  count: number,
  random: Random,
): Int32Array[] => {
  const { sets, likely, legal } = prediction;
  const orders = new KindsOfOrders(map, prediction);
  const weights = new Float64Array(sets.length);
  for (let t = 0; t < TYPES; t++) for (let c = 0; c < sets.length; c++) weights[c] += habits.styles[t] * likely[t][c];
  const drawn = drawEvenly(weights, count, random).map((c) => sets[c].slice());
  const joint = Math.ceil(count / TOGETHER);
  const together = evenNumbers(joint, random);
  for (const unit of legal.keys()) {
    const kinds = orders.kinds(unit);
    const last = lasts[unit];
    const again = orders.lastChances(unit, last?.order ?? null);
    const repeats = again === null ? 0 : repeatShare(habits, byStyles(habits, again, kinds), last?.run ?? 0);
    const ofKinds = shareOfKinds(habits, kinds);
    const others = repeats + (1 - repeats) * (ofKinds / (habits.types + ofKinds));
    const options = orders.lists[unit].flatMap((list, kind) =>
      list.map((order) => [order, habits.styles[TYPES + kind] / list.length] as const),
    );
    // Numbers below `repeats` take the last order, those below `others` an order of some kind, and the rest the type's.
    const numbers = [...together, ...shuffle(evenNumbers(count - joint, random), random)];
    const free = [...numbers.keys()].filter((k) => numbers[k] >= repeats && numbers[k] < others);
    const chosen = drawEvenly(
      Float64Array.from(options, ([, weight]) => weight),
      free.length,
      random,
    );
    for (const [i, k] of free.entries()) drawn[k][unit] = options[chosen[i]][0];
    if (last !== null) for (const [k, number] of numbers.entries()) if (number < repeats) drawn[k][unit] = last.order;
  }
  return drawn;
};
