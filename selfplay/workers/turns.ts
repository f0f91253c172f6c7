// A long list of things to wait for, a few of them at a time.

/**
 * Calls `use` for each number from 0 to count - 1 in turn, and the next one whenever one has resolved.
 * @param atOnce calls under way at the same time; twice the number of workers keeps each of them busy
 * @throws the first error of a call; no further call is made then
 */
export const inTurns = async (count: number, atOnce: number, use: (index: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const takeTurns = async (): Promise<void> => {
    while (next < count) {
      try {
        await use(next++);
      } catch (error) {
        next = count;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
};
