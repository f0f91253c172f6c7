// Defines a map as its author writes it (MapRows) and as the engine reads it (CompiledMap).
import type { Location, Power, Province } from '../rules/types.js';

/** One province of a map as its author writes it. */
export interface ProvinceRow {
  /** Canonical tag: a capital letter, then two capital letters or digits. 'BUL'. */
  readonly tag: string;
  /** Full English name: 'Bulgaria'. Civil disorder sorts by it (DATC 4.D.8). */
  readonly name: string;
  /** Kind of province: land (armies only), coast (armies and fleets) or sea (fleets only, which can convoy). */
  readonly kind: 'land' | 'coast' | 'sea';
  /** True for a supply centre. */
  readonly center?: boolean;
  /** Other names and spellings, used only to parse orders. */
  readonly aliases?: readonly string[];
  /** Tags of the provinces that an army can move to, separated by spaces. */
  readonly army?: string;
  /**
   * Tags of the locations that a fleet can move to, separated by spaces: 'AEG CON GRE'. With coasts, one entry per
   * coast: { EC: 'BLA CON' }.
   */
  readonly fleet?: string | Readonly<Record<string, string>>;
}

/** One power of a map as its author writes it. */
export interface PowerRow {
  /** Name of the power, one word of capital letters, perhaps with digits and underscores: 'AUSTRIA'. */
  readonly name: string;
  /** Tags of the home centres, separated by spaces. */
  readonly homes: string;
  /** Units at the start: 'A BUD, F TRI'. */
  readonly units: string;
  /** Tags of the centres owned at the start. Default: the home centres. */
  readonly owns?: string;
}

/** Special rules of maps. Each one except `buildAnywhere` needs a field of MapRows that says where it applies. */
export const mapOptions = ['tsr', 'suez', 'hongKong', 'ice', 'difficult', 'buildAnywhere'] as const;
/** One of mapOptions. */
export type MapOption = (typeof mapOptions)[number];

/** A map as its author writes it. compileMap() checks it and makes its tables. */
export interface MapRows {
  /** Name of the map: 'standard'. */
  readonly name: string;
  /** First phase: 'S1901M', 'F1901M', or 'W1900A' for a game that begins with builds. */
  readonly start: string;
  /** Number of centres that wins the game. Default: more than half of all centres. */
  readonly victory?: number;
  /** True if a power may build in every free centre that it owns, not only in its home centres. */
  readonly buildAnywhere?: boolean;
  /**
   * Special rules in force, for example 'ice'. The fields railroad, canal, uncounted, ice and difficult say where they
   * apply.
   */
  readonly options?: readonly MapOption[];
  /**
   * Option tsr: tags of the provinces of a railroad, end to end, separated by spaces, and the power whose armies use it
   * (DATC 2.4, chapter 7.B).
   */
  readonly railroad?: { readonly line: string; readonly power: string };
  /**
   * Option suez: tags of the two seas that a canal joins for fleets, separated by a space, and of the province that
   * controls it (DATC 2.4, 7.C).
   */
  readonly canal?: { readonly ends: string; readonly control: string };
  /** Option hongKong: tag of a centre that does not count for one power, and that power (DATC 2.4, 7.A). */
  readonly uncounted?: { readonly center: string; readonly power: string };
  /** Option ice: tags of the seas that are closed in fall, separated by spaces (DATC 2.4, chapter 8). */
  readonly ice?: string;
  /**
   * Option difficult: borders that an army crosses with strength 0, pairs of tags separated by spaces: 'COR-NAF' (DATC
   * 2.4, chapter 10).
   */
  readonly difficult?: string;
  /** Tags of coastal provinces whose fleets convoy as at sea, separated by spaces (DATC 2.4, chapter 9). */
  readonly convoyable?: string;
  /** The unchanged map, if this map has options or changes. The vocabulary of this map begins with that of the base. */
  readonly base?: MapRows;
  /** The powers. The index of a row is the number of its power. */
  readonly powers: readonly PowerRow[];
  /** The provinces. The index of a row is the number of its province. */
  readonly provinces: readonly ProvinceRow[];
}

/** Tables of the special rules that are in force on a map. */
export interface SpecialTables {
  /** Provinces of the railroad, from one end to the other. Empty without a railroad. */
  readonly line: readonly Province[];
  /** Index of each province in `line`; -1 if it is not on the railroad. */
  readonly lineIndex: Int16Array;
  /** Power whose armies use the railroad; -1 without a railroad. */
  readonly railPower: Power;
  /** The two seas that the canal joins. Empty without a canal. */
  readonly canal: readonly Province[];
  /** Province that controls the canal; -1 without a canal. */
  readonly control: Province;
  /** Index in `centers` of the centre that does not count for `uncountedPower`; -1 if all centres count. */
  readonly uncounted: number;
  /** Power for which the centre `uncounted` does not count; -1 if all centres count. */
  readonly uncountedPower: Power;
  /** Seas that ice closes in fall, as a bitset of provinces. */
  readonly ice: Int32Array;
  /** True if the option ice is in force. */
  readonly hasIce: boolean;
  /** Neighbours across a difficult border: a bitset of provinces for each province. */
  readonly difficult: Int32Array;
  /** True if the option difficult is in force. */
  readonly hasDifficult: boolean;
  /** Coastal provinces whose fleets can convoy, as a bitset of provinces. */
  readonly convoyable: Int32Array;
  /** True if the map has a list of convoyable coasts. */
  readonly hasConvoyable: boolean;
  /** Provinces whose units have special orders: on the railroad, at a canal, a difficult border or convoyable. */
  readonly origins: readonly Province[];
  /** Locations that a fleet can move to over a border (not the canal), as a bitset for each of its locations. */
  readonly fleetReach: Int32Array;
}

/**
 * The tables of a map, made by compileMap(). A *key* is a unit type and a location in one number: an army in province p
 * has key p, a fleet in location l has key locationCount + l. Each bitset of provinces has WORDS words (bitset.ts).
 */
export interface CompiledMap {
  /** Name of the map: 'standard'. */
  readonly name: string;
  /** Hash of everything that affects play. Files store it to identify the map. */
  readonly id: number;
  /** The rows from which the map was compiled. */
  readonly rows: MapRows;

  /** Number of provinces: 75 on the standard map. */
  readonly provinceCount: number;
  /** Number of locations, that is provinces and coasts: 81 on the standard map. */
  readonly locationCount: number;
  /** Number of powers: 7 on the standard map. */
  readonly powerCount: number;
  /** Number of supply centres: 34 on the standard map. */
  readonly centerCount: number;

  /** Tags, indexed by province: 'BUL'. */
  readonly provinceTags: readonly string[];
  /** Full names, indexed by province: 'Bulgaria'. */
  readonly provinceNames: readonly string[];
  /** Tags, indexed by location: 'BUL', or 'BUL/EC' for a coast. */
  readonly locationTags: readonly string[];
  /** Names, indexed by power: 'AUSTRIA'. */
  readonly powerNames: readonly string[];
  /** Returns the power with this name, in any case: power('AUSTRIA'). @throws LepantoError if the name is unknown */
  power(name: string): Power;

  /** LAND, COAST or SEA, indexed by province. */
  readonly kind: Uint8Array;
  /** Province of each location, indexed by location. */
  readonly locationProvince: Uint8Array;
  /**
   * Location of the first coast of each province, 0 for a province without coasts. The coasts of province p are the
   * locations firstCoast[p] to firstCoast[p] + coastCount[p] - 1.
   */
  readonly firstCoast: Uint8Array;
  /** Number of separate coasts, indexed by province; 0 if it has none. */
  readonly coastCount: Uint8Array;
  /** Provinces with separate coasts, ascending. */
  readonly coastalProvinces: Uint8Array;
  /** Index of each province in `coastalProvinces`; -1 for a province without separate coasts. */
  readonly coastalIndex: Int16Array;

  /** Provinces with a supply centre, ascending. */
  readonly centers: Uint8Array;
  /** Index of each province in `centers`; -1 for a province without a centre. */
  readonly centerIndex: Int16Array;
  /** Power whose home centre it is, for each index in `centers`; -1 for a neutral centre. */
  readonly homePower: Int16Array;

  /**
   * Index in `moveTargets` of the first move of a unit, indexed by key (unit type and location, see CompiledMap). The
   * moves end where those of key + 1 begin.
   */
  readonly moveOffsets: Uint16Array;
  /**
   * Locations that a unit with a key can move to without a convoy, ascending: moveTargets[moveOffsets[key] ..
   * moveOffsets[key + 1]).
   */
  readonly moveTargets: Uint8Array;
  /**
   * Provinces that a unit can support into, as a bitset for each key (unit type and location, see CompiledMap): all
   * that it can move to without a convoy, except over a difficult border or through a canal.
   */
  readonly reach: Int32Array;
  /**
   * Neighbours where fleets can convoy (seas and convoyable coasts), as a bitset of locations for each location.
   * Includes both a neighbouring coast and its province. The row of a province covers all of its coasts.
   */
  readonly seaNeighbours: Int32Array;
  /**
   * Coastal neighbours where a convoy can land an army, as a bitset of provinces for each location. Empty for locations
   * where fleets cannot convoy.
   */
  readonly coastNeighbours: Int32Array;
  /** Provinces whose fleets can convoy, as a bitset of provinces. */
  readonly seas: Int32Array;
  /** Provinces where a convoy can start or end, as a bitset of provinces. */
  readonly coasts: Int32Array;

  /**
   * Least number of moves from one province to another over army and fleet borders, coasts ignored: distance[from *
   * provinceCount + to]. 255 if unreachable.
   */
  readonly distance: Uint8Array;
  /** Alphabetical rank of each province by its full name without spaces and punctuation, from 0 (DATC 4.D.8). */
  readonly alphabeticalRank: Uint8Array;

  /** Year of the first phase. */
  readonly startYear: number;
  /** Season of the first phase. */
  readonly startSeason: number;
  /** Phase type of the first phase: MOVEMENT or ADJUSTMENT. */
  readonly startPhase: number;
  /** Units at the start, in the order of the powers and of their rows. */
  readonly startUnits: readonly { readonly power: Power; readonly type: number; readonly location: Location }[];
  /** Owner at the start, for each index in `centers`; -1 for a neutral centre. */
  readonly startOwners: Int16Array;
  /** Number of centres that wins the game. */
  readonly victoryCenters: number;
  /** True if a power may build in every free centre that it owns, not only in its home centres. */
  readonly buildAnywhere: boolean;
  /** Tables of the special rules; null if none is in force. */
  readonly special: SpecialTables | null;
}

export type { Location, Power, Province };
