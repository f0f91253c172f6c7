// Fits the parameters of the opponent model to games of one opponent, by maximum likelihood of its orders. Each turn is
// predicted from the turns before it. A weak prior around the usual parameters keeps a fit to few games close to them.
import type { Power } from '../../engine/internal.js';
import { LEAST_WEIGHT, ranges } from '../../selfplay/search/opponent-file.js';
import { OpponentLearner, usualParameters, type WatchedTurn } from '../../selfplay/search/opponent-model.js';
import type { OpponentParameters } from '../../selfplay/search/opponent-parameters.js';
import { chanceOf } from '../../selfplay/search/stranger.js';

/** A game in which the opponent plays some powers. */
export interface WatchedGame {
  readonly powers: number;
  /** Powers that the opponent plays. */
  readonly others: readonly Power[];
  readonly turns: readonly WatchedTurn[];
}

/** Part of the probability that is spread evenly over all legal orders of a unit, as in calibration.ts. */
const FLAT = 0.02;

/** `orders`: number of orders of the opponent. `log`: sum of the natural logarithms of their probabilities. */
interface Likelihood {
  readonly orders: number;
  readonly log: number;
}

/** Returns the likelihood of the opponent's orders in some games. Each turn is predicted from the turns before it. */
export const likelihoodOf = (games: readonly WatchedGame[], parameters: OpponentParameters): Likelihood => {
  let orders = 0;
  let log = 0;
  for (const { powers, others, turns } of games) {
    const learner = new OpponentLearner(powers, others, parameters);
    for (const { turn, evidence, lasts } of turns) {
      const models = learner.models(turn);
      for (const q of others) {
        const { shares, habits } = models[q];
        const stranger = shares.length - 1;
        for (const [unit, seen] of evidence[q].entries()) {
          let chance = shares[stranger] * chanceOf(habits, seen, lasts[q][unit]?.run ?? 0);
          for (let t = 0; t < stranger; t++) chance += shares[t] * seen.chosen[t];
          log += Math.log((1 - FLAT) * chance + FLAT / Math.max(1, seen.legal));
          orders++;
        }
      }
      learner.learn(evidence, lasts);
    }
  }
  return { orders, log };
};

const logit = (x: number): number => Math.log(x / (1 - x));
const rate = (x: number): number => 1 / (1 + Math.exp(-x));
const within = (x: number, [least, most]: readonly [number, number]): number => Math.min(most, Math.max(least, x));

/**
 * Returns weights that sum to 1 and are at least LEAST_WEIGHT each.
 * @param logs natural logarithms of the weights, up to a constant
 */
const weightsOf = (logs: readonly number[]): number[] => {
  const most = logs.reduce((max, x) => Math.max(max, x), Number.NEGATIVE_INFINITY);
  const raw = logs.map((x) => Math.exp(x - most));
  const sum = raw.reduce((total, x) => total + x, 0);
  const floor = 1.01 * LEAST_WEIGHT;
  return raw.map((x) => floor + (1 - floor * raw.length) * (x / sum));
};

const logsOf = (weights: readonly number[]): number[] => weights.map(Math.log);

/** Converts parameters to a list of unbounded numbers: logarithms of weights, of factors and of odds. */
const toNumbers = ({ types, stranger, doubt, surprise, habits }: OpponentParameters): number[] => [
  ...logsOf(types),
  ...logsOf(habits.styles),
  ...logsOf(habits.strengths),
  ...logsOf(habits.runs),
  ...[Math.log(habits.repeat), Math.log(habits.agreed), Math.log(habits.orders)],
  ...[logit(stranger), logit(doubt), logit(surprise)],
];

const fromNumbers = (numbers: readonly number[]): OpponentParameters => {
  let begin = 0;
  const take = (count: number): readonly number[] => {
    begin += count;
    return numbers.slice(begin - count, begin);
  };
  const { types, habits } = usualParameters;
  const typeLogs = take(types.length);
  const [styleLogs, strengthLogs, runLogs] = [habits.styles, habits.strengths, habits.runs].map((x) => take(x.length));
  const [repeat, agreed, orders, stranger, doubt, surprise] = take(6);
  return {
    types: weightsOf(typeLogs),
    stranger: within(rate(stranger), ranges.stranger),
    doubt: within(rate(doubt), ranges.doubt),
    surprise: within(rate(surprise), ranges.surprise),
    habits: {
      styles: weightsOf(styleLogs),
      strengths: weightsOf(strengthLogs),
      runs: runLogs.map((x) => within(Math.exp(x), ranges.repeat)),
      repeat: within(Math.exp(repeat), ranges.repeat),
      agreed: within(Math.exp(agreed), ranges.repeat),
      orders: within(Math.exp(orders), ranges.orders),
    },
  };
};

/** Standard deviation of the normal prior around the usual value of each number of toNumbers(). */
const SPREAD = 2;
/**
 * Weight of the log-likelihood relative to the prior. Less than 1, because the orders of one turn are not independent.
 */
const WEIGHT = 0.25;

const FIRST_STEP = 0.5;
const LEAST_STEP = 0.02;
const LONGER = 1.6;
const SHORTER = 0.4;
/**
 * Minimum gain of a sweep over all numbers, in nats (WEIGHT times log-likelihood plus log prior). A sweep that gains
 * less ends the search.
 */
const LEAST_GAIN = 0.05;
const MOST_SWEEPS = 40;

/**
 * Returns the parameters that fit some games best, given the prior. Changes one number after another as long as that
 * improves the fit.
 */
export const fitParameters = (games: readonly WatchedGame[]): OpponentParameters => {
  const start = toNumbers(usualParameters);
  const numbers = [...start];
  const steps = numbers.map(() => FIRST_STEP);
  const worth = (): number => {
    const { log } = likelihoodOf(games, fromNumbers(numbers));
    return WEIGHT * log - numbers.reduce((sum, x, i) => sum + (x - start[i]) ** 2, 0) / (2 * SPREAD * SPREAD);
  };
  let best = worth();
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    const before = best;
    for (const i of numbers.keys()) {
      if (Math.abs(steps[i]) < LEAST_STEP) continue;
      const known = numbers[i];
      // If a step fails, the opposite step is tried. The next sweep starts in the direction that succeeded.
      const found = [steps[i], -steps[i]].find((step) => {
        numbers[i] = known + step;
        const value = worth();
        if (value <= best) return false;
        best = value;
        return true;
      });
      if (found === undefined) numbers[i] = known;
      steps[i] = found === undefined ? SHORTER * steps[i] : LONGER * found;
    }
    if (best - before < LEAST_GAIN) break;
  }
  return fromNumbers(numbers);
};
