// Implements the guess algorithm of DATC 3.2, chapter 5.F: each order succeeds or fails; an order that is being resolved
// answers with a guess, and both guesses are tried if a question came back to it.
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
import { Conditions } from './conditions.js';
import { applyBackupRule, type Paper, type Piece, readPaper, toVerdict, type Verdict } from './pieces.js';

class Guesses {
  private readonly conditions: Conditions;
  private readonly resolved = new Map<Piece, boolean>();
  private readonly visited = new Map<Piece, { guess: boolean; hits: number }>();
  private readonly inCycle = new Map<Piece, boolean>();
  private cycle: Piece[] = [];
  /** Hits on orders that are still being asked about. */
  private hits = 0;
  private guessBased = false;

  constructor(private readonly paper: Paper) {
    // A move that goes back to its convoy by more than one way would make the cycle unclean (5.D).
    this.conditions = new Conditions(paper, { support: 'path', convoy: 'adjudicate' }, (piece) => this.resolve(piece));
  }

  private adjudicate(piece: Piece): boolean {
    return this.conditions.adjudicate(piece, true);
  }

  private backup(begin: number): void {
    for (const [piece, success] of applyBackupRule(this.cycle.slice(begin))) this.resolved.set(piece, success);
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
    return toVerdict(this.paper, (piece) => this.resolve(piece));
  }
}

/** Resolves one movement phase. @param sequence as for readPaper(): the order in which orders are asked for */
export const judgeByGuesses = (
  map: CompiledMap,
  units: Uint8Array,
  orders: Int32Array,
  sequence?: readonly number[],
): Verdict => new Guesses(readPaper(map, units, orders, sequence)).judge();
