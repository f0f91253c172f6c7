// Runs a long list of asynchronous calls, a few at a time.

/** How long calls that are under way may take to end when no more are wanted. */
const GRACE_MS = 5000;

const graceAfter = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wait = (): void => void setTimeout(resolve, GRACE_MS).unref();
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });

/**
 * Calls `use` for each number from 0 to count - 1 in turn, and the next one whenever one has resolved.
 * @param atOnce calls under way at the same time; twice the number of workers keeps each of them busy
 * @param signal once it is aborted no further call is made. Those under way have GRACE_MS to end; then this resolves
 * without them and ignores their results
 * @throws the first error of a call; no further call is made then
 */
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
  await (signal === undefined ? all : Promise.race([all, graceAfter(signal)]));
};
