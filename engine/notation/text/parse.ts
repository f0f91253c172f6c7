// Reads order text into an order with names resolved. Nothing here knows the position: interpret.ts decides what a unit
// may do.
//
//   order    [nationality] (verb unit ... | unit verb ... | waive)
//   unit     [nationality] [A | F] place
//   place    name [coast]
//
// On a map with a railroad: unit - TSR - place. On one with a canal, after any order: PERMITS unit - place.

import { type CompiledMap, lowestBit, perMap, testBit } from '../../internal.js';
import { hasCode, LepantoError } from '../../rules/error.js';
import { quote } from '../../rules/shape.js';
import * as T from '../../rules/types.js';

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

const ARROWS = /[-=~‐‑‒–—―−]*(?:>|[→➔➙➛➜➝➞➟➠➡➢➣➤⇒⇨⟶⟹►▶])+|[‐‑‒–—―−-]+/gu;
const APOSTROPHES = /['’‘`´]/gu;
/** Signs that begin the result of an order in the notation of adjudicators: 'A PAR S BUR; (cut)', '[A BUR - MUN]'. */
const COMMENT = /[;[\]].*$/su;
const TOKENS = /[\p{L}\p{N}\p{M}]+|[-/()]|[^\s\p{L}\p{N}.,:*"_]/gu;

/** Signs without a shape of their own: of width zero, of direction, of the form of the sign before them. */
const SHAPELESS = /\p{Default_Ignorable_Code_Point}/gu;
const ENTITIES: Readonly<Record<string, string>> = {
  gt: '>',
  lt: '<',
  amp: '&',
  nbsp: ' ',
  rarr: '→',
  rArr: '→',
  minus: '-',
  ndash: '-',
  mdash: '-',
  hyphen: '-',
  quot: '"',
  apos: "'",
};
const ENTITY = /&(?:([a-z]{2,6})|#(\d{1,7})|#x([0-9a-f]{1,6}));/gi;

/** Replaces what pages and mails write for signs: '&gt;', full-width letters, marks of direction. */
const plainSigns = (text: string): string => {
  const decoded = !text.includes('&')
    ? text
    : text.replace(ENTITY, (whole: string, name?: string, decimal?: string, hexadecimal?: string) => {
        if (name !== undefined) return ENTITIES[name] ?? ENTITIES[name.toLowerCase()] ?? whole;
        const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
      });
  return /^[ -~]*$/.test(decoded) ? decoded : decoded.replace(SHAPELESS, '').normalize('NFKC');
};

/** The word that is no part of a name, unless it is one. */
const ARTICLE = 'the';

/** Splits the text of one order. @throws LepantoError if the text is too long */
const tokenize = (text: string): readonly Token[] => {
  if (text.length > MAX_TEXT)
    throw new LepantoError('notation', `got ${text.length} characters, wanted at most ${MAX_TEXT}`);
  const bare = plainSigns(text).replace(COMMENT, '').replace(APOSTROPHES, '').replace(ARROWS, '-');
  const tokens: Token[] = [];
  for (const [found] of bare.matchAll(TOKENS)) {
    tokens.push({ text: found, plain: plainWord(found) || found });
  }
  return tokens;
};

// ---- names ----

/** The meaning of a name. */
interface Named {
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
  /** The words of each full name and alias of a place, for beginnings of names: 'eng ch'. */
  readonly spelled: readonly { readonly words: readonly string[]; readonly province: T.Province }[];
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
  const add = (name: string, location: T.Location): void => addName(places, name, location);
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

/** Returns the names of a map. */
export const namesOf = perMap((map): Names => {
  const places = namePlaces(map);
  const powers = namePowers(map);
  const longest = Math.max(...[...places.keys(), ...powers.keys()].map((key) => key.length));
  const spelled = map.rows.provinces.flatMap(({ name, aliases = [] }, province) =>
    [name, ...aliases].map((one) => ({ words: wordsOf(one), province })),
  );
  return { places, powers, longest, spelled };
});

/** Names of two letters that orders of the DPjudge use. No names in prose, where they are words. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['na', 'nao'],
  ['ns', 'nth'],
  ['bs', 'bla'],
]);

/** Letters that a beginning of a name has at least. */
const LEAST_LETTERS = 4;
/** Words that a beginning of a name has at most. */
const MOST_WORDS = 4;

/**
 * The provinces that have a name which these words begin, each word one of the name: 'wes med', 'n afr', 'gulfofl'. Letters
 * that are a tag, a name or an alias as they are do not come here.
 */
const begunBy = ({ spelled }: Names, given: readonly string[]): T.Province[] => {
  const joined = given.join('');
  if (joined.length < LEAST_LETTERS) return [];
  const begins = (words: readonly string[]): boolean =>
    given.length === 1 ? words.join('').startsWith(joined) : given.every((word, i) => words[i]?.startsWith(word));
  return [...new Set(spelled.filter(({ words }) => begins(words)).map(({ province }) => province))];
};

/** Coasts that some printouts call by another side, behind the tag of the province. */
const OTHER_SIDES: ReadonlyMap<string, string> = new Map([['BUL/n', 'e']]);

/** The coast of a province on a side ('n', 'e', 's', 'w'); -1 if it has no such coast. */
export const coastOn = (map: CompiledMap, province: T.Province, side: string): number => {
  const found = coastNamed(map, province, side);
  const other = OTHER_SIDES.get(`${map.provinceTags[province]}/${side}`);
  return found >= 0 || other === undefined ? found : coastNamed(map, province, other);
};

const coastNamed = (map: CompiledMap, province: T.Province, side: string): number => {
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
export const listLocations = (map: CompiledMap, locations: readonly T.Location[]): string =>
  locations.map((l) => map.locationTags[l]).join(', ');

/** The power of a name, in any case; -1 if there is none. Adjectives do not count. */
export const findPower = (map: CompiledMap, name: string): number => map.powerNames.indexOf(name.toUpperCase());

/** 'AUSTRIA, ENGLAND, ...' for a message; only their number if there are many. */
export const listPowers = (map: CompiledMap): string =>
  map.powerCount <= 10 ? `one of ${map.powerNames.join(', ')}` : `one of the ${map.powerCount} powers of ${map.name}`;

/** Provinces of a bitset of one row, ascending. */
export const provincesIn = (map: CompiledMap, set: Int32Array): T.Province[] => {
  const found: T.Province[] = [];
  for (let w = 0; w * 32 < map.provinceCount; w++)
    for (let rest = set[w]; rest !== 0; rest &= rest - 1) found.push(w * 32 + lowestBit(rest));
  return found;
};

export const isSea = (map: CompiledMap, province: T.Province): boolean => testBit(map.seas, 0, province) === 1;

// ---- orders ----

export const orderKinds = ['hold', 'move', 'support', 'convoy', 'retreat', 'disband', 'build', 'waive'] as const;
/** What an order tells a unit to do. */
export type OrderKind = (typeof orderKinds)[number];

/** A province and the coast named with it; -1 if none was, or one that the province does not have (DATC 4.B.6). */
export interface Place {
  /** The province that is named. */
  readonly province: T.Province;
  /** The coast that is named with it. */
  readonly coast: number;
}

export interface NamedUnit extends Place {
  /** Null where it was left out (DATC 4.C.1). */
  readonly type: T.UnitType | null;
}

/** An order as it was written, each name resolved. Removals are `disband`. */
export interface RawOrder {
  readonly kind: OrderKind;
  /** The ordered unit, or the one to be built; null for a waived build. */
  readonly unit: NamedUnit | null;
  /** Support, convoy: the unit that is helped. */
  readonly helped: NamedUnit | null;
  /** Move, retreat, convoy, support of a move: the destination. */
  readonly target: Place | null;
  /** Move: written VIA. */
  readonly via: boolean;
  /** Move: true if written with the seas to cross, which are not kept (DATC 4.A.6). */
  readonly path: boolean;
  /** Move: by railroad. */
  readonly rail: boolean;
  /** The fleet that is let through a canal, and where it may go; null for none. */
  readonly leave: { readonly unit: NamedUnit; readonly target: Place } | null;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const ARMY_WORDS = words('a army amy armies');
const FLEET_WORDS = words('f fleet flt fleets');
const HOLD_WORDS = words('h hold holds holding hld stand stands standing stay stays remain remains');
/** Words that may follow a hold without a meaning of their own. */
const AFTER_HOLD = words('position');
const MOVE_WORDS = words('m move moves moving mto go goes attack attacks attacking advance advances');
const SUPPORT_WORDS = words('s sup supp support supports supporting');
const CONVOY_WORDS = words('c cvy convoy convoys convoying');
const RETREAT_WORDS = words('r retreat retreats retreating rto');
const DISBAND_WORDS = words('d disband disbands disbanded dsb remove removes removed rem');
const BUILD_WORDS = words('b build builds building bld');
const WAIVE_WORDS = words('waive waives waived decline declines declined wve');
const TO_WORDS = words('- to into');
/** Words between a verb and a place: 'attacks on', 'an attack of'. */
const AT_WORDS = words('on of upon against at in toward towards');
/** Words of more than one letter that say what a unit does: never the beginning of a name behind other words. */
const VERBS = new Set(
  [
    ...[ARMY_WORDS, FLEET_WORDS, HOLD_WORDS, MOVE_WORDS, SUPPORT_WORDS, CONVOY_WORDS, RETREAT_WORDS],
    ...[DISBAND_WORDS, BUILD_WORDS],
  ].flatMap((set) => [...set]),
);
/** Places of the boards that no unit enters. */
const IMPASSABLE = words('swi switzerland swiss');
const IN_WORDS = words('in at of on from');
const FROM = words('from');
const VIA_WORDS = words('via by');
const RAIL_WORD = 'tsr';
/** Leave to pass a canal, behind an order: the word, then the fleet. SC in its place is no coast before a fleet. */
const LEAVE = /^(.*\S)\s+(?:permits?|sc)\s+((?:f|fleet)\s.+)$/is;
const VIA_NOUNS = words('convoy c sea fleet fleets ship');
/** Results that adjudicators write after an order. */
const RESULT_WORDS = words(
  '( ) no convoy cut fail fails failed dislodged destroyed invalid illegal bounce bounced void paradox disrupted ' +
    'succeeds succeeded given stands available success',
);
const SIDES: ReadonlyMap<string, string> = new Map(
  ['n north northern', 'e east eastern', 's south southern', 'w west western'].flatMap((line) =>
    line.split(' ').map((word): [string, string] => [word, line[0]]),
  ),
);

const UNREADABLE = new LepantoError('notation', 'no order');

/** Reads the tokens of one order from left to right. */
class Reader {
  readonly names: Names = namesOf(this.map);
  at = 0;

  /** @param isQuiet true to throw an error without words, which costs a third of the time */
  constructor(
    readonly map: CompiledMap,
    public tokens: readonly Token[],
    private readonly isQuiet = false,
  ) {
    if (this.tokens.some(({ plain }) => plain === ARTICLE)) this.dropArticles();
  }

  /** Skips an article. If the map has a province of that tag, it is an article only before a unit or a name. */
  private dropArticles(): void {
    const { places, powers } = this.names;
    const isName = (at: number): boolean =>
      this.beginsUnit(at) || this.name(powers, at).value >= 0 || /^(north|east|south|west)/.test(this.plain(at));
    const isArticle = (at: number): boolean => this.plain(at) === ARTICLE && (!places.has(ARTICLE) || isName(at + 1));
    this.tokens = this.tokens.filter((_, at) => !isArticle(at));
  }

  plain(at = this.at): string {
    return at < this.tokens.length ? this.tokens[at].plain : '';
  }
  is(set: ReadonlySet<string>): boolean {
    return set.has(this.plain());
  }
  /** Skips the next token if it is one of these. */
  take(set: ReadonlySet<string>): boolean {
    if (!this.is(set)) return false;
    this.at++;
    return true;
  }
  refuse(wanted: string): never {
    if (this.isQuiet) throw UNREADABLE;
    const got = this.at < this.tokens.length ? quote(this.tokens[this.at].text) : 'nothing more';
    throw new LepantoError('notation', `got ${got}, wanted ${wanted}`);
  }

  /** The longest run of words from `begin` on that is a name: its meaning (-1 if none is) and where it ends. */
  name(names: ReadonlyMap<string, Named>, begin: number): { readonly value: number; readonly end: number } {
    let joined = '';
    let words = 0;
    let found = { value: -1, end: begin };
    for (let i = begin; i < this.tokens.length; i++) {
      const plain = this.plain(i);
      if (plain === '-' && i > begin) continue;
      joined += plain;
      words++;
      if (joined.length > this.names.longest) break;
      const named = names.get(joined);
      if (named !== undefined && words <= named.words) found = { value: named.value, end: i + 1 };
    }
    return found;
  }

  beginsUnit(at: number): boolean {
    const plain = this.plain(at);
    return ARMY_WORDS.has(plain) || FLEET_WORDS.has(plain) || this.name(this.names.places, at).value >= 0;
  }
  /**
   * Nationalities are read and ignored (DATC 4.C.5, 4.C.6). On some maps a power has the name of a province: then the
   * word is a nationality only before a unit.
   */
  skipNationality(): void {
    const isOpen = this.plain() === '(';
    const { value, end } = this.name(this.names.powers, isOpen ? this.at + 1 : this.at);
    if (value < 0) {
      if (!this.isQuiet) this.skipShortNationality(isOpen);
      return;
    }
    if (isOpen) {
      if (this.plain(end) === ')') this.at = end + 1;
      return;
    }
    const isPlace = this.name(this.names.places, this.at).value >= 0;
    if (!isPlace || this.beginsUnit(end) || WAIVE_WORDS.has(this.plain(end))) this.at = end;
  }

  /**
   * Skips the beginning of one power's name before a unit: 'FRA A PAR', 'f: a par', '(Ger) F KIE'. A tag of a place is one
   * only before a letter for a unit.
   * @throws LepantoError that lists the powers, if there are several
   */
  private skipShortNationality(isOpen: boolean): void {
    const at = isOpen ? this.at + 1 : this.at;
    const plain = this.plain(at);
    const next = isOpen && this.plain(at + 1) === ')' ? at + 2 : at + 1;
    const hasLetter = this.isTypeAt(next) && (isOpen || this.beginsUnit(next + 1) || this.plain(next + 1) === '(');
    const isVerb = VERBS.has(plain) && !this.isTypeAt(at);
    const isName = plain.length >= 3 && !isVerb && (hasLetter || (!this.beginsUnit(at) && this.beginsUnit(next)));
    if (
      (isOpen && next === at + 1) ||
      !(isName || (plain.length === 1 && hasLetter && /\p{L}/u.test(plain) && !isVerb))
    )
      return;
    const begun = new Set(
      [...this.names.powers].filter(([name]) => name.startsWith(plain)).map(([, { value }]) => value),
    );
    if (begun.size === 0) return;
    if (begun.size > 1) {
      const names = [...begun].map((power) => this.map.powerNames[power]);
      const last = names.pop();
      throw new LepantoError(
        'notation',
        `got ${quote(this.tokens[at].text)}, which may be ${names.join(', ')} or ${last}`,
      );
    }
    this.at = next;
  }
  private isTypeAt(at: number): boolean {
    return ARMY_WORDS.has(this.plain(at)) || FLEET_WORDS.has(this.plain(at));
  }

  /** Side of the coast named at `at`, and where the words for it end; null if there is no coast. */
  coastAt(at: number, enclosed: boolean): { readonly side: string; readonly end: number } | null {
    const plain = this.plain(at);
    // SCS and ECS are seas on some maps.
    if (/^[nesw]cs?$/.test(plain) && !this.names.places.has(plain)) return { side: plain[0], end: at + 1 };
    const side = SIDES.get(plain);
    if (side === undefined) return null;
    if (this.plain(at + 1) === 'coast') return { side, end: at + 2 };
    if (!enclosed) return null;
    // '(s.c.)', '(s/c)'
    const letter = this.plain(at + 1) === '/' ? at + 2 : at + 1;
    return { side, end: this.plain(letter) === 'c' ? letter + 1 : at + 1 };
  }
  /** A coast after a name: '/SC', '(sc)', ' SC', '-sc', 'south coast'. Returns its side, or ''. */
  coastAfterName(): string {
    const opener = this.plain();
    const enclosed = opener === '/' || opener === '(';
    const found = this.coastAt(enclosed || opener === '-' ? this.at + 1 : this.at, enclosed);
    if (found === null) return '';
    this.at = found.end;
    if (opener === '(' && this.plain() === ')') this.at++;
    return found.side;
  }
  /** A coast before a name: 'south coast of Spain'. */
  coastBeforeName(): string {
    const found = this.coastAt(this.at, false);
    if (found === null || this.plain(found.end) !== 'of') return '';
    this.at = found.end + 1;
    return found.side;
  }

  place(wanted = 'a province'): Place {
    const before = this.coastBeforeName();
    const isOpen = this.plain() === '(' && this.plain(this.at + 1) !== '';
    if (isOpen) this.at++;
    const exact = this.name(this.names.places, this.at);
    const { value: location, end } = this.isQuiet ? exact : this.completed(exact);
    if (location < 0 && !this.isQuiet && IMPASSABLE.has(this.plain()))
      throw new LepantoError('notation', `got ${quote(this.tokens[this.at].text)}, which no unit can enter`);
    if (location < 0) this.refuse(wanted);
    this.at = end;
    if (!isOpen) return this.placeAt(location, before);
    const found = this.placeAt(location, before);
    if (this.plain() !== ')') this.refuse('")"');
    this.at++;
    // 'A(Spa)/nc'
    return found.coast >= 0 || found.province !== location ? found : this.placeAt(location, before);
  }

  /** A place whose name was read, with the coast behind it. */
  private placeAt(location: T.Location, before: string): Place {
    const province = this.map.locationProvince[location];
    if (location !== province) return { province, coast: location };
    const side = before || this.coastAfterName();
    return { province, coast: side === '' ? -1 : coastOn(this.map, province, side) };
  }

  /**
   * The place that words begin, if they say more than the exact name found. Not in prose, where 'west' is a direction.
   * @throws LepantoError that lists the places, if there are several
   */
  private completed(exact: { readonly value: number; readonly end: number }): {
    readonly value: number;
    readonly end: number;
  } {
    const given: string[] = [];
    for (let i = this.at; i < this.tokens.length && given.length < MOST_WORDS; i++) {
      const plain = this.plain(i);
      if (!/^\p{L}+$/u.test(plain) || (given.length > 0 && (plain.length < 2 || VERBS.has(plain)))) break;
      given.push(plain);
    }
    const short = this.names.places.get(SHORT_NAMES.get(this.plain()) ?? '');
    if (short !== undefined && exact.value < 0) return { value: short.value, end: this.at + 1 };
    for (; this.at + given.length > exact.end && given.length > 0; given.pop()) {
      const begun = begunBy(this.names, given);
      if (begun.length === 1) return { value: begun[0], end: this.at + given.length };
      if (begun.length > 1 && (exact.value < 0 || given.length > 1)) {
        const tags = begun.map((p) => this.map.provinceTags[p]);
        const last = tags.pop();
        throw new LepantoError('notation', `got ${quote(given.join(' '))}, which may be ${tags.join(', ')} or ${last}`);
      }
    }
    return exact;
  }

  unitType(): T.UnitType | null {
    // 'Build a fleet', 'an army'
    const next = this.plain(this.at + 1);
    if ((this.plain() === 'a' || this.plain() === 'an') && next.length > 1)
      if (ARMY_WORDS.has(next) || FLEET_WORDS.has(next)) this.at++;
    const isArmy = this.take(ARMY_WORDS);
    if (!isArmy && !this.take(FLEET_WORDS)) return null;
    this.take(IN_WORDS);
    return isArmy ? T.ARMY : T.FLEET;
  }
  unit(wanted = 'a unit'): NamedUnit {
    this.skipNationality();
    const type = this.unitType();
    return { type, ...this.place(type === null ? wanted : 'a province') };
  }

  /** 'via convoy', 'by convoy', 'VIA', '(convoyed)'; seas after it are a path. */
  via(): boolean {
    const start = this.at;
    if (this.plain() === '(') this.at++;
    if (this.plain() === 'is') this.at++;
    if (this.plain() === 'convoyed') {
      this.at++;
    } else if (this.take(VIA_WORDS)) {
      this.take(VIA_NOUNS);
    } else {
      this.at = start;
      return false;
    }
    if (this.plain() === ')') this.at++;
    return true;
  }
  /** Places of a path after VIA. Returns true if there are any. */
  seasBehindVia(): boolean {
    let found = false;
    for (;;) {
      const begin = this.plain() === '-' ? this.at + 1 : this.at;
      if (this.name(this.names.places, begin).value < 0) return found;
      this.at = begin;
      this.sea(this.place());
      found = true;
    }
  }
  sea(place: Place): void {
    if (!isSea(this.map, place.province))
      throw new LepantoError('notation', `got ${this.map.provinceTags[place.province]} on the way, wanted a sea`);
  }
  /** 'TSR -' before a destination, on a map with a railroad. */
  takeRail(): boolean {
    if (this.map.rows.railroad === undefined || this.plain() !== RAIL_WORD) return false;
    this.at++;
    if (!this.take(TO_WORDS)) this.refuse('"-" and where the ride ends');
    return true;
  }
  /** '- BEL', 'to BEL', '- NTH - BEL': the last place, and whether there were others before it. */
  destination(): { readonly target: Place; readonly path: boolean } {
    let target = this.place();
    let path = false;
    while (this.take(TO_WORDS)) {
      this.sea(target);
      path = true;
      target = this.place();
    }
    return { target, path };
  }
  /** Skips a word or sign that introduces a destination. */
  takeTo(): boolean {
    const moved = this.take(MOVE_WORDS);
    return this.take(TO_WORDS) || (moved && this.take(AT_WORDS)) || moved;
  }
  /** 'move to GAS from PAR' behind 'support' and 'convoy', as webDiplomacy writes it: the target, then the unit. */
  moveFrom(): { readonly helped: NamedUnit; readonly target: Place } {
    this.take(TO_WORDS);
    const target = this.place();
    if (!this.take(FROM)) this.refuse('"from" and the place of the unit');
    const helped = this.unit('the place of the unit');
    if (this.via()) this.seasBehindVia();
    return { helped, target };
  }

  /** Accepts only what adjudicators write after an order. */
  end(): void {
    while (this.at < this.tokens.length) if (!this.take(RESULT_WORDS)) this.refuse('the end of the order');
  }
}

const raw = (kind: OrderKind, unit: NamedUnit | null, rest: Partial<RawOrder> = {}): RawOrder => ({
  kind,
  unit,
  helped: null,
  target: null,
  via: false,
  path: false,
  rail: false,
  leave: null,
  ...rest,
});

/** Reads what the supported unit does: nothing more, a hold, or a move. */
const readSupport = (reader: Reader, unit: NamedUnit): RawOrder => {
  // 'support move to GAS from PAR', 'support hold to ENG'. 'S M ...' might name a unit.
  if (reader.plain().length > 1 && reader.take(MOVE_WORDS)) return raw('support', unit, reader.moveFrom());
  if (reader.plain().length > 1 && reader.take(HOLD_WORDS)) {
    if (!reader.take(TO_WORDS)) reader.take(AT_WORDS);
    return raw('support', unit, { helped: reader.unit() });
  }
  const helped = reader.unit();
  const to = reader.takeTo();
  if (!to && reader.plain() === 'in' && reader.plain(reader.at + 1) === 'place') reader.at += 2;
  if (!to || reader.is(HOLD_WORDS)) {
    reader.take(HOLD_WORDS);
    return raw('support', unit, { helped });
  }
  reader.takeRail();
  const { target } = reader.destination();
  if (reader.via()) reader.seasBehindVia();
  return raw('support', unit, { helped, target });
};

const readConvoy = (reader: Reader, unit: NamedUnit): RawOrder => {
  if (reader.plain() === 'to') return raw('convoy', unit, reader.moveFrom());
  const helped = reader.unit();
  if (!reader.takeTo()) reader.refuse('"-" and where the army goes');
  const { target } = reader.destination();
  if (reader.via()) reader.seasBehindVia();
  return raw('convoy', unit, { helped, target });
};

const readMove = (reader: Reader, unit: NamedUnit, convoyed: boolean): RawOrder => {
  const rail = reader.takeRail();
  const { target, path } = reader.destination();
  const via = reader.via();
  const seas = via && reader.seasBehindVia();
  return raw('move', unit, { target, via: via || convoyed, path: path || seas, rail });
};

/** Reads the rest of an order after its unit. */
const readVerb = (reader: Reader, unit: NamedUnit): RawOrder => {
  const convoyed = reader.via();
  const to = reader.takeTo();
  if (convoyed && !to) reader.refuse('"-" and where the army goes');
  if (to) return !convoyed && reader.take(HOLD_WORDS) ? raw('hold', unit) : readMove(reader, unit, convoyed);
  if (reader.take(HOLD_WORDS)) {
    reader.take(AFTER_HOLD);
    return raw('hold', unit);
  }
  if (reader.take(SUPPORT_WORDS)) return readSupport(reader, unit);
  if (reader.take(CONVOY_WORDS)) return readConvoy(reader, unit);
  if (reader.take(DISBAND_WORDS)) return raw('disband', unit);
  if (reader.take(BUILD_WORDS)) return raw('build', unit);
  if (reader.take(RETREAT_WORDS)) return readRetreat(reader, unit);
  return reader.refuse('what the unit does (-, H, S, C, R, D or B)');
};

const readRetreat = (reader: Reader, unit: NamedUnit): RawOrder => {
  reader.take(TO_WORDS);
  return raw('retreat', unit, { target: reader.place() });
};

const readWaive = (reader: Reader): RawOrder => {
  reader.take(words('a one'));
  reader.take(BUILD_WORDS);
  return raw('waive', null);
};

const readOrder = (reader: Reader): RawOrder => {
  reader.skipNationality();
  if (reader.take(WAIVE_WORDS)) return readWaive(reader);
  if (reader.take(BUILD_WORDS)) return raw('build', reader.unit());
  if (reader.take(DISBAND_WORDS)) return raw('disband', reader.unit());
  // 'R A PAR' might mean a removal: only the whole word may come before a unit.
  if (reader.plain() !== 'r' && reader.take(RETREAT_WORDS)) return readRetreat(reader, reader.unit());
  if (reader.take(MOVE_WORDS)) {
    const unit = reader.unit();
    if (!reader.take(TO_WORDS)) reader.refuse('"-" and where the unit goes');
    return readMove(reader, unit, false);
  }
  return readVerb(reader, reader.unit('an order'));
};

/** Orders already read on a map, by text: programs send the same few thousand texts again and again. */
type Memory<T> = (map: CompiledMap) => Map<string, T>;
const MOST_REMEMBERED = 1 << 15;

/** The earlier reading of a text, or what `read` makes of it now; errors are not remembered. */
const recall = <T>(memory: Memory<T>, map: CompiledMap, text: string, read: (reader: Reader) => T): T => {
  const texts = memory(map);
  const known = texts.get(text);
  if (known !== undefined) return known;
  const made = read(new Reader(map, tokenize(text)));
  if (texts.size === MOST_REMEMBERED) texts.clear();
  texts.set(text, made);
  return made;
};

const orders: Memory<RawOrder> = perMap(() => new Map());
const places: Memory<Place> = perMap(() => new Map());
const units: Memory<Place & { readonly type: T.UnitType }> = perMap(() => new Map());

/**
 * Reads one order of any phase in any usual notation; test/engine/notation/text.test.ts shows what is usual.
 * @throws LepantoError that says what it got and what it wanted
 */
export const parseOrder = (map: CompiledMap, text: string): RawOrder => {
  const leave = map.rows.canal === undefined ? null : LEAVE.exec(text);
  return recall(orders, map, text, (whole) => {
    const reader = leave === null ? whole : new Reader(map, tokenize(leave[1]));
    const order = readOrder(reader);
    reader.end();
    return leave === null ? order : { ...order, leave: readLeave(new Reader(map, tokenize(leave[2]))) };
  });
};

/** An order at the beginning of a longer text. */
export interface LeadingOrder<T extends Token> {
  readonly order: RawOrder;
  /** Tokens of the order, without articles. */
  readonly tokens: readonly T[];
}

/**
 * Reads the longest order with which tokens begin, whatever follows it. Returns null if they begin with none.
 * @param tokens words, '-' for each dash and arrow, and the signs / ( and )
 */
export const readLeadingOrder = <T extends Token>(map: CompiledMap, tokens: readonly T[]): LeadingOrder<T> | null => {
  for (let most = tokens.length; most > 0; ) {
    const reader = new Reader(map, tokens.slice(0, most), true);
    try {
      const order = readOrder(reader);
      // The reader drops articles, and nothing else.
      return { order, tokens: reader.tokens.slice(0, reader.at) as T[] };
    } catch (error) {
      if (!hasCode(error, 'notation')) throw error;
      const dropped = most - reader.tokens.length;
      most = Math.min(most - 1, reader.at + dropped);
    }
  }
  return null;
};

const readLeave = (reader: Reader): RawOrder['leave'] => {
  const unit = reader.unit('a fleet');
  if (!reader.takeTo()) reader.refuse('"-" and where the fleet goes');
  const { target } = reader.destination();
  reader.end();
  return { unit, target };
};

/**
 * Reads a place by any of its names: 'BUD', 'North Sea', 'Spain (south coast)'.
 * @throws LepantoError that says what was got and what was wanted
 */
export const parsePlace = (map: CompiledMap, text: string): Place =>
  recall(places, map, text, (reader) => {
    const place = reader.place();
    if (reader.at < reader.tokens.length) reader.refuse('the end of the name');
    return place;
  });

/**
 * Reads a unit with its letter: 'A BUD', 'Fleet St Petersburg (south coast)'.
 * @throws LepantoError that says what was got and what was wanted
 */
export const parseUnit = (map: CompiledMap, text: string): Place & { readonly type: T.UnitType } =>
  recall(units, map, text, (reader) => {
    reader.skipNationality();
    const type = reader.unitType();
    if (type === null) return reader.refuse('A or F and a province');
    const place = reader.place();
    if (reader.at < reader.tokens.length) reader.refuse('the end of the unit');
    return { type, ...place };
  });
