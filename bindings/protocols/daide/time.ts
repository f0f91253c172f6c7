// The time of a server, timers by name, and the clock of a turn. Tests pass a time of their own.

export interface Time {
  /** Milliseconds since any fixed point. */
  readonly now: () => number;
  /** Calls `act` after so many milliseconds. Returns what cancels that. */
  readonly after: (milliseconds: number, act: () => void) => () => void;
}

export const systemTime: Time = {
  now: () => performance.now(),
  after: (milliseconds, act) => {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
};

export class Timers<K> {
  private readonly running = new Map<K, () => void>();

  constructor(private readonly time: Time) {}

  /** Starts a timer, unless one of this name runs. */
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

/** A timer may come some milliseconds early. */
const EARLY_MS = 2;

/** The deadline of a turn, which can be suspended, and who hears how much time is left. @typeParam T who hears */
export class TurnClock<T> {
  /** True once the deadline of the turn has come. */
  isOver = false;
  /** By time.now(); null without a limit, and while the clock is stopped. */
  private deadline: number | null = null;
  /** Milliseconds that were left when it was stopped; null while it runs. */
  private stoppedWith: number | null = null;
  /** Seconds that each wants to hear of, with the timers of this turn. */
  private readonly wanted = new Map<T, { readonly times: Set<number>; readonly timers: Timers<number> }>();
  private readonly timers: Timers<'deadline'>;

  constructor(
    private readonly time: Time,
    /** So many seconds are left, as the listener asked to hear. */
    private readonly onTime: (listener: T, seconds: number) => void,
    private readonly onDeadline: () => void,
  ) {
    this.timers = new Timers(time);
  }

  /** Seconds to the deadline; null without one, and while the clock is stopped. */
  get seconds(): number | null {
    return this.deadline === null ? null : Math.max(0, Math.ceil((this.deadline - this.time.now() - EARLY_MS) / 1000));
  }
  get isStopped(): boolean {
    return this.stoppedWith !== null;
  }

  /** A turn begins. @param seconds until its deadline; 0 for none */
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
  /** Stops the clock; returns the seconds that are left, null if it is stopped already or has no deadline. */
  stop(): number | null {
    const { seconds, deadline } = this;
    if (seconds === null || deadline === null) return null;
    this.end();
    this.stoppedWith = Math.max(0, deadline - this.time.now());
    return seconds;
  }
  /** Resumes it; returns the seconds that are left, null if it was not stopped. */
  resume(): number | null {
    if (this.stoppedWith === null) return null;
    this.run(this.stoppedWith);
    return this.seconds;
  }
  /** Ends it: there is no deadline, and nothing more is told. */
  end(): void {
    this.deadline = null;
    this.stoppedWith = null;
    this.timers.stopAll();
    for (const { timers } of this.wanted.values()) timers.stopAll();
  }

  /** Tells a listener, in each turn, when so many seconds are left. */
  want(listener: T, seconds: number): void {
    const known = this.wanted.get(listener) ?? { times: new Set<number>(), timers: new Timers<number>(this.time) };
    this.wanted.set(listener, known);
    known.times.add(seconds);
    this.schedule(listener, seconds);
  }
  /** Takes that back, or without seconds all that it wants. False if that was not wanted. */
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
