// Runs of self-play and pools of workers as tests want them.
import { makePool, type Pool, type PoolOptions } from '../../selfplay/crew/pool.js';
import { type RunOptions, type RunResult, runSelfplay } from '../../selfplay/records/run.js';
import type { RunSpec } from '../../selfplay/records/run-spec.js';

/** A run to 1902 in which one agent has all seats of the standard map. @param more fields in place of these */
export const runOf = (agent: string, games: number, more: Partial<RunSpec> = {}): RunSpec => ({
  ...{ map: 'standard', rules: 'datc-3.2', agents: new Array(7).fill(agent), games, until: 1902, seed: 5 },
  ...more,
});

/** Plays a run by two workers. @param options in place of these */
export const playRun = (spec: RunSpec, directory: string, options: Partial<RunOptions> = {}): Promise<RunResult> =>
  runSelfplay({ spec, directory, commit: null, workers: 2, ...options });

/** Uses a pool and closes it, whatever happens. */
export const withPool = async <T>(options: PoolOptions, use: (pool: Pool) => Promise<T>): Promise<T> => {
  const pool = makePool(options);
  try {
    return await use(pool);
  } finally {
    await pool.close();
  }
};
