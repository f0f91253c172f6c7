// Learns how a power's expected number of centres usually changes during the next turn, by the units in and around each
// centre, and prints the table of selfplay/evaluation/next-turn.ts.
//
// Fast agents play games on the standard map, with some orders drawn by DumbBot. In every other movement phase the
// script values order sets of one power: likely ones, best responses, and variations of these. All of them are
// adjudicated against the same two samples of the other powers' orders. For each order set the script records two
// values of the position for the power: the static evaluation after the moves, and the target, the value after the next
// turn if the power then gives its best response to the expected orders of the others. The table is fitted by least
// squares so that the static evaluation plus the table agrees with the target, mainly in the differences between the
// order sets of one position. Every eighth game is held out to measure the agreement, as correlations within positions
// without and with the table.
import { quietOption } from '../../bindings/terminal/options.js';
import {
  adjudicate,
  DATC_3_2,
  type Game,
  hashSeed,
  hasOrders,
  MOVEMENT,
  newGame,
  PLAYING,
  type Power,
  Random,
  standard,
} from '../../engine/internal.js';
import { RandomGame } from '../../engine/play/step.js';
import { parseAgent } from '../../selfplay/agents/registry.js';
import { workersOption } from '../../selfplay/crew/pool.js';
import { readGame } from '../../selfplay/evaluation/board-values.js';
import { NO_PATTERN, PATTERNS, PATTERNS_IN_ROW } from '../../selfplay/evaluation/next-turn.js';
import { settleAll } from '../../selfplay/evaluation/settle-orders.js';
import { evaluateOrders, readPosition, seenAfter } from '../../selfplay/evaluation/static-evaluation.js';
import { drawDumbbot, expectedResponses, expectedWorth, responsesTo } from '../../selfplay/heuristics/best-response.js';
import { type Answer, NO_PAST, UNBOUNDED } from '../../selfplay/question/agent.js';
import { seedOption, type ValuesOf, wholeIn } from '../../selfplay/question/option.js';
import { LocalSearch } from '../../selfplay/search/local-search.js';
import { Lookahead } from '../../selfplay/search/lookahead.js';
import { joinPacked, putOrders } from '../../selfplay/search/playout.js';
import { runMain } from '../run/child.js';
import { runProgram, withCount } from '../run/program.js';
import { playEach } from './play-each.js';

/** Specification of the games to learn from. */
export interface LearnSpec {
  readonly games: number;
  /** Latest year in which a game may end. The last year of each game is drawn. */
  readonly until: number;
  readonly seed: number;
}

/** An order set in a position, and the values after it. */
export interface Seen {
  /**
   * Pattern of each centre after the order set: the class of the situation around the centre (patternOf()), indexed by
   * centre.
   */
  readonly patterns: Int32Array;
  /** Value to the power after the order set by the static evaluation, 0 to 1. */
  readonly value: number;
  /** Value to the power after the next turn, 0 to 1. */
  readonly target: number;
  /** Derivative of `value` with respect to the expected number of centres of the power. */
  readonly slope: number;
}

/**
 * Order sets of a game to learn from, in groups with the same position and the same sample of the others' orders. Those
 * of one group are compared with one another.
 */
type Lessons = readonly (readonly Seen[])[];

/**
 * Names of the agents that play the games. None of them uses the table by default, so the table does not affect the
 * games that it is learned from.
 */
const PLAYERS = ['greedy', 'dumbbot', 'reply:plans=2', 'reply:plans=8'];
const FIRST_LAST = 1903;
/** One in this number of choices is made by DumbBot, so that positions vary more. */
const STRANGE = 12;
const LEAST_UNITS = 3;
const DRAWS = 3;
const SAMPLES = 4;
const MEASURED = 2;
const NEIGHBOURS = 5;
const TRIALS = 1500;
/** Probability that the sampled orders of a power are its best response to the expected orders of the others. */
const ANSWER = 0.4;
/**
 * Probability that the sampled orders of a power are its best ones if all others hold. The remaining samples are orders
 * of DumbBot.
 */
const GREEDY = 0.1;
/** One in this number of games is not used for the fit, but to test it. */
const FOLDS = 8;
/** Weight of the mean over a group of order sets, relative to the differences within the group. */
const WHOLE_SHARE = 0.1;
/** Ridge penalty of the least squares. Keeps the table entries of rare patterns near 0. */
const RIDGE = 0.03;

const trial = new RandomGame();

const measure = (game: Game, power: Power, random: Random): Seen[][] => {
  const { map } = game;
  const expected = expectedResponses(game, random, 1, 0);
  readGame(game);
  const dumbbot = map.powerNames.map((_, q) => drawDumbbot(map, q, random, DRAWS).map((set) => set.sort()));
  const draw = (q: Power): Int32Array => {
    const { greedy, answer } = expected[q];
    const x = random.fraction();
    if (answer.length === 0 || x >= ANSWER + GREEDY) return dumbbot[q][random.below(DRAWS)];
    return x < ANSWER ? answer[0] : greedy[0];
  };
  const look = new Lookahead(game);
  const samples = Array.from({ length: SAMPLES }, () =>
    map.powerNames.map((_, q) => look.prepare(q === power ? new Int32Array(0) : draw(q))),
  );
  const onBoard = samples.map((profile) => {
    const orders = new Int32Array(map.provinceCount);
    for (const one of profile) putOrders(one, orders);
    return orders;
  });
  const { greedy, answer } = expected[power];
  const starts = [...dumbbot[power].slice(1), ...answer];
  const best = responsesTo(game, power, starts, onBoard, TRIALS, random);
  const sets = new Map<string, Int32Array>();
  const add = (set: Int32Array): unknown => sets.set(set.join(), set);
  for (const set of [...starts, ...greedy, ...best]) add(set);
  const around = new LocalSearch(game, power, random);
  for (let i = 0; i < NEIGHBOURS; i++) {
    const set = around.next(best, (one) => sets.has(one.slice().sort().join()), random);
    if (set !== null) add(set.sort());
  }
  return samples.slice(0, MEASURED).map((profile, s) => {
    const given = onBoard[s].slice();
    const own = [...sets.values()].map((set) => look.prepare(set));
    readPosition(game);
    trial.load(game);
    const seen = own.map((orders) => {
      putOrders(orders, given);
      const value = evaluateOrders(trial, given, power);
      const { patterns, others } = seenAfter(trial, power);
      // The value is x * x / (x * x + others), where x is the expectation of the power.
      const x = Math.sqrt((value * others) / Math.max(1e-9, 1 - value));
      return { patterns, value, slope: (2 * x * others) / (x * x + others) ** 2 };
    });
    const packed = new Int32Array(map.provinceCount);
    return seen.map((one, i): Seen => {
      const after = game.clone();
      profile[power] = own[i];
      adjudicate(after, packed, joinPacked(profile, packed));
      settleAll(after);
      if (after.status !== PLAYING) return { ...one, target: after.winner === power ? 1 : 0 };
      return { ...one, target: expectedWorth(after, power, random) };
    });
  });
};

/**
 * Plays a game and returns the order sets to learn from. Must be exported, because workers call it by name.
 * @param index number of the game
 */
export const playLessons = ({ spec, index }: { spec: LearnSpec; index: number }): Lessons => {
  const random = new Random(hashSeed(spec.seed, index, 0x6c65), index);
  const players = PLAYERS.map((name) => parseAgent(name));
  const game = newGame(standard, DATC_3_2);
  const agents = standard.powerNames.map(() => players[random.below(players.length)]);
  const last = spec.until - random.below(Math.max(1, spec.until - FIRST_LAST + 1));
  const lessons: Seen[][] = [];
  while (game.status === PLAYING && game.year <= last) {
    const units = new Int32Array(standard.powerCount);
    game.countUnits(units);
    const alive = standard.powerNames.flatMap((_, q) => (units[q] >= LEAST_UNITS ? [q] : []));
    if (game.phase === MOVEMENT && random.below(2) === 0)
      lessons.push(...measure(game, alive[random.below(alive.length)], random));
    const orders: number[] = [];
    for (let q: Power = 0; q < standard.powerCount; q++) {
      if (!hasOrders(game, q)) continue;
      const agent = random.below(STRANGE) === 0 ? players[1] : agents[q];
      // These agents answer synchronously.
      const question = { game, power: q, random, budget: UNBOUNDED, past: NO_PAST };
      const [answer] = agent.answer([question]) as readonly Answer[];
      orders.push(...answer.orders);
    }
    adjudicate(game, Int32Array.from(orders));
  }
  return lessons;
};

/**
 * Returns the x with `matrix` x = `right` for a symmetric positive definite matrix, by Cholesky decomposition.
 * Overwrites the matrix.
 */
const solve = (matrix: Float64Array, right: Float64Array): Float64Array => {
  const n = right.length;
  const x = right.slice();
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * n + j];
      for (let k = 0; k < j; k++) sum -= matrix[i * n + k] * matrix[j * n + k];
      matrix[i * n + j] = i === j ? Math.sqrt(sum) : sum / matrix[j * n + j];
    }
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i] -= matrix[i * n + k] * x[k];
    x[i] /= matrix[i * n + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= matrix[k * n + i] * x[k];
    x[i] /= matrix[i * n + i];
  }
  return x;
};

const mean = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0) / values.length;

/** Returns the change of the expectation in a centre, in centres, that fits the order sets best, indexed by pattern. */
export const fitTable = (lessons: Lessons): Float64Array => {
  const matrix = new Float64Array(PATTERNS * PATTERNS);
  const right = new Float64Array(PATTERNS);
  for (let i = 0; i < PATTERNS; i++) matrix[i * PATTERNS + i] = RIDGE;
  /** Adds a weighted equation to the least squares. @param row coefficients, keyed by pattern */
  const add = (row: ReadonlyMap<number, number>, target: number, weight: number): void => {
    for (const [i, x] of row) {
      right[i] += weight * x * target;
      for (const [j, y] of row) matrix[i * PATTERNS + j] += weight * x * y;
    }
  };
  for (const seen of lessons) {
    const middle = new Map<number, number>();
    const gain = mean(seen.map(({ target, value }) => target - value));
    for (const { patterns, slope, target, value } of seen) {
      const row = new Map<number, number>();
      for (const pattern of patterns) row.set(pattern, (row.get(pattern) ?? 0) + slope);
      for (const [pattern, x] of row) middle.set(pattern, (middle.get(pattern) ?? 0) + x / seen.length);
      add(row, target - value, 1 + WHOLE_SHARE);
    }
    add(middle, gain, -seen.length);
  }
  const table = solve(matrix, right);
  // A best response here does not lower the value of the others, so the table would favour every power. Its mean is
  // subtracted.
  const sums = lessons.flat().map(({ patterns }) => patterns.reduce((sum, i) => sum + table[i], 0) / patterns.length);
  const level = Math.round(100 * mean(sums)) / 100;
  return table.map((x, i) => (i === NO_PATTERN ? 0 : x - level));
};

const correlation = (pairs: readonly (readonly [number, number])[]): number => {
  const sum = (of: (a: number, b: number) => number): number => pairs.reduce((all, [a, b]) => all + of(a, b), 0);
  return sum((a, b) => a * b) / Math.sqrt(sum((a) => a * a) * sum((_, b) => b * b));
};

/**
 * Returns the correlation between a value of order sets and their target, after subtracting the means of each group
 * from both.
 * @param worthOf returns the value of an order set
 */
const agreement = (lessons: Lessons, worthOf: (seen: Seen) => number): number =>
  correlation(
    lessons.flatMap((seen) => {
      const value = mean(seen.map(worthOf));
      const target = mean(seen.map((one) => one.target));
      return seen.map((one) => [worthOf(one) - value, one.target - target] as const);
    }),
  );

/** Result of learnNextTurn(). */
export interface Learned extends LearnSpec {
  /** Number of order sets used for the fit. */
  readonly learned: number;
  /** Number of order sets used for the test. */
  readonly tried: number;
  /** Correlation of the static evaluation with the target in the test, within positions, without the table. */
  readonly before: number;
  /** Correlation of the static evaluation with the target in the test, within positions, with the table. */
  readonly after: number;
  /**
   * Learned change of a power's expectation in one centre during the next turn, in centres, indexed by the pattern of
   * that centre (patternOf()).
   */
  readonly table: readonly number[];
}

/**
 * Learns the table of selfplay/evaluation/next-turn.ts. The result is the same for any number of workers.
 * @param workers number of worker threads
 * @param onGame called after each game with the number of finished games
 * @throws RangeError if the games have no position to learn from
 */
export const learnNextTurn = async (
  spec: LearnSpec,
  workers: number,
  onGame?: (played: number) => void,
): Promise<Learned> => {
  const games = await playEach<Lessons>(import.meta.url, 'playLessons', spec, workers, onGame);
  const learned = games.filter((_, i) => i % FOLDS !== 0).flat();
  const tried = games.filter((_, i) => i % FOLDS === 0).flat();
  if (learned.flat().length === 0)
    throw new RangeError(`got ${spec.games} games to ${spec.until} without a position to learn from, wanted more`);
  const table = fitTable(learned);
  return {
    ...spec,
    learned: learned.flat().length,
    tried: tried.flat().length,
    before: agreement(tried, ({ value }) => value),
    after: agreement(tried, ({ patterns, slope, value }) =>
      patterns.reduce((sum, pattern) => sum + slope * table[pattern], value),
    ),
    table: [...table],
  };
};

/** Formats the table in hundredths of a centre, as in the source file of the table. */
const rowsOf = (table: readonly number[]): string => {
  const lines: string[] = [];
  for (let i = 1; i < table.length; i += PATTERNS_IN_ROW)
    lines.push(
      `  ${table
        .slice(i, i + PATTERNS_IN_ROW)
        .map((x) => `${Math.round(100 * x) + 0},`)
        .join(' ')}`,
    );
  return lines.join('\n');
};

const options = {
  games: { ...wholeIn(1, 1_000_000), default: 300, help: 'number of games' },
  until: { ...wholeIn(1901, 9999), default: 1910, help: 'latest year in which a game ends' },
  ...seedOption,
  ...workersOption,
  ...quietOption,
} as const;

const about = `
Learns how a power's expected number of centres changes during the next turn,
and prints the table of selfplay/evaluation/next-turn.ts. 300 games take some
minutes.
`;

const main = async ({ games, until, seed, workers, quiet }: ValuesOf<typeof options>): Promise<void> => {
  const { table, ...result } = await withCount({ total: games, unit: 'games', quiet }, (onGame) =>
    learnNextTurn({ games, until, seed }, workers, onGame),
  );
  console.log(`${rowsOf(table)}\n${JSON.stringify(result)}`);
};

await runMain(import.meta.url, (args) => runProgram(args, { about, options }, main));
