// Implements the recursion over partial information as DATC 3.2 prints it in chapter 5.E, in its last form, with the
// counter of hits and the flag for uncertain answers. It is no reference for results: the engine's own recursion departs
// from it (engine/README.md), and printed-recursion.test.ts has the positions where that matters.
//
//   resolve(order, optimistic)
//     resolved: its result
//     in the cycle: uncertain; what is optimistic
//     being visited: it joins the cycle, one more hit; uncertain; what is optimistic
//     adjudicate it optimistically; if that succeeds and was uncertain, pessimistically too
//     both agree: drop what joined the cycle since, take back the hits since; that is the result
//     it was hit itself: one hit less
//     no hit more than before: it heads the cycle. The backup rule on what joined since, drop that, and once more
//     else it joins the cycle; what is optimistic
//
// Hits are counted on orders that are being visited, not on those in the cycle. An order that depends only on the cycle
// therefore takes itself for the head of another cycle, and the backup rule is given the orders that joined below it: the
// wrong ones, or none. With none nothing changes, and the recursion never ends.
import type { CompiledMap } from '../../engine/map/compiled-map.js';
import { Conditions, type Questions } from './conditions.js';
import { applyBackupRule, type Paper, type Piece, readPaper, toVerdict, type Verdict } from './pieces.js';

export interface PrintedForm {
  /** What a support asks of the moves against it: 'path, move' as the document has it. */
  readonly support: Questions['support'];
  /** The head of a cycle joins it before the backup rule, whether it was hit or not: what one would mend first. */
  readonly mended: boolean;
}

class NoEnd extends Error {}

class PrintedRecursion {
  private readonly conditions: Conditions;
  private readonly mended: boolean;
  private readonly resolved = new Map<Piece, boolean>();
  private readonly visited = new Set<Piece>();
  private readonly cycle: Piece[] = [];
  private hits = 0;
  private uncertain = false;

  constructor(
    private readonly paper: Paper,
    { support, mended }: PrintedForm,
  ) {
    this.mended = mended;
    this.conditions = new Conditions(paper, { support, convoy: 'resolve' }, (piece, optimistic) =>
      this.resolve(piece, optimistic),
    );
  }

  private resolve(piece: Piece, optimistic: boolean): boolean {
    const known = this.resolved.get(piece);
    if (known !== undefined) return known;
    const isInCycle = this.cycle.includes(piece);
    if (isInCycle || this.visited.has(piece)) {
      if (!isInCycle) {
        this.cycle.push(piece);
        this.hits++;
      }
      this.uncertain = true;
      return optimistic;
    }
    return this.visit(piece, optimistic);
  }

  private visit(piece: Piece, optimistic: boolean): boolean {
    const { hits, uncertain } = this;
    const { length } = this.cycle;
    this.visited.add(piece);
    this.uncertain = false;
    const best = this.conditions.adjudicate(piece, true);
    const worst = best && this.uncertain ? this.conditions.adjudicate(piece, false) : best;
    this.visited.delete(piece);
    if (best === worst) {
      this.cycle.length = length;
      this.hits = hits;
      this.uncertain = uncertain;
      this.resolved.set(piece, best);
      return best;
    }
    const wasHit = this.cycle.includes(piece);
    if (wasHit) this.hits--;
    if (this.hits === hits) {
      if (this.mended && !wasHit) this.cycle.push(piece);
      const joined = this.cycle.splice(length);
      if (joined.length === 0) throw new NoEnd();
      for (const [decided, success] of applyBackupRule(joined)) this.resolved.set(decided, success);
      this.uncertain = uncertain;
      return this.resolve(piece, optimistic);
    }
    if (!wasHit) this.cycle.push(piece);
    return optimistic;
  }

  judge(): Verdict {
    return toVerdict(this.paper, (piece) => this.resolve(piece, true));
  }
}

/**
 * Resolves one movement phase; null if the recursion never ends.
 * @param sequence as for readPaper(): the order in which orders are asked for and looked through
 */
export const judgeAsPrinted = (
  map: CompiledMap,
  units: Uint8Array,
  orders: Int32Array,
  form: PrintedForm,
  sequence?: readonly number[],
): Verdict | null => {
  try {
    return new PrintedRecursion(readPaper(map, units, orders, sequence), form).judge();
  } catch (error) {
    if (error instanceof NoEnd) return null;
    throw error;
  }
};
