// Parses DPjudge map files, `.map`, which the Python package `diplomacy` also uses. Each line is a directive:
//
//   BEGIN SPRING 1901 MOVEMENT         VICTORY 18           MAP standard.map      USE other.map
//   AUSTRIA (AUSTRIAN) BUD TRI VIE     A BUD                UNOWNED BEL BUL       OWNS BUD
//   North Sea = nth norsea nts         COAST ALB ABUTS ADR gre Ion                DROP SWI
//   AAA -> Gamma = gam al              ENGLAND -> BRITAIN (BRITISH) EDI LON LVP   (places and powers with another name)
//
// Without BEGIN a game starts in spring 1901, as in both programs. Directives that Lepanto has no rules for are ignored
// with a note if the game can be played without them. Rules for single borders, or for some phases only, are errors.
// The case of a border tells which units cross it: ALB armies and fleets, alb armies only, Alb fleets only. In a
// province with coasts, `spa` (lower case) is the place of armies, SPA/NC and SPA/SC are places of fleets.
import type { PowerRow, ProvinceRow } from '../../../engine/internal.js';
import { quote } from '../../../engine/rules/shape.js';
import { type FindMapFile, fileRefusal, isPlainFileName, provinceRows, type ReadMap } from './read-map.js';

/** Kind of a province for each terrain; null for impassable. A port is a coastal province whose fleets convoy. */
const kinds = { WATER: 'sea', LAND: 'land', COAST: 'coast', PORT: 'coast', SHUT: null } as const;
type Terrain = keyof typeof kinds;
const DUMMIES = new Set(['DUMMY', 'DUMMIES']);
const isTerrain = (word: string): word is Terrain => Object.hasOwn(kinds, word);

const DEFAULT_START = 'S1901M';
const USUAL_SEASONS: ReadonlyMap<string, string> = new Map([
  ['SPRING', 'S'],
  ['FALL', 'F'],
  ['AUTUMN', 'F'],
  ['WINTER', 'W'],
]);

/** Directives that do not describe the board: pictures, people, rules of the judge, agreements between powers. */
const IGNORED = new Set(
  (
    'FLAG FLAGS NOTIFY TEXTONLY ROTATE NEWHOMES RESERVES MILITIA CONTROL LEAGUE TEAM TEAMS DUMMY DUMMIES ' +
    'HOST PRESS'
  ).split(' '),
);

/** Kind of a home that is not an ordinary home centre, keyed by the sign before the home. */
const HOME_KINDS: Readonly<Record<string, string>> = {
  '*': 'partisan',
  '+': 'factory',
  '~': 'hidden',
  '@': 'alternative',
};
const HOME = /^-?([*+~@]*)([A-Z][A-Z0-9]{2})(?:\([^)]*\))?$/i;
/** True for an entry in a list of homes that is not a province: '&SC'. */
const isMark = (home: string): boolean => /^[&!%$^]/.test(home);

/** Returns a power's name as in the files of the package `diplomacy`: 'NEW-YORK' becomes NEWYORK. */
const powerName = (name: string): string => name.toUpperCase().replace(/[^A-Z0-9]+/g, '');

/** Maximum number of files that one map may consist of: its own file and the files that it includes. */
const MAX_FILES = 16;
/** Maximum number of places, powers, homes, units, renamings, and borders of a place. No map has as many. */
const MOST = 2048;
/** Maximum number of lines in a file. No map has as many. */
const MAX_LINES = 20_000;

/** A province, or one of its coasts. abuts: the borders as spelled in the file. */
interface Site {
  terrain: Terrain;
  abuts: string[];
}

/** A power. owns: its centres at the start; null if they are its homes. */
interface Power {
  homes: string[];
  owns: string[] | null;
  units: string[];
}

const tagOf = (site: string): string => site.toUpperCase().split('/')[0];
const coastOf = (site: string): string | undefined => site.toUpperCase().split('/')[1];
/** True if a site is a province or one of its coasts: 'SPA' and 'SPA/NC' belong to 'SPA'. */
const isOf = (site: string, tag: string): boolean => tagOf(site) === tag.toUpperCase();
const titleCase = (name: string): string =>
  name === name.toUpperCase() ? name.toLowerCase().replace(/(^|[\s(-])\p{L}/gu, (found) => found.toUpperCase()) : name;

/** Reads a map file and the files that it includes, line by line. */
class MapReader {
  private readonly files: string[] = [];
  /** File and line that are being read, for messages. */
  private where = '';
  /** Sites, keyed by their spelling: 'spa' and 'SPA/NC'. */
  readonly sites = new Map<string, Site>();
  readonly powers = new Map<string, Power>();
  readonly names = new Map<string, { name: string; aliases: string[] }>();
  readonly notes: string[] = [];
  unowned: string[] = [];
  private begin: { readonly words: readonly string[]; readonly where: string } | null = null;
  /** Phases of a year from FLOW: 'SPRING:MOVEMENT,RETREATS'. Empty for the usual phases. */
  private readonly flow: string[] = [];
  private flowAt = '';
  victory: number | undefined = undefined;
  buildAnywhere = false;
  /** Power that the next lines with units and centres belong to. */
  private power: Power | null = null;
  /** Name of the current block of directives for some games only; '' outside such blocks. */
  private block = '';
  private changes = 0;
  private unitCount = 0;
  private homeCount = 0;
  /** Words whose line has no homes, with the place of the line. They may be powers or unknown directives. */
  private readonly bare = new Map<string, string>();

  constructor(private readonly find: FindMapFile) {}

  private refuse(message: string): never {
    throw fileRefusal(this.where, `${message}`);
  }

  read(file: string, text: string): void {
    if (this.files.includes(file)) throw fileRefusal(this.where || file, `${file} is named twice`);
    if (this.files.length === MAX_FILES) throw fileRefusal(this.where, `got more than ${MAX_FILES} files`);
    this.files.push(file);
    const lines = text.split(/\r?\n/);
    if (lines.length > MAX_LINES) throw fileRefusal(file, `got ${lines.length} lines, wanted at most ${MAX_LINES}`);
    lines.forEach((line, i) => {
      this.where = `${file}, line ${i + 1}`;
      const words = line.split(/\s+/).filter((word) => word !== '');
      if (words.length > 0 && !words[0].startsWith('#')) this.readLine(line, words);
    });
  }

  private readLine(line: string, words: readonly string[]): void {
    const [first, ...rest] = words;
    const word = first.toUpperCase();
    if (/^directives?$/i.test(words[words.length - 1])) {
      this.block = word === 'END' ? '' : words.join(' ');
      if (this.block !== '') this.notes.push(`${this.block}: rules for some games, ignored`);
    } else if (this.block !== '') return;
    else if ((word === 'IN' || word === 'FROM') && !line.includes('='))
      this.refuse(`got ${quote(line.trim())}: a map here is the same in all phases of a game`);
    else if (line.includes('=')) this.readName(line);
    else if (isTerrain(word) || word === 'AMEND') this.readSite(word, rest);
    else if (word === 'A' || word === 'F') this.readUnit(words);
    else this.readDirective(word, rest);
  }

  private readDirective(word: string, rest: readonly string[]): void {
    switch (word) {
      case 'FLOW':
        if (rest.length === 0) this.flow.length = 0;
        this.limit('phases of a year', this.flow.length + rest.length);
        this.flow.push(...rest.map((part) => part.toUpperCase()));
        this.flowAt = this.where;
        return;
      case 'BEGIN':
        this.begin = { words: rest, where: this.where };
        return;
      case 'VICTORY':
        this.readVictory(rest);
        return;
      case 'MAP':
      case 'USE':
      case 'USES':
        for (const name of rest) this.include(name.includes('.') ? name : `${name}.map`);
        return;
      case 'RULE':
      case 'RULES':
        for (const rule of rest) this.readRule(rule.toUpperCase());
        return;
      case 'OWNS':
      case 'CENTERS':
        this.readOwned(word === 'OWNS', rest);
        return;
      case 'INHABITS':
      case 'HOME':
      case 'HOMES':
        this.addHomes(this.currentPower(word), rest, word !== 'INHABITS');
        return;
      case 'UNITS':
        this.currentPower(word).units = [];
        return;
      case 'DROP':
        for (const tag of rest) this.drop(tag);
        return;
      case 'UNPLAYED':
        this.removePowers(rest);
        return;
      default:
        if (IGNORED.has(word))
          this.notes.push(
            `${word}: ${DUMMIES.has(word) ? 'unplayed powers are powers like any other here' : 'ignored'}`,
          );
        else this.readPower(word, rest);
    }
  }

  private readOwned(more: boolean, tags: readonly string[]): void {
    if (this.power === null) {
      this.addPower('UNOWNED', tags);
      return;
    }
    this.homeCount += tags.length;
    this.limit('homes and centres', this.homeCount);
    this.power.owns = [...(more ? (this.power.owns ?? []) : []), ...tags.map(tagOf)];
  }

  /**
   * Reads the line of a power: its name and its homes, or 'OLD -> NEW' and homes, which renames a power. Ignores a line
   * with other words and adds a note about it.
   */
  private readPower(word: string, rest: readonly string[]): void {
    const isRenamed = rest[0] === '->' && rest.length > 1;
    const name = isRenamed ? rest[1].toUpperCase() : word;
    const homes = isRenamed ? rest.slice(2) : rest;
    const wrong = homes.find((home, i) => !(HOME.test(home) || isMark(home) || (i === 0 && home.startsWith('('))));
    if (wrong !== undefined || !/^[A-Z]/.test(powerName(name))) {
      this.notes.push(`${this.where}: ${quote([word, ...rest].join(' '))} is neither a directive nor a power, ignored`);
      return;
    }
    if (isRenamed) this.renamePower(word, name);
    this.addPower(name, homes);
    if (homes.length === 0) this.bare.set(powerName(name), this.where);
  }

  private renamePower(from: string, to: string): void {
    const power = this.powers.get(powerName(from));
    if (power === undefined) this.refuse(`got ${from} -> ${to}, wanted a power before the arrow`);
    // Keeps the order of the powers.
    const all = [...this.powers].map(([name, one]) => [one === power ? powerName(to) : name, one] as const);
    this.powers.clear();
    for (const [name, one] of all) this.powers.set(name, one);
  }

  /** Removes powers without homes, centres and units: their lines were unknown directives. Keeps the last power. */
  dropBare(): void {
    for (const [name, where] of this.bare) {
      const power = this.powers.get(name);
      if (power === undefined || this.powers.size === 1) continue;
      if (power.homes.length + power.units.length + (power.owns?.length ?? 0) > 0) continue;
      this.powers.delete(name);
      this.notes.push(`${where}: "${name}" is neither a directive nor a power with homes or units, ignored`);
    }
  }

  private currentPower(word: string): Power {
    return this.power ?? this.refuse(`got ${word} before the line of a power`);
  }

  private include(name: string): void {
    if (!isPlainFileName(name)) this.refuse(`got the file "${name}", wanted a name without a directory`);
    const text = this.find(name);
    if (text === null) this.refuse(`got the file "${name}", wanted one in the same directory`);
    const { where } = this;
    this.read(name, text);
    this.where = where;
    this.power = null;
  }

  /**
   * Returns the name of the first phase. Without BEGIN it is S1901M, as in DPjudge and `diplomacy`.
   * @throws LepantoError for a phase that cannot be read, or with a year before Christ
   */
  start(): string {
    const seasons = this.seasons();
    if (this.begin === null) return DEFAULT_START;
    const { words, where } = this.begin;
    this.where = where;
    const upper = words.map((word) => word.toUpperCase());
    if (upper.some((word) => /^(BC|B\.C\.?|BCE)$/.test(word)))
      this.refuse(`got the phase "${words.join(' ')}": years before Christ, which count down, are no years here`);
    const [season, year, phase, ...more] = upper;
    const letter = seasons.get(season ?? '');
    const kind = { MOVEMENT: 'M', ADJUSTMENTS: 'A', ADJUSTMENT: 'A' }[phase ?? ''];
    const isPhase = letter !== undefined && kind !== undefined && (letter === 'W') === (kind === 'A');
    if (!isPhase || !/^\d{1,4}$/.test(year ?? '') || more.length > 0)
      this.refuse(`got the phase "${words.join(' ')}", wanted one like SPRING 1901 MOVEMENT`);
    return `${letter}${Number(year)}${kind}`;
  }

  /**
   * Returns the letter of each season name. FLOW may rename the seasons.
   * @throws LepantoError unless a year has two movement phases with retreats and an adjustment phase
   */
  private seasons(): ReadonlyMap<string, string> {
    if (this.flow.length === 0) return USUAL_SEASONS;
    const [spring, fall, winter, ...more] = this.flow.map((part) => part.split(':'));
    const isUsual =
      [spring, fall].every((part) => part?.[1] === 'MOVEMENT,RETREATS') &&
      winter?.[1] === 'ADJUSTMENTS' &&
      more.length === 0;
    this.where = this.flowAt;
    if (!isUsual)
      this.refuse(`got FLOW ${quote(this.flow.join(' '))}: a year here has spring and fall with retreats, and winter`);
    return new Map([spring, fall, winter].map(([name], i) => [name, 'SFW'[i]]));
  }

  private readVictory(words: readonly string[]): void {
    const [first] = words;
    if (!/^\d{1,3}$/.test(first ?? '')) this.refuse(`got VICTORY ${words.join(' ')}, wanted a number of centres`);
    if (words.length > 1) this.notes.push(`VICTORY ${words.join(' ')}: only ${first} counts, in every year`);
    this.victory = Number(first);
  }

  private readRule(rule: string): void {
    if (rule === 'BUILD_ANY') this.buildAnywhere = true;
    else this.notes.push(`RULE ${rule}: ignored, see "lepanto rules"`);
  }

  private readName(line: string): void {
    const parts = line.split('=');
    const [names, words = ''] = parts.map((part) => part.trim());
    const [name, old, ...more] = names.split('->').reverse();
    if (parts.length !== 2 || more.length > 0)
      this.refuse(`got ${quote(line.trim())}, wanted NAME = TAG ALIAS ... or OLD -> NAME = TAG ALIAS ...`);
    const [site, ...aliases] = words.split(/\s+/);
    if (site === '') this.refuse(`got no tag of ${name.trim()}`);
    if (old !== undefined) this.renamePlace(old.trim(), site);
    // Names of coasts are not needed: "bul/ec" and "Bulgaria (east coast)" are understood without them.
    if (site.includes('/')) return;
    const spelled = aliases.map((alias) => alias.replaceAll('+', ' ').replace(/\?$/, ''));
    this.names.set(tagOf(site), { name: titleCase(name.trim()), aliases: spelled });
  }

  private isKnown(tag: string): boolean {
    return this.names.has(tag) || [...this.sites.keys()].some((place) => isOf(place, tag));
  }

  /**
   * Checks the length of a list of the file. The limit keeps the reading time proportional to the size of the file.
   * @param what name of the elements, for the message
   * @throws LepantoError if `count` is above MOST, which is more than any map needs
   */
  private limit(what: string, count: number): void {
    if (count > MOST) this.refuse(`got more than ${MOST} ${what}`);
  }

  private countChange(): void {
    this.limit('places renamed or dropped', ++this.changes);
  }

  /**
   * Changes the tag of a place everywhere in the map.
   * @param given old tag
   * @param site new tag
   * @throws LepantoError if the old tag is unknown, or the new one is that of another place
   */
  private renamePlace(given: string, site: string): void {
    const to = tagOf(site);
    const isCoast = given.includes('/');
    // The province of a coast may already have its new tag.
    const old = isCoast && !this.isKnown(tagOf(given)) ? `${to}/${coastOf(given)}` : given;
    const from = tagOf(old);
    this.countChange();
    if (!this.isKnown(from)) this.refuse(`got ${old} -> ${site}, wanted a place before the arrow`);
    if (!isCoast && to !== from && this.names.has(to)) this.refuse(`got ${old} -> ${site}, which is another place`);
    const renamed = (one: string): string => {
      if (isCoast) return one.toUpperCase() === old.toUpperCase() ? site.toUpperCase() : one;
      if (!isOf(one, from)) return one;
      const [tag, ...coast] = one.split('/');
      if (tag === tag.toUpperCase()) return [to, ...coast].join('/');
      if (tag === tag.toLowerCase()) return [to.toLowerCase(), ...coast].join('/');
      return [to[0] + to.slice(1).toLowerCase(), ...coast].join('/');
    };
    const sites = [...this.sites];
    this.sites.clear();
    for (const [place, site] of sites) this.sites.set(renamed(place), { ...site, abuts: site.abuts.map(renamed) });
    this.unowned = this.unowned.map(renamed);
    if (!isCoast) this.names.delete(from);
    for (const power of this.powers.values()) {
      power.homes = power.homes.map(renamed);
      power.owns = power.owns?.map(renamed) ?? null;
      power.units = power.units.map((unit) => unit.slice(0, 2) + renamed(unit.slice(2)));
    }
  }

  private readUnit(words: readonly string[]): void {
    const [type, site, ...rest] = words.map((word) => word.toUpperCase());
    if (this.power === null || site === undefined || rest.length > 0)
      this.refuse(`got the unit "${words.join(' ')}", wanted A or F and a place, below the line of its power`);
    for (const power of this.powers.values())
      power.units = power.units.filter((unit) => !isOf(unit.slice(2), tagOf(site)));
    this.limit('units', ++this.unitCount);
    this.power.units.push(`${type} ${site}`);
  }

  private addPower(word: string, rest: readonly string[]): void {
    const homes = rest.filter((home) => !home.startsWith('('));
    if (word === 'UNOWNED' || word === 'NEUTRAL' || word === 'CENTERS') {
      this.power = null;
      for (const home of homes.map((one) => one.toUpperCase())) {
        const tag = home.replace(/^-+/, '');
        this.limit('homes and centres', ++this.homeCount);
        this.unowned = this.unowned.filter((one) => one !== tag);
        if (tag === home) this.unowned.push(tag);
      }
      return;
    }
    const name = powerName(word);
    const power = this.powers.get(name) ?? { homes: [], owns: null, units: [] };
    this.powers.set(name, power);
    this.limit('powers', this.powers.size);
    this.power = power;
    this.addHomes(power, homes, false);
  }

  /**
   * Adds homes to a power. A home with a leading dash is removed from the homes, but remains a centre.
   * @param anew true to replace the homes
   */
  private addHomes(power: Power, homes: readonly string[], anew: boolean): void {
    if (anew) power.homes = [];
    for (const home of homes.map((one) => one.toUpperCase())) {
      this.limit('homes and centres', ++this.homeCount);
      if (isMark(home)) {
        this.notes.push(`${this.where}, ${home}: ignored`);
        continue;
      }
      const [, kinds = '', tag = home.replace(/^-+/, '')] = HOME.exec(home) ?? [];
      power.homes = power.homes.filter((one) => one !== tag);
      if (kinds !== '' && HOME_KINDS[kinds[0]] !== undefined)
        this.notes.push(`${home}: a ${HOME_KINDS[kinds[0]]} home is no home here`);
      else if (!home.startsWith('-')) power.homes.push(tag);
      if (kinds === '' && !this.unowned.includes(tag)) this.unowned.push(tag);
    }
  }

  private readSite(word: Terrain | 'AMEND', [place, abuts, ...borders]: readonly string[]): void {
    if (place === undefined) this.refuse(`got ${word} without a place`);
    if (!/^[A-Z][A-Z0-9]{2}(?:\/[A-Z]{1,2})?$/i.test(place))
      this.refuse(`got the place "${place}", wanted three letters, or three and a coast like SPA/NC`);
    if (abuts !== undefined && abuts.toUpperCase() !== 'ABUTS') this.refuse(`got ${quote(abuts)}, wanted ABUTS`);
    const before = this.sites.get(place) ?? this.sites.get(this.otherCase(place));
    if (this.sites.delete(this.otherCase(place)) && place === place.toUpperCase())
      for (const other of [...this.sites.keys()]) if (other.startsWith(`${place}/`)) this.sites.delete(other);
    if (word === 'AMEND' && before === undefined) this.refuse(`got AMEND of ${place}, which is not known`);
    const site: Site = {
      terrain: word === 'AMEND' ? (before?.terrain ?? 'LAND') : word,
      abuts: word === 'AMEND' || abuts === undefined ? [...(before?.abuts ?? [])] : [],
    };
    this.limit(`borders of ${place}`, borders.length);
    for (const border of borders) {
      if (border.startsWith('-'))
        site.abuts = site.abuts.filter((one) => !one.toUpperCase().startsWith(border.slice(1).toUpperCase()));
      else if (/^[A-Z][A-Z0-9]{2}(?:\/[A-Z]{1,2})?$/i.test(border)) site.abuts.push(border);
      else
        this.refuse(
          `got the border ${quote(border)} of ${place}: not all units cross it, a rule that no map here holds`,
        );
    }
    this.limit(`borders of ${place}`, site.abuts.length);
    this.sites.set(place, site);
    this.limit('places', this.sites.size);
  }

  private otherCase(place: string): string {
    return place === place.toUpperCase() ? place.toLowerCase() : place.toUpperCase();
  }

  private drop(tag: string): void {
    this.countChange();
    const isOther = (site: string): boolean => !isOf(site, tag);
    for (const [place, site] of this.sites) {
      if (isOf(place, tag)) this.sites.delete(place);
      else site.abuts = site.abuts.filter(isOther);
    }
    this.names.delete(tag.toUpperCase());
    this.unowned = this.unowned.filter(isOther);
    for (const power of this.powers.values()) {
      power.homes = power.homes.filter(isOther);
      power.owns = power.owns?.filter(isOther) ?? null;
      power.units = power.units.filter((unit) => isOther(unit.slice(2)));
    }
  }

  private removePowers(words: readonly string[]): void {
    const current = [...this.powers].find(([, power]) => power === this.power)?.[0];
    const given = words.length === 0 && current !== undefined ? [current] : words;
    const named = given.map((word) => powerName(word)).filter((word) => word !== '');
    const [all, except] = named;
    let gone = named;
    if (all === 'ALL') {
      if (except !== undefined && except !== 'EXCEPT') this.refuse(`got ${quote(except)} after ALL, wanted EXCEPT`);
      gone = [...this.powers.keys()].filter((name) => !named.slice(2).includes(name));
    }
    for (const name of gone) if (!this.powers.delete(name)) this.refuse(`got UNPLAYED ${name}, which is no power`);
    this.power = null;
  }
}

const isUpper = (text: string): boolean => text === text.toUpperCase();
const isLower = (text: string): boolean => text === text.toLowerCase();

/** Makes the rows of provinces. The case of a border and the terrains on both sides tell which units cross it. */
class RowMaker {
  declare private readonly kinds: ReadonlyMap<string, ProvinceRow['kind']>;
  declare private readonly coasts: ReadonlyMap<string, readonly string[]>;

  private readonly selfBorders = new Set<string>();

  constructor(private readonly reader: MapReader) {
    const kindOf = new Map<string, ProvinceRow['kind']>();
    const coasts = new Map<string, string[]>();
    for (const [place, { terrain }] of reader.sites) {
      const kind = kinds[terrain];
      const tag = tagOf(place);
      if (kind === null) {
        reader.notes.push(`${tag}: impassable, not on the map`);
        continue;
      }
      kindOf.set(tag, kind);
      const coast = coastOf(place);
      if (coast !== undefined) coasts.set(tag, [...(coasts.get(tag) ?? []), coast]);
    }
    this.kinds = kindOf;
    this.coasts = coasts;
  }

  /**
   * Returns the tags of the provinces that an army reaches, separated by spaces. Borders of coasts are for fleets,
   * unless the province has no line without a coast.
   */
  private army(tag: string): string {
    const { sites } = this.reader;
    const site = sites.get(tag) ?? sites.get(tag.toLowerCase());
    const reached = new Set<string>();
    for (const border of site?.abuts ?? []) {
      const to = tagOf(border);
      const kind = this.kinds.get(to);
      if (this.kinds.get(tag) === 'sea' || kind === 'sea' || (kind === undefined && sites.has(to))) continue;
      if (isUpper(border) || isLower(border)) reached.add(to);
    }
    if (reached.delete(tag)) this.selfBorders.add(tag);
    return [...reached].sort().join(' ');
  }

  /**
   * Returns the locations that a fleet at a site reaches, separated by spaces. Borders within a province are only added
   * to `selfBorders`.
   */
  private fleet(place: string): string {
    const reached = new Set<string>();
    for (const border of this.reader.sites.get(place)?.abuts ?? []) {
      const to = tagOf(border);
      const isShut = !this.kinds.has(to) && this.reader.sites.has(to);
      if (border[0] !== border[0].toUpperCase() || this.kinds.get(to) === 'land' || isShut) continue;
      // A province with coasts that is named without a coast: the border is for armies.
      if (this.coasts.has(to) && coastOf(border) === undefined) continue;
      if (to === tagOf(place)) this.selfBorders.add(to);
      else reached.add(border.toUpperCase());
    }
    return [...reached].sort().join(' ');
  }

  private fleetOf(tag: string): ProvinceRow['fleet'] {
    if (this.kinds.get(tag) === 'land') return undefined;
    const coasts = this.coasts.get(tag);
    if (coasts !== undefined)
      return Object.fromEntries([...coasts].sort().map((coast) => [coast, this.fleet(`${tag}/${coast}`)]));
    return this.fleet(tag) || undefined;
  }

  provinces(centers: ReadonlySet<string>): ProvinceRow[] {
    const found = [...this.kinds]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([tag, kind]) => ({
        tag,
        ...(this.reader.names.get(tag) ?? { name: tag, aliases: [] }),
        kind,
        army: this.army(tag),
        fleet: this.fleetOf(tag),
      }));
    const own = [...this.selfBorders].join(', ');
    if (own !== '') this.reader.notes.push(`borders of a place with itself are ignored: ${own}`);
    return provinceRows(found, centers, this.reader.notes);
  }
}

const powerRow = (name: string, { homes, owns, units }: Power): PowerRow => ({
  name,
  homes: homes.join(' '),
  units: units.join(', '),
  ...(owns !== null && { owns: owns.join(' ') }),
});

/**
 * Parses a `.map` file. compileMap() validates the rows.
 * @param name name of the map
 * @param file name of the file, for messages
 * @param find returns the text of included files (MAP, USE)
 * @throws LepantoError that names the file and line, with the given and the expected text
 */
export const readDpjudgeMap = (name: string, file: string, text: string, find: FindMapFile): ReadMap => {
  const reader = new MapReader(find);
  reader.read(file, text);
  reader.dropBare();
  if (reader.powers.size === 0)
    throw fileRefusal(file, `got no power, wanted lines like AUSTRIA (AUSTRIAN) BUD TRI VIE`);
  const centers = new Set([...reader.unowned, ...[...reader.powers.values()].flatMap(({ homes }) => homes)]);
  const provinces = new RowMaker(reader).provinces(centers);
  const known = new Set(provinces.map(({ tag }) => tag));
  const ports = [...reader.sites].filter(([, { terrain }]) => terrain === 'PORT').map(([place]) => tagOf(place));
  for (const center of centers)
    if (!known.has(center)) throw fileRefusal(file, `got the centre ${center}, which is no place of this map`);
  return {
    rows: {
      name,
      start: reader.start(),
      ...(reader.victory !== undefined && { victory: reader.victory }),
      ...(reader.buildAnywhere && { buildAnywhere: true }),
      ...(ports.length > 0 && { convoyable: [...new Set(ports)].sort().join(' ') }),
      powers: [...reader.powers].map(([power, row]) => powerRow(power, row)),
      provinces,
    },
    notes: [...new Set(reader.notes)],
  };
};
