// lepanto convert: recorded games from one format to another.
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type CompiledMap, loadMap, presetNames, type Rules } from '../../engine/internal.js';
import { decodeGame, encodeShard, type StoredGame } from '../../selfplay/records/record.js';
import { MANIFEST, readManifest, rulesOfRun } from '../../selfplay/records/run.js';
import { fillStates } from '../../selfplay/records/verify.js';
import { PART, WholeFile } from '../../selfplay/records/whole-file.js';
import { writeOut } from '../cli/output.js';
import { startProgress } from '../cli/progress.js';
import { checkFile, oneOf, orUsage, statOf, UsageError } from '../cli/usage.js';
import { checkRecord } from '../games/check-record.js';
import type { RawGame } from '../games/raw.js';
import { readGames, shardsOf } from '../games/read.js';
import { agrees, type Disagreement, type Replayed, replayRaw } from '../games/replay-raw.js';
import { gamesOfShard } from '../games/shard-file.js';
import { type Dialect, dialects, savedGame } from '../games/write-saved.js';
import { DEFAULT_RULES, type RuleSet, ruleSetByName } from '../text/index.js';

export const help = `
usage: lepanto convert IN [OUT] [OPTIONS]

Reads recorded games, plays them again, and writes them in another format. Without OUT it only says what it found.

IN    saved games of the package diplomacy or of dipcc (JSON, or JSON lines with one game a line), a history.json of
      webDiplomacy, or records of lepanto (a games-*.lep or a directory of them)
OUT   a file, by its ending .json (one game), .jsonl or .lep; - writes JSON lines to standard output

  --to FORMAT      diplomacy or dipcc, where OUT is JSON (diplomacy)
  --map NAME       map of records without their manifest.json (standard)
  --rules RULES    rules to play by (those of the manifest.json; datc-3.2 for games of others); see lepanto rules:
                   its options of adjudication count, and for games of others those of reading orders
  --json           one JSON object a game on standard error that says what disagrees
  --quiet          no progress

Whatever follows from the orders is computed again. Where a recorded position or the recorded result of an order is not
what our rules make of the orders, that is said with phase and unit, and whether other rules fit the game; then play goes
on from the recorded position. Exit code 1 if any game could not be read, or disagreed.
`;

interface Output {
  readonly write: (map: CompiledMap, replayed: Replayed) => void;
  /** Puts the file in its place; without it nothing is left behind. */
  readonly finish: (ok: boolean) => void;
}

/** The part has the number of the process in its name: two may write the same file, and the last one to end has it. */
const openFile = (path: string): WholeFile => {
  checkFile('OUT', path);
  return new WholeFile(path, `${path}.${process.pid}${PART}`);
};

const finishFile = (file: WholeFile, ok: boolean): void => {
  if (ok) file.finish();
  else file.abandon();
};

/** The header of a shard and its games, one by one: a file of ours may hold more games than memory. */
const recordsOutput = (path: string): Output => {
  const file = openFile(path);
  const header = encodeShard([]);
  file.write(header);
  return {
    write: (_, { record }) => file.write(encodeShard([record]).subarray(header.length)),
    finish: (ok) => finishFile(file, ok),
  };
};

const jsonOutput = (path: string, rules: Rules, dialect: Dialect): Output => {
  const file = path === '-' ? null : openFile(path);
  let games = 0;
  return {
    write: (map, { id, record }) => {
      games++;
      if (games > 1 && path.endsWith('.json'))
        throw new UsageError(`${path}: got more than one game, wanted .jsonl for them`);
      const saved = savedGame(map, rules, record, { id: id === '' ? `lepanto-${record.index}` : id, dialect });
      const line = `${JSON.stringify(saved)}\n`;
      if (file === null) writeOut(line);
      else file.write(line);
    },
    finish: (ok) => {
      if (file !== null) finishFile(file, ok);
    },
  };
};

const openOutput = (path: string | undefined, rules: Rules, dialect: Dialect): Output => {
  if (path === undefined) return { write: () => {}, finish: () => {} };
  if (path.endsWith('.lep')) return recordsOutput(path);
  if (path === '-' || path.endsWith('.json') || path.endsWith('.jsonl')) return jsonOutput(path, rules, dialect);
  throw new UsageError(`OUT: got ${path}, wanted an ending .json, .jsonl or .lep, or -`);
};

interface Item {
  readonly where: string;
  readonly bytes: number;
  readonly raw: RawGame | null;
  readonly record: StoredGame | null;
  readonly error: string | null;
}

/** A game of a shard that cannot be read is passed over; where its end is not known, the rest of the shard is. */
function* records(shard: string, before: number): Generator<Item> {
  const item = { where: shard, bytes: before, raw: null, record: null, error: null };
  const failed = (problem: unknown): Item => ({ ...item, error: (problem as Error).message.replace(`${shard} `, '') });
  const games = gamesOfShard(shard);
  for (;;) {
    try {
      const { value: game, done } = games.next();
      if (done === true) return;
      item.bytes = before + game.end;
      yield { ...item, record: decodeGame(game.bytes, game.where) };
    } catch (problem) {
      yield failed(problem);
    }
  }
}

function* items(path: string): Generator<Item> {
  const shards = shardsOf(path);
  let bytes = 0;
  for (const shard of shards) {
    yield* records(shard, bytes);
    bytes += statSync(shard).size;
  }
  if (shards.length > 0) return;
  for (const { where, game, error, bytes: read } of readGames(path))
    yield { where, bytes: read, raw: game, record: null, error };
}

/** A game of a file, played by our rules (records of lepanto are taken as they are); or why it could not be. */
export interface Played {
  /** 'line 3', 'file', or the path of a shard */
  readonly where: string;
  /** Bytes of the file, or of the shards, that are read by now. */
  readonly bytes: number;
  /** Null for a record of lepanto, or where nothing could be read. */
  readonly raw: RawGame | null;
  readonly replayed: Replayed | null;
  /** Of the game; of records of lepanto the one that was given for them. */
  readonly map: CompiledMap;
  /** Null if `replayed` is there. */
  readonly error: string | null;
}

const playItem = (
  { where, bytes, raw, record, error }: Item,
  usual: CompiledMap,
  rules: RuleSet,
  index: number,
): Played => {
  const found = { where, bytes, raw, map: usual, replayed: null, error: null };
  try {
    if (record !== null) {
      const whole = fillStates(usual, rules.adjudication, record, `game ${record.index}`);
      // Positions that had to be made are checked by that.
      if (whole === record) checkRecord(usual, rules.adjudication, whole);
      return { ...found, replayed: { id: '', record: whole, disagreements: [], unfinished: false } };
    }
    if (raw === null) return { ...found, error: error ?? 'got no game' };
    const map = loadMap(raw.map);
    return { ...found, map, replayed: replayRaw(map, rules, raw, index) };
  } catch (problem) {
    return { ...found, error: (problem as Error).message };
  }
};

/**
 * All games under a path, one at a time, numbered from 0; one that cannot be read or played takes no number.
 * @param map of records of lepanto
 */
export function* playedGames(path: string, map: CompiledMap, rules: RuleSet): Generator<Played> {
  let index = 0;
  for (const item of items(path)) {
    const played = playItem(item, map, rules, index);
    if (played.replayed !== null) index++;
    yield played;
  }
}

/**
 * How the package `diplomacy` plays: an army without its convoy goes by land where it can, and civil disorder removes what
 * is farthest from home.
 */
export const PACKAGE_RULES = 'datc-3.2,convoyFallback=unordered,disorderGoal=home,disorderMeasure=d';

/** Presets, and rules of engines that record games, by which a game plays without a disagreement. */
const fittingRules = (raw: RawGame, tried: RuleSet): string[] => {
  const map = loadMap(raw.map);
  return [...presetNames, PACKAGE_RULES].filter((name) => name !== tried.name && agrees(map, ruleSetByName(name), raw));
};

/** What disagrees in a game, and the rules that would fit it. */
export interface Misfit {
  readonly where: string;
  readonly id: string;
  readonly disagreements: readonly Disagreement[];
  readonly fits: readonly string[];
}

/** Null if the game agrees, or was not played. */
export const misfitOf = ({ where, raw, replayed }: Played, rules: RuleSet): Misfit | null => {
  if (raw === null || replayed === null || replayed.disagreements.length === 0) return null;
  return { where, id: raw.id, disagreements: replayed.disagreements, fits: fittingRules(raw, rules) };
};

/** Two rules are divided by ' or ': the options of one have commas between them. */
const listRules = (names: readonly string[]): string => names.join(' or ');

/** 'line 3: F1902M A PAR: unit: recorded FRANCE, here none, and 2 more; it fits the rules 1971 or dptg' */
export const formatMisfit = ({ where, disagreements, fits }: Misfit): string => {
  const [first] = disagreements;
  const more = disagreements.length > 1 ? `, and ${disagreements.length - 1} more` : '';
  const preset = fits.length > 0 ? `; it fits the rules ${listRules(fits)}` : '';
  return `${where}: ${first.phase}${first.unit === '' ? '' : ` ${first.unit}`}: ${first.what}${more}${preset}`;
};

/** What records of lepanto were played on and by; games of others are played by `rules`. */
interface Setup {
  readonly map: CompiledMap;
  readonly rules: RuleSet;
}

/** As the command line says, else as the manifest of a run does, else the usual. */
const setupOf = (path: string, map: string | undefined, rules: string | undefined): Setup => {
  const directory = statSync(path).isDirectory() ? path : dirname(path);
  const isRun = shardsOf(path).length > 0 && existsSync(join(directory, MANIFEST));
  const manifest = isRun ? readManifest(directory) : null;
  const name = rules ?? (manifest === null ? DEFAULT_RULES.name : rulesOfRun(manifest).name);
  return { map: loadMap(map ?? manifest?.map.name ?? 'standard'), rules: ruleSetByName(name) };
};

interface Tally {
  games: number;
  failed: number;
  disagreeing: number;
  unfinished: number;
  bytes: number;
}

const convert = async (path: string, output: Output, by: Setup, json: boolean, tally: Tally): Promise<void> => {
  const { rules } = by;
  for (const played of playedGames(path, by.map, rules)) {
    const { where, bytes, raw, map, replayed, error } = played;
    tally.bytes = bytes;
    await setImmediate();
    if (replayed === null) {
      tally.failed++;
      process.stderr.write(`${where}: ${error ?? 'got no game'}\n`);
      continue;
    }
    tally.games++;
    if (raw !== null && replayed.unfinished) tally.unfinished++;
    const misfit = misfitOf(played, rules);
    if (misfit !== null) {
      tally.disagreeing++;
      process.stderr.write(`${json ? JSON.stringify(misfit) : formatMisfit(misfit)}\n`);
    }
    output.write(map, replayed);
  }
};

/** Bytes of all files under a path, at least 1. @throws Error if there is none */
export const sizeOf = (path: string): number => {
  const found = statOf(path);
  if (found === undefined) throw new Error(`cannot read ${path}: there is no such file or directory`);
  const shards = shardsOf(path);
  if (found.size === 0) throw new Error(`${path}: got an empty file, wanted recorded games`);
  if (found.isDirectory() && shards.length === 0) throw new Error(`${path}: got no games-*.lep, wanted at least one`);
  return Math.max(1, shards.length > 0 ? shards.reduce((sum, shard) => sum + statSync(shard).size, 0) : found.size);
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      to: { type: 'string', default: 'diplomacy' },
      map: { type: 'string' },
      rules: { type: 'string' },
      json: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
    },
  });
  const [path, out] = positionals;
  if (path === undefined || positionals.length > 2)
    throw new UsageError(`convert: got ${positionals.length} paths, wanted IN and perhaps OUT`);
  const dialect = oneOf('to', values.to, dialects);
  orUsage('map', () => loadMap(values.map ?? 'standard'));
  orUsage('rules', () => ruleSetByName(values.rules ?? DEFAULT_RULES.name));
  const tally: Tally = { games: 0, failed: 0, disagreeing: 0, unfinished: 0, bytes: 0 };
  const total = sizeOf(path);
  const by = setupOf(path, values.map, values.rules);
  const output = openOutput(out, by.rules.adjudication, dialect);
  const stop = startProgress({
    total,
    unit: 'bytes',
    quiet: values.quiet || out === '-',
    read: () => ({ done: Math.min(total, tally.bytes), note: `${tally.games} games` }),
  });
  let ok = false;
  try {
    await convert(path, output, by, values.json, tally);
    ok = tally.games > 0;
  } finally {
    stop();
    output.finish(ok);
  }
  const { games, failed, disagreeing, unfinished } = tally;
  if (!values.quiet)
    process.stderr.write(
      `${games} games${failed > 0 ? `, ${failed} not readable` : ''}${disagreeing > 0 ? `, ${disagreeing} that disagree` : ''}${unfinished > 0 ? `, ${unfinished} without an end (written as draws)` : ''}\n`,
    );
  return failed > 0 || disagreeing > 0 || games === 0 ? 1 : 0;
};
