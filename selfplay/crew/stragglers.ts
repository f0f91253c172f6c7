// Finds threads that are slow for good. About one start of V8 in 25 stays twice as slow as the others: a function was thrown
// out of its compiled form at the wrong moment.
//
//   SpeedCheck   before the first chunk of a pool: half a second, in which a thread also warms up
//   Pace         for a crew, which has to begin at once: the cost of a chunk for each of its threads
import { threadId } from 'node:worker_threads';
import { DATC_3_2, newGame, standard } from '../../engine/internal.js';
import { Batch } from '../../engine/play/batch.js';
import { POLICY, UNIFORM } from '../../engine/play/step.js';
import { addRollouts, makeRolloutSums } from '../rollouts/rollout.js';
import { type Faults, orderedTime } from './faults.js';
import type { Threads } from './threads.js';

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

/** A thread that is this many times slower than the fast ones is replaced. */
const SLOW = 1.4;

/** Whether a time is slow among others: the fastest quarter of them does not exceed what it is compared with. */
const isSlow = (time: number, times: readonly number[]): boolean =>
  time > SLOW * (times.toSorted((a, b) => a - b)[(times.length - 1) >> 2] ?? Number.POSITIVE_INFINITY);

// ---- threads of a pool ----

interface Speed {
  readonly thread: number;
  readonly time: number;
}

let time = Number.POSITIVE_INFINITY;

interface Measurement {
  /** Counts the threads that have come, of `count`: so each of them takes one of these tasks. */
  readonly arrived: Int32Array;
  readonly count: number;
  readonly faults: Faults | undefined;
}

/** In a worker: measures this thread, together with all others. */
export const measureThread = ({ arrived, count, faults }: Measurement): Speed => {
  Atomics.add(arrived, 0, 1);
  Atomics.notify(arrived, 0);
  for (let seen = Atomics.load(arrived, 0); seen < count; seen = Atomics.load(arrived, 0))
    Atomics.wait(arrived, 0, seen);
  // The lowest of several measurements counts: the processor may have been busy.
  time = Math.min(time, orderedTime(faults) ?? checkSelf());
  return { thread: threadId, time };
};

/** Measures the threads of a pool, and replaces those that are slow. */
export class SpeedCheck {
  replaced = 0;
  /** Nanoseconds of a phase-step, by thread; none before they are measured. */
  times: readonly number[] = [];
  /** Times of all threads that were measured, also of those that have ended. */
  private readonly measured = new Map<number, number>();
  private measuring: Promise<void> | null = null;
  private measuredStarts = -1;

  /** @param startOther starts a thread to compare with, null if there is more than one @param most replacements */
  constructor(
    private readonly threads: Threads,
    private readonly count: number,
    private readonly most: number,
    private readonly startOther: (() => Threads) | null,
    private readonly faults: Faults | undefined,
  ) {}

  /** Resolves once all threads that have been started are measured. */
  async ready(): Promise<void> {
    if (this.measuredStarts === this.threads.started) return;
    this.measuring ??= this.measureAll().finally(() => {
      this.measuring = null;
    });
    await this.measuring;
  }

  private async measure(threads: Threads, count: number): Promise<Speed[]> {
    const arrived = new Int32Array(new SharedArrayBuffer(4));
    const data: Measurement = { arrived, count, faults: this.faults };
    const check = { module: import.meta.url, name: 'measureThread', data, label: '' };
    try {
      const speeds = (await Promise.all(Array.from({ length: count }, () => threads.run(check)))) as Speed[];
      for (const { thread, time } of speeds) this.measured.set(thread, time);
      return speeds;
    } finally {
      // If one of them has crashed, the others wait for no more.
      Atomics.store(arrived, 0, count);
      Atomics.notify(arrived, 0);
    }
  }

  /** Replaces threads as long as they are slow, also when they are measured once more: the processor may have been busy. */
  private async measureAll(): Promise<void> {
    const { threads, count, most } = this;
    const slowOf = (speeds: readonly Speed[]): number[] =>
      speeds.filter(({ time }) => isSlow(time, [...this.measured.values()])).map(({ thread }) => thread);
    const other = this.startOther?.() ?? null;
    try {
      let [speeds] = await Promise.all([this.measure(threads, count), other && this.measure(other, 1)]);
      while (this.replaced < most && slowOf(speeds).length > 0) {
        speeds = await this.measure(threads, count);
        const slow = slowOf(speeds).slice(0, most - this.replaced);
        this.replaced += slow.length;
        await Promise.all(slow.map((thread) => threads.end(thread)));
        if (slow.length > 0) speeds = await this.measure(threads, count);
      }
      this.times = speeds.map(({ time }) => time);
      this.measuredStarts = threads.started;
    } finally {
      await other?.close();
    }
  }
}

// ---- threads of a crew ----

/** Rounds after which a thread is judged, and judgements in a row that it takes. */
const ROUNDS = 32;
const JUDGEMENTS = 3;
/** Milliseconds of work after which the code of a thread is compiled. */
const WARM_MS = 300;

export class Pace {
  private busy = 0;
  private rounds = 0;
  private slow = 0;
  // The least of many is free of what else the processor had to do.
  private own = Number.POSITIVE_INFINITY;
  private others = Number.POSITIVE_INFINITY;

  /** True if the thread is slow after a round. @param own milliseconds for a chunk, and of the fastest of the others */
  add(milliseconds: number, own: number, others: number): boolean {
    this.busy += milliseconds;
    if (this.busy < WARM_MS) return false;
    this.own = Math.min(this.own, own);
    this.others = Math.min(this.others, others);
    if (++this.rounds < ROUNDS) return false;
    this.slow = isSlow(this.own, [this.others]) ? this.slow + 1 : 0;
    this.own = Number.POSITIVE_INFINITY;
    this.others = Number.POSITIVE_INFINITY;
    this.rounds = 0;
    return this.slow === JUDGEMENTS;
  }
}

/** Compares the threads of a crew, round by round. */
export class Paces {
  private readonly paces = new Map<number, Pace>();

  /** A thread that takes the place of another begins from nothing. */
  begin(thread: number): void {
    this.paces.set(thread, new Pace());
  }

  /** Threads that are slow after a round. @param spent milliseconds and chunks, by thread */
  slowAfter(spent: Float64Array): number[] {
    const costs = Array.from({ length: spent.length >> 1 }, (_, i) => spent[2 * i] / spent[2 * i + 1]);
    const leastBut = (i: number): number => Math.min(...costs.filter((cost, k) => k !== i && Number.isFinite(cost)));
    return [...this.paces].flatMap(([i, pace]) => {
      const least = leastBut(i);
      const isCompared = Number.isFinite(costs[i]) && Number.isFinite(least);
      return isCompared && pace.add(spent[2 * i], costs[i], least) ? [i] : [];
    });
  }
}
