// The time of a server, and timers by name. Tests pass a time of their own.

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
  /** What cancels each timer that runs. */
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
