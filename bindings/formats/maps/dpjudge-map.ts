// Reads map files of the DPjudge, `.map`, which the Python package `diplomacy` also uses: one directive a line.
//
//   BEGIN SPRING 1901 MOVEMENT         VICTORY 18           MAP standard.map      USE other.map
//   AUSTRIA (AUSTRIAN) BUD TRI VIE     A BUD                UNOWNED BEL BUL       OWNS BUD
//   North Sea = nth norsea nts         COAST ALB ABUTS ADR gre Ion                DROP SWI
//
// The case of a border tells who crosses it: ALB army and fleet, alb an army only, Alb a fleet only. `spa` in lower case is
// where the army of a province with coasts is; its coasts SPA/NC and SPA/SC are where fleets are.
import type { PowerRow, ProvinceRow } from '../../../engine/internal.js';
import { quote } from '../../../engine/rules/shape.js';
import { type FindMapFile, fileRefusal, isPlainFileName, powerName, provinceRows, type ReadMap } from './read-map.js';

/** A port is a coastal province whose fleets convoy. */
const kinds = { WATER: 'sea', LAND: 'land', COAST: 'coast', PORT: 'coast', SHUT: null } as const;
type Terrain = keyof typeof kinds;
const isTerrain = (word: string): word is Terrain => Object.hasOwn(kinds, word);

/** Longest chain of files that name one another. */
const MAX_FILES = 16;
/** More lines than any map has; a file of that length is another kind of file. */
const MAX_LINES = 20_000;

interface Site {
  terrain: Terrain;
  abuts: string[];
}

interface Power {
  homes: string[];
  owns: string[] | null;
  units: string[];
}

const tagOf = (site: string): string => site.toUpperCase().split('/')[0];
const coastOf = (site: string): string | undefined => site.toUpperCase().split('/')[1];
/** 'SPA' and 'SPA/NC' begin with the province 'SPA'. */
const isOf = (site: string, tag: string): boolean => tagOf(site) === tag.toUpperCase();
const titleCase = (name: string): string =>
  name === name.toUpperCase() ? name.toLowerCase().replace(/(^|[\s(-])\p{L}/gu, (found) => found.toUpperCase()) : name;

/** Reads a file and those that it names, line by line. */
class MapReader {
  private readonly files: string[] = [];
  private where = '';
  /** Sites by their spelling, 'spa' and 'SPA/NC'. */
  readonly sites = new Map<string, Site>();
  readonly powers = new Map<string, Power>();
  readonly names = new Map<string, { name: string; aliases: string[] }>();
  readonly notes = new Set<string>();
  unowned: string[] = [];
  start: string | null = null;
  victory: number | undefined = undefined;
  buildAnywhere = false;
  /** The power that units and centres of the next lines belong to. */
  private power: Power | null = null;

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
    if (line.includes('=')) this.readName(line);
    else if (isTerrain(word) || word === 'AMEND') this.readSite(word, rest);
    else if (word === 'A' || word === 'F') this.readUnit(words);
    else this.readDirective(word, rest);
  }

  private readDirective(word: string, rest: readonly string[]): void {
    switch (word) {
      case 'BEGIN':
        this.start = this.phaseOf(rest);
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
        if (this.power === null) this.addPower('UNOWNED', rest);
        else this.power.owns = [...(word === 'OWNS' ? (this.power.owns ?? []) : []), ...rest.map(tagOf)];
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
      case 'DUMMY':
      case 'DUMMIES':
        this.notes.add(`${word}: unplayed powers are powers like any other here`);
        return;
      default:
        this.addPower(word, rest);
    }
  }

  private currentPower(word: string): Power {
    return this.power ?? this.refuse(`got ${word} before the line of a power`);
  }

  private include(name: string): void {
    if (!isPlainFileName(name)) this.refuse(`got the file "${name}", wanted a name without a folder`);
    const text = this.find(name);
    if (text === null) this.refuse(`got the file "${name}", wanted one in the same folder`);
    const { where } = this;
    this.read(name, text);
    this.where = where;
    this.power = null;
  }

  private phaseOf(words: readonly string[]): string {
    const [season, year, phase] = words.map((word) => word.toUpperCase());
    const letter = { SPRING: 'S', FALL: 'F', WINTER: 'W' }[season ?? ''];
    const kind = { MOVEMENT: 'M', ADJUSTMENTS: 'A', ADJUSTMENT: 'A' }[phase ?? ''];
    if (letter === undefined || kind === undefined || (letter === 'W') !== (kind === 'A'))
      this.refuse(`got the phase "${words.join(' ')}", wanted one like SPRING 1901 MOVEMENT`);
    return `${letter}${year}${kind}`;
  }

  private readVictory(words: readonly string[]): void {
    const [first] = words;
    if (!/^\d{1,3}$/.test(first ?? '')) this.refuse(`got VICTORY ${words.join(' ')}, wanted a number of centres`);
    if (words.length > 1) this.notes.add(`VICTORY ${words.join(' ')}: only ${first} counts, in every year`);
    this.victory = Number(first);
  }

  private readRule(rule: string): void {
    if (rule === 'BUILD_ANY') this.buildAnywhere = true;
    else this.notes.add(`RULE ${rule}: ignored, see "lepanto rules"`);
  }

  private readName(line: string): void {
    const parts = line.split('=');
    if (parts.length !== 2 || line.includes('->'))
      this.refuse(`got ${quote(line.trim())}, wanted NAME = TAG ALIAS ...`);
    const [name, words] = parts.map((part) => part.trim());
    const [site, ...aliases] = words.split(/\s+/);
    if (site === '') this.refuse(`got no tag of ${name}`);
    // Names of coasts: people write "bul/ec" and "Bulgaria (east coast)" anyway.
    if (site.includes('/')) return;
    const spelled = aliases.map((alias) => alias.replaceAll('+', ' ').replace(/\?$/, ''));
    this.names.set(tagOf(site), { name: titleCase(name), aliases: spelled });
  }

  private readUnit(words: readonly string[]): void {
    const [type, site, ...rest] = words.map((word) => word.toUpperCase());
    if (this.power === null || site === undefined || rest.length > 0)
      this.refuse(`got the unit "${words.join(' ')}", wanted A or F and a place, below the line of its power`);
    for (const power of this.powers.values())
      power.units = power.units.filter((unit) => !isOf(unit.slice(2), tagOf(site)));
    this.power.units.push(`${type} ${site}`);
  }

  private addPower(word: string, rest: readonly string[]): void {
    const homes = rest.filter((home) => !home.startsWith('('));
    if (rest[0] === '->') this.refuse('got a power that is renamed, wanted its own name alone');
    if (word === 'UNOWNED' || word === 'NEUTRAL' || word === 'CENTERS') {
      this.power = null;
      for (const home of homes.map((one) => one.toUpperCase())) {
        const tag = home.replace(/^-+/, '');
        this.unowned = this.unowned.filter((one) => one !== tag);
        if (tag === home) this.unowned.push(tag);
      }
      return;
    }
    const name = powerName(word);
    if (!/^[A-Z]/.test(name)) this.refuse(`got ${quote(word)}, wanted a directive or a power`);
    const power = this.powers.get(name) ?? { homes: [], owns: null, units: [] };
    this.powers.set(name, power);
    this.power = power;
    this.addHomes(power, homes, false);
  }

  /** A home with a dash before it is one no more, but a centre still. */
  private addHomes(power: Power, homes: readonly string[], anew: boolean): void {
    if (anew) power.homes = [];
    for (const home of homes.map((one) => one.toUpperCase())) {
      const tag = home.replace(/^-+/, '');
      power.homes = power.homes.filter((one) => one !== tag);
      if (tag === home) power.homes.push(tag);
      if (!this.unowned.includes(tag)) this.unowned.push(tag);
    }
  }

  private readSite(word: Terrain | 'AMEND', [place, abuts, ...borders]: readonly string[]): void {
    if (place === undefined) this.refuse(`got ${word} without a place`);
    if (!/^[A-Z][A-Z0-9]{2}(?:\/[A-Z]{1,2})?$/i.test(place))
      this.refuse(`got the place "${place}", wanted three letters, or three and a coast like SPA/NC`);
    if (abuts !== undefined && abuts.toUpperCase() !== 'ABUTS') this.refuse(`got ${quote(abuts)}, wanted ABUTS`);
    const before = this.sites.get(place) ?? this.sites.get(this.otherCase(place));
    this.sites.delete(this.otherCase(place));
    if (word === 'AMEND' && before === undefined) this.refuse(`got AMEND of ${place}, which is not known`);
    const site: Site = {
      terrain: word === 'AMEND' ? (before?.terrain ?? 'LAND') : word,
      abuts: word === 'AMEND' || abuts === undefined ? [...(before?.abuts ?? [])] : [],
    };
    for (const border of borders) {
      if (border.startsWith('-'))
        site.abuts = site.abuts.filter((one) => !one.toUpperCase().startsWith(border.slice(1).toUpperCase()));
      else site.abuts.push(border);
    }
    this.sites.set(place, site);
  }

  private otherCase(place: string): string {
    return place === place.toUpperCase() ? place.toLowerCase() : place.toUpperCase();
  }

  private drop(tag: string): void {
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
    const named = words.map((word) => powerName(word)).filter((word) => word !== '');
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

/** Makes rows of what a file says about places: which unit crosses a border follows from its case and from both terrains. */
class RowMaker {
  declare private readonly kinds: ReadonlyMap<string, ProvinceRow['kind']>;
  declare private readonly coasts: ReadonlyMap<string, readonly string[]>;

  constructor(private readonly reader: MapReader) {
    const kindOf = new Map<string, ProvinceRow['kind']>();
    const coasts = new Map<string, string[]>();
    for (const [place, { terrain }] of reader.sites) {
      const kind = kinds[terrain];
      if (kind === null) continue;
      const tag = tagOf(place);
      kindOf.set(tag, kind);
      const coast = coastOf(place);
      if (coast !== undefined) coasts.set(tag, [...(coasts.get(tag) ?? []), coast]);
    }
    this.kinds = kindOf;
    this.coasts = coasts;
  }

  /** Tags that an army reaches. Borders of coasts are of fleets alone, unless the province has no line of its own. */
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
    return [...reached].sort().join(' ');
  }

  /** Locations that a fleet at a site reaches. */
  private fleet(place: string): string {
    const reached = new Set<string>();
    for (const border of this.reader.sites.get(place)?.abuts ?? []) {
      const to = tagOf(border);
      const isShut = !this.kinds.has(to) && this.reader.sites.has(to);
      if (border[0] !== border[0].toUpperCase() || this.kinds.get(to) === 'land' || isShut) continue;
      // A province with coasts that is named without one: an army's border.
      if (this.coasts.has(to) && coastOf(border) === undefined) continue;
      reached.add(border.toUpperCase());
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
    return provinceRows(found, centers);
  }
}

const powerRow = (name: string, { homes, owns, units }: Power): PowerRow => ({
  name,
  homes: homes.join(' '),
  units: units.join(', '),
  ...(owns !== null && { owns: owns.join(' ') }),
});

/**
 * Reads a `.map` file. compileMap() checks what the rows say.
 * @param name of the map
 * @param file name of the file, for messages
 * @param find gives the text of the files that it names (MAP, USE)
 * @throws LepantoError that names the file and the line, and says what was given and what was wanted
 */
export const readDpjudgeMap = (name: string, file: string, text: string, find: FindMapFile): ReadMap => {
  const reader = new MapReader(find);
  reader.read(file, text);
  if (reader.start === null) throw fileRefusal(file, `got no BEGIN, wanted one like BEGIN SPRING 1901 MOVEMENT`);
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
      start: reader.start,
      ...(reader.victory !== undefined && { victory: reader.victory }),
      ...(reader.buildAnywhere && { buildAnywhere: true }),
      ...(ports.length > 0 && { convoyable: [...new Set(ports)].sort().join(' ') }),
      powers: [...reader.powers].map(([power, row]) => powerRow(power, row)),
      provinces,
    },
    notes: [...reader.notes],
  };
};
