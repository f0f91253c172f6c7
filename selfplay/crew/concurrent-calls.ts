// Runs a long list of asynchronous calls, a few at the same time.

/** Time that running calls get to finish after an abort, in milliseconds. */
const GRACE_MS = 5000;

/**
 * Resolves GRACE_MS after a signal aborts; never if it does not abort.
 * @param over removes the listener from the signal when aborted; without it each call would leave a listener there
 */
const graceAfter = (signal: AbortSignal, over: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wait = (): void => void setTimeout(resolve, GRACE_MS).unref();
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true, signal: over });
  });

/**
 * Calls `use` for each index from 0 to count - 1, in ascending order, and resolves when all calls have resolved.
 * @param atOnce maximum number of calls in progress
 * @param signal starts no more calls once aborted, and gives those in progress GRACE_MS to finish
 * @throws the first error of `use`; no more calls are started after it
 */
export const callConcurrently = async (
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
