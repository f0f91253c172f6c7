// Runs `lepanto convert`: converts recorded games from one format to another.

import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type CompiledMap, type Rules, standard } from '../../../engine/internal.js';
import { DEFAULT_RULES, type RuleSet } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { workersOption } from '../../../selfplay/crew/pool.js';
import type { GameRecord } from '../../../selfplay/games/game-record.js';
import { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { encodeShard, packGame } from '../../../selfplay/records/record.js';
import { Replay } from '../../../selfplay/records/verify.js';
import { beginFile, statOf, type WholeFile } from '../../../selfplay/records/whole-file.js';
import { lepantoVersion } from '../../../selfplay/version.js';
import { formatLeftOut, formatMisfit, misfitOf } from '../../formats/games/checked-games.js';
import { playedGames } from '../../formats/games/played-games.js';
import { GAME_LIMITS, shardsOf } from '../../formats/games/read.js';
import type { PlayedBy, Source } from '../../formats/games/recorded-run.js';
import type { Replayed } from '../../formats/games/replay-raw.js';
import { forShards } from '../../formats/games/shard-tasks.js';
import { type Dialect, dialects, savedGame, writableMessages } from '../../formats/games/write-saved.js';
import { columnsOf, GameTables } from '../../formats/tables/game-tables.js';
import { ParquetFiles } from '../../formats/tables/parquet-file.js';
import { SHARD_TABLES, tableShards } from '../../formats/tables/shard-tables.js';
import { counted } from '../../reports/figures.js';
import { INTERRUPTED, sayInterrupted } from '../../terminal/interrupt.js';
import { readMap, readRules } from '../../terminal/map-and-rules.js';
import { optionText, quietOption, readArguments, recordOptions } from '../../terminal/options.js';
import { printable, writeText } from '../../terminal/output.js';
import { interruptible } from '../../terminal/progress.js';
import { openRecords } from '../../terminal/records.js';
import { checkFile, sizeOfGames, UsageError } from '../../terminal/usage.js';

const formats = [...dialects, 'parquet'] as const;

export const options = {
  format: {
    formerly: 'to',
    words: formats,
    takes: 'FORMAT',
    default: 'diplomacy',
    help: `diplomacy or dipcc for JSON; parquet for two tables: OUT/phases.parquet (year, season, agents, centres and units of
      each power, winner, scores) and OUT/orders.parquet (power, unit, type, places, text, result, fate)`,
  },
  ...recordOptions,
  ...workersOption,
  rules: {
    takes: 'RULES',
    help: `rules (see lepanto rules); only options of adjudication have an effect, and of reading orders for games of other
      programs (default: those of manifest.json or the .lep; datc-3.2 for games of other programs)`,
  },
  partial: { help: 'exit code 0 even if games are missing or cannot be read' },
  json: { help: 'one JSON object a game on standard error: differences, and orders that do not count' },
  ...quietOption,
} as const;

export const help = `
usage: lepanto convert IN [OUT] [OPTIONS]

Reads recorded games, adjudicates them again, and writes them in another format.
Without OUT it only reports differences.

IN    saved games of the package diplomacy or of dipcc (JSON, or JSON lines with
      one game a line), a history.json of webDiplomacy, or records of lepanto (a
      games-*.lep or a directory of them)
OUT   a file, by its ending .json (one game), .jsonl or .lep; - writes JSON
      lines to standard output; with --format parquet a directory

${optionText(options)}

If a recorded position or result differs from the adjudicated one, convert lists
phase and unit, says whether other rules fit the game, and continues from the
recorded position. Recorded orders that do not count, such as surplus builds,
are listed separately. Messages are kept, except in tables; dropped messages are
counted. Exit code 1 if a game cannot be read or differs, or if games of a run
are missing.
${GAME_LIMITS}
`;

type Manifest = Source['manifest'];

/** Output of a conversion, to which games are written one by one. */
interface Output {
  /**
   * Writes a game. Resolves to the number of its messages that were written, once the output accepts more, or at once
   * if the signal is aborted.
   */
  readonly write: (map: CompiledMap, replayed: Replayed, signal: AbortSignal) => Promise<number>;
  /** Completes the output's file if `ok` is true; otherwise removes it. Does nothing for standard output. */
  readonly finish: (ok: boolean) => void;
}

/**
 * Opens an output file. If two processes write the same path, the last one to finish replaces the file of the other.
 * @throws UsageError if the path cannot be written
 */
const openFile = (path: string): WholeFile => {
  checkFile('OUT', path);
  return beginFile(path);
};

const finishFile = (file: WholeFile, ok: boolean): void => {
  if (ok) file.finish();
  else file.abandon();
};

/** Returns an output that writes a shard game by game, because it may have more games than fit into memory. */
const recordsOutput = (path: string, rules: RuleSet): Output => {
  const file = openFile(path);
  const header = encodeShard([]);
  file.write(header);
  return {
    write: async (map, { record }) => {
      const on = map !== standard && { map: map.name };
      const by = rules.name !== DEFAULT_RULES.name && { rules: rules.name };
      file.write(encodeShard([{ ...record, ...on, ...by }]).subarray(header.length));
      return countMessages(record);
    },
    finish: (ok) => finishFile(file, ok),
  };
};

const jsonOutput = (path: string, rules: Rules, dialect: Dialect): Output => {
  const file = path === '-' ? null : openFile(path);
  let games = 0;
  return {
    write: async (map, { id, record }, signal) => {
      games++;
      if (games > 1 && path.endsWith('.json'))
        throw new UsageError(`${path}: got more than one game, wanted .jsonl for them`);
      const name = id === '' ? `lepanto-${record.index}` : id;
      const saved = savedGame(map, rules, record, { id: name, dialect });
      const line = `${JSON.stringify(saved)}\n`;
      if (file === null) await writeText(process.stdout, line, signal);
      else file.write(line);
      return writableMessages(record, dialect).length;
    },
    finish: (ok) => {
      if (file !== null) finishFile(file, ok);
    },
  };
};

/** Opens the files for tables of games. @throws UsageError for a path that cannot be a directory */
const openTables = (path: string, { map, rules }: PlayedBy, manifest: Manifest): ParquetFiles => {
  if (path === '-' || statOf(path)?.isFile() === true)
    throw new UsageError(`OUT: got ${path}, wanted a directory, new or old, with --format parquet`);
  const about = { map: map.name, rules: rules.name, version: lepantoVersion };
  return new ParquetFiles(path, columnsOf(map, manifest), about);
};

/**
 * Returns an output that writes tables game by game, for games of other programs and for large shards. Its write()
 * throws a LepantoError for a game on another map or with a difference to its replay.
 */
const tablesOutput = (path: string, by: PlayedBy, manifest: Manifest): Output => {
  const files = openTables(path, by, manifest);
  const tables = new GameTables(by.map, manifest, (name, group) => files.write(name, group));
  const replay = new Replay(by.map, by.rules.adjudication);
  const cursor = new GameCursor();
  return {
    write: async (map, { id, record }) => {
      const { index } = record;
      if (map.id !== by.map.id)
        throw new LepantoError(
          'record',
          `game ${index}: got the map ${map.name}, wanted ${by.map.name} as in those before`,
        );
      const difference = replay.play(cursor.open(packGame(record)), ANY);
      if (difference !== null)
        throw new LepantoError('record', `game ${index}, ${difference.phase}: ${difference.what}`);
      tables.add(cursor, replay, id);
      return 0;
    },
    finish: (ok) => {
      if (!ok) return files.abandon();
      try {
        tables.finish();
      } catch (error) {
        files.abandon();
        throw error;
      }
      files.finish();
    },
  };
};

/** Maximum size in bytes of a shard that a thread converts to tables, because it keeps all rows in memory. */
const MOST_BYTES = 1 << 28;

/**
 * Converts shards to tables on threads and writes the tables to a directory. Prints errors of games, and removes the
 * files if no game was written. Returns false after Ctrl-C.
 * @param tally counters to which the games are added
 */
const convertShards = async (
  path: string,
  source: Source,
  workers: number,
  tally: Tally,
  signal: AbortSignal,
): Promise<boolean> => {
  const files = openTables(path, source, source.manifest);
  const reportFault = (text: string, missing: boolean): void => {
    if (missing) tally.missing++;
    else tally.failed++;
    process.stderr.write(printable(`${text}\n`));
  };
  let isWhole = false;
  try {
    for await (const { bytes, found } of forShards(
      [source],
      { module: SHARD_TABLES, run: tableShards },
      { workers, reportFault },
    )) {
      if (signal.aborted) return false;
      for (const [name, group] of found.groups) files.write(name, group);
      tally.games += found.written;
      tally.messages += found.messages;
      tally.bytes += bytes;
      await setImmediate();
    }
    isWhole = tally.games > 0;
  } finally {
    if (isWhole) files.finish();
    else files.abandon();
  }
  return true;
};

const openOutput = (
  path: string | undefined,
  format: (typeof formats)[number],
  by: PlayedBy,
  manifest: Manifest,
): Output => {
  if (path === undefined) return { write: async (_, { record }) => countMessages(record), finish: () => {} };
  if (format === 'parquet') return tablesOutput(path, by, manifest);
  if (path.endsWith('.lep')) return recordsOutput(path, by.rules);
  if (path === '-' || path.endsWith('.json') || path.endsWith('.jsonl'))
    return jsonOutput(path, by.rules.adjudication, format);
  throw new UsageError(`OUT: got ${path}, wanted an ending .json, .jsonl or .lep, or -`);
};

/** Options for replaying games that are not checked: any start, any end, and any positions. */
const ANY = { anyStart: true, anyEnd: true, anyStates: true };

const countMessages = ({ phases }: GameRecord): number =>
  phases.reduce((sum, { messages = [] }) => sum + messages.length, 0);

/**
 * Returns counters at 0. games: converted; failed: games or files that cannot be read; missing: ranges of missing
 * games;
 * disagreeing: games that differ from their replay; unfinished: games without an end; messages: not written; bytes:
 * read.
 */
const makeTally = () => ({ games: 0, failed: 0, missing: 0, disagreeing: 0, unfinished: 0, messages: 0, bytes: 0 });
type Tally = ReturnType<typeof makeTally>;

/**
 * Writes the games of a file to an output, one by one. Prints errors of games, and skips games that cannot be read.
 * Returns false after Ctrl-C.
 * @param tally counters to which the games are added
 */
const convert = async (
  path: string,
  output: Output,
  by: PlayedBy,
  json: boolean,
  tally: Tally,
  signal: AbortSignal,
): Promise<boolean> => {
  const { rules } = by;
  for (const played of playedGames(path, by)) {
    const { where, bytes, raw, map, replayed, error, missing } = played;
    tally.bytes = bytes;
    await setImmediate();
    if (signal.aborted) return false;
    if (replayed === null) {
      if (missing) tally.missing++;
      else tally.failed++;
      process.stderr.write(printable(`${where}: ${error ?? 'got no game'}\n`));
      continue;
    }
    tally.games++;
    if (raw !== null && replayed.unfinished) tally.unfinished++;
    const misfit = misfitOf(played, rules);
    if (misfit !== null) {
      if (misfit.disagreements.length > 0) tally.disagreeing++;
      process.stderr.write(`${json ? JSON.stringify(misfit) : printable(formatMisfit(misfit))}\n`);
    }
    const { record, leftOut } = replayed;
    if (leftOut.length > 0)
      process.stderr.write(`${json ? JSON.stringify({ where, leftOut }) : printable(formatLeftOut(where, leftOut))}\n`);
    const written = await output.write(map, replayed, signal);
    tally.messages += leftOut.length + countMessages(record) - written;
  }
  return true;
};

export const run = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options);
  const [path, out] = positionals;
  if (path === undefined || positionals.length > 2)
    throw new UsageError(`convert: got ${positionals.length} paths, wanted IN, or IN and OUT`);
  const map = readMap({ map: values.map ?? 'standard' });
  const rules = readRules(values.rules ?? DEFAULT_RULES.name);
  const tally = makeTally();
  const total = sizeOfGames(path);
  const source = shardsOf(path).length > 0 ? openRecords(path, values.map, values.rules) : null;
  const by = source ?? { map, rules };
  const progress = {
    total,
    unit: 'bytes',
    quiet: values.quiet || out === '-',
    read: () => ({ done: Math.min(total, tally.bytes), note: counted(tally.games, 'game') }),
  };
  const ended = await interruptible('ending after this game', progress, async (signal) => {
    const isTabled = out !== undefined && values.format === 'parquet' && source !== null;
    if (isTabled && source.files.every((file) => statSync(file).size <= MOST_BYTES))
      return convertShards(out, source, values.workers, tally, signal);
    const output = openOutput(out, values.format, by, source?.manifest ?? null);
    let isWhole = false;
    try {
      isWhole = await convert(path, output, by, values.json, tally, signal);
    } finally {
      output.finish(isWhole && tally.games > 0);
    }
    return isWhole;
  });
  if (!ended) {
    const kept = out === '-' ? 'their lines are whole' : 'no file is written';
    sayInterrupted(`${counted(tally.games, 'game')} read, ${kept}; the same command restarts with the first game`);
    return INTERRUPTED;
  }
  const { games, failed, missing, disagreeing, unfinished, messages } = tally;
  const counts: readonly [number, string][] = [
    [failed, 'not readable'],
    [disagreeing, 'that differ'],
    [unfinished, 'without an end (written as draws)'],
    [messages, 'messages left out'],
  ];
  const more = counts.map(([count, what]) => (count > 0 ? `, ${count} ${what}` : ''));
  if (!values.quiet) process.stderr.write(`${counted(games, 'game')}${more.join('')}\n`);
  const isWhole = values.partial || failed + missing === 0;
  return isWhole && disagreeing === 0 && games > 0 ? 0 : 1;
};
