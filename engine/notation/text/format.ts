// Writes units, orders and phases as canonical text, in the notation of the package `diplomacy`.
import { type CompiledMap, dislodgedIn, type Game, perMap, type Results } from '../../internal.js';
import { LepantoError } from '../../rules/error.js';
import * as O from '../../rules/order.js';
import * as T from '../../rules/types.js';
import type { OrderKind } from './parse.js';

/** The units that orders refer to, by province. A game serves as one in a movement or adjustment phase. */
export interface Units {
  /** Unit as in engine/rules/types.ts; 0 if there is none. */
  unitAt(province: T.Province): number;
  unitLocation(province: T.Province): T.Location;
}

/** The units that can be ordered in a game: in a retreat phase the dislodged ones. */
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

/** The units before the phase of these results. */
export const unitsOf = (results: Results): Units => ({
  unitAt: (province) => results.unit[province],
  unitLocation: (province) => O.orderLocation(results.order[province]),
});

/** Names of all armies of a map by location, then of all fleets. Made once, because every order that is read needs one. */
const namesOfUnits = perMap(({ locationTags }): readonly string[] =>
  ['A', 'F'].flatMap((letter) => Array.from(locationTags, (tag) => `${letter} ${tag}`)),
);

/** 'A BUD', 'F STP/SC'. */
export const formatUnit = (map: CompiledMap, unit: number, location: T.Location): string =>
  namesOfUnits(map)[T.unitType(unit) === T.FLEET ? map.locationCount + location : location];

const unitIn = (map: CompiledMap, units: Units, province: T.Province): string =>
  formatUnit(map, units.unitAt(province), units.unitLocation(province));

/**
 * An order as canonical text: 'A WAL S F MAO - IRI', 'A IRI - MAO VIA', 'F STP/NC B', 'WAIVE'; on maps with a railroad or
 * a canal also 'A MOS - TSR - VLA', 'A EGY H PERMITS F MED - RED'.
 * @param order a legal order of a unit among `units`, or a build or waive; not NONE
 * @param units source of the letters: orderedUnits() of the game, or unitsOf() the results
 */
export const formatOrder = (map: CompiledMap, order: O.Order, units: Units): string =>
  O.orderLeave(order) === 0
    ? formatBare(map, order, units)
    : `${formatBare(map, O.withoutLeave(order), units)} PERMITS ${formatPassage(map, O.orderLeave(order))}`;

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
 * An order of the game's current phase as an object.
 * @param order one that isLegal() allows, not NONE
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

/** 'F MED - RED': the move through a canal from its first end (1) or its second. */
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
 * An order of the game's current phase as canonical text, in the notation of the package `diplomacy`:
 * 'A WAL S F MAO - IRI', 'A IRI - MAO VIA', 'F STP/NC B', 'WAIVE'.
 * @param order one that isLegal() allows, not NONE
 */
export const orderText = (game: Game, order: O.Order): string => formatOrder(game.map, order, orderedUnits(game));
