// Measures the choices of `search` in recorded games of other bots by hindsight: it chooses again for one power in one
// turn, against the orders that all other powers gave.
//
//   node dist/bench/strength/hindsight.js --files GAMES.jsonl.gz [OPTIONS]
//
// In each movement phase of a game the search chooses for one power with three units or more, a different one in each
// phase. It has seen the earlier phases. Its order sets are resolved with the recorded orders of the others. Searches
// with different budgets are measured in the same positions with the same seeds, and compared with the first.
//
// --known P also measures searches that expect the recorded orders of each opponent with probability P. This shows how
// much a better opponent model would gain. --json also has a line for each position, to compare the same positions in
// another build.
import { plusMinus } from '../../bindings/reports/figures.js';
import { makeTable, numbers, renderText, words } from '../../bindings/reports/table.js';
import { jsonOption, quietOption } from '../../bindings/terminal/options.js';
import { print } from '../../bindings/terminal/output.js';
import {
  adjudicate,
  FALL,
  type Game,
  hashSeed,
  MOVE,
  orderLocation,
  orderType,
  type Power,
} from '../../engine/internal.js';
import { workersOption } from '../../selfplay/crew/pool.js';
import { settleAll } from '../../selfplay/evaluation/settle-orders.js';
import { nextWeights } from '../../selfplay/evaluation/weights.js';
import { loadState } from '../../selfplay/games/game-record.js';
import { seedOption, type ValuesOf, wholeIn } from '../../selfplay/question/option.js';
import type { Candidates } from '../../selfplay/search/candidates.js';
import { Lookahead, SecondTurn } from '../../selfplay/search/lookahead.js';
import { searchExpecting } from '../../selfplay/search/monte-carlo.js';
import { ordersSeen } from '../../selfplay/search/opponent-model.js';
import { runMain } from '../run/child.js';
import { runProgram, withCount } from '../run/program.js';
import { isIn, listOf, partOption, type RecordedGame, readGames, seenGame } from './calibration.js';
import { callEach } from './play-each.js';

/** Names of the figures that rate an order set, as Figures defines them. */
const figureNames = ['value', 'later', 'centers', 'lost', 'walked'] as const;
/**
 * Rating of an order set. `value`: static evaluation of the next position, 0 to 1. `later`: value after the best
 * response in the following turn, 0 to 1. `centers`: centres gained minus centres lost. `lost`: own centres lost.
 * `walked`: own centres lost that a unit left in this turn. The last three are null in springs.
 */
type Figures = Readonly<Record<(typeof figureNames)[number], number | null>>;

const LEAST_UNITS = 3;
/** Number of samples of the others' orders in the following turn. */
const LATER = 2;

/**
 * Counts the centres that a power gains and loses in a fall. The other figures are null.
 * @param all packed orders of all powers in the fall
 * @param own packed orders of the power
 */
const countYear = (game: Game, power: Power, all: Int32Array, own: Int32Array): Figures => {
  const { map } = game;
  const after = game.clone();
  adjudicate(after, all);
  settleAll(after);
  let [gained, lost, walked] = [0, 0, 0];
  for (const [c, province] of map.centers.entries()) {
    if (after.owner(c) === game.owner(c)) continue;
    if (after.owner(c) === power) gained++;
    if (game.owner(c) !== power) continue;
    lost++;
    const order = own.find((one) => map.locationProvince[orderLocation(one)] === province);
    if (order !== undefined && orderType(order) === MOVE) walked++;
  }
  return { value: null, later: null, centers: gained - lost, lost, walked };
};

/**
 * Returns the rating of one order set of a power.
 * @param seen recorded orders of all powers, indexed by power
 * @param own packed orders of the power, which replace its recorded ones
 */
const measureSet = (game: Game, power: Power, seen: readonly Int32Array[], own: Int32Array, seed: number): Figures => {
  const look = new Lookahead(game, nextWeights);
  const second = new SecondTurn(game);
  const orders = seen.map((list, q) => (q === power ? own : list));
  const profile = orders.map((list) => (list.length === 0 ? null : look.prepare(list)));
  const value = look.worth(profile, power);
  let later = 0;
  for (let round = 0; round < LATER; round++) later += second.worth(profile, power, seed, round) / LATER;
  const none = { centers: null, lost: null, walked: null };
  const all = Int32Array.from(orders.flatMap((list) => [...list]));
  return { ...(game.season === FALL ? countYear(game, power, all, own) : none), value, later };
};

const mixed = (list: readonly (readonly [weight: number, figures: Figures])[]): Figures => {
  const mean = (name: keyof Figures): number | null => {
    if (list[0]?.[1][name] === null) return null;
    return list.reduce((sum, [weight, figures]) => sum + weight * (figures[name] ?? 0), 0);
  };
  return Object.fromEntries(figureNames.map((name) => [name, mean(name)])) as Figures;
};

/**
 * Returns a function that changes the order sets expected of each opponent: the recorded orders get probability
 * `known`, the predicted ones share the rest.
 * @param seen recorded orders of all powers, indexed by power
 * @param power power that the search plays
 */
const expectKnown =
  (seen: readonly Int32Array[], power: Power, known: number) =>
  (expected: readonly Candidates[]): readonly Candidates[] =>
    expected.map((one, q) => {
      if (q === power || seen[q].length === 0 || known === 0) return one;
      const prior = [...Array.from(one.prior, (x) => (1 - known) * x), known];
      return { power: q, sets: [...one.sets, seen[q]], prior: Float64Array.from(prior) };
    });

/**
 * A search to measure: its budget in rollouts, and the probability of the recorded orders in its opponent models
 * (`known`).
 */
interface Measured {
  readonly rollouts: number;
  readonly known: number;
}

const nameOf = ({ rollouts, known }: Measured): string =>
  known === 0 ? `${rollouts} rollouts` : `${rollouts} rollouts, known ${known}`;

interface Job {
  readonly recorded: RecordedGame;
  readonly index: number;
  readonly seed: number;
  readonly searches: readonly Measured[];
}

/**
 * Ratings in one position. figures[0] is for the recorded orders of the power, figures[1 + i] for the choice of search
 * i.
 */
interface Row {
  readonly id: string;
  readonly phase: string;
  readonly power: string;
  readonly figures: readonly Figures[];
}

/** Measures the positions of one game. Must be exported, because workers call it by name. */
export const measureGame = async ({ recorded, index, seed, searches }: Job): Promise<Row[]> => {
  const { game, phases } = seenGame(recorded);
  const rows: Row[] = [];
  for (const [i, phase] of phases.entries()) {
    loadState(game, phase.state);
    const seen = ordersSeen(game, phase);
    const count = seen.length;
    const places = Array.from({ length: count }, (_, k) => (index + 3 * i + k) % count);
    const power = places.find((q) => seen[q].length >= LEAST_UNITS);
    if (power === undefined) continue;
    const figures = [measureSet(game, power, seen, seen[power], seed)];
    for (const { rollouts, known } of searches) {
      const request = {
        rollouts,
        powers: [power],
        seed: hashSeed(seed, i, index),
        past: { phases: phases.slice(0, i) },
      };
      const { powers } = await searchExpecting(game, request, expectKnown(seen, power, known));
      const played = powers[power].ranked.filter(({ probability }) => probability > 0);
      figures.push(
        mixed(played.map(({ orders, probability }) => [probability, measureSet(game, power, seen, orders, seed)])),
      );
    }
    rows.push({ id: recorded.id, phase: phase.phase, power: game.map.powerNames[power], figures });
  }
  return rows;
};

const meanAndError = (list: readonly number[]): [number, number | null] => {
  const { length } = list;
  const mean = list.reduce((sum, x) => sum + x, 0) / length;
  const squares = list.reduce((sum, x) => sum + (x - mean) ** 2, 0);
  return [mean, length < 2 ? null : Math.sqrt(squares / (length - 1) / length)];
};

/**
 * Returns the mean of a figure over the positions that have it, and the standard error of the mean (null for one
 * position).
 * @param place index in Row.figures
 * @param name name of the figure
 * @param than index in Row.figures whose figure is subtracted; by default nothing is
 */
export const summarize = (
  rows: readonly Row[],
  place: number,
  name: keyof Figures,
  than?: number,
): [number, number | null] =>
  meanAndError(
    rows.flatMap(({ figures }) => {
      const value = figures[place][name];
      const other = than === undefined ? 0 : figures[than][name];
      return value === null || other === null ? [] : [value - other];
    }),
  );

const options = {
  files: { takes: 'LIST', default: '', help: 'files of recorded games, separated by commas' },
  most: { ...wholeIn(0, 1_000_000), default: 1_000_000, help: 'maximum number of games of each file' },
  ...partOption,
  rollouts: {
    takes: 'LIST',
    default: '2400,400,9600',
    help: 'budgets of the searches; all are compared with the first',
  },
  known: {
    takes: 'LIST',
    default: '0',
    help: 'probabilities of the recorded orders, for searches of the first budget',
  },
  ...seedOption,
  ...workersOption,
  ...jsonOption,
  ...quietOption,
} as const;

const about = `
Measures the choices of search in recorded games by what the other powers
really ordered.
`;

const main = async ({
  files,
  most,
  part,
  rollouts,
  known,
  seed,
  workers,
  quiet,
  json,
}: ValuesOf<typeof options>): Promise<void> => {
  const budgets = listOf(rollouts).map(Number);
  const searches = [
    ...budgets.map((one): Measured => ({ rollouts: one, known: 0 })),
    ...listOf(known)
      .filter((one) => Number(one) > 0)
      .map((one): Measured => ({ rollouts: budgets[0], known: Number(one) })),
  ];
  const jobs = listOf(files).flatMap((file) =>
    readGames(file)
      .filter((_, index) => isIn(part, index))
      .slice(0, most)
      .map((recorded, index): Job => ({ recorded, index, seed, searches })),
  );
  const measured = await withCount({ total: jobs.length, unit: 'games', quiet }, (onDone) =>
    callEach<Job, Row[]>(import.meta.url, 'measureGame', jobs, workers, ({ recorded }) => recorded.id, onDone),
  );
  const rows = measured.flat();
  const players = ['recorded orders', ...searches.map(nameOf)];
  const table = makeTable(
    players.map((name, place) => ({ name, place })),
    [
      words('choice', ({ name }) => name),
      ...figureNames.flatMap((name) => [
        numbers<{ place: number }>(name, ({ place }) => plusMinus(...summarize(rows, place, name))),
        numbers<{ place: number }>('less the first', ({ place }) =>
          place === 1 ? '' : plusMinus(...summarize(rows, place, name, 1)),
        ),
      ]),
    ],
  );
  print(
    json,
    () => ({ part, seed, players, rows }),
    () => renderText([table]),
  );
};

await runMain(import.meta.url, (args) => runProgram(args, { about, options }, main));
