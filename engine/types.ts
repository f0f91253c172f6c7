// The words of the rules as numbers. Every other module of the engine builds on this one.

/** Index of a province, in the order of the map's rows: 0 .. provinceCount - 1. */
export type Province = number & { readonly __province?: never };
/** Index of a location: a province, or (from provinceCount on) one coast of a province. */
export type Location = number & { readonly __location?: never };
/** Index of a power, in the order of the map (alphabetical on the maps that ship). */
export type Power = number & { readonly __power?: never };

/** Bounds that every table and scratch array is sized for. */
export const MAX_LOCATIONS = 256;
export const MAX_POWERS = 64;
/** Words of 32 bits in one bitset of provinces. */
export const WORDS = MAX_LOCATIONS / 32;

export const ARMY = 0;
export const FLEET = 1;
export type UnitType = typeof ARMY | typeof FLEET;

/**
 * A unit in one byte: 0 is no unit, else (power + 1) << 1 | type. Coasts are kept apart (state.ts).
 * 64 powers give at most 129.
 */
export const NO_UNIT = 0;
export const makeUnit = (power: Power, type: UnitType): number => ((power + 1) << 1) | type;
export const unitPower = (unit: number): Power => (unit >> 1) - 1;
export const unitType = (unit: number): UnitType => (unit & 1) as UnitType;

export const SPRING = 0;
export const FALL = 1;
export const WINTER = 2;
export const seasons = ['spring', 'fall', 'winter'] as const;
export type Season = typeof SPRING | typeof FALL | typeof WINTER;

export const MOVEMENT = 0;
export const RETREAT = 1;
export const ADJUSTMENT = 2;
export const phases = ['movement', 'retreat', 'adjustment'] as const;
export type Phase = typeof MOVEMENT | typeof RETREAT | typeof ADJUSTMENT;

export const LAND = 0;
export const COAST = 1;
export const SEA = 2;
export const provinceKinds = ['land', 'coast', 'sea'] as const;
export type ProvinceKind = typeof LAND | typeof COAST | typeof SEA;

/** How a game stands. */
export const PLAYING = 0;
export const SOLO = 1;
export const DRAW = 2;
export const statuses = ['playing', 'solo', 'draw'] as const;
export type Status = typeof PLAYING | typeof SOLO | typeof DRAW;

/**
 * What became of an order, in the words of DATC 3.2, issue 4.E.2. `stands` is a hold; a move succeeds or fails; a
 * support is given or cut; a convoy is available or disrupted; invalid is legal but unmatched; illegal is no order.
 */
export const STANDS = 0;
export const SUCCEEDS = 1;
export const FAILS = 2;
export const GIVEN = 3;
export const CUT = 4;
export const AVAILABLE = 5;
export const DISRUPTED = 6;
export const INVALID = 7;
export const ILLEGAL = 8;
export const results = [
  'stands',
  'succeeds',
  'fails',
  'given',
  'cut',
  'available',
  'disrupted',
  'invalid',
  'illegal',
] as const;
export type Result = number;

/** What happens to the unit beside its order: dislodged units may retreat, destroyed ones have nowhere to go. */
export const NO_FATE = 0;
export const DISLODGED = 1;
export const DESTROYED = 2;
export const fates = [null, 'dislodged', 'destroyed'] as const;
