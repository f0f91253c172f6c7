// Finds the games of `lepanto arena --out DIR`: DIR holds one run for each arena (`1`, `2` and so on), next to
// arena.json.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LepantoError } from '../../../engine/rules/error.js';
import { ARENA_FILE, MANIFEST } from '../../../selfplay/records/manifest.js';
import { isDirectory } from './read.js';

/** True for a directory that `lepanto arena --out` has written. */
export const isArena = (path: string): boolean => isDirectory(path) && existsSync(join(path, ARENA_FILE));

/**
 * Returns the paths of the runs in an arena's directory, ascending by number.
 * @param arena number of one arena, from 1; undefined for all
 * @throws LepantoError if there are none
 */
export const runsOfArena = (path: string, arena: number | undefined): string[] => {
  const runs = readdirSync(path)
    .filter((name) => /^[1-9]\d{0,8}$/.test(name) && existsSync(join(path, name, MANIFEST)))
    .filter((name) => arena === undefined || arena === Number(name))
    .sort((a, b) => Number(a) - Number(b));
  if (runs.length > 0) return runs.map((name) => join(path, name));
  const of = arena === undefined ? '' : ` of arena ${arena}`;
  throw new LepantoError('file', `${path}: got no games${of}, wanted the games of lepanto arena --out DIR`);
};
