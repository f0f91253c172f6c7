// Defines the terms of the rules as numbers. Every other module of the engine builds on this one.
//
// Hot code uses the constants; users get each family as one object (Phase.MOVEMENT), whose name is also the type of its
// values.

// Only the compiler tells the kinds below apart, at no cost at run time: a Power does not pass as a Province. A plain
// number passes as any of them.

/** A province by its place in the rows of the map: 0 to map.provinceCount - 1. */
export type Province = number & { readonly __kind?: 'province' };
/**
 * A place where a unit can stand: a province, under its own number, or one coast of a province, numbered from
 * map.provinceCount on: 0 to map.locationCount - 1. An army stands in a province, a fleet on a coast where there are any.
 */
export type Location = number & { readonly __kind?: 'province' | 'location' };
/** A power by its place in the map, alphabetical on the maps that ship with Lepanto: 0 to map.powerCount - 1. */
export type Power = number & { readonly __kind?: 'power' };
/** A supply centre by its place in map.centers: 0 to map.centerCount - 1. */
export type Center = number & { readonly __kind?: 'center' };
/** A unit with its power, in one byte: 0 is none, else (power + 1) << 1 | type. unitPower() and unitType() read it. */
export type Unit = number & { readonly __kind?: 'unit' };

/** Bounds that every table and scratch array is sized for. */
export const MAX_LOCATIONS = 256;
export const MAX_POWERS = 64;
/** Coasts of one province. */
export const MAX_COASTS = 7;
/** Words of 32 bits in one bitset of provinces. */
export const WORDS = MAX_LOCATIONS / 32;

export const ARMY = 0;
export const FLEET = 1;
/** Army or fleet. */
export const UnitType = { ARMY, FLEET } as const;
export type UnitType = (typeof UnitType)[keyof typeof UnitType];

/** No unit: what game.unitAt() returns for a province without one. */
export const NO_UNIT = 0;
/** 64 powers give at most 129. */
export const makeUnit = (power: Power, type: UnitType): Unit => ((power + 1) << 1) | type;
/** Power of a unit; -1 for no unit. */
export const unitPower = (unit: Unit): Power => (unit >> 1) - 1;
/** Type of a unit: UnitType.ARMY or UnitType.FLEET. Assumes that there is one. */
export const unitType = (unit: Unit): UnitType => (unit & 1) as UnitType;

export const SPRING = 0;
export const FALL = 1;
export const WINTER = 2;
/** Seasons: movement and retreats take place in spring and fall, adjustments in winter. */
export const Season = { SPRING, FALL, WINTER } as const;
export type Season = (typeof Season)[keyof typeof Season];
/** Names by code. */
export const seasons = ['spring', 'fall', 'winter'] as const;

export const MOVEMENT = 0;
export const RETREAT = 1;
export const ADJUSTMENT = 2;
/** Kinds of phase: movement, retreats of dislodged units, and builds or removals after a fall. */
export const Phase = { MOVEMENT, RETREAT, ADJUSTMENT } as const;
export type Phase = (typeof Phase)[keyof typeof Phase];
/** Names by code. */
export const phases = ['movement', 'retreat', 'adjustment'] as const;

export const LAND = 0;
export const COAST = 1;
export const SEA = 2;
/** Kinds of province: inland (armies only), coastal (both), sea (fleets only, which convoy there). */
export const ProvinceKind = { LAND, COAST, SEA } as const;
export type ProvinceKind = (typeof ProvinceKind)[keyof typeof ProvinceKind];
/** Names by code. */
export const provinceKinds = ['land', 'coast', 'sea'] as const;

export const PLAYING = 0;
export const SOLO = 1;
export const DRAW = 2;
/** Status of a game: still being played, won by one power, or drawn between the survivors. */
export const Status = { PLAYING, SOLO, DRAW } as const;
export type Status = (typeof Status)[keyof typeof Status];
/** Names by code. */
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
 * The result of an order, in the words of DATC 3.2, issue 4.E.2. A hold `stands`, dislodged or not. A move succeeds or
 * fails, and so do a retreat, a build and a removal. A support is given or cut. A convoy is available or disrupted.
 * INVALID: legal, but the unit that it should help does something else, or a move has no convoy. ILLEGAL: an order that
 * the unit cannot obey. STOPS: a move by railroad that ended before its end.
 */
export const Result = { STANDS, SUCCEEDS, FAILS, GIVEN, CUT, AVAILABLE, DISRUPTED, INVALID, ILLEGAL, STOPS } as const;
export type Result = (typeof Result)[keyof typeof Result];
/** Words by code. */
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
/** The result of an order as a word. */
export type ResultName = (typeof resultNames)[number];

export const NO_FATE = 0;
export const DISLODGED = 1;
export const DESTROYED = 2;
/** What happens to a unit apart from its order: a dislodged unit may retreat, a destroyed one has nowhere to go. */
export const Fate = { NONE: NO_FATE, DISLODGED, DESTROYED } as const;
export type Fate = (typeof Fate)[keyof typeof Fate];
/** Names by code; null for no fate. */
export const fates = [null, 'dislodged', 'destroyed'] as const;
/** What happened to a unit as a word; null if it stayed. */
export type FateName = (typeof fates)[number];
