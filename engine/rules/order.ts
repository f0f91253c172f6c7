// Packs and unpacks orders. This is the only module that knows their layout. An order is one int32:
//
//   bit  30    29 28      21 20      13 12       5  4  3    0
//       [ leave ][ location ][ helped  ][  target  ][via][ type ]
//
// location   location of the ordered unit (a coast for a fleet on a coast); for a build, of the new unit
// target     move, retreat: location entered (a coast for a fleet); support to move, convoy: province entered
//            (a coast, if a support names one: DATC 4.B.4); support to hold: province of the supported unit
// helped     support, convoy: province of the supported or convoyed unit; waive: power that waives
// via        move: 1 if it goes by convoy
// leave      any movement order of the unit that controls a canal (map/compiled-map.ts): 1 lets the fleet at the first
//            end of the canal through, 2 the fleet at the second end, 0 neither
//
// Sorting orders by value sorts them by location, then by helped unit, then by target.
import { scratch } from './scratch.js';
import type { Location, Power, Province } from './types.js';

/** An order of any phase, packed into an int32. The head of this file has the layout; makeOrder packs it. */
export type Order = number & { readonly __kind?: 'order' };

/** No order. A unit without an order holds; a dislodged unit without an order is disbanded. */
export const NONE = 0;
// The types of a movement phase have one bit for moves, one for supports and one for convoys, so that hot code can test
// a bit: see isMoveBit(), isSupportOrRailBit() and isConvoyBit().
export const HOLD = 1;
export const MOVE = 2;
export const SUPPORT_HOLD = 4;
export const SUPPORT_MOVE = 5;
export const CONVOY = 8;
/** Move by railroad, on maps with a railroad. The target is the last province of the ride. isMoveBit() is 1. */
export const RAIL = 7;
// Retreat and adjustment phases use the remaining codes.
export const RETREAT_TO = 3;
export const DISBAND = 6;
export const BUILD_ARMY = 9;
export const BUILD_FLEET = 10;
export const REMOVE = 11;
export const WAIVE = 12;
/**
 * Order types: HOLD to RAIL in a movement phase, RETREAT_TO and DISBAND in a retreat phase, BUILD_ARMY to WAIVE in an
 * adjustment phase. NONE means no order.
 */
export const OrderType = {
  NONE,
  HOLD,
  MOVE,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
  CONVOY,
  RAIL,
  RETREAT_TO,
  DISBAND,
  BUILD_ARMY,
  BUILD_FLEET,
  REMOVE,
  WAIVE,
} as const;
export type OrderType = (typeof OrderType)[keyof typeof OrderType];
/** Names of the order types, indexed by OrderType: orderTypes[OrderType.MOVE] is 'move'. */
export const orderTypes = [
  'none',
  'hold',
  'move',
  'retreat',
  'support hold',
  'support move',
  'disband',
  'rail',
  'convoy',
  'build army',
  'build fleet',
  'remove',
  'waive',
] as const;

const TYPE_MASK = 0xf;
const TO_MOVE_BIT = 0;
const MOVE_BIT = 1;
const SUPPORT_BIT = 2;
const CONVOY_BIT = 3;
const VIA_SHIFT = 4;
export const VIA_BIT = 1 << VIA_SHIFT;
const KIND_MASK = TYPE_MASK | VIA_BIT;
const PLACE_MASK = 0xff;
const TARGET_SHIFT = 5;
const HELPED_SHIFT = 13;
const LOCATION_SHIFT = 21;
const LEAVE_SHIFT = 29;
const LEAVE_MASK = 3;

const pack = (type: number, location: number, target: number, helped: number): Order =>
  (location << LOCATION_SHIFT) | (helped << HELPED_SHIFT) | (target << TARGET_SHIFT) | type;

export const hold = (at: Location): Order => pack(HOLD, at, 0, 0);
export const move = (at: Location, to: Location): Order => pack(MOVE, at, to, 0);
export const moveVia = (at: Location, to: Province): Order => pack(MOVE, at, to, 0) | VIA_BIT;
export const supportHold = (at: Location, unitAt: Province): Order => pack(SUPPORT_HOLD, at, unitAt, unitAt);
export const supportMove = (at: Location, from: Province, to: Location): Order => pack(SUPPORT_MOVE, at, to, from);
export const convoy = (at: Location, from: Province, to: Province): Order => pack(CONVOY, at, to, from);
export const rail = (at: Location, to: Province): Order => pack(RAIL, at, to, 0);
export const retreat = (at: Location, to: Location): Order => pack(RETREAT_TO, at, to, 0);
export const disband = (at: Location): Order => pack(DISBAND, at, 0, 0);
export const buildArmy = (at: Province): Order => pack(BUILD_ARMY, at, 0, 0);
export const buildFleet = (at: Location): Order => pack(BUILD_FLEET, at, 0, 0);
export const remove = (at: Location): Order => pack(REMOVE, at, 0, 0);
export const waive = (power: Power): Order => pack(WAIVE, 0, 0, power);

/** Returns the order without leave for a fleet to pass the canal. */
export const withoutLeave = (order: Order): Order => order & ~(LEAVE_MASK << LEAVE_SHIFT);
/** Returns the order with leave for the fleet at one end of the canal: `end` is 1 or 2. */
export const withLeave = (order: Order, end: number): Order => withoutLeave(order) | (end << LEAVE_SHIFT);

/**
 * Functions that pack orders. `at` is the location of the ordered unit (game.unitLocation()), or of the new unit for a
 * build. They do not check their arguments; isLegal() checks an order against a game.
 */
export const makeOrder = {
  /** Packs a hold. */
  hold,
  /** Packs a move over a border. `to` is a coast if a fleet enters a province with coasts. */
  move,
  /** Packs a move by convoy, written VIA. */
  moveVia,
  /** Packs a support of the unit in province `unitAt` to hold. */
  supportHold,
  /** Packs a support of the move from province `from` to `to`, a province or a coast (DATC 4.B.4). */
  supportMove,
  /** Packs a convoy of the army in province `from` to province `to`. */
  convoy,
  /** Packs a move by railroad, on maps with a railroad. */
  rail,
  /** Adds leave for the fleet at end 1 or 2 of a canal to an order of the unit that controls the canal. */
  withLeave,
  /** Packs a retreat to location `to`. */
  retreat,
  /** Packs the disbanding of a dislodged unit. */
  disband,
  /** Packs the build of an army. */
  buildArmy,
  /** Packs the build of a fleet. `at` is a coast if the province has coasts. */
  buildFleet,
  /** Packs the removal of a unit in an adjustment phase. */
  remove,
  /** Packs a waived build of a power. */
  waive,
} as const;

/** Returns the type of an order. */
export const orderType = (order: Order): OrderType => (order & TYPE_MASK) as OrderType;
/** Returns the location of the ordered unit, or of the new unit for a build. 0 for a waive. */
export const orderLocation = (order: Order): Location => (order >> LOCATION_SHIFT) & PLACE_MASK;
/**
 * Returns the target of an order: the location entered by a move or retreat, the destination of a supported move (a
 * coast if the support names one) or convoy, or the province of a unit supported to hold. 0 for other types.
 */
export const orderTarget = (order: Order): Location => (order >> TARGET_SHIFT) & PLACE_MASK;
/** Returns the province of the supported or convoyed unit. 0 for other types; for a waive see waivingPower(). */
export const orderHelped = (order: Order): Province => (order >> HELPED_SHIFT) & PLACE_MASK;
/** Returns 1 if a move is written VIA (by convoy), 0 otherwise. */
export const orderVia = (order: Order): number => (order >> VIA_SHIFT) & 1;

/** Returns the type (bits 0 to 3) and the VIA bit (bit 4) of an order as one number from 0 to 31, to index tables. */
export const orderKind = (order: Order): number => order & KIND_MASK;

/**
 * Returns which fleet the unit that controls a canal lets through with its order: 1 for the fleet at the first end of
 * the canal, 2 for the fleet at the second end, 0 for neither. 0 for all other orders.
 */
export const orderLeave = (order: Order): number => (order >> LEAVE_SHIFT) & LEAVE_MASK;

/** Returns 1 for a move or railroad move, 0 otherwise. Branchless. Only for orders of a movement phase. */
export const isMoveBit = (order: Order): number => (order >> MOVE_BIT) & 1;
/**
 * Returns 1 for a support to hold or to move, and for RAIL; 0 for other orders of a movement phase. The passes, which
 * read it for supports, never see RAIL: variants.ts sends such sets to the recursion.
 */
export const isSupportOrRailBit = (order: Order): number => (order >> SUPPORT_BIT) & 1;
/** Returns 1 for a convoy, 0 otherwise. Only for orders of a movement phase. */
export const isConvoyBit = (order: Order): number => (order >> CONVOY_BIT) & 1;
/** Returns 1 for a support to move, 0 for a support to hold. Only for supports. */
export const supportsMoveBit = (order: Order): number => (order >> TO_MOVE_BIT) & 1;

/** True if an order is a support or a convoy. */
export const isHelp = (order: Order): boolean => {
  const type = orderType(order);
  return type === SUPPORT_HOLD || type === SUPPORT_MOVE || type === CONVOY;
};
/** True if an order has an orderTarget(): a support, convoy, move, railroad move or retreat. */
export const hasTarget = (order: Order): boolean => {
  const type = orderType(order);
  return isHelp(order) || type === MOVE || type === RAIL || type === RETREAT_TO;
};

/** Returns the orderTarget() of an order whose target is a province: a move VIA, a support to hold, a convoy. */
export const targetProvince = (order: Order): Province => (order >> TARGET_SHIFT) & PLACE_MASK;
/** Returns the power that waives a build. Only for waives. */
export const waivingPower = (order: Order): Power => (order >> HELPED_SHIFT) & PLACE_MASK;

/** Packs only the helped province and the target. Hot code combines the result with a type. */
export const helpedAndTarget = (helped: Province, target: Location): number =>
  (helped << HELPED_SHIFT) | (target << TARGET_SHIFT);

/** Returns the order with another target, for example to add or remove a named coast. */
export const withTarget = (order: Order, target: Location): Order =>
  (order & ~(PLACE_MASK << TARGET_SHIFT)) | (target << TARGET_SHIFT);
/** Returns the order for a unit at another location, without leave for a fleet to pass the canal. */
export const withLocation = (order: Order, at: Location): Order =>
  (order & ((1 << LOCATION_SHIFT) - 1)) | (at << LOCATION_SHIFT);
/** Returns the order without the VIA bit: a move by land, or an order that hot code no longer marks. */
export const withoutVia = (order: Order): Order => order & ~VIA_BIT;
/** Returns the order with the VIA bit set. Hot code also uses that bit to mark orders. */
export const withVia = (order: Order): Order => order | VIA_BIT;
/**
 * Packs a support, without the supporter's location, of the unit in `helped` into `target`: a support to hold if they
 * are equal, a support to move otherwise. Does not branch.
 */
export const supportInto = (helped: Province, target: Province): Order =>
  SUPPORT_HOLD | ((-(helped ^ target) >>> 31) << TO_MOVE_BIT) | helpedAndTarget(helped, target);

// ---- orders on the board ----
//
// Orders on the board (adjudicate/movement/board.ts) have no location, because the board indexes them by province, and
// no coasts: their target is a province. The bits of the location and above hold the *next key* instead: 1 + the key
// (map/compiled-map.ts) that the unit has if the order succeeds.

const NEXT_KEY_SHIFT = LOCATION_SHIFT;

/** Packs only the next key of an order on the board: 1 + the key of its unit if the order succeeds. */
export const nextKeyBits = (next: number): number => next << NEXT_KEY_SHIFT;
export const withNextKey = (order: number, next: number): number =>
  (order & ((1 << NEXT_KEY_SHIFT) - 1)) | (next << NEXT_KEY_SHIFT);
export const orderNextKey = (order: number): number => order >>> NEXT_KEY_SHIFT;

// Masks, indexed by orderKind(). SAME_BITS: bits that are equal on and off the board. COAST_BITS: bits of a target that
// may be a coast off the board.
const KINDS = (TYPE_MASK | VIA_BIT) + 1;
const SAME_BITS = scratch(KINDS);
const COAST_BITS = scratch(KINDS);
for (const via of [0, VIA_BIT]) {
  SAME_BITS[HOLD | via] = TYPE_MASK;
  SAME_BITS[MOVE | via] = TYPE_MASK | VIA_BIT;
  for (const type of [SUPPORT_HOLD, SUPPORT_MOVE, CONVOY])
    SAME_BITS[type | via] = TYPE_MASK | helpedAndTarget(PLACE_MASK, PLACE_MASK);
  SAME_BITS[RAIL | via] = TYPE_MASK | helpedAndTarget(0, PLACE_MASK);
  COAST_BITS[MOVE | via] = helpedAndTarget(0, PLACE_MASK);
}

/**
 * Converts an order on the board to a packed order. Does not branch.
 * @param at location of the ordered unit
 * @param to location entered by a move; ignored for other orders
 */
export const fromBoard = (order: number, at: Location, to: Location): Order => {
  const kind = order & KIND_MASK;
  return (order & SAME_BITS[kind]) | ((to << TARGET_SHIFT) & COAST_BITS[kind]) | (at << LOCATION_SHIFT);
};

/** True if an int32 is a packed order without leave to pass the canal: it sets only the bits that its type uses. */
export const isWellFormed = (order: Order): boolean => {
  const at = orderLocation(order);
  const target = orderTarget(order);
  const helped = orderHelped(order);
  const bare = order & ~VIA_BIT;
  switch (orderType(order)) {
    case HOLD:
    case DISBAND:
    case BUILD_ARMY:
    case BUILD_FLEET:
    case REMOVE:
      return order === pack(orderType(order), at, 0, 0);
    case MOVE:
      return bare === pack(MOVE, at, target, 0);
    case RAIL:
    case RETREAT_TO:
      return order === pack(orderType(order), at, target, 0);
    case SUPPORT_HOLD:
      return order === pack(SUPPORT_HOLD, at, target, target);
    case SUPPORT_MOVE:
    case CONVOY:
      return order === pack(orderType(order), at, target, helped);
    case WAIVE:
      return order === pack(WAIVE, 0, 0, helped);
    default:
      return false;
  }
};
