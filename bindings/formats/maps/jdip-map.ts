// Reads maps of jDip: a file of variants, variants.xml, and the file of adjacencies that each variant names.
//
//   <VARIANT name="Standard"> <MAP adjacencyURI="std_adjacency.xml"/> <STARTINGTIME turn="Spring, 1901, Movement"/>
//     <VICTORYCONDITIONS> <WINNING_SUPPLY_CENTERS value="18"/> </VICTORYCONDITIONS>
//     <POWER name="France"/> <SUPPLYCENTER province="par" homepower="France" owner="France"/>
//     <INITIALSTATE province="stp" power="Russia" unit="fleet" unitcoast="sc"/> </VARIANT>
//   <PROVINCE shortname="spa spn" fullname="Spain"> <ADJACENCY type="mv" refs="gas mar por"/>
//     <ADJACENCY type="nc" refs="gas mao por"/> <ADJACENCY type="sc" refs="lyo mao mar por wes"/> </PROVINCE>
//
// Borders of type mv are of armies, xc of fleets where a province has one coast or is sea, others of the coast they name.
import { parseXml, type XmlDocument, XmlElement } from '@rgrove/parse-xml';
import type { PowerRow, ProvinceRow } from '../../../engine/internal.js';
import { type FindMapFile, fileRefusal, isPlainFileName, powerName, provinceRows, type ReadMap } from './read-map.js';

/** More levels of elements than any file of jDip has. */
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

/** All elements of a name at any depth. */
const descendants = (parent: XmlDocument | XmlElement, name: string): XmlElement[] =>
  elements(parent).flatMap((child) => (child.name === name ? [child] : descendants(child, name)));

const attribute = (file: string, element: XmlElement, name: string): string => {
  const value = element.attributes[name];
  if (value === undefined) throw fileRefusal(file, `got <${element.name}> without ${name}`);
  return value.trim();
};

const wordsOf = (text: string): string[] => text.split(/[\s,;]+/).filter((word) => word !== '');

const FLEETS = 'xc';
const ARMIES = 'mv';

/** A province as its file has it. */
interface Place {
  readonly tag: string;
  readonly name: string;
  readonly aliases: readonly string[];
  /** Words of each list of borders by its type. */
  readonly borders: ReadonlyMap<string, readonly string[]>;
}

const readPlace = (file: string, element: XmlElement): Place => {
  const names = wordsOf(attribute(file, element, 'shortname'));
  const name = attribute(file, element, 'fullname');
  const tag = (names.find((one) => /^[a-z][a-z0-9]{2}$/i.test(one)) ?? '').toUpperCase();
  if (tag === '')
    throw fileRefusal(file, `got the short names "${names.join(' ')}" of ${name}, wanted one of three letters`);
  const others = children(element, 'UNIQUENAME').map((unique) => attribute(file, unique, 'name'));
  const borders = new Map<string, string[]>();
  for (const adjacency of children(element, 'ADJACENCY')) {
    const type = attribute(file, adjacency, 'type').toLowerCase();
    borders.set(type, [...(borders.get(type) ?? []), ...wordsOf(attribute(file, adjacency, 'refs'))]);
  }
  return { tag, name, aliases: [...names, ...others], borders };
};

/** 'spa-nc', 'spa/nc' and 'spa(nc)' are SPA/NC. */
const splitReference = (reference: string): readonly [string, string | undefined] => {
  const [place, coast] = reference.toLowerCase().split(/[-/(]/);
  return [place, coast?.replace(')', '').toUpperCase()];
};

class Provinces {
  declare private readonly places: readonly Place[];
  declare private readonly byName: ReadonlyMap<string, Place>;

  constructor(
    private readonly file: string,
    text: string,
  ) {
    const found = descendants(parse(file, text), 'PROVINCE').map((element) => readPlace(file, element));
    if (found.length === 0) throw fileRefusal(file, `got no <PROVINCE>`);
    this.byName = new Map(found.flatMap((place) => place.aliases.map((name) => [name.toLowerCase(), place] as const)));
    // What borders on itself alone, or on nothing, is impassable: Switzerland.
    this.places = found.filter((place) => this.reaches(place));
  }

  private reaches({ tag, borders }: Place): boolean {
    return [...borders.values()].flat().some((reference) => this.tag(reference) !== tag);
  }

  /** The tag of a province by any of its short names. */
  tag(reference: string): string {
    const [name] = splitReference(reference);
    const place = this.byName.get(name);
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

  private armies({ borders }: Place): string {
    return [...new Set((borders.get(ARMIES) ?? []).map((reference) => this.tag(reference)))].sort().join(' ');
  }

  private fleets({ tag, borders }: Place): ProvinceRow['fleet'] {
    const reached = (type: string): string =>
      [...new Set((borders.get(type) ?? []).map((reference) => this.location(reference)))].sort().join(' ');
    const coasts = [...borders.keys()].filter((type) => type !== ARMIES && type !== FLEETS).sort();
    if (coasts.length > 0 && borders.has(FLEETS))
      throw fileRefusal(this.file, `got borders of ${tag} for one coast and for several`);
    if (coasts.length > 0) return Object.fromEntries(coasts.map((coast) => [coast.toUpperCase(), reached(coast)]));
    return borders.has(FLEETS) ? reached(FLEETS) : undefined;
  }

  rows(centers: ReadonlySet<string>): ProvinceRow[] {
    const found = this.places.map((place) => ({
      ...place,
      kind: this.kindOf(place),
      army: this.armies(place),
      fleet: this.fleets(place),
    }));
    return provinceRows(found, centers);
  }
}

const startOf = (file: string, variant: XmlElement): string => {
  const [element] = children(variant, 'STARTINGTIME');
  const turn = element === undefined ? '' : attribute(file, element, 'turn');
  const found = /^(spring|fall|winter),?\s*(\d{1,4}),?\s*(movement|adjustment|build)/i.exec(turn);
  if (found === null) throw fileRefusal(file, `got the turn "${turn}", wanted one like "Spring, 1901, Movement"`);
  const [, season, year, phase] = found.map((word) => word.toUpperCase());
  return `${season[0]}${year}${phase === 'MOVEMENT' ? 'M' : 'A'}`;
};

const victoryOf = (file: string, variant: XmlElement): number | undefined => {
  const [element] = descendants(variant, 'WINNING_SUPPLY_CENTERS');
  return element === undefined ? undefined : Number(attribute(file, element, 'value'));
};

const unitOf = (file: string, provinces: Provinces, state: XmlElement): string | null => {
  if (state.attributes.unit === undefined) return null;
  const type = attribute(file, state, 'unit').toLowerCase();
  if (type !== 'army' && type !== 'fleet') throw fileRefusal(file, `got the unit "${type}", wanted army or fleet`);
  const coast = state.attributes.unitcoast;
  const place = attribute(file, state, 'province');
  return `${type === 'army' ? 'A' : 'F'} ${provinces.location(coast === undefined || type === 'army' ? place : `${place}/${coast}`)}`;
};

const powerRows = (file: string, provinces: Provinces, variant: XmlElement): PowerRow[] => {
  const centers = children(variant, 'SUPPLYCENTER');
  const states = children(variant, 'INITIALSTATE');
  const isNamed = (name: string, given: string | undefined): boolean =>
    given?.trim().toLowerCase() === name.toLowerCase();
  return children(variant, 'POWER').map((element) => {
    const name = attribute(file, element, 'name');
    const tags = (key: 'homepower' | 'owner'): string =>
      centers
        .filter(({ attributes }) => isNamed(name, attributes[key]))
        .map((center) => provinces.tag(attribute(file, center, 'province')))
        .join(' ');
    const units = states
      .filter(({ attributes }) => isNamed(name, attributes.power))
      .map((state) => unitOf(file, provinces, state))
      .filter((unit) => unit !== null);
    const homes = tags('homepower');
    const owns = tags('owner');
    return { name: powerName(name), homes, units: units.join(', '), ...(owns !== homes && { owns }) };
  });
};

/** Names of the variants in a file. */
const variantNames = (variants: readonly XmlElement[]): string =>
  variants.map(({ attributes }) => attributes.name ?? '').join(', ');

/**
 * Reads a variant of jDip. compileMap() checks what the rows say.
 * @param name of the map
 * @param file name of the file of variants, for messages
 * @param find gives the text of the file of adjacencies
 * @param wanted name of the variant; may be left out if the file has one
 * @throws LepantoError that names the file, and says what was given and what was wanted
 */
export const readJdipMap = (name: string, file: string, text: string, find: FindMapFile, wanted?: string): ReadMap => {
  const variants = descendants(parse(file, text), 'VARIANT');
  if (variants.length === 0)
    throw fileRefusal(file, `got no <VARIANT>, wanted a file of variants that names adjacencies`);
  const chosen = variants.filter(
    ({ attributes }) => wanted === undefined || attributes.name?.toLowerCase() === wanted.toLowerCase(),
  );
  const [variant] = chosen;
  if (chosen.length !== 1)
    throw fileRefusal(
      file,
      `got ${wanted === undefined ? `${variants.length} variants` : `the variant "${wanted}"`}, wanted one of ${variantNames(variants)}`,
    );
  const [map] = children(variant, 'MAP');
  const other = map === undefined ? '' : attribute(file, map, 'adjacencyURI');
  const adjacencies = isPlainFileName(other) ? find(other) : null;
  if (adjacencies === null) throw fileRefusal(file, `got the adjacencies "${other}", wanted a file in the same folder`);
  const provinces = new Provinces(other, adjacencies);
  const centers = new Set(
    children(variant, 'SUPPLYCENTER').map((center) => provinces.tag(attribute(file, center, 'province'))),
  );
  const victory = victoryOf(file, variant);
  const options = descendants(variant, 'RULEOPTION').map(({ attributes }) => `${attributes.name}=${attributes.value}`);
  return {
    rows: {
      name,
      start: startOf(file, variant),
      ...(victory !== undefined && { victory }),
      powers: powerRows(file, provinces, variant),
      provinces: provinces.rows(centers),
    },
    notes: options.map((option) => `rule option ${option}: ignored, see "lepanto rules"`),
  };
};
