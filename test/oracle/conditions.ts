// States the conditions under which an order succeeds, as in DATC 3.2, chapter 5.B, for the references that resolve
// orders by recursion. Each reference passes `ask`, its own way to answer a question about another order.
//
// `optimistic` chooses a case while decisions are open: in the optimistic case everything that helps the order is taken
// to succeed and everything that opposes it to fail; in the pessimistic case the other way round.
import { fleetsOf, hasChain, type Paper, type Piece, supportMatches } from './pieces.js';

/** What a support or a convoy asks of the moves against it. */
export interface Questions {
  /**
   * Of a move to the support's province, as the document prints the condition: whether it has a PATH (and is of another
   * power, and does not come from where the support acts), and if that does not cut the support, its MOVE; or the same
   * in reverse. With 'path' the MOVE is asked for only where the PATH never counts.
   */
  readonly support: 'path, move' | 'move, path' | 'path';
  /** Whether a convoy resolves the moves against its fleet, or adjudicates them itself (the shortcut of chapter 5.D). */
  readonly convoy: 'resolve' | 'adjudicate';
}

type Ask = (piece: Piece, optimistic: boolean) => boolean;

const addTo = (lists: Map<number, Piece[]>, province: number, piece: Piece): void => {
  const list = lists.get(province);
  if (list === undefined) lists.set(province, [piece]);
  else list.push(piece);
};

export class Conditions {
  private readonly convoyed = new Set<Piece>();
  /** Moves by the province that they enter, and matching supports by the province of the unit that they help. */
  private readonly movers = new Map<number, Piece[]>();
  private readonly supporters = new Map<number, Piece[]>();

  constructor(
    private readonly paper: Paper,
    private readonly questions: Questions,
    private readonly ask: Ask,
  ) {
    for (const piece of paper.pieces) {
      if (piece.kind === 'move') addTo(this.movers, piece.target, piece);
      if (piece.kind === 'support' && supportMatches(paper, piece)) addTo(this.supporters, piece.helped, piece);
      if (piece.kind === 'move' && this.goesByConvoy(piece)) this.convoyed.add(piece);
    }
  }

  private movesTo(province: number): readonly Piece[] {
    return this.movers.get(province) ?? [];
  }

  private goesByConvoy(move: Piece): boolean {
    if (move.isFleet) return move.via;
    if (!move.canWalk || move.via) return true;
    return fleetsOf(this.paper, move).some((fleet) => fleet.power === move.power);
  }

  /** One, and one for each given support; supports by one power may not count. */
  private strength(piece: Piece, optimistic: boolean, notOf = -1): number {
    const counts = (support: Piece): boolean => support.power !== notOf && this.ask(support, optimistic);
    return 1 + (this.supporters.get(piece.at) ?? []).filter(counts).length;
  }

  private path(move: Piece, optimistic: boolean): boolean {
    if (!this.convoyed.has(move)) return true;
    const fleets = fleetsOf(this.paper, move);
    if (!hasChain(this.paper, move, fleets)) return false;
    const kept = fleets.filter((fleet) => this.ask(fleet, optimistic));
    return hasChain(this.paper, move, kept);
  }

  /** The move that meets this one head-to-head. */
  private opponent(move: Piece): Piece | undefined {
    const other = this.paper.at(move.target);
    if (other?.kind !== 'move' || other.target !== move.at) return undefined;
    return this.convoyed.has(move) || this.convoyed.has(other) ? undefined : other;
  }

  private attack(move: Piece, opponent: Piece | undefined, optimistic: boolean): number {
    const occupant = this.paper.at(move.target);
    if (occupant === undefined) return this.strength(move, optimistic);
    const leaves = occupant.kind === 'move' && opponent === undefined && this.ask(occupant, optimistic);
    if (leaves) return this.strength(move, optimistic);
    return occupant.power === move.power ? 0 : this.strength(move, optimistic, occupant.power);
  }

  private hold(province: number, optimistic: boolean): number {
    const occupant = this.paper.at(province);
    if (occupant === undefined) return 0;
    if (occupant.kind === 'move') return this.ask(occupant, !optimistic) ? 0 : 1;
    return this.strength(occupant, optimistic);
  }

  private prevent(move: Piece, optimistic: boolean): number {
    if (!this.path(move, optimistic)) return 0;
    const opponent = this.opponent(move);
    return opponent !== undefined && this.ask(opponent, !optimistic) ? 0 : this.strength(move, optimistic);
  }

  private moveSucceeds(move: Piece, optimistic: boolean): boolean {
    if (!this.path(move, optimistic)) return false;
    const opponent = this.opponent(move);
    const attack = this.attack(move, opponent, optimistic);
    const against = opponent === undefined ? this.hold(move.target, !optimistic) : this.strength(opponent, !optimistic);
    if (attack <= against) return false;
    return this.movesTo(move.target).every((other) => other === move || attack > this.prevent(other, !optimistic));
  }

  private isCut(support: Piece, move: Piece, optimistic: boolean): boolean {
    const cutsByPath = move.power !== support.power && move.at !== support.target;
    const cut = (): boolean => cutsByPath && this.path(move, optimistic);
    switch (this.questions.support) {
      case 'path, move':
        return cut() || this.ask(move, optimistic);
      case 'move, path':
        return this.ask(move, optimistic) || cut();
      case 'path':
        // No unit dislodges one of its own power; any other move that succeeds has a PATH.
        return move.power !== support.power && (cutsByPath ? cut() : this.ask(move, optimistic));
    }
  }

  /** True if the order succeeds, as far as the answers to its questions say. A hold never does. */
  adjudicate(piece: Piece, optimistic: boolean): boolean {
    const attacks = this.movesTo(piece.at);
    switch (piece.kind) {
      case 'move':
        return this.moveSucceeds(piece, optimistic);
      case 'support':
        return supportMatches(this.paper, piece) && attacks.every((move) => !this.isCut(piece, move, !optimistic));
      case 'convoy':
        if (this.questions.convoy === 'adjudicate') return attacks.every((move) => !this.adjudicate(move, !optimistic));
        return attacks.every((move) => !this.ask(move, !optimistic));
      default:
        return false;
    }
  }
}
