// Is a thread slow for good? About one start of V8 in 25 stays twice as slow as the others: a function was thrown out of
// its compiled form at the wrong moment.
//
// The workers of a pool (selfplay/workers) find that out before their first task, which takes half a second. A batch has
// to begin at once, and all its threads do the same work: what a row of it costs each of them tells the same.

import { SLOW } from '../../../selfplay/workers/limits.js';

/** Commands after which a thread is judged, and judgements in a row that it takes. */
const COMMANDS = 32;
const JUDGEMENTS = 3;
/** Milliseconds of work after which the code of a thread is compiled. */
const WARM_MS = 300;

/** The pace of one thread. */
export class Pace {
  private busy = 0;
  private commands = 0;
  private slow = 0;
  // The least of many is free of what else the processor had to do.
  private own = Number.POSITIVE_INFINITY;
  private others = Number.POSITIVE_INFINITY;

  /**
   * Told of a command in which this thread and others took part; true if it is slow.
   * @param milliseconds that this thread has spent on it
   * @param own milliseconds that a row has cost it
   * @param others the same of the fastest of the others
   */
  add(milliseconds: number, own: number, others: number): boolean {
    this.busy += milliseconds;
    if (this.busy < WARM_MS) return false;
    this.own = Math.min(this.own, own);
    this.others = Math.min(this.others, others);
    if (++this.commands < COMMANDS) return false;
    this.slow = this.own > SLOW * this.others ? this.slow + 1 : 0;
    this.own = Number.POSITIVE_INFINITY;
    this.others = Number.POSITIVE_INFINITY;
    this.commands = 0;
    return this.slow === JUDGEMENTS;
  }
}
