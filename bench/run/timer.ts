// Measures time for a warm-up.

/**
 * Starts a timer. Returns a function that returns the milliseconds of wall-clock time or of processor time since then,
 * whichever is less. On a busy machine a process gets little done in a second of wall-clock time, and V8's compiler
 * threads use processor time too.
 */
export const startTimer = (): (() => number) => {
  const begin = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.min(performance.now() - begin, (user + system) / 1000);
  };
};
