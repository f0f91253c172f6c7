// The clock of a table: the deadline of a turn, that it can stand still, and who wants to hear how much is left.

/** A timer may come some milliseconds early. */
const EARLY_MS = 2;

/** What a clock tells its table. @typeParam T who asks for times */
export interface ClockEvents<T> {
  /** So many seconds are left, which somebody has asked to hear. */
  readonly onTime: (listener: T, seconds: number) => void;
  readonly onDeadline: () => void;
}

export class TurnClock<T> {
  declare private readonly events: ClockEvents<T>;
  /** By performance.now(); null without a limit, and while the clock stands. */
  declare private deadline: number | null;
  /** Milliseconds that were left when it was stopped; null while it runs. */
  declare private stoppedWith: number | null;
  declare private timer: NodeJS.Timeout | null;
  declare private readonly wanted: Map<T, Set<number>>;
  /** Milliseconds that were left when listeners were last told. */
  declare private told: number;

  constructor(events: ClockEvents<T>) {
    this.events = events;
    this.deadline = null;
    this.stoppedWith = null;
    this.timer = null;
    this.wanted = new Map();
    this.told = 0;
  }

  private get left(): number | null {
    return this.deadline === null ? null : this.deadline - performance.now() - EARLY_MS;
  }
  /** Seconds to the deadline; null without one, and while the clock stands. */
  get seconds(): number | null {
    const { left } = this;
    return left === null ? null : Math.max(0, Math.ceil(left / 1000));
  }
  get isStopped(): boolean {
    return this.stoppedWith !== null;
  }

  /** A turn begins. @param seconds until its deadline; 0 for none */
  begin(seconds: number): void {
    this.stoppedWith = null;
    this.run(seconds > 0 ? 1000 * seconds : null);
  }
  private run(milliseconds: number | null): void {
    this.deadline = milliseconds === null ? null : performance.now() + milliseconds;
    this.told = milliseconds ?? 0;
    this.schedule();
  }
  /** The clock stands; the seconds that are left, null if it stands already or has no deadline. */
  stop(): number | null {
    const { seconds, deadline } = this;
    if (seconds === null || deadline === null) return null;
    this.stoppedWith = Math.max(0, deadline - performance.now());
    this.deadline = null;
    this.schedule();
    return seconds;
  }
  /** It goes on; the seconds that are left, null if it did not stand. */
  resume(): number | null {
    if (this.stoppedWith === null) return null;
    this.run(this.stoppedWith);
    this.stoppedWith = null;
    return this.seconds;
  }
  /** No deadline any more, and nobody is told anything. */
  end(): void {
    this.deadline = null;
    this.stoppedWith = null;
    this.schedule();
  }

  /** Tells somebody, in each turn, when so many seconds are left. */
  want(listener: T, seconds: number): void {
    this.wanted.set(listener, (this.wanted.get(listener) ?? new Set()).add(seconds));
    this.schedule();
  }
  /** No more; without seconds nothing more at all. False if that was not wanted. */
  forget(listener: T, seconds: number | null): boolean {
    if (seconds !== null) return this.wanted.get(listener)?.delete(seconds) === true;
    this.wanted.delete(listener);
    return true;
  }

  /** Wakes at the deadline, or before it at the next time that somebody wants to hear of. */
  private schedule(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const { left } = this;
    if (left === null) return;
    const times = [...this.wanted.values()].flatMap((seconds) => [...seconds].map((one) => 1000 * one));
    const next = Math.max(0, ...times.filter((time) => time < this.told));
    this.timer = setTimeout(() => this.wake(), Math.max(0, left - next) + EARLY_MS);
  }
  private wake(): void {
    const { left } = this;
    if (left === null) return;
    const before = this.told;
    this.told = Math.min(before, left);
    for (const [listener, seconds] of this.wanted)
      for (const one of seconds) if (1000 * one >= left && 1000 * one < before) this.events.onTime(listener, one);
    if (left > 0) this.schedule();
    else this.events.onDeadline();
  }
}
