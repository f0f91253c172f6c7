// Resolves orders slowly and literally: applies the conditions of DATC 3.2, chapter 5.B, and then its prose about orders
// that depend on each other. It shares only the tables of the map and the packing of orders with the engine, and ignores
// speed. differential.ts compares the engine with it.
//
// 1. Every order but a hold is a decision: yes, no, or open. Settle every decision that follows from settled ones, again
//    and again until nothing more follows.
// 2. Take a circle of open decisions that depend on no open decision outside it, and try all its outcomes. If exactly one
//    is consistent, take it. Otherwise the backup rule decides: if all are moves, they succeed; if there are convoys,
//    these fail (Szykman), or what the rules say instead.
// 3. Repeat from 1 until nothing is open.
//
// Other rules than the default ones follow the sentences of DATC 4.A and of the 1998 guide literally. So do the maps with a
// railroad, a canal, difficult borders or convoyable coasts those of DATC 2.4, chapters 7 to 10: there are more decisions
// then, which belong to no order, strengths that are less than 0, and other ways out of a circle.

import type { CompiledMap, SpecialTables } from '../../engine/map/compiled-map.js';
import { testBit } from '../../engine/rules/bitset.js';
import { DATC_3_2, type Rules, ruleValue } from '../../engine/rules/options.js';
import * as O from '../../engine/rules/order.js';
import * as T from '../../engine/rules/types.js';

/** What the oracle says of one movement phase. Arrays by province. */
export interface OracleOutcome {
  /** Result words of engine/rules/types.ts. Meaningless where there is no unit. */
  readonly result: Uint8Array;
  /** Province that the attacker came from which dislodged the unit; -1 if it was not dislodged. */
  readonly attacker: Int16Array;
  /** 1 where the army goes, or tries to go, by convoy. */
  readonly convoyed: Uint8Array;
  /** 1 where the province is empty afterwards because moves bounced in it. */
  readonly contested: Uint8Array;
  /** Circles of open decisions that were met: circular movements, paradoxes, and those with a single solution. */
  readonly circular: number;
  readonly paradoxes: number;
  readonly solved: number;
  /** Most convoys in one paradox: 2 or more in those of higher order. */
  readonly convoys: number;
  /** Province where a train that left ended its ride; -1 without one. */
  readonly rideEnd: number;
}

/** What the orders of a special map are played under besides. */
export interface OracleGivens {
  /** Provinces that are lost centres. */
  readonly lost: ReadonlySet<number>;
}

/** Of orders, and of decisions that belong to none: PASS of the canal; ROOM, ON and TRY of a stretch of the railroad. */
type Kind = 'hold' | 'move' | 'support' | 'convoy' | 'rail' | 'pass' | 'room' | 'on' | 'try';
const TRIED: readonly Kind[] = ['move', 'support', 'convoy'];
/** What follows from those, in the order in which it does. */
const DERIVED: readonly Kind[] = ['pass', 'room', 'on', 'try', 'rail'];

/** A unit with its order. Provinces stand for units: no two units are in one. */
interface Piece {
  readonly at: number;
  readonly power: number;
  readonly isFleet: boolean;
  readonly kind: Kind;
  /** Province entered, or acted on. */
  readonly target: number;
  /** Location that the order names, a coast perhaps. */
  readonly targetLocation: number;
  /** Of a convoy: where its fleet is. */
  readonly berth: number;
  /** Province of the unit that is supported or convoyed. */
  readonly helped: number;
  readonly via: boolean;
  /** Of a decision about a stretch: its number, from 1. */
  readonly stretch: number;
  byConvoy: boolean;
  /** An army that goes by convoy if one holds, and else by land. */
  eitherWay: boolean;
  /** An army that a paradox keeps where it is. */
  stopped: boolean;
  /** The helped unit was ordered to do what this order helps it with. */
  matched: boolean;
  readonly supporters: Piece[];
  fleets: Piece[];
}

/** A strength that is not there. */
const NONE = -1;

const NO = 0;
const YES = 1;
const OPEN = 2;

/** Decisions of one circle, and open decisions under one condition, that are tried out at most. */
const MOST_TRIED = 20;

const kindOf = (order: O.Order): Kind => {
  const type = O.orderType(order);
  if (type === O.MOVE) return 'move';
  if (type === O.RAIL) return 'rail';
  if (type === O.SUPPORT_HOLD || type === O.SUPPORT_MOVE) return 'support';
  return type === O.CONVOY ? 'convoy' : 'hold';
};

/** Makes a piece. The `at` of a decision that belongs to no order is a number that no province has. */
const makePiece = (fields: Pick<Piece, 'at' | 'kind'> & Partial<Piece>): Piece => ({
  power: -1,
  isFleet: false,
  target: -1,
  targetLocation: -1,
  berth: -1,
  helped: -1,
  via: false,
  stretch: 0,
  byConvoy: false,
  eitherWay: false,
  stopped: false,
  matched: true,
  supporters: [],
  fleets: [],
  ...fields,
});

const readPiece = (map: CompiledMap, at: number, unit: number, order: O.Order): Piece => {
  const kind = kindOf(order);
  const targetLocation = kind === 'hold' ? at : O.orderTarget(order);
  return makePiece({
    at,
    power: T.unitPower(unit),
    isFleet: T.unitType(unit) === T.FLEET,
    kind,
    target: map.locationProvince[targetLocation],
    targetLocation,
    berth: kind === 'convoy' ? O.orderLocation(order) : at,
    helped: kind === 'support' || kind === 'convoy' ? O.orderHelped(order) : -1,
    via: kind === 'move' && O.orderVia(order) === 1,
  });
};

const isOrder = ({ kind }: Piece): boolean => kind === 'hold' || kind === 'rail' || TRIED.includes(kind);
/** A unit that is elsewhere if it succeeds. */
const goes = ({ kind }: Piece): boolean => kind === 'move' || kind === 'rail';

const supportMatches = (map: CompiledMap, support: Piece, order: O.Order, helped: Piece | undefined): boolean => {
  if (helped === undefined) return false;
  if (O.orderType(order) === O.SUPPORT_HOLD) return !goes(helped);
  if (!goes(helped) || helped.target !== support.target) return false;
  return support.targetLocation < map.provinceCount || support.targetLocation === helped.targetLocation;
};

const convoyMatches = (convoy: Piece, army: Piece | undefined): boolean =>
  army !== undefined && !army.isFleet && army.kind === 'move' && army.target === convoy.target;

/** One order set on its way to an outcome. */
class Judgement {
  private readonly pieces: Piece[] = [];
  private readonly pieceAt: (Piece | undefined)[];
  /** Movers into each province, its own unit or none in it. */
  private readonly moversTo: Piece[][] = [];
  /** By province of the piece: YES, NO or OPEN. */
  private readonly value: Uint8Array;
  /** Open decisions that conditions have read since the set was last cleared. */
  private readonly asked = new Set<Piece>();
  private readonly special: SpecialTables | null = this.map.special;
  private readonly lost: ReadonlySet<number>;
  /** The provinces of the ride, the first where the train is; none without one. */
  private trip: number[] = [];
  private train: Piece | undefined;
  /** Trains that hold, because there are several. */
  private readonly stranded = new Set<Piece>();
  /** Decisions by stretch, and that of the canal. */
  private readonly rooms: Piece[] = [];
  private readonly ons: Piece[] = [];
  private readonly tries: Piece[] = [];
  private pass: Piece | undefined;
  /** The fleet that has leave. */
  private permitted: Piece | undefined;
  private circular = 0;
  private paradoxes = 0;
  private solved = 0;
  private convoys = 0;

  constructor(
    private readonly map: CompiledMap,
    units: Uint8Array,
    orders: Int32Array,
    private readonly rules: Rules,
    givens: OracleGivens,
  ) {
    this.lost = givens.lost;
    this.pieceAt = new Array(map.provinceCount).fill(undefined);
    for (let p = 0; p < map.provinceCount; p++) {
      this.moversTo.push([]);
      if (units[p] === T.NO_UNIT) continue;
      const piece = readPiece(map, p, units[p], orders[p]);
      this.pieces.push(piece);
      this.pieceAt[p] = piece;
    }
    this.layRide();
    this.openCanal(orders);
    this.value = new Uint8Array(Math.max(...this.pieces.map(({ at }) => at), 0) + 1);
    for (const piece of this.pieces.filter(isOrder)) this.match(piece, orders[piece.at]);
    for (const piece of this.pieces) if (piece.kind === 'move') this.chooseWay(piece);
    for (const piece of this.pieces) this.value[piece.at] = this.isDecision(piece) ? OPEN : NO;
  }

  /** One train rides; several hold. */
  private layRide(): void {
    const trains = this.pieces.filter(({ kind }) => kind === 'rail');
    if (this.special === null || trains.length === 0) return;
    if (trains.length > 1) {
      for (const train of trains) {
        const holding: Piece = { ...train, kind: 'hold', target: train.at, targetLocation: train.at };
        this.pieces[this.pieces.indexOf(train)] = holding;
        this.pieceAt[train.at] = holding;
        this.stranded.add(holding);
      }
      return;
    }
    const [train] = trains;
    this.train = train;
    const { line } = this.special;
    const [from, to] = [line.indexOf(train.at), line.indexOf(train.target)];
    for (let i = from; i !== to; i += Math.sign(to - from)) this.trip.push(line[i]);
    this.trip.push(train.target);
    for (let i = 1; i < this.trip.length; i++) {
      this.rooms[i] = this.addDecision('room', i);
      this.tries[i] = this.addDecision('try', i);
      if (i + 1 < this.trip.length) this.ons[i] = this.addDecision('on', i);
    }
  }

  private addDecision(kind: Kind, stretch: number): Piece {
    const decision = makePiece({ at: this.map.provinceCount + this.pieces.length, kind, stretch });
    this.pieces.push(decision);
    return decision;
  }

  /** Who has leave is known before all else (DATC 2.4, 7.C). */
  private openCanal(orders: Int32Array): void {
    if (this.special === null || this.special.canal.length === 0) return;
    const { canal, control } = this.special;
    const controller = this.pieceAt[control];
    if (controller === undefined) return;
    const named = O.orderLeave(orders[control]);
    const own = canal
      .map((p) => this.pieceAt[p])
      .filter((fleet) => fleet !== undefined && this.passesCanal(fleet) && fleet.power === controller.power);
    this.permitted = named > 0 ? this.pieceAt[canal[named - 1]] : undefined;
    this.permitted ??= own.length === 1 ? own[0] : undefined;
    this.pass = this.addDecision('pass', 0);
  }

  private passesCanal(piece: Piece): boolean {
    const canal = this.special?.canal ?? [];
    return piece.kind === 'move' && canal.includes(piece.at) && canal.includes(piece.target);
  }

  /** An army over a difficult border, but not by convoy. */
  private crosses(piece: Piece): boolean {
    if (this.special === null || piece.kind !== 'move' || piece.isFleet || piece.byConvoy) return false;
    return testBit(this.special.difficult, piece.at, piece.target) === 1;
  }

  private match(piece: Piece, order: O.Order): void {
    if (piece.kind === 'move') this.moversTo[piece.target].push(piece);
    const helped = piece.helped < 0 ? undefined : this.pieceAt[piece.helped];
    if (piece.kind !== 'support' && piece.kind !== 'convoy') return;
    piece.matched =
      piece.kind === 'support' ? supportMatches(this.map, piece, order, helped) : convoyMatches(piece, helped);
    if (piece.matched) (piece.kind === 'support' ? helped?.supporters : helped?.fleets)?.push(piece);
  }

  /** 4.A.1 and 4.A.3: which fleets take the army, and whether it goes with them. */
  private chooseWay(move: Piece): void {
    if (move.isFleet) {
      // Only an order that cannot be obeyed makes a fleet go VIA: it stays, and cannot be supported in its place.
      move.byConvoy = move.via;
      return;
    }
    const own = move.fleets.filter((fleet) => fleet.power === move.power);
    if (this.rules.preferOwnConvoy && this.simpleChains(move, own).length > 0) this.keepFleets(move, own);
    const chains = this.simpleChains(move, move.fleets);
    if (this.routesAll && chains.length > 0) this.keepFleets(move, chains.flat());
    this.chooseSide(move, own.length > 0, chains.length > 0);
  }

  private chooseSide(move: Piece, ownFleet: boolean, ordered: boolean): void {
    if (!this.isNextTo(move)) {
      move.byConvoy = true;
      return;
    }
    const intended = move.via || ownFleet;
    const occupant = this.pieceAt[move.target];
    const opposed = occupant?.kind === 'move' && occupant.target === move.at;
    const fallback = ruleValue(this.rules, 'convoyFallback');
    switch (ruleValue(this.rules, 'adjacentConvoy')) {
      case 'intent':
        move.byConvoy = intended && (fallback === 'none' || (fallback === 'unordered' && ordered));
        move.eitherWay = intended && fallback === 'broken' && ordered;
        break;
      case 'always':
        move.byConvoy = ordered;
        break;
      case 'opposite':
        move.byConvoy = ordered && opposed;
        break;
      case 'written':
        move.byConvoy = move.via;
        break;
      default:
        move.eitherWay = ordered && opposed;
    }
  }

  /** An army can go there without a convoy, over a difficult border too. */
  private isNextTo(move: Piece): boolean {
    const { reach, special } = this.map;
    return (
      testBit(reach, move.at, move.target) === 1 ||
      (special !== null && testBit(special.difficult, move.at, move.target) === 1)
    );
  }

  /** A fleet that convoys takes up an army there, or lands it. */
  private touches(province: number, fleet: Piece): boolean {
    const { map } = this;
    if (this.special === null) return testBit(map.seaNeighbours, province, fleet.at) === 1;
    return testBit(map.reach, map.locationCount + fleet.berth, province) === 1;
  }

  /** The one fleet could move to where the other is. */
  private areLinked(a: Piece, b: Piece): boolean {
    if (this.special === null) return testBit(this.map.seaNeighbours, a.at, b.at) === 1;
    return testBit(this.special.fleetReach, a.berth, b.berth) === 1;
  }

  private get routesAll(): boolean {
    return ruleValue(this.rules, 'convoyRoutes') === 'all';
  }

  private keepFleets(move: Piece, fleets: readonly Piece[]): void {
    for (const fleet of move.fleets) if (!fleets.includes(fleet)) fleet.matched = false;
    move.fleets = move.fleets.filter((fleet) => fleets.includes(fleet));
  }

  /** Every chain of these fleets that passes no sea twice. */
  private simpleChains(move: Piece, fleets: readonly Piece[]): Piece[][] {
    const extend = (chain: Piece[]): Piece[][] => {
      const last = chain.at(-1);
      const ends = last !== undefined && this.touches(move.target, last) ? [chain] : [];
      const follows = (fleet: Piece): boolean =>
        last === undefined ? this.touches(move.at, fleet) : this.areLinked(last, fleet);
      const next = fleets.filter((fleet) => !chain.includes(fleet) && follows(fleet));
      return [...ends, ...next.flatMap((fleet) => extend([...chain, fleet]))];
    };
    return extend([]);
  }

  private isDecision(piece: Piece): boolean {
    return piece.kind !== 'hold' && piece.matched;
  }

  // ---- the conditions of 5.B ----
  // `most` asks for the most that a condition can come to while something is open, `!most` for the least. When nothing is
  // open both are the same.

  /** Whether the order may succeed (most), or must (least). */
  private succeeds(piece: Piece, most: boolean): boolean {
    const value = this.value[piece.at];
    if (value === OPEN) this.asked.add(piece);
    return value === YES || (most && value === OPEN);
  }

  private path(move: Piece, most: boolean): boolean {
    if (this.passesCanal(move))
      return move === this.permitted && this.pass !== undefined && this.succeeds(this.pass, most);
    return !move.byConvoy || this.chain(move, (fleet) => this.succeeds(fleet, most));
  }

  /** The army's convoy holds if these fleets are usable. */
  private chain(move: Piece, usable: (fleet: Piece) => boolean): boolean {
    if (move.stopped) return false;
    if (this.routesAll) return this.anyChain(move, () => true) && move.fleets.every(usable);
    return this.anyChain(move, usable);
  }

  /** A chain of adjacent fleets from origin to destination. */
  private anyChain(move: Piece, usable: (fleet: Piece) => boolean): boolean {
    const fleets = move.fleets.filter(usable);
    const reached = fleets.filter((fleet) => this.touches(move.at, fleet));
    for (let i = 0; i < reached.length; i++) {
      if (this.touches(move.target, reached[i])) return true;
      for (const next of fleets) if (!reached.includes(next) && this.areLinked(reached[i], next)) reached.push(next);
    }
    return false;
  }

  /** The move against this one, if neither goes by convoy for certain. */
  private opponent(move: Piece): Piece | undefined {
    const other = this.pieceAt[move.target];
    if (other !== undefined && other === this.train)
      return this.trip[1] === move.at && !move.byConvoy ? other : undefined;
    if (other === undefined || other.kind !== 'move' || other.target !== move.at) return undefined;
    if (this.passesCanal(move) || this.passesCanal(other)) return undefined;
    return move.byConvoy || other.byConvoy ? undefined : other;
  }

  /** The move against this one in a head-to-head; `most` asks whether there may be one. */
  private headToHead(move: Piece, most: boolean): Piece | undefined {
    const other = this.opponent(move);
    if (other === undefined || this.goesByConvoy(move, !most) || this.goesByConvoy(other, !most)) return undefined;
    return other;
  }

  private goesByConvoy(move: Piece, most: boolean): boolean {
    return move.eitherWay && this.chain(move, (fleet) => this.succeeds(fleet, most));
  }

  private countSupports(piece: Piece, most: boolean, notOf = -1): number {
    return piece.supporters.filter((support) => support.power !== notOf && this.succeeds(support, most)).length;
  }

  /** Without supports: 1, but 0 over a difficult border. */
  private own(move: Piece): number {
    return this.crosses(move) ? 0 : 1;
  }

  private attackStrength(move: Piece, most: boolean, opponent: Piece | undefined): number {
    if (!this.path(move, most)) return NONE;
    const occupant = this.pieceAt[move.target];
    if (occupant === undefined) return this.own(move) + this.countSupports(move, most);
    const leaves = goes(occupant) && opponent === undefined && this.succeeds(occupant, most);
    if (!leaves && occupant.power === move.power) return NONE;
    return this.own(move) + this.countSupports(move, most, leaves ? -1 : occupant.power);
  }

  private defendStrength(move: Piece, most: boolean): number {
    return move === this.train ? this.stretchStrength(1, most) : this.own(move) + this.countSupports(move, most);
  }

  private preventStrength(move: Piece, most: boolean): number {
    if (!this.path(move, most)) return NONE;
    const opponent = this.headToHead(move, !most);
    if (opponent !== undefined && this.succeeds(opponent, !most)) return NONE;
    if (this.isDislodgedFromTarget(move, !most)) return NONE;
    return this.own(move) + this.countSupports(move, most);
  }

  /** 4.A.7, choice a: it failed, and the unit that it attacked came to its province, by whatever way. */
  private isDislodgedFromTarget(move: Piece, most: boolean): boolean {
    if (ruleValue(this.rules, 'dislodgedNoEffect') !== 'always') return false;
    const occupant = this.pieceAt[move.target];
    if (occupant === undefined || occupant.kind !== 'move' || occupant.target !== move.at) return false;
    return this.succeeds(occupant, most) && !this.succeeds(move, !most);
  }

  private holdStrength(province: number, most: boolean): number {
    const occupant = this.pieceAt[province];
    if (occupant === undefined) return NONE;
    if (goes(occupant)) return this.succeeds(occupant, !most) ? NONE : 1;
    return 1 + this.countSupports(occupant, most);
  }

  private moveCondition(move: Piece, most: boolean): boolean {
    return this.beatsUnits(move, most) && this.beatsTrain(move, most);
  }

  private beatsUnits(move: Piece, most: boolean): boolean {
    const may = this.headToHead(move, true);
    const must = this.headToHead(move, false);
    if (may === must) return this.beatsAll(move, most, may);
    const answers = [this.beatsAll(move, most, may), this.beatsAll(move, most, must)];
    return most ? answers.includes(true) : !answers.includes(false);
  }

  private beatsAll(move: Piece, most: boolean, opponent: Piece | undefined): boolean {
    const attack = this.attackStrength(move, most, opponent);
    const against =
      opponent === undefined ? this.holdStrength(move.target, !most) : this.defendStrength(opponent, !most);
    if (attack <= against) return false;
    const strength =
      ruleValue(this.rules, 'ownSupportVsRivals') === 'yes' ? 1 + this.countSupports(move, most) : attack;
    return this.moversTo[move.target].every((other) => other === move || strength > this.preventStrength(other, !most));
  }

  private supportCondition(support: Piece, most: boolean): boolean {
    return this.moversTo[support.at].every((move) => {
      if (this.crosses(move) && this.countSupports(move, !most, support.power) === 0) return true;
      if (this.isSpared(support, move, most)) return true;
      if (this.succeeds(move, !most)) return false;
      return move.power === support.power || this.comesFromTarget(support, move) || !this.path(move, !most);
    });
  }

  /** The support acts on the province that the attack comes from; convoyed attacks may count as coming from the sea. */
  private comesFromTarget(support: Piece, move: Piece): boolean {
    if (move.at !== support.target) return false;
    return !move.byConvoy || ruleValue(this.rules, 'cutFromOrigin') === 'no';
  }

  /** 4.A.2, the rulebooks: this convoyed army does not cut this support. */
  private isSpared(support: Piece, move: Piece, most: boolean): boolean {
    const rule = ruleValue(this.rules, 'paradox');
    const fleet = this.pieceAt[support.target];
    if (!move.byConvoy || fleet?.kind !== 'convoy' || !fleet.matched) return false;
    if (rule === '1982') return true;
    const isAttack = this.pieceAt[support.helped]?.kind === 'move';
    if (!isAttack || fleet.helped !== move.at) return false;
    if (rule === '1971') return true;
    return rule === '2000' && !this.chain(move, (other) => other !== fleet && this.succeeds(other, !most));
  }

  private condition(piece: Piece, most: boolean): boolean {
    const { kind, stretch } = piece;
    switch (kind) {
      case 'move':
        return this.moveCondition(piece, most);
      case 'support':
        return this.supportCondition(piece, most);
      case 'convoy':
        return this.moversTo[piece.at].every((move) => !this.succeeds(move, !most));
      case 'pass':
        return this.passCondition(most);
      case 'room':
        return this.roomCondition(stretch, most);
      case 'on':
        return this.onCondition(stretch, most);
      case 'try':
        return this.ons.every((on) => on.stretch >= stretch || this.succeeds(on, most));
      default:
        return this.rooms.some((room, i) => this.succeeds(this.tries[i], most) && this.succeeds(room, most));
    }
  }

  // ---- the railroad and the canal ----

  /** The unit that controls the canal neither leaves nor is dislodged. */
  private passCondition(most: boolean): boolean {
    const control = this.special?.control ?? -1;
    const controller = this.pieceAt[control];
    const leaves = controller !== undefined && goes(controller) && this.succeeds(controller, !most);
    return !leaves && this.moversTo[control].every((move) => !this.succeeds(move, !most));
  }

  /** 1, on the last stretch with the given supports. */
  private stretchStrength(stretch: number, most: boolean): number {
    if (this.train === undefined || stretch < this.trip.length - 1) return 1;
    return 1 + this.countSupports(this.train, most);
  }

  /** The unit in the first province comes towards the train. */
  private get oncoming(): Piece | undefined {
    const other = this.pieceAt[this.trip[1] ?? -1];
    return other?.kind === 'move' && this.opponent(other) === this.train ? other : undefined;
  }

  private beatsTrain(move: Piece, most: boolean): boolean {
    const stretch = this.trip.indexOf(move.target);
    if (stretch < 1 || !this.succeeds(this.tries[stretch], !most)) return true;
    if (stretch === 1 && this.oncoming !== undefined && this.succeeds(this.oncoming, most)) return true;
    const attack = this.attackStrength(move, most, this.headToHead(move, !most));
    return attack > this.stretchStrength(stretch, !most);
  }

  /** It is stronger than what keeps others from there of the move that would get in but for the train. */
  private beatsRival(stretch: number, most: boolean): boolean {
    const strength = this.stretchStrength(stretch, most);
    return this.moversTo[this.trip[stretch]].every(
      (move) => !this.beatsUnits(move, !most) || strength > this.preventStrength(move, !most),
    );
  }

  private roomCondition(stretch: number, most: boolean): boolean {
    const occupant = this.pieceAt[this.trip[stretch]];
    if (stretch === 1 && this.oncoming !== undefined) return false;
    if (occupant !== undefined && !(goes(occupant) && this.succeeds(occupant, most))) return false;
    return this.beatsRival(stretch, most);
  }

  /** Both cases: its unit leaves, or it stays. */
  private onCondition(stretch: number, most: boolean): boolean {
    const to = this.trip[stretch];
    const occupant = this.pieceAt[to];
    if (stretch === 1 && this.oncoming !== undefined) return false;
    const through = !this.lost.has(to) && this.beatsRival(stretch, most);
    if (occupant === undefined) return through;
    const past =
      occupant.power === this.special?.railPower && this.moversTo[to].every((move) => !this.succeeds(move, !most));
    if (!goes(occupant)) return past;
    const leaves = this.succeeds(occupant, true);
    const stays = !this.succeeds(occupant, false);
    return most ? (leaves && through) || (stays && past) : (!leaves || through) && (!stays || past);
  }

  // ---- what is certain ----

  private open(): Piece[] {
    return this.pieces.filter((piece) => this.value[piece.at] === OPEN);
  }

  private settleWhatIsCertain(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const piece of this.open()) {
        if (!this.condition(piece, true)) this.value[piece.at] = NO;
        else if (this.condition(piece, false)) this.value[piece.at] = YES;
        else continue;
        changed = true;
      }
    }
  }

  // ---- what is open ----

  /**
   * Finds the open decisions that a condition reads, and evaluates it for each of their outcomes: bit i of the index of
   * `answers` is decision i.
   */
  private tabulate(piece: Piece): Condition {
    const names: Piece[] = [];
    const answers: boolean[] = [];
    for (let outcome = 0; outcome < 1 << names.length; outcome++) {
      for (const [i, name] of names.entries()) this.value[name.at] = (outcome >> i) & 1;
      this.asked.clear();
      answers[outcome] = this.condition(piece, true);
      if (this.asked.size === 0) continue;
      // The condition has read more open decisions: start again with these in the table.
      names.push(...this.asked);
      if (names.length > MOST_TRIED) throw new Error(`oracle: ${names.length} open decisions under one condition`);
      outcome = -1;
    }
    for (const name of names) this.value[name.at] = OPEN;
    const matters = (bit: number): boolean => answers.some((answer, outcome) => answer !== answers[outcome ^ bit]);
    return { piece, names, answers, leansOn: names.filter((_, i) => matters(1 << i)) };
  }

  /** Settles one circle that leans on nothing open outside it. */
  private settleCircle(open: Piece[]): void {
    const conditions = open.map((piece) => this.tabulate(piece));
    const certain = conditions.find((condition) => condition.leansOn.length === 0);
    if (certain !== undefined) {
      this.value[certain.piece.at] = certain.answers[0] ? YES : NO;
      return;
    }
    const circle = findCircle(conditions);
    const solutions = this.solve(circle);
    if (solutions.length === 1) {
      circle.forEach(({ piece }, i) => {
        this.value[piece.at] = (solutions[0] >> i) & 1;
      });
      this.solved++;
    } else this.backup(circle.map((condition) => condition.piece));
  }

  /**
   * The consistent outcomes of a circle (bit i is decision i); two are enough to know that there are several. What belongs
   * to no order is not tried: it follows from the rest.
   */
  private solve(circle: Condition[]): number[] {
    const tried = circle.flatMap(({ piece }, i) => (TRIED.includes(piece.kind) ? [i] : []));
    const derived = DERIVED.flatMap((kind) => circle.flatMap(({ piece }, i) => (piece.kind === kind ? [i] : [])));
    if (tried.length > MOST_TRIED || circle.length > 30)
      throw new Error(`oracle: ${circle.length} decisions in one circle`);
    const places = circle.map(({ names }) => names.map((name) => circle.findIndex(({ piece }) => piece === name)));
    const answer = (i: number, outcome: number): number =>
      // A decision outside the circle does not matter here: leave it at NO.
      circle[i].answers[places[i].reduce((index, j, bit) => index | (j < 0 ? 0 : ((outcome >> j) & 1) << bit), 0)]
        ? YES
        : NO;
    const solutions: number[] = [];
    for (let choice = 0; choice < 1 << tried.length && solutions.length < 2; choice++) {
      let outcome = tried.reduce((bits, i, k) => bits | (((choice >> k) & 1) << i), 0);
      for (const i of derived) outcome |= answer(i, outcome) << i;
      if (circle.every((_, i) => answer(i, outcome) === ((outcome >> i) & 1))) solutions.push(outcome);
    }
    return solutions;
  }

  private backup(circle: Piece[]): void {
    if (this.special !== null) {
      this.backupOnSpecialMap(circle);
      return;
    }
    const convoys = circle.filter((piece) => piece.kind === 'convoy');
    if (convoys.length > 0) {
      this.breakParadox(circle, convoys);
      this.paradoxes++;
      this.convoys = Math.max(this.convoys, convoys.length);
      return;
    }
    if (circle.some((piece) => piece.kind !== 'move')) throw new Error('oracle: a circle with supports, but no convoy');
    for (const move of circle) this.value[move.at] = YES;
    this.circular++;
  }

  /** DATC 2.4: circular movement, or a paradox, or everything fails. */
  private backupOnSpecialMap(circle: Piece[]): void {
    const isOnlyMovement = circle.every(({ kind }) => ['move', 'rail', 'room', 'on', 'try'].includes(kind));
    if (isOnlyMovement && this.isCircular(circle)) {
      for (const piece of circle) if (piece.kind === 'move') this.value[piece.at] = YES;
      this.circular++;
      return;
    }
    this.paradoxes++;
    const stretches = circle.map(({ stretch }) => stretch);
    const last = Math.max(...stretches);
    const broken = circle.filter(({ kind }) => kind === 'convoy' || kind === 'pass');
    this.convoys = Math.max(this.convoys, broken.filter(({ kind }) => kind === 'convoy').length);
    for (const piece of broken) this.value[piece.at] = NO;
    if (last > 0) {
      this.value[this.rooms[last].at] = NO;
      if (this.ons[last] !== undefined) this.value[this.ons[last].at] = NO;
      this.value[this.tries[last].at] = YES;
    } else if (broken.length === 0) for (const piece of circle) this.value[piece.at] = NO;
  }

  /** If all moves succeed, the outcome agrees with itself, and the units follow one another in one ring. */
  private isCircular(circle: Piece[]): boolean {
    const known = this.value.slice();
    for (const piece of circle) if (piece.kind === 'move') this.value[piece.at] = YES;
    for (const kind of DERIVED)
      for (const piece of circle)
        if (piece.kind === kind) this.value[piece.at] = this.condition(piece, true) ? YES : NO;
    const agrees = circle.every((piece) => this.condition(piece, true) === (this.value[piece.at] === YES));
    const units = circle.filter(isOrder);
    const nextOf = (piece: Piece): Piece | undefined => {
      const to = piece === this.train ? this.rideEnd() : piece.target;
      return units.find(({ at }) => at === to);
    };
    const ring = new Set<Piece | undefined>();
    for (let at: Piece | undefined = units[0]; at !== undefined && !ring.has(at); at = nextOf(at)) ring.add(at);
    const closes = ring.size === units.length && units.every((piece) => nextOf(piece) !== undefined);
    this.value.set(known);
    return agrees && closes;
  }

  /** The last province of the ride with TRY and ROOM; where it begins if there is none. */
  private rideEnd(): number {
    const last = this.rooms.findLast(
      (room) => room !== undefined && this.succeeds(room, false) && this.succeeds(this.tries[room.stretch], false),
    );
    return this.trip[last?.stretch ?? 0];
  }

  /** The paradox rule, or where the rulebook's own left this open, its backup. */
  private breakParadox(circle: Piece[], convoys: Piece[]): void {
    const own = ruleValue(this.rules, 'paradox');
    const rule = ['szykman', 'allHold', 'dptg'].includes(own) ? own : ruleValue(this.rules, 'paradoxBackup');
    if (rule === 'szykman') {
      for (const convoy of convoys) this.value[convoy.at] = NO;
      return;
    }
    const armies = convoys.map((convoy) => this.pieceAt[convoy.helped]).filter((army) => army !== undefined);
    for (const army of armies) {
      army.stopped = true;
      this.value[army.at] = NO;
    }
    if (rule === 'dptg' && this.areAllBroken(armies)) return;
    for (const piece of circle) if (piece.kind !== 'support') this.value[piece.at] = NO;
    for (const army of armies)
      for (const fleet of army.fleets)
        for (const attack of this.moversTo[fleet.at]) if (this.value[attack.at] === OPEN) this.value[attack.at] = NO;
  }

  /** Plays on with these armies stopped, and says whether each would then lose its convoy. */
  private areAllBroken(armies: readonly Piece[]): boolean {
    const value = this.value.slice();
    const stopped = this.pieces.filter((piece) => piece.stopped);
    this.settle();
    for (const army of armies) army.stopped = false;
    const all = armies.every((army) => !this.chain(army, (fleet) => this.succeeds(fleet, true)));
    for (const piece of this.pieces) piece.stopped = stopped.includes(piece);
    this.value.set(value);
    return all;
  }

  private settle(): void {
    this.settleWhatIsCertain();
    for (let open = this.open(); open.length > 0; open = this.open()) {
      this.settleCircle(open);
      this.settleWhatIsCertain();
    }
  }

  judge(): OracleOutcome {
    this.settle();
    return this.outcome();
  }

  // ---- what came of it ----

  private word(piece: Piece): number {
    if (this.stranded.has(piece)) return T.FAILS;
    if (piece.kind === 'hold') return T.STANDS;
    if (piece.kind === 'rail' && this.value[piece.at] === YES)
      return this.rideEnd() === piece.target ? T.SUCCEEDS : T.STOPS;
    if (!piece.matched) return T.INVALID;
    const success = this.value[piece.at] === YES;
    if (piece.kind === 'support') return success ? T.GIVEN : T.CUT;
    if (piece.kind === 'convoy') return success ? T.AVAILABLE : T.DISRUPTED;
    if (success) return T.SUCCEEDS;
    return piece.byConvoy && !this.anyChain(piece, () => true) ? T.INVALID : T.FAILS;
  }

  private isContested(province: number): boolean {
    const arrived =
      this.moversTo[province].some((move) => this.succeeds(move, false)) ||
      (this.train !== undefined && this.succeeds(this.train, false) && this.rideEnd() === province);
    const occupant = this.pieceAt[province];
    const left = occupant === undefined || (goes(occupant) && this.succeeds(occupant, false));
    return left && !arrived && this.moversTo[province].some((move) => this.preventStrength(move, false) > 0);
  }

  private outcome(): OracleOutcome {
    const { circular, paradoxes, solved, convoys, map } = this;
    const result = new Uint8Array(map.provinceCount);
    const attacker = new Int16Array(map.provinceCount).fill(-1);
    const convoyed = new Uint8Array(map.provinceCount);
    const contested = new Uint8Array(map.provinceCount);
    for (const piece of this.pieces.filter(isOrder)) {
      result[piece.at] = this.word(piece);
      if (piece.byConvoy || this.goesByConvoy(piece, false)) convoyed[piece.at] = 1;
      const leaves = goes(piece) && this.succeeds(piece, false);
      const arrived = this.moversTo[piece.at].filter((move) => this.succeeds(move, false));
      if (arrived.length > 1) throw new Error(`oracle: two units in ${map.provinceTags[piece.at]}`);
      if (!leaves && arrived.length === 1) attacker[piece.at] = arrived[0].at;
    }
    for (let p = 0; p < map.provinceCount; p++) if (this.isContested(p)) contested[p] = 1;
    const rideEnd = this.train !== undefined && this.succeeds(this.train, false) ? this.rideEnd() : -1;
    return { result, attacker, convoyed, contested, circular, paradoxes, solved, convoys, rideEnd };
  }
}

interface Condition {
  readonly piece: Piece;
  readonly names: readonly Piece[];
  readonly answers: readonly boolean[];
  /** Those of the names that the answer depends on. */
  readonly leansOn: readonly Piece[];
}

/** Of the conditions that all lean on one another, directly or not, those that lean on nothing else. Never empty. */
const findCircle = (conditions: Condition[]): Condition[] => {
  const reach = conditions.map((start) => {
    const reached = new Set<Condition>([start]);
    for (const condition of reached)
      for (const name of condition.leansOn) {
        const next = conditions.find(({ piece }) => piece === name);
        if (next !== undefined) reached.add(next);
      }
    return reached;
  });
  // Whatever reaches fewest others is reached by all of these: it leans on nothing outside its circle.
  return [...reach.reduce((least, set) => (set.size < least.size ? set : least))];
};

/**
 * Resolves one movement phase.
 *
 * @param units unit by province (engine/rules/types.ts).
 * @param orders legal and canonical order by province; NONE, or where there is no unit anything, counts as a hold. A
 *   support may name a coast.
 * @param givens of a special map
 * @throws Error if the conditions lead where the rules do not: that is a fault of the oracle.
 */
export const consultOracle = (
  map: CompiledMap,
  units: Uint8Array,
  orders: Int32Array,
  rules: Rules = DATC_3_2,
  givens: OracleGivens = { lost: new Set() },
): OracleOutcome => new Judgement(map, units, orders, rules, givens).judge();
