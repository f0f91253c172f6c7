// Counts time for a warm-up.

/**
 * Starts to count milliseconds of the clock and of processor time, and returns a function that says of which there were
 * less: on a busy machine a process does little in a second of the clock, and V8, beside it, in a second of its own.
 */
export const startTimer = (): (() => number) => {
  const begin = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.min(performance.now() - begin, (user + system) / 1000);
  };
};
