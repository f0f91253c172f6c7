// Parses the text of one order into an order with resolved names (RawOrder). The parser knows the map but not the
// position; interpret.ts decides whether a unit may do what the order says.
//
//   order    [nationality] (verb unit ... | unit verb ... | waive)
//   unit     [nationality] [A | F] place
//   place    name [coast]
//
// Maps with a railroad add: unit - TSR - place. Maps with a canal add, after any order: PERMITS unit - place.

import { type CompiledMap, lowestBit, perMap, testBit } from '../../internal.js';
import { hasCode, LepantoError } from '../../rules/error.js';
import { quote } from '../../rules/shape.js';
import * as T from '../../rules/types.js';

// ---- words ----

/** Maximum length of one order, in characters. */
export const MAX_TEXT = 200;

/** A word or sign of an order. */
export interface Token {
  /** Original text. */
  readonly text: string;
  /** Text in lower case without accents. '-' for every dash and arrow. */
  readonly plain: string;
}

/** Normalizes a word for comparison: lower case, without accents, spaces and punctuation. */
export const plainWord = (text: string): string =>
  /^[a-z0-9]*$/i.test(text)
    ? text.toLowerCase()
    : text
        .toLowerCase()
        .normalize('NFKD')
        .replace(/[^\p{L}\p{N}]/gu, '');

const ARROWS = /[-=~‐‑‒–—―−]*(?:>|[→➔➙➛➜➝➞➟➠➡➢➣➤⇒⇨⟶⟹►▶])+|[‐‑‒–—―−-]+/gu;
const APOSTROPHES = /['’‘`´]/gu;
/** Matches a result that an adjudicator printed after an order: 'A PAR S BUR; (cut)', '[A BUR - MUN]'. */
const COMMENT = /[;[\]].*$/su;
const TOKENS = /[\p{L}\p{N}\p{M}]+|[-/()]|[^\s\p{L}\p{N}.,:*"_]/gu;

/** Matches invisible characters: zero-width characters, direction marks and variation selectors. */
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

/** Decodes HTML entities ('&gt;'), normalizes full-width letters and removes invisible characters. */
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

/** The article, which names do not contain unless it is a whole name. */
const ARTICLE = 'the';

/** Splits the text of one order into tokens. @throws LepantoError if the text is longer than MAX_TEXT */
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

/** The meaning of a place or power name. */
interface Named {
  /** Number of the location or power. */
  readonly value: number;
  /** Maximum number of words for this name. A text may join words but not split them: 'MAR S' is not 'Mars'. */
  readonly words: number;
}

/** All names of places and powers on a map. */
export interface Names {
  /** Locations, keyed by normalized name: 'stp', 'northsea', 'stpsc'. */
  readonly places: ReadonlyMap<string, Named>;
  /** Powers, keyed by normalized name or adjective: 'austria', 'austrian', 'germanys'. */
  readonly powers: ReadonlyMap<string, Named>;
  /** Length of the longest key of `places` and `powers`, in characters. */
  readonly longest: number;
  /** Words of each full name and alias of a province, for abbreviations such as 'eng ch'. */
  readonly spelled: readonly { readonly words: readonly string[]; readonly province: T.Province }[];
}

/** Adjectives and other names of powers, separated by commas and keyed by power name. */
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

/**
 * Adds a name of the place or power `value` to `names`. A known name keeps its first meaning. The longest spelling
 * decides its maximum number of words.
 */
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

/** Returns the names of places and powers on a map. Makes them once for each map. */
export const namesOf = perMap((map): Names => {
  const places = namePlaces(map);
  const powers = namePowers(map);
  const longest = Math.max(...[...places.keys(), ...powers.keys()].map((key) => key.length));
  const spelled = map.rows.provinces.flatMap(({ name, aliases = [] }, province) =>
    [name, ...aliases].map((one) => ({ words: wordsOf(one), province })),
  );
  return { places, powers, longest, spelled };
});

/**
 * Usual tags of provinces, keyed by their two-letter names on the DPjudge. Not used in longer texts, where 'na' may be
 * another word.
 */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['na', 'nao'],
  ['ns', 'nth'],
  ['bs', 'bla'],
]);

/** Minimum number of letters in an abbreviated province name, counted over all of its words. */
const LEAST_LETTERS = 4;
/** Maximum number of words in an abbreviated province name. */
const MOST_WORDS = 4;

/**
 * Returns the provinces whose name these words abbreviate. Each word begins the word of the name at its position: 'wes
 * med', 'n afr'. A single word may begin the joined name: 'gulfofl'. Returns none for fewer than LEAST_LETTERS letters.
 */
const begunBy = ({ spelled }: Names, given: readonly string[]): T.Province[] => {
  const joined = given.join('');
  if (joined.length < LEAST_LETTERS) return [];
  const begins = (words: readonly string[]): boolean =>
    given.length === 1 ? words.join('').startsWith(joined) : given.every((word, i) => words[i]?.startsWith(word));
  return [...new Set(spelled.filter(({ words }) => begins(words)).map(({ province }) => province))];
};

/** Alternative sides of coasts, keyed by province tag and side: BUL/NC in some printed orders means BUL/EC. */
const OTHER_SIDES: ReadonlyMap<string, string> = new Map([['BUL/n', 'e']]);

/**
 * Returns the location of a province's coast on a side ('n', 'e', 's' or 'w'), or on the side that some printed orders
 * call so (BUL/NC is BUL/EC). Returns -1 if it has no such coast.
 */
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

/** Formats locations for a message: 'SPA/NC, SPA/SC'. */
export const listLocations = (map: CompiledMap, locations: readonly T.Location[]): string =>
  locations.map((l) => map.locationTags[l]).join(', ');

/** Returns the power with a name, in upper or lower case. Returns -1 for any other word, adjectives included. */
export const findPower = (map: CompiledMap, name: string): number => map.powerNames.indexOf(name.toUpperCase());

/**
 * Formats the powers for a message: 'one of AUSTRIA, ENGLAND, ...'. Gives only their number if there are more than 10.
 */
export const listPowers = (map: CompiledMap): string =>
  map.powerCount <= 10 ? `one of ${map.powerNames.join(', ')}` : `one of the ${map.powerCount} powers of ${map.name}`;

/** Returns the provinces in a bitset of one row, in ascending order. */
export const provincesIn = (map: CompiledMap, set: Int32Array): T.Province[] => {
  const found: T.Province[] = [];
  for (let w = 0; w * 32 < map.provinceCount; w++)
    for (let rest = set[w]; rest !== 0; rest &= rest - 1) found.push(w * 32 + lowestBit(rest));
  return found;
};

export const isSea = (map: CompiledMap, province: T.Province): boolean => testBit(map.seas, 0, province) === 1;

// ---- orders ----

export const orderKinds = ['hold', 'move', 'support', 'convoy', 'retreat', 'disband', 'build', 'waive'] as const;
/** Kind of an order. A removal is a 'disband'. */
export type OrderKind = (typeof orderKinds)[number];

/** A place as named in a text. */
export interface Place {
  /** Number of the province. */
  readonly province: T.Province;
  /** Location of the named coast. -1 if no coast was named, or if the province lacks it (DATC 4.B.6). */
  readonly coast: number;
}

/** A unit as named in a text. */
export interface NamedUnit extends Place {
  /** Unit type. Null if the text omits it (DATC 4.C.1). */
  readonly type: T.UnitType | null;
}

/** An order as written, with resolved names but without checks against a position. */
export interface RawOrder {
  readonly kind: OrderKind;
  /** The ordered unit, or the unit to build. Null for a waived build. */
  readonly unit: NamedUnit | null;
  /** The supported or convoyed unit. Null for other kinds. */
  readonly helped: NamedUnit | null;
  /** Destination of a move, retreat, convoy or supported move. Null for other orders. */
  readonly target: Place | null;
  /** True for a move written with 'VIA' or 'by convoy'. */
  readonly via: boolean;
  /** True for a move written with the seas of its convoy. The seas themselves are dropped (DATC 4.A.6). */
  readonly path: boolean;
  /** True for a move by railroad. */
  readonly rail: boolean;
  /** Permission to pass the canal: the fleet and its destination. Null if the order gives none. */
  readonly leave: { readonly unit: NamedUnit; readonly target: Place } | null;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const ARMY_WORDS = words('a army amy armies');
const FLEET_WORDS = words('f fleet flt fleets');
const HOLD_WORDS = words('h hold holds holding hld stand stands standing stay stays remain remains');
/** Words to skip after a hold: 'hold position'. */
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
/** Words for unit types and verbs. They cannot continue an abbreviated name. */
const VERBS = new Set(
  [
    ...[ARMY_WORDS, FLEET_WORDS, HOLD_WORDS, MOVE_WORDS, SUPPORT_WORDS, CONVOY_WORDS, RETREAT_WORDS],
    ...[DISBAND_WORDS, BUILD_WORDS],
  ].flatMap((set) => [...set]),
);
/** Names of impassable provinces, which the map does not contain. */
const IMPASSABLE = words('swi switzerland swiss');
const IN_WORDS = words('in at of on from');
const FROM = words('from');
const VIA_WORDS = words('via by');
const RAIL_WORD = 'tsr';
/** Matches an order with a permission to pass a canal. 'SC' before a fleet is such a permission and not a coast. */
const LEAVE = /^(.*\S)\s+(?:permits?|sc)\s+((?:f|fleet)\s.+)$/is;
const VIA_NOUNS = words('convoy c sea fleet fleets ship');
/** Words of results that adjudicators print after an order. Ignored at its end. */
const RESULT_WORDS = words(
  '( ) no convoy cut fail fails failed dislodged destroyed invalid illegal bounce bounced void paradox disrupted ' +
    'succeeds succeeded given stands available success',
);
const SIDES: ReadonlyMap<string, string> = new Map(
  ['n north northern', 'e east eastern', 's south southern', 'w west western'].flatMap((line) =>
    line.split(' ').map((word): [string, string] => [word, line[0]]),
  ),
);

/**
 * The error that quiet readers throw; null before the first one. Not made in advance, because making an error parses
 * the whole script of a page again.
 */
let unreadable: LepantoError | null = null;

/** Reads the tokens of one order from left to right. */
class Reader {
  readonly names: Names = namesOf(this.map);
  /** Index of the next token. */
  at = 0;

  /**
   * Makes a reader of these tokens, without articles.
   * @param isQuiet true to throw a constant error without details, which takes a third of the time
   */
  constructor(
    readonly map: CompiledMap,
    public tokens: readonly Token[],
    private readonly isQuiet = false,
  ) {
    if (this.tokens.some(({ plain }) => plain === ARTICLE)) this.dropArticles();
  }

  /** Removes articles. If 'the' is also a place on the map, it is an article only before a unit or a name. */
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
  /** Skips the next token if it is in a set. Returns true if it was. */
  take(set: ReadonlySet<string>): boolean {
    if (!this.is(set)) return false;
    this.at++;
    return true;
  }
  refuse(wanted: string): never {
    if (this.isQuiet) {
      unreadable ??= new LepantoError('notation', 'no order');
      throw unreadable;
    }
    const got = this.at < this.tokens.length ? quote(this.tokens[this.at].text) : 'nothing more';
    throw new LepantoError('notation', `got ${got}, wanted ${wanted}`);
  }

  /**
   * Finds the longest name that begins at token `begin`. Returns its value and the index of the token after it; -1 and
   * `begin` if no name begins there.
   */
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
   * Skips a nationality, which is ignored (DATC 4.C.5, 4.C.6). On some maps a power and a province have the same name;
   * the word is then a nationality only before a unit or a waived build.
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
   * Skips an abbreviated power name before a unit: 'FRA A PAR', 'f: a par', '(Ger) F KIE'. A place tag is read as a
   * power only before a unit type.
   * @param isOpen true if the next token is '('
   * @throws LepantoError if several powers match; the message lists them
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

  /**
   * Reads a coast at index `at`. Returns its side ('n', 'e', 's' or 'w') and the index of the token after it, or null
   * if there is no coast.
   * @param enclosed true after '/' or '(', where a single letter is a coast
   */
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
  /**
   * Reads a coast after a name: '/SC', '(sc)', ' SC', '-sc', 'south coast'. Returns its side, or '' if there is none.
   */
  coastAfterName(): string {
    const opener = this.plain();
    const enclosed = opener === '/' || opener === '(';
    const found = this.coastAt(enclosed || opener === '-' ? this.at + 1 : this.at, enclosed);
    if (found === null) return '';
    this.at = found.end;
    if (opener === '(' && this.plain() === ')') this.at++;
    return found.side;
  }
  /** Reads a coast before a name: 'south coast of Spain'. Returns its side, or '' if there is none. */
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

  /**
   * Completes a place after its name: reads the coast that follows, unless `before` is the side of its coast.
   * @param location location that the name means
   * @param before side of a coast that was named before the place ('n', 'e', 's' or 'w'); '' for none
   */
  private placeAt(location: T.Location, before: string): Place {
    const province = this.map.locationProvince[location];
    if (location !== province) return { province, coast: location };
    const side = before || this.coastAfterName();
    return { province, coast: side === '' ? -1 : coastOn(this.map, province, side) };
  }

  /**
   * Reads an abbreviated place name if it is longer than the exact name found. Returns the exact name otherwise. Not
   * called for longer texts, where 'west' is a direction.
   * @param exact result of name() at the next token
   * @throws LepantoError if several places match; the message lists them
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

  /** Skips 'via convoy', 'by convoy', 'VIA' or '(convoyed)'. Returns true if it was there. */
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
  /**
   * Skips the seas of a path after VIA. Returns true if there are any.
   * @throws LepantoError for a place that is not a sea
   */
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
  /**
   * Skips 'TSR -' before a destination, on a map with a railroad. Returns true if it was there.
   * @throws LepantoError if no '-' follows 'TSR'
   */
  takeRail(): boolean {
    if (this.map.rows.railroad === undefined || this.plain() !== RAIL_WORD) return false;
    this.at++;
    if (!this.take(TO_WORDS)) this.refuse('"-" and where the ride ends');
    return true;
  }
  /**
   * Reads a destination after the first dash: 'BEL' or 'NTH - BEL'. `path` is true if there are seas before the target.
   * @throws LepantoError if no place follows, or if a place before the target is not a sea
   */
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
  /** Skips words that introduce a destination: '-', 'to', 'attacks on'. Returns true if there are any. */
  takeTo(): boolean {
    const moved = this.take(MOVE_WORDS);
    return this.take(TO_WORDS) || (moved && this.take(AT_WORDS)) || moved;
  }
  /**
   * Reads 'to GAS from PAR' after 'support move' or 'convoy', the notation of webDiplomacy.
   * @throws LepantoError if the text is of another form
   */
  moveFrom(): { readonly helped: NamedUnit; readonly target: Place } {
    this.take(TO_WORDS);
    const target = this.place();
    if (!this.take(FROM)) this.refuse('"from" and the place of the unit');
    const helped = this.unit('the place of the unit');
    if (this.via()) this.seasBehindVia();
    return { helped, target };
  }

  /** Skips the printed result of an order. @throws LepantoError if other text follows the order */
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

/** Reads the rest of a support: the supported unit, then nothing, a hold or a move. */
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

/** Cache of parsed texts for each map, keyed by text. Programs send the same few thousand texts repeatedly. */
type Memory<T> = (map: CompiledMap) => Map<string, T>;
const MOST_REMEMBERED = 1 << 15;

/**
 * Returns the cached result of a text, or calls `read` with a reader of the text and caches its result. Errors are not
 * cached. Clears a cache of MOST_REMEMBERED texts before it adds one.
 * @throws LepantoError if the text is longer than MAX_TEXT, or if `read` does
 */
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
/** Places by their tags. Known without reading, so that a page starts before the names of a map are needed. */
const places: Memory<Place> = perMap(
  ({ locationTags, locationProvince }) =>
    new Map(
      locationTags.map((tag, location) => [
        tag,
        { province: locationProvince[location], coast: tag.includes('/') ? location : -1 },
      ]),
    ),
);
/** Units by type and tag: 'A PAR'. Known without reading, as places are. */
const units: Memory<Place & { readonly type: T.UnitType }> = perMap((map) => {
  const known = new Map();
  for (const [tag, place] of places(map))
    known.set(`A ${tag}`, { type: T.ARMY, ...place }).set(`F ${tag}`, { type: T.FLEET, ...place });
  return known;
});

/**
 * Parses one order of any phase in any common notation. test/engine/notation/text.test.ts has examples.
 * @throws LepantoError if the text is not an order; the message gives the text found and the text expected
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

/** An order at the start of a longer text. */
export interface LeadingOrder<T extends Token> {
  readonly order: RawOrder;
  /** Tokens of the order, without articles. */
  readonly tokens: readonly T[];
}

/**
 * Parses the longest order at the start of a list of tokens. Other tokens may follow it. Returns null if there is none.
 * @param tokens words, '-' for each dash and arrow, and the signs / ( and )
 */
export const readLeadingOrder = <T extends Token>(map: CompiledMap, tokens: readonly T[]): LeadingOrder<T> | null => {
  for (let most = tokens.length; most > 0; ) {
    const reader = new Reader(map, tokens.slice(0, most), true);
    try {
      const order = readOrder(reader);
      // The reader only removes articles, so its tokens are elements of `tokens`.
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
 * Parses a place by any of its names: 'BUD', 'North Sea', 'Spain (south coast)'.
 * @throws LepantoError if the text is not a place of the map, may mean several, or is longer than MAX_TEXT
 */
export const parsePlace = (map: CompiledMap, text: string): Place =>
  recall(places, map, text, (reader) => {
    const place = reader.place();
    if (reader.at < reader.tokens.length) reader.refuse('the end of the name');
    return place;
  });

/**
 * Parses a unit with its type: 'A BUD', 'Fleet St Petersburg (south coast)'.
 * @throws LepantoError if the text is not a unit type and a place of the map, may mean several places, or is longer
 *   than MAX_TEXT
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
