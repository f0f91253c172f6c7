// Opens the map that --map names: one that ships with Lepanto, or a file.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import {
  type CompiledMap,
  changeMap,
  compileMap,
  hasPlace,
  loadMap,
  type MapRows,
  mapNames,
  mapOptions,
  readMapChanges,
  shortNames,
  takeMap,
} from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { readDpjudgeMap } from './dpjudge-map.js';
import { readJdipMap } from './jdip-map.js';
import { parseMapFile } from './map-file.js';
import { type FindMapFile, mapName, type ReadMap } from './read-map.js';

/** More bytes than any map file has. */
const MAX_SIZE = 1 << 20;

const readText = (path: string): string => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new LepantoError('map', `map: cannot read ${path}: there is no such file`);
  if (!found.isFile()) throw new LepantoError('map', `map: cannot read ${path}: it is no file`);
  if (found.size > MAX_SIZE)
    throw new LepantoError('map', `map: ${path}: got ${found.size} bytes, wanted at most ${MAX_SIZE}`);
  const bytes = readFileSync(path);
  if (bytes.length > 1 && [0xfeff, 0xfffe].includes(bytes.readUInt16BE(0)))
    throw new LepantoError('map', `map: ${path}: got UTF-16, wanted UTF-8`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Old files of the DPjudge are Latin-1.
    return bytes.toString('latin1');
  }
};

/** Files in the folder of a map file, which it may name. */
const sameFolder =
  (path: string): FindMapFile =>
  (name) => {
    const other = join(dirname(path), name);
    return existsSync(other) ? readText(other) : null;
  };

/** How to read a map file. */
export interface MapFileOptions {
  /** Name of the map; by default that of the file, or the one in it. */
  readonly name?: string | undefined;
  /** Of a file of jDip, the variant. */
  readonly variant?: string | undefined;
}

/** The map with all in force that its rows have a place for. */
const compileInFull = (rows: MapRows): CompiledMap =>
  compileMap({ ...rows, options: mapOptions.filter((option) => option !== 'buildAnywhere' && hasPlace(rows, option)) });

/**
 * Names an imported map after its file with `-imported` behind it, if a map that ships has that name and differs.
 * @param given the name that the user chose, which stays
 */
const withFreeName = (read: ReadMap, given: string | undefined): ReadMap => {
  const { rows, notes } = read;
  if (given !== undefined || !(mapNames.includes(rows.name) || shortNames.has(rows.name))) return read;
  if (compileInFull(rows).id === compileInFull(loadMap(rows.name).rows).id) return read;
  const name = `${rows.name}-imported`;
  return {
    rows: { ...rows, name },
    notes: [...notes, `named ${name}: another map, which ships, is named ${rows.name}`],
  };
};

/**
 * Reads a map file by its ending: `.json` of Lepanto, `.map` of the DPjudge and of `diplomacy`, `.xml` of jDip.
 * @throws LepantoError that names the file, and says what was given and what was wanted
 */
export const readMapFile = (path: string, { name, variant }: MapFileOptions = {}): ReadMap => {
  const file = basename(path);
  switch (extname(path).toLowerCase()) {
    case '.json': {
      const rows = parseMapFile(file, readText(path));
      return { rows: name === undefined ? rows : { ...rows, name }, notes: [] };
    }
    case '.map':
      return withFreeName(
        readDpjudgeMap(name ?? mapName(basename(path, extname(path))), file, readText(path), sameFolder(path)),
        name,
      );
    case '.xml':
      return withFreeName(readJdipMap(name, file, readText(path), sameFolder(path), variant), name);
    default:
      throw new LepantoError('map', `map: got the file ${path}, wanted one that ends in .json, .map or .xml`);
  }
};

const isPath = (text: string): boolean =>
  /[/\\]/.test(text) || ['.json', '.map', '.xml'].includes(extname(text).toLowerCase());

/**
 * Compiles the rows of a file, and checks those of options that are not in force.
 * @throws LepantoError that names the row and says what is wrong
 */
export const compileFile = (rows: MapRows): CompiledMap => {
  compileInFull(rows);
  return compileMap(rows);
};

/**
 * Compiles the rows of a file that --map is to take.
 * @param known the names that it may not have, unless the map of that name is the same
 * @throws LepantoError that names the row, or the name, and says what is wrong
 */
export const checkRows = (rows: MapRows, known = [...mapNames, ...shortNames.keys()]): CompiledMap => {
  const full = compileInFull(rows);
  const map = takeMap(rows);
  const there = known.includes(map.name) ? loadMap(map.name) : map;
  // Without options the id of a map says nothing of what they need.
  if (there !== map || compileInFull(there.rows).id !== full.id)
    throw new LepantoError('map', `map: got the name ${map.name}, which another map has`);
  return map;
};

const openFile = (path: string): CompiledMap => {
  const { rows } = readMapFile(path);
  return checkRows(rows, [rows.name]);
};

const openPlain = (text: string): CompiledMap => {
  if (isPath(text)) return openFile(text);
  try {
    return loadMap(text);
  } catch (error) {
    throw new LepantoError('map', `${(error as Error).message}, or the path of a map file`);
  }
};

/**
 * The map of a name or a path, with options behind it: 'standard', './my-map.json', 'colonial,tsr,suez'. loadMap() knows
 * it by its name from then on.
 * @param options more of them: 'tsr,suez'
 * @throws LepantoError that says what was given and what was wanted
 */
export const openMap = (text: string, options = ''): CompiledMap => {
  const [name, ...parts] = text.split(',');
  const all = [...parts, ...options.split(',').filter((part) => part !== '')];
  const map = openPlain(name);
  return all.length === 0 ? map : changeMap(map, readMapChanges(all));
};
