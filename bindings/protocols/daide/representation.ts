// Gives the powers, provinces and coasts of a map their tokens. The standard board has those of the protocol, and an
// empty representation message; any other board has all of its own in the message.
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

/** Names of DAIDE for provinces that Lepanto writes otherwise. */
const otherNames: Readonly<Record<string, string>> = { ENG: 'ECH', BOT: 'GOB', LYO: 'GOL' };

/** An entry of a representation message: the token, its three letters, a zero. */
const entryOf = ([token, name]: readonly [number, string]): Buffer =>
  Buffer.concat([Buffer.of(token >> 8, token & 0xff), Buffer.from(`${name}\0`, 'latin1')]);

/** True if tokens and their meaning are those of the standard board. */
const isStandardBoard = (map: CompiledMap): boolean =>
  map.provinceTags.join() === standard.provinceTags.join() &&
  map.powerNames.join() === standard.powerNames.join() &&
  map.kind.join() === standard.kind.join() &&
  map.coastCount.join() === standard.coastCount.join() &&
  map.centers.join() === standard.centers.join();

/** Kind of a province in its token: inland, sea, coastal, or coastal with coasts of its own. */
const kindOf = ({ kind, coastCount }: CompiledMap, province: Province): number => {
  if (kind[province] === ProvinceKind.LAND) return 0;
  if (kind[province] === ProvinceKind.SEA) return 1;
  return coastCount[province] > 0 ? 3 : 2;
};

/** Three letters or digits that nothing else has: those wanted, or others of the name. */
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
 * True if the definition of a map in DAIDE says all of its rules but one: clients are not told of coastal provinces where
 * fleets convoy, as Baleares of ancmed, though their orders to convoy there count.
 */
const canSay = ({ special, rows }: CompiledMap): boolean => {
  if (special === null) return true;
  const { line, canal, uncounted, hasIce, hasDifficult } = special;
  return rows.base === undefined && line.length + canal.length === 0 && uncounted < 0 && !hasIce && !hasDifficult;
};

/** A map in the words of DAIDE. */
export class Representation {
  /** Its name in letters, digits and underscores. */
  readonly mapName: string;
  /** Tokens by power and by province. */
  readonly powers: readonly number[];
  readonly provinces: readonly number[];
  /** Names of those tokens. */
  readonly names: ReadonlyMap<number, string>;
  /** What follows the header of the representation message. */
  readonly message: Buffer;
  /** Word of the coast by location; 0 for a province. */
  private readonly coasts: readonly number[];

  /** @throws LepantoError for a map that DAIDE has no words for */
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
    // No map may use a word of the language.
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

  /** The power of a token; -1 if the map has none such. */
  power(token: number): Power {
    return this.powers.indexOf(token);
  }
  /** The province of a token; -1 if the map has none such. */
  province(token: number): Province {
    return this.provinces.indexOf(token);
  }
  /** The location that a province and a coast name (0: none); -1 if there is none such. */
  location(province: Province, coast: number): Location {
    const { map } = this;
    if (coast === 0) return province;
    for (let i = 0; i < map.coastCount[province]; i++)
      if (this.coasts[map.firstCoast[province] + i] === coast) return map.firstCoast[province] + i;
    return -1;
  }
  /** A location in tokens: a province, or in brackets a province and its coast. */
  place(location: Location): number[] {
    const province = this.provinces[this.map.locationProvince[location]];
    return this.coasts[location] === 0 ? [province] : list(province, this.coasts[location]);
  }
  /** Only for a location that is a coast: the word of the coast. */
  coast(location: Location): number {
    return this.coasts[location];
  }
}
