// Packs and unpacks orders; no other module does. An order is one int32:
//
//   bit  30    29 28      21 20      13 12       5  4  3    0
//       [ leave ][ location ][ helped  ][  target  ][via][ type ]
//
// location   the location of the ordered unit (a coast for a fleet on one); for a build, of the new unit
// target     move, retreat: the location entered (a coast for a fleet); support to move, convoy: the province entered
//            (a coast, if a support names one: DATC 4.B.4); support to hold: the province of the supported unit
// helped     support, convoy: the province of the unit that is helped; waive: the power that waives
// via        move: by convoy
// leave      of the unit that controls a canal, with any order of a movement phase: 1 if it lets the fleet at the canal's
//            first end through, 2 the one at its second end; else 0 (map/compiled-map.ts)
//
// Sorting orders by value sorts them by location, then by the unit that they help, then by target.
import { scratch } from './scratch.js';
import type { Location, Power, Province } from './types.js';

/** An order of any phase, packed into an int32 (see above). */
export type Order = number & { readonly __kind?: 'order' };

/** No order at all. A unit with it holds, a dislodged one is disbanded. */
export const NONE = 0;
// In the types of a movement phase one bit says move, one support and one convoy, so that hot code tests a bit: see
// isMoveBit() and its neighbours below.
export const HOLD = 1;
export const MOVE = 2;
export const SUPPORT_HOLD = 4;
export const SUPPORT_MOVE = 5;
export const CONVOY = 8;
/** By railroad, on a map that has one: the target is the province where the ride shall end. It has the bit of a move. */
export const RAIL = 7;
// Types of the other phases take the remaining codes.
export const RETREAT_TO = 3;
export const DISBAND = 6;
export const BUILD_ARMY = 9;
export const BUILD_FLEET = 10;
export const REMOVE = 11;
export const WAIVE = 12;
/**
 * Types of orders: of a movement phase (HOLD to RAIL), of a retreat phase (RETREAT_TO, DISBAND) and of an adjustment
 * phase (BUILD_ARMY to WAIVE). NONE is no order.
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
/** Name of each type, by its code; '' where there is none. */
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

/** The same order without leave. */
export const withoutLeave = (order: Order): Order => order & ~(LEAVE_MASK << LEAVE_SHIFT);
/** The same order with leave for the fleet at this end of a canal, 1 or 2. */
export const withLeave = (order: Order, end: number): Order => withoutLeave(order) | (end << LEAVE_SHIFT);

/**
 * Packs orders. `at` is the location of the ordered unit (game.unitLocation()), or for a build of the new unit. Nothing
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
  /** Support the move of the unit in the province `from`. The target may be a province or name a coast (DATC 4.B.4). */
  supportMove,
  /** Convoy the army in the province `from`. */
  convoy,
  /** Move by railroad, on a map that has one. */
  rail,
  /**
   * The same order, of the unit that controls a canal, with leave for the fleet at the canal's first end (1) or second (2).
   */
  withLeave,
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
/** Location of the ordered unit, for a build of the new unit. 0 for a waive. */
export const orderLocation = (order: Order): Location => (order >> LOCATION_SHIFT) & PLACE_MASK;
/**
 * Where an order acts: the location that a move or a retreat enters, the province that a supported move or a convoy
 * goes to (a coast if a support names one), the province of a unit that is supported to hold. 0 for other types.
 */
export const orderTarget = (order: Order): Location => (order >> TARGET_SHIFT) & PLACE_MASK;
/** Province of the unit that a support or convoy helps. 0 for other types; for a waive see waivingPower(). */
export const orderHelped = (order: Order): Province => (order >> HELPED_SHIFT) & PLACE_MASK;
/** 1 if a move is written VIA, that is by convoy; else 0. */
export const orderVia = (order: Order): number => (order >> VIA_SHIFT) & 1;

/** Type and VIA in one small number, the type of a move VIA beside withVia(0): an index of tables. */
export const orderKind = (order: Order): number => order & KIND_MASK;

/** The end of a canal, 1 or 2, whose fleet an order lets through; 0 for none. */
export const orderLeave = (order: Order): number => (order >> LEAVE_SHIFT) & LEAVE_MASK;

/** 1 for a move of a movement phase, else 0: for hot code that may not branch. Not for orders of other phases. */
export const isMoveBit = (order: Order): number => (order >> MOVE_BIT) & 1;
/** 1 for a support to hold or to move, else 0. Not for orders of other phases. */
export const isSupportBit = (order: Order): number => (order >> SUPPORT_BIT) & 1;
/** 1 for a convoy, else 0. Not for orders of other phases. */
export const isConvoyBit = (order: Order): number => (order >> CONVOY_BIT) & 1;
/** Of a support: 1 for one to move, 0 for one to hold. */
export const supportsMoveBit = (order: Order): number => (order >> TO_MOVE_BIT) & 1;

/** Whether an order helps a unit: a support or a convoy. */
export const isHelp = (order: Order): boolean => {
  const type = orderType(order);
  return type === SUPPORT_HOLD || type === SUPPORT_MOVE || type === CONVOY;
};
/** Whether an order acts at an orderTarget(): help, and moves and retreats of a unit. */
export const hasTarget = (order: Order): boolean => {
  const type = orderType(order);
  return isHelp(order) || type === MOVE || type === RAIL || type === RETREAT_TO;
};

/** orderTarget() of an order whose target is a province: a move VIA, a support to hold, a convoy. */
export const targetProvince = (order: Order): Province => (order >> TARGET_SHIFT) & PLACE_MASK;
/** The power that waives a build. */
export const waivingPower = (order: Order): Power => (order >> HELPED_SHIFT) & PLACE_MASK;

/** Helped province and target alone, in their places: for hot code that adds a type to them. */
export const helpedAndTarget = (helped: Province, target: Location): number =>
  (helped << HELPED_SHIFT) | (target << TARGET_SHIFT);

/** The same order with another target: removes or adds a named coast. */
export const withTarget = (order: Order, target: Location): Order =>
  (order & ~(PLACE_MASK << TARGET_SHIFT)) | (target << TARGET_SHIFT);
/** The same order for a unit elsewhere. */
export const withLocation = (order: Order, at: Location): Order =>
  (order & ((1 << LOCATION_SHIFT) - 1)) | (at << LOCATION_SHIFT);
/** The same move without its VIA. */
export const withoutVia = (order: Order): Order => order & ~VIA_BIT;
/** The same order with the bit of VIA: for hot code that marks an order of its own with it. */
export const withVia = (order: Order): Order => order | VIA_BIT;
/**
 * The support, without its supporter, of the unit in `helped` to go to `target`: a support to hold if the unit is there.
 * No branch.
 */
export const supportInto = (helped: Province, target: Province): Order =>
  SUPPORT_HOLD | ((-(helped ^ target) >>> 31) << TO_MOVE_BIT) | helpedAndTarget(helped, target);

// ---- orders on the board ----
//
// The board (adjudicate/movement/board.ts) knows the unit's province, and no coasts: the target of its orders is a province. The bits
// of the location, and those above, hold the *next key*: the key (map/compiled-map.ts), plus 1, of the unit after the
// order has succeeded. Only sampled orders have one.

const NEXT_KEY_SHIFT = LOCATION_SHIFT;

/** Only a next key, in its place. */
export const nextKeyBits = (next: number): number => next << NEXT_KEY_SHIFT;
export const withNextKey = (order: number, next: number): number =>
  (order & ((1 << NEXT_KEY_SHIFT) - 1)) | (next << NEXT_KEY_SHIFT);
export const orderNextKey = (order: number): number => order >>> NEXT_KEY_SHIFT;

// By orderKind(): the bits that an order has on the board and off it, and those of a target with its coast.
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
 * An order of the board as everybody else has it. No branch.
 * @param at location of its unit
 * @param to if it is a move: the location entered; of other orders it is ignored
 */
export const fromBoard = (order: number, at: Location, to: Location): Order => {
  const kind = order & KIND_MASK;
  return (order & SAME_BITS[kind]) | ((to << TARGET_SHIFT) & COAST_BITS[kind]) | (at << LOCATION_SHIFT);
};

/**
 * True if an int32 is an order without leave as the functions above pack it: it sets no bit that its type does not use.
 */
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
