// Lists candidate order sets of a power: draws of DumbBot and of the heuristic sampler, and plans that combine several
// units (supported attacks, self-standoffs, supported holds, convoys), completed by DumbBot's orders for the other
// units.
import { type CompiledMap, type Game, legalByPower, Random, testBit } from '../../engine/internal.js';
import { POLICY } from '../../engine/play/step.js';
import * as O from '../../engine/rules/order.js';
import * as T from '../../engine/rules/types.js';
import * as Values from '../evaluation/board-values.js';
import { holdIllegal } from '../evaluation/hold-illegal.js';
import { dumbbotMoves, dumbbotOrders, seedDumbbot } from '../heuristics/dumbbot.js';
import { sampledOrders } from '../heuristics/sampled.js';

/** Distinct order sets of one power. */
export interface Candidates {
  readonly power: T.Power;
  /** Packed orders, each set sorted ascending. In a movement phase, a set has one order for every unit. */
  readonly sets: readonly Int32Array[];
  /** Probability that the power's opponents expect of each set, indexed by set. Sums to 1. */
  readonly prior: Float64Array;
}

/**
 * DUMBBOT_DRAWS, BOLD_DRAWS, POLICY_DRAWS: number of draws of DumbBot, of a bolder DumbBot, and of the heuristic
 * sampler. BOLD: percentage with which the bolder DumbBot prefers alternatives to its best choice, instead of 50.
 */
const DUMBBOT_DRAWS = 60;
const BOLD_DRAWS = 30;
const BOLD = 85;
const POLICY_DRAWS = 8;
/** Minimum number of candidates, unless MOST_POLICY_DRAWS draws of the heuristic sampler find no more. */
const LEAST = 30;
const MOST_POLICY_DRAWS = 300;
/** Part of the prior that is spread evenly over all candidates. The rest goes to draws of DumbBot. */
const OTHER_SHARE = 0.1;

class Collector {
  readonly sets: Int32Array[] = [];
  readonly counts: number[] = [];
  /**
   * Index in `sets`, keyed by a hash of the orders. If two sets have the same hash, the later one is stored under the
   * next free number.
   */
  private readonly places = new Map<number, number>();

  constructor(
    private readonly game: Game,
    readonly power: T.Power,
  ) {}

  add(orders: Int32Array, weight: number): void {
    const set = orders.slice();
    holdIllegal(this.game, set, set.length);
    this.counts[this.placeOf(set.sort())] += weight;
  }

  /** Returns the index of an order set in `sets`. Adds the set with weight 0 if it is new. */
  private placeOf(set: Int32Array): number {
    let hash = set.length;
    for (let i = 0; i < set.length; i++) hash = (Math.imul(hash, 31) + set[i]) | 0;
    for (; ; hash++) {
      const place = this.places.get(hash);
      if (place === undefined) {
        this.places.set(hash, this.sets.length);
        this.counts.push(0);
        return this.sets.push(set) - 1;
      }
      const known = this.sets[place];
      if (known.length === set.length && known.every((order, i) => order === set[i])) return place;
    }
  }

  result(): Candidates {
    const drawn = this.counts.reduce((sum, n) => sum + n, 0);
    const other = this.sets.length === 0 ? 0 : OTHER_SHARE / this.sets.length;
    const share = drawn === 0 ? 0 : (1 - OTHER_SHARE) / drawn;
    const prior = Float64Array.from(this.counts, (n) => n * share + other);
    const sum = prior.reduce((total, n) => total + n, 0);
    return { power: this.power, sets: this.sets, prior: prior.map((n) => n / sum) };
  }
}

const drawn = new Int32Array(T.MAX_LOCATIONS);

const drawDumbbot = (game: Game, into: Collector, random: Random, draws: number, alternatives: number): void => {
  Values.readGame(game);
  for (let i = 0; i < draws; i++) {
    seedDumbbot(random.next());
    const n = dumbbotMoves(game.map, into.power, drawn, 0, alternatives);
    into.add(drawn.slice(0, n), alternatives === BOLD ? 0 : 1);
  }
};

// ---- plans ----

const reachers = (map: CompiledMap, units: readonly T.Province[], target: T.Province): T.Province[] =>
  units.filter((p) => p !== target && testBit(map.reach, Values.keyAt[p] - 1, target) === 1);

/** Returns the first location of a province that a unit can move to. @param p province of the unit */
const entrance = (map: CompiledMap, p: T.Province, target: T.Province): number => {
  const key = Values.keyAt[p] - 1;
  for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
    if (map.locationProvince[map.moveTargets[i]] === target) return map.moveTargets[i];
  return target;
};

const at = (map: CompiledMap, p: T.Province): number => Values.keyLocation(map, Values.keyAt[p] - 1);

export type Plan = readonly O.Order[];

/**
 * Returns three kinds of plans: the order alone, the order with each one of the helpers, and the order with all
 * helpers.
 */
const withHelp = (order: O.Order, helpers: readonly O.Order[]): Plan[] => [
  [order],
  ...helpers.map((helper) => [order, helper]),
  ...(helpers.length > 1 ? [[order, ...helpers]] : []),
];

const attackPlans = (map: CompiledMap, units: readonly T.Province[], power: T.Power): Plan[] => {
  const plans: Plan[] = [];
  for (let target = 0; target < map.provinceCount; target++) {
    const able = reachers(map, units, target);
    for (const mover of able) {
      const go = O.move(at(map, mover), entrance(map, mover, target));
      const helpers = able.filter((p) => p !== mover).map((p) => O.supportMove(at(map, p), mover, target));
      if (Values.powerAt[target] !== power) plans.push(...withHelp(go, helpers));
      // Moves into the province of an own unit, which may leave it: fillPlan() chooses its order.
      else if (helpers.length > 0) plans.push([go, ...helpers]);
    }
  }
  return plans;
};

const standoffPlans = (map: CompiledMap, units: readonly T.Province[], power: T.Power): Plan[] => {
  const plans: Plan[] = [];
  for (let target = 0; target < map.provinceCount; target++) {
    if (Values.keyAt[target] !== 0 && Values.powerAt[target] !== power) continue;
    const goes = reachers(map, units, target).map((p) => O.move(at(map, p), entrance(map, p, target)));
    for (const [i, go] of goes.entries()) for (const other of goes.slice(i + 1)) plans.push([go, other]);
  }
  return plans;
};

const standPlans = (map: CompiledMap, units: readonly T.Province[]): Plan[] => [
  units.map((p) => O.hold(at(map, p))),
  ...units.flatMap((p) => {
    const helpers = reachers(map, units, p).map((helper) => O.supportHold(at(map, helper), p));
    return withHelp(O.hold(at(map, p)), helpers);
  }),
];

/** Returns plans for convoys by own fleets to centres and empty provinces, with and without support of the landing. */
const convoyPlans = (game: Game, units: readonly T.Province[], power: T.Power): Plan[] => {
  const { map } = game;
  const own = legalByPower(game, power).flatMap((list) => [...list]);
  const plans: Plan[] = [];
  for (const go of own) {
    if (O.orderType(go) !== O.MOVE || O.orderVia(go) === 0) continue;
    const from = map.locationProvince[O.orderLocation(go)];
    const to = O.targetProvince(go);
    const center = map.centerIndex[to];
    if (Values.powerAt[to] === power || (center < 0 && Values.keyAt[to] !== 0)) continue;
    const fleets = own.filter(
      (o) => O.orderType(o) === O.CONVOY && O.orderHelped(o) === from && O.orderTarget(o) === to,
    );
    if (fleets.length === 0) continue;
    plans.push([go, ...fleets]);
    const busy = new Set([from, ...fleets.map((o) => map.locationProvince[O.orderLocation(o)])]);
    const helpers = reachers(map, units, to).filter((p) => !busy.has(p));
    if (helpers.length > 0) plans.push([go, ...fleets, ...helpers.map((p) => O.supportMove(at(map, p), from, to))]);
  }
  return plans;
};

/**
 * Returns the value by which plans are ranked: that of the best target of an order. Centres that the power does not own
 * count most, then threatened own centres, provinces without a centre, and safe own centres.
 */
const planValue = (map: CompiledMap, power: T.Power, plan: Plan): number => {
  let best = 0;
  for (const order of plan) {
    const type = O.orderType(order);
    const target = map.locationProvince[type === O.HOLD ? O.orderLocation(order) : O.orderTarget(order)];
    const center = map.centerIndex[target];
    const value = Values.valueAt(type === O.MOVE && O.orderVia(order) === 0 ? keyOfMove(map, order) : target);
    const own = center >= 0 && Values.ownerOf[center] === power;
    best = Math.max(best, value * (center < 0 ? 0.5 : own ? (Values.competition(power, target) > 0 ? 1 : 0.25) : 1.5));
  }
  return best;
};

const keyOfMove = (map: CompiledMap, order: O.Order): number => {
  const p = map.locationProvince[O.orderLocation(order)];
  return Values.keyAt[p] - 1 < map.locationCount ? O.orderTarget(order) : map.locationCount + O.orderTarget(order);
};

/**
 * Returns an order set with the orders of a plan, and with the orders of `filler` for the other units. Such a unit
 * holds if it would move to the target of a planned move.
 */
export const fillPlan = (map: CompiledMap, plan: Plan, filler: Int32Array): Int32Array => {
  const out = filler.slice();
  const planned = new Map<T.Province, O.Order>();
  for (const order of plan) planned.set(map.locationProvince[O.orderLocation(order)], order);
  const targets = new Set(
    plan.filter((o) => O.orderType(o) === O.MOVE).map((o) => map.locationProvince[O.orderTarget(o)]),
  );
  for (let i = 0; i < out.length; i++) {
    const p = map.locationProvince[O.orderLocation(out[i])];
    const order = planned.get(p);
    if (order !== undefined) out[i] = order;
    // No other unit moves to a target of the plan, except in a planned standoff.
    else if (O.orderType(out[i]) === O.MOVE && targets.has(map.locationProvince[O.orderTarget(out[i])]))
      out[i] = O.hold(O.orderLocation(out[i]));
  }
  return out;
};

const ownUnits = (map: CompiledMap, power: T.Power): T.Province[] => {
  const units: T.Province[] = [];
  for (let p = 0; p < map.provinceCount; p++) if (Values.keyAt[p] !== 0 && Values.powerAt[p] === power) units.push(p);
  return units;
};

/**
 * Returns combined orders of several units of a power in a movement phase, best first.
 * @param random varies the values for the ranking by up to 25 %
 */
export const listPlans = (game: Game, power: T.Power, random: Random): Plan[] => {
  const { map } = game;
  Values.readGame(game);
  Values.setViewer(power);
  const units = ownUnits(map, power);
  const plans = [
    ...attackPlans(map, units, power),
    ...standoffPlans(map, units, power),
    ...standPlans(map, units),
    ...convoyPlans(game, units, power),
  ];
  const values = plans.map((plan) => planValue(map, power, plan) * (0.75 + 0.5 * random.fraction()));
  const best = plans.map((_, i) => i).sort((a, b) => values[b] - values[a] || a - b);
  return best.map((i) => plans[i]);
};

const addPlans = (game: Game, into: Collector, random: Random, most: number): void => {
  for (const plan of listPlans(game, into.power, random)) {
    if (into.sets.length >= most) return;
    seedDumbbot(random.next());
    const n = dumbbotMoves(game.map, into.power, drawn, 0);
    into.add(fillPlan(game.map, plan, drawn.slice(0, n)), 0);
  }
};

const movementCandidates = (game: Game, power: T.Power, random: Random, most: number): Candidates => {
  const into = new Collector(game, power);
  drawDumbbot(game, into, random, Math.min(DUMBBOT_DRAWS, most), 50);
  if (into.sets.length > 0 && into.sets[0].length === 0) return into.result();
  addPlans(game, into, random, Math.floor(most * 0.85));
  drawDumbbot(game, into, random, Math.min(BOLD_DRAWS, most), BOLD);
  for (let i = 0; i < POLICY_DRAWS || (i < MOST_POLICY_DRAWS && into.sets.length < LEAST); i++)
    into.add(drawn.slice(0, sampledOrders(POLICY, game, power, drawn, random)), 0);
  Values.readGame(game);
  return into.result();
};

/** Number of draws of DumbBot for builds, removals and retreats, which have few order sets. */
const OPEN_DRAWS = 60;

const openCandidates = (game: Game, power: T.Power, random: Random, most: number): Candidates => {
  const into = new Collector(game, power);
  for (let i = 0; i < OPEN_DRAWS; i++) into.add(drawn.slice(0, dumbbotOrders(game, power, drawn, random.next())), 1);
  const own = legalByPower(game, power).flatMap((list) => [...list]);
  // Changes one order of DumbBot's first draw, for every legal order.
  const base = into.sets[0] ?? new Int32Array(0);
  for (const order of own) {
    if (into.sets.length >= most) break;
    if (O.orderType(order) === O.WAIVE) continue;
    const other = replaceOne(game, base, order);
    if (other !== null) into.add(other, 0);
  }
  return into.result();
};

/**
 * Returns a copy of an order set in which an order replaces the order for the same province. If there is none in an
 * adjustment phase, it replaces the order at index `place`. Returns null if no order can be replaced.
 */
export const replaceOne = (game: Game, set: Int32Array, order: O.Order, place = 0): Int32Array | null => {
  if (set.length === 0 || O.orderType(order) === O.WAIVE) return null;
  const provinceOf = (o: O.Order): T.Province =>
    O.orderType(o) === O.WAIVE ? -1 : game.map.locationProvince[O.orderLocation(o)];
  const same = set.findIndex((o) => provinceOf(o) === provinceOf(order));
  if (same < 0 && game.phase !== T.ADJUSTMENT) return null;
  const out = set.slice();
  out[same < 0 ? place : same] = order;
  return out;
};

/**
 * Returns candidates of a power in any phase.
 * @param most approximate maximum number of order sets; the minimum of 30 may exceed it
 */
export const findCandidates = (game: Game, power: T.Power, random: Random, most: number): Candidates =>
  game.phase === T.MOVEMENT ? movementCandidates(game, power, random, most) : openCandidates(game, power, random, most);

/**
 * Returns candidates of one power, drawn with random numbers that depend on the seed and the power alone.
 * @param most approximate maximum number of order sets
 */
export const findOwnCandidates = (game: Game, seed: number, power: T.Power, most: number): Candidates =>
  findCandidates(game, power, new Random(seed, 0x5ea2, power), most);

/**
 * Returns the candidates of all powers, indexed by power, each as findOwnCandidates() returns them.
 * @param most returns the approximate maximum number of order sets of a power
 */
export const findAllCandidates = (game: Game, seed: number, most: (power: T.Power) => number): Candidates[] =>
  Array.from({ length: Math.min(game.map.powerCount, T.MAX_POWERS) }, (_, power) =>
    findOwnCandidates(game, seed, power, most(power)),
  );
