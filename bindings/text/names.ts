// Names of provinces, coasts and powers as people write them.
import { type CompiledMap, type Location, lowestBit, type Power, type Province, testBit } from '../../engine/index.js';
import { tokenize } from './tokens.js';

export interface Names {
  /** Location by name without spaces and punctuation: 'stp', 'northsea', 'stpsc'. */
  readonly places: ReadonlyMap<string, Location>;
  /** Power by name or adjective: 'austria', 'austrian', 'germanys'. */
  readonly powers: ReadonlyMap<string, Power>;
  /** Length of the longest key of either. */
  readonly longest: number;
}

/** How people call the units of the usual powers. */
const ADJECTIVES: Readonly<Record<string, string>> = {
  AUSTRIA: 'Austrian, Austro-Hungarian, Austria-Hungary, Austria Hungary',
  ENGLAND: 'English, British, Britain, Great Britain',
  FRANCE: 'French',
  GERMANY: 'German',
  ITALY: 'Italian',
  RUSSIA: 'Russian',
  TURKEY: 'Turkish, Ottoman',
  CARTHAGE: 'Carthaginian',
  EGYPT: 'Egyptian',
  GREECE: 'Greek',
  PERSIA: 'Persian',
  ROME: 'Roman',
};

/** The key under which a name stands: what its tokens join to. */
const keyOf = (name: string): string =>
  tokenize(name)
    .map(({ plain }) => plain)
    .filter((plain) => plain !== '-')
    .join('');

const namePlaces = (map: CompiledMap): Map<string, Location> => {
  const places = new Map<string, Location>();
  const add = (name: string, location: Location): void => {
    const key = keyOf(name);
    if (!places.has(key)) places.set(key, location);
  };
  // Tags first: no other name takes a tag away.
  map.provinceTags.forEach(add);
  map.provinceNames.forEach(add);
  map.rows.provinces.forEach((row, p) => {
    for (const alias of row.aliases ?? []) add(alias, p);
  });
  for (let l = map.provinceCount; l < map.locationCount; l++) add(map.locationTags[l].replace('/', ''), l);
  return places;
};

const namePowers = (map: CompiledMap): Map<string, Power> => {
  const powers = new Map<string, Power>();
  map.powerNames.forEach((name, power) => {
    for (const spelling of [name, ...(ADJECTIVES[name] ?? '').split(', ')]) {
      const key = keyOf(spelling);
      if (key === '') continue;
      powers.set(key, power);
      powers.set(`${key}s`, power);
    }
  });
  return powers;
};

const known = new WeakMap<CompiledMap, Names>();

/** The names of a map; made once. */
export const namesOf = (map: CompiledMap): Names => {
  const made = known.get(map);
  if (made !== undefined) return made;
  const places = namePlaces(map);
  const powers = namePowers(map);
  const longest = Math.max(...[...places.keys(), ...powers.keys()].map((key) => key.length));
  const names = { places, powers, longest };
  known.set(map, names);
  return names;
};

/** The coast of a province on this side ('n', 'e', 's', 'w'); -1 if it has none such. */
export const coastOn = (map: CompiledMap, province: Province, side: string): number => {
  const first = map.firstCoast[province];
  for (let l = first; l < first + map.coastCount[province]; l++) {
    const tag = map.locationTags[l];
    if (
      tag
        .slice(tag.indexOf('/') + 1)
        .toLowerCase()
        .startsWith(side)
    )
      return l;
  }
  return -1;
};

/** 'SPA/NC, SPA/SC': locations for a message. */
export const listLocations = (map: CompiledMap, locations: readonly Location[]): string =>
  locations.map((l) => map.locationTags[l]).join(', ');

/** The power of that name, in any case; -1 if there is none. Adjectives are no names. */
export const findPower = (map: CompiledMap, name: string): number => map.powerNames.indexOf(name.toUpperCase());

/** 'AUSTRIA, ENGLAND, ...' for a message; only their number where they are many. */
export const listPowers = (map: CompiledMap): string =>
  map.powerCount <= 10 ? `one of ${map.powerNames.join(', ')}` : `one of the ${map.powerCount} powers of ${map.name}`;

/** Provinces of a bitset of one row, ascending. */
export const provincesIn = (map: CompiledMap, set: Int32Array): Province[] => {
  const found: Province[] = [];
  for (let w = 0; w * 32 < map.provinceCount; w++)
    for (let rest = set[w]; rest !== 0; rest &= rest - 1) found.push(w * 32 + lowestBit(rest));
  return found;
};

export const isSea = (map: CompiledMap, province: Province): boolean => testBit(map.seas, 0, province) === 1;
