// The guess algorithm of DATC 3.2, chapter 5.F: each order succeeds or fails; an order that is being asked about answers
// with a guess, and both guesses are tried where something came back to it.
//
//   resolve(order)
//     resolved: its result
//     being asked about: note it in the cycle, count a hit, return its guess
//     in the cycle: return what was found under the present guess
//     first = adjudicate with the guess that it fails
//     nothing below was a guess: that is the result
//     hits are left that go to orders above: the order joins the cycle; whoever is above tries again
//     second = adjudicate with the guess that it succeeds
//     both agree (one of the guesses is consistent): that is the result
//     else the backup rule on the cycle, and once more
import type { CompiledMap } from '../../engine/map/compiled-map.js';
import { fleetsOf, hasChain, type Paper, type Piece, readPaper, supportMatches, type Verdict } from './pieces.js';

class Guesses {
  private readonly paper: Paper;
  private readonly convoyed = new Set<Piece>();
  private readonly resolved = new Map<Piece, boolean>();
  private readonly visited = new Map<Piece, { guess: boolean; hits: number }>();
  private readonly inCycle = new Map<Piece, boolean>();
  private cycle: Piece[] = [];
  /** Hits on orders that are still being asked about. */
  private hits = 0;
  private guessBased = false;

  constructor(paper: Paper) {
    this.paper = paper;
    for (const move of paper.pieces) {
      if (move.kind !== 'move') continue;
      const own = fleetsOf(paper, move).some((fleet) => fleet.power === move.power);
      if (move.isFleet ? move.via : !move.canWalk || move.via || own) this.convoyed.add(move);
    }
  }

  private moversTo(province: number): readonly Piece[] {
    return this.paper.pieces.filter((piece) => piece.kind === 'move' && piece.target === province);
  }

  private strength(piece: Piece, notOf = -1): number {
    const helps = (other: Piece): boolean =>
      other.kind === 'support' &&
      other.helped === piece.at &&
      other.power !== notOf &&
      supportMatches(this.paper, other) &&
      this.resolve(other);
    return 1 + this.paper.pieces.filter(helps).length;
  }

  private path(move: Piece): boolean {
    if (!this.convoyed.has(move)) return true;
    const fleets = fleetsOf(this.paper, move);
    return (
      hasChain(this.paper, move, fleets) &&
      hasChain(
        this.paper,
        move,
        fleets.filter((f) => this.resolve(f)),
      )
    );
  }

  private opponent(move: Piece): Piece | undefined {
    const other = this.paper.at(move.target);
    if (other?.kind !== 'move' || other.target !== move.at) return undefined;
    return this.convoyed.has(move) || this.convoyed.has(other) ? undefined : other;
  }

  private attack(move: Piece, opponent: Piece | undefined): number {
    const occupant = this.paper.at(move.target);
    if (occupant === undefined) return this.strength(move);
    if (occupant.kind === 'move' && opponent === undefined && this.resolve(occupant)) return this.strength(move);
    return occupant.power === move.power ? 0 : this.strength(move, occupant.power);
  }

  private hold(province: number): number {
    const occupant = this.paper.at(province);
    if (occupant === undefined) return 0;
    if (occupant.kind === 'move') return this.resolve(occupant) ? 0 : 1;
    return this.strength(occupant);
  }

  private prevent(move: Piece): number {
    if (!this.path(move)) return 0;
    const opponent = this.opponent(move);
    return opponent !== undefined && this.resolve(opponent) ? 0 : this.strength(move);
  }

  private adjudicateMove(move: Piece): boolean {
    if (!this.path(move)) return false;
    const opponent = this.opponent(move);
    const attack = this.attack(move, opponent);
    if (attack <= (opponent === undefined ? this.hold(move.target) : this.strength(opponent))) return false;
    return this.moversTo(move.target).every((other) => other === move || attack > this.prevent(other));
  }

  private adjudicate(piece: Piece): boolean {
    if (piece.kind === 'move') return this.adjudicateMove(piece);
    if (piece.kind === 'support') {
      if (!supportMatches(this.paper, piece)) return false;
      return this.moversTo(piece.at).every((move) => {
        if (move.power === piece.power) return true;
        return move.at === piece.target ? !this.resolve(move) : !this.path(move);
      });
    }
    if (piece.kind === 'convoy') {
      // Adjudicated, not resolved: a move that goes back to the convoy by more than one way would make the cycle
      // unclean (5.D).
      return this.moversTo(piece.at).every((move) => !this.adjudicate(move));
    }
    return false;
  }

  private backup(begin: number): void {
    const part = this.cycle.slice(begin);
    const convoys = part.filter((piece) => piece.kind === 'convoy');
    const moves = part.every((piece) => piece.kind === 'move');
    for (const piece of convoys.length > 0 ? convoys : part) this.resolved.set(piece, convoys.length === 0 && moves);
  }

  private dropCycle(length: number): void {
    for (const piece of this.cycle.splice(length)) this.inCycle.delete(piece);
  }

  private join(piece: Piece, value: boolean): void {
    if (!this.inCycle.has(piece)) this.cycle.push(piece);
    this.inCycle.set(piece, value);
  }

  private resolve(piece: Piece): boolean {
    const known = this.resolved.get(piece);
    if (known !== undefined) return known;
    const visit = this.visited.get(piece);
    if (visit !== undefined) {
      visit.hits++;
      this.hits++;
      this.guessBased = true;
      this.join(piece, visit.guess);
      return visit.guess;
    }
    const found = this.inCycle.get(piece);
    if (found !== undefined) {
      this.guessBased = true;
      return found;
    }
    return this.decide(piece);
  }

  private decide(piece: Piece): boolean {
    const length = this.cycle.length;
    const hits = this.hits;
    const wasGuessBased = this.guessBased;
    this.guessBased = false;
    const visit = { guess: false, hits: 0 };
    this.visited.set(piece, visit);
    const first = this.adjudicate(piece);
    if (!this.guessBased) {
      this.visited.delete(piece);
      this.guessBased = wasGuessBased;
      this.resolved.set(piece, first);
      return first;
    }
    if (this.hits - visit.hits > hits || visit.hits === 0) {
      this.visited.delete(piece);
      this.hits -= visit.hits;
      this.join(piece, first);
      return first;
    }
    this.dropCycle(length);
    this.hits = hits;
    visit.guess = true;
    const second = this.adjudicate(piece);
    this.visited.delete(piece);
    this.hits = hits;
    this.guessBased = wasGuessBased;
    if (first === second) {
      this.dropCycle(length);
      this.resolved.set(piece, first);
      return first;
    }
    this.join(piece, second);
    this.backup(length);
    this.dropCycle(length);
    return this.resolve(piece);
  }

  judge(): Verdict {
    const success = new Uint8Array(this.paper.map.provinceCount);
    const attacker = new Int16Array(this.paper.map.provinceCount).fill(-1);
    for (const piece of this.paper.pieces) if (piece.kind !== 'hold') success[piece.at] = this.resolve(piece) ? 1 : 0;
    for (const move of this.paper.pieces) {
      const occupant = this.paper.at(move.target);
      if (move.kind !== 'move' || success[move.at] === 0 || occupant === undefined) continue;
      if (occupant.kind !== 'move' || success[occupant.at] === 0) attacker[occupant.at] = move.at;
    }
    return { success, attacker };
  }
}

/** Resolves one movement phase. */
export const judgeByGuesses = (map: CompiledMap, units: Uint8Array, orders: Int32Array): Verdict =>
  new Guesses(readPaper(map, units, orders)).judge();
