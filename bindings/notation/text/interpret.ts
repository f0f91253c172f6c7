// Decides what an order that was read means in a position, for the power that gave it. Makes all choices of DATC 3.2,
// chapter 4.B to 4.E, as the options of reading say (reading-options.ts). The default choices are:
//
//   4.B.1  coast missing, two possible: illegal             4.C.3  build without a letter: an army inland, a fleet where
//   4.B.2  coast missing, one possible: that one                   a coast is named, else it fails
//   4.B.3  impossible coast: illegal                        4.C.4  fleet inland: the build fails
//   4.B.4  a coast in a support must match the move         4.C.5, 4.C.6  nationality missing or wrong: ignored
//   4.B.5  wrong coast of the ordered fleet: ignored        4.D.3  several orders for a unit: the first legal one
//   4.B.6  irrelevant or unknown coast: ignored             4.D.4 to 4.D.6  builds and removals: the first ones
//   4.B.7  fleet build without its coast: fails             4.D.7  builds may be waived
//   4.C.1, 4.C.2  letter missing or wrong: ignored          4.E.1  what cannot be obeyed is illegal and ignored
import {
  ARMY,
  BUILD_ARMY,
  BUILD_FLEET,
  buildArmy,
  buildFleet,
  type CompiledMap,
  convoy,
  disband,
  dislodgedIn,
  FLEET,
  fallsBackToLand,
  type Game,
  hold,
  isCanal,
  isFrozen,
  isLegal,
  LAND,
  type Location,
  MOVEMENT,
  move,
  moveVia,
  NO_UNIT,
  NONE,
  type Order,
  orderLocation,
  orderType,
  type Power,
  type Province,
  phases,
  RETREAT,
  rail,
  remove,
  retreat,
  SEA,
  type SpecialTables,
  supportHold,
  supportMove,
  testBit,
  type UnitType,
  unitKey,
  unitPower,
  unitType,
  waive,
  withLeave,
} from '../../../engine/internal.js';
import { formatUnit } from './format.js';
import { isSea, listLocations } from './names.js';
import type { NamedUnit, OrderKind, Place, RawOrder } from './parse.js';
import { DATC_READING, type Reading } from './reading-options.js';

/** The order as it will be played, or why it does not count. */
export interface Interpreted {
  /** NONE if it does not count. */
  readonly order: Order;
  /** If an illegal move is no hold (4.E.1): the move that the unit is taken to attempt. */
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

/** Where each dislodged unit may retreat to, by its province. */
export type Retreats = ReadonlyMap<Province, readonly Location[]>;

/** Judges the orders of a phase one by one, those of each power from top to bottom. */
export type Interpreter = (power: Power, raw: RawOrder) => Interpreted;

/**
 * Thrown and caught here for an order that cannot be obeyed. Not an Error: a stack trace would cost more than the rest.
 */
class Refusal {
  declare readonly reason: string;
  /** True for an order that nobody asked the power for. */
  declare readonly extra: boolean;
  constructor(reason: string, extra: boolean) {
    this.reason = reason;
    this.extra = extra;
  }
}

const refuse = (reason: string): never => {
  throw new Refusal(reason, false);
};

const refuseExtra = (reason: string): never => {
  throw new Refusal(reason, true);
};

interface Subject {
  readonly unit: string | null;
  readonly own: number;
}

// Written out because spreading the object would cost as much as reading the order.
const judge = ({ unit, own }: Subject, read: () => Order): Interpreted => {
  try {
    return { order: read(), reason: null, unit, own, misplaced: false };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { order: NONE, reason: error.reason, unit, own, misplaced: false, extra: error.extra };
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
  const phase = phases[game.phase];
  const article = /^[aeiou]/.test(phase) ? 'an' : 'a';
  const reason = `got ${KIND_WORDS[kind]}, wanted ${wanted} in ${article} ${phase} phase`;
  return { ...subject, order: NONE, reason, misplaced: true };
};

/**
 * The order, unless the unit already has one: the first legal one counts (DATC 4.D.3). Other values of twoOrders need to
 * see all orders first: settleTwice().
 */
const once = ({ twoOrders }: Reading, ordered: Set<Province>, found: Interpreted): Interpreted => {
  if (found.order === NONE || twoOrders !== 'first') return found;
  if (ordered.has(found.own)) return { ...found, order: NONE, reason: 'already ordered' };
  ordered.add(found.own);
  return found;
};

// ---- units ----

const standing = (game: Game, province: Province): string | null =>
  game.unitAt(province) === NO_UNIT ? null : formatUnit(game.map, game.unitAt(province), game.unitLocation(province));

/** The unit in a province, from the viewpoint of a power. */
const standingFor = (game: Game, power: Power, province: Province): Subject => {
  const unit = game.unitAt(province);
  return { unit: standing(game, province), own: unit !== NO_UNIT && unitPower(unit) === power ? province : -1 };
};

const checkOwn = (game: Game, subject: Subject, province: Province): void => {
  const { map } = game;
  if (subject.unit === null) refuseExtra(`no unit in ${map.provinceTags[province]}`);
  if (subject.own < 0) refuseExtra(`${subject.unit} belongs to ${map.powerNames[unitPower(game.unitAt(province))]}`);
};

/** Locations in a province that the unit of a key reaches without a convoy. */
const reachedIn = (map: CompiledMap, key: number, province: Province): Location[] => {
  const found: Location[] = [];
  for (let i = map.moveOffsets[key]; i < map.moveOffsets[key + 1]; i++)
    if (map.locationProvince[map.moveTargets[i]] === province) found.push(map.moveTargets[i]);
  return found;
};

const asWanted = (map: CompiledMap, place: Place, possible: readonly Location[]): never => {
  const got = place.coast >= 0 ? map.locationTags[place.coast] : map.provinceTags[place.province];
  const choice = place.coast < 0 && possible.length > 1 ? 'one of ' : '';
  return refuse(`got ${got}, wanted ${choice}${listLocations(map, possible)}`);
};

/** The default coast if none is named, under rules that have one. */
const defaultCoast = (map: CompiledMap, province: Province, possible: readonly Location[]): Location | undefined =>
  possible.find((location) => location === map.firstCoast[province]);

/** The location that a place means for a fleet, among those that it can reach (DATC 4.B.1 to 4.B.3). */
const chooseCoast = (
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
const checkNamed = (game: Game, reading: Reading, named: NamedUnit | null, acting: boolean): void => {
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

// ---- movement ----

const canEnter = (map: CompiledMap, type: number, province: Province): boolean =>
  map.kind[province] !== (type === FLEET ? LAND : SEA);

const whyNoBorder = (map: CompiledMap, name: string | null, at: Province, to: Province): string => {
  const ends = map.rows.canal?.ends.split(' ') ?? [];
  const isCanal = [at, to].every((p) => ends.includes(map.provinceTags[p]));
  return isCanal ? 'the canal is not in use' : `${name} does not border ${map.provinceTags[to]}`;
};

const readFleetMove = (game: Game, reading: Reading, at: Province, raw: RawOrder, target: Place): Order => {
  const { map } = game;
  if (raw.via || raw.path) refuse('got a fleet to be convoyed, wanted an army');
  if (!canEnter(map, FLEET, target.province)) refuse(`a fleet cannot enter ${map.provinceTags[target.province]}`);
  const possible = reachedIn(map, unitKey(game, at), target.province);
  if (possible.length === 0) refuse(whyNoBorder(map, standing(game, at), at, target.province));
  return move(game.unitLocation(at), chooseCoast(game, reading, target, possible));
};

/**
 * A move that needs a convoy is by convoy, whether or not it says so; a path is ignored (DATC 4.A.6). One to an adjacent
 * province by a convoy that no fleet on the board could give is by land under rules that fall back to it (DATC 4.A.3).
 */
const readArmyMove = (game: Game, at: Province, raw: RawOrder, to: Province): Order => {
  const { map } = game;
  const tag = map.provinceTags[to];
  if (!canEnter(map, ARMY, to)) refuse(`an army cannot enter ${tag}`);
  const byLand = isLegal(game, move(at, to));
  if (!raw.via && byLand) return move(at, to);
  if (isLegal(game, moveVia(at, to))) return moveVia(at, to);
  if (byLand && fallsBackToLand(game.rules)) return move(at, to);
  const name = standing(game, at);
  if (raw.via) refuse(`no chain of fleets can take ${name} to ${tag}`);
  const couldSail = testBit(map.coasts, 0, at) === 1 && testBit(map.coasts, 0, to) === 1;
  return refuse(`${name} does not border ${tag}${couldSail ? ', and no chain of fleets can take it there' : ''}`);
};

/** A coast named for an army is irrelevant (DATC 4.B.6). */
const checkUseless = ({ map }: Game, { uselessCoast }: Reading, target: Place): void => {
  if (target.coast >= 0 && uselessCoast === 'fails')
    refuse(`got ${map.locationTags[target.coast]}, wanted ${map.provinceTags[target.province]}`);
};

/** A ride by railroad (DATC 2.4, 7.B). */
const readRail = (game: Game, at: Province, to: Province): Order => {
  const { map } = game;
  const order = rail(at, to);
  if (isLegal(game, order)) return order;
  if (map.special === null || map.special.line.length === 0) refuse('the railroad is not in use');
  const { lineIndex, railPower } = map.special as SpecialTables;
  if (unitType(game.unitAt(at)) === FLEET) refuse(`got ${standing(game, at)}, wanted an army for the railroad`);
  for (const p of [at, to]) if (lineIndex[p] < 0) refuse(`${map.provinceTags[p]} is not on the railroad`);
  return refuse(`only ${map.powerNames[railPower]} uses the railroad`);
};

const readMove = (game: Game, reading: Reading, at: Province, raw: RawOrder, target: Place): Order => {
  if (target.province === at) refuse(`${standing(game, at)} is there already`);
  if (raw.rail) return readRail(game, at, target.province);
  if (unitType(game.unitAt(at)) === FLEET) return readFleetMove(game, reading, at, raw, target);
  checkUseless(game, reading, target);
  return readArmyMove(game, at, raw, target.province);
};

const checkHelped = (game: Game, at: Province, helped: Province, what: string): void => {
  if (helped === at) refuse(`a unit cannot ${what} itself`);
  if (game.unitAt(helped) === NO_UNIT) refuse(`no unit in ${game.map.provinceTags[helped]} to ${what}`);
};

/** The target of a support, with its coast if one is named for a fleet (DATC 4.B.4, 4.B.6). */
const supportTarget = (game: Game, reading: Reading, at: Province, helped: Province, target: Place): Location => {
  const { map } = game;
  const { province, coast } = target;
  if (unitType(game.unitAt(helped)) !== FLEET) {
    checkUseless(game, reading, target);
    return province;
  }
  const rule = reading.supportCoast;
  if (rule === 'ignore' || map.coastCount[province] === 0) return province;
  if (coast >= 0) return coast;
  const possible = reachedIn(map, unitKey(game, helped), province);
  const own = unitPower(game.unitAt(at)) === unitPower(game.unitAt(helped));
  if (rule === 'default') return defaultCoast(map, province, possible) ?? province;
  const forgiven = possible.length < 2 || (rule === 'forgiven' && own);
  if (rule === 'required' || ((rule === 'requiredIfTwo' || rule === 'forgiven') && !forgiven))
    asWanted(map, target, possible);
  return province;
};

const whyNoSupport = (game: Game, at: Province, helped: Province, target: Location): string => {
  const { map } = game;
  const to = map.locationProvince[target];
  const name = standing(game, helped);
  if (to === helped) return `${name} is in ${map.provinceTags[to]} already`;
  if (target !== to) {
    const possible = reachedIn(map, unitKey(game, helped), to);
    if (possible.length > 0) return `got ${map.locationTags[target]}, wanted ${listLocations(map, possible)}`;
  }
  if (isLegal(game, moveVia(helped, to))) return `${name} would need ${standing(game, at)} for its convoy`;
  return `${name} cannot move to ${map.provinceTags[to]}`;
};

const whyNoReach = (game: Game, at: Province, into: Province): string => {
  const { map } = game;
  const crosses = reachedIn(map, unitKey(game, at), into).length > 0;
  const border = unitType(game.unitAt(at)) === FLEET ? 'the canal' : 'the difficult border';
  if (crosses) return `${standing(game, at)} cannot support over ${border} to ${map.provinceTags[into]}`;
  return `${standing(game, at)} does not border ${map.provinceTags[into]}`;
};

const readSupport = (game: Game, reading: Reading, at: Province, helped: Province, target: Place | null): Order => {
  const { map } = game;
  checkHelped(game, at, helped, 'support');
  const into = target?.province ?? helped;
  if (testBit(map.reach, unitKey(game, at), into) === 0) refuse(whyNoReach(game, at, into));
  const from = game.unitLocation(at);
  if (target === null) return supportHold(from, helped);
  const to = supportTarget(game, reading, at, helped, target);
  const order = supportMove(from, helped, to);
  return isLegal(game, order) ? order : refuse(whyNoSupport(game, at, helped, to));
};

const readConvoy = (game: Game, at: Province, helped: Province, to: Province): Order => {
  const { map } = game;
  if (unitType(game.unitAt(at)) !== FLEET || !isSea(map, at))
    refuse(`got ${standing(game, at)}, wanted a fleet at sea for a convoy`);
  checkHelped(game, at, helped, 'convoy');
  if (unitType(game.unitAt(helped)) !== ARMY) refuse(`got ${standing(game, helped)} to be convoyed, wanted an army`);
  const order = convoy(at, helped, to);
  if (isLegal(game, order)) return order;
  const route = `from ${map.provinceTags[helped]} to ${map.provinceTags[to]}`;
  return isLegal(game, moveVia(helped, to))
    ? refuse(`no convoy ${route} needs ${standing(game, at)}`)
    : refuse(`no chain of fleets leads ${route}`);
};

/** Ice closes a sea in fall to all but the hold of a unit that is there (DATC 2.4, chapter 8). */
const checkIce = (game: Game, at: Province, { kind, helped, target }: RawOrder): void => {
  if (game.map.special === null || kind === 'hold') return;
  for (const p of [at, helped?.province, target?.province])
    if (p !== undefined && isFrozen(game.map.special, game.season, p))
      refuse(`ice closes ${game.map.provinceTags[p]} in fall`);
};

/** Which end of the canal a unit gives leave to pass: 1 or 2, or 0 and a note if there is no fleet. */
const readLeave = (game: Game, at: Province, leave: NonNullable<RawOrder['leave']>): readonly [number, string?] => {
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
  if (game.unitAt(from) === NO_UNIT) return [0, `leave is not given: no fleet in ${map.provinceTags[from]}`];
  return [special.canal.indexOf(from) + 1];
};

const readMovement = (game: Game, reading: Reading, at: Province, raw: RawOrder): Order => {
  const { helped, target } = raw;
  checkIce(game, at, raw);
  if (raw.kind === 'move' && target !== null) return readMove(game, reading, at, raw, target);
  if (raw.kind === 'support' && helped !== null) return readSupport(game, reading, at, helped.province, target);
  if (raw.kind === 'convoy' && helped !== null && target !== null)
    return readConvoy(game, at, helped.province, target.province);
  return hold(game.unitLocation(at));
};

const MOVEMENT_KINDS: readonly OrderKind[] = ['hold', 'move', 'support', 'convoy'];

const movementInterpreter = (game: Game, reading: Reading): Interpreter => {
  const ordered = new Set<Province>();
  return (power, raw) => {
    const at = raw.unit?.province ?? -1;
    const subject = at < 0 ? { unit: null, own: -1 } : standingFor(game, power, at);
    if (!MOVEMENT_KINDS.includes(raw.kind))
      return misplaced(game, subject, raw.kind, 'a hold, move, support or convoy');
    let note: string | undefined;
    const judged = judge(subject, () => {
      checkOwn(game, subject, at);
      checkNamed(game, reading, raw.unit, true);
      checkNamed(game, reading, raw.helped, false);
      const order = readMovement(game, reading, at, raw);
      if (raw.leave === null) return order;
      const [end, why] = readLeave(game, at, raw.leave);
      note = why;
      return end === 0 ? order : withLeave(order, end);
    });
    const found = note === undefined ? judged : { ...judged, note };
    return found.order === NONE && found.own >= 0
      ? instead(game, reading, ordered, raw, found)
      : once(reading, ordered, found);
  };
};

/** The verdict on an order that cannot be obeyed: it is ignored, or still counts as the unit's order (DATC 4.E.1). */
const instead = (
  game: Game,
  { illegalMove }: Reading,
  ordered: Set<Province>,
  { kind, target }: RawOrder,
  found: Interpreted,
): Interpreted => {
  if ((illegalMove !== 'hold' && illegalMove !== 'holdNoSupport') || ordered.has(found.own)) return found;
  ordered.add(found.own);
  if (illegalMove === 'hold' || kind !== 'move' || target === null) return found;
  return { ...found, effect: moveVia(game.unitLocation(found.own), target.province) };
};

/** Summary of all orders for a unit that count, which are those of its own power. */
interface OrdersOfUnit {
  readonly first: Order;
  /** True if not all of them equal the first one. */
  differ: boolean;
  /** Place of the last one in the list of all. */
  last: number;
}

const ordersByUnit = (given: readonly (readonly [Power, Interpreted])[]): Map<Province, OrdersOfUnit> => {
  const units = new Map<Province, OrdersOfUnit>();
  given.forEach(([, { own, order }], i) => {
    if (own < 0 || order === NONE) return;
    const unit = units.get(own);
    if (unit === undefined) units.set(own, { first: order, differ: false, last: i });
    else {
      unit.differ ||= order !== unit.first;
      unit.last = i;
    }
  });
  return units;
};

/**
 * Judges all orders of a phase together, each with the power that gave it: of several orders for a unit the last
 * counts, or none if they differ, or the whole set is refused for it and for any other order beyond those that were
 * asked for (DATC 4.D.3). An order that cannot be obeyed is refused alone (4.E.1).
 */
export const settleTwice = (
  { twoOrders: rule }: Reading,
  given: readonly (readonly [Power, Interpreted])[],
): Interpreted[] => {
  if (rule === 'first') return given.map(([, found]) => found);
  const units = ordersByUnit(given);
  const drop = (found: Interpreted, reason: string): Interpreted => ({ ...found, order: NONE, reason });
  if (rule === 'refuse') {
    const isExtra = ({ extra, own }: Interpreted): boolean => extra === true || units.get(own)?.differ === true;
    const refused = new Set(given.filter(([, found]) => isExtra(found)).map(([power]) => power));
    return given.map(([power, found]) =>
      refused.has(power) && found.order !== NONE ? drop(found, 'the whole set is refused') : found,
    );
  }
  return given.map(([, found], i) => {
    const unit = units.get(found.own);
    if (found.order === NONE || unit?.differ !== true) return found;
    if (rule === 'hold') return drop(found, 'ordered twice');
    return i < unit.last ? drop(found, 'ordered again') : found;
  });
};

/** The entries of a list that a rule keeps, up to a limit. */
const keepSome = <T>(list: readonly T[], most: number, rule: string): readonly T[] => {
  if (list.length <= most) return list;
  if (rule === 'last') return list.slice(list.length - most);
  return rule === 'first' || rule === 'refuse' ? list.slice(0, most) : [];
};

/** The entries of a list that share a key, in their order. */
const groupBy = <K, T>(list: readonly T[], keyOf: (entry: T) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>();
  for (const entry of list) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entry]);
    else group.push(entry);
  }
  return groups;
};

/**
 * Chooses among the builds and removals of an adjustment phase if there are more than are due, or two in one centre (DATC
 * 4.D.4 to 4.D.6).
 */
export const settleSurplus = (
  { map }: Game,
  { doubleBuilds, surplusBuilds, surplusRemovals }: Reading,
  due: Int32Array,
  given: readonly (readonly [Power, Interpreted])[],
): Interpreted[] => {
  const counts = (one: Interpreted): boolean => one.order !== NONE;
  const placeOf = ({ order }: Interpreted): Province => map.locationProvince[orderLocation(order)];
  const isBuild = ({ order }: Interpreted): boolean => [BUILD_ARMY, BUILD_FLEET].includes(orderType(order));
  const kept = new Set<Interpreted>();
  const counting = given.filter(([, found]) => counts(found));
  for (const [power, entries] of groupBy(counting, ([one]) => one)) {
    const own = entries.map(([, found]) => found);
    const byCenter = groupBy(own.filter(isBuild), placeOf);
    const built = new Set([...byCenter.values()].flatMap((there) => keepSome(there, 1, doubleBuilds)));
    const single = own.filter((found) => !isBuild(found) || built.has(found));
    const rule = due[power] > 0 ? surplusBuilds : surplusRemovals;
    for (const found of keepSome(single, Math.abs(due[power]), rule)) kept.add(found);
  }
  return given.map(([, found]) =>
    counts(found) && !kept.has(found) ? { ...found, order: NONE, reason: 'more than are due' } : found,
  );
};

// ---- retreats ----

const readRetreat = (game: Game, reading: Reading, from: Location, open: readonly Location[], raw: RawOrder): Order => {
  const { target } = raw;
  const { map } = game;
  if (target === null) return disband(from);
  if (raw.via || raw.path) refuse('got a convoy, wanted a retreat to a province next to it');
  const possible = open.filter((l) => map.locationProvince[l] === target.province);
  const tag = map.provinceTags[target.province];
  if (possible.length === 0) refuse(`got ${tag}, wanted ${open.length > 0 ? listLocations(map, open) : 'a disband'}`);
  // The coast of an army is irrelevant (DATC 4.B.6): all its retreats are provinces.
  return retreat(from, possible[0] === target.province ? possible[0] : chooseCoast(game, reading, target, possible));
};

const retreatInterpreter = (game: Game, retreats: Retreats, reading: Reading): Interpreter => {
  const { map } = game;
  const ordered = new Set<Province>();
  return (power, raw) => {
    const at = raw.unit?.province ?? -1;
    const index = at < 0 ? -1 : dislodgedIn(game, at);
    const waiting = index < 0 ? null : game.dislodged(index);
    const isOwn = waiting !== null && unitPower(waiting.unit) === power;
    const subject: Subject =
      waiting !== null && (isOwn || standingFor(game, power, at).own < 0)
        ? { unit: formatUnit(map, waiting.unit, waiting.location), own: isOwn ? at : -1 }
        : { unit: at < 0 ? null : standing(game, at), own: -1 };
    if (raw.kind === 'build' || raw.kind === 'waive')
      return misplaced(game, subject, raw.kind, 'a retreat or a disband');
    const found = judge(subject, () => {
      if (subject.unit === null) refuseExtra(`no unit in ${map.provinceTags[at]}`);
      if (waiting === null || (!isOwn && standingFor(game, power, at).own >= 0))
        return refuseExtra(`${subject.unit} was not dislodged`);
      if (!isOwn) refuseExtra(`${subject.unit} belongs to ${map.powerNames[unitPower(waiting.unit)]}`);
      if (raw.kind !== 'retreat' && raw.kind !== 'move' && raw.kind !== 'disband')
        refuse(`got ${KIND_WORDS[raw.kind]}, wanted a retreat or a disband`);
      return readRetreat(game, reading, waiting.location, retreats.get(at) ?? [], raw);
    });
    return once(reading, ordered, found);
  };
};

// ---- adjustments ----

/** The letter of a build that has none (DATC 4.C.3). */
const letterOfBuild = (
  { map }: Game,
  { buildWithoutType: rule }: Reading,
  { province, coast, type }: NamedUnit,
): UnitType => {
  if (type !== null) return type;
  if (map.kind[province] === LAND && rule !== 'fails') return ARMY;
  const named = coast >= 0 && rule === 'fleetByCoast';
  return named ? FLEET : refuse(`got ${map.provinceTags[province]} without a letter, wanted A or F`);
};

const readBuild = (game: Game, reading: Reading, unit: NamedUnit): Order => {
  const { map } = game;
  const { province } = unit;
  if (letterOfBuild(game, reading, unit) === ARMY) return buildArmy(province);
  if (map.kind[province] === LAND) {
    if (reading.fleetBuildInland === 'army') return buildArmy(province);
    refuse(`got a fleet in ${map.provinceTags[province]}, wanted an army inland`);
  }
  if (map.coastCount[province] === 0) return buildFleet(province);
  const first = map.firstCoast[province];
  const coasts = Array.from({ length: map.coastCount[province] }, (_, i) => first + i);
  if (coasts.includes(unit.coast)) return buildFleet(unit.coast);
  return buildFleet(reading.buildCoast === 'default' ? first : asWanted(map, unit, coasts));
};

const checkSite = (game: Game, power: Power, province: Province): void => {
  const { map } = game;
  const tag = map.provinceTags[province];
  const center = map.centerIndex[province];
  if (center < 0) refuse(`${tag} is no supply centre`);
  if (!map.buildAnywhere && map.homePower[center] !== power)
    refuse(`${tag} is no home centre of ${map.powerNames[power]}`);
  if (game.owner(center) !== power) refuse(`${tag} is not owned by ${map.powerNames[power]}`);
  if (game.unitAt(province) !== NO_UNIT) refuse(`${standing(game, province)} stands there`);
};

/** Accepts builds and removals of one phase as long as any are due. */
class Adjustments {
  declare readonly game: Game;
  declare readonly reading: Reading;
  declare readonly due: Int32Array;
  declare readonly left: Int32Array;
  declare readonly done: Set<Province>;

  constructor(game: Game, due: Int32Array, reading: Reading) {
    this.game = game;
    this.reading = reading;
    this.due = due;
    this.left = Int32Array.from(due);
    this.done = new Set();
  }

  /** Uses up one of the builds (sign 1) or removals (-1) that are due. */
  use(power: Power, sign: number, what: string): void {
    if (this.due[power] * sign <= 0) refuseExtra(`no ${what} is due`);
    // If others than the first may count, all must be seen: settleSurplus().
    const { surplusBuilds, surplusRemovals } = this.reading;
    const rule = sign > 0 ? surplusBuilds : surplusRemovals;
    if (this.left[power] === 0 && (rule === 'first' || rule === 'refuse')) refuseExtra(`no ${what} left`);
    this.left[power] -= sign;
  }

  build(power: Power, unit: NamedUnit): Order {
    checkSite(this.game, power, unit.province);
    const { doubleBuilds: rule } = this.reading;
    if (this.done.has(unit.province) && (rule === 'first' || rule === 'refuse'))
      refuseExtra(`something is built in ${this.game.map.provinceTags[unit.province]} already`);
    const order = readBuild(this.game, this.reading, unit);
    this.use(power, 1, 'build');
    this.done.add(unit.province);
    return order;
  }

  remove(power: Power, subject: Subject, province: Province): Order {
    checkOwn(this.game, subject, province);
    if (this.done.has(province)) refuseExtra('already removed');
    this.use(power, -1, 'removal');
    this.done.add(province);
    return remove(this.game.unitLocation(province));
  }

  waive(power: Power): Order {
    if (this.reading.waive === 'no') refuse('builds cannot be waived under these rules');
    this.use(power, 1, 'build');
    return waive(power);
  }
}

const adjustmentInterpreter = (game: Game, due: Int32Array, reading: Reading): Interpreter => {
  const adjustments = new Adjustments(game, due, reading);
  const nobody: Subject = { unit: null, own: -1 };
  return (power, { kind, unit }) => {
    if (kind === 'waive') return judge(nobody, () => adjustments.waive(power));
    const subject = unit === null ? nobody : standingFor(game, power, unit.province);
    if (kind === 'build' && unit !== null) return judge(nobody, () => adjustments.build(power, unit));
    if (kind === 'disband' && unit !== null)
      return judge(subject, () => adjustments.remove(power, subject, unit.province));
    return misplaced(game, subject, kind, 'a build, a removal or a waive');
  };
};

/**
 * Returns a judge of the orders of the game's current phase. Call it for each order, those of a power from top to bottom:
 * it remembers the accepted orders.
 * @param retreats of a retreat phase
 * @param due builds (> 0) or removals (< 0) by power, of an adjustment phase
 * @param reading how orders are read; default: the preferences of DATC 3.2
 */
export const makeInterpreter = (
  game: Game,
  retreats: Retreats,
  due: Int32Array,
  reading: Reading = DATC_READING,
): Interpreter => {
  if (game.phase === MOVEMENT) return movementInterpreter(game, reading);
  return game.phase === RETREAT
    ? retreatInterpreter(game, retreats, reading)
    : adjustmentInterpreter(game, due, reading);
};
