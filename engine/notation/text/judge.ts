// Checks one parsed order against a position. Returns the packed order, or the reason why the unit cannot obey it.
import {
  berthsIn,
  type CompiledMap,
  dislodgedIn,
  fallsBackToLand,
  type Game,
  isCanal,
  isFrozen,
  isLegal,
  type SpecialTables,
  testBit,
  unitKey,
} from '../../internal.js';
import * as O from '../../rules/order.js';
import * as T from '../../rules/types.js';
import { formatUnit } from './format.js';
import { isSea, listLocations, type NamedUnit, type OrderKind, type Place, type RawOrder } from './parse.js';
import type { Reading } from './reading-options.js';

/** Legal retreats of each dislodged unit, keyed by the unit's province. */
export type Retreats = ReadonlyMap<T.Province, readonly T.Location[]>;

/** A position to give orders in: a game with its legal retreats and the builds or removals due. */
export interface Position {
  /** Board, phase and owners of centres. */
  readonly game: Game;
  /** Legal retreats of each dislodged unit, keyed by its province. Empty outside a retreat phase. */
  readonly retreats: Retreats;
  /** Number of builds (> 0) or removals (< 0) due, indexed by power. All 0 outside an adjustment phase. */
  readonly due: Int32Array;
}

/** The interpretation of one order: the packed order, or the reason why it is refused. */
export interface Interpreted {
  /** The packed order. NONE if it is refused. */
  readonly order: O.Order;
  /**
   * The attempted move of a refused order, if `reading` treats an illegal move as an attempt and not a hold (DATC
   * 4.E.1).
   */
  readonly effect?: O.Order;
  /** Reason why the order is refused. Null if it is valid. */
  readonly reason: string | null;
  /** The ordered unit with its actual type and coast: 'F SPA/SC'. Null if there is no such unit. */
  readonly unit: string | null;
  /** Province of the unit if the power may order it in this phase, -1 otherwise. */
  readonly own: number;
  /** True if the order cannot be read, or is of a kind that does not exist in this phase. */
  readonly misplaced: boolean;
  /** Reason why a part of a valid order is ignored. */
  readonly note?: string;
  /** True for an order without a unit of the power, or beyond the builds or removals due. */
  readonly extra?: boolean;
}

/**
 * Thrown for an order that cannot be obeyed, and caught by judge(). Not an Error, because a stack trace would take
 * longer than reading the order.
 */
class Refusal {
  constructor(
    readonly reason: string,
    /** True for an order that the power was not asked to give. */
    readonly extra: boolean,
  ) {}
}

const refuse = (reason: string): never => {
  throw new Refusal(reason, false);
};

const refuseExtra = (reason: string): never => {
  throw new Refusal(reason, true);
};

/**
 * The ordered unit: its name, or null if there is no unit, and its province if the power may order it, otherwise -1.
 */
interface Subject {
  readonly unit: string | null;
  readonly own: number;
}

// The fields are listed one by one because object spread would take as long as reading the order.
const judge = ({ unit, own }: Subject, read: () => O.Order): Interpreted => {
  try {
    return { order: read(), reason: null, unit, own, misplaced: false };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { order: O.NONE, reason: error.reason, unit, own, misplaced: false, extra: error.extra };
  }
};

const KIND_WORDS: Readonly<Record<OrderKind, string>> = {
  hold: 'a hold',
  move: 'a move',
  support: 'a support',
  convoy: 'a convoy',
  retreat: 'a retreat',
  disband: 'a disband',
  build: 'a build',
  waive: 'a waived build',
};

const misplaced = (game: Game, subject: Subject, kind: OrderKind, wanted: string): Interpreted => {
  const phase = T.phases[game.phase];
  const article = /^[aeiou]/.test(phase) ? 'an' : 'a';
  const reason = `got ${KIND_WORDS[kind]}, wanted ${wanted} in ${article} ${phase} phase`;
  return { ...subject, order: O.NONE, reason, misplaced: true };
};

// ---- units ----

const standing = (game: Game, province: T.Province): string | null =>
  game.unitAt(province) === T.NO_UNIT ? null : formatUnit(game.map, game.unitAt(province), game.unitLocation(province));

/** Returns the unit in a province. `own` is -1 unless the unit belongs to the power. */
const standingFor = (game: Game, power: T.Power, province: T.Province): Subject => {
  const unit = game.unitAt(province);
  return { unit: standing(game, province), own: unit !== T.NO_UNIT && T.unitPower(unit) === power ? province : -1 };
};

const checkOwn = (game: Game, subject: Subject, province: T.Province): void => {
  const { map } = game;
  if (subject.unit === null) refuseExtra(`no unit in ${map.provinceTags[province]}`);
  if (subject.own < 0) refuseExtra(`${subject.unit} belongs to ${map.powerNames[T.unitPower(game.unitAt(province))]}`);
};

/** Returns the locations of a province that a unit can reach without a convoy. @param key unitKey() of the unit */
const reachedIn = (map: CompiledMap, key: number, province: T.Province): T.Location[] => {
  const found: T.Location[] = [];
  for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
    if (map.locationProvince[map.moveTargets[i]] === province) found.push(map.moveTargets[i]);
  return found;
};

const asWanted = (map: CompiledMap, place: Place, possible: readonly T.Location[]): never => {
  const got = place.coast >= 0 ? map.locationTags[place.coast] : map.provinceTags[place.province];
  const choice = place.coast < 0 && possible.length > 1 ? 'one of ' : '';
  return refuse(`got ${got}, wanted ${choice}${listLocations(map, possible)}`);
};

/** Returns the default coast of a province if it is one of the possible locations, otherwise undefined. */
const defaultCoast = (
  map: CompiledMap,
  province: T.Province,
  possible: readonly T.Location[],
): T.Location | undefined => possible.find((location) => location === map.firstCoast[province]);

/**
 * Chooses the location that a fleet moves to (DATC 4.B.1 to 4.B.3).
 * @param place destination as named in the order
 * @param possible reachable locations of the province
 * @throws Refusal if the rules accept none of them
 */
const chooseCoast = (
  { map }: Game,
  { impossibleCoast, missingCoast, onlyCoast }: Reading,
  place: Place,
  possible: readonly T.Location[],
): T.Location => {
  if (possible.includes(place.coast)) return place.coast;
  if (place.coast >= 0 && impossibleCoast === 'fails') asWanted(map, place, possible);
  if (map.coastCount[place.province] === 0) return possible[0];
  const rule = possible.length > 1 ? missingCoast : onlyCoast;
  if (rule === 'taken' || (place.coast >= 0 && possible.length === 1)) return possible[0];
  const chosen = rule === 'default' ? defaultCoast(map, place.province, possible) : undefined;
  return chosen ?? asWanted(map, place, possible);
};

/**
 * Throws a Refusal if an order names a unit with a wrong coast (DATC 4.B.5) or type (DATC 4.C.1, 4.C.2) and the rules
 * do not accept that.
 * @param acting true for the ordered unit, false for a supported or convoyed unit
 */
const checkNamed = (game: Game, reading: Reading, named: NamedUnit | null, acting: boolean): void => {
  if (named === null || game.unitAt(named.province) === T.NO_UNIT) return;
  const { map } = game;
  const { province, coast, type } = named;
  const at = game.unitLocation(province);
  const tag = map.provinceTags[province];
  if (coast >= 0 && coast !== at && reading.wrongOwnCoast === 'fails')
    refuse(`got ${map.locationTags[coast]}, wanted ${map.locationTags[at]}`);
  if (type === null && acting && reading.missingType === 'invalid')
    refuse(`got ${tag} without a letter, wanted A or F`);
  if (type !== null && type !== T.unitType(game.unitAt(province)) && reading.wrongType === 'invalid')
    refuse(`got ${type === T.ARMY ? 'A' : 'F'} ${tag}, wanted ${type === T.ARMY ? 'F' : 'A'} ${tag}`);
};

// ---- movement ----

const canEnter = (map: CompiledMap, type: number, province: T.Province): boolean =>
  map.kind[province] !== (type === T.FLEET ? T.LAND : T.SEA);

const whyNoBorder = (map: CompiledMap, name: string | null, at: T.Province, to: T.Province): string => {
  const ends = map.rows.canal?.ends.split(' ') ?? [];
  const isCanal = [at, to].every((p) => ends.includes(map.provinceTags[p]));
  return isCanal ? 'the canal is not in use' : `${name} does not border ${map.provinceTags[to]}`;
};

const readFleetMove = (game: Game, reading: Reading, at: T.Province, raw: RawOrder, target: Place): O.Order => {
  const { map } = game;
  if (raw.via || raw.path) refuse('got a fleet to be convoyed, wanted an army');
  if (!canEnter(map, T.FLEET, target.province)) refuse(`a fleet cannot enter ${map.provinceTags[target.province]}`);
  const possible = reachedIn(map, unitKey(game, at), target.province);
  if (possible.length === 0) refuse(whyNoBorder(map, standing(game, at), at, target.province));
  return O.move(game.unitLocation(at), chooseCoast(game, reading, target, possible));
};

/**
 * Reads the move of an army. A move that needs a convoy is by convoy, even without VIA. A path is ignored (DATC 4.A.6).
 * If no fleets on the board could convoy the army to an adjacent province, it moves by land under rules with that
 * fallback (DATC 4.A.3).
 * @param at province of the army
 * @param to destination
 * @throws Refusal if the army cannot move there
 */
const readArmyMove = (game: Game, at: T.Province, raw: RawOrder, to: T.Province): O.Order => {
  const { map } = game;
  const tag = map.provinceTags[to];
  if (!canEnter(map, T.ARMY, to)) refuse(`an army cannot enter ${tag}`);
  const byLand = isLegal(game, O.move(at, to));
  if (!raw.via && byLand) return O.move(at, to);
  if (isLegal(game, O.moveVia(at, to))) return O.moveVia(at, to);
  if (byLand && fallsBackToLand(game.rules)) return O.move(at, to);
  const name = standing(game, at);
  if (raw.via) refuse(`no chain of fleets can take ${name} to ${tag}`);
  const couldSail = testBit(map.coasts, 0, at) === 1 && testBit(map.coasts, 0, to) === 1;
  return refuse(`${name} does not border ${tag}${couldSail ? ', and no chain of fleets can take it there' : ''}`);
};

/** Throws a Refusal if a coast is named for an army and the rules do not ignore it (DATC 4.B.6). */
const checkUseless = ({ map }: Game, { uselessCoast }: Reading, target: Place): void => {
  if (target.coast >= 0 && uselessCoast === 'fails')
    refuse(`got ${map.locationTags[target.coast]}, wanted ${map.provinceTags[target.province]}`);
};

/**
 * Reads a move by railroad (DATC 2.4, 7.B) from province `at` to province `to`.
 * @throws Refusal if the unit or its power cannot use the railroad
 */
const readRail = (game: Game, at: T.Province, to: T.Province): O.Order => {
  const { map } = game;
  const order = O.rail(at, to);
  if (isLegal(game, order)) return order;
  if (map.special === null || map.special.line.length === 0) refuse('the railroad is not in use');
  const { lineIndex, railPower } = map.special as SpecialTables;
  if (T.unitType(game.unitAt(at)) === T.FLEET) refuse(`got ${standing(game, at)}, wanted an army for the railroad`);
  for (const p of [at, to]) if (lineIndex[p] < 0) refuse(`${map.provinceTags[p]} is not on the railroad`);
  return refuse(`only ${map.powerNames[railPower]} uses the railroad`);
};

const readMove = (game: Game, reading: Reading, at: T.Province, raw: RawOrder, target: Place): O.Order => {
  if (target.province === at) refuse(`${standing(game, at)} is there already`);
  if (raw.rail) return readRail(game, at, target.province);
  if (T.unitType(game.unitAt(at)) === T.FLEET) return readFleetMove(game, reading, at, raw, target);
  checkUseless(game, reading, target);
  return readArmyMove(game, at, raw, target.province);
};

const checkHelped = (game: Game, at: T.Province, helped: T.Province, what: string): void => {
  if (helped === at) refuse(`a unit cannot ${what} itself`);
  if (game.unitAt(helped) === T.NO_UNIT) refuse(`no unit in ${game.map.provinceTags[helped]} to ${what}`);
};

/**
 * Returns the target of a supported move: a coast if the order or the rules give one for a fleet, otherwise the
 * province (DATC 4.B.4, 4.B.6).
 * @param at province of the supporter
 * @param helped province of the supported unit
 * @throws Refusal if the rules require a coast that the order does not name, or refuse one that it names
 */
const supportTarget = (game: Game, reading: Reading, at: T.Province, helped: T.Province, target: Place): T.Location => {
  const { map } = game;
  const { province, coast } = target;
  if (T.unitType(game.unitAt(helped)) !== T.FLEET) {
    checkUseless(game, reading, target);
    return province;
  }
  const rule = reading.supportCoast;
  if (rule === 'ignore' || map.coastCount[province] === 0) return province;
  if (coast >= 0) return coast;
  const possible = reachedIn(map, unitKey(game, helped), province);
  const own = T.unitPower(game.unitAt(at)) === T.unitPower(game.unitAt(helped));
  if (rule === 'default') return defaultCoast(map, province, possible) ?? province;
  const forgiven = possible.length < 2 || (rule === 'forgiven' && own);
  if (rule === 'required' || ((rule === 'requiredIfTwo' || rule === 'forgiven') && !forgiven))
    asWanted(map, target, possible);
  return province;
};

const whyNoSupport = (game: Game, at: T.Province, helped: T.Province, target: T.Location): string => {
  const { map } = game;
  const to = map.locationProvince[target];
  const name = standing(game, helped);
  if (to === helped) return `${name} is in ${map.provinceTags[to]} already`;
  if (target !== to) {
    const possible = reachedIn(map, unitKey(game, helped), to);
    if (possible.length > 0) return `got ${map.locationTags[target]}, wanted ${listLocations(map, possible)}`;
  }
  if (isLegal(game, O.moveVia(helped, to))) return `${name} would need ${standing(game, at)} for its convoy`;
  return `${name} cannot move to ${map.provinceTags[to]}`;
};

const whyNoReach = (game: Game, at: T.Province, into: T.Province): string => {
  const { map } = game;
  const crosses = reachedIn(map, unitKey(game, at), into).length > 0;
  const border = T.unitType(game.unitAt(at)) === T.FLEET ? 'the canal' : 'the difficult border';
  if (crosses) return `${standing(game, at)} cannot support over ${border} to ${map.provinceTags[into]}`;
  return `${standing(game, at)} does not border ${map.provinceTags[into]}`;
};

const readSupport = (
  game: Game,
  reading: Reading,
  at: T.Province,
  helped: T.Province,
  target: Place | null,
): O.Order => {
  const { map } = game;
  checkHelped(game, at, helped, 'support');
  const into = target?.province ?? helped;
  if (testBit(map.reach, unitKey(game, at), into) === 0) refuse(whyNoReach(game, at, into));
  const from = game.unitLocation(at);
  if (target === null) return O.supportHold(from, helped);
  const to = supportTarget(game, reading, at, helped, target);
  const order = O.supportMove(from, helped, to);
  return isLegal(game, order) ? order : refuse(whyNoSupport(game, at, helped, to));
};

const readConvoy = (game: Game, at: T.Province, helped: T.Province, to: T.Province): O.Order => {
  const { map } = game;
  if (T.unitType(game.unitAt(at)) !== T.FLEET || !isSea(map, at))
    refuse(`got ${standing(game, at)}, wanted a fleet at sea for a convoy`);
  checkHelped(game, at, helped, 'convoy');
  if (T.unitType(game.unitAt(helped)) !== T.ARMY)
    refuse(`got ${standing(game, helped)} to be convoyed, wanted an army`);
  const order = O.convoy(at, helped, to);
  if (isLegal(game, order)) return order;
  const route = `from ${map.provinceTags[helped]} to ${map.provinceTags[to]}`;
  return isLegal(game, O.moveVia(helped, to))
    ? refuse(`no convoy ${route} needs ${standing(game, at)}`)
    : refuse(`no chain of fleets leads ${route}`);
};

/** Throws a Refusal for an order that involves a frozen sea. Only a unit in that sea may hold (DATC 2.4, chapter 8). */
const checkIce = (game: Game, at: T.Province, { kind, helped, target }: RawOrder): void => {
  if (game.map.special === null || kind === 'hold') return;
  for (const p of [at, helped?.province, target?.province])
    if (p !== undefined && isFrozen(game.map.special, game.season, p))
      refuse(`ice closes ${game.map.provinceTags[p]} in fall`);
};

/**
 * Returns the end of the canal, 1 or 2, from which an order lets a fleet pass. Returns 0 and a note if there is no unit
 * at that end.
 * @param at province of the ordered unit
 * @throws Refusal if the ordered unit does not control a canal in use, or if the fleet's move is not through the canal
 */
const readLeave = (game: Game, at: T.Province, leave: NonNullable<RawOrder['leave']>): readonly [number, string?] => {
  const { map } = game;
  const { special } = map;
  if (special === null || special.control < 0) return refuse('the canal is not in use');
  if (at !== special.control)
    refuse(`only a unit in ${map.provinceTags[special.control]} gives leave to pass the canal`);
  const from = leave.unit.province;
  if (!isCanal(special, from, leave.target.province)) {
    const [a, b] = special.canal.map((p) => map.provinceTags[p]);
    refuse(
      `got leave for ${map.provinceTags[from]} - ${map.provinceTags[leave.target.province]}, wanted ${a} - ${b} or ${b} - ${a}`,
    );
  }
  if (game.unitAt(from) === T.NO_UNIT) return [0, `leave is not given: no fleet in ${map.provinceTags[from]}`];
  return [special.canal.indexOf(from) + 1];
};

const readMovement = (game: Game, reading: Reading, at: T.Province, raw: RawOrder): O.Order => {
  const { helped, target } = raw;
  checkIce(game, at, raw);
  if (raw.kind === 'move' && target !== null) return readMove(game, reading, at, raw, target);
  if (raw.kind === 'support' && helped !== null) return readSupport(game, reading, at, helped.province, target);
  if (raw.kind === 'convoy' && helped !== null && target !== null)
    return readConvoy(game, at, helped.province, target.province);
  return O.hold(game.unitLocation(at));
};

const MOVEMENT_KINDS: readonly OrderKind[] = ['hold', 'move', 'support', 'convoy'];

/** Interprets an order of a movement phase: returns the packed order, or the reason why it is refused. */
export const judgeMovement = (game: Game, reading: Reading, power: T.Power, raw: RawOrder): Interpreted => {
  const at = raw.unit?.province ?? -1;
  const subject = at < 0 ? { unit: null, own: -1 } : standingFor(game, power, at);
  if (!MOVEMENT_KINDS.includes(raw.kind)) return misplaced(game, subject, raw.kind, 'a hold, move, support or convoy');
  let note: string | undefined;
  const found = judge(subject, () => {
    checkOwn(game, subject, at);
    checkNamed(game, reading, raw.unit, true);
    checkNamed(game, reading, raw.helped, false);
    const order = readMovement(game, reading, at, raw);
    if (raw.leave === null) return order;
    const [end, why] = readLeave(game, at, raw.leave);
    note = why;
    return end === 0 ? order : O.withLeave(order, end);
  });
  if (note !== undefined) return { ...found, note };
  const { kind, target } = raw;
  const isAttempt = found.order === O.NONE && found.own >= 0 && kind === 'move' && target !== null;
  return isAttempt && reading.illegalMove === 'holdNoSupport'
    ? { ...found, effect: O.moveVia(game.unitLocation(at), target.province) }
    : found;
};

// ---- retreats ----

const readRetreat = (
  game: Game,
  reading: Reading,
  from: T.Location,
  open: readonly T.Location[],
  raw: RawOrder,
): O.Order => {
  const { target } = raw;
  const { map } = game;
  if (target === null) return O.disband(from);
  if (raw.via || raw.path) refuse('got a convoy, wanted a retreat to a province next to it');
  const possible = open.filter((l) => map.locationProvince[l] === target.province);
  const tag = map.provinceTags[target.province];
  if (possible.length === 0) refuse(`got ${tag}, wanted ${open.length > 0 ? listLocations(map, open) : 'a disband'}`);
  // A coast named for an army is ignored (DATC 4.B.6), because the retreats of an army are provinces.
  return O.retreat(from, possible[0] === target.province ? possible[0] : chooseCoast(game, reading, target, possible));
};

/** Interprets an order of a retreat phase: returns the packed order, or the reason why it is refused. */
export const judgeRetreat = (
  { game, retreats }: Position,
  reading: Reading,
  power: T.Power,
  raw: RawOrder,
): Interpreted => {
  const { map } = game;
  const at = raw.unit?.province ?? -1;
  const index = at < 0 ? -1 : dislodgedIn(game, at);
  const waiting = index < 0 ? null : game.dislodged(index);
  const isOwn = waiting !== null && T.unitPower(waiting.unit) === power;
  const stays = waiting === null || (!isOwn && standingFor(game, power, at).own >= 0);
  const subject: Subject = stays
    ? { unit: at < 0 ? null : standing(game, at), own: -1 }
    : { unit: formatUnit(map, waiting.unit, waiting.location), own: isOwn ? at : -1 };
  if (raw.kind === 'build' || raw.kind === 'waive') return misplaced(game, subject, raw.kind, 'a retreat or a disband');
  return judge(subject, () => {
    if (subject.unit === null) refuseExtra(`no unit in ${map.provinceTags[at]}`);
    if (stays) return refuseExtra(`${subject.unit} was not dislodged`);
    if (!isOwn) refuseExtra(`${subject.unit} belongs to ${map.powerNames[T.unitPower(waiting.unit)]}`);
    if (raw.kind !== 'retreat' && raw.kind !== 'move' && raw.kind !== 'disband')
      refuse(`got ${KIND_WORDS[raw.kind]}, wanted a retreat or a disband`);
    return readRetreat(game, reading, waiting.location, retreats.get(at) ?? [], raw);
  });
};

// ---- adjustments ----

/**
 * Returns the unit type of a build, or the type that the rules infer if it is missing (DATC 4.C.3).
 * @throws Refusal if the type is missing and the rules infer none
 */
const letterOfBuild = (
  { map }: Game,
  { buildWithoutType: rule }: Reading,
  { province, coast, type }: NamedUnit,
): T.UnitType => {
  if (type !== null) return type;
  if (map.kind[province] === T.LAND && rule !== 'fails') return T.ARMY;
  const named = coast >= 0 && rule === 'fleetByCoast';
  return named ? T.FLEET : refuse(`got ${map.provinceTags[province]} without a letter, wanted A or F`);
};

const readBuild = (game: Game, reading: Reading, unit: NamedUnit): O.Order => {
  const { map } = game;
  const { province } = unit;
  if (letterOfBuild(game, reading, unit) === T.ARMY) return O.buildArmy(province);
  if (map.kind[province] === T.LAND) {
    if (reading.fleetBuildInland === 'army') return O.buildArmy(province);
    refuse(`got a fleet in ${map.provinceTags[province]}, wanted an army inland`);
  }
  const berths = berthsIn(map, province);
  if (berths[0] === province) return O.buildFleet(province);
  if (berths.includes(unit.coast)) return O.buildFleet(unit.coast);
  return O.buildFleet(reading.buildCoast === 'default' ? berths[0] : asWanted(map, unit, berths));
};

const checkSite = (game: Game, power: T.Power, province: T.Province): void => {
  const { map } = game;
  const tag = map.provinceTags[province];
  const center = map.centerIndex[province];
  if (center < 0) refuse(`${tag} is not a supply centre`);
  if (!map.buildAnywhere && map.homePower[center] !== power)
    refuse(`${tag} is not a home centre of ${map.powerNames[power]}`);
  if (game.owner(center) !== power) refuse(`${tag} is not owned by ${map.powerNames[power]}`);
  if (game.unitAt(province) !== T.NO_UNIT) refuse(`${standing(game, province)} is there`);
};

const noUnit: Subject = { unit: null, own: -1 };

/** Interprets an order of an adjustment phase: returns the packed order, or the reason why it is refused. */
export const judgeAdjustment = (
  { game, due }: Position,
  reading: Reading,
  power: T.Power,
  { kind, unit }: RawOrder,
): Interpreted => {
  const checkDue = (sign: number, what: string): void => {
    if (due[power] * sign <= 0) refuseExtra(`no ${what} is due`);
  };
  if (kind === 'waive')
    return judge(noUnit, () => {
      if (reading.waive === 'no') refuse('builds cannot be waived under these rules');
      checkDue(1, 'build');
      return O.waive(power);
    });
  const subject = unit === null ? noUnit : standingFor(game, power, unit.province);
  if (kind === 'build' && unit !== null)
    return judge(noUnit, () => {
      checkSite(game, power, unit.province);
      const order = readBuild(game, reading, unit);
      checkDue(1, 'build');
      return order;
    });
  if (kind === 'disband' && unit !== null)
    return judge(subject, () => {
      checkOwn(game, subject, unit.province);
      checkDue(-1, 'removal');
      return O.remove(game.unitLocation(unit.province));
    });
  return misplaced(game, subject, kind, 'a build, a removal or a waive');
};
