// Plays the games of a measurement over the workers of a pool.
import { makePool } from '../../selfplay/crew/pool.js';

/**
 * What a function of a module makes of { spec, index }, by the number of the game: the same for any number of workers.
 * @param module its address, and the name of its export
 * @param onGame called with the number of games that have ended
 */
export const playEach = async <T>(
  module: string,
  name: string,
  spec: { readonly games: number },
  workers: number,
  onGame: (played: number) => void = () => {},
): Promise<T[]> => {
  const pool = makePool({ workers });
  let played = 0;
  try {
    return await Promise.all(
      Array.from({ length: spec.games }, async (_, index): Promise<T> => {
        const game: T = await pool.call({ module, name, data: { spec, index } }, { label: `game ${index}` });
        onGame(++played);
        return game;
      }),
    );
  } finally {
    await pool.close();
  }
};
