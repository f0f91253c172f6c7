// Measures how well the opponent model of `search` predicts orders: in recorded games of other bots, and in games that
// own agents play first.
//
//   node dist/bench/strength/calibration.js --files GAMES.jsonl.gz --agents reply,greedy [OPTIONS]
//
// In every movement phase the model gives each opponent order sets with probabilities. As in a search, it has learned
// from the earlier phases of the game. The probability of an order is the sum over the sets that contain it. The mean
// log is natural; it uses 0.98 of that probability and spreads 0.02 over the unit's legal orders, so that no order is
// impossible.
//
// A file contains one game per line, as JSON in gzip:
//   {"id", "map", "rules", "seats": {POWER: NAME}, "phases": [{"phase", "units", "centers", "orders": {POWER: [text]}}]}
// The model plays the seats named "search": it neither predicts them nor learns from them. In games of own agents it
// takes the view of one seat, a different one in each game.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { percent, plusMinus } from '../../bindings/reports/figures.js';
import { makeTable, numbers, renderText, type Table, words } from '../../bindings/reports/table.js';
import { jsonOption, quietOption } from '../../bindings/terminal/options.js';
import { print } from '../../bindings/terminal/output.js';
import { DATC_3_2, Game, legalByPower, orderLocation, type Power, standard } from '../../engine/internal.js';
import { loadMap } from '../../engine/map/index.js';
import { type ByPower, orders, parsePosition } from '../../engine/notation/json/position.js';
import { ruleSetByName } from '../../engine/notation/text/index.js';
import { loadAgent } from '../../selfplay/agents/registry.js';
import { workersOption } from '../../selfplay/crew/pool.js';
import { gameSeed, loadState, recordState } from '../../selfplay/games/game-record.js';
import { playGame } from '../../selfplay/games/play.js';
import { seedOption, type ValuesOf, wholeIn } from '../../selfplay/question/option.js';
import { expectOrders } from '../../selfplay/search/list-candidates.js';
import { ordersSeen } from '../../selfplay/search/opponent-model.js';
import type { NamedOpponent } from '../../selfplay/search/opponent-parameters.js';
import type { SeenPhase } from '../../selfplay/search/options.js';
import { FULL } from '../../selfplay/search/player-types.js';
import { runMain } from '../run/child.js';
import { runProgram, withCount } from '../run/program.js';
import { callEach } from './play-each.js';

/** A recorded game in a file. */
export interface RecordedGame {
  readonly id: string;
  readonly map: string;
  readonly rules: string;
  /** Name of the player of each power, keyed by name of the power. */
  readonly seats: Readonly<Record<string, string>>;
  readonly phases: readonly {
    readonly phase: string;
    readonly units: ByPower;
    readonly centers: ByPower;
    readonly orders: Readonly<Record<string, readonly string[]>>;
  }[];
}

/** Movement phases of a game, as a search sees them that plays the powers `own`. */
export interface SeenGame {
  /** A game on the same map and with the same rules, whose position is overwritten. */
  readonly game: Game;
  /** Powers that the model neither predicts nor learns from. */
  readonly own: readonly Power[];
  readonly phases: readonly SeenPhase[];
}

/** Name of the player whose powers the model does not predict. */
const WATCHER = 'search';
const TENTHS = 10;
/** Part of the probability that is spread evenly over all legal orders of a unit. */
const FLAT = 0.02;

/** Counts over the orders of one or more games. */
export interface Calibration {
  /** Number of predicted orders. */
  orders: number;
  /** Sum of the natural logarithms of the probabilities that the model gave the orders that were played. */
  log: number;
  /** Number of predicted order sets: one for each opponent in each movement phase. */
  sets: number;
  /** Number of these order sets in which the most likely set was played exactly. */
  top: number;
  /**
   * Number of possible orders, indexed by the tenth of the probability that the model gave them: index 0 for 0 to 0.1.
   */
  readonly given: number[];
  /** Sum of the probabilities of the orders that `given` counts, indexed like `given`. */
  readonly expected: number[];
  /** Number of the orders that `given` counts and that were played, indexed like `given`. */
  readonly played: number[];
}

const zeros = (): number[] => new Array<number>(TENTHS).fill(0);
const noCounts = (): Calibration => ({
  ...{ orders: 0, log: 0, sets: 0, top: 0 },
  ...{ given: zeros(), expected: zeros(), played: zeros() },
});

/** Reads a file of recorded games: JSON lines in gzip. @throws Error if the file cannot be read, unpacked or parsed */
export const readGames = (file: string): RecordedGame[] =>
  gunzipSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedGame);

/**
 * Returns the name of the player that the model predicts in a game. A game has only one besides the recording player.
 */
const playerOf = ({ seats }: RecordedGame): string => Object.values(seats).find((name) => name !== WATCHER) ?? WATCHER;

/**
 * Returns the movement phases of a recorded game.
 * @throws LepantoError for an unknown map or rules, or an invalid position
 */
export const seenGame = ({ map: mapName, rules: ruleName, seats, phases }: RecordedGame): SeenGame => {
  const map = loadMap(mapName);
  const rules = ruleSetByName(ruleName);
  const seen = phases
    .filter(({ phase }) => phase.endsWith('M'))
    .map(({ phase, units, centers, orders: given }): SeenPhase => {
      const { game } = parsePosition({ phase, units, centers }, map, rules.adjudication);
      return { phase, state: recordState(game), orders: orders(game, given, [], rules.reading) };
    });
  const own = map.powerNames.flatMap((name, q) => (seats[name] === WATCHER ? [q] : []));
  return { game: new Game(map, rules.adjudication), own, phases: seen };
};

/**
 * Plays a game in which one agent plays all powers. In the result, the power number `index` modulo the number of powers
 * is the one whose view the model takes: it predicts the others.
 * @param agent agent text
 * @param index index of the game, from 0
 * @param until last year
 * @param seed seed from which the seeds of all games derive
 */
export const playSeen = async (agent: string, index: number, until: number, seed: number): Promise<SeenGame> => {
  const player = await loadAgent(agent);
  const agents = standard.powerNames.map(() => player);
  const { phases } = await playGame({ agents, until, seed: gameSeed(seed, index), index });
  return {
    game: new Game(standard, DATC_3_2),
    own: [index % standard.powerCount],
    phases: phases.filter(({ phase }) => phase.endsWith('M')),
  };
};

const countPhase = (
  counts: Calibration,
  { game, own, phases }: SeenGame,
  i: number,
  seed: number,
  model?: NamedOpponent,
): void => {
  loadState(game, phases[i].state);
  const options = { powers: own, past: { phases: phases.slice(0, i) }, seed, model };
  const { expected } = expectOrders(game, options, FULL);
  for (const [q, seen] of ordersSeen(game, phases[i]).entries()) {
    const { sets, prior } = expected[q];
    if (own.includes(q) || seen.length === 0 || sets.length === 0) continue;
    const legal = legalByPower(game, q).sort((a, b) => orderLocation(a[0]) - orderLocation(b[0]));
    const most = prior.indexOf(prior.reduce((max, x) => Math.max(max, x), 0));
    counts.sets++;
    if (sets[most].join() === seen.join()) counts.top++;
    for (const [unit, order] of seen.entries()) {
      const shares = new Map<number, number>();
      for (const [c, set] of sets.entries()) shares.set(set[unit], (shares.get(set[unit]) ?? 0) + prior[c]);
      counts.orders++;
      counts.log += Math.log((1 - FLAT) * (shares.get(order) ?? 0) + FLAT / Math.max(1, legal[unit].length));
      for (const [one, share] of shares) {
        const tenth = Math.min(TENTHS - 1, Math.floor(share * TENTHS));
        counts.given[tenth]++;
        counts.expected[tenth] += share;
        if (one === order) counts.played[tenth]++;
      }
    }
  }
};

/**
 * Counts how well the opponent model of a search with a large budget predicts a game.
 * @param seed seed of the model's draws
 * @param model model fitted to a named opponent; default: the model for bots of all kinds
 */
export const calibrate = (seen: SeenGame, seed: number, model?: NamedOpponent): Calibration => {
  const counts = noCounts();
  for (const i of seen.phases.keys()) countPhase(counts, seen, i, seed, model);
  return counts;
};

/** One game to measure: either recorded, or to be played by an agent. */
interface Job {
  readonly family: string;
  readonly seed: number;
  readonly recorded?: RecordedGame;
  readonly play?: { readonly index: number; readonly until: number };
}

/** Measures one game. Must be exported, because workers call it by name. */
export const measureGame = async ({ family, seed, recorded, play }: Job): Promise<Calibration> =>
  calibrate(
    recorded === undefined ? await playSeen(family, play?.index ?? 0, play?.until ?? 0, seed) : seenGame(recorded),
    seed,
  );

/**
 * Counts over the games of one player. `mean`: mean of the natural logarithm of an order's probability. `error`:
 * standard error of the mean over games; null for fewer than two games.
 */
export interface Family extends Calibration {
  readonly family: string;
  readonly games: number;
  readonly mean: number;
  readonly error: number | null;
}

export const summarize = (family: string, games: readonly Calibration[]): Family => {
  const all = noCounts();
  for (const one of games) {
    for (const name of ['orders', 'log', 'sets', 'top'] as const) all[name] += one[name];
    for (const name of ['given', 'expected', 'played'] as const)
      for (const [tenth, x] of one[name].entries()) all[name][tenth] += x;
  }
  const mean = all.log / all.orders;
  // Standard error of a ratio, because games have different numbers of orders.
  const squares = games.reduce((sum, { log, orders: n }) => sum + (log - mean * n) ** 2, 0);
  const { length } = games;
  const error = length < 2 ? null : Math.sqrt((squares * length) / (length - 1)) / all.orders;
  return { family, games: length, mean, error, ...all };
};

export const tables = (families: readonly Family[]): Table[] => {
  const summary = makeTable(families, [
    words('family', ({ family }) => family),
    numbers('games', ({ games }) => games),
    numbers('orders', ({ orders: n }) => n),
    numbers('mean log', ({ mean, error }) => plusMinus(mean, error)),
    numbers('top set played', ({ top, sets }) => percent(top, sets)),
    numbers('of sets', ({ sets }) => sets),
  ]);
  const calibration = makeTable(
    Array.from({ length: TENTHS }, (_, tenth) => tenth),
    [
      words('given', (tenth: number) => `${tenth / TENTHS} to ${(tenth + 1) / TENTHS}`),
      ...families.map(({ family, played, given }) =>
        numbers(family, (tenth: number) => `${percent(played[tenth], given[tenth])} of ${given[tenth]}`),
      ),
    ],
    'Orders that were played, by the probability that they were given',
  );
  return [summary, calibration];
};

/**
 * Parts of a file of games. 'all': all games. 'held': every third game, for tests of a fit. 'fit': all others, for the
 * fit.
 */
const parts = ['all', 'fit', 'held'] as const;
/** Option --part of scripts that read files of games. */
export const partOption = {
  part: {
    words: parts,
    default: 'all',
    help: 'games of each file: all, fit for all but each third one, held for each third one',
  },
} as const;
const COUNT = wholeIn(0, 1_000_000);
const options = {
  files: { takes: 'LIST', default: '', help: 'files of recorded games, separated by commas' },
  agents: { takes: 'LIST', default: 'reply,greedy,dumbbot,guard', help: 'agents that play games; empty for none' },
  games: { ...COUNT, default: 3, help: 'games of each agent' },
  most: { ...COUNT, default: 1_000_000, help: 'maximum number of games of each file' },
  until: { ...COUNT, default: 1908, help: 'last year of the games of agents' },
  ...partOption,
  ...seedOption,
  ...workersOption,
  ...jsonOption,
  ...quietOption,
} as const;

const about = `
Measures how well the opponent model of search predicts the orders of recorded
games (--files) and of games that own agents play (--agents).
`;

const THIRD = 3;
/** True if a game is in a part of its file. @param index index of the game in the file, from 0 */
export const isIn = (part: (typeof parts)[number], index: number): boolean =>
  part === 'all' || (index % THIRD === THIRD - 1) === (part === 'held');

/** Splits a text at commas. Empty items are dropped. */
export const listOf = (text: string): string[] => text.split(',').filter((item) => item !== '');

const main = async ({
  files,
  agents,
  games,
  most,
  until,
  part,
  seed,
  workers,
  quiet,
  json,
}: ValuesOf<typeof options>): Promise<void> => {
  const jobs: Job[] = listOf(files).flatMap((file) =>
    readGames(file)
      .filter((_, index) => isIn(part, index))
      .slice(0, most)
      .map((recorded) => ({ family: playerOf(recorded), seed, recorded })),
  );
  for (const family of listOf(agents))
    for (let index = 0; index < games; index++) jobs.push({ family, seed, play: { index, until } });
  const counted = await withCount({ total: jobs.length, unit: 'games', quiet }, (onDone) =>
    callEach<Job, Calibration>(
      import.meta.url,
      'measureGame',
      jobs,
      workers,
      ({ recorded, family }) => recorded?.id ?? family,
      onDone,
    ),
  );
  const names = [...new Set(jobs.map(({ family }) => family))];
  const families = names.map((name) =>
    summarize(
      name,
      counted.filter((_, i) => jobs[i].family === name),
    ),
  );
  print(
    json,
    () => ({ part, seed, until, families }),
    () => renderText(tables(families)),
  );
};

await runMain(import.meta.url, (args) => runProgram(args, { about, options }, main));
