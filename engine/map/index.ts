// Loads the maps that ship with Lepanto, by name.
import { rows1898 } from './1898.js';
import { ancmedRows } from './ancmed.js';
import { chaosRows } from './chaos.js';
import { compileMap } from './compile.js';
import type { CompiledMap } from './compiled-map.js';
import { standard } from './standard.js';

const shipped = [standard.rows, rows1898, ancmedRows, chaosRows];
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
