// Gives the powers, provinces and coasts of a map their tokens. The standard board has those of the protocol, and an
// empty representation message; any other board has all of its own in the message.
import {
  type CompiledMap,
  LAND,
  type Location,
  type Power,
  type Province,
  SEA,
  standard,
} from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import { powerToken, provinceToken, Word, wordTokens } from './language.js';

/** Names of DAIDE for provinces that Lepanto writes otherwise. */
const otherNames: Readonly<Record<string, string>> = { ENG: 'ECH', BOT: 'GOB', LYO: 'GOL' };

const coastWords: Readonly<Record<string, number>> = {
  NC: Word.NCS,
  NEC: Word.NEC,
  EC: Word.ECS,
  SEC: Word.SEC,
  SC: Word.SCS,
  SWC: Word.SWC,
  WC: Word.WCS,
  NWC: Word.NWC,
};

/** Bytes of one entry of a representation message: the token, its three letters, a zero. */
const ENTRY = 6;

/** True if tokens and their meaning are those of the standard board. */
const isStandardBoard = (map: CompiledMap): boolean =>
  map.provinceTags.join() === standard.provinceTags.join() &&
  map.powerNames.join() === standard.powerNames.join() &&
  map.kind.join() === standard.kind.join() &&
  map.coastCount.join() === standard.coastCount.join() &&
  map.centers.join() === standard.centers.join();

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

/** A map in the words of DAIDE. */
export class Representation {
  /** Its name in letters, digits and underscores. */
  declare readonly mapName: string;
  /** Tokens by power and by province. */
  declare readonly powers: readonly number[];
  declare readonly provinces: readonly number[];
  /** Names of those tokens. */
  declare readonly names: ReadonlyMap<number, string>;
  /** What follows the header of the representation message. */
  declare readonly message: Buffer;
  declare private readonly powerOf: ReadonlyMap<number, Power>;
  declare private readonly provinceOf: ReadonlyMap<number, Province>;
  /** Word of the coast by location; 0 for a province. */
  declare private readonly coasts: readonly number[];

  /** @throws LepantoError for a map that DAIDE has no words for */
  constructor(readonly map: CompiledMap) {
    if (map.special !== null)
      throw new LepantoError(
        'map',
        `map: got ${map.name}, which has rules of its own, wanted one that DAIDE's map definition can say`,
      );
    this.mapName = map.name.replace(/[^A-Za-z0-9_]/g, '_');
    this.powers = map.powerNames.map((_, power) => powerToken(power));
    this.provinces = map.provinceTags.map((_, province) => {
      const kind =
        map.kind[province] === LAND ? 0 : map.kind[province] === SEA ? 1 : map.coastCount[province] > 0 ? 3 : 2;
      return provinceToken(province, kind, map.centerIndex[province] >= 0);
    });
    // No map may use a word of the language.
    const taken = new Set(wordTokens.keys());
    const powerNames = map.powerNames.map((name) => uniqueName(name.slice(0, 3), name, taken));
    const provinceNames = map.provinceTags.map((tag, province) =>
      uniqueName(otherNames[tag] ?? tag, map.provinceNames[province], taken),
    );
    const entries: (readonly [token: number, name: string])[] = [
      ...this.powers.map((token, power) => [token, powerNames[power]] as const),
      ...this.provinces.map((token, province) => [token, provinceNames[province]] as const),
    ];
    this.names = new Map(entries);
    this.powerOf = new Map(this.powers.map((token, power) => [token, power]));
    this.provinceOf = new Map(this.provinces.map((token, province) => [token, province]));
    this.coasts = map.locationTags.map((tag) => {
      const [, coast] = tag.split('/');
      if (coast === undefined) return 0;
      const found = coastWords[coast];
      if (found === undefined)
        throw new LepantoError('map', `map ${map.name}: got the coast ${tag}, wanted one that DAIDE has a word for`);
      return found;
    });
    this.message = isStandardBoard(map) ? Buffer.alloc(0) : Buffer.alloc(ENTRY * entries.length);
    if (this.message.length === 0) return;
    entries.forEach(([token, name], i) => {
      this.message.writeUInt16BE(token, ENTRY * i);
      this.message.write(name, ENTRY * i + 2, 'latin1');
    });
  }

  /** The power of a token; -1 if the map has none such. */
  power(token: number): Power {
    return this.powerOf.get(token) ?? -1;
  }
  /** The province of a token; -1 if the map has none such. */
  province(token: number): Province {
    return this.provinceOf.get(token) ?? -1;
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
    return this.coasts[location] === 0 ? [province] : [...this.coastPlace(location)];
  }
  /** Only for a location that is a coast: the word of the coast. */
  coast(location: Location): number {
    return this.coasts[location];
  }
  private coastPlace(location: Location): number[] {
    const province = this.provinces[this.map.locationProvince[location]];
    return [0x4000, province, this.coasts[location], 0x4001];
  }
}
