// Loads maps by name. A name may include options and changes (map-options.ts).
//
// The rows of these maps are JSON files, generated once from shared map facts:
//
//   standard.json   the standard map
//   ancmed.json     Ancient Mediterranean (Don Hessong); only fleets and convoyed armies reach BAL, CRE and CYP
//   colonial.json   Colonial Diplomacy (Peter Hawes): Asia in 1870
//   loeb9.json      Loeb 9 (Danny Loeb): Europe with Norway and Spain as powers
//   pure.json       the seven capitals, each adjacent to all others
import { LepantoError } from '../rules/error.js';
import ancmed from './ancmed.json' with { type: 'json' };
import colonial from './colonial.json' with { type: 'json' };
import { compileMap } from './compile.js';
import type { CompiledMap, MapRows } from './compiled-map.js';
import loeb9 from './loeb9.json' with { type: 'json' };
import { type MapChanges, readMapChanges, withMapChanges } from './map-options.js';
import pure from './pure.json' with { type: 'json' };
import { standard } from './standard.js';
import * as openings from './standard-openings.js';

/** Rows of the maps that ship with Lepanto, in the order in which they are listed. */
const shipped = [
  standard.rows,
  openings.year1898,
  ancmed,
  openings.chaos,
  pure,
  openings.fleetRome,
  openings.franceAustria,
  openings.germanyItaly,
  openings.ageOfEmpires,
  openings.ageOfEmpires2,
  colonial,
  loeb9,
] as readonly MapRows[];
const compiled = new Map<string, CompiledMap>([[standard.name, standard]]);

/**
 * Maximum number of maps in `changed`. The map that was added first is dropped first. Bounds memory, because changes
 * are untrusted input.
 */
const MOST_KEPT = 64;
const changed = new Map<string, CompiledMap>();

/** Names of the maps that ship with Lepanto. */
export const mapNames: readonly string[] = shipped.map((rows) => rows.name);

/** Full map names, keyed by the short names that loadMap() also accepts. */
export const shortNames: ReadonlyMap<string, string> = new Map([
  ['france-austria', openings.franceAustria.name],
  ['germany-italy', openings.germanyItaly.name],
]);

const loadPlain = (name: string): CompiledMap => {
  const given = name.trim().toLowerCase();
  const wanted = shortNames.get(given) ?? given;
  const known = compiled.get(wanted);
  if (known !== undefined) return known;
  const rows = shipped.find((candidate) => candidate.name === wanted);
  if (rows === undefined) {
    const names = [...mapNames, ...shortNames.keys()].join(', ');
    throw new LepantoError('map', `map: got "${name}", wanted one of ${names}`);
  }
  const map = compileMap(rows);
  compiled.set(wanted, map);
  return map;
};

const keep = (name: string, map: CompiledMap): void => {
  const [oldest] = changed.keys();
  if (changed.size === MOST_KEPT) changed.delete(oldest);
  changed.set(name, map);
};

/**
 * Returns a map with changed options or edits; the given map if nothing changes. Returns the same object for the same
 * changes while it is among the latest 64 changed maps.
 * @throws LepantoError if the map does not support an option or an edit
 */
export const changeMap = (map: CompiledMap, changes: MapChanges): CompiledMap => {
  const rows = withMapChanges(map.rows, changes);
  if (rows === map.rows) return map;
  if (rows.base === undefined) return loadPlain(rows.name);
  const known = changed.get(rows.name);
  if (known?.rows.base === rows.base && known !== undefined) return known;
  const made = compileMap(rows);
  keep(rows.name, made);
  return made;
};

/**
 * Returns the map with this name, in any case. Maps without options are always the same object; see changeMap() for the
 * others. 'france-austria' and 'germany-italy' are short names. Options follow the name: 'colonial,tsr,suez',
 * 'loeb9,ice=no'.
 * @throws LepantoError if the name is unknown (the message lists the known names), or the map does not support an
 *   option
 */
export const loadMap = (name: string): CompiledMap => {
  const known = changed.get(name);
  if (known !== undefined) return known;
  const [plain, ...parts] = name.split(',');
  const map = loadPlain(plain);
  return parts.length === 0 ? map : changeMap(map, readMapChanges(parts));
};

const added = new Map<string, MapRows>();

/** Returns the rows of all maps added by addMap() and takeMap(). Other threads must add them too. */
export const addedMaps = (): readonly MapRows[] => [...added.values()];

/**
 * Compiles the map in a record and registers it for loadMap(). If a map with this name and id is registered already,
 * returns that one. If another map has the name, returns the compiled map without registering it.
 * @throws LepantoError if the rows contradict each other, or the name is not made of small letters, digits, - and _
 */
export const takeMap = (rows: MapRows): CompiledMap => {
  const map = compileMap(rows);
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(map.name))
    throw new LepantoError('map', `map: got the name "${map.name}", wanted small letters, digits, - and _`);
  if (mapNames.includes(map.name) || shortNames.has(map.name) || compiled.has(map.name)) {
    const there = loadMap(map.name);
    return there.id === map.id ? there : map;
  }
  compiled.set(map.name, map);
  added.set(map.name, rows);
  return map;
};

/**
 * Compiles and registers a map, so that loadMap() finds it by name; returns it. Adding the same map twice has no
 * effect.
 * @throws LepantoError if the rows contradict each other, if another map has this name, or if the name is not made of
 *   small letters, digits, - and _
 */
export const addMap = (rows: MapRows): CompiledMap => {
  const map = takeMap(rows);
  if (loadMap(map.name) !== map) throw new LepantoError('map', `map: got the name ${map.name}, which another map has`);
  return map;
};
