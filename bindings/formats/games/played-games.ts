// Reads recorded games of any format under a path and plays them by Lepanto's rules: saved games of other programs, and
// records of Lepanto.
import { statSync } from 'node:fs';
import { type CompiledMap, loadMap } from '../../../engine/internal.js';
import { DEFAULT_RULES } from '../../../engine/notation/text/index.js';
import type { GameCursor } from '../../../selfplay/records/game-cursor.js';
import type { Replay } from '../../../selfplay/records/verify.js';
import type { RawGame } from './raw.js';
import { type Found, readGames, shardsOf } from './read.js';
import {
  type FoundRecord,
  openSource,
  type PlayedBy,
  recordsOf,
  replayed,
  type Source,
  verified,
} from './recorded-run.js';
import { type Replayed, replayRaw, unquestioned } from './replay-raw.js';

/** A game of a file, played by Lepanto's rules (its own records are not played again), or why it could not be played. */
export interface PlayedGame {
  /** Its place: 'line 3', 'file', or the path of a shard. */
  readonly where: string;
  /** Bytes of the file, or of all shards, read so far. */
  readonly bytes: number;
  /** The game as in the file; null for a record of Lepanto, or if nothing could be read. */
  readonly raw: RawGame | null;
  /** The game as a record, and its disagreements; null if `error` says why there is none. */
  readonly replayed: Replayed | null;
  /** The map on which it was played. */
  readonly map: CompiledMap;
  /** What is wrong with it; null if it was played. */
  readonly error: string | null;
  /** True if it stands for games that the run should have and has not. */
  readonly missing: boolean;
}

/** The positions of a game. Outside a run it may go on from positions that its orders do not lead to. */
export const filled = (source: Source, game: GameCursor): Replay =>
  source.manifest === null ? replayed(source, game) : verified(source, game);

const playRecord = ({ game, ...found }: FoundRecord, source: Source): PlayedGame => {
  const unplayed = { ...found, raw: null, map: source.map, replayed: null };
  if (game === null) return unplayed;
  try {
    return { ...unplayed, replayed: unquestioned(filled(source, game).record(game)) };
  } catch (problem) {
    return { ...unplayed, error: (problem as Error).message };
  }
};

/** Plays a game of others. @param index of its record */
export const playFound = ({ where, bytes, game: raw, error }: Found, by: PlayedBy, index = 0): PlayedGame => {
  const unplayed = { where, bytes, raw, map: by.map, replayed: null, error, missing: false };
  if (raw === null) return unplayed;
  try {
    const map = loadMap(raw.map);
    return { ...unplayed, map, replayed: replayRaw(map, by.rules, raw, index) };
  } catch (problem) {
    return { ...unplayed, error: (problem as Error).message };
  }
};

/**
 * All games under a path, one at a time. A file holds one saved game, or one on each line, of the package `diplomacy`, of
 * dipcc or of webDiplomacy; the format of each is detected. A games-*.lep, or a directory of them, holds a run of
 * Lepanto. No more than one game is in memory. Games that cannot be read or played have an `error` and take no index; so
 * have files of a run that are not as its manifest and its checks say, and, at the end, the games that are missing.
 * @param by.map of Lepanto's records; default: that of the run, or the standard map
 * @param by.rules default: those of the run, or DATC 3.2
 * @throws LepantoError if there is no such file, or if the map or the rules of a run are not those of today
 */
export function* playedGames(path: string, by: Partial<PlayedBy> = {}): Generator<PlayedGame> {
  statSync(path);
  const source = shardsOf(path).length > 0 ? openSource(path, by) : null;
  if (source !== null) {
    for (const found of recordsOf(source)) yield playRecord(found, source);
    return;
  }
  const playedBy = { map: by.map ?? loadMap('standard'), rules: by.rules ?? DEFAULT_RULES };
  let index = 0;
  for (const found of readGames(path)) {
    const played = playFound(found, playedBy, index);
    if (played.replayed !== null) index++;
    yield played;
  }
}
