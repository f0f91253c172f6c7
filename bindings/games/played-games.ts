// Reads recorded games of any format under a path and plays them by Lepanto's rules: saved games of other programs, and
// records of Lepanto.
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type CompiledMap, loadMap, presetNames } from '../../engine/internal.js';
import { MANIFEST, readManifest, rulesOfRun } from '../../selfplay/records/manifest.js';
import { decodeGame, type StoredGame } from '../../selfplay/records/record.js';
import { gamesOfShard } from '../../selfplay/records/shard-file.js';
import { fillStates } from '../../selfplay/records/verify.js';
import { DEFAULT_RULES, type RuleSet, ruleSetByName } from '../text/index.js';
import { checkRecord } from './check-record.js';
import type { RawGame } from './raw.js';
import { readGames, shardsOf } from './read.js';
import { agrees, type Disagreement, type Replayed, replayRaw } from './replay-raw.js';

/** A game of a file before it is played. */
interface Item {
  readonly where: string;
  readonly bytes: number;
  readonly raw: RawGame | null;
  readonly record: StoredGame | null;
  readonly error: string | null;
}

/** Skips a game of a shard that cannot be read; if its end is unknown, the rest of the shard too. */
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
}

const playItem = (
  { where, bytes, raw, record, error }: Item,
  usual: CompiledMap,
  rules: RuleSet,
  index: number,
): PlayedGame => {
  const found = { where, bytes, raw, map: usual, replayed: null, error: null };
  try {
    if (record !== null) {
      const whole = fillStates(usual, rules.adjudication, record, `game ${record.index}`);
      // Making the missing positions checks the record.
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

/** The map and the rules of games. */
export interface PlayedBy {
  /** The map of Lepanto's records; games of other programs name their own. */
  readonly map: CompiledMap;
  /** Rules of adjudication, and for games of other programs those of reading orders. */
  readonly rules: RuleSet;
}

/**
 * The map and the rules for the games under a path: as given, else as the manifest.json of a run says, else the standard
 * map and DATC 3.2.
 * @param map name of a map, see loadMap()
 * @param rules name of rules, see ruleSetByName()
 */
export const playedBy = (path: string, map?: string, rules?: string): PlayedBy => {
  const directory = statSync(path).isDirectory() ? path : dirname(path);
  const isRun = shardsOf(path).length > 0 && existsSync(join(directory, MANIFEST));
  const manifest = isRun ? readManifest(directory) : null;
  const name = rules ?? (manifest === null ? DEFAULT_RULES.name : rulesOfRun(manifest).name);
  return { map: loadMap(map ?? manifest?.map.name ?? 'standard'), rules: ruleSetByName(name) };
};

/** A manifest that is not needed is not read. */
const isWhole = (by: Partial<PlayedBy>): by is PlayedBy => by.map !== undefined && by.rules !== undefined;

/**
 * All games under a path, one at a time. A file holds one saved game, or one on each line, of the package `diplomacy`, of
 * dipcc or of webDiplomacy; the format of each is detected. A games-*.lep, or a directory of them, holds a run of
 * Lepanto. No more than one game is in memory. Games that cannot be read or played have an `error` and take no index.
 * @param by.map of Lepanto's records; default: that of the run, or the standard map
 * @param by.rules default: those of the run, or DATC 3.2
 * @throws Error if there is no such file
 */
export function* playedGames(path: string, by: Partial<PlayedBy> = {}): Generator<PlayedGame> {
  const { map, rules } = isWhole(by) ? by : { ...playedBy(path), ...by };
  let index = 0;
  for (const item of items(path)) {
    const played = playItem(item, map, rules, index);
    if (played.replayed !== null) index++;
    yield played;
  }
}

/**
 * The rules of the package `diplomacy`: an army without its convoy goes by land if it can, and civil disorder removes the
 * units farthest from home.
 */
export const PACKAGE_RULES = 'datc-3.2,convoyFallback=unordered,disorderGoal=home,disorderMeasure=d';

/** Presets, and rules of programs that record games, under which a game replays without a disagreement. */
const fittingRules = (raw: RawGame, tried: RuleSet): string[] => {
  const map = loadMap(raw.map);
  return [...presetNames, PACKAGE_RULES].filter((name) => name !== tried.name && agrees(map, ruleSetByName(name), raw));
};

/** The disagreements of a game, and the rules that fit it. */
export interface Misfit {
  readonly where: string;
  readonly id: string;
  readonly disagreements: readonly Disagreement[];
  /** Names of rules under which nothing disagrees. */
  readonly fits: readonly string[];
}

/** Null if the game agrees, or was not played. */
export const misfitOf = ({ where, raw, replayed }: PlayedGame, rules: RuleSet): Misfit | null => {
  if (raw === null || replayed === null || replayed.disagreements.length === 0) return null;
  return { where, id: raw.id, disagreements: replayed.disagreements, fits: fittingRules(raw, rules) };
};

/** Joins rules by ' or ', because the options of one are joined by commas. */
const listRules = (names: readonly string[]): string => names.join(' or ');

/** 'line 3: F1902M A PAR: unit: recorded FRANCE, here none, and 2 more; it fits the rules 1971 or dptg' */
export const formatMisfit = ({ where, disagreements, fits }: Misfit): string => {
  const [first] = disagreements;
  const more = disagreements.length > 1 ? `, and ${disagreements.length - 1} more` : '';
  const preset = fits.length > 0 ? `; it fits the rules ${listRules(fits)}` : '';
  return `${where}: ${first.phase}${first.unit === '' ? '' : ` ${first.unit}`}: ${first.what}${more}${preset}`;
};
