// Assigns DAIDE tokens to the powers, provinces and coasts of a map. The standard board uses the tokens of the protocol
// and an empty representation message. The message of any other board lists all its tokens.
import {
  type CompiledMap,
  LepantoError,
  type Location,
  type Power,
  type Province,
  ProvinceKind,
  standard,
} from '../../../engine/index.js';
import { isCoast, list, powerToken, provinceToken, wordTokens } from './language.js';

/** DAIDE names of provinces, keyed by Lepanto's tag. Only names that differ are listed. */
const otherNames: Readonly<Record<string, string>> = { ENG: 'ECH', BOT: 'GOB', LYO: 'GOL' };

/** Returns an entry of a representation message: token, three letters, a zero byte. */
const entryOf = ([token, name]: readonly [number, string]): Buffer =>
  Buffer.concat([Buffer.of(token >> 8, token & 0xff), Buffer.from(`${name}\0`, 'latin1')]);

/** True if a map has the provinces, powers and centres of the standard board, in the same order. */
const isStandardBoard = (map: CompiledMap): boolean =>
  map.provinceTags.join() === standard.provinceTags.join() &&
  map.powerNames.join() === standard.powerNames.join() &&
  map.kind.join() === standard.kind.join() &&
  map.coastCount.join() === standard.coastCount.join() &&
  map.centers.join() === standard.centers.join();

/** Returns the kind of a province as in its token: 0 inland, 1 sea, 2 coastal, 3 with separate coasts. */
const kindOf = ({ kind, coastCount }: CompiledMap, province: Province): number => {
  if (kind[province] === ProvinceKind.LAND) return 0;
  if (kind[province] === ProvinceKind.SEA) return 1;
  return coastCount[province] > 0 ? 3 : 2;
};

/**
 * Returns a name of three letters or digits that is not taken yet: `wanted` if possible, otherwise made from `name`.
 * Adds it to `taken`.
 * @throws LepantoError if no name is left
 */
const uniqueName = (wanted: string, name: string, taken: Set<string>): string => {
  const letters = name.toUpperCase().replace(/[^A-Z0-9]/g, '');
  const candidates = [wanted.toUpperCase()];
  for (let i = 1; i < letters.length; i++)
    for (let j = i + 1; j < letters.length; j++) candidates.push(letters[0] + letters[i] + letters[j]);
  for (let i = 0; i < 36 ** 2; i++)
    candidates.push(`${letters[0] ?? 'X'}${i.toString(36).toUpperCase().padStart(2, '0')}`);
  const found = candidates.find((one) => /^[A-Z0-9]{3}$/.test(one) && !taken.has(one));
  if (found === undefined)
    throw new LepantoError('map', `map: got ${taken.size} names, wanted three letters left for ${name}`);
  taken.add(found);
  return found;
};

/**
 * True if DAIDE's map definition can express all rules of a map, except coastal provinces where fleets convoy (Baleares
 * in ancmed). For DAIDE clients fleets convoy at sea only, so convoy orders there are refused.
 */
const canSay = ({ special, rows }: CompiledMap): boolean => {
  if (special === null) return true;
  const { line, canal, uncounted, hasIce, hasDifficult } = special;
  return rows.base === undefined && line.length + canal.length === 0 && uncounted < 0 && !hasIce && !hasDifficult;
};

/** A map as DAIDE describes it: tokens and names of its powers, provinces and coasts. */
export class Representation {
  /** Name of the map, in letters, digits and underscores. */
  readonly mapName: string;
  /** Token of each power, indexed by power. */
  readonly powers: readonly number[];
  /** Token of each province, indexed by province. */
  readonly provinces: readonly number[];
  /** Names of powers and provinces, keyed by token. */
  readonly names: ReadonlyMap<number, string>;
  /** Body of the representation message. Empty for the standard board. */
  readonly message: Buffer;
  /** Word token of the coast of each location, indexed by location; 0 for a location that is not a coast. */
  private readonly coasts: readonly number[];

  /** Assigns tokens and names to all parts of a map. @throws LepantoError for a map that DAIDE cannot describe */
  constructor(readonly map: CompiledMap) {
    if (!canSay(map))
      throw new LepantoError(
        'map',
        `map: got ${map.name}, which has rules of its own, wanted one that DAIDE's map definition can say`,
      );
    this.mapName = map.name.replace(/[^A-Za-z0-9_]/g, '_');
    this.powers = map.powerNames.map((_, power) => powerToken(power));
    this.provinces = map.provinceTags.map((_, province) => {
      return provinceToken(province, kindOf(map, province), map.centerIndex[province] >= 0);
    });
    // Words of the language are reserved: no power or province may have the name of one.
    const taken = new Set(wordTokens.keys());
    const powerNames = map.powerNames.map((name) => uniqueName(name.slice(0, 3), name, taken));
    const provinceNames = map.provinceTags.map((tag, province) =>
      uniqueName(otherNames[tag] ?? tag, map.provinceNames[province], taken),
    );
    const tokens = [...this.powers, ...this.provinces];
    this.names = new Map([...powerNames, ...provinceNames].map((name, i) => [tokens[i], name]));
    this.coasts = map.locationTags.map((tag) => {
      const [, coast] = tag.split('/');
      if (coast === undefined) return 0;
      const found = wordTokens.get(coast.length === 2 ? `${coast}S` : coast);
      if (found === undefined || !isCoast(found))
        throw new LepantoError('map', `map ${map.name}: got the coast ${tag}, wanted one that DAIDE has a word for`);
      return found;
    });
    this.message = isStandardBoard(map) ? Buffer.alloc(0) : Buffer.concat([...this.names].map(entryOf));
  }

  /** Returns the power of a token, or -1 if the map has none. */
  power(token: number): Power {
    return this.powers.indexOf(token);
  }
  /** Returns the province of a token, or -1 if the map has none. */
  province(token: number): Province {
    return this.provinces.indexOf(token);
  }
  /** Returns the location of a province and a coast token, or -1 if it does not exist. @param coast 0 for none */
  location(province: Province, coast: number): Location {
    const { map } = this;
    if (coast === 0) return province;
    for (let i = 0; i < map.coastCount[province]; i++)
      if (this.coasts[map.firstCoast[province] + i] === coast) return map.firstCoast[province] + i;
    return -1;
  }
  /** Returns a location as tokens: a province, or a province and its coast in brackets. */
  place(location: Location): number[] {
    const province = this.provinces[this.map.locationProvince[location]];
    return this.coasts[location] === 0 ? [province] : list(province, this.coasts[location]);
  }
  /** Returns the word token of the coast of a location; 0 if the location is not a coast. */
  coast(location: Location): number {
    return this.coasts[location];
  }
}
