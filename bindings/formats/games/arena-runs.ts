// The games that `lepanto arena --out DIR` keeps: DIR has a run for each seating, `1-1`, `1-2`, ... of its first arena, and
// arena.json says which games each has.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LepantoError } from '../../../engine/rules/error.js';
import { readKeptArenas } from '../../../selfplay/arena/kept-games.js';
import { ARENA_FILE, MANIFEST } from '../../../selfplay/records/manifest.js';
import { isDirectory } from './read.js';

/** True for a directory that an arena keeps its games in. */
export const isArena = (path: string): boolean => isDirectory(path) && existsSync(join(path, ARENA_FILE));

const numbersOf = (name: string): [arena: number, seating: number] | null => {
  const found = /^([1-9]\d{0,8})-([1-9]\d{0,8})$/.exec(name);
  return found === null ? null : [Number(found[1]), Number(found[2])];
};

const refuse = (path: string, got: string, wanted: string): never => {
  throw new LepantoError('file', `${path}: got ${got}, wanted ${wanted}`);
};

/**
 * The directories of the runs of an arena's directory, in the order of their numbers.
 * @param arena of which arena, from 1; undefined for all
 * @throws LepantoError if there are none
 */
export const runsOfArena = (path: string, arena: number | undefined): string[] => {
  const runs = readdirSync(path)
    .flatMap((name) => {
      const numbers = numbersOf(name);
      const isWanted = numbers !== null && (arena === undefined || numbers[0] === arena);
      return isWanted && existsSync(join(path, name, MANIFEST)) ? [{ name, numbers }] : [];
    })
    .sort((a, b) => a.numbers[0] - b.numbers[0] || a.numbers[1] - b.numbers[1]);
  const of = arena === undefined ? '' : ` of arena ${arena}`;
  if (runs.length === 0) refuse(path, `no games${of}`, 'those that lepanto arena --out DIR keeps');
  return runs.map(({ name }) => join(path, name));
};

/**
 * Where a game of an arena lies.
 * @param arena from 1
 * @param game its number in the arena
 * @returns the directory of its run, and its number there
 * @throws LepantoError if there is no such game
 */
export const placeInArena = (path: string, arena: number, game: number): { run: string; number: number } => {
  const { arenas } = readKeptArenas(join(path, ARENA_FILE));
  const found = arenas[arena - 1];
  if (found === undefined) return refuse(path, `arena ${arena}`, `1 to ${arenas.length}`);
  if (game >= found.games.length) return refuse(path, `game ${game} of arena ${arena}`, `one of ${found.games.length}`);
  const { seating, number } = found.placeOf(game);
  return { run: join(path, `${arena}-${seating}`), number };
};
