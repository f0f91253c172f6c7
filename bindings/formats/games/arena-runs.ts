// The games that `lepanto arena --out DIR` keeps: DIR has a run for each arena, `1`, `2` and so on, next to arena.json.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LepantoError } from '../../../engine/rules/error.js';
import { ARENA_FILE, MANIFEST } from '../../../selfplay/records/manifest.js';
import { isDirectory } from './read.js';

/** True for a directory that an arena keeps its games in. */
export const isArena = (path: string): boolean => isDirectory(path) && existsSync(join(path, ARENA_FILE));

/**
 * The directories of the runs of an arena's directory, in the order of their numbers.
 * @param arena of which arena, from 1; undefined for all
 * @throws LepantoError if there are none
 */
export const runsOfArena = (path: string, arena: number | undefined): string[] => {
  const runs = readdirSync(path)
    .filter((name) => /^[1-9]\d{0,8}$/.test(name) && existsSync(join(path, name, MANIFEST)))
    .filter((name) => arena === undefined || arena === Number(name))
    .sort((a, b) => Number(a) - Number(b));
  if (runs.length > 0) return runs.map((name) => join(path, name));
  const of = arena === undefined ? '' : ` of arena ${arena}`;
  throw new LepantoError('file', `${path}: got no games${of}, wanted those that lepanto arena --out DIR keeps`);
};
