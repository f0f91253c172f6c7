// Reads recorded games of any format under a path, and replays them: saved games of other programs, and shards of
// Lepanto.
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

/**
 * A game of a file, replayed under chosen rules, or the reason why it could not be. A record of Lepanto is replayed
 * under the rules of its run.
 */
export interface PlayedGame {
  /** Place of the game: 'line 3', 'file', or the path of a shard. */
  readonly where: string;
  /** Bytes read so far, of the file or of all shards. */
  readonly bytes: number;
  /** The game as in the file. Null for a record of Lepanto, or if the file is invalid. */
  readonly raw: RawGame | null;
  /** The game as a record, with its disagreements. Null if `error` is set. */
  readonly replayed: Replayed | null;
  /** Map of the game. */
  readonly map: CompiledMap;
  /** Reason why the game could not be read or replayed; null if it could. */
  readonly error: string | null;
  /** True if the entry stands for games that are missing from the run. */
  readonly missing: boolean;
}

/**
 * Returns all positions of a game. Outside a run the positions need not follow from the orders.
 * @throws LepantoError if the game cannot be replayed, or in a run if it differs from its replay
 */
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

/** Replays a game of another program. A failure is returned as its `error`. @param index index for its record */
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
 * Yields all games under a path, one at a time; only one is in memory. A file holds one saved game, or one per line, of
 * the package `diplomacy`, of dipcc or of webDiplomacy; the format is detected. A games-*.lep file, or a directory with
 * such files, holds a run of Lepanto. Games that cannot be read or replayed have an `error` and no index. Damaged files
 * of a run, and at the end its missing games, are entries with an `error` too.
 * @param by.map map for records of Lepanto; default: the map of the run, or the standard map
 * @param by.rules default: the rules of the run, or DATC 3.2
 * @throws LepantoError if the file does not exist, or if the map or rules of a run differ from the current version
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
