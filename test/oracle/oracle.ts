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
// Other rules than the default ones follow the sentences of DATC 4.A and of the 1998 guide literally.
import { testBit } from '../../engine/bitset.js';
import type { CompiledMap } from '../../engine/map/compiled-map.js';
import {
  CONVOY,
  MOVE,
  type Order,
  orderAux,
  orderTarget,
  orderType,
  orderVia,
  SUPPORT_HOLD,
  SUPPORT_MOVE,
} from '../../engine/order.js';
import { DATC_3_2, type Rules, ruleValue } from '../../engine/rules.js';
import {
  AVAILABLE,
  CUT,
  DISRUPTED,
  FAILS,
  FLEET,
  GIVEN,
  INVALID,
  MAX_LOCATIONS,
  NO_UNIT,
  STANDS,
  SUCCEEDS,
  unitPower,
  unitType,
} from '../../engine/types.js';

/** What the oracle says of one movement phase. Arrays by province. */
export interface OracleOutcome {
  /** Result words of engine/types.ts. Meaningless where there is no unit. */
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
}

type Kind = 'hold' | 'move' | 'support' | 'convoy';

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
  /** Province of the unit that is supported or convoyed. */
  readonly helped: number;
  readonly via: boolean;
  byConvoy: boolean;
  /** An army that goes by convoy if one holds, and else by land. */
  eitherWay: boolean;
  /** An army that a paradox keeps where it is. */
  stopped: boolean;
  /** The helped unit was ordered to do what this order helps it with. */
  matched: boolean;
  readonly movers: Piece[];
  readonly supporters: Piece[];
  fleets: Piece[];
}

const NO = 0;
const YES = 1;
const OPEN = 2;

/** Decisions of one circle, and open decisions under one condition, that are tried out at most. */
const MOST_TRIED = 20;

const kindOf = (order: Order): Kind => {
  const type = orderType(order);
  if (type === MOVE) return 'move';
  if (type === SUPPORT_HOLD || type === SUPPORT_MOVE) return 'support';
  return type === CONVOY ? 'convoy' : 'hold';
};

const makePiece = (map: CompiledMap, at: number, unit: number, order: Order): Piece => {
  const kind = kindOf(order);
  const targetLocation = kind === 'hold' ? at : orderTarget(order);
  return {
    at,
    power: unitPower(unit),
    isFleet: unitType(unit) === FLEET,
    kind,
    target: map.locationProvince[targetLocation],
    targetLocation,
    helped: kind === 'support' || kind === 'convoy' ? orderAux(order) : -1,
    via: kind === 'move' && orderVia(order) === 1,
    byConvoy: false,
    eitherWay: false,
    stopped: false,
    matched: true,
    movers: [],
    supporters: [],
    fleets: [],
  };
};

const supportMatches = (map: CompiledMap, support: Piece, order: Order, helped: Piece | undefined): boolean => {
  if (helped === undefined) return false;
  if (orderType(order) === SUPPORT_HOLD) return helped.kind !== 'move';
  if (helped.kind !== 'move' || helped.target !== support.target) return false;
  return support.targetLocation < map.provinceCount || support.targetLocation === helped.targetLocation;
};

const convoyMatches = (convoy: Piece, army: Piece | undefined): boolean =>
  army !== undefined && !army.isFleet && army.kind === 'move' && army.target === convoy.target;

/** One order set on its way to an outcome. */
class Judgement {
  private readonly map: CompiledMap;
  private readonly rules: Rules;
  private readonly pieces: Piece[] = [];
  private readonly pieceAt: (Piece | undefined)[];
  /** Movers into each province, its own unit or none in it. */
  private readonly moversTo: Piece[][];
  /** By province of the piece: YES, NO or OPEN. */
  private readonly value = new Uint8Array(MAX_LOCATIONS);
  private circular = 0;
  private paradoxes = 0;
  private solved = 0;
  private convoys = 0;

  constructor(map: CompiledMap, units: Uint8Array, orders: Int32Array, rules: Rules) {
    this.map = map;
    this.rules = rules;
    this.pieceAt = new Array(map.provinceCount).fill(undefined);
    this.moversTo = [];
    for (let p = 0; p < map.provinceCount; p++) {
      this.moversTo.push([]);
      if (units[p] === NO_UNIT) continue;
      const piece = makePiece(map, p, units[p], orders[p]);
      this.pieces.push(piece);
      this.pieceAt[p] = piece;
    }
    for (const piece of this.pieces) this.match(piece, orders[piece.at]);
    for (const piece of this.pieces) if (piece.kind === 'move') this.chooseWay(piece);
    for (const piece of this.pieces) this.value[piece.at] = this.isDecision(piece) ? OPEN : NO;
  }

  private match(piece: Piece, order: Order): void {
    if (piece.kind === 'move') this.moversTo[piece.target].push(piece);
    const helped = piece.helped < 0 ? undefined : this.pieceAt[piece.helped];
    if (piece.kind === 'support') {
      piece.matched = supportMatches(this.map, piece, order, helped);
      if (piece.matched) helped?.supporters.push(piece);
    } else if (piece.kind === 'convoy') {
      piece.matched = convoyMatches(piece, helped);
      if (piece.matched) helped?.fleets.push(piece);
    }
  }

  /** 4.A.1 and 4.A.3: which fleets take the army, and whether it goes with them. */
  private chooseWay(move: Piece): void {
    if (move.isFleet) {
      // Only an order that cannot be obeyed makes a fleet go VIA: it stays, and cannot be supported in its place.
      move.byConvoy = move.via;
      return;
    }
    const ownFleet = move.fleets.some((fleet) => fleet.power === move.power);
    if (this.rules.preferOwnConvoy) {
      const own = move.fleets.filter((fleet) => fleet.power === move.power);
      if (this.simpleChains(move, own).length > 0) this.keepFleets(move, own);
    }
    const chains = this.simpleChains(move, move.fleets);
    if (this.routesAll && chains.length > 0) this.keepFleets(move, chains.flat());
    this.chooseSide(move, ownFleet, chains.length > 0);
  }

  private chooseSide(move: Piece, ownFleet: boolean, ordered: boolean): void {
    if (testBit(this.map.reach, move.at, move.target) === 0) {
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

  private get routesAll(): boolean {
    return ruleValue(this.rules, 'convoyRoutes') === 'all';
  }

  private keepFleets(move: Piece, fleets: readonly Piece[]): void {
    for (const fleet of move.fleets) if (!fleets.includes(fleet)) fleet.matched = false;
    move.fleets = move.fleets.filter((fleet) => fleets.includes(fleet));
  }

  /** Every chain of these fleets that passes no sea twice. */
  private simpleChains(move: Piece, fleets: readonly Piece[]): Piece[][] {
    const { seaNeighbours } = this.map;
    const extend = (chain: Piece[], from: number): Piece[][] => {
      const ends = chain.length > 0 && testBit(seaNeighbours, move.target, from) === 1 ? [chain] : [];
      const next = fleets.filter((fleet) => !chain.includes(fleet) && testBit(seaNeighbours, from, fleet.at) === 1);
      return [...ends, ...next.flatMap((fleet) => extend([...chain, fleet], fleet.at))];
    };
    return extend([], move.at);
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
    return value === YES || (most && value === OPEN);
  }

  private path(move: Piece, most: boolean): boolean {
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
    const { seaNeighbours } = this.map;
    const fleets = move.fleets.filter(usable);
    const reached = fleets.filter((fleet) => testBit(seaNeighbours, move.at, fleet.at) === 1);
    for (let i = 0; i < reached.length; i++) {
      if (testBit(seaNeighbours, move.target, reached[i].at) === 1) return true;
      for (const next of fleets)
        if (!reached.includes(next) && testBit(seaNeighbours, reached[i].at, next.at) === 1) reached.push(next);
    }
    return false;
  }

  /** The move against this one, if neither goes by convoy for certain. */
  private opponent(move: Piece): Piece | undefined {
    const other = this.pieceAt[move.target];
    if (other === undefined || other.kind !== 'move' || other.target !== move.at) return undefined;
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

  private attackStrength(move: Piece, most: boolean, opponent: Piece | undefined): number {
    if (!this.path(move, most)) return 0;
    const occupant = this.pieceAt[move.target];
    if (occupant === undefined) return 1 + this.countSupports(move, most);
    const leaves = occupant.kind === 'move' && opponent === undefined && this.succeeds(occupant, most);
    if (leaves) return 1 + this.countSupports(move, most);
    return occupant.power === move.power ? 0 : 1 + this.countSupports(move, most, occupant.power);
  }

  private defendStrength(move: Piece, most: boolean): number {
    return 1 + this.countSupports(move, most);
  }

  private preventStrength(move: Piece, most: boolean): number {
    if (!this.path(move, most)) return 0;
    const opponent = this.headToHead(move, !most);
    if (opponent !== undefined && this.succeeds(opponent, !most)) return 0;
    if (this.isDislodgedFromTarget(move, !most)) return 0;
    return 1 + this.countSupports(move, most);
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
    if (occupant === undefined) return 0;
    if (occupant.kind === 'move') return this.succeeds(occupant, !most) ? 0 : 1;
    return 1 + this.countSupports(occupant, most);
  }

  private moveCondition(move: Piece, most: boolean): boolean {
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

  private convoyCondition(fleet: Piece, most: boolean): boolean {
    return this.moversTo[fleet.at].every((move) => !this.succeeds(move, !most));
  }

  private condition(piece: Piece, most: boolean): boolean {
    if (piece.kind === 'move') return this.moveCondition(piece, most);
    return piece.kind === 'support' ? this.supportCondition(piece, most) : this.convoyCondition(piece, most);
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

  /** Every decision that the condition of this one names. */
  private named(piece: Piece): Piece[] {
    const names: Piece[] = [];
    const addPath = (move: Piece): void => {
      if (move.byConvoy || move.eitherWay) names.push(...move.fleets);
    };
    if (piece.kind !== 'move') {
      for (const move of this.moversTo[piece.at]) {
        names.push(move);
        if (piece.kind === 'support') addPath(move);
      }
      return names;
    }
    const occupant = this.pieceAt[piece.target];
    if (occupant !== undefined) {
      names.push(occupant, ...occupant.supporters);
      addPath(occupant);
    }
    for (const move of this.moversTo[piece.target]) {
      addPath(move);
      if (ruleValue(this.rules, 'dislodgedNoEffect') === 'always') names.push(move);
      names.push(...move.supporters);
    }
    return names;
  }

  /** The open decisions under a condition, and its answer for each of their outcomes: bit i of the index is decision i. */
  private tabulate(piece: Piece): Condition {
    const names = [...new Set(this.named(piece))].filter((name) => this.value[name.at] === OPEN);
    if (names.length > MOST_TRIED) throw new Error(`oracle: ${names.length} open decisions under one condition`);
    const answers = new Uint8Array(1 << names.length);
    for (let outcome = 0; outcome < answers.length; outcome++) {
      names.forEach((name, i) => {
        this.value[name.at] = (outcome >> i) & 1;
      });
      answers[outcome] = this.condition(piece, true) ? YES : NO;
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
      this.value[certain.piece.at] = certain.answers[0];
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

  /** The consistent outcomes of a circle (bit i is decision i); two are enough to know that there are several. */
  private solve(circle: Condition[]): number[] {
    if (circle.length > MOST_TRIED) throw new Error(`oracle: ${circle.length} decisions in one circle`);
    const places = circle.map(({ names }) => names.map((name) => circle.findIndex(({ piece }) => piece === name)));
    const answer = (i: number, outcome: number): number =>
      // A decision outside the circle does not matter here: leave it at NO.
      circle[i].answers[places[i].reduce((index, j, bit) => index | (j < 0 ? 0 : ((outcome >> j) & 1) << bit), 0)];
    const solutions: number[] = [];
    for (let outcome = 0; outcome < 1 << circle.length && solutions.length < 2; outcome++)
      if (circle.every((_, i) => answer(i, outcome) === ((outcome >> i) & 1))) solutions.push(outcome);
    return solutions;
  }

  private backup(circle: Piece[]): void {
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
    if (piece.kind === 'hold') return STANDS;
    if (!piece.matched) return INVALID;
    const success = this.value[piece.at] === YES;
    if (piece.kind === 'support') return success ? GIVEN : CUT;
    if (piece.kind === 'convoy') return success ? AVAILABLE : DISRUPTED;
    if (success) return SUCCEEDS;
    return piece.byConvoy && !this.anyChain(piece, () => true) ? INVALID : FAILS;
  }

  private isContested(province: number): boolean {
    const arrived = this.moversTo[province].some((move) => this.succeeds(move, false));
    const occupant = this.pieceAt[province];
    const left = occupant === undefined || (occupant.kind === 'move' && this.succeeds(occupant, false));
    return left && !arrived && this.moversTo[province].some((move) => this.preventStrength(move, false) > 0);
  }

  private outcome(): OracleOutcome {
    const { circular, paradoxes, solved, convoys, map } = this;
    const result = new Uint8Array(map.provinceCount);
    const attacker = new Int16Array(map.provinceCount).fill(-1);
    const convoyed = new Uint8Array(map.provinceCount);
    const contested = new Uint8Array(map.provinceCount);
    for (const piece of this.pieces) {
      result[piece.at] = this.word(piece);
      if (piece.byConvoy || this.goesByConvoy(piece, false)) convoyed[piece.at] = 1;
      const leaves = piece.kind === 'move' && this.succeeds(piece, false);
      const arrived = this.moversTo[piece.at].filter((move) => this.succeeds(move, false));
      if (arrived.length > 1) throw new Error(`oracle: two units in ${map.provinceTags[piece.at]}`);
      if (!leaves && arrived.length === 1) attacker[piece.at] = arrived[0].at;
    }
    for (let p = 0; p < map.provinceCount; p++) if (this.isContested(p)) contested[p] = 1;
    return { result, attacker, convoyed, contested, circular, paradoxes, solved, convoys };
  }
}

interface Condition {
  readonly piece: Piece;
  readonly names: readonly Piece[];
  readonly answers: Uint8Array;
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
 * @param units unit by province (engine/types.ts).
 * @param orders legal and canonical order by province; NONE, or where there is no unit anything, counts as a hold. A
 * support may name a coast.
 * @throws Error if the conditions lead where the rules do not: that is a fault of the oracle.
 */
export const consultOracle = (
  map: CompiledMap,
  units: Uint8Array,
  orders: Int32Array,
  rules: Rules = DATC_3_2,
): OracleOutcome => new Judgement(map, units, orders, rules).judge();
