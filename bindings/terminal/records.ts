// Opens recorded games for a command, and says what is missing or wrong among them.

import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { loadMap } from '../../engine/internal.js';
import type { RuleSet } from '../../engine/notation/text/index.js';
import { LepantoError } from '../../engine/rules/error.js';
import { GameCursor } from '../../selfplay/records/game-cursor.js';
import { shardName } from '../../selfplay/records/record.js';
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
 * Records under a path.
 * @param mapName given by --map, and rulesName by --rules
 * @throws UsageError for a wrong option; LepantoError if there are no records, or if they are not of today's map and rules
 */
export const openRecords = (path: string, mapName: string | undefined, rulesName: string | undefined): Source => {
  const map = mapName === undefined ? undefined : readMap({ map: mapName });
  const rules = rulesName === undefined ? undefined : readRules(rulesName);
  sizeOfGames(path);
  checkMagic(path);
  if (isForeign(path))
    throw new LepantoError(
      'file',
      `${path}: got JSON, wanted records: lepanto convert makes them of saved games, lepanto arena --out DIR keeps them`,
    );
  const manifest = manifestBeside(path);
  if (map !== undefined && manifest !== null && map.name !== manifest.map.name)
    throw new UsageError(`--map: got "${map.name}", wanted ${manifest.map.name}, which the run was played on`);
  return openSource(path, { ...(map === undefined ? {} : { map }), ...(rules === undefined ? {} : { rules }) });
};

/**
 * Records under a path: one source, or one for each arena of a directory of arenas.
 * @param arena given by --arena
 * @throws as openRecords(), and UsageError for --arena with other records
 */
export const openAllRecords = (
  path: string,
  { map, rules, arena }: { map?: string | undefined; rules?: string | undefined; arena?: number | undefined },
): Source[] => {
  if (isArena(path)) return runsOfArena(path, arena).map((run) => openRecords(run, map, rules));
  if (arena !== undefined) throw new UsageError(`--arena: got it with ${path}, wanted a directory of lepanto arena`);
  return [openRecords(path, map, rules)];
};

/**
 * Finds the game of a number among some records.
 * @param path of the records, for a refusal
 * @param index -1 for the first game
 * @returns a cursor that has it open
 * @throws LepantoError if there is none
 */
export const findGame = (source: Source, path: string, index: number): GameCursor => {
  const shard = shardName(Math.floor(index / (source.manifest?.shardGames ?? GAMES_PER_SHARD)));
  const files =
    index < 0 || source.files.length === 1 ? source.files : source.files.filter((f) => basename(f) === shard);
  const game = new GameCursor();
  for (const file of files)
    for (const { bytes, where } of gamesOfShard(file))
      if (game.open(bytes, where).index === index || index < 0) return game;
  throw new LepantoError('file', `${path}: no game ${index < 0 ? 'at all' : index}`);
};

/** The first 256 bytes of a file. */
const startOf = (path: string): string => {
  const start = Buffer.alloc(256);
  const fd = openSync(path, 'r');
  try {
    return start.toString('utf8', 0, readSync(fd, start));
  } finally {
    closeSync(fd);
  }
};

/** True if the first character of a file that is not blank is the brace of an object. */
const startsAsJson = (path: string): boolean => /^\uFEFF?\s*\{/.test(startOf(path));

/** Refuses a file that is neither JSON nor, by its name or its first bytes, a shard. @throws LepantoError */
const checkMagic = (path: string): void => {
  if (statOf(path)?.isDirectory() || /\.(lep|jsonl?)$/.test(path) || startsAsJson(path)) return;
  if (!startOf(path).startsWith('LEPG'))
    throw new LepantoError('file', `${path}: got another file, wanted recorded games`);
};

/** True for games of other programs. A shard may have any name here. */
export const isForeign = (path: string): boolean => {
  const found = statOf(path);
  if (found === undefined || found.isDirectory() || shardsOf(path).length > 0) return false;
  return /\.jsonl?$/.test(path) || startsAsJson(path);
};

/** Games of other programs as our rules play them. @param index -1 for all games */
export function* foreignGames(path: string, rules: RuleSet, index: number): Generator<PlayedGame> {
  for (const played of playedGames(path, { map: loadMap('standard'), rules })) {
    if (index >= 0 && played.replayed?.record.index !== index) continue;
    yield played;
    if (index >= 0) return;
  }
}

/** One of them. @param index -1 for the first game @throws Error if there is none, or if it cannot be read */
export const findForeignGame = (
  path: string,
  rules: RuleSet,
  index: number,
): PlayedGame & { readonly replayed: Replayed } => {
  const [played] = foreignGames(path, rules, index);
  if (played === undefined) throw new LepantoError('file', `${path}: no game ${index < 0 ? 'at all' : index}`);
  const { where, replayed, error } = played;
  if (replayed === null) throw new LepantoError('file', `${path}, ${where}: ${error}`);
  return { ...played, replayed };
};

/** So many faults are told one by one. */
const MOST_FAULTS = 100;

/** Says on standard error what is missing or wrong, and counts it. */
export class FaultReporter {
  /** Of all kinds. */
  count = 0;
  /** Without missing games. */
  wrong = 0;
  /** The first one, in words; null if there is none. */
  first: string | null = null;

  /** @param quiet counts alone */
  constructor(private readonly quiet: boolean = false) {}

  report(text: string, missing: boolean): void {
    this.count++;
    if (!missing) this.wrong++;
    this.first ??= text;
    // What is missing is told last, and always.
    if (!this.quiet && (missing || this.wrong <= MOST_FAULTS)) say(text);
  }

  /** Says how many were not told. */
  end(): void {
    if (!this.quiet && this.wrong > MOST_FAULTS) say(`${this.wrong - MOST_FAULTS} more faults were found`);
  }
}
