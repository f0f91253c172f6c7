// Timer for warm-ups.

/**
 * Starts a timer. Returns a function that returns the milliseconds since the start, in wall-clock time or in processor
 * time of this process, whichever is less. On a busy machine a process achieves little in a second of wall-clock time;
 * and V8's compiler threads use processor time too.
 */
export const startTimer = (): (() => number) => {
  const begin = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.min(performance.now() - begin, (user + system) / 1000);
  };
};
