// Opens the map named by --map: a map that ships with Lepanto, or a map file.
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

/** Maximum size of a map file in bytes. */
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
    // Old DPjudge files are in Latin-1.
    return bytes.toString('latin1');
  }
};

/** Returns a function that reads other files in the folder of a map file. */
const sameFolder =
  (path: string): FindMapFile =>
  (name) => {
    const other = join(dirname(path), name);
    return existsSync(other) ? readText(other) : null;
  };

/** Options for reading a map file. */
export interface MapFileOptions {
  /** Name of the map; default: the name in the file, or of the file. */
  readonly name?: string | undefined;
  /** Name of the variant in a jDip file. Required if the file has several variants. */
  readonly variant?: string | undefined;
}

/** Compiles a map with all options that its rows support, except buildAnywhere. */
const compileInFull = (rows: MapRows): CompiledMap =>
  compileMap({ ...rows, options: mapOptions.filter((option) => option !== 'buildAnywhere' && hasPlace(rows, option)) });

/**
 * Appends `-imported` to the name of an imported map if it is the name of a different map that ships.
 * @param given name chosen by the user, which is not changed
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
 * Reads a map file. The extension tells the format: `.json` for Lepanto, `.map` for the DPjudge and `diplomacy`, `.xml`
 * for jDip.
 * @throws LepantoError that names the file, with the given and the expected value
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
 * Compiles the rows of a file. Also validates the rows for options that are not in force.
 * @throws LepantoError that names the invalid row
 */
export const compileFile = (rows: MapRows): CompiledMap => {
  compileInFull(rows);
  return compileMap(rows);
};

/**
 * Compiles the rows of a file for --map.
 * @param known reserved names; a map may have one only if the known map is the same
 * @throws LepantoError that names the invalid row, or the name if it is taken
 */
export const checkRows = (rows: MapRows, known = [...mapNames, ...shortNames.keys()]): CompiledMap => {
  const full = compileInFull(rows);
  const map = takeMap(rows);
  const there = known.includes(map.name) ? loadMap(map.name) : map;
  // The id of a map does not cover the rows for options that are off, so the full maps are compared.
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
 * Opens a map by name or path, with options after commas: 'standard', './my-map.json', 'colonial,tsr,suez'. loadMap()
 * then finds it by name.
 * @param options further options: 'tsr,suez'
 * @throws LepantoError with the given and the expected text
 */
export const openMap = (text: string, options = ''): CompiledMap => {
  const [name, ...parts] = text.split(',');
  const all = [...parts, ...options.split(',').filter((part) => part !== '')];
  const map = openPlain(name);
  return all.length === 0 ? map : changeMap(map, readMapChanges(all));
};
