// Has a net say what candidates lead to: orders of all powers are adjudicated, retreats and adjustments played, and the net
// values the positions. Positions of many candidates and samples are valued at once.
import {
  adjudicate,
  type Game,
  MAX_LOCATIONS,
  MOVEMENT,
  makeResults,
  PLAYING,
  type Power,
  Random,
} from '../../engine/internal.js';
import { dumbbotOrders } from '../heuristics/dumbbot-orders.js';
import { askNet, type Evaluator } from '../nets/evaluator.js';
import { makeAssessor } from './looks.js';
import { addValue, clock, drawFrom, type Limit, makeSums, type Problem, preparedSet, type Sums } from './match.js';
import type { BoardOrders } from './playout.js';

/** Looks that take as long as one evaluation, about. */
export const LOOKS_IN_EVALUATION = 40;

type Profile = readonly (BoardOrders | null)[];

/** Of a candidate with a sample of the others: what a look sees in it, and the position after it. */
interface Outcome {
  readonly candidate: number;
  readonly seen: number;
  readonly after: Game;
}

const results = makeResults();
const one = new Int32Array(MAX_LOCATIONS);
const packed = new Int32Array(2 * MAX_LOCATIONS);

/**
 * The game after orders of all powers, when it waits for moves again: positions in different phases are hard to compare.
 * Retreats and adjustments are DumbBot's.
 */
const play = (game: Game, profile: Profile): Game => {
  const after = game.clone();
  let count = 0;
  for (const orders of profile) {
    if (orders === null) continue;
    packed.set(orders.packed, count);
    count += orders.packed.length;
  }
  adjudicate(after, packed, count, results);
  while (after.status === PLAYING && after.phase !== MOVEMENT) {
    count = 0;
    for (let power: Power = 0; power < game.map.powerCount; power++) {
      const added = dumbbotOrders(after, power, one, power);
      packed.set(one.subarray(0, added), count);
      count += added;
    }
    adjudicate(after, packed, count, results);
  }
  return after;
};

/** Adds by how much the net values what candidates lead to above a look. */
const settle = (net: Evaluator, outcomes: readonly Outcome[], power: Power, sums: Sums): void | Promise<void> => {
  const games = outcomes.map(({ after }) => after);
  const { powerCount } = net.map;
  return askNet(net, games, 'values', () => {
    for (const [i, { candidate, seen, after }] of outcomes.entries()) {
      const won = after.winner === power ? 1 : 0;
      const value = after.status === PLAYING ? net.values[i * powerCount + power] : won;
      addValue(sums, candidate, value - seen);
    }
  });
};

/**
 * Compares some candidates of one power side by side, as compare() does, by how much more a net sees in them than a look.
 * @param among places of the candidates
 * @param first number of the first round: rounds of one seed with different numbers differ
 * @param limit its rollouts are looks, of which an evaluation counts for LOOKS_IN_EVALUATION
 * @returns sums of the differences
 */
export const appraise = async (
  net: Evaluator,
  problem: Problem,
  power: Power,
  among: readonly number[],
  first: number,
  limit: Limit,
): Promise<Sums> => {
  const { game, candidates, options, seed } = problem;
  const judge = makeAssessor(game, options);
  const sums = makeSums(candidates[power].sets.length);
  const rounds = Math.max(1, Math.floor(limit.rollouts / (among.length * LOOKS_IN_EVALUATION)));
  let open: { readonly candidate: number; readonly seen: number; readonly profile: Profile }[] = [];
  const flush = async (): Promise<void> => {
    const outcomes = open.map(({ candidate, seen, profile }) => ({ candidate, seen, after: play(game, profile) }));
    const settled = settle(net, outcomes, power, sums);
    if (settled instanceof Promise) await settled;
    open = [];
  };
  for (let round = first; round < first + rounds; round++) {
    if (round > first && (limit.control[0] !== 0 || clock() >= limit.deadline)) break;
    const random = new Random(seed, round, 0x1ea);
    const profile = candidates.map((own) => preparedSet(judge, own, drawFrom(own.prior, 1, random)));
    for (const c of among) {
      profile[power] = preparedSet(judge, candidates[power], c);
      open.push({ candidate: c, seen: judge.worth(profile, power, seed, round), profile: profile.slice() });
      if (open.length === net.room) await flush();
    }
  }
  if (open.length > 0) await flush();
  return sums;
};
