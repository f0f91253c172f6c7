// Loads the maps that ship with Lepanto, by name, with options and changes where the name has any (map-options.ts).
//
// Rows are data: standard.json; ancmed.json, Ancient Mediterranean (Don Hessong), where only fleets and convoyed armies
// reach the islands BAL, CRE and CYP; colonial.json, Colonial Diplomacy (Peter Hawes), Asia in 1870; loeb9.json, Loeb 9
// (Danny Loeb), Europe with Norway and Spain as powers; pure.json, the seven capitals, each next to all others. All were
// generated once from shared map facts.
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

/** The rows of the maps that ship, in the order of listings. */
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

/** Changes come from outside: of maps with any only so many are kept, the latest. */
const MOST_KEPT = 64;
const changed = new Map<string, CompiledMap>();

/** The name of each map that ships. */
export const mapNames: readonly string[] = shipped.map((rows) => rows.name);

/** Full name of a map, by each short name that loadMap() also accepts. */
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
 * A map with other options in force, or with changes; the same object for the same changes, as long as few are in use.
 * @throws LepantoError that names an option or a change that cannot be
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
 * The map of that name, in any case; the same object each time. 'france-austria' and 'germany-italy' are short names.
 * Options follow the name: 'colonial,tsr,suez', 'loeb9,ice=no'.
 * @throws LepantoError that lists the known names, or names an option that the map has no place for
 */
export const loadMap = (name: string): CompiledMap => {
  const known = changed.get(name);
  if (known !== undefined) return known;
  const [plain, ...parts] = name.split(',');
  const map = loadPlain(plain);
  return parts.length === 0 ? map : changeMap(map, readMapChanges(parts));
};

const added = new Map<string, MapRows>();

/** The rows of the maps that addMap() was given: what other threads must add too. */
export const addedMaps = (): readonly MapRows[] => [...added.values()];

/**
 * The map that a record carries. It is known to loadMap() from then on, unless that knows another one by its name.
 * @throws LepantoError if its rows contradict each other
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
 * Makes a map that does not ship with Lepanto known to loadMap() by its name; adding it twice does nothing.
 * @throws LepantoError if its rows contradict each other, or another map has that name
 */
export const addMap = (rows: MapRows): CompiledMap => {
  const map = takeMap(rows);
  if (loadMap(map.name) !== map) throw new LepantoError('map', `map: got the name ${map.name}, which another map has`);
  return map;
};
