// Compiles the special rules of a map: railroad, canal, ice, difficult borders, convoyable coasts, and a centre that
// does not count for one power (DATC 2.4, chapters 7 to 10).
import { addBit, makeBitsets, testBit } from '../rules/bitset.js';
import { LepantoError } from '../rules/error.js';
import { COAST, FALL, type Location, type Power, type Province, SEA, WORDS } from '../rules/types.js';
import type { MapOption, MapRows, SpecialTables } from './compiled-map.js';

/**
 * Provinces and coasts of a map while it is compiled. The array `province` is indexed by location, `kind` by province.
 */
export interface MapPlaces {
  readonly rows: MapRows;
  /** Tags, indexed by location. */
  readonly tags: readonly string[];
  readonly province: Uint8Array;
  readonly kind: Uint8Array;
  /** Location of each tag: 'BUL', 'BUL/EC'. */
  readonly byTag: ReadonlyMap<string, Location>;
}

/**
 * Locations that a unit can move to over a border, ascending, indexed by key (unit type and location,
 * map/compiled-map.ts).
 */
export type Borders = readonly Location[][];

export const mapRefusal = (rows: MapRows, row: string, message: string): Error =>
  new LepantoError('map', `map ${rows.name}, ${row}: ${message}`);

export const splitWords = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/**
 * Returns the province with this tag.
 * @param row row that contains the tag, for the error message
 * @throws LepantoError if no province has the tag
 */
export const findProvince = (places: MapPlaces, row: string, tag: string): Province => {
  const found = places.byTag.get(tag);
  if (found === undefined || found >= places.kind.length) throw mapRefusal(places.rows, row, `unknown province ${tag}`);
  return places.province[found];
};

const powerOf = (rows: MapRows, row: string, name: string): Power => {
  const power = rows.powers.findIndex((one) => one.name === name);
  if (power < 0) throw mapRefusal(rows, row, `unknown power ${name}`);
  return power;
};

const hasBorder = (places: MapPlaces, borders: Borders, fleet: boolean, from: Province, to: Province): boolean =>
  borders[fleet ? places.tags.length + from : from].some((location) => places.province[location] === to);

const readLine = (places: MapPlaces, borders: Borders, text: string): Province[] => {
  const line = splitWords(text).map((tag) => findProvince(places, 'railroad', tag));
  if (line.length < 2) throw mapRefusal(places.rows, 'railroad', `got ${line.length} provinces, wanted at least 2`);
  line.forEach((p, i) => {
    const tag = places.tags[p];
    if (places.kind[p] === SEA) throw mapRefusal(places.rows, 'railroad', `${tag} is sea`);
    if (line.indexOf(p) !== i) throw mapRefusal(places.rows, 'railroad', `${tag} is on the line twice`);
    if (i > 0 && !hasBorder(places, borders, false, line[i - 1], p))
      throw mapRefusal(places.rows, 'railroad', `no army moves from ${places.tags[line[i - 1]]} to ${tag}`);
  });
  return line;
};

const readCanal = (places: MapPlaces, borders: Borders, text: string): Province[] => {
  const ends = splitWords(text).map((tag) => findProvince(places, 'canal', tag));
  if (ends.length !== 2 || ends[0] === ends[1])
    throw mapRefusal(places.rows, 'canal', `got ends "${text}", wanted two provinces`);
  for (const p of ends)
    if (places.kind[p] !== SEA) throw mapRefusal(places.rows, 'canal', `${places.tags[p]} is no sea`);
  if (hasBorder(places, borders, true, ends[0], ends[1]))
    throw mapRefusal(places.rows, 'canal', `${text.replace(' ', ' and ')} have a border already`);
  return ends;
};

const readPairs = (places: MapPlaces, borders: Borders, text: string): Int32Array => {
  const difficult = makeBitsets(places.kind.length);
  for (const pair of splitWords(text)) {
    const [a, b, ...rest] = pair.split('-').map((tag) => findProvince(places, 'difficult', tag));
    if (b === undefined || rest.length > 0)
      throw mapRefusal(places.rows, 'difficult', `got "${pair}", wanted two provinces like COR-NAF`);
    if (!hasBorder(places, borders, false, a, b))
      throw mapRefusal(places.rows, 'difficult', `no army moves between ${places.tags[a]} and ${places.tags[b]}`);
    addBit(difficult, a, b);
    addBit(difficult, b, a);
  }
  return difficult;
};

const readProvinces = (places: MapPlaces, row: string, text: string, kind: number, wanted: string): Int32Array => {
  const found = makeBitsets(1);
  for (const tag of splitWords(text)) {
    const p = findProvince(places, row, tag);
    if (places.kind[p] !== kind) throw mapRefusal(places.rows, row, `got ${tag}, wanted ${wanted}`);
    addBit(found, 0, p);
  }
  return found;
};

const makeFleetReach = (places: MapPlaces, borders: Borders): Int32Array => {
  const count = places.tags.length;
  const reach = makeBitsets(count);
  for (let from = 0; from < count; from++) for (const to of borders[count + from]) addBit(reach, from, to);
  return reach;
};

const readUncounted = (
  places: MapPlaces,
  centerIndex: Int16Array,
  { center, power }: NonNullable<MapRows['uncounted']>,
): Pick<SpecialTables, 'uncounted' | 'uncountedPower'> => {
  const index = centerIndex[findProvince(places, 'uncounted', center)];
  if (index < 0) throw mapRefusal(places.rows, 'uncounted', `${center} is no centre`);
  return { uncounted: index, uncountedPower: powerOf(places.rows, 'uncounted', power) };
};

/**
 * Returns the row of an option, or undefined if the option is off.
 * @throws LepantoError if the option is on but has no row
 */
const inForce = <T>(rows: MapRows, option: MapOption, row: T | undefined): T | undefined => {
  if (rows.options?.includes(option) !== true) return undefined;
  if (row === undefined) throw mapRefusal(rows, 'options', `got ${option}, wanted one that this map has`);
  return row;
};

/**
 * Compiles the special rules that are in force. Returns null if there are none.
 * @throws LepantoError if a row is invalid; the message names the row
 */
export const compileSpecial = (places: MapPlaces, borders: Borders, centerIndex: Int16Array): SpecialTables | null => {
  const { rows } = places;
  const railroad = inForce(rows, 'tsr', rows.railroad);
  const canal = inForce(rows, 'suez', rows.canal);
  const uncounted = inForce(rows, 'hongKong', rows.uncounted);
  const ice = inForce(rows, 'ice', rows.ice);
  const difficult = inForce(rows, 'difficult', rows.difficult);
  const convoyable = rows.convoyable;
  if ([railroad, canal, uncounted, ice, difficult, convoyable].every((row) => row === undefined)) return null;
  const line = railroad === undefined ? [] : readLine(places, borders, railroad.line);
  const lineIndex = new Int16Array(places.kind.length).fill(-1);
  line.forEach((p, i) => {
    lineIndex[p] = i;
  });
  const control = canal === undefined ? -1 : findProvince(places, 'canal', canal.control);
  if (control >= 0 && lineIndex[control] >= 0) throw mapRefusal(rows, 'canal', `${canal?.control} is on the railroad`);
  const canalEnds = canal === undefined ? [] : readCanal(places, borders, canal.ends);
  const crossings = readPairs(places, borders, difficult ?? '');
  const ports = readProvinces(places, 'convoyable', convoyable ?? '', COAST, 'a coastal province');
  const hasCrossing = (p: Province): boolean =>
    crossings.subarray(p * WORDS, (p + 1) * WORDS).some((word) => word !== 0);
  const isOrigin = (p: Province): boolean =>
    lineIndex[p] >= 0 || canalEnds.includes(p) || hasCrossing(p) || testBit(ports, 0, p) === 1;
  return {
    line,
    lineIndex,
    railPower: railroad === undefined ? -1 : powerOf(rows, 'railroad', railroad.power),
    canal: canalEnds,
    control,
    ...(uncounted === undefined
      ? { uncounted: -1, uncountedPower: -1 }
      : readUncounted(places, centerIndex, uncounted)),
    ice: readProvinces(places, 'ice', ice ?? '', SEA, 'a sea'),
    hasIce: ice !== undefined,
    difficult: crossings,
    hasDifficult: difficult !== undefined,
    convoyable: ports,
    hasConvoyable: convoyable !== undefined,
    origins: [...places.kind.keys()].filter(isOrigin),
    fleetReach: makeFleetReach(places, borders),
  };
};

/** Calls `add` with each table of special rules that affects play, to hash it into the id of the map. */
export const hashSpecial = (special: SpecialTables, add: (values: ArrayLike<number>) => void): void => {
  add([...special.line, special.railPower]);
  add([...special.canal, special.control]);
  add([special.uncounted, special.uncountedPower]);
  for (const set of [special.ice, special.difficult, special.convoyable]) add(set);
};

/** True if the two provinces are the two ends of the canal, in either order. */
export const isCanal = (special: SpecialTables, from: Province, to: Province): boolean => {
  const [a, b] = special.canal;
  return (from === a && to === b) || (from === b && to === a);
};

/** True if ice closes this province in this season (fall only). `special` is null on maps without special rules. */
export const isFrozen = (special: SpecialTables | null, season: number, province: Province): boolean =>
  special !== null && season === FALL && testBit(special.ice, 0, province) === 1;
