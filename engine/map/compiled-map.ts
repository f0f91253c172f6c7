// A map as people write it (rows), and as the engine reads it (tables).
import type { Location, Power, Province } from '../rules/types.js';

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

/** Rules of its own that a map may have. All but `buildAnywhere` need a place on the map: MapRows says where. */
export const mapOptions = ['tsr', 'suez', 'hongKong', 'ice', 'difficult', 'buildAnywhere'] as const;
/** One of mapOptions. */
export type MapOption = (typeof mapOptions)[number];

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
  /** Rules of its own that are in force: 'ice'. The rows below say where they apply. */
  readonly options?: readonly MapOption[];
  /** Option tsr: provinces of a railroad, end to end, and the power whose armies use it (DATC 2.4, chapter 7.B). */
  readonly railroad?: { readonly line: string; readonly power: string };
  /** Option suez: the two seas that a canal joins for fleets, and the province that controls it (DATC 2.4, 7.C). */
  readonly canal?: { readonly ends: string; readonly control: string };
  /** Option hongKong: a centre that counts nothing for one power (DATC 2.4, 7.A). */
  readonly uncounted?: { readonly center: string; readonly power: string };
  /** Option ice: tags of the seas that are closed in fall (DATC 2.4, chapter 8). */
  readonly ice?: string;
  /** Option difficult: borders that armies cross without strength of their own, 'COR-NAF' (DATC 2.4, chapter 10). */
  readonly difficult?: string;
  /** Tags of coastal provinces whose fleets convoy as at sea (DATC 2.4, chapter 9). */
  readonly convoyable?: string;
  /** The same map without options and changes, where there are any: its vocabulary comes first in that of this map. */
  readonly base?: MapRows;
  /** The powers, whose order gives them their numbers. */
  readonly powers: readonly PowerRow[];
  /** The provinces, whose order gives them their numbers. */
  readonly provinces: readonly ProvinceRow[];
}

/** What a map has that the standard map has not, as far as it is in force. */
export interface SpecialTables {
  /** Provinces of the railroad, end to end; none without one. */
  readonly line: readonly Province[];
  /** Place of a province on the line; -1 for one off it. */
  readonly lineIndex: Int16Array;
  /** Power whose armies use it; -1 without one. */
  readonly railPower: Power;
  /** The two ends of the canal; none without one. */
  readonly canal: readonly Province[];
  /** The province that controls the canal; -1 without one. */
  readonly control: Province;
  /** Place in `centers` of the centre that counts nothing for one power; -1 without one. */
  readonly uncounted: number;
  /** That power; -1 without one. */
  readonly uncountedPower: Power;
  /** Seas that are closed in fall: a bitset of one row. */
  readonly ice: Int32Array;
  /** True if ice is in force. */
  readonly hasIce: boolean;
  /** By province: those that an army enters from it over a difficult border, as a bitset. */
  readonly difficult: Int32Array;
  /** True if difficult borders are in force. */
  readonly hasDifficult: boolean;
  /** Coastal provinces whose fleets convoy: a bitset of one row. */
  readonly convoyable: Int32Array;
  /** True if there are any. */
  readonly hasConvoyable: boolean;
  /** Provinces whose units can have an order that other maps do not know: on the line, at the canal, and so on. */
  readonly origins: readonly Province[];
  /** By location of a fleet: the locations that it can move to over a border, as a bitset. */
  readonly fleetReach: Int32Array;
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
  /** The power of a name, in any case: power('AUSTRIA'). @throws LepantoError that lists the powers, for another name */
  power(name: string): Power;

  /** LAND, COAST or SEA by province. */
  readonly kind: Uint8Array;
  /** Province of a location. */
  readonly locationProvince: Uint8Array;
  /** First coast of a province: its coasts are the locations firstCoast[p] .. firstCoast[p] + coastCount[p] - 1; 0 without. */
  readonly firstCoast: Uint8Array;
  /** Number of separate coasts, indexed by province; 0 if it has none. */
  readonly coastCount: Uint8Array;
  /** Provinces with separate coasts, ascending. */
  readonly coastalProvinces: Uint8Array;
  /** Place of a province in coastalProvinces; -1 for one without coasts. */
  readonly coastalIndex: Int16Array;

  /** Provinces that are centres, ascending. */
  readonly centers: Uint8Array;
  /** Place of a province in centers; -1 for one that is no centre. */
  readonly centerIndex: Int16Array;
  /** Power whose home centre this is, by index in `centers`; -1 for a neutral centre. */
  readonly homePower: Int16Array;

  /** Where the list of a key begins in moveTargets, and at key + 1 where it ends. */
  readonly moveOffsets: Uint16Array;
  /** Locations that a unit can move to without a convoy: moveTargets[moveOffsets[key] .. moveOffsets[key + 1]). */
  readonly moveTargets: Uint8Array;
  /**
   * Provinces among them that the unit can also support into, a bitset by key: all but those that it would enter over a
   * difficult border or through a canal.
   */
  readonly reach: Int32Array;
  /**
   * By location: the convoying provinces next to it, and of those with coasts the coasts, as a bitset of locations: seas,
   * and coasts that are convoyable. The row of a province has all its coasts together.
   */
  readonly seaNeighbours: Int32Array;
  /**
   * By location: the coastal provinces next to it where an army can be landed, as a bitset. Only rows where fleets convoy
   * are filled.
   */
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
  /** Rules of its own; null for a map that has none in force. */
  readonly special: SpecialTables | null;
}

export type { Location, Power, Province };
