// Loads the maps that ship with Lepanto, by name.
import { rows1898 } from './1898.js';
import { ancmedRows } from './ancmed.js';
import { chaosRows } from './chaos.js';
import { compileMap } from './compile.js';
import type { CompiledMap, MapRows } from './compiled-map.js';
import { pureRows } from './pure.js';
import { standard } from './standard.js';
import { openingRows } from './standard-openings.js';

const shipped = [standard.rows, rows1898, ancmedRows, chaosRows, pureRows, ...openingRows];
const compiled = new Map<string, CompiledMap>([[standard.name, standard]]);

/** Names that loadMap() knows. */
export const mapNames: readonly string[] = shipped.map((rows) => rows.name);

/**
 * The map of that name, in any case; the same object each time.
 * @throws Error that lists the known names
 */
export const loadMap = (name: string): CompiledMap => {
  const wanted = name.toLowerCase();
  const known = compiled.get(wanted);
  if (known !== undefined) return known;
  const rows = shipped.find((candidate) => candidate.name === wanted);
  if (rows === undefined) throw new Error(`map: got "${name}", wanted one of ${mapNames.join(', ')}`);
  const map = compileMap(rows);
  compiled.set(wanted, map);
  return map;
};

const added = new Map<string, MapRows>();

/** The rows of the maps that addMap() was given: what other threads must add too. */
export const addedMaps = (): readonly MapRows[] => [...added.values()];

/**
 * Makes a map that does not ship with Lepanto known to loadMap() by its name; adding it twice does nothing.
 * @throws Error if its rows contradict each other, or another map has that name
 */
export const addMap = (rows: MapRows): CompiledMap => {
  const map = compileMap(rows);
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(map.name))
    throw new Error(`map: got the name "${map.name}", wanted small letters, digits, - and _`);
  if (mapNames.includes(map.name) || compiled.has(map.name)) {
    const there = loadMap(map.name);
    if (there.id !== map.id) throw new Error(`map: got the name ${map.name}, which another map has`);
    return there;
  }
  compiled.set(map.name, map);
  added.set(map.name, rows);
  return map;
};
