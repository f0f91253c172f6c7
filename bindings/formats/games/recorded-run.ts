// Reads the records of a run, or of one file, and finds out what is missing or wrong: by the manifest, by the table next
// to each shard, and by playing the games again.
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
} from '../../../selfplay/records/manifest.js';
import { shardName } from '../../../selfplay/records/record.js';
import { shardCount, shardRange } from '../../../selfplay/records/run-spec.js';
import { gamesOfShard, shardNumber } from '../../../selfplay/records/shard-file.js';
import { type Difference, Replay, type ReplayOptions } from '../../../selfplay/records/verify.js';
import { isDirectory, noShards, shardsOf } from './read.js';

/** The map and the rules of games. */
export interface PlayedBy {
  /** The map of Lepanto's records; games of other programs name their own. */
  readonly map: CompiledMap;
  /** Rules of adjudication, and for games of other programs those of reading orders. */
  readonly rules: RuleSet;
}

/** Records that lie together, and what they were played on. */
export interface Source extends PlayedBy {
  /** A run's directory, or one file. */
  readonly path: string;
  readonly files: readonly string[];
  readonly manifest: Manifest | null;
}

/** Names of the agents of a game, by power; empty where the records do not say. @throws as agentsOf() */
export const agentsIn = (
  { manifest }: Pick<Source, 'manifest'>,
  game: Pick<GameIdentity, 'agents'>,
): readonly string[] => (manifest === null ? [] : agentsOf(manifest, game));

/** What lies in the directory of records. @throws LepantoError that names the file and what is wrong with it */
export const manifestBeside = (path: string): Manifest | null => {
  const directory = isDirectory(path) ? path : dirname(path);
  return existsSync(join(directory, MANIFEST)) ? readManifest(directory) : null;
};

/** What a file was played on and by as its first game says, if it does: else the standard map and the default rules. */
const saidIn = (file: string, by: Partial<PlayedBy>): PlayedBy => {
  const said = new GameCursor();
  try {
    for (const { bytes, where } of gamesOfShard(file)) {
      said.open(bytes, where);
      break;
    }
  } catch {
    // Its reader says what is wrong with it.
  }
  const { map = 'standard', rules = DEFAULT_RULES.name } = said;
  return { map: by.map ?? loadMap(map), rules: by.rules ?? ruleSetByName(rules) };
};

/**
 * The shards of a directory, or one shard alone. Without a manifest next to them: what the games say themselves.
 * @param by what to take instead of what the manifest says; the map must be the same
 * @throws LepantoError if there are none, or if their map or rules are not those of today
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

/** A game of some records, or what is wrong with them. */
export interface FoundRecord {
  /** The file, or the directory. */
  readonly where: string;
  /** Bytes of all files read so far. */
  readonly bytes: number;
  /** A cursor that has the game open, until the next one is found; null if something is wrong. */
  readonly game: GameCursor | null;
  /** What is wrong; null for a game. */
  readonly error: string | null;
  /** True if the error is that games are not there. */
  readonly missing: boolean;
}

/** Numbers of games: the first and the last of each stretch. */
export type Stretches = [begin: number, end: number][];

/** So many stretches are named. */
const MOST_STRETCHES = 10;

const addStretch = (to: Stretches, begin: number, end: number): void => {
  const last = to.at(-1);
  if (last !== undefined && last[1] + 1 === begin) last[1] = end;
  else if (begin <= end) to.push([begin, end]);
};

/** 'games 3, 256 to 511 are missing' */
const describeMissing = (stretches: Stretches): string => {
  const named = stretches
    .slice(0, MOST_STRETCHES)
    .map(([begin, end]) => (begin === end ? String(begin) : `${begin} to ${end}`));
  const more = stretches.length - named.length;
  const isOne = stretches.length === 1 && stretches[0][0] === stretches[0][1];
  return `${isOne ? 'game' : 'games'} ${named.join(', ')}${more > 0 ? ` and ${more} more stretches` : ''} ${isOne ? 'is' : 'are'} missing`;
};

/** Reads one file of some records. */
class ShardReader {
  private readonly shard = shardNumber(this.file);
  /** Numbers of the games that the file should have: the first, and the one after the last. Null where nothing says so. */
  private readonly range =
    this.source.manifest === null || this.shard === null ? null : shardRange(this.source.manifest, this.shard);
  private next: number = this.range?.[0] ?? 0;
  private games = 0;
  /** Games that could not be read since the last one that could. */
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

  /** Counts the game, if it is in its place. */
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

  /** What was not there before a game, unless it could not be read. */
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

  /** What is wrong with the file as a whole. */
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
 * The games of one file of some records, and what is wrong among them.
 * @param missing takes the numbers of games that the file should have and has not
 * @param bytes of the files before
 */
export function* gamesIn(source: Source, file: string, missing: Stretches, bytes = 0): Generator<FoundRecord, number> {
  const reader = new ShardReader(source, file, missing, bytes);
  yield* reader.read();
  return reader.bytes;
}

/** Why a file is none of the shards of its run; null if it is one. */
export const findStray = (manifest: Manifest | null, file: string): string | null => {
  const shard = shardNumber(file);
  if (manifest === null || shard === null) return null;
  if (shard < shardCount(manifest) && shardName(shard) === basename(file)) return null;
  return `got a shard that is none of the run, which has ${manifest.games} games`;
};

/** Finds the games that a run lacks, as its files are read one after the other. */
export class MissingGames {
  /** Numbers of games that are not there. */
  readonly stretches: Stretches = [];
  private next = 0;
  private readonly isWhole: boolean = this.source.manifest !== null && isDirectory(this.source.path);

  constructor(private readonly source: Source) {}

  /** Notes the shards before a file. @returns why it is no file of the run; null if it is one */
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

  /** Adds what a file lacks. */
  add(stretches: Stretches): void {
    this.stretches.push(...stretches);
  }

  /** 'games 256 to 511 are missing', after the last file; null if none is. */
  end(): string | null {
    const { manifest } = this.source;
    if (manifest !== null && this.isWhole) this.skipTo(shardCount(manifest));
    const sorted: Stretches = [];
    for (const [begin, end] of this.stretches.sort(([a], [b]) => a - b)) addStretch(sorted, begin, end);
    return sorted.length === 0 ? null : describeMissing(sorted);
  }
}

/** The games of the shards that the directory of a run lacks, in words; null if it lacks none. */
export const describeLack = (source: Source): string | null => {
  const missing = new MissingGames(source);
  for (const file of source.files) missing.before(file);
  const lack = missing.end();
  return lack === null ? null : `${source.path}: ${lack}`;
};

/**
 * The games of a source, one at a time, and all that is missing or wrong among them. Their content is not checked:
 * verified() does that.
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

/** 'game 3, F1902M, A BUD - SER: recorded as succeeds, wanted fails' */
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
 * Adjudicates a game of some records again.
 * @param game a cursor that has it open
 * @returns the positions of its phases, valid until the next call in this thread
 * @throws LepantoError that names the first phase and the order that differ. A game of a run must begin as its map does
 */
export const verified = (source: Source, game: GameCursor): Replay =>
  playAgain(source, game, { anyStart: source.manifest === null });

/**
 * The positions of a game that need not begin or end as its map says, nor follow from each other where all are recorded.
 * @returns and @throws as verified()
 */
export const replayed = (source: Source, game: GameCursor): Replay =>
  playAgain(source, game, { anyStart: true, anyEnd: true, anyStates: true });

/** The positions of a game of a file that is known to be whole. @returns and @throws as verified() */
export const trusted = (source: Source, game: GameCursor): Replay =>
  playAgain(source, game, { anyStart: true, anyEnd: true, isTrusted: true });

/** A game of some records as objects, with all its positions. @throws LepantoError as verified() does */
export const wholeRecord = (source: Source, game: GameCursor): GameRecord => verified(source, game).record(game);
