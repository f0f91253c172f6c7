// Runs `lepanto find`: finds games by their orders and results, and counts openings.

import { readFileSync } from 'node:fs';
import { type ScoreName, scoreNames } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { workersOption } from '../../../selfplay/crew/pool.js';
import { nameOfKey } from '../../../selfplay/games/phase-key.js';
import { wholeIn } from '../../../selfplay/question/option.js';
import { statOf } from '../../../selfplay/records/whole-file.js';
import { DamagedIndex } from '../../find/columns.js';
import type { OpenIndex } from '../../find/index-file.js';
import { currentIndex, type Making } from '../../find/make-index.js';
import { OpeningCounter } from '../../find/openings.js';
import { openingsTable } from '../../find/openings-table.js';
import {
  type Condition,
  type OpeningsWanted,
  parseQuery,
  positionIn,
  QUERY_HELP,
  type Query,
} from '../../find/query.js';
import { hitsIn } from '../../find/search.js';
import type { PowerOpenings } from '../../find/search-results.js';
import { isArena, runsOfArena } from '../../formats/games/arena-runs.js';
import { describeLack, type Source } from '../../formats/games/recorded-run.js';
import { shortAgent } from '../../reports/arena-report.js';
import { counted, percent } from '../../reports/figures.js';
import { makeTable, renderText, words } from '../../reports/table.js';
import { formatCommand } from '../../terminal/interrupt.js';
import { jsonOption, optionText, quietOption, readArguments } from '../../terminal/options.js';
import { print, sayBeside } from '../../terminal/output.js';
import { withProgress } from '../../terminal/progress.js';
import { FaultReporter, findGame, openRecords } from '../../terminal/records.js';
import { checkInput, sizeOfGames, UsageError } from '../../terminal/usage.js';

export const options = {
  limit: {
    ...wholeIn(0, 1_000_000),
    help: 'number of listed games (default: 20), or of openings after each order set (default: 5)',
  },
  scoring: { words: scoreNames, default: scoreNames[0], help: 'score of openings' },
  partial: { help: 'exit code 0 even if games are missing or do not match their orders' },
  ...workersOption,
  ...jsonOption,
  ...quietOption,
} as const;

export const help = `
usage: lepanto find RUN... QUERY [OPTIONS]

Finds recorded games by orders and results. Prints their number, and for each
game the first matching phase, the agents, and the command that shows it.

RUN    a directory of games-*.lep, one such file, or the directory of an arena,
       for all of its runs
QUERY  ${QUERY_HELP.replaceAll('\n', '\n       ')}

${optionText(options)}

The first search of a run writes an index next to its records, find.index (or
FILE.index), about as large as they are. Later searches add new games, and
rebuild an index that is damaged or of another version. Games that do not match
their orders are listed and not found (exit code 1).
`;

/** Returns the paths of the runs in the directory of an arena. Any other path is returned alone. */
const runsUnder = (path: string): string[] => (isArena(path) ? runsOfArena(path, undefined) : [path]);

/** A run with a query that was parsed for the run's map. */
interface Asked {
  readonly path: string;
  readonly source: Source;
  readonly query: Query;
}

const open = (path: string): Source => openRecords(path, undefined, undefined);

/**
 * Parses a query as parseQuery() does.
 * @throws UsageError for an invalid query, because it is an argument of the command; LepantoError if a file that the
 *   query names cannot be read
 */
const readQuery = (...given: Parameters<typeof parseQuery>): Query => {
  try {
    return parseQuery(...given);
  } catch (error) {
    if (error instanceof LepantoError && error.code !== 'file') throw new UsageError(error.message);
    throw error;
  }
};

/**
 * Opens a run and parses the query for it.
 * @param isOnly true if it is the only run, so that a position need not name its run
 * @throws UsageError for an invalid query, LepantoError if a file cannot be read
 */
const openQuery = (path: string, text: string, isOnly: boolean): Asked => {
  const source = open(path);
  const query = readQuery(text, {
    ...source,
    positionOf: (run, game, phase) => {
      if (run === null && !isOnly)
        throw new LepantoError(
          'argument',
          `got game ${game} of several runs, wanted "position of game ${game} of RUN in ..."`,
        );
      const from = run === null ? source : open(run);
      if (from.map.id !== source.map.id)
        throw new LepantoError('argument', `got a position on map ${from.map.name}, wanted ${source.map.name}`);
      return positionIn(from, findGame(from, run ?? path, game), phase);
    },
    readNamed: (file) => {
      checkInput(file);
      return readFileSync(file, 'utf8');
    },
  });
  return { path, source, query };
};

/** A found game, as it is printed. */
interface FoundGame {
  readonly run: string;
  readonly game: number;
  readonly phase: string | null;
  /** Names of the agents, keyed by power name; null if the records do not have them. */
  readonly agents: Readonly<Record<string, string>> | null;
  /** Command line that prints the game: 'npx lepanto replay ...'. */
  readonly replay: string;
}

interface FoundGames {
  /** Number of games that were searched. */
  readonly games: number;
  /** Number of games that satisfy the query. */
  readonly found: number;
  /** The found games that are printed: the first ones. */
  readonly hits: readonly FoundGame[];
}

type Opened = Asked & { readonly index: OpenIndex };

const findGames = (opened: readonly (Opened & { readonly condition: Condition })[], most: number): FoundGames => {
  const hits: FoundGame[] = [];
  let [games, found] = [0, 0];
  for (const { path, source, condition, index } of opened) {
    const { manifest, map } = source;
    for (const shard of index.shards) {
      const of = hitsIn(condition, shard);
      games += of.games;
      found += of.hits.length;
      for (const { game, phase, agents } of of.hits.slice(0, Math.max(0, most - hits.length)))
        hits.push({
          ...{ run: path, game, phase: phase === null ? null : nameOfKey(phase) },
          agents:
            manifest && Object.fromEntries(map.powerNames.map((name, q) => [name, manifest.agents[agents[q]] ?? ''])),
          replay: formatCommand(['replay', path, '--game', String(game)]),
        });
    }
  }
  return { games, found, hits };
};

const countOpenings = (
  opened: readonly Opened[],
  wanted: OpeningsWanted,
  scoring: ScoreName,
  most: number,
): PowerOpenings[] => {
  const [{ source }] = opened;
  const other = opened.find((one) => one.source.map.id !== source.map.id);
  if (other !== undefined)
    throw new LepantoError(
      'argument',
      `openings: got runs on the maps ${source.map.name} and ${other.source.map.name}, wanted one map`,
    );
  const counter = new OpeningCounter(source.map, wanted, scoring);
  for (const { source, index, query } of opened)
    for (const shard of index.shards) counter.add(shard, source.manifest?.agents ?? [], query.condition);
  return counter.trees(most);
};

/** Describes the players of a game: 'search plays AUSTRIA, policy the others'. '' if the agents are unknown. */
const whoPlays = (agents: FoundGame['agents']): string => {
  if (agents === null) return '';
  const seats = new Map<string, string[]>();
  for (const [power, agent] of Object.entries(agents)) seats.set(agent, [...(seats.get(agent) ?? []), power]);
  const [[first, all], ...rest] = [...seats].sort(([, a], [, b]) => b.length - a.length);
  const others = rest.map(([agent, powers]) => `${shortAgent(agent)} plays ${powers.join(' ')}`);
  return [
    ...others,
    `${shortAgent(first)} ${rest.length > 0 ? (all.length > 1 ? 'the others' : `plays ${all[0]}`) : 'plays all powers'}`,
  ].join(', ');
};

const gamesText = ({ games, found, hits }: FoundGames): string => {
  const head = `${found} of ${counted(games, 'game')} (${percent(found, games, 2)})${hits.length < found ? `, the first ${hits.length}:` : ''}`;
  const table = makeTable(hits, [
    words('game', ({ game }) => game),
    words('phase', ({ phase }) => phase ?? '-'),
    words('players', ({ agents }) => whoPlays(agents)),
    words('replay', ({ replay }) => replay),
  ]);
  return renderText([head, ...(hits.length === 0 ? [] : [table])]);
};

/** Opens the indices of all runs, with progress. Updates old ones. @param isDamaged true to make all of them again */
const openAll = async (
  asked: readonly Asked[],
  workers: number,
  quiet: boolean,
  isDamaged: boolean,
): Promise<Opened[]> => {
  const total = asked.reduce((sum, { path }) => sum + sizeOfGames(path), 0);
  const opened: Opened[] = [];
  let done = 0;
  const making: Making = {
    workers,
    onBytes: (bytes) => {
      done += bytes;
    },
    onTrouble: sayBeside,
  };
  const read = () => ({ done: Math.min(total, done), note: 'indexed' });
  await withProgress({ total, unit: 'bytes', quiet, read }, async () => {
    for (const one of asked) opened.push({ ...one, index: await currentIndex(one.source, making, isDamaged) });
  });
  return opened;
};

const tellFaults = (opened: readonly Opened[]): FaultReporter => {
  const faults = new FaultReporter();
  for (const { source, index } of opened) {
    for (const { faults: found } of index.shards) for (const [text, missing] of found) faults.report(text, missing);
    const lack = describeLack(source);
    if (lack !== null) faults.report(`${source.path}: ${lack}`, true);
  }
  faults.end();
  return faults;
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  const text = positionals.at(-1) ?? '';
  if (positionals.length < 2)
    throw new UsageError(
      `find: got ${positionals.length === 0 ? 'nothing' : `"${text}" alone`}, wanted a run and a query`,
    );
  const { workers, limit } = values;
  const stray = positionals.slice(0, -1).find((path) => statOf(path) === undefined);
  if (stray !== undefined && positionals.length > 2)
    throw new UsageError(
      `find: got "${stray}", wanted a run that exists; put a query of several words into quotes: 'A VIE - TYR'`,
    );
  const paths = positionals.slice(0, -1).flatMap(runsUnder);
  const asked = paths.map((path) => openQuery(path, text, paths.length === 1));
  const answer = (opened: readonly Opened[]): (() => void) => {
    const [{ query }] = opened;
    if (query.openings !== null) {
      const openings = countOpenings(opened, query.openings, values.scoring, limit ?? 5);
      return () =>
        print(
          values.json,
          () => ({ scoring: values.scoring, openings }),
          () => renderText(openings.map((one) => openingsTable(one, shortAgent))),
        );
    }
    const games = findGames(
      opened.flatMap((one) => (one.query.condition === null ? [] : [{ ...one, condition: one.query.condition }])),
      limit ?? 20,
    );
    return () =>
      print(
        values.json,
        () => games,
        () => gamesText(games),
      );
  };
  for (let isDamaged = false; ; isDamaged = true) {
    const opened = await openAll(asked, workers, values.quiet, isDamaged);
    try {
      const show = answer(opened);
      const faults = tellFaults(opened);
      show();
      return faults.count === 0 || values.partial ? 0 : 1;
    } catch (error) {
      if (isDamaged || !(error instanceof DamagedIndex)) throw error;
      sayBeside(`${error.message}; it is rebuilt`);
    } finally {
      for (const { index } of opened) index.close();
    }
  }
};
