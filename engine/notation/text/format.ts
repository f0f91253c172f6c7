// Formats units and orders as canonical text, in the notation of the Python package `diplomacy`.
import { type CompiledMap, dislodgedIn, type Game, perMap, type Results } from '../../internal.js';
import { LepantoError } from '../../rules/error.js';
import * as O from '../../rules/order.js';
import * as T from '../../rules/types.js';
import type { OrderKind } from './parse.js';

/** Lookup of units by province, to format orders. A Game is one in a movement or adjustment phase. */
export interface Units {
  /** Returns the packed unit in a province (engine/rules/types.ts), or 0 if there is none. */
  unitAt(province: T.Province): number;
  /** Returns the location of the unit in a province, which includes its coast. */
  unitLocation(province: T.Province): T.Location;
}

/** Returns the units that can be ordered: the dislodged units in a retreat phase, the units on the board otherwise. */
export const orderedUnits = (game: Game): Units =>
  game.phase !== T.RETREAT
    ? game
    : {
        unitAt: (province) => {
          const index = dislodgedIn(game, province);
          return index < 0 ? 0 : game.dislodged(index).unit;
        },
        unitLocation: (province) => {
          const index = dislodgedIn(game, province);
          return index < 0 ? province : game.dislodged(index).location;
        },
      };

/** Returns the units as they stood before a phase. @param results results of the phase */
export const unitsOf = (results: Results): Units => ({
  unitAt: (province) => results.unit[province],
  unitLocation: (province) => O.orderLocation(results.order[province]),
});

/**
 * Names of all possible units, indexed by location for armies and by locationCount + location for fleets. Cached,
 * because reading any order needs one.
 */
const namesOfUnits = perMap(({ locationTags }): readonly string[] =>
  ['A', 'F'].flatMap((letter) => Array.from(locationTags, (tag) => `${letter} ${tag}`)),
);

/** Formats a packed unit (rules/types.ts) at a location: 'A BUD', 'F STP/SC'. */
export const formatUnit = (map: CompiledMap, unit: number, location: T.Location): string =>
  namesOfUnits(map)[T.unitType(unit) === T.FLEET ? map.locationCount + location : location];

const unitIn = (map: CompiledMap, units: Units, province: T.Province): string =>
  formatUnit(map, units.unitAt(province), units.unitLocation(province));

/**
 * Formats an order as canonical text: 'A WAL S F MAO - IRI', 'A IRI - MAO VIA', 'F STP/NC B', 'WAIVE'. Maps with a
 * railroad or a canal add 'A MOS - TSR - VLA' and 'A EGY H PERMITS F MED - RED'.
 * @param order a legal order of one of `units`, a build or a waive
 * @param units source of unit types: orderedUnits(game) before the phase, or unitsOf(results) after it
 * @throws LepantoError for NONE
 */
export const formatOrder = (map: CompiledMap, order: O.Order, units: Units): string =>
  O.orderLeave(order) === 0
    ? formatBare(map, order, units)
    : `${formatBare(map, O.withoutLeave(order), units)} PERMITS ${formatPassage(map, O.orderLeave(order))}`;

/** The parts of an order. orderText() returns the same order as text. */
export interface OrderFields {
  /** Kind of the order. A removal is a `disband`. */
  readonly kind: OrderKind;
  /** The ordered unit, or the unit to build: 'F STP/SC'. Null for a waived build. */
  readonly unit: string | null;
  /** Destination of a move, retreat, convoy or supported move: 'BUL/EC'. Null for other orders. */
  readonly target: string | null;
  /** The supported or convoyed unit: 'A PAR'. Null for other orders. */
  readonly helped: string | null;
  /** True for a move by convoy. */
  readonly via: boolean;
}

const kinds: ReadonlyMap<number, OrderKind> = new Map<number, OrderKind>([
  [O.HOLD, 'hold'],
  [O.MOVE, 'move'],
  [O.RAIL, 'move'],
  [O.SUPPORT_HOLD, 'support'],
  [O.SUPPORT_MOVE, 'support'],
  [O.CONVOY, 'convoy'],
  [O.RETREAT_TO, 'retreat'],
  [O.DISBAND, 'disband'],
  [O.REMOVE, 'disband'],
  [O.BUILD_ARMY, 'build'],
  [O.BUILD_FLEET, 'build'],
  [O.WAIVE, 'waive'],
]);

/**
 * Returns the parts of an order of the game's current phase.
 * @param order a legal order (see isLegal())
 * @throws LepantoError for NONE
 */
export const orderFields = (game: Game, order: O.Order): OrderFields => {
  const { map } = game;
  const units = orderedUnits(game);
  const type = O.orderType(order);
  const at = O.orderLocation(order);
  const unit = (): string => {
    if (type === O.BUILD_ARMY) return `A ${map.locationTags[at]}`;
    return type === O.BUILD_FLEET ? `F ${map.locationTags[at]}` : unitIn(map, units, map.locationProvince[at]);
  };
  return {
    kind: kinds.get(type) ?? refuseType(type),
    unit: type === O.WAIVE ? null : unit(),
    target: O.hasTarget(order) && type !== O.SUPPORT_HOLD ? map.locationTags[O.orderTarget(order)] : null,
    helped: O.isHelp(order) ? unitIn(map, units, O.orderHelped(order)) : null,
    via: type === O.MOVE && O.orderVia(order) === 1,
  };
};

const refuseType = (type: number): never => {
  throw new LepantoError('argument', `order: got type ${type}, wanted one of the twelve`);
};

/** Formats the move through a canal, 'F MED - RED'. @param end end that the fleet starts from: 1 or 2 */
const formatPassage = ({ special, provinceTags }: CompiledMap, end: number): string => {
  const [a = 0, b = 0] = special?.canal ?? [];
  return end === 1 ? `F ${provinceTags[a]} - ${provinceTags[b]}` : `F ${provinceTags[b]} - ${provinceTags[a]}`;
};

const formatBare = (map: CompiledMap, order: O.Order, units: Units): string => {
  const tag = map.locationTags;
  const at = O.orderLocation(order);
  const unit = (): string => formatUnit(map, units.unitAt(map.locationProvince[at]), at);
  const helped = (): string => unitIn(map, units, O.orderHelped(order));
  const target = tag[O.orderTarget(order)];
  switch (O.orderType(order)) {
    case O.HOLD:
      return `${unit()} H`;
    case O.MOVE:
      return `${unit()} - ${target}${O.orderVia(order) === 1 ? ' VIA' : ''}`;
    case O.RAIL:
      return `${unit()} - TSR - ${target}`;
    case O.SUPPORT_HOLD:
      return `${unit()} S ${helped()}`;
    case O.SUPPORT_MOVE:
      return `${unit()} S ${helped()} - ${target}`;
    case O.CONVOY:
      return `${unit()} C ${helped()} - ${target}`;
    case O.RETREAT_TO:
      return `${unit()} R ${target}`;
    case O.DISBAND:
    case O.REMOVE:
      return `${unit()} D`;
    case O.BUILD_ARMY:
      return `A ${tag[at]} B`;
    case O.BUILD_FLEET:
      return `F ${tag[at]} B`;
    case O.WAIVE:
      return 'WAIVE';
    default:
      return refuseType(O.orderType(order));
  }
};

/**
 * Formats an order of the game's current phase as canonical text, in the notation of the Python package `diplomacy`: 'A
 * WAL S F MAO - IRI', 'A IRI - MAO VIA', 'F STP/NC B', 'WAIVE'.
 * @param order a legal order (see isLegal())
 * @throws LepantoError for NONE
 */
export const orderText = (game: Game, order: O.Order): string => formatOrder(game.map, order, orderedUnits(game));
