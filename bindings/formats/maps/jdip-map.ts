// Parses maps of jDip: a file of variants, variants.xml, and the file of adjacencies that each variant names.
//
//   <VARIANT name="Standard"> <MAP adjacencyURI="std_adjacency.xml"/> <STARTINGTIME turn="Spring, 1901, Movement"/>
//     <VICTORYCONDITIONS> <WINNING_SUPPLY_CENTERS value="18"/> </VICTORYCONDITIONS>
//     <POWER name="France"/> <SUPPLYCENTER province="par" homepower="France" owner="France"/>
//     <INITIALSTATE province="stp" power="Russia" unit="fleet" unitcoast="sc"/> </VARIANT>
//   <PROVINCE shortname="spa spn" fullname="Spain"> <ADJACENCY type="mv" refs="gas mar por"/>
//     <ADJACENCY type="nc" refs="gas mao por"/> <ADJACENCY type="sc" refs="lyo mao mar por wes"/> </PROVINCE>
//
// Type mv lists the borders of armies, xc the borders of fleets in a sea or a province with one coast. Any other type is
// the name of a coast, and lists the borders of fleets there. A province whose only army border is with itself is an
// island: armies reach it by convoy only.
import { parseXml, type XmlDocument, XmlElement } from '@rgrove/parse-xml';
import type { MapRows, PowerRow, ProvinceRow } from '../../../engine/internal.js';
import {
  type FindMapFile,
  fileRefusal,
  isPlainFileName,
  mapName,
  powerName,
  provinceRows,
  type ReadMap,
} from './read-map.js';

/** Maximum depth of nested elements. No file of jDip is as deep. */
const MAX_LEVELS = 32;

const elements = (parent: XmlDocument | XmlElement): XmlElement[] =>
  parent.children.filter((child) => child instanceof XmlElement) as XmlElement[];

const parse = (file: string, text: string): XmlDocument => {
  const tooDeep = (): Error => fileRefusal(file, `got more than ${MAX_LEVELS} levels of elements`);
  let document: XmlDocument;
  try {
    document = parseXml(text);
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    throw fileRefusal(file, `not XML: ${(error as Error).message.split('\n')[0]}`);
  }
  let level = elements(document);
  for (let depth = 0; level.length > 0; depth++, level = level.flatMap(elements))
    if (depth === MAX_LEVELS) throw tooDeep();
  return document;
};

const children = (parent: XmlDocument | XmlElement, name: string): XmlElement[] =>
  elements(parent).filter((child) => child.name === name);

/** Returns all elements with a name, at any depth. */
const descendants = (parent: XmlDocument | XmlElement, name: string): XmlElement[] =>
  elements(parent).flatMap((child) => (child.name === name ? [child] : descendants(child, name)));

const attribute = (file: string, element: XmlElement, name: string): string => {
  const value = element.attributes[name];
  if (value === undefined) throw fileRefusal(file, `got <${element.name}> without ${name}`);
  return value.trim();
};

const wordsOf = (text: string): string[] => text.split(/[\s,;]+/).filter((word) => word !== '');

/**
 * Returns a name in lower case without blanks and signs, for comparison: 'Ottoman Empire' and 'ottoman-empire' are one
 * power.
 */
const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Value of the attribute `type` of a list of borders of fleets in a sea or a province with one coast. */
const FLEETS = 'xc';
/** Value of the attribute `type` of a list of borders of armies. */
const ARMIES = 'mv';
/** Maximum number of provinces. No map has as many. */
const MAX_PROVINCES = 1024;
/** Maximum number of difficult borders. No map has as many. */
const MAX_CROSSINGS = 4096;

// ---- borders with a rule ----

/** Attributes of a <BORDER> that tell when and for which units it is closed. */
const CONDITIONS = ['unitTypes', 'orderTypes', 'year', 'season', 'phase', 'baseMoveModifier', 'from'] as const;
type Condition = (typeof CONDITIONS)[number];

/** Conditions of a <BORDER>, without the empty ones. */
type BorderRule = Readonly<Partial<Record<Condition, string>>>;

const readBorderRules = (document: XmlDocument, file: string): ReadonlyMap<string, BorderRule> =>
  new Map(
    descendants(document, 'BORDER').map((element) => {
      const given = CONDITIONS.map((name) => [name, element.attributes[name]?.trim() ?? ''] as const);
      return [attribute(file, element, 'id'), Object.fromEntries(given.filter(([, value]) => value !== ''))];
    }),
  );

const isOnly = (rule: BorderRule, ...names: Condition[]): boolean =>
  Object.keys(rule).length === names.length && names.every((name) => rule[name] !== undefined);

/** True for a rule that Lepanto knows as ice: it closes a province in fall and has no other condition. */
const isIce = (rule: BorderRule): boolean => isOnly(rule, 'season') && rule.season?.toLowerCase() === 'fall';
/** True for a difficult border: a unit that crosses it loses its own strength. */
const isDifficult = (rule: BorderRule): boolean =>
  isOnly(rule, 'from', 'baseMoveModifier') && rule.baseMoveModifier === '-1';

// ---- provinces ----

/** A province as the file of adjacencies describes it. */
interface Place {
  readonly tag: string;
  readonly name: string;
  readonly aliases: readonly string[];
  /** Neighbours as the file writes them ('spa', 'spa-nc'), keyed by the type of their list of borders. */
  readonly borders: ReadonlyMap<string, readonly string[]>;
  /** Ids of the <BORDER> rules that apply to this province. */
  readonly rules: readonly string[];
  /** True if fleets in this coastal province can convoy. */
  readonly convoys: boolean;
}

const readPlace = (file: string, element: XmlElement): Place => {
  const names = wordsOf(attribute(file, element, 'shortname'));
  const name = attribute(file, element, 'fullname');
  const tag = (names.find((one) => /^[a-z][a-z0-9]{2}$/i.test(one)) ?? '').toUpperCase();
  const others = children(element, 'UNIQUENAME').map((unique) => attribute(file, unique, 'name'));
  const borders = new Map<string, string[]>();
  for (const adjacency of children(element, 'ADJACENCY')) {
    const type = attribute(file, adjacency, 'type').toLowerCase();
    borders.set(type, [...(borders.get(type) ?? []), ...wordsOf(attribute(file, adjacency, 'refs'))]);
  }
  return {
    tag,
    name,
    aliases: [...names, ...others],
    borders,
    rules: wordsOf(element.attributes.borders ?? ''),
    convoys: element.attributes.isConvoyableCoast?.trim() === 'true',
  };
};

/** Yields possible tags for a province without a short name of three letters: AD1 for 'adr1'. */
function* possibleTags({ aliases: [short = ''], name }: Place): Generator<string> {
  const [letters, all] = [short, short + name].map((text) => text.toUpperCase().replace(/[^A-Z0-9]/g, ''));
  const first = /^[A-Z]/.test(all) ? '' : 'X';
  if (letters.length > 2) yield first + letters.slice(0, 2 - first.length) + letters.slice(-1);
  yield (first + all).slice(0, 3);
  const start = (first + all)[0] ?? 'X';
  for (let i = 0; i < 36 * 36; i++) yield start + i.toString(36).toUpperCase().padStart(2, '0');
}

/**
 * Returns the provinces, with new tags for provinces that had none. Adds a note that lists the new tags.
 * @param file name of the file, for errors
 * @param notes output: receives the note
 * @throws LepantoError if a province gets no tag, because others have all that are possible
 */
const withTags = (file: string, found: readonly Place[], notes: string[]): Place[] => {
  const taken = new Set(found.map(({ tag }) => tag));
  const made: string[] = [];
  const places = found.map((place) => {
    if (place.tag !== '') return place;
    for (const tag of possibleTags(place)) {
      if (taken.has(tag) || !/^[A-Z][A-Z0-9]{2}$/.test(tag)) continue;
      taken.add(tag);
      made.push(`${place.aliases[0] ?? place.name} = ${tag}`);
      return { ...place, tag };
    }
    throw fileRefusal(file, `got more provinces than there are tags of three letters, at ${place.name}`);
  });
  if (made.length > 0) notes.push(`short names that are not three letters have a tag: ${made.join(', ')}`);
  return places;
};

/**
 * Splits a reference into the name of the province and its coast (undefined without one): 'spa-nc', 'spa/nc' and
 * 'spa(nc)' into 'spa' and 'NC'.
 */
const splitReference = (reference: string): readonly [string, string | undefined] => {
  const [place, coast] = reference.toLowerCase().split(/[-/(]/);
  return [place, coast?.replace(')', '').toUpperCase()];
};

/** Rows of a map that come from rules of borders. */
type RuleRows = Pick<MapRows, 'options' | 'ice' | 'difficult' | 'convoyable'>;

/** The provinces in a file of adjacencies. */
class Provinces {
  declare private readonly places: readonly Place[];
  declare private readonly byName: ReadonlyMap<string, Place>;
  declare private readonly rules: ReadonlyMap<string, BorderRule>;

  constructor(
    private readonly file: string,
    text: string,
    private readonly notes: string[],
  ) {
    const document = parse(file, text);
    noteUnknown(document, notes, file);
    this.rules = readBorderRules(document, file);
    const read = descendants(document, 'PROVINCE').map((element) => readPlace(file, element));
    if (read.length === 0) throw fileRefusal(file, `got no <PROVINCE>`);
    if (read.length > MAX_PROVINCES)
      throw fileRefusal(file, `got ${read.length} provinces, wanted at most ${MAX_PROVINCES}`);
    const found = withTags(file, read, notes);
    const byName = new Map<string, Place>();
    // Tags have priority: an alias that is the tag of another province is ignored.
    for (const place of found) byName.set(place.tag.toLowerCase(), place);
    for (const place of found)
      for (const name of place.aliases) if (!byName.has(name.toLowerCase())) byName.set(name.toLowerCase(), place);
    this.byName = byName;
    this.places = found;
  }

  /**
   * Returns the provinces without the impassable ones, such as Switzerland: those without borders to other provinces
   * that are not centres.
   */
  private passable(centers: ReadonlySet<string>): readonly Place[] {
    return this.places.filter((place) => {
      if (this.reaches(place) || centers.has(place.tag)) return true;
      this.notes.push(`${place.tag}: impassable, not on the map`);
      return false;
    });
  }

  private reaches({ tag, borders }: Place): boolean {
    return [...borders.values()].flat().some((reference) => this.tag(reference) !== tag);
  }

  /** Returns the tag of a province, given any of its short names. @throws LepantoError for an unknown name */
  tag(reference: string): string {
    const [name] = splitReference(reference);
    const place = this.byName.get(reference.toLowerCase()) ?? this.byName.get(name);
    if (place === undefined) throw fileRefusal(this.file, `got the province "${reference}", which has no <PROVINCE>`);
    return place.tag;
  }

  location(reference: string): string {
    const [, coast] = splitReference(reference);
    const tag = this.tag(reference);
    return coast === undefined || coast === 'XC' || coast === 'MV' ? tag : `${tag}/${coast}`;
  }

  private kindOf({ borders }: Place): ProvinceRow['kind'] {
    if (!borders.has(ARMIES)) return 'sea';
    return [...borders.keys()].some((type) => type !== ARMIES) ? 'coast' : 'land';
  }

  /**
   * Returns the locations in a list of borders, separated by spaces, without the province itself. For armies an empty
   * result may mean an island, which only convoys reach.
   */
  private reached({ tag, borders }: Place, type: string): string {
    const references = borders.get(type) ?? [];
    const others = references.filter((reference) => this.tag(reference) !== tag);
    if (others.length < references.length && (type !== ARMIES || others.length > 0))
      this.notes.push(`${tag}: a border of type ${type} with itself: ignored`);
    const found = others.map((reference) => (type === ARMIES ? this.tag(reference) : this.location(reference)));
    return [...new Set(found)].sort().join(' ');
  }

  private fleets(place: Place): ProvinceRow['fleet'] {
    const { tag, borders } = place;
    const coasts = [...borders.keys()].filter((type) => type !== ARMIES && type !== FLEETS).sort();
    if (coasts.length > 0 && borders.has(FLEETS))
      throw fileRefusal(this.file, `got borders of ${tag} for one coast and for several`);
    if (coasts.length > 0)
      return Object.fromEntries(coasts.map((coast) => [coast.toUpperCase(), this.reached(place, coast)]));
    return borders.has(FLEETS) ? this.reached(place, FLEETS) : undefined;
  }

  rows(centers: ReadonlySet<string>): ProvinceRow[] {
    const found = this.passable(centers).map((place) => ({
      ...place,
      kind: this.kindOf(place),
      army: this.reached(place, ARMIES),
      fleet: this.fleets(place),
    }));
    return provinceRows(found, centers, this.notes);
  }

  /**
   * Returns the rows for ice, difficult borders and convoyable coasts.
   * @throws LepantoError that names a border with another rule
   */
  ruleRows(): RuleRows {
    const ice: string[] = [];
    const crossings = new Set<string>();
    let count = 0;
    for (const place of this.places)
      for (const id of place.rules) {
        const rule = this.rules.get(id);
        if (rule === undefined)
          throw fileRefusal(this.file, `got the border "${id}" of ${place.tag}, which has no <BORDER>`);
        if (isIce(rule) && this.kindOf(place) === 'sea') ice.push(place.tag);
        else if (isDifficult(rule))
          for (const from of wordsOf(rule.from ?? '')) {
            if (++count > MAX_CROSSINGS)
              throw fileRefusal(this.file, `got more than ${MAX_CROSSINGS} difficult borders`);
            crossings.add(`${this.tag(from)}-${place.tag}`);
          }
        else {
          const said = Object.entries(rule).map(([name, value]) => `${name}="${value}"`);
          const why = `a map here holds ice (a sea that is closed in fall) and difficult borders (from, baseMoveModifier="-1")`;
          throw fileRefusal(
            this.file,
            `got the border "${id}" of ${place.tag} with ${said.join(' ') || 'no rule'}; ${why}`,
          );
        }
      }
    const difficult = this.difficult(crossings);
    const convoyable = this.places.filter(({ convoys }) => convoys).map(({ tag }) => tag);
    const options = [
      ...(ice.length > 0 ? (['ice'] as const) : []),
      ...(difficult.length > 0 ? (['difficult'] as const) : []),
    ];
    return {
      ...(options.length > 0 && { options }),
      ...(ice.length > 0 && { ice: ice.join(' ') }),
      ...(difficult.length > 0 && { difficult: difficult.join(' ') }),
      ...(convoyable.length > 0 && { convoyable: convoyable.join(' ') }),
    };
  }

  /**
   * Returns the pairs of provinces, 'COR-NAF', that have difficult borders in Lepanto. These apply in both directions,
   * to armies only. Drops crossings that no army can use. Adds a line to `notes` for each crossing that is dropped or
   * that Lepanto treats differently.
   * @param crossings tags of the provinces from and to, joined by '-'
   */
  private difficult(crossings: ReadonlySet<string>): string[] {
    const byTag = new Map(this.places.map((place) => [place.tag, place]));
    const meets = (from: string, to: string, isArmy: boolean): boolean =>
      [...(byTag.get(from)?.borders ?? [])].some(
        ([type, references]) => (type === ARMIES) === isArmy && references.some((one) => this.tag(one) === to),
      );
    const pairs = new Set<string>();
    for (const crossing of crossings) {
      const [from, to] = crossing.split('-');
      const pair = [from, to].sort().join('-');
      if (!meets(from, to, true)) {
        this.notes.push(`difficult border from ${from} to ${to}: no army crosses it, ignored`);
        continue;
      }
      if (!crossings.has(`${to}-${from}`))
        this.notes.push(`difficult border from ${from} to ${to}: in both directions here`);
      if (!pairs.has(pair) && meets(from, to, false))
        this.notes.push(`difficult border between ${from} and ${to}: for armies alone here, not for fleets`);
      pairs.add(pair);
    }
    return [...pairs];
  }
}

// ---- the variant ----

/** Known elements of jDip's files, including those without meaning for play, such as descriptions and pictures. */
const ELEMENTS = new Set(
  (
    'VARIANTS VARIANT DESCRIPTION MAP MAP_GRAPHIC MAP_DEFINITION STARTINGTIME VICTORYCONDITIONS WINNING_SUPPLY_CENTERS ' +
    'YEARS_WITHOUT_SC_CAPTURE GAME_LENGTH POWER SUPPLYCENTER INITIALSTATE RULEOPTIONS RULEOPTION SYMBOLPACK SYMBOL ' +
    'PROVINCES PROVINCE ADJACENCY UNIQUENAME BORDER BORDER_DEFINITIONS'
  ).split(' '),
);

/** Adds a note for each unknown element to `notes`. Descriptions may contain any elements. */
const noteUnknown = (parent: XmlDocument | XmlElement, notes: string[], file: string): void => {
  const unknown = new Set<string>();
  let level = elements(parent);
  while (level.length > 0) {
    for (const { name } of level) if (!ELEMENTS.has(name)) unknown.add(name);
    level = level.filter(({ name }) => name !== 'DESCRIPTION').flatMap(elements);
  }
  for (const name of unknown) notes.push(`${file}, <${name}>: ignored`);
};

const SEASONS: Readonly<Record<string, string>> = { spring: 'S', summer: 'S', fall: 'F', autumn: 'F', winter: 'W' };

const startOf = (file: string, variant: XmlElement): string => {
  const [element] = children(variant, 'STARTINGTIME');
  const turn = element === undefined ? '' : attribute(file, element, 'turn');
  const words = wordsOf(turn.toLowerCase());
  const season = words.find((word) => Object.hasOwn(SEASONS, word));
  const year = words.find((word) => /^\d{1,4}$/.test(word));
  const kind = words.find((word) => /^(movement|adjustments?|builds?)$/.test(word));
  const wanted = `wanted one like "Spring, 1901, Movement"`;
  if (words.some((word) => /^(bc|b\.c\.?|bce)$/.test(word)))
    throw fileRefusal(file, `got the turn "${turn}", whose years count down; ${wanted}`);
  if (season === undefined || year === undefined || kind === undefined || words.length !== 3)
    throw fileRefusal(file, `got the turn "${turn}", ${wanted}`);
  if (kind !== 'movement') return `W${Number(year)}A`;
  if (SEASONS[season] === 'W') throw fileRefusal(file, `got the turn "${turn}", ${wanted}`);
  return `${SEASONS[season]}${Number(year)}M`;
};

const victoryOf = (file: string, variant: XmlElement): number | undefined => {
  const [element] = descendants(variant, 'WINNING_SUPPLY_CENTERS');
  if (element === undefined) return undefined;
  const value = attribute(file, element, 'value');
  if (!/^\d{1,4}$/.test(value)) throw fileRefusal(file, `got ${value} winning centres, wanted a number`);
  return Number(value);
};

const unitOf = (file: string, provinces: Provinces, state: XmlElement): string | null => {
  if (state.attributes.unit === undefined) return null;
  const type = attribute(file, state, 'unit').toLowerCase();
  if (type !== 'army' && type !== 'fleet')
    throw fileRefusal(file, `got the unit "${type}", wanted army or fleet: other units have no rules here`);
  const coast = state.attributes.unitcoast?.trim().toLowerCase() ?? '';
  const place = attribute(file, state, 'province');
  const isPlain = type === 'army' || ['', 'none', FLEETS, 'single', 'sea'].includes(coast);
  return `${type === 'army' ? 'A' : 'F'} ${provinces.location(isPlain ? place : `${place}/${coast}`)}`;
};

/**
 * Returns the name of a power in capitals. A name that does not begin with a letter gets the prefix P: '0-Sev' becomes
 * P0_SEV.
 * @param notes output: receives a note if the prefix was added
 */
const namedPower = (given: string, notes: string[]): string => {
  const name = powerName(given);
  if (/^[A-Z]/.test(name)) return name;
  notes.push(`power ${given}: named P${name}`);
  return `P${name}`;
};

const powerRows = (file: string, provinces: Provinces, variant: XmlElement, notes: string[]): PowerRow[] => {
  const rows = children(variant, 'POWER').map((element) => {
    const given = attribute(file, element, 'name');
    const name = namedPower(given, notes);
    if (element.attributes.active?.trim() === 'false')
      notes.push(`power ${given}: active="false", a power like any other here`);
    const spellings = [given, ...(element.attributes.altnames ?? '').split(',')]
      .map(plainName)
      .filter((one) => one !== '');
    return { name, spellings, homes: [] as string[], owns: [] as string[], units: [] as string[] };
  });
  const byName = new Map<string, (typeof rows)[number]>();
  for (const row of rows) for (const spelling of row.spellings) if (!byName.has(spelling)) byName.set(spelling, row);
  // The name of a power has priority over alternative names.
  for (const row of rows) byName.set(row.spellings[0], row);
  /**
   * Returns the power that an attribute names; null if it is empty, 'none' or 'any'.
   * @throws LepantoError for an unknown power
   */
  const find = (element: XmlElement, key: 'homepower' | 'owner' | 'power'): (typeof rows)[number] | null => {
    const given = element.attributes[key]?.trim() ?? '';
    const found = byName.get(plainName(given));
    if (found !== undefined) return found;
    if (given === '' || given.toLowerCase() === 'none' || given.toLowerCase() === 'any') return null;
    const names = rows.map(({ name }) => name).join(', ');
    throw fileRefusal(file, `got ${key}="${given}" of ${element.attributes.province}, wanted one of ${names}`);
  };
  for (const center of children(variant, 'SUPPLYCENTER')) {
    const tag = provinces.tag(attribute(file, center, 'province'));
    find(center, 'homepower')?.homes.push(tag);
    find(center, 'owner')?.owns.push(tag);
  }
  for (const state of children(variant, 'INITIALSTATE')) {
    const unit = unitOf(file, provinces, state);
    if (unit !== null && find(state, 'power') === null) throw fileRefusal(file, `got the unit ${unit} without a power`);
    if (unit !== null) find(state, 'power')?.units.push(unit);
  }
  return rows.map(({ name, homes, owns, units }) => ({
    name,
    homes: homes.join(' '),
    units: units.join(', '),
    ...(owns.join(' ') !== homes.join(' ') && { owns: owns.join(' ') }),
  }));
};

/** Returns notes for rules of a variant that a map does not contain. */
const ruleNotes = (variant: XmlElement): string[] => {
  const ends = ['YEARS_WITHOUT_SC_CAPTURE', 'GAME_LENGTH'].flatMap((name) => descendants(variant, name));
  return [
    ...descendants(variant, 'RULEOPTION')
      .filter(({ attributes }) => attributes.name !== BUILDS || !BUILD_RULES.has(attributes.value))
      .map(({ attributes: { name, value } }) =>
        value === IF_HOME
          ? `rule option ${name}=${value}: builds in any owned centre, also for a power that owns no home centre`
          : `rule option ${name}=${value}: ignored, see "lepanto rules"`,
      ),
    ...ends.map(({ name, attributes }) => `${name} ${attributes.value}: ignored, see --until`),
  ];
};

const BUILDS = 'OPTION_BUILDS';
const IF_HOME = 'VALUE_BUILDS_ANY_IF_HOME_OWNED';
/** Values of the option for builds that a map can express exactly. */
const BUILD_RULES = new Set(['VALUE_BUILDS_HOME_ONLY', 'VALUE_BUILDS_ANY_OWNED']);

const buildsAnywhere = (variant: XmlElement): boolean =>
  descendants(variant, 'RULEOPTION').some(
    ({ attributes: { name, value } }) => name === BUILDS && (value === 'VALUE_BUILDS_ANY_OWNED' || value === IF_HOME),
  );

/** Returns the names of variants, joined by commas. */
const variantNames = (variants: readonly XmlElement[]): string =>
  variants.map(({ attributes }) => attributes.name ?? '').join(', ');

/**
 * Parses a variant of jDip. compileMap() validates the rows.
 * @param name name of the map; default: that of the variant
 * @param file name of the file of variants, for messages
 * @param find returns the text of the file of adjacencies
 * @param wanted name of the variant; optional if the file has only one
 * @throws LepantoError that names the file, with the given and the expected value
 */
export const readJdipMap = (
  name: string | undefined,
  file: string,
  text: string,
  find: FindMapFile,
  wanted?: string,
): ReadMap => {
  const variants = descendants(parse(file, text), 'VARIANT');
  if (variants.length === 0)
    throw fileRefusal(file, `got no <VARIANT>, wanted a file of variants that names adjacencies`);
  const isWanted = ({ attributes: { name: own = '', aliases = '' } }: XmlElement): boolean =>
    [own, ...aliases.split(',')].some((one) => one.trim().toLowerCase() === wanted?.trim().toLowerCase());
  const chosen = wanted === undefined ? variants : variants.filter(isWanted);
  const [variant] = chosen;
  if (chosen.length !== 1)
    throw fileRefusal(
      file,
      `got ${wanted === undefined ? `${variants.length} variants` : `the variant "${wanted}"`}, wanted one of ${variantNames(variants)}`,
    );
  const [map] = children(variant, 'MAP');
  const other = map === undefined ? '' : attribute(file, map, 'adjacencyURI');
  const adjacencies = isPlainFileName(other) ? find(other) : null;
  if (adjacencies === null)
    throw fileRefusal(file, `got the adjacencies "${other}", wanted a file in the same directory`);
  const notes: string[] = [];
  noteUnknown(variant, notes, file);
  const provinces = new Provinces(other, adjacencies, notes);
  const centers = new Set(
    children(variant, 'SUPPLYCENTER').map((center) => provinces.tag(attribute(file, center, 'province'))),
  );
  const victory = victoryOf(file, variant);
  const rows: MapRows = {
    name: name ?? mapName(attribute(file, variant, 'name')),
    start: startOf(file, variant),
    ...(victory !== undefined && { victory }),
    ...(buildsAnywhere(variant) && { buildAnywhere: true }),
    ...provinces.ruleRows(),
    powers: powerRows(file, provinces, variant, notes),
    provinces: provinces.rows(centers),
  };
  return { rows, notes: [...notes, ...ruleNotes(variant)] };
};
