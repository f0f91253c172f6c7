// A map as people write it (rows), and as the engine reads it (tables).
import type { Location, Power, Province } from '../types.js';

/** One province of a map as its author writes it. */
export interface ProvinceRow {
  /** Three letters, the canonical tag: 'BUL'. */
  readonly tag: string;
  /** Full English name; civil disorder sorts by it (DATC 4.D.8). */
  readonly name: string;
  /** Who may stand there: armies, both, or fleets only, which convoy there. */
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
  /** Its name: 'AUSTRIA'. */
  readonly name: string;
  /** Tags of the home centres. */
  readonly homes: string;
  /** Units at the start: 'A BUD, F TRI'. */
  readonly units: string;
  /** Tags of the centres owned at the start, where they are not the home centres. */
  readonly owns?: string;
}

/** A map as its author writes it; compileMap() checks it and makes its tables. */
export interface MapRows {
  /** Its name: 'standard'. */
  readonly name: string;
  /** The first phase: 'S1901M', or 'W1900A' for a game that begins with builds. */
  readonly start: string;
  /** Centres that win the game: a majority of those that exist where it is left out. */
  readonly victory?: number;
  /** True where any owned centre may be built in. */
  readonly buildAnywhere?: boolean;
  /** The powers, whose order gives them their numbers. */
  readonly powers: readonly PowerRow[];
  /** The provinces, whose order gives them their numbers. */
  readonly provinces: readonly ProvinceRow[];
}

/**
 * The tables that compileMap() makes. A *key* is a unit on the board without its power: an army in province p has key p, a
 * fleet in location l has key locationCount + l. Bitsets of provinces have WORDS words each (bitset.ts).
 */
export interface CompiledMap {
  /** Its name: 'standard'. */
  readonly name: string;
  /** Hash of everything that play depends on; files carry it. */
  readonly id: number;
  /** What it was compiled from. */
  readonly rows: MapRows;

  /** Number of provinces: 75 on the standard map. */
  readonly provinceCount: number;
  /** Number of locations, that is provinces and coasts: 81 on the standard map. */
  readonly locationCount: number;
  /** Number of powers: 7 on the standard map. */
  readonly powerCount: number;
  /** Number of supply centres: 34 on the standard map. */
  readonly centerCount: number;

  /** Tags by province: 'BUL'. */
  readonly provinceTags: readonly string[];
  /** Full names by province: 'Bulgaria'. */
  readonly provinceNames: readonly string[];
  /** Tags by location: 'BUL/EC' for a coast. */
  readonly locationTags: readonly string[];
  /** Names by power: 'AUSTRIA'. */
  readonly powerNames: readonly string[];

  /** LAND, COAST or SEA by province. */
  readonly kind: Uint8Array;
  /** Province of a location. */
  readonly locationProvince: Uint8Array;
  /** First coast of a province: its coasts are the locations firstCoast[p] .. firstCoast[p] + coastCount[p] - 1; 0 without. */
  readonly firstCoast: Uint8Array;
  /** Number of coasts of a province; 0 where it has none of its own. */
  readonly coastCount: Uint8Array;
  /** Provinces with coasts of their own, ascending. */
  readonly coastalProvinces: Uint8Array;
  /** Place of a province in coastalProvinces; -1 for one without coasts. */
  readonly coastalIndex: Int16Array;

  /** Provinces that are centres, ascending. */
  readonly centers: Uint8Array;
  /** Place of a province in centers; -1 for one that is no centre. */
  readonly centerIndex: Int16Array;
  /** Power whose home centre it is, by place in centers; -1 for nobody's. */
  readonly homePower: Int16Array;

  /** Where the list of a key begins in moveTargets, and at key + 1 where it ends. */
  readonly moveOffsets: Uint16Array;
  /** Locations that a unit can move to without a convoy: moveTargets[moveOffsets[key] .. moveOffsets[key + 1]). */
  readonly moveTargets: Uint8Array;
  /** Provinces among them, a bitset by key: what the unit can also support into. */
  readonly reach: Int32Array;
  /** By province: the convoying (sea) provinces next to it, as a bitset. For a coast all its coasts together. */
  readonly seaNeighbours: Int32Array;
  /** By province: the coastal provinces next to it where an army can be landed, as a bitset. Only rows of seas are filled. */
  readonly coastNeighbours: Int32Array;
  /** Provinces whose fleets can convoy: a bitset of one row. */
  readonly seas: Int32Array;
  /** Provinces where an army can be taken up or landed: a bitset of one row. */
  readonly coasts: Int32Array;

  /** Moves from province to province over any border of army or fleet, row by row; 255 if there is no way. */
  readonly distance: Uint8Array;
  /** Place of a province in the alphabet of full names without spaces and punctuation (DATC 4.D.8). */
  readonly alphabeticalRank: Uint8Array;

  /** Year of the first phase. */
  readonly startYear: number;
  /** Season of the first phase. */
  readonly startSeason: number;
  /** Kind of the first phase. */
  readonly startPhase: number;
  /** Units at the start by location they stand in. */
  readonly startUnits: readonly { readonly power: Power; readonly type: number; readonly location: Location }[];
  /** Owner of each centre at the start, by place in `centers`; -1 for nobody. */
  readonly startOwners: Int16Array;
  /** Centres that win the game. */
  readonly victoryCenters: number;
  /** True where a power may build in any free centre that it owns. */
  readonly buildAnywhere: boolean;
}

export type { Location, Power, Province };
