// Does the games or jobs of a measurement on worker threads.
import { makePool } from '../../selfplay/crew/pool.js';

/**
 * Calls a function in worker threads once for each job. Returns the results in the order of the jobs.
 * @param module URL of the module that exports the function
 * @param name name of the function, which gets a job
 * @param labelOf name of a job, for messages
 * @param onDone called after each job with the number of finished jobs
 */
export const callEach = async <J, T>(
  module: string,
  name: string,
  jobs: readonly J[],
  workers: number,
  labelOf: (job: J) => string,
  onDone: (done: number) => void = () => {},
): Promise<T[]> => {
  const pool = makePool({ workers });
  let done = 0;
  try {
    return await Promise.all(
      jobs.map(async (data): Promise<T> => {
        const result: T = await pool.call({ module, name, data }, { label: labelOf(data) });
        onDone(++done);
        return result;
      }),
    );
  } finally {
    await pool.close();
  }
};

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
export const playEach = <T>(
  module: string,
  name: string,
  spec: { readonly games: number },
  workers: number,
  onGame?: (played: number) => void,
): Promise<T[]> => {
  const jobs = Array.from({ length: spec.games }, (_, index) => ({ spec, index }));
  return callEach(module, name, jobs, workers, ({ index }) => `game ${index}`, onGame);
};
