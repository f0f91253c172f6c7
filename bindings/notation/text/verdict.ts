// The verdict on one order of a position, and what all kinds of orders need to make it: the unit and its owner, and the
// coast that a place means.
import {
  type CompiledMap,
  type Game,
  type Location,
  NO_UNIT,
  NONE,
  type Order,
  type Power,
  type Province,
  phases,
  unitPower,
  unitType,
} from '../../../engine/internal.js';
import { formatUnit } from './format.js';
import { listLocations } from './names.js';
import type { NamedUnit, OrderKind, Place } from './parse.js';
import type { Reading } from './reading-options.js';

/** Where each dislodged unit may retreat to, by its province. */
export type Retreats = ReadonlyMap<Province, readonly Location[]>;

/** A position as it was given. */
export interface Position {
  /** The position itself. */
  readonly game: Game;
  /** Legal retreats by province of the dislodged unit; empty outside a retreat phase. */
  readonly retreats: Retreats;
  /** Builds (> 0) or removals (< 0) by power; zeros outside an adjustment phase. */
  readonly due: Int32Array;
}

/** The order as it will be played, or why it does not count. */
export interface Interpreted {
  /** NONE if it does not count. */
  readonly order: Order;
  /** If an illegal move is no hold (4.E.1): the move that the unit is taken to attempt. It counts as the unit's order. */
  readonly effect?: Order;
  /** Why it does not count; null if it does. */
  readonly reason: string | null;
  /** The unit that it refers to, with its actual letter and coast: 'F SPA/SC'. Null if there is none. */
  readonly unit: string | null;
  /** Province of that unit if the power may order it now, else -1. */
  readonly own: number;
  /** True if no order of this phase looks like this. */
  readonly misplaced: boolean;
  /** What does not count of an order that does. */
  readonly note?: string;
  /** True of an order for no unit of the power, or of one more than are due. */
  readonly extra?: boolean;
}

/**
 * Thrown and caught here for an order that cannot be obeyed. Not an Error: a stack trace would cost more than the rest.
 */
class Refusal {
  constructor(
    readonly reason: string,
    /** True for an order that the power was not asked for. */
    readonly extra: boolean,
  ) {}
}

export const refuse = (reason: string): never => {
  throw new Refusal(reason, false);
};

export const refuseExtra = (reason: string): never => {
  throw new Refusal(reason, true);
};

/** The unit that an order is for. */
export interface Subject {
  readonly unit: string | null;
  readonly own: number;
}

// Written out because spreading the object would cost as much as reading the order.
export const judge = ({ unit, own }: Subject, read: () => Order): Interpreted => {
  try {
    return { order: read(), reason: null, unit, own, misplaced: false };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { order: NONE, reason: error.reason, unit, own, misplaced: false, extra: error.extra };
  }
};

export const KIND_WORDS: Readonly<Record<OrderKind, string>> = {
  hold: 'a hold',
  move: 'a move',
  support: 'a support',
  convoy: 'a convoy',
  retreat: 'a retreat',
  disband: 'a disband',
  build: 'a build',
  waive: 'a waived build',
};

export const misplaced = (game: Game, subject: Subject, kind: OrderKind, wanted: string): Interpreted => {
  const phase = phases[game.phase];
  const article = /^[aeiou]/.test(phase) ? 'an' : 'a';
  const reason = `got ${KIND_WORDS[kind]}, wanted ${wanted} in ${article} ${phase} phase`;
  return { ...subject, order: NONE, reason, misplaced: true };
};

// ---- units ----

export const standing = (game: Game, province: Province): string | null =>
  game.unitAt(province) === NO_UNIT ? null : formatUnit(game.map, game.unitAt(province), game.unitLocation(province));

/** The unit in a province, from the viewpoint of a power. */
export const standingFor = (game: Game, power: Power, province: Province): Subject => {
  const unit = game.unitAt(province);
  return { unit: standing(game, province), own: unit !== NO_UNIT && unitPower(unit) === power ? province : -1 };
};

export const checkOwn = (game: Game, subject: Subject, province: Province): void => {
  const { map } = game;
  if (subject.unit === null) refuseExtra(`no unit in ${map.provinceTags[province]}`);
  if (subject.own < 0) refuseExtra(`${subject.unit} belongs to ${map.powerNames[unitPower(game.unitAt(province))]}`);
};

/** Locations in a province that the unit of a key reaches without a convoy. */
export const reachedIn = (map: CompiledMap, key: number, province: Province): Location[] => {
  const found: Location[] = [];
  for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
    if (map.locationProvince[map.moveTargets[i]] === province) found.push(map.moveTargets[i]);
  return found;
};

export const asWanted = (map: CompiledMap, place: Place, possible: readonly Location[]): never => {
  const got = place.coast >= 0 ? map.locationTags[place.coast] : map.provinceTags[place.province];
  const choice = place.coast < 0 && possible.length > 1 ? 'one of ' : '';
  return refuse(`got ${got}, wanted ${choice}${listLocations(map, possible)}`);
};

/** The default coast if none is named, under rules that have one. */
export const defaultCoast = (
  map: CompiledMap,
  province: Province,
  possible: readonly Location[],
): Location | undefined => possible.find((location) => location === map.firstCoast[province]);

/** The location that a place means for a fleet, among those that it can reach (DATC 4.B.1 to 4.B.3). */
export const chooseCoast = (
  { map }: Game,
  { impossibleCoast, missingCoast, onlyCoast }: Reading,
  place: Place,
  possible: readonly Location[],
): Location => {
  if (possible.includes(place.coast)) return place.coast;
  if (place.coast >= 0 && impossibleCoast === 'fails') asWanted(map, place, possible);
  if (map.coastCount[place.province] === 0) return possible[0];
  const rule = possible.length > 1 ? missingCoast : onlyCoast;
  if (rule === 'taken' || (place.coast >= 0 && possible.length === 1)) return possible[0];
  const chosen = rule === 'default' ? defaultCoast(map, place.province, possible) : undefined;
  return chosen ?? asWanted(map, place, possible);
};

/** Checks the coast (4.B.5) and the letter (4.C.1, 4.C.2) named with a unit. */
export const checkNamed = (game: Game, reading: Reading, named: NamedUnit | null, acting: boolean): void => {
  if (named === null || game.unitAt(named.province) === NO_UNIT) return;
  const { map } = game;
  const { province, coast, type } = named;
  const at = game.unitLocation(province);
  const tag = map.provinceTags[province];
  if (coast >= 0 && coast !== at && reading.wrongOwnCoast === 'fails')
    refuse(`got ${map.locationTags[coast]}, wanted ${map.locationTags[at]}`);
  if (type === null && acting && reading.missingType === 'invalid') refuse(`got ${tag} without a letter`);
  if (type !== null && type !== unitType(game.unitAt(province)) && reading.wrongType === 'invalid')
    refuse(`got the wrong letter for the unit in ${tag}`);
};
