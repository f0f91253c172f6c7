// Finds and reads imported games under a directory: saved games of other programs, and records without a run's
// manifest. The content of a file decides, not only its name.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadMap } from '../../engine/internal.js';
import { DEFAULT_RULES } from '../../engine/notation/text/index.js';
import { LepantoError } from '../../engine/rules/error.js';
import type { GameRecord } from '../../selfplay/games/game-record.js';
import { GameCursor } from '../../selfplay/records/game-cursor.js';
import { type GameTable, GameTableWriter } from '../../selfplay/records/game-table.js';
import { shardNumber } from '../../selfplay/records/manifest.js';
import { packGame } from '../../selfplay/records/record.js';
import { Replay } from '../../selfplay/records/verify.js';
import { LiveIndex } from '../find/make-index.js';
import { playFound } from '../formats/games/played-games.js';
import { placesOfGames, readGameIn } from '../formats/games/read.js';
import { type FoundRecord, openSource, type Source } from '../formats/games/recorded-run.js';
import { RunIndex, stampOf } from './run-index.js';

/**
 * MOST_FILES: largest number of files that are examined in a directory. LOOKED_AT: number of bytes that are read of
 * each.
 */
const MOST_FILES = 1000;
const LOOKED_AT = 1 << 16;
/** Largest file that is opened, in bytes. Larger files are listed, and opening them raises an error. */
const MOST_BYTES = 256 << 20;

const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Returns the first LOOKED_AT bytes of a file as text; '' if it cannot be read. */
const beginningOf = (path: string): string => {
  try {
    const fd = openSync(path, READ_ONLY);
    try {
      const begin = Buffer.alloc(LOOKED_AT);
      return fstatSync(fd).isFile() ? begin.toString('utf8', 0, readSync(fd, begin)) : '';
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
};

/** Examined files, keyed by path: stamp of the file's version, and whether it has games. */
const looked = new Map<string, { readonly stamp: string; readonly has: boolean }>();
const MOST_LOOKED = 100_000;

/**
 * True if a file begins like a saved game of the package `diplomacy`. Remembers the result for each version of the
 * file.
 */
const beginsAsGame = (path: string): boolean => {
  const stamp = stampOf(path);
  if (stamp === null) return false;
  const known = looked.get(path);
  if (known?.stamp === stamp) return known.has;
  const text = beginningOf(path);
  const has = /^\uFEFF?\s*\{/.test(text) && /"(phases|state_history)"\s*:\s*[[{]/.test(text);
  if (looked.size > MOST_LOOKED) looked.clear();
  looked.set(path, { stamp, has });
  return has;
};

/**
 * Returns the imported games in a directory that is not a run: '' for records in the directory itself, and names of
 * files with games. Names at most MOST_FILES files.
 * @param path the directory
 * @param files names of the directory's files
 */
export const importsIn = (path: string, files: readonly string[]): string[] => {
  const isShard = (name: string): boolean => shardNumber(name) !== null;
  const isSaved = (name: string): boolean => /\.(json|jsonl|ndjson)$/i.test(name) && beginsAsGame(join(path, name));
  const others = files
    .filter((name) => !isShard(name) && /\.(json|jsonl|ndjson|lep)$/i.test(name))
    .slice(0, MOST_FILES)
    .filter((name) => name.endsWith('.lep') || isSaved(name));
  return files.some(isShard) ? ['', ...others] : others;
};

/** Returns 'JSON' for saved games of other programs, 'records' for Lepanto's records. */
export const kindOf = (path: string): string => (/\.(json|jsonl|ndjson)$/i.test(path) ? 'JSON' : 'records');

/**
 * Index of the games in a file of saved games. Each game is played by Lepanto's rules, and numbered by its place in the
 * file from 0.
 */
class SavedIndex extends RunIndex {
  private stamp: string | null = null;

  override refresh(): void {
    const { path } = this.source;
    const stamp = stampOf(path);
    if (stamp === this.stamp || stamp === null) return;
    this.stamp = stamp;
    this.shards.clear();
    this.waiting = placesOfGames(path)
      .map((place, shard) => ({ shard, path, stamp, place }))
      .reverse();
  }

  override advance(): boolean {
    const next = this.waiting.pop();
    if (next?.place === undefined) return false;
    const { shard, path, stamp, place } = next;
    this.version++;
    try {
      this.shards.set(shard, {
        path,
        stamp,
        table: this.tableOf({ ...this.play(path, place), index: shard }),
        places: [place],
      });
    } catch (error) {
      this.faults.set(shard, `game ${shard}: ${(error as Error).message}`);
    }
    return true;
  }

  private tableOf(record: GameRecord): GameTable {
    const { map, rules } = this.source;
    const game = new GameCursor().open(packGame(record));
    const replay = new Replay(map, rules.adjudication);
    const difference = replay.play(game, { anyStart: true, anyEnd: true, anyStates: true });
    if (difference !== null) throw new LepantoError('record', `${difference.phase}: ${difference.what}`);
    const made = new GameTableWriter(map, rules.adjudication);
    made.add(game, replay);
    return made.table();
  }

  private play(path: string, place: { readonly offset: number; readonly length: number }): GameRecord {
    const { map, rules } = this.source;
    const game = readGameIn(path, place);
    const { replayed, error, map: own } = playFound({ where: 'file', game, error: null, bytes: 0 }, { map, rules });
    if (replayed === null) throw new LepantoError('record', error ?? 'cannot be played');
    if (own.id !== map.id)
      throw new LepantoError('record', `map: got ${own.name}, wanted ${map.name} as the first game`);
    return replayed.record;
  }

  override whole(number: number): GameRecord | null {
    const found = this.placeOf(number);
    return found === null ? null : { ...this.play(found[0].path, found[1]), index: number };
  }

  override read(number: number): GameCursor | null {
    const game = this.whole(number);
    return game === null ? null : new GameCursor().open(packGame(game), `game ${number}`);
  }

  override searchable(): LiveIndex {
    return new LiveIndex(this.source, () => this.found());
  }

  private *found(): Generator<FoundRecord> {
    const { path } = this.source;
    const at = { where: basename(path), bytes: 0, missing: false };
    for (const [index, place] of placesOfGames(path).entries())
      try {
        const record = { ...this.play(path, place), index };
        yield { ...at, game: new GameCursor().open(packGame(record), `game ${index}`), error: null };
      } catch (error) {
        yield { ...at, game: null, error: `game ${index}: ${(error as Error).message}` };
      }
  }
}

/** Returns the map of the first game in a file of saved games; the standard map if it cannot be read. */
const mapOfSaved = (path: string) => {
  const [first] = placesOfGames(path);
  try {
    return loadMap(readGameIn(path, first).map);
  } catch {
    return loadMap('standard');
  }
};

/**
 * Opens the index of imported games. @param path file of games, or directory of records
 * @throws LepantoError if they cannot be read, or if the file is larger than MOST_BYTES
 */
export const openImported = (path: string): RunIndex => {
  const { size } = lstatSync(path);
  if (size > MOST_BYTES)
    throw new LepantoError('file', `${basename(path)}: got ${size} bytes, wanted at most ${MOST_BYTES}`);
  if (kindOf(path) === 'records') return new RunIndex(openSource(path));
  const source: Source = { path, files: [path], manifest: null, map: mapOfSaved(path), rules: DEFAULT_RULES };
  return new SavedIndex(source);
};
