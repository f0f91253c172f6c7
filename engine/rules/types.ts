// Defines the terms of the rules as numbers. Every other module of the engine uses it.
//
// Hot code uses the constants (MOVEMENT). Users get each group as one object (Phase.MOVEMENT); its name is also the
// type of its values.

// The compiler rejects a Power used as a Province, at no cost at run time. It accepts a plain number as any of these
// types.

/** Number of a province: its index in the rows of the map, 0 to map.provinceCount - 1. */
export type Province = number & { readonly __kind?: 'province' };
/**
 * Number of a unit's location, 0 to map.locationCount - 1: a province (same number as the Province) or a coast (from
 * map.provinceCount). An army occupies a province. A fleet occupies a coast in a province with coasts.
 */
export type Location = number & { readonly __kind?: 'province' | 'location' };
/** Number of a power, 0 to map.powerCount - 1: its index in the map. Alphabetical on maps that ship with Lepanto. */
export type Power = number & { readonly __kind?: 'power' };
/** Number of a supply centre: its index in map.centers, 0 to map.centerCount - 1. */
export type Center = number & { readonly __kind?: 'center' };
/** A unit and its power in one byte: (power + 1) << 1 | type, or 0 for no unit. See unitPower() and unitType(). */
export type Unit = number & { readonly __kind?: 'unit' };

/** Maximum number of locations of a map, coasts included. Tables and scratch arrays have this size. */
export const MAX_LOCATIONS = 256;
export const MAX_POWERS = 64;
/** Maximum number of coasts of one province. */
export const MAX_COASTS = 7;
/** Number of 32-bit words in a bitset of provinces or locations. */
export const WORDS = MAX_LOCATIONS / 32;

export const ARMY = 0;
export const FLEET = 1;
/** Unit types: army or fleet. */
export const UnitType = { ARMY, FLEET } as const;
export type UnitType = (typeof UnitType)[keyof typeof UnitType];

/** No unit: the result of game.unitAt() for an empty province. */
export const NO_UNIT = 0;
/** Packs a unit. With 64 powers the maximum is 129. */
export const makeUnit = (power: Power, type: UnitType): Unit => ((power + 1) << 1) | type;
/** Returns the power of a unit; -1 for no unit. */
export const unitPower = (unit: Unit): Power => (unit >> 1) - 1;
/** Returns UnitType.ARMY or UnitType.FLEET. The result is meaningless for NO_UNIT. */
export const unitType = (unit: Unit): UnitType => (unit & 1) as UnitType;

export const SPRING = 0;
export const FALL = 1;
export const WINTER = 2;
/** Seasons. Movement and retreats take place in spring and fall, adjustments in winter. */
export const Season = { SPRING, FALL, WINTER } as const;
export type Season = (typeof Season)[keyof typeof Season];
/** Names of the seasons, indexed by Season. */
export const seasons = ['spring', 'fall', 'winter'] as const;

export const MOVEMENT = 0;
export const RETREAT = 1;
export const ADJUSTMENT = 2;
/** Phase types: movement, retreats of dislodged units, and adjustments (builds and removals) after a fall. */
export const Phase = { MOVEMENT, RETREAT, ADJUSTMENT } as const;
export type Phase = (typeof Phase)[keyof typeof Phase];
/** Names of the phase types, indexed by Phase. */
export const phases = ['movement', 'retreat', 'adjustment'] as const;

export const LAND = 0;
export const COAST = 1;
export const SEA = 2;
/** Kinds of province: inland (armies only), coastal (armies and fleets), sea (fleets only, which can convoy). */
export const ProvinceKind = { LAND, COAST, SEA } as const;
export type ProvinceKind = (typeof ProvinceKind)[keyof typeof ProvinceKind];
/** Names of the province kinds, indexed by ProvinceKind. */
export const provinceKinds = ['land', 'coast', 'sea'] as const;

export const PLAYING = 0;
export const SOLO = 1;
export const DRAW = 2;
/** Status of a game: in progress, won by one power, or drawn between the survivors. */
export const Status = { PLAYING, SOLO, DRAW } as const;
export type Status = (typeof Status)[keyof typeof Status];
/** Names of the statuses, indexed by Status. */
export const statuses = ['playing', 'solo', 'draw'] as const;

export const STANDS = 0;
export const SUCCEEDS = 1;
export const FAILS = 2;
export const GIVEN = 3;
export const CUT = 4;
export const AVAILABLE = 5;
export const DISRUPTED = 6;
export const INVALID = 7;
export const ILLEGAL = 8;
export const STOPS = 9;
/**
 * Results of orders, in the words of DATC 3.2, issue 4.E.2. A hold STANDS, even if the unit is dislodged. A move,
 * retreat, build or removal SUCCEEDS or FAILS. A support is GIVEN or CUT. A convoy is AVAILABLE or DISRUPTED. INVALID:
 * a legal support or convoy whose unit has another order, or a move without its convoy. ILLEGAL: the unit cannot
 * execute the order. STOPS: a railroad move that ended before its target.
 */
export const Result = { STANDS, SUCCEEDS, FAILS, GIVEN, CUT, AVAILABLE, DISRUPTED, INVALID, ILLEGAL, STOPS } as const;
export type Result = (typeof Result)[keyof typeof Result];
/** Names of the results, indexed by Result. */
export const resultNames = [
  'stands',
  'succeeds',
  'fails',
  'given',
  'cut',
  'available',
  'disrupted',
  'invalid',
  'illegal',
  'stops',
] as const;
/** Name of a result: 'succeeds'. */
export type ResultName = (typeof resultNames)[number];

export const NO_FATE = 0;
export const DISLODGED = 1;
export const DESTROYED = 2;
/** Fates of units in a movement phase. A dislodged unit can retreat; a destroyed unit has no retreat. */
export const Fate = { NONE: NO_FATE, DISLODGED, DESTROYED } as const;
export type Fate = (typeof Fate)[keyof typeof Fate];
/** Names of the fates, indexed by Fate; null for Fate.NONE. */
export const fates = [null, 'dislodged', 'destroyed'] as const;
/** Name of a unit's fate; null if it was not dislodged. */
export type FateName = (typeof fates)[number];
