// Runs a long list of asynchronous calls, a few at a time.

/** How long calls that are under way may take to end when no more are wanted. */
const GRACE_MS = 5000;

/** @param over ends the wait for the signal: without it a series of calls would leave it with as many listeners */
const graceAfter = (signal: AbortSignal, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wait = (): void => void setTimeout(resolve, GRACE_MS).unref();
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true, signal: over });
  });

/** Calls `use` for each number in turn, some at once. A signal or an error ends it; what is under way has GRACE_MS. */
export const inTurns = async (
  count: number,
  atOnce: number,
  use: (index: number) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> => {
  let next = 0;
  const takeTurns = async (): Promise<void> => {
    while (next < count && signal?.aborted !== true)
      await use(next++).catch((error: unknown) => {
        next = count;
        throw error;
      });
  };
  const all = Promise.all(Array.from({ length: atOnce }, takeTurns)).then(() => {});
  if (signal === undefined) return all;
  const over = new AbortController();
  await Promise.race([all, graceAfter(signal, over.signal)]).finally(() => over.abort());
};
