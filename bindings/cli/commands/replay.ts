// Runs `lepanto replay`: prints recorded games, or adjudicates them again.

import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { COMPLETED, type Game, loadMap, SPRING, statuses, WINTER } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import type { GameRecord, PhaseRecord } from '../../../selfplay/games/play.js';
import { GAMES_PER_SHARD } from '../../../selfplay/records/shard-size.js';
import { fillStates } from '../../../selfplay/records/verify.js';
import { defaultWorkers } from '../../../selfplay/workers/pool.js';
import { checkRecord } from '../../formats/games/check-record.js';
import { type CheckedGame, checkedGames, checkedOf } from '../../formats/games/checked-games.js';
import { positions, recordedOrders } from '../../formats/games/phases.js';
import { formatMisfit, misfitOf, type PlayedGame, playedGames } from '../../formats/games/played-games.js';
import { GAME_LIMITS } from '../../formats/games/read.js';
import { type FoundRecord, recordsOf, type Source, wholeRecord } from '../../formats/games/recorded-run.js';
import { formatPosition } from '../../notation/json/position.js';
import { openMap } from '../../notation/maps/open-map.js';
import { DEFAULT_RULES, type RuleSet, ruleSetByName } from '../../notation/text/index.js';
import { writeReplayPage } from '../../web/write-replay.js';
import { startProgress } from '../shared/progress.js';
import { FaultTeller, findGame, isForeign, openRecords } from '../shared/records.js';
import { checkFile, orUsage, parseWhole, sizeOfGames, UsageError } from '../shared/usage.js';

export const help = `
usage: lepanto replay FILE|DIR [OPTIONS]

Prints a recorded game, phase by phase: every order with its result, and the centres of each year.

FILE   a games-*.lep of lepanto, or games of others: saved games of the package diplomacy or of dipcc (JSON, or JSON
       lines with one game a line), a history.json of webDiplomacy
DIR    a directory of games-*.lep

  --game N         the game with this number in its run, or in the file, from 0 (the first that is there)
  --verify         adjudicates again, the game of --game or all, and names the phase and unit that differ, files that are
                   not as their checks say, and games of a run that are missing (exit code 1)
  --partial        exit code 0 though games of a run are missing
  --rules RULES    rules to play by (those that a run of lepanto was played by; datc-3.2 for games of others); see
                   lepanto rules: its options of adjudication count, and for games of others those of reading orders
  --map NAME       map of a games-*.lep without its manifest.json (standard)
  --workers W      threads for --verify of games of others, one a line, in a file of at least 128 MB / W (one for each
                   processor: ${defaultWorkers()} here); what is found does not depend on them
  --html FILE      a page that plays the game, in one file that needs no other: board, orders with results and reasons,
                   centres; FILE#S1904M opens it at a phase
  --json           one JSON object a line: a game, each position as lepanto adjudicate reads it, with its orders and their
                   results; or with --verify what was found
  --quiet          no progress

Games of others are always played again. With --verify each of them whose positions or results of orders differ is named,
with the rules that fit it (exit code 1); and each with recorded orders that do not count, which alone is no difference.
${GAME_LIMITS}
`;

const MAX_WORKERS = 256;

/** Games of a source, as far as its manifest or its files say. */
const totalOf = ({ manifest, files, path }: Source): number =>
  manifest !== null && path !== files[0]
    ? Math.max(1, manifest.games)
    : files.length * (manifest?.shardGames ?? GAMES_PER_SHARD);

const outcome = (game: Game): string =>
  game.winner >= 0 ? `solo of ${game.map.powerNames[game.winner]}` : (statuses[game.status] ?? '?');

const printPhase = (game: Game, phase: PhaseRecord): string => {
  const lines = recordedOrders(game, phase);
  const width = Math.max(...lines.map(({ order }) => order.length));
  const powers = [...new Set(lines.map(({ power }) => power))];
  const block = (power: string): string[] => [
    `  ${power}`,
    ...lines
      .filter((line) => line.power === power)
      .map((line) => `    ${line.order.padEnd(width)}  ${line.result}${line.fate === null ? '' : `, ${line.fate}`}`),
  ];
  return [phase.phase, ...powers.flatMap(block), ''].join('\n');
};

/** Year whose fall the owners in a position come from: 'start' before the first, null in a fall itself. */
const ownersSince = (game: Game): string | null => {
  if (game.season === WINTER) return String(game.year);
  if (game.season !== SPRING) return null;
  return game.year === game.map.startYear ? 'start' : String(game.year - 1);
};

/** Centres by year and power. */
const centersTable = (source: Source, record: GameRecord): string => {
  const { map } = source;
  const rows = new Map<string, string>();
  const counts = new Int32Array(map.powerCount);
  for (const [game] of positions(source.map, source.rules.adjudication, record)) {
    const since = ownersSince(game);
    if (since === null) continue;
    game.countCenters(counts);
    rows.set(since, rowOf(since, counts));
  }
  return [rowOf('centres', map.powerNames), ...rows.values()].join('\n');
};

const rowOf = (name: string, cells: Iterable<string | number>): string =>
  name.padEnd(10) + Array.from(cells, (cell) => String(cell).padStart(9)).join('');

/** 'game 3, seed 7, map standard, random plays all powers' */
const titleOf = ({ manifest, map }: Source, { index, seed }: GameRecord): string => {
  const agents = manifest?.agents ?? [];
  const who = new Set(agents).size === 1 ? `, ${agents[0]} plays all powers` : '';
  return `game ${index}, seed ${seed}, map ${map.name}${who}`;
};

const printGame = (source: Source, record: GameRecord, title: string): void => {
  process.stdout.write(`${title}\n\n`);
  for (const [game, phase] of positions(source.map, source.rules.adjudication, record)) {
    if (phase.phase === COMPLETED) process.stdout.write(`${centersTable(source, record)}\n\n${outcome(game)}\n`);
    else process.stdout.write(`${printPhase(game, phase)}\n`);
  }
};

const gameJson = (source: Source, record: GameRecord): string => {
  const phases: unknown[] = [];
  for (const [game, phase] of positions(source.map, source.rules.adjudication, record))
    phases.push({ ...formatPosition(game), orders: recordedOrders(game, phase) });
  const { index, seed, scores } = record;
  return JSON.stringify({ index, seed, map: source.map.name, rules: source.rules.name, phases, scores });
};

interface Verified {
  games: number;
  phases: number;
}

/** Adjudicates games again. Between two of them the progress gets its turn. */
const verifyAll = async (
  source: Source,
  found: Iterable<FoundRecord>,
  verified: Verified,
  faults: FaultTeller,
): Promise<void> => {
  for (const { where, record, error, missing } of found) {
    if (record === null) {
      faults.tell(`${where}: ${error}`, missing);
      continue;
    }
    verified.games++;
    verified.phases += record.phases.length - 1;
    try {
      wholeRecord(source, record);
    } catch (problem) {
      faults.tell((problem as Error).message, false);
    }
    await setImmediate();
  }
};

interface Options {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly partial: boolean;
}

const verify = async (
  source: Source,
  found: Iterable<FoundRecord>,
  total: number,
  { json, quiet, partial }: Options,
): Promise<number> => {
  const verified: Verified = { games: 0, phases: 0 };
  const faults = new FaultTeller(json);
  const stop = startProgress({ total, unit: 'games', quiet, read: () => ({ done: verified.games, note: '' }) });
  try {
    await verifyAll(source, found, verified, faults);
  } finally {
    stop();
  }
  const { games, phases } = verified;
  const isRight = faults.wrong === 0 && games > 0 && (partial || faults.count === 0);
  if (json) process.stdout.write(`${JSON.stringify({ games, phases, difference: faults.first })}\n`);
  else if (isRight) process.stdout.write(`${games} games, ${phases} phases: no difference\n`);
  faults.end();
  return isRight ? 0 : 1;
};

/** @param index -1 for all games */
function* foreignGames(path: string, rules: RuleSet, index: number): Generator<PlayedGame> {
  for (const played of playedGames(path, { map: loadMap('standard'), rules })) {
    if (index >= 0 && played.replayed?.record.index !== index) continue;
    yield played;
    if (index >= 0) return;
  }
}

interface ForeignTally {
  games: number;
  phases: number;
  failed: number;
  differing: number;
  /** Games with orders that do not count. */
  uncounting: number;
  bytes: number;
  difference: string | null;
}

/** Counts a game, and says what is wrong with it, if anything. */
const tellForeign = (checked: CheckedGame, json: boolean, tally: ForeignTally): void => {
  const { where, bytes, phases, misfit, error } = checked;
  tally.bytes = bytes;
  if (phases !== null) {
    tally.games++;
    tally.phases += phases;
    if (misfit === null) return;
  }
  const isDifferent = misfit !== null && misfit.disagreements.length > 0;
  if (misfit === null) tally.failed++;
  else if (isDifferent) tally.differing++;
  if (misfit !== null && misfit.uncounted.length > 0) tally.uncounting++;
  const difference = misfit === null ? `${where}: ${error}` : formatMisfit(misfit);
  if (misfit === null || isDifferent) tally.difference ??= difference;
  if (json) process.stdout.write(`${JSON.stringify(misfit ?? { where, error })}\n`);
  else process.stderr.write(`lepanto: ${difference}\n`);
};

/** The game of an index, checked. */
function* checkOne(path: string, rules: RuleSet, index: number): Generator<CheckedGame> {
  for (const played of foreignGames(path, rules, index)) yield checkedOf(played, rules);
}

const verifyForeign = async (
  path: string,
  index: number,
  rules: RuleSet,
  workers: number,
  { json, quiet }: Options,
): Promise<number> => {
  const total = sizeOfGames(path);
  const tally: ForeignTally = {
    games: 0,
    phases: 0,
    failed: 0,
    differing: 0,
    uncounting: 0,
    bytes: 0,
    difference: null,
  };
  const read = () => ({ done: Math.min(total, tally.bytes), note: `${tally.games} games` });
  const stop = startProgress({ total, unit: 'bytes', quiet, read });
  try {
    const games = index < 0 ? checkedGames(path, rules, { workers }) : checkOne(path, rules, index);
    for await (const checked of games) {
      tellForeign(checked, json, tally);
      await setImmediate();
    }
  } finally {
    stop();
  }
  const { games, phases, failed, differing, uncounting, difference } = tally;
  if (games + failed === 0) throw new LepantoError('file', `${path}: no game ${index < 0 ? 'at all' : index}`);
  const unread = failed > 0 ? `, ${failed} not readable` : '';
  const notCounted = uncounting > 0 ? `, ${uncounting} with orders that do not count` : '';
  if (json) process.stdout.write(`${JSON.stringify({ games, phases, difference })}\n`);
  else if (difference === null) process.stdout.write(`${games} games, ${phases} phases: no difference${notCounted}\n`);
  else process.stderr.write(`lepanto: ${games} games, ${differing} that disagree${notCounted}${unread}\n`);
  return difference === null ? 0 : 1;
};

/** How a game is shown. */
interface Shown {
  readonly json: boolean;
  /** File for its page. */
  readonly html?: string | undefined;
}

/** Prints a game, or writes its page. @param title its first line where it is printed */
const show = (source: Source, record: GameRecord, title: string, { json, html }: Shown): void => {
  if (html !== undefined) {
    const size = writeReplayPage(html, source, record, source.manifest?.agents);
    process.stdout.write(`${title}: ${html} (${Math.round(size / 1000)} kB)\n`);
  } else if (json) process.stdout.write(`${gameJson(source, record)}\n`);
  else printGame(source, record, title);
};

/** Shows the game as Lepanto's rules play it, and prints differences of the record on standard error. */
const showForeign = (path: string, index: number, rules: RuleSet, how: Shown): number => {
  const [played] = foreignGames(path, rules, index);
  if (played === undefined) throw new LepantoError('file', `${path}: no game ${index < 0 ? 'at all' : index}`);
  const { where, raw, replayed, error } = played;
  if (raw === null || replayed === null) throw new LepantoError('file', `${path}, ${where}: ${error}`);
  const { record, unfinished } = replayed;
  const source: Source = { path, files: [path], manifest: null, map: loadMap(raw.map), rules };
  const name = raw.id === '' ? '' : ` (${raw.id})`;
  show(source, record, `game ${record.index}${name}, map ${source.map.name}`, how);
  const misfit = misfitOf(played, rules);
  if (misfit !== null) process.stderr.write(`lepanto: ${formatMisfit(misfit)}\n`);
  if (unfinished) process.stderr.write(`lepanto: ${where}: the game has no end, and is shown as a draw\n`);
  return 0;
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      game: { type: 'string' },
      map: { type: 'string' },
      rules: { type: 'string' },
      verify: { type: 'boolean', default: false },
      partial: { type: 'boolean', default: false },
      workers: { type: 'string' },
      html: { type: 'string' },
      json: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
    },
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1)
    throw new UsageError(`replay: got ${positionals.length} paths, wanted one file or directory`);
  if (values.html !== undefined) {
    if (values.json || values.verify)
      throw new UsageError('--html: got it beside --json or --verify, wanted one of them');
    checkFile('--html', values.html);
  }
  const index = values.game === undefined ? -1 : parseWhole('game', values.game, 0, Number.MAX_SAFE_INTEGER);
  const workers = parseWhole('workers', values.workers ?? String(defaultWorkers()), 1, MAX_WORKERS);
  if (isForeign(path)) {
    // Their games name their maps: that of a file is known from here on.
    const { map } = values;
    if (map !== undefined) orUsage('map', () => openMap(map));
    const by = orUsage('rules', () => ruleSetByName(values.rules ?? DEFAULT_RULES.name));
    return values.verify ? verifyForeign(path, index, by, workers, values) : showForeign(path, index, by, values);
  }
  const source = openRecords(path, values.map, values.rules);
  if (values.verify && index < 0) return verify(source, recordsOf(source), totalOf(source), values);
  const stored = findGame(source, path, index);
  const alone: FoundRecord = { where: path, bytes: 0, record: stored, error: null, missing: false };
  if (values.verify) return verify(source, [alone], 1, values);
  if (source.manifest !== null && values.rules !== undefined)
    throw new UsageError(`--rules: got "${source.rules.name}" without --verify; a run is printed as it was played`);
  const record = fillStates(source.map, source.rules.adjudication, stored, `${path}, game ${stored.index}`);
  checkRecord(source.map, source.rules.adjudication, record);
  show(source, record, titleOf(source, record), values);
  return 0;
};
