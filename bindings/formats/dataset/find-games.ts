// Finds the recorded games of a dataset: which files there are, what they were played by, and where each game lies. No
// game is read for that.
import { existsSync } from 'node:fs';
import type { CompiledMap } from '../../../engine/internal.js';
import { DEFAULT_RULES, type RuleSet, ruleSetByName } from '../../../engine/notation/text/index.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { placesOfShard } from '../../../selfplay/records/shard-file.js';
import { isDirectory, noShards, placesOfGames, shardsOf } from '../games/read.js';
import { describeLack, openSource, type Source } from '../games/recorded-run.js';
import { openMap } from '../maps/open-map.js';

/** What is read, and by what. */
export interface FoundBy {
  /** Runs, shards and files of saved games. */
  readonly paths: readonly string[];
  /** Name or path of a map; null for that of the runs, or the standard map. */
  readonly map: string | null;
  /** Name of rules; null for those of the runs, or DATC 3.2. */
  readonly rules: string | null;
}

/** A file of games. */
export interface GameFile {
  readonly path: string;
  /** The records that it belongs to; null for games of other programs. */
  readonly source: Source | null;
}

/** All files of a dataset, always in the same order. */
export interface Files {
  readonly files: readonly GameFile[];
  readonly map: CompiledMap;
  /** Every agent of the runs with its number, in alphabetical order. */
  readonly agents: ReadonlyMap<string, number>;
  /** Of saved games; each run has its own. */
  readonly rules: RuleSet;
  /** Games of runs whose shards are not there, in words. */
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

/** @throws LepantoError that names what was got and what was wanted: a path, or runs on maps that differ */
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

/** Where the games lie, in the order of the files. */
export interface Places {
  readonly count: number;
  /** In shared memory, by game: the file, where the game begins in it, its bytes, and its place among those of the path. */
  readonly file: Int32Array;
  readonly offset: Float64Array;
  readonly length: Float64Array;
  readonly number: Int32Array;
  /** By file, in shared memory too: what workers have found out about its checksum (decode-games.ts). */
  readonly checked: Uint8Array;
}

/** @throws LepantoError that names the file and the offset, if it is no file of games */
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
