// Fits the opponent model of `search` to recorded games of a named opponent, for `search:model=FILE`.
//
//   node dist/bench/strength/fit-opponent.js --files GAMES.jsonl.gz --out FILE [OPTIONS]
//   lepanto replay RUN --json > GAMES.jsonl
//   node dist/bench/strength/fit-opponent.js --files GAMES.jsonl --opponent NAME --out FILE
//
// A file has one game per line, with or without gzip, in the format of calibration.ts or of `lepanto replay --json`.
// The latter does not contain the players, so the opponent is assumed to have all seats. Every third game is held out:
// it is not used for the fit, and shows how well the default model and the fitted model predict it.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { renderText } from '../../bindings/reports/table.js';
import { jsonOption, quietOption } from '../../bindings/terminal/options.js';
import { print } from '../../bindings/terminal/output.js';
import { startProgress } from '../../bindings/terminal/progress.js';
import { checkFile, UsageError } from '../../bindings/terminal/usage.js';
import { makePool, workersOption } from '../../selfplay/crew/pool.js';
import { seedOption, type ValuesOf, wholeIn } from '../../selfplay/question/option.js';
import { writeWhole } from '../../selfplay/records/whole-file.js';
import { formatOpponent, parseOpponent } from '../../selfplay/search/opponent-file.js';
import { watchTurns } from '../../selfplay/search/opponent-model.js';
import type { NamedOpponent, OpponentParameters } from '../../selfplay/search/opponent-parameters.js';
import { FULL } from '../../selfplay/search/player-types.js';
import { runMain } from '../run/child.js';
import { runProgram } from '../run/program.js';
import {
  type Calibration,
  calibrate,
  isIn,
  listOf,
  type RecordedGame,
  type SeenGame,
  seenGame,
  summarize,
  tables,
} from './calibration.js';
import { fitParameters, likelihoodOf, type WatchedGame } from './fit-parameters.js';

/**
 * A game in the output of `lepanto replay --json`. A phase has one list with the orders of all powers, and the game
 * does not name its players.
 */
interface ReplayedGame extends Omit<RecordedGame, 'id' | 'seats' | 'phases'> {
  readonly index: number;
  readonly seats?: undefined;
  readonly phases: readonly (Omit<RecordedGame['phases'][number], 'orders'> & {
    readonly orders?: readonly { readonly power: string; readonly order: string }[];
  })[];
}

const fromReplay = ({ index, map, rules, phases }: ReplayedGame): RecordedGame => ({
  ...{ id: String(index), map, rules, seats: {} },
  phases: phases.map(({ orders = [], ...phase }) => {
    const byPower: Record<string, string[]> = {};
    for (const { power, order } of orders) {
      byPower[power] ??= [];
      byPower[power].push(order);
    }
    return { ...phase, orders: byPower };
  }),
});

const GZIP = [0x1f, 0x8b];

/** Reads the games of a file of JSON lines, with or without gzip. @throws UsageError for a line that is not a game */
const readGames = (file: string): RecordedGame[] => {
  const bytes = readFileSync(file);
  const lines = (GZIP.every((byte, i) => bytes[i] === byte) ? gunzipSync(bytes) : bytes).toString('utf8').split('\n');
  return lines.flatMap((line, i): RecordedGame[] => {
    if (line === '') return [];
    const wrong = (): never => {
      throw new UsageError(
        `--files: ${file}, line ${i + 1}: got no game, wanted JSON as lepanto replay --json writes it`,
      );
    };
    let game: RecordedGame | ReplayedGame | null = null;
    try {
      game = JSON.parse(line);
    } catch {
      wrong();
    }
    if (!Array.isArray(game?.phases) || typeof game.map !== 'string') return wrong();
    return [game.seats === undefined ? fromReplay(game as ReplayedGame) : (game as RecordedGame)];
  });
};

/** Name of the player that recorded the games. Powers with this player are never fitted. */
const WATCHER = 'search';

/**
 * Returns the name of the opponent to fit: the requested one, or the only one in the games besides WATCHER.
 * @param asked requested name; '' for none
 * @throws UsageError if there are several names, or not the requested one
 */
const opponentOf = (games: readonly RecordedGame[], asked: string): string => {
  const names = [...new Set(games.flatMap(({ seats }) => Object.values(seats)))].filter((name) => name !== WATCHER);
  const isUnseated = games.some(({ seats }) => Object.keys(seats).length === 0);
  if (asked === '' && names.length === 1) return names[0];
  if (asked !== '' && (isUnseated || names.includes(asked))) return asked;
  throw new UsageError(
    `--opponent: got "${asked}", wanted ${names.length === 0 ? 'the name of the opponent' : `one of ${names.join(', ')}`}`,
  );
};

/**
 * Returns the movement phases of a game. Powers that the opponent does not play are listed in `own`, so that they are
 * neither predicted nor learned from.
 */
const seenOf = (recorded: RecordedGame, opponent: string): SeenGame => {
  const seen = seenGame(recorded);
  const { powerNames } = seen.game.map;
  const isUnseated = Object.keys(recorded.seats).length === 0;
  return {
    ...seen,
    own: powerNames.flatMap((name, q) => (isUnseated || recorded.seats[name] === opponent ? [] : [q])),
  };
};

/** A recorded game, and name of the opponent to fit. */
interface WatchJob {
  readonly recorded: RecordedGame;
  readonly opponent: string;
}

/** Reads the movement phases of one game for the fit. Must be exported, because workers call it by name. */
export const watchGame = ({ recorded, opponent }: WatchJob): WatchedGame => {
  const { game, own, phases } = seenOf(recorded, opponent);
  const powers = game.map.powerCount;
  const others = Array.from({ length: powers }, (_, q) => q).filter((q) => !own.includes(q));
  return { powers, others, turns: watchTurns(game, { phases }, FULL) };
};

/** Fits the parameters of the opponent model to games. Must be exported, because workers call it by name. */
export const fitGames = (games: readonly WatchedGame[]): OpponentParameters => fitParameters(games);

/** A game that is not used for the fit, and the fitted model to compare with the default model. */
interface CompareJob extends WatchJob {
  readonly seed: number;
  readonly model: NamedOpponent;
}

/**
 * Counts how well the default model and then a fitted model predict one game. Must be exported, because workers call it
 * by name.
 */
export const compareModels = ({ recorded, opponent, seed, model }: CompareJob): [Calibration, Calibration] => {
  const seen = seenOf(recorded, opponent);
  return [calibrate(seen, seed), calibrate(seen, seed, model)];
};

const options = {
  files: { takes: 'LIST', help: 'files of recorded games, separated by commas' },
  opponent: {
    takes: 'NAME',
    default: '',
    help: 'opponent to fit: a name in the seats of the games; required if there are several, or none',
  },
  out: { takes: 'FILE', help: 'file for the fitted model' },
  most: { ...wholeIn(1, 1_000_000), default: 1_000_000, help: 'maximum number of games of each file' },
  ...seedOption,
  ...workersOption,
  ...jsonOption,
  ...quietOption,
} as const;

const about = `
Fits the opponent model of search to recorded games of a named opponent. Agents
read the file: search:model=FILE. Of every three games the third is held out
and shows what the default model and the fitted one predict. --files and --out
are required.
`;

const main = async (values: ValuesOf<typeof options>): Promise<void> => {
  const { files, out, most, seed, workers, quiet, json } = values;
  if (files === undefined) throw new UsageError('--files: got none, wanted files of recorded games');
  if (out === undefined) throw new UsageError('--out: got none, wanted a file');
  checkFile('--out', out);
  const games = listOf(files).flatMap((file) => readGames(file).slice(0, most));
  const opponent = opponentOf(games, values.opponent);
  const own = games.filter(({ seats }) => Object.keys(seats).length === 0 || Object.values(seats).includes(opponent));
  const maps = [...new Set(own.map(({ map }) => map))];
  if (maps.length !== 1) throw new UsageError(`--files: got games of ${maps.length} maps, wanted one`);
  const fit = own.filter((_, index) => isIn('fit', index));
  const held = own.filter((_, index) => isIn('held', index));
  const pool = makePool({ workers });
  let done = 0;
  let note = 'reading';
  const stop = startProgress({ total: own.length, unit: 'games', quiet, read: () => ({ done, note }) });
  const callEach = <T>(name: string, jobs: readonly WatchJob[]): Promise<T[]> =>
    Promise.all(
      jobs.map(async (data): Promise<T> => {
        const result: T = await pool.call({ module: import.meta.url, name, data }, { label: data.recorded.id });
        done++;
        return result;
      }),
    );
  try {
    const watched = await callEach<WatchedGame>(
      'watchGame',
      fit.map((recorded) => ({ recorded, opponent })),
    );
    note = 'fitting';
    // The fit runs in a worker, so that this thread can draw the progress.
    const call = { module: import.meta.url, name: 'fitGames', data: watched };
    const parameters: OpponentParameters = await pool.call(call, { label: 'fit' });
    const { orders } = likelihoodOf(watched, parameters);
    const text = formatOpponent({ ...parameters, opponent, map: maps[0] }, { games: fit.length, orders });
    writeWhole(out, text);
    note = 'comparing';
    const model = parseOpponent(text, out);
    const compared = await callEach<[Calibration, Calibration]>(
      'compareModels',
      held.map((recorded): CompareJob => ({ recorded, opponent, seed, model })),
    );
    stop();
    const families = ['default', 'fitted'].map((name, i) =>
      summarize(
        name,
        compared.map((pair) => pair[i]),
      ),
    );
    print(
      json,
      () => ({ opponent, map: maps[0], out, fitted: { games: fit.length, orders }, held: held.length, seed, families }),
      () =>
        `${opponent}: ${out}, fitted to ${orders} orders of ${fit.length} games\n\n${
          held.length === 0 ? 'too few games to hold one out\n' : renderText(tables(families))
        }`,
    );
  } finally {
    stop();
    await pool.close();
  }
};

await runMain(import.meta.url, (args) => runProgram(args, { about, options }, main));
