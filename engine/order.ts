// An order is one int32. This is the only module that packs or unpacks one.
//
//   bit  28      21 20      13 12       5  4  3    0
//       [ location ][   aux   ][  target  ][via][ type ]
//
// location   where the ordered unit stands (a coast for a fleet on one); for a build, where it will stand
// target     move, retreat: the location entered (a coast for a fleet); support to move, convoy: the province entered
//            (a coast, if a support names one: DATC 4.B.4); support to hold: the province of the supported unit
// aux        support, convoy: the province of the unit that is helped; waive: the power that waives
// via        move: by convoy
//
// Sorted by value, orders stand together by location, then by the unit they help, then by target.
import type { Location, Power, Province } from './types.js';

/** An order of any phase, packed into an int32 (see above). */
export type Order = number & { readonly __kind?: 'order' };

/** No order at all. A unit with it holds, a dislodged one is disbanded. */
export const NONE = 0;
// Types of a movement phase are one bit each (moves 2, supports 4, convoys 8), so that hot code tests one bit.
export const HOLD = 1;
export const MOVE = 2;
export const SUPPORT_HOLD = 4;
export const SUPPORT_MOVE = 5;
export const CONVOY = 8;
// Types of the other phases are the codes that are left.
export const RETREAT_TO = 3;
export const DISBAND = 6;
export const BUILD_ARMY = 9;
export const BUILD_FLEET = 10;
export const REMOVE = 11;
export const WAIVE = 12;
/**
 * Types of orders: of a movement phase (HOLD to CONVOY), of a retreat phase (RETREAT_TO, DISBAND) and of an adjustment
 * phase (BUILD_ARMY to WAIVE). NONE is no order.
 */
export const OrderType = {
  NONE,
  HOLD,
  MOVE,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
  CONVOY,
  RETREAT_TO,
  DISBAND,
  BUILD_ARMY,
  BUILD_FLEET,
  REMOVE,
  WAIVE,
} as const;
export type OrderType = (typeof OrderType)[keyof typeof OrderType];
/** Name of each type, by its code; '' where there is none. */
export const orderTypes = [
  'none',
  'hold',
  'move',
  'retreat',
  'support hold',
  'support move',
  'disband',
  '',
  'convoy',
  'build army',
  'build fleet',
  'remove',
  'waive',
] as const;

const TYPE_MASK = 0xf;
const VIA_BIT = 0x10;
const PLACE_MASK = 0xff;
const TARGET_SHIFT = 5;
const AUX_SHIFT = 13;
const LOCATION_SHIFT = 21;

const pack = (type: number, location: number, target: number, aux: number): Order =>
  (location << LOCATION_SHIFT) | (aux << AUX_SHIFT) | (target << TARGET_SHIFT) | type;

export const hold = (at: Location): Order => pack(HOLD, at, 0, 0);
export const move = (at: Location, to: Location): Order => pack(MOVE, at, to, 0);
export const moveVia = (at: Location, to: Province): Order => pack(MOVE, at, to, 0) | VIA_BIT;
export const supportHold = (at: Location, unitAt: Province): Order => pack(SUPPORT_HOLD, at, unitAt, unitAt);
export const supportMove = (at: Location, from: Province, to: Location): Order => pack(SUPPORT_MOVE, at, to, from);
export const convoy = (at: Location, from: Province, to: Province): Order => pack(CONVOY, at, to, from);
export const retreat = (at: Location, to: Location): Order => pack(RETREAT_TO, at, to, 0);
export const disband = (at: Location): Order => pack(DISBAND, at, 0, 0);
export const buildArmy = (at: Province): Order => pack(BUILD_ARMY, at, 0, 0);
export const buildFleet = (at: Location): Order => pack(BUILD_FLEET, at, 0, 0);
export const remove = (at: Location): Order => pack(REMOVE, at, 0, 0);
export const waive = (power: Power): Order => pack(WAIVE, 0, 0, power);

/**
 * Packs orders. `at` is where the ordered unit stands (game.unitLocation()), or for a build where it will stand. Nothing
 * is checked: isLegal() says whether a game allows an order.
 */
export const makeOrder = {
  /** Hold. */
  hold,
  /** Move over a border, to a coast where a fleet enters a province with coasts. */
  move,
  /** Move by convoy, written VIA. */
  moveVia,
  /** Support the unit in a province to hold. */
  supportHold,
  /** Support the move of the unit in the province `from`. The target may name a coast (DATC 4.B.4), or just a province. */
  supportMove,
  /** Convoy the army in the province `from`. */
  convoy,
  /** Retreat. */
  retreat,
  /** Disband a dislodged unit. */
  disband,
  /** Build an army. */
  buildArmy,
  /** Build a fleet, on a coast where the province has coasts. */
  buildFleet,
  /** Remove a unit in an adjustment phase. */
  remove,
  /** Waive one of the power's builds. */
  waive,
} as const;

/** Type of an order: one of OrderType. */
export const orderType = (order: Order): OrderType => (order & TYPE_MASK) as OrderType;
/** Where the ordered unit stands, or will stand once it is built. 0 for a waive. */
export const orderLocation = (order: Order): Location => (order >> LOCATION_SHIFT) & PLACE_MASK;
/**
 * Where an order acts: the location that a move or a retreat enters, the province that a supported move or a convoy
 * goes to (a coast if a support names one), the province of a unit that is supported to hold. 0 for other types.
 */
export const orderTarget = (order: Order): Location => (order >> TARGET_SHIFT) & PLACE_MASK;
/** Province of the unit that a support or convoy helps. 0 for other types; of a waive see waivingPower(). */
export const orderAux = (order: Order): Province => (order >> AUX_SHIFT) & PLACE_MASK;
/** 1 if a move is written VIA, that is by convoy; else 0. */
export const orderVia = (order: Order): number => (order >> 4) & 1;

/** orderTarget() of an order whose target is a province: a move VIA, a support to hold, a convoy. */
export const targetProvince = (order: Order): Province => (order >> TARGET_SHIFT) & PLACE_MASK;
/** The power that waives a build. */
export const waivingPower = (order: Order): Power => (order >> AUX_SHIFT) & PLACE_MASK;

/** Only aux and target, in their places: for hot code that puts an order together from a type and these. */
export const auxAndTarget = (aux: Province, target: Location): number => (aux << AUX_SHIFT) | (target << TARGET_SHIFT);

/** The same order with another target: folds a named coast away, or brings one in. */
export const withTarget = (order: Order, target: Location): Order =>
  (order & ~(PLACE_MASK << TARGET_SHIFT)) | (target << TARGET_SHIFT);
/** The same order for a unit elsewhere. What stands above an order's bits (sampling/sampler.ts) is gone. */
export const withLocation = (order: Order, at: Location): Order =>
  (order & ((1 << LOCATION_SHIFT) - 1)) | (at << LOCATION_SHIFT);
/** Masks of the places in an order: for hot code that takes apart what hot code put together. */
export const TARGET_BITS = PLACE_MASK << TARGET_SHIFT;
export const AUX_BITS = PLACE_MASK << AUX_SHIFT;
/** Only a location, in its place: of the unit, and as a target. */
export const locationBits = (at: Location): number => at << LOCATION_SHIFT;
export const targetBits = (to: Location): number => to << TARGET_SHIFT;
/** The same move without its VIA. */
export const withoutVia = (order: Order): Order => order & ~VIA_BIT;

/** True if the int32 is an order as the functions above pack it: no bit is set that its type has no use for. */
export const isWellFormed = (order: Order): boolean => {
  const at = orderLocation(order);
  const target = orderTarget(order);
  const aux = orderAux(order);
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
    case RETREAT_TO:
      return order === pack(RETREAT_TO, at, target, 0);
    case SUPPORT_HOLD:
      return order === pack(SUPPORT_HOLD, at, target, target);
    case SUPPORT_MOVE:
    case CONVOY:
      return order === pack(orderType(order), at, target, aux);
    case WAIVE:
      return order === pack(WAIVE, 0, 0, aux);
    default:
      return false;
  }
};
