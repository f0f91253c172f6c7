// Writes units, orders and phases as canonical text, in the notation of the package `diplomacy`.
import {
  BUILD_ARMY,
  BUILD_FLEET,
  CONVOY,
  type CompiledMap,
  DISBAND,
  dislodgedIn,
  FLEET,
  type Game,
  HOLD,
  type Location,
  MOVE,
  type Order,
  orderHelped,
  orderLeave,
  orderLocation,
  orderTarget,
  orderType,
  orderVia,
  type Province,
  RAIL,
  REMOVE,
  RETREAT,
  RETREAT_TO,
  type Results,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
  unitType,
  WAIVE,
  withoutLeave,
} from '../../../engine/internal.js';
import { LepantoError } from '../../../engine/rules/error.js';
import type { OrderKind } from './parse.js';

/** The units that orders refer to, by province. A game serves as one in a movement or adjustment phase. */
export interface Units {
  /** Unit as in engine/rules/types.ts; 0 if there is none. */
  unitAt(province: Province): number;
  unitLocation(province: Province): Location;
}

/** The units that can be ordered in a game: in a retreat phase the dislodged ones. */
export const orderedUnits = (game: Game): Units =>
  game.phase !== RETREAT
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

/** The units before the phase of these results. */
export const unitsOf = (results: Results): Units => ({
  unitAt: (province) => results.unit[province],
  unitLocation: (province) => orderLocation(results.order[province]),
});

/** Names of all armies of a map by location, then of all fleets: they are asked for with every order that is read. */
const unitNames = new WeakMap<CompiledMap, readonly string[]>();

const namesOfUnits = (map: CompiledMap): readonly string[] => {
  const made = ['A', 'F'].flatMap((letter) => Array.from(map.locationTags, (tag) => `${letter} ${tag}`));
  unitNames.set(map, made);
  return made;
};

/** 'A BUD', 'F STP/SC'. */
export const formatUnit = (map: CompiledMap, unit: number, location: Location): string =>
  (unitNames.get(map) ?? namesOfUnits(map))[unitType(unit) === FLEET ? map.locationCount + location : location];

const unitIn = (map: CompiledMap, units: Units, province: Province): string =>
  formatUnit(map, units.unitAt(province), units.unitLocation(province));

/**
 * An order as canonical text: 'A WAL S F MAO - IRI', 'A IRI - MAO VIA', 'F STP/NC B', 'WAIVE'; on maps with a railroad or
 * a canal also 'A MOS - TSR - VLA', 'A EGY H PERMITS F MED - RED'.
 * @param order a legal order of a unit among `units`, or a build or waive; not NONE
 * @param units source of the letters: orderedUnits() of the game, or unitsOf() the results
 */
export const formatOrder = (map: CompiledMap, order: Order, units: Units): string =>
  orderLeave(order) === 0
    ? formatBare(map, order, units)
    : `${formatBare(map, withoutLeave(order), units)} PERMITS ${formatPassage(map, orderLeave(order))}`;

/** An order as an object; orderText() is the same as text. */
export interface OrderFields {
  /** What is ordered. A removal is a `disband`. */
  readonly kind: OrderKind;
  /** The ordered unit, or the one that is built: 'F STP/SC'; null for a waived build. */
  readonly unit: string | null;
  /** Of a move, a retreat, a convoy and the support of a move: where to, 'BUL/EC'. */
  readonly target: string | null;
  /** Of a support and a convoy: the other unit, 'A PAR'. */
  readonly helped: string | null;
  /** Of a move: by convoy. */
  readonly via: boolean;
}

const kinds: ReadonlyMap<number, OrderKind> = new Map<number, OrderKind>([
  [HOLD, 'hold'],
  [MOVE, 'move'],
  [RAIL, 'move'],
  [SUPPORT_HOLD, 'support'],
  [SUPPORT_MOVE, 'support'],
  [CONVOY, 'convoy'],
  [RETREAT_TO, 'retreat'],
  [DISBAND, 'disband'],
  [REMOVE, 'disband'],
  [BUILD_ARMY, 'build'],
  [BUILD_FLEET, 'build'],
  [WAIVE, 'waive'],
]);
const targeted: ReadonlySet<number> = new Set([MOVE, RAIL, SUPPORT_MOVE, CONVOY, RETREAT_TO]);
const helping: ReadonlySet<number> = new Set([SUPPORT_HOLD, SUPPORT_MOVE, CONVOY]);

/**
 * An order of the game's current phase as an object.
 * @param order one that isLegal() allows, not NONE
 */
export const orderFields = (game: Game, order: Order): OrderFields => {
  const { map } = game;
  const units = orderedUnits(game);
  const type = orderType(order);
  const at = orderLocation(order);
  const unit = (): string => {
    if (type === BUILD_ARMY) return `A ${map.locationTags[at]}`;
    return type === BUILD_FLEET ? `F ${map.locationTags[at]}` : unitIn(map, units, map.locationProvince[at]);
  };
  return {
    kind: kinds.get(type) ?? refuseType(type),
    unit: type === WAIVE ? null : unit(),
    target: targeted.has(type) ? map.locationTags[orderTarget(order)] : null,
    helped: helping.has(type) ? unitIn(map, units, orderHelped(order)) : null,
    via: type === MOVE && orderVia(order) === 1,
  };
};

const refuseType = (type: number): never => {
  throw new LepantoError('argument', `order: got type ${type}, wanted one of the twelve`);
};

/** 'F MED - RED': the move through a canal from its first end (1) or its second. */
const formatPassage = ({ special, provinceTags }: CompiledMap, end: number): string => {
  const [a = 0, b = 0] = special?.canal ?? [];
  return end === 1 ? `F ${provinceTags[a]} - ${provinceTags[b]}` : `F ${provinceTags[b]} - ${provinceTags[a]}`;
};

const formatBare = (map: CompiledMap, order: Order, units: Units): string => {
  const tag = map.locationTags;
  const at = orderLocation(order);
  const unit = (): string => formatUnit(map, units.unitAt(map.locationProvince[at]), at);
  const helped = (): string => unitIn(map, units, orderHelped(order));
  const target = tag[orderTarget(order)];
  switch (orderType(order)) {
    case HOLD:
      return `${unit()} H`;
    case MOVE:
      return `${unit()} - ${target}${orderVia(order) === 1 ? ' VIA' : ''}`;
    case RAIL:
      return `${unit()} - TSR - ${target}`;
    case SUPPORT_HOLD:
      return `${unit()} S ${helped()}`;
    case SUPPORT_MOVE:
      return `${unit()} S ${helped()} - ${target}`;
    case CONVOY:
      return `${unit()} C ${helped()} - ${target}`;
    case RETREAT_TO:
      return `${unit()} R ${target}`;
    case DISBAND:
    case REMOVE:
      return `${unit()} D`;
    case BUILD_ARMY:
      return `A ${tag[at]} B`;
    case BUILD_FLEET:
      return `F ${tag[at]} B`;
    case WAIVE:
      return 'WAIVE';
    default:
      return refuseType(orderType(order));
  }
};

/**
 * An order of the game's current phase as canonical text, in the notation of the package `diplomacy`:
 * 'A WAL S F MAO - IRI', 'A IRI - MAO VIA', 'F STP/NC B', 'WAIVE'.
 * @param order one that isLegal() allows, not NONE
 */
export const orderText = (game: Game, order: Order): string => formatOrder(game.map, order, orderedUnits(game));
