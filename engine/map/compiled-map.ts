// A map as people write it (rows), and as the engine reads it (tables).
import type { Location, Power, Province } from '../types.js';

/** One province of a map as its author writes it. */
export interface ProvinceRow {
  /** Three letters, the canonical tag: 'BUL'. */
  readonly tag: string;
  /** Full English name; civil disorder sorts by it (DATC 4.D.8). */
  readonly name: string;
  readonly kind: 'land' | 'coast' | 'sea';
  /** True for a supply centre. */
  readonly center?: boolean;
  /** Other names and spellings people use, for parsing only. */
  readonly aliases?: readonly string[];
  /** Tags of the provinces that an army reaches. */
  readonly army?: string;
  /** Locations that a fleet reaches, 'AEG CON GRE'; for a province with coasts one entry per coast: { EC: 'BLA CON' }. */
  readonly fleet?: string | Readonly<Record<string, string>>;
}

/** One power of a map as its author writes it. */
export interface PowerRow {
  readonly name: string;
  /** Tags of the home centres. */
  readonly homes: string;
  /** Units at the start: 'A BUD, F TRI'. */
  readonly units: string;
  /** Tags of the centres owned at the start, where they are not the home centres. */
  readonly owns?: string;
}

export interface MapRows {
  readonly name: string;
  /** The first phase: 'S1901M', or 'W1900A' for a game that begins with builds. */
  readonly start: string;
  /** Centres that win the game: a majority of those that exist where it is left out. */
  readonly victory?: number;
  /** True where any owned centre may be built in. */
  readonly buildAnywhere?: boolean;
  readonly powers: readonly PowerRow[];
  readonly provinces: readonly ProvinceRow[];
}

/**
 * The tables that compileMap() makes. A *key* is a unit on the board without its power: an army in province p has key p, a
 * fleet in location l has key locationCount + l. Bitsets of provinces have WORDS words each (bitset.ts).
 */
export interface CompiledMap {
  readonly name: string;
  /** Hash of everything that play depends on; files carry it. */
  readonly id: number;
  readonly rows: MapRows;

  readonly provinceCount: number;
  readonly locationCount: number;
  readonly powerCount: number;
  readonly centerCount: number;

  /** Tags by province, full names by province, 'BUL/EC' by location, 'AUSTRIA' by power. */
  readonly provinceTags: readonly string[];
  readonly provinceNames: readonly string[];
  readonly locationTags: readonly string[];
  readonly powerNames: readonly string[];

  /** LAND, COAST or SEA by province. */
  readonly kind: Uint8Array;
  /** Province of a location. */
  readonly locationProvince: Uint8Array;
  /** Coasts of a province: locations firstCoast[p] .. firstCoast[p] + coastCount[p] - 1; firstCoast is 0 without. */
  readonly firstCoast: Uint8Array;
  readonly coastCount: Uint8Array;
  /** Provinces with coasts, ascending, and their place in that list by province (-1: none). */
  readonly coastalProvinces: Uint8Array;
  readonly coastalIndex: Int16Array;

  /** Provinces that are centres, ascending; place in that list by province (-1: no centre); home power by centre (-1). */
  readonly centers: Uint8Array;
  readonly centerIndex: Int16Array;
  readonly homePower: Int16Array;

  /** Locations that the unit of a key can move to without a convoy: moveTargets[moveOffsets[key] .. moveOffsets[key + 1]). */
  readonly moveOffsets: Uint16Array;
  readonly moveTargets: Uint8Array;
  /** Provinces among them, a bitset by key: what the unit can also support into. */
  readonly reach: Int32Array;
  /** By province: the convoying (sea) provinces next to it, as a bitset. For a coast all its coasts together. */
  readonly seaNeighbours: Int32Array;
  /** By province: the coastal provinces next to it where an army can be landed, as a bitset. Only rows of seas are filled. */
  readonly coastNeighbours: Int32Array;
  /** Bitsets with one row each: provinces that can convoy; provinces where an army can be taken up or landed. */
  readonly seas: Int32Array;
  readonly coasts: Int32Array;

  /** Moves from province to province over any border of army or fleet, row by row; 255 if there is no way. */
  readonly distance: Uint8Array;
  /** Place of a province in the alphabet of full names without spaces and punctuation (DATC 4.D.8). */
  readonly alphabeticalRank: Uint8Array;

  readonly startYear: number;
  readonly startSeason: number;
  readonly startPhase: number;
  /** Units at the start by location they stand in. */
  readonly startUnits: readonly { readonly power: Power; readonly type: number; readonly location: Location }[];
  /** Owner of each centre at the start, by place in `centers`; -1 for nobody. */
  readonly startOwners: Int16Array;
  readonly victoryCenters: number;
  readonly buildAnywhere: boolean;
}

export type { Location, Power, Province };
