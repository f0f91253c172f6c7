// Compiles the rows of a map into tables, and rejects rows that contradict each other.
import { addBit, makeBitsets, testBit } from '../rules/bitset.js';
import { LepantoError } from '../rules/error.js';
import { GOLDEN, mix } from '../rules/random.js';
import * as T from '../rules/types.js';
import type { CompiledMap, MapRows, PowerRow, ProvinceRow } from './compiled-map.js';
import {
  type Borders,
  compileSpecial,
  findProvince,
  hashSpecial,
  type MapPlaces,
  mapRefusal,
  splitWords,
} from './special.js';

/** Provinces and coasts of a map, with the range of coast locations of each province. */
interface Places extends MapPlaces {
  readonly firstCoast: Uint8Array;
  readonly coastCount: Uint8Array;
}

type StartUnit = CompiledMap['startUnits'][number];

const refusal = mapRefusal;

/** Returns a name for comparison: in lower case, only letters and digits. */
const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

// ---- names ----

const provinceTitle = (row: ProvinceRow): string => `province ${row.tag}`;

const checkTag = (rows: MapRows, row: ProvinceRow): void => {
  if (!/^[A-Z][A-Z0-9]{2}$/.test(row.tag))
    throw refusal(
      rows,
      provinceTitle(row),
      `got tag "${row.tag}", wanted three capital letters or digits, a letter first`,
    );
  if (!T.provinceKinds.includes(row.kind))
    throw refusal(rows, provinceTitle(row), `got kind "${row.kind}", wanted one of ${T.provinceKinds.join(', ')}`);
};

/**
 * Checks tags, kinds and names of all provinces.
 * @throws LepantoError if a tag or kind is invalid, or if two provinces share a tag, a name or an alias, regardless of
 *   case and punctuation
 */
const checkProvinceNames = (rows: MapRows): void => {
  const tags = new Set<string>();
  const owners = new Map<string, ProvinceRow>();
  for (const row of rows.provinces) {
    checkTag(rows, row);
    if (tags.has(row.tag))
      throw refusal(rows, provinceTitle(row), 'got the tag twice, wanted another one for each province');
    tags.add(row.tag);
    for (const name of [row.tag, row.name, ...(row.aliases ?? [])]) {
      const plain = plainName(name);
      const owner = owners.get(plain);
      if (plain === '') throw refusal(rows, provinceTitle(row), `got "${name}" as a name`);
      if (owner !== undefined && owner !== row)
        throw refusal(rows, provinceTitle(row), `its name "${name}" is also a name of ${owner.tag}`);
      owners.set(plain, row);
    }
  }
};

/** Returns the coast names of a province in the order of their locations: ['EC', 'SC']. */
const coastsOf = (row: ProvinceRow): string[] =>
  row.fleet === undefined || typeof row.fleet === 'string' ? [] : Object.keys(row.fleet).sort();

const checkCoasts = (rows: MapRows, row: ProvinceRow): void => {
  const coasts = coastsOf(row);
  if (row.kind !== 'coast' && coasts.length > 0)
    throw refusal(rows, provinceTitle(row), `got coasts in a ${row.kind} province`);
  if (coasts.length > T.MAX_COASTS)
    throw refusal(rows, provinceTitle(row), `got ${coasts.length} coasts, wanted ${T.MAX_COASTS} at most`);
  for (const coast of coasts)
    if (!/^[A-Z]{1,2}$/.test(coast))
      throw refusal(rows, provinceTitle(row), `got coast "${coast}", wanted one or two capitals`);
};

const checkSizes = (rows: MapRows, locationCount: number): void => {
  const check = (what: string, got: number, most: number): void => {
    if (got < 1 || got > most)
      throw new LepantoError('map', `map ${rows.name}: got ${got} ${what}, wanted 1 to ${most}`);
  };
  check('locations', locationCount, T.MAX_LOCATIONS);
  check('powers', rows.powers.length, T.MAX_POWERS);
};

const namePlaces = (rows: MapRows): Places => {
  const { provinces } = rows;
  const tags = provinces.map((row) => row.tag);
  const owners = provinces.map((_, p) => p);
  const firstCoast = new Uint8Array(provinces.length);
  const coastCount = new Uint8Array(provinces.length);
  provinces.forEach((row, p) => {
    const coasts = coastsOf(row);
    if (coasts.length > 0) firstCoast[p] = tags.length;
    coastCount[p] = coasts.length;
    for (const coast of coasts) {
      tags.push(`${row.tag}/${coast}`);
      owners.push(p);
    }
  });
  checkSizes(rows, tags.length);
  checkProvinceNames(rows);
  for (const row of provinces) checkCoasts(rows, row);
  return {
    rows,
    tags,
    province: Uint8Array.from(owners),
    kind: Uint8Array.from(provinces, (row) => T.provinceKinds.indexOf(row.kind)),
    firstCoast,
    coastCount,
    byTag: new Map(tags.map((tag, location) => [tag, location])),
  };
};

/**
 * Returns the fleet location with this tag.
 * @param row row that contains the tag, for the error message
 * @throws LepantoError if the tag is unknown, or lacks the coast in a province with coasts
 */
const findFleetLocation = (places: Places, row: string, tag: string): T.Location => {
  const found = places.byTag.get(tag);
  if (found === undefined) {
    const [province = '', coast] = tag.split('/');
    const what = coast !== undefined && places.byTag.has(province) ? 'coast' : 'province';
    throw refusal(places.rows, row, `unknown ${what} ${tag}`);
  }
  if (found < places.kind.length && places.coastCount[found] > 0)
    throw refusal(places.rows, row, `${tag} has coasts and none is named`);
  return found;
};

// ---- borders ----

/** The border list of one unit type at one location, with the tags of its neighbours as text. */
interface BorderList {
  readonly row: ProvinceRow;
  readonly at: T.Location;
  readonly kind: 'army' | 'fleet';
  readonly text: string;
}

const borderLists = (places: Places): BorderList[] => {
  const lists: BorderList[] = [];
  places.rows.provinces.forEach((row, p) => {
    const { army, fleet } = row;
    if (army !== undefined) lists.push({ row, at: p, kind: 'army', text: army });
    if (typeof fleet === 'string') lists.push({ row, at: p, kind: 'fleet', text: fleet });
    else if (fleet !== undefined)
      coastsOf(row).forEach((coast, i) => {
        lists.push({ row, at: places.firstCoast[p] + i, kind: 'fleet', text: fleet[coast] ?? '' });
      });
  });
  return lists;
};

/**
 * Checks one end of a border.
 * @param location location at the end
 * @throws LepantoError if the border puts an army at sea or a fleet inland
 */
const checkFits = (places: Places, list: BorderList, location: T.Location): void => {
  const province = places.province[location];
  if (places.kind[province] === (list.kind === 'army' ? T.SEA : T.LAND))
    throw refusal(
      places.rows,
      provinceTitle(list.row),
      `${list.kind} border at ${places.tags[province]}, which is ${list.kind === 'army' ? 'sea' : 'land'}`,
    );
};

const readBorderList = (places: Places, list: BorderList): T.Location[] => {
  const row = provinceTitle(list.row);
  const find = list.kind === 'army' ? findProvince : findFleetLocation;
  const found: T.Location[] = [];
  for (const tag of splitWords(list.text)) {
    const location = find(places, row, tag);
    checkFits(places, list, list.at);
    checkFits(places, list, location);
    if (places.province[location] === places.province[list.at])
      throw refusal(places.rows, row, `${list.kind} border with itself`);
    if (found.includes(location)) throw refusal(places.rows, row, `${list.kind} border to ${tag} is given twice`);
    found.push(location);
  }
  return found.sort((a, b) => a - b);
};

const checkBothWays = (places: Places, borders: Borders): void => {
  const locationCount = places.tags.length;
  borders.forEach((targets, key) => {
    const isArmy = key < locationCount;
    const from = isArmy ? key : key - locationCount;
    for (const to of targets)
      if (!borders[isArmy ? to : to + locationCount].includes(from)) {
        const row = places.rows.provinces[places.province[from]];
        const border = `${isArmy ? 'army' : 'fleet'} border from ${places.tags[from]} to ${places.tags[to]}`;
        throw refusal(places.rows, provinceTitle(row), `${border} is one-way`);
      }
  });
};

const readBorders = (places: Places): Borders => {
  const locationCount = places.tags.length;
  const borders: T.Location[][] = Array.from({ length: 2 * locationCount }, () => []);
  for (const list of borderLists(places))
    borders[list.at + (list.kind === 'army' ? 0 : locationCount)] = readBorderList(places, list);
  checkBothWays(places, borders);
  return borders;
};

/**
 * Returns the borders with the canal added as a fleet border between its two seas; the same borders if no canal is in
 * use.
 */
const withCanal = (places: Places, borders: Borders, special: CompiledMap['special']): Borders => {
  const [a, b] = special?.canal ?? [];
  if (a === undefined) return borders;
  const fleets = places.tags.length;
  return borders.map((targets, key) => {
    if (key !== fleets + a && key !== fleets + b) return targets;
    return [...targets, key === fleets + a ? b : a].sort((p, q) => p - q);
  });
};

const MAX_BORDERS = 65_535;

const makeMoves = (rows: MapRows, borders: Borders): Pick<CompiledMap, 'moveOffsets' | 'moveTargets'> => {
  const count = borders.flat().length;
  if (count > MAX_BORDERS) throw refusal(rows, 'borders', `got ${count}, wanted at most ${MAX_BORDERS}`);
  const moveOffsets = new Uint16Array(borders.length + 1);
  borders.forEach((targets, key) => {
    moveOffsets[key + 1] = moveOffsets[key] + targets.length;
  });
  return { moveOffsets, moveTargets: Uint8Array.from(borders.flat()) };
};

/**
 * Makes the bitset of the provinces that each key (unit type and location) can support into: all that it borders,
 * except over difficult army borders.
 * @param borders borders without the canal, over which there is no support either
 */
const makeReach = (places: Places, borders: Borders, special: CompiledMap['special']): Int32Array => {
  const reach = makeBitsets(borders.length);
  borders.forEach((targets, key) => {
    const isArmy = key < places.tags.length;
    for (const to of targets)
      if (special === null || !isArmy || testBit(special.difficult, key, places.province[to]) === 0)
        addBit(reach, key, places.province[to]);
  });
  return reach;
};

type SeaTables = Pick<CompiledMap, 'seas' | 'coasts' | 'seaNeighbours' | 'coastNeighbours'>;

const makeSeaTables = (places: Places, borders: Borders, special: CompiledMap['special']): SeaTables => {
  const { kind, province, tags } = places;
  const seas = makeBitsets(1);
  const coasts = makeBitsets(1);
  const seaNeighbours = makeBitsets(tags.length);
  const coastNeighbours = makeBitsets(tags.length);
  const convoys = (p: T.Province): boolean =>
    kind[p] === T.SEA || (special !== null && testBit(special.convoyable, 0, p) === 1);
  kind.forEach((_, p) => {
    if (convoys(p)) addBit(seas, 0, p);
  });
  for (let location = 0; location < tags.length; location++) {
    const from = province[location];
    for (const target of borders[tags.length + location]) {
      const to = province[target];
      if (convoys(to))
        for (const row of new Set([from, location])) {
          addBit(seaNeighbours, row, to);
          addBit(seaNeighbours, row, target);
        }
      if (!convoys(from) || kind[to] !== T.COAST) continue;
      addBit(coastNeighbours, from, to);
      addBit(coastNeighbours, location, to);
      addBit(coasts, 0, to);
    }
  }
  return { seas, coasts, seaNeighbours, coastNeighbours };
};

/** Returns the neighbours of each province over any army or fleet border. */
const provinceNeighbours = (places: Places, borders: Borders): T.Province[][] => {
  const { kind, province, tags } = places;
  const sets = Array.from(kind, () => new Set<T.Province>());
  borders.forEach((targets, key) => {
    for (const to of targets) sets[province[key % tags.length]].add(province[to]);
  });
  return sets.map((set) => [...set]);
};

const NO_WAY = 255;

const makeDistances = (places: Places, borders: Borders): Uint8Array => {
  const n = places.kind.length;
  const neighbours = provinceNeighbours(places, borders);
  const distance = new Uint8Array(n * n).fill(NO_WAY);
  for (let from = 0; from < n; from++) {
    const row = distance.subarray(from * n, from * n + n);
    row[from] = 0;
    const queue = [from];
    for (const p of queue)
      for (const q of neighbours[p]) {
        if (row[q] !== NO_WAY) continue;
        row[q] = row[p] + 1;
        queue.push(q);
      }
  }
  return distance;
};

/** Returns the alphabetical rank of each name, from 0. */
export const rankNames = (names: readonly string[]): Uint8Array => {
  const sorted = [...names].sort();
  return Uint8Array.from(names, (name) => sorted.indexOf(name));
};

// ---- powers, centres, start ----

const powerTitle = (row: PowerRow): string => `power ${row.name}`;

const checkPowerNames = (rows: MapRows): void => {
  const names = new Set<string>();
  for (const row of rows.powers) {
    if (!/^[A-Z][A-Z0-9_]*$/.test(row.name))
      throw refusal(rows, powerTitle(row), `got name "${row.name}", wanted one word of capital letters`);
    if (names.has(row.name))
      throw refusal(rows, powerTitle(row), 'got the name twice, wanted another one for each power');
    names.add(row.name);
  }
};

const listCenters = (rows: MapRows): T.Province[] => [...rows.provinces.keys()].filter((p) => rows.provinces[p].center);

const indexOfEach = (list: readonly number[], count: number): Int16Array => {
  const index = new Int16Array(count).fill(-1);
  list.forEach((p, i) => {
    index[p] = i;
  });
  return index;
};

/**
 * Returns the power that lists each centre, indexed like `centers`; -1 if no power lists it.
 * @param count number of centres
 * @param what kind of the list, for messages: 'home'
 * @param tagsOf returns the list of a power, as text
 * @throws LepantoError if a listed province is no centre, or if two powers list the same centre
 */
const assignCenters = (
  places: Places,
  centerIndex: Int16Array,
  count: number,
  what: string,
  tagsOf: (row: PowerRow) => string,
): Int16Array => {
  const { rows } = places;
  const power = new Int16Array(count).fill(-1);
  rows.powers.forEach((row, q) => {
    for (const tag of splitWords(tagsOf(row))) {
      const center = centerIndex[findProvince(places, powerTitle(row), tag)];
      if (center < 0) throw refusal(rows, powerTitle(row), `${what} ${tag} is no centre`);
      if (power[center] >= 0)
        throw refusal(rows, powerTitle(row), `${what} ${tag} is also one of ${rows.powers[power[center]].name}`);
      power[center] = q;
    }
  });
  return power;
};

const readUnit = (places: Places, power: T.Power, row: PowerRow, text: string): StartUnit => {
  const title = powerTitle(row);
  const [letter, tag, ...rest] = text.trim().split(/\s+/);
  if ((letter !== 'A' && letter !== 'F') || tag === undefined || rest.length > 0)
    throw refusal(places.rows, title, `got unit "${text.trim()}", wanted one like "A PAR" or "F BUL/EC"`);
  const find = letter === 'A' ? findProvince : findFleetLocation;
  const location = find(places, title, tag);
  const kind = places.kind[places.province[location]];
  if (letter === 'A' && kind === T.SEA) throw refusal(places.rows, title, `unit A ${tag} is an army at sea`);
  if (letter === 'F' && kind === T.LAND) throw refusal(places.rows, title, `unit F ${tag} is a fleet inland`);
  return { power, type: letter === 'A' ? T.ARMY : T.FLEET, location };
};

const readUnits = (places: Places): StartUnit[] => {
  const units: StartUnit[] = [];
  const taken = new Set<T.Province>();
  places.rows.powers.forEach((row, q) => {
    for (const text of row.units.split(',').filter((part) => part.trim() !== '')) {
      const unit = readUnit(places, q, row, text);
      const province = places.province[unit.location];
      if (taken.has(province))
        throw refusal(places.rows, powerTitle(row), `unit ${text.trim()} is in a taken province`);
      taken.add(province);
      units.push(unit);
    }
  });
  return units;
};

type Start = Pick<CompiledMap, 'startYear' | 'startSeason' | 'startPhase'>;

const readStart = (rows: MapRows): Start => {
  const found = /^(?:([SF])(\d{1,4})M|W(\d{1,4})A)$/.exec(rows.start);
  if (found === null) throw refusal(rows, 'start', `got "${rows.start}", wanted one like S1901M, F1901M or W1900A`);
  const [, season, year, winterYear] = found;
  if (winterYear !== undefined)
    return { startYear: Number(winterYear), startSeason: T.WINTER, startPhase: T.ADJUSTMENT };
  return { startYear: Number(year), startSeason: season === 'S' ? T.SPRING : T.FALL, startPhase: T.MOVEMENT };
};

const readVictory = (rows: MapRows, centerCount: number): number => {
  const victory = rows.victory ?? Math.floor(centerCount / 2) + 1;
  if (!Number.isInteger(victory) || victory < 1 || victory > Math.max(centerCount, 1))
    throw refusal(rows, 'victory', `got ${victory} centres, wanted 1 to the ${centerCount} that exist`);
  return victory;
};

// ---- the whole ----

type Tables = Omit<CompiledMap, 'id'>;

/**
 * Returns a 32-bit hash of everything that affects play. Full names affect it only through their alphabetical order.
 * Aliases do not affect it.
 */
const hashTables = (map: Tables): number => {
  let hash = 0;
  const add = (values: ArrayLike<number>): void => {
    hash = mix(hash + GOLDEN + values.length);
    for (let i = 0; i < values.length; i++) hash = mix(hash + GOLDEN + values[i]);
  };
  for (const tag of [...map.locationTags, ...map.powerNames]) add(Array.from(tag, (letter) => letter.charCodeAt(0)));
  for (const table of [map.kind, map.centers, map.homePower, map.startOwners, map.alphabeticalRank]) add(table);
  for (const table of [map.moveOffsets, map.moveTargets]) add(table);
  for (const { power, type, location } of map.startUnits) add([power, type, location]);
  add([map.startYear, map.startSeason, map.startPhase, map.victoryCenters, map.buildAnywhere ? 1 : 0]);
  if (map.special !== null) hashSpecial(map.special, add);
  return hash;
};

const powerOf = ({ powers }: MapRows, name: string): T.Power => {
  const found = powers.findIndex((row) => row.name === name.toUpperCase());
  if (found >= 0) return found;
  throw new LepantoError('argument', `power: got "${name}", wanted one of ${powers.map((row) => row.name).join(', ')}`);
};

/**
 * Compiles the rows of a map into tables.
 * @throws LepantoError if the rows are invalid: unknown or repeated names, one-way or impossible borders, homes or
 *   units in impossible places, sizes out of bounds. The message names the map and the row.
 */
export const compileMap = (rows: MapRows): CompiledMap => {
  const places = namePlaces(rows);
  checkPowerNames(rows);
  const borders = readBorders(places);
  const provinceCount = rows.provinces.length;
  const centers = listCenters(rows);
  const centerIndex = indexOfEach(centers, provinceCount);
  const assign = (what: string, tagsOf: (row: PowerRow) => string): Int16Array =>
    assignCenters(places, centerIndex, centers.length, what, tagsOf);
  const special = compileSpecial(places, borders, centerIndex);
  const coastalProvinces = [...rows.provinces.keys()].filter((p) => places.coastCount[p] > 0);
  const tables: Tables = {
    name: rows.name,
    rows,
    provinceCount,
    locationCount: places.tags.length,
    powerCount: rows.powers.length,
    centerCount: centers.length,
    provinceTags: places.tags.slice(0, provinceCount),
    provinceNames: rows.provinces.map((row) => row.name),
    locationTags: places.tags,
    powerNames: rows.powers.map((row) => row.name),
    power: (name) => powerOf(rows, name),
    kind: places.kind,
    locationProvince: places.province,
    firstCoast: places.firstCoast,
    coastCount: places.coastCount,
    coastalProvinces: Uint8Array.from(coastalProvinces),
    coastalIndex: indexOfEach(coastalProvinces, provinceCount),
    centers: Uint8Array.from(centers),
    centerIndex,
    homePower: assign('home', (row) => row.homes),
    ...makeMoves(rows, withCanal(places, borders, special)),
    reach: makeReach(places, borders, special),
    ...makeSeaTables(places, borders, special),
    distance: makeDistances(places, borders),
    alphabeticalRank: rankNames(rows.provinces.map((row) => plainName(row.name))),
    ...readStart(rows),
    startUnits: readUnits(places),
    startOwners: assign('owned centre', (row) => row.owns ?? row.homes),
    victoryCenters: readVictory(rows, centers.length),
    buildAnywhere: rows.buildAnywhere ?? false,
    special,
  };
  return { ...tables, id: hashTables(tables) };
};
