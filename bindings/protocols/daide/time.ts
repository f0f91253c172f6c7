// Timers of a DAIDE server: a replaceable time source, named timers, and the clock of a turn.

/** Source of time. Tests replace it. */
export interface Time {
  /** Returns the time in milliseconds since an arbitrary fixed point. */
  readonly now: () => number;
  /** Calls `act` after a delay. Returns a function that cancels the call. */
  readonly after: (milliseconds: number, act: () => void) => () => void;
}

/** Source of time that uses the clock and timers of the system. */
export const systemTime: Time = {
  now: () => performance.now(),
  after: (milliseconds, act) => {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** A set of timers, each with a name. @typeParam K type of the names */
export class Timers<K> {
  private readonly running = new Map<K, () => void>();

  constructor(private readonly time: Time) {}

  /** Starts a timer that calls `act` after a delay. Does nothing if a timer with this name is running. */
  start(name: K, seconds: number, act: () => void): void {
    if (this.running.has(name)) return;
    const cancel = this.time.after(1000 * seconds, () => {
      this.running.delete(name);
      act();
    });
    this.running.set(name, cancel);
  }
  stop(name: K): void {
    this.running.get(name)?.();
    this.running.delete(name);
  }
  stopAll(): void {
    for (const name of [...this.running.keys()]) this.stop(name);
  }
}

/** Margin for timers that fire early, in milliseconds. */
const EARLY_MS = 2;

/**
 * Clock with the deadline of a turn. The clock can be stopped, and listeners can ask for a notice when a number of
 * seconds is left.
 * @typeParam T type of the listeners
 */
export class TurnClock<T> {
  /** True after the deadline of the turn has passed. */
  isOver = false;
  /** Deadline as a value of time.now(). Null without a limit and while the clock is stopped. */
  private deadline: number | null = null;
  /** Milliseconds left when the clock was stopped; null unless it is stopped. */
  private stoppedWith: number | null = null;
  /** Notices of each listener. times: in seconds before the deadline; timers: one per notice, named by its seconds. */
  private readonly wanted = new Map<T, { readonly times: Set<number>; readonly timers: Timers<number> }>();
  private readonly timers: Timers<'deadline'>;

  constructor(
    private readonly time: Time,
    /** Called with a listener and the seconds left, for each notice that it wanted. */
    private readonly onTime: (listener: T, seconds: number) => void,
    private readonly onDeadline: () => void,
  ) {
    this.timers = new Timers(time);
  }

  /** Seconds to the deadline, rounded up. Null without a limit and while the clock is stopped. */
  get seconds(): number | null {
    return this.deadline === null ? null : Math.max(0, Math.ceil((this.deadline - this.time.now() - EARLY_MS) / 1000));
  }
  get isStopped(): boolean {
    return this.stoppedWith !== null;
  }

  /** Starts the clock of a new turn. @param seconds time limit; 0 for none */
  begin(seconds: number): void {
    this.isOver = false;
    this.end();
    if (seconds > 0) this.run(1000 * seconds);
  }
  private run(milliseconds: number): void {
    this.stoppedWith = null;
    this.deadline = this.time.now() + milliseconds;
    for (const [listener, { times }] of this.wanted) for (const seconds of times) this.schedule(listener, seconds);
    this.timers.start('deadline', milliseconds / 1000, () => {
      for (const [listener, { times }] of this.wanted) if (times.has(0)) this.onTime(listener, 0);
      this.isOver = true;
      this.onDeadline();
    });
  }
  private schedule(listener: T, seconds: number): void {
    if (this.deadline === null || seconds === 0) return;
    const wait = (this.deadline - this.time.now()) / 1000 - seconds;
    if (wait > 0) this.wanted.get(listener)?.timers.start(seconds, wait, () => this.onTime(listener, seconds));
  }
  /** Stops the clock. Returns the seconds left, or null if there is no deadline or the clock is already stopped. */
  stop(): number | null {
    const { seconds, deadline } = this;
    if (seconds === null || deadline === null) return null;
    this.end();
    this.stoppedWith = Math.max(0, deadline - this.time.now());
    return seconds;
  }
  /** Resumes a stopped clock. Returns the seconds left, or null if the clock was not stopped. */
  resume(): number | null {
    if (this.stoppedWith === null) return null;
    this.run(this.stoppedWith);
    return this.seconds;
  }
  /** Removes the deadline and cancels all timers. */
  end(): void {
    this.deadline = null;
    this.stoppedWith = null;
    this.timers.stopAll();
    for (const { timers } of this.wanted.values()) timers.stopAll();
  }

  /** Registers a listener for a notice in every turn when `seconds` are left. */
  want(listener: T, seconds: number): void {
    const known = this.wanted.get(listener) ?? { times: new Set<number>(), timers: new Timers<number>(this.time) };
    this.wanted.set(listener, known);
    known.times.add(seconds);
    this.schedule(listener, seconds);
  }
  /**
   * Cancels the notice of a listener at `seconds` left, or all its notices if `seconds` is null. Returns false if that
   * notice was not registered.
   */
  forget(listener: T, seconds: number | null): boolean {
    const known = this.wanted.get(listener);
    if (seconds === null) {
      known?.timers.stopAll();
      this.wanted.delete(listener);
      return true;
    }
    known?.timers.stop(seconds);
    return known?.times.delete(seconds) === true;
  }
}
