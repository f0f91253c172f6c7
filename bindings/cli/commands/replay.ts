// Runs `lepanto replay`: prints recorded games, or adjudicates them again.

import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { COMPLETED, type Game, SPRING, statuses, WINTER } from '../../../engine/internal.js';
import { formatPosition } from '../../../engine/notation/json/position.js';
import { DEFAULT_RULES, type RuleSet } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { workersOption } from '../../../selfplay/crew/pool.js';
import type { GameRecord, PhaseRecord } from '../../../selfplay/games/game-record.js';
import { type Message, mayRead } from '../../../selfplay/question/message.js';
import type { ValuesOf } from '../../../selfplay/question/option.js';
import type { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { GAMES_PER_SHARD } from '../../../selfplay/records/run-spec.js';
import { escapeXml } from '../../draw/escape-xml.js';
import { playedOrders } from '../../draw/game-phases.js';
import { outcomeText } from '../../draw/titles.js';
import { isArena } from '../../formats/games/arena-runs.js';
import {
  type CheckedGame,
  checkedGames,
  checkedOf,
  formatLeftOut,
  formatMisfit,
  misfitOf,
} from '../../formats/games/checked-games.js';
import { positions, type RecordedOrder, recordedOrders } from '../../formats/games/phases.js';
import type { PlayedGame } from '../../formats/games/played-games.js';
import { GAME_LIMITS } from '../../formats/games/read.js';
import {
  agentsIn,
  type FoundRecord,
  recordsOf,
  replayed,
  type Source,
  verified,
} from '../../formats/games/recorded-run.js';
import { forShards, SHARD_TASKS, verifyShards } from '../../formats/games/shard-tasks.js';
import { shortAgent } from '../../reports/arena-report.js';
import { counted } from '../../reports/figures.js';
import { makeTable, numbers, renderText, words } from '../../reports/table.js';
import { readMap, readRules } from '../../terminal/map-and-rules.js';
import {
  arenaOption,
  gameOption,
  optionText,
  quietOption,
  readArguments,
  recordOptions,
} from '../../terminal/options.js';
import { printable, say, writeText } from '../../terminal/output.js';
import { withProgress } from '../../terminal/progress.js';
import {
  FaultReporter,
  findForeignGame,
  findGame,
  foreignGames,
  isForeign,
  noGame,
  openAllRecords,
} from '../../terminal/records.js';
import { checkFile, HTML_ENDINGS, onePath, sizeOfGames, UsageError } from '../../terminal/usage.js';
import { writePage } from '../../web/document.js';
import { replayPage, titleOfGame } from '../../web/replay-page.js';

export const options = {
  game: {
    ...gameOption,
    help: 'number of a game in its run or file, from 0 (default: the first; with --json all)',
  },
  phase: { takes: 'PHASE', help: 'a single phase: S1904M; COMPLETED for the end' },
  verify: {
    help: `adjudicate the game of --game, or all, again; list differences by phase and unit, damaged files and missing games
      (exit code 1)`,
  },
  partial: { help: 'exit code 0 even if games of a run are missing' },
  ...arenaOption,
  ...recordOptions,
  rules: {
    takes: 'RULES',
    help: `rules (see lepanto rules); only options of adjudication have an effect, and of reading orders for games of other
      programs (default: those of the run; datc-3.2 for games of other programs)`,
  },
  workers: {
    ...workersOption.workers,
    help: `${workersOption.workers.help}, of --verify`,
  },
  power: { takes: 'NAME', help: 'power whose messages are shown (default: all messages)' },
  html: {
    takes: 'FILE',
    help: `output as a page that plays the game, in a single file; FILE#S1904M opens it at a phase`,
  },
  play: {
    takes: 'ADDRESS',
    help: `playground that positions of the --html page link to: its address, or the one that lepanto play prints; may be
      relative to the page`,
  },
  json: {
    help: `one JSON object a line: games, with positions as lepanto adjudicate reads them, orders and results; with --verify
      the differences`,
  },
  ...quietOption,
} as const;

export const help = `
usage: lepanto replay FILE|DIR [OPTIONS]

Prints a recorded game, phase by phase: messages, every order with its result,
and the centres of each year.

FILE   a games-*.lep of lepanto, or games of other programs: saved games of the
       package diplomacy or of dipcc (JSON, or JSON lines with one game a line),
       a history.json of webDiplomacy
DIR    a directory of games-*.lep, or of lepanto arena --out, in which games
       have their numbers in the arena

${optionText(options)}

Games of other programs are always adjudicated again. --verify lists games whose
positions or results differ, with the rules that fit them (exit code 1), and
games with orders that do not count, which is not a difference.
${GAME_LIMITS}
`;

/** Returns the number of games in a source according to its manifest; for files without one, an upper bound. */
const totalOf = ({ manifest, files, path }: Source): number =>
  manifest !== null && path !== files[0]
    ? Math.max(1, manifest.games)
    : files.length * (manifest?.shardGames ?? GAMES_PER_SHARD);

const outcome = (game: Game): string =>
  game.winner >= 0 ? `solo of ${game.map.powerNames[game.winner]}` : (statuses[game.status] ?? '?');

/**
 * Returns the lines of a message: 'FRANCE to ENGLAND, ITALY, round 1', its text, and its content as JSON if it has one.
 * A bar before each line of the text keeps it from imitating other output.
 */
const printMessage = ({ sender, recipients, round, text, content }: Message): string[] => [
  `  ${sender} to ${recipients.join(', ')}${round > 0 ? `, round ${round}` : ''}`,
  ...text.split('\n').map((line) => `    | ${line}`),
  ...(content === undefined ? [] : [`    ${JSON.stringify(content)}`]),
];

const printPhase = (game: Game, phase: PhaseRecord): string => {
  const reasons = new Map(playedOrders(game, phase).map(({ power, order, reason }) => [`${power} ${order}`, reason]));
  const lines = recordedOrders(game, phase);
  const width = Math.max(...lines.map(({ order }) => order.length));
  const powers = [...new Set(lines.map(({ power }) => power))];
  const told = ({ power, order, result, fate }: RecordedOrder): string => {
    const reason = result === 'illegal' ? null : (reasons.get(`${power} ${order}`) ?? null);
    return `    ${order.padEnd(width)}  ${outcomeText({ result, reason, fate })}`;
  };
  const block = (power: string): string[] => [`  ${power}`, ...lines.filter((line) => line.power === power).map(told)];
  const messages = printable((phase.messages ?? []).flatMap(printMessage).join('\n'));
  return [phase.phase, ...(messages === '' ? [] : [messages]), ...powers.flatMap(block), ''].join('\n');
};

/**
 * Returns the year after whose fall turn the owners of centres were last counted: '1901'. 'start' before the first
 * fall; null for a position in a fall.
 */
const ownersSince = (game: Game): string | null => {
  if (game.season === WINTER) return String(game.year);
  if (game.season !== SPRING) return null;
  return game.year === game.map.startYear ? 'start' : String(game.year - 1);
};

/** Formats a table with the number of centres of each power (columns) after each year (rows). */
const centersText = (source: Source, record: GameRecord): string => {
  const { map } = source;
  const rows = new Map<string, Int32Array>();
  for (const [game] of positions(source.map, source.rules.adjudication, record)) {
    const since = ownersSince(game);
    if (since === null) continue;
    const counts = new Int32Array(map.powerCount);
    game.countCenters(counts);
    rows.set(since, counts);
  }
  const columns = map.powerNames.map((name, q) => numbers<[string, Int32Array]>(name, ([, counts]) => counts[q]));
  return renderText([makeTable([...rows], [words('centres', ([since]) => since), ...columns])]);
};

/** Formats the title of a game: 'game 3, seed 7, map standard, random plays all powers'. */
const titleOf = (source: Source, record: GameRecord): string => {
  const agents = agentsIn(source, record);
  const who = new Set(agents).size === 1 ? `, ${shortAgent(agents[0])} plays all powers` : '';
  return `game ${record.index}, seed ${record.seed}, map ${source.map.name}${who}`;
};

/** Formats a line with the agent of each power, and a blank line. '' if all agents are the same. */
const seatsOf = (source: Source, record: GameRecord): string => {
  const { map } = source;
  const agents = agentsIn(source, record);
  if (new Set(agents).size < 2) return '';
  const width = Math.max(...map.powerNames.map((name) => name.length));
  return `${agents.map((agent, q) => `${map.powerNames[q].padEnd(width)}  ${printable(shortAgent(agent))}\n`).join('')}\n`;
};

const printGame = (source: Source, record: GameRecord, title: string, only?: string): void => {
  process.stdout.write(`${printable(title)}\n\n${seatsOf(source, record)}`);
  for (const [game, phase] of positions(source.map, source.rules.adjudication, record)) {
    if (only !== undefined && phase.phase !== only) continue;
    if (phase.phase !== COMPLETED || phase.messages !== undefined) process.stdout.write(`${printPhase(game, phase)}\n`);
    if (phase.phase === COMPLETED) process.stdout.write(`${centersText(source, record)}\n${outcome(game)}\n`);
  }
};

const gameJson = (source: Source, record: GameRecord): string => {
  const phases: unknown[] = [];
  for (const [game, phase] of positions(source.map, source.rules.adjudication, record))
    phases.push({
      ...formatPosition(game),
      ...(phase.messages !== undefined && { messages: phase.messages }),
      orders: recordedOrders(game, phase),
    });
  const { index, seed, scores } = record;
  return JSON.stringify({ index, seed, map: source.map.name, rules: source.rules.name, phases, scores });
};

type Chosen = ValuesOf<typeof options>;

/** Prints the result of a verification. @returns the exit code: 1 for a difference, a missing game or no game */
const reportVerified = (games: number, phases: number, faults: FaultReporter, { json, partial }: Chosen): number => {
  const isRight = faults.wrong === 0 && games > 0 && (partial || faults.count === 0);
  if (json) process.stdout.write(`${JSON.stringify({ games, phases, difference: faults.first })}\n`);
  else if (isRight) process.stdout.write(`${counted(games, 'game')}, ${counted(phases, 'phase')}: no difference\n`);
  faults.end();
  return isRight ? 0 : 1;
};

/** Replays all games of some records on threads, compares them, and prints differences. @returns the exit code */
const verifyAll = async (sources: readonly Source[], chosen: Chosen): Promise<number> => {
  const { json, quiet, workers } = chosen;
  let [games, phases] = [0, 0];
  const faults = new FaultReporter(json);
  const total = sources.reduce((sum, source) => sum + totalOf(source), 0);
  const call = { module: SHARD_TASKS, run: verifyShards };
  await withProgress({ total, unit: 'games', quiet, read: () => ({ done: games, note: '' }) }, async () => {
    for await (const { found } of forShards(sources, call, { workers, reportFault: faults.report })) {
      games += found.games;
      phases += found.phases;
      await setImmediate();
    }
  });
  return reportVerified(games, phases, faults, chosen);
};

/** Replays one game, compares it with its record, and prints a difference. @returns the exit code */
const verifyOne = (source: Source, game: GameCursor, chosen: Chosen): number => {
  const faults = new FaultReporter(chosen.json);
  try {
    verified(source, game);
  } catch (problem) {
    faults.report((problem as Error).message, false);
  }
  return reportVerified(1, game.phases - 1, faults, chosen);
};

/**
 * Yields the result of checking the game of another program with an index, from 0. Yields no result if the game does
 * not exist.
 */
function* checkOne(path: string, rules: RuleSet, index: number): Generator<CheckedGame> {
  for (const played of foreignGames(path, rules, index)) yield checkedOf(played, rules);
}

/**
 * Checks games of other programs, and prints their differences.
 * @param index index of one game; -1 for all
 * @returns the exit code
 * @throws LepantoError if the file does not have the game, or has no game
 */
const verifyForeign = async (path: string, index: number, rules: RuleSet, chosen: Chosen): Promise<number> => {
  const { json, quiet } = chosen;
  const total = sizeOfGames(path);
  const tally = { games: 0, phases: 0, failed: 0, differing: 0, uncounting: 0, bytes: 0 };
  let first: string | null = null;
  const add = ({ where, bytes, phases, misfit, error }: CheckedGame): void => {
    tally.bytes = bytes;
    if (phases !== null) {
      tally.games++;
      tally.phases += phases;
      if (misfit === null) return;
    }
    const isDifferent = misfit === null || misfit.disagreements.length > 0;
    if (misfit === null) tally.failed++;
    else if (isDifferent) tally.differing++;
    if (misfit !== null && misfit.uncounted.length > 0) tally.uncounting++;
    const difference = misfit === null ? `${where}: ${error}` : formatMisfit(misfit);
    if (isDifferent) first ??= difference;
    if (json) process.stdout.write(`${JSON.stringify(misfit ?? { where, error })}\n`);
    else say(difference);
  };
  const read = () => ({ done: Math.min(total, tally.bytes), note: counted(tally.games, 'game') });
  const { workers } = chosen;
  await withProgress({ total, unit: 'bytes', quiet, read }, async () => {
    for await (const game of index < 0 ? checkedGames(path, rules, { workers }) : checkOne(path, rules, index)) {
      add(game);
      await setImmediate();
    }
  });
  const { games, phases, failed, differing, uncounting } = tally;
  if (games + failed === 0) throw noGame(path, index);
  const unread = failed > 0 ? `, ${failed} not readable` : '';
  const notCounted = uncounting > 0 ? `, ${uncounting} with orders that do not count` : '';
  if (json) process.stdout.write(`${JSON.stringify({ games, phases, difference: first })}\n`);
  else if (first === null)
    process.stdout.write(`${counted(games, 'game')}, ${counted(phases, 'phase')}: no difference${notCounted}\n`);
  else say(`${counted(games, 'game')}, ${differing} that differ${notCounted}${unread}`);
  return first === null ? 0 : 1;
};

/**
 * Returns a game with only the messages that a power may read.
 * @param name name of the power; undefined for all messages
 * @throws UsageError if the map does not have the power
 */
const readableBy = ({ map }: Source, record: GameRecord, name: string | undefined): GameRecord => {
  if (name === undefined) return record;
  const power = map.powerNames.find((one) => one === name.toUpperCase());
  if (power === undefined) throw new UsageError(`--power: got "${name}", wanted one of ${map.powerNames.join(', ')}`);
  const phases = record.phases.map(({ messages = [], ...phase }): PhaseRecord => {
    const read = messages.filter((message) => mayRead(message, power));
    return { ...phase, ...(read.length > 0 && { messages: read }) };
  });
  return { ...record, phases };
};

/**
 * Returns the HTML of a link to play on from a position, which the page of a game adds to the address.
 * @param address address of a page to play on
 * @throws UsageError for an invalid address
 */
const playLink = (address: string): string => {
  const here = 'http://localhost/';
  // The address is parsed as in browsers, which drop line breaks and spaces.
  if (address === '' || !URL.canParse(address, here) || !/^https?:$/.test(new URL(address, here).protocol))
    throw new UsageError(`--play: got "${address}", wanted an address of http or https, or one relative to the page`);
  return `<nav aria-label="Pages"><a id="go-on" href="${escapeXml(address)}">Play on from here</a></nav>`;
};

/**
 * Prints a game as text or JSON, or writes its page for --html.
 * @param title first line of the printed game
 * @throws UsageError if the game does not have the phase of --phase, or its map the power of --power
 */
const show = (source: Source, whole: GameRecord, title: string, { json, html, play, power, phase }: Chosen): void => {
  const record = readableBy(source, whole, power);
  if (phase !== undefined && !record.phases.some((one) => one.phase === phase))
    throw new UsageError(`--phase: got "${phase}", wanted one of ${record.phases.map((one) => one.phase).join(', ')}`);
  if (html !== undefined) {
    const navigation = play === undefined ? '' : playLink(play);
    const notes = { title: titleOfGame(source, record), agents: agentsIn(source, record), navigation };
    const size = writePage(html, replayPage(source, record, notes));
    process.stdout.write(`${printable(title)}: ${html} (${Math.round(size / 1000)} kB)\n`);
  } else if (json) process.stdout.write(`${gameJson(source, record)}\n`);
  else printGame(source, record, title, phase);
};

type Replayable = ReturnType<typeof findForeignGame>;

/** Shows a replayed game of another program, and prints its differences on standard error. */
const showForeign = (path: string, played: Replayable, rules: RuleSet, how: Chosen): void => {
  const { where, raw, map, replayed } = played;
  const { record, unfinished, leftOut } = replayed;
  const source: Source = { path, files: [path], manifest: null, map, rules };
  const name = raw === null || raw.id === '' ? '' : ` (${raw.id})`;
  show(source, record, `game ${record.index}${name}, map ${map.name}`, how);
  const misfit = misfitOf(played, rules);
  if (misfit !== null) say(formatMisfit(misfit));
  if (leftOut.length > 0) say(formatLeftOut(where, leftOut));
  if (unfinished) say(`${where}: the game has no end, and is shown as a draw`);
};

/**
 * Prints games as lines of JSON, and reports games that cannot be played.
 * @param print prints a game; errors that it throws are reported
 * @returns the exit code: 1 if a game could not be played or is missing
 */
const printEach = async <T extends Pick<PlayedGame, 'where' | 'error' | 'missing'>>(
  games: Iterable<T>,
  print: (game: T) => void,
): Promise<number> => {
  const faults = new FaultReporter();
  for (const game of games) {
    try {
      if (game.error === null) print(game);
      else faults.report(`${game.where}: ${game.error}`, game.missing);
    } catch (wrong) {
      faults.report((wrong as Error).message, false);
    }
    await drained();
  }
  faults.end();
  return faults.count === 0 ? 0 : 1;
};

const printForeign = (path: string, rules: RuleSet, how: Chosen): Promise<number> =>
  printEach(foreignGames(path, rules, -1), ({ replayed, ...played }) => {
    if (replayed !== null) showForeign(path, { ...played, replayed }, rules, how);
  });

function* gamesOf(sources: readonly Source[]): Generator<FoundRecord & { readonly source: Source }> {
  for (const source of sources) for (const found of recordsOf(source)) yield { ...found, source };
}

const printRuns = (sources: readonly Source[], power: string | undefined): Promise<number> =>
  printEach(gamesOf(sources), ({ source, game, where }) => {
    if (game === null) return;
    const record = readableBy(source, checkedGame(source, game, where), power);
    process.stdout.write(`${gameJson(source, record)}\n`);
  });

/** Resolves once standard output accepts more. */
const drained = (): Promise<unknown> => writeText(process.stdout, '');

/** Replays a game and returns it with all its positions. @throws LepantoError that begins with `where` if that fails */
const checkedGame = (source: Source, game: GameCursor, where: string): GameRecord => {
  try {
    return replayed(source, game).record(game);
  } catch (error) {
    throw new LepantoError('record', `${where}, ${(error as Error).message}`);
  }
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  const path = onePath('replay', positionals, 'one file or directory');
  if (values.html !== undefined) {
    if (values.json || values.verify)
      throw new UsageError('--html: got it with --json or --verify, wanted one of them');
    checkFile('--html', values.html, HTML_ENDINGS);
  }
  if (values.phase !== undefined && (values.json || values.verify || values.html !== undefined))
    throw new UsageError('--phase: got it with --json, --html or --verify, wanted it without them');
  if (values.play !== undefined) {
    if (values.html === undefined) throw new UsageError('--play: got it without --html, wanted both');
    playLink(values.play);
  }
  const { game: index = -1 } = values;
  if (isForeign(path)) {
    // Games of other programs name their maps. The value of --map is only checked.
    if (values.map !== undefined) readMap({ map: values.map });
    const by = readRules(values.rules ?? DEFAULT_RULES.name);
    if (values.verify) return verifyForeign(path, index, by, values);
    if (values.json && index < 0) return printForeign(path, by, values);
    showForeign(path, findForeignGame(path, by, index), by, values);
    return 0;
  }
  const sources = openAllRecords(path, values);
  if (!values.verify && values.rules !== undefined && sources[0].manifest !== null)
    throw new UsageError(
      `--rules: got "${values.rules}" without --verify, wanted both: a run is printed as it was played`,
    );
  if (index < 0 && values.verify) return verifyAll(sources, values);
  if (index < 0 && values.json) return printRuns(sources, values.power);
  const [source] = sources;
  const name = isArena(path) ? `arena ${basename(source.path)}, ` : '';
  const stored = findGame(source, source.path, index);
  if (values.verify) return verifyOne(source, stored, values);
  const record = checkedGame(source, stored, source.path);
  show(source, record, name + titleOf(source, record), values);
  return 0;
};
