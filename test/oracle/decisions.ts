// Implements the decision algorithm of DATC 2.4, chapter 5: every decision has a minimum and a maximum, which approach
// each other until they meet; decisions left open belong to a circular movement or a paradox.
//
// Decisions have the names of that chapter: MOVE, SUPPORT, DISLODGE (of a convoying fleet), PATH, ATTACK, HOLD, PREVENT
// and DEFEND strength. Yes is 1, no is 0. Armies go by convoy as in preset datc-3.2, or as in datc-2.4 if
// `landIfUnordered`.
import type { CompiledMap } from '../../engine/map/compiled-map.js';
import {
  fleetsOf,
  hasChain,
  type Paper,
  type Piece,
  readPaper,
  supportMatches,
  toVerdict,
  type Verdict,
} from './pieces.js';

type Name = 'MOVE' | 'SUPPORT' | 'DISLODGE' | 'PATH' | 'ATTACK' | 'HOLD' | 'PREVENT' | 'DEFEND';

interface Decision {
  readonly name: Name;
  readonly piece: Piece;
  min: number;
  max: number;
}

type Range = readonly [min: number, max: number];

const INFINITE = 1000;
const BOOLEANS: readonly Name[] = ['MOVE', 'SUPPORT', 'DISLODGE', 'PATH'];

class Decisions {
  private readonly byName = new Map<string, Decision>();
  private readonly convoyed = new Set<Piece>();

  constructor(
    private readonly paper: Paper,
    landIfUnordered: boolean,
  ) {
    for (const piece of paper.pieces) {
      if (piece.kind === 'move' && this.wantsConvoy(piece, landIfUnordered)) this.convoyed.add(piece);
      for (const name of ['MOVE', 'SUPPORT', 'DISLODGE', 'PATH', 'ATTACK', 'HOLD', 'PREVENT', 'DEFEND'] as const)
        this.byName.set(`${name} ${piece.at}`, { name, piece, min: 0, max: BOOLEANS.includes(name) ? 1 : INFINITE });
    }
  }

  private wantsConvoy(move: Piece, landIfUnordered: boolean): boolean {
    if (move.isFleet) return move.via;
    if (!move.canWalk) return true;
    const fleets = fleetsOf(this.paper, move);
    const intended = move.via || fleets.some((fleet) => fleet.power === move.power);
    return intended && (!landIfUnordered || hasChain(this.paper, move, fleets));
  }

  private get(name: Name, piece: Piece): Decision {
    return this.byName.get(`${name} ${piece.at}`) as Decision;
  }

  private moversTo(province: number): readonly Piece[] {
    return this.paper.pieces.filter((piece) => piece.kind === 'move' && piece.target === province);
  }

  private supportersOf(piece: Piece): readonly Piece[] {
    return this.paper.pieces.filter(
      (other) => other.kind === 'support' && other.helped === piece.at && supportMatches(this.paper, other),
    );
  }

  private headToHead(move: Piece): Piece | undefined {
    const other = this.paper.at(move.target);
    if (other?.kind !== 'move' || other.target !== move.at) return undefined;
    return this.convoyed.has(move) || this.convoyed.has(other) ? undefined : other;
  }

  // ---- how each decision is made, and what it asks about ----

  private strength(piece: Piece, notOf: number): Range {
    const given = this.supportersOf(piece).filter((support) => support.power !== notOf);
    const sum = (end: 'min' | 'max'): number =>
      given.reduce((total, support) => total + this.get('SUPPORT', support)[end], 1);
    return [sum('min'), sum('max')];
  }

  private update({ name, piece }: Decision): Range {
    switch (name) {
      case 'MOVE':
        return this.updateMove(piece);
      case 'SUPPORT':
        return this.updateSupport(piece);
      case 'DISLODGE':
        return this.updateDislodge(piece);
      case 'PATH':
        return this.updatePath(piece);
      case 'ATTACK':
        return this.updateAttack(piece);
      case 'HOLD':
        return this.updateHold(piece);
      case 'PREVENT':
        return this.updatePrevent(piece);
      case 'DEFEND':
        return this.strength(piece, -1);
    }
  }

  private updateMove(move: Piece): Range {
    if (move.kind !== 'move') return [0, 0];
    const attack = this.get('ATTACK', move);
    const opponent = this.headToHead(move);
    const occupant = this.paper.at(move.target);
    const nothing = { min: 0, max: 0 };
    const defence =
      opponent !== undefined
        ? this.get('DEFEND', opponent)
        : occupant === undefined
          ? nothing
          : this.get('HOLD', occupant);
    const rivals = this.moversTo(move.target).filter((other) => other !== move);
    const against = [defence, ...rivals.map((rival) => this.get('PREVENT', rival))];
    const succeeds = against.every(({ max }) => attack.min > max);
    const fails = against.some(({ min }) => attack.max <= min);
    return [succeeds ? 1 : 0, fails ? 0 : 1];
  }

  private updateSupport(support: Piece): Range {
    if (support.kind !== 'support' || !supportMatches(this.paper, support)) return [0, 0];
    const cuts = (end: 'min' | 'max'): boolean =>
      this.moversTo(support.at).some((move) => {
        if (this.get('MOVE', move)[end] === 1) return true;
        return move.power !== support.power && move.at !== support.target && this.get('ATTACK', move)[end] > 0;
      });
    return [cuts('max') ? 0 : 1, cuts('min') ? 0 : 1];
  }

  private updateDislodge(fleet: Piece): Range {
    const moves = this.moversTo(fleet.at).map((move) => this.get('MOVE', move));
    return [moves.some(({ min }) => min === 1) ? 1 : 0, moves.some(({ max }) => max === 1) ? 1 : 0];
  }

  private updatePath(move: Piece): Range {
    if (!this.convoyed.has(move)) return [1, 1];
    const fleets = fleetsOf(this.paper, move);
    const safe = fleets.filter((fleet) => this.get('DISLODGE', fleet).max === 0);
    const afloat = fleets.filter((fleet) => this.get('DISLODGE', fleet).min === 0);
    return [hasChain(this.paper, move, safe) ? 1 : 0, hasChain(this.paper, move, afloat) ? 1 : 0];
  }

  private updateAttack(move: Piece): Range {
    if (move.kind !== 'move') return [0, 0];
    const path = this.get('PATH', move);
    const occupant = this.paper.at(move.target);
    const all = this.strength(move, -1);
    const [min, max] = this.attackOn(move, occupant, all);
    return [path.min === 0 ? 0 : min, path.max === 0 ? 0 : max];
  }

  private attackOn(move: Piece, occupant: Piece | undefined, all: Range): Range {
    if (occupant === undefined) return all;
    const leaves: Range =
      occupant.kind === 'move' && this.headToHead(move) === undefined
        ? [this.get('MOVE', occupant).min, this.get('MOVE', occupant).max]
        : [0, 0];
    const against: Range = occupant.power === move.power ? [0, 0] : this.strength(move, occupant.power);
    return [leaves[0] === 1 ? all[0] : against[0], leaves[1] === 1 ? all[1] : against[1]];
  }

  private updateHold(piece: Piece): Range {
    if (piece.kind !== 'move') return this.strength(piece, -1);
    const move = this.get('MOVE', piece);
    return [1 - move.max, 1 - move.min];
  }

  private updatePrevent(move: Piece): Range {
    if (move.kind !== 'move') return [0, 0];
    const path = this.get('PATH', move);
    const opponent = this.headToHead(move);
    const beaten = opponent === undefined ? { min: 0, max: 0 } : this.get('MOVE', opponent);
    const [min, max] = this.strength(move, -1);
    return [path.min === 0 || beaten.max === 1 ? 0 : min, path.max === 0 || beaten.min === 1 ? 0 : max];
  }

  /** What a decision asks about. */
  private asks({ name, piece }: Decision): readonly Decision[] {
    const supports = this.supportersOf(piece).map((support) => this.get('SUPPORT', support));
    const occupant = this.paper.at(piece.target);
    const opponent = piece.kind === 'move' ? this.headToHead(piece) : undefined;
    switch (name) {
      case 'MOVE': {
        if (piece.kind !== 'move') return [];
        const rivals = this.moversTo(piece.target).filter((other) => other !== piece);
        const list = [this.get('ATTACK', piece), ...rivals.map((rival) => this.get('PREVENT', rival))];
        if (opponent !== undefined) list.push(this.get('DEFEND', opponent));
        else if (occupant !== undefined) list.push(this.get('HOLD', occupant));
        return list;
      }
      case 'SUPPORT':
        return this.moversTo(piece.at).flatMap((move) => [this.get('MOVE', move), this.get('ATTACK', move)]);
      case 'DISLODGE':
        return this.moversTo(piece.at).map((move) => this.get('MOVE', move));
      case 'PATH':
        return fleetsOf(this.paper, piece).map((fleet) => this.get('DISLODGE', fleet));
      case 'ATTACK':
        return [
          this.get('PATH', piece),
          ...supports,
          ...(occupant?.kind === 'move' && opponent === undefined ? [this.get('MOVE', occupant)] : []),
        ];
      case 'PREVENT':
        return [this.get('PATH', piece), ...supports, ...(opponent === undefined ? [] : [this.get('MOVE', opponent)])];
      case 'HOLD':
        return piece.kind === 'move' ? [this.get('MOVE', piece)] : supports;
      case 'DEFEND':
        return supports;
    }
  }

  // ---- the algorithm ----

  private open(): Decision[] {
    return [...this.byName.values()].filter(({ min, max }) => min !== max);
  }

  private updateAll(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const decision of this.open()) {
        const [min, max] = this.update(decision);
        if (min <= decision.min && max >= decision.max) continue;
        decision.min = Math.max(min, decision.min);
        decision.max = Math.min(max, decision.max);
        changed = true;
      }
    }
  }

  /** The shortest list of open decisions that ask about nothing open outside it. */
  private core(): readonly Decision[] {
    let shortest: readonly Decision[] | null = null;
    for (const start of this.open()) {
      const list = new Set<Decision>();
      const add = (decision: Decision): void => {
        for (const asked of this.asks(decision)) {
          if (asked.min === asked.max || list.has(asked)) continue;
          list.add(asked);
          add(asked);
        }
      };
      add(start);
      if (shortest === null || list.size < shortest.length) shortest = [...list];
    }
    return shortest ?? [];
  }

  private isConvoyTarget(decision: Decision): boolean {
    return decision.name === 'MOVE' && this.paper.at(decision.piece.target)?.kind === 'convoy';
  }

  private settle(list: readonly Decision[]): void {
    if (!list.some((decision) => this.isConvoyTarget(decision))) {
      for (const decision of list) if (decision.name === 'MOVE') decision.min = 1;
      return;
    }
    // Szykman: the armies whose attack is in the list do not move and have no effect.
    for (const { name, piece } of list) {
      if (name !== 'ATTACK' || !this.convoyed.has(piece)) continue;
      for (const what of ['ATTACK', 'PREVENT', 'MOVE', 'PATH'] as const) {
        const decision = this.get(what, piece);
        decision.min = 0;
        decision.max = 0;
      }
    }
  }

  judge(): Verdict {
    this.updateAll();
    for (let list = this.core(); list.length > 0; list = this.core()) {
      this.settle(list);
      this.updateAll();
    }
    return toVerdict(this.paper, (piece) => {
      if (piece.kind === 'move') return this.get('MOVE', piece).min === 1;
      if (piece.kind === 'support') return this.get('SUPPORT', piece).min === 1;
      return this.get('DISLODGE', piece).min === 0;
    });
  }
}

/**
 * Resolves one movement phase. Of a convoying fleet, success is that it is not dislodged.
 * @param landIfUnordered armies go by land if no chain of fleets was ordered for them, as in preset datc-2.4
 * @param sequence as for readPaper(): the order in which decisions are made
 */
export const judgeByDecisions = (
  map: CompiledMap,
  units: Uint8Array,
  orders: Int32Array,
  landIfUnordered = false,
  sequence?: readonly number[],
): Verdict => new Decisions(readPaper(map, units, orders, sequence), landIfUnordered).judge();
