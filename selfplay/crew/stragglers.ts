// Finds threads that are slow for good. About one start of V8 in 25 stays twice as slow as the others: a function was thrown
// out of its compiled form at the wrong moment.
//
//   checkSelf()   before the first chunk of a pool: half a second, in which a thread also warms up
//   Pace          for a batch of games, which has to begin at once: what a row costs each of its threads
import { threadId } from 'node:worker_threads';
import { DATC_3_2, newGame, standard } from '../../engine/internal.js';
import { Batch } from '../../engine/play/batch.js';
import { POLICY, UNIFORM } from '../../engine/play/step.js';
import { addRollouts, makeRolloutSums } from '../rollouts/rollout.js';
import { type Faults, orderedTime } from './faults.js';

const LAST_YEAR = 1910;
/** Games of a round by each sampler; with the rollouts one to two milliseconds. */
const GAMES = 12;
const ROLLOUTS = 100;
/** Two years: long enough for retreats and builds. */
const HORIZON = 4;
/** Rounds of other seeds before the clock counts: every branch has been seen by then, and compiled. */
const WARM_ROUNDS = 40;
/** The least of several rounds is free of what else the processor had to do. */
const TIMED_ROUNDS = 10;

/** Plays to 1910 by both samplers (convoys, dislodgements, retreats, builds), and rollouts. Returns the phase-steps. */
const playRound = (batch: Batch, seed: number): number => {
  let steps = 0;
  for (const sampler of [POLICY, UNIFORM] as const) {
    batch.reset(seed);
    steps += batch.playout(sampler);
  }
  const sums = makeRolloutSums(standard.powerCount);
  addRollouts(newGame(standard, DATC_3_2), { horizon: HORIZON, count: ROLLOUTS, seed }, sums);
  return steps + sums.steps;
};

/** Warms this thread up, then measures it: nanoseconds for a phase-step of a fixed mixture, the least of some rounds. */
export const checkSelf = (): number => {
  const batch = new Batch(standard, DATC_3_2, GAMES, { until: LAST_YEAR });
  for (let round = 1; round <= WARM_ROUNDS; round++) playRound(batch, round);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < TIMED_ROUNDS; round++) {
    const begin = performance.now();
    const steps = playRound(batch, 0);
    least = Math.min(least, ((performance.now() - begin) * 1e6) / steps);
  }
  return least;
};

export interface Speed {
  readonly thread: number;
  readonly time: number;
}

let time = Number.POSITIVE_INFINITY;

interface Measurement {
  /** Counts the threads that have come, of `count`: so each of them takes one of these tasks. */
  readonly arrived: Int32Array;
  readonly count: number;
  /** Threads that are measured again. */
  readonly again: readonly number[];
  readonly faults: Faults | undefined;
}

/** In a worker: measures this thread, together with all others. */
export const measureThread = ({ arrived, count, again, faults }: Measurement): Speed => {
  Atomics.add(arrived, 0, 1);
  Atomics.notify(arrived, 0);
  for (let seen = Atomics.load(arrived, 0); seen < count; seen = Atomics.load(arrived, 0))
    Atomics.wait(arrived, 0, seen);
  // Of two measurements the lower one counts: the processor may have been busy.
  if (time === Number.POSITIVE_INFINITY || again.includes(threadId))
    time = Math.min(time, orderedTime(faults) ?? checkSelf());
  return { thread: threadId, time };
};

/** A thread that is this many times slower than the fast ones is replaced. */
const SLOW = 1.4;

/** Whether a time is slow among others: the fastest quarter of them does not exceed what it is compared with. */
export const isSlow = (time: number, times: readonly number[]): boolean =>
  time > SLOW * (times.toSorted((a, b) => a - b)[(times.length - 1) >> 2] ?? Number.POSITIVE_INFINITY);

/** Commands after which a thread is judged, and judgements in a row that it takes. */
const COMMANDS = 32;
const JUDGEMENTS = 3;
/** Milliseconds of work after which the code of a thread is compiled. */
const WARM_MS = 300;

export class Pace {
  private busy = 0;
  private commands = 0;
  private slow = 0;
  // The least of many is free of what else the processor had to do.
  private own = Number.POSITIVE_INFINITY;
  private others = Number.POSITIVE_INFINITY;

  /** True if the thread is slow after a command. @param own milliseconds for a row, and of the fastest of the others */
  add(milliseconds: number, own: number, others: number): boolean {
    this.busy += milliseconds;
    if (this.busy < WARM_MS) return false;
    this.own = Math.min(this.own, own);
    this.others = Math.min(this.others, others);
    if (++this.commands < COMMANDS) return false;
    this.slow = isSlow(this.own, [this.others]) ? this.slow + 1 : 0;
    this.own = Number.POSITIVE_INFINITY;
    this.others = Number.POSITIVE_INFINITY;
    this.commands = 0;
    return this.slow === JUDGEMENTS;
  }
}
