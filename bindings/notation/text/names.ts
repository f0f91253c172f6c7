// Splits order text into words, and reads names of provinces, coasts and powers as people write them.
import { type CompiledMap, type Location, lowestBit, type Province, testBit } from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';

// ---- words ----

/** The most characters that one order may have. */
export const MAX_TEXT = 200;

export interface Token {
  /** As it was written. */
  readonly text: string;
  /** In lower case without accents; '-' for every dash and arrow. */
  readonly plain: string;
}

/** A word in the form in which names are compared: lower case, no accents, no spaces, no punctuation. */
export const plainWord = (text: string): string =>
  /^[a-z0-9]*$/i.test(text)
    ? text.toLowerCase()
    : text
        .toLowerCase()
        .normalize('NFKD')
        .replace(/[^\p{L}\p{N}]/gu, '');

const ARROWS = /[-=~‐‑‒–—―−]*(?:>|→|➔|➜|⇒|⟶)+|[‐‑‒–—―−-]+/gu;
const APOSTROPHES = /['’‘`´]/gu;
/** Signs that begin the result of an order in the notation of adjudicators: 'A PAR S BUR; (cut)', '[A BUR - MUN]'. */
const COMMENT = /[;[\]].*$/su;
const TOKENS = /[\p{L}\p{N}\p{M}]+|[-/()]|[^\s\p{L}\p{N}.,:*"_]/gu;

/** The word that is no part of a name, unless it is one. */
export const ARTICLE = 'the';

/** Splits the text of one order. @throws LepantoError if the text is too long */
export const tokenize = (text: string): readonly Token[] => {
  if (text.length > MAX_TEXT)
    throw new LepantoError('notation', `got ${text.length} characters, wanted at most ${MAX_TEXT}`);
  const bare = text.replace(COMMENT, '').replace(APOSTROPHES, '').replace(ARROWS, '-');
  const tokens: Token[] = [];
  for (const [found] of bare.matchAll(TOKENS)) {
    tokens.push({ text: found, plain: plainWord(found) || found });
  }
  return tokens;
};

// ---- names ----

/** The meaning of a name. */
export interface Named {
  /** A location, or a power. */
  readonly value: number;
  /** Words of the name. A text may join them, but not split them: 'MAR S' is not the name 'Mars'. */
  readonly words: number;
}

export interface Names {
  /** Locations by name without spaces and punctuation: 'stp', 'northsea', 'stpsc'. */
  readonly places: ReadonlyMap<string, Named>;
  /** Powers by name or adjective: 'austria', 'austrian', 'germanys'. */
  readonly powers: ReadonlyMap<string, Named>;
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
  BRITAIN: 'British, Great Britain, English, England',
  CHINA: 'Chinese',
  HOLLAND: 'Dutch',
  JAPAN: 'Japanese',
  NORWAY: 'Norwegian',
  SPAIN: 'Spanish',
};

const wordsOf = (name: string): string[] => {
  const words = tokenize(name)
    .map(({ plain }) => plain)
    .filter((plain) => plain !== '-');
  return words.length === 1 ? words : words.filter((word) => word !== ARTICLE);
};

/** Adds a name; a known name keeps its meaning, and allows as many words as its longest spelling. */
const addName = (names: Map<string, Named>, name: string, value: number): void => {
  const parts = wordsOf(name);
  const key = parts.join('');
  const there = names.get(key);
  if (there === undefined) names.set(key, { value, words: parts.length });
  else if (there.value === value) names.set(key, { value, words: Math.max(there.words, parts.length) });
};

const namePlaces = (map: CompiledMap): Map<string, Named> => {
  const places = new Map<string, Named>();
  const add = (name: string, location: Location): void => addName(places, name, location);
  // Tags first, so that no other name takes a tag.
  map.provinceTags.forEach(add);
  map.provinceNames.forEach(add);
  map.rows.provinces.forEach((row, p) => {
    for (const alias of row.aliases ?? []) add(alias, p);
  });
  for (let l = map.provinceCount; l < map.locationCount; l++) add(map.locationTags[l].replace('/', ''), l);
  return places;
};

const namePowers = (map: CompiledMap): Map<string, Named> => {
  const powers = new Map<string, Named>();
  map.powerNames.forEach((name, power) => {
    for (const spelling of [name, ...(ADJECTIVES[name]?.split(', ') ?? [])]) {
      addName(powers, spelling, power);
      // "Germany's", 'the Germans': apostrophes are ignored.
      addName(powers, `${spelling}s`, power);
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

/** The coast of a province on a side ('n', 'e', 's', 'w'); -1 if it has no such coast. */
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

/** The power of a name, in any case; -1 if there is none. Adjectives do not count. */
export const findPower = (map: CompiledMap, name: string): number => map.powerNames.indexOf(name.toUpperCase());

/** 'AUSTRIA, ENGLAND, ...' for a message; only their number if there are many. */
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
