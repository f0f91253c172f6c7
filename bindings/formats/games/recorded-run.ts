// Reads the records of a run, or one shard, and reports missing and damaged games. It checks the manifest and the table
// next to each shard, and replays the games.

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type CompiledMap, Game, loadMap } from '../../../engine/internal.js';
import {
  DEFAULT_RULES,
  formatOrder,
  orderedUnits,
  type RuleSet,
  ruleSetByName,
} from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { type GameRecord, loadState } from '../../../selfplay/games/game-record.js';
import { GameCursor } from '../../../selfplay/records/game-cursor.js';
import { soundTable } from '../../../selfplay/records/game-table.js';
import {
  agentsOf,
  findStranger,
  type GameIdentity,
  MANIFEST,
  type Manifest,
  mapOfRun,
  readManifest,
  rulesOfRun,
  shardName,
  shardNumber,
} from '../../../selfplay/records/manifest.js';
import { shardCount, shardRange } from '../../../selfplay/records/run-spec.js';
import { gamesOfShard } from '../../../selfplay/records/shard-file.js';
import { type Difference, Replay, type ReplayOptions } from '../../../selfplay/records/verify.js';
import { isDirectory, noShards, shardsOf } from './read.js';

/** Map and rules for replaying games. */
export interface PlayedBy {
  /** Map for records of Lepanto. Games of other programs name their own map. */
  readonly map: CompiledMap;
  /** Rules of adjudication, and for games of other programs the rules for reading orders. */
  readonly rules: RuleSet;
}

/** The shards of one run directory, or one shard, with their map and rules. */
export interface Source extends PlayedBy {
  /** Directory of a run, or one shard. */
  readonly path: string;
  /** Paths of the shards, in order. */
  readonly files: readonly string[];
  /** Manifest next to the shards; null if there is none. */
  readonly manifest: Manifest | null;
}

/**
 * Returns the names of a game's agents, indexed by power. Empty without a manifest.
 * @throws LepantoError if the game names agents that the manifest does not have
 */
export const agentsIn = (
  { manifest }: Pick<Source, 'manifest'>,
  game: Pick<GameIdentity, 'agents'>,
): readonly string[] => (manifest === null ? [] : agentsOf(manifest, game));

/**
 * Returns the manifest in a directory, or next to a file. Null if there is none.
 * @throws LepantoError that names the file if it is invalid
 */
export const manifestBeside = (path: string): Manifest | null => {
  const directory = isDirectory(path) ? path : dirname(path);
  return existsSync(join(directory, MANIFEST)) ? readManifest(directory) : null;
};

/**
 * Returns the map and rules named in the first game of a shard. Defaults: the standard map and the default rules.
 * @param by replaces the values of the game
 */
const saidIn = (file: string, by: Partial<PlayedBy>): PlayedBy => {
  const said = new GameCursor();
  try {
    for (const { bytes, where } of gamesOfShard(file)) {
      said.open(bytes, where);
      break;
    }
  } catch {
    // The error is ignored here, because reading the games reports it.
  }
  const { map = 'standard', rules = DEFAULT_RULES.name } = said;
  return { map: by.map ?? loadMap(map), rules: by.rules ?? ruleSetByName(rules) };
};

/**
 * Opens the shards of a directory, or one shard. Without a manifest next to them, the first game names the map and
 * rules.
 * @param by replaces the rules of the manifest; the map must be the same as in the manifest
 * @throws LepantoError if there are no shards, or if their map or rules differ from the current version
 */
export const openSource = (path: string, by: Partial<PlayedBy> = {}): Source => {
  const files = isDirectory(path) ? shardsOf(path) : [path];
  if (files.length === 0) throw noShards(path);
  const manifest = manifestBeside(path);
  if (manifest === null) {
    try {
      return { path, files, manifest, ...saidIn(files[0], by) };
    } catch (error) {
      throw new LepantoError('file', `${files[0]}, first game: ${(error as Error).message}`);
    }
  }
  try {
    const map = mapOfRun(manifest);
    if (by.map !== undefined && by.map.id !== map.id)
      throw new LepantoError('record', `map: got ${by.map.name}, wanted ${map.name}, which the run was played on`);
    return { path, files, manifest, map, rules: by.rules ?? ruleSetByName(rulesOfRun(manifest).name) };
  } catch (error) {
    throw new LepantoError(
      'file',
      `${join(isDirectory(path) ? path : dirname(path), MANIFEST)}, ${(error as Error).message}`,
    );
  }
};

/** A game of some shards, or a problem with them. */
export interface FoundRecord {
  /** Path of the shard or the directory. */
  readonly where: string;
  /** Bytes read so far, of all shards. */
  readonly bytes: number;
  /** Cursor at the game, valid until the next entry. Null if there is a problem. */
  readonly game: GameCursor | null;
  /** Description of the problem; null for a game. */
  readonly error: string | null;
  /** True if the problem is that games are missing. */
  readonly missing: boolean;
}

/** Ranges of game numbers, each with its first and last number. */
export type Stretches = [begin: number, end: number][];

/** Maximum number of ranges of missing games that a message lists. */
const MOST_STRETCHES = 10;

const addStretch = (to: Stretches, begin: number, end: number): void => {
  const last = to.at(-1);
  if (last !== undefined && last[1] + 1 === begin) last[1] = end;
  else if (begin <= end) to.push([begin, end]);
};

/** Formats missing games: 'games 3, 256 to 511 are missing'. */
const describeMissing = (stretches: Stretches): string => {
  const named = stretches
    .slice(0, MOST_STRETCHES)
    .map(([begin, end]) => (begin === end ? String(begin) : `${begin} to ${end}`));
  const more = stretches.length - named.length;
  const isOne = stretches.length === 1 && stretches[0][0] === stretches[0][1];
  return `${isOne ? 'game' : 'games'} ${named.join(', ')}${more > 0 ? ` and ${more} more stretches` : ''} ${isOne ? 'is' : 'are'} missing`;
};

/** Reads one shard and checks the numbers and agents of its games. */
class ShardReader {
  private readonly shard = shardNumber(this.file);
  /**
   * Numbers of the games that belong in the shard: the first, and one past the last. Null without a manifest or a
   * number in the name.
   */
  private readonly range =
    this.source.manifest === null || this.shard === null ? null : shardRange(this.source.manifest, this.shard);
  /** Smallest number that the next game may have. */
  private next: number = this.range?.[0] ?? 0;
  private games = 0;
  /** Number of unreadable games since the last readable one. */
  private unread = 0;
  private misplaced = 0;
  private readonly cursor = new GameCursor();

  constructor(
    readonly source: Source,
    readonly file: string,
    private readonly missing: Stretches,
    public bytes: number,
  ) {}

  private found(game: GameCursor | null, error: string | null): FoundRecord {
    return { where: this.file, bytes: this.bytes, game, error, missing: false };
  }

  private wrong(message: string): FoundRecord {
    return this.found(null, message.replace(`${this.file} `, '').replace(`${this.file}: `, ''));
  }

  /**
   * Checks the number and the agents of a game. Returns an entry with the game or its problem; null for a misplaced
   * game that is not the first one, which is only counted.
   */
  private place(game: GameCursor): FoundRecord | null {
    const { manifest } = this.source;
    if (this.range === null || manifest === null) return this.found(game, null);
    const [, end] = this.range;
    const { index, where } = game;
    if (index < this.next || index >= end) {
      const wanted = this.next < end ? `game ${this.next}` : 'the end';
      return this.misplaced++ === 0 ? this.wrong(`${where}: got game ${index}, wanted ${wanted}`) : null;
    }
    this.skipTo(index);
    this.next = index + 1;
    const stranger = findStranger(manifest, game);
    return stranger === null ? this.found(game, null) : this.wrong(`${where}: ${stranger}`);
  }

  /** Adds the skipped games before `index` to the missing games, unless unreadable games can account for them. */
  private skipTo(index: number): void {
    if (index - this.next > this.unread) addStretch(this.missing, this.next, index - 1);
    this.unread = 0;
  }

  private *readGames(): Generator<FoundRecord> {
    const before = this.bytes;
    for (const { bytes, where, end } of gamesOfShard(this.file)) {
      this.bytes = before + end;
      this.games++;
      try {
        this.cursor.open(bytes, where);
      } catch (error) {
        this.unread++;
        yield this.wrong((error as Error).message);
        continue;
      }
      const found = this.place(this.cursor);
      if (found !== null) yield found;
    }
  }

  /** Checks the shard's table. Yields a problem if it is damaged; returns true if there is a valid table. */
  private *checkFile(): Generator<FoundRecord, boolean> {
    const table = soundTable(this.file);
    if (typeof table === 'string') yield this.wrong(table);
    return typeof table === 'object' && table !== null;
  }

  *read(): Generator<FoundRecord> {
    const isSound = yield* this.checkFile();
    try {
      yield* this.readGames();
    } catch (error) {
      yield this.wrong((error as Error).message);
    }
    if (this.misplaced > 1) yield this.wrong(`${this.misplaced - 1} more games are out of place`);
    if (this.range !== null) this.skipTo(this.range[1]);
    else if (this.games === 0 && !isSound) yield this.wrong('got no games, wanted at least one');
  }
}

/**
 * Yields the games of one shard, and its problems.
 * @param missing list to which the ranges of missing games are added
 * @param bytes size of the shards before this one
 * @returns the size of all shards up to this one
 */
export function* gamesIn(source: Source, file: string, missing: Stretches, bytes = 0): Generator<FoundRecord, number> {
  const reader = new ShardReader(source, file, missing, bytes);
  yield* reader.read();
  return reader.bytes;
}

/**
 * Returns the reason why a file that is named like a shard does not belong to a run. Null if it belongs to the run, is
 * not named like a shard, or there is no manifest.
 */
export const findStray = (manifest: Manifest | null, file: string): string | null => {
  const shard = shardNumber(file);
  if (manifest === null || shard === null) return null;
  if (shard < shardCount(manifest) && shardName(shard) === basename(file)) return null;
  return `got a shard that is none of the run, which has ${manifest.games} games`;
};

/** Collects the missing games of a run while its shards are read in order. */
export class MissingGames {
  /** Ranges of the numbers of missing games found so far. */
  readonly stretches: Stretches = [];
  private next = 0;
  private readonly isWhole: boolean = this.source.manifest !== null && isDirectory(this.source.path);

  constructor(private readonly source: Source) {}

  /**
   * Adds the games of the shards that are missing between the last file and this one.
   * @returns the reason why the file does not belong to the run, or null
   */
  before(file: string): string | null {
    const { manifest } = this.source;
    const stray = findStray(manifest, file);
    if (stray === null && this.isWhole) this.skipTo(shardNumber(file) ?? 0);
    return stray;
  }

  private skipTo(shard: number): void {
    const { manifest } = this.source;
    if (manifest !== null && shard > this.next)
      addStretch(
        this.stretches,
        shardRange(manifest, this.next)[0],
        Math.min(shardRange(manifest, shard)[0], manifest.games) - 1,
      );
    this.next = shard + 1;
  }

  /** Adds ranges of missing games of one shard. */
  add(stretches: Stretches): void {
    this.stretches.push(...stretches);
  }

  /** Returns 'games 256 to 511 are missing', or null if no game is missing. To be called after the last shard. */
  end(): string | null {
    const { manifest } = this.source;
    if (manifest !== null && this.isWhole) this.skipTo(shardCount(manifest));
    const sorted: Stretches = [];
    for (const [begin, end] of this.stretches.sort(([a], [b]) => a - b)) addStretch(sorted, begin, end);
    return sorted.length === 0 ? null : describeMissing(sorted);
  }
}

/** Describes the missing shards in the directory of a run, without reading the others. Null if none are missing. */
export const describeLack = (source: Source): string | null => {
  const missing = new MissingGames(source);
  for (const file of source.files) missing.before(file);
  const lack = missing.end();
  return lack === null ? null : `${source.path}: ${lack}`;
};

/**
 * Yields the games of a source one at a time, with all its problems. The games are not replayed; use verified() for
 * that.
 */
export function* recordsOf(source: Source): Generator<FoundRecord> {
  const missing = new MissingGames(source);
  let bytes = 0;
  for (const file of source.files) {
    const stray = missing.before(file);
    if (stray !== null) yield { where: file, bytes, game: null, error: stray, missing: false };
    else bytes = yield* gamesIn(source, file, missing.stretches, bytes);
  }
  const error = missing.end();
  if (error !== null) yield { where: source.path, bytes, game: null, error, missing: true };
}

/** Formats a difference: 'game 3, F1902M, A BUD - SER: recorded as succeeds, wanted fails'. */
const describeDifference = ({ map, rules }: PlayedBy, { index }: GameCursor, difference: Difference): string => {
  const { phase, state, location, order, what } = difference;
  let subject = location < 0 ? '' : map.locationTags[location];
  if (order !== 0 && state.length > 0) {
    const game = new Game(map, rules.adjudication);
    loadState(game, state);
    subject = formatOrder(map, order, orderedUnits(game));
  }
  return `game ${index}, ${phase}${subject === '' ? '' : `, ${subject}`}: ${what}`;
};

let replay: Replay | undefined;

const playAgain = (source: Source, game: GameCursor, options: ReplayOptions): Replay => {
  const { map } = source;
  const rules = source.rules.adjudication;
  if (replay?.map !== map || replay.rules !== rules) replay = new Replay(map, rules);
  const difference = replay.play(game, options);
  if (difference !== null) throw new LepantoError('record', describeDifference(source, game, difference));
  return replay;
};

/**
 * Replays a game and compares it with its record. A game of a run must begin at the start position of its map.
 * @param game cursor at the game
 * @returns the positions of its phases, valid until the next call in this thread
 * @throws LepantoError that names the first phase and order that differ
 */
export const verified = (source: Source, game: GameCursor): Replay =>
  playAgain(source, game, { anyStart: source.manifest === null });

/**
 * Returns the positions of a game with arbitrary start and end. If all positions are recorded, they need not follow
 * from each other.
 * @returns the positions of its phases, valid until the next call in this thread
 * @throws LepantoError that names the first phase and order that differ
 */
export const replayed = (source: Source, game: GameCursor): Replay =>
  playAgain(source, game, { anyStart: true, anyEnd: true, anyStates: true });

/**
 * Returns the positions of a game in a shard that is known to be valid. Compares only names of phases and recorded
 * positions with the replay, not orders, results, targets, messages and scores.
 * @returns the positions of its phases, valid until the next call in this thread
 * @throws LepantoError that names the first phase that differs
 */
export const trusted = (source: Source, game: GameCursor): Replay =>
  playAgain(source, game, { anyStart: true, anyEnd: true, isTrusted: true });

/** Replays a game and returns it as a record with all positions. @throws LepantoError if its record differs */
export const wholeRecord = (source: Source, game: GameCursor): GameRecord => verified(source, game).record(game);
