// Judges an order of a client: the note that THX returns, and the order as the engine takes it.
import {
  ARMY,
  adjustmentDue,
  buildArmy,
  buildFleet,
  type CompiledMap,
  convoy,
  type Dislodged,
  disband,
  FLEET,
  type Game,
  hold,
  isLegal,
  LAND,
  type Location,
  MOVEMENT,
  move,
  moveVia,
  NO_UNIT,
  NONE,
  type Order,
  type Power,
  type Province,
  RETREAT,
  remove,
  retreat,
  SEA,
  supportHold,
  supportMove,
  testBit,
  unitPower,
  unitType,
} from '../../../engine/internal.js';
import type { WrittenOrder, WrittenPlace, WrittenUnit } from './client-messages.js';
import { Word } from './language.js';
import type { Representation } from './representation.js';

/** A turn as clients see it. */
export interface TurnPosition {
  readonly rep: Representation;
  readonly game: Game;
  /** MOVEMENT, RETREAT or ADJUSTMENT: what the turn asks for. */
  readonly kind: number;
  /** Dislodged units that have nowhere to go. The engine has taken them away, and their powers still disband them. */
  readonly doomed: readonly Dislodged[];
}

/** What a power has ordered in a winter so far. */
export interface OrderedAdjustments {
  /** Builds (> 0) or removals (< 0) that are not ordered yet. */
  readonly left: number;
  /** True if a build or a removal there is ordered. */
  isOrdered(province: Province): boolean;
}

/** A judgement. */
export interface Judged {
  /** MBV, or why the order is not possible. */
  readonly note: number;
  /** True if a server that accepts any orders accepts it: it is one for a unit of the client that has to be ordered. */
  readonly isOwn: boolean;
  /** NONE for an order that the engine does not take: one that is not possible, a waive, a disband of a doomed unit. */
  readonly packed: Order;
  /** Of the ordered unit; -1 for a waive. */
  readonly province: Province;
  /** Of a move by convoy: the provinces of its VIA. */
  readonly path: readonly Province[];
}

const judged = (note: number, isOwn: boolean, province: Province, packed: Order = NONE): Judged => ({
  note,
  isOwn,
  packed: note === Word.MBV ? packed : NONE,
  province,
  path: [],
});

const typeOf = (token: number): number => (token === Word.AMY ? ARMY : FLEET);

/** The place of a unit of a type; -1 if the map has none such, or the coast is missing. */
const placeOf = (rep: Representation, type: number, { province, coast }: WrittenPlace): Location => {
  const p = rep.province(province);
  if (p < 0) return -1;
  const needsCoast = type === FLEET && rep.map.coastCount[p] > 0;
  return needsCoast === (coast !== 0) ? rep.location(p, coast) : -1;
};

/** True if a unit with its power is the one that is written. */
const isWritten = (rep: Representation, unit: number, location: Location, written: WrittenUnit): boolean =>
  unit !== NO_UNIT &&
  unitPower(unit) === rep.power(written.power) &&
  unitType(unit) === typeOf(written.type) &&
  location === placeOf(rep, typeOf(written.type), written);

/** True if the unit that is written is on the board. */
const isThere = ({ rep, game }: TurnPosition, written: WrittenUnit): boolean => {
  const p = rep.province(written.province);
  return p >= 0 && isWritten(rep, game.unitAt(p), game.unitLocation(p), written);
};

const movementTypes: readonly number[] = [Word.HLD, Word.MTO, Word.SUP, Word.CVY, Word.CTO];
const retreatTypes: readonly number[] = [Word.RTO, Word.DSB];
const adjustmentTypes: readonly number[] = [Word.BLD, Word.REM, Word.WVE];

const typesOf = (kind: number): readonly number[] =>
  kind === MOVEMENT ? movementTypes : kind === RETREAT ? retreatTypes : adjustmentTypes;

// ---- movement ----

/** Where a move goes: a location, or why none can be found. */
const targetOf = (
  rep: Representation,
  type: number,
  written: WrittenPlace,
  reach: (to: Location) => boolean,
): number => {
  const { map } = rep;
  const p = rep.province(written.province);
  const location = placeOf(rep, type, written);
  if (location >= 0) return location;
  if (type === ARMY || written.coast !== 0) return -Word.FAR;
  const coasts = Array.from({ length: map.coastCount[p] }, (_, i) => map.firstCoast[p] + i);
  return coasts.some(reach) ? -Word.CST : -Word.FAR;
};

const judgeMove = (position: TurnPosition, at: Location, order: WrittenOrder, target: WrittenPlace): Judged => {
  const { rep, game } = position;
  const province = rep.map.locationProvince[at];
  const reaches = (to: Location): boolean => isLegal(game, move(at, to));
  const to = targetOf(rep, typeOf(order.unit.type), target, reaches);
  if (to < 0) return judged(-to, true, province);
  return judged(reaches(to) ? Word.MBV : Word.FAR, true, province, move(at, to));
};

const judgeSupport = (position: TurnPosition, at: Location, order: WrittenOrder, helped: WrittenUnit): Judged => {
  const { rep, game } = position;
  const province = rep.map.locationProvince[at];
  const from = rep.province(helped.province);
  if (from < 0) return judged(Word.NSP, true, province);
  if (!isThere(position, helped)) return judged(Word.NSU, true, province);
  const to = order.target === null ? from : rep.province(order.target.province);
  if (to < 0) return judged(Word.NSP, true, province);
  const packed = order.target === null ? supportHold(at, from) : supportMove(at, from, to);
  return judged(isLegal(game, packed) ? Word.MBV : Word.FAR, true, province, packed);
};

const isSea = (map: CompiledMap, province: Province): boolean => testBit(map.seas, 0, province) === 1;

const judgeConvoy = (position: TurnPosition, at: Location, order: WrittenOrder, helped: WrittenUnit): Judged => {
  const { rep, game } = position;
  const province = rep.map.locationProvince[at];
  if (order.unit.type !== Word.FLT) return judged(Word.NSF, true, province);
  if (!isSea(rep.map, province)) return judged(Word.NAS, true, province);
  const from = rep.province(helped.province);
  const to = rep.province(order.target?.province ?? 0);
  if (from < 0 || to < 0) return judged(Word.NSP, true, province);
  if (helped.type !== Word.AMY || !isThere(position, helped)) return judged(Word.NSA, true, province);
  const packed = convoy(at, from, to);
  return judged(isLegal(game, packed) ? Word.MBV : Word.FAR, true, province, packed);
};

/** Why a list of provinces is no way for an army; MBV if it is one. */
const judgePath = ({ rep, game }: TurnPosition, from: Province, path: readonly Province[], to: Province): number => {
  const { map } = rep;
  if (path.some((p) => p < 0)) return Word.NSP;
  if (path.some((p) => !isSea(map, p))) return Word.NAS;
  if (path.some((p) => game.unitAt(p) === NO_UNIT)) return Word.NSF;
  const links = path.every((p, i) => testBit(map.seaNeighbours, i === 0 ? from : path[i - 1], p) === 1);
  const lands = testBit(map.coastNeighbours, path[path.length - 1], to) === 1;
  const isPlain = new Set(path).size === path.length;
  return links && lands && isPlain && isLegal(game, moveVia(from, to)) ? Word.MBV : Word.FAR;
};

const judgeConvoyedMove = (position: TurnPosition, at: Location, order: WrittenOrder, target: WrittenPlace): Judged => {
  const { rep } = position;
  const from = rep.map.locationProvince[at];
  if (order.unit.type !== Word.AMY) return judged(Word.NSA, true, from);
  const to = rep.province(target.province);
  if (to < 0) return judged(Word.NSP, true, from);
  const path = order.path.map((token) => rep.province(token));
  return { ...judged(judgePath(position, from, path, to), true, from, moveVia(from, to)), path };
};

const judgeMovement = (position: TurnPosition, order: WrittenOrder): Judged => {
  const { rep } = position;
  const province = rep.province(order.unit.province);
  if (!isThere(position, order.unit)) return judged(Word.NSU, false, province);
  const at = placeOf(rep, typeOf(order.unit.type), order.unit);
  if (order.target !== null && rep.province(order.target.province) < 0) return judged(Word.NSP, true, province);
  if (order.type === Word.MTO && order.target !== null) return judgeMove(position, at, order, order.target);
  if (order.type === Word.CTO && order.target !== null) return judgeConvoyedMove(position, at, order, order.target);
  if (order.type === Word.SUP && order.helped !== null) return judgeSupport(position, at, order, order.helped);
  if (order.type === Word.CVY && order.helped !== null) return judgeConvoy(position, at, order, order.helped);
  return judged(Word.MBV, true, province, hold(at));
};

// ---- retreats ----

/** Dislodged units that can go somewhere. */
export const waitingUnits = ({ game }: TurnPosition): Dislodged[] =>
  game.phase === RETREAT ? Array.from({ length: game.dislodgedCount }, (_, i) => game.dislodged(i)) : [];

const judgeRetreat = (position: TurnPosition, order: WrittenOrder): Judged => {
  const { rep, game, doomed } = position;
  const province = rep.province(order.unit.province);
  const isIt = ({ unit, location }: Dislodged): boolean => isWritten(rep, unit, location, order.unit);
  if (doomed.some(isIt)) return judged(order.type === Word.DSB ? Word.MBV : Word.NVR, true, province);
  const found = waitingUnits(position).find(isIt);
  if (found === undefined) return judged(isThere(position, order.unit) ? Word.NRN : Word.NSU, false, province);
  if (order.target === null) return judged(Word.MBV, true, province, disband(found.location));
  if (rep.province(order.target.province) < 0) return judged(Word.NSP, true, province);
  const to = placeOf(rep, unitType(found.unit), order.target);
  const packed = retreat(found.location, Math.max(to, 0));
  return judged(to >= 0 && isLegal(game, packed) ? Word.MBV : Word.NVR, true, province, packed);
};

// ---- adjustments ----

const noteOfBuild = (
  position: TurnPosition,
  power: Power,
  order: WrittenOrder,
  ordered: OrderedAdjustments,
): number => {
  const { rep, game } = position;
  const { map } = rep;
  const province = rep.province(order.unit.province);
  const isFleet = order.unit.type === Word.FLT;
  if (map.kind[province] === (isFleet ? LAND : SEA)) return Word.CST;
  if (placeOf(rep, typeOf(order.unit.type), order.unit) < 0) return Word.CST;
  const center = map.centerIndex[province];
  if (center < 0) return Word.NSC;
  if (game.owner(center) !== power) return Word.YSC;
  if (!map.buildAnywhere && map.homePower[center] !== power) return Word.HSC;
  if (game.unitAt(province) !== NO_UNIT || ordered.isOrdered(province)) return Word.ESC;
  return ordered.left > 0 ? Word.MBV : Word.NMB;
};

const judgeAdjustment = (
  position: TurnPosition,
  power: Power,
  order: WrittenOrder,
  ordered: OrderedAdjustments,
): Judged => {
  const { rep } = position;
  if (order.type === Word.WVE) return judged(ordered.left > 0 ? Word.MBV : Word.NMB, false, -1);
  const province = rep.province(order.unit.province);
  const at = placeOf(rep, typeOf(order.unit.type), order.unit);
  if (order.type === Word.BLD) {
    const note = noteOfBuild(position, power, order, ordered);
    const packed = order.unit.type === Word.FLT ? buildFleet(Math.max(at, 0)) : buildArmy(province);
    return judged(note, ordered.left > 0, province, packed);
  }
  if (!isThere(position, order.unit)) return judged(Word.NSU, false, province);
  // The same removal once more asks for nothing.
  const isRoom = ordered.left < 0 || ordered.isOrdered(province);
  return judged(isRoom ? Word.MBV : Word.NMR, false, province, remove(at));
};

/** Judges an order that a power has sent. */
export const judgeOrder = (
  position: TurnPosition,
  power: Power,
  order: WrittenOrder,
  ordered: OrderedAdjustments,
): Judged => {
  const { rep, kind } = position;
  if (!typesOf(kind).includes(order.type)) return judged(Word.NRS, false, -1);
  if (rep.power(order.unit.power) !== power) return judged(Word.NYU, false, -1);
  if (order.type !== Word.WVE && rep.province(order.unit.province) < 0) return judged(Word.NSP, false, -1);
  if (kind === MOVEMENT) return judgeMovement(position, order);
  if (kind === RETREAT) return judgeRetreat(position, order);
  return judgeAdjustment(position, power, order, ordered);
};

const counts = new Uint8Array(256);

/** Centres less units of a power: builds (> 0), whether it has room for them or not, or removals (< 0). */
export const rawBalance = (game: Game, power: Power): number => {
  const due = adjustmentDue(game, power);
  if (due < 0) return due;
  game.countCenters(counts);
  const centers = counts[power];
  game.countUnits(counts);
  return Math.max(0, centers - counts[power]);
};
