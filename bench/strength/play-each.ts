// Plays the games of a measurement on worker threads.
import { makePool } from '../../selfplay/crew/pool.js';

/**
 * Calls an exported function with { spec, index } for each game, in workers. Returns the results, indexed by game. They
 * are the same for any number of workers.
 * @param module URL of the module
 * @param name name of the exported function
 * @param spec argument for all games, with the number of games
 * @param workers number of worker threads
 * @param onGame called after each game with the number of finished games
 * @throws the error of a call that fails
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
