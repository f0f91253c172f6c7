// The clock of a table: the deadline of a turn, which can be suspended, and who wants to hear how much time is left.
import { type Time, Timers } from './time.js';

/** A timer may come some milliseconds early. */
const EARLY_MS = 2;

/** What a clock tells its table. @typeParam T who asks for times */
export interface ClockEvents<T> {
  /** This many seconds are left, as the listener asked to hear. */
  readonly onTime: (listener: T, seconds: number) => void;
  readonly onDeadline: () => void;
}

export class TurnClock<T> {
  /** True once the deadline of the turn has come. */
  isOver = false;
  private readonly timers: Timers<'wake'> = new Timers(this.time);
  /** By time.now(); null without a limit, and while the clock is stopped. */
  private deadline: number | null = null;
  /** Milliseconds that were left when it was stopped; null while it runs. */
  private stoppedWith: number | null = null;
  private readonly wanted = new Map<T, Set<number>>();
  /** Milliseconds that were left when listeners were last told. */
  private told = 0;

  constructor(
    private readonly time: Time,
    private readonly events: ClockEvents<T>,
  ) {}

  private get left(): number | null {
    return this.deadline === null ? null : this.deadline - this.time.now() - EARLY_MS;
  }
  /** Seconds to the deadline; null without one, and while the clock is stopped. */
  get seconds(): number | null {
    const { left } = this;
    return left === null ? null : Math.max(0, Math.ceil(left / 1000));
  }
  get isStopped(): boolean {
    return this.stoppedWith !== null;
  }

  /** A turn begins. @param seconds until its deadline; 0 for none */
  begin(seconds: number): void {
    this.isOver = false;
    this.stoppedWith = null;
    this.run(seconds > 0 ? 1000 * seconds : null);
  }
  private run(milliseconds: number | null): void {
    this.deadline = milliseconds === null ? null : this.time.now() + milliseconds;
    this.told = milliseconds ?? 0;
    this.schedule();
  }
  /** Stops the clock; returns the seconds that are left, null if it is stopped already or has no deadline. */
  stop(): number | null {
    const { seconds, deadline } = this;
    if (seconds === null || deadline === null) return null;
    this.stoppedWith = Math.max(0, deadline - this.time.now());
    this.deadline = null;
    this.schedule();
    return seconds;
  }
  /** Resumes it; returns the seconds that are left, null if it was not stopped. */
  resume(): number | null {
    if (this.stoppedWith === null) return null;
    this.run(this.stoppedWith);
    this.stoppedWith = null;
    return this.seconds;
  }
  /** Ends it: there is no deadline, and nothing more is told. */
  end(): void {
    this.deadline = null;
    this.stoppedWith = null;
    this.schedule();
  }

  /** Tells a listener, in each turn, when so many seconds are left. */
  want(listener: T, seconds: number): void {
    this.wanted.set(listener, (this.wanted.get(listener) ?? new Set()).add(seconds));
    this.schedule();
  }
  /** Takes that back, or without seconds all that it wants. False if that was not wanted. */
  forget(listener: T, seconds: number | null): boolean {
    if (seconds !== null) return this.wanted.get(listener)?.delete(seconds) === true;
    this.wanted.delete(listener);
    return true;
  }

  /** Wakes at the deadline, or before it at the next time that a listener wants to hear of. */
  private schedule(): void {
    this.timers.stopAll();
    const { left } = this;
    if (left === null) return;
    const times = [...this.wanted.values()].flatMap((seconds) => [...seconds].map((one) => 1000 * one));
    const next = Math.max(0, ...times.filter((time) => time < this.told));
    this.timers.start('wake', (Math.max(0, left - next) + EARLY_MS) / 1000, () => this.wake());
  }
  private wake(): void {
    const { left } = this;
    if (left === null) return;
    const before = this.told;
    this.told = Math.min(before, left);
    for (const [listener, seconds] of this.wanted)
      for (const one of seconds) if (1000 * one >= left && 1000 * one < before) this.events.onTime(listener, one);
    if (left > 0) {
      this.schedule();
      return;
    }
    this.isOver = true;
    this.events.onDeadline();
  }
}
