// Holds the orders of one power in a turn. Checks each order of a client: finds the note for THX and the packed order.
import {
  adjustmentDue,
  type Dislodged,
  type Game,
  isLegal,
  type Location,
  makeOrder,
  NO_UNIT,
  type Order,
  OrderType,
  orderLocation,
  orderType,
  Phase,
  type Power,
  type Province,
  ProvinceKind,
  type Unit,
  UnitType,
  unitPower,
  unitType,
} from '../../../engine/index.js';
import { coastsOf, isNextTo, isSea } from './borders.js';
import type { WrittenOrder, WrittenPlace, WrittenUnit } from './client-messages.js';
import { integerToken, list, Word } from './language.js';
import { dislodgedUnits, positionUnit, type TurnPosition, waitingUnits } from './messages.js';
import type { Representation } from './representation.js';

/** Result of checking an order of a client. */
interface Judged {
  /** MBV for a valid order, or the word of the reason why it cannot be obeyed. With AOA it may still be accepted. */
  readonly note: number;
  /**
   * The packed order. 0 if the engine gets none: for an impossible order, a waive, or a disband of a unit without
   * retreat.
   */
  readonly packed: Order;
  /** Province of the ordered unit; -1 for a waive and for some refused orders. */
  readonly province: Province;
  /** Provinces after VIA of a move by convoy; empty for other orders. */
  readonly path: readonly Province[];
  /**
   * True if a server with AOA accepts the order: it is for a unit of the client that needs an order, or a build that is
   * due.
   */
  readonly isOwn: boolean;
}

/** An accepted order, as the adjudication of the turn and its ORD message use it. */
export interface Entry extends Omit<Judged, 'isOwn'> {
  /** Tokens as the client wrote them; null for an order of an agent of Lepanto. */
  readonly tokens: readonly number[] | null;
}

/** Result of checking an order for an existing unit. The packed order counts only if the note is MBV. */
type Noted = readonly [note: number, packed?: Order, path?: readonly Province[]];

const judged = (province: Province, isOwn: boolean, [note, packed = 0, path = []]: Noted): Judged => ({
  note,
  isOwn,
  packed: note === Word.MBV ? packed : 0,
  province,
  path,
});

const typeOf = (token: number): UnitType => (token === Word.AMY ? UnitType.ARMY : UnitType.FLEET);

/**
 * Returns the location of a unit, or -1 if it does not exist, if a fleet's coast is missing, or if a coast is
 * superfluous.
 */
const placeOf = (rep: Representation, type: number, { province, coast }: WrittenPlace): Location => {
  const p = rep.province(province);
  if (p < 0) return -1;
  const needsCoast = type === UnitType.FLEET && rep.map.coastCount[p] > 0;
  return needsCoast === (coast !== 0) ? rep.location(p, coast) : -1;
};

/** True if a unit at a location matches the written unit in power, type and place. */
const isWritten = (rep: Representation, unit: Unit, location: Location, written: WrittenUnit): boolean =>
  unit !== NO_UNIT &&
  unitPower(unit) === rep.power(written.power) &&
  unitType(unit) === typeOf(written.type) &&
  location === placeOf(rep, typeOf(written.type), written);

/** True if the written unit is on the board (dislodged units are not). */
const isThere = ({ rep, game }: TurnPosition, written: WrittenUnit): boolean => {
  const p = rep.province(written.province);
  return p >= 0 && isWritten(rep, game.unitAt(p), game.unitLocation(p), written);
};

/** Words of the order types that are allowed, keyed by kind of turn. */
const types: Readonly<Record<number, readonly number[]>> = {
  [Phase.MOVEMENT]: [Word.HLD, Word.MTO, Word.SUP, Word.CVY, Word.CTO],
  [Phase.RETREAT]: [Word.RTO, Word.DSB],
  [Phase.ADJUSTMENT]: [Word.BLD, Word.REM, Word.WVE],
};

// ---- movement ----

const farUnless = (isPossible: boolean, packed: Order): Noted => [isPossible ? Word.MBV : Word.FAR, packed];

const noteMove = ({ rep, game }: TurnPosition, at: Location, type: number, target: WrittenPlace): Noted => {
  const reaches = (to: Location): boolean => isLegal(game, makeOrder.move(at, to));
  const to = placeOf(rep, type, target);
  if (to >= 0) return farUnless(reaches(to), makeOrder.move(at, to));
  if (type === UnitType.ARMY || target.coast !== 0) return [Word.FAR];
  const p = rep.province(target.province);
  return [coastsOf(rep.map, p).some(reaches) ? Word.CST : Word.FAR];
};

const noteSupport = (position: TurnPosition, at: Location, helped: WrittenUnit, to: Province | null): Noted => {
  const from = position.rep.province(helped.province);
  if (from < 0) return [Word.NSP];
  if (!isThere(position, helped)) return [Word.NSU];
  const packed = to === null ? makeOrder.supportHold(at, from) : makeOrder.supportMove(at, from, to);
  return farUnless(isLegal(position.game, packed), packed);
};

const noteConvoy = (position: TurnPosition, at: Location, order: WrittenOrder, to: Province): Noted => {
  const { rep, game } = position;
  const { unit, helped } = order;
  if (unit.type !== Word.FLT) return [Word.NSF];
  if (!isSea(rep.map, rep.map.locationProvince[at])) return [Word.NAS];
  const from = rep.province(helped?.province ?? 0);
  if (helped === null || from < 0) return [Word.NSP];
  if (helped.type !== Word.AMY || !isThere(position, helped)) return [Word.NSA];
  const packed = makeOrder.convoy(at, from, to);
  return farUnless(isLegal(game, packed), packed);
};

/**
 * Returns MBV if an army can be convoyed over the provinces of `path`, from the first to the last, otherwise the word
 * of the reason.
 */
const notePath = ({ rep, game }: TurnPosition, from: Province, path: readonly Province[], to: Province): number => {
  const { map } = rep;
  if (path.some((p) => p < 0)) return Word.NSP;
  if (path.some((p) => !isSea(map, p))) return Word.NAS;
  if (path.some((p) => game.unitAt(p) === NO_UNIT)) return Word.NSF;
  const links = [...path, to].every((p, i) => isNextTo(map, i === 0 ? from : path[i - 1], p));
  const isPlain = path.length > 0 && new Set(path).size === path.length;
  return links && isPlain && isLegal(game, makeOrder.moveVia(from, to)) ? Word.MBV : Word.FAR;
};

const noteMovement = (position: TurnPosition, order: WrittenOrder): Noted => {
  const { rep } = position;
  const { type, unit, target, helped } = order;
  const at = placeOf(rep, typeOf(unit.type), unit);
  const to = target === null ? null : rep.province(target.province);
  if (to === -1) return [Word.NSP];
  if (type === Word.SUP && helped !== null) return noteSupport(position, at, helped, to);
  if (target === null || to === null) return [Word.MBV, makeOrder.hold(at)];
  if (type === Word.MTO) return noteMove(position, at, typeOf(unit.type), target);
  if (type === Word.CVY) return noteConvoy(position, at, order, to);
  if (unit.type !== Word.AMY) return [Word.NSA];
  const from = rep.province(unit.province);
  const path = order.path.map((token) => rep.province(token));
  return [notePath(position, from, path, to), makeOrder.moveVia(from, to), path];
};

// ---- retreats ----

const judgeRetreat = (position: TurnPosition, order: WrittenOrder): Judged => {
  const { rep, game, doomed } = position;
  const province = rep.province(order.unit.province);
  const isIt = ({ unit, location }: Dislodged): boolean => isWritten(rep, unit, location, order.unit);
  if (doomed.some(isIt)) return judged(province, true, [order.type === Word.DSB ? Word.MBV : Word.NVR]);
  const found = waitingUnits(position).find(isIt);
  if (found === undefined) return judged(province, false, [isThere(position, order.unit) ? Word.NRN : Word.NSU]);
  if (order.target === null) return judged(province, true, [Word.MBV, makeOrder.disband(found.location)]);
  if (rep.province(order.target.province) < 0) return judged(province, true, [Word.NSP]);
  const to = placeOf(rep, unitType(found.unit), order.target);
  const packed = makeOrder.retreat(found.location, Math.max(to, 0));
  return judged(province, true, [to >= 0 && isLegal(game, packed) ? Word.MBV : Word.NVR, packed]);
};

// ---- adjustments ----

const noteBuild = (book: OrderBook, order: WrittenOrder): number => {
  const { rep, game } = book.position;
  const { map } = rep;
  const province = rep.province(order.unit.province);
  const isFleet = order.unit.type === Word.FLT;
  if (map.kind[province] === (isFleet ? ProvinceKind.LAND : ProvinceKind.SEA)) return Word.CST;
  if (placeOf(rep, typeOf(order.unit.type), order.unit) < 0) return Word.CST;
  const center = map.centerIndex[province];
  if (center < 0) return Word.NSC;
  if (game.owner(center) !== book.power) return Word.YSC;
  if (!map.buildAnywhere && map.homePower[center] !== book.power) return Word.HSC;
  if (game.unitAt(province) !== NO_UNIT || book.isOrdered(province)) return Word.ESC;
  return book.left > 0 ? Word.MBV : Word.NMB;
};

const judgeOrder = (book: OrderBook, order: WrittenOrder): Judged => {
  const { position, power } = book;
  const { rep, kind } = position;
  const { type, unit } = order;
  const province = rep.province(unit.province);
  if (!types[kind].includes(type)) return judged(-1, false, [Word.NRS]);
  if (rep.power(unit.power) !== power) return judged(-1, false, [Word.NYU]);
  if (type === Word.WVE) return judged(-1, false, [book.left > 0 ? Word.MBV : Word.NMB]);
  if (province < 0) return judged(-1, false, [Word.NSP]);
  if (kind === Phase.RETREAT) return judgeRetreat(position, order);
  const at = placeOf(rep, typeOf(unit.type), unit);
  if (type === Word.BLD) {
    const packed = unit.type === Word.FLT ? makeOrder.buildFleet(Math.max(at, 0)) : makeOrder.buildArmy(province);
    return judged(province, book.left > 0, [noteBuild(book, order), packed]);
  }
  if (!isThere(position, unit)) return judged(province, false, [Word.NSU]);
  if (kind === Phase.MOVEMENT) return judged(province, true, noteMovement(position, order));
  // Repeating a removal replaces the first one, so it needs no further removal to be due.
  const isRoom = book.left < 0 || book.isOrdered(province);
  return judged(province, false, [isRoom ? Word.MBV : Word.NMR, makeOrder.remove(at)]);
};

const counts = new Uint8Array(256);

/**
 * Returns the difference between centres and units of a power: builds due (> 0), with or without room for them, or
 * removals due (< 0).
 */
export const rawBalance = (game: Game, power: Power): number => {
  const due = adjustmentDue(game, power);
  if (due < 0) return due;
  game.countCenters(counts);
  const centers = counts[power];
  game.countUnits(counts);
  return Math.max(0, centers - counts[power]);
};

/** The orders of one power in the current turn. */
export class OrderBook {
  /** Accepted orders, oldest first. Only the latest order of a unit is kept. */
  private entries: Entry[] = [];
  /** Builds (> 0) or removals (< 0) due in this turn. */
  private due = 0;

  /**
   * Creates a book without orders for the turn of `position`.
   * @param anyOrders true to accept impossible orders (AOA)
   */
  constructor(
    public position: TurnPosition,
    readonly power: Power,
    private readonly anyOrders: boolean,
  ) {
    this.begin(position);
  }

  /** Starts a new turn: removes all orders, and determines the builds or removals that are due. */
  begin(position: TurnPosition): void {
    this.position = position;
    this.entries = [];
    this.due = position.kind === Phase.ADJUSTMENT ? rawBalance(position.game, this.power) : 0;
  }

  get orders(): readonly Entry[] {
    return this.entries;
  }
  /** Builds (> 0) or removals (< 0) that have not been ordered yet. */
  get left(): number {
    return this.due > 0 ? Math.max(0, this.due - this.entries.length) : Math.min(0, this.due + this.entries.length);
  }
  isOrdered(province: Province): boolean {
    return this.entries.some((entry) => entry.province === province);
  }

  /** Provinces of the units that need orders in a movement or retreat turn. */
  private units(): Province[] {
    const { game, kind } = this.position;
    const isOwn = (unit: number): boolean => unitPower(unit) === this.power;
    if (kind === Phase.RETREAT)
      return dislodgedUnits(this.position)
        .filter(({ unit }) => isOwn(unit))
        .map(({ province }) => province);
    return Array.from({ length: game.map.provinceCount }, (_, p) => p).filter((p) => isOwn(game.unitAt(p)));
  }

  /** True if the power needs to give orders in this turn, whether or not it has given them. */
  get hasDue(): boolean {
    return this.position.kind === Phase.ADJUSTMENT ? this.due !== 0 : this.units().length > 0;
  }
  /** True if a unit of the power has no order, or if builds or removals have not been ordered. */
  get isDue(): boolean {
    return this.missing().length > 1;
  }

  /**
   * Returns the tokens of MIS with the units that have no orders, or in an adjustment turn with the number of missing
   * removals (negative for builds). MIS alone if no order is missing.
   */
  missing(): number[] {
    const { kind } = this.position;
    if (kind === Phase.ADJUSTMENT) return this.left === 0 ? [Word.MIS] : [Word.MIS, ...list(integerToken(-this.left))];
    const open = this.units().filter((province) => !this.isOrdered(province));
    return [Word.MIS, ...open.flatMap((province) => positionUnit(this.position, province, kind === Phase.RETREAT))];
  }

  private add(entry: Entry): void {
    if (entry.province >= 0) this.entries = this.entries.filter(({ province }) => province !== entry.province);
    this.entries.push(entry);
  }

  /** Checks an order of a client and adds it if it is accepted. Returns MBV if so, otherwise the word of the reason. */
  submit(order: WrittenOrder): number {
    const { isOwn, ...judged } = judgeOrder(this, order);
    const { note, province } = judged;
    if (note !== Word.MBV && !(this.anyOrders && isOwn)) return note;
    const illegalBuild = note !== Word.MBV && this.position.kind === Phase.ADJUSTMENT;
    this.add({ ...judged, tokens: order.tokens, province: illegalBuild ? -1 : province });
    return Word.MBV;
  }

  /**
   * Removes an order that was written with the same tokens, or all orders if `order` is null. Returns false if there is
   * no such order.
   */
  cancel(order: WrittenOrder | null): boolean {
    if (order === null) {
      this.entries = [];
      return true;
    }
    const text = order.tokens.join();
    const at = this.entries.findIndex(({ tokens }) => tokens?.join() === text);
    if (at < 0) return false;
    this.entries.splice(at, 1);
    return true;
  }

  /** Adds packed orders of an agent of Lepanto without checking them. */
  choose(orders: Int32Array): void {
    const { locationProvince } = this.position.game.map;
    for (const packed of orders) {
      const province = orderType(packed) === OrderType.WAIVE ? -1 : locationProvince[orderLocation(packed)];
      this.add({ tokens: null, packed, note: Word.MBV, province, path: [] });
    }
  }
}
