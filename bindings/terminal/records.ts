// Opens recorded games for a command, and reports missing and damaged ones.

import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { loadMap } from '../../engine/internal.js';
import type { RuleSet } from '../../engine/notation/text/index.js';
import { LepantoError } from '../../engine/rules/error.js';
import { GameCursor } from '../../selfplay/records/game-cursor.js';
import { shardName } from '../../selfplay/records/manifest.js';
import { GAMES_PER_SHARD } from '../../selfplay/records/run-spec.js';
import { gamesOfShard } from '../../selfplay/records/shard-file.js';
import { statOf } from '../../selfplay/records/whole-file.js';
import { isArena, runsOfArena } from '../formats/games/arena-runs.js';
import { type PlayedGame, playedGames } from '../formats/games/played-games.js';
import { shardsOf } from '../formats/games/read.js';
import { manifestBeside, openSource, type Source } from '../formats/games/recorded-run.js';
import type { Replayed } from '../formats/games/replay-raw.js';
import { readMap, readRules } from './map-and-rules.js';
import { say } from './output.js';
import { sizeOfGames, UsageError } from './usage.js';

/**
 * Opens the records under a path.
 * @param mapName value of --map; undefined to use the map that the records name
 * @param rulesName value of --rules; undefined to use the rules of the run
 * @throws UsageError for a wrong option; LepantoError if there are no records, or if their map or rules differ from the
 *   current version
 */
export const openRecords = (path: string, mapName: string | undefined, rulesName: string | undefined): Source => {
  const map = mapName === undefined ? undefined : readMap({ map: mapName });
  const rules = rulesName === undefined ? undefined : readRules(rulesName);
  sizeOfGames(path);
  if (isForeign(path))
    throw new LepantoError(
      'file',
      `${path}: got JSON, wanted records: lepanto convert makes them of saved games, lepanto arena --out DIR keeps them`,
    );
  checkMagic(path);
  const manifest = manifestBeside(path);
  if (map !== undefined && manifest !== null && map.name !== manifest.map.name)
    throw new UsageError(`--map: got "${map.name}", wanted ${manifest.map.name}, which the run was played on`);
  return openSource(path, { ...(map === undefined ? {} : { map }), ...(rules === undefined ? {} : { rules }) });
};

/**
 * Opens the records under a path: one source, or one per run in a directory of arenas.
 * @param options values of --map, --rules and --arena (number of one arena, from 1); undefined without the option
 * @throws as openRecords(); UsageError for --arena with other records
 */
export const openAllRecords = (
  path: string,
  { map, rules, arena }: { map?: string | undefined; rules?: string | undefined; arena?: number | undefined },
): Source[] => {
  if (isArena(path)) return runsOfArena(path, arena).map((run) => openRecords(run, map, rules));
  if (arena !== undefined) throw new UsageError(`--arena: got it with ${path}, wanted a directory of lepanto arena`);
  return [openRecords(path, map, rules)];
};

/** Returns the error for records without a game. @param index number of the game, from 0; -1 for any game */
export const noGame = (path: string, index: number): LepantoError =>
  new LepantoError(
    'file',
    index < 0
      ? `${path}: got no game, wanted at least one`
      : `${path}: got no game ${index}, wanted the number of a recorded game, from 0`,
  );

/**
 * Finds a game by its number.
 * @param path path of the records, for the error
 * @param index number of the game, from 0; -1 for the first game
 * @returns a cursor, opened at the game
 * @throws LepantoError if there is no such game
 */
export const findGame = (source: Source, path: string, index: number): GameCursor => {
  const shard = shardName(Math.floor(index / (source.manifest?.shardGames ?? GAMES_PER_SHARD)));
  const files =
    index < 0 || source.files.length === 1 ? source.files : source.files.filter((f) => basename(f) === shard);
  const game = new GameCursor();
  for (const file of files)
    for (const { bytes, where } of gamesOfShard(file))
      if (game.open(bytes, where).index === index || index < 0) return game;
  throw noGame(path, index);
};

/** Returns up to 256 bytes from the beginning of a file as text. @throws Error of the system */
const startOf = (path: string): string => {
  const start = Buffer.alloc(256);
  const fd = openSync(path, 'r');
  try {
    return start.toString('utf8', 0, readSync(fd, start));
  } finally {
    closeSync(fd);
  }
};

/** Checks that a path is a directory, or a shard by its extension or its first bytes. @throws LepantoError for others */
const checkMagic = (path: string): void => {
  if (!statOf(path)?.isDirectory() && !path.endsWith('.lep') && !startOf(path).startsWith('LEPG'))
    throw new LepantoError('file', `${path}: got another file, wanted recorded games`);
};

/** True for a file with games of other programs: a file with an extension of JSON, or one that begins like JSON. */
export const isForeign = (path: string): boolean => {
  const found = statOf(path);
  if (found === undefined || found.isDirectory() || shardsOf(path).length > 0) return false;
  // The first character that is not blank is an opening brace.
  return /\.jsonl?$/.test(path) || /^\uFEFF?\s*\{/.test(startOf(path));
};

/**
 * Yields the games of other programs in a file, replayed under these rules. Games that cannot be read have replayed:
 * null and an error; with an index they are left out.
 * @param index index of one game, from 0; -1 for all
 */
export function* foreignGames(path: string, rules: RuleSet, index: number): Generator<PlayedGame> {
  for (const played of playedGames(path, { map: loadMap('standard'), rules })) {
    if (index >= 0 && played.replayed?.record.index !== index) continue;
    yield played;
    if (index >= 0) return;
  }
}

/**
 * Returns one game of another program, replayed.
 * @param index index of the game, from 0; -1 for the first
 * @throws LepantoError if there is no such game, or if it cannot be read
 */
export const findForeignGame = (
  path: string,
  rules: RuleSet,
  index: number,
): PlayedGame & { readonly replayed: Replayed } => {
  const [played] = foreignGames(path, rules, index);
  if (played === undefined) throw noGame(path, index);
  const { where, replayed, error } = played;
  if (replayed === null) throw new LepantoError('file', `${path}, ${where}: ${error}`);
  return { ...played, replayed };
};

/** Maximum number of faults that a FaultReporter prints one by one. */
const MOST_FAULTS = 100;

/** Prints faults and missing games on standard error, and counts them. */
export class FaultReporter {
  /** Number of faults and reports of missing games. */
  count = 0;
  /** Number of faults, without missing games. */
  wrong = 0;
  /** Description of the first fault; null if there is none. */
  first: string | null = null;

  /** Creates a reporter. @param quiet true to count without printing */
  constructor(private readonly quiet: boolean = false) {}

  /**
   * Counts a fault, and prints it unless MOST_FAULTS were printed. @param text describes it
   * @param missing true for a report of missing games, which is always printed
   */
  readonly report = (text: string, missing: boolean): void => {
    this.count++;
    if (!missing) this.wrong++;
    this.first ??= text;
    // Missing games are reported last, and are always printed.
    if (!this.quiet && (missing || this.wrong <= MOST_FAULTS)) say(text);
  };

  /** Prints the number of faults that were not printed one by one. To be called after the last fault. */
  end(): void {
    if (!this.quiet && this.wrong > MOST_FAULTS) say(`${this.wrong - MOST_FAULTS} more errors were found`);
  }
}
