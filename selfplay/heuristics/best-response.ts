// Finds best responses to sampled orders of the other powers. Each sample combines draws of DumbBot, the orders with
// the highest value if all others hold (greedy), and best responses to these two. An order set is tried by adjudication
// and static evaluation, and the set with the highest mean over the samples wins.
import {
  type CompiledMap,
  type Game,
  MAX_LOCATIONS,
  orderLocation,
  type Power,
  type Random,
} from '../../engine/internal.js';
import { RandomGame } from '../../engine/play/step.js';
import { readGame } from '../evaluation/board-values.js';
import { shuffle } from '../evaluation/shuffle.js';
import { evaluateOrders, readPosition } from '../evaluation/static-evaluation.js';
import { supportOwn } from '../evaluation/support-own.js';
import { defaultWeights, type EvaluationWeights } from '../evaluation/weights.js';
import { dumbbotMoves, seedDumbbot } from './dumbbot.js';
import { listOwnOrders, type OwnOrders } from './own-orders.js';

const DRAWS = 6;
// Probabilities that a sampled power plays a best response, its greedy orders (best if all others hold), or a draw of
// DumbBot. Otherwise its units hold.
const RESPONSE = 0.35;
const GREEDY = 0.25;
const DUMBBOT = 0.37;
const EXPECTED_SAMPLES = 4;
const GREEDY_DRAWS = 4;
// Maximum number of trials (evaluations of an order set against one sample) of one search for better orders.
// GREEDY_TRIALS: for greedy orders. EXPECTED_TRIALS: for a best response that others are expected to play. OWN_TRIALS:
// for the returned best response, from the best start, the second best start, and so on.
const GREEDY_TRIALS = 600;
const EXPECTED_TRIALS = 900;
const OWN_TRIALS = [6000, 3000];
// For each best response that expectedResponses() draws: number of samples of the others' orders, and maximum number of
// trials from each start, best start first. Lower than OWN_TRIALS, because many responses are drawn.
const RESPONSE_SAMPLES = 8;
const RESPONSE_TRIALS = [1000];
// For responseWorth() and expectedWorth(): number of samples of the others' orders, number of own draws of DumbBot to
// start from, and maximum number of trials.
const AFTER_SAMPLES = 4;
const AFTER_STARTS = 2;
const AFTER_TRIALS = 500;
/**
 * An order set is dropped if the sum of its values falls below that of the best set by more than this share after the
 * first sample; by more than SLACK / s after s samples.
 */
const SLACK = 0.02;
const EQUAL = 1e-9;

/**
 * An order set (index of the order of each unit), and the sum of its values over the first sample, the first two, and
 * so on.
 */
interface Tried {
  readonly set: Int32Array;
  readonly sums: Float64Array;
}

/** Board orders of all powers, indexed by province. */
type Sample = Int32Array;

const total = ({ sums }: Tried): number => sums[sums.length - 1];
const better = (a: Tried, b: Tried): Tried => (total(b) > total(a) ? b : a);

const onBoard = new RandomGame();
const given = new Int32Array(MAX_LOCATIONS);
let trials = 0;

const tryAgainst = (own: OwnOrders, set: Int32Array, samples: readonly Sample[], s: number): number => {
  given.set(samples[s]);
  own.put(set, given);
  trials++;
  return evaluateOrders(onBoard, given, own.power, s);
};

const tryAll = (own: OwnOrders, set: Int32Array, samples: readonly Sample[]): Tried => {
  const sums = new Float64Array(samples.length);
  let sum = 0;
  for (let s = 0; s < samples.length; s++) {
    sum += tryAgainst(own, set, samples, s);
    sums[s] = sum;
  }
  return { set, sums };
};

/**
 * Improves an order set by one plan (combined orders of a few units) at a time, until no plan raises the value.
 * @param most approximate maximum number of trials
 */
const improve = (own: OwnOrders, start: Tried, samples: readonly Sample[], most: number, random: Random): Tried => {
  const { plans } = own;
  const order = shuffle([...plans.keys()], random);
  const set = start.set.slice();
  const sums = new Float64Array(samples.length);
  const end = trials + most;
  let best = start;
  for (let i = 0, since = 0; since < plans.length && trials < end; i = (i + 1) % plans.length) {
    since++;
    if (!own.lay(best.set, plans[order[i]], set)) continue;
    let sum = 0;
    let s = 0;
    // Both sets play the same samples, so a set that falls behind early is unlikely to win.
    do {
      sum += tryAgainst(own, set, samples, s);
      sums[s] = sum;
    } while (sum >= best.sums[s] * (1 - SLACK / (1 + s)) && ++s < samples.length);
    if (s < samples.length || sum <= total(best) + EQUAL) continue;
    best = { set: set.slice(), sums: sums.slice() };
    since = 0;
  }
  return best;
};

/** Evaluates each order set against all samples, in the order of the sets. Equal sets (2 in 5) are evaluated once. */
const tryEach = (own: OwnOrders, sets: readonly Int32Array[], samples: readonly Sample[]): Tried[] => {
  const tried = new Map<string, Tried>();
  return sets.map((set) => {
    const key = set.join();
    const one = tried.get(key) ?? tryAll(own, set, samples);
    tried.set(key, one);
    return one;
  });
};

const bestOf = (own: OwnOrders, sets: readonly Int32Array[], samples: readonly Sample[]): Tried =>
  tryEach(own, sets, samples).reduce(better);

/**
 * Sampled order sets of one power: draws of DumbBot, its best orders if all others hold (`greedy`), and its best
 * response.
 */
interface Expected {
  readonly own: OwnOrders;
  readonly dumbbot: readonly Int32Array[];
  readonly greedy: Int32Array;
  /** Best response; null before it is found. */
  readonly response: Int32Array | null;
}

const drawSample = (expected: readonly Expected[], holding: Sample, random: Random): Sample => {
  const sample = holding.slice();
  for (const { own, dumbbot, greedy, response } of expected) {
    const x = random.fraction();
    const draw = dumbbot[random.below(dumbbot.length)];
    if (x < RESPONSE) own.put(response ?? greedy, sample);
    else if (x < RESPONSE + GREEDY) own.put(greedy, sample);
    else if (x < RESPONSE + GREEDY + DUMBBOT) own.put(draw, sample);
  }
  return sample;
};

const drawSamples = (count: number, expected: readonly Expected[], holding: Sample, random: Random): Sample[] =>
  Array.from({ length: count }, () => drawSample(expected, holding, random));

const drawn = new Int32Array(MAX_LOCATIONS);

/**
 * Draws packed order sets of DumbBot for one power, in the position that readGame() loaded. Must be called before the
 * board is loaded.
 * @param count number of draws
 */
export const drawDumbbot = (map: CompiledMap, power: Power, random: Random, count = DRAWS): Int32Array[] =>
  Array.from({ length: count }, () => {
    seedDumbbot(random.next());
    return drawn.slice(0, dumbbotMoves(map, power, drawn, 0));
  });

/**
 * Samples orders of every power with units, and loads the position on the board for evaluations.
 * @param times number of independent draws
 * @param isLate called before each draw but the first; true ends the drawing
 * @returns `expected`: draws, indexed by draw, then by power with units. `holding`: a sample in which all units hold
 */
const expectAll = (
  game: Game,
  random: Random,
  weights: EvaluationWeights,
  times = 1,
  isLate = (): boolean => false,
): { expected: (readonly Expected[])[]; holding: Sample } => {
  const { map } = game;
  readGame(game);
  readPosition(game, weights);
  const draws = Array.from({ length: times }, () => map.powerNames.map((_, q) => drawDumbbot(map, q, random)));
  onBoard.load(game);
  const sides = listOwnOrders(onBoard, game);
  const holding = new Int32Array(map.provinceCount);
  for (const own of sides) own.put(own.holds, holding);
  const expected: (readonly Expected[])[] = [];
  for (const [k, drawn] of draws.entries()) {
    if (k > 0 && isLate()) break;
    // The greedy orders hardly differ from one draw to the next, so later draws reuse them.
    const known = k < GREEDY_DRAWS ? undefined : expected[k % GREEDY_DRAWS];
    expected.push(expectOnce(map, sides, drawn, holding, random, known));
  }
  return { expected, holding };
};

const expectOnce = (
  map: CompiledMap,
  sides: readonly OwnOrders[],
  draws: readonly (readonly Int32Array[])[],
  holding: Sample,
  random: Random,
  known?: readonly Expected[],
): readonly Expected[] => {
  const alone = sides.map((own, i): Expected => {
    const dumbbot = draws[own.power].map((orders) => own.read(map, orders));
    if (known !== undefined) return { own, dumbbot, greedy: known[i].greedy, response: null };
    const start = bestOf(own, dumbbot, [holding]);
    return { own, dumbbot, greedy: improve(own, start, [holding], GREEDY_TRIALS, random).set, response: null };
  });
  const first = drawSamples(EXPECTED_SAMPLES, alone, holding, random);
  return alone.map((one): Expected => {
    const start = bestOf(one.own, [...one.dumbbot, one.greedy], first);
    return { ...one, response: improve(one.own, start, first, EXPECTED_TRIALS, random).set };
  });
};

const packed = (own: OwnOrders, set: Int32Array): Int32Array => drawn.slice(0, own.write(set, drawn)).sort();

/**
 * Returns the best response of a power to samples of the others' orders.
 * @param trials approximate maximum number of trials from the best start, the second best start, and so on
 */
const respond = (
  { own, dumbbot, greedy, response }: Expected,
  samples: readonly Sample[],
  trials: readonly number[],
  random: Random,
): Int32Array => {
  const starts = tryEach(own, [...dumbbot, greedy, response ?? greedy], samples);
  starts.sort((a, b) => total(b) - total(a));
  return trials.map((most, i) => improve(own, starts[i], samples, most, random)).reduce(better).set;
};

/**
 * Drawn order sets of a power that maximises its value, as packed orders sorted ascending. `greedy`: best if all others
 * hold. `answer`: best against DumbBot and greedy orders. `response`: best against DumbBot, greedy orders and answers,
 * as bestResponse() plays.
 */
export interface Responses {
  readonly greedy: Int32Array[];
  readonly answer: Int32Array[];
  readonly response: Int32Array[];
}

/**
 * Draws order sets of all powers that maximise their value. Returns them indexed by power.
 * @param times number of greedy order sets, and of answers, of each power
 * @param replies number of best responses of each power, at most `times`. All of them take as long as the rest of the
 *   call
 * @param isLate called between draws; true ends the drawing early
 */
export const expectedResponses = (
  game: Game,
  random: Random,
  times: number,
  replies: number,
  isLate: () => boolean = () => false,
): Responses[] => {
  const { expected, holding } = expectAll(game, random, defaultWeights, times, isLate);
  const responses = game.map.powerNames.map((): Responses => ({ greedy: [], answer: [], response: [] }));
  for (const { own, greedy, response } of expected.flat()) {
    responses[own.power].greedy.push(packed(own, greedy));
    responses[own.power].answer.push(packed(own, response ?? greedy));
  }
  for (const [k, all] of expected.slice(0, replies).entries()) {
    if (k > 0 && isLate()) break;
    const samples = drawSamples(RESPONSE_SAMPLES, all, holding, random);
    for (const one of all)
      responses[one.own.power].response.push(packed(one.own, respond(one, samples, RESPONSE_TRIALS, random)));
  }
  return responses;
};

/**
 * Returns the best response found from each start, as packed orders sorted ascending. Returns an empty list if the
 * power has no units.
 * @param starts packed order sets of the power to start from
 * @param samples samples of the others: board orders, indexed by province
 * @param most approximate maximum number of trials from each start
 */
export const responsesTo = (
  game: Game,
  power: Power,
  starts: readonly Int32Array[],
  samples: readonly Int32Array[],
  most: number,
  random: Random,
  weights = defaultWeights,
): Int32Array[] => {
  readPosition(game, weights);
  onBoard.load(game);
  const own = listOwnOrders(onBoard, game, power);
  const found = own.flatMap((orders) =>
    starts.map((start) => {
      const tried = tryAll(orders, orders.read(game.map, start), samples);
      return packed(orders, improve(orders, tried, samples, most, random).set);
    }),
  );
  return found;
};

/**
 * Returns the mean value to a power, 0 to 1, of its best response to samples of the others' orders.
 * @param own orders of the power; undefined if it has no units
 * @param starts order sets of the power to start from
 */
const worthOfBest = (
  power: Power,
  own: OwnOrders | undefined,
  starts: readonly Int32Array[],
  samples: readonly Sample[],
  random: Random,
): number => {
  const sum =
    own === undefined
      ? samples.reduce((all, sample, s) => all + evaluateOrders(onBoard, sample, power, s), 0)
      : total(improve(own, bestOf(own, starts, samples), samples, AFTER_TRIALS, random));
  return sum / samples.length;
};

/**
 * Returns the mean value to a power, 0 to 1, of its best response if all others play like DumbBot. Fast, because a
 * search evaluates hundreds of positions with it.
 */
export const responseWorth = (game: Game, power: Power, random: Random): number => {
  const { map } = game;
  readGame(game);
  readPosition(game);
  const draws = map.powerNames.map((_, q) => drawDumbbot(map, q, random, q === power ? AFTER_STARTS : AFTER_SAMPLES));
  onBoard.load(game);
  const samples = Array.from({ length: AFTER_SAMPLES }, () => new Int32Array(map.provinceCount));
  for (const [q, drawn] of draws.entries())
    if (q !== power)
      for (const [s, orders] of drawn.entries())
        for (const order of orders) samples[s][map.locationProvince[orderLocation(order)]] = onBoard.boardOrder(order);
  const own = listOwnOrders(onBoard, game, power).at(0);
  const starts = own === undefined ? [] : draws[power].map((orders) => own.read(map, orders));
  const worth = worthOfBest(power, own, starts, samples, random);
  return worth;
};

/**
 * Returns the mean value to a power, 0 to 1, of its best response if the others play like DumbBot, greedily (best if
 * all others hold) or a best response. Takes about 10 times as long as responseWorth().
 */
export const expectedWorth = (game: Game, power: Power, random: Random): number => {
  const {
    expected: [expected],
    holding,
  } = expectAll(game, random, defaultWeights);
  const samples = drawSamples(AFTER_SAMPLES, expected, holding, random);
  const one = expected.find(({ own }) => own.power === power);
  const starts = one === undefined ? [] : [...one.dumbbot.slice(0, AFTER_STARTS), one.response ?? one.greedy];
  const worth = worthOfBest(power, one?.own, starts, samples, random);
  return worth;
};

/** Options of bestResponse(). */
export interface ResponseOptions {
  /** Number of samples of the others' orders. */
  readonly plans: number;
  /** Weights of the static evaluation. */
  readonly weights: EvaluationWeights;
}

/**
 * Writes a best response of a power to sampled orders of the others to `out`, as packed movement orders. Returns their
 * number.
 */
export const bestResponse = (
  game: Game,
  power: Power,
  out: Int32Array,
  random: Random,
  { plans, weights }: ResponseOptions,
): number => {
  const {
    expected: [expected],
    holding,
  } = expectAll(game, random, weights);
  const samples = drawSamples(plans, expected, holding, random);
  let count = 0;
  for (const one of expected.filter(({ own }) => own.power === power))
    count = one.own.write(respond(one, samples, OWN_TRIALS, random), out);
  out.set(supportOwn(game, power, out.subarray(0, count)));
  return count;
};
