// Finds the files of a dataset of recorded games, their map and rules, and the place of each game. Reads no games.
import { existsSync } from 'node:fs';
import type { CompiledMap } from '../../../engine/internal.js';
import { DEFAULT_RULES, type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { placesOfShard } from '../../../selfplay/records/shard-file.js';
import { isDirectory, noShards, placesOfGames, shardsOf } from '../games/read.js';
import { describeLack, openSource, type Source } from '../games/recorded-run.js';
import { openMap } from '../maps/open-map.js';

/** Files to read, and their map and rules. */
export interface FoundBy {
  /** Paths of runs, shards and files of saved games. */
  readonly paths: readonly string[];
  /** Name or path of the map; null for the map of the runs, or the standard map. */
  readonly map: string | null;
  /** Name of the rules; null for the rules of the runs, or DATC 3.2. */
  readonly rules: string | null;
}

/** A file with recorded games: a shard, or a file of another program. */
export interface GameFile {
  readonly path: string;
  /** Run or shard that the file belongs to; null for a file with games of other programs. */
  readonly source: Source | null;
}

/** All files of a dataset, in an order that depends on the paths only. */
export interface Files {
  readonly files: readonly GameFile[];
  readonly map: CompiledMap;
  /** Numbers of all agents of the runs from 0, keyed by name, in alphabetical order. */
  readonly agents: ReadonlyMap<string, number>;
  /** Rules for saved games. Each run has its own rules. */
  readonly rules: RuleSet;
  /** Descriptions of missing shards of the runs. */
  readonly missing: readonly string[];
}

const sourcesOf = (path: string, by: FoundBy): GameFile[] => {
  if (!existsSync(path)) throw new LepantoError('file', `paths: got ${path}, wanted a file or a directory that exists`);
  const shards = shardsOf(path);
  if (shards.length === 0 && isDirectory(path)) throw noShards(path);
  if (shards.length === 0) return [{ path, source: null }];
  const source = openSource(path, {
    ...(by.map === null ? {} : { map: openMap(by.map) }),
    ...(by.rules === null ? {} : { rules: ruleSetByName(by.rules) }),
  });
  return shards.map((shard) => ({ path: shard, source }));
};

/** Opens the files of a dataset. @throws LepantoError that names a path without games, or runs on different maps */
export const openFiles = (by: FoundBy): Files => {
  const files = by.paths.flatMap((path) => sourcesOf(path, by));
  const maps = files.flatMap(({ source }) => source?.map ?? []);
  const map = by.map !== null ? openMap(by.map) : (maps[0] ?? openMap('standard'));
  const other = maps.find(({ id }) => id !== map.id);
  if (other !== undefined)
    throw new LepantoError(
      'argument',
      `paths: got games on the maps ${map.name} and ${other.name}, wanted one map for all`,
    );
  const missing = [...new Set(files.map(({ source }) => source))].flatMap((source) =>
    source === null ? [] : (describeLack(source) ?? []),
  );
  const names = [...new Set(files.flatMap(({ source }) => source?.manifest?.agents ?? []))].sort();
  const agents = new Map(names.map((name, number) => [name, number]));
  return { files, map, agents, rules: ruleSetByName(by.rules ?? DEFAULT_RULES.name), missing };
};

/** Places of the games, in the order of the files. The arrays are in shared memory. */
export interface Places {
  readonly count: number;
  /** Index in Files.files of each game's file, indexed by game. */
  readonly file: Int32Array;
  /** Byte offset of each game in its file, indexed by game. */
  readonly offset: Float64Array;
  /** Size of each game in bytes, indexed by game. */
  readonly length: Float64Array;
  /** Index of each game in its file, indexed by game. */
  readonly number: Int32Array;
  /**
   * Result of checking each shard against its table, indexed by file: not checked yet, valid or not valid
   * (replay-games.ts).
   */
  readonly checked: Uint8Array;
}

/**
 * Finds the places of all games.
 * @throws LepantoError that names the file and the offset if a file has no valid games
 */
export const findGames = ({ files }: Files): Places => {
  const found = files.map(({ path, source }) => (source === null ? placesOfGames(path) : placesOfShard(path)));
  const count = found.reduce((sum, { length }) => sum + length, 0);
  const places: Places = {
    count,
    file: new Int32Array(new SharedArrayBuffer(4 * count)),
    offset: new Float64Array(new SharedArrayBuffer(8 * count)),
    length: new Float64Array(new SharedArrayBuffer(8 * count)),
    number: new Int32Array(new SharedArrayBuffer(4 * count)),
    checked: new Uint8Array(new SharedArrayBuffer(files.length)),
  };
  let i = 0;
  for (const [file, games] of found.entries())
    for (const [number, { offset, length }] of games.entries()) {
      places.file[i] = file;
      places.offset[i] = offset;
      places.length[i] = length;
      places.number[i++] = number;
    }
  return places;
};
